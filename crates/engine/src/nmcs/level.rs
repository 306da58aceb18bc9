//! One level of NMCS: its current nodes and the best sequences through them.

use crate::biased::Biased;
use crate::problem::Problem;
use crate::random::Key;
use crate::state::{Reader, Writer};

use super::node::{Looking, Node, follow};

/// A complete game that goes through the node of an entry.
struct Found<M> {
    score: f64,
    moves: Vec<M>,
    /// The number of the entry.
    entry: usize,
}

/// A level in progress, or one that waits for its next turn.
pub(super) struct Level<P: Problem> {
    /// B, the largest number of entries.
    size: usize,
    key: Key,
    /// Moves made by the level.
    ply: u64,
    /// The nodes of the entries, best first.
    beam: Vec<Node<P>>,
    /// The number of the current entry.
    number: usize,
    /// The number of the child that is searched.
    child: usize,
    /// The best games so far through different next nodes; best first, at most B.
    found: Vec<Found<P::Move>>,
    /// The nodes of the next beam while it is made.
    next: Vec<Node<P>>,
    /// Memory that is used again.
    spare_nodes: Vec<Node<P>>,
    spare_moves: Vec<Vec<P::Move>>,
}

impl<P: Problem> Level<P> {
    pub(super) fn new(problem: &Biased<P>, size: usize) -> Self {
        let (ply, number, child, found, next, spare_nodes, spare_moves) = Default::default();
        let (key, beam) = (Key(0), vec![Node::new(problem)]);
        Level { size, key, ply, beam, number, child, found, next, spare_nodes, spare_moves }
    }

    /// Begins at the child that the level above searches, or at the root of the tree.
    pub(super) fn begin(&mut self, problem: &Biased<P>, above: Option<&Level<P>>, root: Key) {
        (self.key, self.ply, self.number, self.child) = (root, 0, 0, 0);
        self.spare_nodes.extend(self.beam.drain(1..));
        self.spare_moves.extend(self.found.drain(..).map(|found| found.moves));
        match above {
            Some(above) => {
                self.key = above.child_key();
                self.beam[0].begin_below(problem, above.node(), above.child_move());
            }
            None => self.beam[0].begin(),
        }
    }

    /// The current node.
    pub(super) fn node(&self) -> &Node<P> {
        &self.beam[self.number]
    }

    /// Finds the children of the current node.
    pub(super) fn look(&mut self, problem: &Biased<P>, looking: &mut Looking<P>) {
        let key = self.entry_key();
        self.beam[self.number].look(problem, looking, key);
    }

    /// The same if they are not known.
    pub(super) fn look_again(&mut self, problem: &Biased<P>, looking: &mut Looking<P>) {
        if self.node().moves.is_empty() {
            self.look(problem, looking);
        }
    }

    fn entry_key(&self) -> Key {
        self.key.child(self.ply * self.size as u64 + self.number as u64)
    }

    pub(super) fn child_key(&self) -> Key {
        self.entry_key().child(self.child as u64)
    }

    pub(super) fn child_move(&self) -> P::Move {
        let node = self.node();
        node.moves[node.children[self.child] as usize]
    }

    /// Takes the result of a child. The game is kept if it is better than the one known through the
    /// child, and one of the B best.
    pub(super) fn accept(&mut self, score: f64, moves: &[P::Move]) {
        self.child += 1;
        self.keep(self.number, score, moves);
    }

    /// Takes over a game from outside if it goes through one of the nodes.
    pub(super) fn adopt(&mut self, score: f64, moves: &[P::Move]) {
        if let Some(entry) = self.beam.iter().position(|node| moves.starts_with(&node.path)) {
            self.keep(entry, score, moves);
        }
    }

    /// Keeps a game through the node of an entry if it is good enough.
    fn keep(&mut self, entry: usize, score: f64, moves: &[P::Move]) {
        let full = self.found.len() == self.size;
        if full && self.found.last().is_some_and(|last| score <= last.score) {
            return;
        }
        let depth = self.beam[entry].path.len();
        let same =
            |found: &Found<_>| found.entry == entry && found.moves.get(depth) == moves.get(depth);
        let replaced = match self.found.iter().position(same) {
            Some(known) if score <= self.found[known].score => return,
            Some(known) => Some(self.found.remove(known)),
            None if full => self.found.pop(),
            None => None,
        };
        let mut memory = replaced
            .map(|found| found.moves)
            .or_else(|| self.spare_moves.pop())
            .unwrap_or_default();
        memory.clear();
        memory.extend_from_slice(moves);
        let place = self.found.partition_point(|found| found.score >= score);
        self.found.insert(place, Found { score, moves: memory, entry });
    }

