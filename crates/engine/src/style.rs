//! Playouts that deviate from their policy: they begin with given moves, play some moves at random,
//! or with another temperature.

use crate::biased::Biased;
use crate::playout::Playouts;
use crate::policy::Policy;
use crate::problem::Problem;
use crate::random::{Key, Random};
use crate::sequence::Sequence;

/// How a playout deviates. A list has a value for each step; its last one is for all later steps.
#[derive(Clone, Debug)]
pub struct Style<M> {
    /// The moves that it begins with.
    pub after: Vec<M>,
    /// The probability that a move is drawn with no regard to the policy; 0 if there is none.
    pub epsilon: Vec<f64>,
    /// By what w + beta is divided, positive; 1 if there is none.
    pub temperature: Vec<f64>,
}

impl<M> Default for Style<M> {
    fn default() -> Self {
        Style { after: Vec::new(), epsilon: Vec::new(), temperature: Vec::new() }
    }
}

impl<M> Style<M> {
    /// Whether playouts are those of the policy.
    pub fn is_plain(&self) -> bool {
        self.after.is_empty() && self.epsilon.is_empty() && self.temperature.is_empty()
    }
}

/// The value for a step.
fn at(values: &[f64], step: usize, otherwise: f64) -> f64 {
    values.get(step).or(values.last()).copied().unwrap_or(otherwise)
}

impl<P: Problem> Playouts<P> {
    /// Plays from the root to a leaf and returns its score. At a step with a choice and an epsilon
    /// above 0, the first number says whether the policy chooses; the next one draws the move, from
    /// those that are not forbidden if it does not.
    ///
    /// # Errors
    ///
    /// If one of the first moves is not legal.
    pub fn run_styled(
        &mut self,
        problem: &Biased<P>,
        policy: &Policy<P::Code>,
        key: Key,
        style: &Style<P::Move>,
        sequence: &mut Sequence<P>,
    ) -> Result<f64, String> {
        let mut random = self.begin(key);
        problem.reset(&mut self.state);
        sequence.clear();
        for (number, mv) in (1..).zip(&style.after) {
            self.list(problem, policy, sequence);
            let chosen = self.moves.iter().position(|legal| legal == mv);
            let chosen = chosen.ok_or_else(|| format!("move {number} is not legal"))?;
            self.choose(problem, chosen, sequence);
        }
        loop {
            let (start, step) = (sequence.codes.len(), sequence.steps.len());
            self.list(problem, policy, sequence);
            let chosen = match self.moves.len() {
                0 => break,
                1 => 0,
                _ => self.deviate(policy, &mut random, style, (start, step), sequence),
            };
            self.choose(problem, chosen, sequence);
        }
        Ok(self.finish(problem, sequence))
    }

    /// Draws one of the moves listed last; their codes begin at `start`.
    #[inline]
    fn deviate(
        &mut self,
        policy: &Policy<P::Code>,
        random: &mut Random,
        style: &Style<P::Move>,
        (start, step): (usize, usize),
        sequence: &Sequence<P>,
    ) -> usize {
        let epsilon = at(&style.epsilon, step, 0.0);
        let (codes, biases) =
            (&sequence.codes[start..], sequence.biases.get(start..).unwrap_or_default());
        if epsilon > 0.0 && random.uniform() < epsilon {
            if !policy.has_biases() && biases.is_empty() {
                return random.below(codes.len());
            }
            policy.allowed(codes, biases, &mut self.scratch, &mut self.other.allowed);
            return self.other.allowed[random.below(self.other.allowed.len())] as usize;
        }
        let temperature = at(&style.temperature, step, 1.0);
        if temperature == 1.0 {
            return self.draw(policy, random.uniform(), start, sequence);
        }
        policy.draw_at(codes, biases, temperature, random.uniform(), &mut self.scratch)
    }
}
