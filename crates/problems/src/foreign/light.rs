//! Light replays of permuted sequences, by the functions that a problem may have for them.

use std::borrow::Cow;
use std::sync::PoisonError;

use nestor_engine::code::Code;
use nestor_engine::improve::ruin::Light;
use nestor_engine::problem::Problem;

use super::state::{State, Words};
use super::table::{Play, Status};
use super::{Foreign, MOST_ITEMS, Wrong};

/// Stands for a move of a fault until it is known: no item is negative.
const UNKNOWN: i64 = -1;

/// A permuted sequence so far: its state, and how many moves have led to it.
pub struct Permuted {
    words: Words,
    length: usize,
}

/// What the functions for light replays say of an order.
pub struct Replayed {
    /// What steers, at its end.
    pub value: f64,
    /// What no order that begins like this exceeds, after each move.
    pub bounds: Vec<f64>,
    /// What the order does not exceed, known after each move from the rest.
    pub joined: Vec<f64>,
}

impl Clone for Permuted {
    fn clone(&self) -> Self {
        Permuted { words: self.words.clone(), length: self.length }
    }

    #[inline]
    fn clone_from(&mut self, other: &Self) {
        self.words.clone_from(&other.words);
        self.length = other.length;
    }
}

impl<C: Code> Light<Foreign<C>> for Permuted {
    type Rest = Words;

    fn has(_problem: &Foreign<C>, item: u32) -> bool {
        i64::from(item) < MOST_ITEMS
    }

    fn start(problem: &Foreign<C>) -> Self {
        Permuted { words: problem.root.clone(), length: 0 }
    }

    #[inline]
    fn step(&mut self, problem: &Foreign<C>, item: u32) {
        let (name, step) = match problem.table.step {
            Some(step) => ("step", Some(step)),
            None => ("play", problem.table.play),
        };
        self.length += 1;
        problem.put(name, step, item, &mut self.words, self.length);
    }

    #[inline]
    fn value(&self, problem: &Foreign<C>) -> f64 {
        problem.judged_light(self, true)
    }

    fn score(&self, problem: &Foreign<C>) -> f64 {
        problem.judged_light(self, false)
    }

    fn item(problem: &Foreign<C>, state: &State, mv: i64) -> u32 {
        problem.item(state, mv)
    }

    fn tasks(problem: &Foreign<C>) -> bool {
        problem.table.task.is_some()
    }

    fn task(problem: &Foreign<C>, state: &State, mv: i64) -> u32 {
        problem.task(state, mv)
    }

    fn blame(problem: &Foreign<C>, order: &[u32]) {
        problem.fill_in(order);
    }

    #[inline]
    fn bound(&self, problem: &Foreign<C>) -> f64 {
        let Some(bound) = problem.table.bound else { return f64::INFINITY };
        // SAFETY: the state has `state_size` bytes.
        let call = |value| unsafe { bound(problem.table.this, self.words.constant(), value) };
        problem.number("bound", || unknown(self.length), call).unwrap_or(f64::INFINITY)
    }

    fn end(problem: &Foreign<C>) -> Option<Words> {
        problem.table.before.map(|_| Words::new(problem.table.state_size as usize))
    }

    #[inline]
    fn before(problem: &Foreign<C>, item: u32, rest: &mut Words) {
        problem.put("before", problem.table.before, item, rest, 0);
    }

    #[inline]
    fn joined(&self, problem: &Foreign<C>, rest: &Words) -> f64 {
        let Some(joined) = problem.table.joined else { return f64::INFINITY };
        let (state, rest) = (self.words.constant(), rest.constant());
        // SAFETY: both have `state_size` bytes.
        let call = |value| unsafe { joined(problem.table.this, state, rest, value) };
        problem.number("joined", || unknown(0), call).unwrap_or(f64::INFINITY)
    }

    fn moves(_problem: &Foreign<C>, order: &[u32], _score: f64, moves: &mut Vec<i64>) {
        moves.clear();
        moves.extend(order.iter().map(|&item| i64::from(item)));
    }
}

impl<C: Code> Foreign<C> {
    /// The item of a move, which a function listed or which comes from outside.
    pub fn item(&self, state: &State, mv: i64) -> u32 {
        match u32::try_from(mv).ok().filter(|_| mv < MOST_ITEMS) {
            Some(item) => item,
            None => {
                self.fail("moves", Wrong::Item(mv), &state.played);
                0
            }
        }
    }

    /// What the guide or the score says at the end of an order.
    #[inline]
    fn judged_light(&self, end: &Permuted, guide: bool) -> f64 {
        let Some((name, judge)) = self.judge(guide) else { return f64::NEG_INFINITY };
        // SAFETY: the state has `state_size` bytes.
        let call = |value| unsafe { judge(self.table.this, end.words.constant(), value) };
        self.number(name, || unknown(end.length), call).unwrap_or(f64::NEG_INFINITY)
    }

    /// What a move does.
    pub fn task(&self, state: &State, mv: i64) -> u32 {
        let Some(task) = self.table.task.filter(|_| !self.failed()) else { return 0 };
        let mut number = -1;
        // SAFETY: there is room for a number.
        let status = unsafe { task(self.table.this, mv, &mut number) };
        let moves = || [&state.played[..], &[mv]].concat();
        match u32::try_from(number).ok().filter(|_| number < MOST_ITEMS) {
            _ if status != 0 => self.say("task", status, &moves()),
            Some(task) => return task,
            None => self.fail("task", Wrong::Task(number), &moves()),
        }
        0
    }

    /// Puts an item after a state or before a rest.
    #[inline]
    fn put(
        &self,
        name: &'static str,
        put: Option<Play>,
        item: u32,
        words: &mut Words,
        length: usize,
    ) {
        let Some(put) = put.filter(|_| !self.failed()) else { return };
        // SAFETY: the state has `state_size` bytes.
        let status = unsafe { put(self.table.this, words.pointer(), item.into()) };
        if status != 0 || words.overrun(self.table.state_size as usize) {
            self.refuse(name, status, length);
        }
    }

    #[cold]
    fn refuse(&self, name: &'static str, status: Status, length: usize) {
        let moves = unknown(length);
        if self.checked(name, status, &moves) {
            self.fail(name, Wrong::Overrun, &moves);
        }
    }

    /// Fills in the moves of a fault of a light replay of this order.
    pub(super) fn fill_in(&self, order: &[u32]) {
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(fault) = fault.as_mut() else { return };
        if matches!(fault.function, "before" | "joined") {
            fault.moves = vec![UNKNOWN; order.len()];
        }
        for (mv, &item) in fault.moves.iter_mut().zip(order).filter(|(mv, _)| **mv == UNKNOWN) {
            *mv = item.into();
        }
    }

    /// What the functions for light replays say of an order.
    pub fn replayed(&self, order: &[u32]) -> Replayed {
        let mut light = Permuted::start(self);
        let mut states = Vec::with_capacity(order.len());
        for &item in order {
            light.step(self, item);
            states.push(light.clone());
        }
        let bounds = states.iter().map(|state| state.bound(self)).collect();
        let mut joined = vec![f64::INFINITY; order.len()];
        if let Some(mut rest) = Permuted::end(self) {
            for (place, state) in states.iter().enumerate().rev() {
                joined[place] = state.joined(self, &rest);
                Permuted::before(self, order[place], &mut rest);
            }
        }
        self.fill_in(order);
        Replayed { value: light.value(self), bounds, joined }
    }
}

fn unknown<'a>(length: usize) -> Cow<'a, [i64]> {
    vec![UNKNOWN; length].into()
}
