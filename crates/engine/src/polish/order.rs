//! Polish of the order of a sequence.
//!
//! ```text
//! polish(sequence):
//!   until there was no gain for T * K * n tries:
//!     a place of the sequence, after an item a
//!     an item b that may well follow a            (one in eight times: any item)
//!     bring b next to a: reverse what is between, swap b with the item after a, or move a block
//!       of one to three that begins at b, or the same backwards
//!     keep the change if what steers is not worse
//!   if the sequence is longer than 2 S, until there was no gain for n rounds:
//!     make three changes at random within a stretch of S places
//!     until there was no gain for T * K * S / 2 tries: as above, at places of the stretch
//!     go back if that has made it worse
//!   return the best order seen, by the score
//! ```
//!
//! The items are the moves, wherever they are played. K of them may well follow an item: those that
//! do in the last local optima, then those that the policy favours (`candidates.rs`). What steers
//! is the problem's guide, if it has one. The problem may mend a drawn sequence before. If the guide
//! and the score differ at its local optimum, the problem may make a better order of it; if they still
//! differ in the end, the score steers from the best order on. The winner is replayed by the rules
//! (`replay.rs`).

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::candidates::Candidates;
use super::operators::Change;
use super::pool::Pool;
use super::rounds::Rounds;
use super::{ANY, At, KICKS, Local, NOWHERE, Settings, Try};
use crate::problem::{Orders, Problem, Steer};
use crate::random::{Key, Random};
use crate::sequence::Sequence;
use crate::state::{Reader, Writer};

/// Local search over orders.
pub(super) struct Order<P: Problem> {
    settings: Settings,
    orders: Box<dyn Orders<P>>,
    climb: Climb,
}

impl<P: Problem> Order<P> {
    pub(super) fn new(settings: Settings, orders: Box<dyn Orders<P>>) -> Self {
        let climb = Climb::new(Random::new(Key(0)), Vec::new(), &settings);
        Order { settings, orders, climb }
    }
}

impl<P: Problem> Local<P> for Order<P> {
    fn words(
        &self,
        problem: &P,
        (policy, playouts): At<P>,
        moves: &[P::Move],
        new: &mut Sequence<P>,
    ) -> Vec<u32> {
        playouts.items(problem, policy, moves, new)
    }

    fn begin(
        &mut self,
        problem: &P,
        (policy, playouts): At<P>,
        (random, order, kicked): (Random, Vec<u32>, bool),
        pool: &Pool,
        new: &mut Sequence<P>,
    ) -> f64 {
        let order = if kicked { order } else { self.orders.mended(problem, order) };
        let mut climb = Climb::new(random, order, &self.settings);
        if kicked {
            climb.start_from_best();
        }
        climb.find_places();
        let mut candidates = Candidates::new(self.settings.candidates, &climb.places, pool);
        playouts.replay(problem, policy, &climb.order, Some(&mut candidates), new);
        climb.candidates = candidates;
        self.orders.begin(problem, &climb.order);
        climb.value = self.orders.value(problem, Steer::Guide);
        climb.keep_best(self.orders.score(problem));
        climb.blame(problem);
        self.climb = climb;
        self.climb.best_score
    }

    fn ended(&mut self, problem: &P) -> bool {
        if self.climb.ended() {
            self.climb.go_on(problem, &mut *self.orders);
        }
        self.climb.ended()
    }

    fn attempt(&mut self, problem: &P, _: At<P>) -> Try {
        let Order { orders, climb, .. } = self;
        match climb.at_optimum() {
            true if climb.asks => climb.rescue(problem, &mut **orders),
            true => climb.round(problem, &mut **orders),
            false => climb.attempt(problem, &mut **orders),
        }
    }

    fn moves(&self, problem: &P, moves: &mut Vec<P::Move>) {
        self.orders.moves(problem, &self.climb.order, moves);
    }

    fn finish(
        &mut self,
        problem: &P,
        (policy, playouts): At<P>,
        new: &mut Sequence<P>,
    ) -> (f64, Vec<u32>) {
        let best = &self.climb.best;
        (playouts.replay(problem, policy, best, None, new), best.clone())
    }

    fn quick(&self) -> bool {
        self.orders.quick()
    }

    fn write(&self, writer: &mut Writer) {
        writer.put(&self.climb);
    }

    fn read(&mut self, problem: &P, reader: &mut Reader) -> Result<(), String> {
        self.climb = reader.take()?;
        self.check(problem, &self.climb.order)?;
        self.climb.find_places();
        self.climb.check()?;
        self.orders.begin(problem, &self.climb.order);
        Ok(())
    }

