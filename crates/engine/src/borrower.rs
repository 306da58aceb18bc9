//! The hook of nested search: a result of level 1 is lent before level 2 takes it, and taken back.
//!
//! What becomes of it meanwhile is up to the borrower; nested search has nothing to do with it but
//! for [`Pool`], which the children of level 2 share.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::biased::Biased;
use crate::meter::Limits;
use crate::playout::Playouts;
use crate::policy::Policy;
use crate::problem::Problem;
use crate::random::Key;
use crate::search::Run;
use crate::sequence::Sequence;
use crate::state::{Reader, Writer};

/// The policy, and memory to play with.
pub(crate) type At<'a, P> = (&'a Policy<<P as Problem>::Code>, &'a mut Playouts<P>);

/// Makes a borrower; nothing if no result is lent.
pub(crate) type Borrowers<'a, P> = &'a dyn Fn() -> Option<Box<dyn Borrower<P>>>;

/// Borrows results of level 1, one at a time, and gives them back, better.
///
/// The recursion that has level 1 has one. If the children of level 2 run side by side, each of them
/// has one, and so has level 2.
pub(crate) trait Borrower<P: Problem>: Send + Sync {
    /// Lends it a sequence, with a key of its own.
    fn lend(&mut self, key: Key, moves: &[P::Move]);

    /// Whether it has a sequence that is not taken back.
    fn holds(&self) -> bool;

    /// Goes on with what it holds, to a limit or to its end. Then the sequence to take back is in
    /// `new`, and its score is returned. `level` is the highest level that has adapted.
    fn work(
        &mut self,
        problem: &Biased<P>,
        at: At<P>,
        run: &mut Run<P::Move>,
        limits: &Limits,
        level: u32,
        new: &mut Sequence<P>,
    ) -> Option<f64>;

    /// Drops what it holds, and what level 2 does not have yet.
    fn cancel(&mut self);

    /// What it knows of one search of level 2.
    fn pool(&mut self) -> &mut Pool;

    /// Appends the state.
    fn write(&self, writer: &mut Writer);

    /// Takes the state that `write` appended.
    ///
    /// # Errors
    ///
    /// If it is wrong.
    fn read(&mut self, problem: &Biased<P>, reader: &mut Reader) -> Result<(), String>;
}

/// The best sequence that one search of level 2 has taken back, as the numbers of its moves among the
/// legal ones.
///
/// Children that share a policy run side by side. What they find comes in when all are done.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pool {
    pub(crate) best: Vec<u32>,
    best_score: f64,
    /// Those that are to come in, with their scores.
    pub(crate) waiting: Vec<(f64, Vec<u32>)>,
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

    /// Lets in a sequence from outside, between two children of level 2.
    pub(crate) fn adopt<P: Problem>(&mut self, score: f64, sequence: &Sequence<P>) {
        self.waiting.push((score, sequence.chosen()));
        self.let_in();
    }

    /// Lets in what waits.
    pub(crate) fn let_in(&mut self) {
        for (score, chosen) in self.waiting.drain(..) {
            if self.best.is_empty() || score >= self.best_score {
                (self.best_score, self.best) = (score, chosen);
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
