//! A lane of a wide level: one of the searches that run side by side, with a policy of its own.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};

use super::*;
use crate::carried::Carried;
use crate::journal::compact;

/// One child for each lane: lane i runs child number `first` + i of `key`.
pub(super) struct Round<'a, P: Problem> {
    pub(super) lanes: Vec<Mutex<Lane<P>>>,
    pub(super) key: Key,
    pub(super) first: u64,
    /// The lanes that have a child in this round.
    pub(super) count: u64,
    /// Whether lanes go on with policies of their own from one round to the next; if not they take
    /// what `changes` brings before each.
    pub(super) local: bool,
    /// What has changed in the parent's policy since the lanes last took it.
    pub(super) changes: Carried<P::Code>,
    pub(super) limits: &'a Limits<'a>,
    /// The first lane that has reached the target.
    pub(super) reached: AtomicU64,
}

impl<'a, P: Problem> Round<'a, P> {
    /// A round without children.
    pub(super) fn new(
        lanes: Vec<Mutex<Lane<P>>>,
        changes: Carried<P::Code>,
        limits: &'a Limits<'a>,
    ) -> Self {
        let reached = AtomicU64::new(u64::MAX);
        Round { lanes, key: Key(0), first: 0, count: 0, local: false, changes, limits, reached }
    }

    /// What a thread does: its own lanes first, whose policies its core knows, then those that
    /// no other thread works on.
    pub(super) fn work(&self, problem: &P, number: usize, threads: usize) {
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

/// A search of the levels below and, with local policies, a level above them that is the lane's.
pub(super) struct Lane<P: Problem> {
    number: u64,
    pub(super) below: Nrpa<P>,
    pub(super) own: Level<P>,
    /// The best score of the child.
    pub(super) score: f64,
    /// Playouts of the child that the search's meter has already.
    pub(super) told: u64,
    /// Playouts that it may have done beyond these.
    pub(super) allowance: u64,
    /// Where it is in this round: its policy is ready; its child has begun; and is done.
    pub(super) ready: bool,
    begun: bool,
    pub(super) done: bool,
    pub(super) compact_at: usize,
    slots: Vec<u32>,
}

impl<P: Problem> Lane<P> {
    /// A lane whose levels below have these settings.
    pub(super) fn new(
        problem: &P,
        number: u64,
        below: &[LevelSettings],
        own: LevelSettings,
        root: Key,
    ) -> Self {
        let mut below = Nrpa::new(problem, below, root);
        // It does not know of the lane's own level, so it must not renumber slots.
        below.compact_at = usize::MAX;
        Lane {
            number,
            below,
            own: Level::new(own, root),
            score: f64::NEG_INFINITY,
            told: 0,
            allowance: 0,
            ready: false,
            begun: false,
            done: false,
            compact_at: COMPACT_AT,
            slots: Vec::new(),
        }
    }

    /// Moves the child of this round on, to its end or to a limit.
    pub(super) fn work(&mut self, problem: &P, round: &Round<P>) {
        if !self.ready {
            self.prepare(round);
        }
        if self.done || self.number >= round.count {
            return;
        }
        let child = round.first + self.number;
        if !self.begun {
            // A search of the levels below has the key of its restart: this one is the child.
            (self.below.root, self.below.restarts) = (round.key, child);
            self.below.descend(self.below.levels.len());
            self.begun = true;
        }
        let limits = Limits { playouts: self.allowance, ..*round.limits };
        while self.below.meter.stop(&limits).is_none()
            && round.reached.load(Ordering::Relaxed) >= self.number
            && self.below.step(problem).is_none()
        {
            if self.below.meter.score >= limits.target {
                round.reached.fetch_min(self.number, Ordering::Relaxed);
            }
            if self.below.restarts > child {
                self.done = true;
                return;
            }
            self.tidy();
        }
    }

    /// Brings its policy up to date.
    fn prepare(&mut self, round: &Round<P>) {
        let policy = &mut self.below.policy;
        if round.local && round.first > 0 {
            self.adapt();
        } else {
            // A lane with a policy of its own leaves nothing behind.
            self.own.journal.undo(policy);
            self.own.begin(round.key);
            round.changes.slots(policy, &mut self.slots);
            round.changes.put(policy, &self.slots);
        }
        self.ready = true;
    }

    /// Adapts its policy to its best sequence.
    pub(super) fn adapt(&mut self) {
        self.own.adapt(&mut self.below.policy, &mut self.below.playouts);
    }

    /// Takes over a sequence that is better than its own.
    pub(super) fn take_over(&mut self, score: f64, best: &Sequence<P>) {
        if self.own.best_score < score {
            self.own.best_score = score;
            self.own.best.copy(best);
            self.own.noted = false;
        }
    }

    /// Takes the policy of the parent whole.
    pub(super) fn copy(&mut self, policy: &Policy<P::Code>) {
        self.own.journal.begin();
        self.below.policy.copy(policy);
    }

    /// Tells the search's meter what it does not have yet; `above` as of [`Meter::append`].
    pub(super) fn tell(&mut self, meter: &mut Meter<P::Move>, above: u32) {
        meter.append(&self.below.meter, above);
        self.score = self.score.max(self.below.meter.score);
        self.told += self.below.meter.playouts;
        self.below.meter.clear();
    }

    /// Drops what it has not told, to run the child again from its beginning. Only a lane after the
    /// first one that is not done has such, and has then told nothing of this child.
    pub(super) fn rewind_untold(&mut self) {
        if self.below.meter.playouts == 0 {
            return;
        }
        if !self.done {
            for level in &mut self.below.levels {
                level.journal.undo(&mut self.below.policy);
            }
        }
        self.below.meter.clear();
        (self.begun, self.done) = (false, false);
    }

    /// Makes ready for the next round.
    pub(super) fn renew(&mut self) {
        (self.ready, self.begun, self.done) = (false, false, false);
        (self.score, self.told) = (f64::NEG_INFINITY, 0);
    }

    /// Keeps the memory of hashed policies flat.
    fn tidy(&mut self) {
        let policy = &mut self.below.policy;
        if policy.space.grows() && policy.space.count() > self.compact_at {
            let levels = self.below.levels.iter_mut().chain([&mut self.own]);
            let (mut journals, noted): (Vec<_>, Vec<_>) =
                levels.map(|level| (&mut level.journal, &mut level.noted)).unzip();
            compact(policy, &mut journals);
            noted.into_iter().for_each(|noted| *noted = false);
            self.compact_at = COMPACT_AT.max(2 * policy.space.count());
        }
    }

    /// Writes its state; `own` says that it goes into the next round with its own policy.
    pub(super) fn write(&self, own: bool, writer: &mut Writer) {
        writer.put(&(self.score, self.told, self.ready, self.begun, self.done));
        if self.ready || own {
            self.below.write(writer);
            writer.put(&self.below.root);
            writer.put(&self.below.current);
            self.own.write(&self.below.policy.space.codes(), writer);
        }
    }

    /// Takes what `write` has written, for a search whose parent has this policy.
    pub(super) fn read(
        &mut self,
        problem: &P,
        own: bool,
        parent: &Policy<P::Code>,
        reader: &mut Reader,
    ) -> Result<(), String> {
        (self.score, self.told, self.ready, self.begun, self.done) = reader.take()?;
        if self.ready || own {
            self.below.read(problem, reader)?;
            self.below.root = reader.take()?;
            self.below.current = reader.take()?;
            self.below.current.restore(problem)?;
            let policy = &mut self.below.policy;
            self.own.read(problem, policy, reader)?;
        } else {
            self.copy(parent);
        }
        Ok(())
    }
}
