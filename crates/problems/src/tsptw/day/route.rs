//! A tour that changes, and what it costs to put a stop in where somebody may be late.

use super::super::later;
use super::{Day, Objective};

/// What counts how much while a search is steered. What a search reports is the score by the rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Prices {
    /// Each leg, row by row: its distance, whether there is a way, and whether its end changes.
    legs: Vec<f64>,
    /// A unit of the time of return.
    pub(super) end: f64,
    /// A unit of lateness, or a node that is late.
    late: f64,
}

impl Prices {
    /// Prices by those of a unit of distance, of the time of return, of lateness, and of a leg without a
    /// way.
    pub(super) fn new(day: &Day, distance: f64, end: f64, late: f64, gap: f64) -> Self {
        let n = day.nodes.count;
        let price = |from: u16, to: u16| {
            let before = day.previous[usize::from(to)];
            let changed = before != super::NONE && before != from;
            distance * day.leg(from, to).0
                + if day.gap(from, to) { gap } else { 0.0 }
                + if changed { day.change } else { 0.0 }
        };
        let legs = (0..n).flat_map(|from| (0..n).map(move |to| (from, to)));
        Prices { legs: legs.map(|(from, to)| price(from, to)).collect(), end, late }
    }

    #[inline(always)]
    fn leg(&self, day: &Day, from: u16, to: u16) -> f64 {
        self.legs[day.nodes.len() * usize::from(from) + usize::from(to)]
    }
}

/// A tour, and what follows from it. Places are those of `stops`, which begins and ends with the depot.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Route {
    pub(super) stops: Vec<u16>,
    /// When it comes to each place, and when it leaves it but for the service.
    arrive: Vec<f64>,
    leave: Vec<f64>,
    /// When it may come to each place at the latest for nobody from there on to be later than he is. Where
    /// places close in between, it may be less.
    latest: Vec<f64>,
    /// The nodes from each place on that are late and get later with the tour, as no wait comes before.
    later: Vec<f64>,
    /// The stops that are out.
    pub(super) out: Vec<u16>,
}

impl Route {
    /// Becomes equal to another one.
    pub(super) fn copy(&mut self, other: &Self) {
        self.stops.clone_from(&other.stops);
        self.arrive.clone_from(&other.arrive);
        self.leave.clone_from(&other.leave);
        self.latest.clone_from(&other.latest);
        self.later.clone_from(&other.later);
        self.out.clone_from(&other.out);
    }

    /// A tour with these stops; others are out.
    pub(super) fn new(day: &Day, stops: &[u16], out: &[u16]) -> Self {
        let mut route =
            Route { stops: [&[0], stops, &[0]].concat(), out: out.to_vec(), ..Route::default() };
        route.refresh(day);
        route
    }

    /// The stops, without the depot.
    pub(super) fn order(&self) -> &[u16] {
        let end = self.stops.len().saturating_sub(1);
        self.stops.get(1..end).unwrap_or_default()
    }

    /// Works all times out.
    fn refresh(&mut self, day: &Day) {
        let length = self.stops.len();
        for times in [&mut self.arrive, &mut self.leave, &mut self.latest, &mut self.later] {
            times.clear();
            times.resize(length, day.nodes.earliest[0]);
        }
        self.forward(day, 1);
        self.backward(day);
    }

    /// Makes the times from a place on.
    fn forward(&mut self, day: &Day, first: usize) {
        for place in first..self.stops.len() {
            let (before, node) = (self.stops[place - 1], self.stops[place]);
            let arrival = self.leave[place - 1] + day.leg(before, node).1;
            self.arrive[place] = day.comes(node, arrival);
            self.leave[place] = day.leaves(node, self.arrive[place]);
        }
    }

    /// Makes the latest times.
    fn backward(&mut self, day: &Day) {
        let mut limit = f64::INFINITY;
        let (mut after, mut later_on) = (0, 0.0);
        for place in (1..self.stops.len()).rev() {
            let node = self.stops[place];
            if limit < f64::INFINITY {
                limit -= day.leg(node, after).1;
            }
            limit = day.comes_by(node, limit);
            let closes = later(day.nodes.latest[usize::from(node)], self.arrive[place]);
            limit = if limit < closes { limit } else { closes };
            self.latest[place] = limit;
            if self.leave[place] > self.arrive[place] {
                later_on = 0.0;
            }
            if self.arrive[place] > day.nodes.latest[usize::from(node)] {
                later_on += 1.0;
            }
            self.later[place] = later_on;
            after = node;
        }
    }

    /// Puts a stop in.
    pub(super) fn insert(&mut self, day: &Day, place: usize, stop: u16) {
        self.stops.insert(place, stop);
        self.arrive.insert(place, 0.0);
        self.leave.insert(place, 0.0);
        self.latest.insert(place, 0.0);
        self.later.insert(place, 0.0);
        self.forward(day, place);
        self.backward(day);
    }

    /// Keeps the stops for which `gone` is false.
    pub(super) fn retain(&mut self, day: &Day, gone: &[bool]) {
        self.stops.retain(|&stop| !gone[usize::from(stop)]);
        self.refresh(day);
    }

