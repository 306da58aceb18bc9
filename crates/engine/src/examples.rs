//! A problem for the tests.

use std::collections::VecDeque;

use crate::meter::Limits;
use crate::problem::{Improver, Moves, Offers, Problem, Step};
use crate::random::{Key, Random};
use crate::search::{Recursion, Search};
use crate::shared::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use crate::state::{Reader, Writer};

/// Write digits below `base`; the game ends after `length` of them, or after two equal ones. The
/// score counts digits that are one more than the one before (modulo `base`).
#[derive(Clone, Copy)]
pub(crate) struct Digits {
    pub(crate) base: u8,
    pub(crate) length: usize,
}

impl Digits {
    fn ended(&self, digits: &[u8]) -> bool {
        digits.len() == self.length || matches!(digits, [.., one, other] if one == other)
    }
}

impl Problem for Digits {
    type State = Vec<u8>;
    type Move = u8;
    type Code = u64;

    fn initial(&self) -> Vec<u8> {
        Vec::new()
    }

    fn moves(&self, digits: &mut Vec<u8>, out: &mut Moves<'_, Self>) {
        let place = digits.len();
        if !self.ended(digits) {
            let code = |digit| 100 * place as u64 + u64::from(digit);
            out.extend(0..self.base, (0..self.base).map(code));
        }
    }

    fn play(&self, digits: &mut Vec<u8>, digit: u8) {
        digits.push(digit);
    }

    fn score(&self, digits: &Vec<u8>) -> f64 {
        digits.windows(2).filter(|pair| (pair[0] + 1) % self.base == pair[1]).count() as f64
    }
}

impl Offers for Digits {
    fn improver(&self) -> Option<Box<dyn Improver<Self>>> {
        let random = Random::new(Key(0));
        Some(Box::new(Ends {
            random,
            present: Vec::new(),
            tried: Vec::new(),
            vain: 0,
            rests: true,
        }))
    }

    fn decides(&self) -> bool {
        true
    }
}

/// An improver of digits: draws the end of the present ones anew. Every other step does nothing.
struct Ends {
    random: Random,
    present: Vec<u8>,
    tried: Vec<u8>,
    vain: u64,
    rests: bool,
}

impl Improver<Digits> for Ends {
    fn begin(&mut self, _game: &Digits, key: Key) {
        (self.random, self.vain) = (Random::new(key), 0);
        self.present.clear();
    }

    fn adopt(&mut self, _game: &Digits, moves: &[u8]) {
        self.present = moves.to_vec();
    }

    fn step(&mut self, game: &Digits, patience: u64) -> Step {
        self.rests = !self.rests;
        if !self.rests {
            return Step::Working;
        }
        self.tried.clone_from(&self.present);
        self.tried.truncate(self.random.below(self.present.len() + 1));
        while !game.ended(&self.tried) {
            self.tried.push(self.random.below(game.base.into()) as u8);
        }
        let (score, before) = (game.score(&self.tried), game.score(&self.present));
        self.vain = if score > before { 0 } else { self.vain + 1 };
        if score >= before {
            self.present.clone_from(&self.tried);
        }
        Step::Played { score, over: self.vain >= patience }
    }

    fn moves(&self, _game: &Digits, moves: &mut Vec<u8>) {
        moves.clone_from(&self.tried);
    }

    fn progress(&self, patience: u64) -> (u64, u64) {
        (self.vain, patience)
    }

    fn changes(&self) -> bool {
        true
    }

    fn quick(&self) -> bool {
        true
    }

    fn write(&self, writer: &mut Writer) {
        writer.put(&(self.random, &self.present, self.vain, self.rests));
    }

    fn read(&mut self, game: &Digits, reader: &mut Reader) -> Result<(), String> {
        (self.random, self.present, self.vain, self.rests) = reader.take()?;
        let known = self.present.iter().all(|&digit| digit < game.base);
        if known && self.present.len() <= game.length { Ok(()) } else { Err("other digits".into()) }
    }
}

/// Digits that raise a flag, or fail, when this many playouts have begun, and count later ones.
pub(crate) struct Watched {
    game: Digits,
    left: AtomicI64,
    fails: bool,
    pub(crate) raised: AtomicBool,
}

impl Watched {
    pub(crate) fn new(game: Digits, left: i64, fails: bool) -> Self {
        Watched { game, left: AtomicI64::new(left), fails, raised: AtomicBool::new(false) }
    }

    /// Playouts begun since the flag was raised.
    pub(crate) fn late(&self) -> i64 {
        -self.left.load(Ordering::SeqCst)
    }
}

impl Problem for Watched {
    type State = Vec<u8>;
    type Move = u8;
    type Code = u64;

    /// So that every playout resets a state.
    const REPLAYS: bool = false;

    fn initial(&self) -> Vec<u8> {
        self.game.initial()
    }

    fn reset(&self, digits: &mut Vec<u8>) {
        // Later playouts raise it, too: the thread of this one may be held up before it does.
        if self.left.fetch_sub(1, Ordering::SeqCst) <= 1 {
            self.raised.store(true, Ordering::SeqCst);
        }
        digits.clear();
    }

    fn moves(&self, digits: &mut Vec<u8>, out: &mut Moves<'_, Self>) {
        let Moves { moves, codes, biases, .. } = out;
        self.game.moves(digits, &mut Moves::new(moves, codes, biases));
    }

    fn play(&self, digits: &mut Vec<u8>, digit: u8) {
        self.game.play(digits, digit);
    }

    fn score(&self, digits: &Vec<u8>) -> f64 {
        self.game.score(digits)
    }

    fn failed(&self) -> bool {
        self.fails && self.raised.load(Ordering::SeqCst)
    }
}

impl Offers for Watched {}

/// Limits with nothing but a number of playouts.
pub(crate) fn playouts(playouts: u64) -> Limits<'static> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let target = f64::INFINITY;
    Limits { playouts, deadline: None, target, restart: true, threads: 1, cancel: &NEVER }
}

/// Playouts, score and level of each improvement, and the moves that are known.
type Improvements<M> = (Vec<(u64, f64, u32)>, VecDeque<(u64, Vec<M>)>);

/// What a search has found, without the times.
pub(crate) fn found<P: Problem, R: Recursion<P> + ?Sized>(
    search: &Search<P, R>,
) -> (Vec<P::Move>, Improvements<P::Move>) {
    let meter = search.meter();
    let improvements = meter.improvements.iter().map(|i| (i.playouts, i.score, i.level));
    (meter.moves.clone(), (improvements.collect(), meter.trail.clone()))
}
