//! The playouts of a level 1 that share a policy, on several threads (leaf parallelisation,
//! distributed-nrpa-samegame-2017, section 3.2).
//!
//! Every playout has the key that it has in a sequential search and they are taken in the order of
//! the children, so that the threads cannot change a result.

use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::team::Team;

/// Playouts of a batch for each thread, about and at most: they are kept until the batch is done.
const SHARE: u64 = 64;

/// Playouts `first` to `first + count - 1` of a key, all with one policy.
struct Batch<'a, P: Problem> {
    policy: Policy<P::Code>,
    /// What playouts are to be unlike.
    known: Vec<Step>,
    key: Key,
    first: u64,
    count: u64,
    /// The next one that a thread takes on.
    next: AtomicU64,
    limits: &'a Limits<'a>,
}

/// What one thread works with, kept from batch to batch.
pub(super) struct Desk<P: Problem> {
    playouts: Playouts<P>,
    /// Those of this batch come first, and are so many.
    outcomes: Vec<Outcome<P>>,
    done: usize,
}

struct Outcome<P: Problem> {
    child: u64,
    score: f64,
    sequence: Sequence<P>,
}

impl<P: Problem> Desk<P> {
    fn new(problem: &P) -> Self {
        Desk { playouts: Playouts::new(problem), outcomes: Vec::new(), done: 0 }
    }

    /// Runs playouts of a batch that nobody has taken on, until something ends the search.
    fn work(&mut self, problem: &P, batch: &Batch<P>) {
        self.done = 0;
        while batch.limits.interruption().is_none() {
            let child = batch.next.fetch_add(1, Ordering::Relaxed);
            if child >= batch.count {
                return;
            }
            if self.outcomes.len() == self.done {
                let sequence = Sequence::default();
                self.outcomes.push(Outcome { child, score: 0.0, sequence });
            }
            let outcome = &mut self.outcomes[self.done];
            let key = batch.key.child(batch.first + child);
            outcome.child = child;
            let (known, sequence) = (&batch.known, &mut outcome.sequence);
            outcome.score = self.playouts.run_unlike(problem, &batch.policy, key, known, sequence);
            if problem.failed() {
                return;
            }
            self.done += 1;
        }
    }
}

impl<P: Problem> Nested<P> {
    /// Moves the search on with the playouts of level 1 on several threads.
    pub(super) fn advance_together(
        &mut self,
        problem: &P,
        limits: &Limits,
        threads: usize,
    ) -> Stop {
        let mut desks = std::mem::take(&mut self.desks);
        desks.resize_with(threads, || Desk::new(problem));
        let policy = Policy::new(problem);
        let (key, known, next) = (self.root, Vec::new(), AtomicU64::new(0));
        let batch = Batch { policy, known, key, first: 0, count: 0, next, limits };
        let work = |batch: &Batch<P>, desk: &mut Desk<P>, _: usize| desk.work(problem, batch);
        let (stop, _, desks) = Team::new(batch, desks, work).assemble(|team| {
            // Desk and place there of each playout of a batch.
            let mut places = Vec::new();
            loop {
                if let Some(stop) = self.stop(limits) {
                    break stop;
                }
                self.lend(&mut team.batch(), threads);
                team.run();
                let batch = &mut *team.batch();
                self.swap_policy(batch);
                places.clear();
                places.resize(batch.count as usize, None);
                for number in 0..threads {
                    let desk = team.desk(number);
                    for (place, outcome) in desk.outcomes[..desk.done].iter().enumerate() {
                        places[outcome.child as usize] = Some((number, place));
                    }
                }
                // If something has ended the batch: the playouts before the first that is not done.
                for &(number, place) in places.iter().map_while(Option::as_ref) {
                    // A target reached ends the batch where it would end alone.
                    if self.meter.playouts > 0 && self.meter.score >= limits.target {
                        break;
                    }
                    let outcome = &mut team.desk(number).outcomes[place];
                    std::mem::swap(&mut outcome.sequence, &mut self.current);
                    self.take(outcome.score);
                }
                if problem.failed() {
                    break Stop::Failed;
                }
            }
        });
        self.desks = desks;
        stop
    }

    /// Lends the policy to a batch and says which playouts it has.
    fn lend(&mut self, batch: &mut Batch<P>, threads: usize) {
        let level = &self.levels[0];
        let LevelSettings { width, iterations, .. } = level.settings;
        (batch.key, batch.first) = (level.key, level.iteration);
        batch.count = (width - batch.first % width)
            .min(iterations - batch.first)
            .min(batch.limits.playouts - self.meter.playouts)
            .min(SHARE * threads as u64);
        batch.next = AtomicU64::new(0);
        self.swap_policy(batch);
    }

    fn swap_policy(&mut self, batch: &mut Batch<P>) {
        std::mem::swap(&mut batch.policy, &mut self.policy);
        std::mem::swap(&mut batch.known, &mut self.levels[0].known);
    }
}
