//! The travelling salesman problem with time windows (beam-nrpa-2012, section 2.1; gnrpa-2020,
//! section 6.2).
//!
//! A tour leaves node 0, the depot, at the depot's earliest time, visits every other node (a city)
//! once, and returns. If it arrives before a window opens, it waits. If it arrives after the window
//! has closed, it is late. That is allowed, and counted at most once per node. The window of the
//! depot holds for the return.
//!
//! Arithmetic, in this order and in double precision, so that other implementations can agree to
//! the last bit:
//!
//! ```text
//! cost = 0, time = earliest[0]
//! for each leg (i, j) of the tour, including the one back to the depot:
//!     arrival = time + (d[i][j] + service[i]);  cost = cost + d[i][j]
//!     late if arrival > latest[j]
//!     time = earliest[j] if arrival < earliest[j], else arrival
//! makespan = arrival of the last leg
//! score = -(objective + 1e6 * late nodes)
//! ```
//!
//! The order of the moves is that of a list of the unvisited cities, 1 to n-1 at first. When a city
//! is visited, the last city of the list takes its place. Selective moves keep this order.

mod bias;
pub mod day;
mod legs;
mod near;
mod ruin;
mod selection;
mod strings;
mod tour;

use std::sync::{Arc, OnceLock};

use nestor_engine::improve::Improver;
use nestor_engine::improve::ruin::Ruin;
use nestor_engine::problem::{Bias, Listed, Moves, Offers, Problem};
use serde::{Deserialize, Deserializer};
use serde_bytes::ByteBuf;

use crate::exposed::Exposed;
use crate::features::Values::{F64, I64};
use crate::features::{Feature, bytes, of_moves, of_states};
use bias::Timed;
pub use bias::TsptwBias;
use legs::Legs;
use ruin::Tours;
use selection::{Filter, Selection};

/// What each missed window costs.
pub const PENALTY: f64 = 1e6;

/// The largest number of nodes.
pub const MAX_NODES: u16 = 2000;

/// The largest distance, time of service or opening time; no sum comes near an overflow.
pub const MAX_TIME: f64 = 1e15;

/// The latest time of a node without a limit: no tour takes so long.
const NEVER: f64 = 1e19;

/// What is minimised, before penalties.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Objective {
    /// The sum of the distances, including the return; waiting is free.
    Cost,
    /// The time of return to the depot.
    Makespan,
}

/// An instance and its options; node 0 is the depot.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The distances from each node, row by row; those of the diagonal are ignored.
    #[serde(deserialize_with = "distances")]
    pub matrix: Vec<f64>,
    /// How long each node takes, if that is not among the distances.
    pub service: Option<Vec<f64>>,
    /// The earliest and latest time of each node.
    pub windows: Vec<(f64, f64)>,
    /// Whether only the cities worth visiting next are legal; see [`Tsptw::new`].
    pub selective: bool,
    /// What is minimised.
    pub objective: Objective,
    /// What the bias of a move depends on.
    pub bias: TsptwBias,
}

/// The problem of an instance.
#[derive(Clone, Debug)]
pub struct Tsptw {
    nodes: Nodes,
    /// Made when a local search asks for them.
    legs: OnceLock<Arc<Legs>>,
    /// Present with selective moves.
    selection: Option<Selection>,
    objective: Objective,
    bias: TsptwBias,
    /// The bias, if it depends on the time.
    timed: Option<Timed>,
    root: State,
}

/// A partial tour.
#[derive(Debug, Default)]
pub struct State {
    current: u16,
    /// When the tour can leave the current node.
    time: f64,
    cost: f64,
    late: u32,
    /// The unvisited cities in the order of the moves.
    unvisited: Vec<u16>,
    /// The place of each city in `unvisited`.
    place: Vec<u16>,
    /// Not used without selective moves.
    filter: Filter,
}

impl Clone for State {
    fn clone(&self) -> Self {
        let (unvisited, place) = (self.unvisited.clone(), self.place.clone());
        Self { unvisited, place, filter: self.filter.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &Self) {
        (self.current, self.time) = (other.current, other.time);
        (self.cost, self.late) = (other.cost, other.late);
        self.unvisited.clone_from(&other.unvisited);
        self.place.clone_from(&other.place);
        self.filter.copy(&other.filter);
    }
}

/// Distances, durations and windows.
#[derive(Clone, Debug)]
struct Nodes {
    count: u16,
    /// What a leg costs, row by row.
    distances: Arc<[f64]>,
    /// What a leg takes, with the service before it; the same as the distances if there is none. The
    /// diagonal is minus infinity: no tour uses it, and no node makes itself late.
    durations: Arc<[f64]>,
    earliest: Vec<f64>,
    latest: Vec<f64>,
}

impl Tsptw {
    /// Makes the problem of an instance. If it is selective, the legal moves are the cities after
    /// which every other city that can be reached in time now can still be reached in time, or all
    /// if there are none. "Reached" means directly, without a stop on the way; the depot does not
    /// count as a city. A city that is too late already does not count either: one window that must
    /// be missed does not spoil the others.
    ///
    /// Let a move leave i at time t and go to j, and let d be the distance with the service at i. Its
    /// bias is between -10 and 0:
    ///
    /// * by distance it is -10 (d - min) / (max - min), over all d off the diagonal (gnrpa-2020,
    ///   section 6.2, with the sign that favours near cities), computed as
    ///   10 * (min - d) / (max - min);
    /// * by waiting it is -10 * (wait / longest), where wait = earliest\[j\] - (t + d), and longest
    ///   is the greatest earliest time of a city less that of the depot;
    /// * by lateness it is -10 * (left / longest), where left is latest\[j\] less the later of t +
    ///   d and earliest\[j\], and longest is the greatest latest time of a city less the depot's
    ///   earliest, those of 1e19 left out: these have no limit, and their bias is -10.
    ///
    /// The last two are 0 if there is no wait or no time left.
    ///
    /// # Errors
    ///
    /// If the instance is wrong; the message says what is wrong.
    pub fn new(instance: Instance) -> Result<Self, String> {
        let Instance { matrix, service, windows, selective, objective, bias } = instance;
        let nodes = Nodes::new(matrix, service, windows)?;
        Ok(Tsptw::of(nodes, selective, objective, bias))
    }

