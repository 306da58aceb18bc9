//! Playouts that share a policy and go in lockstep: the biases of all those that stand at the same
//! step are asked for in one call ([`Batches::biases`]).
//!
//! Each plays as it would alone, with its own key: only the order of the calls differs. So a bias
//! that depends on nothing but state and move gives the same bits as if it were asked for alone.

use crate::biased::Biased;
use crate::playout::Playouts;
use crate::policy::Policy;
use crate::problem::{Batches, Problem};
use crate::random::{Key, Random};
use crate::sequence::{Sequence, Step};

/// Memory that batches use again.
pub(crate) struct Lockstep<P: Problem> {
    lanes: Vec<Playouts<P>>,
}

impl<P: Problem> Default for Lockstep<P> {
    fn default() -> Self {
        Lockstep { lanes: Vec::new() }
    }
}

impl<P: Problem> Lockstep<P> {
    /// Plays from the root to a leaf with each of these keys. The composition of the batches of biases
    /// follows from the number of keys and the moves alone. A playout with exactly the steps `known`
    /// (see [`Playouts::run_unlike`]) is played again at the end, alone. Stops as soon as `ends`, or
    /// the problem fails; the sequences are then of no use, and it returns false.
    pub(crate) fn play(
        &mut self,
        problem: &Biased<P>,
        batches: &dyn Batches<P>,
        policy: &Policy<P::Code>,
        (keys, known): (&[Key], &[Step]),
        sequences: &mut [Sequence<P>],
        ends: impl Fn() -> bool,
    ) -> bool {
        self.lanes.resize_with(keys.len().max(self.lanes.len()), || Playouts::new(problem));
        let mut randoms: Vec<_> = keys.iter().map(|&key| Random::new(key)).collect();
        let mut going: Vec<_> = (0..keys.len()).collect();
        for (lane, sequence) in self.lanes.iter_mut().zip(&mut *sequences) {
            problem.reset(&mut lane.state);
            sequence.clear();
        }
        loop {
            going.retain(|&at| {
                self.lanes[at].list_unbiased(batches, &mut sequences[at]);
                !self.lanes[at].moves.is_empty()
            });
            if problem.failed() || ends() {
                return false;
            }
            if going.is_empty() {
                break;
            }
            let listed = going.iter().map(|&at| self.lanes[at].listed(&sequences[at]));
            let mut betas = batches.biases(&listed.collect::<Vec<_>>()).into_iter();
            if problem.failed() {
                return false;
            }
            for &at in &going {
                let (lane, sequence) = (&mut self.lanes[at], &mut sequences[at]);
                let start = lane.take_biases(&mut betas, sequence);
                let chosen = match lane.moves.len() {
                    1 => 0,
                    _ => lane.draw(policy, randoms[at].uniform(), start, sequence),
                };
                lane.choose(problem, chosen, sequence);
            }
        }
        let played = self.lanes.iter_mut().zip(sequences).zip(&mut randoms);
        for ((lane, sequence), random) in played {
            lane.play_unlike(problem, policy, random, known, sequence);
            if problem.failed() || ends() {
                return false;
            }
        }
        true
    }

    /// The states where the first playouts of the last batch ended.
    pub(crate) fn leaves(&self, count: usize) -> impl Iterator<Item = &P::State> {
        self.lanes[..count].iter().map(|lane| &lane.state)
    }
}
