//! The children that share a policy, on several threads (distributed-nrpa-samegame-2017, section
//! 3.2: leaf and node parallelisation with a shared policy).
//!
//! Every child has the key that it has in a sequential search and results are taken in the order of
//! the children, so that the threads cannot change a result. A batch that cannot be run whole, for
//! lack of budget or because the target is reached in it, is run child by child.

use super::*;
use crate::team::Team;

/// Children `first` to `first + count - 1` of a key, all with one policy.
struct Batch<'a, P: Problem> {
    policy: Policy<P::Code>,
    /// What playouts are to be unlike.
    known: Vec<Step>,
    key: Key,
    first: u64,
    count: u64,
    limits: &'a Limits<'a>,
}

/// What one thread works with, kept from batch to batch: a search of the levels below, and the
/// outcomes of its share of the children.
pub(super) struct Desk<P: Problem> {
    below: Nested<P>,
    /// Whether `below` is on its way with child number `done`.
    under_way: bool,
    done: usize,
    outcomes: Vec<Outcome<P>>,
}

struct Outcome<P: Problem> {
    score: f64,
    sequence: Sequence<P>,
    /// Of a search of at least one level.
    meter: Meter<P::Move>,
}

impl<P: Problem> Desk<P> {
    fn new(problem: &P, settings: &[LevelSettings], root: Key) -> Self {
        let below = Nested::new(problem, settings, root);
        Desk { below, under_way: false, done: 0, outcomes: Vec::new() }
    }

    /// Its share of a batch: every so many-th child. A search that a limit stops stays under way.
    fn work(&mut self, problem: &P, batch: &Batch<P>, number: usize, desks: usize) {
        for child in (number as u64..batch.count).step_by(desks).skip(self.done) {
            if self.outcomes.len() == self.done {
                let (sequence, meter) = (Sequence::default(), Meter::new());
                self.outcomes.push(Outcome { score: 0.0, sequence, meter });
            }
            let key = batch.key.child(batch.first + child);
            let outcome = &mut self.outcomes[self.done];
            if self.below.levels.is_empty() {
                let (playouts, sequence) = (&mut self.below.playouts, &mut outcome.sequence);
                outcome.score =
                    playouts.run_unlike(problem, &batch.policy, key, &batch.known, sequence);
            } else {
                if !self.under_way {
                    self.below.policy.clone_from(&batch.policy);
                    self.below.begin_child(key);
                    self.under_way = true;
                }
                if self.below.advance_child(problem, batch.limits) != Stop::Finished {
                    return;
                }
                self.under_way = false;
                self.below.end_child(outcome);
            }
            self.done += 1;
        }
    }

    /// The records of its share of an unfinished batch.
    fn meters(&self) -> impl Iterator<Item = &Meter<P::Move>> {
        let finished = self.outcomes[..self.done].iter().map(|outcome| &outcome.meter);
        finished.chain(self.under_way.then_some(&self.below.meter))
    }
}

impl<P: Problem> Nested<P> {
    /// The index of the level whose children run side by side: the lowest with a width.
    pub(super) fn wide_level(&self) -> Option<usize> {
        self.levels.iter().position(|level| level.settings.width > 1)
    }

    /// The records of a batch that a limit has stopped.
    pub(super) fn unfinished_meters(&self) -> impl Iterator<Item = &Meter<P::Move>> {
        self.desks.iter().filter(|_| self.unfinished).flat_map(Desk::meters)
    }

    /// Begins a search of these levels with the policy that is in place.
    pub(super) fn begin_child(&mut self, key: Key) {
        self.meter = Meter::new();
        self.restarts = 0;
        let top = self.levels.len() - 1;
        self.levels[top].begin(key);
        self.descend(top);
    }

    fn advance_child(&mut self, problem: &P, limits: &Limits) -> Stop {
        self.meter.start();
        let whole = Limits { playouts: u64::MAX, restart: false, ..*limits };
        let stop = self.advance_alone(problem, &whole);
        self.meter.pause();
        stop
    }

