//! Single sequences of moves, step by step.

use nestor_engine::biased::Biased;
use nestor_engine::playout::Playouts;
use nestor_engine::policy::Policy;
use nestor_engine::prior::{ByCode, replay as count_codes};
use nestor_engine::problem::Bias;
use nestor_engine::random::Key;
use nestor_engine::sequence::Sequence;
use nestor_problems::exposed::{Exposed, listed};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use crate::{check, read_moves, write_moves};

/// One step of a playthrough.
#[derive(IntoPyObject)]
pub struct Step {
    /// The legal moves.
    moves: Vec<Py<PyAny>>,
    codes: Vec<u64>,
    prior_codes: Vec<u64>,
    biases: Vec<f64>,
    /// The index of the move that is played.
    chosen: usize,
}

/// How often a prior code occurred.
#[derive(IntoPyObject)]
pub struct Counted {
    code: u64,
    /// How often it was the solution's move.
    count: u64,
    /// How often it was legal.
    nb: u64,
}

/// Plays one uniform playout. Returns every step, and the engine's score.
pub fn steps<P: Exposed>(
    problem: &Biased<P>,
    py: Python<'_>,
    key: u64,
) -> PyResult<(Vec<Step>, f64)> {
    let mut sequence = Sequence::default();
    let policy = Policy::new(problem);
    Playouts::new(problem).run(problem, &policy, Key(key), &mut sequence);
    let score = sequence.reported;
    check(&**problem)?;
    let per_code = match problem.bias() {
        Bias::PerCode(betas) => betas,
        Bias::None | Bias::PerMove | Bias::Learned(_) => Vec::new(),
    };
    let mut state = problem.initial();
    problem.reset(&mut state);
    let mut steps = Vec::new();
    for (step, &mv) in sequence.steps.iter().zip(&sequence.moves) {
        let (moves, codes, mut biases) = listed(&**problem, &mut state);
        let coded = moves.iter().zip(&codes);
        let prior_codes = coded.map(|(&mv, &code)| problem.prior_code(&state, mv, code)).collect();
        let moves = write_moves(&**problem, py, &moves)?;
        let codes: Vec<u64> = codes.into_iter().map(Into::into).collect();
        if !per_code.is_empty() {
            biases = codes.iter().map(|&code| per_code[code as usize]).collect();
        }
        let chosen = step.chosen as usize;
        steps.push(Step { moves, codes, prior_codes, biases, chosen });
        problem.play(&mut state, mv);
    }
    Ok((steps, score))
}

/// Counts the prior codes that the moves of a solution meet, in the order of the codes, or only checks
/// the moves.
pub fn counts<P: Exposed>(
    problem: &P,
    py: Python<'_>,
    moves: &[Bound<'_, PyAny>],
    count: bool,
) -> PyResult<Vec<Counted>> {
    let moves = read_moves(problem, moves)?;
    let mut counts = ByCode::default();
    let followed = py.detach(|| count_codes(problem, moves, count.then_some(&mut counts)));
    check(problem)?;
    followed.map_err(PyIndexError::new_err)?;
    let counted = counts.into_iter().map(|(code, c)| Counted { code, count: c.count, nb: c.nb });
    let mut rows: Vec<_> = counted.collect();
    rows.sort_unstable_by_key(|row| row.code);
    Ok(rows)
}

/// Plays, in each state, the first legal move that is one of the given moves.
pub fn followed<P: Exposed>(
    problem: &P,
    py: Python<'_>,
    moves: &[Bound<'_, PyAny>],
) -> PyResult<Vec<Py<PyAny>>> {
    let given = read_moves(problem, moves)?;
    let mut state = problem.initial();
    problem.reset(&mut state);
    let mut played = Vec::new();
    while let Some(&mv) = listed(problem, &mut state).0.iter().find(|mv| given.contains(mv)) {
        played.push(mv);
        problem.play(&mut state, mv);
    }
    check(problem)?;
    write_moves(problem, py, &played)
}
