//! Users' own problems, whose rules are written in Python.

use std::error::Error;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nestor_engine::improve::Improver;
use nestor_engine::improve::ruin::Ruin;
use nestor_engine::improve::ruin::sets::Sets;
use nestor_engine::prior::ByCode;
use nestor_engine::problem::{Batches, Bias, Listed, Moves, Offers, Problem};
use nestor_problems::exposed::{Cut, Exposed};
use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use pyo3::{create_exception, intern};

use crate::closing::Inside;
use crate::wrong;
use permuted::{Changed, Methods};
use repeats::{Repeats, slow_game};
use scores::Scores;

mod guide;
mod listing;
mod permuted;
mod repeats;
mod scores;
mod sets;

create_exception!(
    nestor._core,
    CutOffError,
    PyException,
    "A game was cut off: its moves so far, and whether that is the longest allowed."
);

/// A user's own problem: calls into Python. The first exception is kept and ends the search.
pub struct Own {
    problem: Py<PyAny>,
    /// Its methods that are called most.
    moves: Py<PyAny>,
    play: Py<PyAny>,
    has_code: bool,
    /// Whether it says what steers a search in place of the score.
    has_shaped: bool,
    /// Whether it scores several states in one call.
    has_batch: bool,
    /// Whether it gives the biases of several states in one call.
    has_bias_batch: bool,
    /// What is asked for scores in its place, if anything is.
    scores: Option<Scores>,
    /// What polish may change.
    change: Changed,
    /// The method that gives the bias in force.
    bias: Option<String>,
    /// Whether a lower score is better: the engine takes the negated one.
    minimise: bool,
    /// Numbers codes in the order of their first appearance, and has them by their numbers.
    codes: Py<PyDict>,
    numbered: Py<PyList>,
    /// The numbers by the addresses of those in the list, which keeps them: they need no hash.
    addresses: Arc<Mutex<ByCode<u64>>>,
    /// The steps of replays of orders that are still looked for among the legal moves.
    doubted: AtomicI64,
    failed: AtomicBool,
    error: Mutex<Option<PyErr>>,
    /// Shared with all forks.
    cut: Arc<Mutex<Cut>>,
    /// The first game with the best score.
    best: Mutex<Option<Game>>,
    /// Shared with all forks.
    repeats: Arc<Mutex<Repeats>>,
}

/// The most characters of the moves of a game in an error.
const LONGEST: usize = 1000;

type Move = Arc<Py<PyAny>>;

/// The score of a game, for the engine, and its moves.
struct Game {
    score: f64,
    moves: Vec<Move>,
}

/// A state and, once they were asked for, its legal moves. Both may be cloned and dropped without
/// the GIL.
#[derive(Clone, Default)]
pub struct State {
    value: Option<Arc<Py<PyAny>>>,
    moves: Option<Arc<Vec<Py<PyAny>>>>,
    /// The moves from the root.
    played: Vec<Move>,
}

impl State {
    fn length(&self) -> u64 {
        self.played.len() as u64
    }

    /// The legal moves, if they were asked for.
    fn legal(&self) -> &[Py<PyAny>] {
        self.moves.as_deref().map_or(&[], Vec::as_slice)
    }

    /// Takes another value, best with the GIL: without it, what goes waits in a list for it.
    fn set(&mut self, value: Option<Bound<'_, PyAny>>) {
        (self.value, self.moves) = (value.map(|value| Arc::new(value.unbind())), None);
    }
}

