//! Ruin and recreate: local search that takes a part of a sequence out and puts it back as well as
//! possible, again and again (after Schrimpf et al. 2000, and Christiaens and Vanden Berghe 2020).
//!
//! ```text
//! x <- a sequence;  N <- the work of the first cycle
//! repeat:                                                 a cycle
//!   T0, T1 <- as the kind of problem says, or from the worsenings of the first tries
//!   until the cycle has done N work:
//!     T <- T0 (T1/T0)^(work done / N)
//!     y <- x with a part taken out and put back
//!     x <- y if f(y) >= f(x) + T ln U                    U uniform in (0, 1]: annealing
//!     best <- x if f(x) > f(best)
//!   x <- best;  N <- 2 N
//! ```
//!
//! Nothing is to be tuned, and nothing depends on a clock: cycles are counted in work, and each is
//! twice as long as the one before. Where the best is made of the good parts of many cycles, a cycle is
//! only a tenth longer, and a hundredth once it is long enough. Where small changes may lead nowhere
//! else, a cycle from the best that finds nothing better is followed by one that is as long, from a new
//! sequence. What is taken out and where it is put back is up to the kind of problem: [`Tries`]. If a
//! kind has several variants, they run in turn, each from a new sequence; N doubles when all had their
//! turn. The worst of such a sweep is dropped, from the third on and unless all are equal, until one is
//! left; and so is one that has no other sequence to go to.
//!
//! With few items a cycle is over, too, when a long run of tries repeats earlier ones of it: all that is near was
//! tried. The next one begins with a new sequence.
//!
//! If it is known how much will be evaluated, the cycles are planned for that. All variants take half of
//! it, and the best of them takes the rest in one cycle. A single variant has two cycles, of one and of
//! two thirds, or one if that is better. Work is then counted in evaluations. If there are few, the kind of
//! problem hurries: it leaves out what pays only later.

mod games;
mod heat;
mod operators;
mod orders;
mod replays;
mod seen;
pub mod sets;
#[cfg(test)]
mod tests;
mod ways;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Improver, Step};
use crate::kernels;
use crate::math::{SAFE, choose, ln, shifted, sum};
use crate::problem::Problem;
use crate::random::{Key, Random};
use crate::state::{Reader, Writer};
pub use games::Games;
use heat::Heat;
pub use orders::{Orders, orders};
pub use replays::{Light, Replays};
use seen::Seen;

/// The work done in a cycle whose variant has no other sequence to go to.
const EXHAUSTED: u64 = u64::MAX;

/// Sequences after which a search without a limit ends, when its cycle is over.
const ENOUGH: u64 = 1_000_000;

/// Sweeps in which no variant is dropped for being the worst.
const SPARED: u32 = 2;

/// The part by which a cycle is longer where cycles combine, and the part once it is long enough.
const TENTH: u64 = 10;
const HUNDREDTH: u64 = 100;

/// No cycle has more work.
const LONGEST: u64 = 1 << 50;

/// Planned evaluations up to which the kind of problem hurries (benchmarks/README.md, "Planned cycles").
const FEW: u64 = 2000;

/// What a try came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// What steers, at the changed sequence: higher is better. Minus infinity if it is known to be
    /// less than the floor.
    pub value: f64,
    /// Whether the change is kept whatever its value.
    pub insists: bool,
}

/// What a kind of problem supplies: a present sequence, tries at it, and the best one so far.
pub trait Tries<P: Problem + ?Sized>: Send + Sync {
    /// The work of the first cycle.
    fn first(&self) -> u64;

    /// The variants.
    fn variants(&self) -> Range<u32> {
        0..1
    }

    /// Only few sequences will be evaluated: leaves out what would not pay with them.
    fn hurry(&mut self) {}

    /// Whether a plan is one cycle. There is one variant then.
    fn plans_one(&self) -> bool {
        false
    }

    /// The first temperature, as a share of the mean worsening of a try.
    fn hot(&self) -> f64;

    /// The first and the last temperature, if they are known without tries.
    fn temperatures(&self) -> Option<[f64; 2]> {
        None
    }

    /// Makes a sequence, which becomes the present one, and returns its value.
    fn begin(&mut self, problem: &P, variant: u32, random: &mut Random) -> f64;

    /// A complete sequence from outside becomes the present one. Returns its value.
    fn adopt(&mut self, problem: &P, moves: &[P::Move]) -> f64;

    /// Changes the present sequence, or evaluates a part of such a change. If the problem fails, that
    /// is as if it had not been asked for. `keep` or `undo` comes next, unless the try goes on.
    fn attempt(&mut self, problem: &P, random: &mut Random, floor: f64) -> Tried;

    /// So many sequences have been tried.
    fn age(&mut self, _tries: u64) {}

