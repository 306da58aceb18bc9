//! The order of the moves of users' own problems, which local search changes.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use nestor_engine::improve::Improver;
use nestor_engine::improve::ruin::{self, Light, Orders, Replays};
use nestor_engine::problem::Problem;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::{Move, Own, State};

/// So many steps of replays are checked by the rules: not every order of the moves of a game may be
/// legal after all, and this is told before long.
pub const DOUBTED: i64 = 2000;

/// What rounding may make of a score.
const ROUNDING: f64 = 1e-9;

/// What local search may change in the sequences of a problem.
#[derive(Clone, Copy)]
pub enum Changed {
    Nothing,
    Order(Methods),
    /// A set, whether it is a cover or a free assignment, whether it has the methods `undo` and `guide`,
    /// and its `value_count`, 0 for none.
    Set {
        covers: bool,
        assigns: bool,
        undo: bool,
        guide: bool,
        value_count: i64,
    },
    Decisions,
}

/// The methods that say more about orders, as far as a problem has them.
#[derive(Clone, Copy)]
pub struct Methods {
    pub item: bool,
    pub guide: bool,
    pub cost_of: bool,
    pub task: bool,
    /// Whether the score is nothing but what `cost_of` says, and the legal moves are the items that
    /// are left, in the order in which the root lists them.
    pub only_cost: bool,
}

impl Changed {
    /// What a problem says.
    pub fn of(problem: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Some(change) = problem.getattr_opt("change")? else { return Ok(Changed::Nothing) };
        let has = |name: &str| problem.hasattr(name);
        Ok(match change.extract()? {
            "decisions" => Changed::Decisions,
            change @ ("set" | "cover") => {
                let count = problem.getattr_opt("value_count")?.filter(|_| change == "set");
                Changed::Set {
                    covers: change == "cover",
                    assigns: has("_assigns")?,
                    undo: has("undo")?,
                    guide: has("guide")?,
                    value_count: count.map_or(Ok(0), |count| count.extract())?,
                }
            }
            "order" => Changed::Order(Methods {
                item: has("item")?,
                guide: has("guide")?,
                cost_of: has("cost_of")?,
                task: has("task")?,
                only_cost: has("_only_cost")?,
            }),
            _ => Changed::Nothing,
        })
    }

    /// The methods that say more about orders.
    pub fn methods(self) -> Option<Methods> {
        match self {
            Changed::Order(methods) => Some(methods),
            Changed::Nothing | Changed::Set { .. } | Changed::Decisions => None,
        }
    }
}

/// The local search of a problem whose finished sequences are orders.
pub fn orders(methods: Methods) -> Box<dyn Improver<Own>> {
    match methods.cost_of {
        true => ruin::orders(Costs::default(), methods.guide),
        false => ruin::orders(Replays::<Own, Permuted>::default(), methods.guide),
    }
}

/// The error for an order that is not legal.
pub fn missing(after: usize) -> PyErr {
    PyValueError::new_err(format!(
        "the problem says change = \"order\", but some order of the moves of a finished sequence is not \
         legal: after {after} moves the next one of it is not among those of moves() (see \
         nestor.testing.check_problem)"
    ))
}

