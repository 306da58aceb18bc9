//! The structure of minimum free energy, and whether it is the only one (Zuker and Stiegler 1981).
//!
//! Folding takes most of the time of a search, and ViennaRNA, which serves every model and every
//! constraint, takes several times as long as this file. If no other structure has the same energy,
//! the structure found here is the one that ViennaRNA finds. Otherwise the caller asks ViennaRNA
//! which of them it takes.
//!
//! The tables for bases i to j are: `pair`, where (i, j) pair; `one`, where a helix of a multiloop
//! begins at i and is the only one; `many`, with one or more helices; `split`, with two or more.
//! Every structure has one way through these tables, so two ways to the minimum mean two
//! structures.

use super::model::{MAX_LOOP, Model, NONE, code, kind};

/// More than any energy, and far from overflow.
const INFINITE: i32 = 1 << 24;
/// The fewest bases of a hairpin loop.
const TURN: usize = 3;
/// The lengths of the sides of the loops of two pairs that have their own tables or rules.
const SMALL: [(usize, usize); 9] =
    [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2)];

/// The tables, reused from fold to fold.
#[derive(Debug, Default)]
pub struct Tables {
    n: usize,
    bases: Vec<u8>,
    /// (i, j) at i * n + j.
    pair: Vec<i32>,
    many: Vec<i32>,
    /// `pair`, and what (i, j) adds to a loop around it: a bulge (of two or more bases), an
    /// internal loop with one base on one side, or a large one.
    bulge: Vec<i32>,
    one_side: Vec<i32>,
    large: Vec<i32>,
    /// (i, j) at j * n + i: columns are read as a whole.
    one: Vec<i32>,
    /// `split` of row i + 1 and of row i.
    below: Vec<i32>,
    split: Vec<i32>,
    /// One helix between i and j, of row i.
    single: Vec<i32>,
    /// The minimum of the first j bases.
    outside: Vec<i32>,
    /// The set of j that each i can pair with, in `words` words each.
    partners: Vec<u64>,
    words: usize,
    open: Vec<Part>,
}

/// A part of a structure that is not traced back yet.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// The first bases, outside all pairs.
    Outside(usize),
    Pair(usize, usize),
    Many(usize, usize),
    Split(usize, usize),
    One(usize, usize),
}

/// The ways to a minimum.
struct Ways<T> {
    first: Option<T>,
    several: bool,
}

impl<T> Ways<T> {
    fn none() -> Self {
        Ways { first: None, several: false }
    }

    fn add(&mut self, found: bool, way: impl FnOnce() -> T) {
        if found {
            self.several |= self.first.is_some();
            self.first.get_or_insert_with(way);
        }
    }

    fn only(self) -> Option<T> {
        self.first.filter(|_| !self.several)
    }
}

impl Tables {
    /// The minimum free energy of a sequence of letters, and whether only one structure has it. If
    /// so, writes that structure in dot-bracket form.
    pub fn fold(&mut self, model: &Model, sequence: &[u8], structure: &mut Vec<u8>) -> (i32, bool) {
        self.begin(sequence);
        self.fill_pairs(model);
        self.fill_outside(model);
        structure.clear();
        structure.resize(self.n, b'.');
        let unique = self.trace(model, structure).is_some();
        (self.outside[self.n], unique)
    }

    /// The bases of the last sequence.
    pub fn bases(&self) -> &[u8] {
        &self.bases
    }

    fn begin(&mut self, sequence: &[u8]) {
        let n = sequence.len();
        self.n = n;
        self.bases.clear();
        self.bases.extend(sequence.iter().map(|&letter| code(letter)));
        for table in [
            &mut self.pair,
            &mut self.many,
            &mut self.one,
            &mut self.bulge,
            &mut self.one_side,
            &mut self.large,
        ] {
            table.clear();
            table.resize(n * n, INFINITE);
        }
        for row in [&mut self.below, &mut self.split, &mut self.single] {
            row.clear();
            row.resize(n, INFINITE);
        }
        self.outside.clear();
        self.outside.resize(n + 1, 0);
        // One more word, so that a window of bits can be read across the last one.
        self.words = n.div_ceil(64) + 1;
        self.partners.clear();
        self.partners.resize(n * self.words, 0);
        for i in 0..n {
            for j in i + TURN + 1..n {
                if kind(&self.bases, i, j) != usize::from(NONE) {
                    self.partners[i * self.words + j / 64] |= 1 << (j % 64);
                }
            }
        }
    }

    #[inline(always)]
    fn can_pair(&self, i: usize, j: usize) -> bool {
        self.partners[i * self.words + j / 64] >> (j % 64) & 1 == 1
    }

    #[inline(always)]
    fn at(&self, i: usize, j: usize) -> usize {
        i * self.n + j
    }

