//! The playouts of a level 1 that share a policy, on several threads (leaf parallelisation,
//! distributed-nrpa-samegame-2017, section 3.2).
//!
//! Each thread has the whole search. They share the playouts of a batch, and meet. Then each of them
//! takes all results in the order of the children and adapts, so that all stand at the same place
//! again: that costs less than to fetch from another core what has changed. Every playout has the key
//! that it has in a sequential search, so the threads cannot change a result. This does 1.1 to 3.1
//! times as many playouts/s as level parallel at level 1 would (benchmarks/README.md).

use std::collections::VecDeque;

use crossbeam_utils::CachePadded;

use super::Nrpa;
use super::settings::{LevelSettings, batch};
use crate::biased::Biased;
use crate::borrower::Borrower;
use crate::lockstep::Lockstep;
use crate::meter::{Limits, Stop};
use crate::problem::{Batches, Offers, Problem};
use crate::random::Key;
use crate::search::{Recursion, Run};
use crate::sequence::Sequence;
use crate::shared::sync::atomic::{AtomicU64, Ordering};
use crate::shared::sync::{PoisonError, RwLock};
use crate::shared::thread;
use crate::state::{Reader, Writer};
use crate::threads::Meetings;

/// Playouts of a batch for each thread, about and at most.
const SHARE: u64 = 64;

/// A nested search whose level 1 has a width.
pub struct LeafParallel<P: Problem> {
    pub(super) nrpa: Nrpa<P>,
    /// The search on the other threads.
    others: Vec<Nrpa<P>>,
    /// For each thread, what it has done of a batch. There are two of them in turn: while a thread
    /// works on a batch, others may still read what it did of the one before.
    shares: Vec<[CachePadded<RwLock<Share<P>>>; 2]>,
    together: Together<P>,
}

/// A batch whose leaves are scored together.
struct Together<P: Problem> {
    sequences: Vec<Sequence<P>>,
    lockstep: Lockstep<P>,
    /// The scores that are not taken yet, with what steers the search, and the playouts at which
    /// they count: a target may stop a search in the middle of a batch.
    scored: VecDeque<(f64, f64)>,
    at: u64,
    /// How many were taken.
    taken: usize,
}

/// The playouts of a batch that one thread has run.
struct Share<P: Problem> {
    outcomes: Vec<Outcome>,
    /// The sequences that may be needed; the first of them are of this batch.
    sequences: Vec<Sequence<P>>,
}

/// A child, its score, whether it repeats the best sequence that level 1 had before the batch, and
/// the place of its sequence if that is good enough to be kept.
#[derive(Clone, Copy)]
struct Outcome {
    child: u64,
    score: f64,
    reported: f64,
    repeats: bool,
    place: usize,
}

/// What the threads have in common.
struct Team<'a, P: Problem> {
    problem: &'a Biased<P>,
    limits: &'a Limits<'a>,
    shares: &'a [[CachePadded<RwLock<Share<P>>>; 2]],
    /// The next playout of a batch that no thread has begun, of this batch and the next in turn.
    next: [CachePadded<AtomicU64>; 2],
    meetings: Meetings,
    /// Whether the results of level 1 are lent.
    lends: bool,
}

impl<P: Problem> LeafParallel<P> {
    /// A search with these levels, from level 1 upwards, that has this root.
    pub(crate) fn new(
        problem: &Biased<P>,
        settings: &[LevelSettings],
        borrower: Option<Box<dyn Borrower<P>>>,
        root: Key,
    ) -> Self {
        let nrpa = Nrpa::new(problem, settings, root).lending(borrower, 1);
        LeafParallel { nrpa, others: Vec::new(), shares: Vec::new(), together: Together::default() }
    }

    /// Runs the playouts of a batch, scores their leaves together, and takes the results in order. The
    /// clock does not divide a batch. A failure leaves the search as it was before.
    fn advance_together(
        &mut self,
        problem: &Biased<P>,
        batches: &dyn Batches<P>,
        run: &mut Run<P::Move>,
        limits: &Limits,
    ) {
        let LeafParallel { nrpa, together, .. } = self;
        if together.at != run.meter.playouts {
            together.scored.clear();
        }
        if together.scored.is_empty() {
            nrpa.adopt(problem, run);
            if problem.failed() || run.ended(limits) {
                return;
            }
            let count = nrpa.left_of_batch(run, limits) as usize;
            let played = together.play(count, problem, batches, nrpa, limits);
            let leaves = nrpa.playouts.take_leaves();
            if problem.failed() || !played {
                return;
            }
            let scored = batches.scores(&leaves, limits.threads).into_iter().zip(&leaves);
            let scored = scored.map(|(score, leaf)| (score, problem.shaped(leaf, score))).collect();
            if problem.failed() {
                return;
            }
            (together.scored, together.taken) = (scored, 0);
        }
        while run.stop(limits).is_none()
            && let Some((reported, score)) = together.scored.pop_front()
        {
            let sequence = &mut together.sequences[together.taken];
            together.taken += 1;
            sequence.reported = reported;
            nrpa.fetch(score, reported, Some(sequence), run);
            nrpa.new.reported = reported;
            nrpa.take(score, run);
        }
        together.at = run.meter.playouts;
        nrpa.compact();
    }

