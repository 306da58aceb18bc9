//! The nearest-neighbour energy model: what loops cost, in units of 0.01 kcal/mol (Turner and Mathews
//! 2010; Lorenz and others 2011). Bases dangle on both sides of every helix (d2), or each on one helix
//! at most, as gives the least energy (d1, `dangles.rs`).
//!
//! Bases are 1 to 4 for A, C, G and U. Kinds of pairs are 0 to 5 for CG GC GU UG AU UA.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{MAX_LENGTH, partners};

mod dangles;

/// The most unpaired bases of an internal loop.
pub(super) const MAX_LOOP: usize = 30;
/// The kind of a pair of two bases; 6 if they cannot pair.
const KINDS: [[u8; 5]; 5] = [
    [NONE; 5],
    [NONE, NONE, NONE, NONE, 4],
    [NONE, NONE, NONE, 0, NONE],
    [NONE, NONE, 1, NONE, 2],
    [NONE, 5, NONE, 3, NONE],
];
/// The kind of two bases that cannot pair.
pub(super) const NONE: u8 = 6;
/// The number of kinds in parameter files: those above, and one for any other pair.
const ROWS: usize = 7;

/// More than any energy, and far from overflow.
const INFINITE: i32 = 1 << 24;

/// The number of the next model, from 1.
static MODELS: AtomicU64 = AtomicU64::new(1);

/// The parameters of a model at 37 degrees Celsius.
#[derive(Clone, Debug)]
pub struct Model {
    /// Tells models apart; copies have the same.
    pub(super) id: u64,
    /// Whether a base dangles on one helix at most (d1).
    pub(super) single: bool,
    stack: Vec<i32>,
    mismatch_hairpin: Vec<i32>,
    mismatch_internal: Vec<i32>,
    mismatch_internal_1n: Vec<i32>,
    mismatch_internal_23: Vec<i32>,
    mismatch_multi: Vec<i32>,
    mismatch_exterior: Vec<i32>,
    dangle5: Vec<i32>,
    dangle3: Vec<i32>,
    int11: Vec<i32>,
    int21: Vec<i32>,
    int22: Vec<i32>,
    /// By the number of unpaired bases, up to as many as a target can have.
    hairpin: Vec<i32>,
    bulge: Vec<i32>,
    internal: Vec<i32>,
    /// An unpaired base in a multiloop, the closing of the loop, a helix in it.
    pub(super) multi_base: i32,
    multi_closing: i32,
    multi_helix: i32,
    /// The cost of each base by which one side of an internal loop is longer, and its maximum.
    asymmetry: i32,
    most_asymmetry: i32,
    terminal_au: i32,
    /// Hairpins of 3, 4 and 6 bases that have their own energy, by their bases and closing pair.
    special: HashMap<Vec<u8>, i32>,
    /// For each length of the left side, the cost of internal loops by the length of the right
    /// side, from the greatest to 0, without mismatches.
    sides: Vec<Vec<i32>>,
}

/// What one of two pairs adds to the loop between them, by the kind of the loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// In bulges of two or more bases.
    pub(super) bulge: i32,
    /// In internal loops with one base on one side and more than two on the other.
    pub(super) one: i32,
    /// In larger internal loops, except those of two and three bases.
    pub(super) large: i32,
}

