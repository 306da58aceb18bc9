//! Models in Python that give the biases of a batch of playouts: Python that runs inside playouts of a
//! problem that is not in Python.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use nestor_engine::problem::{Batches, Listed, Moves};
use nestor_problems::exposed::{Cut, Exposed};
use nestor_problems::features::{Feature, Values};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::closing::Inside;
use crate::own::CutOffError;
use crate::wrong;

/// A model and the problem that it guides. The first exception is kept and ends the search.
pub struct Guide<P> {
    problem: Arc<P>,
    asked: Py<PyAny>,
    failed: AtomicBool,
    error: Mutex<Option<PyErr>>,
    cut: Mutex<Cut>,
}

impl<P: Exposed> Guide<P> {
    /// See [`crate::door::Problem`].
    pub fn new(problem: Arc<P>, asked: Py<PyAny>) -> Self {
        let (failed, error, cut) = Default::default();
        Guide { problem, asked, failed, error, cut }
    }

    /// Sets when the search is cut off.
    pub fn cut(&self, cut: &Cut) {
        self.cut.lock().unwrap_or_else(PoisonError::into_inner).clone_from(cut);
    }

    /// Fails with what the model raised, if it did.
    pub fn check(&self) -> PyResult<()> {
        self.failed.store(false, Ordering::Relaxed);
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        error.map_or(Ok(()), Err)
    }

    fn ask(&self, py: Python<'_>, listed: &[Listed<'_, P>]) -> PyResult<Vec<f64>> {
        py.check_signals()?;
        let is_up = self.cut.lock().unwrap_or_else(PoisonError::into_inner).is_up();
        if is_up {
            return Err(CutOffError::new_err((0, false)));
        }
        let counts = listed.iter().map(|each| each.moves.len() as i64);
        let codes = listed.iter().flat_map(|each| each.codes);
        let codes = codes.flat_map(|&code| Into::<u64>::into(code).to_ne_bytes());
        let features = self.problem.features(listed).into_iter();
        let features: Vec<_> = features.map(|each| array(py, each)).collect::<PyResult<_>>()?;
        let given = (
            PyBytes::new(py, &counts.flat_map(i64::to_ne_bytes).collect::<Vec<_>>()),
            PyBytes::new(py, &codes.collect::<Vec<_>>()),
            features,
        );
        let returned = self.asked.bind(py).call1(given)?;
        let (betas, _) = returned.extract::<&[u8]>()?.as_chunks();
        let betas: Vec<_> = betas.iter().map(|&beta| f64::from_ne_bytes(beta)).collect();
        match betas.len() == listed.iter().map(|each| each.moves.len()).sum::<usize>() {
            true => Ok(betas),
            false => Err(wrong("a model must give a bias for each move")),
        }
    }
}

/// An array as Python makes it: its name, whether it has a row for each move, the letter of its type,
/// the shape of a row, and the bytes.
type Array<'py> = (&'static str, bool, &'static str, Bound<'py, PyTuple>, Bound<'py, PyBytes>);

fn array(py: Python<'_>, feature: Feature) -> PyResult<Array<'_>> {
    let Feature { name, by_move, row, values } = feature;
    let (letter, bytes) = match values {
        Values::F64(values) => ("d", values.into_iter().flat_map(f64::to_ne_bytes).collect()),
        Values::I64(values) => ("q", values.into_iter().flat_map(i64::to_ne_bytes).collect()),
        Values::U8(values) => ("B", values),
    };
    Ok((name, by_move, letter, PyTuple::new(py, row)?, PyBytes::new(py, &bytes)))
}

impl<P: Exposed> Batches<P> for Guide<P> {
    fn scores(&self, states: &[P::State], _threads: usize) -> Vec<f64> {
        states.iter().map(|state| self.problem.score(state)).collect()
    }

    fn has_biases(&self) -> bool {
        true
    }

    fn unbiased_moves(&self, state: &mut P::State, out: &mut Moves<'_, P>) {
        self.problem.moves(state, out);
    }

    fn biases(&self, listed: &[Listed<'_, P>]) -> Vec<f64> {
        if self.broken() || self.problem.failed() {
            return Vec::new();
        }
        // A terminal state has no moves to ask for.
        if listed.iter().all(|each| each.moves.is_empty()) {
            return Vec::new();
        }
        let asked = Inside::enter().and_then(|_inside| Python::attach(|py| self.ask(py, listed)));
        asked.unwrap_or_else(|error| {
            self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            self.failed.store(true, Ordering::Relaxed);
            Vec::new()
        })
    }

    fn broken(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }
}
