//! Searches as Python sees them: a value that `advance` moves.

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nestor_engine::algorithm::Algorithm;
use nestor_engine::biased::Biased;
use nestor_engine::meter::{Limits, Stop};
use nestor_engine::playout::Playouts;
use nestor_engine::policy::Policy;
use nestor_engine::prior::{ByCode, replay as count_codes};
use nestor_engine::random::Key;
use nestor_engine::search as engine;
use nestor_engine::sequence::Sequence;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::crossword::Crossword;
use crate::export::Export;
use crate::kakuro::Kakuro;
use crate::latin_square::LatinSquare;
use crate::problems::{HashTree, Morpion, SameGame, Tsptw};
use crate::python_problem::PythonProblem;
use crate::rna::Rna;

/// Calls `$body` with `$problem` bound to the native problem behind a Python object.
macro_rules! with_problem {
    ($object:expr, $problem:ident => $body:expr) => {{
        let object = $object;
        with_problem!(@try object, $problem, $body,
            Tsptw, SameGame, Morpion, Crossword, LatinSquare, Kakuro, Rna, HashTree, PythonProblem);
        Err(PyTypeError::new_err(format!("not a problem of the core: {object}")))
    }};
    (@try $object:ident, $problem:ident, $body:expr, $($class:ty),*) => {$(
        if let Ok(found) = $object.cast::<$class>() {
            let $problem = Arc::clone(&found.get().0);
            return $body;
        }
    )*};
}

pub(crate) use with_problem;

/// Playouts, seconds, score and level of an improvement.
type ImprovementData = (u64, f64, f64, u32);

/// One job, whatever its problem.
trait Job: Send + Sync {
    fn advance(&mut self, limits: &Limits) -> Stop;
    fn playouts(&self) -> u64;
    fn score(&self) -> f64;
    fn moves(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>>;
    fn improvements(&self) -> Vec<ImprovementData>;
    fn save(&self) -> Vec<u8>;
    fn restore(&mut self, saved: &[u8]) -> Result<(), String>;
    fn progress(&self) -> Vec<(u64, u64)>;
    fn restarts(&self) -> u64;
    fn take_error(&self) -> Option<PyErr>;
}

struct Run<P: Export> {
    problem: Biased<Arc<P>>,
    search: Box<dyn engine::Search<Biased<Arc<P>>>>,
}

impl<P: Export> Job for Run<P> {
    fn advance(&mut self, limits: &Limits) -> Stop {
        self.search.advance(&self.problem, limits)
    }

    fn playouts(&self) -> u64 {
        self.search.playouts()
    }

    fn score(&self) -> f64 {
        self.search.best().0
    }

    fn moves(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        let (_, moves) = self.search.best();
        moves.iter().map(|&mv| self.problem.problem.export_move(py, mv)).collect()
    }

    fn improvements(&self) -> Vec<ImprovementData> {
        let improvements = &self.search.meter().improvements;
        improvements.iter().map(|i| (i.playouts, i.seconds, i.score, i.level)).collect()
    }

    fn save(&self) -> Vec<u8> {
        self.search.save()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), String> {
        self.search.restore(&self.problem, saved)
    }

    fn progress(&self) -> Vec<(u64, u64)> {
        self.search.progress()
    }

    fn restarts(&self) -> u64 {
        self.search.restarts()
    }

