//! NMCS: nested levels around one place in the tree, with no policy to adapt.
//!
//! Figure 1 of nrpa-2011,
//!
//! ```text
//! NMCS(level, node):
//!   level 0: return playout(node)
//!   best <- -infinity
//!   while node has children:
//!     for each child (or for k children drawn with replacement: Sample-k NMCS, section 4.1):
//!       (result, new) <- NMCS(level - 1, child)
//!       if result > best: best <- result; seq <- the way to the child, new
//!     node <- the next node of seq
//!   return (best, seq)
//! ```
//!
//! written as a value that moves from one playout to the next. As printed, a search that begins at
//! a leaf returns no score and the leaf is never chosen; here the search of a leaf, of whatever
//! level, is one playout without moves. Playouts and samples are drawn with the policy that has
//! learned nothing: uniformly, or as the biases say; playouts may also follow the problem's own
//! policy. A move that a bias forbids is not searched unless all are forbidden.
//!
//! Keys: the i-th child that a search with key K searches at its ply p has the key
//! K.child(p).child(i). The k samples are the first draws of the generator that starts at
//! K.child(p).child(k).

use crate::meter::{Limits, Meter, Stop};
use crate::playout::Playouts;
use crate::problem::Problem;
use crate::random::Key;
use crate::saved::{Reader, Writer};
use crate::search::Search;
use crate::sequence::Sequence;

mod node;

use node::{Looking, Node, bytes, legal};

/// What a search does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NmcsSettings {
    /// Levels above the playouts; without any, every restart is one playout.
    pub levels: usize,
    /// Search so many children of a node, at least 1, in place of all.
    pub samples: Option<usize>,
    /// Play with the problem's own policy ([`Problem::choose`]), which it must have.
    pub tuned: bool,
}

/// A level under way, or one that waits for its next turn.
struct Level<P: Problem> {
    key: Key,
    /// Moves made by the level.
    ply: u64,
    /// Which of `children` is searched.
    child: usize,
    score: f64,
    /// The best sequence, from the root of the tree; empty before the first child is searched.
    best: Vec<P::Move>,
    node: Node<P>,
}

impl<P: Problem> Level<P> {
    fn new(problem: &P) -> Self {
        let (key, score, node) = (Key(0), f64::NEG_INFINITY, Node::new(problem));
        Level { key, ply: 0, child: 0, score, best: Vec::new(), node }
    }

    /// Begins at the child that the level above searches, or at the root of the tree.
    fn begin(&mut self, problem: &P, above: Option<&Level<P>>, root: Key) {
        (self.key, self.ply, self.child) = (root, 0, 0);
        self.best.clear();
        match above {
            Some(above) => {
                self.key = above.child_key();
                self.node.begin_below(problem, &above.node, above.child_move());
            }
            None => self.node.begin(),
        }
    }

    fn look(&mut self, problem: &P, looking: &mut Looking<P>) {
        self.node.look(problem, looking, self.key.child(self.ply));
    }

    fn child_key(&self) -> Key {
        self.key.child(self.ply).child(self.child as u64)
    }

    fn child_move(&self) -> P::Move {
        self.node.moves[self.node.children[self.child] as usize]
    }

    /// Takes the result of a child, better ones only.
    fn accept(&mut self, score: f64, sequence: &[P::Move]) {
        if self.best.is_empty() || score > self.score {
            self.score = score;
            self.best.clear();
            self.best.extend_from_slice(sequence);
        }
        self.child += 1;
    }

    /// Takes a best sequence that comes from a file, and as many moves of it as were made.
    fn restore(&mut self, problem: &P, ply: u64, best: Vec<P::Move>) -> Result<(), String> {
        let begun = self.node.path.len();
        let depth = begun.saturating_add(usize::try_from(ply).unwrap_or(usize::MAX));
        let follows = best.len() > depth && bytes(&best[..begun]) == bytes(&self.node.path);
        if !(follows || (best.is_empty() && ply == 0)) || !legal(problem, &best) {
            return Err("a sequence has a move that is not legal".into());
        }
        if ply > 0 {
            self.node.path.extend_from_slice(&best[begun..depth]);
        }
        (self.ply, self.best) = (ply, best);
        Ok(())
    }

    /// Makes the next move of the best sequence; whether another follows.
    fn step(&mut self) -> bool {
        let depth = self.node.path.len();
        self.node.path.push(self.best[depth]);
        self.node.moves.clear();
        self.ply += 1;
        self.child = 0;
        depth + 1 < self.best.len()
    }
}

/// Nested Monte Carlo search.
pub struct Nmcs<P: Problem> {
    root: Key,
    restarts: u64,
    /// The levels from 1 upwards.
    levels: Vec<Level<P>>,
    /// The lowest level under way (an index; the number of levels for none): a child of its node is
    /// searched next.
    lowest: usize,
    looking: Looking<P>,
    playouts: Playouts<P>,
    /// The sequence that travels upwards, in `moves`.
    current: Sequence<P>,
    meter: Meter<P::Move>,
}

