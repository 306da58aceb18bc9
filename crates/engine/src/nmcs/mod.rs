//! NMCS: nested levels around one place in the tree, without a policy that adapts.
//!
//! Figure 1 of nrpa-2011,
//!
//! ```text
//! NMCS(level, node):
//!   level 0: return playout(node)
//!   best <- -infinity
//!   while node has children:
//!     for each child (or for k children drawn with replacement: Sample-k NMCS, section 4.1):
//!       (result, new) <- NMCS(level - 1, child)
//!       if result > best: best <- result; seq <- the way to the child, new
//!     node <- the next node of seq
//!   return (best, seq)
//! ```
//!
//! written as a value that moves from one playout to the next. As printed, a search that begins at
//! a leaf returns no score, and the leaf is never chosen. Here the search of a leaf, at any level,
//! is one playout without moves. Playouts and samples are drawn with a blank policy: uniformly, or
//! as the biases say. Playouts may also use the problem's own policy. A move that a bias forbids is
//! not searched unless all are forbidden.
//!
//! With a beam of B, a level continues from B nodes at a time. These are its entries, each with the
//! best sequence known through it:
//!
//! ```text
//!   beam <- {the node of the search}
//!   while an entry of the beam has children:
//!     found <- the next node on the sequence of each entry, with that sequence
//!     for each entry that has children, for each child of it:
//!       (result, new) <- beamNMCS(level - 1, child)
//!       insert the child with new in found, or if it is there and result is better, exchange new
//!     beam <- the B best of found; of equals those found first
//!   return the best sequence
//! ```
//!
//! An entry at the end of its game stays in the beam while it is one of the B best. A node is the
//! sequence of moves from the root: a position reached by other moves is another node. B = 1 is
//! NMCS.
//!
//! Keys: the i-th child of entry e that a search with key K searches at its ply p has the key
//! K.child(p * B + e).child(i). The k samples are the first draws of the generator that starts at
//! K.child(p * B + e).child(k).

use crate::biased::Biased;
use crate::meter::{Limits, Stop};
use crate::playout::Playouts;
use crate::policy::Policy;
use crate::problem::Problem;
use crate::random::Key;
use crate::search::{Recursion, Run, Search};
use crate::sequence::Sequence;
use crate::state::{Reader, Writer};

mod level;
mod node;
mod settings;

use level::Level;
use node::Looking;
pub use settings::{LevelSettings, Settings};

/// Starts a search.
///
/// # Errors
///
/// If a setting is out of range, or if a playout policy is wanted and the problem has none.
pub fn start<P: Problem + 'static>(
    problem: &Biased<P>,
    settings: &Settings,
    key: Key,
) -> Result<Box<Search<P>>, String> {
    start_from(problem, settings, &Policy::new(problem), key)
}

/// Starts a search whose playouts, and samples, are drawn with a policy.
///
/// # Errors
///
/// See [`start`].
pub fn start_from<P: Problem + 'static>(
    problem: &Biased<P>,
    settings: &Settings,
    policy: &Policy<P::Code>,
    key: Key,
) -> Result<Box<Search<P>>, String> {
    settings.check()?;
    if settings.playout_policy.is_some() && !P::CHOOSES {
        return Err("the problem has no playout policy".into());
    }
    let mut nmcs = Nmcs::new(problem, settings);
    nmcs.looking.policy.copy(policy);
    nmcs.playouts.coded = !policy.is_empty();
    Ok(Box::new(Search::new(nmcs, key)))
}

/// Nested Monte Carlo search.
pub struct Nmcs<P: Problem> {
    /// The levels from 1 upwards.
    levels: Vec<Level<P>>,
    /// The index of the lowest level in progress, or the number of levels if there is none. A child
    /// of its node is searched next.
    lowest: usize,
    looking: Looking<P>,
    playouts: Playouts<P>,
    /// The sequence that travels upwards, in `moves`.
    new: Sequence<P>,
}

