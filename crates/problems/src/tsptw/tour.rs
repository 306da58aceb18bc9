//! A tour that changes: what it costs to put a stop in, and whether anybody is late then, is known at
//! once from when the tour leaves each place, and when it must be there at the latest.

use super::legs::Legs;
use super::{Tsptw, later};

/// A tour, and what follows from it. Places are those of `stops`, which begins and ends with the
/// depot.
#[derive(Clone, Default)]
pub(super) struct Tour {
    pub(super) stops: Vec<u16>,
    /// What it takes to each place from the one before, with the service there.
    pub(super) legs: Vec<f64>,
    /// When it leaves each place.
    pub(super) leave: Vec<f64>,
    /// When it must be at each place at the latest for nobody from there on to be late.
    pub(super) latest: Vec<f64>,
    /// The stops that are out. In a tour with all stops, those that are late, and the depot if the
    /// return is.
    pub(super) out: Vec<u16>,
    /// When each node closes: never, if it is among those that are out.
    pub(super) closes: Vec<f64>,
    /// The sum of the legs, nearly: it is kept up by what changes.
    pub(super) travel: f64,
}

impl Tour {
    /// Becomes equal to another tour.
    pub(super) fn copy(&mut self, other: &Self) {
        self.stops.clone_from(&other.stops);
        self.legs.clone_from(&other.legs);
        self.leave.clone_from(&other.leave);
        self.latest.clone_from(&other.latest);
        if self.out != other.out {
            self.out.clone_from(&other.out);
            self.closes.clone_from(&other.closes);
        }
        self.travel = other.travel;
    }

    /// When it leaves a place.
    #[inline(always)]
    fn left(&self, problem: &Tsptw, place: usize) -> f64 {
        let opens = problem.nodes.earliest[usize::from(self.stops[place])];
        later(self.leave[place - 1] + self.legs[place], opens)
    }

    /// When it must be at a place at the latest.
    #[inline(always)]
    fn limit(&self, place: usize) -> f64 {
        let closes = self.closes[usize::from(self.stops[place])];
        (self.latest[place + 1] - self.legs[place + 1]).min(closes)
    }

    /// Makes the times from a place on, up to the first one at which they have not changed, which it
    /// returns.
    #[inline(always)]
    fn forward(&mut self, problem: &Tsptw, changed: usize) -> usize {
        let mut time = self.leave[changed - 1];
        let places = self.stops.iter().zip(&self.legs).zip(&mut self.leave).enumerate();
        for (place, ((&stop, leg), leave)) in places.skip(changed) {
            time = later(time + leg, problem.nodes.earliest[usize::from(stop)]);
            if time == *leave {
                return place;
            }
            *leave = time;
        }
        self.stops.len()
    }

    /// Makes the limits up to a place, down to the last one at which they have not changed, which it
    /// returns; before the first one if there is none.
    #[inline(always)]
    fn backward(&mut self, changed: usize) -> usize {
        let mut limit = self.latest[changed + 1];
        let (stops, legs) = (&self.stops[..=changed], &self.legs[1..=changed + 1]);
        let places = stops.iter().zip(legs).zip(&mut self.latest[..=changed]).enumerate();
        for (place, ((&stop, leg), latest)) in places.rev() {
            limit = (limit - leg).min(self.closes[usize::from(stop)]);
            if limit == *latest {
                return place;
            }
            *latest = limit;
        }
        0
    }

    /// A tour with these stops; others are out.
    pub(super) fn new(problem: &Tsptw, stops: &[u16], out: &[u16]) -> Self {
        let (nodes, stops) = (&problem.nodes, [&[0], stops, &[0]].concat());
        let length = stops.len();
        let mut tour = Tour {
            legs: vec![0.0; length],
            leave: vec![nodes.earliest[0]; length],
            latest: vec![f64::INFINITY; length],
            out: Vec::new(),
            closes: nodes.latest.clone(),
            travel: 0.0,
            stops,
        };
        out.iter().for_each(|&node| tour.excuse(node));
        for place in 1..length {
            tour.legs[place] = leg(problem, tour.stops[place - 1], tour.stops[place]);
            tour.leave[place] = tour.left(problem, place);
        }
        tour.limit_all();
        tour.travel = tour.legs.iter().sum();
        tour
    }

    /// The stops, without the depot.
    pub(super) fn order(&self) -> &[u16] {
        let end = self.stops.len().saturating_sub(1);
        self.stops.get(1..end).unwrap_or_default()
    }

    /// The first place, if any, that the tour reaches too late, though it must not be.
    pub(super) fn first_late(&self) -> Option<usize> {
        (1..self.stops.len()).find(|&place| {
            let arrival = self.leave[place - 1] + self.legs[place];
            arrival > self.closes[usize::from(self.stops[place])]
        })
    }

    /// A tour with all stops; those that are late are out.
    pub(super) fn complete(problem: &Tsptw, stops: &[u16]) -> Self {
        let mut tour = Tour::new(problem, stops, &[]);
        while let Some(late) = tour.first_late() {
            tour.excuse(tour.stops[late]);
        }
        tour.limit_all();
        tour
    }

    /// Whether it has all stops, though some are late.
    pub(super) fn is_late(&self) -> bool {
        !self.out.is_empty() && self.stops.len() == self.closes.len() + 1
    }

    /// From now on a node is out: it may be late, if the tour comes there.
    pub(super) fn excuse(&mut self, node: u16) {
        self.out.push(node);
        self.closes[usize::from(node)] = f64::INFINITY;
    }

    /// These stops are out no more.
    pub(super) fn admit(&mut self, problem: &Tsptw, stops: &[u16]) {
        for &stop in stops {
            self.closes[usize::from(stop)] = problem.nodes.latest[usize::from(stop)];
        }
        self.out.retain(|&node| self.closes[usize::from(node)] == f64::INFINITY);
    }

