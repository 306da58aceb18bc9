//! SameGame (distributed-nrpa-samegame-2017, sections 1 and 2.1; gnrpa-2020, section 6.1).
//!
//! A move removes a group: two or more cells of one colour that are connected by their sides. The
//! cells above fall. A column that becomes empty is closed: everything to its right moves left. A
//! group of n cells is worth (n-2)^2 points, and an empty board 1000 more. Cells that are left cost
//! nothing. The game is over when no group is left.
//!
//! Columns count from the left and rows from the bottom, both from 0. A group is named by its
//! leftmost column and its lowest row in that column, and moves are in the order of these names,
//! column first. The code of a move is the exclusive or of random numbers that belong to the
//! colours and places of its cells.
//!
//! The tabu colour policy keeps the commonest colour of the initial board (the lowest number if
//! there are several) together for large groups at the end. Of that colour only groups of two are
//! legal, and only after more than ten moves. If that would leave no move, all moves are legal: this
//! is so once the tabu colour has at most one block left, be it a single cell. Another colour can be
//! named.
//!
//! With shaping, cells that are left steer the search: a game that leaves some is worth
//! max(0, 1000 - 50 cells) more to it. What is reported are the points.

mod board;
mod clicks;
#[cfg(test)]
mod tests;

use nestor_engine::improve::Improver;
use nestor_engine::math::exp;
use nestor_engine::problem::{Bias, Listed, Moves, Offers, Problem};
use serde::{Deserialize, Deserializer, Serialize};

use crate::exposed::Exposed;
use crate::features::Values::I64;
use crate::features::{Feature, bytes, of_moves, of_states};
use board::{Board, CELLS, COLOURS, SIDE, WORTHS, Zobrist};
use clicks::Clicks;

/// The points of an empty board.
const CLEARED: u32 = 1000;

/// What each cell that is left takes off the bonus that steers a search with shaping.
const PER_CELL: u32 = 50;

/// How many moves come before groups of two of the tabu colour are legal.
const TABU_MOVES: u32 = 10;

/// What stands for no cell in [`Instance::board`].
const EMPTY: u8 = b'.';

/// The mild bias, as a part of the bias by size.
const MILD: f64 = 0.2;

/// What the bias of a move depends on.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum SameGameBias {
    /// Nothing.
    None,
    /// Their size n: beta = min(n - 2 - tabu, 8), where tabu is 1 for groups of two of the tabu
    /// colour and 0 otherwise (GNRPA.beta of gnrpa-2020, section 6.1).
    Size,
    /// A fifth of that.
    Mild,
}

/// A board and the options of the search.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The rows from the top: a digit from 0 to 8 is a colour, "." is no cell.
    pub board: Vec<String>,
    /// Whether the tabu colour policy is on, and for which colour.
    pub tabu: Tabu,
    /// Whether cells that are left steer the search.
    #[serde(default)]
    pub shaping: bool,
    /// What the bias of a move depends on.
    pub bias: SameGameBias,
}

/// The tabu colour.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
pub enum Tabu {
    /// The commonest one, or none.
    Commonest(bool),
    /// This one.
    Colour(u8),
}

/// The game of an instance.
#[derive(Clone, Debug)]
pub struct SameGame {
    root: State,
    /// The columns and rows of the whole board.
    extent: (usize, usize),
    zobrist: Zobrist,
    /// Whether the tabu colour policy is on. The board then marks the groups of the tabu colour.
    tabu: bool,
    shaping: bool,
    /// beta and exp(beta) by the worth of a group, if moves have a bias.
    betas: Option<[(f64, f64); WORTHS]>,
}

/// A position.
#[derive(Debug)]
pub struct State {
    board: Board,
    points: u32,
    played: u32,
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self { board: self.board.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &Self) {
        self.board.copy(&other.board);
        (self.points, self.played) = (other.points, other.played);
    }
}

impl State {
    /// The points with shaping.
    fn shaped(&self) -> f64 {
        let left = if self.board.width == 0 { CLEARED } else { PER_CELL * self.board.cells() };
        f64::from(self.points + CLEARED.saturating_sub(left))
    }
}

/// The cell that names the group to remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// From the left, from 0.
    pub column: u8,
    /// From the bottom, from 0.
    pub row: u8,
}