impl Model {
    /// Makes a model from the tables of a parameter file of ViennaRNA (version 2.0), by the names
    /// they have there, and from its special hairpins. `ml_params` has (base, closing, helix),
    /// `ninio` has (per base, maximum), and `misc` has (terminal AU).
    ///
    /// `longer` is the factor of the logarithm of the loop size beyond 30 bases, `single` says that the
    /// model is one of d1.
    ///
    /// # Errors
    ///
    /// If a table is missing or has the wrong size; the message names it.
    pub fn new(
        tables: &HashMap<String, Vec<i32>>,
        special: &HashMap<String, i32>,
        longer: f64,
        single: bool,
    ) -> Result<Self, String> {
        let table = |name: &str, size: usize| match tables.get(name) {
            Some(table) if table.len() == size => Ok(table.clone()),
            Some(table) => Err(format!("{name} has {} numbers, not {size}", table.len())),
            None => Err(format!("{name} is missing")),
        };
        // Dangling bases never cost energy in ViennaRNA, whatever the file says.
        let gain = |name: &str, size: usize| -> Result<Vec<i32>, String> {
            Ok(table(name, size)?.into_iter().map(|energy| energy.min(0)).collect())
        };
        let by_size = |name: &str| -> Result<Vec<i32>, String> {
            let mut table = table(name, MAX_LOOP + 1)?;
            let last = table[MAX_LOOP];
            let ratio = |size: usize| size as f64 / MAX_LOOP as f64;
            let more = |size: usize| last + (longer * ratio(size).ln()) as i32;
            table.extend((MAX_LOOP + 1..=MAX_LENGTH).map(more));
            Ok(table)
        };
        let multi = table("ml_params", 3)?;
        let ninio = table("ninio", 2)?;
        let codes = |text: &String| text.bytes().map(code).collect();
        let internal = by_size("internal")?;
        let side = |left: usize| {
            let cost = |right: usize| {
                let asymmetry = left.abs_diff(right) as i32 * ninio[0];
                internal[left + right] + asymmetry.min(ninio[1])
            };
            (0..=MAX_LOOP - left).rev().map(cost).collect()
        };
        let sides = (0..=MAX_LOOP).map(side).collect();
        Ok(Model {
            id: MODELS.fetch_add(1, Ordering::Relaxed),
            single,
            sides,
            stack: table("stack", ROWS * ROWS)?,
            mismatch_hairpin: table("mismatch_hairpin", ROWS * 25)?,
            mismatch_internal: table("mismatch_internal", ROWS * 25)?,
            mismatch_internal_1n: table("mismatch_internal_1n", ROWS * 25)?,
            mismatch_internal_23: table("mismatch_internal_23", ROWS * 25)?,
            mismatch_multi: gain("mismatch_multi", ROWS * 25)?,
            mismatch_exterior: gain("mismatch_exterior", ROWS * 25)?,
            dangle5: gain("dangle5", ROWS * 5)?,
            dangle3: gain("dangle3", ROWS * 5)?,
            int11: table("int11", ROWS * ROWS * 25)?,
            int21: table("int21", ROWS * ROWS * 125)?,
            int22: table("int22", 36 * 256)?,
            hairpin: by_size("hairpin")?,
            bulge: by_size("bulge")?,
            internal,
            multi_base: multi[0],
            multi_closing: multi[1],
            multi_helix: multi[2],
            asymmetry: ninio[0],
            most_asymmetry: ninio[1],
            terminal_au: table("misc", 1)?[0],
            special: special.iter().map(|(text, &energy)| (codes(text), energy)).collect(),
        })
    }

    /// The bases of the hairpins that have their own energy, with their closing pairs, in order.
    pub(super) fn special_hairpins(&self) -> Vec<&[u8]> {
        let mut found: Vec<&[u8]> = self.special.keys().map(Vec::as_slice).collect();
        found.sort_unstable();
        found
    }

    /// The cost of a helix whose outermost pair is not C and G.
    fn terminal(&self, kind: usize) -> i32 {
        if kind > 1 { self.terminal_au } else { 0 }
    }

    /// A hairpin loop closed by (i, j).
    pub(super) fn hairpin(&self, bases: &[u8], i: usize, j: usize) -> i32 {
        let size = j - i - 1;
        let energy = self.hairpin[size];
        if matches!(size, 3 | 4 | 6)
            && let Some(&special) = self.special.get(&bases[i..=j])
        {
            return special;
        }
        let kind = kind(bases, i, j);
        match size {
            3 => energy + self.terminal(kind),
            _ => energy + self.mismatch_hairpin[mismatch(kind, bases[i + 1], bases[j - 1])],
        }
    }

