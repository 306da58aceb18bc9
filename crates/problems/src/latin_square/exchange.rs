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
//! Three coolings of four go by how likely the entries are to be in a completion ([`belief`]): two are
//! drawn, and the likelier one is preferred. The chance is then the same all the time. This completes
//! hard squares far sooner. Where the beliefs are wrong, the other coolings help; the first is one of
//! them, as easy squares are complete before it ends.
//!
//! A playout is a number of such tries and the game that follows from the entries, in which a hole
//! without a legal entry gets the first value that is left.

use multiversion::multiversion;
use nestor_engine::improve::{Improver, Step};
use nestor_engine::math::exp;
use nestor_engine::problem::Problem;
use nestor_engine::random::{Key, Random};
use nestor_engine::state::{Reader, Writer};
use serde::{Deserialize, Serialize};

use super::belief::belief;
use super::needs::{Entry, NEEDS, Needs, VALUE, parts};
use super::{LatinSquare, MAX_ORDER, Move, State};
use crate::domains::bits;

/// The tries of a playout, for each hole.
const TRIES: usize = 256;
/// The chance at the beginning of a cooling: this many for all holes together, and at most that.
const HOT: f64 = 38.0;
const HOTTEST: f64 = 0.125;
/// The same number in a cooling that goes by belief.
const WARM: f64 = 31.0;
/// Minus the logarithm of the part of the chance that is left at the end.
const COOLING: f64 = 0.8;
/// The first cooling is shorter than the slowest by so many halvings.
const HALVINGS: u32 = 3;

/// Where [`Exchange::open`] has the needs beside those of each kind: of the first of their two
/// parts, and of the second.
const BESIDE: [[usize; 2]; 3] = [[5, 3], [4, 1], [2, 0]];
/// Stands for no entry.
const NONE: u8 = u8::MAX;

/// The search, as far as it is saved besides the entries.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Place {
    random: Random,
    /// The coolings that are over, and the playouts since then.
    coolings: u32,
    playouts: u64,
    /// Whether the entries came from outside, and should not be lost by heat.
    adopted: bool,
}

/// A search by exchange.
pub(super) struct Exchange {
    /// What would meet each need: the thirds that make entries of it.
    options: Needs<u64>,
    /// The third of the entry that meets each need.
    met: Needs<u8>,
    /// The needs that are not met, so many of them, and where each of them is there.
    unmet: Needs<u16>,
    count: usize,
    places: Needs<u16>,
    /// The same needs by one of their two parts, as bits for the other: in 2 * kind by the first
    /// part, and in the next by the second.
    open: [[u64; MAX_ORDER]; 8],
    /// How likely each entry is to be in a completion; empty until that is needed.
    weights: Box<[f32]>,
    at: Place,
    state: State,
    moves: Vec<Move>,
}

impl Exchange {
    pub(super) fn new(problem: &LatinSquare) -> Self {
        let n = problem.order;
        let mut options = Needs::new(0);
        for (row, value) in (0..n * n).map(|index| (index / n, index % n)) {
            for column in bits(problem.places(&problem.root, row, value)) {
                let entry = Entry::new([row, column, value]);
                (0..3).for_each(|kind| options[entry.need(kind)] |= 1 << entry.part(kind));
            }
        }
        let mut exchange = Exchange {
            options,
            weights: Box::default(),
            met: Needs::new(NONE),
            unmet: Needs::new(0),
            count: 0,
            places: Needs::new(0),
            open: [[0; MAX_ORDER]; 8],
            at: Place { random: Random::new(Key(0)), coolings: 0, playouts: 0, adopted: false },
            state: problem.initial(),
            moves: Vec::new(),
        };
        exchange.clear();
        exchange
    }

    /// No need is met.
    fn clear(&mut self) {
        self.met.0.fill(NONE);
        self.count = 0;
        self.open = [[0; MAX_ORDER]; 8];
        for need in 0..3 * NEEDS {
            if self.options[need] != 0 {
                self.unmeet(need);
            }
        }
    }

    /// The needs that are not met.
    fn unmet(&self) -> &[u16] {
        &self.unmet.0[..self.count]
    }