    fn take_error(&self) -> Option<PyErr> {
        let errors = self.problem.problems().filter_map(|problem| problem.take_error());
        errors.reduce(|first, _| first)
    }
}

/// Reads an algorithm: a dict of its name and its settings.
pub(crate) fn read_algorithm(settings: &Bound<'_, PyAny>) -> PyResult<Algorithm> {
    pythonize::depythonize(settings).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The problem of the core of this kind, of an object that must be one.
fn of_kind<P: Export>(object: &Bound<'_, PyAny>) -> PyResult<Arc<P>> {
    let wrong = || PyTypeError::new_err(format!("not the same problem: {object}"));
    with_problem!(object, native => {
        (native as Arc<dyn Any + Send + Sync>).downcast().map_err(|_| wrong())
    })
}

fn start<P: Export>(
    problem: &Arc<P>,
    algorithm: &Algorithm,
    seed: u64,
    jobs: u64,
    betas: &ByCode<f64>,
    others: &[Arc<P>],
) -> PyResult<Vec<Box<dyn Job>>> {
    let job = |job| {
        let (problem, betas) = (Arc::clone(problem), betas.clone());
        let problem = match algorithm.learned_bias_weights() {
            Some(weights) => Biased::learning(problem, others.to_vec(), betas, weights)
                .map_err(PyValueError::new_err)?,
            None => Biased::new(problem, betas),
        };
        let search =
            algorithm.start(&problem, Key::root(seed, job)).map_err(PyValueError::new_err)?;
        Ok(Box::new(Run { problem, search }) as Box<dyn Job>)
    };
    (0..jobs).map(job).collect()
}

/// Independent jobs of one algorithm on one problem.
///
/// The algorithm is a dict of its name and its settings ([`Algorithm`]). A prior gives beta by prior
/// code and takes the place of the problem's bias. If the weights of biases are learned, it is one
/// more bias, and so are those of `others`, each the same problem with another bias: the problem's
/// comes first, the prior last.
#[pyclass(module = "nestor._core")]
pub struct Search {
    jobs: Vec<Box<dyn Job>>,
    cancel: AtomicBool,
}

#[pymethods]
impl Search {
    #[new]
    #[pyo3(signature = (problem, algorithm, seed, jobs, prior=None, others=Vec::new()))]
    fn new(
        problem: &Bound<'_, PyAny>,
        algorithm: &Bound<'_, PyAny>,
        seed: u64,
        jobs: u64,
        prior: Option<HashMap<u64, f64>>,
        others: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let algorithm = read_algorithm(algorithm)?;
        if !others.is_empty() && algorithm.learned_bias_weights().is_none() {
            return Err(PyValueError::new_err("several biases need weights that are learned"));
        }
        let cancel = AtomicBool::new(false);
        let betas = prior.into_iter().flatten().collect();
        with_problem!(problem, native => {
            let others = others.iter().map(of_kind).collect::<PyResult<Vec<_>>>()?;
            Ok(Search { jobs: start(&native, &algorithm, seed, jobs, &betas, &others)?, cancel })
        })
    }

    /// Moves every job on, for at most `seconds`, to at most its share of `playouts`.
    ///
    /// Returns "target", "finished", "playouts" or, when there is more to do, "seconds". Raises
    /// what a callback of the problem raised; the jobs stay as they were before that playout.
    #[pyo3(signature = (seconds, threads, playouts=None, target=None, restart=true))]
    fn advance(
        &mut self,
        py: Python<'_>,
        seconds: f64,
        threads: usize,
        playouts: Option<u64>,
        target: Option<f64>,
        restart: bool,
    ) -> PyResult<&'static str> {
        self.cancel.store(false, Ordering::Relaxed);
        let stops = py.detach(|| self.run(seconds, threads.max(1), playouts, target, restart));
        if stops.contains(&Stop::Failed)
            && let Some(error) = self.jobs.iter().find_map(|job| job.take_error())
        {
            return Err(error);
        }
        Ok(if stops.contains(&Stop::Target) {
            "target"
        } else if stops.iter().all(|&stop| stop == Stop::Finished) {
            "finished"
        } else if stops.iter().all(|stop| matches!(stop, Stop::Finished | Stop::Playouts)) {
            "playouts"
        } else {
            "seconds"
        })
    }

    /// The state of every job, complete but for problem and settings.
    fn save<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyBytes>> {
        self.jobs.iter().map(|job| PyBytes::new(py, &job.save())).collect()
    }

    /// Takes what `save` returned, for a search just begun with the same problem and settings.
    fn restore(&mut self, jobs: Vec<Vec<u8>>) -> PyResult<()> {
        if jobs.len() != self.jobs.len() {
            return Err(PyValueError::new_err(format!("it has {} jobs", jobs.len())));
        }
        for (job, saved) in self.jobs.iter_mut().zip(&jobs) {
            job.restore(saved).map_err(|error| {
                job.take_error().unwrap_or_else(|| PyValueError::new_err(error))
            })?;
        }
        Ok(())
    }

    /// Playouts done by all jobs.
    #[getter]
    fn playouts(&self) -> u64 {
        self.jobs.iter().map(|job| job.playouts()).sum()
    }

    /// The best score of all jobs, None before the first playout.
    #[getter]
    fn score(&self) -> Option<f64> {
        self.best().map(|job| job.score())
    }

    /// The moves of the best sequence, of the first of the jobs that reached the best score.
    #[getter]
    fn moves(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        self.best().map_or(Ok(Vec::new()), |job| job.moves(py))
    }

    /// For each job its new best scores in order: (playouts of the job, seconds, score, level).
    #[getter]
    fn improvements(&self) -> Vec<Vec<ImprovementData>> {
        self.jobs.iter().map(|job| job.improvements()).collect()
    }

    /// (iterations done, iterations) of each level of the first job, from level 1 upwards.
    #[getter]
    fn progress(&self) -> Vec<(u64, u64)> {
        self.jobs.first().map_or(Vec::new(), |job| job.progress())
    }

    /// Searches completed by all jobs.
    #[getter]
    fn restarts(&self) -> u64 {
        self.jobs.iter().map(|job| job.restarts()).sum()
    }
}

impl Search {
    fn best(&self) -> Option<&dyn Job> {
        let played = self.jobs.iter().filter(|job| job.playouts() > 0);
        played
            .reduce(|best, job| if job.score() > best.score() { job } else { best })
            .map(|job| &**job)
    }

