use std::collections::BTreeMap;

use nestor_engine::improve::{Improver, Step};
use nestor_engine::problem::Problem;
use nestor_engine::random::{Key, Random};

use super::*;
use crate::exposed::listed;

fn new(order: usize, cells: &[u8], hidden_singles: bool) -> Result<LatinSquare, String> {
    let square = cells.chunks(order).map(<[u8]>::to_vec).collect();
    LatinSquare::new(Instance { square, hidden_singles })
}

fn moves_of(problem: &LatinSquare, state: &mut State) -> Vec<(Move, u32)> {
    let (moves, codes, _) = listed(problem, state);
    moves.into_iter().zip(codes).collect()
}

fn numbers(moves: &[(Move, u32)]) -> Vec<(u8, u8, u8)> {
    moves.iter().map(|(mv, _)| (mv.row, mv.column, mv.value)).collect()
}

fn is_latin(order: usize, square: &[u8]) -> bool {
    let all: Vec<u8> = (1..=order as u8).collect();
    let sorted = |mut line: Vec<u8>| {
        line.sort_unstable();
        line
    };
    (0..order).all(|k| {
        sorted(square[k * order..][..order].to_vec()) == all
            && sorted(square.iter().skip(k).step_by(order).copied().collect()) == all
    })
}

/// The domains that forward checking leaves, worked out again from the filled cells.
fn domain(order: usize, square: &[u8], row: usize, column: usize) -> Vec<u8> {
    let free = |v: &u8| {
        let peers = (0..order).flat_map(|k| [row * order + k, k * order + column]);
        peers.into_iter().all(|cell| square[cell] != *v)
    };
    (1..=order as u8).filter(free).collect()
}

#[test]
fn the_smallest_domain_is_filled_first() {
    let cells = [1, 2, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0];
    let problem = new(4, &cells, false).unwrap();
    let mut state = problem.initial();
    let moves = moves_of(&problem, &mut state);
    assert_eq!(numbers(&moves), [(0, 2, 3), (0, 2, 4)]);
    assert_eq!(moves.iter().map(|m| m.1).collect::<Vec<_>>(), [2, 3]);
    problem.play(&mut state, moves[0].0);
    assert_eq!(numbers(&moves_of(&problem, &mut state)), [(0, 3, 4)]);
}

#[test]
fn hidden_singles_are_put_in_their_places() {
    let cells = [1, 0, 0, 0, 0, 0, 0, 0, 0];
    let problem = new(3, &cells, true).unwrap();
    let mut state = problem.initial();
    // At first no value has only one place. 2 at the right end of the first row leaves one place
    // for 3 between them. Then a value in the second row decides all the rest.
    assert_eq!(problem.score(&state), -8.0);
    problem.play(&mut state, Move { row: 0, column: 2, value: 2 });
    assert_eq!(problem.score(&state), -6.0);
    problem.play(&mut state, Move { row: 1, column: 0, value: 2 });
    assert_eq!(problem.score(&state), 0.0);
}

#[test]
fn playouts_keep_the_rules() {
    for (seed, hidden_singles) in (0..40).zip([true, false].into_iter().cycle()) {
        let order = 4 + seed as usize % 6;
        let (_, cells) = random(order, order * order / 2, seed).unwrap();
        let problem = new(order, &cells, hidden_singles).unwrap();
        let mut state = problem.initial();
        let mut draws = Random::new(Key(seed));
        for _ in 0..5 {
            problem.reset(&mut state);
            let mut square = cells.clone();
            loop {
                let moves = moves_of(&problem, &mut state);
                if moves.is_empty() {
                    break;
                }
                let (mv, code) = moves[below(&mut draws, moves.len())];
                let cell = usize::from(mv.row) * order + usize::from(mv.column);
                assert_eq!(usize::from(mv.value) - 1, code as usize % order);
                assert!((code as usize) < problem.code_count());
                assert_eq!(square[cell], 0);
                square[cell] = mv.value;
                if !hidden_singles {
                    let values: Vec<u8> = moves.iter().map(|m| m.0.value).collect();
                    square[cell] = 0;
                    let (row, column) = (mv.row.into(), mv.column.into());
                    assert_eq!(values, domain(order, &square, row, column));
                    square[cell] = mv.value;
                }
                problem.play(&mut state, mv);
            }
            let left = -problem.score(&state) as usize;
            if !hidden_singles {
                assert_eq!(left, square.iter().filter(|&&cell| cell == 0).count());
                assert!(left > 0 || is_latin(order, &square));
            }
        }
    }
}

