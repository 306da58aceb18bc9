//! A race: several settings as searches side by side, which are one job.
//!
//! A round advances every search that is still in to the same number of playouts, one search after
//! the other. Then the worse half is dropped, and the next round goes twice as far (successive
//! halving, Karnin, Koren and Somekh 2013). The searches that are left when there are as many as
//! there may be finalists go on, without end if there is one.
//!
//! A race may have an improver. Each time the searches have had so many playouts more, it takes over
//! their best sequence, if that is at least as good as its own, and has a tenth as many tries.
//!
//! All is counted in playouts, so that neither time nor threads decide.

use nestor_engine::meter::{Improvement, Limits, Stop};
use nestor_problems::exposed::Cut;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::jobs::{Adopted, Job, Standing, Trail};

/// What remains of a search that is dropped.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Dropped {
    playouts: u64,
    evaluated: u64,
    restarts: u64,
    seconds: f64,
    score: f64,
}

/// Playouts of the searches for each try of the improver.
pub const SHARE: u64 = 10;

enum Racer {
    In(Box<dyn Job>),
    Out(Dropped),
}

/// Where a race is, besides its searches.
#[derive(Default, Serialize, Deserialize)]
struct Place {
    /// The playouts of a search at the end of this round.
    reach: u64,
    /// The search whose turn it is; their number at the end of a round.
    turn: usize,
    /// How many of those before it ran to their end in this round.
    finished: usize,
    /// How many improvements of each search were looked at.
    seen: Vec<usize>,
    /// The improvements of the race.
    improvements: Vec<Improvement>,
    /// The search that made each of them, and its own playouts then.
    origins: Vec<(usize, u64)>,
}

pub struct Race {
    /// The searches, and last the improver, if there is one.
    racers: Vec<Racer>,
    /// The number of the searches.
    searches: usize,
    /// Their playouts between two turns of the improver.
    every: u64,
    finalists: usize,
    place: Place,
}

impl Race {
    /// A race whose first round has so many playouts of each search. If the improver, which comes
    /// last, has a turn every so many playouts, there is one.
    pub fn new(jobs: Vec<Box<dyn Job>>, first: u64, finalists: usize, every: Option<u64>) -> Self {
        let searches = jobs.len() - usize::from(every.is_some());
        let place = Place { reach: first, seen: vec![0; jobs.len()], ..Place::default() };
        let racers = jobs.into_iter().map(Racer::In).collect();
        Race { racers, searches, every: every.unwrap_or(u64::MAX), finalists, place }
    }

    /// What is still in, with its number.
    fn jobs(&self) -> impl Iterator<Item = (usize, &dyn Job)> {
        self.racers.iter().enumerate().filter_map(|(number, racer)| match racer {
            Racer::In(job) => Some((number, &**job)),
            Racer::Out(_) => None,
        })
    }

    /// The searches that are still in, with their numbers.
    fn running(&self) -> impl Iterator<Item = (usize, &dyn Job)> {
        self.jobs().take_while(|(number, _)| *number < self.searches)
    }

    /// The playouts of the improver.
    fn tries(&self) -> u64 {
        self.racers[self.searches..].iter().map(|racer| racer.summary().playouts).sum()
    }

    /// The sum over the searches and the improver.
    fn sum<T: std::iter::Sum>(&self, of: impl Fn(&Dropped) -> T) -> T {
        self.racers.iter().map(|racer| of(&racer.summary())).sum()
    }

    /// The first of the best that are still in: no search was better when it was dropped.
    fn best(&self) -> Option<&dyn Job> {
        best_of(self.jobs())
    }

    /// Gives the improver its turn, if it is due. Returns why it could not end it.
    fn improve(&mut self, limits: &Limits) -> Option<Stop> {
        let tries = self.tries();
        let (searched, of_turn) = (self.playouts() - tries, self.every / SHARE);
        let goal = searched / self.every * of_turn;
        if tries >= goal {
            return None;
        }
        let room = limits.playouts.saturating_sub(searched);
        if tries < room && tries.is_multiple_of(of_turn) && self.hand_over().is_err() {
            return Some(Stop::Failed);
        }
        let Some(Racer::In(improver)) = self.racers.last_mut() else { return None };
        let playouts = goal.min(room);
        let stop = improver.advance(&Limits { playouts, restart: true, ..*limits });
        let ended = improver.playouts() >= goal;
        self.look_at(self.searches);
        (!ended).then_some(stop)
    }

