//! A search in Rust alone, without Python: a problem of one's own, and one that comes with Nestor.
//!
//! ```text
//! cargo run --release -p nestor-example
//! ```

use std::sync::atomic::AtomicBool;

use nestor_engine::Algorithm;
use nestor_engine::meter::Limits;
use nestor_engine::nrpa::settings::{LevelSettings, Settings};
use nestor_engine::problem::{Moves, Offers, Problem};
use nestor_engine::random::Key;
use nestor_problems::latin_square::{Instance, LatinSquare};

/// Place queens row by row, so that none attacks another.
struct Queens {
    size: u32,
}

/// The columns of the queens so far.
type Columns = Vec<u32>;

impl Problem for Queens {
    type State = Columns;
    /// The column of the next queen.
    type Move = u32;
    /// size * row + column.
    type Code = u32;

    fn code_count(&self) -> usize {
        (self.size * self.size) as usize
    }

    fn initial(&self) -> Columns {
        Vec::new()
    }

    fn moves(&self, queens: &mut Columns, out: &mut Moves<'_, Self>) {
        let row = queens.len() as u32;
        let attacked = |column: u32| {
            let queens = (0..row).zip(queens.iter());
            queens.map(|(r, &c)| (row - r, c.abs_diff(column))).any(|(dr, dc)| dc == 0 || dc == dr)
        };
        for column in (0..self.size).filter(|&column| row < self.size && !attacked(column)) {
            out.push(column, self.size * row + column);
        }
    }

    fn play(&self, queens: &mut Columns, column: u32) {
        queens.push(column);
    }

    fn score(&self, queens: &Columns) -> f64 {
        queens.len() as f64
    }
}

/// They offer nothing but their rules.
impl Offers for Queens {}

/// Searches until a score is reached, or 100,000 playouts are done; returns the score and the moves.
fn best<P: Offers + 'static>(
    problem: P,
    algorithm: &Algorithm,
    seed: u64,
    target: f64,
) -> Result<(f64, Vec<P::Move>), String> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let problem = problem.into();
    let mut search = algorithm.start(&problem, Key::root(seed, 0))?;
    let limits = Limits {
        playouts: 100_000,
        deadline: None,
        target,
        restart: true,
        threads: 1,
        cancel: &NEVER,
    };
    search.advance(&problem, &limits);
    let (score, moves) = search.best();
    Ok((score, moves.to_vec()))
}

fn main() -> Result<(), String> {
    let level = LevelSettings { iterations: 40, ..LevelSettings::default() };
    let algorithm = Algorithm::Nrpa(Settings { levels: vec![level; 3], ..Settings::default() });
    let (score, columns) = best(Queens { size: 16 }, &algorithm, 1, 16.0)?;
    println!("{score} queens: {columns:?}");
    let instance = Instance { square: vec![vec![0; 6]; 6], hidden_singles: true };
    let (score, cells) = best(LatinSquare::new(instance)?, &algorithm, 1, 0.0)?;
    println!("a Latin square with {} holes, {} left", cells.len(), -score);
    Ok(())
}
