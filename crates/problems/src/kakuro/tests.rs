use nestor_engine::problem::Moves;

use super::*;

/// A square puzzle without black cells, with the sums of a filling.
fn square(n: u16, largest: usize, values: &[u8], pruning: bool) -> Kakuro {
    let line = |cells: Vec<u16>| {
        let sum = cells.iter().map(|&cell| u16::from(values[usize::from(cell)])).sum();
        Run { cells, sum }
    };
    let across = (0..n).map(|row| line((row * n..(row + 1) * n).collect())).collect();
    let down = (0..n).map(|column| line((column..n * n).step_by(n.into()).collect())).collect();
    let places = (0..n * n).map(|cell| ((cell / n) as u8, (cell % n) as u8)).collect();
    Kakuro::new(places, largest, across, down, pruning).unwrap()
}

fn random_square(n: u16, largest: usize, seed: u64) -> (Vec<u8>, Kakuro) {
    let blank = square(n, largest, &vec![0; usize::from(n * n)], false);
    let values = blank.filling(seed, 1000).unwrap();
    let puzzle = square(n, largest, &values, false);
    (values, puzzle)
}

fn moves_of(problem: &Kakuro, state: &mut State) -> Vec<(Move, u32)> {
    let (mut moves, mut codes, mut biases) = (Vec::new(), Vec::new(), Vec::new());
    problem.moves(state, &mut Moves::new(&mut moves, &mut codes, &mut biases));
    moves.into_iter().zip(codes).collect()
}

/// The sums of any `cells` different values of `union`, with the values that give them.
fn subsets(union: u64, cells: u32) -> impl Iterator<Item = (i32, u64)> {
    let of_size = (0..1u64 << 12).filter(move |set| set & !union == 0 && set.count_ones() == cells);
    of_size.map(|set| (bits(set).map(|v| v as i32 + 1).sum(), set))
}

#[test]
fn allowed_values_are_those_within_the_bounds() {
    let mut random = Random::new(Key(1));
    for _ in 0..300 {
        let union = random.bits() & 0xFFF;
        let cells = 1 + below(&mut random, 5) as u32;
        let sum = below(&mut random, 50) as i32;
        let mut expected = 0;
        for v in bits(union) {
            let value = v as i32 + 1;
            let with = || subsets(union & !(1 << v), cells - 1).map(|(sum, _)| sum + value);
            let (least, greatest) = (with().min(), with().max());
            if least.is_some_and(|least| least <= sum) && greatest.unwrap() >= sum {
                expected |= 1 << v;
            }
        }
        assert_eq!(allowed(union, cells, sum), expected, "{union:b}, {cells} cells, sum {sum}");
        for (_, set) in subsets(union, cells).filter(|&(total, _)| total == sum) {
            assert_eq!(set & !allowed(union, cells, sum), 0);
        }
    }
    assert_eq!(allowed(u64::MAX, 64, 64 * 65 / 2), u64::MAX);
    assert_eq!(allowed(u64::MAX, 1, 64), 1 << 63);
    assert_eq!(allowed(u64::MAX, 2, -5), 0);
    assert_eq!(allowed(0b11, 2, 2), 0);
    assert_eq!(allowed(0, 0, 0), 0);
}

#[test]
fn playouts_keep_the_rules_and_the_score_of_the_paper() {
    for (seed, pruning) in (0..40).zip([false, true].into_iter().cycle()) {
        let (values, _) = random_square(4, 5, seed);
        let problem = square(4, 5, &values, pruning);
        let mut state = problem.initial();
        let mut draws = Random::new(Key(seed));
        for _ in 0..5 {
            problem.reset(&mut state);
            let mut filled = [0u8; 16];
            loop {
                let moves = moves_of(&problem, &mut state);
                if moves.is_empty() {
                    break;
                }
                let (mv, code) = moves[below(&mut draws, moves.len())];
                let cell = usize::from(mv.cell);
                assert_eq!(code as usize, cell * 5 + usize::from(mv.value) - 1);
                let (row, column, value) = problem.placed(mv);
                assert_eq!((usize::from(row), usize::from(column)), (cell / 4, cell % 4));
                assert_eq!(problem.mv(row, column, value), Some(mv));
                let peers = (0..4).flat_map(|k| [cell / 4 * 4 + k, k * 4 + cell % 4]);
                assert!(peers.into_iter().all(|peer| filled[peer] != value));
                filled[cell] = value;
                problem.play(&mut state, mv);
            }
            let left = filled.iter().filter(|&&value| value == 0).count();
            let right = problem.runs.iter().filter(|run| {
                let values = run.cells.iter().map(|&cell| u16::from(filled[usize::from(cell)]));
                values.sum::<u16>() == run.sum
            });
            let paper = if left > 0 { -(left as f64) } else { right.count() as f64 };
            assert_eq!(problem.score(&state), paper - 8.0);
            assert!(!pruning || left > 0 || paper == 8.0);
        }
    }
}

