use std::sync::LazyLock;
use std::time::{Duration, Instant};

use super::*;
use crate::biased::Biased;
use crate::code::Slots;
use crate::examples::{Digits, Watched, found, playouts};
use crate::nrpa::settings::{Policies, parallel_level};
use crate::nrpa::start::start;
use crate::problem::Offers;
use crate::search::Search;

const DIGITS: Digits = Digits { base: 6, length: 9 };
static GAME: LazyLock<Biased<Digits>> = LazyLock::new(|| DIGITS.into());
const THREADS: [usize; 3] = [2, 4, 8];

/// Shared, or local with share and inherit.
type Kind = Option<(bool, bool)>;

const SHARED: Kind = None;
const LOCAL: Kind = Some((true, true));
const KINDS: [Kind; 4] = [SHARED, LOCAL, Some((false, true)), Some((true, false))];

/// Iterations and widths from level 1 upwards.
type Shape = &'static [(u64, u64)];

/// Shapes whose parallel level is each level in turn; widths that divide the iterations and not.
const SHAPES: [Shape; 6] = [
    &[(7, 1), (8, 4), (3, 1)],
    &[(4, 1), (3, 1), (5, 3)],
    &[(9, 4), (4, 1)],
    &[(6, 3)],
    &[(5, 1), (3, 90), (3, 1)],
    &[(5, 2), (7, 3)],
];

fn settings(shape: Shape, kind: Kind) -> Settings {
    let level = |&(iterations, width): &(u64, u64)| LevelSettings {
        iterations,
        width,
        ..Default::default()
    };
    let policies = if kind.is_some() { Policies::Local } else { Policies::Shared };
    let (share, inherit) = kind.unwrap_or_default();
    let levels = shape.iter().map(level).collect();
    Settings { levels, policies, share, inherit, ..Settings::default() }
}

fn begin(shape: Shape, kind: Kind, seed: u64) -> Search<Digits, LevelParallel<Digits>> {
    let settings = settings(shape, kind);
    let levels = settings.levels().unwrap();
    let index = parallel_level(&levels).unwrap();
    let recursion = LevelParallel::new(&GAME, &settings, (&levels, index), &|| None, Key(seed));
    Search::new(recursion, Key(seed))
}

/// The search that the settings ask for: leaf parallel if level 1 has the width.
fn any<P: Offers + 'static>(
    problem: &Biased<P>,
    shape: Shape,
    kind: Kind,
    seed: u64,
) -> Box<Search<P>> {
    start(problem, &settings(shape, kind), &|| None, Key(seed)).unwrap()
}

fn every_case(mut check: impl FnMut(Shape, Kind)) {
    for shape in SHAPES {
        for kind in KINDS {
            check(shape, kind);
        }
    }
}

#[test]
fn the_parallel_level_is_the_lowest_of_the_greatest_width() {
    let of = |widths: &[u64]| {
        let level = |&width| LevelSettings { width, ..Default::default() };
        parallel_level(&widths.iter().map(level).collect::<Vec<_>>())
    };
    assert_eq!(
        [of(&[]), of(&[1, 1]), of(&[4, 2, 4]), of(&[2, 16])],
        [None, None, Some(0), Some(1)]
    );
}

#[test]
fn threads_change_nothing_wherever_the_search_stops() {
    every_case(|shape, kind| {
        let run = |threads| {
            let mut search = any(&GAME, shape, kind, 2);
            let limits = |last| Limits { threads, ..playouts(last) };
            for last in [1, 30, 31, 200] {
                assert_eq!(search.advance(&GAME, &limits(last)), Stop::Playouts);
                assert_eq!(search.playouts(), last);
            }
            // Stopped by the clock, moved to other threads and through a file.
            for step in 0..10 {
                let deadline = Some(Instant::now() + Duration::from_micros(40));
                let threads = 1 + (threads + step) % 3;
                search.advance(&GAME, &Limits { threads, deadline, ..playouts(500) });
                let saved = search.save();
                search = any(&GAME, shape, kind, 2);
                search.restore(&GAME, &saved).unwrap();
            }
            search.advance(&GAME, &limits(500));
            (found(&*search), search.playouts(), search.counts(), search.progress())
        };
        let alone = run(1);
        for threads in THREADS {
            assert_eq!(run(threads), alone, "{shape:?} {kind:?} {threads}");
        }
    });
}

