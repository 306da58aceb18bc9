//! Tours, ruined and recreated (slack induction by string removals, Christiaens and Vanden Berghe
//! 2020, for one vehicle).
//!
//! ```text
//! a try:
//!   take strings of neighbouring stops out, near a stop chosen at random
//!   for each stop that is out, in an order drawn anew:
//!     put it where it adds least, among the places where nobody gets late; each is skipped by chance
//!     if there is none: it stays out if some were out before, else the try has failed
//! ```
//!
//! A tour on the way makes nobody late: stops without a place stay out. Each counts more than any
//! tour costs. The counts of how often a stop was out say which are hard to place: a try is also
//! accepted if those that are out were out less often in sum. When a tour is scored, stops that are
//! out come to the place where only they are late.
//!
//! If a cycle ends with windows missed, the next one keeps all stops in the tour, and those that are late
//! may be so as long as no other gets late by them. A stop comes where it is late if it has no place
//! else; if that would make the return late, the return may be late as well, which counts as a stop
//! does; where it is in the best tour, it may be so in half of the next cycles of the first kind, too. The
//! two kinds of cycles take turns until a tour is known that misses nothing. Where a stop was out
//! too often, it is believed that something must be missed, and only the second kind is left.
//!
//! Windows make tours local in time: what is best in one part hardly depends on the others. Therefore the best
//! tour takes over the parts of the tour at the end of a cycle that are better there.
//!
//! A stop fits between two others if it can be reached in time from the first and left in time for
//! the second: `leave` has when the tour leaves each place, and `latest` when it must be there at the latest
//! for nobody after it to be late.

use std::sync::Arc;

use nestor_engine::improve::ruin::{Tried, Tries};
use nestor_engine::problem::Problem;
use nestor_engine::random::Random;
use nestor_engine::state::{Reader, Writer};

use super::legs::Legs;
use super::near::near;
use super::strings::{Skips, shuffle, take};
use super::tour::{Tour, leg};
use super::{Nodes, Objective, PENALTY, State, Tsptw, later};

/// The most tries of the first cycle.
pub(super) const FIRST: u64 = 10_000;
/// So many tries are enough for a cycle, and so many for each stop and each other one before or after
/// which it may come (benchmarks/README.md, "Tours").
const ENOUGH: u64 = 2_000;
const OPEN: f64 = 0.4;
/// The first and the last temperature, in the mean distance to one of the nearest stops.
const HOT: f64 = 2.0;
const COLD: f64 = 0.02;
/// Stops whose distance says what a leg is.
const NEAREST: usize = 5;
/// Where a stop has more places than MANY, only those beside its FEW nearest are looked at.
const MANY: usize = 120;
const FEW: usize = 40;
/// Where all stops stay in the tour, one try in so many lets the return be late from the start.
const RETURN: usize = 8;

/// Tours of an instance.
#[derive(Default)]
pub(super) struct Tours {
    n: usize,
    may_miss: bool,
    /// The tries of a cycle that is long enough.
    enough: u64,
    legs: Arc<Legs>,
    near: Vec<Vec<u16>>,
    leg: f64,
    /// What a stop counts that is out.
    pub(super) missing: f64,
    /// What a unit of cost counts where the time of return comes first.
    pub(super) tie: f64,
    present: Tour,
    changed: Tour,
    /// The place of each stop in the present tour, 0 for one that is out.
    place: Vec<u16>,
    /// How often each stop was out.
    absent: Vec<u64>,
    /// Those that are put back, and where they are.
    bag: Vec<u16>,
    gaps: Vec<usize>,
    put: Vec<(u16, usize)>,
    shifts: Vec<usize>,
    /// The complete tour that was scored last, and the best.
    scored: Vec<u16>,
    best: Vec<u16>,
    /// What the cheapest tour costs of those that were scored and miss windows.
    least: f64,
    gone: Vec<bool>,
    drawn: Vec<(f64, u16)>,
}

/// The pairs of stops whose order is open, each counted twice.
fn open(nodes: &Nodes) -> usize {
    let before = |a: usize, b: usize| nodes.earliest[a] + nodes.row(a)[b] <= nodes.latest[b];
    let all = (1..nodes.len()).flat_map(|a| (1..nodes.len()).map(move |b| (a, b)));
    all.filter(|&(a, b)| a != b && before(a, b) && before(b, a)).count()
}

