//! What comes after a sequence that folds right, if the target should be more likely in its ensemble:
//! changes that keep the fold.
//!
//! ```text
//! until the ensemble is as wished for, or `patience` changes in turn were no better:
//!   another move at a place, drawn uniformly
//!   keep it if the sequence folds right, misses no wish for its bases, and its ensemble is no worse
//! ```
//!
//! Most changes of one place keep the fold, and the core folds in a fraction of the time that an
//! ensemble takes. So nothing else is needed. Each change that is folded is a playout.

use nestor_engine::improve::Step;

use super::{Design, Folder, Rna};

impl Design {
    /// Goes on with the sequence, which folds right.
    pub(super) fn begin_improving(&mut self, score: f64) {
        self.at.part = Some(self.shape.parts.len());
        (self.at.score, self.at.vain) = (score, 0);
    }

    /// Tries a change of one place.
    pub(super) fn improve<F: Folder>(&mut self, problem: &Rna<F>, patience: u64) -> Step {
        let place = self.at.random.below(problem.places.len());
        let moves = &problem.places[place].moves;
        let mv = moves[self.at.random.below(moves.len())];
        self.before.clear();
        self.set(problem, place as u16, mv);
        self.at.vain += 1;
        let mut played = false;
        if !self.before.is_empty() && problem.wishes.missed(&self.at.sequence) == 0 {
            let Some((score, _)) = problem.judge(&self.at.sequence, &mut Vec::new()) else {
                return Step::Failed;
            };
            played = true;
            if score > self.at.score {
                self.at.vain = 0;
            }
            if score >= self.at.score {
                self.at.score = score;
                self.before.clear();
            }
        }
        self.undo();
        self.folded.clone_from(&self.at.sequence);
        let over = self.at.score == 1.0 || self.at.vain >= patience;
        if played || over { Step::Played { score: self.at.score, over } } else { Step::Working }
    }
}
