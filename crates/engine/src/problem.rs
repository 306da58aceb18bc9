//! The contract between the engine and a combinatorial problem.

use std::ops::Range;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::code::Code;
use crate::random::{Key, Random};
use crate::state::{Reader, Writer};

/// A combinatorial problem: a tree of states whose leaves have a score.
///
/// The engine maximises. Nested search works well (nrpa-2011, section 2.4) if the moves of one
/// state have different codes, if a chosen code does not come back later in the sequence, and if
/// moves with the same code have similar value.
pub trait Problem: Send + Sync {
    /// A place in the tree.
    type State: Clone + Send + Sync;
    /// A decision.
    type Move: Copy + PartialEq + Send + Sync + Serialize + DeserializeOwned + 'static;
    /// The key of a move in the policy: `u32`, an index below [`Problem::code_count`], if codes are
    /// few and dense; `u64`, a hash, otherwise.
    type Code: Code;

    /// Whether the problem has its own playout policy: [`Problem::choose`].
    const CHOOSES: bool = false;
    /// Whether known moves may be played without listing the moves of each state again. Then
    /// [`Problem::play`] needs nothing that [`Problem::moves`] leaves in a state.
    const REPLAYS: bool = true;

    /// The number of codes of a dense code space (`Code = u32`). Ignored for hashed codes.
    fn code_count(&self) -> usize {
        0
    }

    /// Where the biases (beta) of moves come from.
    fn bias(&self) -> Bias {
        Bias::None
    }

    /// The root of the tree.
    fn initial(&self) -> Self::State;

    /// Sets `state` back to the root. Override it to reuse the memory of `state`.
    fn reset(&self, state: &mut Self::State) {
        *state = self.initial();
    }

    /// Pushes the legal moves of `state`, always in the same order; none if and only if `state` is
    /// terminal. The state is mutable for scratch space and caches only.
    fn moves(&self, state: &mut Self::State, out: &mut Moves<'_, Self>);

    /// Pushes only the biases of the moves that [`Problem::moves`] has just pushed for `state`:
    /// those of `out` from number `first` on, in order. Called only with [`Bias::PerMove`].
    /// Override it if that is less work than to list the moves again.
    fn push_biases(&self, state: &mut Self::State, out: &mut Moves<'_, Self>, _first: usize) {
        let (moves, codes) = (out.moves.len(), out.codes.len());
        self.moves(state, out);
        out.moves.truncate(moves);
        out.codes.truncate(codes);
    }

    /// Plays a legal move.
    fn play(&self, state: &mut Self::State, mv: Self::Move);

    /// The score of a terminal state: higher is better, and never NaN.
    fn score(&self, state: &Self::State) -> f64;

    /// What steers a search in place of the score of a terminal state, which remains what is
    /// reported: the best game is kept by its score. Higher is better, and never NaN.
    #[inline(always)]
    fn shaped(&self, _state: &Self::State, score: f64) -> f64 {
        score
    }

    /// The code under which a learned prior counts a legal move of `state` (learned-prior-2024,
    /// section 3): the policy's code, unless the problem has a more general one.
    fn prior_code(&self, _state: &Self::State, _mv: Self::Move, code: Self::Code) -> u64 {
        code.into()
    }

    /// The next move of a playout with the problem's own policy, drawn with nothing but `random`;
    /// `None` if and only if `state` is terminal. Called only if [`Problem::CHOOSES`].
    fn choose(&self, _state: &mut Self::State, _random: &mut Random) -> Option<Self::Move> {
        None
    }

    /// What polish may change in a finished sequence, and how a changed one is evaluated.
    fn change(&self) -> Change<Self> {
        Change::None
    }

    /// The item of a legal move of `state`: what the move is wherever it is played, the same number
    /// at any place of a sequence. The numbers are small. Called only with [`Change::Order`], and for
    /// sequences from outside.
    fn item(&self, _state: &Self::State, _mv: Self::Move) -> u32 {
        0
    }

    /// The move of an item that may be played in `state` although it is not among the legal moves,
    /// if that is so: polish and sequences from outside may have it.
    fn unlisted(&self, _state: &Self::State, _item: u32) -> Option<Self::Move> {
        None
    }

    /// The items that may well follow an item, or begin a sequence, the best first; nothing if they
    /// are to be those that the policy favours.
    fn neighbours(&self, _after: Option<u32>) -> Option<Vec<u32>> {
        None
    }

    /// The local search that makes a finished sequence better, if there is one; see [`crate::ruin`].
    fn improver(&self) -> Option<Box<dyn Repairs<Self>>> {
        None
    }

    /// How the problem finds out why a sequence fails and mends it, if it can; see
    /// [`crate::counterexamples`].
    fn repairs(&self) -> Option<Box<dyn Repairs<Self>>> {
        None
    }

    /// Called if the problem has failed in a light replay of these items.
    fn blame(&self, _order: &[u32]) {}

    /// True once a callback of a problem in another language has failed. The engine then drops the
    /// current playout and stops.
    fn failed(&self) -> bool {
        false
    }
}

/// What polish may change in a finished sequence.
pub enum Change<P: Problem + ?Sized> {
    /// Nothing.
    None,
    /// The order of its moves: any permutation of them can be played.
    Order(Box<dyn Orders<P>>),
    /// Single decisions: the later ones stay as far as they are still legal, known by their codes,
    /// and the policy makes those that are missing.
    Decisions,
}

/// What steers polish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Steer {
    /// The guide of the problem.
    Guide,
    /// The score.
    Score,
}

