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
    /// The first weight of the bias, where it is learned.
    weight: Option<f64>,
    /// beta by code, of a bias per code whose weight is learned; empty otherwise.
    per_code: Vec<f64>,
    /// Whether biases come from one of these tables.
    pushes: bool,
}

impl<P: Problem, D: Deref<Target = P>> WithPrior<D> {
    /// The problem with these betas, or its own bias if there are none.
    pub fn new(problem: D, betas: ByCode<f64>) -> Self {
        let pushes = !betas.is_empty();
        WithPrior { problem, betas, weight: None, per_code: Vec::new(), pushes }
    }

    /// The same, where the weight of the bias is learned and at first this one.
    ///
    /// # Errors
    ///
    /// If there is no bias.
    pub fn learning(mut self, weight: f64) -> Result<Self, String> {
        if self.betas.is_empty() {
            match self.problem.bias() {
                Bias::None => return Err("there is no bias to learn the weight of".into()),
                Bias::PerCode(betas) => (self.per_code, self.pushes) = (betas, true),
                Bias::PerMove | Bias::Learned(_) => {}
            }
        }
        self.weight = Some(weight);
        Ok(self)
    }

    /// Pushes the biases of moves that the problem does not push, out of the way of those it does.
    #[inline(never)]
    fn push_biases(
        &self,
        state: &P::State,
        moves: &[P::Move],
        codes: &[P::Code],
        biases: &mut Vec<f64>,
    ) {
        if self.betas.is_empty() {
            let code = |&code: &P::Code| -> u64 { code.into() };
            let beta = |code: u64| self.per_code.get(code as usize).copied().unwrap_or(0.0);
            biases.extend(codes.iter().map(code).map(beta));
        } else {
            biases.extend(moves.iter().zip(codes).map(|(&mv, &code)| {
                let code = self.problem.prior_code(state, mv, code);
                self.betas.get(&code).copied().unwrap_or(0.0)
            }));
        }
    }
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
        match self.weight {
            Some(weight) => Bias::Learned(weight),
            None if self.betas.is_empty() => self.problem.bias(),
            None => Bias::PerMove,
        }
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
        let (start, biases) = (out.codes.len(), out.biases.len());
        let (moves, codes) = (&mut *out.moves, &mut *out.codes);
        self.problem.moves(state, &mut Moves::new(moves, codes, out.biases));
        if self.pushes {
            out.biases.truncate(biases);
            self.push_biases(state, moves, &codes[start..], out.biases);
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
