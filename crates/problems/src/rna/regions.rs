//! Regions: the parts in which two structures of one string differ, and what they cost.
//!
//! The pairs that two structures share divide the string into regions. The energy of a structure is
//! the sum over its loops, and a loop lies in one region. So the difference of two structures in
//! energy is the sum over the regions, and each region can be had by itself.

use serde::{Deserialize, Serialize};

use super::model::{Model, helices, pairing};
use super::{Tables, partners};

/// The energy of a loop with a pair of bases that cannot pair.
const BROKEN: i32 = 1 << 19;

/// The fewest bases of a hairpin loop.
const TURN: u16 = 3;

/// A pair of positions.
type Pair = (u16, u16);

/// A loop of a structure.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Loop {
    /// The pair around it; outside all pairs, the ends of the string.
    around: Pair,
    outside: bool,
    /// The outermost pairs in it.
    inner: Vec<Pair>,
}

/// The loops of a misfold and of the target in one region.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Region {
    pub(super) wrong: Vec<Loop>,
    pub(super) right: Vec<Loop>,
}

impl Loop {
    /// The loop inside a pair, or outside all pairs of a string.
    fn of(partners: &[Option<u16>], around: Pair, outside: bool) -> Self {
        let (first, last) = (usize::from(around.0), usize::from(around.1));
        let (from, to) = if outside { (first, last + 1) } else { (first + 1, last) };
        let inner = helices(partners, from, to).map(|(i, j)| (i as u16, j as u16)).collect();
        Loop { around, outside, inner }
    }

    /// The energy with these bases.
    pub(super) fn energy(&self, model: &Model, bases: &[u8]) -> i32 {
        let base = |position: u16| usize::from(bases[usize::from(position)]);
        let pairs = |&(i, j): &Pair| pairing(base(i), base(j));
        if !(self.outside || pairs(&self.around)) || !self.inner.iter().all(pairs) {
            return BROKEN;
        }
        let (first, last) = (usize::from(self.around.0), usize::from(self.around.1));
        let inner = self.inner.iter().map(|&(i, j)| (usize::from(i), usize::from(j)));
        if self.outside {
            let string = &bases[first..=last];
            return model.open(string, inner.map(|(i, j)| (i - first, j - first)));
        }
        model.closed(bases, first, last, inner)
    }

    /// Whether it may be a loop of a structure of `n` bases.
    fn fits(&self, n: usize) -> bool {
        let (first, last) = self.around;
        let mut free = if self.outside { first } else { first.saturating_add(1) };
        let end = if self.outside { last.saturating_add(1) } else { last };
        let inside = self.inner.iter().all(|&(i, j)| {
            let fits = free <= i && i.saturating_add(TURN) < j && j < end;
            free = j.saturating_add(1);
            fits
        });
        let turns = self.outside || first.saturating_add(TURN) < last;
        inside && turns && first <= last && usize::from(last) < n
    }

    /// The positions of the bases on which the energy depends.
    pub(super) fn positions(&self) -> Vec<u16> {
        let (first, last) = self.around;
        let mut found = Vec::new();
        if !self.outside {
            found.extend([first, first + 1, last - 1, last]);
            // Small hairpins may have an energy of their own.
            if self.inner.is_empty() && last - first <= 7 {
                found.extend(first..=last);
            }
        }
        for &(i, j) in &self.inner {
            found.extend([i, j]);
            found.extend((i > first).then(|| i - 1));
            found.extend((j < last).then(|| j + 1));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl Region {
    /// Whether it may be one of structures of `n` bases.
    pub(super) fn fits(&self, n: usize) -> bool {
        !self.right.is_empty() && self.wrong.iter().chain(&self.right).all(|each| each.fits(n))
    }

    /// Whether it concerns the string between two positions. Outside all pairs it holds for one string
    /// alone, elsewhere for every string that it lies in.
    pub(super) fn concerns(&self, string: Pair) -> bool {
        let Loop { around, outside, .. } = self.right[0];
        if outside { around == string } else { string.0 <= around.0 && around.1 <= string.1 }
    }

    /// By how much the misfold costs more than the target with these bases.
    pub(super) fn margin(&self, model: &Model, bases: &[u8]) -> i32 {
        let sum = |loops: &[Loop]| loops.iter().map(|each| each.energy(model, bases)).sum::<i32>();
        sum(&self.wrong) - sum(&self.right)
    }

    /// The regions in which a misfold differs from the target: of a string between two positions, or
    /// inside a pair that both have.
    pub(super) fn all(
        wrong: &[Option<u16>],
        target: &[Option<u16>],
        around: Pair,
        outside: bool,
    ) -> Vec<Region> {
        let mut found = Vec::new();
        let mut open = vec![(around, outside)];
        while let Some((around, outside)) = open.pop() {
            let (right, shared) = loops_of(target, wrong, around, outside);
            let (wrong, _) = loops_of(wrong, target, around, outside);
            open.extend(shared.into_iter().map(|pair| (pair, false)));
            if wrong != right {
                found.push(Region { wrong, right });
            }
        }
        found
    }
}

/// The loops of a structure in one region, and the pairs at which it ends: those that the other
/// structure has, too.
fn loops_of(
    partners: &[Option<u16>],
    other: &[Option<u16>],
    around: Pair,
    outside: bool,
) -> (Vec<Loop>, Vec<Pair>) {
    let (mut loops, mut shared) = (vec![Loop::of(partners, around, outside)], Vec::new());
    let mut number = 0;
    while number < loops.len() {
        for (i, j) in loops[number].inner.clone() {
            match other[usize::from(i)] == Some(j) {
                true => shared.push((i, j)),
                false => loops.push(Loop::of(partners, (i, j), false)),
            }
        }
        number += 1;
    }
    (loops, shared)
}

/// The regions in which a misfold of the string between two positions differs from the target. Where
/// it lacks a pair of the target, the best structure inside that pair counts as well, if the model
/// folds here: the tables hold this string.
pub(super) fn misfolds(
    model: &Model,
    tables: &mut Tables,
    structure: &[u8],
    target: &[Option<u16>],
    string: (u16, u16),
) -> Vec<Region> {
    let (mut found, mut text) = (Vec::new(), structure.to_vec());
    let mut shared = vec![false; target.len()];
    let pair = |i: u16| target[usize::from(i)].filter(|&j| j > i).map(|j| ((i, j), false));
    let pairs = (string.0..=string.1).filter(|_| model.folds()).filter_map(pair);
    for (around, outside) in std::iter::once((string, true)).chain(pairs) {
        let [first, last] = [around.0, around.1].map(|i| usize::from(i - string.0));
        if shared[usize::from(around.0)] {
            continue;
        }
        if !outside {
            tables.inside(model, first, last, &mut text);
        }
        let mut wrong = vec![None; target.len()];
        for (i, partner) in (string.0..).zip(partners(&text).unwrap_or_default()) {
            wrong[usize::from(i)] = partner.map(|j| j + string.0);
            shared[usize::from(i)] |=
                partner.is_some() && wrong[usize::from(i)] == target[usize::from(i)];
        }
        found.extend(Region::all(&wrong, target, around, outside));
    }
    found
}

#[cfg(test)]
mod tests;
