//! The temperature of a cycle.

use serde::{Deserialize, Serialize};

use crate::math::{exp, ln};

/// Tries whose worsenings say what is hot and what is cold.
const MEASURED: usize = 400;
/// They have at most this part of the work of a cycle.
const PART: u64 = 5;
/// The last temperature, as a share of the worsening that one try in twenty stays below.
const COLD: f64 = 0.1;
const SMALL: usize = 20;

/// Where worsenings leap by more than this factor, to more than there is to lose, a rule is broken.
const LEAP: f64 = 100.0;

/// The temperature: first as hot as T0, last as cold as T1.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Heat {
    /// The worsenings so far, and the tries.
    Measured(Vec<f64>, usize),
    /// T0, and the logarithm of T1 / T0.
    Known(f64, f64),
}

impl Heat {
    pub(super) fn new(temperatures: Option<[f64; 2]>) -> Self {
        temperatures.map_or(Heat::Measured(Vec::new(), 0), Heat::between)
    }

    fn between([hot, cold]: [f64; 2]) -> Self {
        let ratio = if hot > 0.0 { ln(cold / hot) } else { 0.0 };
        Heat::Known(hot, ratio)
    }

    /// Whether the worsening of the next try is asked for.
    #[inline]
    pub(super) fn measures(&self) -> bool {
        matches!(self, Heat::Measured(..))
    }

    /// The temperature when so much work of a cycle is done; nothing if it is not known yet.
    #[inline]
    pub(super) fn at(&self, done: u64, length: u64) -> Option<f64> {
        match *self {
            Heat::Measured(..) => None,
            Heat::Known(hot, ratio) => Some(hot * exp(ratio * (done as f64 / length as f64))),
        }
    }

    /// Notes by how much a try was worse than `value`, after which so much work of a cycle is done.
    #[inline]
    pub(super) fn note(&mut self, (worse, value): (f64, f64), done: u64, length: u64, share: f64) {
        let Heat::Measured(worsenings, tries) = self else { return };
        if worse > 0.0 && worse.is_finite() {
            worsenings.push(worse);
        }
        *tries += 1;
        if *tries < MEASURED && done < length / PART {
            return;
        }
        worsenings.sort_unstable_by(f64::total_cmp);
        // If no rule is broken that costs much, worsenings that break one say nothing of the others.
        let leaps = |at: &usize| {
            let [below, above] = [worsenings[at - 1], worsenings[*at]];
            above > LEAP * below && above > value.abs()
        };
        if let Some(count) = (1..worsenings.len()).find(leaps) {
            worsenings.truncate(count);
        }
        let (small, sum) = (worsenings.len() / SMALL, worsenings.iter().sum::<f64>());
        let hot = share * sum / worsenings.len().max(1) as f64;
        let cold = worsenings.get(small).map_or(0.0, |worse| (COLD * worse).min(hot / 2.0));
        *self = Heat::between([hot, cold]);
    }
}
