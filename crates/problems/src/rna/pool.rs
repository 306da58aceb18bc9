//! The pool of counterexamples: what each of them asks of a sequence, kept up to date while bases
//! change.
//!
//! A counterexample is a region of a misfold. It asks that the target's loops there cost less than
//! the misfold's: its margin, the difference, must be above 0. Loops that several regions have in
//! common are evaluated once. All sums are of whole numbers, so that their order cannot matter.

use std::collections::HashMap;

use nestor_engine::math::exp;
use serde::{Deserialize, Serialize};

use super::model::Model;
use super::regions::{Loop, Region};

/// The scale of margins in the cost, in units of 0.01 kcal/mol.
const SCALE: f64 = 60.0;
/// Margins from which on a counterexample costs nothing.
const SLACK: i32 = 1200;
/// Margins below which the cost is a straight line.
const STEEP: i32 = -1200;
/// The unit of costs.
const UNIT: f64 = 65536.0;
/// The unit of weights, and the greatest weight.
const WEIGHT: i64 = 1024;
const HEAVIEST: i64 = 20 * WEIGHT;
/// The weight of counterexamples that were violated for long.
const STUBBORN: i64 = 2 * WEIGHT;
/// The most counterexamples, and those that stay when there are too many.
const MOST: usize = 800;
const KEPT: usize = 600;

/// A region of a misfold that must cost more than the target's.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Counterexample {
    region: Region,
    weight: i64,
    /// The last round in which it was violated, or nearly so.
    seen: u64,
}

/// The counterexamples, and their margins for the present bases.
#[derive(Default)]
pub(super) struct Pool {
    /// The length of the sequences.
    n: usize,
    all: Vec<Counterexample>,
    known: HashMap<Region, usize>,
    /// For each counterexample its loops, with the sign that they have there, and the positions that
    /// matter to it.
    parts: Vec<Vec<(u32, i32)>>,
    positions: Vec<Vec<u16>>,
    /// All loops, and the positions that matter to each.
    loops: Vec<(Loop, Vec<u16>)>,
    numbers: HashMap<Loop, u32>,
    /// The counterexamples that concern the string in hand. Only their margins, and the energies of
    /// their loops, are kept up to date.
    active: Vec<bool>,
    margins: Vec<i32>,
    energies: Vec<i32>,
    /// Their loops that depend on each position, and for each loop those that have it.
    around: Rows<u32>,
    uses: Rows<(u32, i32)>,
    costs: Vec<i64>,
    change: Change,
    /// The violated ones as a set of bits, and their number.
    violated: Vec<u64>,
    count: usize,
}

/// Lists, one after the other in memory.
#[derive(Default)]
struct Rows<T> {
    /// Where each begins; the one behind the last ends there.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy + Default> Rows<T> {
    /// Makes so many lists of items that come with the number of their list.
    fn fill(&mut self, lists: usize, items: impl Iterator<Item = (usize, T)> + Clone) {
        self.starts.clear();
        self.starts.resize(lists + 2, 0);
        items.clone().for_each(|(list, _)| self.starts[list + 2] += 1);
        for list in 2..self.starts.len() {
            self.starts[list] += self.starts[list - 1];
        }
        self.items.clear();
        self.items.resize(self.starts[lists + 1] as usize, T::default());
        for (list, item) in items {
            let start = &mut self.starts[list + 1];
            self.items[*start as usize] = item;
            *start += 1;
        }
    }