    /// Runs playouts on so many threads, until a limit is met or a result is lent.
    fn advance_parallel(
        &mut self,
        problem: &Biased<P>,
        run: &mut Run<P::Move>,
        limits: &Limits,
        threads: usize,
    ) {
        let LeafParallel { nrpa, others, shares, .. } = self;
        let settings: Vec<_> = nrpa.levels.iter().map(|level| level.settings).collect();
        others.resize_with(threads - 1, || Nrpa::new(problem, &settings, run.root));
        shares.resize_with(threads, Default::default);
        let team = Team {
            problem,
            limits,
            shares,
            next: Default::default(),
            meetings: Meetings::new(threads),
            lends: nrpa.borrower.is_some(),
        };
        thread::scope(|scope| {
            for (number, other) in (1..).zip(others) {
                other.copy(nrpa);
                let (team, mut run) = (&team, run.copy());
                scope.spawn(move || team.work(number, other, &mut run));
            }
            team.work(0, nrpa, run);
        });
    }
}

impl<P: Problem> Nrpa<P> {
    /// The number of playouts that a batch of level 1 lacks, as far as they are allowed.
    fn left_of_batch(&self, run: &Run<P::Move>, limits: &Limits) -> u64 {
        let level = &self.levels[0];
        batch(&level.settings, level.iteration).min(limits.playouts - run.meter.playouts)
    }
}

impl<P: Problem> Team<'_, P> {
    /// What every thread does. All do the same number of batches.
    fn work(&self, number: usize, nrpa: &mut Nrpa<P>, run: &mut Run<P::Move>) {
        let _leaves = self.meetings.member();
        for batch in 0.. {
            nrpa.adopt(self.problem, run);
            // Where a problem in another language fails here, the others have adapted and we have not.
            if self.problem.failed() || run.ended(self.limits) {
                return;
            }
            let turn = batch % 2;
            let count = self.count(nrpa, run);
            if number == 0 {
                self.next[1 - turn].store(0, Ordering::Relaxed);
            }
            self.play(turn, count, number, nrpa, run);
            if !self.meetings.meet(batch + 1) || !self.take(turn, count, nrpa, run) {
                return;
            }
            nrpa.compact();
            let level = &nrpa.levels[0];
            if self.lends && (level.iteration == 0 || level.finished()) {
                return;
            }
        }
    }

    /// The number of playouts of the next batch.
    fn count(&self, nrpa: &Nrpa<P>, run: &Run<P::Move>) -> u64 {
        nrpa.left_of_batch(run, self.limits).min(SHARE * self.shares.len() as u64)
    }

    /// Runs playouts of a batch that no thread has begun, until something ends the search.
    fn play(&self, turn: usize, count: u64, number: usize, nrpa: &mut Nrpa<P>, run: &Run<P::Move>) {
        let mut share = self.shares[number][turn].write().unwrap_or_else(PoisonError::into_inner);
        let Share { outcomes, sequences } = &mut *share;
        outcomes.clear();
        // No result that is worse than an earlier one of this thread can become the best: its sequence
        // is not kept.
        let (mut least, mut most) = (nrpa.levels[0].best_score, run.meter.score);
        let mut place = 0;
        while self.limits.interruption().is_none() {
            let child = self.next[turn].fetch_add(1, Ordering::Relaxed);
            if child >= count {
                return;
            }
            if sequences.len() == place {
                sequences.push(Sequence::default());
            }
            let score = nrpa.playout_ahead(self.problem, child, &mut sequences[place]);
            if self.problem.failed() {
                return;
            }
            let (level, sequence) = (&nrpa.levels[0], &sequences[place]);
            let reported = sequence.reported;
            let repeats = level.noted && level.repeats(score, sequence);
            outcomes.push(Outcome { child, score, reported, repeats, place });
            place += usize::from(score >= least || reported > most);
            (least, most) = (least.max(score), most.max(reported));
        }
    }

    /// Takes the results of a batch. If something has ended it, takes those of the playouts before
    /// the first unfinished one, and returns false.
    fn take(&self, turn: usize, count: u64, nrpa: &mut Nrpa<P>, run: &mut Run<P::Move>) -> bool {
        let shares = self.shares.iter().map(|share| &share[turn]);
        let shares: Vec<_> =
            shares.map(|share| share.read().unwrap_or_else(PoisonError::into_inner)).collect();
        let mut rest: Vec<_> =
            shares.iter().map(|share| share.outcomes.iter().peekable()).collect();
        for child in 0..count {
            // A target reached ends the batch where it would end on one thread.
            if run.meter.playouts > 0 && run.meter.score >= self.limits.target {
                return true;
            }
            let found = rest.iter_mut().zip(&shares).find_map(|(outcomes, share)| {
                Some((outcomes.next_if(|outcome| outcome.child == child)?, share))
            });
            let Some((&Outcome { score, reported, repeats, place, .. }, share)) = found else {
                return false;
            };
            // Unless the batch has found another best sequence, every thread has it: it need not be
            // fetched from another core.
            match repeats && nrpa.levels[0].noted {
                true => nrpa.new.copy_choices(&nrpa.levels[0].best),
                false => nrpa.fetch(score, reported, share.sequences.get(place), run),
            }
            nrpa.new.reported = reported;
            nrpa.take(score, run);
        }
        true
    }
}

