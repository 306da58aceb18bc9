//! Games made better by changes in what is clicked.
//!
//! A game is kept as a list of clicked cells, each by its place on the first board. So a click still
//! means the same cell when earlier ones have moved everything, and most of a game outlasts a change:
//!
//! ```text
//! for each try:
//!   one to three times: remove a click, put one in, or move one
//!   play the list; clicks on cells that are gone or alone are left out
//!   complete the game by random moves
//!   it takes the place of the present game, by the rule of annealing
//! ```
//!
//! What counts is the score with shaping. The temperature falls from ten points to one in as many
//! tries as the driver's patience. Then it begins anew with the best game.

use nestor_engine::improve::{Improver, Step};
use nestor_engine::math::exp;
use nestor_engine::problem::Problem;
use nestor_engine::random::{Key, Random};
use nestor_engine::state::{Reader, Writer};

use super::board::SIDE;
use super::{Cell, SameGame, State};

/// The most changes of a try.
const CHANGES: usize = 3;
/// The temperature at first, and minus the logarithm of the part that is left of it at last.
const HOT: f64 = 10.0;
const COOLING: f64 = std::f64::consts::LN_10;

/// A game from beginning to end.
#[derive(Clone, Default)]
struct Game {
    /// The clicked cells, by their places on the first board.
    clicks: Vec<Cell>,
    /// The same as moves.
    moves: Vec<Cell>,
    /// What counts.
    value: f64,
}

/// A position, and which cells of the first board it has.
struct Position {
    state: State,
    /// The cells that are left of each column of the first board.
    left: [u32; SIDE],
}

impl Position {
    fn new(state: State) -> Self {
        let left = std::array::from_fn(|column| state.board.cells_of(column));
        Position { state, left }
    }

    fn reset(&mut self, problem: &SameGame, first: &[u32; SIDE]) {
        problem.reset(&mut self.state);
        self.left = *first;
    }

    /// Where a cell of the first board is, if it is left.
    fn place(&self, cell: Cell) -> Option<Cell> {
        let (column, bit) = (usize::from(cell.column), 1 << cell.row);
        let row = (self.left[column] & (bit - 1)).count_ones() as u8;
        let column = self.left[..column].iter().filter(|&&left| left != 0).count() as u8;
        (self.left[usize::from(cell.column)] & bit != 0).then_some(Cell { column, row })
    }

    /// The place of a cell on the first board.
    fn origin(&self, cell: Cell) -> Option<Cell> {
        let columns = self.left.iter().zip(0..).filter(|&(&left, _)| left != 0);
        let (&left, column) = columns.into_iter().nth(cell.column.into())?;
        Some(Cell { column, row: among(left, 1 << cell.row).trailing_zeros() as u8 })
    }

    /// Removes the group of a cell of the first board, and returns the move; nothing if there is no
    /// such group.
    fn click(&mut self, problem: &SameGame, cell: Cell) -> Option<Cell> {
        let place = self.place(cell)?;
        if self.state.board.linked(place.column.into()) >> place.row & 1 == 0 {
            return None;
        }
        let (mut gone, mut name) = ([0; SIDE], None);
        problem.remove(&mut self.state, place, |column, cells| {
            gone[column] = cells;
            name = name.or(Some(Cell { column: column as u8, row: cells.trailing_zeros() as u8 }));
        });
        let columns = self.left.iter_mut().filter(|left| **left != 0);
        columns.zip(gone).for_each(|(left, gone)| *left &= !among(*left, gone));
        name
    }

    /// A legal move at random, by its place on the first board.
    fn drawn(&self, problem: &SameGame, random: &mut Random) -> Option<Cell> {
        let offered = problem.offered(&self.state);
        let count: u32 = offered.iter().map(|cells| cells.count_ones()).sum();
        let mut skipped =
            if count == 0 { return None } else { random.below(count as usize) as u32 };
        let column = offered.iter().position(|cells| {
            let here = skipped < cells.count_ones();
            skipped -= if here { 0 } else { cells.count_ones() };
            here
        })?;
        let row = among(offered[column], 1 << skipped).trailing_zeros() as u8;
        self.origin(Cell { column: column as u8, row })
    }
}

/// The bits of a mask whose numbers among its bits are given, as bits again.
fn among(mut mask: u32, mut numbers: u32) -> u32 {
    let mut found = 0;
    while numbers != 0 {
        let lowest = mask & mask.wrapping_neg();
        found |= lowest * (numbers & 1);
        (mask, numbers) = (mask ^ lowest, numbers >> 1);
    }
    found
}

