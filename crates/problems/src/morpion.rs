//! Morpion Solitaire (nrpa-2011, section 3.2).
//!
//! A move adds one dot that completes a line of `n` dots, and the line. Two lines of one direction
//! on one track may share one dot (touching, T) or none (disjoint, D). The score is the number of
//! moves.
//!
//! A *lane* is a whole row, column or diagonal of the grid. Each of the four lanes through a dot
//! fits in one word, so two table look-ups for each lane find the lines that a new dot makes
//! possible. A *unit* is what two lines of a lane must not share: a dot in D, the segment from a
//! dot to the next in T. A line covers `reach` units: `n` dots or `n - 1` segments.
//!
//! # Dominated moves
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
//! move stays in the list under its own code, but the line placed is the dominating one: [`Move`]
//! is the line placed.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use nestor_engine::problem::{Moves, Problem};
use nestor_engine::random::Random;

#[cfg(test)]
mod tests;
mod tuned;

/// Side of the grid. In the paper, searches never came near the edge of a grid of this size. Known
/// games span at most 22 dots.
const SIDE: i32 = 64;
/// No dot is ever placed in the outer `MARGIN` rows and columns, so a window of `2n - 1` dots
/// around any dot stays on the grid. A line that would need such a dot is not a move.
const MARGIN: i32 = 4;
/// The number of dots on a lane, as a power of two.
const LANE_BITS: u32 = 6;
/// 64 rows, 64 columns and twice 127 diagonals.
const LANES: usize = 6 * SIDE as usize - 2;
/// The unit steps H, V, DP and DN.
const STEPS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, -1), (1, 1)];

/// The four games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Lines of 5 dots, touching.
    T5,
    /// Lines of 5 dots, disjoint.
    D5,
    /// Lines of 4 dots, touching.
    T4,
    /// Lines of 4 dots, disjoint.
    D4,
}

impl FromStr for Variant {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "5T" => Ok(Self::T5),
            "5D" => Ok(Self::D5),
            "4T" => Ok(Self::T4),
            "4D" => Ok(Self::D4),
            _ => Err(format!("variant must be \"5T\", \"5D\", \"4T\" or \"4D\", not {text:?}")),
        }
    }
}

/// A line placed: its new dot (the starting cross lies at 0..=9, or 0..=6 in games of 4), its
/// direction (0 to 3: H (1, 0), V (0, 1), DP (1, -1), DN (1, 1)), and the place of the new dot in
/// the line, 0 to n - 1. The line starts at (x, y) - pos * step.
///
/// Aligned so that a move is copied as one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(C, align(8))]
pub struct Move {
    /// Column of the new dot.
    pub x: i8,
    /// Row of the new dot.
    pub y: i8,
    /// Direction of the line.
    pub dir: u8,
    /// Place of the new dot in the line.
    pub pos: u8,
    /// Place of the new dot in the line that the move's code stands for; it differs from `pos` if
    /// the move is dominated.
    pub coded: u8,
}

impl Move {
    /// The new dot, as one number.
    #[inline(always)]
    fn dot(self) -> u16 {
        u16::from_ne_bytes([self.x as u8, self.y as u8])
    }
}

/// A row, column or diagonal: bit i is its dot or unit i (unit i of T joins dots i and i + 1).
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    dots: u64,
    used: u64,
}

/// A position in a game.
#[derive(Debug)]
pub struct State {
    lanes: [Lane; LANES],
    /// Lanes where two moves may have had the same new dot.
    shared: [bool; LANES],
    /// The legal moves, and the codes of the lines they stand for.
    moves: Vec<Move>,
    codes: Vec<u32>,
    played: u32,
    /// The last dot played, and how many of `moves` were already legal before it; these come
    /// first.
    last: (i8, i8),
    kept: usize,
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self { moves: self.moves.clone(), codes: self.codes.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &Self) {
        self.lanes = other.lanes;
        self.shared = other.shared;
        self.moves.clone_from(&other.moves);
        self.codes.clone_from(&other.codes);
        (self.played, self.last, self.kept) = (other.played, other.last, other.kept);
    }
}

