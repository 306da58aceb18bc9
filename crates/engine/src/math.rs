//! The arithmetic of playout and adapt, defined to the last bit.
//!
//! Results must agree between machines and with the Python reference. So nothing here depends on
//! the platform's mathematics library or on the width of its vectors: `exp` is our own polynomial,
//! sums are taken in a defined order (blocks of four), and no operation is fused.

/// log2(e), and ln(2) in two parts, the first with trailing zeros.
const LOG2_E: f64 = std::f64::consts::LOG2_E;
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// To add and subtract 1.5 * 2^52 rounds to the nearest integer, with ties to even.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// 1/k! for k = 11 down to 0: the Taylor series is exact to 7e-15 on |r| <= ln(2)/2.
const TAYLOR: [f64; 12] = [
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
    1.0,
];
/// Outside this range `exp` is 0 or infinity.
const EXP_LIMIT: f64 = 708.0;

/// The exponential function to a relative error below 1e-14; 0 below -708, infinity above 708.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    let shifted = x * LOG2_E + ROUND;
    let whole = shifted - ROUND;
    let r = (x - whole * LN2_HIGH) - whole * LN2_LOW;
    let mut sum = TAYLOR[0];
    for coefficient in &TAYLOR[1..] {
        sum = sum * r + coefficient;
    }
    // The low bits of `shifted` hold the integer: move it into an exponent field.
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    let value = sum * power;
    let value = if x < -EXP_LIMIT { 0.0 } else { value };
    if x > EXP_LIMIT { f64::INFINITY } else { value }
}

/// 1/(2k+1) for k = 11 down to 0: the series of the area tangent is exact to 1e-17 on |s| <= 0.172.
const ODD: [f64; 12] = [
    1.0 / 23.0,
    1.0 / 21.0,
    1.0 / 19.0,
    1.0 / 17.0,
    1.0 / 15.0,
    1.0 / 13.0,
    1.0 / 11.0,
    1.0 / 9.0,
    1.0 / 7.0,
    1.0 / 5.0,
    1.0 / 3.0,
    1.0,
];

/// The natural logarithm of a positive normal number to a relative error below 1e-14; minus infinity
/// for smaller ones.
#[inline]
pub fn ln(x: f64) -> f64 {
    if x < f64::MIN_POSITIVE {
        return f64::NEG_INFINITY;
    }
    // x = m 2^whole with m from sqrt(1/2) to sqrt(2), and ln m = 2 artanh((m - 1) / (m + 1)).
    let bits = x.to_bits();
    let above = (bits & ((1 << 52) - 1)) > 0x6_A09E_667F_3BCD;
    let whole = (bits >> 52) as i64 - 1023 + i64::from(above);
    let exponent = if above { 1022 } else { 1023 };
    let m = f64::from_bits(bits & ((1 << 52) - 1) | exponent << 52);
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let mut sum = ODD[0];
    for coefficient in &ODD[1..] {
        sum = sum * square + coefficient;
    }
    whole as f64 * LN2_HIGH + (whole as f64 * LN2_LOW + 2.0 * s * sum)
}

/// The number of values that are summed together.
pub const BLOCK: usize = 4;

/// The cumulative sums of a block a, b, c, d (the last one padded with zeros): a, a+b, (a+b)+c and
/// (a+b)+(c+d), each added to the total `before` it.
#[inline(always)]
pub fn cumulate_block(before: f64, [a, b, c, d]: [f64; BLOCK]) -> [f64; BLOCK] {
    let (ab, cd) = (a + b, c + d);
    [before + a, before + ab, before + (ab + c), before + (ab + cd)]
}

/// The sum of a block.
#[inline(always)]
pub fn sum_block([a, b, c, d]: [f64; BLOCK]) -> f64 {
    (a + b) + (c + d)
}

/// The sum of values: blocks in order, each summed by itself.
pub fn sum(values: &[f64]) -> f64 {
    blocks(values).map(sum_block).fold(0.0, |total, block| total + block)
}

/// The cumulative sum that a draw must exceed: `u` times the total, which is positive, kept below the
/// total even if it is rounded up.
#[inline(always)]
pub fn threshold(u: f64, total: f64) -> f64 {
    let (threshold, below) = (u * total, f64::from_bits(total.to_bits().wrapping_sub(1)));
    if threshold < below { threshold } else { below }
}

