//! Crossword construction as a Python class.

use std::sync::Arc;

use nestor_problems::crossword::{self, Placement};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::export::Export;

/// Crossword construction; see `nestor.problems.Crossword`.
#[pyclass(frozen, module = "nestor._core")]
pub struct Crossword(pub Arc<crossword::Crossword>);

#[pymethods]
impl Crossword {
    #[new]
    fn new(size: usize, words: Vec<String>) -> PyResult<Self> {
        let problem = crossword::Crossword::new(size, &words).map_err(PyValueError::new_err)?;
        Ok(Crossword(Arc::new(problem)))
    }
}

impl Export for crossword::Crossword {
    fn export_move(&self, py: Python<'_>, mv: u32) -> PyResult<Py<PyAny>> {
        let Placement { word, column, row, down } = self.placement(mv);
        let direction = if down { "down" } else { "across" };
        Ok((self.word(word), column, row, direction).into_pyobject(py)?.into_any().unbind())
    }

    fn import_move(&self, mv: &Bound<'_, PyAny>) -> PyResult<u32> {
        let parts: Vec<Bound<'_, PyAny>> = mv.extract()?;
        let placed = match &parts[..] {
            [word, column, row, direction] => {
                let down = match direction.extract()? {
                    "across" => Some(false),
                    "down" => Some(true),
                    _ => None,
                };
                let (column, row) = (column.extract()?, row.extract()?);
                self.number(word.extract()?)
                    .zip(down)
                    .and_then(|(word, down)| self.mv(Placement { word, column, row, down }))
            }
            _ => None,
        };
        placed.ok_or_else(|| PyValueError::new_err(format!("not a word on the grid: {mv}")))
    }
}
