//! The rules against boards worked out by hand, and against a plain flood fill.

use std::collections::BTreeSet;

use nestor_engine::random::{Key, Random};

use super::*;
use crate::exposed;

fn new(rows: &[&str], tabu: bool, bias: SameGameBias) -> Result<SameGame, String> {
    let board = rows.iter().map(|&row| row.to_owned()).collect();
    SameGame::new(Instance { board, tabu, bias })
}

fn game(rows: &[&str], tabu: bool, bias: SameGameBias) -> SameGame {
    new(rows, tabu, bias).unwrap()
}

fn plain(rows: &[&str]) -> SameGame {
    game(rows, false, SameGameBias::None)
}

/// Places, codes and biases of the moves.
fn listed(game: &SameGame, state: &mut State) -> (Vec<(u8, u8)>, Vec<u64>, Vec<f64>) {
    let (moves, codes, biases) = exposed::listed(game, state);
    (moves.iter().map(|cell| (cell.column, cell.row)).collect(), codes, biases)
}

fn places(game: &SameGame, state: &mut State) -> Vec<(u8, u8)> {
    listed(game, state).0
}

fn play(game: &SameGame, state: &mut State, column: u8, row: u8) {
    game.play(state, Cell { column, row });
}

#[test]
fn groups_are_named_and_ordered_by_lowest_cell_of_leftmost_column() {
    let game = plain(&["0110", "2210", "0012"]);
    let mut state = game.initial();
    assert_eq!(places(&game, &mut state), [(0, 0), (0, 1), (1, 2), (3, 1)]);
}

#[test]
fn a_group_that_turns_back_is_one() {
    let game = plain(&["00000", "01110", "01010", "01000", "01111"]);
    let mut state = game.initial();
    assert_eq!(places(&game, &mut state), [(0, 0), (1, 0)]);
    play(&game, &mut state, 0, 0);
    assert_eq!(state.points, 13 * 13);
    assert_eq!(places(&game, &mut state), [(0, 0)]);
}

#[test]
fn cells_fall_and_empty_columns_close() {
    let game = plain(&["2.1", "112", "013"]);
    let mut state = game.initial();
    play(&game, &mut state, 1, 0);
    // The middle column is gone, the left one has lost its middle cell.
    assert_eq!(state.board.width, 2);
    assert_eq!((state.points, places(&game, &mut state)), (1, vec![(0, 1)]));
    play(&game, &mut state, 0, 1);
    assert_eq!((state.points, places(&game, &mut state)), (1, vec![]));
    assert_eq!(game.score(&state), 1.0);
}

#[test]
fn floating_cells_fall_first() {
    let floating = plain(&["0.1", "...", "..1", "0.2"]);
    let settled = plain(&["..", ".1", "01", "02"]);
    let (mut one, mut other) = (floating.initial(), settled.initial());
    assert_eq!(listed(&floating, &mut one), listed(&settled, &mut other));
    assert_eq!(places(&floating, &mut one), [(0, 0), (1, 1)]);
}

#[test]
fn an_emptied_board_earns_a_thousand() {
    let game = plain(&["11", "00", "11"]);
    let mut state = game.initial();
    play(&game, &mut state, 0, 1);
    assert_eq!(places(&game, &mut state), [(0, 0)]);
    play(&game, &mut state, 0, 0);
    assert_eq!(game.score(&state), 1004.0);
    assert!(places(&game, &mut state).is_empty());
}

#[test]
fn no_group_is_the_end() {
    let game = plain(&["01", "10"]);
    let mut state = game.initial();
    assert!(places(&game, &mut state).is_empty());
    assert_eq!(game.score(&state), 0.0);
}

#[test]
fn the_largest_board_of_one_colour_is_one_move() {
    let row = "8".repeat(32);
    let rows = vec![row.as_str(); 32];
    let game = plain(&rows);
    let mut state = game.initial();
    assert_eq!(places(&game, &mut state), [(0, 0)]);
    play(&game, &mut state, 31, 31);
    assert_eq!(game.score(&state), 1022.0 * 1022.0 + 1000.0);
}

