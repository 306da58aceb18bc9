use std::sync::{Arc, LazyLock};

use super::leaf_parallel::LeafParallel;
use super::*;
use crate::biased::Biased;
use crate::examples::{Digits, found, playouts};
use crate::problem::{Moves, Offers};
use crate::search::Search;
use crate::shared::sync::atomic::{AtomicBool, Ordering};

const DIGITS: Digits = Digits { base: 6, length: 9 };
static GAME: LazyLock<Biased<Digits>> = LazyLock::new(|| DIGITS.into());

fn levels() -> [LevelSettings; 2] {
    [LevelSettings { iterations: 20, ..Default::default() }; 2]
}

fn begin<P: Problem>(
    problem: &Biased<P>,
    levels: &[LevelSettings],
    key: u64,
) -> Search<P, Nrpa<P>> {
    Search::new(Nrpa::new(problem, levels, Key(key)), Key(key))
}

fn leaf<P: Offers>(
    problem: &Biased<P>,
    levels: &[LevelSettings],
    key: u64,
) -> Search<P, LeafParallel<P>> {
    Search::new(LeafParallel::new(problem, levels, None, Key(key)), Key(key))
}

/// The weights of a search's policy, in order of their codes.
fn weights<P: Offers>(search: &Search<P, LeafParallel<P>>) -> Vec<(u64, f64)> {
    let weights = search.recursion.nrpa.policy.weights().into_iter();
    let mut weights: Vec<_> = weights.map(|(code, weight)| (code.into(), weight)).collect();
    weights.sort_by_key(|&(code, _)| code);
    weights
}

#[test]
fn levels_leave_the_policy_as_they_found_it() {
    let mut search = begin(&GAME, &levels(), 1);
    assert_eq!(search.advance(&GAME, &playouts(400)), Stop::Playouts);
    assert_eq!(search.counts().restarts, 1);
    for slot in 0..search.recursion.policy.space.count() as u32 {
        assert_eq!(
            (search.recursion.policy.weights.get(slot), search.recursion.policy.values.get(slot)),
            (0.0, 1.0)
        );
    }
}

#[test]
fn a_level_leaves_the_weight_of_the_bias_as_it_found_it() {
    let betas = (0..10).map(|digit| (digit, digit as f64 / 3.0)).collect();
    let problem = Biased::learning(Arc::new(DIGITS), Vec::new(), betas, &[1.5]).unwrap();
    let level = LevelSettings { iterations: 10, bias_rate: Some(0.1), ..Default::default() };
    let mut search = begin(&problem, &[level; 2], 1);
    let mut weights = Vec::new();
    for done in 1..=100 {
        search.advance(&problem, &playouts(done));
        weights.push(search.recursion.policy.bias_weights[0]);
    }
    // The first level 1 adapts nine times, then level 2 for the first time.
    assert!(weights[..10].iter().all(|&weight| weight != 1.5));
    assert_ne!(weights[8], weights[9]);
    assert_eq!(search.counts().restarts, 1);
    assert_eq!(weights[99], 1.5);
}

#[test]
fn giving_slots_back_changes_no_result() {
    let mut plain = begin(&GAME, &levels(), 2);
    let mut compacted = begin(&GAME, &levels(), 2);
    for last in 1..1000 {
        compacted.recursion.policy.compact_at = 0;
        plain.advance(&GAME, &playouts(last));
        compacted.advance(&GAME, &playouts(last));
    }
    assert_eq!(found(&plain), found(&compacted));
}

#[test]
fn searching_beats_sampling() {
    let game = Digits { base: 10, length: 10 }.into();
    let best = |levels: &[LevelSettings]| {
        let mut search = begin(&game, levels, 3);
        search.advance(&game, &playouts(10_000));
        search.run.meter.score
    };
    let levels = [LevelSettings { iterations: 100, ..Default::default() }; 2];
    assert!(best(&levels) > best(&[]) + 2.0);
}

#[test]
fn each_limit_stops_the_search() {
    let cancel = AtomicBool::new(false);
    let limits = |last| Limits { cancel: &cancel, ..playouts(last) };
    let mut search = begin(&GAME, &levels(), 4);
    let now = std::time::Instant::now();
    let timed = Limits { deadline: Some(now), ..limits(100) };
    assert_eq!(search.advance(&GAME, &timed), Stop::Deadline);
    assert_eq!(search.run.meter.playouts, 0);
    let aimed = Limits { target: 2.0, ..limits(10_000) };
    assert_eq!(search.advance(&GAME, &aimed), Stop::Target);
    assert!(search.run.meter.score >= 2.0);
    let once = Limits { restart: false, ..limits(10_000) };
    assert_eq!(search.advance(&GAME, &once), Stop::Finished);
    assert_eq!(search.run.meter.playouts, 400);
    cancel.store(true, Ordering::Relaxed);
    assert_eq!(search.advance(&GAME, &limits(10_000)), Stop::Cancelled);
}