#[test]
fn the_prior_counts_places_in_column_and_row() {
    let cells = [1, 2, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0];
    let problem = new(4, &cells, false).unwrap();
    let mut state = problem.initial();
    let codes: Vec<u64> = moves_of(&problem, &mut state)
        .into_iter()
        .map(|(mv, code)| problem.prior_code(&state, mv, code))
        .collect();
    // 3 can go to three cells of the third column (not to row 2, which has it), 4 to all four.
    assert_eq!(codes, [3 << 8 | 2, 4 << 8 | 2]);
}

#[test]
fn wrong_squares_are_refused() {
    let refused = |order, cells: &[u8]| new(order, cells, true).unwrap_err();
    assert!(refused(1, &[]).contains("order"));
    assert!(refused(65, &[0; 65 * 65]).contains("order"));
    assert!(refused(2, &[0; 3]).contains("not 1 cells"));
    assert!(refused(2, &[3, 0, 0, 0]).contains("0 to 2, not 3"));
    assert!(refused(2, &[1, 1, 0, 0]).contains("row 0 has the value 1 twice"));
    assert!(refused(2, &[1, 0, 1, 0]).contains("column 0 has the value 1 twice"));
    // The first cell can take nothing.
    assert_eq!(refused(3, &[0, 1, 2, 3, 0, 0, 0, 0, 0]), NO_COMPLETION);
    // Neither end of the first row can take 1.
    assert_eq!(refused(3, &[0, 2, 0, 1, 0, 0, 0, 0, 1]), NO_COMPLETION);
}

#[test]
fn random_squares_are_latin_and_of_one_seed() {
    for order in [1, 2, 3, 5, 10, 30] {
        for seed in 0..5 {
            let holes = order * order / 3;
            let (square, cells) = random(order, holes, seed).unwrap();
            assert!(is_latin(order, &square));
            assert_eq!(cells.iter().filter(|&&cell| cell == 0).count(), holes);
            assert!(cells.iter().zip(&square).all(|(c, s)| *c == 0 || c == s));
            assert_eq!(random(order, holes, seed).unwrap(), (square, cells));
        }
    }
    assert!(random(0, 0, 0).is_err());
    assert!(random(65, 0, 0).is_err());
    assert!(random(3, 10, 0).is_err());
}

#[test]
fn random_squares_are_about_uniform() {
    let mut seen = BTreeMap::new();
    for seed in 0..2400 {
        *seen.entry(random(3, 0, seed).unwrap().0).or_insert(0) += 1;
    }
    assert_eq!(seen.len(), 12);
    assert!(seen.values().all(|count| (140..260).contains(count)), "{seen:?}");
}

#[test]
fn exchange_completes_squares_and_goes_on_from_a_completion() {
    for hidden_singles in [true, false] {
        let (_, cells) = random(30, 378, 1).unwrap();
        let problem = new(30, &cells, hidden_singles).unwrap();
        let mut exchange = Exchange::new(&problem);
        exchange.begin(&problem, Key(1));
        let complete = Step::Played { score: 0.0, over: true };
        assert!((0..500).any(|_| exchange.step(&problem, 1000) == complete));
        let (mut moves, mut again) = (Vec::new(), Vec::new());
        exchange.moves(&problem, &mut moves);
        let mut state = problem.initial();
        moves.iter().for_each(|&mv| problem.play(&mut state, mv));
        assert_eq!(problem.score(&state), 0.0);
        let mut other = Exchange::new(&problem);
        other.begin(&problem, Key(2));
        other.adopt(&problem, &moves);
        assert_eq!(other.step(&problem, 1000), complete);
        other.moves(&problem, &mut again);
        assert_eq!(again, moves);
    }
}
