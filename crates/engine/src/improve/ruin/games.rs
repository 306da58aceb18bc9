//! Finished games, from which one move at a time is taken out.
//!
//! ```text
//! a try:
//!   take a move out, chosen at random
//!   play the moves before it
//!   play those after it in their order, each as soon as it is legal, without those that never are
//!   until the game is over: play a move drawn at random
//!     (the first is another one than that taken out, if there is any)
//! ```
//!
//! It suits games in which most moves stay legal without one of them, as the words of a crossword do.

use super::{Tried, Tries};
use crate::problem::{Moves, Problem};
use crate::random::{Key, Random};
use crate::state::{Reader, Writer};
use crate::way::Way;

/// The tries of the first cycle.
const FIRST: u64 = 5000;
/// The most states that are kept along the present game.
const STATES: usize = 64;

/// A game and its score.
type Game<M> = (Vec<M>, f64);

/// Games of a problem.
pub struct Games<P: Problem> {
    /// What steers, by the score, and the first and the last temperature.
    steers: fn(f64) -> f64,
    temperatures: [f64; 2],
    present: Game<P::Move>,
    /// The game of the last try; the one before it, if that was kept.
    other: Game<P::Move>,
    kept: bool,
    best: Game<P::Move>,
    way: Way<P>,
    state: P::State,
    legal: Vec<P::Move>,
    codes: Vec<P::Code>,
    left: Vec<P::Move>,
}

impl<P: Problem> Games<P> {
    /// Games before the first one. A game is worth what `steers` returns for its score, and the
    /// temperatures are in the same unit.
    pub fn new(problem: &P, steers: fn(f64) -> f64, temperatures: [f64; 2]) -> Self {
        let nothing = || (Vec::new(), f64::NEG_INFINITY);
        let (present, other, best) = (nothing(), nothing(), nothing());
        let (kept, way, legal, codes, left) = Default::default();
        let state = problem.initial();
        Games { steers, temperatures, present, other, kept, best, way, state, legal, codes, left }
    }

    fn list(&mut self, problem: &P) {
        self.legal.clear();
        self.codes.clear();
        let mut biases = Vec::new();
        let out = &mut Moves::new(&mut self.legal, &mut self.codes, &mut biases);
        problem.moves(&mut self.state, out);
    }

    fn play(&mut self, problem: &P, mv: P::Move) {
        problem.play(&mut self.state, mv);
        self.other.0.push(mv);
        self.list(problem);
    }

    /// Plays what is left, as far as it is legal, and completes the game. Returns what steers there.
    fn complete(&mut self, problem: &P, gone: Option<P::Move>, random: &mut Random) -> f64 {
        self.list(problem);
        let mut before = usize::MAX;
        while self.left.len() < before {
            before = self.left.len();
            let mut kept = 0;
            for index in 0..before {
                let mv = self.left[index];
                if self.legal.contains(&mv) {
                    self.play(problem, mv);
                } else {
                    self.left[kept] = mv;
                    kept += 1;
                }
            }
            self.left.truncate(kept);
        }
        if self.legal.len() > 1 {
            self.legal.retain(|&mv| Some(mv) != gone);
        }
        while !self.legal.is_empty() {
            self.play(problem, self.legal[random.below(self.legal.len())]);
        }
        self.other.1 = problem.score(&self.state);
        (self.steers)(self.other.1)
    }

    /// A game that begins with these moves as far as they are legal becomes the present one.
    fn set(&mut self, problem: &P, moves: &[P::Move], random: &mut Random) -> f64 {
        problem.reset(&mut self.state);
        self.other.0.clear();
        self.left.clear();
        self.left.extend_from_slice(moves);
        let value = self.complete(problem, None, random);
        self.keep(problem);
        value
    }
}

impl<P: Problem> Tries<P> for Games<P> {
    fn first(&self) -> u64 {
        FIRST
    }

    fn hot(&self) -> f64 {
        self.temperatures[0]
    }

    fn temperatures(&self) -> Option<[f64; 2]> {
        Some(self.temperatures)
    }

    fn begin(&mut self, problem: &P, _variant: u32, random: &mut Random) -> f64 {
        self.set(problem, &[], random)
    }

    fn adopt(&mut self, problem: &P, moves: &[P::Move]) -> f64 {
        self.set(problem, moves, &mut Random::new(Key(0)))
    }

    fn attempt(&mut self, problem: &P, random: &mut Random, _floor: f64) -> Tried {
        self.kept = false;
        let moves = &self.present.0;
        if moves.is_empty() {
            return Tried { value: f64::NEG_INFINITY, insists: false };
        }
        let place = random.below(moves.len());
        let gone = moves[place];
        self.other.0.clear();
        self.other.0.extend_from_slice(&moves[..place]);
        self.left.clear();
        self.left.extend_from_slice(&moves[place + 1..]);
        self.way.go_to(problem, place, &mut self.state);
        let value = self.complete(problem, Some(gone), random);
        Tried { value, insists: false }
    }

    fn keep(&mut self, _problem: &P) {
        std::mem::swap(&mut self.present, &mut self.other);
        self.way.take(&self.present.0, STATES);
        self.kept = true;
    }

    fn undo(&mut self, problem: &P) {
        if self.kept {
            self.keep(problem);
            self.kept = false;
        }
    }

    fn exhausted(&self) -> bool {
        self.present.0.is_empty()
    }

    fn guided(&self) -> bool {
        true
    }

    fn score(&mut self, _problem: &P) -> f64 {
        self.present.1
    }

    fn moves(&self, _problem: &P, moves: &mut Vec<P::Move>) {
        moves.clone_from(&self.present.0);
    }

    fn remember(&mut self) {
        self.best.clone_from(&self.present);
    }

    fn recall(&mut self, _problem: &P, _variant: u32) -> f64 {
        self.present.clone_from(&self.best);
        self.way.take(&self.present.0, STATES);
        (self.steers)(self.present.1)
    }

    fn renews(&self) -> bool {
        true
    }

    fn write(&self, writer: &mut Writer) {
        writer.put(&(&self.present, &self.best));
    }

    fn read(&mut self, problem: &P, reader: &mut Reader) -> Result<(), String> {
        let (present, best): (Game<P::Move>, Game<P::Move>) = reader.take()?;
        for game in [&best, &present] {
            if game.0.is_empty() && game.1 == f64::NEG_INFINITY {
                continue; // Nothing has begun.
            }
            let value = self.set(problem, &game.0, &mut Random::new(Key(0)));
            if self.present.0 != game.0 || value != (self.steers)(game.1) {
                return Err("its games are not those of the problem".into());
            }
        }
        (self.present, self.best) = (present, best);
        self.way.take(&self.present.0, STATES);
        self.kept = false;
        Ok(())
    }
}