    /// Whether the try has more to evaluate: `attempt` comes next, with the same floor.
    fn goes_on(&self) -> bool {
        false
    }

    /// Keeps the change.
    fn keep(&mut self, problem: &P);

    /// Takes the change back, also one that has just been kept. If the problem has failed, it is as if
    /// there had been no try, or nothing had begun or been adopted.
    fn undo(&mut self, problem: &P);

    /// Whether the variant has no other sequence to go to.
    fn exhausted(&self) -> bool {
        false
    }

    /// A number that tells the sequence just tried from others, if it is short.
    fn print(&self) -> Option<u32> {
        None
    }

    /// The work of the last call of `attempt`.
    fn work(&self) -> u64 {
        1
    }

    /// Whether what steers is not the score: then every gain may be the best by the score.
    fn guided(&self) -> bool {
        false
    }

    /// The score of the present sequence, by the rules; minus infinity if it is known not to be the
    /// best so far.
    fn score(&mut self, problem: &P) -> f64;

    /// What steers, at the sequence that was scored last, if the value of a try is only nearly that.
    fn exact(&self, _problem: &P) -> Option<f64> {
        None
    }

    /// Puts the moves of the sequence that was scored last into `moves`.
    fn moves(&self, problem: &P, moves: &mut Vec<P::Move>);

    /// The present sequence is the best so far.
    fn remember(&mut self);

    /// The best sequence so far becomes the present one again, or what is made of both. Returns its value.
    fn recall(&mut self, problem: &P, variant: u32) -> f64;

    /// The work that is enough for a cycle if `recall` combines the best sequence with the present one:
    /// then many cycles that are hardly longer are better than few long ones. Nothing if it does not.
    fn combines(&self) -> Option<u64> {
        None
    }

    /// Whether a cycle from the best that finds nothing better is followed by one from a new sequence
    /// (benchmarks/README.md, "Cycles that begin anew"). There is one variant then.
    fn renews(&self) -> bool {
        false
    }

    /// Whether a try costs so little that the time is not looked at after each.
    fn quick(&self) -> bool {
        true
    }

    /// Appends the present and the best sequence.
    fn write(&self, writer: &mut Writer);

    /// Takes what `write` appended; nothing was begun if `begun` is false.
    ///
    /// # Errors
    ///
    /// If it is wrong.
    fn read(&mut self, problem: &P, reader: &mut Reader) -> Result<(), String>;
}

/// Where a search is, as far as it is saved besides the sequences.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Place {
    random: Random,
    /// Sequences so far.
    tries: u64,
    /// Whether the cycle has its sequence.
    begun: bool,
    /// What the try that goes on must reach to be kept.
    limit: Option<f64>,
    /// Work to do in this cycle, and work done.
    length: u64,
    done: u64,
    /// What steers, at the present sequence, and the most so far in the cycle and in all.
    value: f64,
    cycle: f64,
    best: f64,
    /// The best score so far.
    score: f64,
    /// The variant whose turn it is, by its place, and the sweeps that are over.
    turn: u32,
    sweep: u32,
}

/// All variants, before their first cycle.
fn all<P: Problem>(tries: &impl Tries<P>) -> Vec<(u32, [f64; 2])> {
    tries.variants().map(|variant| (variant, [f64::NEG_INFINITY; 2])).collect()
}

/// Draws one of some moves by their biases; `factors` is memory for that.
fn drawn(biases: &[f64], factors: &mut Vec<f64>, random: &mut Random) -> usize {
    factors.clear();
    kernels::exp_all(biases, factors);
    if !SAFE.contains(&sum(factors)) {
        factors.clear();
        factors.extend_from_slice(biases);
        shifted(factors);
    }
    choose(factors, random.uniform())
}

/// The loop, for a kind of problem.
pub struct Ruin<T> {
    tries: T,
    at: Place,
    heat: Heat,
    seen: Seen,
    /// How many sequences it is to evaluate, if that is known: each is then as much work as any other.
    planned: Option<u64>,
    /// The variants that are left, each with the best of its last cycle and of the one before; where
    /// cycles begin anew, with the best of all when the cycle began, and nothing if that was anew.
    variants: Vec<(u32, [f64; 2])>,
}

impl<T> Ruin<T> {
    /// The loop before its first sequence.
    pub fn new<P: Problem>(tries: T) -> Self
    where
        T: Tries<P>,
    {
        let at = Place {
            length: tries.first(),
            value: f64::NEG_INFINITY,
            cycle: f64::NEG_INFINITY,
            best: f64::NEG_INFINITY,
            score: f64::NEG_INFINITY,
            ..Place::default()
        };
        let heat = Heat::new(tries.temperatures());
        let variants = all(&tries);
        Ruin { tries, at, heat, seen: Seen::default(), planned: None, variants }
    }

