//! The legal moves of users' own problems, with their codes and biases.

use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::{Own, State, after, number};

/// More moves of one state than this are taken for moves without end.
const MOST_MOVES: usize = 1_000_000;

/// How many moves of one state are listed between looks at the clock.
const LISTED: usize = 1024;

impl Own {
    /// Lists the legal moves of a state, and calls a function with the number of each, the state and
    /// the move.
    pub(super) fn list(
        &self,
        state: &mut State,
        mut each: impl FnMut(u32, &Bound<'_, PyAny>, &Bound<'_, PyAny>) -> PyResult<()>,
    ) {
        state.moves = self.call(|py| {
            let value = self.value(py, state);
            let mut moves = Vec::new();
            let returned = self.moves.bind(py).call1((&value,))?;
            let legal = returned.try_iter().map_err(|_| {
                let told = match returned.is_none() {
                    true => "None: an empty list if the game is over".to_owned(),
                    false => returned.get_type().to_string(),
                };
                let of = after(py, &state.played);
                PyTypeError::new_err(format!("moves() must return a sequence, not {told}{of}"))
            })?;
            for (index, mv) in legal.enumerate() {
                let mv = mv?;
                if index % LISTED == LISTED - 1 {
                    self.check_cut(py, state.length())?;
                }
                if index == MOST_MOVES {
                    let message = format!("moves() must end; it gave over {MOST_MOVES} moves");
                    return Err(PyValueError::new_err(message));
                }
                each(index as u32, &value, &mv)?;
                moves.push(mv.unbind());
            }
            Ok(Arc::new(moves))
        });
    }

    pub(super) fn code(&self, state: &Bound<'_, PyAny>, mv: &Bound<'_, PyAny>) -> PyResult<u64> {
        let py = mv.py();
        let code = match self.has_code {
            true => self.problem.bind(py).call_method1(intern!(py, "code"), (state, mv))?,
            false => mv.clone(),
        };
        let wrong = |error: PyErr| {
            let what = if self.has_code { "what code() returns" } else { "a move without code()" };
            let wrong = PyTypeError::new_err(format!("{what} must be hashable, not {code}"));
            wrong.set_cause(py, Some(error));
            wrong
        };
        self.number(code.clone()).map_err(wrong)
    }

    /// beta of a move by the bias with this name.
    pub(super) fn bias_of(
        &self,
        bias: &str,
        state: &Bound<'_, PyAny>,
        mv: &Bound<'_, PyAny>,
    ) -> PyResult<f64> {
        let returned = self
            .problem
            .bind(mv.py())
            .call_method1(PyString::intern(mv.py(), bias), (state, mv))?;
        checked_beta(bias, &returned)
    }
}

/// beta that a method has returned.
pub(super) fn checked_beta(method: &str, returned: &Bound<'_, PyAny>) -> PyResult<f64> {
    let beta = number(method, returned)?;
    if beta.is_nan() || beta > 700.0 {
        let message = format!("{method}() must return at most 700, or -inf to forbid, not {beta}");
        return Err(PyValueError::new_err(message));
    }
    Ok(beta)
}