/// The game from the usual cross.
///
/// The code of a move is its lane * 64 + the place of the line's first dot on the lane: it stands
/// for the end points of the line. Lanes are numbered by direction (H, V, DP, DN) and then by y, x,
/// x + y and x - y; places count x (y on V lanes).
///
/// Legal moves come in this order: at the start by direction, then row by row (y, x) of the line's
/// first dot; then, after each move, those that are still legal in their old order, followed by the
/// new ones by code.
#[derive(Clone, Debug)]
pub struct Morpion {
    dominated: bool,
    /// Dots of a line.
    length: u32,
    /// Units of a line.
    reach: u32,
    /// Place of dot (0, 0) on both axes of the grid.
    origin: i32,
    tables: Tables,
    start: State,
}

/// Tables for a window of `2n - 1` places around a dot. Bit s of an entry is the line that starts
/// at place s of the window.
#[derive(Clone, Debug)]
struct Tables {
    /// Lines with all dots.
    full: [u8; 512],
    /// Lines with all dots except one.
    one_missing: [u8; 512],
    /// Lines whose units are all free, for each set of used units.
    free: [u8; 512],
}

impl Tables {
    fn new(length: u32, reach: u32) -> Self {
        let answer = |window: usize, units: u32, wanted: u32| {
            let line = (1 << units) - 1;
            (0..length)
                .filter(|s| ((window >> s) & line).count_ones() == wanted)
                .fold(0, |answer, s| answer | 1 << s)
        };
        Self {
            full: std::array::from_fn(|window| answer(window, length, length)),
            one_missing: std::array::from_fn(|window| answer(window, length, length - 1)),
            free: std::array::from_fn(|window| answer(window, reach, 0)),
        }
    }
}

impl Morpion {
    /// The game of this variant; `dominated` replaces the effect of dominated moves.
    #[must_use]
    pub fn new(variant: Variant, dominated: bool) -> Self {
        let (length, reach, arm) = match variant {
            Variant::T5 => (5, 4, 3),
            Variant::D5 => (5, 5, 3),
            Variant::T4 => (4, 3, 2),
            Variant::D4 => (4, 4, 2),
        };
        Self::from_dots(length, reach, dominated, cross(arm))
    }

    /// The game from any dots, in the coordinates of [`Move`].
    fn from_dots(
        length: u32,
        reach: u32,
        dominated: bool,
        dots: impl IntoIterator<Item = (i32, i32)>,
    ) -> Self {
        let mut start = State {
            lanes: [Lane::default(); LANES],
            shared: [false; LANES],
            moves: vec![],
            codes: vec![],
            played: 0,
            last: (0, 0),
            kept: 0,
        };
        let tables = Tables::new(length, reach);
        let origin = if length == 5 { 27 } else { 28 };
        for (x, y) in dots {
            Self::add_dot(&mut start, (x + origin, y + origin));
        }
        let mut game = Self { dominated, length, reach, origin, tables, start };
        let mut start = game.start.clone();
        game.find_all(&mut start);
        game.start = start;
        game
    }

    /// Fills the move list of a position from scratch.
    fn find_all(&self, state: &mut State) {
        for dir in 0..4 {
            for y in MARGIN..SIDE - MARGIN {
                for x in MARGIN..SIDE - MARGIN {
                    let (lane, place) = locate(dir, x, y);
                    let first_here = 1 << (self.length - 1);
                    if self.ready(state.lanes[lane], place) & first_here != 0 {
                        state.shared[lane] |= self.add_line(state, dir, (x, y), self.length - 1);
                    }
                }
            }
        }
        if self.dominated {
            (0..state.moves.len()).for_each(|i| self.settle(state, i));
        }
    }

    /// The new dot of a move, on the grid.
    fn on_grid(&self, mv: Move) -> (i32, i32) {
        (i32::from(mv.x) + self.origin, i32::from(mv.y) + self.origin)
    }

