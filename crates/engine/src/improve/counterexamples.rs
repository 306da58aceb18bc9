//! Search by counterexamples: why a sequence fails is kept as a constraint on all others.
//!
//! Some problems can say why a sequence fails, and whether another one would fail in the same way.
//! To see that costs far less than to evaluate a sequence. So the search mends a sequence until it
//! contradicts nothing known, and only then evaluates it:
//!
//! ```text
//! until a limit is met:
//!   sequence <- one drawn anew
//!   until it is solved, or `patience` evaluations in turn were no better than the best before:
//!     change the sequence until it contradicts no counterexample known
//!     evaluate it: a playout
//!     if it fails: keep the reason as a new counterexample
//! ```
//!
//! The counterexamples are true of the problem and not of a sequence; so a restart keeps them. How
//! a sequence is drawn, changed and explained is up to the problem: [`super::Improver`].

use serde::Deserialize;

use super::alone::Alone;
use crate::biased::Biased;
use crate::problem::Offers;
use crate::random::Key;
use crate::search::Search;

/// The settings, by the names that Python gives them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// There are no levels.
    pub levels: [(); 0],
    /// The evaluations in turn without a better sequence after which one is drawn anew.
    pub patience: u64,
}

/// Starts a search.
///
/// # Errors
///
/// If a setting is out of range, or if the problem has no counterexamples.
pub fn start<P: Offers + 'static>(
    problem: &Biased<P>,
    settings: &Settings,
    key: Key,
) -> Result<Box<Search<P>>, String> {
    if settings.patience == 0 {
        return Err("patience must be positive".into());
    }
    let improver = problem.improver().ok_or("the problem has no counterexamples")?;
    Ok(Alone::start(improver, (problem, settings.patience, false), key))
}
