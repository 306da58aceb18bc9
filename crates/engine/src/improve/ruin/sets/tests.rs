//! Sets of numbers of which no two may meet, with weights that rounding matters to.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI64, Ordering};

use super::super::{Ruin, Tries};
use super::{SetProblem, Sets, VAIN};
use crate::biased::Biased;
use crate::examples::{found, playouts};
use crate::improve::{Improver, Settings, start};
use crate::math::ln;
use crate::problem::{Moves, Offers, Problem};
use crate::random::{Key, Random, mix};
use crate::search::Search;

/// Numbers below `count`; whether two of them may not be together is drawn, or says that each thing
/// has one place and each place one thing.
struct Apart {
    count: u32,
    /// The number of places, as many as things; nothing if it is drawn.
    places: Option<u32>,
    /// Of the drawn, one pair in so many may not.
    apart: u64,
    takes: bool,
    /// Whether it says that the numbers are values of variables.
    assigns: bool,
    /// The calls of a function after which the next one fails.
    left: AtomicI64,
}

/// The numbers, in the order in which they came, and their weight.
type State = (Vec<u32>, f64);

impl Apart {
    fn new(count: u32, takes: bool) -> Self {
        Apart {
            count,
            places: None,
            apart: 5,
            takes,
            assigns: false,
            left: AtomicI64::new(i64::MAX),
        }
    }

    fn works(&self) -> bool {
        self.left.fetch_sub(1, Ordering::Relaxed) > 0
    }

    fn meet(&self, a: u32, b: u32) -> bool {
        if let Some(n) = self.places {
            return a / n == b / n || a % n == b % n;
        }
        a == b || mix(u64::from(a.min(b)) << 32 | u64::from(a.max(b))).is_multiple_of(self.apart)
    }

    fn weight(number: u32) -> f64 {
        ln(2.0 + f64::from(number % 7))
    }
}

fn begin(problem: &Biased<Apart>) -> Box<Search<Apart>> {
    start(problem, &Settings::default(), Key(5)).unwrap()
}

impl Offers for Apart {
    fn improver(&self) -> Option<Box<dyn Improver<Self>>> {
        Some(Box::new(Ruin::new(Sets::new(self))))
    }
}

impl Problem for Apart {
    type State = State;
    type Move = u32;
    type Code = u32;

    fn code_count(&self) -> usize {
        self.count as usize
    }

    fn initial(&self) -> State {
        (Vec::new(), 0.0)
    }

    fn moves(&self, state: &mut State, out: &mut Moves<'_, Self>) {
        if self.works() {
            let free = |&number: &u32| !state.0.iter().any(|&other| self.meet(number, other));
            (0..self.count).filter(free).for_each(|number| out.push(number, number));
        }
    }

    fn play(&self, state: &mut State, number: u32) {
        if self.works() {
            state.0.push(number);
            state.1 += Apart::weight(number);
        }
    }

    fn score(&self, state: &State) -> f64 {
        if self.works() { state.1 } else { f64::NEG_INFINITY }
    }

    fn failed(&self) -> bool {
        self.left.load(Ordering::Relaxed) < 0
    }
}

impl SetProblem for Apart {
    type Item = u32;

    fn takes(&self) -> bool {
        self.takes
    }

    fn assigns(&self) -> bool {
        self.assigns
    }

    fn list(
        &self,
        state: &mut State,
        items: &mut Vec<u32>,
        codes: &mut Vec<u32>,
        biases: &mut Vec<f64>,
    ) {
        self.moves(state, &mut Moves::new(items, codes, biases));
    }

    fn listed(&self, _index: usize, item: u32) -> u32 {
        item
    }

    fn knows(&self, _item: u32) -> bool {
        false
    }

    fn put(&self, state: &mut State, item: u32, _after: usize) {
        self.play(state, item);
    }

    fn take(&self, state: &mut State, item: u32) {
        if self.works() {
            state.0.retain(|&other| other != item);
            state.1 -= Apart::weight(item);
        }
    }

    fn value(&self, state: &State) -> f64 {
        self.score(state)
    }
}

