//! Solving by deduction: values are tried, and what follows from each is worked out.
//!
//! From a value in a cell follows what can stand in the cells of its runs ([`Sums`]), and from that
//! more. If nothing can stand in a run, the values so far contradict each other: a dead end. Then
//! the value tried last is taken back and ruled out. A run at which dead ends show is hard, and the
//! sooner its cells get their values, the sooner other dead ends show:
//!
//! ```text
//! begin with what follows from the sums alone
//! until every cell has a value, or after 200 dead ends:
//!   the cell with the fewest values left for the dead ends that its runs have shown so far
//!   a value that can stand there, at random
//!   while nothing can stand in a run: one more dead end of that run
//!     the value tried last is taken back and ruled out
//! ```
//!
//! Such an attempt and the game that follows from it are a playout. The next attempt knows the hard
//! runs. That is what a search keeps until it begins anew.

use std::collections::VecDeque;

use nestor_engine::improve::{Improver, Step};
use nestor_engine::problem::Problem;
use nestor_engine::random::{Key, Random};
use nestor_engine::state::{Reader, Writer};

use super::sums::{LARGEST, Sums};
use super::{Kakuro, Move, State};
use crate::domains::bits;
use crate::latin_square::below;

/// The dead ends after which an attempt is given up.
const DEAD_ENDS: u32 = 200;

/// A search by deduction.
pub(super) struct Deduction {
    sums: Sums,
    /// What can stand in each cell, by the sums alone and now.
    root: Vec<u16>,
    domains: Vec<u16>,
    /// Domains before they changed, the latest last.
    trail: Vec<(usize, u16)>,
    /// Runs of which a domain has changed, and whether each run is one of them.
    changed: VecDeque<usize>,
    waits: Vec<bool>,
    /// One more than the dead ends of each run.
    weights: Vec<u32>,
    /// The value that each cell has in a sequence from outside, as a domain; empty if it has none.
    adopted: Vec<u16>,
    random: Random,
    playouts: u64,
    state: State,
    moves: Vec<Move>,
}

impl Deduction {
    /// For values up to [`LARGEST`].
    pub(super) fn new(problem: &Kakuro) -> Self {
        let (cells, runs) = (problem.runs_of.len(), problem.runs.len());
        let mut deduction = Deduction {
            sums: Sums::new(problem.largest),
            root: Vec::new(),
            domains: vec![u16::MAX >> (LARGEST - problem.largest); cells],
            trail: Vec::new(),
            changed: (0..runs).collect(),
            waits: vec![true; runs],
            weights: vec![1; runs],
            adopted: vec![0; cells],
            random: Random::new(Key(0)),
            playouts: 0,
            state: problem.initial(),
            moves: Vec::new(),
        };
        // If that is a dead end already, so is what follows.
        let _ = deduction.deduce(problem);
        deduction.root.clone_from(&deduction.domains);
        deduction
    }

    /// Works out what follows. The run in which nothing can stand, if there is one.
    fn deduce(&mut self, problem: &Kakuro) -> Option<usize> {
        while let Some(number) = self.changed.pop_front() {
            self.waits[number] = false;
            let run = &problem.runs[number];
            let mut domains = [0; LARGEST];
            let domains = &mut domains[..run.cells.len()];
            for (domain, &cell) in domains.iter_mut().zip(&run.cells) {
                *domain = self.domains[usize::from(cell)];
            }
            if !self.sums.prune(domains, run.sum) {
                self.changed.drain(..).for_each(|run| self.waits[run] = false);
                return Some(number);
            }
            for (&mut domain, &cell) in domains.iter_mut().zip(&run.cells) {
                if self.domains[usize::from(cell)] != domain {
                    self.narrow(problem, cell.into(), domain, number);
                }
            }
        }
        None
    }

    /// Narrows a domain; its runs have changed, but for one that knows.
    fn narrow(&mut self, problem: &Kakuro, cell: usize, domain: u16, knows: usize) {
        self.trail.push((cell, self.domains[cell]));
        self.domains[cell] = domain;
        for run in problem.runs_of(cell).filter(|&run| run != knows) {
            if !self.waits[run] {
                self.waits[run] = true;
                self.changed.push_back(run);
            }
        }
    }

