//! The playouts of a level 1 that share a policy, on several threads (leaf parallelisation,
//! distributed-nrpa-samegame-2017, section 3.2).
//!
//! Every playout has the key that it has in a sequential search, and results are taken in the order
//! of the children, so the threads cannot change a result. Each thread has its own policy, which it
//! keeps equal to the search's: to adapt it again costs less than to fetch it from another core. It
//! does 1.1 to 3.1 times as many playouts/s as level parallel at level 1 would (benchmarks/README.md).

use crossbeam_utils::CachePadded;

use super::Nrpa;
use super::settings::LevelSettings;
use crate::meter::{Limits, Stop};
use crate::playout::Playouts;
use crate::policy::Policy;
use crate::policy::transfer::Transfer;
use crate::polish::memetic::Memetic;
use crate::problem::Problem;
use crate::random::Key;
use crate::search::{Recursion, Run};
use crate::sequence::{Sequence, Step};
use crate::shared::sync::atomic::{AtomicU64, Ordering};
use crate::state::{Reader, Writer};
use crate::threads::Threads;

/// Playouts of a batch for each thread, about and at most.
const SHARE: u64 = 64;

/// A nested search whose level 1 has a width.
pub struct LeafParallel<P: Problem> {
    pub(super) nrpa: Nrpa<P>,
    workers: Vec<Worker<P>>,
}

/// Playouts `first` to `first + count - 1` of a key, all with one policy.
struct Batch<'a, P: Problem> {
    settings: LevelSettings,
    key: Key,
    first: u64,
    count: u64,
    /// The next playout that a thread begins.
    next: CachePadded<AtomicU64>,
    /// With force explore, the sequence that playouts must not repeat.
    known: Vec<Step>,
    /// The sequences of playouts with lower scores are not needed, unless they are better than this
    /// by the score that is reported.
    best_score: f64,
    reported: f64,
    /// The best sequence of the level, and how often it has changed.
    best: Sequence<P>,
    version: u64,
    change: Change,
    /// The weights that have changed, unless the policy has adapted to `best`.
    transfer: Transfer<P::Code>,
    /// The numbering of the slots in the policy that the threads began with.
    generation: u64,
    limits: &'a Limits<'a>,
}

/// What has happened to the policy since the last batch.
#[derive(Clone, Copy)]
enum Change {
    None,
    /// It has adapted to the best sequence.
    Adapted,
    /// The level has started again.
    Begun,
}

/// What one thread works with, kept from batch to batch.
struct Worker<P: Problem> {
    playouts: Playouts<P>,
    /// The policy; during a batch the first thread has the search's own.
    policy: Policy<P::Code>,
    /// Its copy of the level's best sequence, of this version.
    best: Sequence<P>,
    version: u64,
    slots: Vec<u32>,
    /// The outcome of each of its playouts of this batch.
    outcomes: Vec<Outcome>,
    /// Sequences; the first of them are those of this batch.
    sequences: Vec<Sequence<P>>,
}

/// A child, its score, and the place of its sequence if that is good enough to be kept.
#[derive(Clone, Copy)]
struct Outcome {
    child: u64,
    score: f64,
    reported: f64,
    place: usize,
}

impl<P: Problem> Worker<P> {
    fn new(problem: &P) -> Self {
        Worker {
            playouts: Playouts::new(problem),
            policy: Policy::new(problem),
            best: Sequence::default(),
            version: 0,
            slots: Vec::new(),
            outcomes: Vec::new(),
            sequences: Vec::new(),
        }
    }

    /// Changes its policy as the search has changed its own.
    fn follow(&mut self, batch: &Batch<P>) {
        match batch.change {
            Change::None => {}
            Change::Adapted => {
                if self.version != batch.version {
                    self.best.copy(&batch.best);
                    self.version = batch.version;
                }
                let Worker { policy, best, playouts, .. } = self;
                batch.settings.adapt(policy, best, playouts);
            }
            Change::Begun => {
                batch.transfer.slots(&mut self.policy, &mut self.slots);
                batch.transfer.put(&mut self.policy, &self.slots);
            }
        }
    }

    /// Runs playouts of a batch that no thread has begun, until something ends the search.
    fn work(&mut self, problem: &P, batch: &Batch<P>) {
        self.outcomes.clear();
        let mut place = 0;
        while batch.limits.interruption().is_none() {
            let child = batch.next.fetch_add(1, Ordering::Relaxed);
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
            let reported = sequence.reported;
            self.outcomes.push(Outcome { child, score, reported, place });
            place += usize::from(score >= batch.best_score || reported > batch.reported);
        }
    }
}

impl<P: Problem> LeafParallel<P> {
    /// A search with these levels, from level 1 upwards, that has this root.
    pub(crate) fn new(
        problem: &P,
        settings: &[LevelSettings],
        memetic: Option<Memetic<P>>,
        root: Key,
    ) -> Self {
        let nrpa = Nrpa::new(problem, settings, root).polishing(memetic, 1);
        LeafParallel { nrpa, workers: Vec::new() }
    }