/// The playouts of some sweeps, in which every variant has its turn.
const LONG: u64 = 40_000;

#[test]
fn what_is_found_is_a_game_with_its_score() {
    for takes in [true, false] {
        let problem = Biased::from(Apart::new(40, takes));
        let mut search = begin(&problem);
        search.advance(&problem, &playouts(LONG));
        let (moves, (improvements, _)) = found(&*search);
        let mut state = problem.initial();
        for &number in &moves {
            assert!(!state.0.iter().any(|&other| problem.meet(number, other)));
            problem.play(&mut state, number);
        }
        assert_eq!(state.1.to_bits(), improvements.last().unwrap().1.to_bits());
        assert_eq!((search.playouts(), search.counts().evaluated), (LONG, LONG));
    }
}

#[test]
fn it_goes_on_from_any_try() {
    for (takes, assigns) in [(true, false), (false, false), (true, true)] {
        let problem = Biased::from(Apart { assigns, ..Apart::new(24, takes) });
        let mut whole = begin(&problem);
        whole.advance(&problem, &playouts(LONG));
        let mut search = begin(&problem);
        for stop in (1..LONG).step_by(97).chain(6100..6200) {
            if stop > search.playouts() {
                search.advance(&problem, &playouts(stop));
            }
            let mut other = begin(&problem);
            other.restore(&problem, &search.save()).unwrap();
            assert_eq!(other.save(), search.save());
            search = other;
        }
        search.advance(&problem, &playouts(LONG));
        assert_eq!(found(&*search), found(&*whole));
    }
}

/// The lengths of the cycles of a plan.
fn cycles(planned: u64, assigns: bool) -> Vec<u64> {
    let problem = Biased::from(Apart { apart: 50, assigns, ..Apart::new(120, true) });
    let settings = Settings { evaluations: Some(planned), ..Settings::default() };
    let mut search = start(&problem, &settings, Key(5)).unwrap();
    let (mut lengths, mut before) = (Vec::new(), u64::MAX);
    for done in 1..=5 * planned {
        search.advance(&problem, &playouts(done));
        let (work, length) = search.progress()[0];
        if work < before {
            lengths.push(length);
        }
        before = work;
    }
    lengths
}

#[test]
fn planned_variants_share_half_and_the_best_has_the_rest() {
    // Four first games are playouts, too.
    assert_eq!(cycles(2400, false), [300, 300, 300, 300, 1196, 2392, 4784, 9568]);
}

#[test]
fn a_cycle_that_has_tried_all_that_is_near_is_over() {
    let few = Biased::from(Apart::new(10, true));
    let mut search = Ruin::new(Sets::new(&*few));
    Improver::<Apart>::plan(&mut search, 1000);
    let mut games = BTreeSet::new();
    for _ in 0..1000 {
        search.step(&few, 1);
        let mut items = search.tries.at.items.clone();
        items.sort_unstable();
        games.insert(items);
    }
    assert!(search.at.sweep > 5 && games.len() > 5, "{} {games:?}", search.at.sweep);
}

#[test]
fn the_cycle_after_it_begins_with_draws() {
    let few = Biased::from(Apart::new(10, true));
    let mut search = Ruin::new(Sets::new(&*few));
    Improver::<Apart>::plan(&mut search, 1000);
    let (mut in_a_row, mut most) = (0, 0);
    for _ in 0..1000 {
        search.step(&few, 1);
        in_a_row = if search.at.begun { 0 } else { in_a_row + 1 };
        most = most.max(in_a_row);
    }
    assert!(most > 2, "{most}");
}

#[test]
fn few_evaluations_are_for_one_variant() {
    assert_eq!(cycles(600, false), [200, 399, 798, 1596, 3192]);
}

