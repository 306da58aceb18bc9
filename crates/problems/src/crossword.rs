//! Crossword construction (nrpa-2011, section 3.1).
//!
//! Words of a list are placed on a square grid, across (left to right) or down (top to bottom). A
//! move places one word. Every state is a legal crossword:
//!
//! 1. the placed words are exactly the maximal runs of two or more occupied cells in a row or
//!    column;
//! 2. no word is placed twice;
//! 3. the occupied cells are connected by their sides.
//!
//! So any two neighbours are part of one placed word, as the paper asks. Rule 1 excludes more: the
//! paper could be read to allow words of one direction that overlap or lie within each other, but
//! no crossword has that. A run that happens to be a word of the list does not count as placed: a
//! move adds one word and may not complete a second run. Full blocks of 2x2 cells cannot be
//! reached, because no single word creates one (the paper's footnote 1).
//!
//! The first word goes down from the top row, in any column. The game is over when no word can be
//! added. The score is 10,000 for each word plus the sum of their lengths, in which a crossing
//! counts twice: no grid has 10,000 letters, so words come first and letters decide ties.
//!
//! # How the legal moves are kept
//!
//! A *lane* is a row or column. A placement in a lane is legal if and only if it crosses a word,
//! covers no *closed* cell, has its own letter in every occupied cell it covers, and the cells
//! before and after it are not occupied. The closed cells are those of the lane's own words, and
//! the empty cells with an occupied neighbour beside the lane, since a letter there would make a
//! run. A new word closes cells and fills cells. Only a filled cell can make a placement legal, and
//! only one that covers it. So the list of moves loses the moves that a new word makes illegal, and
//! gains placements across its new letters. Nothing else is looked at.

mod words;

#[cfg(test)]
mod tests;

use nestor_engine::improve::Improver;
use nestor_engine::improve::ruin::{Games, Ruin};
use nestor_engine::problem::{Moves, Offers, Problem};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::exposed::Exposed;
use words::{CELLS, Words};

/// The largest side of a grid.
pub const MAX_SIZE: usize = 32;
/// The most words of a list.
pub const MAX_WORDS: usize = 2000;
/// What a word adds to the score, besides its length.
const WORD: u32 = 10_000;
/// The first and the last temperature of local search, in words.
const TEMPERATURES: [f64; 2] = [0.3, 0.15];
/// Rows and columns.
const LANES: usize = 2 * MAX_SIZE;

/// A word on the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Placement {
    /// Its number in the list.
    word: usize,
    /// Column of its first letter, from the left, from 0.
    column: usize,
    /// Row of its first letter, from the top, from 0.
    row: usize,
    /// Whether it goes down, not across.
    down: bool,
}

/// A grid size and a list of words.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Rows and columns of the grid.
    pub size: usize,
    /// The words, in capitals.
    pub words: Vec<String>,
}

/// The direction of a word, as moves are written.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Direction {
    Across,
    Down,
}

/// The problem of an instance.
///
/// A move is its own code: the lane, the place of the first letter in the lane and the number of
/// the word, each in its own bits. So the many moves of the first state are neighbours in the
/// policy's tables. Lanes are the rows and then the columns.
///
/// The moves of the first state are in the order of the columns, then of the list. After a move,
/// the moves that are still legal keep their order, and the new ones follow. These are in the order
/// of the letter that they cross in the placed word, then of the place of that letter in the new
/// word, then of the length of the new word, then of the list.
#[derive(Clone, Debug)]
pub struct Crossword {
    size: usize,
    words: Words,
    /// Bits of a word's number and, above them, of a place.
    word_bits: u32,
    place_bits: u32,
    /// The moves of the first state.
    first: Vec<u32>,
}

