//! Selective moves: the cities worth visiting next (see [`super::Tsptw::new`] for the rule).
//!
//! The rule asks of every candidate whether it makes any other city late. Taken literally, that takes
//! quadratic time. Three facts leave about one comparison per candidate. They hold exactly, even
//! with rounding, since addition is monotone.
//!
//! * Every city has a *safe* time. If the tour leaves any node up to that time, it reaches the city
//!   in time. In the order of safe times, the search for a city made late ends at the first safe
//!   one.
//! * Most candidates are refused because of the first city in that order. So this city is tried
//!   with all candidates at once, without branches.
//! * One city *blocks* another if it is late even when the tour leaves the other as soon as that
//!   opens. The blocked city is refused until all cities that block it are visited or late.
//!
//! Cities that are late already are kept apart from the others, so that only those are compared.
//! Another way may reach a late city in time, if distances do not obey the triangle inequality: the
//! city then joins the others again.
//!
//! The loops over the candidates are functions of their own in the compiled code as well: together
//! they would not have enough registers.

use super::{Nodes, later};

/// What can be worked out from an instance before the search.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    /// The durations column by column.
    columns: Vec<f64>,
    /// The safe time of each city; infinite for the depot, which never makes a candidate fail.
    safe: Vec<f64>,
    /// The cities that each city blocks.
    blocked: Vec<Vec<u16>>,
}

/// What changes along a tour, and scratch space.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    /// The unvisited cities that are not late, by increasing safe time, as a ring through the depot:
    /// the node after each node, and the node before it.
    next: Vec<u16>,
    previous: Vec<u16>,
    /// How many cities of the ring block each city, and when it opens: never before it has none.
    blockers: Vec<u16>,
    opening: Vec<f64>,
    /// The unvisited cities that are too late to reach.
    late: Vec<u16>,
    kept: Vec<u16>,
    departures: Vec<f64>,
}

impl Selection {
    pub(super) fn new(nodes: &Nodes) -> Self {
        let cities = 0..nodes.len();
        let mut safe: Vec<_> = cities.clone().map(|city| safe_time(nodes, city)).collect();
        safe[0] = f64::INFINITY;
        let mut blocked = vec![Vec::new(); nodes.len()];
        for city in cities.clone().skip(1) {
            let late = |&other: &usize| {
                nodes.earliest[other] + nodes.row(other)[city] > nodes.latest[city]
            };
            blocked[city].extend(cities.clone().filter(late).map(|other| other as u16));
        }
        let columns = cities.flat_map(|city| nodes.column(city)).collect();
        Selection { columns, safe, blocked }
    }

    /// The filter of the empty tour.
    pub(super) fn filter(&self, nodes: &Nodes) -> Filter {
        let n = self.safe.len();
        let mut ring: Vec<u16> = (0..).take(n).collect();
        ring.sort_by(|&a, &b| self.safe[usize::from(a)].total_cmp(&self.safe[usize::from(b)]));
        let (mut next, mut previous) = (vec![0; n], vec![0; n]);
        for (k, &city) in ring.iter().enumerate() {
            let follower = ring[(k + 1) % n];
            next[usize::from(city)] = follower;
            previous[usize::from(follower)] = city;
        }
        let (mut blockers, mut opening) = (vec![0; n], nodes.earliest.clone());
        for &city in self.blocked.iter().flatten() {
            blockers[usize::from(city)] += 1;
            opening[usize::from(city)] = f64::INFINITY;
        }
        let (kept, departures) = (vec![0; n], vec![0.0; n]);
        Filter { next, previous, blockers, opening, late: Vec::new(), kept, departures }
    }

