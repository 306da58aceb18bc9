//! The items that may well follow an item.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::NOWHERE;
use super::pool::Pool;

/// For the start, and for each item, those that may well follow it, at most K.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Candidates {
    most: usize,
    /// The one of the start is the first, then that of item 0, and so on.
    lists: Vec<Vec<u32>>,
    /// Whether the sequence has an item.
    #[serde(skip)]
    known: Vec<bool>,
    #[serde(skip)]
    offered: Vec<(f64, u32)>,
}

/// The index of the list of an item, or of the start.
fn index(item: Option<u32>) -> usize {
    item.map_or(0, |item| item as usize + 1)
}

impl Candidates {
    /// Those that follow an item in the local optima, the last ones first. `places` has a place for
    /// each item of the sequence, and [`NOWHERE`] for others.
    pub(super) fn new(most: usize, places: &[u32], pool: &Pool) -> Self {
        let mut lists = vec![Vec::new(); places.len() + 1];
        let items: Vec<bool> = places.iter().map(|&place| place != NOWHERE).collect();
        let known = |item: u32| items.get(item as usize).is_some_and(|&known| known);
        for optimum in pool.optima.iter().rev() {
            let before = std::iter::once(None).chain(optimum.iter().copied().map(Some));
            for (a, &b) in before.zip(optimum) {
                if a.is_none_or(known) && known(b) {
                    add(&mut lists[index(a)], most, b);
                }
            }
        }
        Candidates { most, lists, known: items, offered: Vec::new() }
    }

    /// Adds those that the rules offer after an item, each with the logarithm of its weight; the
    /// heaviest first.
    pub(super) fn add_offered(
        &mut self,
        after: Option<u32>,
        offered: impl Iterator<Item = (f64, u32)>,
    ) {
        let Candidates { lists, known, .. } = self;
        let list = &mut lists[index(after)];
        let room = self.most - list.len();
        if room == 0 {
            return;
        }
        self.offered.clear();
        let known = |item: u32| known.get(item as usize).is_some_and(|&known| known);
        self.offered.extend(offered.filter(|&(_, item)| known(item) && !list.contains(&item)));
        // Stable: of equal weights, those that are offered first come first.
        self.offered.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal));
        for &(_, item) in self.offered.iter().take(room) {
            add(list, self.most, item);
        }
    }

    /// Those that may well follow an item, or begin a sequence.
    #[inline]
    pub(super) fn after(&self, item: Option<u32>) -> &[u32] {
        &self.lists[index(item)]
    }

    /// Whether all these are places of items.
    pub(super) fn are_of(&self, places: &[u32]) -> bool {
        let known = |&item: &u32| places.get(item as usize).is_some_and(|&place| place != NOWHERE);
        self.lists.len() == places.len() + 1 && self.lists.iter().flatten().all(known)
    }
}

fn add(list: &mut Vec<u32>, most: usize, item: u32) {
    if list.len() < most && !list.contains(&item) {
        list.push(item);
    }
}