/// The index of the first value whose cumulative sum exceeds the threshold of `u`.
pub fn choose(values: &[f64], u: f64) -> usize {
    let threshold = threshold(u, sum(values));
    let mut before = 0.0;
    for (index, block) in blocks(values).enumerate() {
        let next = before + sum_block(block);
        if next > threshold {
            return index * BLOCK + pick(cumulate_block(before, block), threshold);
        }
        before = next;
    }
    0
}

/// The number of cumulative sums that do not exceed the threshold: the index of the first one that
/// does.
#[inline(always)]
pub fn pick(cumulative: [f64; BLOCK], threshold: f64) -> usize {
    cumulative.iter().map(|&sum| usize::from(sum <= threshold)).sum()
}

/// Where a draw takes one move: it must not be less than `low`, and less than `high`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval {
    /// The sum of all weights of the step.
    pub(crate) total: f64,
    low: f64,
    high: f64,
}

impl Interval {
    /// That of a forced move.
    pub(crate) const EVERYTHING: Interval =
        Interval { total: 1.0, low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// The interval of move `place` of a block that comes after the total `before`.
    #[inline(always)]
    pub(crate) fn new(before: f64, block: [f64; BLOCK], place: usize, total: f64) -> Self {
        let cumulative = cumulate_block(before, block);
        let low = if place == 0 { before } else { cumulative[place - 1] };
        let high = if SAFE.contains(&total) { cumulative[place] } else { f64::NEG_INFINITY };
        Interval { total, low, high }
    }

    /// Whether the move is drawn with this [`threshold`]; false if the total is out of range.
    #[inline(always)]
    pub(crate) fn contains(&self, threshold: f64) -> bool {
        self.low <= threshold && threshold < self.high
    }
}

fn blocks(values: &[f64]) -> impl Iterator<Item = [f64; BLOCK]> {
    values.chunks(BLOCK).map(|chunk| {
        let mut block = [0.0; BLOCK];
        block[..chunk.len()].copy_from_slice(chunk);
        block
    })
}

/// The smallest and the largest total for which products and quotients of the values keep their
/// precision. For other totals a step is worked out again from the logarithms ([`shifted`]).
pub const SAFE: std::ops::Range<f64> = 1e-280..1e280;

/// exp of each logarithm less the greatest: the weights of one step, up to a common factor, however
/// large or small they are. If all are minus infinity, all weights are equal.
pub fn shifted(logs: &mut [f64]) {
    let greatest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for log in logs {
        *log = if greatest == f64::NEG_INFINITY { 1.0 } else { exp(*log - greatest) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_close_to_the_library() {
        let mut x = -707.9;
        while x < 708.0 {
            let error = (exp(x) / x.exp() - 1.0).abs();
            assert!(error < 2e-14, "exp({x}) is off by {error}");
            x += 0.0137;
        }
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-709.0), 0.0);
        assert_eq!(exp(709.0), f64::INFINITY);
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
    }

    #[test]
    fn choose_takes_the_first_sum_above_the_threshold() {
        for n in 1..20 {
            let values: Vec<f64> = (0..n).map(|i| 1.0 / (i as f64 + 0.7)).collect();
            for u in [0.0, 0.1, 0.5, 0.9, 1.0 - f64::EPSILON / 2.0] {
                let mut left = u * values.iter().sum::<f64>();
                let plain = values.iter().position(|value| {
                    left -= value;
                    left < 0.0
                });
                assert_eq!(choose(&values, u), plain.unwrap_or(n - 1), "n = {n}, u = {u}");
            }
        }
    }

    #[test]
    fn choose_never_takes_a_move_of_weight_zero() {
        for u in [0.0, 0.3, 1.0 - f64::EPSILON / 2.0, 1.0] {
            assert_eq!(choose(&[0.0, 0.0, 2.0, 0.0, 0.0, 0.0], u), 2);
            assert_eq!(choose(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0], u), 5);
        }
    }

    #[test]
    fn shifted_weights_survive_extremes() {
        let mut logs = [-5000.0, -5001.0, f64::NEG_INFINITY];
        shifted(&mut logs);
        assert_eq!(logs[0], 1.0);
        assert!((logs[1] - (-1f64).exp()).abs() < 1e-15);
        assert_eq!(logs[2], 0.0);
        let mut forbidden = [f64::NEG_INFINITY; 2];
        shifted(&mut forbidden);
        assert_eq!(forbidden, [1.0, 1.0]);
    }
}
