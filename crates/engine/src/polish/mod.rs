//! Polish: local search over the decisions of finished sequences.
//!
//! Nested search learns a policy well and finishes its sequences badly: the best one of a level is
//! seldom a local optimum. Polish changes one decision, again and again, and keeps what is not worse
//! (`decisions.rs`). The problem says whether it may ([`crate::problem::Problem::change`]).
//!
//! A nested search polishes the result of every search of level 1 before level 2 takes it
//! (`memetic.rs`). Its policy then adapts to local optima.

use serde::Deserialize;

use crate::playout::Playouts;
use crate::policy::Policy;
use crate::problem::Problem;
pub use orders::{Light, Replays};

mod decisions;
pub(crate) mod memetic;
mod orders;
pub(crate) mod pool;

/// The settings of polish, by the names that Python gives them.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// T: polish ends after 100 T tries without a gain.
    pub tries: u64,
    /// The share of polishes that begin with the best sequence of level 2, changed at random.
    pub kick: f64,
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

#[cfg(test)]
mod tests;
