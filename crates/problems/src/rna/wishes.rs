//! What a sequence should have besides its structure: a share of G and C, and no forbidden motif.

use serde::Deserialize;

/// The wishes of a designer.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wishes {
    /// The least and the greatest number of G and C.
    pub gc: Option<(u32, u32)>,
    /// Motifs that must not occur, in letters.
    pub avoid: Vec<String>,
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

    /// Whether there is none.
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
