//! A tour as people have it: the problem of [`super::Tsptw`] with what a day asks for besides.
//!
//! Without any of it the rules are those of `Tsptw`, to the last bit. What may be asked for:
//!
//! * Lateness counts by its length, and not only how often.
//! * Stops close in between; a tour that comes then waits.
//! * Legs without a way: a distance of infinity. They are there to be avoided: each costs more than any
//!   lateness, and counts as far as the farthest.
//! * A beginning that is fixed, and when the tour leaves its last stop.
//! * Stops that may be left out, for what that costs, and stops that come after others.
//! * A price for each stop that does not come after the one before it in an earlier tour.
//!
//! Arithmetic, in this order and in double precision:
//!
//! ```text
//! as in `Tsptw`, but
//!     late = late + (1 or arrival - latest[j]) if arrival > latest[j]
//!     time = the end of the pause of j that arrival is in, if there is one
//!     time = now at the last stop of the fixed beginning, whose service is over then; it arrives there
//!         before that
//! objective = cost, or makespan, or makespan + 1e-6 cost, or (makespan - departure) + 1e-6 cost
//! score = -((((objective + weight late) + change changes) + left) + 1e12 wrong)
//!     wrong = the legs without a way, and the stops that are not in the order that is asked for
//!     left = the sum of what the stops cost that are left out, in the order of their numbers
//! ```
//!
//! For the last of the objectives the tour leaves as late as it can without being later at its end, or
//! later than a window than it is anyway: see [`Day::departure`].

mod rebuild;
mod route;

use nestor_engine::improve::Improver;
use nestor_engine::improve::ruin::Ruin;
use nestor_engine::problem::{Bias, Moves, Offers, Problem};
use serde::Deserialize;

use super::bias::{Timed, TsptwBias};
use super::{Nodes, later};
use crate::exposed::Exposed;
use rebuild::Rebuild;

/// What a leg without a way costs.
const GAP: f64 = 1e12;

/// What a unit of cost counts where the time comes first.
const TIE: f64 = 1e-6;

/// How much earlier a tour leaves if rounding would make it later.
const EARLIER: f64 = 1e-6;

/// No stop before.
const NONE: u16 = u16::MAX;

/// What is minimised, before what else costs.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Objective {
    /// The sum of the distances.
    Cost,
    /// The time of return.
    Makespan,
    /// The time of return, and among equal ones the cost.
    Return,
    /// How long the tour is away, and among equal ones the cost.
    Duration,
}

/// An instance and its options; node 0 is the depot.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The distances from each node, row by row, infinite where there is no way.
    #[serde(deserialize_with = "super::distances")]
    pub matrix: Vec<f64>,
    /// How long each node takes, if that is not among the distances.
    pub service: Option<Vec<f64>>,
    /// When each node opens first, and when it closes at last.
    pub windows: Vec<(f64, f64)>,
    /// When each node is closed in between; nothing if no node is.
    pub pauses: Vec<Vec<(f64, f64)>>,
    /// Whether only the cities worth visiting next are legal.
    pub selective: bool,
    /// What is minimised.
    pub objective: Objective,
    /// What a unit of lateness costs, or a node that is late.
    pub weight: f64,
    /// Whether nodes that are late are counted, however late they are.
    pub counts: bool,
    /// The first stops, in order.
    pub pinned: Vec<u16>,
    /// When the tour leaves the last of them.
    pub now: Option<f64>,
    /// An earlier tour.
    pub previous: Vec<u16>,
    /// What each stop of it costs that does not come after the one before it.
    pub change: f64,
    /// What each node costs that is left out, infinite if it must not be; nothing if none may be.
    pub left_out: Vec<f64>,
    /// Pairs of stops of which the second comes after the first.
    pub after: Vec<(u16, u16)>,
    /// What the bias of a move depends on.
    pub bias: TsptwBias,
}

/// The problem of an instance.
#[derive(Clone, Debug)]
pub struct Day {
    nodes: Nodes,
    pauses: Vec<Vec<(f64, f64)>>,
    /// The legs without a way, row by row; nothing if there is none.
    gaps: Vec<bool>,
    selective: bool,
    objective: Objective,
    weight: f64,
    counts: bool,
    pinned: Vec<u16>,
    now: Option<f64>,
    /// The stop before each one in the earlier tour.
    previous: Vec<u16>,
    change: f64,
    left_out: Vec<f64>,
    /// The stops that come before each one, also by way of others.
    ahead: Vec<Vec<u16>>,
    bias: TsptwBias,
    timed: Option<Timed>,
    root: State,
}

