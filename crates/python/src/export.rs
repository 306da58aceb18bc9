//! What the seam needs of a problem beyond its rules.

use std::sync::Arc;

use nestor_engine::problem::Problem;
use pyo3::prelude::*;

/// A problem whose moves, codes and failures can be shown to Python.
pub trait Export: Problem + 'static {
    /// A move as the Python twin of the problem writes it.
    fn export_move(&self, py: Python<'_>, mv: Self::Move) -> PyResult<Py<PyAny>>;

    /// The move that Python writes so; the inverse of `export_move`.
    fn import_move(&self, mv: &Bound<'_, PyAny>) -> PyResult<Self::Move>;

    /// The same problem with failures of its own, where callbacks can fail: for one of several calls
    /// that run side by side.
    fn apart(&self) -> Option<Arc<Self>> {
        None
    }

    /// Takes the exception that a callback raised, if one did.
    fn take_error(&self) -> Option<PyErr> {
        None
    }
}