impl Own {
    /// See [`crate::door::Problem`].
    pub fn new(
        problem: Bound<'_, PyAny>,
        bias: Option<String>,
        minimise: bool,
        scores: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Own {
            has_code: problem.hasattr("code")?,
            has_shaped: problem.hasattr("shaped")?,
            has_batch: problem.hasattr("score_batch")?,
            has_bias_batch: bias.as_deref() == Some("bias") && problem.hasattr("bias_batch")?,
            scores: scores.map(Scores::of).transpose()?,
            change: Changed::of(&problem)?,
            moves: problem.getattr("moves")?.unbind(),
            play: problem.getattr("play")?.unbind(),
            bias,
            minimise,
            codes: PyDict::new(problem.py()).unbind(),
            numbered: PyList::empty(problem.py()).unbind(),
            addresses: Arc::default(),
            problem: problem.unbind(),
            doubted: AtomicI64::new(permuted::DOUBTED),
            failed: AtomicBool::new(false),
            error: Mutex::new(None),
            cut: Arc::default(),
            best: Mutex::default(),
            repeats: Arc::default(),
        })
    }

    /// A copy that fails separately, and numbers codes anew or together with another problem.
    pub fn renumbered(&self, py: Python<'_>, with: Option<&Own>) -> Self {
        let new = Own {
            codes: PyDict::new(py).unbind(),
            numbered: PyList::empty(py).unbind(),
            addresses: Arc::default(),
            cut: Arc::default(),
            repeats: Arc::default(),
            ..self.separate(py)
        };
        match with {
            None => new,
            Some(other) => Own {
                codes: other.codes.clone_ref(py),
                numbered: other.numbered.clone_ref(py),
                addresses: Arc::clone(&other.addresses),
                cut: Arc::clone(&other.cut),
                ..new
            },
        }
    }

    /// A copy that fails separately, with the same numbers of codes, which is cut off with this one.
    fn separate(&self, py: Python<'_>) -> Self {
        Own {
            problem: self.problem.clone_ref(py),
            moves: self.moves.clone_ref(py),
            play: self.play.clone_ref(py),
            bias: self.bias.clone(),
            scores: self.scores.as_ref().map(|scores| scores.clone_ref(py)),
            codes: self.codes.clone_ref(py),
            numbered: self.numbered.clone_ref(py),
            addresses: Arc::clone(&self.addresses),
            doubted: AtomicI64::new(permuted::DOUBTED),
            failed: AtomicBool::new(false),
            error: Mutex::new(None),
            cut: Arc::clone(&self.cut),
            best: Mutex::default(),
            repeats: Arc::clone(&self.repeats),
            ..*self
        }
    }

    /// Fails if a game of this length is to be cut off, or a signal has come.
    fn check_cut(&self, py: Python<'_>, length: u64) -> PyResult<()> {
        let (longest, is_up) = {
            let cut = self.cut.lock().unwrap_or_else(PoisonError::into_inner);
            (cut.longest, cut.is_up())
        };
        if longest.is_some_and(|longest| length > longest) {
            return Err(CutOffError::new_err((length - 1, true)));
        }
        if is_up {
            return Err(CutOffError::new_err((length, false)));
        }
        py.check_signals()
    }

    /// Makes every state terminal. The first error is kept.
    pub fn fail(&self, error: PyErr) {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.failed.store(true, Ordering::Relaxed);
    }

    /// Gives codes the numbers in which they come, and forgets others.
    pub fn set_codes(&self, codes: Vec<Bound<'_, PyAny>>) -> PyResult<()> {
        let Some(first) = codes.first() else { return Ok(()) };
        let py = first.py();
        self.addresses.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.codes.bind(py).clear();
        let numbered = self.numbered.bind(py);
        numbered.del_slice(0, numbered.len())?;
        for (number, code) in (0..).zip(&codes) {
            if self.number(code.clone())? != number {
                return Err(wrong("two of its codes are equal"));
            }
        }
        Ok(())
    }

    /// The moves of the first game that had this score, if it is the best of all games.
    pub fn moves_of_best(&self, py: Python<'_>, score: f64) -> Option<Vec<Py<PyAny>>> {
        let best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        let best = best.as_ref().filter(|best| best.score == score)?;
        Some(best.moves.iter().map(|mv| mv.clone_ref(py)).collect())
    }

    /// The slow scores that were asked for, and those of them whose game had been scored before.
    pub fn repeats(&self) -> (u64, u64) {
        self.repeats.lock().unwrap_or_else(PoisonError::into_inner).count()
    }

    /// The codes seen so far, in the order of their numbers.
    pub fn codes<'py>(&self, py: Python<'py>) -> Bound<'py, PyList> {
        self.numbered.bind(py).clone()
    }

    /// Runs a callback. After a failure every state is terminal.
    fn call<T>(&self, body: impl FnOnce(Python<'_>) -> PyResult<T>) -> Option<T> {
        if self.failed() {
            return None;
        }
        let called = Inside::enter().and_then(|_inside| Python::attach(body));
        called.map_err(|error| self.fail(error)).ok()
    }

    fn value<'py>(&self, py: Python<'py>, state: &State) -> Bound<'py, PyAny> {
        let value = state.value.as_ref().map(|value| value.bind(py).clone());
        value.unwrap_or_else(|| py.None().into_bound(py))
    }

    /// The number of a code; a new one gets the next number.
    pub fn number(&self, code: Bound<'_, PyAny>) -> PyResult<u64> {
        let addresses = || self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        let address = code.as_ptr() as u64;
        if let Some(&number) = addresses().get(&address) {
            return Ok(number);
        }
        let codes = self.codes.bind(code.py());
        if let Some(number) = codes.get_item(&code)? {
            return number.extract();
        }
        let number = codes.len() as u64;
        codes.set_item(&code, number)?;
        self.numbered.bind(code.py()).append(code)?;
        addresses().insert(address, number);
        Ok(number)
    }

    /// The number of the item of a move: items are numbered as codes are.
    fn item_of(&self, state: &Bound<'_, PyAny>, mv: &Bound<'_, PyAny>) -> PyResult<u32> {
        let item = match self.change.methods() {
            Some(Methods { item: true, .. }) => {
                self.problem.bind(mv.py()).call_method1(intern!(mv.py(), "item"), (state, mv))?
            }
            _ => mv.clone(),
        };
        self.small(item)
    }

    /// The number of an item or a task.
    fn small(&self, item: Bound<'_, PyAny>) -> PyResult<u32> {
        let number = self.number(item)?;
        u32::try_from(number).map_err(|_| PyValueError::new_err("there are too many items"))
    }

    /// Whether it has a guide that is not its score.
    fn guides(&self) -> bool {
        match self.change {
            Changed::Order(Methods { guide, .. }) | Changed::Set { guide, .. } => guide,
            Changed::Nothing | Changed::Decisions => false,
        }
    }

    /// What a method says of a terminal state or of an order, higher for better.
    fn judged(
        &self,
        py: Python<'_>,
        method: &str,
        of: Bound<'_, PyAny>,
        played: Option<&[Move]>,
    ) -> PyResult<f64> {
        let problem = self.problem.bind(py);
        let returned = problem.call_method1(PyString::intern(py, method), (&of,))?;
        self.valued(method, &returned, || match played {
            Some(played) => after(py, played),
            // A problem in one line says what the user's function was given.
            None => {
                let given = problem.call_method1("_given", (&of,)).unwrap_or(of);
                format!(", for {}", clipped(&given))
            }
        })
    }

    /// What a method has returned, higher for better. Errors say `of` what.
    fn valued(
        &self,
        method: &str,
        returned: &Bound<'_, PyAny>,
        of: impl FnOnce() -> String,
    ) -> PyResult<f64> {
        let Ok(told) = returned.extract::<f64>() else {
            let name = self.called(returned.py(), method);
            let told = no_number(method, returned).replacen(&format!("{method}()"), &name, 1);
            return Err(PyTypeError::new_err(format!("{told}{}", of())));
        };
        let value = if self.minimise { -told } else { told };
        if value < f64::INFINITY {
            return Ok(value);
        }
        let what = match told.is_nan() {
            true => "NaN".to_owned(),
            false => format!("{told}, which nothing else could beat"),
        };
        let name = self.called(returned.py(), method);
        Err(PyValueError::new_err(format!("{name} must not return {what}{}", of())))
    }

    /// What errors call a method: a problem in one line has the name of the user's function.
    fn called(&self, py: Python<'_>, method: &str) -> String {
        let names = self.problem.bind(py).getattr("_called");
        let name = names.and_then(|names| names.get_item(method)?.extract::<String>());
        name.unwrap_or_else(|_| format!("{method}()"))
    }

    /// Takes note of how long the score of a game took, unless something remembers scores.
    fn note(&self, py: Python<'_>, played: &[Move], lasted: Duration) {
        // The hashes of moves are asked for before the lock: Python may give the GIL to another thread.
        if self.scores.is_none()
            && let Some(game) = slow_game(py, played, lasted)
        {
            self.repeats.lock().unwrap_or_else(PoisonError::into_inner).take(game);
        }
    }

    /// Keeps a game if it is the best so far.
    fn keep(&self, score: f64, played: &[Move]) {
        let mut best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match best.as_ref().is_none_or(|best| score > best.score) {
            true => best.replace(Game { score, moves: played.to_vec() }),
            false => None,
        };
        // Freed without the lock: Python may give the GIL to another thread meanwhile.
        drop((best, before));
    }
}

