//! Level parallel: a level whose children run side by side (distributed-nrpa-samegame-2017, section 3.2).
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
//! sequential search, lanes meet after every child, and what they found is taken in their order.
//! So the threads cannot change a result. A search may stop with its lanes anywhere in a round.

use super::level::Level;
use super::settings::{LevelSettings, Settings, batch};
use super::{Nrpa, highest_adapted};
use crate::biased::Biased;
use crate::borrower::Borrowers;
use crate::meter::{Limits, Meter, Stop};
use crate::policy::Policy;
use crate::policy::transfer::Transfer;
use crate::problem::Problem;
use crate::random::Key;
use crate::search::{Recursion, Run};
use crate::sequence::Sequence;
use crate::shared::sync::Mutex;
use crate::shared::sync::atomic::AtomicU64;
use crate::state::{Reader, Writer};
use crate::threads::Threads;
use lane::{Lane, Round, closed, open};

mod lane;

/// Children of a shared policy that run at a time, at most: each has a policy in memory.
const LANES: u64 = 64;

/// A nested search with one level whose children run side by side: the parallel level.
pub struct LevelParallel<P: Problem> {
    /// The levels above the lanes: with a shared policy the parallel level is the lowest of them.
    pub(super) upper: Nrpa<P>,
    /// The lanes, and how many there are: while the search runs its threads have them.
    lanes: Vec<Lane<P>>,
    width: u64,
    /// The parallel level, and its number from 1 upwards.
    settings: LevelSettings,
    number: u32,
    /// Whether the lanes have policies of their own.
    local: bool,
    share: bool,
    inherit: bool,
    /// Playouts of one child, at most and without those of a borrower.
    child: u64,
    /// Where the round begins: children done of the parallel level.
    first: u64,
    /// See [`Round`].
    transfer: Transfer<P::Code>,
    /// The generation of the upper policy that the lanes have.
    generation: u64,
    /// The sequence that lanes take over.
    best: Sequence<P>,
    slots: Vec<u32>,
}

impl<P: Problem> LevelParallel<P> {
    /// A search with these levels, from level 1 upwards, of which the one with this index is the
    /// parallel level. With local policies it has no repetitions, force explore or warm start.
    pub(crate) fn new(
        problem: &Biased<P>,
        settings: &Settings,
        (levels, index): (&[LevelSettings], usize),
        lends: Borrowers<P>,
        root: Key,
    ) -> Self {
        let (lower, upper) = levels.split_at(index);
        let most = batch(&levels[index], 0);
        let local = settings.is_local();
        let (upper, lanes) = if local { (&upper[1..], most) } else { (upper, most.min(LANES)) };
        // Level 2 has the pool of its children, whose borrowers have copies.
        let mut upper = Nrpa::new(problem, upper, root);
        if index == 1 {
            upper = upper.lending(lends(), 0);
        }
        upper.policy.follow(true);
        let lane = |number| {
            let lower = Nrpa::new(problem, lower, root).lending(lends(), 1);
            Lane::new(number, lower, levels[index], root)
        };
        let lanes: Vec<_> = (0..lanes).map(lane).collect();
        let levels_of_child = lanes[0].progress().into_iter();
        LevelParallel {
            width: lanes.len() as u64,
            child: levels_of_child.fold(1, |n, (_, iterations)| n.saturating_mul(iterations)),
            lanes,
            settings: levels[index],
            number: index as u32 + 1,
            local,
            share: settings.share,
            inherit: settings.inherit,
            first: 0,
            transfer: Transfer::new(),
            generation: upper.policy.generation,
            best: Sequence::default(),
            slots: Vec::new(),
            upper,
        }
    }

    /// The key of the parallel level.
    fn key(&self, run: &Run<P::Move>) -> Key {
        match self.upper.levels.first() {
            Some(level) if !self.local => level.key,
            Some(parent) => parent.key.child(parent.iteration),
            None => run.key(),
        }
    }

    /// The children of this round.
    fn count(&self) -> u64 {
        self.width.min(batch(&self.settings, self.first))
    }

    /// Whether lanes keep their own policies from one round to the next.
    fn lanes_adapt(&self) -> bool {
        self.local && self.first > 0
    }

    /// The highest level that had adapted its policy when the children of this round began, or 0.
    fn adapted(&self) -> u32 {
        match highest_adapted(&self.upper.levels) {
            0 if self.lanes_adapt() => self.number,
            0 => 0,
            upper => self.number - u32::from(!self.local) + upper,
        }
    }

