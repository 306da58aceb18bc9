//! Beam NRPA: nested levels that keep several sequences, each with its own policy.
//!
//! Algorithm 3 of beam-nrpa-2012,
//!
//! ```text
//! beamNRPA(level, policy):
//!   level 0: return {playout(policy)}
//!   beam <- {(-infinity, (), policy)}
//!   N times:
//!     newBeam <- {}
//!     for each (r, s, p) in beam:
//!       insert (r, s, p) in newBeam              adapt_all: (r, s, Adapt(p, s))
//!       for each (r1, s1) in beamNRPA(level - 1, p):
//!         insert (r1, s1, Adapt(p, s1)) in newBeam
//!     beam <- the B best of newBeam
//!   return beam
//! ```
//!
//! written as a value that moves from one playout to the next. Of equal scores, new entries come
//! before old ones, as they do in NRPA, and otherwise those inserted first. With one entry and
//! `adapt_all` it is NRPA. As printed it is not: a policy adapts only once to a sequence that stays
//! the best, so a level above the first, whose results seldom improve, hardly learns. The policies
//! of the last newBeam would be dropped and are not made; nor are those of entries that do not
//! stay.
//!
//! With a diversity D the beam is chosen best first. An entry is chosen only if its distance to all
//! those chosen before is at least D.
//!
//! Keys: in a search with key K, the search below from entry e in iteration i has the key
//! K.child(i * B + e).

use std::cmp::Ordering;

use crate::biased::Biased;
use crate::borrower::Borrowers;
use crate::code::Slots;
use crate::meter::{Limits, Stop};
use crate::playout::Playouts;
use crate::policy::marks::Marks;
use crate::policy::undo::{Changes, compact_changes};
use crate::policy::{Policy, rate};
use crate::problem::{Offers, Problem};
use crate::random::Key;
use crate::search::{Recursion, Run, Search};
use crate::sequence::{Sequence, check_codes};
use crate::state::{Reader, Writer};

mod diversity;
mod loans;
mod saved;
mod settings;

use diversity::Chosen;
use loans::Loans;
pub use settings::{LevelSettings, Settings};

/// Starts a search, whose results of level 1 are lent if there are borrowers.
///
/// # Errors
///
/// If a setting is out of range.
pub(crate) fn start<P: Offers + 'static>(
    problem: &Biased<P>,
    settings: &Settings,
    lends: Borrowers<P>,
    key: Key,
) -> Result<Box<Search<P>>, String> {
    start_from(problem, settings, lends, &Policy::new(problem), key)
}

/// Starts a search from a policy.
///
/// # Errors
///
/// If a setting is out of range.
pub(crate) fn start_from<P: Offers + 'static>(
    problem: &Biased<P>,
    settings: &Settings,
    lends: Borrowers<P>,
    policy: &Policy<P::Code>,
    key: Key,
) -> Result<Box<Search<P>>, String> {
    settings.check()?;
    let loans = lends().map(Loans::new);
    if loans.is_some() && settings.levels.len() < 2 {
        return Err("results are lent only with level 2".into());
    }
    let mut beam = Beam { loans, ..Beam::new(problem, settings, key) };
    beam.adapting.policy.copy(policy);
    Ok(Box::new(Search::new(beam, key)))
}

/// (r, s, p): a score, its sequence and a policy, stored as its differences from the policy that
/// its level began with.
struct Entry<P: Problem> {
    score: f64,
    sequence: Sequence<P>,
    /// The codes of the sequence, if there is a distance.
    chosen: Chosen,
    policy: Changes,
}

impl<P: Problem> Default for Entry<P> {
    fn default() -> Self {
        let (score, sequence, chosen, policy) = Default::default();
        Entry { score, sequence, chosen, policy }
    }
}

/// A level in progress.
struct Level<P: Problem> {
    settings: LevelSettings,
    rate: f64,
    key: Key,
    iteration: u64,
    /// The entry that the level below searches with; its policy is in force.
    number: usize,
    beam: Vec<Entry<P>>,
    /// The new entries of newBeam, each with the number of the entry that it comes from. They get
    /// their policies when they are chosen.
    found: Vec<(usize, Entry<P>)>,
}