    /// A need is met, or not met any more.
    #[inline(always)]
    fn turn(&mut self, need: usize) {
        let (kind, [one, two]) = parts(need);
        self.open[2 * kind % 8][one] ^= 1 << two;
        self.open[(2 * kind + 1) % 8][two] ^= 1 << one;
    }

    /// A need is not met any more.
    #[inline(always)]
    fn unmeet(&mut self, need: usize) {
        self.met[need] = NONE;
        self.places[need] = self.count as u16;
        self.unmet[self.count] = need as u16;
        self.count += 1;
        self.turn(need);
    }

    /// A need is met: the last one that is not takes its place.
    #[inline(always)]
    fn meet(&mut self, need: usize) {
        self.count -= 1;
        let (place, last) = (self.places[need], self.unmet[self.count]);
        self.unmet[place.into()] = last;
        self.places[last.into()] = place;
        self.turn(need);
    }

    /// Puts an entry in; those that it clashes with go out.
    #[inline(always)]
    fn enter(&mut self, entry: Entry) {
        for kind in 0..3 {
            let need = entry.need(kind);
            let out = self.met[need];
            if out == NONE {
                self.meet(need);
            } else {
                let gone = entry.with(kind, out.into());
                (0..3)
                    .filter(|&other| other != kind)
                    .for_each(|other| self.unmeet(gone.need(other)));
            }
            self.met[need] = entry.part(kind) as u8;
        }
    }

    /// The thirds that would meet a need beside one or two others that are not met.
    #[inline(always)]
    fn others_open(&self, need: usize) -> [u64; 2] {
        let (kind, [one, two]) = parts(need);
        let [of_one, of_two] = BESIDE[kind];
        let (of_one, of_two) = (self.open[of_one][one], self.open[of_two][two]);
        [self.options[need] & (of_one | of_two), self.options[need] & of_one & of_two]
    }

    /// Whether this cooling goes by belief.
    fn biased(&self) -> bool {
        !self.at.coolings.is_multiple_of(4)
    }

    /// The chance, as a number of 20 bits, in a cooling of so many playouts.
    fn chance(&self, problem: &LatinSquare, playouts: u64) -> u64 {
        let passed = if self.at.adopted { 1.0 } else { self.at.playouts as f64 / playouts as f64 };
        let warm = self.biased() && !self.at.adopted;
        let (many, cooled) = if warm { (WARM, 0.0) } else { (HOT, COOLING * passed) };
        let hottest = f64::min(many / f64::from(problem.root.left.max(1)), HOTTEST);
        (hottest * exp(-cooled) * f64::from(1 << 20)) as u64
    }

