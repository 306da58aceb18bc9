//! Sets of moves of users' own problems, by the rules in Python.

use nestor_engine::improve::ruin::sets::{SetProblem, exchanged};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::permuted::Changed;
use super::{Own, State};

impl Own {
    /// The number of a move of a set.
    fn number_part(&self, mv: &Bound<'_, PyAny>) -> PyResult<u32> {
        let number = self.number(mv.clone()).map_err(|error| {
            let wrong = PyTypeError::new_err(format!(
                "moves() must return hashable moves, since they come in any order, not {mv}"
            ));
            wrong.set_cause(mv.py(), Some(error));
            wrong
        })?;
        u32::try_from(number).map_err(|_| PyValueError::new_err("there are too many moves"))
    }

    /// The state becomes what `play` or `undo` returns for it and a move.
    fn change_part(&self, state: &mut State, undo: bool, item: u32, length: usize) {
        let next = self.call(|py| {
            self.check_cut(py, length as u64)?;
            let mv = self.numbered.bind(py).get_item(item as usize)?;
            let before = self.value(py, state);
            let next = match undo {
                true => self.problem.bind(py).call_method1(intern!(py, "undo"), (&before, &mv))?,
                false => self.play.bind(py).call1((&before, &mv))?,
            };
            match next.is_none() && !before.is_none() {
                true => Err(PyTypeError::new_err(format!(
                    "{}() must return the new state, not None",
                    if undo { "undo" } else { "play" }
                ))),
                false => {
                    self.follow(&mut state.played, &mv, undo);
                    state.set(Some(next));
                    Ok(())
                }
            }
        });
        if next.is_none() {
            *state = State::default();
        }
    }
}

/// The moves with which two variables exchange their values. Tuples of two are a variable and its value,
/// and so are whole numbers if there is a `value_count`.
fn exchange_of<'py>(
    one: &Bound<'py, PyAny>,
    other: &Bound<'py, PyAny>,
    value_count: i64,
) -> PyResult<Option<[Bound<'py, PyAny>; 2]>> {
    let py = one.py();
    if let (Ok(one), Ok(other)) = (one.cast::<PyTuple>(), other.cast::<PyTuple>()) {
        if one.len() != 2 || other.len() != 2 {
            return Ok(None);
        }
        let first = PyTuple::new(py, [one.get_item(0)?, other.get_item(1)?])?;
        let second = PyTuple::new(py, [other.get_item(0)?, one.get_item(1)?])?;
        return Ok(Some([first.into_any(), second.into_any()]));
    }
    match (one.extract(), other.extract()) {
        (Ok(one), Ok(other)) if value_count > 0 => {
            let [one, other] = exchanged(one, other, value_count);
            Ok(Some([one.into_pyobject(py)?.into_any(), other.into_pyobject(py)?.into_any()]))
        }
        _ => Ok(None),
    }
}

impl SetProblem for Own {
    type Item = u32;

    const SHARES: bool = true;

    fn takes(&self) -> bool {
        matches!(self.change, Changed::Set { undo: true, .. })
    }

    fn covers(&self) -> bool {
        matches!(self.change, Changed::Set { covers: true, .. })
    }

    fn assigns(&self) -> bool {
        matches!(self.change, Changed::Set { assigns: true, .. })
    }

    fn list(
        &self,
        state: &mut State,
        items: &mut Vec<u32>,
        _codes: &mut Vec<u64>,
        biases: &mut Vec<f64>,
    ) {
        Own::list(self, state, |_, value, mv| {
            items.push(self.number_part(mv)?);
            if let Some(bias) = &self.bias {
                biases.push(self.bias_of(bias, value, mv)?);
            }
            Ok(())
        });
        if state.moves.is_none() {
            items.clear();
            biases.clear();
        }
    }

    fn listed(&self, index: usize, _item: u32) -> u32 {
        index as u32
    }

    fn exchange(&self, one: u32, other: u32) -> Option<[u32; 2]> {
        let Changed::Set { value_count, .. } = self.change else { return None };
        self.call(|py| {
            let mv = |item: u32| self.numbered.bind(py).get_item(item as usize);
            let Some(moves) = exchange_of(&mv(one)?, &mv(other)?, value_count)? else {
                return Ok(None);
            };
            let [one, other] = moves.map(|mv| self.codes.bind(py).get_item(mv));
            match (one?, other?) {
                (Some(one), Some(other)) => Ok(Some([one.extract()?, other.extract()?])),
                _ => Ok(None),
            }
        })
        .flatten()
    }

    fn knows(&self, item: u32) -> bool {
        self.has_item(item)
    }

    fn put(&self, state: &mut State, item: u32, after: usize) {
        self.change_part(state, false, item, after + 1);
    }

    fn take(&self, state: &mut State, item: u32) {
        self.change_part(state, true, item, 0);
    }

    fn guided(&self) -> bool {
        self.guides()
    }

    fn value(&self, state: &State) -> f64 {
        // Not `score`, which keeps the best game: this one has its moves in no order.
        let value = self.call(|py| match self.guides() {
            true => self.judged(py, "guide", self.value(py, state), None),
            false => self.scored_set(py, state),
        });
        value.unwrap_or(f64::NEG_INFINITY)
    }
}
