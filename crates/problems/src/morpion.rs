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

mod dominated;
mod grid;
mod playout_policy;
#[cfg(test)]
mod tests;

use nestor_engine::problem::{Moves, Offers, Problem};
use nestor_engine::random::Random;
use serde::{Deserialize, Deserializer, Serialize};

use crate::exposed::Exposed;
use grid::{LANE_BITS, LANES, Lane, MARGIN, SIDE, STEPS, Tables, cross, inside, locate, window};

/// The four games.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum Variant {
    /// Lines of 5 dots, touching.
    #[serde(rename = "5T")]
    T5,
    /// Lines of 5 dots, disjoint.
    #[serde(rename = "5D")]
    D5,
    /// Lines of 4 dots, touching.
    #[serde(rename = "4T")]
    T4,
    /// Lines of 4 dots, disjoint.
    #[serde(rename = "4D")]
    D4,
}

/// A variant and an option.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The game.
    pub variant: Variant,
    /// Whether the effect of dominated moves is replaced.
    pub dominated: bool,
}

/// A line placed: its new dot (the starting cross lies at 0..=9, or 0..=6 in games of 4), its
/// direction (0 to 3: H (1, 0), V (0, 1), DP (1, -1), DN (1, 1)), and the place of the new dot in
/// the line, 0 to n - 1. The line starts at (x, y) - pos * step.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Line {
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

/// A line placed, as one word: the bytes of its parts and, in the last two, its code. A move that
/// comes from a file has no code, which follows from the rest and is only needed in lists of moves.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(from = "Line", into = "Line")]
pub struct Move(u64);

/// The bits below a move's code.
const CODE_SHIFT: u32 = 48;

impl Move {
    fn new(Line { x, y, dir, pos, coded }: Line, code: u32) -> Self {
        let line = u64::from_le_bytes([x as u8, y as u8, dir, pos, coded, 0, 0, 0]);
        Move(line | u64::from(code) << CODE_SHIFT)
    }

    /// The line placed.
    #[must_use]
    pub fn line(self) -> Line {
        let [x, y, dir, pos, coded, ..] = self.0.to_le_bytes();
        Line { x: x as i8, y: y as i8, dir, pos, coded }
    }

    #[inline(always)]
    fn code(self) -> u32 {
        (self.0 >> CODE_SHIFT) as u32
    }

    /// The new dot, as one number.
    #[inline(always)]
    fn dot(self) -> u16 {
        self.0 as u16
    }
}

impl PartialEq for Move {
    fn eq(&self, other: &Self) -> bool {
        (self.0 ^ other.0) << (u64::BITS - CODE_SHIFT) == 0
    }
}

impl From<Line> for Move {
    fn from(line: Line) -> Self {
        Self::new(line, 0)
    }
}

impl From<Move> for Line {
    fn from(mv: Move) -> Self {
        mv.line()
    }
}

