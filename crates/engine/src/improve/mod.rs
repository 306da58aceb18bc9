//! Local search: what makes finished sequences better.
//!
//! Nested search learns a policy well and finishes its sequences badly: the best one of a level is
//! seldom a local optimum. Local search changes a sequence a little, again and again.
//!
//! - A problem says which [`Improver`] it has ([`crate::problem::Offers::improver`]): ruin and recreate
//!   (`ruin/`), or one of its own. It runs alone (`alone.rs`), as local search or as search by
//!   counterexamples.
//! - Polish changes single decisions (`decisions.rs`), if the problem lets it
//!   ([`crate::problem::Offers::decides`]). It needs a policy: so it works in a nested search, on the
//!   result of every search of level 1 before level 2 takes it (`polish.rs`).

use serde::Deserialize;

use crate::biased::Biased;
use crate::problem::{Offers, Problem};
use crate::random::Key;
use crate::search::Search;
use crate::state::{Reader, Writer};
use alone::Alone;

mod alone;
pub mod counterexamples;
mod decisions;
pub mod polish;
pub mod ruin;

/// The settings of local search: there are none.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// There are no levels.
    pub levels: [(); 0],
}

/// Starts a local search.
///
/// # Errors
///
/// If the problem has none.
pub fn start<P: Offers + 'static>(problem: &Biased<P>, key: Key) -> Result<Box<Search<P>>, String> {
    let improver = problem.improver().ok_or("the problem does not say what may be changed")?;
    Ok(Alone::start(improver, (problem, 0, true), key))
}

/// What a step came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// There is more to do before the next sequence is complete.
    Working,
    /// A sequence was evaluated.
    Played {
        /// Its score.
        score: f64,
        /// Whether the search from this start is over.
        over: bool,
    },
    /// The problem failed.
    Failed,
}

/// A local search, step by step: how it finds, changes and evaluates sequences.
pub trait Improver<P: Problem + ?Sized>: Send + Sync {
    /// Draws a sequence anew. What is known of the problem itself stays.
    fn begin(&mut self, problem: &P, key: Key);

    /// Goes on from a complete sequence from outside.
    fn adopt(&mut self, problem: &P, moves: &[P::Move]);

    /// Does a part of the work, which takes some milliseconds or an evaluation.
    fn step(&mut self, problem: &P, patience: u64) -> Step;

    /// Puts the moves of the sequence evaluated last into `moves`.
    fn moves(&self, problem: &P, moves: &mut Vec<P::Move>);

    /// Steps done and to do. Those of most improvers are the evaluations in turn without a better
    /// sequence, and the patience.
    fn progress(&self, patience: u64) -> (u64, u64);

    /// Whether a step costs so little that the time is not looked at after each.
    fn quick(&self) -> bool {
        false
    }

    /// Appends the state.
    fn write(&self, writer: &mut Writer);

    /// Takes the state that `write` appended.
    ///
    /// # Errors
    ///
    /// If it is wrong.
    fn read(&mut self, problem: &P, reader: &mut Reader) -> Result<(), String>;
}
