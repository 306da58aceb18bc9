//! How a changed order is evaluated: a light replay from the first place that has changed. After the
//! last such place the rest of the sequence, summed up, may show that it is worse.

use std::ops::Range;

use crate::problem::{Orders, Problem, Steer};
use crate::random::Random;

/// A light replay: what a state has that its guide and its score need, and no list of legal moves.
pub trait Light<P: Problem>: Clone + Send + Sync + 'static {
    /// The rest of a sequence, summed up; `()` without that.
    type Rest: Clone + Send + Sync;

    /// See [`Orders::quick`].
    const QUICK: bool = true;

    /// Whether a sequence may have an item more than once.
    const REPEATS: bool = false;

    /// Whether the problem has this item.
    fn has(problem: &P, item: u32) -> bool;

    /// The root.
    fn start(problem: &P) -> Self;

    /// See [`Orders::mended`].
    fn mended(_problem: &P, order: Vec<u32>) -> Vec<u32> {
        order
    }

    /// See [`Orders::rescued`].
    fn rescued(_problem: &P, _order: &[u32], _random: &mut Random) -> Option<Vec<u32>> {
        None
    }

    /// Plays the move of an item, which may come at any place.
    fn step(&mut self, problem: &P, item: u32);

    /// What steers, at the end of a sequence: higher is better, and never NaN. The score must be the
    /// one that the rules give, to the bit.
    fn value(&self, problem: &P, by: Steer) -> f64;

    /// What no sequence that begins like this can exceed.
    fn bound(&self, _problem: &P, _by: Steer) -> f64 {
        f64::INFINITY
    }

    /// The rest that is left at the end of a sequence; nothing if rests are not summed up.
    fn end(_problem: &P) -> Option<Self::Rest> {
        None
    }

    /// Puts an item before a rest.
    fn before(_problem: &P, _item: u32, _rest: &mut Self::Rest) {}

    /// What the sequence that goes on with this rest does not exceed.
    fn joined(&self, _problem: &P, _rest: &Self::Rest, _by: Steer) -> f64 {
        f64::INFINITY
    }

    /// The move that was played last.
    fn last(&self, problem: &P, item: u32) -> P::Move;
}

/// Evaluates orders by light replays.
pub struct Replays<P: Problem, L: Light<P>> {
    /// The state before each place of the present order, and after its last.
    states: Vec<L>,
    /// The same of the order that was evaluated last, from where it differs.
    others: Vec<L>,
    /// Where that order differs.
    window: Range<usize>,
    /// The rest of the present order from each place on, if rests are summed up; those before place
    /// `stale` have to be made anew.
    rests: Vec<L::Rest>,
    stale: usize,
}

impl<P: Problem, L: Light<P>> Default for Replays<P, L> {
    fn default() -> Self {
        let (states, others, rests) = Default::default();
        Replays { states, others, window: 0..0, rests, stale: 0 }
    }
}

impl<P: Problem, L: Light<P>> Replays<P, L> {
    /// The rest from this place on, before which an order may differ from the present one.
    #[inline(always)]
    fn rest(&mut self, problem: &P, order: &[u32], place: usize) -> Option<&L::Rest> {
        while self.stale > place && self.stale < self.rests.len() {
            self.stale -= 1;
            let (rest, shorter) = self.rests[self.stale..].split_at_mut(1);
            rest[0].clone_from(&shorter[0]);
            L::before(problem, order[self.stale], &mut rest[0]);
        }
        self.rests.get(place)
    }
}

impl<P: Problem, L: Light<P>> Orders<P> for Replays<P, L> {
    fn begin(&mut self, problem: &P, order: &[u32]) {
        let mut light = L::start(problem);
        self.states.clear();
        self.states.push(light.clone());
        for &item in order {
            light.step(problem, item);
            self.states.push(light.clone());
        }
        self.others.clone_from(&self.states);
        self.rests.clear();
        self.rests
            .extend(L::end(problem).map(|end| vec![end; order.len() + 1]).unwrap_or_default());
        self.stale = order.len();
    }

    fn evaluate(
        &mut self,
        problem: &P,
        order: &[u32],
        window: Range<usize>,
        by: Steer,
        floor: f64,
    ) -> f64 {
        let Range { start, end } = window;
        self.window = window;
        let mut light = self.states[start].clone();
        for (&item, state) in order[start..end].iter().zip(&mut self.others[start + 1..]) {
            light.step(problem, item);
            if light.bound(problem, by) < floor {
                return f64::NEG_INFINITY;
            }
            state.clone_from(&light);
        }
        if self
            .rest(problem, order, end)
            .is_some_and(|rest| light.joined(problem, rest, by) < floor)
        {
            return f64::NEG_INFINITY;
        }
        for (&item, state) in order[end..].iter().zip(&mut self.others[end + 1..]) {
            light.step(problem, item);
            if light.bound(problem, by) < floor {
                return f64::NEG_INFINITY;
            }
            state.clone_from(&light);
        }
        light.value(problem, by)
    }

    fn accept(&mut self) {
        let Range { start, end } = self.window;
        self.states[start + 1..].swap_with_slice(&mut self.others[start + 1..]);
        self.stale = self.stale.max(end);
    }

    fn value(&self, problem: &P, by: Steer) -> f64 {
        self.states.last().map_or(f64::NEG_INFINITY, |light| light.value(problem, by))
    }

    fn moves(&self, problem: &P, order: &[u32], moves: &mut Vec<P::Move>) {
        moves.clear();
        let played = order.iter().zip(&self.states[1..]);
        moves.extend(played.map(|(&item, light)| light.last(problem, item)));
    }

    fn fits(&self, problem: &P, order: &[u32]) -> bool {
        let mut items = order.to_vec();
        items.sort_unstable();
        items.dedup();
        (L::REPEATS || items.len() == order.len())
            && items.iter().all(|&item| L::has(problem, item))
    }

    fn mended(&self, problem: &P, order: Vec<u32>) -> Vec<u32> {
        L::mended(problem, order)
    }

    fn rescued(&self, problem: &P, order: &[u32], random: &mut Random) -> Option<Vec<u32>> {
        L::rescued(problem, order, random)
    }

    fn quick(&self) -> bool {
        L::QUICK
    }
}
