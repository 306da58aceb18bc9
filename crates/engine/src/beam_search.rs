//! Beam search: all games grow by one move at a time, and only the best beginnings go on.
//!
//! ```text
//! beamSearch(B):
//!   beam <- {the root}
//!   while the beam is not empty:
//!     found <- {}
//!     for each node of the beam:
//!       if it is the end of a game: record its score
//!       else, for each move that is not forbidden: insert the child in found
//!     beam <- the B best of found with different codes
//! ```
//!
//! The value of a node is the sum of the biases on the way to it. Of equal values chance decides. Of
//! nodes with the same codes in any order the best one is kept: they are mostly one position. Each
//! search has a beam twice as wide as the one before, from 1 to [`WIDEST`]. A playout is a game that
//! has come to its end.
//!
//! Threads look ahead at nodes of the beam, which go on one by one, so that they change nothing.
//!
//! Keys: child number i of ply p of a search with key K is drawn for with K.child(p).child(i).

use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;

use crate::biased::Biased;
use crate::meter::{Limits, Stop};
use crate::prior::ByCode;
use crate::problem::{Bias, Moves, Problem};
use crate::random::Key;
use crate::search::{Recursion, Run, Search};
use crate::shared::thread;
use crate::state::{Reader, Writer};

/// The widest beam.
pub const WIDEST: usize = 1 << 18;

/// How many nodes a thread looks at before they go on, at most, and how many are too few for it.
const AHEAD: usize = 1 << 10;
const FEW: usize = 1 << 5;

/// At least this part of the width of a beam is sorted at once.
const PART: usize = 4;

/// There is nothing to set.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Always empty: it has no levels.
    pub levels: [(); 0],
}

/// Starts a search.
pub fn start<P: Problem + 'static>(problem: &Biased<P>, key: Key) -> Box<Search<P>> {
    Box::new(Search::new(BeamSearch::new(problem), key))
}

/// The last move of a way, and the way to it.
struct Link<M> {
    mv: M,
    before: Option<Arc<Link<M>>>,
}

/// Not one inside the other: a way may be long.
impl<M> Drop for Link<M> {
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut link) = next.and_then(Arc::into_inner) {
            next = link.before.take();
        }
    }
}

/// A beginning of a game.
struct Node<P: Problem> {
    state: P::State,
    way: Option<Arc<Link<P::Move>>>,
    value: f64,
    /// A hash of its codes in any order.
    codes: u64,
}

/// What there is at a node: its moves, or the score if there are none.
struct View<P: Problem> {
    known: bool,
    moves: Vec<P::Move>,
    codes: Vec<P::Code>,
    biases: Vec<f64>,
    score: f64,
}

impl<P: Problem> Default for View<P> {
    fn default() -> Self {
        let (moves, codes, biases) = Default::default();
        View { known: false, moves, codes, biases, score: 0.0 }
    }
}

impl<P: Problem> View<P> {
    /// Looks at a node.
    fn look(&mut self, node: &mut Node<P>, problem: &Biased<P>) {
        let View { known, moves, codes, biases, score } = self;
        moves.clear();
        codes.clear();
        biases.clear();
        problem.moves(&mut node.state, &mut Moves::new(moves, codes, biases));
        *score = if moves.is_empty() { problem.score(&node.state) } else { 0.0 };
        *known = !problem.failed();
    }
}

/// A child that may become a node.
struct Child<M> {
    value: f64,
    chance: u64,
    codes: u64,
    parent: u32,
    mv: M,
}

/// A beam search.
pub struct BeamSearch<P: Problem> {
    per_code: Vec<f64>,
    ply: u64,
    /// The nodes of this ply; empty before the root is there.
    beam: Vec<Node<P>>,
    /// How many of them have been expanded.
    expanded: usize,
    /// What there is at some of them, and which these are.
    views: Vec<View<P>>,
    viewed: Range<usize>,
    found: Vec<Child<P::Move>>,
    /// Games that have ended since the root, and those recorded of this search: after a failure or a
    /// restored file it begins again and passes these by.
    ended: u64,
    recorded: u64,
}

impl<P: Problem> BeamSearch<P> {
    fn new(problem: &Biased<P>) -> Self {
        let per_code = match problem.bias() {
            Bias::PerCode(betas) => betas,
            Bias::None | Bias::PerMove | Bias::Learned(_) => Vec::new(),
        };
        let (beam, views, viewed, found) = Default::default();
        let (ply, expanded, ended, recorded) = Default::default();
        Self { per_code, ply, beam, expanded, views, viewed, found, ended, recorded }
    }

