//! The inner loops over legal moves.

use multiversion::multiversion;

use crate::math::{self, BLOCK, Interval};
use crate::table::Table;

/// The weight of move `k` of a step: values\[slot\], times its factor if biases are per move.
#[inline(always)]
fn weight(values: &Table, slots: &[u32], factors: &[f64], k: usize) -> f64 {
    match factors.get(k) {
        Some(factor) => values.get(slots[k]) * factor,
        None => values.get(slots[k]),
    }
}

/// Adds weights to the total `before` them, and returns the sum. Calls `each` with the sum after
/// each block. Both are those of [`math::sum`].
#[inline(always)]
fn sum_blocks(
    before: f64,
    values: &Table,
    slots: &[u32],
    factors: &[f64],
    mut each: impl FnMut(f64),
) -> f64 {
    let mut total = before;
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
        let first = slots.len() - rest.len();
        let block = padded(rest.len(), |k| weight(values, slots, factors, first + k));
        total += math::sum_block(block);
        each(total);
    }
    total
}

/// The sum of the weights of a step's moves.
#[inline(never)]
pub(crate) fn total(values: &Table, slots: &[u32], factors: &[f64]) -> f64 {
    sum_blocks(0.0, values, slots, factors, |_| ())
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
    if slots.len() <= BLOCK {
        let block = padded(slots.len(), |k| weight(values, slots, factors, k));
        let total = math::sum_block(block);
        let pick = || math::pick(math::cumulate_block(0.0, block), math::threshold(u, total));
        return math::SAFE.contains(&total).then(pick);
    }
    totals.clear();
    totals.reserve(slots.len());
    let total = sum_blocks(0.0, values, slots, factors, |total| totals.push(total));
    if !math::SAFE.contains(&total) {
        return None;
    }
    let threshold = math::threshold(u, total);
    let block: usize = totals.iter().map(|&total| usize::from(total <= threshold)).sum();
    let before = if block == 0 { 0.0 } else { totals[block - 1] };
    let first = block * BLOCK;
    let weights = padded(slots.len() - first, |k| weight(values, slots, factors, first + k));
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

/// values\[k\] = exp(weights\[k\]), times factors\[k\] if there are factors.
pub(crate) fn renew_all(weights: &[f64], factors: &[f64], values: &mut [f64]) {
    exp_each(weights, values);
    for (value, factor) in values.iter_mut().zip(factors) {
        *value *= factor;
    }
}

/// The interval in which [`draw`] takes one of a step's moves.
#[inline(never)]
pub(crate) fn interval(values: &Table, slots: &[u32], factors: &[f64], chosen: usize) -> Interval {
    let (first, place) = (chosen - chosen % BLOCK, chosen % BLOCK);
    let (slots_before, slots) = slots.split_at(first);
    let (factors_before, factors) = factors.split_at(first.min(factors.len()));
    let before = sum_blocks(0.0, values, slots_before, factors_before, |_| ());
    let total = sum_blocks(before, values, slots, factors, |_| ());
    let block = padded(slots.len(), |k| weight(values, slots, factors, k));
    Interval::new(before, block, place, total)
}

/// The same for weights that lie side by side.
#[inline(always)]
pub(crate) fn interval_of(weights: &[f64], chosen: usize) -> Interval {
    if weights.len() <= BLOCK {
        let block = padded(weights.len(), |k| weights[k]);
        return Interval::new(0.0, block, chosen, math::sum_block(block));
    }
    let (first, place) = (chosen - chosen % BLOCK, chosen % BLOCK);
    let before = sum_from(0.0, &weights[..first]);
    let total = sum_from(before, &weights[first..]);
    let block = padded(weights.len() - first, |k| weights[first + k]);
    Interval::new(before, block, place, total)
}

/// The sum of weights that lie side by side, added to the total `before` them.
#[inline(always)]
fn sum_from(before: f64, weights: &[f64]) -> f64 {
    let (blocks, rest) = weights.as_chunks::<BLOCK>();
    let total = blocks.iter().fold(before, |total, &block| total + math::sum_block(block));
    if rest.is_empty() {
        return total;
    }
    total + math::sum_block(padded(rest.len(), |k| rest[k]))
}

/// The block of so many weights, or the first of them, padded with zeros.
#[inline(always)]
fn padded(count: usize, weight: impl Fn(usize) -> f64) -> [f64; BLOCK] {
    let mut block = [0.0; BLOCK];
    for (k, weight_k) in block.iter_mut().enumerate().take(count) {
        *weight_k = weight(k);
    }
    block
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
    let (full, rest) = biases.as_chunks::<8>();
    let (full_factors, rest_factors) = factors.as_chunks_mut::<8>();
    for (biases, factors) in full.iter().zip(full_factors) {
        for (factor, &beta) in factors.iter_mut().zip(biases) {
            *factor = math::exp(beta);
        }
    }
    if !rest.is_empty() {
        // The last numbers are filled up: a vector takes as long as a number.
        let mut exps = [0.0; 8];
        exps[..rest.len()].copy_from_slice(rest);
        for exp in &mut exps {
            *exp = math::exp(*exp);
        }
        rest_factors.copy_from_slice(&exps[..rest.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of all sizes: most of them within the range of `exp`, some beyond it.
    fn numbers() -> Vec<f64> {
        let scales = [1e-300, 1e-9, 0.1, 1.0, 30.0, 700.0, 1e4, f64::INFINITY];
        let steps = (-60..=60).map(|k| f64::from(k) / 61.0);
        steps.flat_map(|step| scales.map(|scale| step * scale)).filter(|x| !x.is_nan()).collect()
    }

    /// What is compiled here is for any processor, and the kernels for the one that runs the test.
    #[test]
    fn all_instruction_sets_give_the_same_bits() {
        let numbers = numbers();
        for count in (0..70).chain([numbers.len()]) {
            let numbers = &numbers[numbers.len() - count..];
            let plain: Vec<u64> = numbers.iter().map(|&x| math::exp(x).to_bits()).collect();
            let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            let mut exps = Vec::new();
            exp_all(numbers, &mut exps);
            assert_eq!(bits(&exps), plain);
            let (mut weights, mut values) = (Table::new(count, 0.0), Table::new(count, 0.0));
            let slots: Vec<u32> = (0..count as u32).collect();
            slots.iter().zip(numbers).for_each(|(&slot, &x)| *weights.get_mut(slot) = x);
            renew(&weights, None, &slots, &mut values);
            let renewed: Vec<f64> = slots.iter().map(|&slot| values.get(slot)).collect();
            assert_eq!(bits(&renewed), plain);
        }
    }
}
