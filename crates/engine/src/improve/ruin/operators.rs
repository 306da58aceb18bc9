//! The changes of an order: they bring an item next to another.

use std::ops::Range;

use crate::random::Random;

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
    /// Draws a change of `count` items that brings the one at place `from` next to the one before
    /// place `to`; `None` if that would change nothing.
    pub(super) fn draw(count: usize, to: usize, from: usize, random: &mut Random) -> Option<Self> {
        let (window, how) = match random.below(4) {
            0 if from >= to => (to..from + 1, How::Reverse),
            0 => (from..to - 1, How::Reverse),
            1 => (from.min(to)..from.max(to) + 1, How::Swap),
            operator => {
                let (length, backwards) = (1 + random.below(3), operator == 3);
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
            let Some(change) = Change::draw(count, to, from, &mut random) else { continue };
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
}
