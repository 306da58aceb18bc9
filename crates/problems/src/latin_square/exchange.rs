//! Completion by exchange: entries take each other's places while the square cools.
//!
//! An entry is a value in a hole: a row, a column and a value. It meets three needs, one for each
//! two of these: of the hole for a value, of the row for the value, and of the column for the
//! value. A completion meets every need once: it is an exact cover. So the search keeps entries that
//! do not clash, and anneals their number:
//!
//! ```text
//! until every need is met:
//!   a need that is not met, at random
//!   an entry that would meet it and clashes with no entry, or else with one, at random;
//!     by a small chance any entry that would meet it
//!   it goes in, and those that it clashes with go out
//! ```
//!
//! An entry that clashes with one other changes nothing in number, and most steps are of that kind.
//! They are as free in the row and the column of a value as in its hole, which is what makes the
//! search strong. Entries by chance clash with two others. The more holes, the smaller the chance at
//! which a square freezes, with a few needs that are not met; slowly enough, it may freeze complete.
//! So the chance falls from well above that to well below: a cooling. Each of the first is twice as
//! slow as the one before. The others are all as slow as the last of these, and begin anew.
//!
//! A playout is a number of such tries and the game that follows from the entries, in which a hole
//! without a legal entry gets the first value that is left.

use nestor_engine::math::exp;
use nestor_engine::problem::{Problem, Repairs, Step};
use nestor_engine::random::{Key, Random};
use nestor_engine::state::{Reader, Writer};
use serde::{Deserialize, Serialize};

use super::{LatinSquare, MAX_ORDER, Move, State};
use crate::domains::bits;

/// The tries of a playout, for each hole.
const TRIES: usize = 256;
/// The chance at the beginning of a cooling: this many for all holes together, and at most that.
const HOT: f64 = 38.0;
const HOTTEST: f64 = 0.125;
/// Minus the logarithm of the part of the chance that is left at the end.
const COOLING: f64 = 0.8;
/// The first cooling is shorter than the slowest by so many halvings.
const HALVINGS: u32 = 3;

/// The other two of row, column and value.
const OTHERS: [[usize; 2]; 3] = [[1, 2], [0, 2], [0, 1]];
/// The index of the value in an entry, and of the needs of cells.
const VALUE: usize = 2;
/// The number of needs of a kind.
const NEEDS: usize = MAX_ORDER * MAX_ORDER;
/// Stands for no entry.
const NONE: u8 = u8::MAX;

/// Row, column and value, all from 0.
type Entry = [usize; 3];

/// The need of an entry for the two that are not `kind`.
#[inline(always)]
fn need(kind: usize, entry: Entry) -> usize {
    let [one, two] = OTHERS[kind];
    kind * NEEDS + entry[one] * MAX_ORDER + entry[two]
}

/// The kind of a need, and the two that it is for.
#[inline(always)]
fn parts(need: usize) -> (usize, [usize; 2]) {
    (need / NEEDS, [need / MAX_ORDER % MAX_ORDER, need % MAX_ORDER])
}

/// The entry that meets a need by a third.
#[inline(always)]
fn entry(need: usize, third: usize) -> Entry {
    let (kind, [one, two]) = parts(need);
    let [first, second] = OTHERS[kind];
    let mut entry = [third; 3];
    (entry[first], entry[second]) = (one, two);
    entry
}

/// The search, as far as it is saved besides the entries.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Place {
    random: Random,
    /// The coolings that are over, up to the first of the slowest, and the playouts since then.
    coolings: u32,
    playouts: u64,
    /// Whether the entries came from outside, and should not be lost by heat.
    adopted: bool,
}

/// A search by exchange.
pub(super) struct Exchange {
    /// What would meet each need: the thirds that make entries of it.
    options: Vec<u64>,
    /// The third of the entry that meets each need.
    met: Vec<u8>,
    /// The needs that are not met, and where each of them is there.
    unmet: Vec<u16>,
    places: Vec<u16>,
    /// The same needs by kind, one of their two parts, and the number of that part.
    open: [[[u64; MAX_ORDER]; 3]; 3],
    at: Place,
    state: State,
    moves: Vec<Move>,
}

