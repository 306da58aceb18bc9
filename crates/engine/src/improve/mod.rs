//! Local search: what makes finished sequences better.
//!
//! Nested search learns a policy well and finishes its sequences badly: the best one of a level is
//! seldom a local optimum. Local search changes a sequence a little, again and again.
//!
//! - A problem says which [`Improver`] it has ([`crate::problem::Offers::improver`]): ruin and recreate
//!   (`ruin/`), or one of its own. It runs alone (`alone.rs`), as local search or as search by
//!   counterexamples.
//! - Polish changes single decisions (`decisions.rs`), if the problem lets it
//!   ([`crate::problem::Offers::decides`]). It needs a policy: so it works in a nested search, on the
//!   result of every search of level 1 before level 2 takes it (`polish.rs`).

use serde::Deserialize;

use crate::biased::Biased;
use crate::problem::Offers;
pub use crate::problem::{Improver, Step};
use crate::random::Key;
use crate::search::Search;
use alone::Alone;

mod alone;
pub mod counterexamples;
mod decisions;
pub mod polish;
pub mod ruin;

/// The settings of local search.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// There are no levels.
    pub levels: [(); 0],
    /// The evaluations that its cycles are planned for, if they are known.
    #[serde(default)]
    pub evaluations: Option<u64>,
}

/// Starts a local search.
///
/// # Errors
///
/// If the problem has none.
pub fn start<P: Offers + 'static>(
    problem: &Biased<P>,
    settings: &Settings,
    key: Key,
) -> Result<Box<Search<P>>, String> {
    let mut improver = problem.improver().ok_or("the problem does not say what may be changed")?;
    if let Some(evaluations) = settings.evaluations {
        improver.plan(evaluations);
    }
    Ok(Alone::start(improver, (problem, 0, true), key))
}
