use super::*;
use crate::biased::Biased;
use crate::examples::{Digits, found, playouts};

const FREE: Digits = Digits { base: 3, length: 1 };
const GAME: Digits = Digits { base: 3, length: 8 };

fn settings(levels: usize, samples: Option<usize>) -> Settings {
    Settings { levels: vec![LevelSettings { beam: 1 }; levels], samples, playout_policy: None }
}

fn begin(problem: &Biased<Digits>, settings: &Settings, key: u64) -> Search<Digits, Nmcs<Digits>> {
    Search::new(Nmcs::new(problem, settings), Key(key))
}

/// Playouts of one search, and its best score.
fn once(digits: Digits, levels: usize, samples: Option<usize>) -> (u64, f64) {
    let problem = &digits.into();
    let mut search = begin(problem, &settings(levels, samples), 1);
    let limits = Limits { restart: false, ..playouts(u64::MAX) };
    assert_eq!(search.advance(problem, &limits), Stop::Finished);
    assert_eq!(search.counts().restarts, 1);
    (search.run.meter.playouts, search.run.meter.score)
}

#[test]
fn each_child_of_each_node_on_the_way_is_searched_once() {
    assert_eq!(once(FREE, 1, None).0, 3);
    // The children are leaves: to search one is one playout, whatever the level.
    assert_eq!(once(FREE, 4, None).0, 3);
    assert_eq!(once(FREE, 1, Some(5)).0, 5);
    let pair = Digits { base: 3, length: 2 };
    assert_eq!(once(pair, 1, None).0, 6);
    assert_eq!(once(pair, 2, None).0, 3 * 3 + 3);
    assert_eq!(once(pair, 2, Some(2)).0, 2 * 2 + 2);
}

#[test]
fn a_high_level_finds_the_optimum() {
    assert_eq!(once(Digits { base: 3, length: 5 }, 5, None).1, 4.0);
    assert_eq!(once(GAME, 4, None).1, 7.0);
}

#[test]
fn a_root_without_moves_is_one_playout() {
    assert_eq!(once(Digits { base: 3, length: 0 }, 3, None), (1, 0.0));
}

#[test]
fn levels_that_forget_find_their_states_again() {
    let game = GAME.into();
    let mut plain = begin(&game, &settings(3, None), 2);
    let mut forgetful = begin(&game, &settings(3, None), 2);
    plain.advance(&game, &playouts(300));
    for playout in 1..=300 {
        forgetful.advance(&game, &playouts(playout));
        forgetful.recursion.levels.iter_mut().for_each(|level| level.forget());
    }
    assert_eq!(found(&plain), found(&forgetful));
}

#[test]
fn states_of_other_searches_are_refused() {
    let game = GAME.into();
    let mut search = begin(&game, &settings(2, None), 1);
    search.advance(&game, &playouts(50));
    let saved = search.save();
    let short = Digits { base: 3, length: 2 }.into();
    assert!(begin(&short, &settings(2, None), 1).restore(&short, &saved).is_err());
    assert!(begin(&game, &settings(2, None), 1).restore(&game, &saved[..saved.len() - 1]).is_err());
    assert!(begin(&game, &settings(2, Some(1)), 1).restore(&game, &saved).is_err());
}
