//! The rules against the definition of a legal crossword, and at their limits.

use std::collections::BTreeSet;

use nestor_engine::random::{Key, Random};

use super::*;
use crate::exposed;

fn crossword(size: usize, words: &[&str]) -> Crossword {
    let words: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
    Crossword::new(Instance { size, words }).unwrap()
}

fn moves(problem: &Crossword, state: &mut State) -> Vec<u32> {
    let (moves, codes, _) = exposed::listed(problem, state);
    assert_eq!(moves, codes);
    moves
}

/// A move as "WORD column,row across".
fn spoken(problem: &Crossword, mv: u32) -> String {
    let Placement { word, column, row, down } = problem.placement(mv);
    let direction = if down { "down" } else { "across" };
    format!("{} {column},{row} {direction}", problem.words.text(word))
}

fn listed(problem: &Crossword, state: &mut State) -> Vec<String> {
    moves(problem, state).into_iter().map(|mv| spoken(problem, mv)).collect()
}

fn play(problem: &Crossword, state: &mut State, wanted: &str) {
    let mv = moves(problem, state).into_iter().find(|&mv| spoken(problem, mv) == wanted);
    problem.play(state, mv.unwrap_or_else(|| panic!("{wanted} is not legal")));
}

/// A grid by row and column; 0 is an empty cell.
type Grid = Vec<Vec<u8>>;

/// The grid with these words, if they fit and agree.
fn written(problem: &Crossword, placements: &[Placement]) -> Option<Grid> {
    let mut grid = vec![vec![0; problem.size]; problem.size];
    for p in placements {
        for (i, letter) in problem.words.text(p.word).bytes().enumerate() {
            let (row, column) = if p.down { (p.row + i, p.column) } else { (p.row, p.column + i) };
            let cell = grid.get_mut(row)?.get_mut(column)?;
            if *cell != 0 && *cell != letter {
                return None;
            }
            *cell = letter;
        }
    }
    Some(grid)
}

/// All maximal runs of two or more letters: column, row, whether down, text.
fn runs(grid: &Grid) -> BTreeSet<(usize, usize, bool, String)> {
    let size = grid.len();
    let mut runs = BTreeSet::new();
    for (down, line) in [false, true].into_iter().flat_map(|d| (0..size).map(move |l| (d, l))) {
        let cell = |i: usize| if down { grid[i][line] } else { grid[line][i] };
        let mut start = 0;
        for end in 0..=size {
            if end == size || cell(end) == 0 {
                if end - start >= 2 {
                    let text = (start..end).map(|i| char::from(cell(i))).collect();
                    let (column, row) = if down { (line, start) } else { (start, line) };
                    runs.insert((column, row, down, text));
                }
                start = end + 1;
            }
        }
    }
    runs
}

fn connected(grid: &Grid) -> bool {
    let cells = (0..grid.len()).flat_map(|row| (0..grid.len()).map(move |column| (row, column)));
    let occupied: BTreeSet<_> = cells.filter(|&(row, column)| grid[row][column] != 0).collect();
    let mut border: Vec<_> = occupied.first().copied().into_iter().collect();
    let mut seen: BTreeSet<_> = border.iter().copied().collect();
    while let Some((row, column)) = border.pop() {
        let right_and_below = [(row, column + 1), (row + 1, column)];
        let left_and_above = [(row, column.wrapping_sub(1)), (row.wrapping_sub(1), column)];
        for near in right_and_below.into_iter().chain(left_and_above) {
            if occupied.contains(&near) && seen.insert(near) {
                border.push(near);
            }
        }
    }
    seen == occupied
}

/// The definition of a legal crossword.
fn is_legal(problem: &Crossword, placements: &[Placement]) -> bool {
    let Some(grid) = written(problem, placements) else { return false };
    let words: BTreeSet<_> = placements.iter().map(|p| p.word).collect();
    let claimed: BTreeSet<_> = placements
        .iter()
        .map(|p| (p.column, p.row, p.down, problem.words.text(p.word).to_owned()))
        .collect();
    words.len() == placements.len() && claimed == runs(&grid) && connected(&grid)
}

/// All words that can be added, by trying each in each place.
fn by_definition(problem: &Crossword, placements: &[Placement]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for lane in 0..2 * problem.size {
        for place in 0..problem.size {
            for word in 0..problem.words.len() {
                let mv = problem.code(lane, place, word);
                let added = [placements, &[problem.placement(mv)]].concat();
                if is_legal(problem, &added) {
                    found.insert(spoken(problem, mv));
                }
            }
        }
    }
    found
}

/// Words made from few letters, so that they often cross, overlap and contain each other.
fn random_words(random: &mut Random, count: usize, letters: usize, longest: usize) -> Vec<String> {
    let mut below = |n: usize| (random.uniform() * n as f64) as usize;
    let mut words = BTreeSet::new();
    while words.len() < count {
        let length = 2 + below(longest - 1);
        words.insert((0..length).map(|_| char::from(b'A' + below(letters) as u8)).collect());
    }
    let mut words: Vec<String> = words.into_iter().collect();
    for i in (1..words.len()).rev() {
        words.swap(i, below(i + 1));
    }
    words
}