impl Tours {
    /// Tours of a problem; if none `may_miss` windows, all cycles are of the first kind.
    pub(super) fn new(problem: &Tsptw, may_miss: bool) -> Self {
        let (nodes, n) = (&problem.nodes, problem.nodes.len());
        let legs = problem.legs.get_or_init(|| Arc::new(Legs::new(nodes))).clone();
        let near = (0..n).map(|node| near(nodes, node)).collect::<Vec<_>>();
        let (mut sum, mut count) = (0.0, 0);
        for (node, near) in near.iter().enumerate() {
            for &other in near.iter().take(NEAREST) {
                let other = usize::from(other);
                sum += nodes.row(node)[other].min(nodes.row(other)[node]);
                count += 1;
            }
        }
        let far = nodes.durations.iter().copied().fold(0.0, f64::max);
        Tours {
            n,
            may_miss,
            enough: ENOUGH.max((OPEN * open(nodes) as f64) as u64),
            legs,
            near,
            leg: sum / f64::from(count.max(1)),
            missing: PENALTY.max(2.0 * n as f64 * far),
            place: vec![0; n],
            absent: vec![0; n],
            least: f64::INFINITY,
            gone: vec![false; n],
            ..Tours::default()
        }
    }

    /// How many stops are out after the last try.
    pub(super) fn out(&self) -> usize {
        self.changed.out.len()
    }

    /// The present tour.
    fn set(&mut self, tour: Tour) {
        self.changed = tour.clone();
        self.present = tour;
        self.find_places();
    }

    fn find_places(&mut self) {
        self.present.out.iter().for_each(|&stop| self.place[usize::from(stop)] = 0);
        for (place, &stop) in (0..).zip(&self.present.stops) {
            self.place[usize::from(stop)] = place;
        }
        self.place[0] = 0;
    }

    /// What is minimised, of a tour.
    fn cost(&self, problem: &Tsptw, tour: &Tour) -> f64 {
        let objective = match problem.objective {
            Objective::Cost => tour.travel,
            Objective::Makespan => tour.leave[tour.stops.len() - 1] + self.tie * tour.travel,
        };
        objective + self.missing * tour.out.len() as f64
    }

    /// Takes strings out of the tour that is changed, into the bag.
    fn ruin(&mut self, problem: &Tsptw, random: &mut Random) {
        let Tours { present, place, gone, bag, near, .. } = self;
        take(&present.stops, &present.out, 0, place, near, gone, bag, random);
        self.gaps.clear();
        self.gaps.extend(self.bag.iter().map(|&stop| usize::from(self.place[usize::from(stop)])));
        self.gaps.sort_unstable();
        self.changed.remove(problem, &self.gaps);
        if self.present.is_late() {
            self.changed.admit(problem, &self.bag);
            if random.below(RETURN) == 0 && !self.changed.out.contains(&0) {
                self.changed.excuse(0);
            } else {
                self.changed.settle(problem);
            }
            self.changed.limit_all();
        } else {
            let first = self.bag.len();
            self.bag.extend(self.present.out.iter().filter(|&&node| node > 0));
            self.changed.admit(problem, &self.bag[first..]);
        }
    }

    /// Puts a stop where it is late.
    fn insert_late(&mut self, problem: &Tsptw, stop: u16, skips: &mut impl FnMut() -> bool) {
        self.changed.excuse(stop);
        let mut place = self.best_place(problem, stop, f64::INFINITY, false, skips);
        if place.is_none() && !self.changed.out.contains(&0) {
            self.changed.excuse(0);
            self.changed.limit_all();
            place = self.best_place(problem, stop, f64::INFINITY, false, skips);
        }
        let last = self.changed.stops.len() - 1;
        self.changed.insert(problem, &self.legs, place.unwrap_or(last), stop);
    }

    /// The changed tour gets all stops that are out.
    fn complete(&mut self, problem: &Tsptw) {
        let out = self.changed.out.clone();
        self.changed.out.retain(|&node| node == 0);
        for stop in out.into_iter().filter(|&node| node > 0) {
            self.insert_late(problem, stop, &mut || false);
        }
    }

