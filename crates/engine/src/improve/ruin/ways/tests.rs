use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use crate::biased::Biased;
use crate::examples::playouts;
use crate::improve::ruin::{Light, Replays, orders};
use crate::improve::{Improver, Settings, start};
use crate::meter::Stop;
use crate::problem::{Moves, Offers, Problem};
use crate::random::{Key, mix};
use crate::search::Search;

const MACHINES: u32 = 3;

/// A flexible job shop: the operations of a job come one after another, and each of them runs on one of
/// several machines. A move is a job and the machine of its next operation; a task is a job. With `rests`
/// the ends of orders are summed up. It fails when `left` more steps have been made, if that is not
/// negative.
struct Shop {
    /// For each operation of each job how long it takes on each machine, if it may run there.
    jobs: Vec<Vec<[Option<i64>; MACHINES as usize]>>,
    rests: bool,
    left: AtomicI64,
    failed: AtomicBool,
}

impl Shop {
    fn new(operations: &[usize], seed: u64, rests: bool) -> Self {
        let mut drawn = seed;
        let mut time = |machine: u64| {
            drawn = mix(drawn);
            (machine == seed % 3 || !drawn.is_multiple_of(3))
                .then_some((drawn >> 20) as i64 % 9 + 1)
        };
        let mut operation = || [0, 1, 2].map(&mut time);
        let jobs = operations.iter().map(|&count| (0..count).map(|_| operation()).collect());
        let (left, failed) = (AtomicI64::new(-1), AtomicBool::new(false));
        Shop { jobs: jobs.collect(), rests, left, failed }
    }

    fn time(&self, done: &[usize], mv: u32) -> Option<i64> {
        let job = (mv / MACHINES) as usize;
        self.jobs[job].get(done[job])?[(mv % MACHINES) as usize]
    }

    fn legal(&self, done: &[usize]) -> impl Iterator<Item = u32> {
        (0..self.jobs.len() as u32 * MACHINES).filter(|&mv| self.time(done, mv).is_some())
    }

    fn score_of(&self, moves: &[u32]) -> f64 {
        let mut plan = Plan::start(self);
        moves.iter().for_each(|&mv| plan.step(self, mv));
        assert_eq!(self.legal(&plan.done).count(), 0);
        plan.value(self)
    }

    /// The best score of all games that go on from a plan.
    fn best(&self, plan: &Plan) -> f64 {
        let next = |mv| {
            let mut plan = plan.clone();
            plan.step(self, mv);
            self.best(&plan)
        };
        let scores = self.legal(&plan.done).map(next);
        scores.reduce(f64::max).unwrap_or_else(|| plan.value(self))
    }
}

impl Problem for Shop {
    type State = Plan;
    type Move = u32;
    type Code = u64;

    fn initial(&self) -> Plan {
        Plan::start(self)
    }

    fn moves(&self, plan: &mut Plan, out: &mut Moves<'_, Self>) {
        self.legal(&plan.done).for_each(|mv| out.push(mv, mv.into()));
    }

    fn play(&self, plan: &mut Plan, mv: u32) {
        plan.step(self, mv);
    }

    fn score(&self, plan: &Plan) -> f64 {
        plan.value(self)
    }

    fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }
}

impl Offers for Shop {
    fn improver(&self) -> Option<Box<dyn Improver<Self>>> {
        Some(orders(Replays::<Self, Plan>::default(), false))
    }
}

/// How many operations of each job are done, and when its last one and those of each machine are over;
/// from the end, how many come last and what they need.
#[derive(Clone)]
struct Plan {
    done: Vec<usize>,
    ready: Vec<i64>,
    free: [i64; MACHINES as usize],
}

impl Plan {
    fn run(&mut self, mv: u32, time: i64) {
        let (job, machine) = ((mv / MACHINES) as usize, (mv % MACHINES) as usize);
        let end = self.ready[job].max(self.free[machine]) + time;
        (self.ready[job], self.free[machine]) = (end, end);
        self.done[job] += 1;
    }
}

impl Light<Shop> for Plan {
    type Rest = Plan;

    fn has(shop: &Shop, item: u32) -> bool {
        item < shop.jobs.len() as u32 * MACHINES
    }

    fn start(shop: &Shop) -> Self {
        let (done, ready) = (vec![0; shop.jobs.len()], vec![0; shop.jobs.len()]);
        Plan { done, ready, free: [0; MACHINES as usize] }
    }

    fn step(&mut self, shop: &Shop, mv: u32) {
        if shop.left.load(Ordering::Relaxed) >= 0 && shop.left.fetch_sub(1, Ordering::Relaxed) == 0
        {
            shop.failed.store(true, Ordering::Relaxed);
        }
        match shop.time(&self.done, mv) {
            Some(time) => self.run(mv, time),
            None => shop.failed.store(true, Ordering::Relaxed),
        }
    }

    fn value(&self, _shop: &Shop) -> f64 {
        let (ready, free) = (self.ready.iter(), self.free.iter());
        -(ready.clone().chain(free).max().map_or(0, |last| 100 * last) + ready.sum::<i64>()) as f64
    }

    fn bound(&self, shop: &Shop) -> f64 {
        if shop.rests { self.value(shop) } else { f64::INFINITY }
    }

    fn end(shop: &Shop) -> Option<Plan> {
        shop.rests.then(|| Plan::start(shop))
    }

    fn before(shop: &Shop, mv: u32, rest: &mut Plan) {
        let job = (mv / MACHINES) as usize;
        let place = shop.jobs[job].len() - 1 - rest.done[job];
        let time = shop.jobs[job][place][(mv % MACHINES) as usize].expect("every rest is legal");
        rest.run(mv, time);
    }

