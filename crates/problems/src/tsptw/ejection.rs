//! Ejection: makes room for the cities that a tour misses (after Nagata and Bräysy 2009, who make
//! routes fewer with it).
//!
//! ```text
//! leave out the cities that are late
//! until none is left out, or that goes on for too long:
//!   one that is left out, at random; add 1 to its count
//!   put it where no city must leave for it, or else one with the least count, or, in one step of
//!     eight, two with less; of equals, where the tour is shortest
//!   make some changes at random that make no city late
//! take the tour with the fewest left out, and put each of these where it makes no other late, or last
//! ```
//!
//! The count says how hard it is to find room for a city, so that no two take each other's place
//! for ever. If more than one window is missed in the end, all is done again without that of the
//! depot: to miss it may be better.

use nestor_engine::random::Random;

use super::{Nodes, later};

/// In one step of so many two cities may leave for one.
const PAIRS: usize = 8;

/// It ends after so many steps for each node that leave out no fewer cities, or so many looks at a
/// place.
const STEPS: usize = 10;
const LOOKS: usize = 20_000;

/// Changes at random after each step, and their length.
const SHAKES: usize = 20;
const SHAKEN: usize = 15;

/// A tour without some cities, in which none is late.
struct Ejection<'a> {
    nodes: &'a Nodes,
    tour: Vec<u32>,
    out: Vec<u32>,
    /// When the tour can leave the city at each place.
    times: Vec<f64>,
    /// When that may be at the latest if no city from there on is to be late; the depot's is last.
    last: Vec<f64>,
    /// Whether a city of the tour may be late after all.
    late: Vec<bool>,
    counts: Vec<u32>,
    looks: usize,
    /// The places of the cities that leave, on the way that is followed, and the most of them.
    leave: Vec<usize>,
    most: usize,
    found: Found,
}

/// The best way found to put in a city.
#[derive(Default)]
struct Found {
    counts: u32,
    added: f64,
    place: usize,
    leave: Vec<usize>,
}

/// A changed tour up to a place of the present one.
#[derive(Clone, Copy)]
struct Way {
    place: usize,
    node: usize,
    time: f64,
    /// What it is longer than the present tour.
    added: f64,
    /// The place before which the city was put in.
    inserted: Option<usize>,
    /// The sum of those of the cities that leave.
    counts: u32,
}

/// The tour that is found to miss the fewest windows.
pub(super) fn ejected(nodes: &Nodes, order: &[u32], random: &mut Random) -> Vec<u32> {
    let mut best = fewest_out(nodes, order, nodes.latest[0], random);
    let out = best.out.len();
    best.put_in_late();
    // If a city has to come last, the depot has closed then.
    let missed = out + usize::from(!best.out.is_empty());
    if missed > 1 {
        let other = fewest_out(nodes, order, f64::INFINITY, random);
        if other.out.len() + 1 < missed {
            best = other;
        }
    }
    best.tour.extend(best.out);
    best.tour
}

/// The tour with the fewest cities left out, if the depot closes at this time.
fn fewest_out<'a>(
    nodes: &'a Nodes,
    order: &[u32],
    close: f64,
    random: &mut Random,
) -> Ejection<'a> {
    let mut ejection = Ejection::new(nodes, order, close);
    let mut best = (ejection.tour.clone(), ejection.out.clone());
    let mut idle = 0;
    while !ejection.out.is_empty() && ejection.goes_on() && idle < STEPS * nodes.len() {
        ejection.step(random);
        idle += 1;
        if ejection.out.len() < best.1.len() {
            best = (ejection.tour.clone(), ejection.out.clone());
            idle = 0;
        }
        ejection.shake(random);
    }
    (ejection.tour, ejection.out) = best;
    ejection.note_times();
    ejection
}

impl<'a> Ejection<'a> {
    fn new(nodes: &'a Nodes, order: &[u32], close: f64) -> Self {
        let mut ejection = Ejection {
            nodes,
            tour: Vec::new(),
            out: Vec::new(),
            times: Vec::new(),
            last: vec![close],
            late: vec![false; nodes.len()],
            counts: vec![1; nodes.len()],
            looks: 0,
            leave: Vec::new(),
            most: 1,
            found: Found::default(),
        };
        let (mut node, mut time) = (0, nodes.earliest[0]);
        for &city in order {
            let next = ejection.leaves(node, time, city as usize);
            match next.filter(|time| time + nodes.row(city as usize)[0] <= close) {
                Some(next) => {
                    ejection.tour.push(city);
                    (node, time) = (city as usize, next);
                }
                None => ejection.out.push(city),
            }
        }
        ejection.note_times();
        ejection
    }

    fn goes_on(&self) -> bool {
        self.looks < LOOKS * self.nodes.len()
    }

    /// When the tour can leave a node that it reaches from another, unless it comes too late.
    #[inline(always)]
    fn leaves(&self, from: usize, time: f64, to: usize) -> Option<f64> {
        let arrival = time + self.nodes.row(from)[to];
        (arrival <= self.nodes.latest[to]).then(|| later(arrival, self.nodes.earliest[to]))
    }

    /// The node at a place; the depot after the last.
    #[inline(always)]
    fn at(&self, place: usize) -> usize {
        self.tour.get(place).map_or(0, |&city| city as usize)
    }

    /// The node before a place, and when the tour can leave it.
    #[inline(always)]
    fn before(&self, place: usize) -> (usize, f64) {
        match place.checked_sub(1) {
            Some(place) => (self.at(place), self.times[place]),
            None => (0, self.nodes.earliest[0]),
        }
    }