impl<P: Problem> Together<P> {
    /// Runs so many playouts up to their leaves; false if it does not come to the end of them.
    fn play(
        &mut self,
        count: usize,
        problem: &Biased<P>,
        batches: &dyn Batches<P>,
        nrpa: &mut Nrpa<P>,
        limits: &Limits,
    ) -> bool {
        self.sequences.resize_with(count.max(self.sequences.len()), Sequence::default);
        nrpa.playouts.gather_leaves();
        if batches.has_biases() && problem.is_plain() {
            return self.play_in_lockstep(count, problem, batches, nrpa, limits);
        }
        (0..).zip(&mut self.sequences[..count]).all(|(child, sequence)| {
            nrpa.playout_ahead(problem, child, sequence);
            !problem.failed() && !limits.cancel.load(Ordering::Relaxed)
        })
    }

    /// The same a step of all of them at a time.
    fn play_in_lockstep(
        &mut self,
        count: usize,
        problem: &Biased<P>,
        batches: &dyn Batches<P>,
        nrpa: &mut Nrpa<P>,
        limits: &Limits,
    ) -> bool {
        let level = &nrpa.levels[0];
        let keys = (level.iteration..).take(count).map(|child| level.key.child(child));
        let keys: Vec<_> = keys.collect();
        let sequences = &mut self.sequences[..count];
        let cancelled = || limits.cancel.load(Ordering::Relaxed);
        let (policy, keys) = (&nrpa.policy, (&keys[..], &level.known[..]));
        let lockstep = &mut self.lockstep;
        let played = lockstep.play(problem, batches, policy, keys, sequences, cancelled);
        nrpa.playouts.gather(self.lockstep.leaves(count));
        played
    }
}

impl<P: Problem> Default for Together<P> {
    fn default() -> Self {
        let (sequences, lockstep, scored) = (Vec::new(), Lockstep::default(), VecDeque::new());
        Together { sequences, lockstep, scored, at: 0, taken: 0 }
    }
}

impl<P: Problem> Default for Share<P> {
    fn default() -> Self {
        Share { outcomes: Vec::new(), sequences: Vec::new() }
    }
}

impl<P: Offers> Recursion<P> for LeafParallel<P> {
    fn advance(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>, limits: &Limits) -> Stop {
        let threads = limits.threads.min(batch(&self.nrpa.levels[0].settings, 0) as usize);
        let batches = problem.batches();
        if threads <= 1 && batches.is_none() {
            return self.nrpa.advance(problem, run, limits);
        }
        loop {
            if let Some(stop) = self.nrpa.await_loan(problem, run, limits) {
                return stop;
            }
            if let Some(stop) = run.stop(limits) {
                return stop;
            }
            match batches {
                Some(batches) => self.advance_together(problem, batches, run, limits),
                None => self.advance_parallel(problem, run, limits, threads),
            }
            if problem.failed() {
                return Stop::Failed;
            }
        }
    }

    fn progress(&self, run: &Run<P::Move>) -> Vec<(u64, u64)> {
        self.nrpa.progress(run)
    }

    fn evaluates(&self) -> bool {
        self.nrpa.evaluates()
    }

    fn write(&self, writer: &mut Writer) {
        self.nrpa.write(writer);
    }

    fn read(
        &mut self,
        problem: &Biased<P>,
        run: &Run<P::Move>,
        reader: &mut Reader,
    ) -> Result<(), String> {
        self.nrpa.read(problem, run, reader)
    }
}
