//! The scores of users' own problems: one by one, those of a batch in one call, or what somebody else
//! says in place of the problem.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::{Move, Own, State, after, clipped};
use crate::side_by_side::side_by_side;

/// What knows scores in place of the problem: it is called with terminal states and, for each, the
/// moves of the game, or None if they are not known.
pub(super) struct Scores {
    asked: Py<PyAny>,
    /// Whether it wants the leaves of a batch in one call.
    pub(super) together: bool,
}

impl Scores {
    /// See [`crate::door::Problem`].
    pub(super) fn of(asked: Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Scores { together: asked.getattr("together")?.extract()?, asked: asked.unbind() })
    }

    pub(super) fn clone_ref(&self, py: Python<'_>) -> Self {
        Scores { asked: self.asked.clone_ref(py), together: self.together }
    }
}

impl Own {
    /// The score of a terminal state, higher for better.
    pub(super) fn scored(
        &self,
        py: Python<'_>,
        state: Bound<'_, PyAny>,
        played: Option<&[Move]>,
    ) -> PyResult<f64> {
        if let Some(scores) = &self.scores {
            let moves = played.map(|played| moves_of(py, played)).transpose()?;
            let returned = scores.asked.bind(py).call1(([state], [moves]))?;
            return Ok(self.each(&returned, &[played])?[0]);
        }
        if self.has_batch {
            let returned = self.problem.bind(py).call_method1("score_batch", ([state],))?;
            return Ok(self.each(&returned, &[played])?[0]);
        }
        self.judged(py, "score", state, played)
    }

    /// The score of a state that a set of moves has led to, in no order.
    pub(super) fn scored_set(&self, py: Python<'_>, state: &State) -> PyResult<f64> {
        let value = self.value(py, state);
        let Some(scores) = &self.scores else { return self.scored(py, value, None) };
        let given = (&value, moves_of(py, &state.played)?);
        let returned = scores.asked.bind(py).call_method1(intern!(py, "of_set"), given)?;
        self.valued("score", &returned, || after(py, &state.played))
    }

    /// What `cost_of` says of an order.
    pub(super) fn cost_of(&self, py: Python<'_>, order: Bound<'_, PyAny>) -> PyResult<f64> {
        let Some(scores) = &self.scores else { return self.judged(py, "cost_of", order, None) };
        let returned = scores.asked.bind(py).call_method1(intern!(py, "of_order"), (&order,))?;
        self.valued("cost_of", &returned, || format!(", for {}", clipped(&order)))
    }

    /// Keeps the moves of a state up to date, if they are wanted: one more, or one less.
    pub(super) fn follow(&self, played: &mut Vec<Move>, mv: &Bound<'_, PyAny>, undone: bool) {
        if self.scores.is_none() {
            played.clear();
        } else if !undone {
            played.push(Arc::new(mv.clone().unbind()));
        } else if let Some(place) =
            played.iter().position(|each| mv.eq(each.bind(mv.py())).unwrap_or(false))
        {
            played.swap_remove(place);
        }
    }

    /// Whether the scores of several states are asked for in one call.
    pub(super) fn scores_together(&self) -> bool {
        self.scores.as_ref().map_or(self.has_batch, |scores| scores.together)
    }

    /// The score of a terminal state; `None` after a failure.
    pub(super) fn scored_alone(&self, state: &State) -> Option<f64> {
        self.call(|py| {
            let begun = Instant::now();
            let score = self.scored(py, self.value(py, state), Some(&state.played));
            self.note(py, &state.played, begun.elapsed());
            score
        })
    }

    /// The scores of the leaves of a batch, each in a call of its own, on so many threads.
    pub(super) fn scored_side_by_side(&self, states: &[State], threads: usize) -> Option<Vec<f64>> {
        let next = AtomicUsize::new(0);
        let work = |()| {
            let places = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
            let places = places.take_while(|&place| place < states.len());
            places.map(|place| (place, self.scored_alone(&states[place]))).collect()
        };
        let parts = vec![(); threads.clamp(1, states.len().max(1))];
        let mut scores: Vec<_> = side_by_side(parts, &work, || {});
        scores.sort_by_key(|&(place, _)| place);
        scores.into_iter().map(|(_, score)| score).collect()
    }

    /// The scores of the leaves of a batch in one call.
    pub(super) fn scored_together(&self, py: Python<'_>, states: &[State]) -> PyResult<Vec<f64>> {
        let values = PyList::new(py, states.iter().map(|state| self.value(py, state)))?;
        let played: Vec<_> = states.iter().map(|state| Some(&state.played[..])).collect();
        let Some(scores) = &self.scores else {
            let returned = self.problem.bind(py).call_method1("score_batch", (values,))?;
            return self.each(&returned, &played);
        };
        let moves: Vec<_> =
            states.iter().map(|state| moves_of(py, &state.played)).collect::<PyResult<_>>()?;
        let returned = scores.asked.bind(py).call1((values, moves))?;
        self.each(&returned, &played)
    }

    /// The scores that a call has returned, one for each of these games.
    fn each(&self, returned: &Bound<'_, PyAny>, played: &[Option<&[Move]>]) -> PyResult<Vec<f64>> {
        let method = if self.has_batch { "score_batch" } else { "score" };
        let wrong = |_| {
            let kind = returned.get_type();
            PyTypeError::new_err(format!("{method}() must return a sequence, not {kind}"))
        };
        let scores = returned.try_iter().map_err(wrong)?;
        // One more than there should be is no game's.
        let of = played.iter().copied().chain(std::iter::repeat(None));
        let py = returned.py();
        let told = |played: Option<&[Move]>| played.map_or_else(String::new, |p| after(py, p));
        let scores = scores.zip(of);
        let scores = scores.map(|(score, of)| self.valued(method, &score?, || told(of)));
        let (scores, count) = (scores.collect::<PyResult<Vec<_>>>()?, played.len());
        match scores.len() == count {
            true => Ok(scores),
            false => Err(PyValueError::new_err(format!(
                "{method}() must return a score for each of {count} states, not {}",
                scores.len()
            ))),
        }
    }
}

pub(super) fn moves_of<'py>(py: Python<'py>, played: &[Move]) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, played.iter().map(|mv| mv.bind(py)))
}