#[test]
fn codes_are_zobrist_codes() {
    let game = plain(&["31", "01"]);
    let number = |colour: u64, column: u64, row: u64| {
        Key(0x53A3_E6A3).child((colour * 32 + column) * 32 + row).0
    };
    let expected = number(1, 1, 0) ^ number(1, 1, 1);
    assert_eq!(listed(&game, &mut game.initial()).1, [expected]);
    assert_eq!(expected, 0x9DEF_8011_E970_FBCC);
}

#[test]
fn size_bias_is_capped_and_lowered_for_pairs_of_the_tabu_colour() {
    let rows = ["0000000000012", "1111111111122", "3344404402233"];
    let game = game(&rows, false, SameGameBias::Size);
    let (moves, _, biases) = listed(&game, &mut game.initial());
    let sized: Vec<_> = moves.into_iter().zip(biases).collect();
    assert!(sized.contains(&((0, 2), 8.0)));
    assert!(sized.contains(&((0, 1), 8.0)));
    assert!(sized.contains(&((2, 0), 1.0)));
    assert!(sized.contains(&((0, 0), 0.0)));
    assert_eq!(SameGame::beta(2, true), -1.0);
    assert_eq!(SameGame::beta(9, false), 7.0);
    assert_eq!(SameGame::beta(10, false), 8.0);
    assert_eq!(SameGame::beta(1024, false), 8.0);
}

#[test]
fn tabu_colour_waits_and_comes_back() {
    // Colour 0 is the commonest: a group of three, a pair and a single.
    let rows = ["000321", "212001", "135410"];
    let game = game(&rows, true, SameGameBias::Size);
    let mut state = game.initial();
    assert_eq!(places(&game, &mut state), [(5, 1)]);
    state.played = TABU_MOVES;
    assert_eq!(places(&game, &mut state), [(5, 1)]);
    state.played = TABU_MOVES + 1;
    let (moves, _, biases) = listed(&game, &mut state);
    assert_eq!(moves, [(3, 1), (5, 1)]);
    assert_eq!(biases, [-1.0, 0.0]);
}

#[test]
fn tabu_colour_is_free_when_nothing_else_is_left() {
    let game = game(&["0001000"], true, SameGameBias::None);
    assert_eq!(places(&game, &mut game.initial()), [(0, 0), (4, 0)]);
}

#[test]
fn tabu_colour_is_free_when_one_block_remains() {
    let one = game(&["0011", "0022"], true, SameGameBias::None);
    assert_eq!(places(&one, &mut one.initial()), [(0, 0), (2, 0), (2, 1)]);
    let with_single = game(&["00110", "00222"], true, SameGameBias::None);
    assert_eq!(places(&with_single, &mut with_single.initial()), [(2, 0), (2, 1)]);
}

#[test]
fn the_lowest_of_several_commonest_colours_is_tabu() {
    let game = game(&["0110", "0110"], true, SameGameBias::None);
    assert_eq!(places(&game, &mut game.initial()), [(1, 0)]);
}

#[test]
fn bad_boards_are_refused() {
    let refusal = |rows: &[&str]| new(rows, true, SameGameBias::None).unwrap_err();
    assert_eq!(refusal(&[]), "a board has 1 to 32 columns and rows, not 0x0");
    assert_eq!(
        refusal(&["0".repeat(33).as_str()]),
        "a board has 1 to 32 columns and rows, not 33x1"
    );
    assert_eq!(refusal(&["00", "0"]), "every row must have 2 cells, as the first one has");
    assert_eq!(refusal(&["0", "9"]), "cells are . or 0 to 8, not 0x39");
    assert_eq!(refusal(&["0", "/"]), "cells are . or 0 to 8, not 0x2f");
    assert_eq!(refusal(&[".", "."]), "the board has no cells");
}

