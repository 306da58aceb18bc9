//! The light replay of a tour: no list of the cities that are left.

use nestor_engine::polish::Light;
use nestor_engine::problem::Steer;

use super::{Objective, PENALTY, Tsptw, later};

/// What the guide adds for each unit of time by which a window is missed.
const MISSED: f64 = 100.0;

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

impl Light<Tsptw> for Leg {
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

    fn last(&self, _problem: &Tsptw, item: u32) -> u16 {
        item as u16
    }
}