    /// Advances the search with the playouts of level 1 on several threads.
    fn advance_parallel(
        &mut self,
        problem: &P,
        run: &mut Run<P::Move>,
        limits: &Limits,
        count: usize,
    ) -> Stop {
        let mut workers = std::mem::take(&mut self.workers);
        workers.resize_with(count, || Worker::new(problem));
        workers[1..].iter_mut().for_each(|worker| worker.policy.copy(&self.nrpa.policy));
        self.nrpa.policy.follow(true);
        let last = workers.iter().map(|worker| worker.version).max();
        let batch = Batch {
            settings: self.nrpa.levels[0].settings,
            key: run.root,
            first: 0,
            count: 0,
            next: AtomicU64::new(0).into(),
            known: Vec::new(),
            best_score: f64::NEG_INFINITY,
            reported: f64::NEG_INFINITY,
            best: Sequence::default(),
            version: last.unwrap_or(0) + 1,
            change: Change::None,
            transfer: Transfer::new(),
            generation: self.nrpa.policy.generation,
            limits,
        };
        let work = |batch: &Batch<P>, worker: &mut Worker<P>, number: usize| {
            if number > 0 {
                worker.follow(batch);
            }
            worker.work(problem, batch);
        };
        let (stop, _, workers) = Threads::new(batch, workers, work).start(|threads| {
            // The worker of each playout of a batch, and its outcome there.
            let mut outcomes = Vec::new();
            loop {
                if let Some(stop) = run.stop(limits) {
                    break stop;
                }
                let adopted = self.nrpa.adopt(problem, run);
                if adopted || threads.batch().generation != self.nrpa.policy.generation {
                    let batch = &mut *threads.batch();
                    for number in 1..count {
                        threads.worker(number).policy.copy(&self.nrpa.policy);
                    }
                    batch.generation = self.nrpa.policy.generation;
                    batch.change = Change::None;
                    batch.version += 1;
                }
                let left = limits.playouts - run.meter.playouts;
                let most = left.min(SHARE * count as u64);
                threads.batch().reported = run.meter.score;
                self.begin_batch(&mut threads.batch(), &mut threads.worker(0), most);
                threads.run();
                let batch = &mut *threads.batch();
                self.swap(batch, &mut threads.worker(0));
                outcomes.clear();
                outcomes.resize(batch.count as usize, None);
                for number in 0..count {
                    for &outcome in &threads.worker(number).outcomes {
                        outcomes[outcome.child as usize] = Some((number, outcome));
                    }
                }
                let before = run.meter.playouts;
                // If something has ended the batch, take the playouts before the first unfinished
                // one.
                for &(number, outcome) in outcomes.iter().map_while(Option::as_ref) {
                    // A target reached ends the batch where it would end on one thread.
                    if run.meter.playouts > 0 && run.meter.score >= limits.target {
                        break;
                    }
                    let better = outcome.score >= self.nrpa.levels[0].best_score;
                    if better || outcome.reported > run.meter.score {
                        let sequence = &mut threads.worker(number).sequences[outcome.place];
                        std::mem::swap(sequence, &mut self.nrpa.new);
                        batch.version += u64::from(better);
                    }
                    self.nrpa.new.reported = outcome.reported;
                    self.nrpa.take(outcome.score, run);
                }
                if let Some(stop) = self.nrpa.finish_polish(problem, run, limits) {
                    break stop;
                }
                self.nrpa.compact();
                batch.change = Change::None;
                if run.meter.playouts > before {
                    self.note_change(batch);
                }
                if problem.failed() {
                    break Stop::Failed;
                }
            }
        });
        self.workers = workers;
        self.nrpa.policy.follow(false);
        stop
    }

    /// Says which playouts a batch has, at most this many, and lends what they need.
    fn begin_batch(&mut self, batch: &mut Batch<P>, first: &mut Worker<P>, most: u64) {
        let level = &self.nrpa.levels[0];
        let LevelSettings { width, iterations, .. } = level.settings;
        (batch.key, batch.first) = (level.key, level.iteration);
        batch.best_score = level.best_score;
        batch.count = (width - batch.first % width).min(iterations - batch.first).min(most);
        batch.next = AtomicU64::new(0).into();
        self.swap(batch, first);
    }

    /// Lends what the playouts of a batch need, or takes it back.
    fn swap(&mut self, batch: &mut Batch<P>, first: &mut Worker<P>) {
        let level = &mut self.nrpa.levels[0];
        std::mem::swap(&mut batch.known, &mut level.known);
        std::mem::swap(&mut batch.best, &mut level.best);
        std::mem::swap(&mut first.policy, &mut self.nrpa.policy);
    }

    /// Notes for the threads how the playouts of a batch have changed the policy.
    fn note_change(&mut self, batch: &mut Batch<P>) {
        let level = &self.nrpa.levels[0];
        if level.iteration == 0 {
            batch.transfer.clear();
            batch.transfer.take_changed(&mut self.nrpa.policy);
            batch.change = Change::Begun;
        } else if level.adapts() {
            batch.change = Change::Adapted;
        }
    }
}

impl<P: Problem> Recursion<P> for LeafParallel<P> {
    fn advance(&mut self, problem: &P, run: &mut Run<P::Move>, limits: &Limits) -> Stop {
        if let Some(stop) = self.nrpa.finish_polish(problem, run, limits) {
            return stop;
        }
        let width = usize::try_from(self.nrpa.levels[0].settings.width).unwrap_or(usize::MAX);
        match limits.threads.min(width) {
            0 | 1 => self.nrpa.advance(problem, run, limits),
            threads => self.advance_parallel(problem, run, limits, threads),
        }
    }

    fn progress(&self, run: &Run<P::Move>) -> Vec<(u64, u64)> {
        self.nrpa.progress(run)
    }

    fn polishes(&self) -> bool {
        self.nrpa.polishes()
    }

    fn write(&self, writer: &mut Writer) {
        self.nrpa.write(writer);
    }

    fn read(&mut self, problem: &P, run: &Run<P::Move>, reader: &mut Reader) -> Result<(), String> {
        self.nrpa.read(problem, run, reader)
    }
}
