//! Nrpa searches at some place of a larger one, for algorithms written around them.

use super::settings::widest;
use super::wide::Wide;
use super::*;

/// A nested search of one level at least, to run below a policy.
pub trait Below<P: Problem>: Search<P> {
    /// Begins the search that a level with this policy runs as its child with this key. It is to be
    /// advanced without restarts.
    fn begin_below(&mut self, policy: &Policy<P::Code>, key: Key);

    /// What a search that is finished returns: the last sequence of the best score.
    fn take_best(&mut self) -> (f64, Sequence<P>);
}

/// Starts a search with these settings.
///
/// # Errors
///
/// If they are not of levels with shared policies, or a setting is out of range.
pub fn start<P: Problem + 'static>(
    problem: &P,
    settings: &Settings,
    key: Key,
) -> Result<Box<dyn Below<P>>, String> {
    let shared = settings.policies == Policies::Shared && settings.bias_learning.is_none();
    if !shared || settings.levels.is_empty() {
        return Err("not levels with shared policies".into());
    }
    Ok(levels(problem, settings, &settings.levels()?, key))
}

/// A search whose policies are shared.
pub(super) fn levels<P: Problem + 'static>(
    problem: &P,
    settings: &Settings,
    levels: &[LevelSettings],
    root: Key,
) -> Box<dyn Below<P>> {
    match widest(levels) {
        None | Some(0) => Box::new(Nrpa::new(problem, levels, root)),
        Some(wide) => Box::new(Wide::new(problem, settings, levels, wide, root)),
    }
}

impl<P: Problem> Below<P> for Nrpa<P> {
    fn begin_below(&mut self, policy: &Policy<P::Code>, key: Key) {
        self.policy.copy(policy);
        self.meter = Meter::new();
        self.restarts = 0;
        let top = self.levels.len() - 1;
        self.levels[top].begin(key);
        self.descend(top);
    }

    fn take_best(&mut self) -> (f64, Sequence<P>) {
        (self.meter.score, std::mem::take(&mut self.current))
    }
}
