//! Inverse RNA folding (learned-prior-2024, section 4.3): find a sequence of bases whose structure
//! of minimum free energy is a given target.
//!
//! The target is a secondary structure in dot-bracket form. A move decides one place of it. For a
//! pair it decides both bases (CG GC AU UA GU UG, moves 0 to 5), for an unpaired base one of A C G
//! U (moves 6 to 9). The order of the places is given with the problem. The legal moves of a place
//! are in the order of their numbers, without those that the constraints forbid. The code of a move
//! is 6 times the position of the place (of its opening base, from 0) plus the number of the move
//! within its kind.
//!
//! The score is that of NEMO. Let P be the number of pairs in the target, D the number of base
//! pairs that are in only one of the target and the structure of minimum free energy, and E the
//! free energies in kcal/mol. The score is
//!
//! ```text
//! 1                                                         if D = 0
//! 1 / (1 + D)                                               if P = 0
//! K / F if K >= 0 else K * F, with K = 1 - D / (2 P) and
//!     F = 1.01 + (E(target) - E(minimum), at least 0)       otherwise
//! ```
//!
//! There may be [`Wishes`] for the sequence. The score of one that misses some is less by their number,
//! divided by the number of bases. A wish for the ensemble counts only if the sequence folds right, and
//! as less than one if the bases are as wished for.
//!
//! Energies and structures come from a [`Folder`]. They take by far most of the time of a playout,
//! so scores are kept in a [`Cache`]: a policy that has converged plays the same sequence often. If
//! a [`Model`] of d2 is given, [`Tables`] fold, and the folder is asked only whether a sequence is solved
//! whose target has the minimum free energy. With long targets it is not asked.

mod bias;
mod cache;
mod design;
mod folder;
mod mfe;
mod model;
mod parts;
mod pool;
mod regions;
#[cfg(test)]
mod tests;
mod wishes;

use std::cell::RefCell;
use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use nestor_engine::improve::Improver;
use nestor_engine::problem::{Bias, Moves, Offers, Problem};
use serde::{Deserialize, Deserializer, Serialize, de};

use crate::exposed::{Cut, CutOff, Exposed};
pub use bias::{Case, Contexts, Rule};
use cache::Cache;
use design::Design;
pub use folder::{Energies, Ensemble, Folder};
pub use mfe::Tables;
pub use model::Model;
pub use wishes::Wishes;

/// The longest target: its fold takes 24 bytes for each pair of positions, 600 MB.
pub const MAX_LENGTH: usize = 5000;

/// The longest target whose folder is asked during a search: it takes a second, and cannot be stopped.
/// `nestor.problems.rna.energy` has the same number.
const LONG: usize = 1000;

/// The number of moves for a pair.
const PAIRS: u8 = 6;
/// The number of all moves.
const MOVES: usize = 10;
/// What each move writes at its place and, for a pair, at the partner of the place.
const BASES: [[u8; 2]; MOVES] =
    [*b"CG", *b"GC", *b"AU", *b"UA", *b"GU", *b"UG", *b"A ", *b"C ", *b"G ", *b"U "];
/// The names of the moves.
const NAMES: [&str; MOVES] = ["CG", "GC", "AU", "UA", "GU", "UG", "A", "C", "G", "U"];

/// A target, its constraints and the options of the search.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The target in dot-bracket form.
    pub target: String,
    /// A set of bases for each position: bits 0 to 3 stand for A, C, G and U.
    pub allowed: Vec<u8>,
    /// The position of each place: of the opening base of every pair and of every unpaired base,
    /// once.
    pub order: Vec<u16>,
    /// The bias, if there is one.
    pub contexts: Option<Contexts>,
    /// What the sequence should have besides its structure.
    #[serde(default)]
    pub wishes: Wishes,
}

