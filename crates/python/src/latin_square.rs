//! Latin square completion as a Python class.

use std::sync::Arc;

use nestor_problems::latin_square::{self, Move};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::export::Export;

/// Latin square completion; see `nestor.problems.LatinSquare`.
#[pyclass(frozen, module = "nestor._core")]
pub struct LatinSquare(pub Arc<latin_square::LatinSquare>);

#[pymethods]
impl LatinSquare {
    #[new]
    fn new(order: usize, cells: &[u8], hidden_singles: bool) -> PyResult<Self> {
        let problem = latin_square::LatinSquare::new(order, cells, hidden_singles);
        Ok(LatinSquare(Arc::new(problem.map_err(PyValueError::new_err)?)))
    }

    /// A random square and a copy of it with this many holes, row by row.
    #[staticmethod]
    fn random(
        py: Python<'_>,
        order: usize,
        holes: usize,
        seed: u64,
    ) -> PyResult<(Vec<u8>, Vec<u8>)> {
        py.detach(|| latin_square::random(order, holes, seed)).map_err(PyValueError::new_err)
    }

    /// The moves that lead to a completion, None if it is none of this square.
    fn sequence(&self, completion: &[u8]) -> Option<Vec<(u8, u8, u8)>> {
        let moves = self.0.sequence(completion)?;
        Some(moves.into_iter().map(|mv| (mv.row, mv.column, mv.value)).collect())
    }
}

impl Export for latin_square::LatinSquare {
    fn export_move(&self, py: Python<'_>, mv: Move) -> PyResult<Py<PyAny>> {
        Ok((mv.row, mv.column, mv.value).into_pyobject(py)?.into_any().unbind())
    }

    fn import_move(&self, mv: &Bound<'_, PyAny>) -> PyResult<Move> {
        let (row, column, value) = mv.extract()?;
        Ok(Move { row, column, value })
    }
}
