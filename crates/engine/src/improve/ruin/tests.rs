use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use super::orders::Permutations;
use super::*;
use crate::biased::Biased;
use crate::examples::playouts;
use crate::improve::{Settings, start};
use crate::meter::Stop;
use crate::problem::{Moves, Offers};
use crate::search::Search;

/// Jobs on one machine, each so often as `counts` says; late ones cost. With `rests` the ends of
/// orders are summed up. It fails when `left` more jobs have been run, if that is not negative.
struct Lateness {
    lengths: Vec<i64>,
    counts: Vec<u32>,
    rests: bool,
    left: AtomicI64,
    failed: AtomicU64,
}

impl Lateness {
    fn new(counts: &[u32], rests: bool) -> Self {
        let lengths = (0..counts.len() as i64).map(|job| job * 7 % 11 + 1).collect();
        let (left, failed) = (AtomicI64::new(-1), AtomicU64::new(0));
        Lateness { lengths, counts: counts.to_vec(), rests, left, failed }
    }

    fn cost(&self, job: u32, time: i64) -> i64 {
        let job = i64::from(job);
        (job % 5 + 1) * (time - job * 13 % 60).max(0)
    }

    fn total(&self) -> i64 {
        self.lengths
            .iter()
            .zip(&self.counts)
            .map(|(length, &count)| length * i64::from(count))
            .sum()
    }

    fn run(&self) {
        if self.left.load(Ordering::Relaxed) >= 0 && self.left.fetch_sub(1, Ordering::Relaxed) == 0
        {
            self.failed.store(1, Ordering::Relaxed);
        }
    }

    fn cost_of(&self, order: &[u32]) -> f64 {
        let (mut time, mut cost) = (0, 0);
        for &job in order {
            time += self.lengths[job as usize];
            cost += self.cost(job, time);
        }
        -(cost as f64)
    }
}

impl Problem for Lateness {
    type State = Vec<u32>;
    type Move = u32;
    type Code = u64;

    fn initial(&self) -> Vec<u32> {
        Vec::new()
    }

    fn moves(&self, state: &mut Vec<u32>, out: &mut Moves<'_, Self>) {
        let times = |job: u32| state.iter().filter(|&&other| other == job).count() as u32;
        let jobs = (0..).zip(&self.counts).filter(|&(job, &count)| times(job) < count);
        jobs.for_each(|(job, _)| out.push(job, job.into()));
    }

    fn play(&self, state: &mut Vec<u32>, job: u32) {
        state.push(job);
    }

    fn score(&self, state: &Vec<u32>) -> f64 {
        self.cost_of(state)
    }

    fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed) > 0
    }
}

impl Offers for Lateness {
    fn improver(&self) -> Option<Box<dyn Improver<Self>>> {
        Some(orders(Replays::<Self, Time>::default(), false))
    }
}

/// The time and the cost so far, or from here on.
#[derive(Clone)]
struct Time(i64, i64);

impl Light<Lateness> for Time {
    type Rest = Time;

    fn has(problem: &Lateness, item: u32) -> bool {
        (item as usize) < problem.counts.len()
    }

    fn start(_problem: &Lateness) -> Self {
        Time(0, 0)
    }

    fn step(&mut self, problem: &Lateness, job: u32) {
        problem.run();
        self.0 += problem.lengths[job as usize];
        self.1 += problem.cost(job, self.0);
    }

    fn value(&self, _problem: &Lateness) -> f64 {
        -(self.1 as f64)
    }

    fn bound(&self, problem: &Lateness) -> f64 {
        if problem.rests { self.value(problem) } else { f64::INFINITY }
    }

    fn end(problem: &Lateness) -> Option<Time> {
        problem.rests.then_some(Time(0, 0))
    }

    fn before(problem: &Lateness, job: u32, rest: &mut Time) {
        problem.run();
        rest.1 += problem.cost(job, problem.total() - rest.0);
        rest.0 += problem.lengths[job as usize];
    }

