//! The seam between Python and the engine: the module `nestor._core`.
//!
//! Python validates its input before it calls; what is checked here again protects the engine.
//! Every search runs with the GIL released.

mod crossword;
mod export;
mod kakuro;
mod latin_square;
mod problems;
mod python_problem;
mod research;
mod rna;
mod search;
mod timing;

use pyo3::prelude::*;

/// The compiled core of Nestor.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::crossword::Crossword;
    #[pymodule_export]
    use super::kakuro::Kakuro;
    #[pymodule_export]
    use super::latin_square::LatinSquare;
    #[pymodule_export]
    use super::problems::{HashTree, Morpion, SameGame, Tsptw};
    #[pymodule_export]
    use super::python_problem::PythonProblem;
    #[pymodule_export]
    use super::research::{Playout, Policy};
    #[pymodule_export]
    use super::rna::{EnergyModel, Rna};
    #[pymodule_export]
    use super::search::Search;
    #[pymodule_export]
    use super::search::{playthrough, replay};
    #[pymodule_export]
    use super::timing::timing;

    use super::*;

    /// e to the power x, as the engine computes it.
    #[pyfunction]
    fn exp(x: f64) -> f64 {
        nestor_engine::math::exp(x)
    }
}