    /// The tour of these moves, with those out that are late in it, and the last ones if the return is and
    /// must not be.
    pub(super) fn adopt_in_time(
        &mut self,
        problem: &Tsptw,
        moves: &[u16],
        returns_late: bool,
    ) -> f64 {
        let mut tour = Tour::new(problem, moves, if returns_late { &[0] } else { &[] });
        while let Some(late) = tour.first_late() {
            let (mut stops, mut out) = (tour.order().to_vec(), tour.out.clone());
            if stops.is_empty() {
                break;
            }
            out.push(stops.remove(late.min(stops.len()) - 1));
            tour = Tour::new(problem, &stops, &out);
        }
        self.set(tour);
        -self.cost(problem, &self.present)
    }

    /// Goes to a tour in which the parts of the present one are that are better. Returns its value.
    pub(super) fn adopt_combined(&mut self, problem: &Tsptw, moves: &[u16]) -> f64 {
        let last = self.present.out.is_empty().then(|| self.present.order().to_vec());
        let value = self.adopt(problem, moves);
        match last.filter(|_| self.present.out.is_empty()) {
            Some(last) => self.combine(problem, &last),
            None => value,
        }
    }

    /// Whether it is believed that a window must be missed.
    fn gives_up(&self) -> bool {
        let often = (self.n as u64).pow(3);
        self.may_miss && self.absent.iter().any(|&times| times >= often)
    }

    /// Parts of the present tour come in the order that the same stops have in another one, where
    /// that makes it better. Returns its value.
    fn combine(&mut self, problem: &Tsptw, other: &[u16]) -> f64 {
        let other = Tour::new(problem, other, &[]);
        let mut places = vec![0; self.n];
        other.stops.iter().enumerate().for_each(|(at, &stop)| places[usize::from(stop)] = at);
        let sums = |tour: &Tour| {
            let add = |sum: &mut f64, leg: &f64| {
                *sum += leg;
                Some(*sum)
            };
            tour.legs.iter().scan(0.0, add).collect::<Vec<_>>()
        };
        let (mut own, others) = (sums(&self.present), sums(&other));
        for first in 1..self.n {
            let (mut low, mut high) = (usize::MAX, 0);
            for last in first..self.n {
                let stops = &self.present.stops;
                let place: usize = places[usize::from(stops[last])];
                (low, high) = (low.min(place), high.max(place));
                if high - low > last - first || other.stops[low] == stops[first] {
                    continue;
                }
                let ends = leg(problem, stops[first - 1], other.stops[low])
                    + leg(problem, other.stops[high], stops[last + 1]);
                if ends + others[high] - others[low] >= own[last + 1] - own[first - 1] {
                    continue;
                }
                let part = &other.stops[low..=high];
                let order = [&stops[1..first], part, &stops[last + 1..self.n]].concat();
                let tour = Tour::new(problem, &order, &[]);
                let better = self.cost(problem, &tour) < self.cost(problem, &self.present);
                if better && tour.first_late().is_none() {
                    own = sums(&tour);
                    self.set(tour);
                    break;
                }
            }
        }
        -self.cost(problem, &self.present)
    }

    /// The place at which a stop adds least that closes at this time, of those where nobody gets late.
    fn best_place(
        &self,
        problem: &Tsptw,
        stop: u16,
        closes: f64,
        few: bool,
        skips: &mut impl FnMut() -> bool,
    ) -> Option<usize> {
        let (nodes, c) = (&problem.nodes, usize::from(stop));
        let Tour { stops, legs, leave, latest, .. } = &self.changed;
        let opens = nodes.earliest[c];
        let (rank, row) = (&self.legs.rank, self.legs.row(c));
        let start = latest[1..].partition_point(|&limit| limit < opens) + 1;
        let end = leave[..leave.len() - 1].partition_point(|&time| time <= closes) + 1;
        let mut best = (f64::INFINITY, None);
        let mut look = |place: usize| {
            let (a, b) = (usize::from(stops[place - 1]), usize::from(stops[place]));
            let (to, from) = (row[usize::from(rank[a])][0], row[usize::from(rank[b])][1]);
            let arrival = leave[place - 1] + to;
            let there = later(arrival, opens) + from;
            let adds = match problem.objective {
                Objective::Cost => to + from - legs[place],
                Objective::Makespan => {
                    later(there, nodes.earliest[b]) - leave[place]
                        + self.tie * (to + from - legs[place])
                }
            };
            if adds < best.0 && arrival <= closes && there <= latest[place] && !skips() {
                best = (adds, Some(place));
            }
        };
        if few && end.saturating_sub(start) > MANY {
            for &other in self.near[c].iter().take(FEW) {
                let at = self.now(other);
                if at > 0 {
                    (at..at + 2).filter(|place| (start..end).contains(place)).for_each(&mut look);
                }
            }
            look(start);
            look(end - 1);
        } else {
            (start..end).for_each(&mut look);
        }
        best.1
    }

