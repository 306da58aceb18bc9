//! Sets: games whose moves can be played in any order, and of which any part can be played.
//!
//! ```text
//! a try (of the variants that take at most 1, 3 or 6 moves back):
//!   take 1 move back, one more as long as a coin says so; which ones is drawn
//!   until no move is legal: play one that the bias draws
//!     (the first is another one than those taken back, if there is any; taking a single move back
//!     is in vain if there is none)
//! ```
//!
//! If two moves are taken back, each a variable and its value, these exchange their values where that is
//! legal.
//!
//! Where single moves are always taken back in vain, as where each of n things has one of n places,
//! at least 2 are: two things change their places.
//!
//! With few evaluations there is only the second variant. That of sets is cooler then, and its coin says so
//! half as often.
//!
//! If each variable may have any of its values, whatever the others have, there is one variant, which takes
//! at most 2 moves back and is as cool, and a plan is one cycle (benchmarks/README.md, "Free assignments").
//!
//! Choices (a set of points), values (a move for each variable and value) and assignments are sets.
//! The fourth variant is tabu search (`tabu.rs`). Each variant begins with games that the bias draws.
//!
//! The moves of a cover are played until it is enough: more of them are enough, too. A try takes back any
//! number of them up to 3, 6 or 24, and the best cover loses what the others make needless.
//!
//! A move is known by its item wherever it is played. A state on the way comes from moves played and
//! taken back; what is reported is a game by the rules: the same set, in the order in which its moves
//! are listed. What is not listed any more is dropped, and the game goes on to its end.
//!
//! Numbers in a state may drift if moves are played and taken back. So a state is made anew now and
//! then, and the log of all that was played and taken back since then is what is saved of it: a state
//! that is read is the same to the last bit.

mod game;
mod legal;
mod tabu;
#[cfg(test)]
mod tests;

use std::ops::Range;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::seen::SHORT;
use super::{Tried, Tries};
use crate::problem::Problem;
use crate::random::{Random, mix};
use crate::state::{Reader, Writer};
use legal::Legal;
use tabu::Walk;

/// A problem whose finished games are sets.
pub trait SetProblem: Problem {
    /// What a move is wherever it is played.
    type Item: Copy
        + Default
        + Into<i64>
        + Ord
        + Send
        + Sync
        + Serialize
        + DeserializeOwned
        + 'static;

    /// Whether a copy of a state costs next to nothing.
    const SHARES: bool = false;

    /// Whether moves can be taken back: [`SetProblem::take`].
    fn takes(&self) -> bool;

    /// Pushes the items of the legal moves, and their biases if they have any. `codes` is memory.
    fn list(
        &self,
        state: &mut Self::State,
        items: &mut Vec<Self::Item>,
        codes: &mut Vec<Self::Code>,
        biases: &mut Vec<f64>,
    );

    /// The move that was listed as number `index`, with this item.
    fn listed(&self, index: usize, item: Self::Item) -> Self::Move;

    /// Whether any move can be played in any state, once: games end as soon as it is enough.
    fn covers(&self) -> bool {
        false
    }

    /// Whether a move is a variable and its value, and all values of the variables without one are legal.
    fn assigns(&self) -> bool {
        false
    }

    /// The items with which two variables exchange their values, if these items are a variable and its
    /// value each.
    fn exchange(&self, _one: Self::Item, _other: Self::Item) -> Option<[Self::Item; 2]> {
        None
    }

    /// Whether an item is known to be one of the problem's; it need not be if it comes from a file.
    fn knows(&self, item: Self::Item) -> bool;

    /// Plays the move of an item after so many moves.
    fn put(&self, state: &mut Self::State, item: Self::Item, after: usize);

    /// Takes a move back: the state is as if it had never been played.
    fn take(&self, state: &mut Self::State, item: Self::Item);

    /// Whether what steers is not the score.
    fn guided(&self) -> bool {
        false
    }

    /// What steers, at a terminal state.
    fn value(&self, state: &Self::State) -> f64;
}

/// The moves with which two variables exchange their values, if a move is a variable times `count`, plus
/// its value.
pub fn exchanged(one: i64, other: i64, count: i64) -> [i64; 2] {
    let by = other.rem_euclid(count) - one.rem_euclid(count);
    [one.wrapping_add(by), other.wrapping_sub(by)]
}