/// The problem of an instance.
#[derive(Debug)]
pub struct Rna<F> {
    /// The partner of each base of the target.
    partners: Vec<Option<u16>>,
    pairs: u32,
    places: Vec<Place>,
    contexts: Option<Contexts>,
    wishes: Wishes,
    cache: Cache,
    model: Option<Model>,
    folder: F,
    /// When folds that take long are given up.
    end: Mutex<Option<Instant>>,
    /// Whether one was given up.
    late: AtomicBool,
}

/// What one move decides.
#[derive(Clone, Debug)]
struct Place {
    position: u16,
    partner: Option<u16>,
    /// The legal moves.
    moves: Vec<u8>,
}

/// A sequence that is not complete yet.
#[derive(Debug)]
pub struct State {
    /// The bases, 0 where undecided, and a NUL.
    sequence: Vec<u8>,
    /// The number of places decided.
    played: usize,
    /// 0 at first, then 1 + the last move.
    previous: u8,
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self { sequence: self.sequence.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &Self) {
        self.sequence.clone_from(&other.sequence);
        (self.played, self.previous) = (other.played, other.previous);
    }
}

impl<F: Folder> Rna<F> {
    /// Makes a problem of an instance; `model` is that of the folder, if it is known here.
    ///
    /// # Errors
    ///
    /// If the target, the constraints, the order or the bias are wrong; the message says what is
    /// wrong.
    pub fn new(instance: Instance, model: Option<Model>, folder: F) -> Result<Self, String> {
        let Instance { target, allowed, order, contexts, wishes } = instance;
        wishes.check()?;
        let partners = partners(target.as_bytes())?;
        let n = partners.len();
        if allowed.len() != n {
            return Err(format!("{n} positions need {n} constraints, not {}", allowed.len()));
        }
        let mut places = Vec::with_capacity(order.len());
        let mut decided = vec![false; n];
        for position in order {
            let Some(&partner) = partners.get(usize::from(position)) else {
                return Err(format!("there is no position {position} in a target of {n}"));
            };
            for position in partner.into_iter().chain([position]) {
                if std::mem::replace(&mut decided[usize::from(position)], true) {
                    return Err(format!("position {position} is decided twice"));
                }
            }
            if partner.is_some_and(|partner| partner < position) {
                return Err(format!("position {position} closes a pair and is no place"));
            }
            places.push(Place::new(position, partner, &allowed)?);
        }
        if let Some(position) = decided.iter().position(|decided| !decided) {
            return Err(format!("position {position} is not decided"));
        }
        if let Some(contexts) = &contexts {
            contexts.check(n, places.len())?;
        }
        let pairs = partners.iter().flatten().count() as u32 / 2;
        let cache = Cache::new(n);
        let (end, late) = (Mutex::default(), AtomicBool::new(false));
        Ok(Rna { partners, pairs, places, contexts, wishes, cache, model, folder, end, late })
    }

    /// The score of a complete sequence that ends with a NUL, and the distance of its structure to
    /// the target; `None` if folding failed. Writes the structure.
    fn judge(&self, sequence: &[u8], structure: &mut Vec<u8>) -> Option<(f64, u32)> {
        let energies = match with_tables(|tables| self.fold_here(sequence, tables, structure)) {
            Some(energies) => energies,
            None if self.failed() => return None,
            None => self.folder.fold(sequence, structure)?,
        };
        let distance = self.distance(structure);
        let score = nemo_score(self.pairs, distance, energies);
        let mut lacking = f64::from(self.wishes.missed(sequence));
        if let (true, defect) = self.wishes.ensemble()
            && distance == 0
        {
            lacking += if lacking > 0.0 {
                1.0
            } else {
                self.wishes.short(self.folder.ensemble(sequence, energies.minimum, defect)?)
            };
        }
        let score =
            if lacking > 0.0 { score - lacking / self.partners.len() as f64 } else { score };
        Some((score, distance))
    }

