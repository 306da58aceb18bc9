//! The travelling salesman problem with time windows (beam-nrpa-2012, section 2.1; gnrpa-2020,
//! section 6.2).
//!
//! A tour leaves node 0, the depot, at the depot's earliest time, visits every other node (a city)
//! once and returns. The salesman who arrives before a window opens waits until it does; one who
//! arrives after it has closed is late, which is allowed and counted, at most once per node. The
//! window of the depot binds the return.
//!
//! Arithmetic, in this order and in double precision, so that other implementations can agree to
//! the last bit:
//!
//! ```text
//! cost = 0, time = earliest[0]
//! for each leg (i, j) of the tour, the one back to the depot included:
//!     arrival = time + d[i][j];  cost = cost + d[i][j]
//!     late if arrival > latest[j]
//!     time = earliest[j] if arrival < earliest[j], else arrival
//! makespan = arrival of the last leg
//! score = -(objective + 1e6 * late nodes)
//! ```
//!
//! Order of the moves: the unvisited cities stand in a list, 1 to n-1 at first, and a city that is
//! visited is replaced in it by the list's last one. Selective moves keep that order.

use std::str::FromStr;

use nestor_engine::problem::{Bias, Moves, Problem};

/// What a node visited too late costs.
pub const PENALTY: f64 = 1e6;

/// The most nodes an instance may have.
pub const MAX_NODES: u16 = 2000;

/// The largest distance or opening time: far enough from overflow for any sum.
pub const MAX_TIME: f64 = 1e15;

/// What is minimised, before penalties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// The sum of the distances, return included; waiting is free.
    Cost,
    /// The time of return to the depot.
    Makespan,
}

impl FromStr for Objective {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "cost" => Ok(Objective::Cost),
            "makespan" => Ok(Objective::Makespan),
            _ => Err(format!("objective must be \"cost\" or \"makespan\", not {name:?}")),
        }
    }
}

/// An instance and its options.
#[derive(Clone, Debug)]
pub struct Tsptw {
    nodes: u16,
    /// Row by row; the diagonal, which no tour uses, is minus infinity: no node makes itself late.
    distances: Vec<f64>,
    earliest: Vec<f64>,
    latest: Vec<f64>,
    /// Whoever leaves any node at `safe[j]` or before reaches j in time (see [`Tsptw::late_from`]);
    /// infinite for the depot.
    safe: Vec<f64>,
    /// Row by row: 1 where no one can go in time from the city of the column to that of the row.
    blocked: Vec<u8>,
    selective: bool,
    objective: Objective,
    biased: bool,
    root: State,
}

/// A partial tour.
#[derive(Clone, Debug)]
pub struct State {
    current: usize,
    /// When the current node can be left.
    time: f64,
    cost: f64,
    late: u32,
    /// The unvisited cities in the order of the moves.
    unvisited: Vec<u16>,
    /// Where each city stands in `unvisited`.
    place: Vec<u16>,
    /// The unvisited cities as a ring by growing `safe`, which the depot opens and closes: the
    /// city after each and before each.
    next: Vec<u16>,
    previous: Vec<u16>,
    /// How many unvisited cities must come before each city (see [`Tsptw::blocked`]).
    blockers: Vec<u16>,
    /// The cities that selection keeps: scratch.
    kept: Vec<u16>,
    doubts: Vec<u16>,
}

impl Tsptw {
    /// Makes a problem of `n` nodes, node 0 being the depot.
    ///
    /// `matrix` holds the distances row by row, `matrix[i * n + j]` from i to j; its diagonal is
    /// ignored. `windows` holds the earliest and latest time of each node. With `selective`, moves
    /// are filtered (see [`Tsptw::select`]). With `biased`, the bias of the move from i to j is
    /// -10 (d - min) / (max - min) over the distances off the diagonal: gnrpa-2020, section 6.2,
    /// with the sign that favours near cities.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the instance.
    pub fn new(
        n: usize,
        matrix: Vec<f64>,
        windows: Vec<(f64, f64)>,
        selective: bool,
        objective: Objective,
        biased: bool,
    ) -> Result<Self, String> {
        let nodes = u16::try_from(n)
            .ok()
            .filter(|nodes| (2..=MAX_NODES).contains(nodes))
            .ok_or_else(|| format!("an instance has 2 to {MAX_NODES} nodes, not {n}"))?;
        check(n, &matrix, &windows)?;
        let mut distances = matrix;
        for node in 0..n {
            distances[node * n + node] = f64::NEG_INFINITY;
        }
        let (earliest, latest): (Vec<_>, Vec<_>) = windows.into_iter().unzip();
        let mut safe: Vec<_> =
            (0..n).map(|j| safe_time(latest[j], column(&distances, j))).collect();
        safe[0] = f64::INFINITY;
        let blocked = if selective { blocked(&distances, &earliest, &latest) } else { Vec::new() };
        let root = State::root(nodes, earliest[0], &safe, &blocked);
        Ok(Tsptw {
            nodes,
            distances,
            earliest,
            latest,
            safe,
            blocked,
            selective,
            objective,
            biased,
            root,
        })
    }