    /// What a stop adds at a place; at least `most` if it is no less than that.
    #[inline(always)]
    pub(super) fn adds(
        &self,
        day: &Day,
        prices: &Prices,
        stop: u16,
        place: usize,
        most: f64,
    ) -> f64 {
        let (before, after) = (self.stops[place - 1], self.stops[place]);
        let arrival = self.leave[place - 1] + day.leg(before, stop).1;
        let adds = prices.leg(day, before, stop) + prices.leg(day, stop, after)
            - prices.leg(day, before, after)
            + prices.late * day.lateness(stop, arrival);
        let there = day.leaves(stop, arrival) + day.leg(stop, after).1;
        let over = there - self.latest[place];
        if prices.end == 0.0 && over <= 0.0 || adds >= most {
            return adds;
        }
        if !day.counts {
            // Those that are late get later by as much; and where nobody closes in between, somebody does.
            let delay = (there - self.arrive[place]).max(0.0) * self.later[place];
            let over = if day.pauses.is_empty() { over.max(0.0) } else { 0.0 };
            let least = adds + prices.late * if delay > over { delay } else { over };
            if least >= most {
                return least;
            }
        }
        self.delayed(day, prices, (place, there), (adds, most))
    }

    /// What is added if the tour comes to a place at another time, besides what is added before.
    fn delayed(
        &self,
        day: &Day,
        prices: &Prices,
        (first, mut arrival): (usize, f64),
        (mut adds, most): (f64, f64),
    ) -> f64 {
        let last = self.stops.len() - 1;
        for place in first..=last {
            let node = self.stops[place];
            let late = day.lateness(node, arrival) - day.lateness(node, self.arrive[place]);
            adds += prices.late * late;
            if place == last {
                return adds + prices.end * (arrival - self.arrive[last]);
            }
            let leave = day.leaves(node, arrival);
            if leave == self.leave[place] || adds >= most {
                break;
            }
            arrival = leave + day.leg(node, self.stops[place + 1]).1;
        }
        adds
    }

    /// What the tour costs, as the search is steered.
    pub(super) fn costs(&self, day: &Day, prices: &Prices) -> f64 {
        let legs = self.stops.windows(2).map(|leg| prices.leg(day, leg[0], leg[1]));
        let late = self.stops.iter().zip(&self.arrive).skip(1);
        let late: f64 = late.map(|(&node, &arrival)| day.lateness(node, arrival)).sum();
        let left: f64 = self.out.iter().map(|&stop| day.left_out[usize::from(stop)]).sum();
        let start = match day.objective {
            Objective::Duration => day.departure(self.order()).0,
            _ => 0.0,
        };
        let end = prices.end * (self.arrive[self.stops.len() - 1] - start);
        legs.sum::<f64>() + prices.late * late + left + end
    }
}

#[cfg(test)]
mod tests {
    use nestor_engine::random::{Key, Random};

    use super::super::{Instance, TsptwBias};
    use super::*;

    /// Stops in the plane, some of them closed in between.
    fn random_day(random: &mut Random) -> Day {
        let n = 3 + random.below(9);
        let places: Vec<[f64; 2]> =
            (0..n).map(|_| [(); 2].map(|()| random.uniform() * 9.0)).collect();
        let far = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        let matrix = places.iter().flat_map(|&a| places.iter().map(move |&b| far(a, b))).collect();
        let mut windows = vec![(0.0, 40.0)];
        let mut pauses = vec![Vec::new()];
        for _ in 1..n {
            let opens = random.uniform() * 20.0;
            windows.push((opens, opens + 2.0 + random.uniform() * 9.0));
            let closed = random.below(3) == 0;
            pauses.push(if closed { vec![(opens + 0.5, opens + 1.5)] } else { Vec::new() });
        }
        let instance = Instance {
            matrix,
            service: Some((0..n).map(|_| random.uniform()).collect()),
            windows,
            pauses: if random.below(2) == 0 { pauses } else { Vec::new() },
            selective: false,
            objective: Objective::Return,
            weight: 1e6,
            counts: random.below(3) == 0,
            pinned: Vec::new(),
            now: None,
            previous: vec![1, 2],
            change: 0.5,
            left_out: Vec::new(),
            after: Vec::new(),
            bias: TsptwBias::None,
        };
        Day::new(instance).unwrap()
    }

    #[test]
    fn what_a_stop_adds_is_what_the_tour_costs_more() {
        let mut random = Random::new(Key(8));
        for _ in 0..300 {
            let day = random_day(&mut random);
            let end = [0.0, 1.0][random.below(2)];
            let prices = Prices::new(&day, 1.0, end, 7.0, 100.0);
            let mut route = Route::new(&day, &[], &[]);
            for stop in 1..day.nodes.count {
                let before = route.costs(&day, &prices);
                let place = 1 + random.below(usize::from(stop));
                let adds = route.adds(&day, &prices, stop, place, f64::INFINITY);
                let most = adds * random.uniform() * 2.0;
                let nearly = route.adds(&day, &prices, stop, place, most);
                assert!(nearly == adds || nearly >= most && nearly <= adds + 1e-9);
                route.insert(&day, place, stop);
                assert_eq!(route, Route::new(&day, route.order(), &[]));
                assert!((before + adds - route.costs(&day, &prices)).abs() < 1e-9);
            }
            let gone: Vec<bool> = (0..day.nodes.count).map(|stop| stop % 3 == 1).collect();
            route.retain(&day, &gone);
            assert_eq!(route, Route::new(&day, route.order(), &[]));
        }
    }
}
