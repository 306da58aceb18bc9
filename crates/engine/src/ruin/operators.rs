//! The changes of an order: they bring an item next to another.

use std::ops::Range;

use crate::random::Random;

/// A change of the order within a window.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    pub(crate) window: Range<usize>,
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
    pub(crate) fn draw(count: usize, to: usize, from: usize, random: &mut Random) -> Option<Self> {
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

    /// Changes the order. What the window was is in `before`.
    pub(crate) fn apply(&self, order: &mut [u32], before: &mut Vec<u32>) {
        let window = &mut order[self.window.clone()];
        before.clear();
        before.extend_from_slice(window);
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

    /// Puts back what `before` has.
    pub(crate) fn undo(&self, order: &mut [u32], before: &[u32]) {
        order[self.window.clone()].copy_from_slice(before);
    }
}
