//! Kakuro as a Python class.

use std::sync::Arc;

use nestor_problems::kakuro::{self, Move, Run};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::export::Export;

/// Kakuro; see `nestor.problems.Kakuro`.
#[pyclass(frozen, module = "nestor._core")]
pub struct Kakuro(pub Arc<kakuro::Kakuro>);

#[pymethods]
impl Kakuro {
    #[new]
    fn new(
        cells: Vec<(u8, u8)>,
        largest: usize,
        across: Vec<(Vec<u16>, u16)>,
        down: Vec<(Vec<u16>, u16)>,
        pruning: bool,
    ) -> PyResult<Self> {
        let runs = |runs: Vec<(Vec<u16>, u16)>| {
            runs.into_iter().map(|(cells, sum)| Run { cells, sum }).collect()
        };
        let problem = kakuro::Kakuro::new(cells, largest, runs(across), runs(down), pruning);
        Ok(Kakuro(Arc::new(problem.map_err(PyValueError::new_err)?)))
    }

    /// The value of each cell after the first of so many uniform playouts that fills them all.
    fn filling(&self, py: Python<'_>, seed: u64, playouts: u64) -> Option<Vec<u8>> {
        py.detach(|| self.0.filling(seed, playouts))
    }

    /// The moves that give the cells these values, None if some of them is not legal.
    fn sequence(&self, values: &[u8]) -> Option<Vec<(u8, u8, u8)>> {
        Some(self.0.sequence(values)?.into_iter().map(|mv| self.0.placed(mv)).collect())
    }
}

impl Export for kakuro::Kakuro {
    fn export_move(&self, py: Python<'_>, mv: Move) -> PyResult<Py<PyAny>> {
        Ok(self.placed(mv).into_pyobject(py)?.into_any().unbind())
    }

    fn import_move(&self, mv: &Bound<'_, PyAny>) -> PyResult<Move> {
        let (row, column, value) = mv.extract()?;
        self.mv(row, column, value).ok_or_else(|| PyValueError::new_err(format!("no cell: {mv}")))
    }
}