    /// Fills all tables except `outside`, with the vector instructions that the processor has.
    fn fill_pairs(&mut self, model: &Model) {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2")]
            fn avx2(tables: &mut Tables, model: &Model) {
                (0..tables.n).rev().for_each(|i| tables.fill_row(model, i));
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has AVX2.
                return unsafe { avx2(self, model) };
            }
        }
        (0..self.n).rev().for_each(|i| self.fill_row(model, i));
    }

    /// Fills row i of every table; the rows below are already filled.
    #[inline(always)]
    fn fill_row(&mut self, model: &Model, i: usize) {
        let n = self.n;
        std::mem::swap(&mut self.below, &mut self.split);
        self.split.fill(INFINITE);
        for j in i + TURN + 1..n {
            let column = j * n;
            let mut one = self.one[column - n + i] + model.multi_base;
            if self.can_pair(i, j) {
                let energy = self.best_pair(model, i, j);
                let place = self.at(i, j);
                self.pair[place] = energy;
                if i > 0 && j + 1 < n {
                    one = one.min(energy + self.helix(model, i, j));
                    let end = model.end(&self.bases, j, i);
                    self.bulge[place] = energy + end.bulge;
                    self.one_side[place] = energy + end.one;
                    self.large[place] = energy + end.large;
                }
            }
            self.one[column + i] = one;
            self.single[j] = one.min(self.single[j] + model.multi_base);
            let split = self.best_split(i, j);
            self.split[j] = split;
            let place = self.at(i, j);
            self.many[place] = split.min(self.single[j]);
        }
    }

    #[inline(always)]
    fn helix(&self, model: &Model, i: usize, j: usize) -> i32 {
        model.helix(kind(&self.bases, i, j), self.bases[i - 1], self.bases[j + 1])
    }

    #[inline(always)]
    fn best_pair(&self, model: &Model, i: usize, j: usize) -> i32 {
        let bases = &self.bases;
        let end = model.end(bases, i, j);
        let mut best = model.hairpin(bases, i, j);
        for (left, right) in SMALL {
            if left + right < self.room(i, j) && self.can_pair(i + 1 + left, j - 1 - right) {
                let (p, q) = (i + 1 + left, j - 1 - right);
                let energy = self.pair[self.at(p, q)] + model.internal(bases, i, j, p, q);
                best = best.min(energy);
            }
        }
        for size in 2..self.room(i, j).min(MAX_LOOP + 1) {
            let left = self.bulge[self.at(i + 1 + size, j - 1)];
            let right = self.bulge[self.at(i + 1, j - 1 - size)];
            best = best.min(left.min(right) + model.bulge(size) + end.bulge);
        }
        best = best.min(self.best_one_sided(model, i, j) + end.one);
        for left in 2..=MAX_LOOP - 2 {
            let least = 6_usize.saturating_sub(left).max(2);
            if left + least >= self.room(i, j) {
                break;
            }
            let energy = self.best_right(&self.large, model.side(left, least), i, j, left, least);
            best = best.min(energy + end.large);
        }
        best.min(self.below[j - 1] + model.closing(bases, i, j))
    }

    /// One more than the most unpaired bases between (i, j) and a pair in it.
    #[inline(always)]
    fn room(&self, i: usize, j: usize) -> usize {
        (j - i).saturating_sub(TURN + 2)
    }

    /// Internal loops with one base on one side and more than two on the other.
    #[inline(always)]
    fn best_one_sided(&self, model: &Model, i: usize, j: usize) -> i32 {
        if self.room(i, j) <= 4 {
            return INFINITE;
        }
        let right = self.best_right(&self.one_side, model.side(1, 3), i, j, 1, 3);
        (3..MAX_LOOP.min(self.room(i, j) - 1)).fold(right, |best, left| {
            let cost = model.side(left, 1).last().copied().unwrap_or(INFINITE);
            best.min(self.one_side[self.at(i + 1 + left, j - 2)] + cost)
        })
    }

    /// The best of the inner pairs with `left` bases on the left and `least` or more on the right,
    /// from a table of pairs and the costs of the right sides, from the longest to the shortest.
    #[inline(always)]
    fn best_right(
        &self,
        table: &[i32],
        costs: &[i32],
        i: usize,
        j: usize,
        left: usize,
        least: usize,
    ) -> i32 {
        let (p, to) = (i + 1 + left, j - least);
        let from = (p + TURN + 1).max(to.saturating_sub(costs.len()));
        let costs = &costs[costs.len() - (to - from)..];
        let pairs = &table[self.at(p, from)..self.at(p, to)];
        pairs.iter().zip(costs).map(|(pair, cost)| pair + cost).fold(INFINITE, i32::min)
    }

    /// The last of two or more helices begins at k.
    #[inline(always)]
    fn best_split(&self, i: usize, j: usize) -> i32 {
        let (from, to) = (i + TURN + 2, (j + 1).saturating_sub(TURN + 1));
        if from >= to {
            return INFINITE;
        }
        let left = &self.many[self.at(i, from - 1)..self.at(i, to - 1)];
        let right = &self.one[j * self.n + from..j * self.n + to];
        left.iter().zip(right).map(|(a, b)| a + b).fold(INFINITE, i32::min)
    }

    /// Calls `visit` with every pair (p, q) inside (i, j) that a stack, a bulge or an internal loop
    /// of at most 30 unpaired bases may lead to.
    #[inline(always)]
    fn inner_pairs(&self, i: usize, j: usize, mut visit: impl FnMut(usize, usize)) {
        for p in i + 1..=(i + 1 + MAX_LOOP).min(j.saturating_sub(TURN + 2)) {
            let from = (p + TURN + 1).max((j + p).saturating_sub(i + 2 + MAX_LOOP));
            let row = &self.partners[p * self.words..][..self.words];
            let (word, shift) = (from / 64, from % 64);
            let mut set = row[word] >> shift | (row[word + 1] << 1) << (63 - shift);
            // From `from` to j - 1: at most 31 bits.
            set &= (1 << (j - from)) - 1;
            while set != 0 {
                visit(p, from + set.trailing_zeros() as usize);
                set &= set - 1;
            }
        }
    }

    fn fill_outside(&mut self, model: &Model) {
        for j in 0..self.n {
            let mut best = self.outside[j];
            for i in 0..(j + 1).saturating_sub(TURN + 1) {
                if self.can_pair(i, j) {
                    let energy = self.pair[self.at(i, j)] + model.outside(&self.bases, i, j);
                    best = best.min(self.outside[i] + energy);
                }
            }
            self.outside[j + 1] = best;
        }
    }

    /// Writes the structure of the minimum; `None` if there are several.
    fn trace(&mut self, model: &Model, structure: &mut [u8]) -> Option<()> {
        let mut open = std::mem::take(&mut self.open);
        open.clear();
        open.push(Part::Outside(self.n));
        let mut traced = Some(());
        while let Some(part) = open.pop() {
            traced = match part {
                Part::Outside(length) => self.trace_outside(model, length, &mut open),
                Part::Pair(i, j) => {
                    (structure[i], structure[j]) = (b'(', b')');
                    self.trace_pair(model, i, j, &mut open)
                }
                Part::Many(i, j) => self.trace_many(model, i, j, &mut open),
                Part::Split(i, j) => self.trace_split(i, j, &mut open),
                Part::One(i, j) => self.trace_one(model, i, j, &mut open),
            };
            if traced.is_none() {
                break;
            }
        }
        self.open = open;
        traced
    }

    fn trace_outside(&self, model: &Model, length: usize, open: &mut Vec<Part>) -> Option<()> {
        let Some(j) = length.checked_sub(1) else { return Some(()) };
        let mut ways = Ways::none();
        let least = self.outside[length];
        ways.add(least == self.outside[j], || (j, None));
        for i in (0..j).filter(|&i| self.can_pair(i, j)) {
            let energy = self.pair[self.at(i, j)] + model.outside(&self.bases, i, j);
            ways.add(least == self.outside[i] + energy, || (i, Some(Part::Pair(i, j))));
        }
        let (rest, pair) = ways.only()?;
        open.push(Part::Outside(rest));
        open.extend(pair);
        Some(())
    }

    fn trace_pair(&self, model: &Model, i: usize, j: usize, open: &mut Vec<Part>) -> Option<()> {
        let bases = &self.bases;
        let least = self.pair[self.at(i, j)];
        let mut ways = Ways::none();
        ways.add(least == model.hairpin(bases, i, j), || None);
        self.inner_pairs(i, j, |p, q| {
            let energy = self.pair[self.at(p, q)] + model.internal(bases, i, j, p, q);
            ways.add(least == energy, || Some(Part::Pair(p, q)));
        });
        let split = self.best_split(i + 1, j - 1);
        ways.add(least == split + model.closing(bases, i, j), || Some(Part::Split(i + 1, j - 1)));
        open.extend(ways.only()?);
        Some(())
    }

    fn trace_many(&self, model: &Model, i: usize, j: usize, open: &mut Vec<Part>) -> Option<()> {
        let least = self.many[self.at(i, j)];
        let mut ways = Ways::none();
        for k in i..j - TURN {
            let energy = self.one[j * self.n + k] + (k - i) as i32 * model.multi_base;
            ways.add(least == energy, || Part::One(k, j));
        }
        ways.add(least == self.best_split(i, j), || Part::Split(i, j));
        open.push(ways.only()?);
        Some(())
    }

    fn trace_split(&self, i: usize, j: usize, open: &mut Vec<Part>) -> Option<()> {
        let least = self.best_split(i, j);
        let mut ways = Ways::none();
        for k in i + TURN + 2..j - TURN {
            let energy = self.many[self.at(i, k - 1)] + self.one[j * self.n + k];
            ways.add(least == energy, || [Part::Many(i, k - 1), Part::One(k, j)]);
        }
        open.extend(ways.only()?);
        Some(())
    }

    fn trace_one(&self, model: &Model, i: usize, j: usize, open: &mut Vec<Part>) -> Option<()> {
        let least = self.one[j * self.n + i];
        let mut ways = Ways::none();
        for q in (i + TURN + 1..=j).filter(|&q| self.can_pair(i, q)) {
            let energy = self.pair[self.at(i, q)] + self.helix(model, i, q);
            ways.add(least == energy + (j - q) as i32 * model.multi_base, || Part::Pair(i, q));
        }
        open.push(ways.only()?);
        Some(())
    }
}

#[cfg(test)]
mod tests;
