//! Places in the tree, and what there is to search below them.

use serde::Serialize;

use crate::kernels;
use crate::policy::{Policy, Scratch};
use crate::problem::{Bias, Moves, Problem};
use crate::random::{Key, Random};
use crate::saved::Writer;

/// Where a level has come to: `path`, and what follows from it.
pub(super) struct Node<P: Problem> {
    /// The moves from the root of the tree.
    pub(super) path: Vec<P::Move>,
    /// The state after the first `played` of them; with 0, any state.
    pub(super) state: P::State,
    played: usize,
    /// Its legal moves; empty until they are looked for.
    pub(super) moves: Vec<P::Move>,
    /// The indices of those to search, in order.
    pub(super) children: Vec<u32>,
}

/// What looking for children needs.
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
    pub(super) fn new(problem: &P) -> Self {
        let state = problem.initial();
        Node { path: Vec::new(), state, played: 0, moves: Vec::new(), children: Vec::new() }
    }

    /// Moves to the root.
    pub(super) fn begin(&mut self) {
        self.path.clear();
        self.played = 0;
        self.moves.clear();
    }

    /// Moves to the child of another node.
    pub(super) fn begin_below(&mut self, problem: &P, parent: &Node<P>, mv: P::Move) {
        self.path.clone_from(&parent.path);
        self.path.push(mv);
        self.state.clone_from(&parent.state);
        problem.play(&mut self.state, mv);
        self.played = self.path.len();
        self.moves.clear();
    }

    /// Has the node find its state again, after a failure.
    pub(super) fn forget(&mut self) {
        self.played = 0;
        self.moves.clear();
    }

    /// Plays the moves of the path that are not played yet and lists the children.
    pub(super) fn look(&mut self, problem: &P, looking: &mut Looking<P>, key: Key) {
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
    pub(super) fn new(problem: &P, samples: Option<usize>) -> Self {
        Looking {
            policy: Policy::new(problem),
            samples,
            per_move_bias: problem.bias() == Bias::PerMove,
            codes: Vec::new(),
            biases: Vec::new(),
            factors: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    fn list(&mut self, problem: &P, state: &mut P::State, moves: &mut Vec<P::Move>) {
        moves.clear();
        self.codes.clear();
        self.biases.clear();
        problem
            .moves(state, &mut Moves { moves, codes: &mut self.codes, biases: &mut self.biases });
    }

    /// Chooses the children to search among the moves just listed.
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

/// Moves as they are saved, to compare.
pub(super) fn bytes<M: Serialize>(moves: &[M]) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.put(moves);
    writer.0
}

/// Whether moves that come from a file are legal one after the other.
pub(super) fn legal<P: Problem>(problem: &P, moves: &[P::Move]) -> bool {
    let mut state = problem.initial();
    problem.reset(&mut state);
    let (mut legal, mut codes, mut biases) = (Vec::new(), Vec::new(), Vec::new());
    moves.iter().all(|&mv| {
        legal.clear();
        problem.moves(&mut state, &mut Moves::new(&mut legal, &mut codes, &mut biases));
        let found = legal.iter().any(|&other| bytes(&[other]) == bytes(&[mv]));
        if found {
            problem.play(&mut state, mv);
        }
        found
    })
}
