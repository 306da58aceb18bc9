//! The present game: moves played and taken back, and the way back to how it was before a try.

use super::legal::Legal;
use super::{LOG, LOGGED, SetProblem, Sets};
use crate::random::Random;

impl<P: SetProblem> Sets<P> {
    /// Whether states are copied, and not got back by playing and taking back.
    pub(super) fn copies(problem: &P) -> bool {
        P::SHARES || !problem.takes()
    }

    pub(super) fn list(&mut self, problem: &P) {
        self.legal.list(problem, &mut self.state);
    }

    /// Plays a move.
    pub(super) fn put(&mut self, problem: &P, item: P::Item) {
        problem.put(&mut self.state, item, self.at.items.len());
        self.at.items.push(item);
        self.log.push((item, true));
    }

    /// Takes the move at a place back. If the problem cannot, [`Sets::settle`] comes next.
    pub(super) fn take(&mut self, problem: &P, place: usize) -> P::Item {
        let item = self.at.items.swap_remove(place);
        if problem.takes() {
            problem.take(&mut self.state, item);
            self.log.push((item, false));
        }
        item
    }

    /// Makes the state anew if the problem cannot take moves back.
    pub(super) fn settle(&mut self, problem: &P) {
        if !problem.takes() {
            self.renew(problem);
        }
    }

    /// Empties the log, which can be got back once.
    pub(super) fn clear_log(&mut self) {
        if self.logged.take().is_some() {
            std::mem::swap(&mut self.log, &mut self.old_log);
        }
        self.log.clear();
    }

    /// Makes the state anew, from the moves in it.
    pub(super) fn renew(&mut self, problem: &P) {
        problem.reset(&mut self.state);
        for (after, &item) in self.at.items.iter().enumerate() {
            problem.put(&mut self.state, item, after);
        }
        self.clear_log();
        self.log.extend(self.at.items.iter().map(|&item| (item, true)));
    }

    /// Has the two moves that are taken back exchange their values, if these differ, as far as it is legal.
    pub(super) fn exchange(&mut self, problem: &P) {
        let &[one, other] = &self.gone[..] else { return };
        let new = problem.exchange(one, other).filter(|new| !new.contains(&one));
        for item in new.into_iter().flatten() {
            if self.legal.allowed().any(|legal| legal == item) {
                self.put(problem, item);
                self.list(problem);
            }
        }
    }

    /// Plays moves that the bias draws until the game is over. The legal moves are listed.
    pub(super) fn complete(&mut self, problem: &P, random: &mut Random) -> f64 {
        while !self.legal.items.is_empty() {
            let item = self.legal.draw(random);
            self.put(problem, item);
            self.list(problem);
        }
        self.at.value = problem.value(&self.state);
        self.at.value
    }

    /// A game that the bias draws becomes the present one. Returns its value.
    pub(super) fn deal(&mut self, problem: &P, random: &mut Random) -> f64 {
        self.at.items.clear();
        self.clear_log();
        problem.reset(&mut self.state);
        self.list(problem);
        self.complete(problem, random)
    }

    /// Plays the log, if all of it is legal and leads to the present moves. Of a cover, what is legal
    /// at first always is, though it is not listed any more.
    pub(super) fn relive(&mut self, problem: &P) -> Result<(), String> {
        let (mut inside, mut always) = (Vec::<P::Item>::new(), Vec::new());
        problem.reset(&mut self.state);
        if problem.covers() {
            self.list(problem);
            always.clone_from(&self.legal.items);
        }
        for index in 0..self.log.len() {
            let (item, played) = self.log[index];
            let place = inside.iter().position(|&other| other == item);
            match (played, place) {
                (true, None) => {
                    if !problem.knows(item) && !always.contains(&item) {
                        self.list(problem);
                        if !self.legal.items.contains(&item) {
                            return Err("its moves are not those of the problem".into());
                        }
                    }
                    problem.put(&mut self.state, item, inside.len());
                    inside.push(item);
                }
                (false, Some(place)) if problem.takes() => {
                    problem.take(&mut self.state, item);
                    inside.swap_remove(place);
                }
                _ => return Err("it plays moves twice, or takes back what was not played".into()),
            }
        }
        let mut present = self.at.items.clone();
        present.sort_unstable();
        inside.sort_unstable();
        if present == inside { Ok(()) } else { Err("its set is not what its log says".into()) }
    }