#[test]
fn free_assignments_have_one_variant_of_one_or_two_moves() {
    assert_eq!(cycles(600, true), [600, 1200, 2400]);
    assert_eq!(cycles(2400, true), [2400, 4800, 9600]);
    let problem = Apart { assigns: true, ..Apart::new(40, true) };
    let (mut sets, mut random) = (Sets::new(&problem), Random::new(Key(1)));
    sets.begin(&problem, 0, &mut random);
    let mut counts = [0; 2];
    for _ in 0..1000 {
        sets.attempt(&problem, &mut random, f64::NEG_INFINITY);
        counts[sets.gone.len() - 1] += 1;
        sets.undo(&problem);
    }
    assert!(counts.iter().all(|count| (400..600).contains(count)), "{counts:?}");
}

#[test]
fn a_try_that_fails_is_none() {
    for takes in [true, false] {
        let problem = Biased::from(Apart::new(12, takes));
        let mut whole = begin(&problem);
        whole.advance(&problem, &playouts(9000));
        let mut search = begin(&problem);
        for calls in (0..40).chain((0..4000).map(|number| 41 + number % 1013)) {
            problem.left.store(calls, Ordering::Relaxed);
            search.advance(&problem, &playouts(9000));
            problem.left.store(i64::MAX, Ordering::Relaxed);
            if calls % 3 == 0 {
                let saved = search.save();
                search = begin(&problem);
                search.restore(&problem, &saved).unwrap();
            }
        }
        search.advance(&problem, &playouts(9000));
        assert_eq!(found(&*search), found(&*whole));
    }
}

#[test]
fn the_best_is_a_game_wherever_a_plan_fails() {
    let problem = Biased::from(Apart::new(12, true));
    for calls in 0..1500 {
        let settings = Settings { evaluations: Some(4), ..Settings::default() };
        let mut search = start(&problem, &settings, Key(calls % 11)).unwrap();
        problem.left.store(calls as i64, Ordering::Relaxed);
        search.advance(&problem, &playouts(40));
        problem.left.store(i64::MAX, Ordering::Relaxed);
        let (moves, (improvements, _)) = found(&*search);
        let mut state = problem.initial();
        moves.iter().for_each(|&number| problem.play(&mut state, number));
        assert_eq!(state.1, improvements.last().map_or(0.0, |best| best.1), "after {calls} calls");
    }
}

#[test]
fn wrong_states_are_refused() {
    let problem = Biased::from(Apart::new(16, true));
    let mut search = begin(&problem);
    for stop in [1, 1500, 7000] {
        search.advance(&problem, &playouts(stop));
        let saved = search.save();
        for place in 0..saved.len() {
            for change in [1, 0x40, 0xff] {
                let mut wrong = saved.clone();
                wrong[place] ^= change;
                let mut other = begin(&problem);
                if other.restore(&problem, &wrong).is_ok() {
                    other.advance(&problem, &playouts(stop + 50));
                    assert!(other.best().0.is_finite() || other.best().1.is_empty());
                }
            }
        }
    }
}

#[test]
fn a_game_without_another_ends() {
    // All numbers meet, or none is there: no variant has another game, or only one of one move.
    for count in [0, 1] {
        let problem = Biased::from(Apart::new(count, true));
        let mut search = begin(&problem);
        search.advance(&problem, &playouts(3000));
        assert_eq!(search.best().1.len(), count as usize);
    }
}

#[test]
fn where_single_moves_are_vain_two_things_change_places() {
    let problem = Apart { places: Some(6), ..Apart::new(36, true) };
    let (mut sets, mut random) = (Sets::new(&problem), Random::new(Key(1)));
    sets.begin(&problem, 0, &mut random);
    for number in 0..2 * VAIN {
        let before = sets.at.items.clone();
        let tried = sets.attempt(&problem, &mut random, f64::NEG_INFINITY);
        assert_eq!(tried.value.is_finite(), number >= VAIN);
        assert_eq!(sets.gone.len(), if number < VAIN { 1 } else { 2 });
        let kept = before.iter().filter(|item| sets.at.items.contains(item)).count();
        assert_eq!(
            (sets.at.items.len(), kept),
            (6 - usize::from(number < VAIN), 6 - sets.gone.len())
        );
        sets.undo(&problem);
        assert!(!sets.exhausted());
    }
}