/// A crossword.
#[derive(Debug)]
pub struct State {
    /// For each lane, its occupied and its closed cells as bits.
    occupied: [u32; LANES],
    closed: [u32; LANES],
    /// For each lane, the letters in the cells of words that cross it.
    letters: [[u8; MAX_SIZE]; LANES],
    /// Whether each word is placed.
    used: Vec<bool>,
    /// The legal moves, once a word is placed.
    moves: Vec<u32>,
    placed: u32,
    points: u32,
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self { used: self.used.clone(), moves: self.moves.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &Self) {
        (self.occupied, self.closed) = (other.occupied, other.closed);
        self.letters = other.letters;
        self.used.clone_from(&other.used);
        self.moves.clone_from(&other.moves);
        (self.placed, self.points) = (other.placed, other.points);
    }
}

/// What a new word does to the placements in a lane: a placement is lost if its cells in this row
/// of [`Words::reach`] overlap with these. Bit i + 1 stands for cell i.
#[derive(Clone, Copy, Default)]
struct Threat {
    cells: u64,
    row: usize,
}

type Threats = [Threat; LANES];

impl Crossword {
    /// Makes the problem of an instance.
    ///
    /// # Errors
    ///
    /// If the size or the words are wrong; the message says what is wrong.
    pub fn new(Instance { size, words }: Instance) -> Result<Self, String> {
        if !(2..=MAX_SIZE).contains(&size) {
            return Err(format!("size must be 2 to {MAX_SIZE}, not {size}"));
        }
        let words = Words::new(size, &words)?;
        let word_bits = (words.len() - 1).checked_ilog2().map_or(0, |bits| bits + 1);
        let place_bits = (size - 1).ilog2() + 1;
        let mut problem = Crossword { size, words, word_bits, place_bits, first: vec![] };
        problem.first = (size..2 * size)
            .flat_map(|lane| (0..problem.words.len()).map(move |word| (lane, word)))
            .map(|(lane, word)| problem.code(lane, 0, word))
            .collect();
        Ok(problem)
    }

    /// The word on the grid that a move stands for.
    fn placement(&self, mv: u32) -> Placement {
        let (lane, place, word) = self.parts(mv);
        let down = lane >= self.size;
        let (column, row) = if down { (lane - self.size, place) } else { (place, lane) };
        Placement { word, column, row, down }
    }

    /// The move that stands for a word on the grid; the inverse of [`Crossword::placement`]. `None`
    /// if it does not fit on the grid.
    fn mv(&self, placement: Placement) -> Option<u32> {
        let Placement { word, column, row, down } = placement;
        let (line, first) = if down { (column, row) } else { (row, column) };
        let fits = word < self.words.len()
            && line < self.size
            && first < self.size
            && first + self.words.letters(word).len() <= self.size;
        fits.then(|| self.code(if down { self.size + line } else { line }, first, word))
    }

    #[inline(always)]
    fn code(&self, lane: usize, place: usize, word: usize) -> u32 {
        ((lane << self.place_bits | place) << self.word_bits | word) as u32
    }

    /// Lane, place and word of a code.
    #[inline(always)]
    fn parts(&self, code: u32) -> (usize, usize, usize) {
        let word = code & ((1 << self.word_bits) - 1);
        let place = code >> self.word_bits & ((1 << self.place_bits) - 1);
        let lane = code >> (self.word_bits + self.place_bits);
        (lane as usize, place as usize, word as usize)
    }

    /// Closes the cells of a new word, and the cells beside it in the lanes of its own direction.
    /// Returns the cells of the word that were empty.
    fn close_along(&self, state: &mut State, lane: usize, span: u32, threats: &mut Threats) -> u32 {
        let first = if lane < self.size { 0 } else { self.size };
        let sides = [lane.wrapping_sub(1), lane + 1];
        for side in sides.into_iter().filter(|side| (first..first + self.size).contains(side)) {
            let cells = span & !state.occupied[side];
            state.closed[side] |= cells;
            threats[side] = Threat { cells: u64::from(cells) << 1, row: CELLS };
        }
        let fresh = span & !state.occupied[lane];
        state.occupied[lane] |= span;
        state.closed[lane] |= span;
        let cells = u64::from(span);
        threats[lane] = Threat { cells: cells | cells << 1 | cells << 2, row: CELLS };
        fresh
    }