/// A partial tour.
#[derive(Debug, Default)]
pub struct State {
    time: f64,
    /// The stops so far, and 0 at the end if some are left out.
    path: Vec<u16>,
    /// The unvisited cities in the order of the moves.
    unvisited: Vec<u16>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        State { path: self.path.clone(), unvisited: self.unvisited.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &Self) {
        self.time = other.time;
        self.path.clone_from(&other.path);
        self.unvisited.clone_from(&other.unvisited);
    }
}

impl State {
    fn current(&self) -> u16 {
        self.path.last().copied().unwrap_or(0)
    }

    /// Whether the tour has returned before it has visited all.
    fn ended(&self) -> bool {
        self.path.last() == Some(&0)
    }
}

/// What a tour comes to on the way.
#[derive(Clone, Copy, Default)]
struct Sums {
    cost: f64,
    late: f64,
    arrival: f64,
    changes: u32,
    gaps: u32,
}

impl Day {
    /// Makes the problem of an instance.
    ///
    /// If the problem is not selective, all cities are legal. A stop that is not in the order that is asked
    /// for costs as much as a leg without a way. If it is, a city is legal if it comes next in the fixed
    /// beginning; after that, if those that come before it are visited, and if there is a way to it, and on to
    /// another one that is left unless these may be left out; if that leaves none, all are legal that only
    /// the order allows. Of
    /// these, those are legal after which every other city that can be reached in
    /// time now, and must be visited, can still be reached in time; or all if there are none. "Reached"
    /// means directly. If all that are left may be left out, the last move is 0: the tour ends.
    ///
    /// The biases are those of [`super::Tsptw::new`].
    ///
    /// # Errors
    ///
    /// If the instance is wrong; the message says what is wrong.
    pub fn new(instance: Instance) -> Result<Self, String> {
        let Instance { mut matrix, mut service, windows, pauses, .. } = instance;
        let n = windows.len();
        let known = |stop: &u16| (1..n).contains(&usize::from(*stop));
        let pairs = instance.after.iter().flat_map(|&(one, other)| [one, other]);
        let listed = [&instance.pinned[..], &instance.previous].concat();
        if !listed.into_iter().chain(pairs).all(|stop| known(&stop)) {
            return Err(format!("stops are numbers from 1 to {}", n.saturating_sub(1)));
        }
        if ![0, n].contains(&pauses.len()) || ![0, n].contains(&instance.left_out.len()) {
            return Err(format!("{n} nodes need as many lists of pauses and costs"));
        }
        let gaps = fill(n.max(1), &mut matrix);
        let freed = instance.now.and(instance.pinned.last());
        if let (Some(&last), Some(service)) = (freed, service.as_mut()) {
            // Its service is over when the tour leaves it.
            service[usize::from(last)] = 0.0;
        }
        let nodes = Nodes::new(matrix, service, windows)?;
        let mut previous = vec![NONE; n];
        let mut before = 0;
        for &stop in &instance.previous {
            previous[usize::from(stop)] = before;
            before = stop;
        }
        let left_out = match instance.left_out.is_empty() {
            true => vec![f64::INFINITY; n],
            false => instance.left_out,
        };
        let root = State {
            time: nodes.earliest[0],
            path: Vec::new(),
            unvisited: (1..nodes.count).collect(),
        };
        Ok(Day {
            timed: Timed::new(instance.bias, &nodes),
            ahead: ahead(n, &instance.after)?,
            pauses: if pauses.iter().all(Vec::is_empty) { Vec::new() } else { pauses },
            gaps,
            selective: instance.selective,
            objective: instance.objective,
            weight: instance.weight,
            counts: instance.counts,
            pinned: instance.pinned,
            now: instance.now,
            previous,
            change: instance.change,
            left_out,
            bias: instance.bias,
            root,
            nodes,
        })
    }

