//! Dominated moves, and the lines that they place instead of their own.
//!
//! Two lines of one direction that the same new dot would complete are shifts of each other:
//! playing either forbids the other. Let line B lie further forwards than line A. A is dominated by
//! B if and only if
//!
//! 1. fewer than `reach` free units lie ahead of A: no later line fits there, so the units B would
//!    take beyond A are lost anyway, and
//! 2. at least `reach` free units lie behind B: a later line fits there, and A would have taken
//!    some of its room;
//!
//! or the same with forwards and backwards exchanged. Then any continuation of A is a continuation
//! of B, and B leaves strictly more room. If there are several such B, the one furthest from A
//! leaves the most room and is taken; if there is one in both directions, the forward one is taken.
//! Without the second condition, A and B leave the same room and neither is replaced. Nothing here
//! depends on what the units are, so moves can also be dominated in disjoint games. A dominated
//! move stays in the list under its own code, but the line placed is the dominating one:
//! [`super::Move`] is the line placed.

use super::grid::{LANE_BITS, Lane};
use super::{Line, Morpion, Move, State};

impl Morpion {
    /// Finds the dominated moves of a lane.
    pub(super) fn settle_lane(&self, state: &mut State, lane: usize) {
        let mut count = 0;
        for i in 0..state.moves.len() {
            if (state.moves[i].code() >> LANE_BITS) as usize == lane {
                self.settle(state, i);
                count += 1;
            }
        }
        state.shared[lane] = count > 1;
    }

    /// Makes move `i` place the line that dominates its own, or its own if none does.
    pub(super) fn settle(&self, state: &mut State, i: usize) {
        let (code, line) = (state.moves[i].code(), state.moves[i].line());
        let lane = state.lanes[(code >> LANE_BITS) as usize];
        let first = code & ((1 << LANE_BITS) - 1);
        let place = first + u32::from(line.coded);
        let pos = (place - self.dominating(lane, place, first)) as u8;
        state.moves[i] = Move::new(Line { pos, ..line }, code);
    }

    /// The first place of the line that dominates the one from `first`, if a dot at `place`
    /// completes both; `first` itself if none does.
    fn dominating(&self, lane: Lane, place: u32, first: u32) -> u32 {
        let shift = place + 1 - self.length;
        let shifts = u32::from(self.shifts(lane, place));
        let front = shift + shifts.ilog2();
        let back = shift + shifts.trailing_zeros();
        let ahead = (lane.used >> (first + self.reach)).trailing_zeros();
        let behind = (lane.used << (u64::BITS - first)).leading_zeros();
        if front > first && ahead < self.reach && behind + front - first >= self.reach {
            front
        } else if back < first && behind < self.reach && ahead + first - back >= self.reach {
            back
        } else {
            first
        }
    }
}