    /// What the folder would answer, except for a sequence that may be solved: the folder has the
    /// last word on that.
    fn fold_here(
        &self,
        sequence: &[u8],
        tables: &mut Tables,
        structure: &mut Vec<u8>,
    ) -> Option<Energies> {
        let model = self.model.as_ref().filter(|model| model.folds())?;
        let folded = tables.fold_until(self.end(), model, sequence.strip_suffix(&[0])?, structure);
        let Some(minimum) = folded else {
            self.late.store(true, Ordering::Relaxed);
            return None;
        };
        let target = model.evaluate(tables.bases(), &self.partners);
        let decides = target > minimum || self.partners.len() > LONG;
        decides.then_some(Energies { minimum, target })
    }

    /// When folds are given up.
    fn end(&self) -> Option<Instant> {
        *self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of pairs that are in the structure or in the target, but not in both.
    fn distance(&self, structure: &[u8]) -> u32 {
        let (mut pairs, mut common) = (0, 0);
        let mut open = Vec::new();
        for (position, symbol) in (0..).zip(structure) {
            match symbol {
                b'(' => open.push(position),
                b')' => {
                    pairs += 1;
                    let closed = open.pop().is_some_and(|opening| {
                        self.partners.get(usize::from(opening)) == Some(&Some(position))
                    });
                    common += u32::from(closed);
                }
                _ => (),
            }
        }
        self.pairs + pairs - 2 * common
    }

    /// The move at a place of a complete sequence; `None` if it is not legal.
    fn move_at(&self, sequence: &[u8], place: usize) -> Option<u8> {
        let Place { position, partner, moves } = &self.places[place];
        let letter = |position: u16| sequence[usize::from(position)];
        let bases = [letter(*position), partner.map_or(b' ', letter)];
        moves.iter().copied().find(|&mv| BASES[usize::from(mv)] == bases)
    }
}

/// Gives this thread's tables to `fold`.
fn with_tables<T>(fold: impl FnOnce(&mut Tables) -> T) -> T {
    thread_local! {
        static TABLES: RefCell<Tables> = RefCell::default();
    }
    TABLES.with_borrow_mut(fold)
}

/// The score of NEMO, as described at the top of this file.
fn nemo_score(pairs: u32, distance: u32, energies: Energies) -> f64 {
    if distance == 0 {
        return 1.0;
    }
    let distance = f64::from(distance);
    if pairs == 0 {
        return 1.0 / (1.0 + distance);
    }
    let kept = 1.0 - distance / f64::from(2 * pairs);
    let gap = i64::from(energies.target) - i64::from(energies.minimum);
    let factor = 1.01 + gap.max(0) as f64 / 100.0;
    if kept >= 0.0 { kept / factor } else { kept * factor }
}

impl Place {
    fn new(position: u16, partner: Option<u16>, allowed: &[u8]) -> Result<Self, String> {
        let may_be = |position: u16, base: u8| {
            index(base).is_some_and(|index| allowed[usize::from(position)] >> index & 1 == 1)
        };
        let moves: Vec<u8> = match partner {
            Some(partner) => (0..PAIRS)
                .filter(|&mv| {
                    let [first, second] = BASES[usize::from(mv)];
                    may_be(position, first) && may_be(partner, second)
                })
                .collect(),
            None => (PAIRS..MOVES as u8)
                .filter(|&mv| may_be(position, BASES[usize::from(mv)][0]))
                .collect(),
        };
        if moves.is_empty() {
            return Err(format!("the constraints leave no bases for position {position}"));
        }
        Ok(Place { position, partner, moves })
    }
}

/// The number of a base: A C G U are 0 to 3.
fn index(base: u8) -> Option<usize> {
    b"ACGU".iter().position(|&letter| letter == base)
}

/// The partner of each base of a structure in dot-bracket form.
fn partners(target: &[u8]) -> Result<Vec<Option<u16>>, String> {
    if target.is_empty() || target.len() > MAX_LENGTH {
        return Err(format!("a target has 1 to {MAX_LENGTH} positions, not {}", target.len()));
    }
    let mut partners = vec![None; target.len()];
    let mut open = Vec::new();
    for (position, symbol) in (0..).zip(target) {
        match symbol {
            b'.' => (),
            b'(' => open.push(position),
            b')' => {
                let opening: u16 =
                    open.pop().ok_or_else(|| format!("nothing is open at position {position}"))?;
                partners[usize::from(opening)] = Some(position);
                partners[usize::from(position)] = Some(opening);
            }
            _ => return Err(format!("position {position} must be '.', '(' or ')'")),
        }
    }
    open.last().map_or(Ok(partners), |last| Err(format!("position {last} is never closed")))
}

impl<F: Folder + 'static> Exposed for Rna<F> {
    /// The bases: "GC" or "A"; nothing for a number that a damaged file has made up.
    fn shown(&self, mv: u8) -> impl Serialize {
        NAMES.get(usize::from(mv)).copied().unwrap_or_default()
    }

