//! The inner loops over legal moves.

use multiversion::multiversion;

use crate::math::{self, BLOCK};
use crate::table::Table;

/// The weight of move `k` of a step: values\[slot\], times its factor if biases are per move.
#[inline(always)]
fn weight(values: &Table, slots: &[u32], factors: &[f64], k: usize) -> f64 {
    match factors.get(k) {
        Some(factor) => values.get(slots[k]) * factor,
        None => values.get(slots[k]),
    }
}

/// Calls `each` with the sum of each block of weights in turn, and returns the total; both are
/// those of [`math::sum`].
#[inline(always)]
fn sum_blocks(values: &Table, slots: &[u32], factors: &[f64], mut each: impl FnMut(f64)) -> f64 {
    let mut total = 0.0;
    let (blocks, rest) = slots.as_chunks::<BLOCK>();
    if factors.is_empty() {
        for block in blocks {
            total += math::sum_block(block.map(|slot| values.get(slot)));
            each(total);
        }
    } else {
        for (block, factors) in blocks.iter().zip(factors.as_chunks::<BLOCK>().0) {
            let weight = |k| values.get(block[k]) * factors[k];
            total += math::sum_block([weight(0), weight(1), weight(2), weight(3)]);
            each(total);
        }
    }
    if !rest.is_empty() {
        let mut block = [0.0; BLOCK];
        for (k, weight_k) in block.iter_mut().enumerate().take(rest.len()) {
            *weight_k = weight(values, slots, factors, slots.len() - rest.len() + k);
        }
        total += math::sum_block(block);
        each(total);
    }
    total
}

/// The sum of the weights of a step's moves.
#[inline(never)]
pub(crate) fn total(values: &Table, slots: &[u32], factors: &[f64]) -> f64 {
    sum_blocks(values, slots, factors, |_| ())
}

/// weights\[slot\] -= rate * p for each of a step's moves, where p is its weight over the total.
#[inline(never)]
pub(crate) fn descend(
    weights: &mut Table,
    values: &Table,
    slots: &[u32],
    factors: &[f64],
    total: f64,
    rate: f64,
) {
    let inverse = 1.0 / total;
    if factors.is_empty() {
        for &slot in slots {
            *weights.get_mut(slot) -= rate * (values.get(slot) * inverse);
        }
    } else {
        for (&slot, factor) in slots.iter().zip(factors) {
            *weights.get_mut(slot) -= rate * ((values.get(slot) * factor) * inverse);
        }
    }
}

/// Draws a move from the weights of a step, as [`math::choose`] does; `None` if their total is out
/// of range. Only the block that has the move is summed up move by move.
#[inline]
pub(crate) fn draw(
    values: &Table,
    slots: &[u32],
    factors: &[f64],
    u: f64,
    totals: &mut Vec<f64>,
) -> Option<usize> {
    totals.clear();
    totals.reserve(slots.len());
    let total = sum_blocks(values, slots, factors, |total| totals.push(total));
    if !math::SAFE.contains(&total) {
        return None;
    }
    let threshold = math::threshold(u, total);
    let block: usize = totals.iter().map(|&total| usize::from(total <= threshold)).sum();
    let before = if block == 0 { 0.0 } else { totals[block - 1] };
    let first = block * BLOCK;
    let mut weights = [0.0; BLOCK];
    for (k, weight_k) in weights.iter_mut().enumerate().take(slots.len() - first) {
        *weight_k = weight(values, slots, factors, first + k);
    }
    Some(first + math::pick(math::cumulate_block(before, weights), threshold))
}

// For exponentials it pays to use all the vector instructions of the processor. Each loop is
// compiled for any processor, for one with AVX2 and for one with AVX-512. Since no operation is
// fused or reordered, all give the same bits.

/// values\[slot\] = exp(weights\[slot\]) (times factors\[slot\]) for each of these slots.
#[multiversion(targets("x86_64+avx2+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub(crate) fn renew(weights: &Table, factors: Option<&Table>, slots: &[u32], values: &mut Table) {
    let mut exps = [0.0; 64];
    for slots in slots.chunks(exps.len()) {
        let exps = &mut exps[..slots.len()];
        for (exp, &slot) in exps.iter_mut().zip(slots) {
            *exp = weights.get(slot);
        }
        for exp in exps.iter_mut() {
            *exp = math::exp(*exp);
        }
        if let Some(factors) = factors {
            for (exp, &slot) in exps.iter_mut().zip(slots) {
                *exp *= factors.get(slot);
            }
        }
        for (&exp, &slot) in exps.iter().zip(slots) {
            *values.get_mut(slot) = exp;
        }
    }
}

/// Appends exp of each bias.
#[inline]
pub(crate) fn exp_all(biases: &[f64], factors: &mut Vec<f64>) {
    let start = factors.len();
    factors.resize(start + biases.len(), 0.0);
    exp_each(biases, &mut factors[start..]);
}

/// factors\[k\] = exp(biases\[k\]).
#[multiversion(targets("x86_64+avx2+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn exp_each(biases: &[f64], factors: &mut [f64]) {
    let mut exps = [0.0; 8];
    for (biases, factors) in biases.chunks(exps.len()).zip(factors.chunks_mut(exps.len())) {
        // The last chunk is filled up: a vector takes as long as a number.
        for (exp, &beta) in exps.iter_mut().zip(biases) {
            *exp = beta;
        }
        for exp in &mut exps {
            *exp = math::exp(*exp);
        }
        for (factor, &exp) in factors.iter_mut().zip(&exps) {
            *factor = exp;
        }
    }
}