    fn of(nodes: Nodes, selective: bool, objective: Objective, bias: TsptwBias) -> Self {
        let selection = selective.then(|| Selection::new(&nodes));
        let cities = 1..nodes.count;
        let root = State {
            unvisited: cities.clone().collect(),
            place: std::iter::once(0).chain(cities.map(|city| city - 1)).collect(),
            filter: selection.as_ref().map(|s| s.filter(&nodes)).unwrap_or_default(),
            time: nodes.earliest[0],
            ..State::default()
        };
        let timed = Timed::new(bias, &nodes);
        Tsptw { nodes, legs: OnceLock::new(), selection, objective, bias, timed, root }
    }
}

impl Exposed for Tsptw {
    fn features(&self, listed: &[Listed<'_, Self>]) -> Vec<Feature> {
        let arrival = |state: &State, city| state.time + self.nodes.leg(state.current, city).1;
        let earliest = |city| self.nodes.earliest[usize::from(city)];
        let latest = |city| self.nodes.latest[usize::from(city)];
        let unvisited = |state: &State, row: &mut [u8]| {
            state.unvisited.iter().for_each(|&city| row[usize::from(city)] = 1);
        };
        vec![
            of_states("last", listed, I64, |state| state.current.into()),
            of_states("time", listed, F64, |state| state.time),
            of_states("cost", listed, F64, |state| state.cost),
            of_states("late", listed, I64, |state| state.late.into()),
            bytes("unvisited", listed, &[self.nodes.len()], unvisited),
            of_moves("city", listed, I64, |_, city| city.into()),
            of_moves("distance", listed, F64, |state, city| self.nodes.leg(state.current, city).0),
            of_moves("travel", listed, F64, |state, city| self.nodes.leg(state.current, city).1),
            of_moves("wait", listed, F64, |state, city| {
                later(earliest(city) - arrival(state, city), 0.0)
            }),
            of_moves("slack", listed, F64, |state, city| {
                latest(city) - later(arrival(state, city), earliest(city))
            }),
        ]
    }
}

impl Problem for Tsptw {
    type State = State;
    /// The city to go to.
    type Move = u16;
    /// The leg: n * from + to.
    type Code = u32;

    fn code_count(&self) -> usize {
        self.nodes.distances.len()
    }

    fn bias(&self) -> Bias {
        self.bias.source(&self.nodes)
    }

    fn initial(&self) -> State {
        self.root.clone()
    }

    fn reset(&self, state: &mut State) {
        state.clone_from(&self.root);
    }

    #[inline]
    fn moves(&self, state: &mut State, out: &mut Moves<'_, Self>) {
        let first = out.count();
        let State { current, time, unvisited, filter, .. } = state;
        let cities = match &self.selection {
            Some(selection) => selection.select(&self.nodes, filter, *current, *time, unvisited),
            None => unvisited,
        };
        let base = u32::from(self.nodes.count) * u32::from(*current);
        out.extend(cities.iter().copied(), cities.iter().map(|&city| base + u32::from(city)));
        if self.timed.is_some() {
            self.push_biases(state, out, first);
        }
    }

    fn push_biases(&self, state: &mut State, out: &mut Moves<'_, Self>, first: usize) {
        if let Some(timed) = self.timed {
            let from = (state.current, state.time);
            out.push_biases(first, |city| timed.beta(&self.nodes, from, city));
        }
    }

    #[inline]
    fn play(&self, state: &mut State, city: u16) {
        state.go(&self.nodes, city);
        state.remove(city);
        if let Some(selection) = &self.selection {
            selection.visit(&self.nodes, &mut state.filter, city.into());
        }
    }

    fn score(&self, state: &State) -> f64 {
        let (distance, duration) = self.nodes.leg(state.current, 0);
        let arrival = state.time + duration;
        let objective = match self.objective {
            Objective::Cost => state.cost + distance,
            Objective::Makespan => arrival,
        };
        let late = state.late + u32::from(arrival > self.nodes.latest[0]);
        -(objective + PENALTY * f64::from(late))
    }

