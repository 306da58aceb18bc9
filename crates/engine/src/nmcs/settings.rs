//! The settings of NMCS and sampling, by the names that Python gives them.

use serde::Deserialize;

/// What a search does.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The levels from 1 upwards; without any, every restart is one playout.
    pub levels: Vec<LevelSettings>,
    /// k: search k children of a node, at least 1, in place of all.
    pub samples: Option<usize>,
    /// Play with the problem's own playout policy ([`crate::problem::Problem::choose`]). Only
    /// Python uses the name: in the engine a problem has one such policy or none.
    pub playout_policy: Option<String>,
}

/// The settings of one level.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelSettings {
    /// B, the nodes that the level goes on from; at least 1.
    pub beam: usize,
}

impl Settings {
    /// # Errors
    ///
    /// If a setting is out of range.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.samples == Some(0) || self.levels.iter().any(|level| level.beam == 0) {
            return Err("sizes and samples must be positive".into());
        }
        Ok(())
    }
}