#[test]
fn reset_gives_the_root_back() {
    let game = game(&["0112", "0212", "2210"], true, SameGameBias::Size);
    let mut state = game.initial();
    let before = listed(&game, &mut state);
    while let Some(&(column, row)) = places(&game, &mut state).first() {
        play(&game, &mut state, column, row);
    }
    game.reset(&mut state);
    assert_eq!(listed(&game, &mut state), before);
    assert_eq!((state.points, state.played), (0, 0));
}

/// A board as plain columns, with a plain flood fill.
struct Plain(Vec<Vec<u8>>);

impl Plain {
    fn at(&self, column: usize, row: usize) -> Option<u8> {
        self.0.get(column)?.get(row).copied()
    }

    fn group(&self, column: usize, row: usize) -> BTreeSet<(usize, usize)> {
        let colour = self.at(column, row);
        let mut group = BTreeSet::from([(column, row)]);
        let mut border = vec![(column, row)];
        while let Some((c, r)) = border.pop() {
            let near = [(c, r.wrapping_sub(1)), (c, r + 1), (c.wrapping_sub(1), r), (c + 1, r)];
            for (c, r) in near {
                if self.at(c, r) == colour && group.insert((c, r)) {
                    border.push((c, r));
                }
            }
        }
        group
    }

    fn remove(&mut self, group: &[(usize, usize)]) {
        for &(column, row) in group.iter().rev() {
            self.0[column].remove(row);
        }
        self.0.retain(|column| !column.is_empty());
    }

    fn groups(&self) -> Vec<Vec<(usize, usize)>> {
        let (mut groups, mut seen) = (vec![], BTreeSet::<(usize, usize)>::new());
        for (column, cells) in self.0.iter().enumerate() {
            for row in 0..cells.len() {
                if !seen.contains(&(column, row)) {
                    let group = self.group(column, row);
                    seen.extend(&group);
                    if group.len() > 1 {
                        groups.push(group.into_iter().collect());
                    }
                }
            }
        }
        groups
    }
}

#[test]
fn random_games_agree_with_a_plain_flood_fill() {
    let mut random = Random::new(Key(7));
    let mut below = |bound: usize| (random.uniform() * bound as f64) as usize;
    for round in 0..200 {
        let (width, height, colours) = match round {
            0 => (32, 32, 9),
            1 => (32, 32, 2),
            _ => (1 + below(20), 1 + below(20), 1 + below(4)),
        };
        let cells: Vec<u8> = (0..width * height).map(|_| below(colours) as u8).collect();
        let row = |row: &[u8]| row.iter().map(|cell| char::from(b'0' + cell)).collect();
        let board = cells.chunks(width).map(row).collect();
        let game = Instance { board, tabu: false, bias: SameGameBias::Size };
        let game = SameGame::new(game).unwrap();
        let column = |c: usize| cells.iter().skip(c).step_by(width).rev().copied().collect();
        let mut plain = Plain((0..width).map(column).collect::<Vec<Vec<u8>>>());
        let mut state = game.initial();
        let mut points = 0;
        loop {
            let groups = plain.groups();
            let (moves, codes, biases) = listed(&game, &mut state);
            let names: Vec<_> = groups.iter().map(|g| (g[0].0 as u8, g[0].1 as u8)).collect();
            assert_eq!(moves, names);
            for ((group, code), beta) in groups.iter().zip(codes).zip(biases) {
                let colour = u64::from(plain.0[group[0].0][group[0].1]);
                let number = |&(c, r): &(usize, usize)| {
                    Key(0x53A3_E6A3).child((colour * 32 + c as u64) * 32 + r as u64).0
                };
                assert_eq!(code, group.iter().map(number).fold(0, |a, b| a ^ b));
                assert_eq!(beta, (group.len() as f64 - 2.0).min(8.0));
            }
            if groups.is_empty() {
                break;
            }
            let group = &groups[below(groups.len())];
            points += (group.len() - 2).pow(2);
            play(&game, &mut state, group[0].0 as u8, group[0].1 as u8);
            plain.remove(group);
        }
        points += if plain.0.is_empty() { 1000 } else { 0 };
        assert_eq!(game.score(&state), points as f64);
    }
}
