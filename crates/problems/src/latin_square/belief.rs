//! How likely it is that an entry is in a completion, by belief propagation.
//!
//! Each need is met by one of its entries. So an entry tells each of its three needs the odds by
//! which it is in, as far as the other two say. A need answers each of its entries: the stronger the
//! others, the weaker the answer. The odds of an entry are the product of the three answers. After
//! some hundred rounds they hardly change.
//!
//! They may settle on one square, and a wrong one. So a need can also stay unmet, by odds that fall
//! from round to round, but not to nothing.
//!
//! All is sums, products and quotients in a fixed order: the same bits everywhere.

use nestor_engine::random::{Key, Random};

use super::needs::{ENTRIES, Entry, NEEDS, Needs, VALUE};
use crate::domains::bits;

const ROUNDS: usize = 300;
/// The odds that a need stays unmet: at first, at last, and what is left of them after a round.
const UNMET: f64 = 3.0;
const LEAST_UNMET: f64 = 0.05;
const LEFT: f64 = 0.977_580_488_622_112_7;
/// Odds are at least this, and at most its inverse.
const LEAST: f64 = 1e-5;
/// The key of what is told first: any constant will do.
const FIRST: Key = Key(0xBE11_EF00);

/// The cube of the probability of each entry, at its number.
pub(super) fn belief(options: &Needs<u64>) -> Box<[f32]> {
    let mut random = Random::new(FIRST);
    let mut told: Vec<(Entry, [f64; 3])> = (VALUE * NEEDS..(VALUE + 1) * NEEDS)
        .flat_map(|cell| bits(options[cell]).map(move |value| Entry::of(cell, value)))
        .map(|entry| {
            let count = |kind| f64::from(options[entry.need(kind)].count_ones());
            (entry, std::array::from_fn(|kind| (0.5 + random.uniform()) / count(kind)))
        })
        .collect();
    let mut weights = vec![0.0; ENTRIES].into_boxed_slice();
    let (mut sums, mut unmet) = (Needs::new(0.0), UNMET);
    for round in 1..=ROUNDS {
        sums.0.fill(unmet);
        for (entry, told) in &told {
            (0..3).for_each(|kind| sums[entry.need(kind)] += told[kind]);
        }
        for (entry, told) in &mut told {
            let others = |kind: usize| f64::max(sums[entry.need(kind)] - told[kind], LEAST);
            let others: [f64; 3] = std::array::from_fn(others);
            let limited = |odds: f64| odds.clamp(LEAST, 1.0 / LEAST);
            let odds = limited(1.0 / (others[0] * others[1] * others[2]));
            for (told, others) in told.iter_mut().zip(others) {
                *told = (*told + limited(odds * others)) / 2.0;
            }
            if round == ROUNDS {
                let chance = odds / (1.0 + odds);
                weights[entry.number()] = (chance * chance * chance) as f32;
            }
        }
        unmet = f64::max(unmet * LEFT, LEAST_UNMET);
    }
    weights
}
