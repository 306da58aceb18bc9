//! Completion by exchange: entries take each other's places.
//!
//! An entry is a value in a hole. It meets three needs: that of the hole for a value, and those of
//! its row and its column for the value. A completion meets every need once: it is an exact cover.
//! So the search keeps entries that do not clash, and anneals their number:
//!
//! ```text
//! until every need is met:
//!   a need that is not met, and an entry that would meet it, both at random
//!   if it clashes with fewer than two entries, or else by a small chance:
//!     it goes in, and those that it clashes with go out
//! ```
//!
//! An entry that clashes with one other changes nothing in number, and most steps are of that kind.
//! They are as free in the row and the column of a value as in its hole, which is what makes the
//! search strong. Which chance is best depends on the square, so it is drawn anew now and then.
//!
//! A playout is a number of such tries and the game that follows from the entries, in which a hole
//! without a legal entry gets the first value that is left.

use nestor_engine::math::exp;
use nestor_engine::problem::{Problem, Repairs, Step};
use nestor_engine::random::{Key, Random};
use nestor_engine::state::{Reader, Writer};
use serde::{Deserialize, Serialize};

use super::{LatinSquare, Move, State};
use crate::domains::bits;

/// The tries of a playout, for each hole.
const TRIES: usize = 256;
/// The playouts with one chance.
const SPELL: u64 = 32;
/// Minus the logarithm of the chance of an entry that clashes with two others: 0.0045 to 0.0011.
const COSTS: [f64; 2] = [5.4, 6.8];

/// Stands for no entry.
const NONE: u32 = u32::MAX;

/// The search, as far as it is saved besides the entries.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Place {
    random: Random,
    /// The chance, as a number of 20 bits.
    chance: u64,
    /// Playouts since the start.
    playouts: u64,
    /// The best score since the start, and the playouts since.
    best: f64,
    vain: u64,
}

/// A search by exchange.
pub(super) struct Exchange {
    /// The needs of each entry: cells, then rows and values, then columns and values.
    entries: Vec<[u16; 3]>,
    /// The entries that would meet each need, and where they end.
    options: Vec<u32>,
    ends: Vec<u32>,
    /// The entry that meets each need.
    met: Vec<u32>,
    /// The needs that are not met, and where each of them is there.
    unmet: Vec<u16>,
    places: Vec<u16>,
    at: Place,
    state: State,
    moves: Vec<Move>,
}

impl Exchange {
    pub(super) fn new(problem: &LatinSquare) -> Self {
        let (n, cells) = (problem.order, problem.order * problem.order);
        let mut entries = Vec::new();
        let mut options = vec![Vec::new(); 3 * cells];
        for (row, value) in (0..cells).map(|index| (index / n, index % n)) {
            for column in bits(problem.places(&problem.root, row, value)) {
                let in_column = 2 * cells + column * n + value;
                let needs = [row * n + column, cells + row * n + value, in_column];
                needs.iter().for_each(|&need| options[need].push(entries.len() as u32));
                entries.push(needs.map(|need| need as u16));
            }
        }
        let at = Place {
            random: Random::new(Key(0)),
            chance: 0,
            playouts: 0,
            best: f64::NEG_INFINITY,
            vain: 0,
        };
        let ends = options.iter().scan(0, |end, options| {
            *end += options.len() as u32;
            Some(*end)
        });
        let mut exchange = Exchange {
            entries,
            ends: ends.collect(),
            options: options.concat(),
            met: vec![NONE; 3 * cells],
            unmet: Vec::new(),
            places: vec![0; 3 * cells],
            at,
            state: problem.initial(),
            moves: Vec::new(),
        };
        exchange.clear();
        exchange
    }

    /// The entries that would meet a need.
    #[inline(always)]
    fn options(&self, need: usize) -> &[u32] {
        let start = if need == 0 { 0 } else { self.ends[need - 1] };
        &self.options[start as usize..self.ends[need] as usize]
    }

    /// No need is met.
    fn clear(&mut self) {
        self.met.fill(NONE);
        self.unmet.clear();
        for need in 0..self.met.len() {
            if !self.options(need).is_empty() {
                self.open(need as u16);
            }
        }
    }

    /// A need is not met any more.
    #[inline(always)]
    fn open(&mut self, need: u16) {
        self.met[usize::from(need)] = NONE;
        self.places[usize::from(need)] = self.unmet.len() as u16;
        self.unmet.push(need);
    }

    /// Puts an entry in; those that it clashes with go out.
    #[inline(always)]
    fn enter(&mut self, entry: u32) {
        let needs = self.entries[entry as usize];
        for need in needs {
            let out = self.met[usize::from(need)];
            if out != NONE {
                for need in self.entries[out as usize] {
                    self.open(need);
                }
            }
        }
        for need in needs {
            self.met[usize::from(need)] = entry;
            let place = self.places[usize::from(need)];
            self.unmet.swap_remove(usize::from(place));
            if let Some(&moved) = self.unmet.get(usize::from(place)) {
                self.places[usize::from(moved)] = place;
            }
        }
    }

