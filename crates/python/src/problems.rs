//! The native problems as Python classes.

use std::str::FromStr;
use std::sync::Arc;

use nestor_problems::{hash_tree, morpion, samegame, tsptw};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::export::Export;

/// A constructor's complaint as a Python exception.
fn wrong(message: String) -> PyErr {
    PyValueError::new_err(message)
}

fn parse<T: FromStr<Err = String>>(text: &str) -> PyResult<T> {
    text.parse().map_err(wrong)
}

/// The travelling salesman problem with time windows; see `nestor.problems.TSPTW`.
#[pyclass(frozen, module = "nestor._core")]
pub struct Tsptw(pub Arc<tsptw::Tsptw>);

#[pymethods]
impl Tsptw {
    #[new]
    fn new(
        n: usize,
        matrix: Vec<f64>,
        windows: Vec<(f64, f64)>,
        selective: bool,
        objective: &str,
        bias: &str,
    ) -> PyResult<Self> {
        let objective = parse(objective)?;
        let problem = tsptw::Tsptw::new(n, matrix, windows, selective, objective, parse(bias)?);
        Ok(Tsptw(Arc::new(problem.map_err(wrong)?)))
    }
}

impl Export for tsptw::Tsptw {
    fn export_move(&self, py: Python<'_>, city: u16) -> PyResult<Py<PyAny>> {
        Ok(city.into_pyobject(py)?.into_any().unbind())
    }

    fn import_move(&self, city: &Bound<'_, PyAny>) -> PyResult<u16> {
        city.extract()
    }
}

/// SameGame; see `nestor.problems.SameGame`.
#[pyclass(frozen, module = "nestor._core")]
pub struct SameGame(pub Arc<samegame::SameGame>);

#[pymethods]
impl SameGame {
    #[new]
    fn new(width: usize, height: usize, cells: &[u8], tabu: bool, bias: &str) -> PyResult<Self> {
        let problem = samegame::SameGame::new(width, height, cells, tabu, parse(bias)?);
        Ok(SameGame(Arc::new(problem.map_err(wrong)?)))
    }
}

impl Export for samegame::SameGame {
    fn export_move(&self, py: Python<'_>, cell: samegame::Cell) -> PyResult<Py<PyAny>> {
        Ok((cell.column, cell.row).into_pyobject(py)?.into_any().unbind())
    }

    fn import_move(&self, cell: &Bound<'_, PyAny>) -> PyResult<samegame::Cell> {
        let (column, row) = cell.extract()?;
        Ok(samegame::Cell { column, row })
    }
}

/// Morpion Solitaire; see `nestor.problems.Morpion`.
#[pyclass(frozen, module = "nestor._core")]
pub struct Morpion(pub Arc<morpion::Morpion>);

#[pymethods]
impl Morpion {
    #[new]
    fn new(variant: &str, dominated: bool) -> PyResult<Self> {
        Ok(Morpion(Arc::new(morpion::Morpion::new(parse(variant)?, dominated))))
    }
}

impl Export for morpion::Morpion {
    fn export_move(&self, py: Python<'_>, mv: morpion::Move) -> PyResult<Py<PyAny>> {
        Ok((mv.x, mv.y, mv.dir, mv.pos, mv.coded).into_pyobject(py)?.into_any().unbind())
    }

    fn import_move(&self, mv: &Bound<'_, PyAny>) -> PyResult<morpion::Move> {
        let (x, y, dir, pos, coded) = mv.extract()?;
        Ok(morpion::Move { x, y, dir, pos, coded })
    }
}

/// The synthetic problem of the tests; see `nestor.testing.HashTree`.
#[pyclass(frozen, module = "nestor._core")]
pub struct HashTree(pub Arc<hash_tree::HashTree>);

#[pymethods]
impl HashTree {
    #[new]
    fn new(root: u64, depth: u32, branching: u64, codes: u64, spread: f64) -> Self {
        let (branching, codes) = (branching.max(1), codes.max(1));
        HashTree(Arc::new(hash_tree::HashTree { root, depth, branching, codes, spread }))
    }
}

impl Export for hash_tree::HashTree {
    fn export_move(&self, py: Python<'_>, index: u64) -> PyResult<Py<PyAny>> {
        Ok(index.into_pyobject(py)?.into_any().unbind())
    }

    fn import_move(&self, index: &Bound<'_, PyAny>) -> PyResult<u64> {
        index.extract()
    }
}