impl Exchange {
    pub(super) fn new(problem: &LatinSquare) -> Self {
        let n = problem.order;
        let mut options = vec![0; 3 * NEEDS];
        for (row, value) in (0..n * n).map(|index| (index / n, index % n)) {
            for column in bits(problem.places(&problem.root, row, value)) {
                let entry = [row, column, value];
                (0..3).for_each(|kind| options[need(kind, entry)] |= 1 << entry[kind]);
            }
        }
        let mut exchange = Exchange {
            options,
            met: vec![NONE; 3 * NEEDS],
            unmet: Vec::new(),
            places: vec![0; 3 * NEEDS],
            open: [[[0; MAX_ORDER]; 3]; 3],
            at: Place { random: Random::new(Key(0)), coolings: 0, playouts: 0, adopted: false },
            state: problem.initial(),
            moves: Vec::new(),
        };
        exchange.clear();
        exchange
    }

    /// No need is met.
    fn clear(&mut self) {
        self.met.fill(NONE);
        self.unmet.clear();
        self.open = [[[0; MAX_ORDER]; 3]; 3];
        for need in 0..self.met.len() {
            if self.options[need] != 0 {
                self.unmeet(need);
            }
        }
    }

    /// A need is met, or not met any more.
    #[inline(always)]
    fn turn(&mut self, need: usize) {
        let (kind, [one, two]) = parts(need);
        let [first, second] = OTHERS[kind];
        self.open[kind][first][one] ^= 1 << two;
        self.open[kind][second][two] ^= 1 << one;
    }

    /// A need is not met any more.
    #[inline(always)]
    fn unmeet(&mut self, need: usize) {
        self.met[need] = NONE;
        self.places[need] = self.unmet.len() as u16;
        self.unmet.push(need as u16);
        self.turn(need);
    }

    /// A need is met.
    #[inline(always)]
    fn meet(&mut self, need: usize) {
        let place = self.places[need];
        self.unmet.swap_remove(place.into());
        if let Some(&moved) = self.unmet.get(usize::from(place)) {
            self.places[usize::from(moved)] = place;
        }
        self.turn(need);
    }

    /// Puts an entry in; those that it clashes with go out.
    #[inline(always)]
    fn enter(&mut self, entry: Entry) {
        for kind in 0..3 {
            let need_met = need(kind, entry);
            let out = self.met[need_met];
            if out == NONE {
                self.meet(need_met);
            } else {
                let mut gone = entry;
                gone[kind] = out.into();
                OTHERS[kind].iter().for_each(|&other| self.unmeet(need(other, gone)));
            }
            self.met[need_met] = entry[kind] as u8;
        }
    }

    /// The thirds that would meet a need beside one or two others that are not met.
    #[inline(always)]
    fn others_open(&self, need: usize) -> [u64; 2] {
        let (kind, [one, two]) = parts(need);
        let [first, second] = OTHERS[kind];
        let (of_one, of_two) = (self.open[second][first][one], self.open[first][second][two]);
        [self.options[need] & (of_one | of_two), self.options[need] & of_one & of_two]
    }

    /// So many tries, or fewer if every need is met. The chance is a number of 20 bits.
    fn attempt(&mut self, tries: usize, chance: u64) {
        let mut random = self.at.random;
        for _ in 0..tries {
            if self.unmet.is_empty() {
                break;
            }
            // 24 bits choose the need, 20 the entry, and 20 whether it may be any.
            let drawn = random.bits();
            let need = usize::from(self.unmet[scaled(drawn >> 40, 24, self.unmet.len())]);
            let [one, both] = self.others_open(need);
            let thirds = match drawn & 0xF_FFFF < chance {
                true => self.options[need],
                false if both != 0 => both,
                false => one,
            };
            if thirds != 0 {
                let skipped = scaled(drawn >> 20 & 0xF_FFFF, 20, thirds.count_ones() as usize);
                let left = (0..skipped).fold(thirds, |thirds, _| thirds & (thirds - 1));
                self.enter(entry(need, left.trailing_zeros() as usize));
            }
        }
        self.at.random = random;
    }

    /// The chance, as a number of 20 bits, in a cooling of so many playouts.
    fn chance(&self, problem: &LatinSquare, playouts: u64) -> u64 {
        let hottest = f64::min(HOT / f64::from(problem.root.left.max(1)), HOTTEST);
        let passed = if self.at.adopted { 1.0 } else { self.at.playouts as f64 / playouts as f64 };
        (hottest * exp(-COOLING * passed) * f64::from(1 << 20)) as u64
    }

