//! What the Python module needs from a problem besides its rules.

use std::error::Error;

use nestor_engine::problem::Problem;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A problem whose moves can be written and read, and which can say why it failed.
pub trait Exposed: Problem + Sized + 'static {
    /// Writes a move in the form that readers of a sequence know. That is its own form unless the
    /// problem has another.
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

    /// A copy that fails separately, for calls that run side by side; `None` if the problem cannot
    /// fail.
    fn fork(&self) -> Option<Self> {
        None
    }

    /// Takes the error that made the problem fail, if it did.
    fn take_error(&self) -> Option<Box<dyn Error + Send + Sync>> {
        None
    }
}