impl<P: Problem> Level<P> {
    fn begin(&mut self, key: Key, mut first: Entry<P>) {
        (self.key, self.iteration, self.number) = (key, 0, 0);
        first.score = f64::NEG_INFINITY;
        first.sequence.clear();
        first.chosen.take(&first.sequence);
        first.policy.clear();
        self.beam.push(first);
    }

    /// The key of the child that an entry has in this iteration; one more iteration has those of loans.
    fn child_key(&self, number: usize) -> Key {
        let first = self.iteration.wrapping_mul(self.settings.beam as u64);
        self.key.child(first.wrapping_add(number as u64))
    }

    fn finished(&self) -> bool {
        self.iteration >= self.settings.iterations
    }

    /// An entry of newBeam, the new ones first.
    fn entry(&self, place: usize) -> &Entry<P> {
        match place.checked_sub(self.found.len()) {
            None => &self.found[place].1,
            Some(old) => &self.beam[old],
        }
    }

    /// Puts into `chosen` the places of the B best of newBeam, best first.
    fn choose(&self, settings: &Settings, chosen: &mut Vec<usize>) {
        chosen.clear();
        chosen.extend(0..self.found.len() + self.beam.len());
        chosen.sort_unstable_by(|&a, &b| {
            let better = self.entry(b).score.partial_cmp(&self.entry(a).score);
            better.unwrap_or(Ordering::Equal).then(a.cmp(&b))
        });
        if settings.unique || settings.diversity > 0 {
            self.keep_apart(settings, chosen);
        }
        chosen.truncate(self.settings.beam);
    }

    /// Drops entries whose sequences repeat an earlier one or are too near to it, and those for
    /// which the beam has no room.
    fn keep_apart(&self, settings: &Settings, chosen: &mut Vec<usize>) {
        let mut kept = 0;
        for index in 0..chosen.len() {
            let entry = self.entry(chosen[index]);
            let too_near = |&place: &usize| {
                let other = self.entry(place);
                let same =
                    || other.score == entry.score && other.sequence.steps == entry.sequence.steps;
                settings.unique && same()
                    || settings.diversity > 0
                        && entry.chosen.distance(&other.chosen) < settings.diversity
            };
            if kept < self.settings.beam && !chosen[..kept].iter().any(too_near) {
                chosen[kept] = chosen[index];
                kept += 1;
            }
        }
        chosen.truncate(kept);
    }
}

/// The policy in force, and what is needed to adapt it.
struct Adapting<P: Problem> {
    policy: Policy<P::Code>,
    playouts: Playouts<P>,
    marks: Marks,
}

impl<P: Problem> Adapting<P> {
    /// p <- Adapt(p, s) for the policy of an entry that is not in force.
    fn adapt(&mut self, entry: &mut Entry<P>, rate: f64) {
        self.policy.prepare(&mut entry.sequence);
        entry.policy.note_all(&self.policy, &entry.sequence.touched, &mut self.marks);
        entry.policy.swap(&mut self.policy);
        self.playouts.adapt(&mut self.policy, &mut entry.sequence, rate);
        entry.policy.swap(&mut self.policy);
    }
}

/// A Beam NRPA search.
pub struct Beam<P: Problem> {
    settings: Settings,
    /// The levels from 1 upwards.
    levels: Vec<Level<P>>,
    adapting: Adapting<P>,
    /// The entries that travel upwards.
    results: Vec<Entry<P>>,
    /// Old entries whose memory is used again.
    spare: Vec<Entry<P>>,
    next: Vec<Entry<P>>,
    chosen: Vec<usize>,
    loans: Option<Loans<P>>,
}

impl<P: Problem> Beam<P> {
    /// A search with these levels, from level 1 upwards; without any, every restart is one playout.
    pub(crate) fn new(problem: &Biased<P>, settings: &Settings, root: Key) -> Self {
        let level = |level: &LevelSettings| {
            let rate = rate(level.alpha, settings.temperature);
            let (iteration, number, beam, found) = Default::default();
            Level { settings: *level, rate, key: root, iteration, number, beam, found }
        };
        let levels = settings.levels.iter().map(level).collect();
        let (policy, playouts) = (Policy::new(problem), Playouts::new(problem));
        let adapting = Adapting { policy, playouts, marks: Marks::default() };
        let (results, spare, next, chosen, loans) = Default::default();
        let settings = settings.clone();
        let mut beam = Beam { settings, levels, adapting, results, spare, next, chosen, loans };
        beam.descend(beam.levels.len(), &Run::new(root));
        beam
    }