    /// What happens when the lanes meet, at the end of a round or because something stopped them.
    fn meet(
        &mut self,
        problem: &Biased<P>,
        run: &mut Run<P::Move>,
        round: &mut Round<P>,
    ) -> Option<Stop> {
        let mut undone = self.report(run, round);
        if undone == self.count() as usize {
            self.end_round(run, round);
            undone = 0;
        }
        if problem.failed() {
            return Some(Stop::Failed);
        }
        if let Some(stop) = run.stop(round.limits) {
            if matches!(stop, Stop::Playouts | Stop::Target) {
                // Only what the sequential search has found by then counts.
                round.lanes[undone..].iter_mut().for_each(|lane| open(lane).rewind());
            }
            return Some(stop);
        }
        (round.key, round.first, round.count) = (self.key(run), self.first, self.count());
        round.local = self.local;
        if run.adopted.is_some() && open(&mut round.lanes[0]).reported == 0 {
            self.adopt(problem, run, round);
        }
        self.allow(run, round, undone);
        round.pool = self.upper.borrower.as_mut().map(|borrower| borrower.pool().clone());
        round.reached = AtomicU64::new(u64::MAX);
        None
    }

    /// Takes what was found, as far as a sequential search would have come: up to the first lane
    /// that is not done, which is returned, or to the target.
    fn report(&self, run: &mut Run<P::Move>, round: &mut Round<P>) -> usize {
        let (upper, count) = (self.adapted(), self.count() as usize);
        let meter = &mut run.meter;
        let undone = round.lanes[..count].iter_mut().position(|lane| {
            if meter.playouts > 0 && meter.score >= round.limits.target {
                return true;
            }
            let lane = open(lane);
            if meter.playouts + lane.meter().playouts > round.limits.playouts {
                // Nobody knew how many playouts borrowers would take before it.
                lane.rewind();
                return true;
            }
            lane.report(meter, upper);
            !lane.done
        });
        undone.unwrap_or(count)
    }

    /// Takes over a sequence from outside, at the beginning of a round, if the top level stands
    /// between two children there.
    fn adopt(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>, round: &mut Round<P>) {
        if self.upper.levels.is_empty() {
            self.adopt_in_lanes(problem, run, round);
        } else if !self.lanes_adapt() && self.upper.adopt(problem, run) {
            round.transfer.take_changed(&mut self.upper.policy);
            round.lanes.iter_mut().for_each(|lane| open(lane).begin_again());
        }
    }

    /// The same if the lanes are children of the top level and have policies of their own.
    fn adopt_in_lanes(
        &mut self,
        problem: &Biased<P>,
        run: &mut Run<P::Move>,
        round: &mut Round<P>,
    ) {
        let Nrpa { policy, playouts, new, .. } = &mut self.upper;
        let Some(adopted) = run.adopted.take() else { return };
        if let Ok(score) = playouts.follow(problem, policy, &adopted.moves, new) {
            let mut lanes = std::mem::take(&mut round.lanes);
            for lane in &mut lanes {
                open(lane).adopt((score, new), adopted.strength, round);
            }
            round.lanes = lanes;
        } else if problem.failed() {
            run.adopted = Some(adopted);
        }
    }

    /// Shares out the playouts that are left, in the order of the lanes.
    fn allow(&self, run: &Run<P::Move>, round: &mut Round<P>, undone: usize) {
        let mut left = round.limits.playouts - run.meter.playouts;
        for lane in &mut round.lanes[undone..self.count() as usize] {
            let lane = open(lane);
            if lane.meter().playouts > left {
                lane.rewind();
            }
            lane.allowance = left;
            let needed = match lane.done {
                true => lane.meter().playouts,
                false => self.child.saturating_sub(lane.reported),
            };
            left = left.saturating_sub(needed);
        }
    }

    /// Takes the children of a round and prepares the next one.
    fn end_round(&mut self, run: &mut Run<P::Move>, round: &mut Round<P>) {
        if self.local {
            self.end_local_round(run, round);
        } else {
            for lane in &mut round.lanes[..self.count() as usize] {
                let lane = open(lane);
                let Nrpa { new, borrower, .. } = &mut lane.lower.recursion;
                if let (Some(all), Some(borrower)) = (&mut self.upper.borrower, borrower) {
                    all.pool().take(borrower.pool());
                }
                self.hand_up(run, lane.score, new);
            }
            self.first = self.upper.levels[0].iteration;
        }
        self.upper.compact();
        let lanes = round.lanes.iter_mut().map(open);
        if self.lanes_adapt() {
            lanes.for_each(Lane::renew);
            return;
        }
        round.transfer.clear();
        round.transfer.take_changed(&mut self.upper.policy);
        let renumbered = self.generation != self.upper.policy.generation;
        self.generation = self.upper.policy.generation;
        if renumbered {
            round.transfer.clear();
        }
        for lane in lanes {
            lane.renew();
            if renumbered {
                lane.copy(&self.upper.policy);
            }
        }
    }

    /// Hands the result of a child of the upper levels upwards.
    fn hand_up(&mut self, run: &mut Run<P::Move>, score: f64, sequence: &mut Sequence<P>) {
        std::mem::swap(&mut self.upper.new, sequence);
        self.upper.ascend(0, score, run);
    }

