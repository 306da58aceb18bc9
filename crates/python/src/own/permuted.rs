//! Polish of users' own problems: permuted sequences, replayed by the rules in Python.

use nestor_engine::polish::Light;
use nestor_engine::problem::{Problem, Steer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::{Own, State};

/// What polish may change in the sequences of a problem.
#[derive(Clone, Copy)]
pub enum Changed {
    Nothing,
    Order(Methods),
    Decisions,
}

/// The methods that say more about orders, as far as a problem has them.
#[derive(Clone, Copy)]
pub struct Methods {
    pub item: bool,
    pub guide: bool,
    pub neighbours: bool,
}

impl Changed {
    /// What a problem says.
    pub fn of(problem: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Some(change) = problem.getattr_opt("change")? else { return Ok(Changed::Nothing) };
        if change.eq("decisions")? {
            return Ok(Changed::Decisions);
        }
        if !change.eq("order")? {
            return Ok(Changed::Nothing);
        }
        let has = |name: &str| problem.hasattr(name);
        let (item, guide, neighbours) = (has("item")?, has("guide")?, has("neighbours")?);
        Ok(Changed::Order(Methods { item, guide, neighbours }))
    }

    /// The methods that say more about orders.
    pub fn methods(self) -> Option<Methods> {
        match self {
            Changed::Order(methods) => Some(methods),
            Changed::Nothing | Changed::Decisions => None,
        }
    }
}

/// A permuted sequence so far, and the number of its last move among those legal before it.
#[derive(Clone)]
pub struct Permuted {
    state: State,
    last: u32,
}

impl Light<Own> for Permuted {
    type Rest = ();

    const QUICK: bool = false;
    const REPEATS: bool = true;

    fn has(problem: &Own, item: u32) -> bool {
        Python::attach(|py| (item as usize) < problem.codes.bind(py).len())
    }

    fn start(problem: &Own) -> Self {
        let mut state = State::default();
        problem.reset(&mut state);
        Permuted { state, last: 0 }
    }

    fn step(&mut self, problem: &Own, item: u32) {
        match problem.find(&mut self.state, item) {
            Some(Some(index)) => {
                problem.play(&mut self.state, index);
                self.last = index;
            }
            Some(None) => problem.fail(PyValueError::new_err(format!(
                "the problem says change = \"order\", but some order of the moves of a finished \
                 sequence is not legal: a move is missing after {} moves (see \
                 nestor.testing.check_problem)",
                self.state.length()
            ))),
            None => {}
        }
    }

    fn value(&self, problem: &Own, by: Steer) -> f64 {
        match by {
            Steer::Guide => problem.guide(&self.state),
            Steer::Score => problem.score(&self.state),
        }
    }

    fn last(&self, _problem: &Own, _item: u32) -> u32 {
        self.last
    }
}
