//! The settings of Beam NRPA, by the names that Python gives them.

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
    /// Also adapt the policies of entries that stay to their own sequences.
    pub adapt_all: bool,
    /// Keep a sequence only once, with the policy that was adapted last.
    pub unique: bool,
    /// The smallest distance between sequences that are kept; 0 for any. The distance counts the
    /// codes that the sequence with more different codes chooses and the other does not.
    pub diversity: usize,
}

/// The settings of one level.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelSettings {
    /// N, the iterations; at least 1.
    pub iterations: u64,
    /// The step of the gradient.
    pub alpha: f64,
    /// B, the entries kept; at least 1.
    pub beam: usize,
}

impl Default for Settings {
    /// Those of beam-nrpa-2012, without a level.
    fn default() -> Self {
        let levels = Vec::new();
        let (adapt_all, unique, diversity) = (false, false, 0);
        Settings { levels, temperature: 1.0, adapt_all, unique, diversity }
    }
}

impl Settings {
    /// # Errors
    ///
    /// If a setting is out of range.
    pub(super) fn check(&self) -> Result<(), String> {
        let possible = |level: &LevelSettings| {
            level.iterations > 0
                && level.beam > 0
                && rate(level.alpha, self.temperature).is_finite()
        };
        match self.levels.iter().all(possible) {
            true => Ok(()),
            false => Err("iterations and sizes must be positive and rates finite".into()),
        }
    }
}