#[test]
fn children_make_the_level_above() {
    let whole_search = Limits { restart: false, ..playouts(u64::MAX) };
    let levels = [LevelSettings { iterations: 6, ..Default::default() }; 3];
    let mut search = begin(&GAME, &levels, 4);
    search.advance(&GAME, &whole_search);

    let (mut policy, mut player) = (Policy::new(&GAME), Playouts::new(&GAME));
    let (mut best_score, mut best) = (f64::NEG_INFINITY, Sequence::default());
    let mut child = begin(&GAME, &levels[..2], 0);
    for iteration in 0..6 {
        child.begin(&policy, Key(4).child(0).child(iteration));
        // Stopped halfway, it continues.
        child.advance(&GAME, &Limits { playouts: 17, ..whole_search });
        assert_eq!(child.advance(&GAME, &whole_search), Stop::Finished);
        let (score, new) = child.take_best();
        if score >= best_score {
            (best_score, best) = (score, new);
        }
        player.adapt(&mut policy, &mut best, levels[2].rate);
    }
    let (score, sequence) = search.take_best();
    assert_eq!((best_score, &best.moves), (score, &sequence.moves));
    assert!(score > 3.0);
}

#[test]
fn a_sequence_adapts_policies_that_number_codes_differently() {
    let mut player = Playouts::new(&GAME);
    let blank = Policy::new(&GAME);
    let run = |key| {
        let mut sequence = Sequence::default();
        Playouts::new(&GAME).run(&GAME, &blank, Key(key), &mut sequence);
        sequence
    };
    let (mut first, mut second) = (run(1), run(2));
    let mut adapted = |mut policy: Policy<u64>, sequences: [&mut Sequence<Digits>; 2]| {
        for sequence in sequences {
            player.adapt(&mut policy, sequence, 1.0);
        }
        let mut weights = policy.weights();
        weights.sort_by_key(|&(code, _)| code);
        (policy, weights)
    };
    let (policy, fresh) = adapted(blank.clone(), [&mut run(2), &mut run(1)]);
    adapted(blank.clone(), [&mut first, &mut second]);
    assert_eq!(adapted(blank.clone(), [&mut second, &mut first]).1, fresh);
    // Copies of one policy, too, number what they meet later each in its way.
    let (_, fresh) = adapted(policy.clone(), [&mut run(4), &mut run(3)]);
    let (mut third, mut fourth) = (run(3), run(4));
    adapted(policy.clone(), [&mut third, &mut fourth]);
    assert_eq!(adapted(policy, [&mut fourth, &mut third]).1, fresh);
}

#[test]
fn a_policy_is_what_its_weights_are() {
    let weights = [(3, 0.5), (7, -1.25)];
    let policy = Policy::with_weights(&GAME, &weights).unwrap();
    assert_eq!(policy.weights(), weights);
    let mut copy = Policy::with_weights(&GAME, &[(1, 9.0)]).unwrap();
    copy.copy(&policy);
    assert_eq!(copy.weights(), weights);
}

/// Whatever the options, in one go or not, and when policies number their slots anew.
#[test]
fn playouts_side_by_side_are_those_of_the_sequential_search() {
    let leaf_level = LevelSettings { iterations: 21, width: 8, ..LevelSettings::default() };
    let leaves = [
        leaf_level,
        LevelSettings { repetitions: Some(2), ..leaf_level },
        LevelSettings { force_explore: true, warm_start: Some(2.0), ..leaf_level },
        LevelSettings { width: 21, iterations: 20, ..leaf_level },
    ];
    for lowest in leaves {
        let above = LevelSettings { iterations: 6, ..LevelSettings::default() };
        let mut alone = leaf(&GAME, &[lowest, above, above], 7);
        alone.advance(&GAME, &playouts(600));
        for step in [1, 5, 60, 600] {
            let mut search = leaf(&GAME, &[lowest, above, above], 7);
            for (turn, last) in (1..=600 / step).map(|turn| (turn, turn * step)) {
                search.recursion.nrpa.policy.compact_at = 0;
                let threads = 1 + turn as usize % 4;
                search.advance(&GAME, &Limits { threads, ..playouts(last) });
                assert_eq!(search.run.meter.playouts, last);
            }
            assert_eq!(found(&search), found(&alone), "{lowest:?} {step}");
            assert_eq!(weights(&search), weights(&alone));
        }
    }
}

/// Forty times one of a hundred moves, each with a code that no other place has; all score 0.
struct Paths;

impl Offers for Paths {}

impl Problem for Paths {
    type State = (u64, Key);
    type Move = u8;
    type Code = u64;

    fn initial(&self) -> (u64, Key) {
        (0, Key(1))
    }

    fn moves(&self, &mut (place, path): &mut (u64, Key), out: &mut Moves<'_, Self>) {
        if place < 40 {
            out.extend(0..100, (0..100).map(|digit| path.child(digit).0));
        }
    }

    fn play(&self, (place, path): &mut (u64, Key), digit: u8) {
        (*place, *path) = (*place + 1, path.child(digit.into()));
    }

    fn score(&self, _: &(u64, Key)) -> f64 {
        0.0
    }
}

#[test]
fn a_policy_of_a_million_codes_is_saved_whole_and_small() {
    let endless = LevelSettings { iterations: 1_000, rate: 1e-3, ..LevelSettings::default() };
    let paths = Paths.into();
    let mut search = leaf(&paths, &[endless], 8);
    search.advance(&paths, &playouts(270));
    let saved = search.save();
    let codes = search.recursion.nrpa.policy.weights().len();
    assert!(codes > 1_000_000, "{codes}");
    assert!(saved.len() < 40 * codes, "{}", saved.len());
    let mut other = leaf(&paths, &[endless], 8);
    other.restore(&paths, &saved).unwrap();
    for search in [&mut search, &mut other] {
        search.advance(&paths, &playouts(280));
    }
    assert_eq!(search.run.meter.moves, other.run.meter.moves);
    assert_eq!(weights(&search), weights(&other));
}
