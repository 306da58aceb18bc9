//! Nested searches at some place of a larger one, for algorithms written around them.

use super::*;

impl<P: Problem> Nested<P> {
    /// Begins the search that a level with this policy runs as its child with this key. It has one
    /// level at least, and is to be advanced without restarts.
    pub fn begin_below(&mut self, policy: &Policy<P::Code>, key: Key) {
        self.policy.copy(policy);
        self.begin_child(key);
    }

    /// What a search that is finished returns: the last sequence of the best score.
    pub fn take_best(&mut self) -> (f64, Sequence<P>) {
        (self.meter.score, std::mem::take(&mut self.current))
    }
}