    /// Job j runs on thread j modulo `threads`; each thread shares its time among its jobs. With
    /// more threads than jobs these are divided among the jobs.
    fn run(
        &mut self,
        seconds: f64,
        threads: usize,
        playouts: Option<u64>,
        target: Option<f64>,
        restart: bool,
    ) -> Vec<Stop> {
        let jobs = self.jobs.len();
        // Threads beyond the jobs help within them, as far as there are cores.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let helping = threads.min(cores).max(jobs);
        let team = |index: usize| helping / jobs + usize::from(index < helping % jobs);
        let threads = threads.min(jobs);
        let slice = Duration::from_secs_f64(seconds / jobs.div_ceil(threads) as f64);
        let cancel = &self.cancel;
        let advance = |index: usize, job: &mut Box<dyn Job>| {
            let share =
                |total: u64| total / jobs as u64 + u64::from((index as u64) < total % jobs as u64);
            let stop = job.advance(&Limits {
                playouts: playouts.map_or(u64::MAX, share),
                deadline: Some(Instant::now() + slice),
                target: target.unwrap_or(f64::INFINITY),
                restart,
                threads: team(index),
                cancel,
            });
            if matches!(stop, Stop::Target | Stop::Failed) {
                cancel.store(true, Ordering::Relaxed);
            }
            stop
        };
        let mut lanes: Vec<Vec<(usize, &mut Box<dyn Job>)>> =
            (0..threads).map(|_| Vec::new()).collect();
        for (index, job) in self.jobs.iter_mut().enumerate() {
            lanes[index % threads].push((index, job));
        }
        let work = |lane: Vec<(usize, &mut Box<dyn Job>)>| -> Vec<Stop> {
            lane.into_iter().map(|(index, job)| advance(index, job)).collect()
        };
        let work = &work;
        std::thread::scope(|scope| {
            let mut lanes = lanes.into_iter();
            let first = lanes.next().unwrap_or_default();
            let others: Vec<_> = lanes.map(|lane| scope.spawn(move || work(lane))).collect();
            let mut stops = work(first);
            for thread in others {
                stops
                    .extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            stops
        })
    }
}

/// One step of a playthrough: the moves, their codes, their prior codes, their biases, the index of
/// the chosen one.
type StepData = (Vec<Py<PyAny>>, Vec<u64>, Vec<u64>, Vec<f64>, usize);

/// Plays one uniform playout and returns every step and the engine's score, to compare with the
/// problem's Python twin.
#[pyfunction]
pub fn playthrough(
    py: Python<'_>,
    problem: &Bound<'_, PyAny>,
    seed: u64,
) -> PyResult<(Vec<StepData>, f64)> {
    with_problem!(problem, native => steps(py, &*native, seed))
}

fn steps<P: Export>(py: Python<'_>, problem: &P, seed: u64) -> PyResult<(Vec<StepData>, f64)> {
    use nestor_engine::problem::{Bias, Moves};
    let mut sequence = Sequence::default();
    let policy = Policy::new(problem);
    let score = Playouts::new(problem).run(problem, &policy, Key(seed), &mut sequence);
    if let Some(error) = problem.take_error() {
        return Err(error);
    }
    let per_code = match problem.bias() {
        Bias::PerCode(betas) => betas,
        Bias::None | Bias::PerMove | Bias::Learned(_) => Vec::new(),
    };
    let mut state = problem.initial();
    problem.reset(&mut state);
    let mut steps = Vec::new();
    for (step, &mv) in sequence.steps.iter().zip(&sequence.moves) {
        let (mut moves, mut codes, mut biases) = (Vec::new(), Vec::new(), Vec::new());
        problem.moves(&mut state, &mut Moves::new(&mut moves, &mut codes, &mut biases));
        let coded = moves.iter().zip(&codes);
        let prior = coded.map(|(&mv, &code)| problem.prior_code(&state, mv, code)).collect();
        let moves: PyResult<_> = moves.iter().map(|&mv| problem.export_move(py, mv)).collect();
        let codes: Vec<u64> = codes.into_iter().map(Into::into).collect();
        if !per_code.is_empty() {
            biases = codes.iter().map(|&code| per_code[code as usize]).collect();
        }
        steps.push((moves?, codes, prior, biases, step.chosen as usize));
        problem.play(&mut state, mv);
    }
    Ok((steps, score))
}

/// Follows a solution through a problem and returns (prior code, times it was the solution's move,
/// times it was legal) of every code met, in order. Raises IndexError with the number of the first
/// move that is not legal.
#[pyfunction]
pub fn replay(
    py: Python<'_>,
    problem: &Bound<'_, PyAny>,
    moves: Vec<Bound<'_, PyAny>>,
) -> PyResult<Vec<(u64, u64, u64)>> {
    with_problem!(problem, native => {
        let moves: Vec<_> = moves.iter().map(|mv| native.import_move(mv)).collect::<PyResult<_>>()?;
        let mut counts = ByCode::default();
        let followed = py.detach(|| count_codes(&*native, moves, &mut counts));
        if let Some(error) = native.take_error() {
            return Err(error);
        }
        followed.map_err(PyIndexError::new_err)?;
        let mut rows: Vec<_> = counts.into_iter().map(|(code, c)| (code, c.count, c.nb)).collect();
        rows.sort_unstable();
        Ok(rows)
    })
}
