//! Where the time of a level-1 search goes: the rules, sampling and adapt.

use std::time::{Duration, Instant};

use nestor_engine::biased::Biased;
use nestor_engine::playout::Playouts;
use nestor_engine::policy::Policy;
use nestor_engine::problem::{Moves, Problem};
use nestor_engine::random::Key;
use nestor_engine::sequence::Sequence;
use pyo3::prelude::*;

/// Where the time went.
#[derive(IntoPyObject)]
pub struct Timing {
    /// Seconds of playouts.
    playouts: f64,
    /// Seconds for the same moves, played again with nothing but the rules.
    rules: f64,
    /// Seconds of adapt.
    adapt: f64,
    /// Steps of all playouts.
    steps: u64,
    /// Legal moves of all steps.
    legal: u64,
}

/// Runs level-1 searches of this many iterations until this many playouts are done.
pub fn measure<P: Problem>(
    problem: &Biased<P>,
    iterations: u64,
    rate: f64,
    playouts: u64,
) -> Timing {
    let mut runner = Playouts::new(problem);
    let mut policy = Policy::new(problem);
    let (mut new, mut best) = (Sequence::default(), Sequence::default());
    let mut best_score = f64::NEG_INFINITY;
    let mut spent = [Duration::ZERO; 3];
    let (mut steps, mut legal) = (0, 0);
    let mut replayer = Replayer::new(&**problem);
    for index in 0..playouts {
        if index % iterations == 0 {
            policy = Policy::new(problem);
            best_score = f64::NEG_INFINITY;
        }
        let start = Instant::now();
        let score = runner.run(problem, &policy, Key::root(0, index), &mut new);
        let played = Instant::now();
        replayer.run(problem, &new);
        let replayed = Instant::now();
        steps += new.steps.len() as u64;
        legal += new.codes.len() as u64;
        if score >= best_score {
            best_score = score;
            std::mem::swap(&mut new, &mut best);
        }
        runner.adapt(&mut policy, &mut best, rate);
        let phases = [played - start, replayed - played, replayed.elapsed()];
        for (total, phase) in spent.iter_mut().zip(phases) {
            *total += phase;
        }
    }
    let [playouts, rules, adapt] = spent.map(|total| total.as_secs_f64());
    Timing { playouts, rules, adapt, steps, legal }
}

/// Plays known sequences with nothing but the rules.
struct Replayer<P: Problem> {
    state: P::State,
    moves: Vec<P::Move>,
    codes: Vec<P::Code>,
    biases: Vec<f64>,
}

impl<P: Problem> Replayer<P> {
    fn new(problem: &P) -> Self {
        let state = problem.initial();
        Replayer { state, moves: Vec::new(), codes: Vec::new(), biases: Vec::new() }
    }

    fn run(&mut self, problem: &P, sequence: &Sequence<P>) {
        problem.reset(&mut self.state);
        self.codes.clear();
        self.biases.clear();
        for &mv in &sequence.moves {
            self.moves.clear();
            let mut out = Moves::new(&mut self.moves, &mut self.codes, &mut self.biases);
            problem.moves(&mut self.state, &mut out);
            problem.play(&mut self.state, mv);
        }
        std::hint::black_box(problem.score(&self.state));
    }
}