    fn variant(&self) -> u32 {
        self.variants[self.at.turn as usize].0
    }

    /// What a new try must reach to be kept.
    fn limit(&mut self) -> f64 {
        match self.heat.at(self.at.done, self.at.length) {
            Some(heat) => self.at.value + heat * ln(1.0 - self.at.random.uniform()),
            None => self.at.value,
        }
    }

    /// One try or a part of it, or the sequence that a cycle begins with. Returns the score of the
    /// present sequence if it may be the best; nothing if the problem fails, and then it is as if there
    /// had been none.
    fn attempt<P: Problem>(&mut self, problem: &P) -> Option<f64>
    where
        T: Tries<P>,
    {
        let before = self.at;
        let (mut worse, mut print) = (None, None);
        // What a cycle begins with may be better than all before: that is scored first.
        let combines = self.tries.combines().is_some();
        let recalled = combines && before.tries > 0 && before.value > before.best;
        if self.at.begun && !recalled {
            let limit = self.at.limit.unwrap_or_else(|| self.limit());
            let floor = if self.heat.measures() { f64::NEG_INFINITY } else { limit };
            self.tries.age(before.tries);
            let Tried { value, insists } = self.tries.attempt(problem, &mut self.at.random, floor);
            self.at.done += if self.planned.is_some() { 1 } else { self.tries.work() };
            self.at.limit = self.tries.goes_on().then_some(limit);
            if self.at.limit.is_none() && !problem.failed() {
                worse = Some((before.value - value, before.value));
                print = self.tries.print();
                if insists || value >= limit {
                    self.tries.keep(problem);
                    self.at.value = value;
                } else {
                    self.tries.undo(problem);
                }
            }
        } else if !recalled {
            let variant = self.variant();
            self.at.value = self.tries.begin(problem, variant, &mut self.at.random);
        }
        let begins = !self.at.begun && !recalled;
        let gain = self.at.value > before.value || !before.begun;
        // The first is the best, even if its score is infinitely bad.
        let best = self.at.value > self.at.best || before.tries == 0;
        let scored = (best || gain && self.tries.guided()) && !problem.failed();
        let score = if scored { self.tries.score(problem) } else { f64::NEG_INFINITY };
        if problem.failed() {
            self.tries.undo(problem);
            self.at = before;
            return None;
        }
        self.at.begun |= begins && !self.seen.draws();
        if scored {
            self.at.value = self.tries.exact(problem).unwrap_or(self.at.value);
            self.at.best = self.at.best.max(self.at.value);
        }
        if scored && (score > self.at.score || before.tries == 0) {
            self.at.score = score;
            self.tries.remember();
        }
        if let Some(worse) = worse {
            self.heat.note(worse, self.at.done, self.at.length, self.tries.hot());
        }
        if let Some(print) = print {
            self.seen.note(print);
        }
        self.at.tries += 1;
        self.at.cycle = self.at.cycle.max(self.at.value);
        Some(score)
    }

    /// Drops the variant that was worst in the last sweep, or of equal ones in the one before, unless
    /// all were equal.
    fn drop_worst(&mut self) {
        let bests = || self.variants.iter().map(|&(_, bests)| bests);
        let least = bests()
            .fold([f64::INFINITY; 2], |least, bests| if bests < least { bests } else { least });
        if bests().any(|bests| bests > least) {
            self.variants.remove(bests().position(|bests| bests == least).unwrap_or(0));
        }
    }

    /// Drops all variants but the one that was best in the last sweep, the first of equal ones.
    fn keep_best(&mut self) {
        let last = |&(_, [last, _]): &(u32, [f64; 2])| last;
        let best = self.variants.iter().map(last).fold(f64::NEG_INFINITY, f64::max);
        let place = self.variants.iter().position(|variant| last(variant) == best).unwrap_or(0);
        self.variants = vec![self.variants[place]];
    }

    /// Whether a cycle is over, and the next one is still to begin.
    fn ended(&self) -> bool {
        self.at.limit.is_none() && (self.at.done >= self.at.length || self.tried_all())
    }

    /// Whether there is nothing new near the sequences of a cycle that has its temperature.
    fn tried_all(&self) -> bool {
        self.seen.all() && !self.heat.measures()
    }

    /// Goes on to the next cycle if the last one is over. False if the problem fails, and then it is as
    /// if it had not.
    fn go_on<P: Problem>(&mut self, problem: &P) -> bool
    where
        T: Tries<P>,
    {
        if self.ended() {
            let (at, variants) = (self.at, self.variants.clone());
            let seen = if self.tried_all() { self.seen.after_all() } else { Seen::default() };
            self.turn(problem);
            if problem.failed() {
                (self.at, self.variants) = (at, variants);
                return false;
            }
            (self.heat, self.seen) = (Heat::new(self.tries.temperatures()), seen);
        }
        true
    }

