//! Sampling, NRPA and GNRPA: nested levels around one policy.
//!
//! The recursion of nrpa-2011 (figure 2) and gnrpa-2020 (algorithm 5),
//!
//! ```text
//! NRPA(level, policy):
//!   level 0: return playout(policy)
//!   best <- -infinity
//!   N times:
//!     (result, new) <- NRPA(level - 1, policy)
//!     if result >= best: best <- result; seq <- new
//!     policy <- Adapt(policy, seq)
//!   return (best, seq)
//! ```
//!
//! written as a value that [`Nrpa::advance`] moves from one playout to the next, so that a search
//! can stop anywhere and go on later. Level 0 alone is sampling.

use crate::code::Slots;
use crate::journal::compact;
use crate::meter::{Limits, Meter, Stop};
use crate::playout::Playouts;
use crate::policy::Policy;
use crate::problem::Problem;
use crate::random::Key;
use crate::saved::{Reader, Writer};
use crate::search::Search;
use crate::sequence::{Sequence, check_codes};
use level::Level;
pub use settings::{LevelSettings, Policies, Settings, WidthRate};

pub mod below;
mod lane;
mod level;
mod settings;
mod together;
mod warm;
pub mod wide;

/// Slots a hashed policy may hold before unused ones are looked for.
pub(crate) const COMPACT_AT: usize = 1 << 16;

/// Starts a search.
///
/// # Errors
///
/// If a setting is out of range.
pub fn start<P: Problem + 'static>(
    problem: &P,
    settings: &Settings,
    key: Key,
) -> Result<Box<dyn Search<P>>, String> {
    let levels = settings.levels()?;
    Ok(match (settings.policies, settings::widest(&levels)) {
        (Policies::Local, Some(wide)) => {
            Box::new(wide::Wide::new(problem, settings, &levels, wide, key))
        }
        _ => below::levels(problem, settings, &levels, key),
    })
}

/// A nested search of any level.
pub struct Nrpa<P: Problem> {
    root: Key,
    restarts: u64,
    /// The levels from 1 upwards.
    levels: Vec<Level<P>>,
    policy: Policy<P::Code>,
    playouts: Playouts<P>,
    /// The sequence that travels upwards.
    current: Sequence<P>,
    /// Those of the threads that work together.
    desks: Vec<together::Desk<P>>,
    compact_at: usize,
    meter: Meter<P::Move>,
}

impl<P: Problem> Nrpa<P> {
    /// A search with these levels, from level 1 upwards; without any, every restart is one playout.
    pub fn new(problem: &P, settings: &[LevelSettings], root: Key) -> Self {
        let mut search = Nrpa {
            root,
            restarts: 0,
            levels: settings.iter().map(|&settings| Level::new(settings, root)).collect(),
            policy: Policy::new(problem),
            playouts: Playouts::new(problem),
            current: Sequence::default(),
            desks: Vec::new(),
            compact_at: COMPACT_AT,
            meter: Meter::new(),
        };
        search.descend(search.levels.len());
        search
    }

    /// Whether to stop before the next playout.
    fn stop(&self, limits: &Limits) -> Option<Stop> {
        if self.restarts > 0 && !limits.restart {
            return Some(Stop::Finished);
        }
        self.meter.stop(limits)
    }

    fn advance_alone(&mut self, problem: &P, limits: &Limits) -> Stop {
        loop {
            if let Some(stop) = self.stop(limits) {
                return stop;
            }
            if let Some(stop) = self.step(problem) {
                return stop;
            }
        }
    }

    /// Runs one playout and hands it upwards.
    #[inline(always)]
    fn step(&mut self, problem: &P) -> Option<Stop> {
        let (key, known) = match self.levels.first() {
            Some(level) => (level.key.child(level.iteration), &level.known[..]),
            None => (self.root.child(self.restarts), &[][..]),
        };
        let score = self.playouts.run_unlike(problem, &self.policy, key, known, &mut self.current);
        if problem.failed() {
            return Some(Stop::Failed);
        }
        self.take(score);
        None
    }

