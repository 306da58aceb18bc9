//! What a problem may offer besides its rules.

use super::improver::Improver;
use super::rules::{Moves, Problem};

/// What a problem offers besides its rules.
pub trait Offers: Problem {
    /// The code under which a learned prior counts a legal move of `state` (learned-prior-2024,
    /// section 3): the policy's code, unless the problem has a more general one.
    fn prior_code(&self, _state: &Self::State, _mv: Self::Move, code: Self::Code) -> u64 {
        code.into()
    }

    /// The local search that makes a finished sequence better, if there is one.
    fn improver(&self) -> Option<Box<dyn Improver<Self>>> {
        None
    }

    /// What scores the leaves of a batch together, if this one wants that.
    fn batches(&self) -> Option<&dyn Batches<Self>> {
        None
    }

    /// Whether polish may change single decisions of a finished sequence: the later ones stay as far
    /// as they are still legal, known by their codes, and the policy makes those that are missing.
    fn decides(&self) -> bool {
        false
    }
}

/// A state, and its legal moves with their codes.
pub struct Listed<'a, P: Problem + ?Sized> {
    /// The state.
    pub state: &'a P::State,
    /// The moves, as they were listed last.
    pub moves: &'a [P::Move],
    /// The code of each.
    pub codes: &'a [P::Code],
}

/// What is asked for a whole batch of playouts at a time. After a failure, answers may be too short.
pub trait Batches<P: Problem + ?Sized>: Send + Sync {
    /// The scores of terminal states, in their order. It may use so many threads.
    fn scores(&self, states: &[P::State], threads: usize) -> Vec<f64>;

    /// Whether the biases are asked for a batch at a time too. Then [`Problem::bias`] is
    /// [`Bias::PerMove`](super::Bias::PerMove).
    fn has_biases(&self) -> bool;

    /// Pushes the legal moves of `state` without their biases, which [`Batches::biases`] gives.
    fn unbiased_moves(&self, state: &mut P::State, out: &mut Moves<'_, P>);

    /// The biases of all moves of each of these states, one after the other.
    fn biases(&self, listed: &[Listed<'_, P>]) -> Vec<f64>;

    /// Whether it has failed beside the problem itself; see [`Problem::failed`].
    fn broken(&self) -> bool {
        false
    }
}
