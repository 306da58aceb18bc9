use nestor_engine::random::{Key, Random};

use super::*;
use crate::exposed::listed;

/// Four cities on a line at 1, 2, 3 and 4 from the depot, all open.
fn line() -> Instance {
    let row = |i: i32| (0..5).map(|j| f64::from((i - j).abs())).collect();
    instance((0..5).map(row).collect(), vec![(0.0, 100.0); 5])
}

fn instance(matrix: Vec<Vec<f64>>, windows: Vec<(f64, f64)>) -> Instance {
    let (objective, bias) = (Objective::Cost, TsptwBias::None);
    Instance { matrix, windows, selective: false, objective, bias }
}

fn problem(instance: Instance) -> Tsptw {
    Tsptw::new(instance).unwrap()
}

fn random_instance(random: &mut Random) -> Instance {
    let n = 2 + (random.uniform() * 12.0) as usize;
    let row = |_| (0..n).map(|_| (random.uniform() * 40.0).floor() / 4.0).collect();
    let matrix = (0..n).map(row).collect();
    let width = random.uniform() * 80.0;
    let window = |_| {
        let earliest = (random.uniform() * 60.0).floor() / 4.0;
        (earliest, earliest + (random.uniform() * width).floor() / 4.0)
    };
    instance(matrix, (0..n).map(window).collect())
}

fn legal(problem: &Tsptw, state: &mut State) -> (Vec<u16>, Vec<u32>) {
    let (moves, codes, biases) = listed(problem, state);
    assert!(biases.is_empty());
    (moves, codes)
}

fn score(problem: &Tsptw, tour: &[u16]) -> f64 {
    let mut state = problem.initial();
    for &city in tour {
        problem.play(&mut state, city);
    }
    problem.score(&state)
}

/// The rule of selection, taken literally, in quadratic time.
fn selection_as_worded(problem: &Tsptw, state: &State) -> Vec<u16> {
    let cities = &state.unvisited;
    let too_late = |from: usize, time: f64, to: u16| {
        time + problem.nodes.row(from)[usize::from(to)] > problem.nodes.latest[usize::from(to)]
    };
    let in_time = |&&city: &&u16| !too_late(state.current.into(), state.time, city);
    let reachable: Vec<_> = cities.iter().filter(in_time).collect();
    let harmless = |&city: &u16| {
        let arrival = state.time + problem.nodes.row(state.current.into())[usize::from(city)];
        let departure = arrival.max(problem.nodes.earliest[usize::from(city)]);
        !reachable.iter().any(|&&other| other != city && too_late(city.into(), departure, other))
    };
    let kept: Vec<_> = cities.iter().copied().filter(harmless).collect();
    if kept.is_empty() { cities.clone() } else { kept }
}

#[test]
fn a_tour_costs_the_sum_of_its_legs_and_waiting_is_free() {
    let mut line = line();
    assert_eq!(score(&problem(line.clone()), &[1, 2, 3, 4]), -8.0);
    assert_eq!(score(&problem(line.clone()), &[2, 1, 3, 4]), -10.0);
    line.windows[1] = (50.0, 60.0);
    assert_eq!(score(&problem(line.clone()), &[1, 2, 3, 4]), -8.0);
    let time = problem(Instance { objective: Objective::Makespan, ..line });
    assert_eq!(score(&time, &[1, 2, 3, 4]), -57.0);
    assert_eq!(score(&time, &[2, 3, 4, 1]), -51.0);
}

#[test]
fn the_clock_starts_when_the_depot_opens() {
    let mut line = Instance { objective: Objective::Makespan, ..line() };
    line.windows[0] = (20.0, 100.0);
    assert_eq!(score(&problem(line), &[1, 2, 3, 4]), -28.0);
}

#[test]
fn arriving_at_the_deadline_is_in_time_and_each_node_counts_once() {
    let mut line = line();
    line.windows[4].1 = 4.0;
    line.windows[0].1 = 8.0;
    let problem = problem(line);
    assert_eq!(score(&problem, &[1, 2, 3, 4]), -8.0);
    assert_eq!(score(&problem, &[4, 3, 2, 1]), -8.0);
    // Node 4 is reached at 6, the depot at 10.
    assert_eq!(score(&problem, &[2, 1, 3, 4]), -(10.0 + 2.0 * PENALTY));
}