impl SameGame {
    /// Makes the problem of an instance. First cells fall into place, and empty
    /// columns are closed.
    ///
    /// # Errors
    ///
    /// If the board is wrong; the message says what is wrong.
    pub fn new(instance: Instance) -> Result<Self, String> {
        let Instance { board, tabu, shaping, bias } = instance;
        let (width, height) = (board.first().map_or(0, String::len), board.len());
        if !(1..=SIDE).contains(&width) || !(1..=SIDE).contains(&height) {
            return Err(format!("a board has 1 to {SIDE} columns and rows, not {width}x{height}"));
        }
        if board.iter().any(|row| row.len() != width) {
            return Err(format!("every row must have {width} cells, as the first one has"));
        }
        let mut count = [0; COLOURS];
        for cell in board.iter().flat_map(|row| row.bytes()).filter(|&cell| cell != EMPTY) {
            match count.get_mut(usize::from(colour(cell))) {
                Some(count) => *count += 1,
                None => return Err(format!("cells are . or 0 to {}, not {cell:#x}", COLOURS - 1)),
            }
        }
        if count == [0; COLOURS] {
            return Err("the board has no cells".to_owned());
        }
        let commonest = (0..)
            .zip(count)
            .max_by_key(|&(colour, count): &(u8, u32)| (count, std::cmp::Reverse(colour)));
        let mark = match tabu {
            Tabu::Commonest(on) => commonest.map(|(colour, _)| colour).filter(|_| on),
            Tabu::Colour(colour) => Some(colour),
        };
        let weight = match bias {
            SameGameBias::None => None,
            SameGameBias::Size => Some(1.0),
            SameGameBias::Mild => Some(MILD),
        };
        let zobrist = Zobrist::new();
        let columns = (0..width).map(|column| {
            let upwards = board.iter().rev().map(move |row| row.as_bytes()[column]);
            upwards.filter(|&cell| cell != EMPTY).map(colour)
        });
        Ok(SameGame {
            root: State {
                board: Board::new(columns, height, mark, &zobrist),
                points: 0,
                played: 0,
            },
            extent: (width, height),
            zobrist,
            tabu: mark.is_some(),
            shaping,
            betas: weight.map(|weight| {
                std::array::from_fn(|worth| {
                    let beta = weight * (worth as f64 - 1.0);
                    (beta, exp(beta))
                })
            }),
        })
    }

    /// Removes the group of a cell. `gone` is told its cells, column by column from the left.
    #[inline]
    fn remove(&self, state: &mut State, cell: Cell, gone: impl FnMut(usize, u32)) {
        let (column, row) = (cell.column.into(), cell.row.into());
        let size = state.board.remove(column, row, &self.zobrist, gone);
        debug_assert!(size > 1, "a move removes a group");
        state.points += (size - 2).pow(2);
        if state.board.width == 0 {
            state.points += CLEARED;
        }
        state.played += 1;
    }

    /// The cells that name the legal groups, for each column.
    fn offered(&self, state: &State) -> [u32; SIDE] {
        let board = &state.board;
        if !self.tabu {
            return board.groups;
        }
        let pairs = if state.played > TABU_MOVES { u32::MAX } else { 0 };
        let mut offered = [0; SIDE];
        let marked = |column: usize| board.groups[column] & board.marked[column];
        let (mut any, mut several) = (0, 0);
        // Eight columns at a time are a few vector instructions.
        for first in (0..board.width).step_by(8) {
            for (column, offered) in (first..).zip(&mut offered[first..][..8]) {
                let marked = marked(column);
                let legal = board.groups[column] & !marked | marked & board.pairs[column] & pairs;
                *offered = legal;
                any |= legal;
                several |= marked & marked.wrapping_sub(1);
            }
        }
        let several = several != 0 || {
            let blocks = (0..board.width).filter(|&column| marked(column) != 0).count();
            blocks > 1 || blocks == 1 && board.has_marked_single()
        };
        if any != 0 && several { offered } else { board.groups }
    }

