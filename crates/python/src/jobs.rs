//! Searches as Python sees them: values that `advance` moves.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nestor_engine::Algorithm;
use nestor_engine::biased::Biased;
use nestor_engine::job::{Job, Sequences, Single, Standing};
use nestor_engine::meter::{self, Counts, Improvement, Stop};
use nestor_engine::prior::ByCode;
use nestor_engine::random::Key;
use nestor_problems::exposed::{Cut, Exposed};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use pythonize::pythonize;

use crate::closing::Inside;
use crate::guide::Guide;
use crate::own::Own;
use crate::side_by_side::{granted, side_by_side};
use crate::{check, read_moves, write_moves, wrong};

/// The playouts and the moves of the last improvements.
pub type Trail = Vec<(u64, Vec<Py<PyAny>>)>;

/// One job, for a problem of any type.
pub trait Held: Send + Sync {
    fn job(&self) -> &dyn Job;
    fn job_mut(&mut self) -> &mut dyn Job;
    /// The moves of the best sequence.
    fn moves(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>>;
    fn trail(&self, py: Python<'_>) -> PyResult<Trail>;
    /// Takes over a sequence from outside. Returns its score.
    fn adopt(&mut self, moves: &[Bound<'_, PyAny>], strength: u64) -> PyResult<f64>;
    /// Sets when a game is cut off.
    fn cut(&self, cut: &Cut);
    /// Fails with the exception that a callback raised, if one did.
    fn check(&self) -> PyResult<()>;
}

impl dyn Held + '_ {
    fn playouts(&self) -> u64 {
        self.job().totals().playouts
    }

    fn score(&self) -> f64 {
        self.job().totals().score
    }
}

/// A job, and all problems that it searches.
struct Run<P: Exposed> {
    problems: Vec<Arc<P>>,
    guides: Vec<Arc<Guide<P>>>,
    job: Box<dyn Sequences<Move = P::Move>>,
}

impl<P: Exposed> Held for Run<P> {
    fn job(&self) -> &dyn Job {
        &*self.job
    }

    fn job_mut(&mut self) -> &mut dyn Job {
        &mut *self.job
    }

    fn moves(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        write_moves(&*self.problems[0], py, self.job.moves())
    }

    fn trail(&self, py: Python<'_>) -> PyResult<Trail> {
        let trail = self.job.trail().into_iter();
        let written = |moves| write_moves(&*self.problems[0], py, moves);
        trail.map(|(playouts, moves)| Ok((playouts, written(moves)?))).collect()
    }

    fn adopt(&mut self, moves: &[Bound<'_, PyAny>], strength: u64) -> PyResult<f64> {
        let moves = read_moves(&*self.problems[0], moves)?;
        let adopted = self.job.adopt(&moves, strength);
        self.check()?;
        adopted.map_err(wrong)
    }

    fn cut(&self, cut: &Cut) {
        self.problems.iter().for_each(|problem| problem.cut(cut));
        self.guides.iter().for_each(|guide| guide.cut(cut));
    }

    fn check(&self) -> PyResult<()> {
        let guides = self.guides.iter().map(|guide| guide.check());
        let problems = self.problems.iter().map(|problem| check(&**problem));
        guides.chain(problems).fold(Ok(()), Result::and)
    }
}

/// What a job searches with; there are several in a race.
pub struct Entrant<P> {
    pub problem: Arc<P>,
    pub algorithm: Algorithm,
    pub key: Key,
    pub prior: ByCode<f64>,
    /// The same problem with other biases.
    pub others: Vec<Arc<P>>,
    /// A model in place of all of these.
    pub model: Option<Py<PyAny>>,
}

/// Starts a job: the searches of the entrants, which the algorithm joins.
pub fn start<P: Exposed>(entrants: Vec<Entrant<P>>, joined: &Algorithm) -> PyResult<Box<dyn Held>> {
    let (mut problems, mut guides) = (Vec::new(), Vec::new());
    let mut searches = Vec::new();
    for Entrant { problem, algorithm, key, prior, others, model } in entrants {
        problems.push(Arc::clone(&problem));
        problems.extend(others.iter().cloned());
        let problem = match (algorithm.learned_bias_weights(), model) {
            (Some(weights), _) => {
                Biased::learning(problem, others, prior, weights).map_err(wrong)?
            }
            (None, Some(model)) => {
                let guide = Arc::new(Guide::new(Arc::clone(&problem), model));
                guides.push(Arc::clone(&guide));
                Biased::guided(problem, guide)
            }
            (None, None) => Biased::new(problem, prior),
        };
        let search = algorithm.start(&problem, key).map_err(wrong)?;
        searches.push(Single { problem, search });
    }
    Ok(Box::new(Run { problems, guides, job: joined.join(searches).map_err(wrong)? }))
}

/// How far a search goes in one call of `advance`, as Python says it.
#[derive(Clone, Copy, FromPyObject)]
struct Limits {
    seconds: f64,
    threads: usize,
    playouts: Option<u64>,
    target: Option<f64>,
    restart: bool,
    cut: Option<f64>,
    longest: u64,
    each: Option<u64>,
    first: Option<f64>,
}

/// Independent jobs on one problem.
#[pyclass(module = "nestor._core")]
pub struct Search {
    jobs: Vec<Box<dyn Held>>,
    /// The problem of each job, if it is a user's own: in a race one for each setting, which number
    /// codes together.
    own: Vec<Vec<Arc<Own>>>,
    cancel: AtomicBool,
    /// What is called with new bests, and how many of each job it knows.
    told: Option<(Py<PyAny>, Vec<usize>)>,
    /// How many threads were wanted last, and how many of them the system grants.
    granted: (usize, usize),
}

impl Search {
    pub fn new(jobs: Vec<Box<dyn Held>>, own: Vec<Vec<Arc<Own>>>) -> Self {
        Search { jobs, own, cancel: AtomicBool::new(false), told: None, granted: (1, 1) }
    }
}

#[pymethods]
impl Search {
    /// Advances every job up to these limits: those of time and of games are for all of them.
    ///
    /// Returns "target", "finished", "playouts" or, if there is more to do, "seconds". Raises what
    /// a callback of the problem raised; the jobs are then as they were before that playout. So
    /// they are if a game of a user's own problem is cut off, which raises `CutOffError`.
    fn advance(&mut self, py: Python<'_>, limits: Limits) -> PyResult<&'static str> {
        let _inside = Inside::enter()?;
        self.cancel.store(false, Ordering::Relaxed);
        let first = Cut::new(limits.first.or(limits.cut), None).first;
        let cut = Cut { first, ..Cut::new(limits.cut, Some(limits.longest)) };
        self.jobs.iter().for_each(|job| job.cut(&cut));
        let stops = py.detach(|| {
            let mut limits = limits;
            // It returns after the first playout of each job: then the games after it are cut off in time.
            if limits.first.is_some() {
                let begun = Instant::now();
                let stops = self.run(&Limits { each: Some(1), ..limits }, &cut.played)?;
                if !stops.iter().all(|stop| matches!(stop, Stop::Finished | Stop::Playouts)) {
                    return Ok(stops);
                }
                limits.seconds = (limits.seconds - begun.elapsed().as_secs_f64()).max(0.0);
            }
            self.run(&limits, &cut.played)
        });
        self.jobs.iter().for_each(|job| job.cut(&Cut::default()));
        let stops = stops?;
        if stops.contains(&Stop::Failed) {
            self.check()?;
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

    /// Has a function called with the new bests of a job as soon as they are found, whatever the other
    /// jobs do: with the number of the job, its new improvements and the moves of the last.
    fn tell(&mut self, told: Py<PyAny>) {
        let known = self.jobs.iter().map(|job| job.job().improvements().len()).collect();
        self.told = Some((told, known));
    }

    /// Waits until every job stands where it can be saved: here each does when `advance` returns.
    #[expect(unused_variables, reason = "they have names in Python")]
    fn rest(&self, enough: &Bound<'_, PyAny>, most: Option<f64>) {}

    /// Ends what goes on between calls: here nothing does.
    fn settle(&self) {}

    /// Whether the jobs are in other processes.
    #[getter]
    fn elsewhere(&self) -> bool {
        false
    }

    /// How many segments run at once on workers.
    #[getter]
    fn width(&self) -> usize {
        0
    }

    /// The playouts that each worker has done.
    #[getter]
    fn done_by(&self) -> HashMap<String, u64> {
        HashMap::new()
    }

    /// For each job what its algorithm keeps besides: here none does.
    #[getter]
    fn records<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyDict>> {
        self.jobs.iter().map(|_| PyDict::new(py)).collect()
    }

    /// Scores that other processes have not asked: there are no such processes.
    #[getter]
    fn remembered(&self) -> u64 {
        0
    }

    /// The whole state of every job, without the problem and the settings.
    fn save<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyBytes>> {
        self.jobs.iter().map(|job| PyBytes::new(py, &job.job().save())).collect()
    }

    /// Takes what `save` returned, for a new search with the same problem and settings, and what
    /// `codes` was then.
    #[pyo3(signature = (jobs, codes=Vec::new()))]
    fn restore(&mut self, jobs: Vec<Vec<u8>>, codes: Vec<Vec<Bound<'_, PyAny>>>) -> PyResult<()> {
        if jobs.len() != self.jobs.len() {
            let told = format!("it was saved with {} jobs, not {}", jobs.len(), self.jobs.len());
            return Err(wrong(told));
        }
        self.own.iter().zip(codes).try_for_each(|(own, codes)| own[0].set_codes(codes))?;
        for (job, saved) in self.jobs.iter_mut().zip(&jobs) {
            job.job_mut()
                .restore(saved)
                .map_err(|error| job.check().err().unwrap_or_else(|| wrong(error)))?;
        }
        Ok(())
    }

    /// Makes a job take over a complete sequence from outside into its top level, whose policy adapts
    /// to it `strength` times. It counts as a playout. Returns its score.
    fn adopt(&mut self, job: usize, moves: Vec<Bound<'_, PyAny>>, strength: u64) -> PyResult<f64> {
        let job = self.jobs.get_mut(job).ok_or_else(|| wrong("there is no such job"))?;
        job.cut(&Cut::default());
        job.adopt(&moves, strength)
    }

    /// The playouts of each job.
    #[getter]
    fn job_playouts(&self) -> Vec<u64> {
        self.jobs.iter().map(|job| job.playouts()).collect()
    }

    /// The best score of each job; None before its first playout.
    #[getter]
    fn job_scores(&self) -> Vec<Option<f64>> {
        self.jobs.iter().map(|job| (job.playouts() > 0).then(|| job.score())).collect()
    }

    /// The moves of the best sequence of a job.
    fn job_moves(&self, py: Python<'_>, job: usize) -> PyResult<Vec<Py<PyAny>>> {
        self.jobs.get(job).ok_or_else(|| wrong("there is no such job"))?.moves(py)
    }

    /// For each job the codes of a user's own problem, in the order of their numbers in its state.
    #[getter]
    fn codes<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyList>> {
        self.own.iter().map(|own| own[0].codes(py)).collect()
    }

    /// Scores of a user's own problem that took a millisecond or longer, and those of them whose game had
    /// been scored before in the same job.
    #[getter]
    fn slow_scores(&self) -> (u64, u64) {
        let counts = self.own.iter().flatten().map(|own| own.repeats());
        counts.fold((0, 0), |(all, again), (slow, repeated)| (all + slow, again + repeated))
    }

    /// Playouts done by all jobs.
    #[getter]
    fn playouts(&self) -> u64 {
        self.jobs.iter().map(|job| job.playouts()).sum()
    }

    /// What all jobs have counted besides, by name.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let counts = self.jobs.iter().map(|job| job.job().totals().counts);
        Ok(pythonize(py, &counts.sum::<Counts>())?)
    }

    /// The best score of all jobs; None before the first playout.
    #[getter]
    fn score(&self) -> Option<f64> {
        self.best().map(|(_, job)| job.score())
    }

    /// The moves of the best sequence; of several jobs with the best score, those of the first.
    #[getter]
    fn moves(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        self.best().map_or(Ok(Vec::new()), |(_, job)| job.moves(py))
    }

    /// The same as a user's own problem gave them, if this search has played them. None otherwise.
    #[getter]
    fn played(&self, py: Python<'_>) -> Option<Vec<Py<PyAny>>> {
        let (number, job) = self.best()?;
        self.own.get(number)?.iter().find_map(|own| own.moves_of_best(py, job.score()))
    }

    /// For each job its new best scores in order: playouts of the job, seconds, score and level.
    #[getter]
    fn improvements<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.jobs.iter().map(|job| Ok(pythonize(py, job.job().improvements())?)).collect()
    }

    /// For each job the playouts and the moves of its last new best scores.
    #[getter]
    fn trail(&self, py: Python<'_>) -> PyResult<Vec<Trail>> {
        self.jobs.iter().map(|job| job.trail(py)).collect()
    }

    /// (iterations done, iterations) of each level of the first job, from level 1 upwards.
    #[getter]
    fn progress(&self) -> Vec<(u64, u64)> {
        self.jobs.first().map_or(Vec::new(), |job| job.job().progress())
    }

    /// For each job the searches of its race: playouts, best score, and whether it is still in.
    #[getter]
    fn standings(&self) -> Vec<Vec<Standing>> {
        self.jobs.iter().map(|job| job.job().standings()).collect()
    }
}

impl Search {
    /// The first of the best jobs, and its number.
    fn best(&self) -> Option<(usize, &dyn Held)> {
        let jobs = self.jobs.iter().map(|job| &**job).enumerate();
        let played = jobs.filter(|(_, job)| job.playouts() > 0);
        played.reduce(|best, next| if next.1.score() > best.1.score() { next } else { best })
    }

    /// Job j runs on thread j modulo `threads`, and each thread divides its time among its jobs. If
    /// there are more threads than jobs, the threads are divided among the jobs. `played` becomes true once
    /// a job has returned that has a playout.
    fn run(&mut self, limits: &Limits, played: &AtomicBool) -> PyResult<Vec<Stop>> {
        let (jobs, threads) = (self.jobs.len(), limits.threads.max(1));
        // Threads beyond the number of jobs help within the jobs, as far as there are cores. Rules in
        // Python may wait for something: as many scores are asked for at once as threads are given.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let useful = if self.own.is_empty() { cores } else { usize::MAX };
        let wanted = threads.min(useful.max(jobs));
        if self.granted.0 != wanted {
            self.granted = (wanted, granted(wanted));
        }
        let threads = self.granted.1;
        let helping = threads.min(useful).max(jobs);
        let threads_of = |index: usize| helping / jobs + usize::from(index < helping % jobs);
        let threads = threads.min(jobs);
        let slice = limits.seconds / jobs.div_ceil(threads) as f64;
        let slice = Duration::try_from_secs_f64(slice).map_err(wrong)?;
        let end = || Instant::now().checked_add(slice);
        let (cancel, own) = (&self.cancel, &self.own);
        let (told, mut known) = match &mut self.told {
            Some((told, known)) => (Some(&*told), known.iter_mut()),
            None => (None, [].iter_mut()),
        };
        let advance = |(index, job, known): (usize, &mut Box<dyn Held>, Option<&mut usize>)| {
            let share =
                |total: u64| total / jobs as u64 + u64::from((index as u64) < total % jobs as u64);
            let most = limits.playouts.map_or(u64::MAX, share);
            let limits = meter::Limits {
                playouts: most.min(limits.each.unwrap_or(u64::MAX)),
                deadline: end(),
                target: limits.target.unwrap_or(f64::INFINITY),
                restart: limits.restart,
                threads: threads_of(index),
                cancel,
            };
            let stop = match told.zip(known) {
                None => Ok(job.job_mut().advance(&limits)),
                Some((told, known)) => telling(&mut **job, &limits, known, |py, found, moves| {
                    told.call1(py, (index, pythonize(py, found)?, moves)).map(drop)
                }),
            };
            played.fetch_or(job.playouts() > 0, Ordering::Relaxed);
            if matches!(stop, Ok(Stop::Target | Stop::Failed) | Err(_)) {
                cancel.store(true, Ordering::Relaxed);
            }
            stop
        };
        let mut per_thread: Vec<Vec<_>> = (0..threads).map(|_| Vec::new()).collect();
        for (index, job) in self.jobs.iter_mut().enumerate() {
            per_thread[index % threads].push((index, job, known.next()));
        }
        let work = |assigned: Vec<_>| -> Vec<PyResult<Stop>> {
            assigned.into_iter().map(advance).collect()
        };
        let mut signal = None;
        let stops = side_by_side(per_thread, &work, || {
            let checked = Python::attach(|py| {
                py.check_signals().inspect_err(|error| {
                    cancel.store(true, Ordering::Relaxed);
                    own.iter().flatten().for_each(|own| own.fail(error.clone_ref(py)));
                })
            });
            signal = signal.take().or(checked.err());
        });
        match signal {
            None => stops.into_iter().collect(),
            Some(error) => Err(self.check().err().unwrap_or(error)),
        }
    }

    /// Fails with the first exception that a callback raised, if one did.
    fn check(&self) -> PyResult<()> {
        self.jobs.iter().map(|job| job.check()).fold(Ok(()), Result::and)
    }
}

/// Advances a job from one new best to the next, and tells of those that are not `known`.
fn telling(
    job: &mut dyn Held,
    limits: &meter::Limits,
    known: &mut usize,
    tell: impl Fn(Python<'_>, &[Improvement], Vec<Py<PyAny>>) -> PyResult<()>,
) -> PyResult<Stop> {
    loop {
        let better = if job.playouts() > 0 { job.score().next_up() } else { f64::NEG_INFINITY };
        let stop =
            job.job_mut().advance(&meter::Limits { target: better.min(limits.target), ..*limits });
        let found = &job.job().improvements()[*known..];
        if !found.is_empty() {
            let _inside = Inside::enter()?;
            Python::attach(|py| tell(py, found, job.moves(py)?))?;
            *known += found.len();
        }
        if stop != Stop::Target || job.score() >= limits.target {
            return Ok(stop);
        }
    }
}