    /// Gives the improver the best sequence of the searches, unless it has a better one.
    fn hand_over(&mut self) -> PyResult<()> {
        Python::attach(|py| {
            let best = best_of(self.running());
            let (score, moves) = best.map(|best| (best.score(), best.moves(py))).unzip();
            let moves = moves.transpose()?.unwrap_or_default();
            let moves: Vec<_> = moves.into_iter().map(|mv| mv.into_bound(py)).collect();
            match self.racers.last_mut() {
                Some(Racer::In(improver)) if score >= Some(improver.score()) => {
                    // A variant may have sequences that the problem itself has not.
                    improver.adopt(&moves, 1).map(drop)
                }
                _ => Ok(()),
            }
        })
    }

    /// Takes the new improvements of a search into the record of the race.
    fn look_at(&mut self, number: usize) {
        let Racer::In(job) = &self.racers[number] else { return };
        let others = self.sum(|racer| racer.playouts) - job.playouts();
        let seconds = self.sum(|racer| racer.seconds) - job.seconds();
        let found = job.improvements();
        for each in &found[self.place.seen[number].min(found.len())..] {
            let last = self.place.improvements.last();
            if last.is_none_or(|best| each.score > best.score) {
                let playouts = others + each.playouts;
                let of_race = Improvement { playouts, seconds: seconds + each.seconds, ..*each };
                self.place.improvements.push(of_race);
                self.place.origins.push((number, each.playouts));
            }
        }
        self.place.seen[number] = found.len();
    }

    /// Drops the worse half, and begins the next round. Of equals, the one stays that was there
    /// first.
    fn next_round(&mut self) {
        let mut ranked: Vec<(usize, f64, u64)> = self
            .running()
            .map(|(number, job)| {
                let last = job.improvements().last().map_or(u64::MAX, |last| last.playouts);
                (number, job.score(), last)
            })
            .collect();
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.2.cmp(&other.2)));
        let kept = ranked.len().div_ceil(2).max(self.finalists);
        for &(number, _, _) in ranked.iter().skip(kept) {
            self.racers[number] = Racer::Out(self.racers[number].summary());
        }
        let last = ranked.len().min(kept) == 1;
        let place = &mut self.place;
        place.reach = if last { u64::MAX } else { place.reach.saturating_mul(2) };
        (place.turn, place.finished) = (0, 0);
    }

    /// Whether no search has anything left to do unless it begins again.
    fn finished(&self) -> bool {
        self.place.turn == self.searches && self.place.finished == self.running().count()
    }
}

/// The first of the best jobs that have begun.
fn best_of<'a>(jobs: impl Iterator<Item = (usize, &'a dyn Job)>) -> Option<&'a dyn Job> {
    let played = jobs.map(|(_, job)| job).filter(|job| job.playouts() > 0);
    played.reduce(|best, next| if next.score() > best.score() { next } else { best })
}

impl Racer {
    fn summary(&self) -> Dropped {
        match self {
            Racer::Out(dropped) => *dropped,
            Racer::In(job) => Dropped {
                playouts: job.playouts(),
                evaluated: job.evaluated(),
                restarts: job.restarts(),
                seconds: job.seconds(),
                score: job.score(),
            },
        }
    }
}

impl Job for Race {
    fn advance(&mut self, limits: &Limits) -> Stop {
        loop {
            if !limits.restart && self.finished() {
                return Stop::Finished;
            }
            if let Some(stop) = self.improve(limits) {
                return stop;
            }
            if self.place.turn == self.searches {
                self.next_round();
            }
            let (turn, reach) = (self.place.turn, self.place.reach);
            let (all, tries) = (self.playouts(), self.tries());
            let due = ((all - tries) / self.every + 1) * self.every + tries;
            let Racer::In(job) = &mut self.racers[turn] else {
                self.place.turn += 1;
                continue;
            };
            let room = due.min(limits.playouts).saturating_sub(all - job.playouts());
            let stop = job.advance(&Limits { playouts: reach.min(room), ..*limits });
            let there = job.playouts() >= reach;
            self.look_at(turn);
            match stop {
                Stop::Playouts if there => {}
                Stop::Playouts if self.playouts() == due => continue,
                Stop::Finished => self.place.finished += 1,
                _ => return stop,
            }
            self.place.turn += 1;
        }
    }