    /// Goes on to the next child, entry or ply; false at the end of all games of the beam.
    pub(super) fn go_on(&mut self, problem: &Biased<P>) -> bool {
        if self.child < self.node().children.len() {
            return true;
        }
        self.child = 0;
        self.find_entry(self.number + 1) || {
            self.step(problem);
            self.find_entry(0)
        }
    }

    /// Goes to the first entry, from this number on, that is not at the end of its game.
    fn find_entry(&mut self, first: usize) -> bool {
        let entry = (first..self.beam.len()).find(|&number| !self.beam[number].over);
        self.number = entry.unwrap_or(self.number);
        entry.is_some()
    }

    /// Makes the next move: the nodes of the games found become the beam.
    fn step(&mut self, problem: &Biased<P>) {
        for (number, found) in self.found.iter_mut().enumerate() {
            let mut node = self.spare_nodes.pop().unwrap_or_else(|| Node::new(problem));
            node.begin_on(&self.beam[found.entry], &found.moves);
            found.entry = number;
            self.next.push(node);
        }
        self.spare_nodes.append(&mut self.beam);
        std::mem::swap(&mut self.beam, &mut self.next);
        self.ply += 1;
        self.number = 0;
    }

    /// Gives the best game away and returns its score.
    pub(super) fn finish(&mut self, moves: &mut Vec<P::Move>) -> f64 {
        let best = &mut self.found[0];
        std::mem::swap(moves, &mut best.moves);
        best.score
    }

    /// Makes the nodes find their states again after a failure.
    pub(super) fn forget(&mut self) {
        self.beam.iter_mut().for_each(Node::forget);
    }

    pub(super) fn has_moved(&self) -> bool {
        self.ply > 0
    }

    /// Children searched and to search, if all games were as long as the best one (or had this many
    /// moves if there is none) and all nodes as wide as the current one.
    pub(super) fn progress(&self, moves: usize) -> (u64, u64) {
        let node = self.node();
        if node.children.is_empty() {
            return (0, 1);
        }
        let length = self.found.first().map_or(moves, |found| found.moves.len());
        let plies = self.ply + length.saturating_sub(node.path.len()).max(1) as u64;
        let width = (self.beam.len() * node.children.len()) as u64;
        let done = (self.number * node.children.len() + self.child) as u64;
        (self.ply * width + done, plies * width)
    }

    pub(super) fn write(&self, writer: &mut Writer) {
        writer.put(&(self.ply, self.number, self.child, self.beam.len(), self.found.len()));
        for node in &self.beam {
            writer.put(&node.path);
        }
        for found in &self.found {
            writer.put(&(found.score, found.entry));
            writer.put(&found.moves);
        }
    }

    /// Takes what `write` has written, for a level that has just begun.
    pub(super) fn read(
        &mut self,
        problem: &Biased<P>,
        looking: &mut Looking<P>,
        reader: &mut Reader,
    ) -> Result<(), String> {
        let (ply, number, child, entries, found) = reader.take()?;
        (self.ply, self.number, self.child) = (ply, number, child);
        if number >= entries || entries > self.size || found > self.size {
            return Err("a beam has no such entry".into());
        }
        let begun = std::mem::take(&mut self.beam[0].path);
        self.beam.clear();
        for _ in 0..entries {
            let path: Vec<P::Move> = reader.take()?;
            let over = follow(problem, &path)?;
            if !path.starts_with(&begun)
                || path.len() - begun.len() > usize::try_from(ply).unwrap_or(usize::MAX)
            {
                return Err("a node is not below its level's".into());
            }
            self.beam.push(Node::at(problem, path, over));
        }
        for _ in 0..found {
            let (score, entry): (f64, usize) = reader.take()?;
            let moves: Vec<P::Move> = reader.take()?;
            let through = self.beam.get(entry).is_some_and(|node| moves.starts_with(&node.path));
            if !through || !follow(problem, &moves)? {
                return Err("a game does not go through its node to the end".into());
            }
            self.found.push(Found { score, moves, entry });
        }
        self.look(problem, looking);
        let node = self.node();
        let begins = (node.path.len() - begun.len()) as u64 == ply;
        let started = number > 0 || child > 0 || ply > 0;
        if !begins || child >= node.children.len() || (started && self.found.is_empty()) {
            return Err("a level has no such child".into());
        }
        Ok(())
    }
}
