//! Latin square completion (learned-prior-2024, section 4.1).
//!
//! A square of order n has every value 1 to n once in each row and in each column. Some cells are
//! given; the others, the holes, have to be filled. The rules are those of a constraint solver
//! without backtracking:
//!
//! - Forward checking: the domain of a hole has the values that its row and column do not have yet.
//! - Hidden singles (an option): a value that only one hole of a row or of a column can take is
//!   put there at once. This is not a move.
//! - A move gives a value to the hole with the smallest domain, the first of several by row and
//!   column. Its values are the legal moves, in ascending order, even if there is only one.
//! - The game is over when a domain is empty or no hole is left. The score is minus the number of
//!   holes left.
//!
//! Hidden singles wait in a queue. Its order decides how far a lost game gets. At the root, those
//! of the rows come first, by row and value, and then those of the columns; later ones are added as
//! they arise. When a hole gets its value, its other values lose a place, in ascending order, first
//! in its row and then in its column. Then the value is removed from the holes of the row, and then
//! from those of the column, in order. An entry that is no longer single when its turn comes is
//! skipped. Once a domain is empty, the queue is left as it is.
//!
//! The code of a move is its hole and value. A learned prior counts moves by a more general code,
//! that of the paper: the number of domains of the column that have the value, and the number of
//! domains of the row, including its own hole.

mod belief;
mod exchange;
mod needs;
mod random;
#[cfg(test)]
mod tests;

use nestor_engine::improve::Improver;
use nestor_engine::problem::{Moves, Offers, Problem};
use serde::{Deserialize, Deserializer, Serialize};

use crate::domains::{Sizes, bits};
use crate::exposed::Exposed;

use exchange::Exchange;
pub(crate) use random::below;
pub use random::random;

/// The largest order: the values of a domain are the bits of a word.
pub const MAX_ORDER: usize = 64;

/// The message of [`LatinSquare::new`] for a square that cannot be completed.
pub const NO_COMPLETION: &str = "no completion exists";

/// A partial square and the option of the search.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The cells, row by row; 0 is a hole.
    pub square: Vec<Vec<u8>>,
    /// Whether hidden singles are put in their places.
    pub hidden_singles: bool,
}

/// The problem of an instance.
#[derive(Clone, Debug)]
pub struct LatinSquare {
    order: usize,
    /// Row and column of each hole, in order.
    holes: Vec<(u8, u8)>,
    /// For each row the number of the hole in each column; not used if the cell is given.
    hole_at: Vec<[u16; MAX_ORDER]>,
    hidden_singles: bool,
    root: State,
}

/// A mask for each line, or for each value.
type Masks = [u64; MAX_ORDER];

/// What is left to fill. Values count from 0 here.
#[derive(Debug)]
pub struct State {
    rows: Lines,
    columns: Lines,
    /// The sizes of the domains.
    sizes: Sizes,
    /// Holes left.
    left: u16,
    /// Whether a domain is empty.
    dead: bool,
    /// Lines (rows, then columns) and values that have become single.
    singles: Vec<(u8, u8)>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self { sizes: self.sizes.clone(), singles: self.singles.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &Self) {
        (self.rows, self.columns) = (other.rows, other.columns);
        self.sizes.copy(&other.sizes);
        (self.left, self.dead) = (other.left, other.dead);
        self.singles.clone_from(&other.singles);
    }
}

/// The rows, or the columns: what each of them lacks.
///
/// The domain of a hole is what its row and its column both lack. A value can go to the holes of a
/// row whose columns lack it.
#[derive(Clone, Copy, Debug)]
struct Lines {
    /// The values that each line lacks.
    values: Masks,
    /// The places of the holes of each line: the columns of a row.
    holes: Masks,
    /// The lines that lack each value.
    lacking: Masks,
}

impl Lines {
    /// Lines with these values and no holes yet.
    fn new(missing: &[u64]) -> Self {
        let (mut values, mut lacking) = ([0; MAX_ORDER], [0; MAX_ORDER]);
        values[..missing.len()].copy_from_slice(missing);
        for (line, &values) in missing.iter().enumerate() {
            bits(values).for_each(|value| lacking[value] |= 1 << line);
        }
        Lines { values, holes: [0; MAX_ORDER], lacking }
    }

