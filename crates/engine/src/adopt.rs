//! Sequences from outside that a search takes over into its top level.
//!
//! A sequence arrives between two playouts, and counts as one. The search takes it over when its top
//! level next stands between two children: before the next one begins, at once if none is under way
//! (with a width, when all the children that share a policy are done). What that means is up to the
//! algorithm:
//!
//! - NRPA: if it is as good as the best sequence of the top level it becomes that, and the policy
//!   adapts to it as often as was asked. If the children of the top level have policies of their
//!   own, each of them does so.
//! - Beam NRPA: it is a new entry of the top beam, from the policy of the best entry, which adapts to
//!   it as often as was asked. The best entries stay.
//! - NMCS: if it goes through a node of the top level, it is a game found there. There is no policy.
//! - Sampling: nothing, as it has no level.
//!
//! With polish, it also enters the pool of local optima if level 2 is the top level.
//!
//! A restart begins blank: it knows nothing of sequences taken over before, nor does it take one that
//! still waits. The meter keeps the best of all.

use serde::{Deserialize, Serialize};

use crate::biased::Biased;
use crate::playout::Playouts;
use crate::policy::Policy;
use crate::problem::Problem;
use crate::sequence::Sequence;

/// A sequence that waits until the top level stands between two children.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Adopted<M> {
    pub(crate) score: f64,
    pub(crate) moves: Vec<M>,
    /// How often the policy adapts to it.
    pub(crate) strength: u64,
}

impl<M: Copy + PartialEq> Adopted<M> {
    /// A complete sequence of a problem, and its score that is reported, by the rules.
    ///
    /// # Errors
    ///
    /// If a move is not legal, if the game goes on after the last one, or if the problem fails.
    pub(crate) fn new<P: Problem<Move = M>>(
        problem: &Biased<P>,
        moves: Vec<M>,
        strength: u64,
    ) -> Result<(Self, f64), String> {
        let (policy, mut sequence) = (Policy::new(problem), Sequence::default());
        let score = Playouts::new(problem).follow(problem, &policy, &moves, &mut sequence)?;
        Ok((Adopted { score, moves, strength }, sequence.reported))
    }
}