#[test]
fn a_visited_city_is_replaced_by_the_last_and_codes_are_legs() {
    let problem = problem(line());
    let mut state = problem.initial();
    assert_eq!(legal(&problem, &mut state), (vec![1, 2, 3, 4], vec![1, 2, 3, 4]));
    problem.play(&mut state, 2);
    assert_eq!(legal(&problem, &mut state), (vec![1, 4, 3], vec![11, 14, 13]));
    problem.play(&mut state, 3);
    assert_eq!(legal(&problem, &mut state), (vec![1, 4], vec![16, 19]));
    problem.play(&mut state, 1);
    problem.play(&mut state, 4);
    assert_eq!(legal(&problem, &mut state), (vec![], vec![]));
    assert_eq!(problem.code_count(), 25);
}

#[test]
fn selection_gives_up_cities_that_are_late_already() {
    let mut line = Instance { selective: true, ..line() };
    // From the depot no city is late yet; going to 4 would make 3 late.
    line.windows[3].1 = 3.0;
    line.windows[4].1 = 4.0;
    let problem = problem(line);
    let mut state = problem.initial();
    assert_eq!(legal(&problem, &mut state).0, [1, 2, 3]);
    // After a detour to 2 and back to 1 both deadlines are lost.
    problem.play(&mut state, 2);
    assert_eq!(legal(&problem, &mut state).0, [3]);
    problem.play(&mut state, 1);
    assert_eq!(legal(&problem, &mut state).0, [3, 4]);
}

#[test]
fn selection_gives_all_cities_when_none_is_harmless() {
    let mut line = Instance { selective: true, ..line() };
    // 2 and 3 can each be reached in time, yet whichever comes first makes the other late.
    line.windows[2] = (2.0, 2.0);
    line.windows[3] = (2.0, 3.0);
    line.windows[1] = (0.0, 1.0);
    line.windows[4] = (0.0, 4.0);
    let problem = problem(line.clone());
    let mut state = problem.initial();
    assert_eq!(legal(&problem, &mut state).0, [1]);
    problem.play(&mut state, 1);
    assert_eq!(legal(&problem, &mut state).0, [2]);
    line.windows = vec![(0.0, 100.0); 5];
    line.windows[1] = (0.0, 1.0);
    line.windows[3] = (0.0, 3.0);
    line.windows[4] = (4.0, 4.0);
    line.windows[2] = (5.0, 5.0);
    let problem = self::problem(line);
    let mut state = problem.initial();
    problem.play(&mut state, 1);
    problem.play(&mut state, 3);
    assert_eq!(legal(&problem, &mut state).0, [4, 2]);
}

#[test]
fn selection_equals_its_wording_on_random_instances() {
    let mut random = Random::new(Key(5));
    let (mut filtered, mut late) = (0, 0);
    for _ in 0..3000 {
        let problem = problem(Instance { selective: true, ..random_instance(&mut random) });
        let mut state = problem.initial();
        loop {
            let expected = selection_as_worded(&problem, &state);
            let (moves, codes) = legal(&problem, &mut state);
            assert_eq!(moves, expected);
            filtered += u32::from(moves.len() < state.unvisited.len());
            late += state.late;
            let base = u32::from(problem.nodes.count) * u32::from(state.current);
            assert!(codes.iter().zip(&moves).all(|(&code, &city)| code == base + u32::from(city)));
            if moves.is_empty() {
                break;
            }
            problem.play(&mut state, moves[(random.uniform() * moves.len() as f64) as usize]);
        }
    }
    assert!(filtered > 1000 && late > 1000);
}

#[test]
fn reset_gives_the_root_back() {
    let mut random = Random::new(Key(1));
    for selective in [false, true] {
        let problem = problem(Instance { selective, ..random_instance(&mut random) });
        let mut state = problem.initial();
        let first = legal(&problem, &mut state);
        while let Some(&city) = legal(&problem, &mut state).0.last() {
            problem.play(&mut state, city);
        }
        problem.reset(&mut state);
        assert_eq!(legal(&problem, &mut state), first);
        assert_eq!((state.current, state.cost, state.late), (0, 0.0, 0));
    }
}

