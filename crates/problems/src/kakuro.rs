//! Kakuro (learned-prior-2024, section 4.2).
//!
//! The cells of a grid have to be filled with values 1 to k. They form runs, across and down: cells
//! in a line without a gap. No run has a value twice, and the values of a run add up to its hint.
//! The rules are those of a constraint solver without backtracking:
//!
//! - Forward checking: when a cell gets a value, the value is removed from the domains of the other
//!   cells of its runs.
//! - A move gives a value to the cell with the smallest domain, the first of several. Its values
//!   are the legal moves, in ascending order, even if there is only one.
//! - The game is over when a domain is empty or every cell has a value.
//! - Pruning (an option, which the paper does not have): values that are too small or too large for
//!   the sum that a run still needs are removed from its domains. With m cells left, U the union of
//!   their domains and s the sum left, a value v of U stays if v and the m-1 smallest other values
//!   of U make at most s, and v and the m-1 largest others at least s. None stays if U has fewer
//!   than m values. This is repeated until nothing changes.
//!
//! If every cell has a value, the score is minus the number of wrong sums. Otherwise it is minus
//! the number of all sums and minus the number of empty cells. That is the score of the paper (the
//! number of right sums, or minus the number of empty cells) less the number of all sums. A
//! solution has 0.
//!
//! The code of a move is its cell and value. A learned prior counts moves by a more general code,
//! that of the paper: the value; the number of domains of the run across that have it, including
//! its own cell; the sum of that run; and the same two numbers for the run down. The paper calls
//! these sums "remaining". But its figure 3 and table 2 need the sums of whole runs and the value
//! in the code, and do not come out without either.

mod deduction;
mod sums;
#[cfg(test)]
mod tests;

use nestor_engine::improve::Improver;
use nestor_engine::problem::{Moves, Offers, Problem};
use nestor_engine::random::{Key, Random};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::domains::{Sizes, bits};
use crate::exposed::Exposed;
use crate::latin_square::below;

use deduction::Deduction;
use sums::LARGEST;

/// The largest number of cells.
pub const MAX_CELLS: usize = 4096;

/// The largest value: the values of a domain are the bits of a word.
pub const MAX_VALUE: usize = 64;

/// The message of [`Kakuro::new`] for a puzzle without a solution.
pub const NO_SOLUTION: &str = "no solution exists";

/// Stands for no run.
const NONE: u16 = u16::MAX;

/// A puzzle and the option of the search.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Row and column of each cell, for people who read moves.
    pub cells: Vec<(u8, u8)>,
    /// The largest value.
    pub largest: usize,
    /// The runs across.
    pub across: Vec<Run>,
    /// The runs down. A cell is in at most one run of each direction, and in at least one.
    pub down: Vec<Run>,
    /// Whether sums prune domains.
    pub pruning: bool,
}

/// The problem of an instance.
#[derive(Clone, Debug)]
pub struct Kakuro {
    largest: usize,
    /// Row and column of each cell.
    places: Vec<(u8, u8)>,
    runs: Vec<Run>,
    /// The run across and the run down of each cell.
    runs_of: Vec<[u16; 2]>,
    pruning: bool,
    root: State,
}

/// Cells with a sum.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The numbers of the cells.
    pub cells: Vec<u16>,
    /// The sum of their values.
    pub sum: u16,
}

/// What is left to fill. Values count from 0 in domains.
#[derive(Debug)]
pub struct State {
    /// The values that each cell can take; none once it has a value.
    domains: Vec<u64>,
    sizes: Sizes,
    /// The sum and the number of cells left, for each run.
    needs: Vec<Need>,
    /// Cells left.
    left: u16,
    /// Whether an empty cell has an empty domain.
    dead: bool,
    /// The runs to prune, each at most once.
    stale: Vec<u16>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self {
            domains: self.domains.clone(),
            sizes: self.sizes.clone(),
            needs: self.needs.clone(),
            stale: self.stale.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.domains.clone_from(&other.domains);
        self.sizes.copy(&other.sizes);
        self.needs.clone_from(&other.needs);
        (self.left, self.dead) = (other.left, other.dead);
        self.stale.clone_from(&other.stale);
    }
}