    /// Notes how all but the state is, for the case that the problem fails.
    pub(super) fn snapshot(&mut self) {
        (self.changed, self.work) = (false, 1);
        self.before.copy(&self.at);
        self.logged = Some(self.log.len());
    }

    /// Begins a try: the state is as the log says, and not older than it may be.
    pub(super) fn note(&mut self, problem: &P) {
        self.snapshot();
        if self.stale {
            // What was played before can be played again.
            self.stale = self.relive(problem).is_err() || problem.failed();
        }
        if self.log.len() > LOG + LOGGED * self.at.items.len() {
            self.renew(problem);
            if problem.failed() {
                return;
            }
            self.logged = Some(self.log.len());
        }
        if Self::copies(problem) {
            self.old.clone_from(&self.state);
        }
    }

    /// All but the state is as it was before the last try.
    pub(super) fn go_back(&mut self) {
        match self.logged {
            Some(length) => self.log.truncate(length),
            None => std::mem::swap(&mut self.log, &mut self.old_log),
        }
        self.logged = Some(self.log.len());
        self.at.items.clone_from(&self.before.items);
    }

    /// Takes the last moves back until so many are left.
    pub(super) fn shrink(&mut self, problem: &P, count: usize) {
        while self.at.items.len() > count {
            self.take(problem, self.at.items.len() - 1);
        }
    }

    /// Takes the moves of a cover back one by one that the others make needless, if it is no worse.
    pub(super) fn prune(&mut self, problem: &P) {
        for place in (0..self.at.items.len()).rev() {
            // What moves to this place was looked at.
            let item = self.take(problem, place);
            self.settle(problem);
            self.list(problem);
            let needless = self.legal.items.is_empty();
            let value = if needless { problem.value(&self.state) } else { f64::NEG_INFINITY };
            if value >= self.at.value {
                self.at.value = value;
            } else {
                self.put(problem, item);
            }
        }
    }

    /// Plays these moves by the rules, in the order in which they are legal, without those that never
    /// are; then those of the greatest bias until the game is over. Returns the items and the moves.
    pub(super) fn replay(
        &mut self,
        problem: &P,
        mut left: Vec<P::Item>,
    ) -> (Vec<P::Item>, Vec<P::Move>) {
        left.sort_unstable();
        let mut state = std::mem::replace(&mut self.legal.spare, problem.initial());
        let (mut order, mut moves) = (Vec::with_capacity(left.len()), Vec::new());
        problem.reset(&mut state);
        loop {
            self.legal.list(problem, &mut state);
            let Legal { items, biases, .. } = &self.legal;
            let found = items.iter().enumerate().find_map(|(index, item)| {
                left.binary_search(item).ok().map(|place| (index, Some(place)))
            });
            let beta = |index: usize| biases.get(index).copied().unwrap_or(0.0);
            let greatest = || (0..items.len()).reduce(|a, b| if beta(b) > beta(a) { b } else { a });
            let Some((index, place)) = found.or_else(|| Some((greatest()?, None))) else { break };
            if let Some(place) = place {
                left.remove(place);
            }
            let mv = problem.listed(index, items[index]);
            order.push(items[index]);
            moves.push(mv);
            problem.play(&mut state, mv);
        }
        self.legal.spare = state;
        (order, moves)
    }

    /// The game that was played by the rules becomes the present one, unless the problem has failed.
    pub(super) fn adopt_played(&mut self, problem: &P, order: Vec<P::Item>, value: f64) {
        if problem.failed() {
            return;
        }
        std::mem::swap(&mut self.state, &mut self.legal.spare);
        self.clear_log();
        self.log.extend(order.iter().map(|&item| (item, true)));
        (self.at.items, self.at.value, self.stale) = (order, value, false);
        self.at.walk.stand();
    }
}