    /// Where a stop is in the tour that is changed; 0 if it is out.
    fn now(&self, stop: u16) -> usize {
        let before = usize::from(self.place[usize::from(stop)]);
        let gaps = self.gaps.partition_point(|&gap| gap < before);
        if before == 0 || self.gaps.get(gaps) == Some(&before) {
            let put = self.put.iter().find(|&&(other, _)| other == stop);
            return put.map_or(0, |&(_, place)| place);
        }
        self.shifts.iter().fold(before - gaps, |at, &shift| at + usize::from(at >= shift))
    }

    fn sum_absent(&self, out: &[u16]) -> u64 {
        out.iter().map(|&stop| self.absent[usize::from(stop)]).sum()
    }
}

impl Tries<Tsptw> for Tours {
    fn first(&self) -> u64 {
        FIRST.min(self.enough)
    }

    fn hot(&self) -> f64 {
        HOT
    }

    fn temperatures(&self) -> Option<[f64; 2]> {
        Some([HOT * self.leg, COLD * self.leg])
    }

    /// From nothing.
    fn begin(&mut self, problem: &Tsptw, _variant: u32, random: &mut Random) -> f64 {
        let all: Vec<u16> = (1..problem.nodes.count).collect();
        self.set(Tour::new(problem, &[], &all));
        self.attempt(problem, random, f64::NEG_INFINITY);
        self.keep(problem);
        -self.cost(problem, &self.present)
    }

    fn adopt(&mut self, problem: &Tsptw, moves: &[u16]) -> f64 {
        self.set(Tour::complete(problem, moves));
        -self.cost(problem, &self.present)
    }

    fn attempt(&mut self, problem: &Tsptw, random: &mut Random, _floor: f64) -> Tried {
        self.bag.clear();
        self.put.clear();
        self.shifts.clear();
        let (complete, late) = (self.present.out.is_empty(), self.present.is_late());
        if !complete && !late && self.gives_up() {
            self.complete(problem);
            // Whatever it is worth, it is to be scored.
            return Tried { value: f64::INFINITY, insists: true };
        }
        self.ruin(problem, random);
        shuffle(&problem.nodes, &mut self.bag, &mut self.drawn, random);
        let mut skips = Skips::new(random);
        let mut skip = || skips.skip();
        for index in 0..self.bag.len() {
            let stop = self.bag[index];
            let closes = problem.nodes.latest[usize::from(stop)];
            match self.best_place(problem, stop, closes, complete, &mut skip) {
                Some(place) => {
                    self.changed.insert(problem, &self.legs, place, stop);
                    self.put.iter_mut().for_each(|(_, at)| *at += usize::from(*at >= place));
                    self.put.push((stop, place));
                    self.shifts.push(place);
                }
                None if complete => return Tried { value: f64::NEG_INFINITY, insists: false },
                None if late => self.insert_late(problem, stop, &mut skip),
                None => self.changed.excuse(stop),
            }
        }
        if late {
            self.changed.settle(problem);
            return Tried { value: -self.cost(problem, &self.changed), insists: false };
        }
        let insists = !complete && {
            let new = self.sum_absent(&self.changed.out);
            let old = self.sum_absent(&self.present.out);
            new < old
        };
        for &node in &self.changed.out {
            self.absent[usize::from(node)] += u64::from(node > 0);
        }
        Tried { value: -self.cost(problem, &self.changed), insists }
    }

    fn keep(&mut self, _problem: &Tsptw) {
        self.present.copy(&self.changed);
        self.find_places();
    }

    fn undo(&mut self, _problem: &Tsptw) {
        self.changed.copy(&self.present);
    }

    /// Where windows are missed, tours of the two kinds of cycles are not worth the same.
    fn guided(&self) -> bool {
        self.present.is_late()
    }