    /// Puts in entries that alone can meet a need beside the others.
    fn settle(&mut self) {
        let single = |exchange: &Self| {
            exchange.unmet.iter().find_map(|&need| {
                let [_, both] = exchange.others_open(need.into());
                both.is_power_of_two().then(|| entry(need.into(), both.trailing_zeros() as usize))
            })
        };
        while let Some(entry) = single(self) {
            self.enter(entry);
        }
    }

    /// Plays the game that follows from the entries, and returns its score.
    fn play(&mut self, problem: &LatinSquare) -> f64 {
        problem.reset(&mut self.state);
        self.moves.clear();
        while let Some(hole) = self.state.next() {
            let (row, column) = problem.holes[hole];
            let domain = self.state.domain(row, column);
            let value = self.met[need(VALUE, [row.into(), column.into(), 0])];
            let legal = value != NONE && domain >> value & 1 == 1;
            let value = if legal { value } else { domain.trailing_zeros() as u8 };
            let mv = Move { row, column, value: value + 1 };
            self.moves.push(mv);
            problem.play(&mut self.state, mv);
        }
        problem.score(&self.state)
    }

    /// Puts an entry in if it is one of the problem and clashes with none.
    fn admit(&mut self, entry: Entry) -> bool {
        let inside = entry.iter().all(|&part| part < MAX_ORDER);
        let free = inside && {
            let [_, both] = self.others_open(need(VALUE, entry));
            self.met[need(VALUE, entry)] == NONE && both >> entry[VALUE] & 1 == 1
        };
        if free {
            self.enter(entry);
        }
        free
    }

    /// The entries.
    fn entries(&self) -> impl Iterator<Item = Entry> {
        let cells = (VALUE * NEEDS..).zip(&self.met[VALUE * NEEDS..]);
        cells.filter(|&(_, &value)| value != NONE).map(|(cell, &value)| entry(cell, value.into()))
    }
}

/// The index below `count` for a number of so many random bits.
#[inline(always)]
fn scaled(bits: u64, width: u32, count: usize) -> usize {
    ((bits * count as u64) >> width) as usize
}

impl Repairs<LatinSquare> for Exchange {
    fn begin(&mut self, _problem: &LatinSquare, key: Key) {
        let coolings = self.at.coolings.min(HALVINGS);
        self.at = Place { random: Random::new(key), coolings, playouts: 0, adopted: false };
        self.clear();
    }

    fn adopt(&mut self, _problem: &LatinSquare, moves: &[Move]) {
        self.clear();
        for &Move { row, column, value } in moves {
            self.admit([row, column, value - 1].map(usize::from));
        }
        // Those that the rules put in.
        self.settle();
        self.at.adopted = true;
    }

    fn step(&mut self, problem: &LatinSquare, patience: u64) -> Step {
        let length = (patience >> (HALVINGS - self.at.coolings)).max(1);
        self.attempt(TRIES * usize::from(problem.root.left), self.chance(problem, length));
        let score = self.play(problem);
        self.at.playouts += 1;
        if self.at.playouts >= length {
            let coolings = self.at.coolings + 1;
            self.at = Place { coolings, playouts: 0, adopted: false, ..self.at };
        }
        let over = self.unmet.is_empty() || self.at.coolings > HALVINGS;
        Step::Played { score, over }
    }

    fn moves(&self, _problem: &LatinSquare, moves: &mut Vec<Move>) {
        moves.clone_from(&self.moves);
    }

    fn vain(&self) -> u64 {
        self.at.playouts
    }

    fn write(&self, writer: &mut Writer) {
        let entries: Vec<Entry> = self.entries().collect();
        writer.put(&(self.at, &self.unmet, entries));
    }

    fn read(&mut self, _problem: &LatinSquare, reader: &mut Reader) -> Result<(), String> {
        let (at, unmet, entries): (Place, Vec<u16>, Vec<Entry>) = reader.take()?;
        self.clear();
        let known = entries.into_iter().all(|entry| self.admit(entry));
        let sorted = |unmet: &[u16]| {
            let mut sorted = unmet.to_vec();
            sorted.sort_unstable();
            sorted
        };
        if !known || at.coolings > HALVINGS || sorted(&unmet) != sorted(&self.unmet) {
            return Err("its entries are not those of the problem".into());
        }
        for (place, &need) in (0..).zip(&unmet) {
            self.places[usize::from(need)] = place;
        }
        (self.at, self.unmet) = (at, unmet);
        Ok(())
    }
}
