//! Which values can stand in the cells of a run, all things considered.
//!
//! The cells are given values one after the other. Of the values so far only their set matters, so
//! the sets that can come about form a layer for each cell. Back from those with the right sum, a
//! value can stand in a cell if it leads from a set to one from which the sum is reached.

use crate::domains::bits;

/// The largest value: a set of values is a word of 16 bits.
pub(super) const LARGEST: usize = 16;

/// The sums of all sets, and what a run needs while it is looked at.
pub(super) struct Sums {
    sums: Box<[u16]>,
    /// The layers one after the other, and where each begins.
    sets: Vec<u16>,
    begins: Vec<usize>,
    /// Of each set whether it has come about, and whether the sum is reached from it.
    reached: Box<[bool]>,
    leads: Box<[bool]>,
}

impl Sums {
    pub(super) fn new(largest: usize) -> Self {
        let sum = |set: u64| bits(set).map(|value| value as u16 + 1).sum();
        Sums {
            sums: (0..1 << largest).map(sum).collect(),
            sets: Vec::new(),
            begins: Vec::new(),
            reached: vec![false; 1 << largest].into(),
            leads: vec![false; 1 << largest].into(),
        }
    }

    /// Takes from the domains of a run the values that no filling with this sum has. False, and
    /// the domains as they were, if there is no filling.
    pub(super) fn prune(&mut self, domains: &mut [u16], sum: u16) -> bool {
        let single = |domain: &&u16| domain.is_power_of_two();
        let given = domains.iter().filter(single).fold(0, |given, &domain| given | domain);
        if given.count_ones() as usize != domains.iter().filter(single).count() {
            return false;
        }
        self.sets.clear();
        self.sets.push(given);
        self.begins.clear();
        let mut begin = 0;
        for &domain in domains.iter().filter(|domain| !single(domain)) {
            let end = self.sets.len();
            for index in begin..end {
                let set = self.sets[index];
                for value in bits((domain & !set).into()) {
                    let next = set | 1 << value;
                    if self.sums[usize::from(next)] <= sum && !self.reached[usize::from(next)] {
                        self.reached[usize::from(next)] = true;
                        self.sets.push(next);
                    }
                }
            }
            self.begins.push(begin);
            begin = end;
        }
        let mut possible = false;
        for &set in &self.sets[begin..] {
            let right = self.sums[usize::from(set)] == sum;
            self.leads[usize::from(set)] = right;
            possible |= right;
        }
        let mut end = begin;
        let open = domains.iter_mut().filter(|domain| !domain.is_power_of_two());
        for (domain, &begin) in open.rev().zip(self.begins.iter().rev()).filter(|_| possible) {
            let mut standing = 0;
            for &set in &self.sets[begin..end] {
                let leading = bits((*domain & !set).into())
                    .map(|value| 1 << value)
                    .filter(|&value| self.leads[usize::from(set | value)])
                    .fold(0, |leading, value| leading | value);
                self.leads[usize::from(set)] = leading != 0;
                standing |= leading;
            }
            *domain = standing;
            end = begin;
        }
        for &set in &self.sets {
            (self.reached[usize::from(set)], self.leads[usize::from(set)]) = (false, false);
        }
        possible
    }
}
