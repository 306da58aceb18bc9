//! What others than the engine need of a problem beyond its rules.

use std::error::Error;

use nestor_engine::problem::Problem;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A problem whose moves can be written for others to read, and whose failures can be asked for.
pub trait Exposed: Problem + Sized + 'static {
    /// Writes a move as the readers of a sequence know it: in its own form, unless the problem has
    /// another.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    fn write_move<S: Serializer>(&self, mv: Self::Move, to: S) -> Result<S::Ok, S::Error> {
        mv.serialize(to)
    }

    /// Reads a move; the inverse of [`Exposed::write_move`].
    ///
    /// # Errors
    ///
    /// If it is not a move of the problem.
    fn read_move<'de, D: Deserializer<'de>>(&self, from: D) -> Result<Self::Move, D::Error> {
        Self::Move::deserialize(from)
    }

    /// The same problem with failures of its own, if it can fail: for calls that run side by side.
    fn fork(&self) -> Option<Self> {
        None
    }

    /// Takes the error that made the problem fail, if it did.
    fn take_error(&self) -> Option<Box<dyn Error + Send + Sync>> {
        None
    }
}