    fn note_times(&mut self) {
        let (nodes, count) = (self.nodes, self.tour.len());
        self.looks += count;
        self.times.clear();
        for place in 0..count {
            let ((node, time), city) = (self.before(place), self.at(place));
            self.times.push(later(time + nodes.row(node)[city], nodes.earliest[city]));
        }
        let close = self.last[self.last.len() - 1];
        self.last.clear();
        self.last.resize(count + 1, close);
        for place in (0..count).rev() {
            let (city, next) = (self.at(place), self.at(place + 1));
            let leave = self.last[place + 1] - nodes.row(city)[next];
            let latest = if self.late[city] { f64::INFINITY } else { nodes.latest[city] };
            self.last[place] = if leave < latest { leave } else { latest };
        }
    }

    /// Puts in one of the cities that are left out, if there is a way.
    fn step(&mut self, random: &mut Random) {
        let city = self.out.remove(random.below(self.out.len()));
        self.counts[city as usize] += 1;
        self.found = Found { counts: u32::MAX, added: f64::INFINITY, ..Found::default() };
        let most = if random.below(PAIRS) == 0 { 2 } else { 1 };
        for leave in 1..=most {
            self.most = leave;
            for place in 0..=self.tour.len() {
                let (node, time) = self.before(place);
                let way = Way { place, node, time, added: 0.0, inserted: None, counts: 0 };
                self.follow(city as usize, way);
            }
        }
        if self.found.counts == u32::MAX {
            self.out.push(city);
            return;
        }
        let Found { place, leave, .. } = std::mem::take(&mut self.found);
        let tour = std::mem::take(&mut self.tour);
        for (k, &other) in tour.iter().enumerate() {
            if k == place {
                self.tour.push(city);
            }
            if leave.contains(&k) { self.out.push(other) } else { self.tour.push(other) }
        }
        if place == tour.len() {
            self.tour.push(city);
        }
        self.note_times();
    }

    /// Looks at all tours that go on so, and put in the city.
    fn follow(&mut self, city: usize, mut way: Way) {
        let nodes = self.nodes;
        loop {
            self.looks += 1;
            let (next, row) = (self.at(way.place), nodes.row(way.node));
            let added = way.added + (row[next] - nodes.row(self.before(way.place).0)[next]);
            if !self.goes_on() {
                return;
            }
            if let Some(place) = way.inserted {
                if later(way.time + row[next], nodes.earliest[next]) <= self.last[way.place] {
                    return self.offer(Found { counts: way.counts, added, place, leave: vec![] });
                }
            } else if way.time > nodes.latest[city] {
                return;
            } else if let Some(time) = self.leaves(way.node, way.time, city) {
                let (added, inserted) = (way.added + row[city], Some(way.place));
                self.follow(city, Way { node: city, time, added, inserted, ..way });
            }
            if way.place == self.tour.len() {
                return;
            }
            let counts = way.counts + self.counts[next];
            if self.leave.len() < self.most && counts < self.found.counts {
                self.leave.push(way.place);
                let gone = nodes.row(self.before(way.place).0)[next];
                let (place, added) = (way.place + 1, way.added - gone);
                self.follow(city, Way { place, added, counts, ..way });
                self.leave.pop();
            }
            let Some(time) = self.leaves(way.node, way.time, next) else { return };
            // Cities that leave must make the tour faster up to the city for which they do.
            if way.inserted.is_none() && time >= self.times[way.place] {
                return;
            }
            way = Way { place: way.place + 1, node: next, time, added, ..way };
        }
    }

    /// Keeps a way to put in the city if it is better.
    fn offer(&mut self, way: Found) {
        if (way.counts, way.added) < (self.found.counts, self.found.added) {
            self.found = Found { leave: self.leave.clone(), ..way };
        }
    }

    /// Puts the cities that are left out where they make no other late, if there are such places: where
    /// the tour is shortest.
    fn put_in_late(&mut self) {
        let nodes = self.nodes;
        for city in std::mem::take(&mut self.out) {
            let c = city as usize;
            let mut best = (f64::INFINITY, None);
            for place in 0..=self.tour.len() {
                let ((node, time), next) = (self.before(place), self.at(place));
                let (there, on) = (nodes.row(node)[c], nodes.row(c)[next]);
                let arrival = later(time + there, nodes.earliest[c]) + on;
                let added = there + on - nodes.row(node)[next];
                let fits = later(arrival, nodes.earliest[next]) <= self.last[place];
                if fits && added < best.0 {
                    best = (added, Some(place));
                }
            }
            match best.1 {
                Some(place) => {
                    self.late[c] = true;
                    self.tour.insert(place, city);
                    self.note_times();
                }
                None => self.out.push(city),
            }
        }
    }

    /// Changes the tour at random, so that no city is late.
    fn shake(&mut self, random: &mut Random) {
        for _ in 0..SHAKES {
            let count = self.tour.len();
            if count < 2 {
                return;
            }
            let start = random.below(count - 1);
            let end = count.min(start + 2 + random.below(SHAKEN));
            let (how, by) = (random.below(3), (1 + random.below(3)).min(end - start - 1));
            let mut window = self.tour[start..end].to_vec();
            match how {
                0 => window.reverse(),
                1 => window.rotate_left(by),
                _ => window.rotate_right(by),
            }
            if self.in_time(start, &window) {
                self.tour[start..end].copy_from_slice(&window);
                self.note_times();
            }
        }
    }

    /// Whether no city is late if these come at some places.
    fn in_time(&mut self, start: usize, window: &[u32]) -> bool {
        let ((mut node, mut time), end) = (self.before(start), start + window.len());
        for &city in window {
            self.looks += 1;
            let Some(next) = self.leaves(node, time, city as usize) else { return false };
            (node, time) = (city as usize, next);
        }
        let next = self.at(end);
        later(time + self.nodes.row(node)[next], self.nodes.earliest[next]) <= self.last[end]
    }
}
