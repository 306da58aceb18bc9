//! A race: several settings as searches side by side, which are one job.
//!
//! A round advances every search that is still in to the same number of playouts, one search after
//! the other. Then the worse half is dropped, and the next round goes twice as far (successive
//! halving, Karnin, Koren and Somekh 2013). The searches that are left when there are as many as
//! there may be finalists go on, without end if there is one.
//!
//! A race may have an improver. Each time the searches have had so many playouts more, it takes over
//! their best sequence, if that is at least as good as its own, and has a quarter as many tries.
//!
//! All is counted in playouts, so that neither time nor threads decide.

use serde::{Deserialize, Serialize};

use crate::job::{Job, Sequences, Standing, Totals};
use crate::meter::{Counts, Improvement, Limits, Stop};

/// Playouts of the searches for each try of the improver.
const SHARE: u64 = 4;

/// A search that is still in, or what remains of one that was dropped.
enum Racer<J> {
    In(J),
    Out(Totals),
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

/// A race of jobs.
pub struct Race<J> {
    /// The searches, and last the improver, if there is one.
    racers: Vec<Racer<J>>,
    /// The number of the searches.
    searches: usize,
    /// Their playouts between two turns of the improver.
    every: u64,
    finalists: usize,
    place: Place,
}

/// How a race goes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The playouts of each search in the first round; at least 1.
    pub first: u64,
    /// The searches that go on to the end, at most; at least 1.
    pub finalists: usize,
    /// If the last job is the improver: the playouts between two of its turns, at least [`SHARE`].
    pub improve_every: Option<u64>,
}

/// Starts a race of these searches, and the improver if there is one.
///
/// # Errors
///
/// If there are too few, or a setting is out of range.
pub fn start<J>(jobs: Vec<J>, settings: &Settings) -> Result<Race<J>, String> {
    let &Settings { first, finalists, improve_every } = settings;
    let every = improve_every.unwrap_or(u64::MAX);
    let searches = jobs.len().saturating_sub(usize::from(improve_every.is_some()));
    if searches == 0 || first == 0 || finalists == 0 || every < SHARE {
        return Err("a race needs searches, finalists and playouts".into());
    }
    let place = Place { reach: first, seen: vec![0; jobs.len()], ..Place::default() };
    let racers = jobs.into_iter().map(Racer::In).collect();
    Ok(Race { racers, searches, every, finalists, place })
}

impl<J> Race<J> {
    /// What is still in, with its number.
    fn jobs(&self) -> impl Iterator<Item = (usize, &J)> {
        in_race(&self.racers)
    }

    /// The searches that are still in, with their numbers.
    fn running(&self) -> impl Iterator<Item = (usize, &J)> {
        self.jobs().take_while(|(number, _)| *number < self.searches)
    }
}

impl<J: Sequences> Race<J> {
    /// The playouts of the improver.
    fn tries(&self) -> u64 {
        self.racers[self.searches..].iter().map(|racer| racer.totals().playouts).sum()
    }

    /// The sum over the searches and the improver.
    fn sum<T: std::iter::Sum>(&self, of: impl Fn(&Totals) -> T) -> T {
        self.racers.iter().map(|racer| of(&racer.totals())).sum()
    }

    fn playouts(&self) -> u64 {
        self.sum(|racer| racer.playouts)
    }

    /// The first of the best that are still in: no search was better when it was dropped.
    fn best(&self) -> Option<&J> {
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
        if tries < room && tries.is_multiple_of(of_turn) {
            self.hand_over();
        }
        let Some(Racer::In(improver)) = self.racers.last_mut() else { return None };
        let playouts = goal.min(room);
        let stop = improver.advance(&Limits { playouts, restart: true, ..*limits });
        let ended = improver.totals().playouts >= goal;
        self.look_at(self.searches);
        (!ended).then_some(stop)
    }

