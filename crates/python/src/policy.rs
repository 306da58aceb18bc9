//! The primitives of `nestor.research`: policies, playouts, adapt, and levels that start from a
//! policy.

use std::any::Any;
use std::iter;
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError,
};
use std::time::{Duration, Instant};

use nestor_engine::biased::Biased;
use nestor_engine::playout::Playouts;
use nestor_engine::policy;
use nestor_engine::prior::ByCode;
use nestor_engine::problem::Bias;
use nestor_engine::random::Key;
use nestor_engine::search::Search;
use nestor_engine::sequence::{Sequence, Step};
use nestor_engine::style::Style;
use nestor_engine::{Algorithm, Child};
use nestor_problems::exposed::Exposed;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::meter::{Meter, Metered};
use crate::{check, read, read_moves, write_moves, wrong};

/// How long a call runs between checks of the keyboard.
const SLICE: Duration = Duration::from_millis(50);

/// A policy of one problem; a new one is blank.
#[pyclass(frozen, module = "nestor._core")]
pub struct Policy(pub Box<dyn Primitives>);

#[pymethods]
impl Policy {
    fn copy(&self) -> PyResult<Self> {
        self.0.copy().map(Policy)
    }

    /// The weights (w/tau) that are not zero, by the number of the code.
    fn weights(&self) -> PyResult<Vec<(u64, f64)>> {
        self.0.weights()
    }

    /// Sets these weights and all others to zero.
    fn set_weights(&self, weights: Vec<(u64, f64)>) -> PyResult<()> {
        self.0.set_weights(&weights)
    }

    /// Runs the playouts with the keys of the children `first` to `first + n - 1` of `key`. Returns
    /// all, or only the last one with the best score. They begin with the moves `after`; `epsilon`
    /// and `temperature` have a value for each step, the last one for all later steps.
    #[pyo3(signature = (key, first, n, all, after, epsilon, temperature, meter=None))]
    #[expect(clippy::too_many_arguments)]
    fn playouts(
        &self,
        py: Python<'_>,
        key: u64,
        first: u64,
        n: u64,
        all: bool,
        after: Vec<Bound<'_, PyAny>>,
        epsilon: Vec<f64>,
        temperature: Vec<f64>,
        meter: Meter<'_>,
    ) -> PyResult<Vec<Playout>> {
        let mut keys = (0..n).map(|i| Key(key).child(first.wrapping_add(i)));
        let style = Style { after, epsilon, temperature };
        self.0.playouts(py, &mut keys, all, style, &meter)
    }

    /// Runs the playout with this key.
    #[pyo3(signature = (key, meter=None))]
    fn playout(&self, py: Python<'_>, key: u64, meter: Meter<'_>) -> PyResult<Playout> {
        let keys = &mut iter::once(Key(key));
        let mut playouts = self.0.playouts(py, keys, true, Style::default(), &meter)?;
        Ok(playouts.remove(0))
    }

    /// Plays these moves, which must be a whole game.
    fn follow(&self, moves: Vec<Bound<'_, PyAny>>) -> PyResult<Playout> {
        self.0.follow(&moves)
    }

    /// Runs an NRPA search (see `Search`) with this key from the policy, which is not changed.
    #[pyo3(signature = (algorithm, key, threads, meter=None))]
    fn run_levels(
        &self,
        py: Python<'_>,
        algorithm: &Bound<'_, PyAny>,
        key: u64,
        threads: usize,
        meter: Meter<'_>,
    ) -> PyResult<Playout> {
        self.0.run_levels(py, read(algorithm)?, Key(key), threads.max(1), &meter)
    }

    /// Runs one search of NMCS or Beam NRPA from the policy, which is not changed. Its key is the
    /// first child of this one.
    #[pyo3(signature = (algorithm, key, meter=None))]
    fn run_search(
        &self,
        py: Python<'_>,
        algorithm: &Bound<'_, PyAny>,
        key: u64,
        meter: Meter<'_>,
    ) -> PyResult<Playout> {
        self.0.run_search(py, &read(algorithm)?, Key(key), &meter)
    }

    /// Adapts the policy towards a playout; `rates` are alpha / temperature^2 of the steps, the last
    /// one that of all later steps.
    fn adapt(&self, playout: &Playout, rates: Vec<f64>) -> PyResult<()> {
        if rates.is_empty() || !rates.iter().all(|rate| rate.is_finite()) {
            return Err(wrong("rates must be finite, and there must be one"));
        }
        self.0.adapt(playout, &rates)
    }
}