    /// The cell to try next.
    fn next(&self, problem: &Kakuro) -> Option<usize> {
        let weight = |run: usize| u64::from(self.weights[run]);
        let open = (0..self.domains.len()).filter(|&cell| !self.domains[cell].is_power_of_two());
        let measured = open.map(|cell| {
            let size = u64::from(self.domains[cell].count_ones());
            (cell, size, problem.runs_of(cell).map(weight).sum::<u64>())
        });
        measured
            .reduce(|best, it| if it.1 * best.2 < best.1 * it.2 { it } else { best })
            .map(|it| it.0)
    }

    /// Tries values until each cell has one, or there are too many dead ends.
    fn attempt(&mut self, problem: &Kakuro) {
        self.domains.clone_from(&self.root);
        self.trail.clear();
        let mut tried = Vec::new();
        let mut dead_ends = 0;
        while let Some(cell) = self.next(problem) {
            let known = self.domains[cell] & self.adopted[cell];
            let domain = if known == 0 { self.domains[cell] } else { known };
            let skipped = below(&mut self.random, domain.count_ones() as usize);
            let value = 1 << bits(domain.into()).nth(skipped).unwrap_or_default();
            tried.push((self.trail.len(), cell, value));
            self.narrow(problem, cell, value, usize::MAX);
            while let Some(run) = self.deduce(problem) {
                self.weights[run] = self.weights[run].saturating_add(1);
                dead_ends += 1;
                let Some((length, cell, value)) = tried.pop().filter(|_| dead_ends < DEAD_ENDS)
                else {
                    return;
                };
                for (cell, domain) in self.trail.drain(length..).rev() {
                    self.domains[cell] = domain;
                }
                self.narrow(problem, cell, self.domains[cell] & !value, usize::MAX);
            }
        }
    }

    /// Plays the game that follows from the domains, and returns its score.
    fn play(&mut self, problem: &Kakuro) -> f64 {
        problem.reset(&mut self.state);
        self.moves.clear();
        while let Some(cell) = problem.next(&self.state) {
            let domain = self.state.domains[cell];
            let known = domain & u64::from(self.domains[cell]);
            let value = if known == 0 { domain } else { known }.trailing_zeros() as u8 + 1;
            let mv = Move { cell: cell as u16, value };
            self.moves.push(mv);
            problem.play(&mut self.state, mv);
        }
        problem.score(&self.state)
    }
}

impl Improver<Kakuro> for Deduction {
    fn begin(&mut self, _problem: &Kakuro, key: Key) {
        (self.random, self.playouts) = (Random::new(key), 0);
        self.weights.fill(1);
        self.adopted.fill(0);
    }

    fn adopt(&mut self, _problem: &Kakuro, moves: &[Move]) {
        self.adopted.fill(0);
        for mv in moves {
            self.adopted[usize::from(mv.cell)] = 1 << (mv.value - 1);
        }
    }

    fn step(&mut self, problem: &Kakuro, patience: u64) -> Step {
        self.attempt(problem);
        let score = self.play(problem);
        self.playouts += 1;
        Step::Played { score, over: score == 0.0 || self.playouts >= patience }
    }

    fn moves(&self, _problem: &Kakuro, moves: &mut Vec<Move>) {
        moves.clone_from(&self.moves);
    }

    fn progress(&self, patience: u64) -> (u64, u64) {
        (self.playouts, patience)
    }

    fn write(&self, writer: &mut Writer) {
        writer.put(&(self.random, self.playouts, &self.weights, &self.adopted));
    }

    fn read(&mut self, _problem: &Kakuro, reader: &mut Reader) -> Result<(), String> {
        let (random, playouts, weights, adopted): (_, _, Vec<u32>, Vec<u16>) = reader.take()?;
        let lengths = (weights.len(), adopted.len());
        if lengths != (self.weights.len(), self.adopted.len()) || weights.contains(&0) {
            return Err("its dead ends are not those of the problem".into());
        }
        (self.random, self.playouts) = (random, playouts);
        (self.weights, self.adopted) = (weights, adopted);
        Ok(())
    }
}
