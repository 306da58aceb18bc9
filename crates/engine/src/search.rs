//! What all algorithms have in common: a search is a value that `advance` moves.

use crate::meter::{Limits, Meter, Stop};
use crate::problem::Problem;

/// A search under way. It can stop after any playout and go on later, with the same result.
pub trait Search<P: Problem>: Send + Sync {
    /// Runs playouts until a limit is met.
    fn advance(&mut self, problem: &P, limits: &Limits) -> Stop;

    /// What was found so far, in the order that the seed and nothing else decides.
    fn meter(&self) -> &Meter<P::Move>;

    /// The best score so far and its moves, those included that threads have found out of order.
    fn best(&self) -> (f64, &[P::Move]) {
        (self.meter().score, &self.meter().moves)
    }

    /// Playouts so far, those included that threads have done out of order.
    fn playouts(&self) -> u64 {
        self.meter().playouts
    }

    /// Steps done and to do of each level, from level 1 upwards.
    fn progress(&self) -> Vec<(u64, u64)>;

    /// Searches completed.
    fn restarts(&self) -> u64;

    /// The state of the search, complete but for the problem and the settings.
    fn save(&self) -> Vec<u8>;

    /// Takes the state that `save` returned, for a search just begun with the same problem and
    /// settings. It goes on as the saved one would have.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the state.
    fn restore(&mut self, problem: &P, saved: &[u8]) -> Result<(), String>;
}
