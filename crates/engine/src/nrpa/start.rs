//! Starts the search that the settings of NRPA describe.

use super::Nrpa;
use super::leaf_parallel::LeafParallel;
use super::level_parallel::LevelParallel;
use super::settings::{Settings, parallel_level};
use crate::biased::Biased;
use crate::borrower::Borrowers;
use crate::policy::Policy;
use crate::problem::{Offers, Problem};
use crate::random::Key;
use crate::search::{Recursion, Run, Search};
use crate::sequence::Sequence;

/// Starts a search that runs as the child of a level outside it.
///
/// # Errors
///
/// If policies are not shared, or a setting is out of range.
pub(crate) fn start_child<P: Offers + 'static>(
    problem: &Biased<P>,
    settings: &Settings,
    lends: Borrowers<P>,
    key: Key,
) -> Result<Box<Search<P, dyn Child<P>>>, String> {
    if settings.is_local() || settings.bias_learning.is_some() || settings.levels.is_empty() {
        return Err("not levels with shared policies".into());
    }
    start(problem, settings, lends, key)
}

/// Starts a search, whose results of level 1 are lent if there are borrowers.
///
/// # Errors
///
/// If a setting is out of range.
pub(crate) fn start<P: Offers + 'static>(
    problem: &Biased<P>,
    settings: &Settings,
    lends: Borrowers<P>,
    key: Key,
) -> Result<Box<Search<P, dyn Child<P>>>, String> {
    let levels = settings.levels()?;
    if lends().is_some() && (settings.is_local() || levels.len() < 2) {
        return Err("results are lent only with shared policies and level 2".into());
    }
    Ok(match parallel_level(&levels) {
        None => {
            let nrpa = Nrpa::new(problem, &levels, key).lending(lends(), 1);
            Box::new(Search::new(nrpa, key))
        }
        Some(0) if !settings.is_local() => {
            Box::new(Search::new(LeafParallel::new(problem, &levels, lends(), key), key))
        }
        Some(index) => {
            let recursion = LevelParallel::new(problem, settings, (&levels, index), lends, key);
            Box::new(Search::new(recursion, key))
        }
    })
}

/// A recursion of at least one level, which can begin from a policy of the caller.
pub trait Child<P: Problem>: Recursion<P> {
    /// The highest levels.
    fn top(&mut self) -> &mut Nrpa<P>;

    /// Begins the search that a level with this policy runs as its child with this key.
    fn begin(&mut self, policy: &Policy<P::Code>, key: Key, run: &mut Run<P::Move>) {
        self.top().begin_child(policy, key, run);
    }
}

impl<P: Problem> Child<P> for Nrpa<P> {
    fn top(&mut self) -> &mut Nrpa<P> {
        self
    }
}

impl<P: Offers> Child<P> for LeafParallel<P> {
    fn top(&mut self) -> &mut Nrpa<P> {
        &mut self.nrpa
    }
}

impl<P: Problem> Child<P> for LevelParallel<P> {
    fn top(&mut self) -> &mut Nrpa<P> {
        &mut self.upper
    }

    fn begin(&mut self, policy: &Policy<P::Code>, key: Key, run: &mut Run<P::Move>) {
        self.begin_child(policy, key, run);
    }
}

impl<P: Problem, R: Child<P> + ?Sized> Search<P, R> {
    /// Begins the search that a level with this policy runs as its child with this key. Advance it
    /// without restarts.
    pub fn begin(&mut self, policy: &Policy<P::Code>, key: Key) {
        self.recursion.begin(policy, key, &mut self.run);
    }

    /// What a finished search returns: the last sequence with the best score.
    pub fn take_best(&mut self) -> (f64, Sequence<P>) {
        let top = self.recursion.top();
        (top.result, std::mem::take(&mut top.new))
    }
}
