//! A problem for the tests.

use crate::meter::Limits;
use crate::problem::{Moves, Offers, Problem};
use crate::search::{Recursion, Search};
use crate::shared::sync::atomic::{AtomicBool, AtomicI64, Ordering};

/// Write digits below `base`; the game ends after `length` of them, or after two equal ones. The
/// score counts digits that are one more than the one before (modulo `base`).
#[derive(Clone, Copy)]
pub(crate) struct Digits {
    pub(crate) base: u8,
    pub(crate) length: usize,
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
        if place < self.length && !(place >= 2 && digits[place - 2] == digits[place - 1]) {
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

impl Offers for Digits {}

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

/// Playouts, score and level of each improvement.
type Improvements = Vec<(u64, f64, u32)>;

/// What a search has found, without the times.
pub(crate) fn found<P: Problem, R: Recursion<P> + ?Sized>(
    search: &Search<P, R>,
) -> (Vec<P::Move>, Improvements) {
    let meter = search.meter();
    let improvements = meter.improvements.iter().map(|i| (i.playouts, i.score, i.level));
    (meter.moves.clone(), improvements.collect())
}