    /// When service begins, and the tour could go on, if it comes to a node at this time.
    #[inline(always)]
    fn starts(&self, node: u16, arrival: f64) -> f64 {
        let time = later(arrival, self.nodes.earliest[usize::from(node)]);
        match self.pauses.get(usize::from(node)) {
            None => time,
            Some(pauses) => pauses
                .iter()
                .find(|&&(from, to)| time > from && time < to)
                .map_or(time, |&(_, to)| to),
        }
    }

    /// When the tour comes to a node at the latest if service begins by this time: who comes in a pause
    /// waits for its end.
    #[inline(always)]
    fn comes_by(&self, node: u16, limit: f64) -> f64 {
        let pauses = self.pauses.get(usize::from(node)).map_or(&[][..], Vec::as_slice);
        pauses
            .iter()
            .find(|&&(from, to)| limit > from && limit < to)
            .map_or(limit, |&(from, _)| from)
    }

    /// When the tour leaves a node to which it comes at this time, but for the service there.
    #[inline(always)]
    fn leaves(&self, node: u16, arrival: f64) -> f64 {
        match self.now {
            Some(now) if self.pinned.last() == Some(&node) => now,
            _ => self.starts(node, arrival),
        }
    }

    /// When the tour comes to a node, if legs say that it does so at this time: by now it has come to the
    /// last stop of the fixed beginning.
    #[inline(always)]
    fn comes(&self, node: u16, arrival: f64) -> f64 {
        match self.now {
            Some(now) if now < arrival && self.pinned.last() == Some(&node) => now,
            _ => arrival,
        }
    }

    /// How late a node is, as it counts.
    #[inline(always)]
    fn lateness(&self, node: u16, arrival: f64) -> f64 {
        let over = arrival - self.nodes.latest[usize::from(node)];
        match over > 0.0 {
            true if self.counts => 1.0,
            true => over,
            false => 0.0,
        }
    }

    /// Whether there is no way from one node to another.
    #[inline(always)]
    fn gap(&self, from: u16, to: u16) -> bool {
        !self.gaps.is_empty() && self.gaps[self.nodes.len() * usize::from(from) + usize::from(to)]
    }

    /// What a leg costs and takes; nothing from the depot to itself.
    #[inline(always)]
    fn leg(&self, from: u16, to: u16) -> (f64, f64) {
        let (distance, duration) = self.nodes.leg(from, to);
        (later(distance, 0.0), later(duration, 0.0))
    }

    /// Drives the tour that visits these stops and returns, from a time on. `arrive` is told of each
    /// arrival.
    #[inline]
    fn drive(&self, stops: &[u16], start: f64, mut arrive: impl FnMut(f64)) -> Sums {
        let (mut sums, mut here, mut time) = (Sums::default(), 0, start);
        for &node in stops.iter().chain([&0]) {
            let (distance, duration) = self.leg(here, node);
            sums.arrival = self.comes(node, time + duration);
            sums.cost += distance;
            sums.late += self.lateness(node, sums.arrival);
            let before = self.previous[usize::from(node)];
            sums.changes += u32::from(before != NONE && before != here);
            sums.gaps += u32::from(self.gap(here, node));
            arrive(sums.arrival);
            (here, time) = (node, self.leaves(node, sums.arrival));
        }
        sums
    }

    /// When the tour leaves the depot if it goes as late as it can without being later at its end, or
    /// later than a window than it is anyway; and what it comes to then. Where rounding would make it
    /// later, it leaves 1e-6 before that, or when the depot opens. One that is on its way by now has left
    /// when the depot opened.
    fn departure(&self, stops: &[u16]) -> (f64, Sums) {
        let opens = self.nodes.earliest[0];
        let mut arrivals = Vec::with_capacity(stops.len() + 1);
        let sums = self.drive(stops, opens, |arrival| arrivals.push(arrival));
        if self.now.is_some() {
            return (opens, sums);
        }
        let mut limit = sums.arrival;
        let mut after = 0;
        for (&stop, &arrival) in stops.iter().zip(&arrivals).rev() {
            let closes = later(self.nodes.latest[usize::from(stop)], arrival);
            // Rounding must not take it into a pause: service may always begin when it does anyway.
            let begins = later(limit - self.leg(stop, after).1, self.starts(stop, arrival));
            limit = self.comes_by(stop, begins);
            limit = if limit < closes { limit } else { closes };
            after = stop;
        }
        limit -= self.leg(0, after).1;
        for start in [limit, limit - EARLIER] {
            if start > opens {
                let moved = self.drive(stops, start, |_| ());
                if moved.arrival <= sums.arrival && moved.late <= sums.late {
                    return (start, moved);
                }
            }
        }
        (opens, sums)
    }

