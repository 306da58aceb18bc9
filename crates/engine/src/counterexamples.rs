//! Search by counterexamples: why a sequence fails is kept as a constraint on all others.
//!
//! Some problems can say why a sequence fails, and whether another one would fail in the same way.
//! To see that costs far less than to evaluate a sequence. So the search mends a sequence until it
//! contradicts nothing known, and only then evaluates it:
//!
//! ```text
//! until a limit is met:
//!   sequence <- one drawn anew
//!   until it is solved, or `patience` evaluations in turn were no better than the best before:
//!     change the sequence until it contradicts no counterexample known
//!     evaluate it: a playout
//!     if it fails: keep the reason as a new counterexample
//! ```
//!
//! The counterexamples are true of the problem and not of a sequence; so a restart keeps them. How
//! a sequence is drawn, changed and explained is up to the problem: [`Repairs`].

use serde::Deserialize;

use crate::meter::{Limits, Stop};
use crate::problem::{Problem, Repairs, Step};
use crate::random::Key;
use crate::search::{Recursion, Run, Search};
use crate::state::{Reader, Writer};

/// The settings, by the names that Python gives them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// There are no levels.
    pub levels: [(); 0],
    /// The evaluations in turn without a better sequence after which one is drawn anew.
    pub patience: u64,
}

/// Starts a search.
///
/// # Errors
///
/// If a setting is out of range, or if the problem has no repairs.
pub fn start<P: Problem + 'static>(
    problem: &P,
    settings: &Settings,
    key: Key,
) -> Result<Box<Search<P>>, String> {
    if settings.patience == 0 {
        return Err("patience must be positive".into());
    }
    let mut repairs = problem.repairs().ok_or("the problem has no repairs")?;
    let search = Run::<P::Move>::new(key);
    repairs.begin(problem, search.key());
    let recursion = Counterexamples { repairs, patience: settings.patience, moves: Vec::new() };
    Ok(Box::new(Search::new(recursion, key)))
}

struct Counterexamples<P: Problem> {
    repairs: Box<dyn Repairs<P>>,
    patience: u64,
    moves: Vec<P::Move>,
}

impl<P: Problem> Recursion<P> for Counterexamples<P> {
    fn advance(&mut self, problem: &P, run: &mut Run<P::Move>, limits: &Limits) -> Stop {
        run.advance(limits, |run| {
            if let Some(adopted) = run.adopted.take() {
                self.repairs.adopt(problem, &adopted.moves);
            }
            match self.repairs.step(problem, self.patience) {
                Step::Working => {}
                Step::Played { score, over } => {
                    self.repairs.moves(problem, &mut self.moves);
                    run.meter.record(score, &self.moves, || 0);
                    if over {
                        run.restart();
                        self.repairs.begin(problem, run.key());
                    }
                }
                Step::Failed => return false,
            }
            true
        })
    }

    fn progress(&self, _run: &Run<P::Move>) -> Vec<(u64, u64)> {
        vec![(self.repairs.vain(), self.patience)]
    }

    fn write(&self, writer: &mut Writer) {
        self.repairs.write(writer);
    }

    fn read(
        &mut self,
        problem: &P,
        _run: &Run<P::Move>,
        reader: &mut Reader,
    ) -> Result<(), String> {
        self.repairs.read(problem, reader)
    }
}