#[derive(Clone, Copy, Debug)]
struct Need {
    sum: i16,
    cells: u8,
    /// Whether the run waits to be pruned.
    stale: bool,
}

/// A value for a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    cell: u16,
    /// From 1.
    value: u8,
}

impl Kakuro {
    /// Makes the problem of an instance.
    ///
    /// # Errors
    ///
    /// If the puzzle is wrong, or if pruning shows that it has no solution; the message says which.
    pub fn new(instance: Instance) -> Result<Self, String> {
        let Instance { cells: places, largest, across, down, pruning } = instance;
        let cells = places.len();
        if !(1..=MAX_CELLS).contains(&cells) {
            return Err(format!("a puzzle has 1 to {MAX_CELLS} cells, not {cells}"));
        }
        if !(1..=MAX_VALUE).contains(&largest) {
            return Err(format!("the largest value is 1 to {MAX_VALUE}, not {largest}"));
        }
        let downwards = across.len();
        let runs: Vec<Run> = across.into_iter().chain(down).collect();
        runs.iter().try_for_each(|run| run.check(cells, largest))?;
        let runs_of = runs_of(&runs, downwards, cells)?;
        let needs = runs.iter().map(|run| Need {
            sum: run.sum as i16,
            cells: run.cells.len() as u8,
            stale: false,
        });
        let root = State {
            domains: vec![u64::MAX >> (64 - largest); cells],
            sizes: Sizes::new(&vec![largest as u8; cells]),
            needs: needs.collect(),
            left: cells as u16,
            dead: false,
            stale: Vec::new(),
        };
        let mut problem = Kakuro { largest, places, runs, runs_of, pruning, root };
        if pruning {
            let mut root = problem.initial();
            (0..problem.runs.len()).for_each(|run| root.mark(run as u16));
            problem.prune(&mut root);
            problem.root = root;
        }
        if problem.root.dead { Err(NO_SOLUTION.to_owned()) } else { Ok(problem) }
    }

    /// See [`filling`].
    fn filling(&self, seed: u64, playouts: u64) -> Option<Vec<u8>> {
        let mut state = self.initial();
        let mut values = vec![0; self.runs_of.len()];
        for playout in 0..playouts {
            let mut random = Random::new(Key::root(seed, playout));
            self.reset(&mut state);
            while let Some(cell) = self.next(&state) {
                let domain = state.domains[cell];
                let skipped = below(&mut random, domain.count_ones() as usize);
                let value = bits(domain).nth(skipped).unwrap_or_default() as u8 + 1;
                values[cell] = value;
                self.play(&mut state, Move { cell: cell as u16, value });
            }
            if state.left == 0 {
                return Some(values);
            }
        }
        None
    }

    /// The cell to fill next.
    #[inline(always)]
    fn next(&self, state: &State) -> Option<usize> {
        state.sizes.first().filter(|_| !state.dead)
    }

    /// Notes that a domain has lost this many values, if any.
    #[inline(always)]
    fn shrink(&self, state: &mut State, cell: usize, by: u8) {
        state.dead |= state.sizes.shrink(cell, by) == 0;
        if self.pruning && by > 0 {
            self.runs_of(cell).for_each(|run| state.mark(run as u16));
        }
    }

    /// The numbers of the runs of a cell.
    #[inline(always)]
    fn runs_of(&self, cell: usize) -> impl Iterator<Item = usize> {
        self.runs_of[cell].into_iter().filter(|&run| run != NONE).map(usize::from)
    }

    /// Takes from domains what the sums exclude, until nothing changes or a domain is empty.
    fn prune(&self, state: &mut State) {
        while let Some(number) = state.stale.pop() {
            let number = usize::from(number);
            state.needs[number].stale = false;
            if !state.dead {
                self.prune_run(state, number);
            }
        }
    }

