//! What the polishes of one search of level 2 have found.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The best local optimum, as words.
///
/// Children that share a policy run side by side. What they find comes in when all are done.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pool {
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

    /// Lets in what waits.
    pub(crate) fn let_in(&mut self) {
        for (score, words) in self.waiting.drain(..) {
            if self.best.is_empty() || score >= self.best_score {
                (self.best_score, self.best) = (score, words);
            }
        }
    }
}

/// Files have the last local optima first, which nothing needs.
type Saved = (Vec<Vec<u32>>, Vec<u32>, f64, Vec<(f64, Vec<u32>)>);

impl Serialize for Pool {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let none: &[Vec<u32>] = &[];
        (none, &self.best, self.best_score, &self.waiting).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Pool {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (_, best, best_score, waiting) = Saved::deserialize(deserializer)?;
        Ok(Pool { best, best_score, waiting })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_keeps_the_last_best_optimum() {
        let waiting = vec![(1.0, vec![1]), (3.0, vec![2]), (3.0, vec![3]), (2.0, vec![4])];
        let mut pool = Pool { waiting, ..Pool::default() };
        pool.let_in();
        assert_eq!(pool.best, vec![3]);
        let saved = postcard::to_stdvec(&pool).unwrap();
        assert_eq!(postcard::from_bytes::<Pool>(&saved).unwrap(), pool);
    }
}
