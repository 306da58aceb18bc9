//! An improver alone, without a nested search: the loop of local search and of search by
//! counterexamples.

use super::{Improver, Step};
use crate::biased::Biased;
use crate::meter::{Limits, Stop};
use crate::problem::Problem;
use crate::random::Key;
use crate::search::{Recursion, Run, Search};
use crate::state::{Reader, Writer};

/// Quick steps between looks at the clock.
const LOOK: u64 = 16;

/// An improver, and how it runs.
pub(crate) struct Alone<P: Problem> {
    pub(crate) improver: Box<dyn Improver<P>>,
    /// What the improver makes of it; see [`Improver::step`].
    pub(crate) patience: u64,
    /// Whether the sequences count as evaluated by local search, and not as drawn.
    pub(crate) evaluates: bool,
    pub(crate) moves: Vec<P::Move>,
}

impl<P: Problem> Alone<P> {
    /// A search whose improver begins with the key of the first restart.
    pub(crate) fn start(
        mut improver: Box<dyn Improver<P>>,
        (problem, patience, evaluates): (&Biased<P>, u64, bool),
        key: Key,
    ) -> Box<Search<P>>
    where
        P: 'static,
    {
        improver.begin(problem, Run::<P::Move>::new(key).key());
        let alone = Alone { improver, patience, evaluates, moves: Vec::new() };
        Box::new(Search::new(alone, key))
    }

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
                run.meter.playouts += 1;
                run.meter.evaluated += u64::from(self.evaluates);
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
            (0..look).all(|number| number > 0 && run.ended(limits) || self.step(problem, run))
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
