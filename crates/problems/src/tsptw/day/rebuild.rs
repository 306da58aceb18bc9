//! Tours of a day, ruined and recreated: a stop comes where it adds least, also if somebody is late then.
//!
//! Where lateness comes before all else, and there is nothing but windows, two ways take turns, a cycle
//! each: that of [`super::super::ruin`], which lets nobody be late, and this one. The first way's cycle
//! ends early where it finds no place for more stops. As soon as a tour is known by which nobody is late,
//! only the first way is left, with the parts that are better in the last tour: from then on both look
//! for the same.

use nestor_engine::improve::ruin::{Tried, Tries};
use nestor_engine::random::Random;
use nestor_engine::state::{Reader, Writer};

use super::super::ruin::{FIRST as STRICT, Tours};
use super::super::strings::{Skips, shuffle, take};
use super::super::{Objective as Strict, PENALTY, Tsptw, TsptwBias};
use super::route::{Prices, Route};
use super::{Day, Objective};

/// The tries of the first cycle.
const FIRST: u64 = 1_000;
/// The first and the last temperature, in the mean distance to one of the nearest stops.
const HOT: f64 = 10.0;
const COLD: f64 = 0.02;
/// How much hotter cycles are by turns where lateness has a price: a leg is little beside it.
const HOTTER: [f64; 2] = [10.0, 3.0];
/// Stops whose distance says what a leg is, and the most stops near another one.
const NEAREST: usize = 5;
const NEAR: usize = 100;
/// What a unit of lateness counts while it comes before all else, and what a leg without a way counts in
/// the mean distance to one of the nearest stops, by turns: little, so that tours may pass through worse
/// ones, and much. A node that is late counts as much as a unit of that distance; there much comes first.
const LATES: [f64; 4] = [1.0, 10.0, 3.0, 1e4];
const GAPS: [f64; 4] = [30.0, 1e3, 100.0, 1e6];
/// The way by which nobody is late gives up after so many tries for each stop, but at most so many, without a
/// place for one more; in each cycle after twice as many as in the one before.
const IDLE: u64 = 20;
const IDLEST: u64 = 1_000;
/// Where there are fewer stops, a try counts for more: cycles are shorter.
const FEW: usize = 64;
/// What a unit of cost counts in tries where the time comes first: more than in the score.
const BESIDE: f64 = 1e-3;

/// Tours of an instance.
#[derive(Default)]
pub(super) struct Rebuild {
    near: Vec<Vec<u16>>,
    leg: f64,
    /// What a stop that is left out costs, the middle one in legs, and at least one. Where it costs much,
    /// so does lateness, or all stops would be visited late.
    stake: f64,
    /// How much hotter the cycle is than others.
    hotter: f64,
    /// The work of the first cycle.
    first: u64,
    /// The way by which nobody is late.
    strict: Option<(Tsptw, Tours)>,
    /// Whether its turn it is.
    is_strict: bool,
    /// The cycles so far, and whether the best tour is in time.
    cycles: u32,
    in_time: bool,
    /// The fewest stops that were out in this cycle, and the tries since.
    fewest: usize,
    idle: u64,
    prices: Prices,
    /// Where the time comes first, a stop may also be put where it costs least.
    by_cost: Prices,
    present: Route,
    changed: Route,
    /// The place of each stop in the present tour, 0 for one that is out.
    place: Vec<u16>,
    bag: Vec<u16>,
    gone: Vec<bool>,
    drawn: Vec<(f64, u16)>,
    /// The tour that was scored last, and the best.
    scored: Vec<u16>,
    best: Vec<u16>,
}

impl Rebuild {
    pub(super) fn new(day: &Day) -> Self {
        let n = day.nodes.len();
        let strict = day.strict().map(|problem| {
            let mut tours = Tours::new(&problem, false);
            if day.objective == Objective::Return {
                tours.tie = super::TIE;
            }
            (problem, tours)
        });
        let mut rebuild = Rebuild {
            stake: 1.0,
            hotter: 1.0,
            first: match &strict {
                // This way puts stops where they cost least, too: among equal times of return it has its turn soon.
                Some(_) if day.objective != Objective::Return => STRICT,
                _ => FIRST,
            },
            is_strict: strict.is_some(),
            strict,
            fewest: n,
            place: vec![0; n],
            gone: vec![false; n],
            ..Rebuild::default()
        };
        rebuild.get_ready(day);
        rebuild
    }

    /// Gets ready for a cycle by which somebody may be late, if it is one.
    fn get_ready(&mut self, day: &Day) {
        if self.is_strict {
            return;
        }
        if self.near.is_empty() {
            self.find_near(day);
        }
        self.set_prices(day);
    }

