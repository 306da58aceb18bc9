//! A lane: one of the searches that run side by side, with a policy of its own.

use crate::biased::Biased;
use crate::borrower::Pool;
use crate::code::Slots;
use crate::meter::{Limits, Meter};
use crate::nrpa::Nrpa;
use crate::nrpa::level::{self, Level};
use crate::nrpa::settings::LevelSettings;
use crate::policy::Policy;
use crate::policy::transfer::Transfer;
use crate::problem::Problem;
use crate::random::Key;
use crate::search::Search;
use crate::sequence::Sequence;
use crate::shared::sync::atomic::{AtomicU64, Ordering};
use crate::shared::sync::{Mutex, PoisonError, TryLockError};
use crate::state::{Reader, Writer};

/// One child for each lane: lane i runs child number `first` + i of `key`.
pub(super) struct Round<'a, P: Problem> {
    pub(super) lanes: Vec<Mutex<Lane<P>>>,
    pub(super) key: Key,
    pub(super) first: u64,
    /// The lanes that have a child in this round.
    pub(super) count: u64,
    /// Whether lanes keep their own policies from one round to the next; otherwise they take
    /// `transfer` before each.
    pub(super) local: bool,
    /// What has changed in the parent's policy since the lanes last took it.
    pub(super) transfer: Transfer<P::Code>,
    /// What borrowers know of one search of level 2, if the lanes run its children.
    pub(super) pool: Option<Pool>,
    pub(super) limits: &'a Limits<'a>,
    /// The first lane that has reached the target.
    pub(super) reached: AtomicU64,
}

impl<'a, P: Problem> Round<'a, P> {
    /// A round without children.
    pub(super) fn new(
        lanes: Vec<Mutex<Lane<P>>>,
        transfer: Transfer<P::Code>,
        limits: &'a Limits<'a>,
    ) -> Self {
        let reached = AtomicU64::new(u64::MAX);
        let key = Key(0);
        let (local, pool) = (false, None);
        Round { lanes, key, first: 0, count: 0, local, transfer, pool, limits, reached }
    }

    /// What a thread does: its own lanes first, whose policies its core knows, then those that
    /// no other thread works on.
    pub(super) fn work(&self, problem: &Biased<P>, number: usize, threads: usize) {
        let own = self.lanes.iter().skip(number).step_by(threads);
        for lane in own.chain(&self.lanes) {
            let mut lane = match lane.try_lock() {
                Ok(lane) => lane,
                Err(TryLockError::Poisoned(lane)) => lane.into_inner(),
                Err(TryLockError::WouldBlock) => continue,
            };
            lane.work(problem, self);
        }
    }
}

/// A lane that no thread works on.
pub(super) fn open<P: Problem>(lane: &mut Mutex<Lane<P>>) -> &mut Lane<P> {
    lane.get_mut().unwrap_or_else(PoisonError::into_inner)
}