fn number(method: &str, returned: &Bound<'_, PyAny>) -> PyResult<f64> {
    returned.extract().map_err(|_| PyTypeError::new_err(no_number(method, returned)))
}

/// What to say of an answer that is no number.
fn no_number(method: &str, returned: &Bound<'_, PyAny>) -> String {
    let parts = returned.is_instance_of::<PyTuple>() && method.starts_with("score");
    let nested = returned.is_instance_of::<PyList>() || returned.hasattr("shape").unwrap_or(false);
    let hint = match method.ends_with("_batch") && nested {
        true => ": they must be one flat sequence",
        false if parts => ": a score of several parts needs the attribute objectives",
        false => "",
    };
    let what = if returned.is_none() { "None".to_owned() } else { returned.get_type().to_string() };
    format!("{method}() must return a number, not {what}{hint}")
}

/// After which moves it was.
fn after(py: Python<'_>, played: &[Move]) -> String {
    if played.is_empty() {
        return ", at the beginning".to_owned();
    }
    let moves = scores::moves_of(py, played);
    format!(
        ", after the moves {}",
        moves.map_or_else(|_| String::new(), |moves| clipped(moves.as_any()))
    )
}

/// The beginning of how Python writes an object.
fn clipped(object: &Bound<'_, PyAny>) -> String {
    let text = object.repr().and_then(|text| text.extract::<String>());
    text.unwrap_or_default().chars().take(LONGEST).collect()
}

