//! Priors learned from solved problems (learned-prior-2024).

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::problem::{Moves, Offers};

/// A table by prior code.
pub type ByCode<T> = HashMap<u64, T, BuildHasherDefault<Multiply>>;

/// How often a code was the solution's move, and how often it was legal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How often it was the solution's move.
    pub count: u64,
    /// How often it was legal.
    pub nb: u64,
}

/// Replay (learned-prior-2024, algorithm 4): plays the moves of a solution and counts, in every
/// state, the code of each legal move and that of the solution's move. Without `counts` it only checks
/// the moves.
///
/// # Errors
///
/// If a move is not legal: the number of the first one.
pub fn replay<P: Offers>(
    problem: &P,
    solution: impl IntoIterator<Item = P::Move>,
    mut counts: Option<&mut ByCode<Counts>>,
) -> Result<(), usize> {
    let mut state = problem.initial();
    problem.reset(&mut state);
    let (mut moves, mut codes, mut biases) = (Vec::new(), Vec::new(), Vec::new());
    for (number, solving) in solution.into_iter().enumerate() {
        moves.clear();
        codes.clear();
        biases.clear();
        problem.moves(&mut state, &mut Moves::new(&mut moves, &mut codes, &mut biases));
        if !moves.contains(&solving) {
            return Err(number);
        }
        if let Some(counts) = &mut counts {
            for (&mv, &code) in moves.iter().zip(&codes) {
                let entry = counts.entry(problem.prior_code(&state, mv, code)).or_default();
                entry.nb += 1;
                entry.count += u64::from(mv == solving);
            }
        }
        problem.play(&mut state, solving);
    }
    Ok(())
}

/// Codes are mostly hashes already; one multiplication spreads those that are not.
#[derive(Clone, Copy, Default)]
pub struct Multiply(u64);

impl Hasher for Multiply {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    #[inline]
    fn write_u64(&mut self, code: u64) {
        let product = (self.0 ^ code).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = product ^ (product >> 32);
    }
}