#[test]
fn moves_are_those_of_the_definition() {
    let mut several = 0;
    for seed in 0..30 {
        let mut random = Random::new(Key(seed));
        let size = 4 + seed as usize % 5;
        let words = random_words(&mut random, 12, 2 + seed as usize % 4, size);
        let problem = Crossword::new(Instance { size, words }).unwrap();
        let mut state = problem.initial();
        for _ in 0..2 {
            problem.reset(&mut state);
            let mut placements = vec![];
            loop {
                let legal = moves(&problem, &mut state);
                let set: BTreeSet<_> = legal.iter().map(|&mv| spoken(&problem, mv)).collect();
                assert_eq!(set.len(), legal.len());
                if placements.is_empty() {
                    assert_eq!(legal.len(), size * problem.words.len());
                } else {
                    assert_eq!(set, by_definition(&problem, &placements), "{placements:?}");
                }
                let Some(&mv) = legal.get((random.uniform() * legal.len() as f64) as usize) else {
                    break;
                };
                placements.push(problem.placement(mv));
                problem.play(&mut state, mv);
            }
            let letters: usize =
                placements.iter().map(|p| problem.words.text(p.word).len()).sum::<usize>();
            assert_eq!(problem.score(&state), (10_000 * placements.len() + letters) as f64);
            several += usize::from(placements.len() > 4);
        }
    }
    assert!(several > 20, "too few long games to mean much: {several}");
}

#[test]
fn the_largest_grid_is_used_to_its_edges() {
    let long = "A".repeat(31) + "B";
    let problem = crossword(32, &[&long, "BA", "AB", "BAB"]);
    let mut state = problem.initial();
    play(&problem, &mut state, &format!("{long} 31,0 down"));
    let mut placements: Vec<_> = vec![Placement { word: 0, column: 31, row: 0, down: true }];
    let expected = by_definition(&problem, &placements);
    assert!(expected.contains("AB 30,31 across"));
    assert_eq!(listed(&problem, &mut state).into_iter().collect::<BTreeSet<_>>(), expected);
    play(&problem, &mut state, "AB 30,31 across");
    placements.push(Placement { word: 2, column: 30, row: 31, down: false });
    let expected = by_definition(&problem, &placements);
    assert_eq!(listed(&problem, &mut state).into_iter().collect::<BTreeSet<_>>(), expected);
}

#[test]
fn codes_are_dense_and_distinct() {
    let words: Vec<_> = (0..2000)
        .map(|n| {
            (0..3).map(|k| char::from(b'A' + (n / 26usize.pow(k) % 26) as u8)).collect::<String>()
        })
        .collect();
    let problem = Crossword::new(Instance { size: 32, words }).unwrap();
    assert_eq!(problem.code_count(), 1 << 22);
    let last = problem.code(63, 29, 1999);
    assert!((last as usize) < problem.code_count());
    assert_eq!(problem.placement(last), Placement { word: 1999, column: 31, row: 29, down: true });
    let small = crossword(2, &["AB"]);
    assert_eq!(small.code_count(), 8);
}

#[test]
fn placements_are_moves_and_moves_placements() {
    let problem = crossword(5, &["AB", "ABCDE", "ABC"]);
    let mut codes = BTreeSet::new();
    for word in 0..4 {
        for (column, row) in (0..7).flat_map(|column| (0..7).map(move |row| (column, row))) {
            for down in [false, true] {
                let placement = Placement { word, column, row, down };
                if let Some(mv) = problem.mv(placement) {
                    assert_eq!(problem.placement(mv), placement);
                    assert!(codes.insert(mv));
                }
            }
        }
    }
    assert_eq!(codes.len(), 2 * 5 * (4 + 1 + 3));
    assert!((*codes.last().unwrap() as usize) < problem.code_count());
    let far = Placement { word: 0, column: usize::MAX, row: usize::MAX, down: true };
    assert_eq!(problem.mv(far), None);
    assert_eq!((problem.words.number("ABC"), problem.words.number("BC")), (Some(2), None));
}

#[test]
fn bad_input_is_refused() {
    let refused = |size, words: &[&str]| {
        let words: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
        Crossword::new(Instance { size, words }).unwrap_err()
    };
    assert!(refused(1, &["AB"]).contains("size"));
    assert!(refused(33, &["AB"]).contains("size"));
    assert!(refused(5, &[]).contains("1 to 2000 words"));
    assert!(refused(5, &["AB"; 2001]).contains("1 to 2000 words"));
    for word in ["ab", "A B", "É", "A1", "AB\n"] {
        assert!(refused(5, &[word]).contains("capitals"), "{word}");
    }
    assert!(refused(5, &["A"]).contains("2 to 5"));
    assert!(refused(5, &[""]).contains("2 to 5"));
    assert!(refused(5, &["ABCDEF"]).contains("2 to 5"));
    assert!(refused(5, &["AB", "CD", "AB"]).contains("twice"));
}

#[test]
fn a_move_that_no_problem_has_can_be_shown() {
    let problem = crossword(4, &["ABCD", "AB", "BC"]);
    assert_eq!(spoken(&problem, u32::MAX).split(' ').next(), Some(""));
}
