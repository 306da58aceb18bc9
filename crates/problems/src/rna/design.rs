//! Design by counterexamples: a misfold is a constraint on all sequences.
//!
//! ```text
//! draw a sequence from the prior
//! for each part of the target, the small ones first, the whole target last:
//!   until the bases of the part fold into it, as a string of their own:
//!     anneal until no counterexample is violated:
//!       a violated counterexample, and one of its places (1 in 50: any place of the part)
//!       draw the place anew from the prior (1 in 5: all places of the loop around it, and
//!           1 in 4 of these, in a hairpin: one that has an energy of its own)
//!           (1 in 50, if it was violated for long: all its places, so that it is met)
//!       keep the change by its cost, the sum of weight * ln(1 + exp(-margin / 0.6 kcal/mol))
//!     fold the part
//!     the regions in which the fold differs from the target are new counterexamples
//!     if the gap of the energies is worse than before, mostly go back to the bases before
//! ```
//!
//! A region is a part of a structure whose energy does not depend on the rest (`regions.rs`). So a
//! counterexample says exactly which sequences would misfold in that way, and to see whether one of
//! them would costs some microseconds in place of a fold (`pool.rs`). The parts are subtrees of the
//! target (`parts.rs`): what cannot fold by itself rarely folds as a part of a whole.
//!
//! What is wished for besides the structure (`wishes.rs`) counts like counterexamples. It concerns the
//! whole sequence, so that only the whole waits for it. If something is wished for the ensemble, a
//! sequence that folds right is improved afterwards (`design/improve.rs`).
//!
//! Only folds of the whole target are playouts. A part that fails too often is drawn anew, and then
//! left as it is.

mod changes;
mod improve;

use std::ops::Range;
use std::time::{Duration, Instant};

use nestor_engine::improve::{Improver, Step};
use nestor_engine::math::exp;
use nestor_engine::random::{Key, Random};
use nestor_engine::state::{Reader, Writer};
use serde::{Deserialize, Serialize};

use changes::hairpins;

use super::model::Model;
use super::parts::{Part, Shape};
use super::pool::Pool;
use super::regions::misfolds;
use super::{Folder, Rna, partners, with_tables};

/// How long a fold goes on before the search looks at its limits.
const MOMENT: Duration = Duration::from_millis(20);
/// Annealing: steps after which weights rise, the most steps between two folds, and the steps of one
/// call.
const PRESS: u64 = 200;
const ANNEAL: u64 = 20_000;
const AT_ONCE: u64 = 200;
/// The temperature of annealing.
const TEMPERATURE: f64 = 0.3;
/// The temperature at which bases are kept whose gap is worse, in units of 0.01 kcal/mol.
const WORSE: f64 = 10.0;
/// What each wish that is missed costs.
const WISH: f64 = 1.0;
/// Folds of a part after which it is drawn anew, and how often it is.
const TRIES: u64 = 150;
const REDRAWS: u64 = 1;

/// The search, as far as it is saved.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Place {
    random: Random,
    /// The letters, and a NUL.
    sequence: Vec<u8>,
    /// The number of the part in hand; `None` while the first draw is not folded yet. One more than
    /// that of the whole stands for a sequence that folds right and is being improved.
    part: Option<usize>,
    /// Folds of the part, and how often it was drawn anew.
    tries: u64,
    redraws: u64,
    /// Steps since the last fold.
    steps: u64,
    /// The last bases of the part that were kept after a fold, and their gap: what the target costs
    /// more than the minimum.
    held: Option<(i32, Vec<u8>)>,
    /// The least distance to the target since the start, and the folds since.
    distance: u32,
    vain: u64,
    /// Folds so far.
    round: u64,
    /// The score of the sequence, while it is improved.
    score: f64,
}

/// A search by counterexamples.
pub(super) struct Design {
    model: Model,
    shape: Shape,
    pool: Pool,
    at: Place,
    /// For each loop the moves that make hairpins of it that have an energy of their own.
    hairpins: Vec<Vec<Vec<u8>>>,
    /// The letters that were folded last.
    folded: Vec<u8>,
    /// The bases as numbers.
    bases: Vec<u8>,
    /// Whether a fold has begun and is not done.
    folding: bool,
    /// The places to draw anew, and the bases that were there.
    drawn: Vec<u16>,
    before: Vec<(u16, u8)>,
}

