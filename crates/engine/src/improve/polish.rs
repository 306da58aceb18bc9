//! Polish: every result of level 1 of a nested search becomes a local optimum before level 2 takes it.

use serde::Deserialize;

use super::decisions::{Decisions, Try};
use crate::Algorithm;
use crate::biased::Biased;
use crate::borrower::{At, Borrower, Pool};
use crate::meter::Limits;
use crate::problem::{Offers, Problem};
use crate::random::{Key, Random};
use crate::search::Run;
use crate::sequence::Sequence;
use crate::state::{Reader, Writer};

/// The settings of polish, by the names that Python gives them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// T: polish ends after 100 T tries without a gain.
    pub tries: u64,
    /// The share of polishes that begin with the best sequence of level 2, changed at random.
    pub kick: f64,
    /// The nested search whose results are polished.
    pub nested: Box<Algorithm>,
}

impl Settings {
    /// Checks that there can be polish on this problem.
    ///
    /// # Errors
    ///
    /// If a setting is out of range, or the problem does not let single decisions be changed.
    pub(crate) fn check<P: Offers>(&self, problem: &Biased<P>) -> Result<(), String> {
        if self.tries == 0 || !(0.0..=1.0).contains(&self.kick) {
            return Err("tries must be positive and kick a share".into());
        }
        if !problem.decides() {
            return Err("the problem does not say that single decisions may be changed".into());
        }
        Ok(())
    }
}

/// The polish of the results of level 1.
pub(crate) struct Polish<P: Problem> {
    kick: f64,
    local: Decisions<P>,
    pool: Pool,
    /// The sequence to be polished next, and the key of that.
    asked: Option<(Key, Vec<P::Move>)>,
    /// Whether a polish is in progress.
    begun: bool,
}

impl<P: Problem> Polish<P> {
    /// Polish with settings that were checked.
    pub(crate) fn new(problem: &Biased<P>, settings: &Settings) -> Self {
        let local = Decisions::new(problem, settings.tries);
        Polish { kick: settings.kick, local, pool: Pool::default(), asked: None, begun: false }
    }

    /// Begins the polish of the sequence that was lent, or of the best one of level 2, kicked.
    /// Returns its score; nothing if the problem fails.
    fn begin(
        &mut self,
        problem: &Biased<P>,
        (policy, playouts): At<P>,
        new: &mut Sequence<P>,
    ) -> Option<f64> {
        let Polish { kick, local, pool, asked, begun } = self;
        let (key, moves) = asked.as_ref()?;
        let mut random = Random::new(*key);
        let kicked = !pool.best.is_empty() && random.uniform() < *kick;
        let chosen = match kicked {
            true => pool.best.clone(),
            false => {
                // If a problem in another language fails here, nobody takes what was chosen.
                let _ = playouts.retrace(problem, policy, moves, new);
                new.chosen()
            }
        };
        let score = local.begin(problem, (policy, playouts), (random, &chosen, kicked));
        if problem.failed() {
            return None;
        }
        (*asked, *begun) = (None, true);
        Some(score)
    }

    /// Counts an evaluated sequence that may be the best so far.
    fn count(&mut self, score: f64, run: &mut Run<P::Move>, level: u32) {
        run.meter.count(true);
        if run.meter.improves(score) {
            run.meter.keep(score, self.local.moves(), level);
        }
    }
}

impl<P: Problem> Borrower<P> for Polish<P> {
    fn lend(&mut self, key: Key, moves: &[P::Move]) {
        self.asked = Some((key, moves.to_vec()));
    }

    fn holds(&self) -> bool {
        self.asked.is_some() || self.begun
    }

    fn work(
        &mut self,
        problem: &Biased<P>,
        (policy, playouts): At<P>,
        run: &mut Run<P::Move>,
        limits: &Limits,
        level: u32,
        new: &mut Sequence<P>,
    ) -> Option<f64> {
        if !self.begun {
            let score = self.begin(problem, (policy, playouts), new)?;
            self.count(score, run, level);
        }
        while !self.local.ended() {
            if run.meter.stop(limits).is_some() {
                return None;
            }
            let tried = P::within(|| self.local.attempt(problem, (policy, playouts)));
            if problem.failed() {
                return None;
            }
            match tried {
                Try::Nothing => {}
                Try::Evaluated => run.meter.count(true),
                Try::Gain(score) => self.count(score, run, level),
            }
        }
        let score = self.local.finish(new);
        self.begun = false;
        self.pool.waiting.push((score, new.chosen()));
        Some(score)
    }

    fn cancel(&mut self) {
        (self.asked, self.begun) = (None, false);
        self.pool.waiting.clear();
    }

    fn pool(&mut self) -> &mut Pool {
        &mut self.pool
    }

    fn write(&self, writer: &mut Writer) {
        writer.put(&(&self.pool, &self.asked, self.begun));
        if self.begun {
            self.local.write(writer);
        }
    }

    fn read(&mut self, problem: &Biased<P>, reader: &mut Reader) -> Result<(), String> {
        (self.pool, self.asked, self.begun) = reader.take()?;
        if self.begun { self.local.read(problem, reader) } else { Ok(()) }
    }
}