impl Problem for Own {
    type State = State;
    type Move = u32;
    type Code = u64;

    /// A move is its place in the list of a state's moves.
    const REPLAYS: bool = false;

    /// Holds the GIL, which each call would otherwise ask for.
    fn within<T>(work: impl FnOnce() -> T) -> T {
        match Inside::enter() {
            Ok(_inside) => Python::attach(|_| work()),
            Err(_) => work(),
        }
    }

    fn bias(&self) -> Bias {
        if self.bias.is_some() { Bias::PerMove } else { Bias::None }
    }

    fn initial(&self) -> State {
        State::default()
    }

    fn reset(&self, state: &mut State) {
        let begun = self.call(|py| {
            state.played.clear();
            state.set(Some(self.problem.bind(py).call_method0(intern!(py, "initial"))?));
            Ok(())
        });
        if begun.is_none() {
            *state = State::default();
        }
    }

    fn moves(&self, state: &mut State, out: &mut Moves<'_, Self>) {
        if self.has_bias_batch {
            let first = out.count();
            self.unbiased_moves(state, out);
            return self.push_biases(state, out, first);
        }
        self.list(state, |index, value, mv| {
            let code = if out.is_coded() { self.code(value, mv)? } else { 0 };
            match &self.bias {
                Some(bias) => out.push_biased(index, code, self.bias_of(bias, value, mv)?),
                None => out.push(index, code),
            }
            Ok(())
        });
    }

    fn push_biases(&self, state: &mut State, out: &mut Moves<'_, Self>, first: usize) {
        let Some(bias) = &self.bias else { return };
        let betas = self.call(|py| {
            if self.has_bias_batch {
                return self.biases_together(py, &[state]);
            }
            let value = self.value(py, state);
            let moves = state.legal();
            let beta = |mv: &Py<PyAny>| self.bias_of(bias, &value, mv.bind(py));
            moves.iter().map(beta).collect::<PyResult<Vec<_>>>()
        });
        let mut betas = betas.into_iter().flatten();
        out.push_biases(first, |_| betas.next().unwrap_or(0.0));
    }

