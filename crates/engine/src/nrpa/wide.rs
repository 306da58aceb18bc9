//! A level whose children run side by side (distributed-nrpa-samegame-2017, section 3.2).
//!
//! With a *shared* policy (algorithm 4) the M children of a round run with the policy of the level,
//! which then adapts once with M * alpha. With *local* policies (algorithm 5)
//!
//! ```text
//! NRPA-Par2(level, policy of the parent):
//!   each of M lanes: local policy <- policy; local best <- -infinity
//!   N / M times:
//!     each lane: (result, new) <- NRPA(level - 1, local policy)
//!                if result >= local best: local best <- result; local seq <- new
//!     share: each lane whose best is below the best of all takes the last lane's that has it
//!     each lane: local policy <- Adapt(local policy, local seq)
//!   return the best lane's (best, seq, local policy), which replaces the parent's policy if its
//!   sequence is accepted there
//! ```
//!
//! Lanes belong to the algorithm, threads only run them: every child has the key that it has in a
//! sequential search, lanes meet after every child, and what they found is taken in their order. So
//! the threads cannot change a result. A search may stop with its lanes anywhere within a round.

use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use super::below::Below;
use super::lane::{Lane, Round, closed, open};
use super::*;
use crate::carried::Carried;
use crate::team::Team;

/// Children of a shared policy that run at a time, at most: each has a policy in memory.
const LANES: u64 = 64;

/// A nested search one of whose levels is wide.
pub struct Wide<P: Problem> {
    /// The levels above the lanes: with a shared policy the wide level is their lowest.
    above: Nrpa<P>,
    /// The lanes, and how many there are: while the search runs its threads have them.
    lanes: Vec<Lane<P>>,
    width: u64,
    /// The wide level, and its number from 1 upwards.
    settings: LevelSettings,
    number: u32,
    policies: Policies,
    share: bool,
    inherit: bool,
    /// Playouts of one child, at most.
    child: u64,
    /// Where the round begins: children done of the wide level.
    first: u64,
    /// As of [`Round`].
    changes: Carried<P::Code>,
    /// The generation of the policy above that the lanes have.
    generation: u64,
    /// The sequence that lanes take over.
    best: Sequence<P>,
    slots: Vec<u32>,
}

impl<P: Problem> Wide<P> {
    /// A search with these levels, from level 1 upwards, of which the one with this index is wide.
    /// With local policies that one has neither repetitions nor force explore nor warm start.
    pub fn new(
        problem: &P,
        settings: &Settings,
        levels: &[LevelSettings],
        wide: usize,
        root: Key,
    ) -> Self {
        let (below, above) = levels.split_at(wide);
        let LevelSettings { width, iterations, .. } = levels[wide];
        let (above, lanes) = match settings.policies {
            Policies::Shared => (above, width.min(iterations).min(LANES)),
            Policies::Local => (&above[1..], width.min(iterations)),
        };
        let mut above = Nrpa::new(problem, above, root);
        above.policy.follow();
        let child = below.iter().fold(1u64, |n, level| n.saturating_mul(level.iterations));
        Wide {
            width: lanes,
            lanes: (0..lanes)
                .map(|number| Lane::new(problem, number, below, levels[wide], root))
                .collect(),
            settings: levels[wide],
            number: wide as u32 + 1,
            policies: settings.policies,
            share: settings.share,
            inherit: settings.inherit,
            child,
            first: 0,
            changes: Carried::new(),
            generation: above.policy.generation,
            best: Sequence::default(),
            slots: Vec::new(),
            above,
        }
    }

    /// The key of the wide level.
    fn key(&self) -> Key {
        match (self.policies, self.above.levels.first()) {
            (Policies::Shared, Some(level)) => level.key,
            (_, Some(parent)) => parent.key.child(parent.iteration),
            (_, None) => self.above.root.child(self.above.restarts),
        }
    }

    /// The children of this round.
    fn count(&self) -> u64 {
        let batch = match self.policies {
            Policies::Shared => self.settings.width - self.first % self.settings.width,
            Policies::Local => self.width,
        };
        self.width.min(batch).min(self.settings.iterations - self.first)
    }

    /// Whether lanes go on with their own policies from one round to the next.
    fn lanes_adapt(&self) -> bool {
        self.policies != Policies::Shared && self.first > 0
    }