    fn prune_run(&self, state: &mut State, number: usize) {
        let Need { sum, cells: left, .. } = state.needs[number];
        let cells = &self.runs[number].cells;
        let union = cells.iter().fold(0, |union, &cell| union | state.domains[usize::from(cell)]);
        let allowed = allowed(union, left.into(), sum.into());
        for &cell in cells {
            let excluded = state.domains[usize::from(cell)] & !allowed;
            if excluded != 0 {
                state.domains[usize::from(cell)] &= allowed;
                self.shrink(state, cell.into(), excluded.count_ones() as u8);
            }
        }
    }
}

impl Run {
    fn check(&self, cells: usize, largest: usize) -> Result<(), String> {
        if let Some(cell) = self.cells.iter().find(|&&cell| usize::from(cell) >= cells) {
            return Err(format!("cells are 0 to {}, not {cell}", cells - 1));
        }
        if self.sum > i16::MAX as u16 {
            return Err(format!("a sum is 0 to {}, not {}", i16::MAX, self.sum));
        }
        if self.cells.len() > largest {
            return Err(NO_SOLUTION.to_owned());
        }
        Ok(())
    }
}

impl State {
    /// Notes that a run is to be pruned.
    #[inline]
    fn mark(&mut self, run: u16) {
        let need = &mut self.needs[usize::from(run)];
        if !need.stale {
            need.stale = true;
            self.stale.push(run);
        }
    }
}

/// A random filling of a square of n times n cells that repeats no value in a row or column, row by
/// row, made as in learned-prior-2024: it is the end of the first uniform playout that gives every
/// cell a value. `None` if none of this many playouts does.
///
/// # Errors
///
/// Says which argument is out of range.
pub fn filling(n: u8, largest: usize, seed: u64, playouts: u64) -> Result<Option<Vec<u8>>, String> {
    Ok(Kakuro::new(square(n, largest, |_| 0))?.filling(seed, playouts))
}

/// A square of n times n cells whose runs have these sums.
fn square(n: u8, largest: usize, sum: impl Fn(&[u16]) -> u16) -> Instance {
    let side = u16::from(n);
    let run = |cells: Vec<u16>| Run { sum: sum(&cells), cells };
    let across = (0..side).map(|row| run((row * side..(row + 1) * side).collect())).collect();
    let down =
        (0..side).map(|column| run((column..side * side).step_by(n.into()).collect())).collect();
    let cells = (0..n).flat_map(|row| (0..n).map(move |column| (row, column))).collect();
    Instance { cells, largest, across, down, pruning: false }
}

/// The values of `union` that can be part of a sum of so many different ones of them, by the least
/// and the greatest sum of the others.
fn allowed(union: u64, cells: u32, sum: i32) -> u64 {
    if union.count_ones() < cells || cells == 0 {
        return 0;
    }
    let smallest = |mask: u64| mask.trailing_zeros() as i32 + 1;
    let largest = |mask: u64| mask.ilog2() as i32 + 1;
    let (mut low, mut high) = (union, union);
    let (mut least, mut greatest) = (0, 0);
    for _ in 1..cells {
        least += smallest(low);
        low &= low - 1;
        greatest += largest(high);
        high ^= 1 << high.ilog2();
    }
    if sum < least + smallest(low) || sum > greatest + largest(high) {
        return 0;
    }
    // With that, a value among the `cells` smallest is never too large; for any other the smallest
    // others are those summed up here. Likewise at the other end.
    union & up_to(sum - least) & !up_to(sum - greatest - 1)
}

/// The runs of each cell: across, then down, which those from number `downwards` on are.
fn runs_of(runs: &[Run], downwards: usize, cells: usize) -> Result<Vec<[u16; 2]>, String> {
    let mut runs_of = vec![[NONE; 2]; cells];
    for (number, run) in runs.iter().enumerate() {
        for &cell in &run.cells {
            let place = &mut runs_of[usize::from(cell)][usize::from(number >= downwards)];
            if *place != NONE {
                return Err(format!("cell {cell} is twice in runs of one direction"));
            }
            *place = number as u16;
        }
    }
    match runs_of.iter().position(|runs| *runs == [NONE; 2]) {
        Some(cell) => Err(format!("cell {cell} is in no run")),
        None => Ok(runs_of),
    }
}