    fn list(&self, number: usize) -> &[T] {
        &self.items[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}

/// A change of bases that is not accepted yet.
#[derive(Default)]
struct Change {
    /// The loops that it changes, with their new energies.
    loops: Vec<(u32, i32)>,
    /// The counterexamples that it changes.
    touched: Vec<u32>,
    /// By how much it changes each margin.
    margins: Vec<i32>,
    /// Whether each loop or counterexample is listed already.
    marked_loops: Vec<bool>,
    marked: Vec<bool>,
}

impl Pool {
    /// An empty pool for sequences of `n` bases.
    pub(super) fn new(n: usize) -> Self {
        Pool { n, costs: (STEEP..=SLACK).map(cost).collect(), ..Pool::default() }
    }

    /// The counterexamples as they are saved.
    pub(super) fn all(&self) -> &[Counterexample] {
        &self.all
    }

    /// Takes counterexamples from a file in place of its own.
    ///
    /// # Errors
    ///
    /// If one of them is not of sequences of this length.
    pub(super) fn restore(&mut self, all: Vec<Counterexample>) -> Result<(), String> {
        let n = self.n;
        let fits =
            |one: &Counterexample| one.region.fits(n) && (0..=HEAVIEST).contains(&one.weight);
        if !all.iter().all(fits) {
            return Err("a counterexample is not one of the problem".into());
        }
        self.replace(all);
        Ok(())
    }

    fn replace(&mut self, all: Vec<Counterexample>) {
        *self = Pool::new(self.n);
        all.into_iter().for_each(|one| self.push(one));
    }

    /// Adds a region of a misfold. One that is known weighs more from now on.
    pub(super) fn add(&mut self, region: Region, round: u64) {
        match self.known.get(&region) {
            Some(&number) => {
                let known = &mut self.all[number];
                (known.weight, known.seen) = (heavier(known.weight), round);
            }
            None => self.push(Counterexample { region, weight: WEIGHT, seen: round }),
        }
    }

    fn push(&mut self, one: Counterexample) {
        let number = self.all.len();
        let (mut parts, mut positions) = (Vec::new(), Vec::new());
        for (loops, sign) in [(&one.region.wrong, 1), (&one.region.right, -1)] {
            for each in loops {
                let number = self.number(each);
                parts.push((number, sign));
                positions.extend_from_slice(&self.loops[number as usize].1);
            }
        }
        positions.sort_unstable();
        positions.dedup();
        self.parts.push(parts);
        self.positions.push(positions);
        self.known.insert(one.region.clone(), number);
        self.all.push(one);
        self.active.push(false);
        self.margins.push(0);
        self.change.margins.push(0);
        self.change.marked.push(false);
    }

    fn number(&mut self, each: &Loop) -> u32 {
        if let Some(&number) = self.numbers.get(each) {
            return number;
        }
        let number = self.loops.len() as u32;
        self.numbers.insert(each.clone(), number);
        self.loops.push((each.clone(), each.positions()));
        self.energies.push(0);
        self.change.marked_loops.push(false);
        number
    }

    /// Drops the counterexamples that mattered least recently, if there are too many.
    pub(super) fn prune(&mut self, round: u64) {
        for (number, one) in self.all.iter_mut().enumerate() {
            if self.active[number] && self.margins[number] < 100 {
                one.seen = round;
            }
        }
        if self.all.len() > MOST {
            let mut all = std::mem::take(&mut self.all);
            let mut seen: Vec<u64> = all.iter().map(|one| one.seen).collect();
            seen.sort_unstable();
            let oldest = seen[seen.len() - KEPT];
            all.retain(|one| one.seen >= oldest);
            self.replace(all);
        }
    }

    /// Makes all counterexamples weigh the same again: where all are heavy, annealing stands still.
    pub(super) fn level(&mut self) {
        self.all.iter_mut().for_each(|one| one.weight = WEIGHT);
    }

    /// Turns to the string between two positions, and works out all margins for these bases.
    pub(super) fn focus(&mut self, model: &Model, bases: &[u8], string: (u16, u16)) {
        for (active, one) in self.active.iter_mut().zip(&self.all) {
            *active = one.region.concerns(string);
        }
        let parts = (0..).zip(&self.parts).zip(&self.active).filter(|(_, active)| **active);
        let uses = parts.flat_map(|((number, parts), _)| {
            parts.iter().map(move |&(part, sign)| (part as usize, (number, sign)))
        });
        self.uses.fill(self.loops.len(), uses);
        let uses = &self.uses;
        let used = (0..).zip(&self.loops).filter(|&(number, _)| !uses.list(number).is_empty());
        let around = used.clone().flat_map(|(number, (_, positions))| {
            positions.iter().map(move |&position| (usize::from(position), number as u32))
        });
        self.around.fill(self.n, around);
        self.margins.fill(0);
        for (number, (each, _)) in used {
            self.energies[number] = each.energy(model, bases);
            for &(one, sign) in uses.list(number) {
                self.margins[one as usize] += sign * self.energies[number];
            }
        }
        self.violated.clear();
        self.violated.resize(self.all.len().div_ceil(64), 0);
        self.count = 0;
        for number in 0..self.all.len() {
            if self.active[number] && self.margins[number] <= 0 {
                self.toggle(number);
            }
        }
    }

    /// How many counterexamples are violated.
    pub(super) fn violated(&self) -> usize {
        self.count
    }

    /// The number of one of the violated counterexamples, which are in the order of their numbers.
    pub(super) fn nth(&self, mut which: usize) -> usize {
        for (first, &word) in (0..).step_by(64).zip(&self.violated) {
            let ones = word.count_ones() as usize;
            if which < ones {
                let rest = (0..which).fold(word, |rest, _| rest & (rest - 1));
                return first + rest.trailing_zeros() as usize;
            }
            which -= ones;
        }
        0
    }

    fn toggle(&mut self, number: usize) {
        let (word, bit) = (number / 64, 1 << (number % 64));
        self.violated[word] ^= bit;
        self.count = if self.violated[word] & bit > 0 { self.count + 1 } else { self.count - 1 };
    }

    /// A counterexample, if it was violated for long.
    pub(super) fn stubborn(&self, number: usize) -> Option<&Region> {
        let one = &self.all[number];
        (one.weight >= STUBBORN).then_some(&one.region)
    }

    /// The positions that matter to a counterexample.
    pub(super) fn positions(&self, number: usize) -> &[u16] {
        &self.positions[number]
    }

    /// Makes the violated counterexamples heavier.
    pub(super) fn press(&mut self) {
        for which in 0..self.count {
            let number = self.nth(which);
            self.all[number].weight = heavier(self.all[number].weight);
        }
    }

    /// What the bases at some positions, which have just changed, add to the cost. The change waits
    /// for `accept`; without it the next one takes its place.
    pub(super) fn evaluate(
        &mut self,
        model: &Model,
        bases: &[u8],
        changed: impl Iterator<Item = u16>,
    ) -> f64 {
        let change = &mut self.change;
        change.loops.clear();
        change.touched.clear();
        for position in changed {
            for &number in self.around.list(usize::from(position)) {
                if !std::mem::replace(&mut change.marked_loops[number as usize], true) {
                    let energy = self.loops[number as usize].0.energy(model, bases);
                    change.loops.push((number, energy));
                }
            }
        }
        for &(number, energy) in &change.loops {
            change.marked_loops[number as usize] = false;
            let gain = energy - self.energies[number as usize];
            if gain == 0 {
                continue;
            }
            for &(number, sign) in self.uses.list(number as usize) {
                let number = number as usize;
                if !std::mem::replace(&mut change.marked[number], true) {
                    change.touched.push(number as u32);
                    change.margins[number] = 0;
                }
                change.margins[number] += sign * gain;
            }
        }
        let mut total = 0;
        for &number in &change.touched {
            let number = number as usize;
            change.marked[number] = false;
            let (old, by) = (self.margins[number], change.margins[number]);
            let costs = look_up(&self.costs, old + by) - look_up(&self.costs, old);
            total += self.all[number].weight * costs;
        }
        total as f64 / (UNIT * WEIGHT as f64)
    }

    /// Takes the change that was evaluated last.
    pub(super) fn accept(&mut self) {
        for &(number, energy) in &self.change.loops {
            self.energies[number as usize] = energy;
        }
        for index in 0..self.change.touched.len() {
            let number = self.change.touched[index] as usize;
            let before = self.margins[number];
            self.margins[number] += self.change.margins[number];
            if (before <= 0) != (self.margins[number] <= 0) {
                self.toggle(number);
            }
        }
    }
}

fn heavier(weight: i64) -> i64 {
    (weight * 6 / 5).min(HEAVIEST)
}

/// ln(1 + exp(-margin / SCALE)), in whole units: so the logarithm of a platform does not matter.
fn cost(margin: i32) -> i64 {
    ((1.0 + exp(-f64::from(margin) / SCALE)).ln() * UNIT).round() as i64
}

fn look_up(costs: &[i64], margin: i32) -> i64 {
    let known = margin.clamp(STEEP, SLACK);
    let beyond = i64::from(known - margin).max(0);
    costs[(known - STEEP) as usize] + beyond * (UNIT / SCALE) as i64
}
