//! The meter sees every playout. It knows what was found, when, and whether to go on.

use std::collections::VecDeque;
use std::iter::Sum;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::shared::sync::atomic::{AtomicBool, Ordering};
use crate::state::{Reader, Writer};

/// How many of the last improvements keep their moves.
const TRAIL: usize = 20;

/// A new best score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Improvement {
    /// Playouts done when it was found, including itself.
    pub playouts: u64,
    /// Seconds of search when it was found.
    pub seconds: f64,
    /// The score.
    pub score: f64,
    /// The highest level that had already adapted its policy (in NMCS: made a move) in this search;
    /// 0 if none had.
    pub level: u32,
}

/// Why [`crate::search::Search::advance`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The playouts allowed are done.
    Playouts,
    /// The deadline has passed.
    Deadline,
    /// The target score is reached.
    Target,
    /// The cancel flag was raised.
    Cancelled,
    /// The search ran to its end.
    Finished,
    /// A callback of the problem failed.
    Failed,
}

/// How far one call of `advance` may go.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// Stop when this many playouts have been done since the search began.
    pub playouts: u64,
    /// Stop at this moment.
    pub deadline: Option<Instant>,
    /// Stop at this score or better.
    pub target: f64,
    /// Start again with the next key when the search is finished.
    pub restart: bool,
    /// Threads that one search may use; they change no result.
    pub threads: usize,
    /// Stop when this flag is raised.
    pub cancel: &'a AtomicBool,
}

impl Limits<'_> {
    /// Whether the clock or a flag ends the search now.
    #[inline]
    pub(crate) fn interruption(&self) -> Option<Stop> {
        if self.cancel.load(Ordering::Relaxed) {
            Some(Stop::Cancelled)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(Stop::Deadline)
        } else {
            None
        }
    }
}

/// What is counted besides playouts. Of searches that a race has given up, all numbers are saved, in this
/// order and without names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Those playouts that local search evaluated; the others were drawn.
    pub evaluated: u64,
    /// Searches completed. Meters do not count them; [`crate::search::Search`] does.
    pub restarts: u64,
}

impl Counts {
    /// What an improver counts that evaluated all of these playouts.
    pub(crate) fn of_improver(playouts: u64) -> Self {
        Counts { evaluated: playouts, ..Counts::default() }
    }

    /// Saves what a meter has counted.
    pub(crate) fn write(&self, writer: &mut Writer) {
        writer.put(&self.evaluated);
    }

    /// Reads what [`Counts::write`] saved.
    pub(crate) fn read(&mut self, reader: &mut Reader) -> Result<(), String> {
        self.evaluated = reader.take()?;
        Ok(())
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Counts>>(counts: I) -> Counts {
        counts.fold(Counts::default(), |sum, each| Counts {
            evaluated: sum.evaluated + each.evaluated,
            restarts: sum.restarts + each.restarts,
        })
    }
}

/// The record of a search: playouts done, best so far, improvements.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Meter<M> {
    /// Playouts done.
    pub playouts: u64,
    /// What was counted besides. [`crate::search::Search`] saves it.
    #[serde(skip)]
    pub counts: Counts,
    /// The best score so far; minus infinity before the first playout.
    pub score: f64,
    /// The moves of the best playout.
    pub moves: Vec<M>,
    /// Every new best score, in order.
    pub improvements: Vec<Improvement>,
    /// The playouts and the moves of the last improvements. They are saved apart: older files have
    /// none.
    #[serde(skip, default = "VecDeque::new")]
    pub trail: VecDeque<(u64, Vec<M>)>,
    /// Search time of earlier calls of `advance`.
    elapsed: Duration,
    #[serde(skip, default = "Instant::now")]
    started: Instant,
}

impl<M: Copy> Meter<M> {
    /// Forgets everything and keeps the memory.
    pub(crate) fn clear(&mut self) {
        (self.playouts, self.counts) = (0, Counts::default());
        self.score = f64::NEG_INFINITY;
        self.moves.clear();
        self.improvements.clear();
        self.trail.clear();
        self.elapsed = Duration::ZERO;
    }

    /// Starts the clock.
    pub(crate) fn start(&mut self) {
        self.started = Instant::now();
    }

    /// Stops the clock.
    pub(crate) fn pause(&mut self) {
        self.elapsed += self.started.elapsed();
    }

    /// Seconds of search, up to the last pause.
    pub fn seconds(&self) -> f64 {
        self.elapsed.as_secs_f64()
    }

    /// Counts a playout, and keeps it if it is the best so far. `level` is the highest level that
    /// has adapted.
    #[inline]
    pub(crate) fn record(&mut self, score: f64, moves: &[M], level: impl FnOnce() -> u32) {
        self.playouts += 1;
        if self.improves(score) {
            self.keep(score, moves, level());
        }
    }

    /// Counts a playout, and whether local search evaluated it.
    pub(crate) fn count(&mut self, evaluated: bool) {
        self.playouts += 1;
        self.counts.evaluated += u64::from(evaluated);
    }

    /// Whether the playout that was counted last is the best so far.
    #[inline]
    pub(crate) fn improves(&self, score: f64) -> bool {
        score > self.score || self.playouts == 1
    }

    /// Keeps the playout that was counted last as the best so far.
    pub(crate) fn keep(&mut self, score: f64, moves: &[M], level: u32) {
        self.score = score;
        self.moves.clear();
        self.moves.extend_from_slice(moves);
        let seconds = (self.elapsed + self.started.elapsed()).as_secs_f64();
        self.improvements.push(Improvement { playouts: self.playouts, seconds, score, level });
        self.remember();
    }