    /// Gives the improver the best sequence of the searches, unless it has a better one.
    fn hand_over(&mut self) {
        let (searches, improver) = self.racers.split_at_mut(self.searches);
        let best = best_of(in_race(searches));
        if let (Some(best), [Racer::In(improver)]) = (best, improver)
            && best.totals().score >= improver.totals().score
        {
            // A variant may have sequences that the problem itself has not. If the problem fails, the
            // next step of the improver tells.
            let _ = improver.adopt(best.moves(), 1);
        }
    }

    /// Takes the new improvements of a search into the record of the race.
    fn look_at(&mut self, number: usize) {
        let Racer::In(job) = &self.racers[number] else { return };
        let own = job.totals();
        let others = self.playouts() - own.playouts;
        let seconds = self.sum(|racer| racer.seconds) - own.seconds;
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
                (number, job.totals().score, last)
            })
            .collect();
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.2.cmp(&other.2)));
        let kept = ranked.len().div_ceil(2).max(self.finalists);
        for &(number, _, _) in ranked.iter().skip(kept) {
            self.racers[number] = Racer::Out(self.racers[number].totals());
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

/// Those that are still in, with their numbers.
fn in_race<J>(racers: &[Racer<J>]) -> impl Iterator<Item = (usize, &J)> {
    racers.iter().enumerate().filter_map(|(number, racer)| match racer {
        Racer::In(job) => Some((number, job)),
        Racer::Out(_) => None,
    })
}

/// The first of the best jobs that have begun.
fn best_of<'a, J: Job + 'a>(jobs: impl Iterator<Item = (usize, &'a J)>) -> Option<&'a J> {
    let played = jobs.map(|(_, job)| job).filter(|job| job.totals().playouts > 0);
    played.reduce(|best, next| if next.totals().score > best.totals().score { next } else { best })
}

impl<J: Job> Racer<J> {
    fn totals(&self) -> Totals {
        match self {
            Racer::Out(totals) => *totals,
            Racer::In(job) => job.totals(),
        }
    }
}

impl<J: Sequences> Job for Race<J> {
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
            let room = due.min(limits.playouts).saturating_sub(all - job.totals().playouts);
            let stop = job.advance(&Limits { playouts: reach.min(room), ..*limits });
            let there = job.totals().playouts >= reach;
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

    fn totals(&self) -> Totals {
        let of_searches = self.racers[..self.searches].iter().map(|racer| racer.totals().counts);
        // All that the improver has count, those too that it took over.
        let of_all = of_searches.chain([Counts::of_improver(self.tries())]).sum();
        Totals {
            playouts: self.playouts(),
            counts: Counts { restarts: self.sum(|racer| racer.counts.restarts), ..of_all },
            seconds: self.sum(|racer| racer.seconds),
            score: self.best().map_or(f64::NEG_INFINITY, |job| job.totals().score),
        }
    }

    fn improvements(&self) -> &[Improvement] {
        &self.place.improvements
    }

    fn progress(&self) -> Vec<(u64, u64)> {
        let turn = self.running().find(|(number, _)| *number >= self.place.turn);
        turn.or_else(|| self.running().last()).map_or(Vec::new(), |(_, job)| job.progress())
    }

    fn standings(&self) -> Vec<Standing> {
        let standing = |racer: &Racer<J>| {
            let totals = racer.totals();
            (totals.playouts, totals.score, matches!(racer, Racer::In(_)))
        };
        self.racers[..self.searches].iter().map(standing).collect()
    }

    fn save(&self) -> Vec<u8> {
        let saved: Vec<_> = self
            .racers
            .iter()
            .map(|racer| match racer {
                Racer::In(job) => Ok(job.save()),
                Racer::Out(totals) => Err(*totals),
            })
            .collect();
        // Nothing in it can fail to serialise.
        postcard::to_stdvec(&(&self.place, saved)).unwrap_or_default()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), String> {
        let (place, saved): (Place, Vec<Result<Vec<u8>, Totals>>) = postcard::from_bytes(saved)
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
                (_, Err(totals)) => *racer = Racer::Out(totals),
                (Racer::Out(_), Ok(_)) => return Err("it is of another race".into()),
            }
        }
        self.place = place;
        Ok(())
    }
}

impl<J: Sequences> Sequences for Race<J> {
    type Move = J::Move;

    fn moves(&self) -> &[J::Move] {
        self.best().map_or(&[], |job| job.moves())
    }

    /// Those of what is still in.
    fn trail(&self) -> Vec<(u64, &[J::Move])> {
        let mut found = Vec::new();
        for (number, job) in self.jobs() {
            for (playouts, moves) in job.trail() {
                let same = self.place.origins.iter().position(|&of| of == (number, playouts));
                found.extend(same.map(|at| (self.place.improvements[at].playouts, moves)));
            }
        }
        found.sort_by_key(|(playouts, _)| *playouts);
        found
    }

    /// Every search that is still in takes it over, unless its variant of the problem has no such
    /// sequence. It counts as a playout of each. The improver takes over only what they have.
    fn adopt(&mut self, moves: &[J::Move], strength: u64) -> Result<f64, String> {
        let mut adopted = Err("no search of the race can play it".into());
        for number in 0..self.searches {
            if let Racer::In(job) = &mut self.racers[number] {
                adopted = job.adopt(moves, strength).or(adopted);
            }
            self.look_at(number);
        }
        adopted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{Digits, playouts};
    use crate::job::Single;
    use crate::random::Key;
    use crate::{Algorithm, nmcs, nrpa};

    /// A race of sampling and of NRPA of two sizes.
    fn race() -> Race<Single<Digits>> {
        let nrpa = |iterations| {
            let level = nrpa::settings::LevelSettings { iterations, ..Default::default() };
            let levels = vec![level; 2];
            Algorithm::Nrpa(nrpa::settings::Settings { levels, ..Default::default() })
        };
        let entrants = [Algorithm::Nmcs(nmcs::Settings::default()), nrpa(4), nrpa(12)];
        let single = |(algorithm, key): (&Algorithm, u64)| {
            let problem = Digits { base: 8, length: 12 }.into();
            let search = algorithm.start(&problem, Key(key)).unwrap();
            Single { problem, search }
        };
        let jobs = entrants.iter().zip(1..).map(single).collect();
        start(jobs, &Settings { first: 40, finalists: 1, improve_every: None }).unwrap()
    }

    /// Which searches are still in.
    fn running(race: &Race<Single<Digits>>) -> Vec<bool> {
        race.standings().iter().map(|standing| standing.2).collect()
    }

    #[test]
    fn the_worse_half_is_dropped_and_the_rest_goes_twice_as_far() {
        let mut race = race();
        assert_eq!(race.advance(&playouts(3 * 40 - 1)), Stop::Playouts);
        assert_eq!(running(&race), [true; 3]);
        race.advance(&playouts(3 * 40));
        assert_eq!(running(&race), [false, true, true]);
        assert_eq!(race.standings()[0].0, 40);
        race.advance(&playouts(40 + 2 * 80));
        assert_eq!(running(&race).iter().filter(|&&running| running).count(), 1);
    }

    #[test]
    fn a_race_goes_on_from_any_playout() {
        let mut whole = race();
        whole.advance(&playouts(500));
        for stop in [1, 39, 40, 41, 119, 120, 121, 200, 499] {
            let (mut broken, mut again) = (race(), race());
            broken.advance(&playouts(stop));
            again.restore(&broken.save()).unwrap();
            again.advance(&playouts(500));
            assert_eq!(again.totals().playouts, 500);
            assert_eq!(again.moves(), whole.moves());
            assert_eq!(again.standings(), whole.standings());
            let found = |race: &Race<_>| -> Vec<_> {
                race.improvements().iter().map(|each| (each.playouts, each.score)).collect()
            };
            assert_eq!(found(&again), found(&whole));
        }
        let saved = whole.save();
        assert!(race().restore(&saved[..saved.len() - 1]).is_err());
    }
}
