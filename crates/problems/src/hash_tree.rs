//! A tree made of hashes: the synthetic problem of the engine's tests.
//!
//! A state is a 64-bit hash, and each move hashes it again. The number of moves, their codes, their
//! biases and the score also come from hashes. So the tree looks random, a tree of any size takes
//! no memory, and its Python twin is a few lines long.

use nestor_engine::problem::{Bias, Moves, Offers, Problem};
use nestor_engine::random::Key;
use serde::Deserialize;

use crate::exposed::Exposed;

/// A random tree of given depth and branching.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HashTree {
    /// The hash of the root.
    pub root: u64,
    /// The number of moves to a leaf; some leaves are nearer.
    pub depth: u32,
    /// States have 1 to this many moves.
    pub branching: u64,
    /// Codes are hashes modulo this number.
    pub codes: u64,
    /// Biases are spread over 0 to this number; none if 0.
    pub spread: f64,
}

/// A node of the tree.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    hash: Key,
    depth: u32,
}

impl HashTree {
    /// The tree itself.
    ///
    /// # Errors
    ///
    /// If states would have no moves, or moves no codes.
    pub fn checked(self) -> Result<Self, String> {
        match (self.branching, self.codes) {
            (1.., 1..) => Ok(self),
            _ => Err("branching and codes must be positive".to_owned()),
        }
    }
}

impl Exposed for HashTree {}

impl Problem for HashTree {
    type State = Node;
    type Move = u64;
    type Code = u64;

    fn bias(&self) -> Bias {
        if self.spread == 0.0 { Bias::None } else { Bias::PerMove }
    }

    fn initial(&self) -> Node {
        Node { hash: Key(self.root), depth: 0 }
    }

    fn moves(&self, node: &mut Node, out: &mut Moves<'_, Self>) {
        let early_leaf = node.depth > self.depth / 2 && node.hash.0.is_multiple_of(16);
        if node.depth == self.depth || early_leaf {
            return;
        }
        for index in 0..1 + node.hash.0 % self.branching {
            let hash = node.hash.child(index).0;
            let code = hash % self.codes;
            if self.spread == 0.0 {
                out.push(index, code);
            } else {
                out.push_biased(index, code, (hash % 1000) as f64 / 1000.0 * self.spread);
            }
        }
    }

    fn play(&self, node: &mut Node, index: u64) {
        *node = Node { hash: node.hash.child(index), depth: node.depth + 1 };
    }

    fn score(&self, node: &Node) -> f64 {
        (node.hash.0 % 1000) as f64
    }
}

impl Offers for HashTree {}
