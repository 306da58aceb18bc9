//! The tuned playout policy (nrpa-2011, figure 6). It was made for 5T, and every variant can use
//! it.
//!
//! 1. If the last move made new lines available, 4 of them are drawn with replacement.
//! 2. Otherwise, with probability 0.9, 2 moves are drawn with replacement from those whose new dot is
//!    1 or 2 steps from the last one in one of the directions, if there are any.
//! 3. Otherwise 6 moves are drawn without replacement, or all are taken if there are not more.
//!
//! Of the moves drawn, rules 1 and 2 play the one after which the most moves are available. Rule 3
//! plays the one that makes the most new lines available and, of several, leaves the most moves. Of
//! equal moves the first one is played. Rule 3 also plays the first move of a game. If there is
//! only one candidate, nothing is drawn.

use nestor_engine::random::Random;

use super::grid::{LANE_BITS, locate};
use super::{Morpion, Move, State};

const DRAWN_NEW: usize = 4;
const NEAR: f64 = 0.9;
const DRAWN_NEAR: usize = 2;
const DRAWN_OF_ALL: usize = 6;

impl Morpion {
    /// The next move; none at the end of the game.
    pub(super) fn choose_tuned(&self, state: &State, random: &mut Random) -> Option<Move> {
        let moves = &state.moves[..];
        if moves.len() <= 1 {
            return moves.first().copied();
        }
        if state.played > 0 {
            let fresh = &moves[state.kept..];
            if !fresh.is_empty() {
                let drawn: [_; DRAWN_NEW] = draw(fresh.len(), random);
                return self.best(state, drawn.into_iter().map(|i| fresh[i]), |(_, all)| all);
            }
            if random.uniform() < NEAR {
                let near =
                    || moves.iter().filter(|mv| is_near(state.last, (mv.line().x, mv.line().y)));
                let count = near().count();
                if count > 0 {
                    let drawn: [_; DRAWN_NEAR] = draw(count, random);
                    let drawn = drawn.into_iter().filter_map(|i| near().nth(i).copied());
                    return self.best(state, drawn, |(_, all)| all);
                }
            }
        }
        let (drawn, count) = draw_distinct(moves.len(), random);
        self.best(state, drawn[..count].iter().map(|&i| moves[i]), |counts| counts)
    }

    /// The first of the moves drawn with the greatest value, given (new lines, moves) after it.
    fn best<V: PartialOrd>(
        &self,
        state: &State,
        drawn: impl Iterator<Item = Move>,
        value: impl Fn((u32, u32)) -> V,
    ) -> Option<Move> {
        let mut best: Option<(Move, V)> = None;
        for mv in drawn {
            // A move drawn again is mostly the best one.
            if best.as_ref().is_some_and(|(other, _)| *other == mv) {
                continue;
            }
            let its = value(self.outlook(state, mv));
            if best.as_ref().is_none_or(|(_, greatest)| its > *greatest) {
                best = Some((mv, its));
            }
        }
        best.map(|(mv, _)| mv)
    }

    /// How many lines a move makes available, and how many moves are available after it, without
    /// playing it.
    pub(super) fn outlook(&self, state: &State, mv: Move) -> (u32, u32) {
        let line = mv.line();
        let dot = self.on_grid(line);
        let mut code = 0;
        let mut opened = 0;
        for dir in 0..4 {
            let (number, place) = locate(dir, dot.0, dot.1);
            let mut lane = state.lanes[number];
            lane.dots |= 1 << place;
            if dir == line.dir {
                let first = place - u32::from(line.pos);
                lane.used |= ((1 << self.reach) - 1) << first;
                code = (number as u32) << LANE_BITS | first;
            }
            let mut ready = self.ready(lane, place);
            while ready != 0 {
                let first = place + 1 - self.length + ready.trailing_zeros();
                opened += u32::from(Self::missing(lane, dir, dot, place, first).is_some());
                ready &= ready - 1;
            }
        }
        let kept = state.moves.iter().map(|&other| u32::from(!self.excludes(mv, code, other)));
        let kept: u32 = kept.sum();
        (opened, kept + opened)
    }
}

/// Indices drawn with replacement. Nothing is drawn if there is only one.
fn draw<const K: usize>(count: usize, random: &mut Random) -> [usize; K] {
    if count == 1 { [0; K] } else { std::array::from_fn(|_| random.below(count)) }
}

/// Indices drawn without replacement, and how many; all in order if there are not more.
fn draw_distinct(count: usize, random: &mut Random) -> ([usize; DRAWN_OF_ALL], usize) {
    let mut drawn = std::array::from_fn(|i| i);
    if count <= DRAWN_OF_ALL {
        return (drawn, count);
    }
    let mut sorted = [usize::MAX; DRAWN_OF_ALL];
    for i in 0..DRAWN_OF_ALL {
        // A place among those not drawn yet.
        let mut index = random.below(count - i);
        let mut rank = 0;
        while sorted[rank] <= index {
            (index, rank) = (index + 1, rank + 1);
        }
        sorted[rank..=i].rotate_right(1);
        sorted[rank] = index;
        drawn[i] = index;
    }
    (drawn, DRAWN_OF_ALL)
}

/// Whether a dot lies 1 or 2 steps from another in one of the directions.
#[inline]
fn is_near(dot: (i8, i8), other: (i8, i8)) -> bool {
    let (dx, dy) = (dot.0.abs_diff(other.0), dot.1.abs_diff(other.1));
    (dx == 0 || dy == 0 || dx == dy) && (1..=2).contains(&dx.max(dy))
}
