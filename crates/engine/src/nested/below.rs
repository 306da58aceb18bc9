//! Nested searches at some place of a larger one, for algorithms written around them.

use super::wide::{Policies, Wide, widest};
use super::*;

/// A nested search of one level at least, to run below a policy.
pub trait Below<P: Problem>: Search<P> {
    /// Begins the search that a level with this policy runs as its child with this key. It is to be
    /// advanced without restarts.
    fn begin_below(&mut self, policy: &Policy<P::Code>, key: Key);

    /// What a search that is finished returns: the last sequence of the best score.
    fn take_best(&mut self) -> (f64, Sequence<P>);
}

/// A search with these levels, whose policies are shared.
pub fn levels<P: Problem + 'static>(
    problem: &P,
    settings: &[LevelSettings],
    root: Key,
) -> Box<dyn Below<P>> {
    match widest(settings) {
        None | Some(0) => Box::new(Nested::new(problem, settings, root)),
        Some(wide) => Box::new(Wide::new(problem, settings, wide, Policies::Shared, root)),
    }
}

impl<P: Problem> Below<P> for Nested<P> {
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