    /// Closes a cell of a crossing lane.
    fn close_across(state: &mut State, lane: usize, place: usize, threats: &mut Threats) {
        state.closed[lane] |= 1 << place;
        threats[lane] = Threat { cells: 2 << place, row: CELLS };
    }

    /// Fills an empty cell of a crossing lane. Returns whether it was closed.
    fn fill(
        &self,
        state: &mut State,
        lane: usize,
        place: usize,
        letter: u8,
        threats: &mut Threats,
    ) -> bool {
        let cell = 1 << place;
        let was_closed = state.closed[lane] & cell != 0;
        state.occupied[lane] |= cell;
        state.closed[lane] &= !cell;
        state.letters[lane][place] = letter;
        threats[lane] = Threat { cells: 2 << place, row: self.words.row(letter) };
        was_closed
    }

    /// Drops the moves that a new word makes illegal. Within `play` there would be too few registers
    /// for its loop.
    #[inline(never)]
    fn drop_lost(&self, moves: &mut Vec<u32>, placed: usize, threats: &Threats) {
        let (mut kept, list) = (0, &mut moves[..]);
        for i in 0..list.len() {
            let code = list[i];
            let (lane, place, word) = self.parts(code);
            let threat = threats[lane % LANES];
            let met = self.words.reach(threat.row, word) << place & threat.cells;
            // Without a branch: no processor could predict which moves are kept.
            list[kept] = code;
            kept += usize::from((met == 0) & (word != placed));
        }
        moves.truncate(kept);
    }

    /// Adds the placements in a lane that cover a cell that has just been filled.
    #[inline]
    fn add_crossing(&self, state: &mut State, lane: usize, place: usize, was_closed: bool) {
        let closed = state.closed[lane];
        let occupied = state.occupied[lane] & !(1 << place);
        // If the cell was open, placements that also cross another word of the lane were legal
        // before. They are already in the list if they still are.
        let edges = if was_closed { occupied & closed } else { occupied };
        let walls = closed | edges | edges << 1 | edges >> 1;
        let low = (u32::BITS - (walls & ((1 << place) - 1)).leading_zeros()) as usize;
        let high = self.size.min(place + (walls >> place).trailing_zeros() as usize);
        if high - low < self.words.shortest() {
            return;
        }
        let crossings = occupied & cells(low, high);
        let letters = state.letters[lane];
        let (moves, used) = (&mut state.moves, &state.used[..]);
        let mut end = moves.len();
        moves.resize(end + self.words.occurrences(letters[place]), 0);
        let list = &mut moves[..];
        for before in 0..=(place - low).min(self.words.longest() - 1) {
            let first = place - before;
            let base = self.code(lane, first, 0);
            for &word in self.words.with(letters[place], before, high - first) {
                list[end] = base | u32::from(word);
                end += usize::from(
                    !used[usize::from(word)]
                        && (crossings == 0 || self.agrees(&letters, first, word, crossings)),
                );
            }
        }
        moves.truncate(end);
    }

    /// Whether a word agrees with these occupied cells of a lane: it does not end beside one, and
    /// it covers none that has another letter.
    fn agrees(&self, letters: &[u8; MAX_SIZE], first: usize, word: u16, mut cells: u32) -> bool {
        while cells != 0 {
            let place = cells.trailing_zeros() as usize;
            let row = self.words.row(letters[place]);
            if self.words.reach(row, word.into()) << first & 2 << place != 0 {
                return false;
            }
            cells &= cells - 1;
        }
        true
    }
}