impl<P: Problem> Nmcs<P> {
    /// A search with these settings.
    pub(crate) fn new(problem: &Biased<P>, settings: &Settings) -> Self {
        Nmcs {
            levels: settings.levels.iter().map(|level| Level::new(problem, level.beam)).collect(),
            lowest: settings.levels.len(),
            looking: Looking::new(problem, settings.samples),
            playouts: Playouts::with(problem, settings.playout_policy.is_some()),
            new: Sequence::default(),
        }
    }

    /// Begins the levels below the lowest one, down to level 1 or a leaf; false if the problem
    /// fails.
    fn descend(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>) -> bool {
        for level in self.levels[self.lowest..].iter_mut().rev() {
            level.look_again(problem, &mut self.looking);
        }
        loop {
            self.adopt(run);
            if self.lowest == 0 || problem.failed() {
                return !problem.failed();
            }
            let (lower, upper) = self.levels.split_at_mut(self.lowest);
            let level = &mut lower[self.lowest - 1];
            level.begin(problem, upper.first(), run.key());
            level.look(problem, &mut self.looking);
            if level.node().moves.is_empty() {
                return !problem.failed();
            }
            self.lowest -= 1;
        }
    }

    /// Takes over a sequence from outside if the top level stands between two children.
    fn adopt(&mut self, run: &mut Run<P::Move>) {
        if self.lowest + 1 == self.levels.len()
            && let Some(adopted) = run.adopted.take()
        {
            self.levels[self.lowest].adopt(adopted.score, &adopted.moves);
        }
    }

    /// The playout at the bottom; its score.
    fn play(&mut self, problem: &Biased<P>, run: &Run<P::Move>) -> f64 {
        let (policy, new) = (&self.looking.policy, &mut self.new);
        match self.levels.get(self.lowest) {
            Some(level) => {
                let (key, mv) = (level.child_key(), level.child_move());
                let from = (&level.node().state, &level.node().path[..]);
                self.playouts.run_from(problem, policy, key, from, mv, new)
            }
            None => self.playouts.run(problem, policy, run.key(), new),
        }
    }

    /// Passes a result up through every level that it completes.
    fn ascend(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>, mut score: f64) {
        while let Some(level) = self.levels.get_mut(self.lowest) {
            level.accept(score, &self.new.moves);
            if level.go_on(problem) {
                level.look_again(problem, &mut self.looking);
                return;
            }
            score = level.finish(&mut self.new.moves);
            self.lowest += 1;
        }
        run.restart();
    }

    /// Runs the next playout.
    fn step(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>) -> bool {
        if !self.descend(problem, run) {
            self.levels.iter_mut().for_each(|level| level.forget());
            return false;
        }
        let score = self.play(problem, run);
        if problem.failed() {
            return false;
        }
        let (levels, lowest) = (&self.levels[self.lowest..], self.lowest);
        run.meter.record(self.new.reported, &self.new.moves, || {
            let moved = levels.iter().rposition(Level::has_moved);
            moved.map_or(0, |index| (lowest + index) as u32 + 1)
        });
        self.ascend(problem, run, score);
        true
    }
}

impl<P: Problem> Recursion<P> for Nmcs<P> {
    fn advance(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>, limits: &Limits) -> Stop {
        run.advance(limits, |run| self.step(problem, run))
    }

    /// Children searched and to search, if all games were as long as the best one and all nodes as
    /// wide as the current one.
    fn progress(&self, run: &Run<P::Move>) -> Vec<(u64, u64)> {
        let progress = |(index, level): (usize, &Level<P>)| {
            if index < self.lowest { (0, 1) } else { level.progress(run.meter.moves.len()) }
        };
        self.levels.iter().enumerate().map(progress).collect()
    }

    fn write(&self, writer: &mut Writer) {
        writer.put(&self.lowest);
        for level in self.levels[self.lowest..].iter().rev() {
            level.write(writer);
        }
    }

    fn read(
        &mut self,
        problem: &Biased<P>,
        run: &Run<P::Move>,
        reader: &mut Reader,
    ) -> Result<(), String> {
        let lowest: usize = reader.take()?;
        while self.lowest > lowest {
            let (lower, upper) = self.levels.split_at_mut(self.lowest);
            let level = &mut lower[self.lowest - 1];
            level.begin(problem, upper.first(), run.key());
            level.read(problem, &mut self.looking, reader)?;
            self.lowest -= 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
