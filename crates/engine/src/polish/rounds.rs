//! The rounds that the polish of a long order goes on in: each changes one stretch.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Settings;
use crate::random::Random;

/// The places that are changed now, and what a round goes back to if it has made that worse.
#[derive(Serialize, Deserialize)]
pub(super) struct Rounds {
    /// The places that proposals come from: all, before the first round.
    pub(super) stretch: Range<usize>,
    /// The length of the stretch of a round; 0 if there are no rounds.
    length: usize,
    /// Tries without a gain that end a round.
    pub(super) patience: u64,
    /// The order that is the best by what steers, and how good it is.
    pub(super) order: Vec<u32>,
    pub(super) value: f64,
    /// Rounds since the last gain, and how many are the end.
    idle: u64,
    most: u64,
}

impl Rounds {
    /// Those of an order of so many items, which there are if it is long.
    pub(super) fn new(count: usize, settings: &Settings) -> Self {
        let length = if settings.stretch < count / 2 { settings.stretch } else { 0 };
        let each = settings.tries.saturating_mul(settings.candidates as u64);
        Rounds {
            stretch: 0..count,
            length,
            patience: each.saturating_mul(length as u64) / 2,
            order: Vec::new(),
            value: f64::NEG_INFINITY,
            idle: 0,
            most: count as u64,
        }
    }

    /// Whether there are any.
    pub(super) fn are_any(&self) -> bool {
        self.length > 0
    }

    /// Whether one has begun.
    pub(super) fn have_begun(&self) -> bool {
        self.are_any() && self.stretch.len() == self.length
    }

    /// Whether there is a next one after a local optimum of this value.
    pub(super) fn go_on(&self, value: f64) -> bool {
        self.are_any() && (self.idle < self.most || value > self.value)
    }

    /// Keeps an order that is not worse than the best, or goes back to that one. Returns whether it
    /// went back.
    pub(super) fn keep(&mut self, order: &mut Vec<u32>, value: &mut f64) -> bool {
        let back = *value < self.value;
        if back {
            order.clone_from(&self.order);
            *value = self.value;
        } else {
            if *value > self.value {
                (self.value, self.idle) = (*value, 0);
            }
            self.order.clone_from(order);
        }
        back
    }

    /// Begins a round, at a stretch of an order of so many items.
    pub(super) fn next(&mut self, count: usize, random: &mut Random) {
        self.idle += 1;
        let start = random.below(count - self.length + 1);
        self.stretch = start..start + self.length;
    }

    /// Undoes `next`.
    pub(super) fn undo(&mut self) {
        self.idle -= 1;
    }

    /// Begins anew, with the whole order: something else steers from now on.
    pub(super) fn restart(&mut self, count: usize) {
        (self.stretch, self.value, self.idle) = (0..count, f64::NEG_INFINITY, 0);
    }

    /// Whether what comes from a file is of an order of so many items.
    pub(super) fn fit(&self, count: usize) -> bool {
        let Range { start, end } = self.stretch;
        (start < end || count == 0) && end <= count && (self.length == 0 || self.length < count / 2)
    }
}