    /// The distances from a node.
    #[inline]
    fn row(&self, node: usize) -> &[f64] {
        let n = self.earliest.len();
        &self.distances[node * n..][..n]
    }

    /// The cities that are always too late for this one, for each 1, otherwise 0.
    #[inline]
    fn blocked(&self, city: usize) -> &[u8] {
        let n = self.earliest.len();
        &self.blocked[city * n..][..n]
    }

    /// Puts the cities worth visiting next into `state.kept` and returns how many there are.
    ///
    /// 1. If some city cannot be reached in time any more, only such cities are kept.
    /// 2. Otherwise those from which every other city can still be reached in time.
    /// 3. If there is none, all: the answer is 0.
    ///
    /// "Reached" means directly, without a stop on the way. The depot does not count as a city.
    fn select(&self, state: &mut State) -> usize {
        let row = self.row(state.current);
        let (time, bound) = (state.time, self.safe[usize::from(state.next[0])]);
        let mut kept = std::mem::take(&mut state.kept);
        let mut doubts = std::mem::take(&mut state.doubts);
        let (mut count, mut doubtful, mut late) = (0, 0, false);
        for &city in &state.unvisited {
            let c = usize::from(city);
            let arrival = time + row[c];
            let departure = later(arrival, self.earliest[c]);
            let free = state.blockers[c] == 0;
            late |= arrival > self.latest[c];
            kept[count] = city;
            doubts[doubtful] = count as u16;
            count += usize::from(free);
            doubtful += usize::from(free & (departure > bound));
        }
        if late {
            count = keep(&state.unvisited, &mut kept, |c| time + row[c] > self.latest[c]);
        } else if doubtful > 0 {
            count = self.settle(state, &doubts[..doubtful], &mut kept[..count]);
        }
        (state.kept, state.doubts) = (kept, doubts);
        count
    }

    fn settle(&self, state: &State, doubts: &[u16], kept: &mut [u16]) -> usize {
        let row = self.row(state.current);
        let mut dropped = 0;
        for &k in doubts {
            let c = usize::from(kept[usize::from(k)]);
            let departure = later(state.time + row[c], self.earliest[c]);
            if self.late_from(state, c, departure) {
                kept[usize::from(k)] = 0;
                dropped += 1;
            }
        }
        if dropped > 0 {
            let mut count = 0;
            for k in 0..kept.len() {
                let city = kept[k];
                kept[count] = city;
                count += usize::from(city != 0);
            }
            return count;
        }
        kept.len()
    }

    /// Whether some unvisited city is reached too late by leaving `node` at `departure`.
    ///
    /// Only the cities whose `safe` time is over are looked at, and the ring has them first.
    #[inline(always)]
    fn late_from(&self, state: &State, node: usize, departure: f64) -> bool {
        let row = self.row(node);
        let mut city = usize::from(state.next[0]);
        while departure > self.safe[city] {
            if departure + row[city] > self.latest[city] {
                return true;
            }
            city = usize::from(state.next[city]);
        }
        false
    }
}

impl Problem for Tsptw {
    type State = State;
    /// The city to go to.
    type Move = u16;
    /// The leg: n * from + to.
    type Code = u32;

    fn code_count(&self) -> usize {
        self.distances.len()
    }

    fn bias(&self) -> Bias {
        if self.biased { Bias::PerCode(biases(&self.distances)) } else { Bias::None }
    }

    fn initial(&self) -> State {
        self.root.clone()
    }

    fn reset(&self, state: &mut State) {
        state.copy(&self.root);
    }

    #[inline]
    fn moves(&self, state: &mut State, out: &mut Moves<'_, Self>) {
        let count = if self.selective { self.select(state) } else { 0 };
        let cities = if count > 0 { &state.kept[..count] } else { &state.unvisited };
        let base = state.current as u32 * u32::from(self.nodes);
        out.extend(cities.iter().copied(), cities.iter().map(|&city| base + u32::from(city)));
    }

    #[inline]
    fn play(&self, state: &mut State, city: u16) {
        let j = usize::from(city);
        let distance = self.row(state.current)[j];
        let arrival = state.time + distance;
        state.cost += distance;
        state.late += u32::from(arrival > self.latest[j]);
        state.time = later(arrival, self.earliest[j]);
        state.current = j;
        state.remove(city);
        if self.selective {
            state.unblock(self.blocked(j));
        }
    }

    fn score(&self, state: &State) -> f64 {
        let distance = self.row(state.current)[0];
        let arrival = state.time + distance;
        let objective = match self.objective {
            Objective::Cost => state.cost + distance,
            Objective::Makespan => arrival,
        };
        let late = state.late + u32::from(arrival > self.latest[0]);
        -(objective + PENALTY * f64::from(late))
    }
}

