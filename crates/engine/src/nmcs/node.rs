//! Places in the tree, and the children to search below them.

use crate::biased::Biased;
use crate::kernels;
use crate::policy::{Policy, Scratch};
use crate::problem::{Bias, Moves, Problem};
use crate::random::{Key, Random};

/// The place of a level: `path`, and what follows from it.
pub(super) struct Node<P: Problem> {
    /// The moves from the root of the tree.
    pub(super) path: Vec<P::Move>,
    /// The state after the first `played` moves; any state if that is 0.
    pub(super) state: P::State,
    played: usize,
    /// Its legal moves; empty until they are needed.
    pub(super) moves: Vec<P::Move>,
    /// The indices of the moves to search, in order.
    pub(super) children: Vec<u32>,
    /// Whether the game is known to be over here.
    pub(super) over: bool,
}

/// What is needed to find children.
pub(super) struct Looking<P: Problem> {
    pub(super) policy: Policy<P::Code>,
    samples: Option<usize>,
    per_move_bias: bool,
    codes: Vec<P::Code>,
    biases: Vec<f64>,
    factors: Vec<f64>,
    scratch: Scratch,
}

impl<P: Problem> Node<P> {
    pub(super) fn new(problem: &Biased<P>) -> Self {
        Self::at(problem, Vec::new(), false)
    }

    /// The node that these moves lead to.
    pub(super) fn at(problem: &Biased<P>, path: Vec<P::Move>, over: bool) -> Self {
        let state = problem.initial();
        Node { path, state, played: 0, moves: Vec::new(), children: Vec::new(), over }
    }

    /// Moves to the root.
    pub(super) fn begin(&mut self) {
        self.path.clear();
        self.played = 0;
        self.moves.clear();
        self.over = false;
    }

    /// Moves to the child of another node.
    pub(super) fn begin_below(&mut self, problem: &Biased<P>, parent: &Node<P>, mv: P::Move) {
        self.path.clone_from(&parent.path);
        self.path.push(mv);
        self.state.clone_from(&parent.state);
        problem.play(&mut self.state, mv);
        self.played = self.path.len();
        self.moves.clear();
        self.over = false;
    }

    /// Moves to the next node of a game that goes through another node; its move is played later.
    pub(super) fn begin_on(&mut self, parent: &Node<P>, game: &[P::Move]) {
        self.path.clone_from(&parent.path);
        self.path.extend(game.get(parent.path.len()));
        self.over = self.path.len() == game.len();
        self.state.clone_from(&parent.state);
        self.played = parent.played;
        self.moves.clear();
    }

    /// Makes the node find its state again after a failure.
    pub(super) fn forget(&mut self) {
        self.played = 0;
        self.moves.clear();
    }

    /// Plays the moves of the path that are not played yet, and lists the children.
    pub(super) fn look(&mut self, problem: &Biased<P>, looking: &mut Looking<P>, key: Key) {
        if self.played == 0 {
            problem.reset(&mut self.state);
        }
        loop {
            looking.list(problem, &mut self.state, &mut self.moves);
            let Some(&mv) = self.path.get(self.played) else { break };
            problem.play(&mut self.state, mv);
            self.played += 1;
        }
        looking.choose(key, &mut self.children);
    }
}

impl<P: Problem> Looking<P> {
    pub(super) fn new(problem: &Biased<P>, samples: Option<usize>) -> Self {
        let (codes, biases, factors, scratch) = Default::default();
        let (policy, per_move_bias) = (Policy::new(problem), problem.bias() == Bias::PerMove);
        Looking { policy, samples, per_move_bias, codes, biases, factors, scratch }
    }

    fn list(&mut self, problem: &Biased<P>, state: &mut P::State, moves: &mut Vec<P::Move>) {
        moves.clear();
        self.codes.clear();
        self.biases.clear();
        let mut out = Moves::new(moves, &mut self.codes, &mut self.biases);
        out.coded = !self.policy.is_empty();
        problem.moves(state, &mut out);
    }

    /// Chooses the children to search among the listed moves.
    fn choose(&mut self, key: Key, children: &mut Vec<u32>) {
        let Some(samples) = self.samples else {
            self.policy.allowed(&self.codes, &self.biases, &mut self.scratch, children);
            return;
        };
        children.clear();
        if self.codes.is_empty() {
            return;
        }
        self.factors.clear();
        if self.per_move_bias {
            kernels::exp_all(&self.biases, &mut self.factors);
        }
        let mut random = Random::new(key.child(samples as u64));
        for _ in 0..samples {
            let (codes, u) = (&self.codes, random.uniform());
            let drawn = self.policy.draw(codes, &self.biases, &self.factors, u, &mut self.scratch);
            children.push(drawn as u32);
        }
    }
}

/// Whether a move can be played: one from outside may be among those that the rules leave out.
fn playable<P: Problem>(
    problem: &Biased<P>,
    state: &P::State,
    listed: &[P::Move],
    mv: P::Move,
) -> bool {
    listed.contains(&mv) || !listed.is_empty() && problem.unlisted(state, mv) == Some(mv)
}

/// Plays moves that come from a file. Returns whether the game is over after them.
///
/// # Errors
///
/// If one of them is not legal.
pub(super) fn follow<P: Problem>(problem: &Biased<P>, path: &[P::Move]) -> Result<bool, String> {
    let mut state = problem.initial();
    problem.reset(&mut state);
    let (mut moves, mut codes, mut biases) = (Vec::new(), Vec::new(), Vec::new());
    let mut path = path.iter();
    loop {
        moves.clear();
        problem.moves(&mut state, &mut Moves::new(&mut moves, &mut codes, &mut biases));
        match path.next() {
            None => return Ok(moves.is_empty()),
            Some(&mv) if playable(problem, &state, &moves, mv) => problem.play(&mut state, mv),
            Some(_) => return Err("a sequence has a move that is not legal".into()),
        }
    }
}