    fn score(&mut self, problem: &Tsptw) -> f64 {
        self.present.travel = self.present.legs.iter().sum();
        self.changed.travel = self.present.travel;
        if self.present.is_late() {
            let cost = self.cost(problem, &self.present);
            if cost >= self.least {
                return f64::NEG_INFINITY;
            }
            self.least = cost;
        } else {
            self.complete(problem);
        }
        self.scored.clear();
        self.scored.extend_from_slice(self.changed.order());
        self.changed.copy(&self.present);
        // By the rules, but without a list of what is unvisited, which takes long.
        let mut state = State { time: problem.nodes.earliest[0], ..State::default() };
        self.scored.iter().for_each(|&stop| state.go(&problem.nodes, stop));
        problem.score(&state)
    }

    /// By the rules somebody may be late, by what rounding makes of a sum.
    fn exact(&self, problem: &Tsptw) -> Option<f64> {
        let late = self.present.out.is_empty() && self.present.first_late().is_some();
        Some(-(self.cost(problem, &self.present) + f64::from(late) * self.missing))
    }

    fn moves(&self, _problem: &Tsptw, moves: &mut Vec<u16>) {
        moves.clone_from(&self.scored);
    }

    fn remember(&mut self) {
        self.best.clone_from(&self.scored);
    }

    fn recall(&mut self, problem: &Tsptw, _variant: u32) -> f64 {
        let best = std::mem::take(&mut self.best);
        let turns = self.present.is_late() && !self.gives_up();
        let mut value = self.adopt_combined(problem, &best);
        if turns && !self.present.out.is_empty() {
            // Where the return is late, it is allowed to be so every other time, as chance would have it.
            let even = self.sum_absent(&best).is_multiple_of(2);
            let returns_late = even && self.present.out.contains(&0);
            value = self.adopt_in_time(problem, &best, returns_late);
        }
        self.best = best;
        value
    }

    fn combines(&self) -> Option<u64> {
        self.present.out.is_empty().then_some(self.enough)
    }

    fn write(&self, writer: &mut Writer) {
        let Tour { out, travel, .. } = &self.present;
        writer.put(&(self.present.order(), out, travel, &self.best, &self.absent));
    }

    fn read(&mut self, problem: &Tsptw, reader: &mut Reader) -> Result<(), String> {
        let (stops, out, travel, best, absent): (Vec<u16>, Vec<u16>, f64, Vec<u16>, Vec<u64>) =
            reader.take()?;
        let all = |stops: &[u16]| {
            let mut sorted = stops.to_vec();
            sorted.sort_unstable();
            sorted.is_empty() || sorted.into_iter().eq(1..problem.nodes.count)
        };
        let mut together = stops.clone();
        if stops.len() + 1 < self.n {
            together.extend(out.iter().filter(|&&node| node > 0));
        }
        let known = out.iter().all(|&node| node < problem.nodes.count);
        let sizes = absent.len() == self.n && together.len() == best.len();
        if !(known && sizes && all(&together) && all(&best)) {
            return Err("its tour is not one of the problem".into());
        }
        if !together.is_empty() {
            self.set(Tour { travel, ..Tour::new(problem, &stops, &out) });
        }
        (self.best, self.absent) = (best, absent);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tsptw::tests::{instance, problem};

    #[test]
    fn tours_combine_where_that_is_better_and_in_time() {
        let far = |a: i32, b: i32| f64::from(10 * (a - b).abs());
        for (opens, closes, combined) in [
            (0.0, 999.0, [1, 2, 3, 4, 5, 6, 7, 8]),
            // Stop 5 would be late after 4.
            (60.0, 50.0, [1, 2, 3, 5, 4, 6, 7, 8]),
        ] {
            let matrix = (0..9).map(|a| (0..9).map(|b| far(a, b)).collect()).collect();
            let mut windows = vec![(0.0, 999.0); 9];
            (windows[4].0, windows[5].1) = (opens, closes);
            let problem = problem(instance(matrix, windows));
            let mut tours = Tours::new(&problem, true);
            tours.adopt(&problem, &[1, 2, 3, 5, 4, 6, 7, 8]);
            let value = tours.combine(&problem, &[2, 1, 3, 4, 5, 6, 8, 7]);
            assert_eq!(tours.present.order(), combined);
            assert_eq!(value, tours.adopt(&problem, &combined));
        }
    }
}
