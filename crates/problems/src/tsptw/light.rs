//! The light replay of a tour: no list of the cities that are left.

use nestor_engine::polish::Light;
use nestor_engine::problem::Steer;

use super::{Nodes, Objective, PENALTY, Tsptw, later};

/// What the guide adds for each unit of time by which a window is missed.
const MISSED: f64 = 100.0;

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
        let distance = problem.nodes.row(self.current.into())[usize::from(rest.first)];
        let (cost, arrival) = (self.cost + distance + rest.cost, self.warped + distance);
        let penalty = match by {
            Steer::Guide => MISSED * (self.warp + rest.warp + (arrival - rest.latest).max(0.0)),
            Steer::Score => PENALTY * f64::from(self.late),
        };
        ROUNDING * (cost + penalty + MISSED * (arrival + rest.span)) - (cost + penalty)
    }

    fn last(&self, _problem: &Tsptw, item: u32) -> u16 {
        item as u16
    }
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
}
