//! What a playout leaves behind: enough to adapt a policy without running the rules again.

use serde::{Deserialize, Serialize};

use crate::biased::Biased;
use crate::code::{Code, Slots};
use crate::kernels;
use crate::problem::{Bias, Problem};

/// One decision of a sequence. Its legal moves begin in the sequence's arrays where those of the
/// step before end, and they end at `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// End of the step's legal moves.
    pub end: u32,
    /// Index among them of the move played.
    pub chosen: u32,
}

/// A sequence of moves with, for each step, the codes and biases of all its legal moves
/// (gnrpa-2020, section 5.1).
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Sequence<P: Problem> {
    /// Codes of the legal moves, step after step.
    pub codes: Vec<P::Code>,
    /// Their biases; empty unless the problem's biases are per move.
    pub biases: Vec<f64>,
    /// exp(bias) of each; empty like `biases`.
    #[serde(skip)]
    pub factors: Vec<f64>,
    /// The betas that the biases are sums of, if their weights are learned; empty otherwise. Each
    /// step has a column for each bias, one after the other, with the betas of its moves.
    pub(crate) features: Vec<f64>,
    /// The steps.
    pub steps: Vec<Step>,
    /// The moves played.
    pub moves: Vec<P::Move>,
    /// The score that is reported, while the sequence is new (see [`Problem::shaped`]).
    #[serde(skip, default = "unknown")]
    pub reported: f64,
    /// The slots of `codes` in the policy, and each distinct slot once.
    /// [`crate::policy::Policy::prepare`] fills them, and they are right while the generation of
    /// the policy is `prepared`.
    #[serde(skip)]
    pub(crate) slots: Vec<u32>,
    #[serde(skip)]
    pub(crate) touched: Vec<u32>,
    #[serde(skip)]
    pub(crate) prepared: u64,
}

/// The score of a sequence that has none, or has it in a file no more: it never counts as new.
fn unknown() -> f64 {
    f64::NEG_INFINITY
}

impl<P: Problem> Default for Sequence<P> {
    fn default() -> Self {
        Sequence {
            codes: Vec::new(),
            biases: Vec::new(),
            factors: Vec::new(),
            features: Vec::new(),
            steps: Vec::new(),
            moves: Vec::new(),
            reported: unknown(),
            slots: Vec::new(),
            touched: Vec::new(),
            prepared: 0,
        }
    }
}

impl<P: Problem> Sequence<P> {
    /// Empties the sequence and keeps its memory.
    pub fn clear(&mut self) {
        self.codes.clear();
        self.biases.clear();
        self.factors.clear();
        self.features.clear();
        self.steps.clear();
        self.moves.clear();
        self.prepared = 0;
    }

    /// The numbers of its moves among the legal ones.
    pub(crate) fn chosen(&self) -> Vec<u32> {
        self.steps.iter().map(|step| step.chosen).collect()
    }

    /// Becomes a copy of another sequence and keeps its own memory.
    pub(crate) fn copy(&mut self, other: &Self) {
        self.codes.clone_from(&other.codes);
        self.biases.clone_from(&other.biases);
        self.factors.clone_from(&other.factors);
        self.features.clone_from(&other.features);
        self.steps.clone_from(&other.steps);
        self.moves.clone_from(&other.moves);
        self.reported = other.reported;
        self.prepared = 0;
    }

    /// Leaves the step that begins at `start`, with `biases` learned biases, only its first move,
    /// without bias.
    pub(crate) fn keep_first(&mut self, start: usize, biases: usize) {
        self.codes.truncate(start + 1);
        if !self.biases.is_empty() {
            self.biases.truncate(start);
            self.factors.truncate(start);
            self.biases.push(0.0);
            self.factors.push(1.0);
        }
        self.features.truncate(start * biases);
        self.features.resize((start + 1) * biases, 0.0);
    }

    /// Drops the listed moves from number `start` on, with `biases` learned biases.
    pub(crate) fn truncate(&mut self, start: usize, biases: usize) {
        self.codes.truncate(start);
        self.biases.truncate(start);
        self.factors.truncate(start);
        self.features.truncate(start * biases);
    }

    /// Keeps the first steps, and goes on with those of another sequence.
    pub(crate) fn replace_end(&mut self, steps: usize, end: &Self) {
        let biases = self.features.len() / self.codes.len().max(1);
        let start = steps.checked_sub(1).map_or(0, |last| self.steps[last].end);
        self.truncate(start as usize, biases);
        self.codes.extend_from_slice(&end.codes);
        self.biases.extend_from_slice(&end.biases);
        self.factors.extend_from_slice(&end.factors);
        self.features.extend_from_slice(&end.features);
        self.steps.truncate(steps);
        self.steps.extend(end.steps.iter().map(|step| Step { end: step.end + start, ..*step }));
        self.moves.truncate(steps);
        self.moves.extend_from_slice(&end.moves);
        self.prepared = 0;
    }

    /// Takes the steps and moves of another sequence, and nothing else that is of use.
    pub(crate) fn copy_choices(&mut self, other: &Self) {
        self.clear();
        self.steps.extend_from_slice(&other.steps);
        self.moves.extend_from_slice(&other.moves);
    }

    /// Becomes a copy of the first steps of another sequence, which has no features.
    pub(crate) fn copy_steps(&mut self, other: &Self, steps: usize) {
        self.clear();
        let moves = steps.checked_sub(1).map_or(0, |last| other.steps[last].end as usize);
        self.codes.extend_from_slice(&other.codes[..moves]);
        self.biases.extend_from_slice(&other.biases[..moves.min(other.biases.len())]);
        self.factors.extend_from_slice(&other.factors[..moves.min(other.factors.len())]);
        self.steps.extend_from_slice(&other.steps[..steps]);
        self.moves.extend_from_slice(&other.moves[..steps]);
        self.reported = other.reported;
    }

    /// Checks a sequence that comes from a file, and works out again what is not saved.
    pub(crate) fn restore(&mut self, problem: &Biased<P>) -> Result<(), String> {
        let mut start = 0;
        for step in &self.steps {
            if step.end <= start || step.chosen >= step.end - start {
                return Err("a step of a sequence has no such move".into());
            }
            start = step.end;
        }
        let (biased, learned) = match problem.bias() {
            Bias::None | Bias::PerCode(_) => (0, 0),
            Bias::PerMove => (self.codes.len(), 0),
            Bias::Learned(weights) => (self.codes.len(), weights.len() * self.codes.len()),
        };
        let legal = self.codes.len() == start as usize
            && self.biases.len() == biased
            && self.features.len() == learned
            && self.moves.len() == self.steps.len();
        if !legal {
            return Err("the parts of a sequence differ in length".into());
        }
        check_codes(problem, self.codes.iter().copied())?;
        kernels::exp_all(&self.biases, &mut self.factors);
        Ok(())
    }
}

/// Checks codes that come from a file.
pub(crate) fn check_codes<P: Problem>(
    problem: &Biased<P>,
    codes: impl IntoIterator<Item = P::Code>,
) -> Result<(), String> {
    let count = <P::Code as Code>::Slots::new(problem.code_count());
    let beyond = |code: &P::Code| !count.grows() && (*code).into() >= count.count() as u64;
    let wrong = codes.into_iter().find(beyond);
    wrong.map_or(Ok(()), |code| Err(format!("the problem has no code {code:?}")))
}