/// The values from 1 to this one.
fn up_to(value: i32) -> u64 {
    match value {
        ..1 => 0,
        1..64 => (1 << value) - 1,
        64.. => u64::MAX,
    }
}

impl Exposed for Kakuro {
    /// The row, the column and the value.
    fn shown(&self, mv: Move) -> impl Serialize {
        let (row, column) = self.places.get(usize::from(mv.cell)).copied().unwrap_or_default();
        (row, column, mv.value)
    }

    fn read_move<'de, D: Deserializer<'de>>(&self, from: D) -> Result<Move, D::Error> {
        let (row, column, value) = Deserialize::deserialize(from)?;
        let cell = self.places.iter().position(|&place| place == (row, column));
        let no_cell = || D::Error::custom(format!("no cell at row {row}, column {column}"));
        Ok(Move { cell: cell.ok_or_else(no_cell)? as u16, value })
    }
}

impl Problem for Kakuro {
    type State = State;
    type Move = Move;
    /// k * cell + value.
    type Code = u32;

    fn code_count(&self) -> usize {
        self.runs_of.len() * self.largest
    }

    fn initial(&self) -> State {
        self.root.clone()
    }

    fn reset(&self, state: &mut State) {
        state.clone_from(&self.root);
    }

    #[inline]
    fn moves(&self, state: &mut State, out: &mut Moves<'_, Self>) {
        if let Some(cell) = self.next(state) {
            let base = (cell * self.largest) as u32;
            for value in bits(state.domains[cell]) {
                let mv = Move { cell: cell as u16, value: value as u8 + 1 };
                out.push(mv, base + value as u32);
            }
        }
    }

    #[inline]
    fn play(&self, state: &mut State, mv: Move) {
        let cell = usize::from(mv.cell);
        state.left -= 1;
        state.domains[cell] = 0;
        state.sizes.remove(cell);
        let value = 1 << (mv.value - 1);
        for number in self.runs_of(cell) {
            state.needs[number].sum -= i16::from(mv.value);
            state.needs[number].cells -= 1;
            if self.pruning {
                state.mark(number as u16);
            }
            // About every second cell has the value, which no branch could foresee.
            for &other in &self.runs[number].cells {
                let domain = &mut state.domains[usize::from(other)];
                let had = (*domain >> (mv.value - 1)) as u8 & 1;
                *domain &= !value;
                self.shrink(state, other.into(), had);
            }
        }
        if self.pruning {
            self.prune(state);
        }
    }

    fn score(&self, state: &State) -> f64 {
        let missing = if state.left > 0 {
            self.runs.len() + usize::from(state.left)
        } else {
            state.needs.iter().filter(|need| need.sum != 0).count()
        };
        -(missing as f64)
    }
}

impl Offers for Kakuro {
    fn prior_code(&self, state: &State, mv: Move, _code: u32) -> u64 {
        let value = 1 << (mv.value - 1);
        let can = |&&cell: &&u16| state.domains[usize::from(cell)] & value != 0;
        let runs = self.runs_of[usize::from(mv.cell)].map(|run| self.runs.get(usize::from(run)));
        runs.into_iter().fold(mv.value.into(), |code, run| {
            let count = run.map_or(0, |run| run.cells.iter().filter(can).count() as u64);
            let sum = run.map_or(0, |run| run.sum.into());
            (code << 8 | count) << 16 | sum
        })
    }

    fn decides(&self) -> bool {
        true
    }

    fn improver(&self) -> Option<Box<dyn Improver<Self>>> {
        let deduces = self.pruning && self.largest <= LARGEST;
        deduces.then(|| Box::new(Deduction::new(self)) as Box<dyn Improver<Self>>)
    }
}