    /// A stack, bulge or internal loop between the pairs (i, j) and (p, q).
    #[inline]
    pub(super) fn internal(&self, bases: &[u8], i: usize, j: usize, p: usize, q: usize) -> i32 {
        let (outer, inner) = (kind(bases, i, j), kind(bases, q, p));
        let (left, right) = (p - i - 1, j - q - 1);
        let (short, long) = if left < right { (left, right) } else { (right, left) };
        let (i1, j1) = (bases[i + 1], bases[j - 1]);
        let (p1, q1) = (bases[p - 1], bases[q + 1]);
        let mismatches =
            |table: &[i32]| table[mismatch(outer, i1, j1)] + table[mismatch(inner, q1, p1)];
        let index = |parts: &[u8], size: usize, first: u8| {
            parts.iter().fold(0, |index, &base| index * size + usize::from(base - first))
        };
        let asymmetry = || self.most_asymmetry.min((long - short) as i32 * self.asymmetry);
        match (short, long) {
            (0, 0) => self.stack[outer * ROWS + inner],
            (0, 1) => self.bulge[1] + self.stack[outer * ROWS + inner],
            (0, _) => self.bulge[long] + self.terminal(outer) + self.terminal(inner),
            (1, 1) => self.int11[(outer * ROWS + inner) * 25 + index(&[i1, j1], 5, 0)],
            (1, 2) if left == 1 => {
                self.int21[(outer * ROWS + inner) * 125 + index(&[i1, q1, j1], 5, 0)]
            }
            (1, 2) => self.int21[(inner * ROWS + outer) * 125 + index(&[q1, i1, p1], 5, 0)],
            (1, _) => {
                self.internal[long + 1] + asymmetry() + mismatches(&self.mismatch_internal_1n)
            }
            (2, 2) => self.int22[(outer * 6 + inner) * 256 + index(&[i1, p1, q1, j1], 4, 1)],
            (2, 3) => self.internal[5] + self.asymmetry + mismatches(&self.mismatch_internal_23),
            _ => self.internal[long + short] + asymmetry() + mismatches(&self.mismatch_internal),
        }
    }

    /// What a pair adds to a loop of two pairs. `first` is its base where the loop begins: i for
    /// the closing pair (i, j), q for the inner pair (p, q).
    pub(super) fn end(&self, bases: &[u8], first: usize, second: usize) -> End {
        let kind = kind(bases, first, second);
        let mismatch = mismatch(kind, bases[first + 1], bases[second - 1]);
        End {
            bulge: self.terminal(kind),
            one: self.mismatch_internal_1n[mismatch],
            large: self.mismatch_internal[mismatch],
        }
    }

    /// The costs of internal loops with this many bases on the left side, by the right side from
    /// its greatest length down to `least`, without mismatches.
    pub(super) fn side(&self, left: usize, least: usize) -> &[i32] {
        let side = &self.sides[left];
        &side[..side.len() - least]
    }

    /// A bulge, without the pairs around it.
    pub(super) fn bulge(&self, size: usize) -> i32 {
        self.bulge[size]
    }

    /// A helix in a multiloop between these bases; its kind is the one seen from within the loop.
    pub(super) fn helix(&self, kind: usize, before: u8, behind: u8) -> i32 {
        self.multi_helix + self.mismatch_multi[mismatch(kind, before, behind)] + self.terminal(kind)
    }

    /// The closing of a multiloop by (i, j), which is one of its helices.
    pub(super) fn closing(&self, bases: &[u8], i: usize, j: usize) -> i32 {
        self.multi_closing + self.helix(kind(bases, j, i), bases[j - 1], bases[i + 1])
    }

    /// Whether sequences can be folded with it here: not with d1.
    pub fn folds(&self) -> bool {
        !self.single
    }

    /// The helices outside all pairs of a string, given by their outermost pairs.
    pub(super) fn open(&self, bases: &[u8], helices: impl Iterator<Item = (usize, usize)>) -> i32 {
        match self.single {
            true => self.open_single(bases, helices),
            false => helices.map(|(i, j)| self.outside(bases, i, j)).sum(),
        }
    }

