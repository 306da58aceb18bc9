//! Moves of an order that stand for each other, since they do the same task.
//!
//! A sequence is then an order of tasks, and one of the moves that do a task for each time that it comes.
//! Whatever becomes of the order, the k-th time of a task keeps its move: any move that does it fits in there,
//! and those of its other times need not.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::random::Random;

/// No task, or no place.
const NONE: u32 = u32::MAX;

/// The ways to play the tasks of a game; there are none if no move stands for another one.
#[derive(Default)]
pub(super) struct Ways {
    /// For each task, by the order in which they first came, and each time of it the items of the moves
    /// that do it.
    items: Vec<Vec<Vec<u32>>>,
    /// The task of each item.
    tasks: Vec<u32>,
    /// The tasks and times with more than one move.
    choices: Vec<(u32, u32)>,
    count: usize,
    /// For each task the next place of an order where it comes, and for each place the one after it.
    heads: Vec<u32>,
    nexts: Vec<u32>,
}

/// What a ruin and recreate has chosen among them, and tries with the item on its way back.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Chosen {
    /// An order whose k-th time of each task has the move that is chosen for it.
    pub(super) order: Vec<u32>,
    /// The next way to try at a place.
    pub(super) way: usize,
    /// The item at the best place so far.
    pub(super) item: u32,
}

impl Ways {
    /// The ways of a game: for each of its moves the task, and the items of all moves that do it there.
    pub(super) fn of(game: Vec<(u32, Vec<u32>)>) -> Self {
        let (mut seen, mut items) = (HashMap::new(), Vec::new());
        for (task, these) in game {
            let next = items.len();
            let task = *seen.entry(task).or_insert(next);
            items.resize_with(items.len().max(task + 1), Vec::new);
            items[task].push(these);
        }
        Ways::new(items)
    }

    /// The ways that were saved as these items.
    pub(super) fn new(items: Vec<Vec<Vec<u32>>>) -> Self {
        let mut ways = Ways { heads: vec![NONE; items.len()], ..Ways::default() };
        for (task, times) in (0..).zip(&items) {
            for (time, these) in (0..).zip(times) {
                for &item in these {
                    ways.tasks.resize(ways.tasks.len().max(item as usize + 1), NONE);
                    ways.tasks[item as usize] = task;
                }
                if these.len() > 1 {
                    ways.choices.push((task, time));
                }
                ways.count += these.len();
            }
        }
        ways.items = items;
        ways
    }

    /// Whether no move stands for another one.
    pub(super) fn none(&self) -> bool {
        self.items.is_empty()
    }

    pub(super) fn items(&self) -> &[Vec<Vec<u32>>] {
        &self.items
    }

    fn task(&self, item: u32) -> u32 {
        self.tasks.get(item as usize).copied().unwrap_or(NONE)
    }

    /// Whether each item does one task.
    pub(super) fn sound(&self) -> bool {
        let mut items = (0..).zip(&self.items);
        items.all(|(task, times)| times.iter().flatten().all(|&item| self.task(item) == task))
    }

    /// Whether an order has a move for each time of each task.
    pub(super) fn fit(&self, order: &[u32]) -> bool {
        let mut counts = vec![0; self.items.len()];
        order.iter().all(|&item| {
            let Some(count) = counts.get_mut(self.task(item) as usize) else { return false };
            *count += 1;
            let times = &self.items[self.task(item) as usize];
            times.get(*count - 1).is_some_and(|these| these.contains(&item))
        }) && counts.iter().zip(&self.items).all(|(&count, times)| count == times.len())
    }

    /// Gives each time of a task in `order` the item that it has in `chosen`, which has all of them.
    pub(super) fn settle(&mut self, chosen: &[u32], order: &mut [u32]) {
        if self.none() {
            return;
        }
        self.nexts.resize(chosen.len().max(self.nexts.len()), NONE);
        for (place, &item) in (0..chosen.len()).zip(chosen).rev() {
            let task = self.task(item) as usize;
            if let Some(head) = self.heads.get_mut(task) {
                self.nexts[place] = std::mem::replace(head, place as u32);
            }
        }
        for item in order {
            let task = self.task(*item) as usize;
            if let Some(head) = self.heads.get_mut(task).filter(|head| **head != NONE) {
                *item = chosen[*head as usize];
                *head = self.nexts[*head as usize];
            }
        }
        self.heads.fill(NONE);
    }

    /// The items of the moves that may stand at a place of an order.
    pub(super) fn at<'a>(&'a self, order: &'a [u32], place: usize) -> &'a [u32] {
        let task = self.task(order[place]);
        let Some(times) = self.items.get(task as usize) else { return &order[place..=place] };
        let time = order[..place].iter().filter(|item| self.task(**item) == task).count();
        times.get(time).map_or(&order[place..=place], Vec::as_slice)
    }

    /// Whether two items are of the same task.
    pub(super) fn alike(&self, item: u32, other: u32) -> bool {
        item == other || self.task(item) == self.task(other) && !self.none()
    }

    /// Whether a task can be done in more than one way.
    pub(super) fn choose(&self) -> bool {
        !self.choices.is_empty()
    }

    /// The number of moves that may stand at all places of an order.
    pub(super) fn count(&self) -> f64 {
        self.count as f64
    }

    /// Draws a place of an order with more than one way, and another item for it.
    pub(super) fn draw(&self, order: &[u32], random: &mut Random) -> Option<(usize, u32)> {
        let (task, time) = self.choices[random.below(self.choices.len())];
        let mut places = (0..order.len()).filter(|&place| self.task(order[place]) == task);
        let place = places.nth(time as usize)?;
        let these = &self.items[task as usize][time as usize];
        let others = these.iter().filter(|item| **item != order[place]);
        Some((place, *others.clone().nth(random.below(others.count().max(1)))?))
    }
}
