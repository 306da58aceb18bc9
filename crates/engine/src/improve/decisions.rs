//! Polish: local search over single decisions.
//!
//! ```text
//! polish(sequence):
//!   until there was no gain for 100 T tries:
//!     a step of the sequence that had a choice, the later the likelier
//!     play the moves before it, and there another one
//!     until the game is over:
//!       the earliest later move of the sequence that is legal, known by its code,
//!       or else one that the policy draws
//!     keep the new sequence if its score is not lower
//!   return it
//! ```

use crate::biased::Biased;
use crate::borrower::At;
use crate::code::{Code, Slots};
use crate::playout::Playouts;
use crate::policy::Policy;
use crate::problem::Problem;
use crate::random::{Key, Random};
use crate::sequence::Sequence;
use crate::state::{Reader, Writer};
use crate::way::Way;

/// What a try came to.
pub(super) enum Try {
    /// The proposal would have changed nothing.
    Nothing,
    /// A changed sequence was evaluated.
    Evaluated,
    /// It is better by what steers, and has this score.
    Gain(f64),
}

/// The place of what a sequence does not have.
const NOWHERE: u32 = u32::MAX;

/// Changes of a kick.
const KICKS: usize = 3;

/// Tries without a gain, for each of T.
const TRIES: u64 = 100;

/// The most states that are kept along the present sequence.
const STATES: usize = 32;

/// Local search over decisions.
pub(super) struct Decisions<P: Problem> {
    patience: u64,
    random: Random,
    /// Tries since the last gain.
    idle: u64,
    present: Sequence<P>,
    score: f64,
    known: Known<P>,
    /// The steps of a changed sequence that differ from the present one.
    other: Sequence<P>,
    others: Vec<u32>,
}

/// What follows from the present sequence.
struct Known<P: Problem> {
    /// The steps that have a choice.
    choices: Vec<u32>,
    /// Its codes, each with a slot, and the last step that plays the code of each slot.
    codes: Vec<P::Code>,
    space: <P::Code as Code>::Slots,
    slots: Vec<u32>,
    places: Vec<u32>,
    way: Way<P>,
}

impl<P: Problem> Known<P> {
    fn new(problem: &Biased<P>) -> Self {
        let space = Slots::new(problem.code_count());
        let (choices, codes, slots, places) = Default::default();
        Known { choices, codes, space, slots, places, way: Way::default() }
    }

    /// Becomes what follows from this sequence.
    fn take(&mut self, sequence: &Sequence<P>) {
        let Known { choices, codes, space, slots, places, way } = self;
        places.fill(NOWHERE);
        choices.clear();
        codes.clear();
        let mut start = 0;
        for (number, step) in (0..).zip(&sequence.steps) {
            codes.push(sequence.codes[(start + step.chosen) as usize]);
            if step.end - start > 1 {
                choices.push(number);
            }
            start = step.end;
        }
        if space.grows() {
            *space = Slots::new(0);
        }
        space.intern(codes, slots);
        places.resize(space.count(), NOWHERE);
        for (number, &slot) in (0..).zip(&*slots) {
            places[slot as usize] = number;
        }
        // Rules that cannot replay moves have states that cost little.
        way.take(&sequence.moves, if P::REPLAYS { STATES } else { usize::MAX });
    }

    /// The index of the move with the earliest place after `step` among those with these codes.
    fn earliest(&mut self, step: u32, codes: &[P::Code]) -> Option<usize> {
        let places = &self.places;
        let slots = self.space.find(codes, &mut self.slots);
        let placed = slots.iter().map(|&slot| places[slot as usize]).enumerate();
        let later = placed.filter(|&(_, place)| place > step && place != NOWHERE);
        later.min_by_key(|&(_, place)| place).map(|(index, _)| index)
    }
}

impl<P: Problem> Decisions<P> {
    pub(super) fn new(problem: &Biased<P>, tries: u64) -> Self {
        let (idle, present, other, others) = Default::default();
        let (patience, random) = (tries.saturating_mul(TRIES), Random::new(Key(0)));
        let (score, known) = (f64::NEG_INFINITY, Known::new(problem));
        Decisions { patience, random, idle, present, score, known, other, others }
    }