    /// A helix outside all pairs, whose outermost pair is (i, j).
    pub(super) fn outside(&self, bases: &[u8], i: usize, j: usize) -> i32 {
        let kind = kind(bases, i, j);
        let dangling = match (i.checked_sub(1).map(|before| bases[before]), bases.get(j + 1)) {
            (Some(before), Some(&behind)) => self.mismatch_exterior[mismatch(kind, before, behind)],
            (Some(before), None) => self.dangle5[kind * 5 + usize::from(before)],
            (None, Some(&behind)) => self.dangle3[kind * 5 + usize::from(behind)],
            (None, None) => 0,
        };
        dangling + self.terminal(kind)
    }

    /// The energy of a structure in dot-bracket form, for a sequence of letters.
    ///
    /// # Errors
    ///
    /// If the structure is not one of the sequence; the message says what is wrong.
    pub fn energy(&self, letters: &[u8], structure: &[u8]) -> Result<i32, String> {
        let bases: Vec<u8> = letters.iter().map(|&letter| code(letter)).collect();
        let partners = partners(structure)?;
        if partners.len() != bases.len() {
            return Err(format!("{} letters have no structure of {}", bases.len(), partners.len()));
        }
        for (i, j) in (0..).zip(&partners).filter_map(|(i, j)| Some((i, usize::from((*j)?)))) {
            if i < j && (j - i <= 3 || !pairing(usize::from(bases[i]), usize::from(bases[j]))) {
                return Err(format!("positions {i} and {j} cannot pair"));
            }
        }
        Ok(self.evaluate(&bases, &partners))
    }

    /// The energy of a structure, given by the partner of each base.
    pub fn evaluate(&self, bases: &[u8], partners: &[Option<u16>]) -> i32 {
        let outside = self.open(bases, helices(partners, 0, bases.len()));
        let pairs = (0..bases.len()).filter_map(|i| Some((i, usize::from(partners[i]?))));
        let inside = pairs
            .filter(|(i, j)| i < j)
            .map(|(i, j)| self.closed(bases, i, j, helices(partners, i + 1, j)));
        outside + inside.sum::<i32>()
    }

    /// The loop closed by (i, j), with these pairs in it.
    pub(super) fn closed(
        &self,
        bases: &[u8],
        i: usize,
        j: usize,
        mut inner: impl Iterator<Item = (usize, usize)>,
    ) -> i32 {
        let Some((p, q)) = inner.next() else { return self.hairpin(bases, i, j) };
        let Some(second) = inner.next() else { return self.internal(bases, i, j, p, q) };
        let inner = [(p, q), second].into_iter().chain(inner);
        if self.single {
            return self.multi_single(bases, i, j, inner);
        }
        let (mut energy, mut unpaired) = (self.closing(bases, i, j), j - i - 1);
        for (p, q) in inner {
            energy += self.helix(kind(bases, p, q), bases[p - 1], bases[q + 1]);
            unpaired -= q + 1 - p;
        }
        energy + unpaired as i32 * self.multi_base
    }
}

/// The outermost pairs between two positions, of a structure given by the partner of each base.
pub(super) fn helices(
    partners: &[Option<u16>],
    mut from: usize,
    to: usize,
) -> impl Iterator<Item = (usize, usize)> {
    std::iter::from_fn(move || {
        while from < to {
            let i = from;
            from = partners[i].map_or(i, usize::from) + 1;
            if partners[i].is_some() {
                return Some((i, from - 1));
            }
        }
        None
    })
}

/// The number of a base given by its letter.
pub(super) fn code(letter: u8) -> u8 {
    match letter {
        b'A' => 1,
        b'C' => 2,
        b'G' => 3,
        _ => 4,
    }
}

/// Whether two bases can pair.
pub(super) fn pairing(first: usize, second: usize) -> bool {
    KINDS[first][second] != NONE
}

/// The kind of the pair of the bases at i and j.
#[inline(always)]
pub(super) fn kind(bases: &[u8], i: usize, j: usize) -> usize {
    usize::from(KINDS[usize::from(bases[i] & 7)][usize::from(bases[j] & 7)])
}

/// The index of two bases next to a pair in a table of mismatches.
#[inline(always)]
fn mismatch(kind: usize, first: u8, second: u8) -> usize {
    kind * 25 + usize::from(first) * 5 + usize::from(second)
}
