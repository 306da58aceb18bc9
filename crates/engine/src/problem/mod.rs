//! The contract between the engine and a combinatorial problem.

mod improver;
mod offers;
mod rules;

pub use improver::{Improver, Step};
pub use offers::{Batches, Listed, Offers};
pub use rules::{Bias, Moves, Problem};