    /// Fills the hole at a place of a line.
    #[inline(always)]
    fn fill(&mut self, line: usize, place: usize, value: usize) {
        self.values[line] &= !(1 << value);
        self.holes[line] &= !(1 << place);
        self.lacking[value] &= !(1 << line);
    }

    /// The places of a line, which lies across `others`, that can take a value which it lacks.
    #[inline(always)]
    fn places(&self, others: &Lines, line: usize, value: usize) -> u64 {
        self.holes[line] & others.lacking[value]
    }
}

/// A value for a hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// From 0.
    pub row: u8,
    /// From 0.
    pub column: u8,
    /// From 1.
    pub value: u8,
}

impl LatinSquare {
    /// Makes the problem of an instance.
    ///
    /// # Errors
    ///
    /// If the square is wrong, or if the rules of the search show that it cannot be completed; the
    /// message says which.
    pub fn new(instance: Instance) -> Result<Self, String> {
        let Instance { square, hidden_singles } = instance;
        let (order, cells) = (square.len(), square.concat());
        let missing = missing(&square)?;
        let (rows, columns) = missing.split_at(order);
        let (mut rows, mut columns) = (Lines::new(rows), Lines::new(columns));
        let hole_cells = (0..cells.len()).filter(|&cell| cells[cell] == 0);
        let holes: Vec<(u8, u8)> =
            hole_cells.map(|cell| ((cell / order) as u8, (cell % order) as u8)).collect();
        let mut hole_at = vec![[0; MAX_ORDER]; order];
        let mut sizes = Vec::with_capacity(holes.len());
        for (hole, &(row, column)) in (0..).zip(&holes) {
            let (row, column) = (usize::from(row), usize::from(column));
            hole_at[row][column] = hole;
            rows.holes[row] |= 1 << column;
            columns.holes[column] |= 1 << row;
            sizes.push((rows.values[row] & columns.values[column]).count_ones() as u8);
        }
        let placeable = (0..order).all(|line| {
            bits(rows.values[line]).all(|value| rows.places(&columns, line, value) != 0)
                && bits(columns.values[line]).all(|value| columns.places(&rows, line, value) != 0)
        });
        let dead = !placeable || sizes.contains(&0);
        let (sizes, left) = (Sizes::new(&sizes), holes.len() as u16);
        let root = State { rows, columns, sizes, left, dead, singles: Vec::new() };
        let mut problem = LatinSquare { order, holes, hole_at, hidden_singles, root };
        let mut root = problem.initial();
        problem.settle_root(&mut root);
        problem.root = root;
        if problem.root.dead { Err(NO_COMPLETION.to_owned()) } else { Ok(problem) }
    }

    /// Puts the hidden singles of the root in their places.
    fn settle_root(&self, state: &mut State) {
        let all =
            (0..2 * self.order).flat_map(|line| (0..self.order).map(move |value| (line, value)));
        for (line, value) in all {
            if self.places(state, line, value).is_power_of_two() {
                state.singles.push((line as u8, value as u8));
            }
        }
        self.settle(state);
    }

    /// The places of a line (rows, then columns) that can take a value.
    #[inline(always)]
    fn places(&self, state: &State, line: usize, value: usize) -> u64 {
        let State { rows, columns, .. } = state;
        let (lines, others, line) = match line.checked_sub(self.order) {
            None => (rows, columns, line),
            Some(column) => (columns, rows, column),
        };
        let lacks = lines.values[line] >> value & 1 != 0;
        if lacks { lines.places(others, line, value) } else { 0 }
    }

    /// Gives the hidden singles their values until there are no more, or a domain is empty.
    #[inline]
    fn settle(&self, state: &mut State) {
        let mut next = 0;
        while self.hidden_singles
            && !state.dead
            && let Some(&(line, value)) = state.singles.get(next)
        {
            next += 1;
            let (line, value) = (usize::from(line), usize::from(value));
            let places = self.places(state, line, value);
            if places.is_power_of_two() {
                let place = places.trailing_zeros() as usize;
                let (row, column) =
                    if line < self.order { (line, place) } else { (place, line - self.order) };
                self.assign(state, row, column, value);
            }
        }
        state.singles.clear();
    }