impl State {
    fn root(nodes: u16, time: f64, safe: &[f64], blocked: &[u8]) -> Self {
        let cities = 1..nodes;
        let mut ring: Vec<u16> = cities.clone().collect();
        ring.sort_by(|&a, &b| safe[usize::from(a)].total_cmp(&safe[usize::from(b)]));
        ring.push(0);
        let mut next = vec![0; ring.len()];
        let mut previous = vec![0; ring.len()];
        for (k, &city) in ring.iter().enumerate() {
            let follower = ring[(k + 1) % ring.len()];
            next[usize::from(city)] = follower;
            previous[usize::from(follower)] = city;
        }
        let mut blockers = vec![0; ring.len()];
        for row in blocked.chunks(ring.len()).skip(1) {
            for (count, &blocked) in blockers.iter_mut().zip(row) {
                *count += u16::from(blocked);
            }
        }
        State {
            current: 0,
            time,
            cost: 0.0,
            late: 0,
            unvisited: cities.clone().collect(),
            place: std::iter::once(0).chain(cities.map(|city| city - 1)).collect(),
            next,
            previous,
            blockers,
            kept: vec![0; usize::from(nodes)],
            doubts: vec![0; usize::from(nodes)],
        }
    }

    /// Becomes a copy of `other`, in the memory it has.
    fn copy(&mut self, other: &State) {
        (self.current, self.time) = (other.current, other.time);
        (self.cost, self.late) = (other.cost, other.late);
        self.unvisited.clone_from(&other.unvisited);
        self.place.clone_from(&other.place);
        self.next.clone_from(&other.next);
        self.previous.clone_from(&other.previous);
        self.blockers.clone_from(&other.blockers);
    }

    /// Notes that a city that blocked these is visited.
    #[inline]
    fn unblock(&mut self, blocked: &[u8]) {
        for (count, &blocked) in self.blockers.iter_mut().zip(blocked) {
            *count -= u16::from(blocked);
        }
    }

    /// Takes a city out of the list, where the last one replaces it, and out of the ring.
    #[inline]
    fn remove(&mut self, city: u16) {
        let place = self.place[usize::from(city)];
        self.unvisited.swap_remove(usize::from(place));
        if let Some(&moved) = self.unvisited.get(usize::from(place)) {
            self.place[usize::from(moved)] = place;
        }
        let (before, after) = (self.previous[usize::from(city)], self.next[usize::from(city)]);
        self.next[usize::from(before)] = after;
        self.previous[usize::from(after)] = before;
    }
}

/// Copies the cities that pass the test, in order; returns how many there are.
#[inline]
fn keep(cities: &[u16], kept: &mut [u16], test: impl Fn(usize) -> bool) -> usize {
    let mut count = 0;
    for &city in cities {
        kept[count] = city;
        count += usize::from(test(usize::from(city)));
    }
    count
}

#[inline]
fn later(a: f64, b: f64) -> f64 {
    if a < b { b } else { a }
}

fn check(n: usize, matrix: &[f64], windows: &[(f64, f64)]) -> Result<(), String> {
    if matrix.len() != n * n || windows.len() != n {
        return Err(format!(
            "{n} nodes need {} distances and {n} windows, not {} and {}",
            n * n,
            matrix.len(),
            windows.len()
        ));
    }
    let allowed = 0.0..=MAX_TIME;
    for (index, distance) in matrix.iter().enumerate() {
        let (from, to) = (index / n, index % n);
        if from != to && !allowed.contains(distance) {
            return Err(format!(
                "the distance from node {from} to node {to} must be 0 to {MAX_TIME:e}, not {distance}"
            ));
        }
    }
    for (node, &(earliest, latest)) in windows.iter().enumerate() {
        if !(allowed.contains(&earliest) && latest.is_finite() && earliest <= latest) {
            return Err(format!(
                "the window of node {node} must be two finite times, 0 <= earliest <= latest and \
                 earliest <= {MAX_TIME:e}, not {earliest} to {latest}"
            ));
        }
    }
    Ok(())
}

/// The distances to a node from all others.
fn column(distances: &[f64], node: usize) -> impl Iterator<Item = f64> {
    let n = distances.len().isqrt();
    distances.iter().copied().skip(node).step_by(n)
}

/// A time t such that t + d <= latest for each of these distances, rounding included: as addition
/// is monotone, any departure up to t is in time.
fn safe_time(latest: f64, distances: impl Iterator<Item = f64>) -> f64 {
    let farthest = distances.fold(0.0, f64::max);
    let mut time = latest - farthest;
    while time + farthest > latest {
        time = time.next_down();
    }
    time
}

/// See [`Tsptw::blocked`].
fn blocked(distances: &[f64], earliest: &[f64], latest: &[f64]) -> Vec<u8> {
    let mut blocked = Vec::with_capacity(distances.len());
    for (to, &latest) in latest.iter().enumerate() {
        let late = earliest.iter().zip(column(distances, to)).map(|(&e, d)| e + d > latest);
        blocked.extend(late.map(u8::from));
    }
    blocked
}

fn biases(distances: &[f64]) -> Vec<f64> {
    let off_diagonal = || distances.iter().copied().filter(|&d| d >= 0.0);
    let min = off_diagonal().fold(f64::INFINITY, f64::min);
    let max = off_diagonal().fold(0.0, f64::max);
    let bias = |&d: &f64| if d > min { 10.0 * (min - d) / (max - min) } else { 0.0 };
    distances.iter().map(bias).collect()
}

#[cfg(test)]
mod tests;
