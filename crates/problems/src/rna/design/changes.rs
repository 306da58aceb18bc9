//! How the search by counterexamples changes bases: what it draws, and what it looks for.

use nestor_engine::math::exp;

use super::Design;
use crate::rna::model::{Model, code};
use crate::rna::regions::Region;
use crate::rna::{BASES, Folder, MOVES, Rna};

/// One step in so many takes any place, one draws a whole loop, and one draws without the prior.
const ANYWHERE: usize = 50;
const LOOP: usize = 5;
const UNIFORM: usize = 100;
/// One step in so many looks for bases that meet a stubborn counterexample.
const MEET: usize = 50;
/// One draw of a hairpin loop in so many takes one that has an energy of its own.
const SPECIAL: usize = 4;
/// The most places of a loop that are drawn at once.
const PLACES: usize = 12;

impl Design {
    /// Changes some bases.
    pub(super) fn change<F: Folder>(&mut self, problem: &Rna<F>, part: usize, violated: usize) {
        self.before.clear();
        self.drawn.clear();
        if violated > 0 && self.at.random.below(MEET) == 0 {
            let number = self.pool.nth(self.at.random.below(violated));
            if let Some(region) = self.pool.stubborn(number) {
                return self.meet(problem, number, &region.clone());
            }
        }
        let place = self.choose(part, violated);
        self.redraw(problem, place);
    }

    /// A place of a violated counterexample, or sometimes any place of the part.
    fn choose(&mut self, part: usize, violated: usize) -> u16 {
        let random = &mut self.at.random;
        if violated == 0 || random.below(ANYWHERE) == 0 {
            let places = &self.shape.parts[part].places;
            return places[random.below(places.len())];
        }
        let number = self.pool.nth(random.below(violated));
        let positions = self.pool.positions(number);
        self.shape.place_of[usize::from(positions[random.below(positions.len())])]
    }

    /// Draws the places of a counterexample without the prior. Then it takes for one after the other
    /// the move that is best for this counterexample, until that is met or no move is better.
    fn meet<F: Folder>(&mut self, problem: &Rna<F>, number: usize, region: &Region) {
        let mut places = Vec::new();
        for &position in self.pool.positions(number) {
            let place = self.shape.place_of[usize::from(position)];
            if !places.contains(&place) {
                places.push(place);
            }
        }
        let moves = |place: u16| &problem.places[usize::from(place)].moves;
        let mut chosen = Vec::new();
        for &place in &places {
            chosen.push(moves(place)[self.at.random.below(moves(place).len())]);
            self.set(problem, place, chosen[chosen.len() - 1]);
        }
        let mut margin = region.margin(&self.model, &self.bases);
        let mut kept = 0;
        for at in (0..places.len()).cycle() {
            if margin > 0 || kept == places.len() {
                break;
            }
            kept += 1;
            for &mv in moves(places[at]) {
                self.set(problem, places[at], mv);
                let found = region.margin(&self.model, &self.bases);
                if found > margin {
                    (margin, chosen[at], kept) = (found, mv, 0);
                }
            }
            self.set(problem, places[at], chosen[at]);
        }
    }

    /// Draws a place anew, or all those of the loop around it.
    fn redraw<F: Folder>(&mut self, problem: &Rna<F>, place: u16) {
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
    pub(super) fn set<F: Folder>(&mut self, problem: &Rna<F>, place: u16, mv: u8) {
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

    pub(super) fn undo(&mut self) {
        for (position, letter) in self.before.drain(..).rev() {
            self.at.sequence[usize::from(position)] = letter;
            self.bases[usize::from(position)] = code(letter);
        }
    }

    /// Draws all places of a part anew.
    pub(super) fn draw_part<F: Folder>(&mut self, problem: &Rna<F>, part: usize) {
        let (first, last) = self.shape.parts[part].string;
        self.at.sequence[usize::from(first)..=usize::from(last)].fill(0);
        for number in 0..self.shape.parts[part].places.len() {
            let place = self.shape.parts[part].places[number];
            let mv = self.draw(problem, place);
            self.set(problem, place, mv);
        }
        self.before.clear();
    }

    /// Takes the bases from the letters.
    pub(super) fn read_bases(&mut self) {
        for (base, &letter) in self.bases.iter_mut().zip(&self.at.sequence) {
            *base = code(letter);
        }
    }
}

/// The moves at the places of a loop that make each hairpin of it that has an energy of its own.
pub(super) fn hairpins<F: Folder>(
    problem: &Rna<F>,
    model: &Model,
    loop_places: &[u16],
) -> Vec<Vec<u8>> {
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
