//! Memetic search: every result of level 1 is polished before level 2 takes it.
//!
//! What is here is kept by the recursion that has level 1, or, if the children of level 2 run side
//! by side, by each of these and by level 2.

use super::candidates::Candidates;
use super::pool::Pool;
use super::{Polish, Settings, Try};
use crate::meter::Limits;
use crate::playout::Playouts;
use crate::policy::Policy;
use crate::problem::{Change, Orders, Problem, Steer};
use crate::random::{Key, Random};
use crate::search::Run;
use crate::sequence::Sequence;
use crate::state::{Reader, Writer};

/// Quick replays between looks at the clock.
const LOOK: u64 = 16;

/// The polish of the results of level 1.
pub(crate) struct Memetic<P: Problem> {
    settings: Settings,
    orders: Box<dyn Orders<P>>,
    pub(crate) pool: Pool,
    /// The sequence to be polished next, and the key of that.
    asked: Option<(Key, Vec<P::Move>)>,
    /// The polish in progress.
    polish: Option<Polish>,
    moves: Vec<P::Move>,
}

impl<P: Problem> Memetic<P> {
    /// No polish if there are no settings.
    ///
    /// # Errors
    ///
    /// If a setting is out of range, or the problem does not say what may be changed.
    pub(crate) fn new(problem: &P, settings: Option<Settings>) -> Result<Option<Self>, String> {
        let Some(settings) = settings else { return Ok(None) };
        if settings.candidates == 0 || settings.tries == 0 || !(0.0..=1.0).contains(&settings.kick)
        {
            return Err("candidates and tries must be positive and kick a share".into());
        }
        let Change::Order(orders) = problem.change() else {
            return Err("the problem does not say what polish may change".into());
        };
        let (pool, moves) = (Pool::default(), Vec::new());
        Ok(Some(Memetic { settings, orders, pool, asked: None, polish: None, moves }))
    }

    /// Asks for the polish of a sequence.
    pub(crate) fn ask(&mut self, key: Key, moves: &[P::Move]) {
        self.asked = Some((key, moves.to_vec()));
    }

    /// Whether a sequence is to be polished now.
    pub(crate) fn busy(&self) -> bool {
        self.asked.is_some() || self.polish.is_some()
    }

    /// Drops the sequence to be polished, and what level 2 does not have yet.
    pub(crate) fn cancel(&mut self) {
        (self.asked, self.polish) = (None, None);
        self.pool.waiting.clear();
    }

    /// All children of level 2 that share a policy are done.
    pub(crate) fn let_in(&mut self) {
        self.pool.let_in(self.settings.pool);
    }

    /// Goes on with the polish, to a limit or to its end. Then the polished sequence is in `new`, and
    /// its score is returned. `level` is the highest level that has adapted.
    pub(crate) fn advance(
        &mut self,
        problem: &P,
        (policy, playouts): (&Policy<P::Code>, &mut Playouts<P>),
        run: &mut Run<P::Move>,
        limits: &Limits,
        level: u32,
        new: &mut Sequence<P>,
    ) -> Option<f64> {
        if self.polish.is_none() {
            let score = self.begin(problem, (policy, playouts), new)?;
            self.count(problem, score, run, level);
        }
        let quick = self.orders.quick();
        for number in 1.. {
            let polish = self.polish.as_mut()?;
            if polish.ended() {
                polish.go_on(problem, &*self.orders);
            }
            if polish.ended() {
                let score = playouts.replay(problem, policy, &polish.best, None, new);
                let polish = self.polish.take_if(|_| !problem.failed())?;
                self.pool.waiting.push((score, polish.best));
                return Some(score);
            }
            let look = !quick || number % LOOK == 0;
            let over = run.meter.reached(limits).is_some();
            if over || look && limits.interruption().is_some() {
                return None;
            }
            let tried = polish.attempt(problem, &mut *self.orders);
            if problem.failed() {
                return None;
            }
            match tried {
                Try::Nothing => {}
                Try::Evaluated => run.meter.count_evaluated(),
                Try::Gain(score) => self.count(problem, score, run, level),
            }
        }
        None
    }

    /// Begins the polish of the sequence that was asked for, or of the best one of level 2, kicked.
    /// Returns its score; nothing if the problem fails.
    fn begin(
        &mut self,
        problem: &P,
        (policy, playouts): (&Policy<P::Code>, &mut Playouts<P>),
        new: &mut Sequence<P>,
    ) -> Option<f64> {
        let (key, moves) = self.asked.as_ref()?;
        let mut random = Random::new(*key);
        let kicked = !self.pool.best.is_empty() && random.uniform() < self.settings.kick;
        let order = match kicked {
            true => self.pool.best.clone(),
            false => playouts.items(problem, policy, moves, new),
        };
        let mut polish = Polish::new(random, order, &self.settings);
        if kicked {
            polish.kick();
        }
        polish.find_places();
        let (most, places) = (self.settings.candidates, &polish.places);
        let mut candidates = Candidates::new(most, places, &self.pool);
        playouts.replay(problem, policy, &polish.order, Some(&mut candidates), new);
        polish.candidates = candidates;
        self.orders.begin(problem, &polish.order);
        polish.value = self.orders.value(problem, Steer::Guide);
        polish.keep_best(self.orders.score(problem));
        if problem.failed() {
            return None;
        }
        self.asked = None;
        let score = polish.best_score;
        self.polish = Some(polish);
        Some(score)
    }

    /// Counts an evaluated sequence that may be the best so far.
    fn count(&mut self, problem: &P, score: f64, run: &mut Run<P::Move>, level: u32) {
        run.meter.count_evaluated();
        let Some(polish) = &self.polish else { return };
        if run.meter.improves(score) {
            self.orders.moves(problem, &polish.order, &mut self.moves);
            run.meter.keep(score, &self.moves, level);
        }
    }

    /// Appends the state.
    pub(crate) fn write(&self, writer: &mut Writer) {
        writer.put(&(&self.pool, &self.asked, &self.polish));
    }

    /// Takes the state that `write` appended.
    pub(crate) fn read(&mut self, problem: &P, reader: &mut Reader) -> Result<(), String> {
        (self.pool, self.asked, self.polish) = reader.take()?;
        for order in self.pool.orders() {
            Self::check(&*self.orders, problem, order)?;
        }
        if let Some(polish) = &mut self.polish {
            Self::check(&*self.orders, problem, &polish.order)?;
            polish.find_places();
            polish.check()?;
            self.orders.begin(problem, &polish.order);
        }
        Ok(())
    }

    /// Checks an order that comes from a file.
    fn check(orders: &dyn Orders<P>, problem: &P, order: &[u32]) -> Result<(), String> {
        let mut items = order.to_vec();
        items.sort_unstable();
        items.dedup();
        match items.len() == order.len() && items.iter().all(|&item| orders.has(problem, item)) {
            true => Ok(()),
            false => Err("a polished sequence has items that the problem does not have".into()),
        }
    }
}