/// Evaluates orders of the items of a sequence.
pub trait Orders<P: Problem>: Send + Sync {
    /// Replays an order, which becomes the present one.
    fn begin(&mut self, problem: &P, order: &[u32]);

    /// What steers, at an order that differs from the present one at the places of a window; minus
    /// infinity if it is seen on the way to be less than `floor`. The window may have more items than
    /// the present order has there, but then the order is not accepted.
    fn evaluate(
        &mut self,
        problem: &P,
        order: &[u32],
        window: Range<usize>,
        by: Steer,
        floor: f64,
    ) -> f64;

    /// The order that was evaluated last becomes the present one. Twice, and nothing has changed.
    fn accept(&mut self);

    /// What steers, at the present order.
    fn value(&mut self, problem: &P, by: Steer) -> f64;

    /// The score of the present order.
    fn score(&mut self, problem: &P) -> f64 {
        self.value(problem, Steer::Score)
    }

    /// Puts the moves of the present order into `moves`.
    fn moves(&self, problem: &P, order: &[u32], moves: &mut Vec<P::Move>);

    /// Whether these can be the items of a sequence: an order that comes from a file.
    fn fits(&self, problem: &P, order: &[u32]) -> bool;

    /// Whether an evaluation costs so little that the time is not looked at after each.
    fn quick(&self) -> bool;
}

/// What a step came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// There is more to do before the next sequence is complete.
    Working,
    /// A sequence was evaluated.
    Played {
        /// Its score.
        score: f64,
        /// Whether the search from this start is over.
        over: bool,
    },
    /// The problem failed.
    Failed,
}

/// How a problem mends sequences that fail.
pub trait Repairs<P: Problem + ?Sized>: Send + Sync {
    /// Draws a sequence anew. Counterexamples stay.
    fn begin(&mut self, problem: &P, key: Key);

    /// Goes on from a complete sequence from outside.
    fn adopt(&mut self, problem: &P, moves: &[P::Move]);

    /// Does a part of the work, which takes some milliseconds or an evaluation.
    fn step(&mut self, problem: &P, patience: u64) -> Step;

    /// Puts the moves of the sequence evaluated last into `moves`.
    fn moves(&self, problem: &P, moves: &mut Vec<P::Move>);

    /// Steps done and to do. Those of most repairs are the evaluations in turn without a better
    /// sequence, and the patience.
    fn progress(&self, patience: u64) -> (u64, u64);