    /// Plays a changed sequence, of which `other` gets the steps from the changed one on. Returns
    /// that step and the score, or nothing if there was no other move.
    fn play(&mut self, problem: &Biased<P>, (policy, playouts): At<P>) -> Option<(usize, f64)> {
        let Decisions { random, present, known, other, others, .. } = self;
        let (last, u) = (known.choices.len().checked_sub(1)?, random.uniform());
        let back = (u * u * u * u * known.choices.len() as f64) as usize;
        let changed = known.choices[last - back];
        playouts.others(policy, present, changed as usize, others);
        if others.is_empty() {
            return None;
        }
        let chosen = others[random.below(others.len())] as usize;
        known.way.go_to(problem, changed as usize, &mut playouts.state);
        playouts.check_all();
        other.clear();
        playouts.list(problem, policy, other);
        // A problem in another language may fail here.
        if chosen >= playouts.moves.len() {
            return None;
        }
        playouts.choose(problem, chosen, other);
        loop {
            let start = other.codes.len();
            playouts.list(problem, policy, other);
            let chosen = match playouts.moves.len() {
                0 => break,
                1 => 0,
                _ => match known.earliest(changed, &other.codes[start..]) {
                    Some(kept) => kept,
                    None => playouts.draw(policy, random.uniform(), start, other),
                },
            };
            playouts.choose(problem, chosen, other);
        }
        Some((changed as usize, problem.score(&playouts.state)))
    }

    /// The present sequence becomes the changed one.
    fn accept(&mut self, (changed, score): (usize, f64)) {
        self.present.replace_end(changed, &self.other);
        self.score = score;
        self.known.take(&self.present);
    }

    /// Begins with these moves, by their numbers, or with these after a kick, and returns the score there.
    pub(super) fn begin(
        &mut self,
        problem: &Biased<P>,
        (policy, playouts): At<P>,
        (random, chosen, kicked): (Random, &[u32], bool),
    ) -> f64 {
        (self.random, self.idle) = (random, 0);
        let Decisions { random, present, .. } = self;
        playouts.check_all();
        playouts.repeat(problem, policy, chosen, random, present);
        self.score = problem.score(&playouts.state);
        self.known.take(&self.present);
        for _ in 0..if kicked { KICKS } else { 0 } {
            if let Some(changed) = self.play(problem, (policy, playouts)) {
                self.accept(changed);
            }
        }
        self.score
    }

    /// Whether it has ended.
    pub(super) fn ended(&self) -> bool {
        self.idle >= self.patience || self.known.choices.is_empty()
    }

    /// One try. If the problem fails, it is as if there had been none.
    pub(super) fn attempt(&mut self, problem: &Biased<P>, at: At<P>) -> Try {
        let before = (self.random, self.idle);
        self.idle += 1;
        let played = self.play(problem, at);
        if problem.failed() {
            (self.random, self.idle) = before;
            return Try::Nothing;
        }
        let Some((changed, score)) = played else { return Try::Nothing };
        let gain = score > self.score;
        if score >= self.score {
            self.accept((changed, score));
        }
        if !gain {
            return Try::Evaluated;
        }
        self.idle = 0;
        Try::Gain(score)
    }

    /// The present moves.
    pub(super) fn moves(&self) -> &[P::Move] {
        &self.present.moves
    }

    /// Makes `new` the present sequence, and returns its score.
    pub(super) fn finish(&self, new: &mut Sequence<P>) -> f64 {
        new.copy(&self.present);
        self.score
    }

    /// Appends the state.
    pub(super) fn write(&self, writer: &mut Writer) {
        writer.put(&(self.random, self.idle, self.score));
        writer.put(&self.present);
    }

    /// Takes the state that `write` appended.
    pub(super) fn read(&mut self, problem: &Biased<P>, reader: &mut Reader) -> Result<(), String> {
        (self.random, self.idle, self.score) = reader.take()?;
        self.present = reader.take()?;
        self.present.restore(problem)?;
        let (policy, mut same) = (Policy::new(problem), Sequence::default());
        Playouts::new(problem).retrace(problem, &policy, &self.present.moves, &mut same)?;
        if same.steps != self.present.steps {
            return Err("a polished sequence has other choices than the problem".into());
        }
        self.known.take(&self.present);
        Ok(())
    }
}