#[test]
fn bias_favours_near_cities() {
    let bias_of = |bias| problem(Instance { bias, ..line() }).bias();
    assert_eq!(bias_of(TsptwBias::None), Bias::None);
    let Bias::PerCode(betas) = bias_of(TsptwBias::Distance) else { panic!("one bias per code") };
    assert_eq!(betas.len(), 25);
    assert_eq!((betas[1], betas[4], betas[5]), (0.0, -10.0, 0.0));
    assert_eq!(betas[2], -10.0 / 3.0);
    let equal = instance(vec![vec![7.0; 2]; 2], vec![(0.0, 9.0); 2]);
    let equal = problem(Instance { bias: TsptwBias::Distance, ..equal });
    assert_eq!(equal.bias(), Bias::PerCode(vec![0.0; 4]));
}

#[test]
fn biases_by_time_say_how_long_there_is_to_wait_and_how_much_is_left() {
    let windows = vec![(2.0, 90.0), (0.0, 5.0), (10.0, 10.0), (4.0, 42.0), (0.0, 2.0)];
    let betas = |bias| {
        let problem = problem(Instance { bias, windows: windows.clone(), ..line() });
        assert_eq!(problem.bias(), Bias::PerMove);
        let (mut moves, mut codes, mut biases) = (Vec::new(), Vec::new(), Vec::new());
        let mut out = Moves::new(&mut moves, &mut codes, &mut biases);
        let mut state = problem.initial();
        problem.moves(&mut state, &mut out);
        // Only the biases of the last two moves, again.
        problem.push_biases(&mut state, &mut out, 2);
        assert_eq!(moves, [1, 2, 3, 4]);
        assert_eq!(biases[4..], biases[2..4]);
        biases.truncate(4);
        biases
    };
    // A tour that leaves at 2 arrives at 3, 4, 5 and 6; the last city opens at 10 and closes at 42.
    assert_eq!(betas(TsptwBias::Waiting), [0.0, -7.5, 0.0, 0.0]);
    assert_eq!(betas(TsptwBias::Lateness), [-0.5, 0.0, -9.25, 0.0]);
    // There is never a wait, and never any time left.
    for bias in [TsptwBias::Waiting, TsptwBias::Lateness] {
        let never = instance(vec![vec![1.0; 2]; 2], vec![(3.0, 3.0), (1.0, 2.0)]);
        let problem = problem(Instance { bias, ..never });
        assert_eq!(listed(&problem, &mut problem.initial()).2, [0.0]);
    }
}

#[test]
fn bad_instances_are_refused_with_a_reason() {
    let refused = |matrix, windows| Tsptw::new(instance(matrix, windows)).unwrap_err();
    let open = (0.0, 10.0);
    let between = |distance| vec![vec![0.0, distance], vec![0.0; 2]];
    assert!(refused(vec![vec![0.0]], vec![open]).contains("2 to 2000 nodes, not 1"));
    assert!(refused(vec![], vec![open; 70_000]).contains("not 70000"));
    assert!(refused(vec![vec![0.0; 2], vec![0.0]], vec![open; 2]).contains("2 distances"));
    assert!(refused(between(0.0), vec![open; 3]).contains("3 rows"));
    for bad in [-1.0, f64::NAN, f64::INFINITY, 1e16] {
        let message = refused(between(bad), vec![open; 2]);
        assert!(message.contains("from node 0 to node 1"), "{message}");
    }
    for bad in [(5.0, 4.0), (-1.0, 4.0), (0.0, f64::INFINITY), (f64::NAN, 1.0), (0.0, f64::NAN)] {
        let message = refused(between(0.0), vec![open, bad]);
        assert!(message.contains("window of node 1"), "{message}");
    }
    let diagonal = vec![vec![f64::NAN, 1.0], vec![1.0, -5.0]];
    assert!(Tsptw::new(instance(diagonal, vec![open; 2])).is_ok());
}