/// A playout, and what adapt needs from it.
#[pyclass(frozen, module = "nestor._core")]
pub struct Playout {
    /// What steers the search, higher is better.
    #[pyo3(get)]
    score: f64,
    /// The engine's score: the same, unless the problem shapes it.
    #[pyo3(get)]
    reported: f64,
    recorded: Box<dyn Recorded>,
}

#[pymethods]
impl Playout {
    #[getter]
    fn moves(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        self.recorded.moves(py)
    }

    /// For each step the numbers of the codes of its legal moves, their biases, and the index of
    /// the chosen move.
    #[getter]
    fn steps(&self) -> Vec<Choice> {
        self.recorded.steps()
    }
}

/// One step of a playout.
#[derive(IntoPyObject)]
struct Choice {
    /// The numbers of the codes of the legal moves.
    codes: Vec<u64>,
    biases: Vec<f64>,
    /// The index of the move that was played.
    chosen: u32,
}

/// Keys of playouts, in order.
type Keys<'a> = &'a mut (dyn Iterator<Item = Key> + Send);

/// What policies can do, for a problem of any type.
pub trait Primitives: Send + Sync {
    fn copy(&self) -> PyResult<Box<dyn Primitives>>;
    fn weights(&self) -> PyResult<Vec<(u64, f64)>>;
    fn set_weights(&self, weights: &[(u64, f64)]) -> PyResult<()>;
    fn playouts(
        &self,
        py: Python<'_>,
        keys: Keys<'_>,
        all: bool,
        style: Style<Bound<'_, PyAny>>,
        meter: &Meter<'_>,
    ) -> PyResult<Vec<Playout>>;
    fn follow(&self, moves: &[Bound<'_, PyAny>]) -> PyResult<Playout>;
    fn run_levels(
        &self,
        py: Python<'_>,
        algorithm: Algorithm,
        key: Key,
        threads: usize,
        meter: &Meter<'_>,
    ) -> PyResult<Playout>;
    fn run_search(
        &self,
        py: Python<'_>,
        algorithm: &Algorithm,
        key: Key,
        meter: &Meter<'_>,
    ) -> PyResult<Playout>;
    fn adapt(&self, playout: &Playout, rates: &[f64]) -> PyResult<()>;
}

/// What playouts can say, for a problem of any type.
trait Recorded: Any + Send + Sync {
    fn moves(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>>;
    fn steps(&self) -> Vec<Choice>;
}

/// A search and the algorithm that it was made with.
type Settled<P> = (Algorithm, Box<Search<P, dyn Child<P>>>);

/// What a policy, its copies and their playouts have in common.
struct Shared<P: Exposed> {
    problem: Biased<P>,
    /// Players and searches that no call uses now.
    players: Mutex<Vec<Playouts<P>>>,
    searches: Mutex<Vec<Settled<P>>>,
}

impl<P: Exposed> Shared<P> {
    /// Calls `slice` again and again, with a deadline and without the GIL, until it returns a value
    /// or there is an exception: from a callback of the problem, from the meter, or from a signal
    /// such as Ctrl-C.
    fn call<T: Send>(
        &self,
        py: Python<'_>,
        meter: &Meter<'_>,
        mut slice: impl FnMut(&Biased<P>, Instant, &mut Metered<P::Move>) -> Option<T> + Send,
    ) -> PyResult<T> {
        let prior = || self.problem.prior().cloned().unwrap_or_default();
        let fork = self.problem.fork();
        let fork = fork.map(|problem| Biased::new(Arc::new(problem), prior()));
        let problem = fork.as_ref().unwrap_or(&self.problem);
        loop {
            let mut metered = Metered::ask(meter)?;
            let returned = py.detach(|| slice(problem, Instant::now() + SLICE, &mut metered));
            metered.tell(meter, &**problem)?;
            check(&**problem)?;
            py.check_signals()?;
            if let Some(returned) = returned {
                return Ok(returned);
            }
        }
    }

    /// Calls `body` with a player, which is kept for the next call.
    fn with_player<T>(&self, body: impl FnOnce(&mut Playouts<P>) -> T) -> T {
        let idle = lock(&self.players).pop();
        let mut player = idle.unwrap_or_else(|| Playouts::new(&self.problem));
        let returned = body(&mut player);
        lock(&self.players).push(player);
        returned
    }
}

struct Owned<P: Exposed> {
    shared: Arc<Shared<P>>,
    /// Nothing waits for this lock: a callback of the problem that uses the policy would wait for
    /// ever.
    policy: RwLock<policy::Policy<P::Code>>,
}

impl<P: Exposed> Owned<P> {
    fn read(&self) -> PyResult<RwLockReadGuard<'_, policy::Policy<P::Code>>> {
        unless_blocked(self.policy.try_read(), "the policy is being changed by another thread")
    }

    fn write(&self) -> PyResult<RwLockWriteGuard<'_, policy::Policy<P::Code>>> {
        unless_blocked(
            self.policy.try_write(),
            "the policy is in use: adapt a copy of it, or wait until its playouts are done",
        )
    }

    /// A whole game of these moves.
    fn followed(&self, policy: &policy::Policy<P::Code>, moves: &[P::Move]) -> PyResult<Playout> {
        let (problem, mut sequence) = (&self.shared.problem, Sequence::default());
        let player =
            |player: &mut Playouts<_>| player.follow(problem, policy, moves, &mut sequence);
        let followed = self.shared.with_player(player);
        check(&**problem)?;
        Ok(self.recorded(followed.map_err(wrong)?, sequence))
    }

    fn recorded(&self, score: f64, sequence: Sequence<P>) -> Playout {
        let reported = sequence.reported;
        let (shared, sequence) = (Arc::clone(&self.shared), Mutex::new(sequence));
        Playout { score, reported, recorded: Box::new(Played { shared, sequence }) }
    }
}

/// A policy that has learned nothing. A prior takes the place of the problem's bias.
pub fn blank<P: Exposed>(problem: Arc<P>, prior: ByCode<f64>) -> Box<dyn Primitives> {
    let problem = Biased::new(problem, prior);
    let policy = RwLock::new(policy::Policy::new(&problem));
    let shared = Shared { problem, players: Mutex::default(), searches: Mutex::default() };
    Box::new(Owned { shared: Arc::new(shared), policy })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unless_blocked<G>(lock: Result<G, TryLockError<G>>, blocked: &'static str) -> PyResult<G> {
    match lock {
        Ok(guard) => Ok(guard),
        Err(TryLockError::Poisoned(guard)) => Ok(guard.into_inner()),
        Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(blocked)),
    }
}

impl<P: Exposed> Primitives for Owned<P> {
    fn copy(&self) -> PyResult<Box<dyn Primitives>> {
        let policy = RwLock::new(self.read()?.clone());
        Ok(Box::new(Owned { shared: Arc::clone(&self.shared), policy }))
    }