    /// The cities worth visiting next if the tour leaves node `from` at `time`, in the order of
    /// `unvisited`.
    #[inline]
    pub(super) fn select<'a>(
        &self,
        nodes: &Nodes,
        filter: &'a mut Filter,
        from: u16,
        time: f64,
        unvisited: &'a [u16],
    ) -> &'a [u16] {
        let from = usize::from(from);
        self.set_late_apart(nodes, filter, from, time);
        if filter.next[0] == 0 {
            return unvisited;
        }
        let free = self.keep_free(nodes, filter, from, time, unvisited);
        let count = self.keep_harmless(nodes, filter, free);
        if count > 0 { &filter.kept[..count] } else { unvisited }
    }

    /// Takes the cities out of the ring that are late if the tour leaves node `from` at `time`, and
    /// puts those back that no longer are.
    #[inline]
    fn set_late_apart(&self, nodes: &Nodes, filter: &mut Filter, from: usize, time: f64) {
        let n = nodes.len();
        let (row, latest, safe) = (nodes.row(from), &nodes.latest[..n], &self.safe[..n]);
        for k in (0..filter.late.len()).rev() {
            let city = usize::from(filter.late[k]);
            if time + row[city] <= latest[city] {
                self.put_back(filter, k);
            }
        }
        let mut city = usize::from(filter.next[0]);
        while time > safe[city] {
            let next = usize::from(filter.next[city]);
            if time + row[city] > latest[city] {
                self.give_up(nodes, filter, city);
            }
            city = next;
        }
    }

    /// Keeps the cities that are not blocked and do not make the first city of the ring late, each
    /// with the time when the tour can leave it.
    #[inline(never)]
    fn keep_free(
        &self,
        nodes: &Nodes,
        filter: &mut Filter,
        from: usize,
        time: f64,
        unvisited: &[u16],
    ) -> usize {
        let n = nodes.len();
        let first = usize::from(filter.next[0]);
        let (to_first, latest) = (&self.columns[first * n..][..n], nodes.latest[first]);
        let (row, opening) = (nodes.row(from), &filter.opening[..n]);
        let kept = &mut filter.kept[..unvisited.len()];
        let departures = &mut filter.departures[..unvisited.len()];
        let mut count = 0;
        for &city in unvisited {
            let c = usize::from(city);
            let departure = later(time + row[c], opening[c]);
            kept[count] = city;
            departures[count] = departure;
            count += usize::from(departure + to_first[c] <= latest);
        }
        count
    }

    /// Keeps, of the first `free` kept cities, those that make no other city late.
    #[inline(never)]
    fn keep_harmless(&self, nodes: &Nodes, filter: &mut Filter, free: usize) -> usize {
        let first = usize::from(filter.next[0]);
        let safe = self.safe[usize::from(filter.next[first])];
        let (kept, departures) = (&mut filter.kept[..free], &filter.departures[..free]);
        let mut count = 0;
        for k in 0..free {
            let (city, time) = (kept[k], departures[k]);
            kept[count] = city;
            let harmless =
                time <= safe || !self.late_after(nodes, &filter.next, first, city.into(), time);
            count += usize::from(harmless);
        }
        count
    }

    /// Whether leaving node `from` at `time` is too late for any city after `start` in the ring.
    #[inline(always)]
    fn late_after(
        &self,
        nodes: &Nodes,
        next: &[u16],
        start: usize,
        from: usize,
        time: f64,
    ) -> bool {
        let n = nodes.len();
        let (row, latest) = (nodes.row(from), &nodes.latest[..n]);
        let (safe, next) = (&self.safe[..n], &next[..n]);
        let mut city = usize::from(next[start]);
        while time > safe[city] {
            if time + row[city] > latest[city] {
                return true;
            }
            city = usize::from(next[city]);
        }
        false
    }

    /// Notes that a city is visited.
    #[inline]
    pub(super) fn visit(&self, nodes: &Nodes, filter: &mut Filter, city: usize) {
        match filter.late.iter().position(|&late| usize::from(late) == city) {
            Some(place) => _ = filter.late.swap_remove(place),
            None => self.take_out(nodes, filter, city),
        }
    }

    /// Takes a city out of the ring.
    #[inline]
    fn take_out(&self, nodes: &Nodes, filter: &mut Filter, city: usize) {
        let (before, after) = (filter.previous[city], filter.next[city]);
        filter.next[usize::from(before)] = after;
        filter.previous[usize::from(after)] = before;
        let n = nodes.len();
        let earliest = &nodes.earliest[..n];
        let (blockers, opening) = (&mut filter.blockers[..n], &mut filter.opening[..n]);
        for &blocked in &self.blocked[city] {
            let blocked = usize::from(blocked);
            blockers[blocked] -= 1;
            if blockers[blocked] == 0 {
                opening[blocked] = earliest[blocked];
            }
        }
    }

    /// Notes that a city is late.
    #[inline(never)]
    fn give_up(&self, nodes: &Nodes, filter: &mut Filter, city: usize) {
        self.take_out(nodes, filter, city);
        filter.late.push(city as u16);
    }

    /// Puts a late city, number `k` of them, back into the ring.
    #[cold]
    fn put_back(&self, filter: &mut Filter, k: usize) {
        let city = usize::from(filter.late.swap_remove(k));
        let mut after = usize::from(filter.next[0]);
        while self.safe[after] < self.safe[city] {
            after = filter.next[after].into();
        }
        let before = filter.previous[after];
        filter.next[usize::from(before)] = city as u16;
        filter.previous[after] = city as u16;
        (filter.previous[city], filter.next[city]) = (before, after as u16);
        for &blocked in &self.blocked[city] {
            filter.blockers[usize::from(blocked)] += 1;
            filter.opening[usize::from(blocked)] = f64::INFINITY;
        }
    }
}

impl Filter {
    /// Becomes a copy of `other` and keeps its own memory.
    pub(super) fn copy(&mut self, other: &Filter) {
        self.next.clone_from(&other.next);
        self.previous.clone_from(&other.previous);
        self.blockers.clone_from(&other.blockers);
        self.opening.clone_from(&other.opening);
        self.late.clone_from(&other.late);
    }
}

/// A time t for which t plus any distance to the city, as rounded, is at most its latest time.
fn safe_time(nodes: &Nodes, city: usize) -> f64 {
    let (latest, farthest) = (nodes.latest[city], nodes.column(city).fold(0.0, f64::max));
    let mut time = latest - farthest;
    while time + farthest > latest {
        time = time.next_down();
    }
    time
}

#[cfg(test)]
mod tests {
    use super::*;
    use nestor_engine::random::{Key, Random};

    #[test]
    fn rounding_of_safe_times_never_hides_a_late_city() {
        let mut random = Random::new(Key(9));
        for _ in 0..100_000 {
            let scale = 10f64.powi((random.uniform() * 12.0) as i32 - 6);
            let (latest, distance) = (random.uniform(), random.uniform() * scale);
            let matrix = vec![0.0, distance, 0.0, 0.0];
            let nodes = Nodes::new(matrix, None, vec![(0.0, 1.0), (0.0, latest)]).unwrap();
            let safe = safe_time(&nodes, 1);
            assert!(safe + distance <= latest);
            assert!((safe - (latest - distance)).abs() <= 1e-15 * scale.max(1.0));
        }
    }
}