impl Exposed for Crossword {
    /// The word, the column and row of its first letter, and "across" or "down".
    fn shown(&self, mv: u32) -> impl Serialize {
        let Placement { word, column, row, down } = self.placement(mv);
        let direction = if down { Direction::Down } else { Direction::Across };
        (self.words.text(word), column, row, direction)
    }

    fn read_move<'de, D: Deserializer<'de>>(&self, from: D) -> Result<u32, D::Error> {
        let (text, column, row, direction): (String, _, _, Direction) =
            Deserialize::deserialize(from)?;
        let down = matches!(direction, Direction::Down);
        let Some(word) = self.words.number(&text) else {
            return Err(D::Error::custom(format!("{text} is not a word of the list")));
        };
        self.mv(Placement { word, column, row, down })
            .ok_or_else(|| D::Error::custom(format!("{text} does not fit there on the grid")))
    }
}

impl Problem for Crossword {
    type State = State;
    type Move = u32;
    type Code = u32;

    fn code_count(&self) -> usize {
        (2 * self.size) << (self.place_bits + self.word_bits)
    }

    fn initial(&self) -> State {
        State {
            occupied: [0; LANES],
            closed: [0; LANES],
            letters: [[0; MAX_SIZE]; LANES],
            used: vec![false; self.words.len()],
            moves: vec![],
            placed: 0,
            points: 0,
        }
    }

    fn reset(&self, state: &mut State) {
        state.occupied = [0; LANES];
        state.closed = [0; LANES];
        state.used.clear();
        state.used.resize(self.words.len(), false);
        state.moves.clear();
        (state.placed, state.points) = (0, 0);
    }

    #[inline]
    fn moves(&self, state: &mut State, out: &mut Moves<'_, Self>) {
        let moves = if state.placed == 0 { &self.first } else { &state.moves };
        out.extend(moves.iter().copied(), moves.iter().copied());
    }

    fn play(&self, state: &mut State, mv: u32) {
        let (lane, first, word) = self.parts(mv);
        let letters = self.words.letters(word);
        let end = first + letters.len();
        let span = cells(first, end);
        let (line, crossing) =
            if lane < self.size { (lane, self.size) } else { (lane - self.size, 0) };
        let mut threats = [Threat::default(); LANES];
        let fresh = self.close_along(state, lane, span, &mut threats);
        let mut were_closed = 0;
        for (place, &letter) in (first..).zip(letters) {
            if fresh >> place & 1 != 0 {
                let was_closed = self.fill(state, crossing + place, line, letter, &mut threats);
                were_closed |= u32::from(was_closed) << place;
            }
        }
        if first > 0 {
            Self::close_across(state, crossing + first - 1, line, &mut threats);
        }
        if end < self.size {
            Self::close_across(state, crossing + end, line, &mut threats);
        }
        self.drop_lost(&mut state.moves, word, &threats);
        state.used[word] = true;
        state.placed += 1;
        state.points += WORD + letters.len() as u32;
        let mut left = fresh;
        while left != 0 {
            let place = left.trailing_zeros() as usize;
            left &= left - 1;
            self.add_crossing(state, crossing + place, line, were_closed >> place & 1 != 0);
        }
    }

    fn score(&self, state: &State) -> f64 {
        f64::from(state.points)
    }
}

impl Offers for Crossword {
    fn decides(&self) -> bool {
        true
    }

    fn improver(&self) -> Option<Box<dyn Improver<Self>>> {
        Some(Box::new(Ruin::new(Games::new(self, worth, TEMPERATURES))))
    }
}

/// What a score counts in local search: a word is as much as fifty letters.
fn worth(score: f64) -> f64 {
    let word = f64::from(WORD);
    (score / word).floor() + score % word / 50.0
}

/// The cells of a lane from `first` up to, but not including, `end`, which is greater.
fn cells(first: usize, end: usize) -> u32 {
    (u32::MAX << first) & (u32::MAX >> (MAX_SIZE - end))
}