    fn cut(&self, cut: Cut) {
        self.jobs().for_each(|(_, job)| job.cut(cut));
    }

    fn playouts(&self) -> u64 {
        self.sum(|racer| racer.playouts)
    }

    fn evaluated(&self) -> u64 {
        self.sum(|racer| racer.evaluated) + self.tries()
    }

    fn seconds(&self) -> f64 {
        self.sum(|racer| racer.seconds)
    }

    fn score(&self) -> f64 {
        self.best().map_or(f64::NEG_INFINITY, |job| job.score())
    }

    fn moves(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        self.best().map_or(Ok(Vec::new()), |job| job.moves(py))
    }

    fn improvements(&self) -> &[Improvement] {
        &self.place.improvements
    }

    /// Those of what is still in.
    fn trail(&self, py: Python<'_>) -> PyResult<Trail> {
        let mut found = Vec::new();
        for (number, job) in self.jobs() {
            for (playouts, moves) in job.trail(py)? {
                let same = self.place.origins.iter().position(|&of| of == (number, playouts));
                found.extend(same.map(|at| (self.place.improvements[at].playouts, moves)));
            }
        }
        found.sort_by_key(|(playouts, _)| *playouts);
        Ok(found)
    }

    fn save(&self) -> Vec<u8> {
        let saved: Vec<_> = self
            .racers
            .iter()
            .map(|racer| match racer {
                Racer::In(job) => Ok(job.save()),
                Racer::Out(dropped) => Err(*dropped),
            })
            .collect();
        // Nothing in it can fail to serialise.
        postcard::to_stdvec(&(&self.place, saved)).unwrap_or_default()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), String> {
        let (place, saved): (Place, Vec<Result<Vec<u8>, Dropped>>) = postcard::from_bytes(saved)
            .map_err(|error| format!("its state cannot be read: {error}"))?;
        let racers = self.racers.len();
        let whole = place.origins.len() == place.improvements.len()
            && saved.len() == racers
            && place.seen.len() == racers
            && place.turn.max(place.finished) <= self.searches;
        let goes_on = place.reach > 0
            && saved.iter().take(self.searches).any(Result::is_ok)
            && saved.iter().skip(self.searches).all(Result::is_ok);
        if !whole || !goes_on {
            return Err(format!("it is not of a race of {racers}"));
        }
        for (racer, saved) in self.racers.iter_mut().zip(saved) {
            match (&mut *racer, saved) {
                (Racer::In(job), Ok(saved)) => job.restore(&saved)?,
                (_, Err(dropped)) => *racer = Racer::Out(dropped),
                (Racer::Out(_), Ok(_)) => return Err("it is of another race".into()),
            }
        }
        self.place = place;
        Ok(())
    }

    /// Every search that is still in takes it over, unless its variant of the problem has no such
    /// sequence. It counts as a playout of each. The improver takes over only what they have.
    fn adopt(&mut self, moves: &[Bound<'_, PyAny>], strength: u64) -> PyResult<Adopted> {
        let mut adopted = Err("no search of the race can play it".into());
        for number in 0..self.searches {
            if let Racer::In(job) = &mut self.racers[number] {
                adopted = job.adopt(moves, strength)?.or(adopted);
            }
            self.look_at(number);
        }
        Ok(adopted)
    }

    fn progress(&self) -> Vec<(u64, u64)> {
        let turn = self.running().find(|(number, _)| *number >= self.place.turn);
        turn.or_else(|| self.running().last()).map_or(Vec::new(), |(_, job)| job.progress())
    }

    fn restarts(&self) -> u64 {
        self.sum(|racer| racer.restarts)
    }

    fn standings(&self) -> Vec<Standing> {
        let standing = |racer: &Racer| {
            let summary = racer.summary();
            (summary.playouts, summary.score, matches!(racer, Racer::In(_)))
        };
        self.racers[..self.searches].iter().map(standing).collect()
    }

    fn check(&self) -> PyResult<()> {
        self.jobs().map(|(_, job)| job.check()).fold(Ok(()), Result::and)
    }
}
