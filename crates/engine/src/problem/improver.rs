//! What makes a finished sequence better, step by step: each problem brings its own, or one of the
//! engine's (`improve/`).

use super::rules::Problem;
use crate::random::Key;
use crate::state::{Reader, Writer};

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

    /// It will evaluate so many sequences. Called before all else, if that is known.
    fn plan(&mut self, _evaluations: u64) {}

    /// Goes on from a complete sequence from outside.
    fn adopt(&mut self, problem: &P, moves: &[P::Move]);

    /// Does a part of the work, which takes some milliseconds or an evaluation.
    fn step(&mut self, problem: &P, patience: u64) -> Step;

    /// Puts the moves of the sequence evaluated last into `moves`.
    fn moves(&self, problem: &P, moves: &mut Vec<P::Move>);

    /// Steps done and to do. Those of most improvers are the evaluations in turn without a better
    /// sequence, and the patience.
    fn progress(&self, patience: u64) -> (u64, u64);

    /// Whether its sequences are changes of one another, which count as evaluated and not as drawn.
    fn changes(&self) -> bool {
        false
    }

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