    fn joined(&self, problem: &Lateness, rest: &Time) -> f64 {
        assert_eq!(self.0 + rest.0, problem.total());
        -((self.1 + rest.1) as f64)
    }

    fn item(_problem: &Lateness, _state: &Vec<u32>, job: u32) -> u32 {
        job
    }

    fn moves(_problem: &Lateness, order: &[u32], _score: f64, moves: &mut Vec<u32>) {
        moves.clear();
        moves.extend_from_slice(order);
    }
}

const SEVERAL: [u32; 6] = [3, 1, 2, 4, 1, 2];

fn begin(problem: &Biased<Lateness>, seed: u64) -> Box<Search<Lateness>> {
    start(problem, &Settings::default(), Key(seed)).unwrap()
}

#[test]
fn every_order_has_the_items_of_a_game_and_its_score() {
    for counts in [&[1; 15][..], &SEVERAL, &[1], &[2, 1], &[4]] {
        let problem = Biased::from(Lateness::new(counts, false));
        let mut search = begin(&problem, 3);
        let items: Vec<u32> =
            (0..).zip(counts).flat_map(|(job, &count)| vec![job; count as usize]).collect();
        for done in 1..2000 {
            assert_eq!(search.advance(&problem, &playouts(done)), Stop::Playouts);
            let mut sorted = search.meter().moves.clone();
            assert_eq!(search.meter().score, problem.cost_of(&sorted));
            sorted.sort_unstable();
            assert_eq!(sorted, items);
            assert_eq!(search.meter().playouts, done);
        }
    }
}

#[test]
fn the_best_of_few_orders_is_found() {
    let problem = Biased::from(Lateness::new(&[1; 7], true));
    let mut best = f64::NEG_INFINITY;
    let mut order = [0, 1, 2, 3, 4, 5, 6];
    let mut random = Random::new(Key(0));
    for _ in 0..100_000 {
        (1..7).for_each(|last| order.swap(last, random.below(last + 1)));
        best = best.max(problem.cost_of(&order));
    }
    for seed in 0..5 {
        let mut search = begin(&problem, seed);
        search.advance(&problem, &playouts(20_000));
        assert_eq!(search.meter().score, best);
    }
}

#[test]
fn bounds_and_rests_change_nothing_but_the_speed() {
    for counts in [&[1; 25][..], &SEVERAL] {
        let mut steps = [0; 2];
        let states = [false, true].map(|rests| {
            let problem = Biased::from(Lateness::new(counts, rests));
            problem.left.store(i64::MAX, Ordering::Relaxed);
            let mut search = begin(&problem, 8);
            search.advance(&problem, &playouts(30_000));
            steps[usize::from(rests)] = i64::MAX - problem.left.load(Ordering::Relaxed);
            (search.meter().moves.clone(), search.meter().score)
        });
        assert_eq!(states[0], states[1]);
        assert!(3 * steps[1] < 2 * steps[0], "{steps:?}");
    }
}

#[test]
fn a_search_goes_on_from_any_sequence_as_if_it_had_not_stopped() {
    for evaluations in [None, Some(600), Some(3000)] {
        let problem = Biased::from(Lateness::new(&SEVERAL, true));
        let settings = Settings { evaluations, ..Settings::default() };
        let new = || start(&problem, &settings, Key(5)).unwrap();
        let mut unbroken = new();
        unbroken.advance(&problem, &playouts(1500));
        let mut broken = new();
        for done in 0..1500 {
            broken.advance(&problem, &playouts(done));
            let mut again = new();
            again.restore(&problem, &broken.save()).unwrap();
            broken = again;
        }
        broken.advance(&problem, &playouts(1500));
        assert_eq!(broken.meter().moves, unbroken.meter().moves);
        let places = |search: &Search<Lateness>| {
            search.meter().improvements.iter().map(|i| (i.playouts, i.score)).collect::<Vec<_>>()
        };
        assert_eq!(places(&broken), places(&unbroken));
    }
}

