use std::collections::HashSet;

use nestor_engine::problem::Problem;
use nestor_engine::random::{Key, Random};

use super::*;
use crate::exposed::listed;

const VARIANTS: [(&str, u32, u32); 4] = [("5T", 5, 4), ("5D", 5, 5), ("4T", 4, 3), ("4D", 4, 4)];

/// A line as its first dot and direction.
type Line = (i32, i32, u8);

fn game(variant: &str, dominated: bool) -> Morpion {
    let variant = match variant {
        "5T" => Variant::T5,
        "5D" => Variant::D5,
        "4T" => Variant::T4,
        _ => Variant::D4,
    };
    Morpion::new(Instance { variant, dominated })
}

fn line(mv: Move) -> Line {
    let (dx, dy) = STEPS[usize::from(mv.dir)];
    let pos = i32::from(mv.pos);
    (i32::from(mv.x) - pos * dx, i32::from(mv.y) - pos * dy, mv.dir)
}

fn along((x, y, dir): Line, steps: u32) -> (i32, i32) {
    let (dx, dy) = STEPS[usize::from(dir)];
    (x + steps as i32 * dx, y + steps as i32 * dy)
}

/// The code of a line, computed from its description alone.
fn code(game: &Morpion, (x, y, dir): Line) -> u32 {
    let (lane, place) = locate(dir, x + game.origin, y + game.origin);
    lane as u32 * 64 + place
}

/// The game kept as plain sets.
struct Plain {
    dots: HashSet<(i32, i32)>,
    units: HashSet<Line>,
}

impl Plain {
    fn of(game: &Morpion, dots: &[(i32, i32)]) -> Self {
        assert!(dots.iter().all(|&(x, y)| inside(x + game.origin) && inside(y + game.origin)));
        Self { dots: dots.iter().copied().collect(), units: HashSet::new() }
    }

    fn units(game: &Morpion, line: Line) -> impl Iterator<Item = Line> {
        (0..game.reach).map(move |i| {
            let (x, y) = along(line, i);
            (x, y, line.2)
        })
    }

    /// The missing dot of the line, if the line is a legal move.
    fn new_dot(&self, game: &Morpion, line: Line) -> Option<(i32, i32)> {
        let mut missing =
            (0..game.length).map(|i| along(line, i)).filter(|dot| !self.dots.contains(dot));
        let dot = missing.next()?;
        let legal = missing.next().is_none()
            && inside(dot.0 + game.origin)
            && inside(dot.1 + game.origin)
            && Self::units(game, line).all(|unit| !self.units.contains(&unit));
        legal.then_some(dot)
    }

    fn all_moves(&self, game: &Morpion) -> Vec<(Line, (i32, i32))> {
        let mut found = vec![];
        let reached = |of: fn(&(i32, i32)) -> i32| {
            let (low, high) = (self.dots.iter().map(of).min(), self.dots.iter().map(of).max());
            low.unwrap() - 4..=high.unwrap() + 4
        };
        for dir in 0..4 {
            for y in reached(|dot| dot.1) {
                for x in reached(|dot| dot.0) {
                    if let Some(dot) = self.new_dot(game, (x, y, dir)) {
                        found.push(((x, y, dir), dot));
                    }
                }
            }
        }
        found
    }

    /// The units of an endless lane, up to 12 steps from `centre`, that later lines could still
    /// take.
    fn room(&self, game: &Morpion, line: Line, centre: Line) -> HashSet<Line> {
        let taken: HashSet<Line> = Self::units(game, line).collect();
        let (dx, dy) = STEPS[usize::from(line.2)];
        (-20..20)
            .map(|k| (centre.0 + k * dx, centre.1 + k * dy, line.2))
            .filter(|&later| {
                Self::units(game, later).all(|u| !taken.contains(&u) && !self.units.contains(&u))
            })
            .flat_map(|later| Self::units(game, later))
            .filter(|unit| (unit.0 - centre.0).abs().max((unit.1 - centre.1).abs()) <= 12)
            .collect()
    }
}