    /// Finds which stops are near each other, and how far that is.
    fn find_near(&mut self, day: &Day) {
        let far = |a: u16, b: u16| {
            let way = |a, b| if day.gap(a, b) { f64::INFINITY } else { day.leg(a, b).1 };
            way(a, b).min(way(b, a))
        };
        let (mut sum, mut count) = (0.0, 0);
        let near = (0..day.nodes.count).map(|node| {
            let others = (1..day.nodes.count).filter(|&other| other != node);
            let mut others: Vec<(f64, u16)> =
                others.map(|other| (far(node, other), other)).collect();
            others.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            others.truncate(NEAR);
            for (far, _) in others.iter().take(NEAREST).filter(|(far, _)| far.is_finite()) {
                sum += far;
                count += 1;
            }
            others.into_iter().map(|(_, other)| other).collect()
        });
        self.near = near.collect();
        self.leg = if sum > 0.0 { sum / f64::from(count) } else { 1.0 };
        let costs = day.left_out.iter().copied().filter(|cost| cost.is_finite());
        let mut costs: Vec<f64> = costs.collect();
        costs.sort_unstable_by(f64::total_cmp);
        let middle = costs.get(costs.len() / 2).map_or(0.0, |&cost| cost);
        self.stake = (middle / self.leg).max(1.0);
        self.hotter = self.stake.sqrt();
    }

    /// Sets what counts in this cycle.
    fn set_prices(&mut self, day: &Day) {
        let (distance, end) = match day.objective {
            Objective::Cost => (1.0, 0.0),
            Objective::Makespan => (0.0, 1.0),
            Objective::Return | Objective::Duration => (BESIDE, 1.0),
        };
        let soft = if self.strict.is_some() { self.cycles / 2 } else { self.cycles };
        let turn = (soft as usize + if day.counts { LATES.len() - 1 } else { 0 }) % LATES.len();
        let late = match (day.weight == PENALTY, day.counts) {
            (false, _) => day.weight,
            (true, true) => LATES[turn] * self.leg * self.stake,
            (true, false) => LATES[turn] * self.stake,
        };
        if day.weight != PENALTY {
            self.hotter = HOTTER[self.cycles as usize % HOTTER.len()];
        }
        // Every other time no lateness outweighs a leg without a way.
        let most = if turn % 2 == 1 { late * day.most_late() } else { 0.0 };
        let gap = (GAPS[turn] * self.leg * self.stake).max(most);
        self.prices = Prices::new(day, distance, end, late, gap);
        if end > 0.0 {
            self.by_cost = Prices::new(day, 1.0, 0.0, late, gap);
        }
    }

    /// The value of a tour. Beside the other way, none is worth as much as one by which nobody is late.
    fn value(&self, day: &Day, route: &Route) -> f64 {
        let less = self.strict.as_ref().map_or(0.0, |(_, tours)| tours.missing);
        -(route.costs(day, &self.prices) + less)
    }

    fn set(&mut self, route: Route) {
        self.present = route;
        self.changed.copy(&self.present);
        self.find_places();
    }

    fn find_places(&mut self) {
        self.place.fill(0);
        for (place, &stop) in (0..).zip(&self.present.stops) {
            self.place[usize::from(stop)] = place;
        }
        self.place[0] = 0;
    }

    /// The tour of a sequence of moves becomes the present one.
    fn take_over(&mut self, day: &Day, moves: &[u16]) -> f64 {
        let stops = moves.strip_suffix(&[0]).unwrap_or(moves);
        let mut visited = vec![false; day.nodes.len()];
        stops.iter().for_each(|&stop| visited[usize::from(stop)] = true);
        let out: Vec<u16> =
            (1..day.nodes.count).filter(|&stop| !visited[usize::from(stop)]).collect();
        self.set(Route::new(day, &day.ordered(stops), &out));
        self.value(day, &self.present)
    }

    /// The places between which a stop may come, by the order that is asked for.
    fn range(&self, day: &Day, stop: u16) -> (usize, usize) {
        let stops = &self.changed.stops;
        let (mut first, mut last) = (1 + day.pinned.len(), stops.len() - 1);
        if let Some(ahead) = day.ahead.get(usize::from(stop)) {
            for (place, &other) in stops.iter().enumerate().skip(1).take(stops.len() - 2) {
                if ahead.contains(&other) {
                    first = first.max(place + 1);
                } else if day.ahead[usize::from(other)].contains(&stop) {
                    last = last.min(place);
                }
            }
        }
        (first, last)
    }

