//! The structure of minimum free energy (Zuker and Stiegler 1981).
//!
//! Folding takes most of the time of a search, and ViennaRNA, which serves every model and every
//! constraint, takes several times as long as this file. Of several structures with the same energy
//! both find the same one: they look for the ways to a minimum in the same order.
//!
//! The tables for bases i to j are: `pair`, where (i, j) pair; `many`, a part of a multiloop with one
//! or more helices; `split`, with two or more.
//!
//! Where a helix from k to j costs less than all else that `many` may be there, it is a *candidate*.
//! Only candidates need be tried as the last helix of a `split` (Wexler, Zilberstein and Ziv-Ukelson
//! 2007): in place of another helix, what is as good between k and j serves as well. There are few, so
//! the time grows little faster than the square of the length.
//!
//! A cell (i, j) depends on the bases from i - 1 to j + 1 and on nothing else. So the tables of one
//! sequence serve the next one, except for the cells with a changed base there.

use std::cmp::Ordering;
use std::time::Instant;

use super::model::{MAX_LOOP, Model, code, kind, pairing};

/// More than any energy, and far from overflow.
const INFINITE: i32 = 1 << 24;
/// The fewest bases of a hairpin loop.
const TURN: usize = 3;
/// The lengths of the sides of the loops of two pairs that have their own tables or rules.
const SMALL: [(usize, usize); 9] =
    [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2)];

/// How many neighbours in a row have their internal loops computed at once.
const WIDE: usize = 32;
/// The least distance of two bases for that: every loop has room between them.
const FAR: usize = MAX_LOOP + TURN + 3;

/// How many rows are filled between looks at the clock.
const ROWS: usize = 8;

/// The tables, reused from fold to fold.
#[derive(Debug, Default)]
pub struct Tables {
    /// The model that they were filled with.
    model: u64,
    n: usize,
    bases: Vec<u8>,
    /// (i, j) at i * n + j.
    pair: Vec<i32>,
    many: Vec<i32>,
    split: Vec<i32>,
    /// `pair`, and what (i, j) adds to a loop around it: a bulge (of two or more bases), an
    /// internal loop with one base on one side, or a large one.
    bulge: Vec<i32>,
    one_side: Vec<i32>,
    large: Vec<i32>,
    /// For each j the candidates from k to j, the greatest k first, with their costs.
    candidates: Vec<Vec<(u32, i32)>>,
    /// For each j in the row in hand, the least that a bulge, an internal loop with one base on one
    /// side, or a large one inside (i, j) costs, without what (i, j) adds.
    loops: Vec<[i32; 3]>,
    /// The minimum of the first j bases.
    outside: Vec<i32>,
    /// The set of j that each i can pair with, in `words` words each.
    partners: Vec<u64>,
    words: usize,
    /// The positions whose base differs from that of the last sequence.
    changed: Vec<usize>,
    /// The rows that are not filled yet: the first ones.
    left: usize,
    open: Vec<Part>,
}

/// A part of a structure that is not traced back yet.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// The first bases, outside all pairs.
    Outside(usize),
    Pair(usize, usize),
    Many(usize, usize),
}

impl Tables {
    /// The minimum free energy of a sequence of letters. Writes the structure in dot-bracket form.
    pub fn fold(&mut self, model: &Model, sequence: &[u8], structure: &mut Vec<u8>) -> i32 {
        self.fold_until(None, model, sequence, structure).unwrap_or(INFINITE)
    }

    /// The same, unless it is not done at a moment, if there is one.
    pub fn fold_until(
        &mut self,
        end: Option<Instant>,
        model: &Model,
        sequence: &[u8],
        structure: &mut Vec<u8>,
    ) -> Option<i32> {
        self.fill(end, model, sequence).then(|| {
            self.trace(model, Part::Outside(self.n), structure);
            self.outside[self.n]
        })
    }

    /// Does the part of a fold that takes long, until it is done or at a moment, if there is one. Returns
    /// whether it is done. The next call with the same sequence goes on with it.
    pub fn fill(&mut self, end: Option<Instant>, model: &Model, sequence: &[u8]) -> bool {
        self.begin(model, sequence);
        if self.left > 0 {
            if !self.fill_pairs(model, end) {
                return false;
            }
            self.fill_outside(model);
        }
        true
    }

    /// Whether the fold in hand, or the last one, is that of a sequence.
    pub fn hold(&self, model: &Model, sequence: &[u8]) -> bool {
        let same = |(&base, &letter): (&u8, &u8)| base == code(letter);
        self.fits(model, sequence) && self.bases.iter().zip(sequence).all(same)
    }

