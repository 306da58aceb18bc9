//! How far apart two sequences are.

use crate::problem::Problem;
use crate::sequence::Sequence;

/// The codes that a sequence chooses, each once, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Chosen(Vec<u64>);

impl Chosen {
    /// Becomes the codes of a sequence and keeps its memory.
    pub(super) fn take<P: Problem>(&mut self, sequence: &Sequence<P>) {
        self.0.clear();
        let mut start = 0;
        for step in &sequence.steps {
            self.0.push(sequence.codes[start + step.chosen as usize].into());
            start = step.end as usize;
        }
        self.0.sort_unstable();
        self.0.dedup();
    }

    /// A distance: of the sequence with more codes, how many codes the other does not have. It is 0
    /// between sequences with the same codes in any order.
    pub(super) fn distance(&self, other: &Chosen) -> usize {
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut common = 0;
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            let order = x.cmp(y);
            common += usize::from(order.is_eq());
            if order.is_le() {
                a.next();
            }
            if order.is_ge() {
                b.next();
            }
        }
        self.0.len().max(other.0.len()) - common
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::Digits;
    use crate::sequence::Step;

    fn chosen(codes: &[u64]) -> Chosen {
        let mut sequence = Sequence::<Digits>::default();
        for (&code, end) in codes.iter().zip((2..).step_by(2)) {
            sequence.codes.extend([9, code]);
            sequence.steps.push(Step { end, chosen: 1 });
        }
        let mut chosen = Chosen(vec![5]);
        chosen.take(&sequence);
        chosen
    }

    #[test]
    fn distances() {
        let sets = [vec![], vec![1], vec![3, 1, 2], vec![2, 3, 1, 3], vec![2, 4, 6, 8], vec![9, 2]];
        let sets: Vec<_> = sets.iter().map(|codes| chosen(codes)).collect();
        let from = |i: usize| sets.iter().map(|set| sets[i].distance(set)).collect::<Vec<_>>();
        assert_eq!(from(0), [0, 1, 3, 3, 4, 2]);
        assert_eq!(from(2), [3, 2, 0, 0, 3, 2]);
        assert_eq!(from(4), [4, 4, 3, 3, 0, 3]);
        for (i, set) in sets.iter().enumerate() {
            for (j, other) in sets.iter().enumerate() {
                assert_eq!(set.distance(other), other.distance(set));
                for via in &sets {
                    let around = sets[i].distance(via) + via.distance(&sets[j]);
                    assert!(set.distance(other) <= around);
                }
            }
        }
    }
}