    /// The highest level that had adapted its policy when the children of this round began, or 0.
    fn adapted(&self) -> u32 {
        let above = adapted(&self.above.levels);
        match self.policies {
            Policies::Shared if above > 0 => self.number - 1 + above,
            Policies::Local if above > 0 => self.number + above,
            Policies::Local if self.first > 0 => self.number,
            _ => 0,
        }
    }

    fn advance_together(&mut self, problem: &P, limits: &Limits) -> Stop {
        let threads = limits.threads.clamp(1, self.lanes.len());
        let lanes = self.lanes.drain(..).map(Mutex::new).collect();
        let changes = std::mem::replace(&mut self.changes, Carried::new());
        let round = Round::new(lanes, changes, limits);
        let work = |round: &Round<P>, (): &mut (), number: usize| {
            round.work(problem, number, threads);
        };
        let team = Team::new(round, vec![(); threads], work);
        let (stop, round, _) = team.assemble(|team| {
            loop {
                if let Some(stop) = self.meet(problem, &mut team.batch()) {
                    break stop;
                }
                team.run();
            }
        });
        self.changes = round.changes;
        self.lanes.extend(round.lanes.into_iter().map(closed));
        stop
    }

    /// What happens when the lanes meet, at the end of a round or because something has stopped them.
    fn meet(&mut self, problem: &P, round: &mut Round<P>) -> Option<Stop> {
        let mut undone = self.tell(round);
        if undone == self.count() as usize {
            self.end_round(round);
            undone = 0;
        }
        if problem.failed() {
            return Some(Stop::Failed);
        }
        if let Some(stop) = self.above.stop(round.limits) {
            if matches!(stop, Stop::Playouts | Stop::Target) {
                // Only what the sequential search has found by then counts.
                round.lanes[undone..].iter_mut().for_each(|lane| open(lane).rewind_untold());
            }
            return Some(stop);
        }
        self.allow(round, undone);
        (round.key, round.first, round.count) = (self.key(), self.first, self.count());
        round.local = self.policies != Policies::Shared;
        round.reached = AtomicU64::new(u64::MAX);
        None
    }

    /// Takes what was found, as far as a sequential search would have come: up to the first lane
    /// that is not done, which is returned, or to the target.
    fn tell(&mut self, round: &mut Round<P>) -> usize {
        let (above, count) = (self.adapted(), self.count() as usize);
        let meter = &mut self.above.meter;
        let undone = round.lanes[..count].iter_mut().position(|lane| {
            if meter.playouts > 0 && meter.score >= round.limits.target {
                return true;
            }
            let lane = open(lane);
            lane.tell(meter, above);
            !lane.done
        });
        undone.unwrap_or(count)
    }

    /// Shares out the playouts that are left, in the order of the lanes.
    fn allow(&self, round: &mut Round<P>, undone: usize) {
        let mut left = round.limits.playouts - self.above.meter.playouts;
        for lane in &mut round.lanes[undone..self.count() as usize] {
            let lane = open(lane);
            if lane.below.meter.playouts > left {
                lane.rewind_untold();
            }
            lane.allowance = left;
            let needed = match lane.done {
                true => lane.below.meter.playouts,
                false => self.child.saturating_sub(lane.told),
            };
            left = left.saturating_sub(needed);
        }
    }

    /// Takes the children of a round and prepares the next one.
    fn end_round(&mut self, round: &mut Round<P>) {
        match self.policies {
            Policies::Shared => {
                for lane in &mut round.lanes[..self.count() as usize] {
                    let lane = open(lane);
                    self.hand_up(lane.score, &mut lane.below.current);
                }
                self.first = self.above.levels[0].iteration;
            }
            Policies::Local => self.end_local_round(round),
        }
        let lanes = round.lanes.iter_mut().map(open);
        if self.lanes_adapt() {
            lanes.for_each(Lane::renew);
            return;
        }
        round.changes.clear();
        self.above.policy.take_changed(&mut round.changes);
        let renumbered = self.generation != self.above.policy.generation;
        self.generation = self.above.policy.generation;
        if renumbered {
            round.changes.clear();
        }
        for lane in lanes {
            lane.renew();
            if renumbered {
                lane.copy(&self.above.policy);
            }
        }
    }

    /// Hands the result of a child of the level above upwards.
    fn hand_up(&mut self, score: f64, sequence: &mut Sequence<P>) {
        std::mem::swap(&mut self.above.current, sequence);
        self.above.ascend(0, score);
    }

