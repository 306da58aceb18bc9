//! Local search: what makes finished sequences better.
//!
//! Nested search learns a policy well and finishes its sequences badly: the best one of a level is
//! seldom a local optimum. Local search changes a sequence a little, again and again.
//!
//! - A problem says which [`Improver`] it has ([`crate::problem::Offers::improver`]): ruin and recreate
//!   (`ruin/`), or one of its own. It runs alone (`alone.rs`).
//! - Polish changes single decisions (`decisions.rs`), if the problem lets it
//!   ([`crate::problem::Offers::decides`]). It needs a policy: so it works in a nested search, on the
//!   result of every search of level 1 before level 2 takes it (`polish.rs`).

pub use crate::problem::{Improver, Step};
pub use alone::{Settings, start};

mod alone;
mod decisions;
pub mod polish;
pub mod ruin;
