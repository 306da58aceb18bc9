//! An improver alone, without a nested search: the loop of local search.

use serde::Deserialize;

use super::{Improver, Step};
use crate::biased::Biased;
use crate::meter::{Limits, Stop};
use crate::problem::{Offers, Problem};
use crate::random::Key;
use crate::search::{Recursion, Run, Search};
use crate::state::{Reader, Writer};

/// The patience of an improver that is not planned.
const PATIENCE: u64 = 200;

/// Quick steps between looks at the clock.
const LOOK: u64 = 16;

/// The settings of local search.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// There are no levels.
    pub levels: [(); 0],
    /// The evaluations that its cycles are planned for, if they are known. An improver that cannot
    /// plan has them as its patience.
    #[serde(default)]
    pub evaluations: Option<u64>,
}

/// Starts a local search, whose improver begins with the key of the first restart.
///
/// # Errors
///
/// If the problem has no improver, or a setting is out of range.
pub fn start<P: Offers + 'static>(
    problem: &Biased<P>,
    settings: &Settings,
    key: Key,
) -> Result<Box<Search<P>>, String> {
    if settings.evaluations == Some(0) {
        return Err("evaluations must be positive".into());
    }
    let mut improver = problem.improver().ok_or("the problem has no improver")?;
    if let Some(evaluations) = settings.evaluations {
        improver.plan(evaluations);
    }
    improver.begin(problem, Run::<P::Move>::new(key).key());
    let (patience, evaluates) = (settings.evaluations.unwrap_or(PATIENCE), improver.changes());
    Ok(Box::new(Search::new(Alone { improver, patience, evaluates, moves: Vec::new() }, key)))
}

/// An improver, and how it runs.
struct Alone<P: Problem> {
    improver: Box<dyn Improver<P>>,
    /// What the improver makes of it; see [`Improver::step`].
    patience: u64,
    /// Whether the sequences count as evaluated by local search, and not as drawn.
    evaluates: bool,
    moves: Vec<P::Move>,
}

impl<P: Problem> Alone<P> {
    /// One step. False if the problem has failed.
    #[inline]
    fn step(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>) -> bool {
        if let Some(adopted) = run.adopted.take() {
            self.improver.adopt(problem, &adopted.moves);
            if problem.failed() {
                run.adopted = Some(adopted);
                return false;
            }
        }
        match self.improver.step(problem, self.patience) {
            Step::Working => {}
            Step::Played { score, over } => {
                run.meter.count(self.evaluates);
                if run.meter.improves(score) {
                    self.improver.moves(problem, &mut self.moves);
                    run.meter.keep(score, &self.moves, 0);
                }
                if over {
                    run.restart();
                    self.improver.begin(problem, run.key());
                }
            }
            Step::Failed => return false,
        }
        true
    }
}

impl<P: Problem> Recursion<P> for Alone<P> {
    fn advance(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>, limits: &Limits) -> Stop {
        let look = if self.improver.quick() { LOOK } else { 1 };
        run.advance(limits, |run| {
            (0..look).all(|number| {
                number > 0 && run.ended(limits) || P::within(|| self.step(problem, run))
            })
        })
    }

    fn progress(&self, _run: &Run<P::Move>) -> Vec<(u64, u64)> {
        vec![self.improver.progress(self.patience)]
    }

    fn evaluates(&self) -> bool {
        self.evaluates
    }

    fn write(&self, writer: &mut Writer) {
        self.improver.write(writer);
    }

    fn read(
        &mut self,
        problem: &Biased<P>,
        _run: &Run<P::Move>,
        reader: &mut Reader,
    ) -> Result<(), String> {
        self.improver.read(problem, reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{Digits, Watched, found, playouts};

    const DIGITS: Digits = Digits { base: 6, length: 9 };

    fn begin(patience: u64) -> Search<Digits, Alone<Digits>> {
        let mut improver = DIGITS.improver().unwrap();
        improver.begin(&DIGITS, Run::<u8>::new(Key(3)).key());
        Search::new(Alone { improver, patience, evaluates: true, moves: Vec::new() }, Key(3))
    }

    #[test]
    fn a_search_goes_on_from_any_step() {
        let game = Biased::from(DIGITS);
        for (patience, restarts) in [(200, false), (7, true)] {
            let (mut whole, mut broken) = (begin(patience), begin(patience));
            for step in 0..300 {
                let mut again = begin(patience);
                again.restore(&game, &broken.save()).unwrap();
                broken = again;
                for search in [&mut whole, &mut broken] {
                    if step == 50 {
                        search.adopt(&game, &[0, 1, 2, 3, 4, 5, 0, 1, 1], 1).unwrap();
                    }
                    assert!(search.recursion.step(&game, &mut search.run));
                }
                assert_eq!(found(&broken), found(&whole));
                assert_eq!(broken.progress(), whole.progress());
                assert_eq!(broken.counts(), whole.counts());
            }
            assert_eq!((whole.playouts(), whole.counts().evaluated), (151, 150));
            assert_eq!(whole.counts().restarts > 0, restarts);
        }
    }

    #[test]
    fn quick_steps_stop_at_the_limit() {
        let game = Biased::from(DIGITS);
        let mut search = start(&game, &Settings::default(), Key(3)).unwrap();
        for limit in [0, 1, 2, 15, 16, 17, 50] {
            assert_eq!(search.advance(&game, &playouts(limit)), Stop::Playouts);
            assert_eq!(search.playouts(), limit);
        }
        let target = Limits { target: search.best().0, ..playouts(1000) };
        assert_eq!(search.advance(&game, &target), Stop::Target);
        assert_eq!(search.playouts(), 50);
    }

    #[test]
    fn there_must_be_an_improver_and_evaluations() {
        let none = Settings { evaluations: Some(0), ..Settings::default() };
        assert!(start(&DIGITS.into(), &none, Key(3)).is_err());
        let without = Watched::new(DIGITS, i64::MAX, false).into();
        assert!(start(&without, &Settings::default(), Key(3)).is_err());
    }
}