#[test]
fn the_sequence_of_a_solution_has_score_zero() {
    for seed in 0..10 {
        let (values, plain) = random_square(6, 7, seed);
        for problem in [plain, square(6, 7, &values, true)] {
            let moves = problem.sequence(&values).unwrap();
            assert_eq!(moves.len(), 36);
            let mut state = problem.initial();
            moves.iter().for_each(|&mv| problem.play(&mut state, mv));
            assert_eq!(problem.score(&state), 0.0);
        }
    }
    let (values, problem) = random_square(3, 4, 0);
    assert_eq!(problem.sequence(&values[1..]), None);
    assert_eq!(problem.sequence(&[1; 9]), None);
    assert_eq!(problem.sequence(&[0; 9]), None);
}

#[test]
fn the_prior_counts_places_and_sums_of_runs() {
    // Two cells across, the first with two cells below.
    let run = |cells: &[u16], sum| Run { cells: cells.to_vec(), sum };
    let places = vec![(1, 1), (1, 2), (2, 1)];
    let across = vec![run(&[0, 1], 4)];
    let problem = Kakuro::new(places, 5, across, vec![run(&[0, 2], 9)], false).unwrap();
    let mut state = problem.initial();
    let (mv, code) = moves_of(&problem, &mut state)[2];
    let packed = |value: u64, runs: [u64; 4]| {
        runs.chunks(2).fold(value, |code, run| (code << 8 | run[0]) << 16 | run[1])
    };
    assert_eq!(problem.prior_code(&state, mv, code), packed(3, [2, 4, 2, 9]));
    problem.play(&mut state, mv);
    let (mv, code) = moves_of(&problem, &mut state)[0];
    assert_eq!(problem.placed(mv), (1, 2, 1));
    assert_eq!(problem.prior_code(&state, mv, code), packed(1, [1, 4, 0, 0]));
}

#[test]
fn wrong_puzzles_are_refused() {
    let refused = |cells: u16, largest, across: &[&[u16]], down: &[&[u16]], sum| {
        let runs = |lines: &[&[u16]]| {
            lines.iter().map(|cells| Run { cells: cells.to_vec(), sum }).collect()
        };
        let places = vec![(0, 0); cells.into()];
        Kakuro::new(places, largest, runs(across), runs(down), true).unwrap_err()
    };
    assert!(refused(0, 9, &[], &[], 3).contains("1 to 4096 cells"));
    assert!(refused(2, 65, &[&[0, 1]], &[], 3).contains("largest value"));
    assert!(refused(2, 9, &[&[0, 2]], &[], 3).contains("cells are 0 to 1, not 2"));
    assert!(refused(2, 9, &[&[0, 0]], &[], 3).contains("cell 0 is twice"));
    assert!(refused(2, 9, &[&[0]], &[], 3).contains("cell 1 is in no run"));
    assert!(refused(2, 9, &[&[0, 1]], &[], u16::MAX).contains("a sum is"));
    assert_eq!(refused(3, 2, &[&[0, 1, 2]], &[], 6), NO_SOLUTION);
    assert_eq!(refused(2, 9, &[&[0, 1]], &[], 18), NO_SOLUTION);
}

#[test]
fn fillings_come_from_the_seed() {
    let (values, problem) = random_square(10, 11, 3);
    assert_eq!(problem.filling(3, 1000), Some(values.clone()));
    assert_ne!(problem.filling(4, 1000), Some(values));
    // Three different values do not fill a row of four.
    let places = (0..4).map(|cell| (0, cell)).collect();
    let runs = vec![Run { cells: vec![0, 1, 2], sum: 6 }, Run { cells: vec![3], sum: 1 }];
    let down = vec![Run { cells: vec![2, 3], sum: 3 }];
    let tight = Kakuro::new(places, 3, runs, down, false).unwrap();
    assert!(tight.filling(0, 100).is_some());
    assert_eq!(tight.filling(0, 0), None);
}