    /// Adds a dot; returns its lane and place in each direction.
    fn add_dot(state: &mut State, (x, y): (i32, i32)) -> [(usize, u32); 4] {
        let spots = [0, 1, 2, 3].map(|dir| locate(dir, x, y));
        for (lane, place) in spots {
            state.lanes[lane].dots |= 1 << place;
        }
        spots
    }

    /// The lines through a place of a lane that miss one dot and share no unit with another line,
    /// as bits of the window around the place.
    #[inline]
    fn ready(&self, lane: Lane, place: u32) -> u8 {
        let shift = place + 1 - self.length;
        let tables = &self.tables;
        tables.one_missing[window(lane.dots, shift)] & tables.free[window(lane.used, shift)]
    }

    /// The missing dot of the line that starts at place `first` of a lane, and its place in the
    /// line, unless it would lie in the margin; (x, y) is the dot of the lane at `place`.
    #[inline(always)]
    fn missing(
        lane: Lane,
        dir: u8,
        (x, y): (i32, i32),
        place: u32,
        first: u32,
    ) -> Option<((i32, i32), u32)> {
        let pos = (lane.dots >> first).trailing_ones();
        let steps = (first + pos) as i32 - place as i32;
        let (dx, dy) = STEPS[usize::from(dir)];
        let (x, y) = (x + steps * dx, y + steps * dy);
        (inside(x) && inside(y)).then_some(((x, y), pos))
    }

    /// Adds the line that starts at place `s` of the window around a dot to the moves, unless its
    /// new dot would lie in the margin. Returns whether the same dot completes another line.
    #[inline]
    fn add_line(&self, state: &mut State, dir: u8, dot: (i32, i32), s: u32) -> bool {
        let (number, place) = locate(dir, dot.0, dot.1);
        let lane = state.lanes[number];
        let first = place + 1 - self.length + s;
        let Some(((x, y), pos)) = Self::missing(lane, dir, dot, place, first) else {
            return false;
        };
        let (x, y) = ((x - self.origin) as i8, (y - self.origin) as i8);
        state.moves.push(Move { x, y, dir, pos: pos as u8, coded: pos as u8 });
        state.codes.push((number as u32) << LANE_BITS | first);
        let shifts = self.shifts(lane, first + pos);
        shifts & (shifts - 1) != 0
    }

    /// The lines that a dot at this place of a lane would complete, as bits of the window around
    /// it. They start at consecutive places.
    #[inline]
    fn shifts(&self, lane: Lane, place: u32) -> u8 {
        let shift = place + 1 - self.length;
        let tables = &self.tables;
        tables.full[window(lane.dots | 1 << place, shift)] & tables.free[window(lane.used, shift)]
    }

    /// Whether the line that a move places makes another move illegal, because they have the new
    /// dot or a unit in common. Each is given with its code.
    #[inline(always)]
    fn excludes(&self, (mv, code): (Move, u32), (other, its_code): (Move, u32)) -> bool {
        // No line starts within `reach` places of a lane's ends, so codes of two lanes never mix.
        let overlaps = (its_code + self.reach - 1).wrapping_sub(code) < 2 * self.reach - 1;
        (other.dot() == mv.dot()) | overlaps
    }

    /// Drops the moves that this one makes illegal.
    #[inline]
    fn drop_lost(&self, state: &mut State, mv: Move, code: u32) {
        let (moves, codes) = (&mut state.moves[..], &mut state.codes[..]);
        let mut kept = 0;
        for i in 0..moves.len().min(codes.len()) {
            let (other, its_code) = (moves[i], codes[i]);
            // Without a branch: no processor could predict which moves are kept.
            moves[kept] = other;
            codes[kept] = its_code;
            kept += usize::from(!self.excludes((mv, code), (other, its_code)));
        }
        state.moves.truncate(kept);
        state.codes.truncate(kept);
    }

