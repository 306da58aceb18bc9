//! The playouts of a level 1 that share a policy, on several threads (leaf parallelisation,
//! distributed-nrpa-samegame-2017, section 3.2).
//!
//! Every playout has the key that it has in a sequential search and they are taken in the order of
//! the children, so that the threads cannot change a result. Each thread has a policy of its own,
//! kept like the search's: to adapt it once more costs less than to fetch it from another core.

use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::carried::Carried;
use crate::sequence::Step;
use crate::team::{Apart, Team};

/// Playouts of a batch for each thread, about and at most.
const SHARE: u64 = 64;

/// Playouts `first` to `first + count - 1` of a key, all with one policy.
struct Batch<'a, P: Problem> {
    settings: LevelSettings,
    key: Key,
    first: u64,
    count: u64,
    /// The next one that a thread takes on.
    next: Apart<AtomicU64>,
    /// What playouts are to be unlike.
    known: Vec<Step>,
    /// The sequences of worse playouts are not needed.
    best_score: f64,
    /// The best sequence of the level, and how often it has changed.
    best: Sequence<P>,
    version: u64,
    /// What has happened to the policy since the last batch.
    news: News,
    /// Its weights that have changed, where it has not adapted to `best`.
    changes: Carried<P::Code>,
    /// Its numbering of the slots, with which the threads' have begun.
    generation: u64,
    limits: &'a Limits<'a>,
}

#[derive(Clone, Copy)]
enum News {
    Nothing,
    /// It has adapted to the best sequence.
    Adapted,
    /// The level has begun anew.
    Changed,
}

/// What one thread works with, kept from batch to batch.
pub(super) struct Desk<P: Problem> {
    playouts: Playouts<P>,
    /// The policy; the first thread has the search's own while a batch is under way.
    policy: Policy<P::Code>,
    /// Its copy of the level's best sequence, of this version.
    best: Sequence<P>,
    version: u64,
    slots: Vec<u32>,
    /// Of each of its playouts of this batch.
    outcomes: Vec<Outcome>,
    /// The first of these are sequences of this batch.
    sequences: Vec<Sequence<P>>,
}

/// A child, its score and where its sequence is, if that is good enough to be kept.
#[derive(Clone, Copy)]
struct Outcome {
    child: u64,
    score: f64,
    place: usize,
}

impl<P: Problem> Desk<P> {
    fn new(problem: &P) -> Self {
        Desk {
            playouts: Playouts::new(problem),
            policy: Policy::new(problem),
            best: Sequence::default(),
            version: 0,
            slots: Vec::new(),
            outcomes: Vec::new(),
            sequences: Vec::new(),
        }
    }

    /// Does with its policy what the search has done with its own.
    fn follow(&mut self, batch: &Batch<P>) {
        match batch.news {
            News::Nothing => {}
            News::Adapted => {
                if self.version != batch.version {
                    self.best.copy(&batch.best);
                    self.version = batch.version;
                }
                let Desk { policy, best, playouts, .. } = self;
                batch.settings.adapt(policy, best, playouts);
            }
            News::Changed => {
                batch.changes.slots(&mut self.policy, &mut self.slots);
                batch.changes.put(&mut self.policy, &self.slots);
            }
        }
    }

    /// Runs playouts of a batch that nobody has taken on, until something ends the search.
    fn work(&mut self, problem: &P, batch: &Batch<P>) {
        self.outcomes.clear();
        let mut place = 0;
        while batch.limits.interruption().is_none() {
            let child = batch.next.0.fetch_add(1, Ordering::Relaxed);
            if child >= batch.count {
                return;
            }
            if self.sequences.len() == place {
                self.sequences.push(Sequence::default());
            }
            let (known, sequence) = (&batch.known, &mut self.sequences[place]);
            let key = batch.key.child(batch.first + child);
            let score = self.playouts.run_unlike(problem, &self.policy, key, known, sequence);
            if problem.failed() {
                return;
            }
            self.outcomes.push(Outcome { child, score, place });
            place += usize::from(score >= batch.best_score);
        }
    }
}