    fn read_move<'de, D: Deserializer<'de>>(&self, from: D) -> Result<u8, D::Error> {
        let name = String::deserialize(from)?;
        let number = NAMES.iter().position(|known| *known == name);
        let wrong = || de::Error::custom(format!("not a pair or a base: {name:?}"));
        Ok(number.ok_or_else(wrong)? as u8)
    }

    fn take_error(&self) -> Option<Box<dyn Error + Send + Sync>> {
        let late = self.late.swap(false, Ordering::Relaxed);
        let cut_off = CutOff { moves: self.places.len(), longest: false };
        self.folder.take_error().or(late.then(|| cut_off.into()))
    }

    fn cut(&self, cut: &Cut) {
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = cut.first;
    }
}

impl<F: Folder> Problem for Rna<F> {
    type State = State;
    /// Its number, 0 to 9.
    type Move = u8;
    type Code = u32;

    fn code_count(&self) -> usize {
        self.partners.len() * usize::from(PAIRS)
    }

    fn bias(&self) -> Bias {
        if self.contexts.is_some() { Bias::PerMove } else { Bias::None }
    }

    fn initial(&self) -> State {
        State { sequence: vec![0; self.partners.len() + 1], played: 0, previous: 0 }
    }

    fn reset(&self, state: &mut State) {
        state.sequence.fill(0);
        (state.played, state.previous) = (0, 0);
    }

    fn moves(&self, state: &mut State, out: &mut Moves<'_, Self>) {
        let Some(place) = self.places.get(state.played) else { return };
        let kind = if place.partner.is_some() { 0 } else { PAIRS };
        let code = |mv: u8| u32::from(place.position) * u32::from(PAIRS) + u32::from(mv - kind);
        match &self.contexts {
            None => place.moves.iter().for_each(|&mv| out.push(mv, code(mv))),
            Some(contexts) => {
                let betas = contexts.betas(state.played, state.previous, &state.sequence);
                for &mv in &place.moves {
                    out.push_biased(mv, code(mv), betas[usize::from(mv)]);
                }
            }
        }
    }

    fn play(&self, state: &mut State, mv: u8) {
        let place = &self.places[state.played];
        let [first, second] = BASES[usize::from(mv)];
        state.sequence[usize::from(place.position)] = first;
        if let Some(partner) = place.partner {
            state.sequence[usize::from(partner)] = second;
        }
        state.played += 1;
        state.previous = mv + 1;
    }

    fn score(&self, state: &State) -> f64 {
        self.cache
            .get_or(&state.sequence, || Some(self.judge(&state.sequence, &mut Vec::new())?.0))
            .unwrap_or(f64::NEG_INFINITY)
    }

    fn failed(&self) -> bool {
        self.late.load(Ordering::Relaxed) || self.folder.failed()
    }
}

impl<F: Folder> Offers for Rna<F> {
    /// The n-gram of the paper: the previous move and this one, which imply the target's
    /// characters at both.
    fn prior_code(&self, state: &State, mv: u8, _code: u32) -> u64 {
        u64::from(state.previous) * MOVES as u64 + u64::from(mv)
    }

    fn improver(&self) -> Option<Box<dyn Improver<Self>>> {
        Some(Box::new(Design::new(self, self.model.as_ref()?)))
    }
}
