use nestor_engine::random::{Key, Random};

use super::*;
use crate::exposed::listed;

pub(super) fn instance(matrix: Vec<Vec<f64>>, windows: Vec<(f64, f64)>) -> Instance {
    let (objective, bias) = (Objective::Cost, TsptwBias::None);
    let matrix = matrix.concat();
    Instance { matrix, service: None, windows, selective: false, objective, bias }
}

pub(super) fn problem(instance: Instance) -> Tsptw {
    Tsptw::new(instance).unwrap()
}

pub(super) fn random_instance(random: &mut Random) -> Instance {
    let n = 2 + (random.uniform() * 12.0) as usize;
    let row = |_| (0..n).map(|_| (random.uniform() * 40.0).floor() / 4.0).collect();
    let matrix = (0..n).map(row).collect();
    let width = random.uniform() * 80.0;
    let window = |_| {
        let earliest = (random.uniform() * 60.0).floor() / 4.0;
        (earliest, earliest + (random.uniform() * width).floor() / 4.0)
    };
    let instance = instance(matrix, (0..n).map(window).collect());
    let service = random.below(2) == 0;
    let service = service.then(|| (0..n).map(|_| random.below(40) as f64 / 4.0).collect());
    Instance { service, ..instance }
}

fn legal(problem: &Tsptw, state: &mut State) -> (Vec<u16>, Vec<u32>) {
    let (moves, codes, biases) = listed(problem, state);
    assert!(biases.is_empty());
    (moves, codes)
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
    for bad in [(5.0, 4.0), (-1e16, 4.0), (0.0, f64::INFINITY), (f64::NAN, 1.0), (0.0, f64::NAN)] {
        let message = refused(between(0.0), vec![open, bad]);
        assert!(message.contains("window of node 1"), "{message}");
    }
    for bad in [vec![1.0], vec![0.0, -1.0], vec![0.0, 1e16], vec![0.0, f64::NAN]] {
        let service = Some(bad);
        let instance = Instance { service, ..instance(between(0.0), vec![open; 2]) };
        let message = Tsptw::new(instance).unwrap_err();
        assert!(message.contains("service"), "{message}");
    }
    let diagonal = vec![vec![f64::NAN, 1.0], vec![1.0, -5.0]];
    assert!(Tsptw::new(instance(diagonal, vec![open; 2])).is_ok());
}