    /// So many tries, or fewer if every need is met.
    fn attempt(&mut self, tries: usize) {
        let Place { mut random, chance: allowed, .. } = self.at;
        for _ in 0..tries {
            if self.unmet.is_empty() {
                break;
            }
            // 24 bits choose the need, 20 the entry, and 20 whether it may clash with two.
            let drawn = random.bits();
            let need = self.unmet[scaled(drawn >> 40, 24, self.unmet.len())];
            let options = self.options(need.into());
            let entry = options[scaled(drawn >> 20 & 0xF_FFFF, 20, options.len())];
            let mut clashes = 0;
            for need in &self.entries[entry as usize] {
                clashes += u32::from(self.met[usize::from(*need)] != NONE);
            }
            if clashes < 2 || drawn & 0xF_FFFF < allowed {
                self.enter(entry);
            }
        }
        self.at.random = random;
    }

    /// Draws the chance.
    fn draw_chance(&mut self) {
        let [least, most] = COSTS;
        let chance = exp(-least - self.at.random.uniform() * (most - least));
        self.at.chance = (chance * f64::from(1 << 20)) as u64;
    }

    /// The value of the entry in a cell, if there is one.
    #[inline]
    fn value(&self, n: usize, cell: usize) -> Option<usize> {
        let [_, needs, _] = self.entries.get(self.met[cell] as usize)?;
        Some(usize::from(*needs) % n)
    }

    /// Puts in entries that alone can meet a need beside the others.
    fn settle(&mut self) {
        let free = |exchange: &Self, entry: u32| {
            let mut needs = exchange.entries[entry as usize].into_iter();
            needs.all(|need| exchange.met[usize::from(need)] == NONE)
        };
        let single = |exchange: &Self| {
            exchange.unmet.iter().find_map(|&need| {
                let options = exchange.options(need.into()).iter().copied();
                let mut options = options.filter(|&entry| free(exchange, entry));
                options.next().filter(|_| options.next().is_none())
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
            let (n, domain) = (problem.order, self.state.domain(row, column));
            let value = self.value(n, usize::from(row) * n + usize::from(column));
            let value = value.filter(|value| domain >> value & 1 == 1);
            let value = value.unwrap_or(domain.trailing_zeros() as usize);
            let mv = Move { row, column, value: value as u8 + 1 };
            self.moves.push(mv);
            problem.play(&mut self.state, mv);
        }
        problem.score(&self.state)
    }
}

/// The index below `count` for a number of so many random bits.
#[inline(always)]
fn scaled(bits: u64, width: u32, count: usize) -> usize {
    ((bits * count as u64) >> width) as usize
}

impl Repairs<LatinSquare> for Exchange {
    fn begin(&mut self, _problem: &LatinSquare, key: Key) {
        let random = Random::new(key);
        self.at = Place { random, playouts: 0, best: f64::NEG_INFINITY, vain: 0, ..self.at };
        self.clear();
    }

    fn adopt(&mut self, problem: &LatinSquare, moves: &[Move]) {
        let n = problem.order;
        self.clear();
        for &Move { row, column, value } in moves {
            let (cell, value) = (usize::from(row) * n + usize::from(column), u16::from(value) - 1);
            let has = |&&entry: &&u32| self.entries[entry as usize][1] % n as u16 == value;
            if let Some(&entry) = self.options(cell).iter().find(has) {
                self.enter(entry);
            }
        }
        // Those that the rules put in.
        self.settle();
    }

    fn step(&mut self, problem: &LatinSquare, patience: u64) -> Step {
        if self.at.playouts.is_multiple_of(SPELL) {
            self.draw_chance();
        }
        self.attempt(TRIES * usize::from(problem.root.left));
        let score = self.play(problem);
        let at = &mut self.at;
        (at.playouts, at.vain) = (at.playouts + 1, at.vain + 1);
        if score > at.best {
            (at.best, at.vain) = (score, 0);
        }
        Step::Played { score, over: self.unmet.is_empty() || at.vain >= patience }
    }

    fn moves(&self, _problem: &LatinSquare, moves: &mut Vec<Move>) {
        moves.clone_from(&self.moves);
    }

    fn vain(&self) -> u64 {
        self.at.vain
    }

    fn write(&self, writer: &mut Writer) {
        writer.put(&(self.at, &self.unmet, &self.met[..self.met.len() / 3]));
    }

    fn read(&mut self, _problem: &LatinSquare, reader: &mut Reader) -> Result<(), String> {
        let (at, unmet, entries): (Place, Vec<u16>, Vec<u32>) = reader.take()?;
        self.clear();
        let mut known = entries.len() == self.met.len() / 3;
        for entry in entries.into_iter().filter(|&entry| entry != NONE) {
            let Some(needs) = self.entries.get(entry as usize) else {
                known = false;
                break;
            };
            known &= needs.iter().all(|&need| self.met[usize::from(need)] == NONE);
            self.enter(entry);
        }
        let sorted = |unmet: &[u16]| {
            let mut sorted = unmet.to_vec();
            sorted.sort_unstable();
            sorted
        };
        if !known || sorted(&unmet) != sorted(&self.unmet) {
            return Err("its entries are not those of the problem".into());
        }
        for (place, &need) in (0..).zip(&unmet) {
            self.places[usize::from(need)] = place;
        }
        (self.at, self.unmet) = (at, unmet);
        Ok(())
    }
}
