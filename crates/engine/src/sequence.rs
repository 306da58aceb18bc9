//! What a playout leaves behind: enough to adapt a policy without running the rules again.

use crate::problem::Problem;

/// One decision of a sequence: its legal moves end at `end` in the sequence's arrays (they begin
/// where those of the step before end) and `chosen` is the index among them of the move played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// End of the step's legal moves.
    pub end: u32,
    /// Index of the chosen move among them.
    pub chosen: u32,
}

/// A sequence of moves with, for each step, the codes and biases of all its legal moves
/// (gnrpa-2020, section 5.1).
pub struct Sequence<P: Problem> {
    /// Codes of the legal moves, step after step.
    pub codes: Vec<P::Code>,
    /// Their biases; empty unless the problem's biases are per move.
    pub biases: Vec<f64>,
    /// exp(bias) of each; empty like `biases`.
    pub factors: Vec<f64>,
    /// The steps.
    pub steps: Vec<Step>,
    /// The moves played.
    pub moves: Vec<P::Move>,
    /// The slots of `codes` in the policy, and each distinct one once: filled by
    /// [`crate::policy::Policy::prepare`] and right while the policy's generation is `prepared`.
    pub(crate) slots: Vec<u32>,
    pub(crate) touched: Vec<u32>,
    pub(crate) prepared: u64,
}

impl<P: Problem> Default for Sequence<P> {
    fn default() -> Self {
        Sequence {
            codes: Vec::new(),
            biases: Vec::new(),
            factors: Vec::new(),
            steps: Vec::new(),
            moves: Vec::new(),
            slots: Vec::new(),
            touched: Vec::new(),
            prepared: 0,
        }
    }
}

impl<P: Problem> Sequence<P> {
    /// Empties the sequence, keeping its memory.
    pub fn clear(&mut self) {
        self.codes.clear();
        self.biases.clear();
        self.factors.clear();
        self.steps.clear();
        self.moves.clear();
        self.prepared = 0;
    }
}
