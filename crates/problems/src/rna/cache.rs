//! Scores of sequences that were folded before.

use std::sync::{Mutex, PoisonError};

/// The number of parts; threads lock one part at a time.
const PARTS: usize = 16;
/// The most sequences kept.
const ENTRIES: usize = 1 << 16;
/// The most memory for sequences, in bytes.
const MEMORY: usize = 16 << 20;

/// A bounded table of scores; a new sequence replaces an older one with a similar hash.
///
/// The score of a sequence is always the same, so the cache saves time and changes nothing else.
#[derive(Debug)]
pub(super) struct Cache {
    parts: Vec<Mutex<Part>>,
}

#[derive(Debug)]
struct Part {
    /// The length of a sequence, including the NUL at its end.
    length: usize,
    /// The sequences, one after the other; an unused one begins with 0.
    sequences: Vec<u8>,
    scores: Vec<f64>,
}

impl Cache {
    /// A cache for sequences of `n` bases and a NUL.
    pub(super) fn new(n: usize) -> Self {
        let length = n + 1;
        let entries = ENTRIES.min(MEMORY / length) / PARTS;
        let part = || {
            let (sequences, scores) = (vec![0; entries * length], vec![0.0; entries]);
            Mutex::new(Part { length, sequences, scores })
        };
        Cache { parts: (0..PARTS).map(|_| part()).collect() }
    }

    /// The score of a sequence, computed if it is not known.
    pub(super) fn get_or(
        &self,
        sequence: &[u8],
        score: impl FnOnce() -> Option<f64>,
    ) -> Option<f64> {
        let hash = hash(sequence);
        let part = &self.parts[hash as usize % PARTS];
        let lock = || part.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(hash, sequence) {
            return Some(known);
        }
        // Nothing is locked while this is computed: it takes long.
        let score = score()?;
        lock().put(hash, sequence, score);
        Some(score)
    }
}

impl Part {
    fn entry(&self, hash: u64) -> usize {
        (hash / PARTS as u64 % self.scores.len() as u64) as usize
    }

    fn get(&self, hash: u64, sequence: &[u8]) -> Option<f64> {
        let entry = self.entry(hash);
        let known = &self.sequences[entry * self.length..][..self.length];
        (known == sequence).then(|| self.scores[entry])
    }

    fn put(&mut self, hash: u64, sequence: &[u8], score: f64) {
        let entry = self.entry(hash);
        self.sequences[entry * self.length..][..self.length].copy_from_slice(sequence);
        self.scores[entry] = score;
    }
}

/// FNV-1a, with its bits mixed once more.
fn hash(sequence: &[u8]) -> u64 {
    let mixed = |hash: u64, &base: &u8| (hash ^ u64::from(base)).wrapping_mul(0x0100_0000_01b3);
    let hash = sequence.iter().fold(0xcbf2_9ce4_8422_2325, mixed);
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_computed_once() {
        let cache = Cache::new(3);
        assert_eq!(cache.get_or(b"ACG\0", || Some(0.5)), Some(0.5));
        assert_eq!(cache.get_or(b"ACG\0", || panic!("known already")), Some(0.5));
        assert_eq!(cache.get_or(b"ACU\0", || Some(0.25)), Some(0.25));
    }

    #[test]
    fn failures_are_not_kept() {
        let cache = Cache::new(3);
        assert_eq!(cache.get_or(b"ACG\0", || None), None);
        assert_eq!(cache.get_or(b"ACG\0", || Some(0.5)), Some(0.5));
    }

    #[test]
    fn sequences_of_one_entry_are_told_apart() {
        let cache = Cache::new(1999);
        let sequence = |k: u64| {
            let mut sequence = vec![b'A'; 1999];
            for (digit, base) in sequence.iter_mut().enumerate().take(16) {
                *base = b"ACGU"[(k >> (2 * digit) & 3) as usize];
            }
            sequence.push(0);
            sequence
        };
        for round in 0..2 {
            for k in 0..20_000 {
                let score = cache.get_or(&sequence(k), || Some(k as f64));
                assert_eq!(score, Some(k as f64), "round {round}");
            }
        }
    }
}
