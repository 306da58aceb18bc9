//! The changes of an order: they bring an item next to another.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::math::choose;
use crate::random::Random;

/// The operators: they reverse a stretch, swap two items, and move a block, the same backwards, or an item.
const REVERSE: usize = 0;
const SWAP: usize = 1;
const BACKWARDS: usize = 3;
const ITEM: usize = 4;

/// Each operator begins as if it had been rejected so often, with the mean worsening.
const AS_IF: f64 = 4.0;

/// How often changes by each operator were rejected, and the sum of their worsenings.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Worsenings([(f64, f64); ITEM + 1]);

impl Worsenings {
    /// Draws an operator: the less its changes make worse, the more of what is good they leave, and the
    /// likelier it is.
    pub(super) fn draw(&self, random: &mut Random) -> usize {
        let add = |(times, sum), &(more, worse): &(f64, f64)| (times + more, sum + worse);
        let (times, sum) = self.0.iter().fold((0.0, 0.0), add);
        let worth = self.0.map(|(more, worse)| {
            let mild = if sum > 0.0 { (AS_IF + more) / (AS_IF + worse / sum * times) } else { 1.0 };
            (mild * mild) * (mild * mild)
        });
        choose(&worth, random.uniform())
    }

    /// Notes a change by an operator that was rejected.
    pub(super) fn note(&mut self, operator: usize, worse: f64) {
        if worse.is_finite() {
            let (times, sum) = &mut self.0[operator];
            (*times, *sum) = (*times + 1.0, *sum + worse);
        }
    }
}

/// A change of the order within a window.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Change {
    pub(super) window: Range<usize>,
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    Reverse,
    Swap,
    /// The last so many items of the window come first; backwards or not.
    ToFront(usize, bool),
    /// The first so many items of the window come last; backwards or not.
    ToBack(usize, bool),
}

impl Change {
    /// Draws one of the operators but the last, each as likely as any other.
    pub(super) fn any(random: &mut Random) -> usize {
        random.below(ITEM)
    }

    /// Draws a change of `count` items by an operator that brings the one at place `from` next to the one
    /// before place `to`; `None` if that would change nothing.
    pub(super) fn draw(
        count: usize,
        to: usize,
        from: usize,
        operator: usize,
        random: &mut Random,
    ) -> Option<Self> {
        let (window, how) = match operator {
            REVERSE if from >= to => (to..from + 1, How::Reverse),
            REVERSE => (from..to - 1, How::Reverse),
            SWAP => (from.min(to)..from.max(to) + 1, How::Swap),
            operator => {
                let length = if operator == ITEM { 1 } else { 1 + random.below(3) };
                let backwards = operator == BACKWARDS;
                // Backwards, the block ends at `from`.
                let first = if backwards { (from + 1).saturating_sub(length) } else { from };
                let end = if backwards { from + 1 } else { from + length };
                if from >= to {
                    let (first, end) = (first.max(to), end.min(count));
                    (to..end, How::ToFront(end - first, backwards))
                } else {
                    let end = end.min(to - 1).max(first);
                    (first..to, How::ToBack(end - first, backwards))
                }
            }
        };
        let already = from == to || from + 1 == to;
        (!already && window.len() > 1).then_some(Change { window, how })
    }

    /// Changes the order.
    pub(super) fn apply(&self, order: &mut [u32]) {
        let window = &mut order[self.window.clone()];
        let last = window.len() - 1;
        match self.how {
            How::Reverse => window.reverse(),
            How::Swap => window.swap(0, last),
            How::ToFront(length, backwards) => {
                window.rotate_right(length);
                if backwards {
                    window[..length].reverse();
                }
            }
            How::ToBack(length, backwards) => {
                window.rotate_left(length);
                if backwards {
                    window[last + 1 - length..].reverse();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Key;

    #[test]
    fn a_change_brings_an_item_next_to_another() {
        let mut random = Random::new(Key(5));
        let mut changes = 0;
        for _ in 0..20_000 {
            let count = 2 + random.below(7);
            let (to, from) = (random.below(count), random.below(count));
            let old: Vec<u32> = (0..count as u32).collect();
            let mut order = old.clone();
            let operator = random.below(ITEM + 1);
            let change = Change::draw(count, to, from, operator, &mut random);
            let Some(change) = change else { continue };
            change.apply(&mut order);
            assert_ne!(order, old);
            let place = |item: usize| order.iter().position(|&other| other == item as u32).unwrap();
            if to > 0 {
                assert_eq!(place(to - 1).abs_diff(place(from)), 1, "{to} {from} {change:?}");
            } else {
                assert_eq!(place(from), 0);
            }
            let window = change.window.clone();
            assert_eq!(order[..window.start], old[..window.start]);
            assert_eq!(order[window.end..], old[window.end..]);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, old);
            changes += 1;
        }
        assert!(changes > 10_000);
    }

    #[test]
    fn the_less_an_operator_makes_worse_the_likelier_it_is() {
        let drawn = |worse: [f64; 5]| {
            let (mut worsenings, mut random) = (Worsenings::default(), Random::new(Key(5)));
            for (operator, worse) in worse.into_iter().enumerate() {
                (0..10).for_each(|_| worsenings.note(operator, worse));
            }
            let mut counts = [0; 5];
            (0..5000).for_each(|_| counts[worsenings.draw(&mut random)] += 1);
            counts
        };
        for same in [0.0, 2.0, f64::INFINITY] {
            assert!(drawn([same; 5]).iter().all(|&count| count > 900), "{same}");
        }
        assert!(drawn([1.0, 2.0, 3.0, 4.0, 5.0]).is_sorted_by(|more, less| more > less));
        assert!(drawn([4.0, 4.0, 4.0, 4.0, 1.0])[4] > 4000);
        assert_eq!(drawn([1.0, 1.0, 1.0, 1.0, f64::MAX / 1e3])[4], 0);
    }
}
