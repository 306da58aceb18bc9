//! Dangling bases of d1: an unpaired base beside a helix lowers the energy, but one between two helices
//! does so for one of them alone. Which one is chosen so that the energy is least.

use super::{INFINITE, Model, kind, mismatch};

/// The least energy of the helices so far: by whether the base behind the last one dangles on it.
type Sofar = [i32; 2];

impl Model {
    /// The helices outside all pairs of a string; see `Model::open`.
    pub(super) fn open_single(
        &self,
        bases: &[u8],
        helices: impl Iterator<Item = (usize, usize)>,
    ) -> i32 {
        let (mut least, mut behind) = ([0, INFINITE], 0);
        for (i, j) in helices {
            let add = |before, after| self.end_outside(bases, i, j, before, after);
            least = next(least, i - behind, j + 1 < bases.len(), add);
            behind = j + 1;
        }
        best(least, bases.len() - behind)
    }

    /// A multiloop closed by (i, j), with these pairs in it; see `Model::closed`.
    pub(super) fn multi_single(
        &self,
        bases: &[u8],
        i: usize,
        j: usize,
        inner: impl Iterator<Item = (usize, usize)>,
    ) -> i32 {
        // By whether the base before j dangles on the closing pair.
        let closing = |before, after| self.end_multi(bases, j, i, before, after);
        let mut least =
            [false, true].map(|before| [false, true].map(|after| closing(before, after)));
        let (mut behind, mut unpaired) = (i + 1, j - i - 1);
        for (p, q) in inner {
            let add = |before, after| self.end_multi(bases, p, q, before, after);
            least = least.map(|least| next(least, p - behind, true, add));
            (behind, unpaired) = (q + 1, unpaired - (q + 1 - p));
        }
        let [without, with] = least;
        let with = match j - behind {
            0 => INFINITE,
            1 => with[0],
            gap => best(with, gap),
        };
        let energy = best(without, j - behind).min(with);
        energy + self.multi_closing + unpaired as i32 * self.multi_base
    }

    /// A helix outside all pairs, with the bases before and after that dangle on it.
    fn end_outside(&self, bases: &[u8], i: usize, j: usize, before: bool, after: bool) -> i32 {
        self.end_of(bases, i, j, before, after, &self.mismatch_exterior)
    }

    /// The same in a multiloop.
    fn end_multi(&self, bases: &[u8], i: usize, j: usize, before: bool, after: bool) -> i32 {
        self.multi_helix + self.end_of(bases, i, j, before, after, &self.mismatch_multi)
    }

    fn end_of(
        &self,
        bases: &[u8],
        i: usize,
        j: usize,
        before: bool,
        after: bool,
        both: &[i32],
    ) -> i32 {
        let kind = kind(bases, i, j);
        let dangling = match (before, after) {
            (true, true) => both[mismatch(kind, bases[i - 1], bases[j + 1])],
            (true, false) => self.dangle5[kind * 5 + usize::from(bases[i - 1])],
            (false, true) => self.dangle3[kind * 5 + usize::from(bases[j + 1])],
            (false, false) => 0,
        };
        dangling + self.terminal(kind)
    }
}

/// The least energies after one more helix, which has `gap` unpaired bases before it.
fn next(least: Sofar, gap: usize, after: bool, add: impl Fn(bool, bool) -> i32) -> Sofar {
    let without = best(least, gap);
    let with = match gap {
        0 => INFINITE,
        1 => least[0],
        _ => without,
    };
    [false, true].map(|behind| match behind && !after {
        true => INFINITE,
        false => {
            let other = if gap > 0 { with + add(true, behind) } else { INFINITE };
            other.min(without + add(false, behind))
        }
    })
}

/// The least energy if there are so many bases behind.
fn best(least: Sofar, gap: usize) -> i32 {
    if gap == 0 { least[0] } else { least[0].min(least[1]) }
}