    fn play(&self, state: &mut State, index: u32) {
        let length = state.length() + 1;
        let next = self.call(|py| {
            self.check_cut(py, length)?;
            let value = self.value(py, state);
            let moves = state.legal();
            let mv = moves
                .get(index as usize)
                .ok_or_else(|| PyValueError::new_err("a move was played that is not legal here"))?;
            let next = self.play.bind(py).call1((value, mv))?;
            state.played.push(Arc::new(mv.clone_ref(py)));
            state.set(Some(next));
            Ok(())
        });
        if next.is_none() {
            state.set(None);
        }
    }

    fn score(&self, state: &State) -> f64 {
        let score = self.scored_alone(state);
        if let Some(score) = score {
            self.keep(score, &state.played);
        }
        score.unwrap_or(f64::NEG_INFINITY)
    }

    fn shaped(&self, state: &State, score: f64) -> f64 {
        match self.has_shaped && !self.failed() {
            true => {
                let played = Some(&state.played[..]);
                let shaped =
                    self.call(|py| self.judged(py, "shaped", self.value(py, state), played));
                shaped.unwrap_or(f64::NEG_INFINITY)
            }
            false => score,
        }
    }

    fn unlisted(&self, state: &State, _index: u32) -> Option<u32> {
        if self.change.methods().is_some() {
            self.fail(permuted::missing(state.played.len()));
        }
        None
    }

    fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }
}

impl Offers for Own {
    fn improver(&self) -> Option<Box<dyn Improver<Self>>> {
        match self.change {
            Changed::Set { .. } => Some(Box::new(Ruin::new(Sets::new(self)))),
            Changed::Order(methods) => Some(permuted::orders(methods)),
            Changed::Nothing | Changed::Decisions => None,
        }
    }

    fn batches(&self) -> Option<&dyn Batches<Self>> {
        (self.has_bias_batch || self.scores_together()).then_some(self as &dyn Batches<Self>)
    }

    fn decides(&self) -> bool {
        matches!(self.change, Changed::Decisions)
    }
}

impl Batches<Self> for Own {
    fn scores(&self, states: &[State], threads: usize) -> Vec<f64> {
        let scores = if self.scores_together() {
            self.call(|py| {
                let begun = Instant::now();
                let scores = self.scored_together(py, states);
                let lasted = begun.elapsed() / states.len().max(1) as u32;
                states.iter().for_each(|state| self.note(py, &state.played, lasted));
                scores
            })
        } else {
            self.scored_side_by_side(states, threads)
        };
        let scores = scores.unwrap_or_default();
        for (&score, state) in scores.iter().zip(states) {
            self.keep(score, &state.played);
        }
        scores
    }

    fn has_biases(&self) -> bool {
        self.has_bias_batch
    }

    fn unbiased_moves(&self, state: &mut State, out: &mut Moves<'_, Self>) {
        self.list(state, |index, value, mv| {
            out.push(index, if out.is_coded() { self.code(value, mv)? } else { 0 });
            Ok(())
        });
    }

    fn biases(&self, listed: &[Listed<'_, Self>]) -> Vec<f64> {
        let states: Vec<_> = listed.iter().map(|listed| listed.state).collect();
        self.call(|py| self.biases_together(py, &states)).unwrap_or_default()
    }
}

impl Exposed for Own {
    fn fork(&self) -> Option<Self> {
        Some(Python::attach(|py| self.separate(py)))
    }

    fn take_error(&self) -> Option<Box<dyn Error + Send + Sync>> {
        self.failed.store(false, Ordering::Relaxed);
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        error.map(Into::into)
    }

    fn cut(&self, cut: &Cut) {
        self.cut.lock().unwrap_or_else(PoisonError::into_inner).clone_from(cut);
    }
}
