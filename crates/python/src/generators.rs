//! Random instances.

use nestor_problems::kakuro::filling;
use nestor_problems::latin_square::random;
use pyo3::prelude::*;

use crate::wrong;

/// A random Latin square and a copy of it with this many holes, row by row.
#[pyfunction]
pub fn latin_square(
    py: Python<'_>,
    order: usize,
    holes: usize,
    seed: u64,
) -> PyResult<(Vec<u8>, Vec<u8>)> {
    py.detach(|| random(order, holes, seed)).map_err(wrong)
}

/// The values of a Kakuro square, row by row, after the first uniform playout that fills it, if one
/// of this many does.
#[pyfunction]
pub fn kakuro_filling(
    py: Python<'_>,
    size: u8,
    largest: usize,
    seed: u64,
    playouts: u64,
) -> PyResult<Option<Vec<u8>>> {
    py.detach(|| filling(size, largest, seed, playouts)).map_err(wrong)
}