impl<P: Problem> Nmcs<P> {
    /// A search with these settings.
    pub fn new(problem: &P, settings: NmcsSettings, root: Key) -> Self {
        let NmcsSettings { levels, samples, tuned } = settings;
        Nmcs {
            root,
            restarts: 0,
            levels: (0..levels).map(|_| Level::new(problem)).collect(),
            lowest: levels,
            looking: Looking::new(problem, samples),
            playouts: Playouts::with(problem, tuned),
            current: Sequence::default(),
            meter: Meter::new(),
        }
    }

    /// Begins the levels below the lowest one, down to level 1 or a leaf; false if the problem fails.
    fn descend(&mut self, problem: &P) -> bool {
        for level in self.levels[self.lowest..].iter_mut().rev() {
            if level.node.moves.is_empty() {
                level.look(problem, &mut self.looking);
            }
        }
        while self.lowest > 0 && !problem.failed() {
            let (below, above) = self.levels.split_at_mut(self.lowest);
            let level = &mut below[self.lowest - 1];
            level.begin(problem, above.first(), self.root.child(self.restarts));
            level.look(problem, &mut self.looking);
            if level.node.moves.is_empty() {
                break;
            }
            self.lowest -= 1;
        }
        !problem.failed()
    }

    /// The playout at the bottom; its score.
    fn play(&mut self, problem: &P) -> f64 {
        let (policy, current) = (&self.looking.policy, &mut self.current);
        match self.levels.get(self.lowest) {
            Some(level) => {
                let (key, mv) = (level.child_key(), level.child_move());
                let from = (&level.node.state, &level.node.path[..]);
                self.playouts.run_from(problem, policy, key, from, mv, current)
            }
            None => self.playouts.run(problem, policy, self.root.child(self.restarts), current),
        }
    }

    /// Hands a result upwards through every level that it completes.
    fn ascend(&mut self, mut score: f64) {
        while let Some(level) = self.levels.get_mut(self.lowest) {
            level.accept(score, &self.current.moves);
            if level.child < level.node.children.len() || level.step() {
                return;
            }
            score = level.score;
            std::mem::swap(&mut self.current.moves, &mut level.best);
            self.lowest += 1;
        }
        self.restarts += 1;
    }

    fn advance_to(&mut self, problem: &P, limits: &Limits) -> Stop {
        loop {
            if self.restarts > 0 && !limits.restart {
                return Stop::Finished;
            }
            if let Some(stop) = self.meter.stop(limits) {
                return stop;
            }
            if !self.descend(problem) {
                self.levels.iter_mut().for_each(|level| level.node.forget());
                return Stop::Failed;
            }
            let score = self.play(problem);
            if problem.failed() {
                return Stop::Failed;
            }
            let (levels, lowest) = (&self.levels[self.lowest..], self.lowest);
            self.meter.record(score, &self.current.moves, || {
                let moved = levels.iter().rposition(|level| level.ply > 0);
                moved.map_or(0, |index| (lowest + index) as u32 + 1)
            });
            self.ascend(score);
        }
    }
}

impl<P: Problem> Search<P> for Nmcs<P> {
    fn advance(&mut self, problem: &P, limits: &Limits) -> Stop {
        self.meter.start();
        let stop = self.advance_to(problem, limits);
        self.meter.pause();
        stop
    }

    fn meter(&self) -> &Meter<P::Move> {
        &self.meter
    }

    /// Children searched and to search, were games as long as the best one and nodes as wide as
    /// that at hand.
    fn progress(&self) -> Vec<(u64, u64)> {
        let progress = |(index, level): (usize, &Level<P>)| {
            if index < self.lowest || level.node.children.is_empty() {
                return (0, 1);
            }
            let best = if level.best.is_empty() { &self.meter.moves } else { &level.best };
            let plies = level.ply + best.len().saturating_sub(level.node.path.len()).max(1) as u64;
            let width = level.node.children.len() as u64;
            (level.ply * width + level.child as u64, plies * width)
        };
        self.levels.iter().enumerate().map(progress).collect()
    }

    fn restarts(&self) -> u64 {
        self.restarts
    }

    fn save(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.put(&self.restarts);
        writer.put(&self.meter);
        writer.put(&self.lowest);
        for level in self.levels[self.lowest..].iter().rev() {
            writer.put(&(level.ply, level.child, level.score));
            writer.put(&level.best);
        }
        writer.0
    }

    fn restore(&mut self, problem: &P, saved: &[u8]) -> Result<(), String> {
        let mut reader = Reader(saved);
        self.restarts = reader.take()?;
        self.meter = reader.take()?;
        let lowest: usize = reader.take()?;
        while self.lowest > lowest {
            let (below, above) = self.levels.split_at_mut(self.lowest);
            let level = &mut below[self.lowest - 1];
            level.begin(problem, above.first(), self.root.child(self.restarts));
            let (ply, child, score) = reader.take()?;
            level.restore(problem, ply, reader.take()?)?;
            (level.child, level.score) = (child, score);
            level.look(problem, &mut self.looking);
            if child >= level.node.children.len() || (child > 0 && level.best.is_empty()) {
                return Err("a level has no such child".into());
            }
            self.lowest -= 1;
        }
        reader.finish()
    }
}

#[cfg(test)]
mod tests;
