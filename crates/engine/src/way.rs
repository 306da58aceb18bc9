//! States along a sequence, so that its middle can be reached without playing all that comes before.

use crate::problem::{Moves, Problem};

/// A sequence of moves, and states along it, which are kept when they are first met.
pub(crate) struct Way<P: Problem> {
    moves: Vec<P::Move>,
    /// One comes after each `stride` moves. The first `kept` of them belong to these moves.
    states: Vec<P::State>,
    kept: usize,
    stride: usize,
    /// Rules that cannot replay must list moves before one is played.
    listed: (Vec<P::Move>, Vec<P::Code>, Vec<f64>),
}

impl<P: Problem> Default for Way<P> {
    fn default() -> Self {
        let (moves, states, listed) = Default::default();
        Way { moves, states, kept: 0, stride: 1, listed }
    }
}

impl<P: Problem> Way<P> {
    /// Goes along these moves, with at most `most` states. States stay on the part of the way that
    /// is the same as before.
    pub(crate) fn take(&mut self, moves: &[P::Move], most: usize) {
        // The same for most sequences of a problem, so that states need not be made anew.
        let stride = moves.len().div_ceil(most).next_power_of_two();
        let pairs = self.moves.iter().zip(moves);
        let shared = pairs.take_while(|(old, new)| old == new).count();
        self.kept = if stride == self.stride { self.kept.min(shared / stride) } else { 0 };
        self.stride = stride;
        self.moves.clear();
        self.moves.extend_from_slice(moves);
    }

    /// Puts the state before this step into `state`.
    pub(crate) fn go_to(&mut self, problem: &P, step: usize, state: &mut P::State) {
        let nearest = (step / self.stride).min(self.kept);
        match nearest {
            0 => problem.reset(state),
            _ => state.clone_from(&self.states[nearest - 1]),
        }
        for number in nearest * self.stride..step {
            if !P::REPLAYS {
                let (moves, codes, biases) = &mut self.listed;
                moves.clear();
                problem.moves(state, &mut Moves::new(moves, codes, biases));
                codes.clear();
                biases.clear();
            }
            problem.play(state, self.moves[number]);
            if (number + 1).is_multiple_of(self.stride) && !problem.failed() {
                match self.states.get_mut(self.kept) {
                    Some(kept) => kept.clone_from(state),
                    None => self.states.push(state.clone()),
                }
                self.kept += 1;
            }
        }
    }
}