    fn end_local_round(&mut self, round: &mut Round<P>) {
        let Round { lanes, changes, .. } = round;
        let count = self.count();
        for lane in &mut lanes[..count as usize] {
            let lane = open(lane);
            lane.own.accept(lane.score, &mut lane.below.current);
        }
        let (mut best, mut score) = (0, f64::NEG_INFINITY);
        for (number, lane) in lanes.iter_mut().enumerate() {
            let own = &open(lane).own;
            if own.best_score >= score {
                (best, score) = (number, own.best_score);
            }
        }
        self.first += count;
        if self.first < self.settings.iterations {
            if self.share {
                self.best.copy(&open(&mut lanes[best]).own.best);
                lanes.iter_mut().for_each(|lane| open(lane).take_over(score, &self.best));
            }
            return;
        }
        self.first = 0;
        let accepted = |parent: &Level<P>| {
            // The policy of a parent that returns now ends with it.
            score >= parent.best_score && parent.iteration + 1 < parent.settings.iterations
        };
        let lane = open(&mut lanes[best]);
        if self.inherit && self.above.levels.first().is_some_and(accepted) {
            if (best as u64) < count {
                lane.adapt();
            }
            changes.clear();
            changes.take(&lane.below.policy, lane.own.journal.slots());
            let policy = &mut self.above.policy;
            changes.slots(policy, &mut self.slots);
            self.above.levels[0].journal.note(policy, &self.slots);
            changes.put(policy, &self.slots);
        }
        self.hand_up(score, &mut lane.own.best);
    }
}

impl<P: Problem> Below<P> for Wide<P> {
    fn begin_below(&mut self, policy: &Policy<P::Code>, key: Key) {
        self.above.begin_below(policy, key);
        self.first = 0;
        self.above.policy.take_changed(&mut self.changes);
        self.changes.clear();
        self.generation = self.above.policy.generation;
        for lane in &mut self.lanes {
            lane.renew();
            lane.copy(policy);
        }
    }

    fn take_best(&mut self) -> (f64, Sequence<P>) {
        self.above.take_best()
    }
}

impl<P: Problem> Search<P> for Wide<P> {
    fn advance(&mut self, problem: &P, limits: &Limits) -> Stop {
        self.above.meter.start();
        let stop = self.advance_together(problem, limits);
        self.above.meter.pause();
        stop
    }

    fn meter(&self) -> &Meter<P::Move> {
        &self.above.meter
    }

    fn best(&self) -> (f64, &[P::Move]) {
        let lanes = self.lanes.iter().map(|lane| &lane.below.meter);
        let found = lanes.filter(|meter| meter.playouts > 0);
        let best = found.fold(&self.above.meter, |best, meter| {
            if best.playouts == 0 || meter.score > best.score { meter } else { best }
        });
        (best.score, &best.moves)
    }

    fn playouts(&self) -> u64 {
        let ahead = self.lanes.iter().map(|lane| lane.below.meter.playouts);
        self.above.meter.playouts + ahead.sum::<u64>()
    }

    fn progress(&self) -> Vec<(u64, u64)> {
        let running = &self.lanes[..self.count() as usize];
        let done = running.iter().take_while(|lane| lane.done).count();
        let below = running.get(done).map_or(Vec::new(), |lane| lane.below.progress());
        let wide = (self.first + done as u64, self.settings.iterations);
        let above = self.above.progress();
        let above = &above[usize::from(self.policies == Policies::Shared)..];
        below.into_iter().chain([wide]).chain(above.iter().copied()).collect()
    }

    fn restarts(&self) -> u64 {
        self.above.restarts
    }

    fn save(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        self.above.write(&mut writer);
        writer.put(&self.first);
        self.lanes.iter().for_each(|lane| lane.write(self.lanes_adapt(), &mut writer));
        writer.0
    }

    fn restore(&mut self, problem: &P, saved: &[u8]) -> Result<(), String> {
        let mut reader = Reader(saved);
        self.above.read(problem, &mut reader)?;
        self.first = reader.take()?;
        let begins = match self.policies {
            Policies::Shared => self.first == self.above.levels[0].iteration,
            Policies::Local => self.first.is_multiple_of(self.width),
        };
        if !begins || self.first >= self.settings.iterations {
            return Err("a wide level has no such round".into());
        }
        let own = self.lanes_adapt();
        for lane in &mut self.lanes {
            lane.read(problem, own, &self.above.policy, &mut reader)?;
        }
        reader.finish()
    }
}

#[cfg(test)]
mod tests;
