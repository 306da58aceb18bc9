//! The light replay of a tour: no list of the cities that are left.

use nestor_engine::polish::Light;
use nestor_engine::problem::Steer;
use nestor_engine::random::Random;

use super::ejection::ejected;
use super::{Nodes, Objective, PENALTY, Tsptw, later};

/// What the guide adds for each unit of time by which a window is missed. A greater weight freezes a
/// tour in which some windows are missed.
const MISSED: f64 = 10.0;

/// More than what rounding makes of the sums of a tour, by the greatest of them.
const ROUNDING: f64 = 1e-9;

/// Where a tour is, by the rules and with time warps: who is late goes back to the time at which the
/// window closed, so that one window that is missed does not spoil the others.
#[derive(Clone)]
pub(super) struct Leg {
    current: u16,
    late: u32,
    time: f64,
    cost: f64,
    /// The time after all warps, and their sum.
    warped: f64,
    warp: f64,
}

impl Leg {
    /// Goes to a node and returns the time of arrival, by the rules and with warps.
    #[inline(always)]
    fn go(&mut self, problem: &Tsptw, node: u16) -> (f64, f64) {
        let (nodes, j) = (&problem.nodes, usize::from(node));
        let distance = nodes.row(self.current.into())[j];
        let (arrival, warped) = (self.time + distance, self.warped + distance);
        let latest = nodes.latest[j];
        self.cost += distance;
        self.late += u32::from(arrival > latest);
        self.time = later(arrival, nodes.earliest[j]);
        if warped > latest {
            self.warp += warped - latest;
            self.warped = latest;
        } else {
            self.warped = later(warped, nodes.earliest[j]);
        }
        self.current = node;
        (arrival, warped)
    }

    /// The cost of the tour that goes on with a rest, and its warps.
    #[inline(always)]
    fn with_rest(&self, problem: &Tsptw, rest: &Rest) -> (f64, f64) {
        let distance = problem.nodes.row(self.current.into())[usize::from(rest.first)];
        let arrival = self.warped + distance;
        let warp = self.warp + rest.warp + (arrival - rest.latest).max(0.0);
        (self.cost + distance + rest.cost, warp)
    }
}

/// The rest of a tour, up to the depot. Who arrives at its first node by `latest` warps `warp`, and
/// who arrives later by as much more.
#[derive(Clone)]
pub(super) struct Rest {
    first: u16,
    cost: f64,
    warp: f64,
    latest: f64,
    /// No time after its first node is later than the arrival there and this.
    span: f64,
}

impl Light<Tsptw> for Leg {
    type Rest = Rest;

    fn has(problem: &Tsptw, item: u32) -> bool {
        (1..u32::from(problem.nodes.count)).contains(&item)
    }

    fn start(problem: &Tsptw) -> Self {
        let time = problem.nodes.earliest[0];
        Leg { current: 0, late: 0, time, cost: 0.0, warped: time, warp: 0.0 }
    }

    /// The cities that are not late if the others are left out, in their order. Then each of the
    /// others comes to its best place by the guide.
    fn mended(problem: &Tsptw, order: Vec<u32>) -> Vec<u32> {
        let mut leg = Leg::start(problem);
        let (mut kept, mut late) = (Vec::with_capacity(order.len()), Vec::new());
        for city in order {
            let mut next = leg.clone();
            next.step(problem, city);
            if next.late > 0 {
                late.push(city);
            } else {
                kept.push(city);
                leg = next;
            }
        }
        for city in late {
            kept.insert(best_place(problem, &kept, city), city);
        }
        kept
    }

    fn rescued(problem: &Tsptw, order: &[u32], random: &mut Random) -> Option<Vec<u32>> {
        Some(ejected(&problem.nodes, order, random))
    }

    #[inline(always)]
    fn step(&mut self, problem: &Tsptw, item: u32) {
        self.go(problem, item as u16);
    }

    #[inline(always)]
    fn value(&self, problem: &Tsptw, by: Steer) -> f64 {
        let mut leg = self.clone();
        let (arrival, warped) = leg.go(problem, 0);
        let objective = |arrival| match problem.objective {
            Objective::Cost => leg.cost,
            Objective::Makespan => arrival,
        };
        match by {
            Steer::Guide => -(objective(warped) + MISSED * leg.warp),
            Steer::Score => -(objective(arrival) + PENALTY * f64::from(leg.late)),
        }
    }

    #[inline(always)]
    fn bound(&self, problem: &Tsptw, by: Steer) -> f64 {
        match (problem.objective, by) {
            (Objective::Makespan, _) => f64::INFINITY,
            (Objective::Cost, Steer::Guide) => -(self.cost + MISSED * self.warp),
            (Objective::Cost, Steer::Score) => -(self.cost + PENALTY * f64::from(self.late)),
        }
    }

    fn end(problem: &Tsptw) -> Option<Rest> {
        let Nodes { earliest, latest, .. } = &problem.nodes;
        Some(Rest { first: 0, cost: 0.0, warp: 0.0, latest: latest[0], span: earliest[0] })
    }

