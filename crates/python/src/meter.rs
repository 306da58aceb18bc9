//! What an algorithm in Python may do, and what it has done: its meter is a Python object, which the
//! primitives ask before each slice and tell after it.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use nestor_engine::biased::Biased;
use nestor_engine::meter::{Counts, Limits, Stop};
use nestor_engine::search::{Recursion, Search};
use nestor_problems::exposed::Exposed;
use pyo3::prelude::*;
use pythonize::pythonize;

use crate::write_moves;

/// The meter of the caller, if it has one.
pub type Meter<'py> = Option<Bound<'py, PyAny>>;

/// How far a slice may go, and what it has done.
pub struct Metered<M> {
    /// Playouts that are left.
    left: u64,
    target: f64,
    /// The best score so far. Without a meter nobody asks for it.
    best: Option<f64>,
    playouts: u64,
    /// What was counted besides.
    counts: Counts,
    /// New best scores: playouts done then, score and level.
    improvements: Vec<(u64, f64, u32)>,
    /// The moves of the last of them.
    moves: Vec<M>,
}

impl<M: Copy> Metered<M> {
    /// Asks the meter, which may wait.
    pub fn ask(meter: &Meter<'_>) -> PyResult<Self> {
        let (left, target, best) = match meter {
            None => (u64::MAX, f64::INFINITY, Some(f64::INFINITY)),
            Some(meter) => meter.call_method0("allow")?.extract()?,
        };
        let (playouts, counts, improvements, moves) = Default::default();
        Ok(Metered { left, target, best, playouts, counts, improvements, moves })
    }

    /// Whether no more is allowed.
    pub fn used_up(&self) -> bool {
        let reached = self.improvements.last().is_some_and(|&(_, score, _)| score >= self.target);
        reached || self.playouts >= self.left
    }

    /// Counts a playout.
    pub fn count(&mut self, score: f64, moves: &[M]) {
        self.playouts += 1;
        self.note(self.playouts, score, 0, moves);
    }

    /// Lets a search go on as far as it may, and counts what it does; None if it has not finished.
    pub fn advance<P: Exposed<Move = M>, R: Recursion<P> + ?Sized>(
        &mut self,
        search: &mut Search<P, R>,
        problem: &Biased<P>,
        deadline: Instant,
        threads: usize,
    ) -> Option<()> {
        static NEVER: AtomicBool = AtomicBool::new(false);
        let done = search.meter();
        let (before, known) = (done.playouts, done.improvements.len());
        let limits = Limits {
            playouts: before.saturating_add(self.left),
            deadline: Some(deadline),
            target: self.target,
            restart: false,
            threads,
            cancel: &NEVER,
        };
        let stop = search.advance(problem, &limits);
        let done = search.meter();
        self.playouts += done.playouts - before;
        for new in &done.improvements[known..] {
            self.note(new.playouts - before, new.score, new.level, &done.moves);
        }
        self.counts = search.take_counts();
        (stop == Stop::Finished).then_some(())
    }

    fn note(&mut self, playouts: u64, score: f64, level: u32, moves: &[M]) {
        if self.best.is_none_or(|best| score > best) {
            self.best = Some(score);
            self.improvements.push((playouts, score, level));
            self.moves.clear();
            self.moves.extend_from_slice(moves);
        }
    }

    /// Tells the meter.
    pub fn tell<P: Exposed<Move = M>>(self, meter: &Meter<'_>, problem: &P) -> PyResult<()> {
        let Some(meter) = meter else { return Ok(()) };
        let moves = write_moves(problem, meter.py(), &self.moves)?;
        let counts = pythonize(meter.py(), &self.counts)?;
        meter.call_method1("count", (self.playouts, counts, self.improvements, moves))?;
        Ok(())
    }
}