/// The most moves that the variants take back. The last variant is tabu search.
const CAPS: [usize; 3] = [1, 3, 6];
/// The same of covers, which have no tabu search.
const COVERS: [usize; 3] = [3, 6, 24];
/// The same of free assignments, which have none either.
const PAIRS: [usize; 1] = [2];
/// The variant that there is with few evaluations.
const QUICKEST: u32 = 1;
/// The tries of the first cycle.
const FIRST: u64 = 2000;
/// The first temperature, as a share of the mean worsening.
const HOT: f64 = 0.5;
/// The same of free assignments, and of sets with few evaluations.
const COOLER: f64 = 0.2;
/// Tries in vain, without any other of a single move, after which single moves are left alone.
const VAIN: u64 = 200;
/// A state is made anew when so many moves, and so many for each that is in it, were played or taken back.
const LOG: usize = 1024;
const LOGGED: usize = 16;
/// A gain over the best value that may be an error of rounding, as a share of it.
const ROUNDING: f64 = 1e-9;

/// Where the search is, apart from the state and its log.
#[derive(Serialize, Deserialize)]
struct Present<I> {
    items: Vec<I>,
    /// What steers, at the game that was tried last.
    value: f64,
    /// The tries of a single move in vain; nothing once there was another.
    vain: Option<u64>,
    walk: Walk<I>,
}

impl<I: Copy + Default> Present<I> {
    fn new() -> Self {
        Present { items: Vec::new(), value: 0.0, vain: Some(0), walk: Walk::new() }
    }

    fn copy(&mut self, other: &Self) {
        self.items.clone_from(&other.items);
        self.walk.copy(&other.walk);
        (self.value, self.vain) = (other.value, other.vain);
    }
}

/// Sets of a problem.
pub struct Sets<P: SetProblem> {
    /// The most moves that the variants take back.
    caps: &'static [usize],
    variants: Range<u32>,
    variant: u32,
    state: P::State,
    /// What was played (true) and taken back to come to the state.
    log: Vec<(P::Item, bool)>,
    at: Present<P::Item>,
    /// Whether the state is not what the log says: the problem has failed.
    stale: bool,
    /// How all was before the last try. The log has grown since, or it was replaced.
    before: Present<P::Item>,
    old: P::State,
    old_log: Vec<(P::Item, bool)>,
    logged: Option<usize>,
    /// The work of the last try: a move that no other can replace is as much as one that is replaced.
    work: u64,
    /// The moves that the last try took back, if its change can still be undone.
    gone: Vec<P::Item>,
    changed: bool,
    /// Whether the game comes from outside, and is not known to be without its needless moves.
    adopted: bool,
    /// The moves that were scored last, and the best, with what steers there.
    moves: Vec<P::Move>,
    best: Vec<P::Item>,
    most: f64,
    legal: Legal<P>,
}

impl<P: SetProblem> Sets<P> {
    /// Sets before the first game.
    pub fn new(problem: &P) -> Self {
        let (state, old) = (problem.initial(), problem.initial());
        let caps: &[usize] = match problem.assigns() {
            true => &PAIRS,
            false if problem.covers() => &COVERS,
            false => &CAPS,
        };
        Sets {
            caps,
            variants: 0..caps.len() as u32 + u32::from(caps == CAPS),
            variant: 0,
            state,
            log: Vec::new(),
            at: Present::new(),
            stale: true,
            before: Present::new(),
            old,
            old_log: Vec::new(),
            logged: None,
            work: 1,
            gone: Vec::new(),
            changed: false,
            adopted: false,
            moves: Vec::new(),
            best: Vec::new(),
            most: f64::NEG_INFINITY,
            legal: Legal::new(problem),
        }
    }

    /// Whether few sets will be evaluated, which are no covers and no free assignments.
    fn hurries(&self) -> bool {
        self.variants.len() == 1 && self.caps == CAPS
    }

    /// Whether it is in vain to take single moves back.
    fn is_vain(&self) -> bool {
        self.at.vain.is_some_and(|vain| vain >= VAIN)
    }
}

impl<P: SetProblem> Tries<P> for Sets<P> {
    fn first(&self) -> u64 {
        FIRST
    }

    fn variants(&self) -> Range<u32> {
        self.variants.clone()
    }

    fn hurry(&mut self) {
        let end = self.variants.end.min(QUICKEST + 1);
        self.variants = end - 1..end;
    }

    fn plans_one(&self) -> bool {
        self.caps == PAIRS
    }

    fn hot(&self) -> f64 {
        if self.hurries() || self.caps == PAIRS { COOLER } else { HOT }
    }

    fn begin(&mut self, problem: &P, variant: u32, random: &mut Random) -> f64 {
        self.snapshot();
        self.variant = variant;
        (self.at.vain, self.at.walk) = (Some(0), Walk::new());
        self.deal(problem, random);
        self.stale = problem.failed();
        self.at.value
    }