    #[inline(always)]
    fn before(problem: &Tsptw, item: u32, rest: &mut Rest) {
        let (nodes, i) = (&problem.nodes, item as usize);
        let distance = nodes.row(i)[usize::from(rest.first)];
        let (earliest, latest) = (nodes.earliest[i], nodes.latest[i]);
        // Who leaves later than that warps more in the rest.
        let leave = rest.latest - distance;
        *rest = Rest {
            first: item as u16,
            cost: distance + rest.cost,
            warp: rest.warp + (earliest - leave).max(0.0),
            latest: leave.min(latest).max(earliest),
            span: distance + rest.span.max(earliest),
        };
    }

    #[inline(always)]
    fn joined(&self, problem: &Tsptw, rest: &Rest, by: Steer) -> f64 {
        if problem.objective == Objective::Makespan {
            return f64::INFINITY;
        }
        let (cost, warp) = self.with_rest(problem, rest);
        let penalty = match by {
            Steer::Guide => MISSED * warp,
            Steer::Score => PENALTY * f64::from(self.late),
        };
        let arrival = self.warped + problem.nodes.row(self.current.into())[usize::from(rest.first)];
        ROUNDING * (cost + penalty + MISSED * (arrival + rest.span)) - (cost + penalty)
    }

    fn moves(_problem: &Tsptw, order: &[u32], moves: &mut Vec<u16>) {
        moves.clear();
        moves.extend(order.iter().map(|&item| item as u16));
    }
}

/// The first of the places of an order at which a city makes the least of cost and warps.
fn best_place(problem: &Tsptw, order: &[u32], city: u32) -> usize {
    let mut rests: Vec<Rest> = Leg::end(problem).into_iter().collect();
    for (count, &item) in order.iter().rev().enumerate() {
        rests.push(rests[count].clone());
        Leg::before(problem, item, &mut rests[count + 1]);
    }
    let (mut leg, mut best) = (Leg::start(problem), (f64::INFINITY, 0));
    for (place, rest) in rests.iter().rev().enumerate() {
        let mut with = leg.clone();
        with.step(problem, city);
        let (cost, warp) = with.with_rest(problem, rest);
        let value = cost + MISSED * warp;
        if value < best.0 {
            best = (value, place);
        }
        if let Some(&next) = order.get(place) {
            leg.step(problem, next);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use nestor_engine::random::{Key, Random};

    use super::*;
    use crate::tsptw::tests::{problem, random_instance};

    #[test]
    fn a_rest_bounds_what_it_adds_and_little_more() {
        let mut random = Random::new(Key(9));
        let (mut warped, mut late) = (0, 0);
        for _ in 0..2000 {
            let problem = problem(random_instance(&mut random));
            let mut order: Vec<u32> = (1..u32::from(problem.nodes.count)).collect();
            (1..order.len()).for_each(|last| order.swap(last, random.below(last + 1)));
            let mut rests = vec![Leg::end(&problem).unwrap()];
            for &item in order.iter().rev() {
                rests.push(rests[rests.len() - 1].clone());
                Leg::before(&problem, item, rests.last_mut().unwrap());
            }
            let mut legs = vec![Leg::start(&problem)];
            for &item in &order {
                let mut leg = legs[legs.len() - 1].clone();
                leg.step(&problem, item);
                legs.push(leg);
            }
            let last = &legs[order.len()];
            for (leg, rest) in legs.iter().zip(rests.iter().rev()).skip(1) {
                let guide = last.value(&problem, Steer::Guide);
                let joined = leg.joined(&problem, rest, Steer::Guide);
                assert!(joined >= guide && joined - guide <= 1e-3, "{joined} {guide}");
                let score = last.value(&problem, Steer::Score);
                assert!(leg.joined(&problem, rest, Steer::Score) >= score);
                warped += usize::from(rest.warp > 0.0);
                late += usize::from(last.late > 0);
            }
        }
        assert!(warped > 1000 && late > 1000);
    }

    #[test]
    fn what_is_late_comes_back_where_it_costs_least() {
        let mut random = Random::new(Key(4));
        let (mut moved, mut better) = (0, 0);
        for _ in 0..500 {
            let problem = problem(random_instance(&mut random));
            let mut order: Vec<u32> = (1..u32::from(problem.nodes.count)).collect();
            (1..order.len()).for_each(|last| order.swap(last, random.below(last + 1)));
            let guide = |order: &[u32]| {
                let mut leg = Leg::start(&problem);
                order.iter().for_each(|&item| leg.step(&problem, item));
                leg.value(&problem, Steer::Guide)
            };
            let mended = Leg::mended(&problem, order.clone());
            moved += usize::from(mended != order);
            better += usize::from(guide(&mended) > guide(&order));
            // The best place is the best of all.
            let (first, rest) = (mended[0], &mended[1..]);
            let with = |place: usize| [&rest[..place], &[first], &rest[place..]].concat();
            let best = (0..=rest.len()).map(|place| guide(&with(place))).fold(f64::MIN, f64::max);
            if problem.objective == Objective::Cost {
                let found = guide(&with(best_place(&problem, rest, first)));
                assert!((found - best).abs() < 1e-3, "{found} {best}");
            }
            let mut items = mended;
            items.sort_unstable();
            order.sort_unstable();
            assert_eq!(items, order);
        }
        assert!(better > moved / 2 && moved > 100, "{better} {moved}");
    }
}
