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
//!       keep the change by its cost, the sum of weight * ln(1 + exp(-margin / 0.6 kcal/mol))
//!     fold the part
//!     the regions in which the fold differs from the target are new counterexamples
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

use nestor_engine::math::exp;
use nestor_engine::problem::{Repairs, Step};
use nestor_engine::random::{Key, Random};
use nestor_engine::state::{Reader, Writer};
use serde::{Deserialize, Serialize};

use super::model::{Model, code};
use super::parts::Shape;
use super::pool::Pool;
use super::regions::Region;
use super::{BASES, Folder, MOVES, Rna, partners, with_tables};

mod improve;

/// Annealing: steps after which weights rise, the most steps between two folds, and the steps of one
/// call.
const PRESS: u64 = 1_000;
const ANNEAL: u64 = 20_000;
const AT_ONCE: u64 = 200;
/// The temperature of annealing.
const TEMPERATURE: f64 = 0.3;
/// What each wish that is missed costs.
const WISH: f64 = 1.0;
/// One step in so many takes any place, one draws a whole loop, and one draws without the prior.
const ANYWHERE: usize = 50;
const LOOP: usize = 5;
const UNIFORM: usize = 100;
/// One draw of a hairpin loop in so many takes one that has an energy of its own.
const SPECIAL: usize = 4;
/// The most places of a loop that are drawn at once.
const PLACES: usize = 12;
/// Folds of a part after which it is drawn anew, and how often it is.
const TRIES: u64 = 150;
const REDRAWS: u64 = 1;

/// The search, as far as it is saved.
#[derive(Clone, Serialize, Deserialize)]
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
    /// The bases as numbers.
    bases: Vec<u8>,
    /// The places to draw anew, and the bases that were there.
    drawn: Vec<u16>,
    before: Vec<(u16, u8)>,
}

impl Design {
    pub(super) fn new<F: Folder>(problem: &Rna<F>, model: &Model) -> Self {
        let n = problem.partners.len();
        let at = Place {
            random: Random::new(Key(0)),
            sequence: vec![0; n + 1],
            part: None,
            tries: 0,
            redraws: 0,
            steps: 0,
            distance: u32::MAX,
            vain: 0,
            round: 0,
            score: 0.0,
        };
        let shape =
            Shape::new(&problem.partners, problem.places.iter().map(|place| place.position));
        let hairpins = shape.loops.iter().map(|places| hairpins(problem, model, places)).collect();
        Design {
            model: model.clone(),
            shape,
            hairpins,
            pool: Pool::new(n),
            at,
            bases: vec![0; n],
            drawn: Vec::new(),
            before: Vec::new(),
        }
    }

