//! Slow scores of games that were scored before: what a memory of scores would spare.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hasher};
use std::time::Duration;

use pyo3::prelude::*;

use super::Move;

/// A score is slow from here on.
const SLOW: Duration = Duration::from_millis(1);

/// The most games that are known.
const MOST: usize = 200_000;

/// The number of a game whose score was slow, if its moves have hashes.
pub(super) fn slow_game(py: Python<'_>, played: &[Move], lasted: Duration) -> Option<u64> {
    let mut game = DefaultHasher::new();
    for mv in played.iter().take_while(|_| lasted >= SLOW) {
        game.write_isize(mv.bind(py).hash().ok()?);
    }
    (lasted >= SLOW).then(|| game.finish())
}

/// The games whose scores were slow, by a number for each.
#[derive(Default)]
pub(super) struct Repeats {
    games: HashSet<u64>,
    again: u64,
}

impl Repeats {
    /// Takes note of a game whose score was slow, by its number.
    pub(super) fn take(&mut self, game: u64) {
        if self.games.len() < MOST {
            self.again += u64::from(!self.games.insert(game));
        }
    }

    /// The slow scores, and those of them whose game had been scored before.
    pub(super) fn count(&self) -> (u64, u64) {
        (self.games.len() as u64 + self.again, self.again)
    }
}
