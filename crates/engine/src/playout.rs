//! One playout, the level 0 of every nested search.

use crate::kernels;
use crate::policy::{Policy, Scratch};
use crate::problem::{Moves, Problem};
use crate::random::{Key, Random};
use crate::sequence::{Sequence, Step};

/// What playouts of one problem reuse.
pub struct Playouts<P: Problem> {
    state: P::State,
    moves: Vec<P::Move>,
    per_move_bias: bool,
    scratch: Scratch,
}

impl<P: Problem> Playouts<P> {
    /// Makes the state that playouts reuse.
    pub fn new(problem: &P) -> Self {
        Playouts {
            state: problem.initial(),
            moves: Vec::new(),
            per_move_bias: problem.bias() == crate::problem::Bias::PerMove,
            scratch: Scratch::default(),
        }
    }

    /// Plays from the root to a leaf and returns its score (gnrpa-2020, algorithm 4): each move is
    /// drawn with probability proportional to exp(w\[code\]/tau + beta). A forced move draws no
    /// random number.
    pub fn run(
        &mut self,
        problem: &P,
        policy: &Policy<P::Code>,
        key: Key,
        sequence: &mut Sequence<P>,
    ) -> f64 {
        problem.reset(&mut self.state);
        sequence.clear();
        self.finish(problem, policy, key, sequence)
    }

    /// The same from the state after `path` and one more `move`. The sequence gets all moves, but
    /// only the steps that were played here.
    pub(crate) fn run_from(
        &mut self,
        problem: &P,
        policy: &Policy<P::Code>,
        key: Key,
        (state, path): (&P::State, &[P::Move]),
        mv: P::Move,
        sequence: &mut Sequence<P>,
    ) -> f64 {
        self.state.clone_from(state);
        problem.play(&mut self.state, mv);
        sequence.clear();
        sequence.moves.extend_from_slice(path);
        sequence.moves.push(mv);
        self.finish(problem, policy, key, sequence)
    }

    /// Plays on to a leaf and returns its score.
    #[inline]
    fn finish(
        &mut self,
        problem: &P,
        policy: &Policy<P::Code>,
        key: Key,
        sequence: &mut Sequence<P>,
    ) -> f64 {
        let mut random = Random::new(key);
        loop {
            let start = sequence.codes.len();
            self.moves.clear();
            problem.moves(
                &mut self.state,
                &mut Moves {
                    moves: &mut self.moves,
                    codes: &mut sequence.codes,
                    biases: &mut sequence.biases,
                },
            );
            if self.per_move_bias {
                kernels::exp_all(&sequence.biases[start..], &mut sequence.factors);
            }
            let chosen = match self.moves.len() {
                0 => break,
                1 => 0,
                _ => policy.draw(
                    &sequence.codes[start..],
                    sequence.biases.get(start..).unwrap_or_default(),
                    sequence.factors.get(start..).unwrap_or_default(),
                    random.uniform(),
                    &mut self.scratch,
                ),
            };
            let mv = self.moves[chosen];
            sequence.steps.push(Step { end: sequence.codes.len() as u32, chosen: chosen as u32 });
            sequence.moves.push(mv);
            problem.play(&mut self.state, mv);
        }
        problem.score(&self.state)
    }

    /// Adapts the policy towards a sequence: see [`Policy::adapt`].
    pub fn adapt(&mut self, policy: &mut Policy<P::Code>, sequence: &mut Sequence<P>, rate: f64) {
        policy.adapt(sequence, rate, &mut self.scratch);
    }
}
