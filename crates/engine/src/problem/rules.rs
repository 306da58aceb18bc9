//! The rules of a combinatorial problem.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::code::Code;
use crate::random::Random;

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

    /// Does a part of the work, such as a playout, inside what its calls would otherwise enter one by one.
    #[inline(always)]
    fn within<T>(work: impl FnOnce() -> T) -> T {
        work()
    }

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

    /// The next move of a playout with the problem's own policy, drawn with nothing but `random`;
    /// `None` if and only if `state` is terminal. Called only if [`Problem::CHOOSES`].
    fn choose(&self, _state: &mut Self::State, _random: &mut Random) -> Option<Self::Move> {
        None
    }

    /// The move to play for one that [`Problem::moves`] leaves out, if sequences from outside may have
    /// it all the same.
    fn unlisted(&self, _state: &Self::State, _mv: Self::Move) -> Option<Self::Move> {
        None
    }

    /// True once a callback of a problem in another language has failed. The engine then drops the
    /// current playout and stops.
    fn failed(&self) -> bool {
        false
    }
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
    /// Whether codes are read.
    pub(crate) coded: bool,
    /// Whether checks are wanted that cost too much to be made in each playout.
    pub(crate) thorough: bool,
}

impl<'a, P: Problem + ?Sized> Moves<'a, P> {
    /// Collects moves at the end of the given vectors.
    pub fn new(
        moves: &'a mut Vec<P::Move>,
        codes: &'a mut Vec<P::Code>,
        biases: &'a mut Vec<f64>,
    ) -> Self {
        Self { moves, codes, biases, factors: None, coded: true, thorough: true }
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

    /// Whether codes are read. If nothing is learned, a problem may push any in their place.
    #[inline(always)]
    pub fn is_coded(&self) -> bool {
        self.coded
    }

    /// Whether checks are wanted that cost too much to be made in each playout: in one of sixteen,
    /// chosen by its key, and wherever no playout is run.
    #[inline(always)]
    pub fn is_thorough(&self) -> bool {
        self.thorough
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