/// The same, to keep.
pub(super) fn closed<P: Problem>(lane: Mutex<Lane<P>>) -> Lane<P> {
    lane.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// A search of the lower levels and, with local policies, a level above them that is the lane's.
pub(super) struct Lane<P: Problem> {
    number: u64,
    pub(super) lower: Search<P, Nrpa<P>>,
    pub(super) own: Level<P>,
    /// The score of the child's result, once it is done.
    pub(super) score: f64,
    /// Playouts of the child that the search's meter has already.
    pub(super) reported: u64,
    /// Playouts that it may have done beyond these.
    pub(super) allowance: u64,
    /// Where it is in this round: its policy is ready; its child has begun; and is done.
    pub(super) ready: bool,
    begun: bool,
    pub(super) done: bool,
    slots: Vec<u32>,
}

impl<P: Problem> Lane<P> {
    /// A lane with these lower levels.
    pub(super) fn new(number: u64, lower: Nrpa<P>, own: LevelSettings, root: Key) -> Self {
        let (lower, own) = (Search::new(lower, root), Level::new(own, root));
        let (reported, allowance, ready, begun, done, slots) = Default::default();
        let score = f64::NEG_INFINITY;
        Lane { number, lower, own, score, reported, allowance, ready, begun, done, slots }
    }

    /// Playouts that the search's meter does not have yet.
    pub(super) fn meter(&self) -> &Meter<P::Move> {
        &self.lower.run.meter
    }

    pub(super) fn meter_mut(&mut self) -> &mut Meter<P::Move> {
        &mut self.lower.run.meter
    }

    pub(super) fn progress(&self) -> Vec<(u64, u64)> {
        self.lower.progress()
    }

    pub(super) fn policy(&mut self) -> &mut Policy<P::Code> {
        &mut self.lower.recursion.policy
    }

    /// Moves the child of this round on, to its end or to a limit.
    fn work(&mut self, problem: &Biased<P>, round: &Round<P>) {
        if !self.ready {
            self.prepare(round);
        }
        if self.done || self.number >= round.count {
            return;
        }
        let child = round.first + self.number;
        let Search { run, recursion } = &mut self.lower;
        if !self.begun {
            // The child is the restart of this number.
            (run.root, run.restarts) = (round.key, child);
            recursion.descend(recursion.levels.len(), run);
            self.begun = true;
        }
        let limits = Limits { playouts: self.allowance, ..*round.limits };
        while run.meter.stop(&limits).is_none()
            && round.reached.load(Ordering::Relaxed) >= self.number
        {
            if !recursion.step(problem, run, &limits) {
                return;
            }
            if run.meter.score >= limits.target {
                round.reached.fetch_min(self.number, Ordering::Relaxed);
            }
            if run.restarts > child {
                self.done = true;
                self.score = recursion.result;
                return;
            }
            if recursion.policy.is_large() {
                let levels = recursion.levels.iter_mut().chain([&mut self.own]);
                level::compact(&mut recursion.policy, levels);
            }
        }
    }

    /// Brings its policy up to date.
    fn prepare(&mut self, round: &Round<P>) {
        if round.local && round.first > 0 {
            self.adapt();
        } else {
            // A lane with a policy of its own leaves nothing behind.
            let policy = &mut self.lower.recursion.policy;
            self.own.journal.undo(policy);
            self.own.begin(round.key);
            round.transfer.slots(policy, &mut self.slots);
            round.transfer.put(policy, &self.slots);
        }
        if let (Some(pool), Some(own)) = (&round.pool, &mut self.lower.recursion.borrower) {
            own.pool().clone_from(pool);
        }
        self.ready = true;
    }

    /// Adapts its policy to its best sequence.
    pub(super) fn adapt(&mut self) {
        let Nrpa { policy, playouts, .. } = &mut self.lower.recursion;
        self.own.adapt(policy, playouts);
    }

    /// Takes over a sequence that is better than its own.
    pub(super) fn take_over(&mut self, score: f64, best: &Sequence<P>) {
        if self.own.best_score < score {
            self.own.best_score = score;
            self.own.best.copy(best);
            self.own.noted = false;
        }
    }

    /// Takes over a sequence from outside at the beginning of a round.
    pub(super) fn adopt(&mut self, sequence: (f64, &Sequence<P>), strength: u64, round: &Round<P>) {
        self.rewind();
        self.begun = false;
        if !self.ready {
            self.prepare(round);
        }
        let Nrpa { policy, playouts, .. } = &mut self.lower.recursion;
        self.own.adopt(sequence, strength, policy, playouts);
    }

    /// Makes it take the parent's policy, which has changed, at the beginning of a round.
    pub(super) fn begin_again(&mut self) {
        self.rewind();
        (self.ready, self.begun) = (false, false);
    }

    /// Takes the policy of the parent whole.
    pub(super) fn copy(&mut self, policy: &Policy<P::Code>) {
        self.own.journal.begin();
        self.policy().copy(policy);
    }

    /// Reports to the search's meter what that does not have yet; `upper` is the highest of the
    /// levels above that has adapted (see [`Meter::append`]).
    pub(super) fn report(&mut self, meter: &mut Meter<P::Move>, upper: u32) {
        let own = &mut self.lower.run.meter;
        meter.append(own, upper);
        self.reported += own.playouts;
        own.clear();
    }

    /// Drops what it has not reported, to run the child again from its beginning. Only a lane after
    /// the first one that is not done has such playouts, and has then reported nothing of this child.
    pub(super) fn rewind(&mut self) {
        if self.meter().playouts == 0 {
            return;
        }
        if !self.done {
            let Nrpa { levels, policy, .. } = &mut self.lower.recursion;
            levels.iter_mut().for_each(|level| level.journal.undo(policy));
        }
        self.lower.recursion.borrower.iter_mut().for_each(|borrower| borrower.cancel());
        self.lower.run.meter.clear();
        (self.begun, self.done) = (false, false);
    }

    /// Makes ready for the next round.
    pub(super) fn renew(&mut self) {
        (self.ready, self.begun, self.done) = (false, false, false);
        (self.score, self.reported) = (f64::NEG_INFINITY, 0);
    }

    /// Writes its state; `own` says that it keeps its own policy in the next round.
    pub(super) fn write(&self, own: bool, writer: &mut Writer) {
        writer.put(&(self.score, self.reported, self.ready, self.begun, self.done));
        if self.ready || own {
            let nrpa = &self.lower.recursion;
            self.lower.write(writer);
            writer.put(&self.lower.run.root);
            writer.put(&nrpa.new);
            self.own.write(&nrpa.policy.space.codes(), writer);
        }
    }

    /// Takes what `write` has written, for a search whose upper levels have this policy.
    pub(super) fn read(
        &mut self,
        problem: &Biased<P>,
        own: bool,
        upper: &Policy<P::Code>,
        reader: &mut Reader,
    ) -> Result<(), String> {
        (self.score, self.reported, self.ready, self.begun, self.done) = reader.take()?;
        if self.ready || own {
            self.lower.read(problem, reader)?;
            self.lower.run.root = reader.take()?;
            let nrpa = &mut self.lower.recursion;
            nrpa.new = reader.take()?;
            nrpa.new.restore(problem)?;
            self.own.read(problem, &mut nrpa.policy, reader)?;
        } else {
            self.copy(upper);
        }
        Ok(())
    }
}
