//! The settings of NRPA and GNRPA, by the names that Python gives them.

use serde::Deserialize;

use crate::policy::rate;

/// What a search does.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The levels from 1 upwards; without any, every restart is one playout.
    pub levels: Vec<LevelSettings>,
    /// tau (gnrpa-2020, section 4).
    pub temperature: f64,
    /// Whose policy the children of a level with a width run with.
    pub policies: Policies,
    /// Local policies: every child that ends takes over the best sequence of all.
    pub share: bool,
    /// Local policies: the best child's policy replaces the parent's.
    pub inherit: bool,
    /// How far a policy that M children share adapts.
    pub width_rate: WidthRate,
    /// The step of the gradient for the weights of the biases, if they are learned.
    pub bias_learning: Option<f64>,
    /// The first weights of the biases if they are learned: one for all or one for each.
    pub bias_weight: Vec<f64>,
}

/// The settings of one level.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LevelSettings {
    /// N, the iterations; at least 1.
    pub iterations: u64,
    /// The step of the gradient.
    pub alpha: f64,
    /// M, the children that share a policy before it adapts once; 1 for the sequential algorithm.
    pub width: u64,
    /// R: the level ends when its best sequence has been found again R times (arXiv 2401.10420).
    /// With a width, it ends when all the children that share a policy are done.
    pub repetitions: Option<u64>,
    /// Force explore, at level 1: a playout that repeats the sequence that the policy adapted to
    /// last is played again from a random step on (after Dang et al., AAAI 2023).
    pub force_explore: bool,
    /// c: the policy does not adapt before a result of relative rank R <= i c / (N + 1 - i) in
    /// iteration i (Dang et al., AAAI 2023).
    pub warm_start: Option<f64>,
    /// The step of the gradient for the weights, times M if the steps of M children are summed. Worked
    /// out by [`Settings::levels`], as is `bias_rate`.
    #[serde(skip)]
    pub rate: f64,
    /// The step of the gradient for the weights of the biases, if they are learned.
    #[serde(skip)]
    pub bias_rate: Option<f64>,
}

/// Whose policy the children of a level with a width run with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policies {
    /// The level's, which adapts once for M children (distributed-nrpa-samegame-2017, algorithm 4).
    Shared,
    /// Each has its own (algorithm 5).
    Local,
}

/// How far a policy adapts that M children share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WidthRate {
    /// By M * alpha (distributed-nrpa-samegame-2017, algorithm 4).
    Sum,
    /// By alpha (stabilized NRPA, arXiv 2101.03563).
    Once,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            levels: Vec::new(),
            temperature: 1.0,
            policies: Policies::Shared,
            share: true,
            inherit: false,
            width_rate: WidthRate::Sum,
            bias_learning: None,
            bias_weight: Vec::new(),
        }
    }
}

impl Default for LevelSettings {
    /// Those of nrpa-2011.
    fn default() -> Self {
        LevelSettings {
            iterations: 100,
            alpha: 1.0,
            width: 1,
            repetitions: None,
            force_explore: false,
            warm_start: None,
            rate: 1.0,
            bias_rate: None,
        }
    }
}

impl Settings {
    /// Whether the children of the parallel level have policies of their own.
    pub(super) fn is_local(&self) -> bool {
        self.policies == Policies::Local
    }

    /// The levels with their rates.
    ///
    /// # Errors
    ///
    /// If a setting is out of range.
    pub fn levels(&self) -> Result<Vec<LevelSettings>, String> {
        let summed = self.width_rate == WidthRate::Sum && !self.is_local();
        let with_rates = |level: &LevelSettings| {
            let step = if summed { level.width as f64 } else { 1.0 };
            LevelSettings {
                rate: rate(level.alpha, self.temperature) * step,
                bias_rate: self.bias_learning.map(|rate| rate * step),
                ..*level
            }
        };
        let levels: Vec<_> = self.levels.iter().map(with_rates).collect();
        let possible = |level: &LevelSettings| {
            let counts = [level.iterations, level.width, level.repetitions.unwrap_or(1)];
            let mut numbers = [Some(level.rate), level.warm_start, level.bias_rate].into_iter();
            !counts.contains(&0) && numbers.all(|x| x.is_none_or(f64::is_finite))
        };
        if !levels.iter().all(possible) || !self.bias_weight.iter().all(|x| x.is_finite()) {
            return Err("counts of a level must be positive and its numbers finite".into());
        }
        if self.is_local() && parallel_level(&levels).is_none() {
            return Err("local policies need a level of a width".into());
        }
        Ok(levels)
    }

    /// The first weights of the biases, if they are learned.
    pub fn learned_bias_weights(&self) -> Option<&[f64]> {
        self.bias_learning.map(|_| &self.bias_weight[..])
    }
}

/// The children of a level that may run side by side from this iteration on; 0 at its end.
pub(super) fn batch(level: &LevelSettings, from: u64) -> u64 {
    (level.width - from % level.width).min(level.iterations.saturating_sub(from))
}

/// The index of the level whose children run side by side: the widest level, the lowest of several,
/// if it is wider than 1.
pub(super) fn parallel_level(levels: &[LevelSettings]) -> Option<usize> {
    let indices = (0..levels.len()).rev().filter(|&index| levels[index].width > 1);
    indices.max_by_key(|&index| levels[index].width)
}
