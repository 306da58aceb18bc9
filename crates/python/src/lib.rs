//! The seam between Python and the engine: the module `nestor._core`.
//!
//! Python checks its input before it calls. What is checked again here protects the engine. Every
//! search runs with the GIL released.

mod closing;
mod door;
mod foreign;
mod generators;
mod guide;
mod jobs;
mod meter;
mod own;
mod policy;
mod replay;
mod side_by_side;
mod timing;
mod vienna;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pythonize::{Depythonizer, depythonize, pythonize};
use serde::de::DeserializeOwned;

use nestor_engine::meter::Counts;
use nestor_problems::exposed::{CutOff, Exposed};

/// The compiled core of Nestor.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::door::Problem;
    #[pymodule_export]
    use super::door::rna::EnergyModel;
    #[pymodule_export]
    use super::generators::{kakuro_filling, latin_square};
    #[pymodule_export]
    use super::jobs::Search;
    #[pymodule_export]
    use super::policy::{Playout, Policy};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("CutOffError", module.py().get_type::<own::CutOffError>())?;
        closing::register(module.py())
    }

    /// The version and the signature of the C interface.
    #[pyfunction]
    fn interface() -> (u32, u64) {
        (nestor_problems::foreign::VERSION, nestor_problems::foreign::SIGNATURE)
    }

    /// What searches count besides playouts, by name: 0 of each.
    #[pyfunction]
    fn counts(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok(pythonize(py, &Counts::default())?)
    }

    /// e to the power x, as the engine computes it.
    #[pyfunction]
    fn exp(x: f64) -> f64 {
        nestor_engine::math::exp(x)
    }
}

/// A message as a Python exception.
fn wrong(message: impl ToString) -> PyErr {
    PyValueError::new_err(message.to_string())
}

/// Reads settings by name.
fn read<T: DeserializeOwned>(settings: &Bound<'_, PyAny>) -> PyResult<T> {
    depythonize(settings).map_err(wrong)
}

/// Moves as Python sees them.
fn write_moves<P: Exposed>(
    problem: &P,
    py: Python<'_>,
    moves: &[P::Move],
) -> PyResult<Vec<Py<PyAny>>> {
    moves.iter().map(|&mv| Ok(pythonize(py, &problem.shown(mv))?.unbind())).collect()
}

/// The moves that Python has in this form.
fn read_moves<P: Exposed>(problem: &P, moves: &[Bound<'_, PyAny>]) -> PyResult<Vec<P::Move>> {
    let read = |mv| problem.read_move(&mut Depythonizer::from_object(mv)).map_err(wrong);
    moves.iter().map(read).collect()
}

/// Fails with the exception that a callback of the problem raised, if one did.
fn check<P: Exposed>(problem: &P) -> PyResult<()> {
    match problem.take_error() {
        None => Ok(()),
        Some(error) => Err(match error.downcast_ref() {
            Some(&CutOff { moves, longest }) => own::CutOffError::new_err((moves, longest)),
            None => error.downcast().map_or_else(wrong, |raised| *raised),
        }),
    }
}