    fn end_child(&mut self, outcome: &mut Outcome<P>) {
        outcome.score = self.meter.score;
        std::mem::swap(&mut outcome.sequence, &mut self.current);
        // Its slots are those of this search's own copy of the policy.
        outcome.sequence.prepared = 0;
        std::mem::swap(&mut outcome.meter, &mut self.meter);
    }

    /// Moves the search on with the children of level `wide` (an index) on several threads.
    pub(super) fn advance_together(
        &mut self,
        problem: &P,
        limits: &Limits,
        threads: usize,
        wide: usize,
    ) -> Stop {
        let settings: Vec<_> = self.levels[..wide].iter().map(|level| level.settings).collect();
        // The most that one child can take: its levels may end early.
        let playouts =
            settings.iter().fold(1u64, |product, level| product.saturating_mul(level.iterations));
        let mut desks = std::mem::take(&mut self.desks);
        if desks.len() != threads {
            self.unfinished = false;
            desks.resize_with(threads, || Desk::new(problem, &settings, self.root));
        }
        let policy = Policy::new(problem);
        let (key, known) = (self.root, Vec::new());
        let batch = Batch { policy, known, key, first: 0, count: 0, limits };
        let work = |batch: &Batch<P>, desk: &mut Desk<P>, number: usize, desks: usize| {
            desk.work(problem, batch, number, desks);
        };
        let (stop, desks) = Team::new(batch, desks, work).assemble(|team| {
            // Whether the batch is gone through child by child.
            let mut alone = false;
            loop {
                if let Some(stop) = self.stop(limits) {
                    break stop;
                }
                let level = &self.levels[wide];
                let (key, first, width) = (level.key, level.iteration, level.settings.width);
                let left = (width - first % width).min(level.settings.iterations - first);
                let affordable = match limits.playouts {
                    u64::MAX => u64::MAX,
                    most => (most - self.meter.playouts) / playouts,
                };
                let count = if wide == 0 { left.min(affordable) } else { left };
                if alone || !self.begins_child(wide) || affordable < count {
                    self.unfinished = false;
                    if let Some(stop) = self.step(problem) {
                        break stop;
                    }
                    alone = !self.begins_batch(wide);
                    continue;
                }
                if !self.unfinished {
                    for number in 0..threads {
                        let desk = &mut *team.desk(number);
                        (desk.done, desk.under_way) = (0, false);
                    }
                }
                team.run(|batch| {
                    std::mem::swap(&mut batch.policy, &mut self.policy);
                    if wide == 0 {
                        std::mem::swap(&mut batch.known, &mut self.levels[0].known);
                    }
                    (batch.key, batch.first, batch.count) = (key, first, count);
                });
                self.unfinished = false;
                if problem.failed() {
                    break Stop::Failed;
                }
                if (0..threads).any(|number| team.desk(number).under_way) {
                    let best = |number| team.desk(number).below.meter.score;
                    alone = (0..threads).map(best).any(|score| score >= limits.target);
                    self.unfinished = !alone;
                    continue;
                }
                for child in 0..count as usize {
                    // A target reached ends the batch where it would end alone.
                    if self.meter.playouts > 0 && self.meter.score >= limits.target {
                        break;
                    }
                    let outcome = &mut team.desk(child % threads).outcomes[child / threads];
                    std::mem::swap(&mut outcome.sequence, &mut self.current);
                    if wide == 0 {
                        self.take(outcome.score);
                    } else {
                        let above = match adapted(&self.levels[wide..]) {
                            0 => 0,
                            level => level + wide as u32,
                        };
                        self.meter.append(&outcome.meter, above);
                        self.ascend(wide, outcome.score);
                    }
                }
            }
        });
        self.desks = desks;
        stop
    }

    /// Whether the next playout begins a child of level `wide`.
    fn begins_child(&self, wide: usize) -> bool {
        self.levels[..wide].iter().all(|level| level.iteration == 0)
    }

    /// Whether it begins a batch of them.
    fn begins_batch(&self, wide: usize) -> bool {
        self.begins_child(wide) && self.levels[wide].completes_batch()
    }
}
