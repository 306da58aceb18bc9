//! The one door to every problem: a trait object that can do all that the core does with a problem.

pub mod rna;

use std::any::Any;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use nestor_engine::Algorithm;
use nestor_engine::biased::Biased;
use nestor_engine::prior::ByCode;
use nestor_engine::random::Key;
use nestor_problems as problems;
use nestor_problems::exposed::{Cut, Exposed};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use serde::de::DeserializeOwned;

use crate::foreign::{self, Opened, Said, Steps};
use crate::jobs::{self, Entrant, Held, Search};
use crate::own::Own;
use crate::policy::{Policy, Primitives};
use crate::replay::{Counted, Step};
use crate::timing::Timing;
use crate::{policy, read, replay, timing, wrong};

/// A problem that comes with Nestor, made from its settings by name.
type Make = fn(&Bound<'_, PyDict>) -> PyResult<Arc<dyn Door>>;

/// The problems that come with Nestor.
const PROBLEMS: &[(&str, Make)] = &[
    ("crossword", |settings| make(problems::crossword::Crossword::new, settings)),
    ("day", |settings| make(problems::tsptw::day::Day::new, settings)),
    ("hash tree", |settings| make(problems::hash_tree::HashTree::checked, settings)),
    ("kakuro", |settings| make(problems::kakuro::Kakuro::new, settings)),
    ("latin", |settings| make(problems::latin_square::LatinSquare::new, settings)),
    ("morpion", |settings| {
        make(|instance| Ok(problems::morpion::Morpion::new(instance)), settings)
    }),
    ("rna", |settings| Ok(Arc::new(rna::make(settings)?))),
    ("samegame", |settings| make(problems::samegame::SameGame::new, settings)),
    ("tsptw", |settings| make(problems::tsptw::Tsptw::new, settings)),
];

fn make<I: DeserializeOwned, P: Exposed>(
    new: fn(I) -> Result<P, String>,
    settings: &Bound<'_, PyDict>,
) -> PyResult<Arc<dyn Door>> {
    Ok(Arc::new(new(read(settings)?).map_err(wrong)?))
}

/// What the core does with a problem of any type.
pub trait Door: Any + Send + Sync {
    /// Starts a job, of entrants that all have problems of this type.
    fn start(&self, entrants: Vec<Entered>, joined: &Algorithm) -> PyResult<Box<dyn Held>>;
    /// Sets when a game is cut off.
    fn cut(&self, cut: &Cut);
    /// A copy that fails, and is cut off, separately; none if it cannot fail.
    fn fork(&self) -> Option<Arc<dyn Door>>;
    /// Makes a blank policy.
    fn policy(self: Arc<Self>, prior: ByCode<f64>) -> Box<dyn Primitives>;
    /// Plays a uniform playout, step by step.
    fn playthrough(self: Arc<Self>, py: Python<'_>, key: u64) -> PyResult<(Vec<Step>, f64)>;
    /// Counts the codes that a solution meets, or only checks its moves.
    fn replay(
        &self,
        py: Python<'_>,
        moves: &[Bound<'_, PyAny>],
        count: bool,
    ) -> PyResult<Vec<Counted>>;
    /// Plays the given moves in the order in which they become legal.
    fn follow(&self, py: Python<'_>, moves: &[Bound<'_, PyAny>]) -> PyResult<Vec<Py<PyAny>>>;
    /// Measures where the time goes.
    fn timing(self: Arc<Self>, iterations: u64, rate: f64, playouts: u64) -> Timing;
}

impl<P: Exposed> Door for P {
    fn start(&self, entrants: Vec<Entered>, joined: &Algorithm) -> PyResult<Box<dyn Held>> {
        let same = |door: Arc<dyn Door>| {
            let door: Arc<dyn Any + Send + Sync> = door;
            door.downcast::<P>().map_err(|_| wrong("the others are not the same problem"))
        };
        let entrant = |Entered { door, algorithm, key, prior, others, model }| -> PyResult<_> {
            let others = others.into_iter().map(same).collect::<PyResult<_>>()?;
            Ok(Entrant { problem: same(door)?, algorithm, key, prior, others, model })
        };
        jobs::start(entrants.into_iter().map(entrant).collect::<PyResult<_>>()?, joined)
    }

    fn cut(&self, cut: &Cut) {
        Exposed::cut(self, cut);
    }

    fn fork(&self) -> Option<Arc<dyn Door>> {
        Exposed::fork(self).map(|fork| Arc::new(fork) as Arc<dyn Door>)
    }

    fn policy(self: Arc<Self>, prior: ByCode<f64>) -> Box<dyn Primitives> {
        policy::blank(self, prior)
    }

    fn playthrough(self: Arc<Self>, py: Python<'_>, key: u64) -> PyResult<(Vec<Step>, f64)> {
        replay::steps(&Biased::new(self, ByCode::default()), py, key)
    }

    fn replay(
        &self,
        py: Python<'_>,
        moves: &[Bound<'_, PyAny>],
        count: bool,
    ) -> PyResult<Vec<Counted>> {
        replay::counts(self, py, moves, count)
    }

    fn follow(&self, py: Python<'_>, moves: &[Bound<'_, PyAny>]) -> PyResult<Vec<Py<PyAny>>> {
        replay::followed(self, py, moves)
    }

    fn timing(self: Arc<Self>, iterations: u64, rate: f64, playouts: u64) -> Timing {
        timing::measure(&Biased::new(self, ByCode::default()), iterations, rate, playouts)
    }
}

/// What a job searches with; see [`Entrant`].
pub struct Entered {
    door: Arc<dyn Door>,
    algorithm: Algorithm,
    key: Key,
    prior: ByCode<f64>,
    others: Vec<Arc<dyn Door>>,
    model: Option<Py<PyAny>>,
}

/// What the searches of an entrant have in common.
struct Setup<'a> {
    problem: &'a Problem,
    algorithm: Algorithm,
    prior: ByCode<f64>,
    others: Vec<Arc<dyn Door>>,
}

/// The numbers of so many jobs. Searches of a race have the numbers from 2^32 on as well.
fn numbers(first: u64, jobs: u64) -> PyResult<Range<u64>> {
    let end = first.checked_add(jobs).filter(|&end| first < end && end <= 1 << 32);
    Ok(first..end.ok_or_else(|| wrong("jobs must be at least 1, and their numbers below 2^32"))?)
}

/// Starts jobs, each with searches of all that was asked for.
fn started(
    py: Python<'_>,
    setups: &[Setup<'_>],
    seed: u64,
    jobs: Range<u64>,
    joined: &Algorithm,
) -> PyResult<Search> {
    let mut own = Vec::new();
    let start = |number: u64| {
        let mut of_job: Vec<Arc<Own>> = Vec::new();
        let mut entrants = Vec::new();
        for (setup, place) in setups.iter().zip(0..) {
            let shared = &setup.problem.door;
            let door = if let Some(own) = &setup.problem.own {
                let renumbered = own.renumbered(py, of_job.first().map(|first| &**first));
                of_job.push(Arc::new(renumbered));
                Arc::clone(&of_job[of_job.len() - 1]) as Arc<dyn Door>
            } else {
                shared.fork().unwrap_or_else(|| Arc::clone(shared))
            };
            entrants.push(Entered {
                door,
                algorithm: setup.algorithm.clone(),
                // Each has random numbers of its own.
                key: Key::root(seed, number + (place << 32)),
                prior: setup.prior.clone(),
                others: setup.others.clone(),
                model: setup.problem.model.as_ref().map(|model| model.clone_ref(py)),
            });
        }
        own.extend((!of_job.is_empty()).then_some(of_job));
        setups[0].problem.door.start(entrants, joined)
    };
    let started = jobs.map(start).collect::<PyResult<_>>()?;
    Ok(Search::new(started, own))
}

/// An entrant as Python has it: the problem or a variant of it, and the algorithm, the prior and the
/// others of [`Problem::search`].
type Given<'py> =
    (PyRef<'py, Problem>, Bound<'py, PyAny>, Option<HashMap<u64, f64>>, Vec<PyRef<'py, Problem>>);

/// A problem: one that comes with Nestor, or a user's own.
#[pyclass(frozen, module = "nestor._core")]
pub struct Problem {
    pub door: Arc<dyn Door>,
    own: Option<Arc<Own>>,
    /// The steps of a problem behind the C interface.
    foreign: Option<Arc<dyn Steps>>,
    /// What gives the biases of a batch.
    model: Option<Py<PyAny>>,
}

impl Problem {
    /// Reads what a search of the problem is asked for.
    fn setup(
        &self,
        algorithm: &Bound<'_, PyAny>,
        prior: Option<HashMap<u64, f64>>,
        others: &[PyRef<'_, Problem>],
    ) -> PyResult<Setup<'_>> {
        let algorithm: Algorithm = read(algorithm)?;
        if !others.is_empty() && algorithm.learned_bias_weights().is_none() {
            return Err(wrong("several biases need weights that are learned"));
        }
        let others = others.iter().map(|other| Arc::clone(&other.door)).collect();
        Ok(Setup { problem: self, algorithm, prior: prior.into_iter().flatten().collect(), others })
    }
}

#[pymethods]
impl Problem {
    /// A problem that comes with Nestor, with the settings of an instance by name.
    #[new]
    fn new(name: &str, instance: &Bound<'_, PyDict>) -> PyResult<Self> {
        let found = PROBLEMS.iter().find(|(known, _)| *known == name);
        let (_, make) = found.ok_or_else(|| wrong(format!("no problem has the name {name:?}")))?;
        Ok(Problem { door: make(instance)?, own: None, foreign: None, model: None })
    }

    /// A user's own problem: an object with `initial`, `moves`, `play`, `score` and possibly `code`
    /// and methods that give biases. `bias` is the name of the method that gives the bias in force,
    /// None for no bias. `minimise` is whether a lower score is better. `scores` is asked for scores
    /// in place of the problem: it is called with a list of terminal states and one of their moves,
    /// each a list or None, and returns a list of scores. Its attribute `together` is whether it wants
    /// the leaves of a batch in one call.
    #[staticmethod]
    #[pyo3(signature = (problem, bias, minimise=false, scores=None))]
    fn own(
        problem: Bound<'_, PyAny>,
        bias: Option<String>,
        minimise: bool,
        scores: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let own = Arc::new(Own::new(problem, bias, minimise, scores)?);
        let door = Arc::clone(&own) as Arc<dyn Door>;
        Ok(Problem { door, own: Some(own), foreign: None, model: None })
    }

    /// A problem behind the C interface, from the address of its table. States must have the layout
    /// with this hash, if it is given. Without `biased`, its moves have no bias. `report` makes the
    /// exception for a fault: it is called with the name of the function, what is wrong, the moves
    /// so far and the status. It is kept, and so is what it needs. If `checked`, moves of a state with
    /// the same code are a fault.
    ///
    /// # Safety
    ///
    /// The table and its functions must be what they say.
    #[staticmethod]
    #[pyo3(signature = (address, report, layout=None, biased=true, checked=true))]
    fn foreign(
        py: Python<'_>,
        address: usize,
        report: Py<PyAny>,
        layout: Option<u64>,
        biased: bool,
        checked: bool,
    ) -> PyResult<Self> {
        Ok(match foreign::open(py, address, report, layout, biased, checked)? {
            Opened::Dense(problem) => Problem::behind(problem),
            Opened::Hashed(problem) => Problem::behind(problem),
        })
    }

    /// The same problem, which must have no bias and not be a user's own in Python, with a model that
    /// gives the biases of a batch. It is called with the numbers of legal moves of some states, the
    /// codes of all these moves, and the features of the problem: for each array its name, whether
    /// it has a row for each move, the letter of its type, the shape of a row, and the bytes. It
    /// returns the bytes of a double for each move.
    fn guided(&self, model: Py<PyAny>) -> PyResult<Self> {
        match self.own {
            Some(_) => Err(wrong("a problem in Python gives the biases of a batch itself")),
            None => Ok(Problem {
                door: Arc::clone(&self.door),
                own: None,
                foreign: self.foreign.clone(),
                model: Some(model),
            }),
        }
    }

    /// What a problem behind the C interface says of itself: whether a lower score is better, whether
    /// moves have biases, what may be changed, the number of codes, the optimum, and what the parts of a
    /// score are.
    #[getter]
    fn said(&self) -> PyResult<Said> {
        Ok(self.steps()?.said())
    }

    /// The first state of a problem behind the C interface.
    fn initial<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.steps()?.initial(py)
    }

    /// The moves of its states, their codes and their biases.
    fn moves(&self, state: &[u8]) -> PyResult<(Vec<i64>, Vec<u64>, Vec<f64>)> {
        self.steps()?.moves(state)
    }

    /// The state after a move.
    fn play<'py>(&self, py: Python<'py>, state: &[u8], mv: i64) -> PyResult<Bound<'py, PyBytes>> {
        self.steps()?.play(py, state, mv)
    }

    /// The state without a move, as if it had never been played.
    fn undo<'py>(&self, py: Python<'py>, state: &[u8], mv: i64) -> PyResult<Bound<'py, PyBytes>> {
        self.steps()?.undo(py, state, mv)
    }

    /// What a move does.
    fn task(&self, mv: i64) -> PyResult<u32> {
        self.steps()?.task(mv)
    }

    /// The score of a terminal state, or what guides polish there, higher for better.
    fn judge(&self, state: &[u8], guide: bool) -> PyResult<f64> {
        self.steps()?.judge(state, guide)
    }

    /// The parts of the last score of a front that this thread has asked for.
    fn last_parts(&self) -> PyResult<Vec<f64>> {
        Ok(self.steps()?.last_parts())
    }

    /// What guides polish at the end of an order of moves, replayed as polish does; what no order
    /// that begins like it can exceed, after each move; and the same known from the rest.
    fn replayed(&self, moves: Vec<i64>) -> PyResult<(f64, Vec<f64>, Vec<f64>)> {
        self.steps()?.replayed(&moves)
    }

    /// The numbers of codes. Codes are numbers already, except those of a user's own problem: each
    /// new one of these gets the next number.
    fn numbers(&self, codes: Vec<Bound<'_, PyAny>>) -> PyResult<Vec<u64>> {
        let number = |code: Bound<'_, PyAny>| match &self.own {
            Some(own) => own.number(code),
            None => code.extract(),
        };
        codes.into_iter().map(number).collect()
    }

    /// The codes of a user's own problem seen so far, in the order of their numbers.
    #[getter]
    fn codes<'py>(&self, py: Python<'py>) -> Bound<'py, PyList> {
        self.own.as_ref().map_or_else(|| PyList::empty(py), |own| own.codes(py))
    }

    /// Slow scores of a user's own problem, as of `Search.slow_scores`: those of games played by it.
    #[getter]
    fn slow_scores(&self) -> (u64, u64) {
        self.own.as_ref().map_or((0, 0), |own| own.repeats())
    }

    /// Has games of a user's own problem cut off `seconds` from now, and beyond so many moves; see
    /// `Search.advance`.
    #[pyo3(signature = (seconds=None, longest=None))]
    fn cut(&self, seconds: Option<f64>, longest: Option<u64>) {
        self.door.cut(&Cut::new(seconds, longest));
    }

    /// Starts independent jobs of an algorithm, a dict of its name and its settings. Their numbers
    /// begin with `first`. Each job numbers the codes of a user's own problem for itself.
    ///
    /// A prior gives beta by prior code and takes the place of the problem's bias. If the weights
    /// of biases are learned, there are several: the problem's own, those of `others`, which are the
    /// same problem with other biases, and at last the prior.
    ///
    /// With `entrants` each job has a search of each of them, which the algorithm joins: a race. An
    /// improver is the last of them.
    #[pyo3(signature = (
        algorithm, seed, jobs, prior=None, others=Vec::new(), first=0, entrants=Vec::new()
    ))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn search(
        &self,
        py: Python<'_>,
        algorithm: &Bound<'_, PyAny>,
        seed: u64,
        jobs: u64,
        prior: Option<HashMap<u64, f64>>,
        others: Vec<PyRef<'_, Problem>>,
        first: u64,
        entrants: Vec<Given<'_>>,
    ) -> PyResult<Search> {
        let joined = read(algorithm)?;
        let mut setups: Vec<_> = entrants
            .iter()
            .map(|(problem, given, prior, others)| problem.setup(given, prior.clone(), others))
            .collect::<PyResult<_>>()?;
        if setups.is_empty() {
            setups.push(self.setup(algorithm, prior, &others)?);
        }
        started(py, &setups, seed, numbers(first, jobs)?, &joined)
    }

    /// Makes a blank policy. A prior takes the place of the problem's bias.
    #[pyo3(signature = (prior=None))]
    fn policy(&self, prior: Option<HashMap<u64, f64>>) -> Policy {
        Policy(Arc::clone(&self.door).policy(prior.into_iter().flatten().collect()))
    }

    /// Plays one uniform playout. Returns every step (moves, codes, prior codes, biases if there are
    /// any, and the index of the chosen move) and the engine's score, to compare with the Python
    /// twin of the problem.
    fn playthrough(&self, py: Python<'_>, key: u64) -> PyResult<(Vec<Step>, f64)> {
        Arc::clone(&self.door).playthrough(py, key)
    }

    /// Plays the moves of a solution. Returns every prior code in order, with how often it was the
    /// solution's move (count) and how often it was legal (nb). Raises IndexError with the number of
    /// the first move that is not legal. Without `count` it returns nothing, and is faster.
    #[pyo3(signature = (moves, count=true))]
    fn replay(
        &self,
        py: Python<'_>,
        moves: Vec<Bound<'_, PyAny>>,
        count: bool,
    ) -> PyResult<Vec<Counted>> {
        self.door.replay(py, &moves, count)
    }

    /// Plays, in each state, the first legal move that is one of the given moves. Returns the moves
    /// played once no given move is legal.
    fn follow(&self, py: Python<'_>, moves: Vec<Bound<'_, PyAny>>) -> PyResult<Vec<Py<PyAny>>> {
        self.door.follow(py, &moves)
    }

    /// Runs level-1 searches of this many iterations until this many playouts are done. Returns the
    /// seconds for the playouts, for the same moves played again with nothing but the rules, and for
    /// adapt; and the number of steps and of legal moves.
    fn timing(&self, py: Python<'_>, iterations: u64, rate: f64, playouts: u64) -> Timing {
        py.detach(|| Arc::clone(&self.door).timing(iterations.max(1), rate, playouts))
    }
}

impl Problem {
    fn behind<P: Exposed + Steps>(problem: Arc<P>) -> Self {
        // What runs in steps fails separately from what is searched.
        let door = Exposed::fork(&*problem).map_or_else(|| Arc::clone(&problem), Arc::new);
        Problem { door, own: None, foreign: Some(problem), model: None }
    }

    fn steps(&self) -> PyResult<&dyn Steps> {
        self.foreign.as_deref().ok_or_else(|| wrong("the problem is not behind the C interface"))
    }
}
