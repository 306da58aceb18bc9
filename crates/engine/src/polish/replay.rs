//! Replays by the rules: what a policy needs to adapt to a polished sequence.

use super::candidates::Candidates;
use crate::playout::Playouts;
use crate::policy::Policy;
use crate::problem::Problem;
use crate::sequence::Sequence;

impl<P: Problem> Playouts<P> {
    /// The items of the moves of a sequence.
    pub(super) fn items(
        &mut self,
        problem: &P,
        policy: &Policy<P::Code>,
        moves: &[P::Move],
        sequence: &mut Sequence<P>,
    ) -> Vec<u32> {
        self.reset(problem, sequence);
        let mut items = Vec::with_capacity(moves.len());
        for &mv in moves {
            self.list(problem, policy, sequence);
            let item = problem.item(&self.state, mv);
            let listed = self.moves.iter().position(|&listed| listed == mv);
            let chosen = listed.or_else(|| self.unlisted(problem, policy, item, sequence));
            // A problem in another language may fail here.
            let Some(chosen) = chosen else { break };
            items.push(item);
            self.choose(problem, chosen, sequence);
        }
        items
    }

    /// Plays the moves of items in their order and returns the score. A step that the rules do not
    /// offer gets no gradient: it has one move. `candidates` get what the rules offer.
    pub(super) fn replay(
        &mut self,
        problem: &P,
        policy: &Policy<P::Code>,
        order: &[u32],
        mut candidates: Option<&mut Candidates>,
        sequence: &mut Sequence<P>,
    ) -> f64 {
        self.reset(problem, sequence);
        let (mut after, mut logs) = (None, Vec::new());
        for &item in order {
            let start = sequence.codes.len();
            self.list(problem, policy, sequence);
            let items = self.moves.iter().map(|&mv| problem.item(&self.state, mv));
            if let Some(candidates) = &mut candidates {
                if let Some(items) = problem.neighbours(after) {
                    candidates.add_offered(after, items.into_iter().map(|item| (0.0, item)));
                } else {
                    let biases = sequence.biases.get(start..).unwrap_or_default();
                    policy.logs(&sequence.codes[start..], biases, &mut self.scratch, &mut logs);
                    candidates.add_offered(after, logs.iter().copied().zip(items.clone()));
                }
            }
            let listed = items.clone().position(|listed| listed == item);
            let chosen = listed.or_else(|| self.unlisted(problem, policy, item, sequence));
            // A problem in another language may fail here.
            let Some(chosen) = chosen else { break };
            self.choose(problem, chosen, sequence);
            after = Some(item);
        }
        problem.score(&self.state)
    }

    /// Makes a step one whose only move is that of an item that the rules do not offer.
    pub(crate) fn unlisted(
        &mut self,
        problem: &P,
        policy: &Policy<P::Code>,
        item: u32,
        sequence: &mut Sequence<P>,
    ) -> Option<usize> {
        let mv = problem.unlisted(&self.state, item)?;
        let start = sequence.codes.len() - self.moves.len();
        *self.moves.first_mut()? = mv;
        sequence.keep_first(start, policy.bias_weights.len());
        Some(0)
    }

    fn reset(&mut self, problem: &P, sequence: &mut Sequence<P>) {
        problem.reset(&mut self.state);
        sequence.clear();
    }
}