impl Design {
    pub(super) fn new<F: Folder>(problem: &Rna<F>, model: &Model) -> Self {
        let n = problem.partners.len();
        let at = Place { sequence: vec![0; n + 1], distance: u32::MAX, ..Place::default() };
        let shape =
            Shape::new(&problem.partners, problem.places.iter().map(|place| place.position));
        let hairpins = shape.loops.iter().map(|places| hairpins(problem, model, places)).collect();
        let (folding, drawn, before) = Default::default();
        let (model, pool) = (model.clone(), Pool::new(n));
        let (folded, bases) = (vec![0; n + 1], vec![0; n]);
        Design { model, shape, pool, at, hairpins, folded, bases, folding, drawn, before }
    }

    /// Anneals for some steps; whether nothing is violated, or it has taken too long.
    fn anneal<F: Folder>(&mut self, problem: &Rna<F>, part: usize) -> bool {
        let mut missed = problem.wishes.missed(&self.at.sequence);
        for _ in 0..AT_ONCE {
            let violated = self.pool.violated();
            let whole = part + 1 == self.shape.parts.len();
            let met = violated == 0 && (!whole || missed == 0);
            if met || self.at.steps == ANNEAL {
                return true;
            }
            self.at.steps += 1;
            if self.at.steps.is_multiple_of(PRESS) {
                self.pool.press();
            }
            self.change(problem, part, violated);
            let changed = self.before.iter().map(|&(position, _)| position);
            let mut cost = self.pool.evaluate(&self.model, &self.bases, changed);
            let before = missed;
            if !problem.wishes.is_empty() {
                missed = problem.wishes.missed(&self.at.sequence);
                cost += WISH * (f64::from(missed) - f64::from(before));
            }
            if cost <= 0.0 || self.at.random.uniform() < exp(-cost / TEMPERATURE) {
                self.pool.accept();
            } else {
                missed = before;
                self.undo();
            }
        }
        false
    }

    /// Turns to a part.
    fn turn_to(&mut self, part: usize) {
        (self.at.part, self.at.tries, self.at.redraws) = (Some(part), 0, 0);
        self.at.held = None;
        self.focus();
    }

    fn focus(&mut self) {
        self.at.steps = 0;
        let whole = self.shape.parts.len() - 1;
        let part = self.at.part.map_or(whole, |part| part.min(whole));
        self.pool.focus(&self.model, &self.bases, self.shape.parts[part].string);
    }

    /// Takes what a misfold of a part teaches. If the bases before were nearer to the target, it mostly
    /// goes back to them.
    fn learn<F: Folder>(&mut self, problem: &Rna<F>, part: usize, structure: &[u8]) {
        let Part { string, target, .. } = &self.shape.parts[part];
        let bases = &self.bases[usize::from(string.0)..=usize::from(string.1)];
        let Ok(misfold) = partners(structure) else { return };
        let gap = self.model.evaluate(bases, target) - self.model.evaluate(bases, &misfold);
        let regions = with_tables(|tables| {
            misfolds(&self.model, tables, structure, &problem.partners, *string)
        });
        self.pool.prune(self.at.round);
        for region in regions {
            self.pool.add(region, self.at.round);
        }
        if self.at.steps == ANNEAL {
            self.pool.level();
        }
        let Place { held, sequence, random, .. } = &mut self.at;
        match held {
            Some((least, nearer)) if random.uniform() >= exp(-f64::from(gap - *least) / WORSE) => {
                sequence.clone_from(nearer);
            }
            _ => *held = Some((gap, sequence.clone())),
        }
        self.read_bases();
        self.focus();
    }

    /// Goes on with the fold of a string, for a moment; whether it is done. So a search with long folds
    /// can stop soon, too.
    fn fold_on<F: Folder>(&mut self, problem: &Rna<F>, string: Range<usize>) -> bool {
        let bases = &self.at.sequence[string];
        self.folding = self.model.folds()
            && !with_tables(|tables| {
                // Another job may have taken the tables, or this one has another thread now. Then it
                // does not leave the fold again, as it might never be done.
                let lost = self.folding && !tables.hold(&self.model, bases);
                let end = if lost { problem.end() } else { Instant::now().checked_add(MOMENT) };
                tables.fill(end, &self.model, bases)
            });
        !self.folding
    }

