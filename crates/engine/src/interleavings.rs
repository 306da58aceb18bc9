//! The threads of searches in thousands of orders of their steps, chosen by shuttle:
//!
//! ```text
//! cargo test -p nestor-engine --features shuttle interleavings
//! ```
//!
//! Half of the orders are random. The others change between threads three times at most, at random
//! places (probabilistic concurrency testing), apart from threads that wait. Threads that wait for
//! each other, or for ever, are found as well. `ORDERS=10000` before the command tries so many of
//! each kind. The memory model is sequential: weaker orders of memory are not tried.

use std::sync::LazyLock;

use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, Runner, thread};

use crate::Algorithm;
use crate::biased::Biased;
use crate::examples::{Digits, found};
use crate::meter::{Limits, Stop};
use crate::nrpa::settings::{LevelSettings, Policies, Settings};
use crate::random::Key;
use crate::search::Search;
use crate::shared::sync::atomic::{AtomicBool, Ordering};
use crate::threads::Threads;

static GAME: LazyLock<Biased<Digits>> = LazyLock::new(|| Digits { base: 4, length: 5 }.into());

/// Iterations and widths from level 1 upwards: leaf parallel, and parallel at level 1 and 2.
const SHAPES: [&[(u64, u64)]; 3] =
    [&[(5, 4), (3, 1)], &[(3, 1), (5, 3)], &[(2, 1), (4, 2), (2, 1)]];

/// Runs a model in many orders.
fn check(model: fn()) {
    fn run(scheduler: impl Scheduler + 'static, model: fn()) {
        let mut config = Config::new();
        config.stack_size = 1 << 20;
        Runner::new(scheduler, config).run(model);
    }
    let orders = std::env::var("ORDERS").map_or(250, |orders| orders.parse().unwrap());
    run(RandomScheduler::new_from_seed(1, orders), model);
    run(PctScheduler::new_from_seed(2, 3, orders), model);
}

/// Searches of every shape, with shared and with local policies.
fn searches() -> impl Iterator<Item = Box<Search<Digits>>> {
    let kinds = SHAPES.into_iter().flat_map(|shape| [(shape, false), (shape, true)]);
    kinds.map(|(shape, local)| {
        let level =
            |&(iterations, width)| LevelSettings { iterations, width, ..Default::default() };
        let levels = shape.iter().map(level).collect();
        let policies = if local { Policies::Local } else { Policies::Shared };
        let settings = Settings { levels, policies, inherit: local, ..Settings::default() };
        Algorithm::Nrpa(settings).start(&GAME, Key(5)).unwrap()
    })
}

fn limits(playouts: u64, threads: usize, cancel: &AtomicBool) -> Limits<'_> {
    let target = f64::INFINITY;
    Limits { playouts, deadline: None, target, restart: true, threads, cancel }
}

#[test]
fn every_worker_works_once_on_every_batch() {
    check(|| {
        let work = |batch: &usize, worker: &mut Vec<usize>, _| worker.push(*batch);
        Threads::new(0, vec![Vec::new(); 3], work).start(|threads| {
            for next in 1..=3 {
                *threads.batch() = next;
                threads.run();
                for number in 0..3 {
                    assert_eq!(*threads.worker(number), Vec::from_iter(1..=next));
                }
            }
        });
    });
}

#[test]
fn no_order_changes_what_is_found() {
    check(|| {
        let never = AtomicBool::new(false);
        for (mut search, mut alone) in searches().zip(searches()) {
            for last in [1, 8, 20] {
                assert_eq!(search.advance(&GAME, &limits(last, 3, &never)), Stop::Playouts);
                alone.advance(&GAME, &limits(last, 1, &never));
                assert_eq!(found(&*search), found(&*alone));
                assert_eq!(search.progress(), alone.progress());
            }
        }
    });
}

#[test]
fn nothing_is_lost_wherever_the_flag_is_raised() {
    check(|| {
        for ((mut search, mut resumed), mut alone) in searches().zip(searches()).zip(searches()) {
            let (flag, never) = (AtomicBool::new(false), AtomicBool::new(false));
            thread::scope(|scope| {
                scope.spawn(|| flag.store(true, Ordering::Relaxed));
                let stop = search.advance(&GAME, &limits(20, 2, &flag));
                assert!(matches!(stop, Stop::Cancelled | Stop::Playouts));
            });
            resumed.restore(&GAME, &search.save()).unwrap();
            assert_eq!(resumed.playouts(), search.playouts());
            resumed.advance(&GAME, &limits(20, 2, &never));
            alone.advance(&GAME, &limits(20, 1, &never));
            assert_eq!(found(&*resumed), found(&*alone));
        }
    });
}

/// The first job that reaches the target stops the others, as in a run with several jobs.
#[test]
fn jobs_that_another_job_has_stopped_go_on_as_if_nothing_had_been() {
    check(|| {
        let (flag, never) = (AtomicBool::new(false), AtomicBool::new(false));
        let aimed = Limits { target: 3.0, ..limits(u64::MAX, 2, &flag) };
        let mut jobs: Vec<_> = searches().collect();
        thread::scope(|scope| {
            for job in &mut jobs {
                scope.spawn(|| match job.advance(&GAME, &aimed) {
                    Stop::Target => flag.store(true, Ordering::Relaxed),
                    stop => assert_eq!(stop, Stop::Cancelled),
                });
            }
        });
        assert!(jobs.iter().any(|job| job.best().0 >= aimed.target));
        for (job, mut alone) in jobs.iter_mut().zip(searches()) {
            let last = job.playouts() + 3;
            job.advance(&GAME, &limits(last, 2, &never));
            alone.advance(&GAME, &limits(last, 1, &never));
            assert_eq!(found(&**job), found(&*alone));
        }
    });
}
