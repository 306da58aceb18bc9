use super::*;
use crate::exposed::listed;

/// A square puzzle without black cells, with the sums of a filling.
fn puzzle(n: u8, largest: usize, values: &[u8], pruning: bool) -> Kakuro {
    let sum = |cells: &[u16]| cells.iter().map(|&cell| u16::from(values[usize::from(cell)])).sum();
    Kakuro::new(Instance { pruning, ..square(n, largest, sum) }).unwrap()
}

fn moves_of(problem: &Kakuro, state: &mut State) -> Vec<(Move, u32)> {
    let (moves, codes, _) = listed(problem, state);
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
        let values = filling(4, 5, seed, 1000).unwrap().unwrap();
        let problem = puzzle(4, 5, &values, pruning);
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
                let peers = (0..4).flat_map(|k| [cell / 4 * 4 + k, k * 4 + cell % 4]);
                assert!(peers.into_iter().all(|peer| filled[peer] != mv.value));
                filled[cell] = mv.value;
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
fn the_prior_counts_places_and_sums_of_runs() {
    // Two cells across, the first with two cells below.
    let run = |cells: &[u16], sum| Run { cells: cells.to_vec(), sum };
    let cells = vec![(1, 1), (1, 2), (2, 1)];
    let (across, down) = (vec![run(&[0, 1], 4)], vec![run(&[0, 2], 9)]);
    let problem = Instance { cells, largest: 5, across, down, pruning: false };
    let problem = Kakuro::new(problem).unwrap();
    let mut state = problem.initial();
    let (mv, code) = moves_of(&problem, &mut state)[2];
    let packed = |value: u64, runs: [u64; 4]| {
        runs.chunks(2).fold(value, |code, run| (code << 8 | run[0]) << 16 | run[1])
    };
    assert_eq!(problem.prior_code(&state, mv, code), packed(3, [2, 4, 2, 9]));
    problem.play(&mut state, mv);
    let (mv, code) = moves_of(&problem, &mut state)[0];
    assert_eq!(mv, Move { cell: 1, value: 1 });
    assert_eq!(problem.prior_code(&state, mv, code), packed(1, [1, 4, 0, 0]));
}

#[test]
fn wrong_puzzles_are_refused() {
    let refused = |cells: u16, largest, across: &[&[u16]], down: &[&[u16]], sum| {
        let runs = |lines: &[&[u16]]| {
            lines.iter().map(|cells| Run { cells: cells.to_vec(), sum }).collect()
        };
        let (across, down) = (runs(across), runs(down));
        let cells = vec![(0, 0); cells.into()];
        Kakuro::new(Instance { cells, largest, across, down, pruning: true }).unwrap_err()
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
    let values = filling(10, 11, 3, 1000).unwrap().unwrap();
    let problem = puzzle(10, 11, &values, false);
    assert_eq!(problem.filling(3, 1000), Some(values.clone()));
    assert_ne!(problem.filling(4, 1000), Some(values));
    assert!(filling(0, 11, 3, 1000).is_err());
    // Three different values do not fill a row of four.
    let cells = (0..4).map(|cell| (0, cell)).collect();
    let across = vec![Run { cells: vec![0, 1, 2], sum: 6 }, Run { cells: vec![3], sum: 1 }];
    let down = vec![Run { cells: vec![2, 3], sum: 3 }];
    let tight = Instance { cells, largest: 3, across, down, pruning: false };
    let tight = Kakuro::new(tight).unwrap();
    assert!(tight.filling(0, 100).is_some());
    assert_eq!(tight.filling(0, 0), None);
}
