//! Priors learned from solved problems (learned-prior-2024).

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Deref;

use crate::code::Multiply;
use crate::problem::{Bias, Moves, Problem};
use crate::random::Random;

/// A table by prior code.
pub type ByCode<T> = HashMap<u64, T, BuildHasherDefault<Multiply>>;

/// How often a code was the solution's move, and how often it was a legal one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Times it was the move of the solution.
    pub count: u64,
    /// Times it was legal.
    pub nb: u64,
}

/// Replay (learned-prior-2024, algorithm 4): follows a solution through the problem and counts, at
/// every state, the code of each legal move and that of the solution's.
///
/// # Errors
///
/// The number of the first move that is not legal.
pub fn replay<P: Problem>(
    problem: &P,
    solution: impl IntoIterator<Item = P::Move>,
    counts: &mut ByCode<Counts>,
) -> Result<(), usize> {
    let mut state = problem.initial();
    problem.reset(&mut state);
    let (mut moves, mut codes, mut biases) = (Vec::new(), Vec::new(), Vec::new());
    for (number, solving) in solution.into_iter().enumerate() {
        moves.clear();
        codes.clear();
        biases.clear();
        problem.moves(&mut state, &mut Moves::new(&mut moves, &mut codes, &mut biases));
        if !moves.contains(&solving) {
            return Err(number);
        }
        for (&mv, &code) in moves.iter().zip(&codes) {
            let entry = counts.entry(problem.prior_code(&state, mv, code)).or_default();
            entry.nb += 1;
            entry.count += u64::from(mv == solving);
        }
        problem.play(&mut state, solving);
    }
    Ok(())
}

/// A problem whose moves are biased by a prior: beta of a move is that of its prior code, 0 for a
/// code the prior has not met.
pub struct WithPrior<D> {
    /// A pointer to the problem.
    pub problem: D,
    /// beta by prior code; empty for the problem's own bias.
    pub betas: ByCode<f64>,
}

impl<P: Problem, D: Deref<Target = P> + Send + Sync> Problem for WithPrior<D> {
    type State = P::State;
    type Move = P::Move;
    type Code = P::Code;

    const CHOOSES: bool = P::CHOOSES;

    fn code_count(&self) -> usize {
        self.problem.code_count()
    }

    fn bias(&self) -> Bias {
        if self.betas.is_empty() { self.problem.bias() } else { Bias::PerMove }
    }

    fn initial(&self) -> P::State {
        self.problem.initial()
    }

    #[inline(always)]
    fn reset(&self, state: &mut P::State) {
        self.problem.reset(state);
    }

    #[inline(always)]
    fn moves(&self, state: &mut P::State, out: &mut Moves<'_, Self>) {
        let start = out.codes.len();
        let biases = out.biases.len();
        let (moves, codes) = (&mut *out.moves, &mut *out.codes);
        self.problem.moves(state, &mut Moves::new(moves, codes, out.biases));
        if !self.betas.is_empty() {
            out.biases.truncate(biases);
            out.biases.extend(moves.iter().zip(&codes[start..]).map(|(&mv, &code)| {
                let code = self.problem.prior_code(state, mv, code);
                self.betas.get(&code).copied().unwrap_or(0.0)
            }));
        }
    }

    #[inline(always)]
    fn play(&self, state: &mut P::State, mv: P::Move) {
        self.problem.play(state, mv);
    }

    #[inline(always)]
    fn score(&self, state: &P::State) -> f64 {
        self.problem.score(state)
    }

    fn prior_code(&self, state: &P::State, mv: P::Move, code: P::Code) -> u64 {
        self.problem.prior_code(state, mv, code)
    }

    fn choose(&self, state: &mut P::State, random: &mut Random) -> Option<P::Move> {
        self.problem.choose(state, random)
    }

    fn failed(&self) -> bool {
        self.problem.failed()
    }
}