    /// Puts in entries that alone can meet a need beside the others.
    fn settle(&mut self) {
        let single = |exchange: &Self| {
            exchange.unmet().iter().map(|&need| usize::from(need)).find_map(|need| {
                let [_, both] = exchange.others_open(need);
                both.is_power_of_two().then(|| Entry::of(need, both.trailing_zeros() as usize))
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
            let value = self.met[Entry::new([row.into(), column.into(), 0]).need(VALUE)];
            let legal = value != NONE && domain >> value & 1 == 1;
            let value = if legal { value } else { domain.trailing_zeros() as u8 };
            let mv = Move { row, column, value: value + 1 };
            self.moves.push(mv);
            problem.play(&mut self.state, mv);
        }
        problem.score(&self.state)
    }

    /// Puts an entry in if it is one of the problem and clashes with none.
    fn admit(&mut self, parts: [usize; 3]) -> bool {
        let free = parts.iter().all(|&part| part < MAX_ORDER) && {
            let need = Entry::new(parts).need(VALUE);
            let [_, both] = self.others_open(need);
            self.met[need] == NONE && both >> parts[VALUE] & 1 == 1
        };
        if free {
            self.enter(Entry::new(parts));
        }
        free
    }

    /// Row, column and value of the entries.
    fn entries(&self) -> impl Iterator<Item = [usize; 3]> {
        let cells = (VALUE * NEEDS..3 * NEEDS).map(|cell| (parts(cell).1, self.met[cell]));
        cells
            .filter(|&(_, value)| value != NONE)
            .map(|([row, column], value)| [row, column, value.into()])
    }
}

/// So many tries, or fewer if every need is met. The chance is a number of 20 bits. Compiled twice: some
/// processors count bits in one instruction.
#[multiversion(targets("x86_64+popcnt+lzcnt+bmi1+bmi2"))]
fn attempt(exchange: &mut Exchange, tries: usize, chance: u64) {
    let (biased, mut random) = (exchange.biased(), exchange.at.random);
    for _ in 0..tries {
        if exchange.count == 0 {
            break;
        }
        // 24 bits choose the need, 20 the entry, and 20 whether it may be any.
        let drawn = random.bits();
        let need = usize::from(exchange.unmet[scaled(drawn >> 40, 24, exchange.count)]);
        let [one, both] = exchange.others_open(need);
        let thirds = match drawn & 0xF_FFFF < chance {
            true => exchange.options[need],
            false if both != 0 => both,
            false => one,
        };
        if thirds == 0 {
            continue;
        }
        let count = thirds.count_ones() as usize;
        let mut entry = Entry::of(need, nth(thirds, scaled(drawn >> 20 & 0xF_FFFF, 20, count)));
        if biased && count > 1 {
            // 24 bits choose another entry, and 40 which of the two.
            let drawn = random.bits();
            let other = Entry::of(need, nth(thirds, scaled(drawn >> 40, 24, count)));
            let [one, two] =
                [entry, other].map(|entry| f64::from(exchange.weights[entry.number()]));
            if (drawn & 0xFF_FFFF_FFFF) as f64 * (one + two) >= one * (1u64 << 40) as f64 {
                entry = other;
            }
        }
        exchange.enter(entry);
    }
    exchange.at.random = random;
}

/// The bit of a mask with this index, counted from the lowest.
#[inline(always)]
fn nth(mask: u64, index: usize) -> usize {
    (0..index).fold(mask, |mask, _| mask & (mask - 1)).trailing_zeros() as usize
}

/// The index below `count` for a number of so many random bits.
#[inline(always)]
fn scaled(bits: u64, width: u32, count: usize) -> usize {
    ((bits * count as u64) >> width) as usize
}

impl Improver<LatinSquare> for Exchange {
    fn begin(&mut self, _problem: &LatinSquare, key: Key) {
        self.at = Place { random: Random::new(key), playouts: 0, adopted: false, ..self.at };
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
        if self.biased() && self.weights.is_empty() {
            self.weights = belief(&self.options);
        }
        let length = (patience >> HALVINGS.saturating_sub(self.at.coolings)).max(1);
        let chance = self.chance(problem, length);
        attempt(self, TRIES * usize::from(problem.root.left), chance);
        let score = self.play(problem);
        self.at.playouts += 1;
        if self.at.playouts >= length {
            let coolings = self.at.coolings + 1;
            self.at = Place { coolings, playouts: 0, adopted: false, ..self.at };
        }
        let over = self.count == 0 || self.at.playouts == 0 && self.at.coolings > HALVINGS;
        Step::Played { score, over }
    }

    fn moves(&self, _problem: &LatinSquare, moves: &mut Vec<Move>) {
        moves.clone_from(&self.moves);
    }

    fn progress(&self, patience: u64) -> (u64, u64) {
        (self.at.playouts, patience)
    }

    fn write(&self, writer: &mut Writer) {
        let entries: Vec<[usize; 3]> = self.entries().collect();
        writer.put(&(self.at, self.unmet(), entries));
    }

    fn read(&mut self, _problem: &LatinSquare, reader: &mut Reader) -> Result<(), String> {
        let (at, unmet, entries): (Place, Vec<u16>, Vec<[usize; 3]>) = reader.take()?;
        self.clear();
        let known = entries.into_iter().all(|parts| self.admit(parts));
        let sorted = |unmet: &[u16]| {
            let mut sorted = unmet.to_vec();
            sorted.sort_unstable();
            sorted
        };
        if !known || sorted(&unmet) != sorted(self.unmet()) {
            return Err("its entries are not those of the problem".into());
        }
        for (place, &need) in (0..).zip(&unmet) {
            self.places[need.into()] = place;
        }
        self.unmet.0[..unmet.len()].copy_from_slice(&unmet);
        self.at = at;
        Ok(())
    }
}