/// The search for better games.
pub(super) struct Clicks {
    random: Random,
    /// Tries since the temperature was at its highest.
    tries: u64,
    present: Game,
    best: Game,
    /// The game of the last try.
    tried: Game,
    position: Position,
    /// The first board: its columns, and its cells.
    first: [u32; SIDE],
    cells: Vec<Cell>,
}

impl Clicks {
    pub(super) fn new(problem: &SameGame) -> Self {
        let position = Position::new(problem.initial());
        let first = position.left;
        let of = |column: usize| (0..first[column].count_ones()).map(move |row| (column, row));
        let cells = (0..SIDE).flat_map(of);
        Clicks {
            random: Random::new(Key(0)),
            tries: 0,
            present: Game::default(),
            best: Game::default(),
            tried: Game::default(),
            position,
            first,
            cells: cells
                .map(|(column, row)| Cell { column: column as u8, row: row as u8 })
                .collect(),
        }
    }

    /// Plays the clicks of `tried` as far as they remove groups, and completes the game.
    fn play(&mut self, problem: &SameGame) -> f64 {
        let (Game { clicks, moves, value }, position) = (&mut self.tried, &mut self.position);
        position.reset(problem, &self.first);
        moves.clear();
        let mut click = |position: &mut Position, cell| {
            let played = position.click(problem, cell);
            moves.extend(played);
            played.is_some()
        };
        clicks.retain(|&cell| click(position, cell));
        while let Some(cell) = position.drawn(problem, &mut self.random) {
            click(position, cell);
            clicks.push(cell);
        }
        *value = position.state.shaped();
        problem.score(&position.state)
    }

    /// Changes the clicks of `tried`.
    fn change(&mut self) {
        let (random, clicks) = (&mut self.random, &mut self.tried.clicks);
        for _ in 0..1 + random.below(CHANGES) {
            let (takes, puts) = [(true, false), (false, true), (true, true)][random.below(3)];
            let cell = match takes && !clicks.is_empty() {
                true => clicks.remove(random.below(clicks.len())),
                false => self.cells[random.below(self.cells.len())],
            };
            if puts {
                clicks.insert(random.below(clicks.len() + 1), cell);
            }
        }
    }

    /// The game of `tried` becomes the present and the best one.
    fn settle(&mut self) {
        self.tries = 0;
        self.present.clone_from(&self.tried);
        self.best.clone_from(&self.tried);
    }
}

impl Improver<SameGame> for Clicks {
    fn begin(&mut self, problem: &SameGame, key: Key) {
        self.random = Random::new(key);
        self.tried.clicks.clear();
        self.play(problem);
        self.settle();
    }

    fn adopt(&mut self, problem: &SameGame, moves: &[Cell]) {
        self.position.reset(problem, &self.first);
        self.tried.clicks.clear();
        for &mv in moves {
            let cell = self.position.origin(mv);
            cell.and_then(|cell| self.position.click(problem, cell));
            self.tried.clicks.extend(cell);
        }
        self.play(problem);
        self.settle();
    }

    fn step(&mut self, problem: &SameGame, patience: u64) -> Step {
        if self.tries >= patience {
            self.tries = 0;
            self.present.clone_from(&self.best);
        }
        self.tried.clicks.clone_from(&self.present.clicks);
        self.change();
        let score = self.play(problem);
        let temperature = HOT * exp(-COOLING * (self.tries as f64 / patience as f64));
        let gain = self.tried.value - self.present.value;
        if gain >= 0.0 || self.random.uniform() < exp(gain / temperature) {
            self.present.clone_from(&self.tried);
        }
        if self.tried.value > self.best.value {
            self.best.clone_from(&self.tried);
        }
        self.tries += 1;
        Step::Played { score, over: false }
    }

    fn moves(&self, _problem: &SameGame, moves: &mut Vec<Cell>) {
        moves.clone_from(&self.tried.moves);
    }

    fn progress(&self, patience: u64) -> (u64, u64) {
        (self.tries, patience)
    }

    fn write(&self, writer: &mut Writer) {
        writer.put(&(self.random, self.tries, &self.present.clicks, &self.best.clicks));
    }

    fn read(&mut self, problem: &SameGame, reader: &mut Reader) -> Result<(), String> {
        let (random, tries, present, best): (Random, u64, Vec<Cell>, Vec<Cell>) = reader.take()?;
        for clicks in [best, present] {
            self.best.clone_from(&self.tried);
            let on_board = clicks.iter().all(|cell| self.cells.contains(cell));
            self.tried.clicks.clone_from(&clicks);
            if on_board {
                self.play(problem);
            }
            if !on_board || self.tried.clicks != clicks {
                return Err("its games are not those of the board".into());
            }
        }
        self.present.clone_from(&self.tried);
        (self.random, self.tries) = (random, tries);
        Ok(())
    }
}