impl Own {
    /// The number and the move of an item among the legal moves of a state, if it is among them.
    fn find<'py>(
        &self,
        state: &Bound<'py, PyAny>,
        item: u32,
    ) -> PyResult<Option<(u32, Bound<'py, PyAny>)>> {
        let py = state.py();
        let legal = self.moves.bind(py).call1((state,))?;
        // A list finds a move itself faster than it is found by its number.
        if !self.change.methods().is_some_and(|methods| methods.item)
            && let Ok(legal) = legal.cast::<PyList>()
            && let Ok(number) = legal.index(self.numbered.bind(py).get_item(item as usize)?)
        {
            return Ok(Some((number as u32, legal.get_item(number)?)));
        }
        for (number, mv) in (0..).zip(legal.try_iter()?) {
            let mv = mv?;
            if self.item_of(state, &mv)? == item {
                return Ok(Some((number, mv)));
            }
        }
        Ok(None)
    }

    /// The place of each item among the legal moves of the root.
    fn places(&self) -> Option<HashMap<u32, usize>> {
        self.call(|py| {
            let problem = self.problem.bind(py);
            let root = problem.call_method0(intern!(py, "initial"))?;
            let legal = self.moves.bind(py).call1((&root,))?;
            let item = |(place, mv): (_, PyResult<_>)| Ok((self.item_of(&root, &mv?)?, place));
            legal.try_iter()?.enumerate().map(item).collect()
        })
    }

    /// The items of an order as moves, each with its number among those that are left. `places` are
    /// theirs at the root.
    fn drawn(&self, order: &[u32], places: &HashMap<u32, usize>) -> Option<(Vec<u32>, Vec<Move>)> {
        let moves = self.call(|py| {
            let numbered = self.numbered.bind(py);
            let mv = |&item: &u32| Ok(Arc::new(numbered.get_item(item as usize)?.unbind()));
            order.iter().map(mv).collect()
        })?;
        // Sums of what is gone, as a binary tree (Fenwick 1994).
        let mut gone = vec![0; places.len() + 1];
        let number = |item: &u32| {
            let &place = places.get(item)?;
            let (mut number, mut before, mut behind) = (place as u32, place, place + 1);
            while before > 0 {
                number -= gone[before];
                before &= before - 1;
            }
            while behind < gone.len() {
                gone[behind] += 1;
                behind += behind & behind.wrapping_neg();
            }
            Some(number)
        };
        Some((order.iter().map(number).collect::<Option<_>>()?, moves))
    }

    /// Plays the moves of an order by the rules: each is found among the legal ones. Returns their
    /// numbers there, and the state at the end.
    fn replay(&self, order: &[u32]) -> Option<(Vec<u32>, State)> {
        self.call(|py| {
            let problem = self.problem.bind(py);
            let (mut played, mut numbers) = (Vec::new(), Vec::new());
            let mut state = problem.call_method0(intern!(py, "initial"))?;
            for &item in order {
                self.check_cut(py, played.len() as u64)?;
                let (number, mv) = self.find(&state, item)?.ok_or_else(|| missing(played.len()))?;
                state = self.play.bind(py).call1((state, &mv))?;
                numbers.push(number);
                played.push(Arc::new(mv.unbind()));
            }
            Ok((numbers, State { value: Some(Arc::new(state.unbind())), moves: None, played }))
        })
    }

    /// What is said of an order of so many items.
    fn judged_order(&self, length: usize, judge: impl FnOnce(Python<'_>) -> PyResult<f64>) -> f64 {
        let value = self.call(|py| {
            self.check_cut(py, length as u64)?;
            judge(py)
        });
        value.unwrap_or(f64::NEG_INFINITY)
    }

    /// Whether the next step is to be looked for among the legal moves.
    fn doubts(&self) -> bool {
        let left = self.doubted.load(Ordering::Relaxed);
        self.doubted.store(left - i64::from(left > 0), Ordering::Relaxed);
        left > 0
    }

    pub(super) fn has_item(&self, item: u32) -> bool {
        (item as usize) < Python::attach(|py| self.numbered.bind(py).len())
    }
}

/// A permuted sequence so far, without the moves that are legal then. There is no state once the
/// problem has failed.
#[derive(Clone)]
pub struct Permuted {
    state: Option<Arc<Py<PyAny>>>,
    length: usize,
    /// Its moves, if something remembers scores by them.
    played: Vec<Move>,
}

impl Light<Own> for Permuted {
    type Rest = ();

    const QUICK: bool = false;

    fn has(problem: &Own, item: u32) -> bool {
        problem.has_item(item)
    }

    fn start(problem: &Own) -> Self {
        let state = problem.call(|py| {
            let initial = problem.problem.bind(py).call_method0(intern!(py, "initial"))?;
            Ok(Arc::new(initial.unbind()))
        });
        Permuted { state, length: 0, played: Vec::new() }
    }

    fn step(&mut self, problem: &Own, item: u32) {
        let Some(state) = self.state.take() else { return };
        self.state = problem.call(|py| {
            let state = state.bind(py);
            let mv = match problem.change.methods() {
                Some(methods) if methods.item || problem.doubts() => {
                    problem.find(state, item)?.ok_or_else(|| missing(self.length))?.1
                }
                _ => problem.numbered.bind(py).get_item(item as usize)?,
            };
            problem.follow(&mut self.played, &mv, false);
            let next = problem.play.bind(py).call1((state, mv));
            // Rules may refuse a move that is not legal in their own way.
            let told = |error: PyErr| match error.is_instance_of::<PyException>(py) {
                true if matches!(problem.find(state, item), Ok(None)) => {
                    let told = missing(self.length);
                    told.set_cause(py, Some(error));
                    told
                }
                _ => error,
            };
            Ok(Arc::new(next.map_err(told)?.unbind()))
        });
        self.length += 1;
    }

    fn value(&self, problem: &Own) -> f64 {
        if !problem.guides() {
            return self.score(problem);
        }
        let Some(state) = &self.state else { return f64::NEG_INFINITY };
        problem.judged_order(self.length, |py| {
            problem.judged(py, "guide", state.bind(py).clone(), None)
        })
    }