    fn weights(&self) -> PyResult<Vec<(u64, f64)>> {
        let weights = self.read()?.weights();
        Ok(weights.into_iter().map(|(code, weight)| (code.into(), weight)).collect())
    }

    fn set_weights(&self, weights: &[(u64, f64)]) -> PyResult<()> {
        let coded = weights.iter().map(|&(number, weight)| {
            let code = P::Code::try_from(number)
                .map_err(|_| wrong(format!("the problem has no code {number}")))?;
            match weight.is_finite() {
                true => Ok((code, weight)),
                false => Err(wrong(format!("not a finite weight: {weight}"))),
            }
        });
        let coded: Vec<_> = coded.collect::<PyResult<_>>()?;
        let policy = policy::Policy::with_weights(&self.shared.problem, &coded);
        *self.write()? = policy.map_err(wrong)?;
        Ok(())
    }

    fn playouts(
        &self,
        py: Python<'_>,
        keys: Keys<'_>,
        all: bool,
        style: Style<Bound<'_, PyAny>>,
        meter: &Meter<'_>,
    ) -> PyResult<Vec<Playout>> {
        let guard = self.read()?;
        let policy = &*guard;
        let Style { after, epsilon, temperature } = style;
        let after = read_moves(&*self.shared.problem, &after)?;
        let style = Style { after, epsilon, temperature };
        let mut refused = None;
        let mut kept: Vec<(f64, Sequence<P>)> = Vec::new();
        let mut new = Sequence::default();
        let mut keys = keys.peekable();
        self.shared.call(py, meter, |problem, deadline, metered| {
            self.shared.with_player(|player| {
                // The last playout of a budget is returned: what the caller makes of it counts.
                while let Some(&key) = keys.peek() {
                    if metered.used_up() || Instant::now() >= deadline {
                        return None;
                    }
                    keys.next();
                    let score = if style.is_plain() {
                        Ok(player.run(problem, policy, key, &mut new))
                    } else {
                        player.run_styled(problem, policy, key, &style, &mut new)
                    };
                    if problem.failed() {
                        return None;
                    }
                    let score = match score {
                        Ok(score) => score,
                        Err(why) => {
                            refused = Some(why);
                            return Some(());
                        }
                    };
                    metered.count(new.reported, &new.moves);
                    match kept.last_mut() {
                        Some((best, _)) if !all && score < *best => {}
                        Some(kept) if !all => {
                            kept.0 = score;
                            std::mem::swap(&mut kept.1, &mut new);
                        }
                        _ => kept.push((score, std::mem::take(&mut new))),
                    }
                }
                Some(())
            })
        })?;
        if let Some(why) = refused {
            return Err(wrong(why));
        }
        Ok(kept.into_iter().map(|(score, sequence)| self.recorded(score, sequence)).collect())
    }