    /// The place where a stop adds least, and what it adds there.
    fn best_place(&self, day: &Day, by_cost: bool, stop: u16, skips: &mut Skips) -> (f64, usize) {
        let prices = if by_cost { &self.by_cost } else { &self.prices };
        let (first, last) = self.range(day, stop);
        let mut best = (f64::INFINITY, first);
        for place in first..=last {
            let adds = self.changed.adds(day, prices, stop, place, best.0);
            if adds < best.0 && !skips.skip() {
                best = (adds, place);
            }
        }
        best
    }
}

impl Day {
    /// More than what all stops together can be late, if they are driven by the ways that there are.
    fn most_late(&self) -> f64 {
        let longest = |most: f64, time: f64| if time.is_finite() { most.max(time) } else { most };
        let nodes = || 0..self.nodes.count;
        let opens = self.nodes.earliest.iter().chain(&self.nodes.latest).copied();
        let legs = nodes().flat_map(|a| nodes().map(move |b| (a, b)));
        let legs = legs.filter(|&(a, b)| !self.gap(a, b)).map(|(a, b)| self.leg(a, b).1);
        let count = f64::from(self.nodes.count);
        count * (opens.fold(0.0, longest) + count * legs.fold(0.0, longest))
    }

    /// The problem whose tours make nobody late, if those that are best by it are best by this one, too.
    fn strict(&self) -> Option<Tsptw> {
        let objective = match self.objective {
            Objective::Cost => Strict::Cost,
            Objective::Makespan | Objective::Return => Strict::Makespan,
            Objective::Duration => return None,
        };
        let plain = self.pauses.is_empty() && self.gaps.is_empty() && self.pinned.is_empty();
        let mandatory = self.left_out.iter().all(|cost| !cost.is_finite());
        let first = self.weight == PENALTY;
        let free = self.change == 0.0 && self.ahead.is_empty();
        let one = || Tsptw::of(self.nodes.clone(), false, objective, TsptwBias::None);
        (plain && mandatory && first && free).then(one)
    }
}

impl Tries<Day> for Rebuild {
    fn first(&self) -> u64 {
        self.first
    }

    fn hot(&self) -> f64 {
        HOT
    }

    fn temperatures(&self) -> Option<[f64; 2]> {
        if let Some((_, tours)) = self.strict.as_ref().filter(|_| self.is_strict) {
            return tours.temperatures();
        }
        Some([self.hotter * HOT * self.leg, COLD * self.leg])
    }

    /// From what is fixed.
    fn begin(&mut self, day: &Day, variant: u32, random: &mut Random) -> f64 {
        if let Some((problem, tours)) = self.strict.as_mut().filter(|_| self.is_strict) {
            return tours.begin(problem, variant, random);
        }
        self.take_over(day, &day.pinned);
        self.attempt(day, random, f64::NEG_INFINITY);
        self.keep(day);
        self.value(day, &self.present)
    }

    fn adopt(&mut self, day: &Day, moves: &[u16]) -> f64 {
        if let Some((problem, tours)) = self.strict.as_mut().filter(|_| self.is_strict) {
            return tours.adopt_in_time(problem, moves, false);
        }
        self.take_over(day, moves)
    }

    fn attempt(&mut self, day: &Day, random: &mut Random, floor: f64) -> Tried {
        if let Some((problem, tours)) = self.strict.as_mut().filter(|_| self.is_strict) {
            let tried = tours.attempt(problem, random, floor);
            let out = tours.out();
            self.idle = if out < self.fewest { 0 } else { self.idle + 1 };
            self.fewest = self.fewest.min(out);
            return tried;
        }
        let fixed = day.pinned.len();
        let Rebuild { present, changed, place, near, gone, bag, drawn, .. } = self;
        bag.clear();
        take(&present.stops, &present.out, fixed, place, near, gone, bag, random);
        bag.iter().for_each(|&stop| gone[usize::from(stop)] = true);
        changed.retain(day, gone);
        bag.iter().for_each(|&stop| gone[usize::from(stop)] = false);
        bag.extend_from_slice(&present.out);
        shuffle(&day.nodes, bag, drawn, random);
        changed.out.clear();
        let by_cost = self.prices.end > 0.0 && random.below(2) == 0;
        // At times a stop may add more than what it costs to leave it out: others may come with it.
        let share = if random.below(2) == 0 { 1.0 } else { random.uniform() };
        let mut skips = Skips::new(random);
        for index in 0..self.bag.len() {
            let stop = self.bag[index];
            let (adds, place) = self.best_place(day, by_cost, stop, &mut skips);
            if adds * share > day.left_out[usize::from(stop)] {
                self.changed.out.push(stop);
            } else {
                self.changed.insert(day, place, stop);
            }
        }
        Tried { value: self.value(day, &self.changed), insists: false }
    }

