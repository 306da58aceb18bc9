//! What a sequence should have besides its structure: a share of G and C, no forbidden motif, and an
//! ensemble in which the target stands out.

use serde::Deserialize;

use super::Ensemble;

/// The wishes of a designer.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wishes {
    /// The least and the greatest number of G and C.
    pub gc: Option<(u32, u32)>,
    /// Motifs that must not occur, in letters.
    pub avoid: Vec<String>,
    /// The least probability of the target.
    #[serde(default)]
    pub min_probability: Option<f64>,
    /// The greatest ensemble defect.
    #[serde(default)]
    pub max_defect: Option<f64>,
}

impl Wishes {
    /// How many bases are G or C beyond the range, or too few, and how often a motif occurs.
    pub(super) fn missed(&self, letters: &[u8]) -> u32 {
        let gc = self.gc.map_or(0, |(least, most)| {
            let found = letters.iter().filter(|letter| b"GC".contains(letter)).count() as u32;
            least.saturating_sub(found) + found.saturating_sub(most)
        });
        let occurs = |motif: &String| {
            let motif = motif.as_bytes();
            letters.windows(motif.len()).filter(|window| *window == motif).count() as u32
        };
        gc + self.avoid.iter().map(occurs).sum::<u32>()
    }

    /// Whether the ensemble matters, and whether its defect does.
    pub(super) fn ensemble(&self) -> (bool, bool) {
        let defect = self.max_defect.is_some();
        (defect || self.min_probability.is_some(), defect)
    }

    /// How far the ensemble of a sequence that folds right is from what is wished for: 0 if it is
    /// good, otherwise 1/2 to 1.
    pub(super) fn short(&self, ensemble: Ensemble) -> f64 {
        // Out of range, an ensemble of a long sequence is not a number.
        let (probability, defect) = (ensemble.probability.max(0.0), ensemble.defect.min(1.0));
        let (least, most) = (self.min_probability.unwrap_or(0.0), self.max_defect.unwrap_or(1.0));
        if probability >= least && defect <= most {
            return 0.0;
        }
        let unlikely = if probability < least { (least - probability) / least } else { 0.0 };
        let untidy = if defect > most { (defect - most) / (1.0 - most) } else { 0.0 };
        (1.0 + (unlikely + untidy) / 2.0) / 2.0
    }

    /// Whether nothing is wished for the bases.
    pub(super) fn is_empty(&self) -> bool {
        self.gc.is_none() && self.avoid.is_empty()
    }

    /// # Errors
    ///
    /// If a motif is empty.
    pub(super) fn check(&self) -> Result<(), String> {
        match self.avoid.iter().any(String::is_empty) {
            true => Err("a motif to avoid must have letters".into()),
            false => Ok(()),
        }
    }
}