    fn follow(&self, moves: &[Bound<'_, PyAny>]) -> PyResult<Playout> {
        let moves = read_moves(&*self.shared.problem, moves)?;
        self.followed(&*self.read()?, &moves)
    }

    fn run_levels(
        &self,
        py: Python<'_>,
        algorithm: Algorithm,
        key: Key,
        threads: usize,
        meter: &Meter<'_>,
    ) -> PyResult<Playout> {
        let idle = lock(&self.shared.searches).pop().filter(|(its, _)| *its == algorithm);
        let mut search = match idle {
            Some((_, search)) => search,
            None => algorithm.start_child(&self.shared.problem, key).map_err(wrong)?,
        };
        search.begin(&*self.read()?, key);
        self.shared.call(py, meter, |problem, deadline, metered| {
            metered.advance(&mut search, problem, deadline, threads)
        })?;
        let (score, sequence) = search.take_best();
        lock(&self.shared.searches).push((algorithm, search));
        Ok(self.recorded(score, sequence))
    }

    fn run_search(
        &self,
        py: Python<'_>,
        algorithm: &Algorithm,
        key: Key,
        meter: &Meter<'_>,
    ) -> PyResult<Playout> {
        let guard = self.read()?;
        let policy = &*guard;
        let start = algorithm.start_from(&self.shared.problem, policy, key);
        let mut search = start.map_err(wrong)?;
        self.shared.call(py, meter, |problem, deadline, metered| {
            metered.advance(&mut search, problem, deadline, 1)
        })?;
        self.followed(policy, &search.meter().moves)
    }

    fn adapt(&self, playout: &Playout, rates: &[f64]) -> PyResult<()> {
        let found = (&*playout.recorded as &dyn Any).downcast_ref::<Played<P>>();
        let own = found.filter(|played| Arc::ptr_eq(&played.shared, &self.shared));
        let played = own.ok_or_else(|| wrong("a playout of another problem"))?;
        let mut policy = self.write()?;
        let mut sequence = lock(&played.sequence);
        self.shared.with_player(|player| player.adapt_by_step(&mut policy, &mut sequence, rates));
        Ok(())
    }
}

struct Played<P: Exposed> {
    shared: Arc<Shared<P>>,
    /// Behind a lock, since adapt stores things in it.
    sequence: Mutex<Sequence<P>>,
}

impl<P: Exposed> Recorded for Played<P> {
    fn moves(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        let moves = lock(&self.sequence).moves.clone();
        let problem = &*self.shared.problem;
        write_moves(problem, py, &moves)
    }

    fn steps(&self) -> Vec<Choice> {
        let sequence = lock(&self.sequence);
        let bias = self.shared.problem.bias();
        let mut start = 0;
        let step = |step: &Step| {
            let moves = start..step.end as usize;
            start = moves.end;
            let codes: Vec<u64> =
                sequence.codes[moves.clone()].iter().map(|&code| code.into()).collect();
            let biases = match &bias {
                Bias::None => vec![0.0; codes.len()],
                Bias::PerCode(betas) => codes.iter().map(|&code| betas[code as usize]).collect(),
                Bias::PerMove | Bias::Learned(_) => sequence.biases[moves].to_vec(),
            };
            Choice { codes, biases, chosen: step.chosen }
        };
        sequence.steps.iter().map(step).collect()
    }
}