    /// Nobody is out any more who is in time.
    pub(super) fn settle(&mut self, problem: &Tsptw) {
        let mut in_time = Vec::new();
        for place in 1..self.stops.len() {
            let node = self.stops[place];
            let arrival = self.leave[place - 1] + self.legs[place];
            let closes = problem.nodes.latest[usize::from(node)];
            if self.closes[usize::from(node)] > closes && arrival <= closes {
                in_time.push(node);
            }
        }
        self.admit(problem, &in_time);
        self.limit_all();
    }

    /// Makes all limits.
    pub(super) fn limit_all(&mut self) {
        let last = self.stops.len() - 1;
        self.latest[last] = self.closes[0];
        (0..last).rev().for_each(|place| self.latest[place] = self.limit(place));
    }

    /// Puts a stop in.
    pub(super) fn insert(&mut self, problem: &Tsptw, legs: &Legs, place: usize, stop: u16) {
        let row = legs.row(stop.into());
        let rank = |place: usize| usize::from(legs.rank[usize::from(self.stops[place])]);
        let (to, from) = (row[rank(place - 1)][0], row[rank(place)][1]);
        self.travel += to + from - self.legs[place];
        self.legs[place] = from;
        self.stops.insert(place, stop);
        self.legs.insert(place, to);
        // Not equal to any time, so that both are made.
        self.leave.insert(place, f64::NAN);
        self.latest.insert(place, f64::NAN);
        self.forward(problem, place);
        self.backward(place);
    }

    /// Takes out what is at these places, which are in order.
    pub(super) fn remove(&mut self, problem: &Tsptw, places: &[usize]) {
        let Some(&first) = places.first() else { return };
        let mut end = first;
        for (number, &place) in places.iter().enumerate() {
            let next = places.get(number + 1).copied().unwrap_or(self.stops.len());
            self.travel -= self.legs[place];
            if next > place + 1 {
                self.travel -= self.legs[place + 1];
                self.stops.copy_within(place + 1..next, end);
                self.legs.copy_within(place + 1..next, end);
                self.leave.copy_within(place + 1..next, end);
                self.latest.copy_within(place + 1..next, end);
                self.legs[end] = leg(problem, self.stops[end - 1], self.stops[end]);
                self.travel += self.legs[end];
                end += next - place - 1;
            }
        }
        self.stops.truncate(end);
        self.legs.truncate(end);
        self.leave.truncate(end);
        self.latest.truncate(end);
        // Where the tour is joined again.
        let joints = || places.iter().enumerate().map(|(number, &place)| place - number);
        joints().fold(0, |made, joint| match joint > made {
            true => self.forward(problem, joint),
            false => made,
        });
        joints().rev().fold(end, |made, joint| match joint <= made {
            true => self.backward(joint - 1),
            false => made,
        });
    }
}

/// What a leg takes, 0 from the depot to itself. It costs the same but for the service at its first stop,
/// which a tour has wherever the stop comes.
#[inline(always)]
pub(super) fn leg(problem: &Tsptw, from: u16, to: u16) -> f64 {
    later(problem.nodes.row(from.into())[usize::from(to)], 0.0)
}

#[cfg(test)]
mod tests {
    use nestor_engine::random::{Key, Random};

    use super::*;
    use crate::tsptw::tests::{problem, random_instance};

    #[test]
    fn what_follows_is_that_of_a_tour_made_anew() {
        let mut random = Random::new(Key(3));
        for _ in 0..300 {
            let problem = problem(random_instance(&mut random));
            let all: Vec<u16> = (1..problem.nodes.count).collect();
            let legs = Legs::new(&problem.nodes);
            let mut tour = Tour::new(&problem, &[], &all);
            for _ in 0..60 {
                let count = tour.order().len();
                if !tour.out.is_empty() && (count == 0 || random.below(2) == 0) {
                    let stop = tour.out[random.below(tour.out.len())];
                    tour.admit(&problem, &[stop]);
                    tour.insert(&problem, &legs, 1 + random.below(count + 1), stop);
                } else {
                    let places: Vec<usize> = (1..=count).filter(|_| random.below(3) == 0).collect();
                    let removed: Vec<u16> = places.iter().map(|&at| tour.stops[at]).collect();
                    tour.remove(&problem, &places);
                    removed.into_iter().for_each(|stop| tour.excuse(stop));
                }
                let anew = Tour::new(&problem, tour.order(), &tour.out);
                assert_eq!((&tour.stops, &tour.legs), (&anew.stops, &anew.legs));
                assert_eq!((&tour.leave, &tour.latest), (&anew.leave, &anew.latest));
                assert!((tour.travel - anew.travel).abs() < 1e-9);
                assert_eq!(tour.closes, anew.closes);
            }
        }
    }

    #[test]
    fn those_who_are_late_are_out() {
        let mut random = Random::new(Key(4));
        for _ in 0..300 {
            let problem = problem(random_instance(&mut random));
            let mut stops: Vec<u16> = (1..problem.nodes.count).collect();
            (1..stops.len()).for_each(|last| stops.swap(last, random.below(last + 1)));
            let mut tour = Tour::complete(&problem, &stops);
            assert!(tour.first_late().is_none() && tour.is_late() != tour.out.is_empty());
            let (out, latest) = (tour.out.clone(), tour.latest.clone());
            (0..problem.nodes.count)
                .filter(|node| !out.contains(node))
                .for_each(|node| tour.excuse(node));
            tour.settle(&problem);
            assert_eq!((&tour.out, &tour.latest), (&out, &latest));
        }
    }
}
