//! What the polishes of one search of level 2 have found.

use serde::{Deserialize, Serialize};

/// The last local optima and the best one, as orders of items.
///
/// Children that share a policy run side by side. What they find comes in when all are done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pool {
    /// The oldest first.
    pub(super) optima: Vec<Vec<u32>>,
    pub(super) best: Vec<u32>,
    best_score: f64,
    /// Those that are to come in, with their scores.
    pub(super) waiting: Vec<(f64, Vec<u32>)>,
}

impl Pool {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Pool::default();
    }

    /// Takes what has been found by another pool.
    pub(crate) fn take(&mut self, other: &mut Pool) {
        self.waiting.append(&mut other.waiting);
    }

    /// All orders.
    pub(super) fn orders(&self) -> impl Iterator<Item = &[u32]> {
        let waiting = self.waiting.iter().map(|(_, order)| order);
        self.optima.iter().chain([&self.best]).chain(waiting).map(Vec::as_slice)
    }

    /// Lets in what waits; the pool keeps so many optima.
    pub(crate) fn let_in(&mut self, size: usize) {
        for (score, order) in self.waiting.drain(..) {
            if self.best.is_empty() || score >= self.best_score {
                self.best_score = score;
                self.best.clone_from(&order);
            }
            self.optima.push(order);
        }
        let old = self.optima.len().saturating_sub(size);
        self.optima.drain(..old);
    }
}