    /// Goes on to the next cycle.
    fn turn<P: Problem>(&mut self, problem: &P)
    where
        T: Tries<P>,
    {
        let tried_all = self.tried_all();
        let (turn, at) = (self.at.turn as usize, &mut self.at);
        let (renews, [last, before]) = (self.tries.renews(), self.variants[turn].1);
        let stuck = renews && at.best <= before;
        let before = match renews {
            true if stuck => f64::NEG_INFINITY,
            true => at.best,
            false => last,
        };
        self.variants[turn].1 = [at.cycle, before];
        if at.done == EXHAUSTED && self.variants.len() > 1 {
            self.variants.remove(turn);
        } else {
            at.turn += 1;
        }
        (at.done, at.cycle) = (0, f64::NEG_INFINITY);
        if at.turn as usize == self.variants.len() {
            (at.turn, at.sweep) = (0, at.sweep + 1);
            let left = self.planned.map_or(0, |planned| planned.saturating_sub(at.tries));
            let more = match self.tries.combines() {
                Some(enough) if at.length < enough => at.length / TENTH,
                Some(_) => at.length / HUNDREDTH,
                None if stuck => 0,
                None => at.length,
            };
            at.length = if left > 0 { left } else { (at.length + more).min(LONGEST) };
            if self.planned.is_some() {
                self.keep_best();
            } else if self.at.sweep > SPARED {
                self.drop_worst();
            }
        }
        let variant = self.variant();
        self.at.begun = self.tries.variants().len() == 1 && !stuck && !tried_all;
        if self.at.begun {
            self.at.value = self.tries.recall(problem, variant);
        }
    }
}

impl<P: Problem, T: Tries<P>> Improver<P> for Ruin<T> {
    /// A search that begins again goes on, with other random numbers.
    fn begin(&mut self, _problem: &P, key: Key) {
        self.at.random = Random::new(key);
    }

    fn plan(&mut self, evaluations: u64) {
        if evaluations <= FEW {
            self.tries.hurry();
            self.variants = all(&self.tries);
        }
        let variants = self.variants.len() as u64;
        let parts = if self.tries.plans_one() { 1 } else { variants + variants.max(2) };
        self.at.length = (evaluations / parts).clamp(1, LONGEST);
        self.planned = Some(evaluations.min(LONGEST));
    }

    fn adopt(&mut self, problem: &P, moves: &[P::Move]) {
        if !self.go_on(problem) {
            return;
        }
        let value = self.tries.adopt(problem, moves);
        let score = self.tries.score(problem);
        if problem.failed() {
            return self.tries.undo(problem);
        }
        self.at.limit = None;
        let first = !self.at.begun && self.at.tries == 0;
        if first || score > self.at.score {
            self.tries.remember();
            (self.at.value, self.at.begun, self.at.score) = (value, true, score);
            (self.at.cycle, self.at.best) = (self.at.cycle.max(value), self.at.best.max(value));
        } else {
            self.at.value = self.tries.recall(problem, self.variant());
        }
    }

    fn step(&mut self, problem: &P, _patience: u64) -> Step {
        let score = if self.go_on(problem) { self.attempt(problem) } else { None };
        let Some(score) = score else { return Step::Failed };
        if self.at.limit.is_none() && self.tries.exhausted() {
            self.at.done = EXHAUSTED;
        }
        Step::Played { score, over: self.ended() && self.at.tries >= ENOUGH }
    }

    fn moves(&self, problem: &P, moves: &mut Vec<P::Move>) {
        self.tries.moves(problem, moves);
    }

    fn progress(&self, _patience: u64) -> (u64, u64) {
        (self.at.done.min(self.at.length), self.at.length)
    }

    fn changes(&self) -> bool {
        true
    }

    fn quick(&self) -> bool {
        self.tries.quick()
    }

    fn write(&self, writer: &mut Writer) {
        writer.put(&(self.at, &self.heat, &self.variants));
        self.tries.write(writer);
        self.seen.write(writer);
    }

    fn read(&mut self, problem: &P, reader: &mut Reader) -> Result<(), String> {
        let (at, heat, variants): (Place, Heat, Vec<(u32, [f64; 2])>) = reader.take()?;
        let known = variants.iter().all(|(variant, _)| self.tries.variants().contains(variant));
        let sound = known && (at.turn as usize) < variants.len() && at.length <= LONGEST;
        if !sound || [at.value, at.cycle, at.best, at.score].iter().any(|value| value.is_nan()) {
            return Err("its local search is not one of the problem".into());
        }
        (self.at, self.heat, self.variants) = (at, heat, variants);
        self.tries.read(problem, reader)?;
        self.seen = Seen::read(reader)?;
        Ok(())
    }
}
