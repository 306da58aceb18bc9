//! Starts the search that the settings of NRPA describe.

use super::Nrpa;
use super::leaf_parallel::LeafParallel;
use super::level_parallel::LevelParallel;
use super::settings::{LevelSettings, Policies, Settings, widest};
use crate::policy::Policy;
use crate::problem::Problem;
use crate::random::Key;
use crate::search::{Driver, Recursion, Run, Search};
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
    let levels = settings.levels()?;
    Ok(match (settings.policies, widest(&levels)) {
        (Policies::Local, Some(wide)) => {
            let recursion = LevelParallel::new(problem, settings, &levels, wide, key);
            Box::new(Driver::new(recursion, key))
        }
        _ => shared(problem, settings, &levels, key),
    })
}

/// Starts a search that runs as the child of a level outside it: see [`Child`].
///
/// # Errors
///
/// If policies are not shared, or a setting is out of range.
pub fn start_child<'a, P: Problem + 'a>(
    problem: &P,
    settings: &Settings,
    key: Key,
) -> Result<Box<dyn Child<P> + 'a>, String> {
    let is_shared = settings.policies == Policies::Shared && settings.bias_learning.is_none();
    if !is_shared || settings.levels.is_empty() {
        return Err("not levels with shared policies".into());
    }
    Ok(shared(problem, settings, &settings.levels()?, key))
}

/// A search with shared policies.
fn shared<'a, P: Problem + 'a>(
    problem: &P,
    settings: &Settings,
    levels: &[LevelSettings],
    key: Key,
) -> Box<dyn Child<P> + 'a> {
    match widest(levels) {
        None => Box::new(Driver::new(Nrpa::new(problem, levels, key), key)),
        Some(0) => Box::new(Driver::new(LeafParallel::new(problem, levels, key), key)),
        Some(wide) => {
            let recursion = LevelParallel::new(problem, settings, levels, wide, key);
            Box::new(Driver::new(recursion, key))
        }
    }
}

/// A nested search of at least one level, which runs from a policy of the caller.
pub trait Child<P: Problem>: Search<P> {
    /// Begins the search that a level with this policy runs as its child with this key. Advance it
    /// without restarts.
    fn begin(&mut self, policy: &Policy<P::Code>, key: Key);

    /// What a finished search returns: the last sequence with the best score.
    fn take_best(&mut self) -> (f64, Sequence<P>);
}

/// A recursion that can be such a child.
trait Begin<P: Problem>: Recursion<P> {
    fn begin(&mut self, policy: &Policy<P::Code>, key: Key, run: &mut Run<P::Move>);

    /// Its upper levels.
    fn upper(&mut self) -> &mut Nrpa<P>;
}

impl<P: Problem, R: Begin<P>> Child<P> for Driver<P, R> {
    fn begin(&mut self, policy: &Policy<P::Code>, key: Key) {
        self.recursion.begin(policy, key, &mut self.run);
    }

    fn take_best(&mut self) -> (f64, Sequence<P>) {
        (self.run.meter.score, std::mem::take(&mut self.recursion.upper().new))
    }
}

impl<P: Problem> Begin<P> for Nrpa<P> {
    fn begin(&mut self, policy: &Policy<P::Code>, key: Key, run: &mut Run<P::Move>) {
        self.begin_child(policy, key, run);
    }

    fn upper(&mut self) -> &mut Nrpa<P> {
        self
    }
}

impl<P: Problem> Begin<P> for LeafParallel<P> {
    fn begin(&mut self, policy: &Policy<P::Code>, key: Key, run: &mut Run<P::Move>) {
        self.nrpa.begin_child(policy, key, run);
    }

    fn upper(&mut self) -> &mut Nrpa<P> {
        &mut self.nrpa
    }
}

impl<P: Problem> Begin<P> for LevelParallel<P> {
    fn begin(&mut self, policy: &Policy<P::Code>, key: Key, run: &mut Run<P::Move>) {
        self.begin_child(policy, key, run);
    }

    fn upper(&mut self) -> &mut Nrpa<P> {
        &mut self.upper
    }
}