    /// The score of the tour that visits these stops; 0 is the end of one that leaves others out.
    fn value(&self, path: &[u16]) -> f64 {
        let stops = path.strip_suffix(&[0]).unwrap_or(path);
        let (start, sums) = match self.objective {
            Objective::Duration => self.departure(stops),
            _ => (0.0, self.drive(stops, self.nodes.earliest[0], |_| ())),
        };
        let objective = match self.objective {
            Objective::Cost => sums.cost,
            Objective::Makespan => sums.arrival,
            Objective::Return => sums.arrival + TIE * sums.cost,
            Objective::Duration => (sums.arrival - start) + TIE * sums.cost,
        };
        let left = if stops.len() + 1 == self.nodes.len() { 0.0 } else { self.left(stops) };
        let changes = self.change * f64::from(sums.changes);
        let gaps = GAP * f64::from(sums.gaps + self.broken(stops));
        -((((objective + self.weight * sums.late) + changes) + left) + gaps)
    }

    /// How many stops are not in the order that is asked for.
    fn broken(&self, stops: &[u16]) -> u32 {
        let begins = self.pinned.iter().zip(stops).filter(|(asked, stop)| asked != stop).count();
        let late = |(place, &stop): (usize, &u16)| {
            let ahead = self.ahead.get(usize::from(stop));
            ahead.is_some_and(|ahead| ahead.iter().any(|one| stops[place..].contains(one)))
        };
        let ordered = || stops.iter().enumerate().filter(|&at| late(at)).count();
        let ends = if self.ahead.is_empty() { 0 } else { ordered() };
        (begins + ends) as u32
    }

    /// These stops in the order that is asked for: the fixed ones first, and the others as they come.
    fn ordered(&self, stops: &[u16]) -> Vec<u16> {
        let mut left: Vec<u16> =
            stops.iter().copied().filter(|s| !self.pinned.contains(s)).collect();
        let mut found = self.pinned.clone();
        while !left.is_empty() {
            let ready = |stop: &u16| {
                let ahead = self.ahead.get(usize::from(*stop));
                ahead.is_none_or(|ahead| ahead.iter().all(|one| !left.contains(one)))
            };
            let next = left.iter().position(ready).unwrap_or(0);
            found.push(left.remove(next));
        }
        found
    }

    /// What the stops cost that are left out.
    fn left(&self, stops: &[u16]) -> f64 {
        let mut visited = vec![false; self.nodes.len()];
        stops.iter().for_each(|&stop| visited[usize::from(stop)] = true);
        let left = |&stop: &usize| !visited[stop];
        (1..self.nodes.len()).filter(left).map(|stop| self.left_out[stop]).sum()
    }

    fn optional(&self, stop: u16) -> bool {
        self.left_out[usize::from(stop)].is_finite()
    }

    /// The cities that may come next, but for selection.
    fn allowed(&self, state: &State) -> Vec<u16> {
        let State { path, unvisited, .. } = state;
        if let Some(&next) = self.pinned.get(path.len()) {
            return vec![next];
        }
        let here = state.current();
        let ready = |&city: &u16| {
            self.ahead.is_empty()
                || self.ahead[usize::from(city)].iter().all(|before| path.contains(before))
        };
        let ordered: Vec<u16> = unvisited.iter().copied().filter(ready).collect();
        if self.gaps.is_empty() {
            return ordered;
        }
        let passable = |&city: &u16| {
            let mut others = unvisited.iter().filter(|&&other| other != city);
            let ends = others.clone().all(|&other| self.optional(other));
            !self.gap(here, city) && (ends || others.any(|&other| !self.gap(city, other)))
        };
        let passing: Vec<u16> = ordered.iter().copied().filter(passable).collect();
        if passing.is_empty() { ordered } else { passing }
    }

