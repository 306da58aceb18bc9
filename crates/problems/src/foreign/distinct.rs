//! Whether the codes of a state are all different.

use multiversion::multiversion;
use nestor_engine::code::Code;

/// The least number of places of a table. With more, fewer codes meet, but less fits into the cache.
const LEAST: usize = 1 << 10;

/// How many places a table has at least for each code.
const SPARSE: usize = 8;

/// A table of the codes of a state, whose memory is used again.
#[derive(Debug, Default)]
pub struct Distinct {
    /// The number of a code, and above it the round in which it was put here: at the place where the
    /// code is looked for first, or in the next free one. The length is a power of two.
    places: Vec<u64>,
    round: u64,
}

impl Distinct {
    /// A code that is there twice.
    #[inline]
    pub fn twice<C: Code>(&mut self, codes: &[C]) -> Option<u64> {
        let rise = codes.is_sorted_by(|&one, &next| one < next);
        if rise { None } else { self.met(codes) }
    }

    #[inline(never)]
    fn met<C: Code>(&mut self, codes: &[C]) -> Option<u64> {
        if self.round == u32::MAX.into() || self.places.len() < SPARSE * codes.len() {
            let len = (SPARSE * codes.len()).next_power_of_two().max(LEAST);
            self.places.clear();
            self.places.resize(len, 0);
            self.round = 0;
        }
        self.round += 1;
        let (free, places) = (self.round << 32, self.places.as_mut_slice());
        let shift = places.len().leading_zeros() + 1;
        for (entry, &code) in (free..).zip(codes) {
            let mut place = (code.into().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> shift) as usize;
            loop {
                let found = &mut places[place & (places.len() - 1)];
                if *found < free {
                    *found = entry;
                    break;
                }
                if codes[*found as u32 as usize] == code {
                    return Some(code.into());
                }
                place += 1;
            }
        }
        None
    }
}

/// Whether codes plainly differ, since their remainders do, and the greatest of them. Codes that are
/// few numbers mostly lie near each other.
#[multiversion(targets("x86_64+avx2+avx512f+avx512dq+avx512vl", "x86_64+avx2+popcnt"))]
pub fn survey<C: Code>(codes: &[C]) -> (bool, u64) {
    let (mut bits, mut greatest) = (0u64, None);
    for &code in codes {
        bits |= 1 << (code.into() & 63);
        greatest = greatest.max(Some(code));
    }
    let mut differ = bits.count_ones() as usize == codes.len();
    if !differ && codes.len() <= 256 {
        let mut words = [0u64; 4];
        for &code in codes {
            for (number, word) in (0..).zip(&mut words) {
                *word |= u64::from(code.into() >> 6 & 3 == number) << (code.into() & 63);
            }
        }
        let bits: u32 = words.iter().map(|word| word.count_ones()).sum();
        differ = bits as usize == codes.len();
    }
    (differ, greatest.map_or(0, C::into))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use nestor_engine::random::{Key, Random};

    use super::*;

    /// Lists of codes of all kinds: near, far apart, in order or not, with one that comes twice or not.
    fn lists() -> impl Iterator<Item = Vec<u32>> {
        let mut random = Random::new(Key::root(1, 0));
        (0..20_000).map(move |_| {
            let range = [3, 40, 64, 65, 200, 256, 257, 4000, 1 << 28][random.below(9)];
            let step = [1, 2, 64, 256, 1000][random.below(5)];
            let most = [2, 9, 65, 300, 1500][random.below(5)].min(range + 2);
            let len = random.below(most);
            let first = random.below(1 << 10);
            let mut codes: Vec<u32> =
                (0..len).map(|_| (first + step * random.below(range)) as u32).collect();
            match random.below(4) {
                0 => codes.sort_unstable(),
                1 => {
                    codes.sort_unstable();
                    codes.dedup();
                }
                2 => {
                    let mut seen = BTreeSet::new();
                    codes.retain(|&code| seen.insert(code));
                }
                _ => (),
            }
            codes
        })
    }

    #[test]
    fn codes_that_come_twice_are_found() {
        let (mut small, mut large) = (Distinct::default(), Distinct::default());
        let mut seen = [0; 2];
        for codes in lists() {
            let set: BTreeSet<_> = codes.iter().copied().collect();
            let distinct = set.len() == codes.len();
            seen[usize::from(distinct)] += 1;
            let (differ, greatest) = survey(&codes);
            assert!(distinct || !differ, "{codes:?}");
            assert_eq!(greatest, set.last().map_or(0, |&code| code.into()));
            let spread: Vec<u64> = codes.iter().map(|&code| u64::from(code) << 32).collect();
            assert_eq!(survey(&spread).1, greatest << 32);
            for (twice, shift) in [(small.twice(&codes), 0), (large.twice(&spread), 32)] {
                assert_eq!(twice.is_none(), distinct, "{codes:?}");
                let times =
                    |code: u64| codes.iter().filter(move |&&c| u64::from(c) == code >> shift);
                assert!(twice.is_none_or(|code| times(code).count() > 1), "{codes:?}");
            }
        }
        assert!(seen.iter().all(|&count| count > 3000), "{seen:?}");
    }

    #[test]
    fn near_codes_plainly_differ() {
        let differ = |codes: &[u32]| survey(codes).0;
        assert!(differ(&[]) && differ(&[700, 3, 701, 64]));
        assert!(differ(&(0..256).rev().collect::<Vec<_>>()));
    }

    #[test]
    fn rounds_come_to_an_end_and_begin_again() {
        let mut distinct = Distinct::default();
        assert_eq!(distinct.twice(&[2u32, 1]), None);
        distinct.round = u64::from(u32::MAX) - 1;
        for _ in 0..3 {
            assert_eq!(distinct.twice(&[2u32, 1]), None);
            assert_eq!(distinct.twice(&[2u32, 1, 2]), Some(2));
        }
        assert!(distinct.round < 10);
    }
}
