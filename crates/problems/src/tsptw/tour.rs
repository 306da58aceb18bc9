//! A tour that changes: what it costs to put a stop in, and whether anybody is late then, is known at
//! once from when the tour leaves each place, and when it must be there at the latest.

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
    /// The stops that are out.
    pub(super) out: Vec<u16>,
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
        self.out.clone_from(&other.out);
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
    fn limit(&self, problem: &Tsptw, place: usize) -> f64 {
        let closes = problem.nodes.latest[usize::from(self.stops[place])];
        (self.latest[place + 1] - self.legs[place + 1]).min(closes)
    }

    /// Makes the times from a place on at which they have changed.
    #[inline(always)]
    fn forward(&mut self, problem: &Tsptw, changed: usize) {
        for place in changed..self.stops.len() {
            let time = self.left(problem, place);
            if time == self.leave[place] {
                break;
            }
            self.leave[place] = time;
        }
    }

    /// Makes the limits up to a place at which they have changed.
    #[inline(always)]
    fn backward(&mut self, problem: &Tsptw, changed: usize) {
        for place in (0..=changed).rev() {
            let limit = self.limit(problem, place);
            if limit == self.latest[place] {
                break;
            }
            self.latest[place] = limit;
        }
    }

    /// A tour with these stops; others are out.
    pub(super) fn new(problem: &Tsptw, stops: &[u16], out: &[u16]) -> Self {
        let (nodes, stops) = (&problem.nodes, [&[0], stops, &[0]].concat());
        let length = stops.len();
        let mut tour = Tour {
            legs: vec![0.0; length],
            leave: vec![nodes.earliest[0]; length],
            latest: vec![nodes.latest[0]; length],
            out: out.to_vec(),
            travel: 0.0,
            stops,
        };
        for place in 1..length {
            tour.legs[place] = leg(problem, tour.stops[place - 1], tour.stops[place]);
            tour.leave[place] = tour.left(problem, place);
        }
        (0..length - 1).rev().for_each(|place| tour.latest[place] = tour.limit(problem, place));
        tour.travel = tour.legs.iter().sum();
        tour
    }

    /// The stops, without the depot.
    pub(super) fn order(&self) -> &[u16] {
        let end = self.stops.len().saturating_sub(1);
        self.stops.get(1..end).unwrap_or_default()
    }

    /// The first place, if any, that the tour reaches too late.
    pub(super) fn first_late(&self, problem: &Tsptw) -> Option<usize> {
        (1..self.stops.len()).find(|&place| {
            let arrival = self.leave[place - 1] + self.legs[place];
            arrival > problem.nodes.latest[usize::from(self.stops[place])]
        })
    }

    /// Puts a stop in.
    pub(super) fn insert(&mut self, problem: &Tsptw, place: usize, stop: u16) {
        let (before, after) = (self.stops[place - 1], self.stops[place]);
        let (to, from) = (leg(problem, before, stop), leg(problem, stop, after));
        self.travel += to + from - self.legs[place];
        self.legs[place] = from;
        self.stops.insert(place, stop);
        self.legs.insert(place, to);
        // Not equal to any time, so that both are made.
        self.leave.insert(place, f64::NAN);
        self.latest.insert(place, f64::NAN);
        self.forward(problem, place);
        self.backward(problem, place);
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
        for (number, &place) in places.iter().enumerate() {
            let joint = place - number;
            self.forward(problem, joint);
            self.backward(problem, joint - 1);
        }
    }

    /// The stops of the tour that has those that are out as well: each comes where only it is late, as
    /// cheaply as can be, or else last.
    pub(super) fn completed(&self, problem: &Tsptw) -> Vec<u16> {
        let mut tour = self.clone();
        for stop in std::mem::take(&mut tour.out) {
            let last = tour.stops.len() - 1;
            let adds = |place: usize| {
                let (before, after) = (tour.stops[place - 1], tour.stops[place]);
                let (to, from) = (leg(problem, before, stop), leg(problem, stop, after));
                let opens = problem.nodes.earliest[usize::from(stop)];
                let there = later(tour.leave[place - 1] + to, opens) + from;
                (there <= tour.latest[place]).then_some((to + from - tour.legs[place], place))
            };
            let cheapest = (1..=last).filter_map(adds).min_by(|a, b| a.0.total_cmp(&b.0));
            let place = cheapest.map_or(last, |(_, place)| place);
            tour.legs[place] = leg(problem, stop, tour.stops[place]);
            tour.legs.insert(place, leg(problem, tour.stops[place - 1], stop));
            tour.stops.insert(place, stop);
            tour.leave.insert(place, f64::NAN);
            // Who is late is so whenever it comes.
            tour.latest.insert(place, tour.latest[place] - tour.legs[place + 1]);
            tour.forward(problem, place);
            tour.backward(problem, place - 1);
        }
        tour.order().to_vec()
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
            let mut tour = Tour::new(&problem, &[], &all);
            for _ in 0..60 {
                let count = tour.order().len();
                if !tour.out.is_empty() && (count == 0 || random.below(2) == 0) {
                    let stop = tour.out.swap_remove(random.below(tour.out.len()));
                    tour.insert(&problem, 1 + random.below(count + 1), stop);
                } else {
                    let places: Vec<usize> = (1..=count).filter(|_| random.below(3) == 0).collect();
                    let removed = places.iter().map(|&place| tour.stops[place]);
                    tour.out.extend(removed.collect::<Vec<_>>());
                    tour.remove(&problem, &places);
                }
                let anew = Tour::new(&problem, tour.order(), &tour.out);
                assert_eq!((&tour.stops, &tour.legs), (&anew.stops, &anew.legs));
                assert_eq!((&tour.leave, &tour.latest), (&anew.leave, &anew.latest));
                assert!((tour.travel - anew.travel).abs() < 1e-9);
                let mut completed = tour.completed(&problem);
                completed.sort_unstable();
                assert_eq!(completed, all);
            }
        }
    }
}