    fn unlisted(&self, state: &State, city: u16) -> Option<u16> {
        let place = usize::from(*state.place.get(usize::from(city))?);
        state.unvisited.get(place).copied().filter(|&unvisited| unvisited == city)
    }
}

impl Offers for Tsptw {
    fn improver(&self) -> Option<Box<dyn Improver<Self>>> {
        Some(Box::new(Ruin::new(Tours::new(self, true))))
    }
}

impl State {
    /// Goes to a city; the lists stay as they are.
    #[inline(always)]
    fn go(&mut self, nodes: &Nodes, city: u16) {
        let (distance, duration) = nodes.leg(self.current, city);
        let arrival = self.time + duration;
        self.cost += distance;
        self.late += u32::from(arrival > nodes.latest[usize::from(city)]);
        self.time = later(arrival, nodes.earliest[usize::from(city)]);
        self.current = city;
    }

    /// Takes a city out of the list; the last one takes its place.
    #[inline]
    fn remove(&mut self, city: u16) {
        let place = self.place[usize::from(city)];
        self.unvisited.swap_remove(usize::from(place));
        if let Some(&moved) = self.unvisited.get(usize::from(place)) {
            self.place[usize::from(moved)] = place;
        }
    }
}

impl Nodes {
    fn new(
        matrix: Vec<f64>,
        service: Option<Vec<f64>>,
        windows: Vec<(f64, f64)>,
    ) -> Result<Self, String> {
        let n = windows.len();
        let count = u16::try_from(n)
            .ok()
            .filter(|count| (2..=MAX_NODES).contains(count))
            .ok_or_else(|| format!("an instance has 2 to {MAX_NODES} nodes, not {n}"))?;
        if matrix.len() != n * n {
            return Err(format!("{n} nodes need {n} rows of {n} distances"));
        }
        let mut distances = matrix;
        check_distances(n, &distances)?;
        check_windows(&windows)?;
        for node in 0..n {
            distances[node * n + node] = f64::NEG_INFINITY;
        }
        let distances: Arc<[f64]> = distances.into();
        let durations = match service {
            None => distances.clone(),
            Some(service) => {
                check_service(n, &service)?;
                distances.iter().zip(0..).map(|(d, leg)| d + service[leg / n]).collect()
            }
        };
        let (earliest, latest) = windows.into_iter().unzip();
        Ok(Nodes { count, distances, durations, earliest, latest })
    }

    fn len(&self) -> usize {
        self.count.into()
    }

    /// What a leg costs and what it takes.
    #[inline(always)]
    fn leg(&self, from: u16, to: u16) -> (f64, f64) {
        let leg = self.len() * usize::from(from) + usize::from(to);
        (self.distances[leg], self.durations[leg])
    }

    /// What the legs from a node take.
    #[inline]
    fn row(&self, node: usize) -> &[f64] {
        let n = self.len();
        &self.durations[node * n..][..n]
    }

    /// What the legs to a node take.
    fn column(&self, node: usize) -> impl Iterator<Item = f64> {
        self.durations.iter().copied().skip(node).step_by(self.len())
    }
}

/// Reads numbers from their bytes: a list of millions would take seconds.
fn distances<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
    let bytes = ByteBuf::deserialize(from)?;
    Ok(bytes.as_chunks().0.iter().map(|&number| f64::from_ne_bytes(number)).collect())
}

fn check_distances(n: usize, matrix: &[f64]) -> Result<(), String> {
    for (index, distance) in matrix.iter().enumerate() {
        let (from, to) = (index / n, index % n);
        if from != to && !(0.0..=MAX_TIME).contains(distance) {
            return Err(format!(
                "the distance from node {from} to node {to} must be 0 to {MAX_TIME:e}, \
                 not {distance}"
            ));
        }
    }
    Ok(())
}

fn check_service(n: usize, service: &[f64]) -> Result<(), String> {
    if service.len() != n {
        return Err(format!("{n} nodes need {n} times of service, not {}", service.len()));
    }
    match service.iter().position(|time| !(0.0..=MAX_TIME).contains(time)) {
        None => Ok(()),
        Some(node) => Err(format!(
            "the service of node {node} must take 0 to {MAX_TIME:e}, not {}",
            service[node]
        )),
    }
}

fn check_windows(windows: &[(f64, f64)]) -> Result<(), String> {
    for (node, &(earliest, latest)) in windows.iter().enumerate() {
        let opens = (-MAX_TIME..=MAX_TIME).contains(&earliest);
        if !(opens && earliest <= latest && latest.is_finite()) {
            return Err(format!(
                "the window of node {node} must be two finite times, earliest <= latest and \
                 earliest from -{MAX_TIME:e} to {MAX_TIME:e}, not {earliest} to {latest}"
            ));
        }
    }
    Ok(())
}

/// The later of two times.
#[inline]
fn later(a: f64, b: f64) -> f64 {
    if a < b { b } else { a }
}

#[cfg(test)]
mod tests;