    /// Passes results up through every level that they complete, from this one (an index) on.
    fn ascend(&mut self, from: usize, run: &mut Run<P::Move>) {
        for index in from..self.levels.len() {
            let level = &mut self.levels[index];
            let number = level.number;
            level.found.extend(self.results.drain(..).map(|entry| (number, entry)));
            level.beam[number].policy.swap(&mut self.adapting.policy);
            level.number += 1;
            if level.number == level.beam.len() {
                level.number = 0;
                level.iteration += 1;
                let times = if level.finished() { None } else { Some(1) };
                self.renew(index, times, self.settings.adapt_all);
            }
            let level = &mut self.levels[index];
            if !level.finished() {
                level.beam[level.number].policy.swap(&mut self.adapting.policy);
                self.descend(index, run);
                return;
            }
            std::mem::swap(&mut self.results, &mut level.beam);
            self.compact();
            if self.lend(index) {
                return;
            }
        }
        self.spare.append(&mut self.results);
        run.restart();
        self.descend(self.levels.len(), run);
    }

    /// Begins the levels below `level` (an index; the number of levels begins them all).
    fn descend(&mut self, level: usize, run: &Run<P::Move>) {
        for index in (0..level).rev() {
            let parent = self.levels.get(index + 1);
            let key = parent.map_or_else(|| run.key(), |parent| parent.child_key(parent.number));
            self.levels[index].begin(key, self.spare.pop().unwrap_or_default());
            if index == 1 {
                self.loans.iter_mut().for_each(|loans| loans.borrower.pool().clear());
            }
        }
    }

    /// Takes over a sequence from outside if the top level stands between two children.
    fn adopt(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>) {
        let Some((top, lower)) = self.levels.split_last_mut() else { return };
        let begun = |level: &Level<P>| level.number > 0 || !level.found.is_empty();
        if begun(top) || lower.iter().any(|level| level.iteration > 0 || begun(level)) {
            return;
        }
        let Some(adopted) = run.adopted.take() else { return };
        let mut entry = self.spare.pop().unwrap_or_default();
        let Adapting { policy, playouts, .. } = &mut self.adapting;
        top.beam[0].policy.swap(policy);
        let is_level_2 = lower.len() == 1;
        match playouts.follow(problem, policy, &adopted.moves, &mut entry.sequence) {
            Ok(score) => {
                entry.score = score;
                entry.chosen.take(&entry.sequence);
                if is_level_2 && let Some(loans) = &mut self.loans {
                    loans.borrower.pool().adopt(score, &entry.sequence);
                }
                top.found.push((0, entry));
                self.renew(self.levels.len() - 1, Some(adopted.strength), false);
            }
            Err(_) if problem.failed() => run.adopted = Some(adopted),
            Err(_) => {}
        }
        if let Some(top) = self.levels.last_mut() {
            top.beam[0].policy.swap(&mut self.adapting.policy);
        }
    }

    /// beam <- the B best of newBeam. The policies of new entries are made and adapt so many
    /// `times`, if they are needed; those of the `others` adapt once, if asked for.
    fn renew(&mut self, index: usize, times: Option<u64>, others: bool) {
        let level = &mut self.levels[index];
        let rate = level.rate;
        level.choose(&self.settings, &mut self.chosen);
        if let Some(times) = times {
            // Before an entry changes, the entries that come from it need its policy.
            for &place in &self.chosen {
                if let Some((parent, entry)) = level.found.get_mut(place) {
                    entry.policy.copy(&level.beam[*parent].policy);
                    (0..times).for_each(|_| self.adapting.adapt(entry, rate));
                }
            }
            for &place in &self.chosen {
                if let Some(old) = place.checked_sub(level.found.len())
                    && others
                {
                    self.adapting.adapt(&mut level.beam[old], rate);
                }
            }
        }
        for &place in &self.chosen {
            let mut entry = self.spare.pop().unwrap_or_default();
            let chosen = match place.checked_sub(level.found.len()) {
                None => &mut level.found[place].1,
                Some(old) => &mut level.beam[old],
            };
            std::mem::swap(&mut entry, chosen);
            self.next.push(entry);
        }
        self.spare.extend(level.found.drain(..).map(|(_, entry)| entry));
        self.spare.append(&mut level.beam);
        std::mem::swap(&mut level.beam, &mut self.next);
    }

