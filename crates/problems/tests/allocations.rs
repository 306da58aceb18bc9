//! After it has warmed up, a search allocates nothing for a playout.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use nestor_engine::Algorithm;
use nestor_engine::beam;
use nestor_engine::biased::Biased;
use nestor_engine::meter::Limits;
use nestor_engine::nmcs;
use nestor_engine::nrpa::settings as nrpa;
use nestor_engine::prior::ByCode;
use nestor_engine::problem::{Bias, Offers};
use nestor_engine::random::Key;
use nestor_problems::{crossword, hash_tree, kakuro, latin_square, morpion, samegame, tsptw};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes on to the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const PLAYOUTS: u64 = 2_000;

/// The allocations of this many playouts of each algorithm, after as many to warm up.
fn allocations<P: Offers + 'static>(problem: &Biased<P>) -> [usize; 3] {
    let levels = vec![nrpa::LevelSettings { iterations: 50, ..Default::default() }; 3];
    let learned = matches!(problem.bias(), Bias::Learned(_));
    let bias_learning = learned.then_some(0.01);
    let beam = beam::LevelSettings { iterations: 50, alpha: 1.0, beam: 3 };
    let nmcs = nmcs::Settings {
        levels: [2, 1].map(|beam| nmcs::LevelSettings { beam }).to_vec(),
        samples: None,
        playout_policy: P::CHOOSES.then(|| "own".to_owned()),
    };
    [
        Algorithm::Nrpa(nrpa::Settings { levels, bias_learning, ..Default::default() }),
        Algorithm::Nmcs(nmcs),
        Algorithm::BeamNrpa(beam::Settings { levels: vec![beam; 2], ..Default::default() }),
    ]
    .map(|algorithm| allocations_of(problem, &algorithm))
}

fn allocations_of<P: Offers + 'static>(problem: &Biased<P>, algorithm: &Algorithm) -> usize {
    let mut search = algorithm.start(problem, Key(1)).unwrap();
    let cancel = AtomicBool::new(false);
    let mut advance = |playouts| {
        let target = f64::INFINITY;
        let limits =
            Limits { playouts, deadline: None, target, restart: true, threads: 1, cancel: &cancel };
        search.advance(problem, &limits);
    };
    advance(PLAYOUTS);
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    advance(2 * PLAYOUTS);
    ALLOCATIONS.load(Ordering::Relaxed) - before
}

// There is one test because the counter is shared.
#[test]
fn warm_playouts_allocate_nothing() {
    let matrix: Vec<f64> = (0..400).map(|k| f64::from(k * 37 % 101)).collect();
    let windows = vec![(0.0, 1000.0); 20];
    let objective = tsptw::Objective::Cost;
    let tour = |bias| {
        let (matrix, windows) = (matrix.clone(), windows.clone());
        let (service, selective) = (None, true);
        let instance = tsptw::Instance { matrix, service, windows, selective, objective, bias };
        Arc::new(tsptw::Tsptw::new(instance).unwrap())
    };
    let late = tour(tsptw::TsptwBias::Lateness);
    let tour = tour(tsptw::TsptwBias::Distance);
    let none = ByCode::default();
    let learning = Biased::learning(tour.clone(), Vec::new(), none.clone(), &[1.0]).unwrap();
    let prior = (0..400).map(|code| (code, code as f64 / 100.0)).collect();
    let several = Biased::learning(late.clone(), vec![tour.clone(), late], prior, &[1.0]).unwrap();
    let tree =
        |spread| hash_tree::HashTree { root: 5, depth: 20, branching: 6, codes: 300, spread };
    let (tree, other) = (Arc::new(tree(1.0)), Arc::new(tree(-3.0)));
    let trees = Biased::learning(tree, vec![other], none, &[1.0, 0.5]).unwrap();
    let row = |row: u32| (10 * row..10 * row + 10).map(|k| (k * k % 7 % 4).to_string()).collect();
    let (board, bias) = ((0..10).map(row).collect(), samegame::SameGameBias::Size);
    let (tabu, shaping) = (samegame::Tabu::Commonest(true), true);
    let game = samegame::Instance { board, tabu, shaping, bias };
    let game = samegame::SameGame::new(game).unwrap();
    let grid = morpion::Instance { variant: morpion::Variant::D5, dominated: true };
    let grid = morpion::Morpion::new(grid);
    let words = ["MERCURY", "VENUS", "EARTH", "MARS", "JUPITER", "SATURN"].map(String::from);
    let crossing = crossword::Instance { size: 12, words: words.to_vec() };
    let crossing = crossword::Crossword::new(crossing).unwrap();
    let mut square = vec![vec![0; 8]; 8];
    (0..8).for_each(|k| square[k][k] = k as u8 + 1);
    let latin = latin_square::Instance { square, hidden_singles: true };
    let latin = latin_square::LatinSquare::new(latin).unwrap();
    let cells = (0..36).map(|cell| (cell / 6, cell % 6)).collect();
    let line = |start: usize, step: usize| kakuro::Run {
        cells: (0..6).map(|k| (start + k * step) as u16).collect(),
        sum: 25,
    };
    let across = (0..6).map(|row| line(6 * row, 1)).collect();
    let down = (0..6).map(|column| line(column, 6)).collect();
    let puzzle = kakuro::Instance { cells, largest: 8, across, down, pruning: true };
    let puzzle = kakuro::Kakuro::new(puzzle).unwrap();
    // Now and then a table grows or an improvement is kept, but far less than once a playout.
    let few = PLAYOUTS as usize / 20;
    for (name, counts) in [
        ("tsptw", allocations(&Biased::new(tour, ByCode::default()))),
        ("tsptw, bias learning", allocations(&learning)),
        ("tsptw, four biases with learned weights", allocations(&several)),
        ("tree, two biases that are listed", allocations(&trees)),
        ("samegame", allocations(&game.into())),
        ("morpion", allocations(&grid.into())),
        ("crossword", allocations(&crossing.into())),
        ("latin square", allocations(&latin.into())),
        ("kakuro", allocations(&puzzle.into())),
    ] {
        let most = counts.into_iter().max().unwrap();
        assert!(most < few, "{name}: {counts:?} allocations in {PLAYOUTS} playouts");
    }
}