    /// Takes the playout in `current`.
    fn take(&mut self, score: f64) {
        let levels = &self.levels;
        self.meter.record(score, &self.current.moves, || adapted(levels));
        self.ascend(0, score);
    }

    /// Hands a result to the level with this index and upwards through every level it completes.
    fn ascend(&mut self, first: usize, mut score: f64) {
        for index in first..self.levels.len() {
            let level = &mut self.levels[index];
            level.accept(score, &mut self.current);
            if !level.finished() {
                if level.adapts() {
                    level.adapt(&mut self.policy, &mut self.playouts);
                }
                self.descend(index);
                return;
            }
            // The level returns: its policy ends with it, so its last adapt would be for nothing.
            level.journal.undo(&mut self.policy);
            score = level.best_score;
            std::mem::swap(&mut self.current, &mut level.best);
            self.tidy();
        }
        self.restarts += 1;
        self.descend(self.levels.len());
    }

    /// Begins the levels below `level` (an index; the number of levels begins them all).
    fn descend(&mut self, level: usize) {
        for index in (0..level).rev() {
            let key = match self.levels.get(index + 1) {
                Some(parent) => parent.key.child(parent.iteration),
                None => self.root.child(self.restarts),
            };
            self.levels[index].begin(key);
        }
    }

    fn write(&self, writer: &mut Writer) {
        let codes = self.policy.space.codes();
        writer.put(&self.restarts);
        writer.put(&self.meter);
        writer.put(&self.policy.saved(&codes));
        writer.put(&self.policy.bias_weights);
        for level in &self.levels {
            level.write(&codes, writer);
        }
    }

    fn read(&mut self, problem: &P, reader: &mut Reader) -> Result<(), String> {
        self.restarts = reader.take()?;
        self.meter = reader.take()?;
        let weights: Vec<(P::Code, f64)> = reader.take()?;
        check_codes(problem, weights.iter().map(|&(code, _)| code))?;
        self.policy.restore(&weights);
        let bias_weights: Vec<f64> = reader.take()?;
        self.policy.check_bias_weights(&bias_weights)?;
        self.policy.bias_weights = bias_weights;
        self.levels.iter_mut().try_for_each(|l| l.read(problem, &mut self.policy, reader))
    }

    /// Keeps the memory of hashed policies flat.
    fn tidy(&mut self) {
        if self.policy.space.grows() && self.policy.space.count() > self.compact_at {
            let mut journals: Vec<_> = self.levels.iter_mut().map(|l| &mut l.journal).collect();
            compact(&mut self.policy, &mut journals);
            for level in &mut self.levels {
                level.noted = false;
            }
            self.compact_at = COMPACT_AT.max(2 * self.policy.space.count());
        }
    }
}

impl<P: Problem> Search<P> for Nrpa<P> {
    fn advance(&mut self, problem: &P, limits: &Limits) -> Stop {
        self.meter.start();
        let width = self.levels.first().map_or(1, |level| level.settings.width);
        let threads = limits.threads.min(usize::try_from(width).unwrap_or(usize::MAX));
        let stop = match threads {
            0 | 1 => self.advance_alone(problem, limits),
            _ => self.advance_together(problem, limits, threads),
        };
        self.meter.pause();
        stop
    }

    fn meter(&self) -> &Meter<P::Move> {
        &self.meter
    }

    fn progress(&self) -> Vec<(u64, u64)> {
        self.levels.iter().map(|level| (level.iteration, level.settings.iterations)).collect()
    }

    fn restarts(&self) -> u64 {
        self.restarts
    }

    fn save(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        self.write(&mut writer);
        writer.0
    }

    fn restore(&mut self, problem: &P, saved: &[u8]) -> Result<(), String> {
        let mut reader = Reader(saved);
        self.read(problem, &mut reader)?;
        reader.finish()
    }
}

/// The highest level that has adapted its policy.
fn adapted<P: Problem>(levels: &[Level<P>]) -> u32 {
    levels.iter().rposition(|level| level.adapted).map_or(0, |index| index as u32 + 1)
}

#[cfg(test)]
mod tests;
