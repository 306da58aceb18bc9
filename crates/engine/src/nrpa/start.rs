//! Starts the search that the settings of NRPA describe.

use super::Nrpa;
use super::leaf_parallel::LeafParallel;
use super::level_parallel::LevelParallel;
use super::settings::{Policies, Settings, parallel_level};
use crate::policy::Policy;
use crate::problem::Problem;
use crate::random::Key;
use crate::search::{Driver, Search};
use crate::sequence::Sequence;

/// Starts a search.
///
/// # Errors
///
/// If a setting is out of range.
pub fn start<'a, P: Problem + 'a>(
    problem: &P,
    settings: &Settings,
    key: Key,
) -> Result<Box<dyn Search<P> + 'a>, String> {
    Ok(any(problem, settings, key)?)
}

/// Starts a search that runs as the child of a level outside it.
///
/// # Errors
///
/// If policies are not shared, or a setting is out of range.
pub fn start_child<'a, P: Problem + 'a>(
    problem: &P,
    settings: &Settings,
    key: Key,
) -> Result<Box<dyn Child<P> + 'a>, String> {
    let shared = settings.policies == Policies::Shared && settings.bias_learning.is_none();
    if !shared || settings.levels.is_empty() {
        return Err("not levels with shared policies".into());
    }
    any(problem, settings, key)
}

fn any<'a, P: Problem + 'a>(
    problem: &P,
    settings: &Settings,
    key: Key,
) -> Result<Box<dyn Child<P> + 'a>, String> {
    let levels = settings.levels()?;
    Ok(match (parallel_level(&levels), settings.policies) {
        (None, _) => Box::new(Driver::new(Nrpa::new(problem, &levels, key), key)),
        (Some(0), Policies::Shared) => {
            Box::new(Driver::new(LeafParallel::new(problem, &levels, key), key))
        }
        (Some(index), _) => {
            let recursion = LevelParallel::new(problem, settings, &levels, index, key);
            Box::new(Driver::new(recursion, key))
        }
    })
}

/// A nested search of at least one level, which runs from a policy of the caller.
pub trait Child<P: Problem>: Search<P> {
    /// Begins the search that a level with this policy runs as its child with this key. Advance it
    /// without restarts.
    fn begin(&mut self, policy: &Policy<P::Code>, key: Key);

    /// What a finished search returns: the last sequence with the best score.
    fn take_best(&mut self) -> (f64, Sequence<P>);
}

impl<P: Problem> Child<P> for Driver<P, Nrpa<P>> {
    fn begin(&mut self, policy: &Policy<P::Code>, key: Key) {
        self.recursion.begin_child(policy, key, &mut self.run);
    }

    fn take_best(&mut self) -> (f64, Sequence<P>) {
        (self.run.meter.score, std::mem::take(&mut self.recursion.new))
    }
}

impl<P: Problem> Child<P> for Driver<P, LeafParallel<P>> {
    fn begin(&mut self, policy: &Policy<P::Code>, key: Key) {
        self.recursion.nrpa.begin_child(policy, key, &mut self.run);
    }

    fn take_best(&mut self) -> (f64, Sequence<P>) {
        (self.run.meter.score, std::mem::take(&mut self.recursion.nrpa.new))
    }
}

impl<P: Problem> Child<P> for Driver<P, LevelParallel<P>> {
    fn begin(&mut self, policy: &Policy<P::Code>, key: Key) {
        self.recursion.begin_child(policy, key, &mut self.run);
    }

    fn take_best(&mut self) -> (f64, Sequence<P>) {
        (self.run.meter.score, std::mem::take(&mut self.recursion.upper.new))
    }
}