    /// Lists the groups that these cells name.
    #[inline(always)]
    fn list<const BITS: u32>(
        &self,
        board: &Board,
        offered: &[u32; SIDE],
        out: &mut Moves<'_, Self>,
    ) {
        let mut names = [0; CELLS / 2];
        let count = collect::<BITS>(offered, board.width, &mut names);
        let names = names[..count].iter();
        let moves = names
            .clone()
            .map(|&name| Cell { column: (name >> BITS) as u8, row: (name % (1 << BITS)) as u8 });
        let group = |&name: &u16| &board.named[usize::from(name) % CELLS];
        let codes = names.clone().map(|name| group(name).code);
        match &self.betas {
            None => out.extend(moves, codes),
            Some(betas) => {
                let bias = |name| betas[usize::from(group(name).worth) % WORTHS];
                out.extend_biased(moves, codes, names.map(bias));
            }
        }
    }
}

/// Puts the cells of masks of columns into `cells`, each as its column << BITS | row, and returns
/// their number. Several columns make one word: the processor predicts fewer, longer loops better.
#[inline(always)]
fn collect<const BITS: u32>(
    masks: &[u32; SIDE],
    width: usize,
    cells: &mut [u16; CELLS / 2],
) -> usize {
    let mut count = 0;
    for first in (0..width).step_by(64 >> BITS) {
        let masks = &masks[first % SIDE..];
        let column = |column: usize| u64::from(masks[column]) << (column << BITS);
        let mut word = match BITS {
            4 => column(0) | column(1) | column(2) | column(3),
            _ => column(0) | column(1),
        };
        while word != 0 {
            cells[count % cells.len()] = (first << BITS) as u16 + word.trailing_zeros() as u16;
            word &= word - 1;
            count += 1;
        }
    }
    count
}

/// The colour of a cell that has one.
fn colour(cell: u8) -> u8 {
    cell.wrapping_sub(b'0')
}

impl Exposed for SameGame {
    fn shown(&self, cell: Cell) -> impl Serialize {
        (cell.column, cell.row)
    }

    fn read_move<'de, D: Deserializer<'de>>(&self, from: D) -> Result<Cell, D::Error> {
        let (column, row) = Deserialize::deserialize(from)?;
        Ok(Cell { column, row })
    }

    fn features(&self, listed: &[Listed<'_, Self>]) -> Vec<Feature> {
        let (width, height) = self.extent;
        let mark =
            |state: &State, cell: Cell| state.board.mark_of(cell.column.into(), cell.row.into());
        let board = |state: &State, cells: &mut [u8]| {
            for (place, cell) in cells.iter_mut().enumerate() {
                *cell = state.board.mark_of(place / height, place % height) as u8;
            }
        };
        vec![
            bytes("board", listed, &[width, height], board),
            of_states("points", listed, I64, |state| state.points.into()),
            of_states("played", listed, I64, |state| state.played.into()),
            of_moves("column", listed, I64, |_, cell| cell.column.into()),
            of_moves("row", listed, I64, |_, cell| cell.row.into()),
            of_moves("size", listed, I64, |state, cell| {
                state.board.size(cell.column.into(), cell.row.into()).into()
            }),
            of_moves("colour", listed, I64, |state, cell| i64::from(mark(state, cell)) - 1),
        ]
    }
}

impl Problem for SameGame {
    type State = State;
    type Move = Cell;
    type Code = u64;

    fn bias(&self) -> Bias {
        if self.betas.is_some() { Bias::PerMove } else { Bias::None }
    }

    fn initial(&self) -> State {
        self.root.clone()
    }

    fn reset(&self, state: &mut State) {
        state.clone_from(&self.root);
    }

    fn moves(&self, state: &mut State, out: &mut Moves<'_, Self>) {
        let board = &state.board;
        let offered = self.offered(state);
        match board.bits {
            4 => self.list::<4>(board, &offered, out),
            _ => self.list::<5>(board, &offered, out),
        }
    }

    fn play(&self, state: &mut State, cell: Cell) {
        self.remove(state, cell, |_, _| {});
    }

    /// A group that the tabu colour policy leaves out.
    fn unlisted(&self, state: &State, cell: Cell) -> Option<Cell> {
        let groups = state.board.groups.get(usize::from(cell.column))?;
        (groups.checked_shr(cell.row.into())? & 1 == 1).then_some(cell)
    }

    fn score(&self, state: &State) -> f64 {
        state.points.into()
    }

    fn shaped(&self, state: &State, score: f64) -> f64 {
        if self.shaping { state.shaped() } else { score }
    }
}

impl Offers for SameGame {
    fn improver(&self) -> Option<Box<dyn Improver<Self>>> {
        Some(Box::new(Clicks::new(self)))
    }
}