/// Plays random moves to the end, and compares every list of moves with one made from scratch.
/// Returns the number of moves and of dominated moves seen.
fn compare(game: &Morpion, dots: &[(i32, i32)], seed: u64) -> (u32, u32) {
    let mut random = Random::new(Key(seed));
    let mut plain = Plain::of(game, dots);
    let mut state = game.initial();
    let mut before: Vec<u32> = vec![];
    let (mut played, mut replaced) = (0, 0);
    loop {
        let (moves, codes, _) = listed(game, &mut state);
        let legal = plain.all_moves(game);
        let expected: HashSet<u32> = legal.iter().map(|&(line, _)| code(game, line)).collect();
        assert_eq!(codes.len(), expected.len());
        assert_eq!(codes.iter().copied().collect::<HashSet<_>>(), expected);
        let kept: Vec<u32> = before.into_iter().filter(|c| expected.contains(c)).collect();
        assert_eq!(codes[..kept.len()], kept, "the order of old moves");
        if played > 0 {
            assert!(codes[kept.len()..].is_sorted(), "the order of new moves");
        }
        for (&mv, &its_code) in moves.iter().zip(&codes) {
            check_outlook(game, &mut state, mv);
            let &(own, dot) = legal.iter().find(|&&(l, _)| code(game, l) == its_code).unwrap();
            assert_eq!((i32::from(mv.x), i32::from(mv.y)), dot);
            assert_eq!(code(game, line(Move { pos: mv.coded, ..mv })), its_code);
            let placed = line(mv);
            assert_eq!(plain.new_dot(game, placed), Some(dot));
            replaced += u32::from(placed != own);
            check_dominance(game, &plain, own, placed, &legal);
        }
        if moves.is_empty() {
            assert_eq!(game.score(&state), f64::from(played));
            return (played, replaced);
        }
        let mv = moves[(random.bits() % moves.len() as u64) as usize];
        plain.units.extend(Plain::units(game, line(mv)));
        plain.dots.insert((i32::from(mv.x), i32::from(mv.y)));
        game.play(&mut state, mv);
        before = codes;
        played += 1;
    }
}

/// Checks the line placed for a move against the meaning of dominance: no line of the same dot
/// leaves more room than the one placed. If the move's own line is another, it leaves less.
fn check_dominance(
    game: &Morpion,
    plain: &Plain,
    own: Line,
    placed: Line,
    legal: &[(Line, (i32, i32))],
) {
    let dot = plain.new_dot(game, own);
    let shifts: Vec<Line> = legal
        .iter()
        .filter(|&&(line, its_dot)| Some(its_dot) == dot && line.2 == own.2)
        .map(|&(line, _)| line)
        .collect();
    if !game.dominated || shifts.len() == 1 {
        assert_eq!(own, placed);
        return;
    }
    let room = |line| plain.room(game, line, own);
    let left = room(placed);
    if own != placed {
        assert!(room(own).is_subset(&left) && room(own) != left);
    }
    for other in shifts {
        assert!(!left.is_subset(&room(other)) || left == room(other));
    }
}

/// Checks what is predicted for a move by playing it.
fn check_outlook(game: &Morpion, state: &mut State, mv: Move) {
    let mut after = state.clone();
    game.play(&mut after, mv);
    let (_, codes, _) = listed(game, &mut after);
    let opened = codes.len() - after.kept;
    assert_eq!(game.outlook(state, mv), (opened as u32, codes.len() as u32));
    assert!(codes[..after.kept].iter().all(|code| state.codes.contains(code)));
    assert!(codes[after.kept..].iter().all(|code| !state.codes.contains(code)));
}

#[test]
fn crosses_have_their_dots_and_first_moves() {
    assert_eq!(cross(3).count(), 36);
    assert_eq!(cross(2).count(), 24);
    for (variant, count) in [("5T", 28), ("5D", 28), ("4T", 40), ("4D", 40)] {
        let game = game(variant, true);
        let (moves, codes, _) = listed(&game, &mut game.initial());
        assert_eq!(moves.len(), count, "{variant}");
        assert!(codes.iter().all(|&code| (code as usize) < game.code_count()));
    }
}

