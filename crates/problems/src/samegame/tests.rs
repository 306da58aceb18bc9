//! The rules against a plain flood fill, and at their limits.

use std::collections::BTreeSet;

use nestor_engine::random::{Key, Random};

use super::*;
use crate::exposed;

fn new(rows: &[&str], tabu: bool, bias: SameGameBias) -> Result<SameGame, String> {
    let board = rows.iter().map(|&row| row.to_owned()).collect();
    SameGame::new(Instance { board, tabu: Tabu::Commonest(tabu), shaping: false, bias })
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
fn the_largest_board_of_one_colour_is_one_move() {
    let row = "8".repeat(32);
    let rows = vec![row.as_str(); 32];
    let game = new(&rows, false, SameGameBias::None).unwrap();
    let mut state = game.initial();
    assert_eq!(places(&game, &mut state), [(0, 0)]);
    play(&game, &mut state, 31, 31);
    assert_eq!(game.score(&state), 1022.0 * 1022.0 + 1000.0);
}

#[test]
fn tabu_colour_waits_and_comes_back() {
    // Colour 0 is the commonest: a group of three, a pair and a single.
    let rows = ["000321", "212001", "135410"];
    let game = new(&rows, true, SameGameBias::Size).unwrap();
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
        let (tabu, bias) = (Tabu::Commonest(false), SameGameBias::Size);
        let game = Instance { board, tabu, shaping: false, bias };
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
