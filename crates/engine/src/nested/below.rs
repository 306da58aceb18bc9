//! A nested search at some place of a larger one, for algorithms written around it.

use super::*;

impl<P: Problem> Nested<P> {
    /// The search that a level runs with this policy as its child with this key, where
    /// [`Nested::new`] begins with a blank policy. Advance it without restarts.
    pub fn below(
        problem: &P,
        settings: &[LevelSettings],
        policy: Policy<P::Code>,
        key: Key,
    ) -> Self {
        let mut search = Nested::new(problem, settings, key);
        search.policy = policy;
        if let Some(top) = settings.len().checked_sub(1) {
            search.levels[top].begin(key);
            search.descend(top);
        }
        search
    }

    /// What a finished search returns: the last sequence of the best score.
    pub fn into_best(self) -> (f64, Sequence<P>) {
        (self.meter.score, self.current)
    }
}