    fn check(&self, problem: &P, order: &[u32]) -> Result<(), String> {
        match self.orders.fits(problem, order) {
            true => Ok(()),
            false => Err("a polished sequence has items that the problem does not have".into()),
        }
    }
}

/// A local search in progress.
#[derive(Serialize, Deserialize)]
struct Climb {
    random: Random,
    /// The items in their present order, and the place of each, the last one if it has several.
    order: Vec<u32>,
    #[serde(skip)]
    places: Vec<u32>,
    candidates: Candidates,
    by: Steer,
    /// What steers, at the present order.
    value: f64,
    /// Tries since the last gain, and how many are the end.
    idle: u64,
    patience: u64,
    /// Whether the problem will be asked for a better order at the next local optimum.
    asks: bool,
    rounds: Rounds,
    /// The best order by the score.
    best: Vec<u32>,
    best_score: f64,
    #[serde(skip)]
    before: Vec<u32>,
}

impl Climb {
    fn new(random: Random, order: Vec<u32>, settings: &Settings) -> Self {
        let each = settings.tries.saturating_mul(settings.candidates as u64);
        // One item has one order.
        let patience = if order.len() < 2 { 0 } else { each.saturating_mul(order.len() as u64) };
        let rounds = Rounds::new(order.len(), settings);
        Climb {
            random,
            order,
            places: Vec::new(),
            candidates: Candidates::default(),
            by: Steer::Guide,
            value: f64::NEG_INFINITY,
            idle: 0,
            patience,
            asks: patience > 0,
            rounds,
            best: Vec::new(),
            best_score: f64::NEG_INFINITY,
            before: Vec::new(),
        }
    }

    /// Begins with the best sequence of level 2, changed: a short one is changed now, and a long one,
    /// which is a local optimum, in its first round.
    fn start_from_best(&mut self) {
        match self.rounds.are_any() {
            true => self.idle = self.patience,
            false => self.kick(),
        }
    }

    /// Whether there was no gain for long enough.
    fn at_optimum(&self) -> bool {
        let begun = self.rounds.have_begun();
        self.idle >= if begun { self.rounds.patience } else { self.patience }
    }

    /// Whether the local search has ended.
    fn ended(&self) -> bool {
        self.at_optimum() && !self.asks && !self.rounds.go_on(self.value)
    }

    /// Begins a round with a change of its stretch. If the problem fails, there was none.
    fn round<P: Problem>(&mut self, problem: &P, orders: &mut dyn Orders<P>) -> Try {
        self.rounds.keep(&mut self.order, &mut self.value);
        let random = self.random;
        self.rounds.next(self.order.len(), &mut self.random);
        self.kick();
        orders.begin(problem, &self.order);
        let (value, score) = (orders.value(problem, self.by), orders.score(problem));
        self.blame(problem);
        if problem.failed() {
            self.rounds.undo();
            self.random = random;
            self.order.clone_from(&self.rounds.order);
            return Try::Evaluated;
        }
        self.note_places(0..self.order.len());
        let gain = value > self.value;
        (self.value, self.idle) = (value, 0);
        if gain {
            self.keep_best(score);
            return Try::Gain(score);
        }
        Try::Evaluated
    }

    /// One try. If the problem fails, it is as if there had been none.
    fn attempt<P: Problem>(&mut self, problem: &P, orders: &mut dyn Orders<P>) -> Try {
        let (random, idle) = (self.random, self.idle);
        self.idle += 1;
        let Some(change) = self.propose() else { return Try::Nothing };
        change.apply(&mut self.order, &mut self.before);
        let window = change.window.clone();
        let value = orders.evaluate(problem, &self.order, window, self.by, self.value);
        let gain = value > self.value;
        if value >= self.value {
            orders.accept();
            let score = if gain { orders.score(problem) } else { 0.0 };
            if !problem.failed() {
                self.note_places(change.window);
                if !gain {
                    return Try::Evaluated;
                }
                (self.value, self.idle) = (value, 0);
                self.keep_best(score);
                return Try::Gain(score);
            }
            // What was the present order becomes it again.
            orders.accept();
        }
        self.blame(problem);
        change.undo(&mut self.order, &self.before);
        if problem.failed() {
            (self.random, self.idle) = (random, idle);
        }
        Try::Evaluated
    }

    /// Proposes a change, or none if it would change nothing.
    fn propose(&mut self) -> Option<Change> {
        let to = self.place();
        let after = to.checked_sub(1).map(|place| self.order[place]);
        let likely = self.candidates.after(after);
        let from = if self.random.below(ANY) == 0 || likely.is_empty() {
            self.place()
        } else {
            self.places[likely[self.random.below(likely.len())] as usize] as usize
        };
        Change::draw(self.order.len(), to, from, &mut self.random)
    }

