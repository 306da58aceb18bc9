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

mod exchange;
mod random;
#[cfg(test)]
mod tests;

use nestor_engine::problem::{Change, Moves, Problem, Repairs};
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
    /// The number of the hole at each cell; not used if the cell is given.
    hole_at: Vec<u16>,
    hidden_singles: bool,
    root: State,
}

/// What is left to fill. Values count from 0 here.
#[derive(Debug)]
pub struct State {
    /// The values that each hole can take; meaningless once it is filled.
    domains: Vec<u64>,
    /// For each row and value the columns that can take it, then for each column and value the
    /// rows; empty once the value is placed.
    places: Vec<u64>,
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
        Self {
            domains: self.domains.clone(),
            places: self.places.clone(),
            sizes: self.sizes.clone(),
            singles: self.singles.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.domains.clone_from(&other.domains);
        self.places.clone_from(&other.places);
        self.sizes.copy(&other.sizes);
        (self.left, self.dead) = (other.left, other.dead);
        self.singles.clone_from(&other.singles);
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
        let hole_cells = (0..cells.len()).filter(|&cell| cells[cell] == 0);
        let holes: Vec<(u8, u8)> =
            hole_cells.map(|cell| ((cell / order) as u8, (cell % order) as u8)).collect();
        let mut hole_at = vec![0; cells.len()];
        let mut places = vec![0; 2 * cells.len()];
        let mut domains = Vec::with_capacity(holes.len());
        for (hole, &(row, column)) in (0..).zip(&holes) {
            let (row, column) = (usize::from(row), usize::from(column));
            hole_at[row * order + column] = hole;
            let domain = missing[row] & missing[order + column];
            for value in bits(domain) {
                places[row * order + value] |= 1 << column;
                places[(order + column) * order + value] |= 1 << row;
            }
            domains.push(domain);
        }
        let placed = |index: usize| missing[index / order] & 1 << (index % order) == 0;
        let possible = (0..places.len()).all(|index| places[index] != 0 || placed(index))
            && domains.iter().all(|&domain| domain != 0);
        let sizes: Vec<u8> = domains.iter().map(|domain| domain.count_ones() as u8).collect();
        let sizes = Sizes::new(&sizes);
        let left = holes.len() as u16;
        let root = State { domains, places, sizes, left, dead: !possible, singles: Vec::new() };
        let mut problem = LatinSquare { order, holes, hole_at, hidden_singles, root };
        let mut root = problem.initial();
        problem.settle_root(&mut root);
        problem.root = root;
        if problem.root.dead { Err(NO_COMPLETION.to_owned()) } else { Ok(problem) }
    }

    /// Puts the hidden singles of the root in their places.
    fn settle_root(&self, state: &mut State) {
        for index in 0..state.places.len() {
            if is_single(state.places[index]) {
                state.singles.push(((index / self.order) as u8, (index % self.order) as u8));
            }
        }
        self.settle(state);
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
            let places = state.places[line * self.order + value];
            if is_single(places) {
                let place = places.trailing_zeros() as usize;
                let (row, column) =
                    if line < self.order { (line, place) } else { (place, line - self.order) };
                self.assign(state, row, column, value);
            }
        }
        state.singles.clear();
    }

    /// Fills a hole, and removes its value from the holes of its row and column.
    #[inline]
    fn assign(&self, state: &mut State, row: usize, column: usize, value: usize) {
        let n = self.order;
        let hole = usize::from(self.hole_at[row * n + column]);
        state.left -= 1;
        state.sizes.remove(hole);
        for other in bits(state.domains[hole] & !(1 << value)) {
            state.lose_place(n, row, other, column);
            state.lose_place(n, n + column, other, row);
        }
        let columns = std::mem::take(&mut state.places[row * n + value]) & !(1 << column);
        let rows = std::mem::take(&mut state.places[(n + column) * n + value]) & !(1 << row);
        for other in bits(columns) {
            state.lose_value(self.hole_at[row * n + other].into(), value);
            state.lose_place(n, n + other, value, row);
        }
        for other in bits(rows) {
            state.lose_value(self.hole_at[other * n + column].into(), value);
            state.lose_place(n, other, value, column);
        }
    }
}

impl State {
    /// The hole to fill next.
    #[inline(always)]
    fn next(&self) -> Option<usize> {
        self.sizes.first().filter(|_| !self.dead)
    }

    /// Removes a value from the domain of a hole.
    #[inline(always)]
    fn lose_value(&mut self, hole: usize, value: usize) {
        self.domains[hole] &= !(1 << value);
        self.dead |= self.sizes.shrink(hole, 1) == 0;
    }

    /// Notes that a value has one place fewer in a line of a square of order n.
    #[inline(always)]
    fn lose_place(&mut self, n: usize, line: usize, value: usize, place: usize) {
        let places = &mut self.places[line * n + value];
        *places &= !(1 << place);
        if is_single(*places) {
            self.singles.push((line as u8, value as u8));
        }
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
            for value in bits(state.domains[hole]) {
                out.push(Move { row, column, value: value as u8 + 1 }, base + value as u32);
            }
        }
    }

    #[inline]
    fn play(&self, state: &mut State, mv: Move) {
        self.assign(state, mv.row.into(), mv.column.into(), usize::from(mv.value) - 1);
        self.settle(state);
    }

    fn change(&self) -> Change<Self> {
        Change::Decisions
    }

    fn repairs(&self) -> Option<Box<dyn Repairs<Self>>> {
        Some(Box::new(Exchange::new(self)))
    }

    fn score(&self, state: &State) -> f64 {
        -f64::from(state.left)
    }

    fn prior_code(&self, state: &State, mv: Move, _code: u32) -> u64 {
        let count = |line: usize| {
            u64::from(state.places[line * self.order + usize::from(mv.value) - 1].count_ones())
        };
        count(self.order + usize::from(mv.column)) << 8 | count(mv.row.into())
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

#[inline(always)]
fn is_single(mask: u64) -> bool {
    mask != 0 && mask & (mask - 1) == 0
}
