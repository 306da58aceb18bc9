//! The meter sees every playout. It knows what was found, when, and whether to go on.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::shared::sync::atomic::{AtomicBool, Ordering};

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

/// The record of a search: playouts done, best so far, improvements.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Meter<M> {
    /// Playouts done.
    pub playouts: u64,
    /// Those among them that polish evaluated; the others were drawn. [`crate::search::Search`] saves
    /// the number if there is polish.
    #[serde(skip)]
    pub evaluated: u64,
    /// The best score so far; minus infinity before the first playout.
    pub score: f64,
    /// The moves of the best playout.
    pub moves: Vec<M>,
    /// Every new best score, in order.
    pub improvements: Vec<Improvement>,
    /// The playouts and the moves of the last improvements. They are saved apart: older files have
    /// none. Those of threads, which [`Meter::append`] adds, have the moves of the best alone.
    #[serde(skip, default = "VecDeque::new")]
    pub trail: VecDeque<(u64, Vec<M>)>,
    /// Search time of earlier calls of `advance`.
    elapsed: Duration,
    #[serde(skip, default = "Instant::now")]
    started: Instant,
}

impl<M: Copy> Meter<M> {
    /// The record of a search that has not started.
    pub fn new() -> Self {
        Meter {
            playouts: 0,
            evaluated: 0,
            score: f64::NEG_INFINITY,
            moves: Vec::new(),
            improvements: Vec::new(),
            trail: VecDeque::new(),
            elapsed: Duration::ZERO,
            started: Instant::now(),
        }
    }

    /// Forgets everything and keeps the memory.
    pub(crate) fn clear(&mut self) {
        (self.playouts, self.evaluated) = (0, 0);
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

    /// Counts a playout that polish evaluated.
    pub(crate) fn count_evaluated(&mut self) {
        self.playouts += 1;
        self.evaluated += 1;
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
                self.moves.clone_from(&later.moves);
                self.improvements.push(Improvement {
                    playouts: self.playouts + improvement.playouts,
                    seconds,
                    level: improvement.level.max(above),
                    ..*improvement
                });
                if improvement.score == later.score {
                    self.remember();
                }
            }
        }
        self.playouts += later.playouts;
        self.evaluated += later.evaluated;
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
    fn default() -> Self {
        Self::new()
    }
}
