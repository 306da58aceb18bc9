use std::sync::LazyLock;

use super::*;
use crate::biased::Biased;
use crate::examples::{Digits, found, playouts};

static GAME: LazyLock<Biased<Digits>> = LazyLock::new(|| Digits { base: 6, length: 10 }.into());
/// adapt_all, unique, diversity.
type Options = (bool, bool, usize);

const PRINTED: Options = (false, false, 0);
const BOTH: Options = (true, true, 0);
const DIVERSE: Options = (true, false, 3);

fn begin(
    beams: &[usize],
    (adapt_all, unique, diversity): Options,
    key: u64,
) -> Search<Digits, Beam<Digits>> {
    let level = |&beam| LevelSettings { iterations: 12, alpha: 1.0, beam };
    let levels = beams.iter().map(level).collect();
    let settings = Settings { levels, temperature: 1.0, adapt_all, unique, diversity };
    Search::new(Beam::new(&GAME, &settings, Key(key)), Key(key))
}

#[test]
fn levels_leave_the_policy_as_they_found_it() {
    let mut search = begin(&[3, 2], PRINTED, 1);
    let mut least = 0;
    while search.counts().restarts == 0 {
        least += 1;
        search.advance(&GAME, &playouts(least));
    }
    let policy = &search.recursion.adapting.policy;
    for slot in 0..policy.space.count() as u32 {
        assert_eq!((policy.weights.get(slot), policy.values.get(slot)), (0.0, 1.0));
    }
}

#[test]
fn giving_slots_back_changes_no_result() {
    for options in [PRINTED, BOTH, DIVERSE] {
        let mut plain = begin(&[3, 2, 2], options, 2);
        let mut compacted = begin(&[3, 2, 2], options, 2);
        plain.advance(&GAME, &playouts(3000));
        for playout in 1..=3000 {
            compacted.recursion.adapting.policy.compact_at = 0;
            compacted.advance(&GAME, &playouts(playout));
        }
        assert_eq!(found(&plain), found(&compacted));
        let scores = |search: &Search<Digits, Beam<Digits>>| -> Vec<f64> {
            search
                .recursion
                .levels
                .iter()
                .flat_map(|l| l.beam.iter().map(|entry| entry.score))
                .collect()
        };
        assert_eq!(scores(&plain), scores(&compacted));
    }
}

#[test]
fn memory_stays_flat() {
    let mut search = begin(&[4, 3], PRINTED, 6);
    let entries = |search: &Search<Digits, Beam<Digits>>| {
        let held = search.recursion.levels.iter().map(|level| level.beam.len() + level.found.len());
        held.sum::<usize>() + search.recursion.spare.len()
    };
    search.advance(&GAME, &playouts(5_000));
    let before = entries(&search);
    search.advance(&GAME, &playouts(50_000));
    assert!(entries(&search) <= before + 4, "{} after {before}", entries(&search));
}

#[test]
fn states_of_other_searches_are_refused() {
    let mut search = begin(&[3, 2], BOTH, 7);
    search.advance(&GAME, &playouts(100));
    let saved = search.save();
    assert!(begin(&[1, 1], BOTH, 7).restore(&GAME, &saved).is_err());
    assert!(begin(&[3, 2], BOTH, 7).restore(&GAME, &saved[1..]).is_err());
    assert!(begin(&[3, 2, 1], BOTH, 7).restore(&GAME, &saved).is_err());
}