    fn adopt(&mut self, problem: &P, moves: &[P::Move]) -> f64 {
        self.snapshot();
        let (mut order, mut state) = (Vec::with_capacity(moves.len()), problem.initial());
        problem.reset(&mut state);
        for &mv in moves {
            self.legal.list(problem, &mut state);
            let mut listed = self.legal.items.iter().enumerate();
            // A problem in another language may fail here.
            let Some((_, &item)) = listed.find(|&(at, &item)| problem.listed(at, item) == mv)
            else {
                break;
            };
            order.push(item);
            problem.play(&mut state, mv);
        }
        self.legal.spare = state;
        let value = problem.value(&self.legal.spare);
        self.adopt_played(problem, order, value);
        self.adopted = true;
        self.at.value
    }

    fn attempt(&mut self, problem: &P, random: &mut Random, _floor: f64) -> Tried {
        self.note(problem);
        let covers = problem.covers();
        let Some(&cap) = self.caps.get(self.variant as usize) else {
            return self.walk(problem, random);
        };
        self.changed = true;
        self.gone.clear();
        let mut count = if covers { random.below(cap) } else { usize::from(self.is_vain()) } + 1;
        let coin = if self.hurries() { 4 } else { 2 };
        while !covers && count < cap && random.below(coin) == 0 {
            count += 1;
        }
        for _ in 0..count.min(self.at.items.len()) {
            let item = self.take(problem, random.below(self.at.items.len()));
            self.gone.push(item);
        }
        self.settle(problem);
        self.list(problem);
        let enough = self.legal.items.is_empty();
        if !enough && !self.legal.leave_out(&self.gone) && self.gone.len() < 2 {
            self.at.vain = self.at.vain.map(|vain| vain + 1);
            return Tried { value: f64::NEG_INFINITY, insists: false };
        }
        if self.gone.len() < 2 {
            self.at.vain = None;
        }
        if !covers {
            self.exchange(problem);
        }
        Tried { value: self.complete(problem, random), insists: false }
    }

    fn keep(&mut self, _problem: &P) {}

    fn undo(&mut self, problem: &P) {
        if problem.failed() {
            self.go_back();
            self.at.copy(&self.before);
            self.stale = true;
        } else if self.changed && Self::copies(problem) {
            self.go_back();
            self.state.clone_from(&self.old);
        } else if self.changed {
            self.shrink(problem, self.before.items.len() - self.gone.len());
            for index in 0..self.gone.len() {
                self.put(problem, self.gone[index]);
            }
            self.at.items.clone_from(&self.before.items);
        }
    }

    /// Nothing of tabu search, which goes through all that is near.
    fn print(&self) -> Option<u32> {
        let items = &self.at.items;
        let sum = || items.iter().map(|&item| mix(item.into() as u64)).fold(0, u64::wrapping_add);
        let drawn = (self.variant as usize) < CAPS.len();
        (drawn && items.len() <= SHORT).then(|| sum() as u32)
    }

    fn work(&self) -> u64 {
        self.work
    }

    fn exhausted(&self) -> bool {
        self.is_vain() && (self.variant as usize == CAPS.len() || self.at.items.len() < 2)
    }

    fn score(&mut self, problem: &P) -> f64 {
        if self.at.value <= self.most + ROUNDING * self.most.abs() {
            return f64::NEG_INFINITY;
        }
        if problem.covers() && !std::mem::take(&mut self.adopted) {
            self.prune(problem);
        }
        let (order, moves) = self.replay(problem, self.at.items.clone());
        self.moves = moves;
        let score = problem.score(&self.legal.spare);
        let value = if problem.guided() { problem.value(&self.legal.spare) } else { score };
        self.adopt_played(problem, order, value);
        score
    }

    fn exact(&self, _problem: &P) -> Option<f64> {
        Some(self.at.value)
    }

    fn moves(&self, _problem: &P, moves: &mut Vec<P::Move>) {
        moves.clone_from(&self.moves);
    }

    fn remember(&mut self) {
        self.best.clone_from(&self.at.items);
        self.most = self.at.value;
    }

    fn recall(&mut self, problem: &P, variant: u32) -> f64 {
        self.variant = variant;
        let (order, _) = self.replay(problem, self.best.clone());
        self.adopt_played(problem, order, self.most);
        self.at.value
    }

    fn quick(&self) -> bool {
        !P::SHARES
    }

    fn write(&self, writer: &mut Writer) {
        writer.put(&(self.variant, &self.log, &self.at));
        writer.put(&(&self.best, self.most));
    }

    fn read(&mut self, problem: &P, reader: &mut Reader) -> Result<(), String> {
        (self.variant, self.log, self.at) = reader.take()?;
        (self.best, self.most) = reader.take()?;
        if self.most.is_nan() || self.at.value.is_nan() || !self.at.walk.is_sound(&self.at.items) {
            return Err("its local search is not one of the problem".into());
        }
        self.relive(problem)?;
        self.list(problem);
        self.stale = problem.failed();
        match self.at.walk.is_legal(&self.legal.items) || self.stale {
            true => Ok(()),
            false => Err("its tabu search is not one of the problem".into()),
        }
    }
}