    fn score(&self, problem: &Own) -> f64 {
        let Some(state) = &self.state else { return f64::NEG_INFINITY };
        let played = problem.scores.as_ref().map(|_| &self.played[..]);
        problem.judged_order(self.length, |py| problem.scored(py, state.bind(py).clone(), played))
    }

    fn item(problem: &Own, state: &State, index: u32) -> u32 {
        let item = problem.call(|py| {
            let value = problem.value(py, state);
            let moves = state.legal();
            match moves.get(index as usize) {
                Some(mv) => problem.item_of(&value, mv.bind(py)),
                None => Err(PyValueError::new_err("moves() gives other moves than before")),
            }
        });
        // A small number: there is a list for each item.
        item.unwrap_or(0)
    }

    fn tasks(problem: &Own) -> bool {
        problem.change.methods().is_some_and(|methods| methods.task)
    }

    /// Tasks are numbered as codes are.
    fn task(problem: &Own, state: &State, index: u32) -> u32 {
        let task = problem.call(|py| {
            let moves = state.legal();
            let mv = moves.get(index as usize).map_or_else(|| py.None(), |mv| mv.clone_ref(py));
            problem.small(problem.problem.bind(py).call_method1(intern!(py, "task"), (mv,))?)
        });
        task.unwrap_or(0)
    }

    fn moves(problem: &Own, order: &[u32], score: f64, moves: &mut Vec<u32>) {
        moves.clear();
        if let Some((numbers, state)) = problem.replay(order) {
            problem.keep(score, &state.played);
            *moves = numbers;
        }
    }
}

/// Orders whose score the problem gives without a replay.
#[derive(Default)]
struct Costs {
    order: Vec<u32>,
    /// The order that was evaluated last.
    other: Vec<u32>,
    /// The moves of the order whose score was asked for last.
    moves: Vec<u32>,
    /// Where items are at the root, once it is known.
    places: HashMap<u32, usize>,
}

impl Costs {
    fn of(problem: &Own, order: &[u32]) -> f64 {
        problem.judged_order(order.len(), |py| {
            let numbered = problem.numbered.bind(py);
            let items = order.iter().map(|&item| numbered.get_item(item as usize));
            let items = PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?;
            problem.cost_of(py, items.into_any())
        })
    }
}

impl Orders<Own> for Costs {
    type Light = Permuted;

    fn begin(&mut self, _problem: &Own, order: &[u32]) {
        order.clone_into(&mut self.order);
    }

    fn evaluate(
        &mut self,
        problem: &Own,
        order: &[u32],
        _window: Range<usize>,
        _floor: f64,
    ) -> f64 {
        order.clone_into(&mut self.other);
        Costs::of(problem, order)
    }

    fn accept(&mut self) {
        std::mem::swap(&mut self.order, &mut self.other);
    }

    fn value(&mut self, problem: &Own) -> f64 {
        Costs::of(problem, &self.order)
    }

    /// The score by the rules, which `cost_of` must give, but for rounding unless it is whole.
    fn score(&mut self, problem: &Own, value: Option<f64>) -> f64 {
        let cost = value.unwrap_or_else(|| Costs::of(problem, &self.order));
        if problem.change.methods().is_some_and(|methods| methods.only_cost) {
            if self.places.is_empty() {
                self.places = problem.places().unwrap_or_default();
            }
            if let Some((numbers, moves)) = problem.drawn(&self.order, &self.places) {
                self.moves = numbers;
                problem.keep(cost, &moves);
            }
            return cost;
        }
        let Some((moves, state)) = problem.replay(&self.order) else { return f64::NEG_INFINITY };
        self.moves = moves;
        let score = problem.score(&state);
        let whole = cost.fract() == 0.0 && score.fract() == 0.0;
        let most = if whole { 0.0 } else { ROUNDING * cost.abs().min(score.abs()).max(1.0) };
        let differs = cost != score && (cost - score).abs() > most;
        if differs && !problem.failed() {
            let sign = if problem.minimise { -1.0 } else { 1.0 };
            let name = Python::attach(|py| problem.called(py, "cost_of"));
            problem.fail(PyValueError::new_err(format!(
                "{name} must return the score of an order, {}, not {} (see nestor.testing.check_problem)",
                sign * score,
                sign * cost
            )));
        }
        score
    }

    fn moves(&self, _problem: &Own, _order: &[u32], _score: f64, moves: &mut Vec<u32>) {
        moves.clone_from(&self.moves);
    }
}