    /// Folds a part other than the whole target.
    fn fold_part<F: Folder>(&mut self, problem: &Rna<F>, part: usize) -> Step {
        let (first, last) = self.shape.parts[part].string;
        let string = usize::from(first)..usize::from(last) + 1;
        if !self.fold_on(problem, string.clone()) {
            return Step::Working;
        }
        let (bases, mut structure) = (&self.at.sequence[string], Vec::new());
        let folded = match self.model.folds() {
            true => with_tables(|tables| Some(tables.fold(&self.model, bases, &mut structure))),
            false => problem.folder.fold_part(bases, &mut structure).map(|()| 0),
        };
        if folded.is_none() {
            return Step::Failed;
        }
        // Counterexamples that cannot be met soon show that the part does not fold by itself.
        self.at.tries += if self.at.steps == ANNEAL { TRIES / 2 } else { 1 };
        self.at.round += 1;
        if partners(&structure).is_ok_and(|found| found == self.shape.parts[part].target) {
            self.turn_to(part + 1);
            return Step::Working;
        }
        self.learn(problem, part, &structure);
        if self.at.tries >= TRIES {
            if self.at.redraws == REDRAWS {
                self.turn_to(part + 1);
                return Step::Working;
            }
            self.draw_part(problem, part);
            (self.at.tries, self.at.redraws) = (0, self.at.redraws + 1);
            self.at.held = None;
            self.focus();
        }
        Step::Working
    }

    /// Folds the whole sequence: a playout.
    fn fold<F: Folder>(&mut self, problem: &Rna<F>, patience: u64) -> Step {
        if !self.fold_on(problem, 0..problem.partners.len()) {
            return Step::Working;
        }
        let mut structure = Vec::new();
        let Some((score, distance)) = problem.judge(&self.at.sequence, &mut structure) else {
            return Step::Failed;
        };
        self.folded.clone_from(&self.at.sequence);
        self.at.round += 1;
        self.at.vain += 1;
        if distance < self.at.distance {
            (self.at.distance, self.at.vain) = (distance, 0);
        }
        match distance {
            0 => self.at.steps = 0,
            _ => self.learn(problem, self.shape.parts.len() - 1, &structure),
        }
        if self.at.part.is_none() {
            self.turn_to(0);
        }
        let folds = distance == 0 && problem.wishes.missed(&self.at.sequence) == 0;
        if folds && score < 1.0 {
            self.begin_improving(score);
        }
        Step::Played { score, over: score == 1.0 || self.at.vain >= patience }
    }
}

impl<F: Folder> Improver<Rna<F>> for Design {
    fn begin(&mut self, problem: &Rna<F>, key: Key) {
        let at = &mut self.at;
        at.random = Random::new(key);
        (at.part, at.held, at.distance, at.vain) = (None, None, u32::MAX, 0);
        self.draw_part(problem, self.shape.parts.len() - 1);
        self.focus();
    }

    fn adopt(&mut self, problem: &Rna<F>, moves: &[u8]) {
        for (place, &mv) in (0..).zip(moves) {
            self.set(problem, place, mv);
        }
        self.before.clear();
        self.turn_to(self.shape.parts.len() - 1);
    }

    fn step(&mut self, problem: &Rna<F>, patience: u64) -> Step {
        let Some(part) = self.at.part else { return self.fold(problem, patience) };
        if part == self.shape.parts.len() {
            return self.improve(problem, patience);
        }
        if !self.anneal(problem, part) {
            return Step::Working;
        }
        if part + 1 == self.shape.parts.len() {
            return self.fold(problem, patience);
        }
        self.fold_part(problem, part)
    }

    fn moves(&self, problem: &Rna<F>, moves: &mut Vec<u8>) {
        moves.clear();
        let places = 0..problem.places.len();
        moves.extend(places.filter_map(|place| problem.move_at(&self.folded, place)));
    }

    fn progress(&self, patience: u64) -> (u64, u64) {
        (self.at.vain, patience)
    }

    fn write(&self, writer: &mut Writer) {
        writer.put(&self.at);
        writer.put(self.pool.all());
    }

    fn read(&mut self, problem: &Rna<F>, reader: &mut Reader) -> Result<(), String> {
        let at: Place = reader.take()?;
        self.pool.restore(reader.take()?)?;
        let known = |sequence: &Vec<u8>| {
            sequence.len() == self.at.sequence.len()
                && sequence.last() == Some(&0)
                && (0..problem.places.len()).all(|place| problem.move_at(sequence, place).is_some())
        };
        if !(known(&at.sequence)
            && at.held.as_ref().is_none_or(|(_, sequence)| known(sequence))
            && at.part.is_none_or(|part| part <= self.shape.parts.len()))
        {
            return Err("its sequence is not one of the problem".into());
        }
        let steps = at.steps;
        self.at = at;
        self.read_bases();
        self.focus();
        self.at.steps = steps;
        Ok(())
    }
}