    /// Those of these cities after which the others can still be reached in time, or all.
    fn selected(&self, state: &State, cities: Vec<u16>) -> Vec<u16> {
        let nodes = &self.nodes;
        let arrival = |from, time, to| time + self.leg(from, to).1;
        let late = |from, time, to: u16| arrival(from, time, to) > nodes.latest[usize::from(to)];
        let (here, time) = (state.current(), state.time);
        let reached = |&city: &u16| !self.optional(city) && !late(here, time, city);
        let reached: Vec<u16> = state.unvisited.iter().copied().filter(reached).collect();
        let harmless = |&city: &u16| {
            let leaves = self.starts(city, arrival(here, time, city));
            !reached.iter().any(|&other| other != city && late(city, leaves, other))
        };
        let harmless: Vec<u16> = cities.iter().copied().filter(harmless).collect();
        if harmless.is_empty() { cities } else { harmless }
    }
}

impl Exposed for Day {}

impl Problem for Day {
    type State = State;
    /// The city to go to, or 0.
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

    fn moves(&self, state: &mut State, out: &mut Moves<'_, Self>) {
        if state.unvisited.is_empty() || state.ended() {
            return;
        }
        let mut cities = match self.selective {
            true => self.selected(state, self.allowed(state)),
            false => state.unvisited.clone(),
        };
        let pinned = state.path.len() < self.pinned.len();
        if !pinned && state.unvisited.iter().all(|&city| self.optional(city)) {
            cities.push(0);
        }
        let (here, time) = (state.current(), state.time);
        let base = u32::from(self.nodes.count) * u32::from(here);
        let first = out.count();
        out.extend(cities.iter().copied(), cities.iter().map(|&city| base + u32::from(city)));
        if let Some(timed) = self.timed {
            out.push_biases(first, |city| timed.beta(&self.nodes, (here, time), city));
        }
    }

    fn play(&self, state: &mut State, city: u16) {
        let arrival = state.time + self.leg(state.current(), city).1;
        state.time = self.leaves(city, arrival);
        state.path.push(city);
        if let Some(place) = state.unvisited.iter().position(|&other| other == city) {
            state.unvisited.swap_remove(place);
        }
    }

    fn score(&self, state: &State) -> f64 {
        self.value(&state.path)
    }

    fn unlisted(&self, state: &State, city: u16) -> Option<u16> {
        state.unvisited.iter().copied().find(|&other| other == city)
    }
}

impl Offers for Day {
    fn improver(&self) -> Option<Box<dyn Improver<Self>>> {
        Some(Box::new(Ruin::new(Rebuild::new(self))))
    }
}

/// Puts the largest distance in the place of those that are infinite, and returns which these are, row by
/// row; nothing if there are none.
fn fill(n: usize, matrix: &mut [f64]) -> Vec<bool> {
    let leg = |at: &usize| at / n != at % n;
    let ways = (0..matrix.len()).filter(leg).map(|at| matrix[at]);
    let farthest = ways.filter(|distance| distance.is_finite()).fold(0.0, f64::max);
    let gap = |at| leg(&at) && matrix[at] == f64::INFINITY;
    let gaps: Vec<bool> = (0..matrix.len()).map(gap).collect();
    matrix.iter_mut().zip(&gaps).filter(|&(_, &gap)| gap).for_each(|(leg, _)| *leg = farthest);
    if gaps.contains(&true) { gaps } else { Vec::new() }
}

/// The stops before each one by pairs of one before another; nothing without pairs.
fn ahead(n: usize, pairs: &[(u16, u16)]) -> Result<Vec<Vec<u16>>, String> {
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let mut before = vec![vec![false; n]; n];
    for &(one, other) in pairs {
        before[usize::from(other)][usize::from(one)] = true;
    }
    for between in 0..n {
        let reached = before[between].clone();
        for row in before.iter_mut().filter(|row| row[between]) {
            row.iter_mut().zip(&reached).for_each(|(all, &also)| *all |= also);
        }
    }
    if (0..n).any(|stop| before[stop][stop]) {
        return Err("a stop cannot come after itself".into());
    }
    let listed =
        |row: &Vec<bool>| (0..).zip(row).filter(|(_, is)| **is).map(|(stop, _)| stop).collect();
    Ok(before.iter().map(listed).collect())
}
