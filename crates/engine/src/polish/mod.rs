//! Polish: local search over finished sequences.
//!
//! Nested search learns a policy well and finishes its sequences badly: the best one of a level is
//! seldom a local optimum. Polish changes it a little, again and again, and keeps what is not worse.
//! What it changes is the order of the moves (`order.rs`) or single decisions (`decisions.rs`); the
//! problem says which ([`crate::problem::Problem::change`]).
//!
//! A nested search polishes the result of every search of level 1 before level 2 takes it
//! (`memetic.rs`). Its policy then adapts to local optima.

use serde::Deserialize;

use crate::playout::Playouts;
use crate::policy::Policy;
use crate::problem::Problem;
use crate::random::Random;
use crate::sequence::Sequence;
use crate::state::{Reader, Writer};
pub use orders::{Light, Replays};
use pool::Pool;

mod candidates;
mod decisions;
pub(crate) mod memetic;
pub(crate) mod operators;
mod order;
mod orders;
pub(crate) mod pool;
mod replay;
mod rounds;

/// One proposal in so many is any change.
const ANY: usize = 8;

/// The place of what a sequence does not have.
const NOWHERE: u32 = u32::MAX;

/// Changes of a kick.
const KICKS: usize = 3;

/// The settings of polish, by the names that Python gives them.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// K, the items that may well follow an item.
    pub candidates: usize,
    /// T: polish ends after T * K * n tries without a gain.
    pub tries: u64,
    /// The share of polishes that begin with the best sequence of level 2, changed at random.
    pub kick: f64,
    /// The local optima of level 2 that proposals come from.
    pub pool: usize,
    /// S: in an order of more than 2 S items, polish goes on in rounds, each at S places.
    pub stretch: usize,
}

/// What a try came to.
pub(crate) enum Try {
    /// The proposal would have changed nothing.
    Nothing,
    /// A changed sequence was evaluated.
    Evaluated,
    /// It is better by what steers, and has this score.
    Gain(f64),
}

/// The policy, and memory to play with.
pub(crate) type At<'a, P> = (&'a Policy<<P as Problem>::Code>, &'a mut Playouts<P>);

/// A local search. It writes sequences as words: numbers that mean the same in every sequence.
pub(crate) trait Local<P: Problem>: Send + Sync {
    /// The words of a sequence of legal moves. `new` is memory.
    fn words(&self, problem: &P, at: At<P>, moves: &[P::Move], new: &mut Sequence<P>) -> Vec<u32>;

    /// Begins at these words, or at these after a kick, and returns the score there.
    fn begin(
        &mut self,
        problem: &P,
        at: At<P>,
        from: (Random, Vec<u32>, bool),
        pool: &Pool,
        new: &mut Sequence<P>,
    ) -> f64;

    /// Whether it has ended.
    fn ended(&mut self, problem: &P) -> bool;

    /// One try. If the problem fails, it is as if there had been none.
    fn attempt(&mut self, problem: &P, at: At<P>) -> Try;

    /// Puts the present moves into `moves`.
    fn moves(&self, problem: &P, moves: &mut Vec<P::Move>);

    /// Makes `new` the best sequence, and returns its score and its words.
    fn finish(&mut self, problem: &P, at: At<P>, new: &mut Sequence<P>) -> (f64, Vec<u32>);

    /// Whether a try costs so little that the time is not looked at after each.
    fn quick(&self) -> bool;

    /// Appends the state.
    fn write(&self, writer: &mut Writer);

    /// Takes the state that `write` appended.
    fn read(&mut self, problem: &P, reader: &mut Reader) -> Result<(), String>;

    /// Checks words that come from a file.
    fn check(&self, problem: &P, words: &[u32]) -> Result<(), String>;
}

#[cfg(test)]
mod tests;