    /// Keeps the memory of hashed policies flat.
    fn compact(&mut self) {
        if self.adapting.policy.is_large() {
            let entries = self.levels.iter_mut().flat_map(|level| &mut level.beam);
            let changes = entries.map(|entry| &mut entry.policy).collect();
            compact_changes(&mut self.adapting.policy, changes);
        }
    }

    /// Runs the next playout.
    fn step(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>, limits: &Limits) -> bool {
        if self.has_lent() {
            self.take_back(problem, run, limits);
            return !problem.failed();
        }
        if run.adopted.is_some() {
            self.adopt(problem, run);
        }
        let level = self.levels.first();
        let key = level.map_or_else(|| run.key(), |level| level.child_key(level.number));
        let mut entry = self.spare.pop().unwrap_or_default();
        let Adapting { policy, playouts, .. } = &mut self.adapting;
        entry.score = playouts.run(problem, policy, key, &mut entry.sequence);
        if problem.failed() {
            return false;
        }
        self.note_chosen(&mut entry);
        let Sequence { reported, moves, .. } = &entry.sequence;
        run.meter.record(*reported, moves, || self.highest_adapted());
        self.results.push(entry);
        self.ascend(0, run);
        true
    }

    /// Notes the codes of a new sequence, if there is a distance.
    fn note_chosen(&self, entry: &mut Entry<P>) {
        if self.settings.diversity > 0 {
            entry.chosen.take(&entry.sequence);
        }
    }

    /// The highest level that has adapted a policy, or 0.
    fn highest_adapted(&self) -> u32 {
        let adapted = self.levels.iter().rposition(|level| level.iteration > 0);
        adapted.map_or(0, |index| index as u32 + 1)
    }
}

impl<P: Problem> Recursion<P> for Beam<P> {
    fn advance(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>, limits: &Limits) -> Stop {
        run.advance(limits, |run| self.step(problem, run, limits))
    }

    fn progress(&self, _run: &Run<P::Move>) -> Vec<(u64, u64)> {
        self.levels.iter().map(|level| (level.iteration, level.settings.iterations)).collect()
    }

    fn evaluates(&self) -> bool {
        self.loans.is_some()
    }

    fn write(&self, writer: &mut Writer) {
        let codes = self.adapting.policy.space.codes();
        writer.put(&self.adapting.policy.by_code(&codes));
        for level in &self.levels {
            level.write(&codes, writer);
        }
        self.write_loans(writer);
    }

    fn read(
        &mut self,
        problem: &Biased<P>,
        _: &Run<P::Move>,
        reader: &mut Reader,
    ) -> Result<(), String> {
        let policy = &mut self.adapting.policy;
        let weights: Vec<(P::Code, f64)> = reader.take()?;
        check_codes(problem, weights.iter().map(|&(code, _)| code))?;
        policy.restore(&weights);
        self.levels.iter_mut().try_for_each(|level| level.read(problem, policy, reader))?;
        self.read_loans(problem, reader)?;
        let sound = |(index, level): (usize, &Level<P>)| {
            let held = level.beam.len();
            match index == 0 && self.has_lent() {
                // A level whose entries are lent has none.
                true => level.finished() && (level.number, held) == (0, 0),
                false => !level.finished() && level.number < held && held <= level.settings.beam,
            }
        };
        match self.levels.iter().enumerate().all(sound) {
            true => Ok(()),
            false => Err("a beam has no such entry".into()),
        }
    }
}

#[cfg(test)]
mod tests;