    fn end_local_round(&mut self, run: &mut Run<P::Move>, round: &mut Round<P>) {
        let Round { lanes, transfer, .. } = round;
        let count = self.count();
        for lane in &mut lanes[..count as usize] {
            let lane = open(lane);
            lane.own.accept(lane.score, &mut lane.lower.recursion.new);
        }
        let (mut best, mut score) = (0, f64::NEG_INFINITY);
        for (number, lane) in lanes.iter_mut().enumerate() {
            let own = &open(lane).own;
            if own.best_score >= score {
                (best, score) = (number, own.best_score);
            }
        }
        self.first += count;
        if self.count() > 0 {
            if self.share {
                self.best.copy(&open(&mut lanes[best]).own.best);
                lanes.iter_mut().for_each(|lane| open(lane).take_over(score, &self.best));
            }
            return;
        }
        self.first = 0;
        let accepted = |parent: &Level<P>| {
            // The policy of a parent that returns now ends with it.
            score >= parent.best_score && batch(&parent.settings, parent.iteration + 1) > 0
        };
        let lane = open(&mut lanes[best]);
        if self.inherit && self.upper.levels.first().is_some_and(accepted) {
            if (best as u64) < count {
                lane.adapt();
            }
            transfer.clear();
            transfer.take(&lane.lower.recursion.policy, lane.own.journal.slots());
            let policy = &mut self.upper.policy;
            transfer.slots(policy, &mut self.slots);
            self.upper.levels[0].journal.note(policy, &self.slots);
            transfer.put(policy, &self.slots);
        }
        self.hand_up(run, score, &mut lane.own.best);
    }

    /// Begins the search that a level with this policy runs as its child with this key.
    pub(super) fn begin_child(
        &mut self,
        policy: &Policy<P::Code>,
        key: Key,
        run: &mut Run<P::Move>,
    ) {
        self.upper.begin_child(policy, key, run);
        self.first = 0;
        self.transfer.take_changed(&mut self.upper.policy);
        self.transfer.clear();
        self.generation = self.upper.policy.generation;
        for lane in &mut self.lanes {
            lane.renew();
            lane.copy(policy);
        }
    }
}

impl<P: Problem> Recursion<P> for LevelParallel<P> {
    fn advance(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>, limits: &Limits) -> Stop {
        let count = limits.threads.clamp(1, self.lanes.len());
        let lanes = self.lanes.drain(..).map(Mutex::new).collect();
        let transfer = std::mem::replace(&mut self.transfer, Transfer::new());
        let round = Round::new(lanes, transfer, limits);
        let work = |round: &Round<P>, (): &mut (), number: usize| {
            round.work(problem, number, count);
        };
        let (stop, round, _) = Threads::new(round, vec![(); count], work).start(|threads| {
            loop {
                if let Some(stop) = self.meet(problem, run, &mut threads.batch()) {
                    break stop;
                }
                threads.run();
            }
        });
        self.transfer = round.transfer;
        self.lanes.extend(round.lanes.into_iter().map(closed));
        stop
    }

    fn progress(&self, run: &Run<P::Move>) -> Vec<(u64, u64)> {
        let running = &self.lanes[..self.count() as usize];
        let done = running.iter().take_while(|lane| lane.done).count();
        let lower = running.get(done).map_or(Vec::new(), |lane| lane.progress());
        let own = (self.first + done as u64, self.lanes[0].own.progress().1);
        let upper = self.upper.progress(run).into_iter();
        let upper = upper.skip(usize::from(!self.local));
        lower.into_iter().chain([own]).chain(upper).collect()
    }

    fn evaluates(&self) -> bool {
        self.lanes.iter().any(|lane| lane.lower.recursion.evaluates())
    }

    fn ahead(&self) -> Vec<&Meter<P::Move>> {
        self.lanes.iter().map(Lane::meter).collect()
    }

    fn ahead_mut(&mut self) -> Vec<&mut Meter<P::Move>> {
        self.lanes.iter_mut().map(Lane::meter_mut).collect()
    }

    fn write(&self, writer: &mut Writer) {
        self.upper.write(writer);
        writer.put(&self.first);
        self.lanes.iter().for_each(|lane| lane.write(self.lanes_adapt(), writer));
    }

    fn read(
        &mut self,
        problem: &Biased<P>,
        run: &Run<P::Move>,
        reader: &mut Reader,
    ) -> Result<(), String> {
        self.upper.read(problem, run, reader)?;
        self.first = reader.take()?;
        let begins = match self.local {
            true => self.first.is_multiple_of(self.width),
            false => self.first == self.upper.levels[0].iteration,
        };
        if !begins || self.count() == 0 {
            return Err("the parallel level has no such round".into());
        }
        let own = self.lanes_adapt();
        for lane in &mut self.lanes {
            lane.read(problem, own, &self.upper.policy, reader)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