    fn fits(&self, model: &Model, sequence: &[u8]) -> bool {
        (self.model, self.n) == (model.id, sequence.len())
    }

    /// Writes the best structure of the last sequence inside a pair, which must be possible.
    pub fn inside(&mut self, model: &Model, i: usize, j: usize, structure: &mut Vec<u8>) {
        self.trace(model, Part::Pair(i, j), structure);
    }

    /// The bases of the last sequence.
    pub fn bases(&self) -> &[u8] {
        &self.bases
    }

    fn begin(&mut self, model: &Model, sequence: &[u8]) {
        if self.hold(model, sequence) {
            return;
        }
        let n = sequence.len();
        self.changed.clear();
        if self.fits(model, sequence) && self.left == 0 {
            let differs = |&place: &usize| self.bases[place] != code(sequence[place]);
            self.changed.extend((0..n).filter(differs));
        } else {
            self.changed.extend(0..n);
            (self.model, self.n) = (model.id, n);
            self.reserve();
        }
        self.left = n;
        // Candidates of cells that a changed base may affect.
        let mut last = None;
        let mut next = self.changed.iter().peekable();
        for (j, candidates) in self.candidates.iter_mut().enumerate() {
            while let Some(&place) = next.next_if(|&&place| place <= j + 1) {
                last = Some(place);
            }
            if let Some(place) = last {
                candidates.truncate(candidates.partition_point(|each| each.0 as usize > place + 1));
            }
        }
        self.bases.clear();
        self.bases.extend(sequence.iter().map(|&letter| code(letter)));
        self.outside.clear();
        self.outside.resize(n + 1, 0);
        self.find_partners();
    }

    /// Makes room for `n` bases. Nothing is read before it is written, except next to the diagonal.
    fn reserve(&mut self) {
        let n = self.n;
        for table in [
            &mut self.pair,
            &mut self.many,
            &mut self.split,
            &mut self.bulge,
            &mut self.one_side,
            &mut self.large,
        ] {
            if table.len() < n * n {
                // Not resized: what is in it need not be kept.
                *table = vec![0; n * n];
            }
        }
        for i in 0..n {
            for place in self.at(i, i)..self.at(i, n.min(i + TURN + 1)) {
                (self.many[place], self.split[place]) = (INFINITE, INFINITE);
            }
        }
        self.loops.resize(n, [INFINITE; 3]);
        self.candidates.iter_mut().for_each(Vec::clear);
        self.candidates.resize_with(n, Vec::new);
    }

