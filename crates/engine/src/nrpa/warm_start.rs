//! Warm start: a level does not adapt before it has a result of good relative rank, by a rule of
//! optimal stopping (Dang et al., AAAI 2023).

use serde::{Deserialize, Serialize};

/// The results of a level until it begins to adapt.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct WarmUp {
    ended: bool,
    /// Scores, the best first.
    scores: Vec<f64>,
}

impl WarmUp {
    pub(super) fn begin(&mut self) {
        self.ended = false;
        self.scores.clear();
    }

    /// Whether the level adapts.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    /// Takes the result of iteration `i` of `n`, counted from 1. The first result with a relative
    /// rank R <= i c / (n + 1 - i) ends the warm start. R is one more than the number of better
    /// results before it.
    pub(super) fn take(&mut self, score: f64, (i, n): (u64, u64), c: f64) {
        if self.ended {
            return;
        }
        let better = self.scores.partition_point(|&before| before > score);
        self.scores.insert(better, score);
        self.ended = (better + 1) as f64 <= i as f64 * c / (n + 1).saturating_sub(i) as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The iteration that ends the warm-up, of results in this order.
    fn end(scores: &[f64], c: f64) -> Option<usize> {
        let mut warm_up = WarmUp::default();
        let iterations = scores.len() as u64;
        (1..=scores.len()).find(|&i| {
            warm_up.take(scores[i - 1], (i as u64, iterations), c);
            warm_up.ended()
        })
    }

    #[test]
    fn a_good_rank_ends_it_sooner() {
        let falling: Vec<f64> = (0..100).map(|i| -f64::from(i)).collect();
        let rising: Vec<f64> = (0..100).map(f64::from).collect();
        // Rank 1 is good enough once 2.3 i >= 101 - i, rank i once 2.3 >= 101 - i.
        assert_eq!(end(&rising, 2.3), Some(31));
        assert_eq!(end(&falling, 2.3), Some(99));
        // A tie ranks with the best of those it ties with.
        assert_eq!(end(&[5.0; 100], 2.3), Some(31));
        assert_eq!(end(&[5.0; 100], 100.0), Some(1));
    }
}
