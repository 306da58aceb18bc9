//! The biases of users' own problems for several states in one call.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::listing::checked_beta;
use super::{Own, State};

impl Own {
    /// The betas of the legal moves of these states, one after the other.
    pub(super) fn biases_together(&self, py: Python<'_>, states: &[&State]) -> PyResult<Vec<f64>> {
        let values = PyList::new(py, states.iter().map(|state| self.value(py, state)))?;
        let lists = states.iter().map(|state| {
            let moves = state.legal();
            PyList::new(py, moves.iter().map(|mv| mv.bind(py)))
        });
        let lists: Vec<_> = lists.collect::<PyResult<_>>()?;
        let count: usize = lists.iter().map(|moves| moves.len()).sum();
        if count == 0 {
            return Ok(Vec::new());
        }
        let returned = self.problem.bind(py).call_method1("bias_batch", (values, lists))?;
        let betas = returned.try_iter().map_err(|_| {
            let kind = returned.get_type();
            PyTypeError::new_err(format!("bias_batch() must return a sequence, not {kind}"))
        })?;
        // One more than there should be tells that there are too many, however many there are.
        let betas = betas.take(count + 1);
        let betas: Vec<_> =
            betas.map(|beta| checked_beta("bias_batch", &beta?)).collect::<PyResult<_>>()?;
        match betas.len() {
            found if found == count => Ok(betas),
            found => Err(PyValueError::new_err(format!(
                "bias_batch() must return a bias for each of the {count} moves of its {} states, not {}",
                states.len(),
                if found > count { "more".to_owned() } else { found.to_string() }
            ))),
        }
    }
}