    fn find_partners(&mut self) {
        // One more word, so that a window of bits can be read across the last one.
        self.words = self.n.div_ceil(64) + 1;
        let mut places = vec![0; 5 * self.words];
        for (place, &base) in self.bases.iter().enumerate() {
            places[usize::from(base) * self.words + place / 64] |= 1 << (place % 64);
        }
        self.partners.clear();
        for (i, &base) in self.bases.iter().enumerate() {
            let first = i + TURN + 1;
            for word in 0..self.words {
                let with = |other: usize| match pairing(usize::from(base), other) {
                    true => places[other * self.words + word],
                    false => 0,
                };
                let behind = match (word * 64).cmp(&(first / 64 * 64)) {
                    Ordering::Less => 0,
                    Ordering::Equal => u64::MAX << (first % 64),
                    Ordering::Greater => u64::MAX,
                };
                self.partners.push((1..5).fold(0, |set, other| set | with(other)) & behind);
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

    /// Fills all tables except `outside`, with the vector instructions that the processor has. Returns
    /// whether it has come to the end in time.
    fn fill_pairs(&mut self, model: &Model, end: Option<Instant>) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2")]
            fn avx2(tables: &mut Tables, model: &Model, end: Option<Instant>) -> bool {
                tables.fill_rows(model, end)
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has AVX2.
                return unsafe { avx2(self, model, end) };
            }
        }
        self.fill_rows(model, end)
    }

    /// Fills every row from the last one on, as far as it is not right yet.
    #[inline(always)]
    fn fill_rows(&mut self, model: &Model, end: Option<Instant>) -> bool {
        let mut next = self.changed.len();
        for i in (0..self.left).rev() {
            while next > 0 && self.changed[next - 1] + 1 >= i {
                next -= 1;
            }
            if let Some(first) = self.changed.get(next) {
                self.fill_row(model, i, first.saturating_sub(1).max(i + TURN + 1));
                if i % ROWS == 0 && end.is_some_and(|end| Instant::now() >= end) {
                    self.left = i;
                    return i == 0;
                }
            }
            self.left = i;
        }
        true
    }

    /// Fills row i of every table from column `from` on; the rows below are right.
    #[inline(always)]
    fn fill_row(&mut self, model: &Model, i: usize, from: usize) {
        let n = self.n;
        let far = self.fill_loops(model, i, from.max(i + FAR));
        for j in from..n {
            let place = self.at(i, j);
            let (mut pair, mut bulge, mut one_side, mut large) =
                (INFINITE, INFINITE, INFINITE, INFINITE);
            let mut helix = None;
            if self.can_pair(i, j) {
                pair = self.best_pair(model, i, j, j >= far);
                if i > 0 && j + 1 < n {
                    helix = Some(pair + self.helix(model, i, j));
                    let end = model.end(&self.bases, j, i);
                    (bulge, one_side, large) = (pair + end.bulge, pair + end.one, pair + end.large);
                }
            }
            self.pair[place] = pair;
            (self.bulge[place], self.one_side[place], self.large[place]) = (bulge, one_side, large);
            let split = self.best_split(i, j).min(self.split[place - 1] + model.multi_base);
            self.split[place] = split;
            let beside = self.many[place - 1].min(self.many[place + n]) + model.multi_base;
            let mut many = split.min(beside);
            if let Some(helix) = helix.filter(|&helix| helix < many) {
                self.candidates[j].push((i as u32, helix));
                many = helix;
            }
            self.many[place] = many;
        }
    }

    #[inline(always)]
    fn helix(&self, model: &Model, i: usize, j: usize) -> i32 {
        model.helix(kind(&self.bases, i, j), self.bases[i - 1], self.bases[j + 1])
    }

    #[inline(always)]
    fn best_pair(&self, model: &Model, i: usize, j: usize, far: bool) -> i32 {
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
        let [bulge, one, large] = if far { self.loops[j] } else { self.best_loops(model, i, j) };
        best = best.min(bulge + end.bulge).min(one + end.one).min(large + end.large);
        best.min(self.split[self.at(i + 1, j - 1)] + model.closing(bases, i, j))
    }

    /// Fills `loops` for row i from some column on, which it returns: none if the row is too short.
    #[inline(always)]
    fn fill_loops(&mut self, model: &Model, i: usize, from: usize) -> usize {
        let n = self.n;
        if from.max(i + FAR) + WIDE > n {
            return n;
        }
        for first in (from..n).step_by(WIDE).map(|first| first.min(n - WIDE)) {
            let at = |left: usize, right: usize| self.at(i + 1 + left, first - 1 - right);
            let mut bulge = [INFINITE; WIDE];
            for size in 2..=MAX_LOOP {
                let cost = model.bulge(size);
                lower(&mut bulge, &self.bulge[at(size, 0)..], cost);
                lower(&mut bulge, &self.bulge[at(0, size)..], cost);
            }
            let side = |left, right| model.side(left, right).last().copied().unwrap_or(INFINITE);
            let mut one = [INFINITE; WIDE];
            for size in 3..MAX_LOOP {
                lower(&mut one, &self.one_side[at(size, 1)..], side(size, 1));
                lower(&mut one, &self.one_side[at(1, size)..], side(1, size));
            }
            let mut large = [INFINITE; WIDE];
            for left in 2..=MAX_LOOP - 2 {
                let least = 6_usize.saturating_sub(left).max(2);
                for (&cost, right) in model.side(left, least).iter().rev().zip(least..) {
                    lower(&mut large, &self.large[at(left, right)..], cost);
                }
            }
            for (place, loops) in self.loops[first..first + WIDE].iter_mut().enumerate() {
                *loops = [bulge[place], one[place], large[place]];
            }
        }
        from
    }

    /// The same for one j.
    #[inline(always)]
    fn best_loops(&self, model: &Model, i: usize, j: usize) -> [i32; 3] {
        let (mut bulge, mut large) = (INFINITE, INFINITE);
        for size in 2..self.room(i, j).min(MAX_LOOP + 1) {
            let left = self.bulge[self.at(i + 1 + size, j - 1)];
            let right = self.bulge[self.at(i + 1, j - 1 - size)];
            bulge = bulge.min(left.min(right) + model.bulge(size));
        }
        for left in 2..=MAX_LOOP - 2 {
            let least = 6_usize.saturating_sub(left).max(2);
            if left + least >= self.room(i, j) {
                break;
            }
            let costs = model.side(left, least);
            large = large.min(self.best_right(&self.large, costs, i, j, left, least));
        }
        [bulge, self.best_one_sided(model, i, j), large]
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

    /// The last of two or more helices ends at j.
    #[inline(always)]
    fn best_split(&self, i: usize, j: usize) -> i32 {
        let row = &self.many[self.at(i, 0)..self.at(i + 1, 0)];
        let cost = |&(k, helix): &(u32, i32)| row[k as usize - 1] + helix;
        self.candidates[j].iter().map(cost).fold(INFINITE, i32::min)
    }

    fn fill_outside(&mut self, model: &Model) {
        for i in 0..self.n {
            let before = self.outside[i];
            self.outside[i + 1] = self.outside[i + 1].min(before);
            for j in i + TURN + 1..self.n {
                if self.can_pair(i, j) {
                    let energy = self.pair[self.at(i, j)] + model.outside(&self.bases, i, j);
                    self.outside[j + 1] = self.outside[j + 1].min(before + energy);
                }
            }
        }
    }

    /// Writes the best structure of a part. Of several it is the one that ViennaRNA finds.
    fn trace(&mut self, model: &Model, part: Part, structure: &mut Vec<u8>) {
        structure.clear();
        structure.resize(self.n, b'.');
        let mut open = std::mem::take(&mut self.open);
        open.clear();
        open.push(part);
        while let Some(part) = open.pop() {
            match part {
                Part::Outside(length) => self.trace_outside(model, length, &mut open),
                Part::Pair(i, j) => {
                    (structure[i], structure[j]) = (b'(', b')');
                    self.trace_pair(model, i, j, &mut open);
                }
                Part::Many(i, j) => self.trace_many(model, i, j, &mut open),
            }
        }
        self.open = open;
    }

    fn trace_outside(&self, model: &Model, mut length: usize, open: &mut Vec<Part>) {
        while length > 0 && self.outside[length] == self.outside[length - 1] {
            length -= 1;
        }
        let Some(j) = length.checked_sub(1) else { return };
        let found = (0..j).rev().filter(|&i| self.can_pair(i, j)).find(|&i| {
            let energy = self.pair[self.at(i, j)] + model.outside(&self.bases, i, j);
            self.outside[length] == self.outside[i] + energy
        });
        open.extend(found.into_iter().flat_map(|i| [Part::Outside(i), Part::Pair(i, j)]));
    }

    fn trace_pair(&self, model: &Model, i: usize, j: usize, open: &mut Vec<Part>) {
        let bases = &self.bases;
        let least = self.pair[self.at(i, j)];
        if least == model.hairpin(bases, i, j) {
            return;
        }
        for p in i + 1..=(i + 1 + MAX_LOOP).min(j.saturating_sub(TURN + 2)) {
            let first = (p + TURN + 1).max((j + p).saturating_sub(i + 2 + MAX_LOOP));
            for q in (first..j).rev().filter(|&q| self.can_pair(p, q)) {
                let energy = self.pair[self.at(p, q)] + model.internal(bases, i, j, p, q);
                if least == energy {
                    return open.push(Part::Pair(p, q));
                }
            }
        }
        self.trace_split(i + 1, j - 1, least - model.closing(bases, i, j), open);
    }

    fn trace_many(&self, model: &Model, mut i: usize, mut j: usize, open: &mut Vec<Part>) {
        let least = |i: usize, j: usize| self.many[self.at(i, j)];
        while i + TURN + 1 < j && least(i, j) == least(i, j - 1) + model.multi_base {
            j -= 1;
        }
        while i + TURN + 1 < j && least(i, j) == least(i + 1, j) + model.multi_base {
            i += 1;
        }
        let pair = self.pair[self.at(i, j)];
        if pair < INFINITE && least(i, j) == pair + self.helix(model, i, j) {
            open.push(Part::Pair(i, j));
        } else {
            self.trace_split(i, j, least(i, j), open);
        }
    }

    fn trace_split(&self, i: usize, j: usize, least: i32, open: &mut Vec<Part>) {
        let sum = |k: usize| self.many[self.at(i, k)] + self.many[self.at(k + 1, j)];
        let found = (i + TURN + 1..j.saturating_sub(TURN + 1)).find(|&k| least == sum(k));
        open.extend(found.into_iter().flat_map(|k| [Part::Many(i, k), Part::Many(k + 1, j)]));
    }
}

/// Takes the least of each number and one of a table, plus a cost.
#[inline(always)]
fn lower(least: &mut [i32; WIDE], table: &[i32], cost: i32) {
    for (least, each) in least.iter_mut().zip(&table[..WIDE]) {
        *least = (*least).min(each + cost);
    }
}

#[cfg(test)]
pub(super) mod tests;
