use std::collections::HashSet;

use nestor_engine::problem::Problem;
use nestor_engine::random::{Key, Random};

use super::*;
use crate::exposed::listed;

/// The length and reach of the lines of 5T, 5D, 4T and 4D.
const VARIANTS: [(u32, u32); 4] = [(5, 4), (5, 5), (4, 3), (4, 4)];

/// The first dot of a line, and its direction.
type Start = (i32, i32, u8);

fn start(Line { x, y, dir, pos, .. }: Line) -> Start {
    let (dx, dy) = STEPS[usize::from(dir)];
    let pos = i32::from(pos);
    (i32::from(x) - pos * dx, i32::from(y) - pos * dy, dir)
}

fn along((x, y, dir): Start, steps: u32) -> (i32, i32) {
    let (dx, dy) = STEPS[usize::from(dir)];
    (x + steps as i32 * dx, y + steps as i32 * dy)
}

/// The game kept as plain sets.
struct Plain {
    dots: HashSet<(i32, i32)>,
    units: HashSet<Start>,
}

impl Plain {
    fn of(game: &Morpion, dots: &[(i32, i32)]) -> Self {
        assert!(dots.iter().all(|&(x, y)| inside(x + game.origin) && inside(y + game.origin)));
        Self { dots: dots.iter().copied().collect(), units: HashSet::new() }
    }

    fn units(game: &Morpion, line: Start) -> impl Iterator<Item = Start> {
        (0..game.reach).map(move |i| {
            let (x, y) = along(line, i);
            (x, y, line.2)
        })
    }

    /// The missing dot of the line, if the line is a legal move.
    fn new_dot(&self, game: &Morpion, line: Start) -> Option<(i32, i32)> {
        let mut missing =
            (0..game.length).map(|i| along(line, i)).filter(|dot| !self.dots.contains(dot));
        let dot = missing.next()?;
        let legal = missing.next().is_none()
            && inside(dot.0 + game.origin)
            && inside(dot.1 + game.origin)
            && Self::units(game, line).all(|unit| !self.units.contains(&unit));
        legal.then_some(dot)
    }

    fn is_over(&self, game: &Morpion) -> bool {
        let sides = -SIDE..SIDE;
        let mut cells = sides.clone().flat_map(|y| sides.clone().map(move |x| (x, y)));
        cells.all(|(x, y)| (0..4).all(|dir| self.new_dot(game, (x, y, dir)).is_none()))
    }
}

/// Checks what is predicted for a move by playing it.
fn check_outlook(game: &Morpion, state: &mut State, mv: Move) {
    let mut after = state.clone();
    game.play(&mut after, mv);
    let (_, codes, _) = listed(game, &mut after);
    let opened = codes.len() - after.kept;
    assert_eq!(game.outlook(state, mv), (opened as u32, codes.len() as u32));
    let was_legal = |&code: &u32| state.moves.iter().any(|mv| mv.code() == code);
    assert!(codes[..after.kept].iter().all(was_legal));
    assert!(!codes[after.kept..].iter().any(was_legal));
}

#[test]
fn the_grid_is_never_left() {
    // Two thirds of the dots of the whole grid, so that lines reach every edge.
    for (length, reach) in VARIANTS {
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
                let line = mv.line();
                plain.dots.insert((line.x.into(), line.y.into()));
                plain.units.extend(Plain::units(&game, start(line)));
                game.play(&mut state, mv);
            }
            assert!(plain.is_over(&game));
            assert!(plain.dots.iter().any(|&(x, _)| x == edges.start));
            assert!(plain.dots.iter().any(|&(_, y)| y == edges.end - 1));
        }
    }
}
