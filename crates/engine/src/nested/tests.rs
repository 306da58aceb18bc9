use std::sync::atomic::AtomicBool;

use super::*;
use crate::problem::Moves;

/// Write ten digits: the score counts digits that differ from the one before by 3 (modulo 10).
struct Digits;

impl Problem for Digits {
    type State = Vec<u8>;
    type Move = u8;
    type Code = u64;

    fn initial(&self) -> Vec<u8> {
        Vec::new()
    }

    fn moves(&self, digits: &mut Vec<u8>, out: &mut Moves<'_, Self>) {
        let place = digits.len() as u64;
        if place < 10 {
            out.extend(0..10, (0..10).map(|digit| 100 * place + digit));
        }
    }

    fn play(&self, digits: &mut Vec<u8>, digit: u8) {
        digits.push(digit);
    }

    fn score(&self, digits: &Vec<u8>) -> f64 {
        digits.windows(2).filter(|pair| (pair[0] + 3) % 10 == pair[1]).count() as f64
    }
}

fn levels() -> [LevelSettings; 2] {
    [LevelSettings { iterations: 20, ..Default::default() }; 2]
}

fn limits(playouts: u64, cancel: &AtomicBool) -> Limits<'_> {
    Limits { playouts, deadline: None, target: f64::INFINITY, restart: true, threads: 1, cancel }
}

fn found(search: &Nested<Digits>) -> (Vec<u8>, Vec<(u64, f64)>) {
    let improvements = search.meter.improvements.iter().map(|i| (i.playouts, i.score));
    (search.meter.moves.clone(), improvements.collect())
}

#[test]
fn levels_leave_the_policy_as_they_found_it() {
    let cancel = AtomicBool::new(false);
    let mut search = Nested::new(&Digits, &levels(), Key(1));
    assert_eq!(search.advance(&Digits, &limits(400, &cancel)), Stop::Playouts);
    assert_eq!(search.restarts(), 1);
    for slot in 0..search.policy.space.count() as u32 {
        assert_eq!((search.policy.weights.get(slot), search.policy.values.get(slot)), (0.0, 1.0));
    }
}

#[test]
fn giving_slots_back_changes_no_result() {
    let cancel = AtomicBool::new(false);
    let mut plain = Nested::new(&Digits, &levels(), Key(2));
    let mut tidied = Nested::new(&Digits, &levels(), Key(2));
    for playouts in 1..1000 {
        tidied.compact_at = 0;
        plain.advance(&Digits, &limits(playouts, &cancel));
        tidied.advance(&Digits, &limits(playouts, &cancel));
    }
    assert_eq!(found(&plain), found(&tidied));
}

#[test]
fn searching_beats_sampling() {
    let cancel = AtomicBool::new(false);
    let best = |levels: &[LevelSettings]| {
        let mut search = Nested::new(&Digits, levels, Key(3));
        search.advance(&Digits, &limits(4000, &cancel));
        search.meter.score
    };
    assert!(best(&levels()) > best(&[]) + 2.0);
}

#[test]
fn each_limit_stops_the_search() {
    let cancel = AtomicBool::new(false);
    let mut search = Nested::new(&Digits, &levels(), Key(4));
    let now = std::time::Instant::now();
    let timed = Limits { deadline: Some(now), ..limits(100, &cancel) };
    assert_eq!(search.advance(&Digits, &timed), Stop::Deadline);
    assert_eq!(search.meter.playouts, 0);
    let aimed = Limits { target: 2.0, ..limits(10_000, &cancel) };
    assert_eq!(search.advance(&Digits, &aimed), Stop::Target);
    assert!(search.meter.score >= 2.0);
    let once = Limits { restart: false, ..limits(10_000, &cancel) };
    assert_eq!(search.advance(&Digits, &once), Stop::Finished);
    assert_eq!(search.meter.playouts, 400);
    cancel.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(search.advance(&Digits, &limits(10_000, &cancel)), Stop::Cancelled);
}