    /// Draws a place of the stretch.
    fn place(&mut self) -> usize {
        let Range { start, end } = self.rounds.stretch;
        start + self.random.below(end - start)
    }

    /// Makes some changes at random.
    fn kick(&mut self) {
        for _ in 0..KICKS {
            let (to, from) = (self.place(), self.place());
            if let Some(change) = Change::draw(self.order.len(), to, from, &mut self.random) {
                change.apply(&mut self.order, &mut self.before);
            }
        }
    }

    /// Keeps the present order if it is the best by the score.
    fn keep_best(&mut self, score: f64) {
        if score >= self.best_score {
            self.best_score = score;
            self.best.clone_from(&self.order);
        }
    }

    /// At the first local optimum of the guide, if it differs from the score: goes on with what the
    /// problem makes of that, if it is better by the score. If the problem fails, it is as if there
    /// had been none.
    fn rescue<P: Problem>(&mut self, problem: &P, orders: &mut dyn Orders<P>) -> Try {
        let (random, score) = (self.random, orders.score(problem));
        let rescued = match score == self.value {
            true => None,
            false => orders.rescued(problem, &self.order, &mut self.random),
        };
        let Some(order) = rescued else {
            self.asks = false;
            return Try::Nothing;
        };
        let before = self.replace(problem, orders, order);
        if problem.failed() {
            self.random = random;
            return Try::Evaluated;
        }
        self.asks = false;
        let new = orders.score(problem);
        if new <= score {
            self.replace(problem, orders, before);
            return Try::Evaluated;
        }
        (self.value, self.idle) = (orders.value(problem, Steer::Guide), 0);
        self.keep_best(new);
        Try::Gain(new)
    }

    /// At the local optimum of a guide that differs from the score, the score goes on to steer, from
    /// the best order so far.
    fn go_on<P: Problem>(&mut self, problem: &P, orders: &mut dyn Orders<P>) {
        if self.rounds.are_any() && self.rounds.keep(&mut self.order, &mut self.value) {
            self.note_places(0..self.order.len());
            orders.begin(problem, &self.order);
        }
        let score = orders.score(problem);
        self.blame(problem);
        if self.by == Steer::Guide && score != self.value && !problem.failed() {
            if self.best_score > score {
                self.replace(problem, orders, self.best.clone());
                if problem.failed() {
                    return;
                }
            }
            (self.by, self.value, self.idle) = (Steer::Score, orders.score(problem), 0);
            self.rounds.restart(self.order.len());
        }
    }

    /// Goes on with another order, and returns the present one. If the problem fails, nothing changes.
    fn replace<P: Problem>(
        &mut self,
        problem: &P,
        orders: &mut dyn Orders<P>,
        order: Vec<u32>,
    ) -> Vec<u32> {
        let before = std::mem::replace(&mut self.order, order);
        orders.begin(problem, &self.order);
        self.blame(problem);
        if problem.failed() {
            self.order.clone_from(&before);
        } else {
            self.note_places(0..self.order.len());
        }
        before
    }

    /// Says of which order the replay has failed, if one has.
    fn blame<P: Problem>(&self, problem: &P) {
        if problem.failed() {
            problem.blame(&self.order);
        }
    }

    /// Notes where all items are.
    fn find_places(&mut self) {
        let greatest = self.order.iter().max().map_or(0, |&item| item as usize + 1);
        self.places.clear();
        self.places.resize(greatest, NOWHERE);
        for (place, &item) in (0..).zip(&self.order) {
            self.places[item as usize] = place;
        }
    }

    /// Checks what comes from a file.
    fn check(&self) -> Result<(), String> {
        let sorted = |order: &[u32]| {
            let mut items = order.to_vec();
            items.sort_unstable();
            items
        };
        let items = sorted(&self.order);
        let same = |order: &Vec<u32>| sorted(order) == items;
        let blank = self.rounds.value == f64::NEG_INFINITY && !self.rounds.have_begun();
        let held = blank || same(&self.rounds.order);
        let fit = same(&self.best) && held && self.rounds.fit(items.len());
        match fit && self.candidates.are_of(&self.places) {
            true => Ok(()),
            false => Err("a polish has other items than its sequence".into()),
        }
    }

    /// Notes where the items of a window are, which has changed.
    fn note_places(&mut self, window: Range<usize>) {
        let end = window.end as u32;
        for (place, &item) in (window.start as u32..).zip(&self.order[window]) {
            let known = &mut self.places[item as usize];
            // An item that comes again behind the window has its last place there.
            if *known < end {
                *known = place;
            }
        }
    }
}