impl<P: Problem> Nrpa<P> {
    /// Moves the search on with the playouts of level 1 on several threads.
    pub(super) fn advance_together(
        &mut self,
        problem: &P,
        limits: &Limits,
        threads: usize,
    ) -> Stop {
        let mut desks = std::mem::take(&mut self.desks);
        desks.resize_with(threads, || Desk::new(problem));
        desks[1..].iter_mut().for_each(|desk| desk.policy.copy(&self.policy));
        self.policy.follow();
        let last = desks.iter().map(|desk| desk.version).max();
        let batch = Batch {
            settings: self.levels[0].settings,
            key: self.root,
            first: 0,
            count: 0,
            next: Apart(AtomicU64::new(0)),
            known: Vec::new(),
            best_score: f64::NEG_INFINITY,
            best: Sequence::default(),
            version: last.unwrap_or(0) + 1,
            news: News::Nothing,
            changes: Carried::new(),
            generation: self.policy.generation,
            limits,
        };
        let work = |batch: &Batch<P>, desk: &mut Desk<P>, number: usize| {
            if number > 0 {
                desk.follow(batch);
            }
            desk.work(problem, batch);
        };
        let (stop, _, desks) = Team::new(batch, desks, work).assemble(|team| {
            // The desk of each playout of a batch, and what it has there.
            let mut outcomes = Vec::new();
            loop {
                if let Some(stop) = self.stop(limits) {
                    break stop;
                }
                self.lend(&mut team.batch(), &mut team.desk(0), threads);
                team.run();
                let batch = &mut *team.batch();
                self.swap(batch, &mut team.desk(0));
                outcomes.clear();
                outcomes.resize(batch.count as usize, None);
                for number in 0..threads {
                    for &outcome in &team.desk(number).outcomes {
                        outcomes[outcome.child as usize] = Some((number, outcome));
                    }
                }
                let before = self.meter.playouts;
                // If something has ended the batch: the playouts before the first that is not done.
                for &(number, outcome) in outcomes.iter().map_while(Option::as_ref) {
                    // A target reached ends the batch where it would end alone.
                    if self.meter.playouts > 0 && self.meter.score >= limits.target {
                        break;
                    }
                    if outcome.score >= self.levels[0].best_score {
                        let sequence = &mut team.desk(number).sequences[outcome.place];
                        std::mem::swap(sequence, &mut self.current);
                        batch.version += 1;
                    }
                    self.take(outcome.score);
                }
                batch.news = News::Nothing;
                if self.meter.playouts > before {
                    self.tell(batch);
                }
                if batch.generation != self.policy.generation {
                    batch.generation = self.policy.generation;
                    (1..threads).for_each(|number| team.desk(number).policy.copy(&self.policy));
                }
                if problem.failed() {
                    break Stop::Failed;
                }
            }
        });
        self.desks = desks;
        self.policy.unfollow();
        stop
    }

    /// Says which playouts a batch has, and lends what they need.
    fn lend(&mut self, batch: &mut Batch<P>, first: &mut Desk<P>, threads: usize) {
        let level = &self.levels[0];
        let LevelSettings { width, iterations, .. } = level.settings;
        (batch.key, batch.first) = (level.key, level.iteration);
        batch.best_score = level.best_score;
        batch.count = (width - batch.first % width)
            .min(iterations - batch.first)
            .min(batch.limits.playouts - self.meter.playouts)
            .min(SHARE * threads as u64);
        batch.next = Apart(AtomicU64::new(0));
        self.swap(batch, first);
    }

    fn swap(&mut self, batch: &mut Batch<P>, first: &mut Desk<P>) {
        let level = &mut self.levels[0];
        std::mem::swap(&mut batch.known, &mut level.known);
        std::mem::swap(&mut batch.best, &mut level.best);
        std::mem::swap(&mut first.policy, &mut self.policy);
    }

    /// Tells the threads what the playouts of a batch have done to the policy.
    fn tell(&mut self, batch: &mut Batch<P>) {
        let level = &self.levels[0];
        if level.iteration == 0 {
            batch.changes.clear();
            self.policy.take_changed(&mut batch.changes);
            batch.news = News::Changed;
        } else if level.adapts() {
            batch.news = News::Adapted;
        }
    }
}