    /// Goes back to the root.
    fn begin(&mut self) {
        (self.ply, self.expanded, self.ended) = (0, 0, 0);
        self.beam.clear();
        self.found.clear();
        self.views.clear();
        self.viewed = 0..0;
    }

    /// Expands the next node; false if the problem fails.
    fn step(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>, limits: &Limits) -> bool {
        if self.beam.is_empty() {
            let mut state = problem.initial();
            problem.reset(&mut state);
            self.beam.push(Node { state, way: None, value: 0.0, codes: 0 });
        }
        let Some(view) = self.view(problem, limits) else {
            self.begin();
            return false;
        };
        if view.moves.is_empty() {
            self.end(view.score, run);
        } else {
            self.expand(&view, run.key());
        }
        self.views[self.expanded - self.viewed.start] = View { known: false, ..view };
        self.expanded += 1;
        if self.expanded == self.beam.len() {
            let width = 1 << run.restarts.min(WIDEST.ilog2().into());
            self.go_on(problem, width, limits);
            if self.beam.is_empty() {
                self.begin();
                self.recorded = 0;
                run.restart();
            }
        }
        true
    }

    /// Takes what there is at the next node; nothing if the problem fails.
    fn view(&mut self, problem: &Biased<P>, limits: &Limits) -> Option<View<P>> {
        if self.expanded == self.viewed.end {
            let left = self.beam.len() - self.expanded;
            let threads = limits.threads.min(left / FEW);
            let count = if threads > 1 { left.min(AHEAD * threads) } else { 1 };
            self.viewed = self.expanded..self.expanded + count;
            self.views.resize_with(count.max(self.views.len()), View::default);
        }
        let place = self.expanded - self.viewed.start;
        if !self.views[place].known {
            self.look_ahead(problem, limits);
        }
        let view = std::mem::take(&mut self.views[place]);
        view.known.then_some(view)
    }

    /// Looks at nodes on several threads, at one at least, until a limit is met.
    fn look_ahead(&mut self, problem: &Biased<P>, limits: &Limits) {
        let nodes = self.beam[self.viewed.clone()].iter_mut();
        let pairs = nodes.zip(&mut self.views).skip(self.expanded - self.viewed.start);
        let mut unknown: Vec<_> = pairs.filter(|(_, view)| !view.known).collect();
        side_by_side(&mut unknown, limits.threads, |part| {
            for (node, view) in part {
                if !problem.failed() {
                    view.look(node, problem);
                }
                if problem.failed() || limits.interruption().is_some() {
                    return;
                }
            }
        });
    }

    /// Records the game of the current node, unless that was done before.
    fn end(&mut self, score: f64, run: &mut Run<P::Move>) {
        self.ended += 1;
        if self.ended <= self.recorded {
            return;
        }
        self.recorded = self.ended;
        let mut moves = Vec::new();
        let mut link = self.beam[self.expanded].way.as_deref();
        while let Some(Link { mv, before }) = link {
            moves.push(*mv);
            link = before.as_deref();
        }
        moves.reverse();
        run.meter.record(score, &moves, || u32::from(self.ply > 0));
    }

    /// Finds the children of the current node.
    fn expand(&mut self, view: &View<P>, search: Key) {
        let node = &self.beam[self.expanded];
        let beta = |k: usize, code: u64| match view.biases.get(k) {
            Some(&beta) => beta,
            None => self.per_code.get(code as usize).copied().unwrap_or(0.0),
        };
        let forbidden = |(k, &code): (usize, &P::Code)| beta(k, code.into()) == f64::NEG_INFINITY;
        let all = view.codes.iter().enumerate().all(forbidden);
        let key = search.child(self.ply);
        for (k, (&mv, &code)) in view.moves.iter().zip(&view.codes).enumerate() {
            if all || !forbidden((k, &code)) {
                self.found.push(Child {
                    value: node.value + beta(k, code.into()),
                    chance: key.child(self.found.len() as u64).0,
                    codes: node.codes.wrapping_add(Key(code.into()).child(0).0),
                    parent: self.expanded as u32,
                    mv,
                });
            }
        }
    }

    /// The best children become the beam.
    fn go_on(&mut self, problem: &Biased<P>, width: usize, limits: &Limits) {
        let mut next: Vec<_> = self.best(width).into_iter().map(|child| (child, None)).collect();
        let beam = &self.beam;
        side_by_side(&mut next, limits.threads.min(width / FEW), |part| {
            for (child, made) in part {
                let Node { state, way, .. } = &beam[child.parent as usize];
                let mut state = state.clone();
                problem.play(&mut state, child.mv);
                let way = Some(Arc::new(Link { mv: child.mv, before: way.clone() }));
                *made = Some(Node { state, way, value: child.value, codes: child.codes });
            }
        });
        self.beam = next.into_iter().filter_map(|(_, made)| made).collect();
        self.ply += 1;
        (self.expanded, self.viewed) = (0, 0..0);
    }

