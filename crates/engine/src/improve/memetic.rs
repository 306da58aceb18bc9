//! Memetic search: every result of level 1 is polished before level 2 takes it.
//!
//! What is here is kept by the recursion that has level 1, or, if the children of level 2 run side
//! by side, by each of these and by level 2.

use super::decisions::{At, Decisions, Settings, Try};
use super::pool::Pool;
use crate::biased::Biased;
use crate::meter::Limits;
use crate::problem::{Offers, Problem};
use crate::random::{Key, Random};
use crate::search::Run;
use crate::sequence::Sequence;
use crate::state::{Reader, Writer};

/// The polish of the results of level 1.
pub(crate) struct Memetic<P: Problem> {
    settings: Settings,
    pub(crate) local: Decisions<P>,
    pub(crate) pool: Pool,
    /// The sequence to be polished next, and the key of that.
    asked: Option<(Key, Vec<P::Move>)>,
    /// Whether a polish is in progress.
    begun: bool,
}

impl<P: Offers> Memetic<P> {
    /// No polish if there are no settings.
    ///
    /// # Errors
    ///
    /// If a setting is out of range, or the problem does not let single decisions be changed.
    pub(crate) fn new(
        problem: &Biased<P>,
        settings: Option<Settings>,
    ) -> Result<Option<Self>, String> {
        let Some(settings) = settings else { return Ok(None) };
        if settings.tries == 0 || !(0.0..=1.0).contains(&settings.kick) {
            return Err("tries must be positive and kick a share".into());
        }
        if !problem.decides() {
            return Err("the problem does not say that single decisions may be changed".into());
        }
        let local = Decisions::new(problem, &settings);
        Ok(Some(Memetic { settings, local, pool: Pool::default(), asked: None, begun: false }))
    }
}

impl<P: Problem> Memetic<P> {
    /// Asks for the polish of a sequence.
    pub(crate) fn ask(&mut self, key: Key, moves: &[P::Move]) {
        self.asked = Some((key, moves.to_vec()));
    }

    /// Whether a sequence is to be polished now.
    pub(crate) fn busy(&self) -> bool {
        self.asked.is_some() || self.begun
    }

    /// Drops the sequence to be polished, and what level 2 does not have yet.
    pub(crate) fn cancel(&mut self) {
        (self.asked, self.begun) = (None, false);
        self.pool.waiting.clear();
    }

    /// All children of level 2 that share a policy are done.
    pub(crate) fn let_in(&mut self) {
        self.pool.let_in();
    }

    /// A sequence from outside enters the pool, between two children of level 2.
    pub(crate) fn adopt(&mut self, score: f64, words: Vec<u32>) {
        self.pool.waiting.push((score, words));
        self.let_in();
    }

    /// Goes on with the polish, to a limit or to its end. Then the polished sequence is in `new`, and
    /// its score is returned. `level` is the highest level that has adapted.
    pub(crate) fn advance(
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
            let tried = self.local.attempt(problem, (policy, playouts));
            if problem.failed() {
                return None;
            }
            match tried {
                Try::Nothing => {}
                Try::Evaluated => run.meter.count_evaluated(),
                Try::Gain(score) => self.count(score, run, level),
            }
        }
        let (score, words) = self.local.finish(new);
        self.begun = false;
        self.pool.waiting.push((score, words));
        Some(score)
    }

    /// Begins the polish of the sequence that was asked for, or of the best one of level 2, kicked.
    /// Returns its score; nothing if the problem fails.
    fn begin(
        &mut self,
        problem: &Biased<P>,
        (policy, playouts): At<P>,
        new: &mut Sequence<P>,
    ) -> Option<f64> {
        let Memetic { settings, local, pool, asked, begun, .. } = self;
        let (key, moves) = asked.as_ref()?;
        let mut random = Random::new(*key);
        let kicked = !pool.best.is_empty() && random.uniform() < settings.kick;
        let words = match kicked {
            true => pool.best.clone(),
            false => local.words(problem, (policy, playouts), moves, new),
        };
        let from = (random, words, kicked);
        let score = local.begin(problem, (policy, playouts), from);
        if problem.failed() {
            return None;
        }
        (*asked, *begun) = (None, true);
        Some(score)
    }

    /// Counts an evaluated sequence that may be the best so far.
    fn count(&mut self, score: f64, run: &mut Run<P::Move>, level: u32) {
        run.meter.count_evaluated();
        if run.meter.improves(score) {
            run.meter.keep(score, self.local.moves(), level);
        }
    }

    /// Appends the state.
    pub(crate) fn write(&self, writer: &mut Writer) {
        writer.put(&(&self.pool, &self.asked, self.begun));
        if self.begun {
            self.local.write(writer);
        }
    }

    /// Takes the state that `write` appended.
    pub(crate) fn read(&mut self, problem: &Biased<P>, reader: &mut Reader) -> Result<(), String> {
        (self.pool, self.asked, self.begun) = reader.take()?;
        if self.begun { self.local.read(problem, reader) } else { Ok(()) }
    }
}