    /// Keeps the moves of the last improvement.
    fn remember(&mut self) {
        if self.trail.len() == TRAIL {
            self.trail.pop_front();
        }
        if let Some(last) = self.improvements.last() {
            self.trail.push_back((last.playouts, self.moves.clone()));
        }
    }

    /// Adds the record of a search that came after this one. The level of each of its improvements
    /// becomes at least `above`.
    pub(crate) fn append(&mut self, later: &Meter<M>, above: u32) {
        let seconds = (self.elapsed + self.started.elapsed()).as_secs_f64();
        for improvement in &later.improvements {
            if improvement.score > self.score || self.playouts + improvement.playouts == 1 {
                self.score = improvement.score;
                self.improvements.push(Improvement {
                    playouts: self.playouts + improvement.playouts,
                    seconds,
                    level: improvement.level.max(above),
                    ..*improvement
                });
                let last = |(after, _): &&(u64, Vec<M>)| *after == improvement.playouts;
                let moves = match later.trail.iter().find(last) {
                    _ if improvement.score == later.score => Some(&later.moves),
                    known => known.map(|(_, moves)| moves),
                };
                if let Some(moves) = moves {
                    self.moves.clone_from(moves);
                    self.remember();
                }
            }
        }
        self.playouts += later.playouts;
        self.counts = [self.counts, later.counts].into_iter().sum();
    }

    /// Whether to stop before the next playout.
    #[inline]
    pub(crate) fn stop(&self, limits: &Limits) -> Option<Stop> {
        self.reached(limits).or_else(|| limits.interruption())
    }

    /// Whether what was found and done is enough.
    #[inline]
    pub(crate) fn reached(&self, limits: &Limits) -> Option<Stop> {
        if self.playouts >= limits.playouts {
            Some(Stop::Playouts)
        } else if self.playouts > 0 && self.score >= limits.target {
            Some(Stop::Target)
        } else {
            None
        }
    }
}

impl<M: Copy> Default for Meter<M> {
    /// The record of a search that has not started.
    fn default() -> Self {
        let (playouts, counts, moves, improvements, trail, elapsed) = Default::default();
        let (score, started) = (f64::NEG_INFINITY, Instant::now());
        Meter { playouts, counts, score, moves, improvements, trail, elapsed, started }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The record of playouts with these scores, each of which has its score as its only move.
    fn recorded(scores: &[i32], level: u32) -> Meter<i32> {
        let mut meter = Meter::default();
        scores.iter().for_each(|&score| meter.record(score.into(), &[score], || level));
        meter
    }

    /// Playouts, score and level of each improvement.
    fn improvements(meter: &Meter<i32>) -> Vec<(u64, f64, u32)> {
        meter.improvements.iter().map(|each| (each.playouts, each.score, each.level)).collect()
    }

    #[test]
    fn an_improvement_is_better_than_all_before() {
        let meter = recorded(&[1, 1, 3, 2, 3, 4], 2);
        assert_eq!(improvements(&meter), [(1, 1.0, 2), (3, 3.0, 2), (6, 4.0, 2)]);
        assert_eq!((meter.playouts, meter.score, &meter.moves[..]), (6, 4.0, &[4][..]));
        let mut worst = Meter::default();
        worst.record(f64::NEG_INFINITY, &[7], || 0);
        worst.record(f64::NEG_INFINITY, &[8], || 0);
        assert_eq!((worst.improvements.len(), &worst.moves[..]), (1, &[7][..]));
    }

    #[test]
    fn the_trail_has_the_last_improvements() {
        let meter = recorded(&(1..=25).collect::<Vec<_>>(), 0);
        let last: Vec<_> = (6..=25).map(|number| (number as u64, vec![number])).collect();
        assert_eq!(meter.trail, last);
    }

    #[test]
    fn two_records_are_one() {
        let scores = [-4, -5, 1, 0, 1, 3, 2, 6];
        let whole = recorded(&scores, 1);
        for place in 0..=scores.len() {
            let (mut meter, mut later) =
                (recorded(&scores[..place], 1), recorded(&scores[place..], 0));
            later.counts.evaluated = 2;
            meter.append(&later, 1);
            assert_eq!(improvements(&meter), improvements(&whole));
            assert_eq!((meter.playouts, meter.counts.evaluated), (8, 2));
            assert_eq!((meter.score, &meter.moves), (whole.score, &whole.moves));
            assert_eq!(meter.trail.back(), whole.trail.back());
        }
        let (mut meter, worse) = (recorded(&[5], 0), recorded(&[1, 4, 5], 3));
        meter.append(&worse, 9);
        assert_eq!((improvements(&meter), meter.playouts), (vec![(1, 5.0, 0)], 4));
    }

    #[test]
    fn what_is_done_stops_before_what_interrupts() {
        let (quiet, raised) = (AtomicBool::new(false), AtomicBool::new(true));
        let (past, future) = (Instant::now(), Instant::now() + Duration::from_secs(1000));
        let meter = recorded(&[1, 2], 0);
        for (playouts, target, cancel, deadline, stop) in [
            (3, 3.0, &quiet, None, None),
            (3, 3.0, &quiet, Some(future), None),
            (3, 3.0, &quiet, Some(past), Some(Stop::Deadline)),
            (3, 3.0, &raised, Some(past), Some(Stop::Cancelled)),
            (3, 2.0, &raised, Some(past), Some(Stop::Target)),
            (2, 2.0, &raised, Some(past), Some(Stop::Playouts)),
        ] {
            let limits = Limits { playouts, deadline, target, restart: true, threads: 1, cancel };
            assert_eq!(meter.stop(&limits), stop);
        }
        let target = f64::NEG_INFINITY;
        let any = Limits { target, ..crate::examples::playouts(1) };
        assert_eq!(Meter::<i32>::default().stop(&any), None);
    }
}