    /// Fills a hole, which takes its value from the holes of its row and column.
    #[inline]
    fn assign(&self, state: &mut State, row: usize, column: usize, value: usize) {
        let n = self.order;
        let State { rows, columns, sizes, left, dead, singles } = state;
        *left -= 1;
        sizes.remove(self.hole_at[row][column].into());
        let others = rows.values[row] & columns.values[column] & !(1 << value);
        rows.fill(row, column, value);
        columns.fill(column, row, value);
        let mut note = |places: u64, line: usize, value: usize| {
            if places.is_power_of_two() {
                singles.push((line as u8, value as u8));
            }
        };
        for other in bits(others) {
            note(rows.places(columns, row, other), row, other);
            note(columns.places(rows, column, other), n + column, other);
        }
        let mut shrink = |row: usize, column: usize| {
            *dead |= sizes.shrink(self.hole_at[row][column].into(), 1) == 0;
        };
        for other in bits(rows.places(columns, row, value)) {
            shrink(row, other);
            note(columns.places(rows, other, value), n + other, value);
        }
        for other in bits(columns.places(rows, column, value)) {
            shrink(other, column);
            note(rows.places(columns, other, value), other, value);
        }
    }
}

impl State {
    /// The hole to fill next.
    #[inline(always)]
    fn next(&self) -> Option<usize> {
        self.sizes.first().filter(|_| !self.dead)
    }

    /// The values that a hole can take.
    #[inline(always)]
    fn domain(&self, row: u8, column: u8) -> u64 {
        self.rows.values[usize::from(row)] & self.columns.values[usize::from(column)]
    }
}

impl Exposed for LatinSquare {
    fn shown(&self, mv: Move) -> impl Serialize {
        (mv.row, mv.column, mv.value)
    }

    fn read_move<'de, D: Deserializer<'de>>(&self, from: D) -> Result<Move, D::Error> {
        let (row, column, value) = Deserialize::deserialize(from)?;
        Ok(Move { row, column, value })
    }
}

impl Problem for LatinSquare {
    type State = State;
    type Move = Move;
    /// order * hole + value.
    type Code = u32;

    fn code_count(&self) -> usize {
        self.holes.len() * self.order
    }

    fn initial(&self) -> State {
        self.root.clone()
    }

    fn reset(&self, state: &mut State) {
        state.clone_from(&self.root);
    }

    #[inline]
    fn moves(&self, state: &mut State, out: &mut Moves<'_, Self>) {
        if let Some(hole) = state.next() {
            let (row, column) = self.holes[hole];
            let base = (hole * self.order) as u32;
            for value in bits(state.domain(row, column)) {
                out.push(Move { row, column, value: value as u8 + 1 }, base + value as u32);
            }
        }
    }

    #[inline]
    fn play(&self, state: &mut State, mv: Move) {
        self.assign(state, mv.row.into(), mv.column.into(), usize::from(mv.value) - 1);
        self.settle(state);
    }

    fn score(&self, state: &State) -> f64 {
        -f64::from(state.left)
    }
}

impl Offers for LatinSquare {
    fn prior_code(&self, state: &State, mv: Move, _code: u32) -> u64 {
        let value = usize::from(mv.value) - 1;
        let count = |line: usize| u64::from(self.places(state, line, value).count_ones());
        count(self.order + usize::from(mv.column)) << 8 | count(mv.row.into())
    }

    fn decides(&self) -> bool {
        true
    }

    fn improver(&self) -> Option<Box<dyn Improver<Self>>> {
        Some(Box::new(Exchange::new(self)))
    }
}

/// The values that each row, then each column, does not have yet.
fn missing(square: &[Vec<u8>]) -> Result<Vec<u64>, String> {
    let order = square.len();
    if !(1..=MAX_ORDER).contains(&order) {
        return Err(format!("the order of a square is 1 to {MAX_ORDER}, not {order}"));
    }
    if let Some(row) = square.iter().find(|row| row.len() != order) {
        return Err(format!("a row of a square of order {order} has not {} cells", row.len()));
    }
    let mut missing = vec![u64::MAX >> (64 - order); 2 * order];
    for (index, &cell) in square.iter().flatten().enumerate().filter(|&(_, &cell)| cell != 0) {
        if usize::from(cell) > order {
            return Err(format!("a cell is 0 to {order}, not {cell}"));
        }
        let (row, column) = (index / order, index % order);
        for (line, name) in
            [(row, format!("row {row}")), (order + column, format!("column {column}"))]
        {
            let value = 1 << (cell - 1);
            if missing[line] & value == 0 {
                return Err(format!("{name} has the value {cell} twice"));
            }
            missing[line] &= !value;
        }
    }
    Ok(missing)
}