    /// Whether a step costs so little that the time is not looked at after each.
    fn quick(&self) -> bool {
        false
    }

    /// Appends the state.
    fn write(&self, writer: &mut Writer);

    /// Takes the state that `write` appended.
    ///
    /// # Errors
    ///
    /// If it is wrong.
    fn read(&mut self, problem: &P, reader: &mut Reader) -> Result<(), String>;
}

/// Where the bias (beta, gnrpa-2020 section 4) of a move comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Bias {
    /// No bias: beta is 0 for every move.
    None,
    /// One beta per code of a dense code space; moves are pushed without bias.
    PerCode(Vec<f64>),
    /// Every move is pushed with its beta ([`Moves::push_biased`]).
    PerMove,
    /// Several biases, each with a weight that is learned along with the policy. Here are the first
    /// weights, one for each bias, all finite. When moves are listed, the beta of every move by the
    /// first bias is pushed, then the beta of every move by the second, and so on. The bias of a
    /// move is the sum of its betas, each multiplied by the weight of its bias.
    Learned(Vec<f64>),
}

/// Receives the legal moves of one state.
pub struct Moves<'a, P: Problem + ?Sized> {
    pub(crate) moves: &'a mut Vec<P::Move>,
    pub(crate) codes: &'a mut Vec<P::Code>,
    pub(crate) biases: &'a mut Vec<f64>,
    /// Where exp of the biases goes, if it is wanted.
    pub(crate) factors: Option<&'a mut Vec<f64>>,
}

impl<'a, P: Problem + ?Sized> Moves<'a, P> {
    /// Collects moves at the end of the given vectors.
    pub fn new(
        moves: &'a mut Vec<P::Move>,
        codes: &'a mut Vec<P::Code>,
        biases: &'a mut Vec<f64>,
    ) -> Self {
        Self { moves, codes, biases, factors: None }
    }

    /// Pushes a move and its code.
    #[inline(always)]
    pub fn push(&mut self, mv: P::Move, code: P::Code) {
        self.moves.push(mv);
        self.codes.push(code);
    }

    /// Pushes a move, its code and its bias (only when [`Problem::bias`] is [`Bias::PerMove`]).
    /// The bias is finite, or minus infinity for a forbidden move.
    #[inline(always)]
    pub fn push_biased(&mut self, mv: P::Move, code: P::Code, beta: f64) {
        self.push(mv, code);
        self.biases.push(beta);
    }

    /// What moves, codes and biases are pushed to, for code that writes many at once.
    #[inline(always)]
    pub fn vectors(&mut self) -> (&mut Vec<P::Move>, &mut Vec<P::Code>, &mut Vec<f64>) {
        (self.moves, self.codes, self.biases)
    }

    /// The number of moves pushed so far.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.moves.len()
    }

    /// Pushes the biases of the moves from number `first` on (see [`Problem::push_biases`]).
    #[inline(always)]
    pub fn push_biases(&mut self, first: usize, bias: impl FnMut(P::Move) -> f64) {
        self.biases.extend(self.moves[first..].iter().copied().map(bias));
    }

    /// Pushes many moves at once, each with its code.
    #[inline(always)]
    pub fn extend(
        &mut self,
        moves: impl Iterator<Item = P::Move>,
        codes: impl Iterator<Item = P::Code>,
    ) {
        self.moves.extend(moves);
        self.codes.extend(codes);
    }

    /// The same with biases (only when [`Problem::bias`] is [`Bias::PerMove`]). Each comes with its
    /// exp ([`crate::math::exp`]), which the engine then need not work out.
    #[inline(always)]
    pub fn extend_biased(
        &mut self,
        moves: impl Iterator<Item = P::Move>,
        codes: impl Iterator<Item = P::Code>,
        biases: impl Iterator<Item = (f64, f64)> + Clone,
    ) {
        self.extend(moves, codes);
        self.biases.extend(biases.clone().map(|(beta, _)| beta));
        if let Some(factors) = &mut self.factors {
            factors.extend(biases.map(|(_, factor)| factor));
        }
    }
}