    fn keep(&mut self, _day: &Day) {
        if let Some((problem, tours)) = self.strict.as_mut().filter(|_| self.is_strict) {
            return tours.keep(problem);
        }
        self.present.copy(&self.changed);
        self.find_places();
    }

    fn undo(&mut self, _day: &Day) {
        if let Some((problem, tours)) = self.strict.as_mut().filter(|_| self.is_strict) {
            return tours.undo(problem);
        }
        self.changed.copy(&self.present);
    }

    /// The best is told by the rules, also of tours that steer the search less well.
    fn guided(&self) -> bool {
        !self.is_strict
    }

    fn score(&mut self, day: &Day) -> f64 {
        self.scored.clear();
        match self.strict.as_mut().filter(|_| self.is_strict) {
            Some((problem, tours)) => {
                tours.score(problem);
                tours.moves(problem, &mut self.scored);
            }
            None => {
                self.scored.extend_from_slice(self.present.order());
                if !self.present.out.is_empty() {
                    self.scored.push(0);
                }
            }
        }
        day.value(&self.scored)
    }

    fn exact(&self, _day: &Day) -> Option<f64> {
        let (problem, tours) = self.strict.as_ref().filter(|_| self.is_strict)?;
        tours.exact(problem)
    }

    fn moves(&self, _day: &Day, moves: &mut Vec<u16>) {
        moves.clone_from(&self.scored);
    }

    fn work(&self) -> u64 {
        if self.is_strict { 1 } else { (FEW / self.place.len()).max(1) as u64 }
    }

    fn exhausted(&self) -> bool {
        let most = (IDLE * self.place.len() as u64).min(IDLEST) << self.cycles.min(u64::BITS / 2);
        self.is_strict && self.fewest > 0 && self.idle >= most
    }

    fn remember(&mut self) {
        if let Some((_, tours)) = self.strict.as_mut().filter(|_| self.is_strict) {
            tours.remember();
        }
        self.best.clone_from(&self.scored);
    }

    /// The next cycle begins, of the one way or the other.
    fn recall(&mut self, day: &Day, _variant: u32) -> f64 {
        self.cycles += 1;
        let best = std::mem::take(&mut self.best);
        let was_strict = self.is_strict;
        let sums = day.drive(&best, day.nodes.earliest[0], |_| ());
        self.in_time = sums.late == 0.0 && day.objective != Objective::Return;
        self.is_strict = self.strict.is_some() && (self.in_time || self.cycles.is_multiple_of(2));
        (self.fewest, self.idle) = (day.nodes.len(), 0);
        self.get_ready(day);
        let value = match self.strict.as_mut().filter(|_| self.in_time && was_strict) {
            Some((problem, tours)) => tours.adopt_combined(problem, &best),
            None => self.adopt(day, &best),
        };
        self.best = best;
        value
    }

    fn combines(&self) -> Option<u64> {
        let (_, tours) = self.strict.as_ref().filter(|_| self.is_strict && self.in_time)?;
        tours.combines()
    }

    fn write(&self, writer: &mut Writer) {
        let Route { out, .. } = &self.present;
        let at = (self.cycles, self.in_time, self.fewest, self.idle);
        writer.put(&(at, self.present.order(), out, &self.best));
        if let Some((_, tours)) = &self.strict {
            tours.write(writer);
        }
    }

    fn read(&mut self, day: &Day, reader: &mut Reader) -> Result<(), String> {
        type At = (u32, bool, usize, u64);
        let (at, stops, out, best): (At, Vec<u16>, Vec<u16>, Vec<u16>) = reader.take()?;
        let known = |moves: &[u16], complete: bool| {
            let mut sorted = moves.strip_suffix(&[0]).unwrap_or(moves).to_vec();
            sorted.sort_unstable();
            let distinct = sorted.windows(2).all(|pair| pair[0] < pair[1]);
            let all = !complete || sorted.len() + 1 == day.nodes.len();
            let inside = |&stop: &u16| (1..day.nodes.count).contains(&stop);
            sorted.is_empty() || distinct && all && sorted.iter().all(inside)
        };
        if !known(&[&stops[..], &out].concat(), true) || !known(&best, false) {
            return Err("its tour is not one of the problem".into());
        }
        (self.cycles, self.in_time, self.fewest, self.idle) = at;
        self.best = best;
        let turn = self.in_time || self.cycles.is_multiple_of(2);
        self.is_strict = self.strict.is_some() && turn;
        self.get_ready(day);
        if !(stops.is_empty() && out.is_empty()) {
            self.set(Route::new(day, &stops, &out));
        }
        self.strict.as_mut().map_or(Ok(()), |(problem, tours)| tours.read(problem, reader))
    }
}