    /// Finds the dominated moves of a lane.
    fn settle_lane(&self, state: &mut State, lane: usize) {
        let mut count = 0;
        for i in 0..state.moves.len() {
            if (state.codes[i] >> LANE_BITS) as usize == lane {
                self.settle(state, i);
                count += 1;
            }
        }
        state.shared[lane] = count > 1;
    }

    /// Makes move `i` place the line that dominates its own, or its own if none does.
    fn settle(&self, state: &mut State, i: usize) {
        let (mv, code) = (&mut state.moves[i], state.codes[i]);
        let lane = state.lanes[(code >> LANE_BITS) as usize];
        let first = code & ((1 << LANE_BITS) - 1);
        let place = first + u32::from(mv.coded);
        mv.pos = (place - self.dominating(lane, place, first)) as u8;
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

impl Problem for Morpion {
    type State = State;
    type Move = Move;
    type Code = u32;

    fn code_count(&self) -> usize {
        LANES << LANE_BITS
    }

    fn initial(&self) -> State {
        self.start.clone()
    }

    fn reset(&self, state: &mut State) {
        state.clone_from(&self.start);
    }

    #[inline]
    fn moves(&self, state: &mut State, out: &mut Moves<'_, Self>) {
        out.extend(state.moves.iter().copied(), state.codes.iter().copied());
    }

    fn play(&self, state: &mut State, mv: Move) {
        let dot = self.on_grid(mv);
        let spots = Self::add_dot(state, dot);
        let (lane, place) = spots[usize::from(mv.dir)];
        let first = place - u32::from(mv.pos);
        state.lanes[lane].used |= ((1 << self.reach) - 1) << first;
        self.drop_lost(state, mv, (lane as u32) << LANE_BITS | first);
        (state.last, state.kept) = ((mv.x, mv.y), state.moves.len());
        for dir in 0..4 {
            let (lane, place) = spots[usize::from(dir)];
            let mut shared = false;
            let mut ready = self.ready(state.lanes[lane], place);
            while ready != 0 {
                shared |= self.add_line(state, dir, dot, ready.trailing_zeros());
                ready &= ready - 1;
            }
            state.shared[lane] |= shared;
            // Only these two events change what dominates a move.
            let stale = shared || dir == mv.dir && state.shared[lane];
            if self.dominated && stale && state.lanes[lane].used != 0 {
                self.settle_lane(state, lane);
            }
        }
        state.played += 1;
    }

    fn score(&self, state: &State) -> f64 {
        f64::from(state.played)
    }

    const CHOOSES: bool = true;

    fn choose(&self, state: &mut State, random: &mut Random) -> Option<Move> {
        self.tuned(state, random)
    }
}

/// The lane of this direction through a dot of the grid, and the dot's place on it.
#[inline]
fn locate(dir: u8, x: i32, y: i32) -> (usize, u32) {
    let (lane, place) = match dir {
        0 => (y, x),
        1 => (SIDE + x, y),
        2 => (2 * SIDE + x + y, x),
        _ => (5 * SIDE - 2 + x - y, x),
    };
    (lane as usize, place as u32)
}

/// The bits of a lane, starting at place `shift`.
#[inline]
fn window(bits: u64, shift: u32) -> usize {
    (bits >> shift) as usize & 511
}

/// Whether a coordinate of the grid lies outside the margin.
fn inside(coordinate: i32) -> bool {
    (MARGIN..SIDE - MARGIN).contains(&coordinate)
}

/// The starting cross whose arms are `arm` steps wide and long: the outline of five squares.
fn cross(arm: i32) -> impl Iterator<Item = (i32, i32)> {
    let arms = move |a: i32, b: i32| {
        // On the outer edge of an arm, or on one of the two lines through the whole cross.
        let middle = (arm..=2 * arm).contains(&b);
        (a == 0 || a == 3 * arm) && middle
            || (a == arm || a == 2 * arm) && (b <= arm || b >= 2 * arm)
    };
    (0..=3 * arm)
        .flat_map(move |y| (0..=3 * arm).map(move |x| (x, y)))
        .filter(move |&(x, y)| arms(x, y) || arms(y, x))
}