    fn joined(&self, shop: &Shop, rest: &Plan) -> f64 {
        for (job, operations) in shop.jobs.iter().enumerate() {
            assert!(self.done[job] + rest.done[job] <= operations.len());
        }
        let sums = |these: &[i64], those: &[i64]| {
            these.iter().zip(those).map(|(one, other)| one + other).max().unwrap_or(0)
        };
        let least = sums(&self.ready, &rest.ready).max(sums(&self.free, &rest.free));
        -(100 * least) as f64
    }

    fn item(_shop: &Shop, _plan: &Plan, mv: u32) -> u32 {
        mv
    }

    fn tasks(_shop: &Shop) -> bool {
        true
    }

    fn task(_shop: &Shop, _plan: &Plan, mv: u32) -> u32 {
        mv / MACHINES
    }

    fn moves(_shop: &Shop, order: &[u32], _score: f64, moves: &mut Vec<u32>) {
        moves.clear();
        moves.extend_from_slice(order);
    }
}

fn begin(shop: &Biased<Shop>, seed: u64) -> Box<Search<Shop>> {
    start(shop, &Settings::default(), Key(seed)).unwrap()
}

#[test]
fn the_best_of_few_schedules_is_found() {
    for seed in 0..30 {
        let operations = [&[2, 2, 2][..], &[3, 2, 1], &[1, 1, 1, 1, 1], &[4], &[1], &[3, 3]];
        let shop = Biased::from(Shop::new(operations[seed as usize % 6], seed, seed % 2 == 0));
        let best = shop.best(&Plan::start(&shop));
        let finds = |key| {
            let mut search = begin(&shop, key);
            search.advance(&shop, &playouts(20_000));
            assert_eq!(shop.score_of(&search.meter().moves), search.meter().score);
            assert!(search.meter().score <= best);
            search.meter().score == best
        };
        // One search may end in a valley.
        assert!((0..5).any(finds), "{seed}");
    }
}

#[test]
fn a_schedule_can_be_changed_in_every_way() {
    // The best of 18 operations, from any schedule: each of its moves is one that had to be found.
    for rests in [false, true] {
        let shop = Biased::from(Shop::new(&[6, 6, 6], 4, rests));
        let scores = [0, 1, 2, 3].map(|seed| {
            let mut search = begin(&shop, seed);
            search.advance(&shop, &playouts(40_000));
            assert_eq!(shop.score_of(&search.meter().moves), search.meter().score);
            search.meter().score
        });
        assert!(scores.iter().all(|&score| score == scores[0]), "{scores:?}");
    }
}

#[test]
fn bounds_and_rests_change_nothing_but_the_speed() {
    let mut steps = [0; 2];
    let found = [false, true].map(|rests| {
        let shop = Biased::from(Shop::new(&[5, 4, 5, 3, 4], 8, rests));
        shop.left.store(i64::MAX, Ordering::Relaxed);
        let mut search = begin(&shop, 8);
        search.advance(&shop, &playouts(30_000));
        steps[usize::from(rests)] = i64::MAX - shop.left.load(Ordering::Relaxed);
        (search.meter().moves.clone(), search.meter().score)
    });
    assert_eq!(found[0], found[1]);
    assert!(3 * steps[1] < 2 * steps[0], "{steps:?}");
}

#[test]
fn a_search_goes_on_from_any_schedule_as_if_it_had_not_stopped() {
    let shop = Biased::from(Shop::new(&[3, 2, 4, 1], 5, true));
    let mut unbroken = begin(&shop, 5);
    unbroken.advance(&shop, &playouts(1500));
    let mut broken = begin(&shop, 5);
    for done in 0..1500 {
        broken.advance(&shop, &playouts(done));
        let mut again = begin(&shop, 5);
        again.restore(&shop, &broken.save()).unwrap();
        broken = again;
    }
    let found = |search: &Search<Shop>| {
        let improvements = search.meter().improvements.iter();
        let scores = improvements.map(|better| (better.playouts, better.score)).collect::<Vec<_>>();
        (scores, search.meter().moves.clone())
    };
    assert_eq!(broken.advance(&shop, &playouts(1500)), unbroken.advance(&shop, &playouts(1500)));
    assert_eq!(found(&broken), found(&unbroken));
}

#[test]
fn a_failure_is_as_if_there_had_been_no_evaluation() {
    let shop = Biased::from(Shop::new(&[3, 2, 4, 1], 6, true));
    let mut unbroken = begin(&shop, 6);
    unbroken.advance(&shop, &playouts(3000));
    let (mut failing, mut failures) = (begin(&shop, 6), 0);
    while failing.meter().playouts < 3000 {
        shop.left.store(40 + failures % 97, Ordering::Relaxed);
        if failing.advance(&shop, &playouts(3000)) == Stop::Failed {
            failures += 1;
        }
        shop.failed.store(false, Ordering::Relaxed);
    }
    assert!(failures > 100, "{failures}");
    assert_eq!(failing.meter().moves, unbroken.meter().moves);
    assert_eq!(failing.meter().improvements.len(), unbroken.meter().improvements.len());
}

#[test]
fn a_state_that_was_tampered_with_is_refused_or_harmless() {
    let shop = Biased::from(Shop::new(&[3, 2, 4, 1], 7, true));
    let mut search = begin(&shop, 7);
    search.advance(&shop, &playouts(700));
    let saved = search.save();
    let mut refused = 0;
    for place in 0..saved.len() {
        let mut wrong = saved.clone();
        wrong[place] ^= 1 << (place % 8);
        let mut again = begin(&shop, 7);
        shop.failed.store(false, Ordering::Relaxed);
        match again.restore(&shop, &wrong) {
            Ok(()) => {
                again.advance(&shop, &playouts(900));
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 100, "{refused}");
}