/// A position in a game.
#[derive(Debug)]
pub struct State {
    lanes: [Lane; LANES],
    /// Lanes where two moves may have had the same new dot.
    shared: [bool; LANES],
    /// The legal moves.
    moves: Vec<Move>,
    played: u32,
    /// The last dot played, and how many of `moves` were already legal before it; these come
    /// first.
    last: (i8, i8),
    kept: usize,
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self { moves: self.moves.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &Self) {
        self.lanes = other.lanes;
        self.shared = other.shared;
        self.moves.clone_from(&other.moves);
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

impl Morpion {
    /// The game of an instance.
    #[must_use]
    pub fn new(instance: Instance) -> Self {
        let (length, reach, arm) = match instance.variant {
            Variant::T5 => (5, 4, 3),
            Variant::D5 => (5, 5, 3),
            Variant::T4 => (4, 3, 2),
            Variant::D4 => (4, 4, 2),
        };
        Self::from_dots(length, reach, instance.dominated, cross(arm))
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
                        state.shared[lane] |=
                            self.add_line(state, dir, (x, y), (lane, place), self.length - 1);
                    }
                }
            }
        }
        if self.dominated {
            (0..state.moves.len()).for_each(|i| self.settle(state, i));
        }
    }

    /// The new dot of a line, on the grid.
    fn on_grid(&self, line: Line) -> (i32, i32) {
        (i32::from(line.x) + self.origin, i32::from(line.y) + self.origin)
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

    /// Adds the line that starts at place `s` of the window around a dot, which has this place on
    /// its lane, to the moves, unless its new dot would lie in the margin. Returns whether the same
    /// dot completes another line.
    #[inline]
    fn add_line(
        &self,
        state: &mut State,
        dir: u8,
        dot: (i32, i32),
        (number, place): (usize, u32),
        s: u32,
    ) -> bool {
        let lane = state.lanes[number];
        let first = place + 1 - self.length + s;
        let Some(((x, y), pos)) = Self::missing(lane, dir, dot, place, first) else {
            return false;
        };
        let (x, y) = ((x - self.origin) as i8, (y - self.origin) as i8);
        let line = Line { x, y, dir, pos: pos as u8, coded: pos as u8 };
        state.moves.push(Move::new(line, (number as u32) << LANE_BITS | first));
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

    /// Whether the line that a move places, which has this code, makes another move of the list
    /// illegal, because they have the new dot or a unit in common.
    #[inline(always)]
    fn excludes(&self, mv: Move, code: u32, other: Move) -> bool {
        // No line starts within `reach` places of a lane's ends, so codes of two lanes never mix.
        // The bits below the codes change nothing.
        let [first, count] = [code + 1 - self.reach, 2 * self.reach - 1].map(u64::from);
        let overlaps = other.0.wrapping_sub(first << CODE_SHIFT) < count << CODE_SHIFT;
        (other.dot() == mv.dot()) | overlaps
    }

    /// Drops the moves that this one makes illegal.
    #[inline]
    fn drop_lost(&self, state: &mut State, mv: Move, code: u32) {
        let moves = &mut state.moves[..];
        let mut kept = 0;
        for i in 0..moves.len() {
            let other = moves[i];
            // Without a branch: no processor could predict which moves are kept.
            moves[kept] = other;
            kept += usize::from(!self.excludes(mv, code, other));
        }
        state.moves.truncate(kept);
    }
}

impl Exposed for Morpion {
    fn shown(&self, mv: Move) -> impl Serialize {
        let Line { x, y, dir, pos, coded } = mv.line();
        (x, y, dir, pos, coded)
    }

    fn read_move<'de, D: Deserializer<'de>>(&self, from: D) -> Result<Move, D::Error> {
        let (x, y, dir, pos, coded) = Deserialize::deserialize(from)?;
        Ok(Line { x, y, dir, pos, coded }.into())
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
        let codes = state.moves.iter().map(|mv| mv.code());
        out.extend(state.moves.iter().copied(), codes);
    }

    fn play(&self, state: &mut State, mv: Move) {
        let line = mv.line();
        let dot = self.on_grid(line);
        let spots = Self::add_dot(state, dot);
        let (lane, place) = spots[usize::from(line.dir)];
        let first = place - u32::from(line.pos);
        state.lanes[lane].used |= ((1 << self.reach) - 1) << first;
        self.drop_lost(state, mv, (lane as u32) << LANE_BITS | first);
        (state.last, state.kept) = ((line.x, line.y), state.moves.len());
        // The lines of all four directions, so that one loop has them all.
        let lines = spots.map(|(lane, place)| self.ready(state.lanes[lane], place));
        let mut ready = u32::from_le_bytes(lines);
        // Only two events change what dominates a move: a new line in a lane with such moves, and a
        // new move with the same dot as another one of its lane.
        let mut stale = u32::from(state.shared[lane]) << line.dir;
        while ready != 0 {
            let dir = ready.trailing_zeros() / u8::BITS;
            let spot = spots[dir as usize];
            let shared =
                self.add_line(state, dir as u8, dot, spot, ready.trailing_zeros() % u8::BITS);
            state.shared[spot.0] |= shared;
            stale |= u32::from(shared) << dir;
            ready &= ready - 1;
        }
        while self.dominated && stale != 0 {
            let (lane, _) = spots[stale.trailing_zeros() as usize];
            if state.lanes[lane].used != 0 {
                self.settle_lane(state, lane);
            }
            stale &= stale - 1;
        }
        state.played += 1;
    }

    /// A dominated line itself, in place of the one that dominates it.
    fn unlisted(&self, state: &State, mv: Move) -> Option<Move> {
        let own = |mv: &Move| {
            let line = mv.line();
            Move::new(Line { pos: line.coded, ..line }, mv.code())
        };
        state.moves.iter().map(own).find(|own| own.0 as u32 == mv.0 as u32)
    }

    fn score(&self, state: &State) -> f64 {
        f64::from(state.played)
    }

    const CHOOSES: bool = true;

    fn choose(&self, state: &mut State, random: &mut Random) -> Option<Move> {
        self.choose_tuned(state, random)
    }
}

impl Offers for Morpion {}