    /// Anneals for some steps; whether nothing is violated, or it has taken too long.
    fn anneal<F: Folder>(&mut self, problem: &Rna<F>, part: usize) -> bool {
        let mut missed = problem.wishes.missed(&self.at.sequence);
        for _ in 0..AT_ONCE {
            let violated = self.pool.violated().count();
            let whole = part + 1 == self.shape.parts.len();
            let met = violated == 0 && (!whole || missed == 0);
            if met || self.at.steps == ANNEAL {
                return true;
            }
            self.at.steps += 1;
            if self.at.steps.is_multiple_of(PRESS) {
                self.pool.press();
            }
            let place = self.choose(part, violated);
            self.redraw(problem, place);
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

    /// A place of a violated counterexample, or sometimes any place of the part.
    fn choose(&mut self, part: usize, violated: usize) -> u16 {
        let random = &mut self.at.random;
        if violated == 0 || random.below(ANYWHERE) == 0 {
            let places = &self.shape.parts[part].places;
            return places[random.below(places.len())];
        }
        let number = self.pool.violated().nth(random.below(violated)).unwrap_or_default();
        let positions = self.pool.positions(number);
        self.shape.place_of[usize::from(positions[random.below(positions.len())])]
    }

    /// Draws a place anew, or all those of the loop around it.
    fn redraw<F: Folder>(&mut self, problem: &Rna<F>, place: u16) {
        self.before.clear();
        self.drawn.clear();
        if self.at.random.below(LOOP) > 0 {
            self.drawn.push(place);
        } else {
            let number = usize::from(self.shape.loop_of[usize::from(place)]);
            let (places, known) = (&self.shape.loops[number], self.hairpins[number].len());
            if known > 0 && self.at.random.below(SPECIAL) == 0 {
                let hairpin = self.at.random.below(known);
                for at in 0..places.len() {
                    let mv = self.hairpins[number][hairpin][at];
                    self.set(problem, self.shape.loops[number][at], mv);
                }
                return;
            }
            let first = self.at.random.below(places.len());
            self.drawn.extend(places.iter().cycle().skip(first).take(places.len().min(PLACES)));
        }
        for number in 0..self.drawn.len() {
            let mv = self.draw(problem, self.drawn[number]);
            self.set(problem, self.drawn[number], mv);
        }
    }

    /// A move for a place, from the prior.
    fn draw<F: Folder>(&mut self, problem: &Rna<F>, place: u16) -> u8 {
        let moves = &problem.places[usize::from(place)].moves;
        let contexts = problem.contexts.as_ref();
        let random = &mut self.at.random;
        let Some(contexts) = contexts.filter(|_| random.below(UNIFORM) > 0) else {
            return moves[random.below(moves.len())];
        };
        let before = usize::from(place).checked_sub(1);
        let previous = before.and_then(|before| problem.move_at(&self.at.sequence, before));
        let previous = previous.map_or(0, |mv| mv + 1);
        let betas = contexts.betas(usize::from(place), previous, &self.at.sequence);
        let mut weights = [0.0; MOVES];
        let mut total = 0.0;
        for &mv in moves {
            total += exp(betas[usize::from(mv)]);
            weights[usize::from(mv)] = total;
        }
        let limit = random.uniform() * total;
        let found = moves.iter().find(|&&mv| limit < weights[usize::from(mv)]);
        found.copied().unwrap_or_else(|| moves[random.below(moves.len())])
    }

    /// Writes a move at its place, and remembers what was there.
    fn set<F: Folder>(&mut self, problem: &Rna<F>, place: u16, mv: u8) {
        let place = &problem.places[usize::from(place)];
        let letters = BASES[usize::from(mv)];
        for (position, letter) in [Some(place.position), place.partner].into_iter().zip(letters) {
            let Some(position) = position else { continue };
            let old = std::mem::replace(&mut self.at.sequence[usize::from(position)], letter);
            if old != letter {
                self.bases[usize::from(position)] = code(letter);
                self.before.push((position, old));
            }
        }
    }

    fn undo(&mut self) {
        for (position, letter) in self.before.drain(..).rev() {
            self.at.sequence[usize::from(position)] = letter;
            self.bases[usize::from(position)] = code(letter);
        }
    }

    /// Draws all places of a part anew.
    fn draw_part<F: Folder>(&mut self, problem: &Rna<F>, part: usize) {
        let (first, last) = self.shape.parts[part].string;
        self.at.sequence[usize::from(first)..=usize::from(last)].fill(0);
        for number in 0..self.shape.parts[part].places.len() {
            let place = self.shape.parts[part].places[number];
            let mv = self.draw(problem, place);
            self.set(problem, place, mv);
        }
        self.before.clear();
    }

    /// Turns to a part.
    fn turn_to(&mut self, part: usize) {
        (self.at.part, self.at.tries, self.at.redraws) = (Some(part), 0, 0);
        self.focus();
    }

    fn focus(&mut self) {
        self.at.steps = 0;
        let whole = self.shape.parts.len() - 1;
        let part = self.at.part.map_or(whole, |part| part.min(whole));
        self.pool.focus(&self.model, &self.bases, self.shape.parts[part].string);
    }

    /// Takes what a misfold of a part teaches.
    fn learn<F: Folder>(&mut self, problem: &Rna<F>, part: usize, structure: &[u8]) {
        let string = self.shape.parts[part].string;
        let Ok(found) = partners(structure) else { return };
        let mut wrong = vec![None; problem.partners.len()];
        for (i, partner) in (string.0..).zip(found) {
            wrong[usize::from(i)] = partner.map(|j| j + string.0);
        }
        self.pool.prune(self.at.round);
        for region in Region::all(&wrong, &problem.partners, string) {
            self.pool.add(region, self.at.round);
        }
        if self.at.steps == ANNEAL {
            self.pool.level();
        }
        self.focus();
    }

    /// Folds a part other than the whole target.
    fn fold_part<F: Folder>(&mut self, problem: &Rna<F>, part: usize) -> Step {
        let (first, last) = self.shape.parts[part].string;
        let string = usize::from(first)..usize::from(last) + 1;
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
        if partners(&structure).is_ok_and(|found| problem.folds_as(&found, first)) {
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
            self.focus();
        }
        Step::Working
    }

    /// Folds the whole sequence: a playout.
    fn fold<F: Folder>(&mut self, problem: &Rna<F>, patience: u64) -> Step {
        let mut structure = Vec::new();
        let Some((score, distance)) = problem.judge(&self.at.sequence, &mut structure) else {
            return Step::Failed;
        };
        self.at.round += 1;
        self.at.vain += 1;
        if distance < self.at.distance {
            (self.at.distance, self.at.vain) = (distance, 0);
        }
        if distance > 0 {
            self.learn(problem, self.shape.parts.len() - 1, &structure);
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

/// The moves at the places of a loop that make each hairpin of it that has an energy of its own.
fn hairpins<F: Folder>(problem: &Rna<F>, model: &Model, loop_places: &[u16]) -> Vec<Vec<u8>> {
    let place = |number: &u16| &problem.places[usize::from(*number)];
    let unpaired = loop_places.iter().filter(|&number| place(number).partner.is_none()).count();
    let Some(closing) = loop_places.first().map(place) else { return Vec::new() };
    let (first, Some(last)) = (usize::from(closing.position), closing.partner) else {
        return Vec::new();
    };
    let string = first..usize::from(last) + 1;
    if string.len() != unpaired + 2 {
        return Vec::new();
    }
    let mut sequence = vec![0; problem.partners.len()];
    let hairpins = model.special_hairpins().into_iter().filter(|each| each.len() == string.len());
    let moves = hairpins.filter_map(|hairpin| {
        for (letter, &base) in sequence[string.clone()].iter_mut().zip(hairpin) {
            *letter = b" ACGU"[usize::from(base)];
        }
        loop_places.iter().map(|&number| problem.move_at(&sequence, usize::from(number))).collect()
    });
    moves.collect()
}

impl<F: Folder> Repairs<Rna<F>> for Design {
    fn begin(&mut self, problem: &Rna<F>, key: Key) {
        let at = &mut self.at;
        at.random = Random::new(key);
        (at.part, at.distance, at.vain) = (None, u32::MAX, 0);
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
        moves.extend(places.filter_map(|place| problem.move_at(&self.at.sequence, place)));
    }

    fn vain(&self) -> u64 {
        self.at.vain
    }

    fn write(&self, writer: &mut Writer) {
        writer.put(&self.at);
        writer.put(self.pool.all());
    }

    fn read(&mut self, problem: &Rna<F>, reader: &mut Reader) -> Result<(), String> {
        let at: Place = reader.take()?;
        self.pool.restore(reader.take()?)?;
        let known = at.sequence.len() == self.at.sequence.len()
            && at.sequence.last() == Some(&0)
            && at.part.is_none_or(|part| part <= self.shape.parts.len())
            && (0..problem.places.len())
                .all(|place| problem.move_at(&at.sequence, place).is_some());
        if !known {
            return Err("its sequence is not one of the problem".into());
        }
        for (base, &letter) in self.bases.iter_mut().zip(&at.sequence) {
            *base = code(letter);
        }
        let steps = at.steps;
        self.at = at;
        self.focus();
        self.at.steps = steps;
        Ok(())
    }
}
