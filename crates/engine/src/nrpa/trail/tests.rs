use super::*;
use crate::biased::Biased;
use crate::code::Code;
use crate::examples::{found, playouts};
use crate::nrpa::Nrpa;
use crate::nrpa::settings::LevelSettings;
use crate::problem::{Bias, Moves};
use crate::random::Key;
use crate::search::Search;

/// A tree made of hashes. Its codes are those of a place, of a state, or come back anywhere.
struct Tree<C> {
    seed: u64,
    codes: Codes,
    bias: Bias,
    _code: std::marker::PhantomData<C>,
}

#[derive(Clone, Copy, Debug)]
enum Codes {
    OfPlace,
    Anywhere,
}

const LENGTH: u64 = 30;
const BRANCHES: u64 = 7;
const COUNT: u64 = LENGTH * BRANCHES;

impl<C: Code> Problem for Tree<C> {
    type State = (Key, u64, u64);
    type Move = u8;
    type Code = C;

    fn code_count(&self) -> usize {
        COUNT as usize
    }

    fn bias(&self) -> Bias {
        self.bias.clone()
    }

    fn initial(&self) -> Self::State {
        (Key(self.seed), 0, 0)
    }

    fn moves(&self, &mut (key, place, _): &mut Self::State, out: &mut Moves<'_, Self>) {
        let ends = place == LENGTH || place > LENGTH / 2 && key.0.is_multiple_of(32);
        for digit in 0..if ends { 0 } else { 1 + key.0 % BRANCHES } {
            let code = match self.codes {
                Codes::OfPlace => place * BRANCHES + digit,
                Codes::Anywhere => key.child(digit).0 % COUNT,
            };
            let code = C::try_from(code).ok().unwrap();
            match self.bias {
                Bias::PerMove => out.push_biased(digit as u8, code, digit as f64 / 3.0),
                _ => out.push(digit as u8, code),
            }
        }
    }

    fn play(&self, (key, place, score): &mut Self::State, digit: u8) {
        // Few states of a place, so that the policy can learn something.
        let next = Key(self.seed ^ (key.child(digit.into()).0 % 4)).child(*place);
        *score += next.0 % 3;
        (*key, *place) = (next, *place + 1);
    }

    fn score(&self, &(_, _, score): &Self::State) -> f64 {
        score as f64
    }
}

/// What a search finds, its policy at the end, and the average share.
fn run<P: Problem>(
    problem: &Biased<P>,
    levels: &[LevelSettings],
    enough: f64,
) -> (impl PartialEq, f64) {
    let key = Key(11);
    let mut search = Search::new(Nrpa::new(problem, levels, key), key);
    search.recursion.trail.enough = enough;
    let mut seen = Vec::new();
    for last in [150, 201, 300] {
        search.recursion.policy.compact_at = 0;
        search.advance(problem, &playouts(last));
        let mut weights: Vec<(u64, u64)> = Vec::new();
        for (code, weight) in search.recursion.policy.weights() {
            weights.push((code.into(), weight.to_bits()));
        }
        weights.sort_unstable();
        seen.push((found(&search), weights));
    }
    (seen, search.recursion.trail.share)
}

fn check<C: Code>(codes: Codes, bias: &Bias, levels: &[LevelSettings]) {
    for seed in 0..2 {
        let bias = bias.clone();
        let tree = Tree::<C> { seed, codes, bias, _code: std::marker::PhantomData };
        let tree = Biased::from(tree);
        let (plain, _) = run(&tree, levels, 2.0);
        for enough in [-1.0, SHARE] {
            let (other, share) = run(&tree, levels, enough);
            assert!(plain == other, "{codes:?} {:?} {levels:?} {enough} {seed}", tree.bias);
            assert_eq!(share > 0.0, !levels[0].force_explore);
        }
    }
}

#[test]
fn playouts_on_a_trail_are_those_beside_it() {
    let level = LevelSettings { iterations: 60, ..Default::default() };
    let steep = LevelSettings { rate: 200.0, ..level };
    let options = [
        LevelSettings { iterations: 250, ..level },
        steep,
        LevelSettings { width: 4, ..level },
        LevelSettings { repetitions: Some(3), ..level },
        LevelSettings { warm_start: Some(1.0), ..level },
        LevelSettings { force_explore: true, ..level },
    ];
    let per_code = Bias::PerCode((0..COUNT).map(|code| (code % 5) as f64 / 2.0).collect());
    for lowest in options {
        let levels = [lowest, LevelSettings { iterations: 4, ..level }];
        for codes in [Codes::OfPlace, Codes::Anywhere] {
            for bias in [Bias::None, Bias::PerMove] {
                check::<u32>(codes, &bias, &levels);
                check::<u64>(codes, &bias, &levels);
            }
            check::<u32>(codes, &per_code, &levels);
        }
    }
}

#[test]
fn a_trail_is_laid_where_playouts_follow_the_best_sequence() {
    let level = LevelSettings { iterations: 500, ..Default::default() };
    let bias = Bias::None;
    let tree = Tree::<u32> { seed: 1, codes: Codes::OfPlace, bias, _code: Default::default() };
    let tree = Biased::from(tree);
    let mut search = Search::new(Nrpa::new(&tree, &[level], Key(1)), Key(1));
    search.advance(&tree, &playouts(1));
    assert!(!search.recursion.trail.laid);
    search.advance(&tree, &playouts(400));
    assert!(search.recursion.trail.laid && search.recursion.trail.share > SHARE);
    // Its states are those that the best sequence goes through.
    let Nrpa { trail, levels, .. } = &mut search.recursion;
    for steps in (0..levels[0].best.moves.len()).rev() {
        let mut state = tree.initial();
        trail.way.go_to(&tree, steps, &mut state);
        let mut expected = tree.initial();
        levels[0].best.moves[..steps].iter().for_each(|&mv| tree.play(&mut expected, mv));
        assert_eq!(state, expected);
    }
}