    /// Takes the best children with different codes, in their order.
    fn best(&mut self, width: usize) -> Vec<Child<P::Move>> {
        let order = |a: &Child<P::Move>, b: &Child<P::Move>| {
            a.value.total_cmp(&b.value).then_with(|| b.chance.cmp(&a.chance))
        };
        let (mut best, mut known) = (Vec::with_capacity(width), ByCode::default());
        while best.len() < width && !self.found.is_empty() {
            // Only what may be needed is sorted: the last ones.
            let count = (width - best.len()).max(width / PART);
            let rest = self.found.len().saturating_sub(count);
            if rest > 0 {
                self.found.select_nth_unstable_by(rest, order);
            }
            self.found[rest..].sort_unstable_by(order);
            let different = self.found.drain(rest..).rev();
            let different = different.filter(|child| known.insert(child.codes, ()).is_none());
            best.extend(different.take(width - best.len()));
        }
        self.found.clear();
        best
    }
}

/// Works at things on so many threads, of which this is one.
fn side_by_side<T: Send>(things: &mut [T], threads: usize, work: impl Fn(&mut [T]) + Sync) {
    let mut parts = things.chunks_mut(things.len().div_ceil(threads.max(1)).max(1));
    let (own, work) = (parts.next(), &work);
    thread::scope(|scope| {
        for part in parts {
            scope.spawn(move || work(part));
        }
        own.map(work);
    });
}

impl<P: Problem> Recursion<P> for BeamSearch<P> {
    fn advance(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>, limits: &Limits) -> Stop {
        run.advance(limits, |run| self.step(problem, run, limits))
    }

    /// Plies done and to do, if all games were as long as the best one.
    fn progress(&self, run: &Run<P::Move>) -> Vec<(u64, u64)> {
        vec![(self.ply, self.ply.max(run.meter.moves.len() as u64) + 1)]
    }

    fn write(&self, writer: &mut Writer) {
        writer.put(&self.recorded);
    }

    fn read(
        &mut self,
        _: &Biased<P>,
        run: &Run<P::Move>,
        reader: &mut Reader,
    ) -> Result<(), String> {
        self.begin();
        self.recorded = reader.take()?;
        match self.recorded <= run.meter.playouts {
            true => Ok(()),
            false => Err("a beam has no such game".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{Digits, playouts};

    #[test]
    fn long_ways_are_dropped() {
        let mut way = None;
        for mv in 0..1_000_000 {
            way = Some(Arc::new(Link { mv, before: way }));
        }
        drop(way);
    }

    #[test]
    fn wide_beams_see_every_game_once() {
        let game: Biased<Digits> = Digits { base: 3, length: 3 }.into();
        let mut search = start(&game, Key(5));
        let mut ended = Vec::new();
        while search.counts().restarts < 6 {
            let before = (search.counts().restarts, search.playouts());
            search.advance(&game, &playouts(before.1 + 1));
            if search.counts().restarts > before.0 {
                ended.push(search.playouts());
            }
        }
        // Of the 27 games of three digits, 9 end after two equal ones and become 3.
        let games: Vec<_> =
            std::iter::once(ended[0]).chain(ended.windows(2).map(|w| w[1] - w[0])).collect();
        assert_eq!(games[0], 1);
        assert_eq!(games[5], 21);
    }

    #[test]
    fn threads_change_nothing() {
        let game: Biased<Digits> = Digits { base: 3, length: 9 }.into();
        let [mut one, mut three] = [(); 2].map(|()| start(&game, Key(5)));
        while one.counts().restarts < 12 {
            let next = one.playouts() + 700;
            one.advance(&game, &playouts(next));
            three.advance(&game, &Limits { threads: 3, ..playouts(next) });
            assert_eq!(one.counts(), three.counts());
            assert_eq!(one.best(), three.best());
        }
    }

    #[test]
    fn states_of_other_searches_are_refused() {
        let game: Biased<Digits> = Digits { base: 3, length: 3 }.into();
        let mut search = start(&game, Key(5));
        search.advance(&game, &playouts(20));
        let saved = search.save();
        assert!(start(&game, Key(5)).restore(&game, &saved).is_ok());
        assert!(start(&game, Key(5)).restore(&game, &saved[1..]).is_err());
    }
}