#[test]
fn threads_reach_a_target_after_the_same_playout() {
    every_case(|shape, kind| {
        let run = |threads| {
            let mut search = any(&GAME, shape, kind, 3);
            let aimed = Limits { threads, target: 5.0, ..playouts(20_000) };
            assert_eq!(search.advance(&GAME, &aimed), Stop::Target);
            let reached = search.playouts();
            search.advance(&GAME, &Limits { threads, ..playouts(reached + 100) });
            (reached, found(&*search))
        };
        let alone = run(1);
        for threads in THREADS {
            assert_eq!(run(threads), alone, "{shape:?} {kind:?} {threads}");
        }
    });
}

/// A budget below what threads have done already, out of order, is kept all the same.
#[test]
fn a_budget_may_be_lowered() {
    every_case(|shape, kind| {
        let mut search = any(&GAME, shape, kind, 4);
        for step in 1..30 {
            let deadline = Some(Instant::now() + Duration::from_micros(30));
            search.advance(&GAME, &Limits { threads: 3, deadline, ..playouts(u64::MAX) });
            let last = search.meter().playouts + step % 3;
            search.advance(&GAME, &Limits { threads: 2, ..playouts(last) });
            assert_eq!(search.playouts(), last);
            let mut other = any(&GAME, shape, kind, 4);
            other.advance(&GAME, &playouts(last));
            assert_eq!(found(&*search), found(&*other));
        }
    });
}

#[test]
fn giving_slots_back_changes_no_result() {
    every_case(|shape, kind| {
        let mut plain = begin(shape, kind, 6);
        let mut compacted = begin(shape, kind, 6);
        for last in 1..200 {
            compacted.recursion.upper.policy.compact_at = 0;
            compacted.recursion.lanes.iter_mut().for_each(|b| b.policy().compact_at = 0);
            plain.advance(&GAME, &Limits { threads: 2, ..playouts(last) });
            compacted.advance(&GAME, &playouts(last));
        }
        assert_eq!(found(&plain), found(&compacted));
    });
}

#[test]
fn a_whole_search_leaves_the_policy_as_it_found_it() {
    every_case(|shape, kind| {
        let mut search = begin(shape, kind, 7);
        let once = Limits { threads: 2, restart: false, ..playouts(u64::MAX) };
        assert_eq!(search.advance(&GAME, &once), Stop::Finished);
        let whole: u64 = shape.iter().map(|&(iterations, _)| iterations).product();
        assert_eq!((search.playouts(), search.counts().restarts), (whole, 1));
        let policy = &search.recursion.upper.policy;
        assert_eq!(policy.by_code(&policy.space.codes()), []);
    });
}

/// After the flag is raised a thread ends its playout and begins no other, at any width.
#[test]
fn a_cancelled_search_begins_no_other_playout() {
    const WIDE: [Shape; 4] = [
        &[(1_000, 16), (1_000, 1)],
        &[(100_000, 100_000)],
        &[(1_000, 1), (1_000, 16)],
        &[(1_000, 1), (1_000, 1), (1_000, 16)],
    ];
    for shape in WIDE {
        for kind in KINDS {
            if kind != SHARED && shape[0].1 > 256 {
                continue;
            }
            for threads in THREADS {
                let game = Biased::from(Watched::new(DIGITS, 500, false));
                let mut search = any(&game, shape, kind, 9);
                let forever = Limits { threads, ..playouts(u64::MAX) };
                let limits = Limits { cancel: &game.raised, ..forever };
                assert_eq!(search.advance(&game, &limits), Stop::Cancelled);
                assert!(game.late() < threads as i64, "{} {threads}", game.late());
                let counted = search.playouts() as i64;
                // Playouts that share a policy at level 1 are dropped if they are out of order.
                let leaf = kind == SHARED && shape[0].1 > 1;
                assert!(counted == 500 + game.late() || leaf && counted < 500 + game.late());
            }
        }
    }
}

#[test]
fn a_failure_on_any_thread_loses_its_playout_and_nothing_else() {
    every_case(|shape, kind| {
        let mut unbroken = any(&GAME, shape, kind, 10);
        unbroken.advance(&GAME, &playouts(300));
        for threads in THREADS {
            let mut game = Biased::from(Watched::new(DIGITS, 77, true));
            let mut search = any(&game, shape, kind, 10);
            let limits = Limits { threads, ..playouts(300) };
            for again in [50, 51, i64::MAX] {
                assert_eq!(search.advance(&game, &limits), Stop::Failed);
                game = Biased::from(Watched::new(DIGITS, again, true));
            }
            assert_eq!(search.advance(&game, &limits), Stop::Playouts);
            assert_eq!(found(&*search), found(&*unbroken), "{shape:?} {kind:?} {threads}");
        }
    });
}