#[test]
fn random_games_agree_with_plain_sets() {
    for (variant, length, reach) in VARIANTS {
        for dominated in [false, true] {
            let game = game(variant, dominated);
            assert_eq!((game.length, game.reach), (length, reach));
            let dots: Vec<_> = cross(if length == 5 { 3 } else { 2 }).collect();
            let mut replaced = 0;
            for seed in 0..3 {
                let (score, seen) = compare(&game, &dots, seed);
                assert!(score >= 16);
                replaced += seen;
            }
            if variant.ends_with('T') {
                assert_eq!(dominated, replaced > 0, "{variant}: {replaced} dominated moves");
            }
        }
    }
}

#[test]
fn touching_lines_share_one_dot_and_disjoint_ones_none() {
    // Dots 0 to 3 and 5 to 7 of a row: after the line 0 to 4, the line 4 to 8 is a move in T only.
    let dots: Vec<_> = [0, 1, 2, 3, 5, 6, 7].iter().map(|&x| (x, 0)).collect();
    for (reach, after) in [(4, 1), (5, 0)] {
        let game = Morpion::from_dots(5, reach, false, dots.clone());
        let mut state = game.initial();
        game.play(&mut state, Move { x: 4, y: 0, dir: 0, pos: 4, coded: 4 });
        let (moves, _, _) = listed(&game, &mut state);
        assert_eq!(moves.len(), after);
        assert!(moves.iter().all(|&mv| mv == Move { x: 8, y: 0, dir: 0, pos: 4, coded: 4 }));
    }
}

#[test]
fn the_dominated_move_of_the_papers_figure() {
    // Dots 0, 2, 3, 4, 5 and a line from 6 to 10: completed by 1, the line 0 to 4 (A) leaves no
    // room for another before 6, and neither does the line 1 to 5 (B), which spares 0 to 1.
    let figure = |reach| {
        let dots = [0, 2, 3, 4, 5, 6, 7, 8, 9].iter().map(|&x| (x, 0));
        let game = Morpion::from_dots(5, reach, true, dots);
        let mut state = game.initial();
        game.play(&mut state, Move { x: 10, y: 0, dir: 0, pos: 4, coded: 4 });
        let (moves, codes, _) = listed(&game, &mut state);
        let at_one: Vec<_> = moves.iter().zip(codes).filter(|(mv, _)| mv.x == 1).collect();
        (at_one[0].0.pos, at_one[1].0.pos, at_one[0].1 + 1 == at_one[1].1)
    };
    assert_eq!(figure(4), (0, 0, true));
    assert_eq!(figure(5), (0, 0, true));
}

#[test]
fn the_grid_is_never_left() {
    // Two thirds of the dots of the whole grid, so that lines reach every edge.
    for (_, length, reach) in VARIANTS {
        for seed in 0..2 {
            let mut random = Random::new(Key(seed));
            let origin = if length == 5 { 27 } else { 28 };
            let edges = MARGIN - origin..SIDE - MARGIN - origin;
            let dots: Vec<_> = edges
                .clone()
                .flat_map(|y| edges.clone().map(move |x| (x, y)))
                .filter(|_| !random.bits().is_multiple_of(3))
                .collect();
            let game = Morpion::from_dots(length, reach, true, dots.clone());
            let mut state = game.initial();
            let mut plain = Plain::of(&game, &dots);
            loop {
                let (moves, _, _) = listed(&game, &mut state);
                if moves.is_empty() {
                    break;
                }
                let mv = moves[(random.bits() % moves.len() as u64) as usize];
                if random.bits().is_multiple_of(32) {
                    check_outlook(&game, &mut state, mv);
                }
                plain.dots.insert((i32::from(mv.x), i32::from(mv.y)));
                plain.units.extend(Plain::units(&game, line(mv)));
                game.play(&mut state, mv);
            }
            assert!(plain.all_moves(&game).is_empty());
            assert!(plain.dots.iter().any(|&(x, _)| x == edges.start));
            assert!(plain.dots.iter().any(|&(_, y)| y == edges.end - 1));
        }
    }
}

#[test]
fn a_state_is_reused() {
    let game = game("5D", true);
    let mut state = game.initial();
    let first = listed(&game, &mut state);
    let capacity = state.moves.capacity();
    game.play(&mut state, first.0[0]);
    game.reset(&mut state);
    assert_eq!(listed(&game, &mut state), first);
    assert_eq!(game.score(&state), 0.0);
    assert_eq!(state.moves.capacity(), capacity);
}