#[test]
fn planned_cycles_end_with_the_evaluations() {
    let problem = Biased::from(Lateness::new(&[1; 40], true));
    for planned in [90, 900, 3000] {
        let settings = Settings { evaluations: Some(planned), ..Settings::default() };
        let mut search = start(&problem, &settings, Key(3)).unwrap();
        search.advance(&problem, &playouts(planned / 6));
        assert_eq!(search.progress(), [(planned / 6 - 1, planned / 3)]);
        // A try that goes on is ended before the next cycle, of what is left of the plan.
        search.advance(&problem, &playouts(planned * 2 / 3));
        let [(done, length)] = search.progress()[..] else { panic!() };
        assert!(length <= planned * 2 / 3 && planned - 40 <= planned * 2 / 3 - done + length);
        // The next one is twice as long, or as long and begins anew.
        search.advance(&problem, &playouts(planned + 40));
        assert!([length, 2 * length].contains(&search.progress()[0].1));
    }
}

#[test]
fn after_a_cycle_that_finds_nothing_better_one_begins_anew() {
    let problem = Biased::from(Lateness::new(&[39, 1], true));
    let mut search = Ruin::new(Permutations::new(Replays::<_, Time>::default(), false));
    let (first, mut cycles) = (search.at.length, Vec::new());
    while cycles.len() < 4 {
        let sweep = search.at.sweep;
        search.step(&problem, 1);
        search.go_on(&problem);
        if search.at.sweep > sweep {
            cycles.push((search.at.length / first, search.at.begun));
        }
    }
    assert_eq!(cycles, [(2, true), (2, false), (4, true), (4, false)]);
}

#[test]
fn few_evaluations_are_all_of_complete_changes() {
    let problem = Biased::from(Lateness::new(&SEVERAL, true));
    let goes_on = |planned| {
        let mut search = Ruin::new(Permutations::new(Replays::<_, Time>::default(), false));
        Improver::<Lateness>::plan(&mut search, planned);
        (0..planned).any(|_| {
            search.step(&problem, 1);
            search.at.limit.is_some()
        })
    };
    assert_eq!([200, FEW, FEW + 1].map(goes_on), [false, false, true]);
}

#[test]
fn a_failure_is_as_if_there_had_been_no_evaluation() {
    for (rests, evaluations) in [(false, None), (true, None), (true, Some(FEW))] {
        let problem = Biased::from(Lateness::new(&SEVERAL, rests));
        let settings = Settings { evaluations, ..Settings::default() };
        let new = || start(&problem, &settings, Key(6)).unwrap();
        let mut unbroken = new();
        unbroken.advance(&problem, &playouts(3000));
        let mut failing = new();
        let mut failures = 0;
        while failing.meter().playouts < 3000 {
            problem.left.store(40 + failures % 97, Ordering::Relaxed);
            if failing.advance(&problem, &playouts(3000)) == Stop::Failed {
                failures += 1;
            }
            problem.failed.store(0, Ordering::Relaxed);
        }
        problem.left.store(-1, Ordering::Relaxed);
        assert!(failures > 100, "{failures}");
        assert_eq!(failing.meter().moves, unbroken.meter().moves);
        assert_eq!(failing.meter().improvements.len(), unbroken.meter().improvements.len());
    }
}

#[test]
fn a_better_sequence_from_outside_is_gone_on_from_and_a_worse_one_is_not() {
    let problem = Biased::from(Lateness::new(&[1; 12], true));
    let mut search = begin(&problem, 7);
    search.advance(&problem, &playouts(20_000));
    let (best, score) = (search.meter().moves.clone(), search.meter().score);
    let mut worse = best.clone();
    worse.sort_unstable();
    for given in [best, worse] {
        let mut other = begin(&problem, 9);
        other.adopt(&problem, &given, 1).unwrap();
        other.advance(&problem, &playouts(2));
        assert!(other.meter().score >= problem.cost_of(&given));
        other.advance(&problem, &playouts(2000));
        assert!(other.meter().score <= score);
    }
}
