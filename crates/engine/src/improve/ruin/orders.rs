//! Tries at the order of a sequence, by the user's rules alone.
//!
//! ```text
//! with probability 0.06:  take out one to three items, half the time neighbours
//!                         put them at the end, in random order
//!                         each of them goes to the best of all places before those still out
//! otherwise:              reverse a stretch, swap two items, or move a block, or the same backwards
//!                         where moves stand for each other, half the time: play another one at a place
//! ```
//!
//! An item that comes back takes as many evaluations as there are places, and at first random changes gain
//! more with them: so the probability grows from 0, the more slowly the longer the order is. Where an item
//! comes several times, as a job of a job shop does, most places are the same to it: it is as rare as the
//! item is frequent.
//!
//! With few evaluations all of them go to random changes. Some move a single item, and the less those of a
//! kind made worse so far, the more often it comes: tours soon have stretches reversed, and schedules have
//! not.
//!
//! Where moves stand for each other, each of the items comes back as the best of all that may stand there.
//!
//! Whatever is evaluated is a complete order, so nothing is asked of the rules for it. Each is one
//! sequence of the search: in between, the search can be saved, and the clock is looked at.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::operators::{Change, Worsenings};
use super::replays::Light;
use super::seen::SHORT;
use super::ways::{Chosen, Ways};
use super::{Ruin, Tried, Tries, drawn};
use crate::improve::Improver;
use crate::problem::{Moves, Problem};
use crate::random::{Random, mix};
use crate::state::{Reader, Writer};

/// The share of tries that ruin and recreate.
const RUIN: f64 = 0.06;

/// This share is reached after so many tries for each pair of places; until then it grows evenly.
const GROWS: f64 = 4.0;

/// They take out at most so many items.
const MOST: usize = 3;

/// Places of a replay in the first cycle, as if every order were replayed from its first change on.
const FIRST: u64 = 50_000;

/// The first temperature, as a share of the mean worsening.
const HOT: f64 = 0.03;

/// Where moves stand for each other, the share is at most one by the number of moves that there are for
/// all places of an order, since so many replays bring an item back; and the first temperature is this one by
/// their number, but at most `HOTTEST`: the more there is to choose, the colder an order begins to melt.
const MELTS: f64 = 2.4;
const HOTTEST: f64 = 0.2;

/// One random change in so many is then of a choice.
const CHOICES: usize = 2;

/// What is said of a state of something else.
const FOREIGN: &str = "its order is not one of the problem";

/// Evaluates orders of the items of a sequence.
pub trait Orders<P: Problem>: Send + Sync {
    /// What an item is, and a light replay of such an order.
    type Light: Light<P>;

    /// Replays an order, which becomes the present one.
    fn begin(&mut self, problem: &P, order: &[u32]);

    /// What steers, at an order that differs from the present one at the places of a window; minus
    /// infinity if it is seen on the way to be less than `floor`. The window may have more items than
    /// the present order has there, but then the order is not accepted.
    fn evaluate(&mut self, problem: &P, order: &[u32], window: Range<usize>, floor: f64) -> f64;

    /// The order that was evaluated last becomes the present one. Calling it twice undoes the change.
    fn accept(&mut self);

    /// What steers, at the present order.
    fn value(&mut self, problem: &P) -> f64;

    /// The score of the present order; `value` is what steers there, if that is the score.
    fn score(&mut self, problem: &P, value: Option<f64>) -> f64;

    /// Puts the moves of the present order, which has this score, into `moves`.
    fn moves(&self, problem: &P, order: &[u32], score: f64, moves: &mut Vec<P::Move>);
}

/// The local search of a problem whose orders these evaluate. `guided` says whether it has a guide that
/// is not its score.
pub fn orders<P: Problem + 'static>(
    orders: impl Orders<P> + 'static,
    guided: bool,
) -> Box<dyn Improver<P>> {
    Box::new(Ruin::new(Permutations::new(orders, guided)))
}

/// A present order, a changed one, and the best so far.
pub(super) struct Permutations<P: Problem, O> {
    orders: O,
    guided: bool,
    ways: Ways,
    /// With few evaluations, what the operators made worse, and the one of the last try.
    worsenings: Option<Worsenings>,
    operator: Option<usize>,
    present: Known,
    best: Known,
    /// The ruin and recreate that goes on.
    recreated: Option<Recreated>,
    /// The order that was evaluated last. If it was kept, it is the one that was present before.
    changed: Known,
    kept: bool,
    /// The ruin and recreate that the last try ended, before its last evaluation.
    ended: Option<Recreated>,
    /// Whether `orders` has what the next evaluation is compared with.
    ready: bool,
    work: u64,
    /// The sequences tried so far.
    age: u64,
    /// How many different items there are for each place.
    variety: f64,
    scored: Vec<P::Move>,
}

/// An order and what steers there.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Known {
    order: Vec<u32>,
    value: f64,
}

/// Items on their way back.
#[derive(Clone, Serialize, Deserialize)]
struct Recreated {
    /// All items but one, of which the last `out` are out, too.
    others: Vec<u32>,
    out: usize,
    item: u32,
    /// The next place to try, and how many there are with it.
    next: usize,
    left: usize,
    /// The best place so far, and what steers with the item there.
    place: usize,
    value: f64,
    #[serde(skip)]
    chosen: Chosen,
}

impl Recreated {
    /// Takes items out of an order of at least two.
    fn ruin(order: &[u32], ways: &mut Ways, random: &mut Random) -> Self {
        let count = (1 + random.below(MOST)).min(order.len() - 1);
        let (mut out, mut places) = (Vec::new(), Vec::new());
        if random.below(2) == 0 {
            let first = random.below(order.len() + 1 - count);
            places.extend(first..first + count);
        }
        while places.len() < count {
            let place = random.below(order.len());
            if !places.contains(&place) {
                places.push(place);
            }
        }
        let mut others = Vec::with_capacity(order.len());
        for (place, &item) in order.iter().enumerate() {
            if places.contains(&place) { &mut out } else { &mut others }.push(item);
        }
        (1..count).for_each(|last| out.swap(last, random.below(last + 1)));
        others.append(&mut out);
        let (item, next, left, place, value, mut chosen) = <(_, _, _, _, _, Chosen)>::default();
        if !ways.none() {
            chosen.order.extend_from_slice(order);
        }
        let mut ruin = Recreated { others, out: count, item, next, left, place, value, chosen };
        ruin.go_on(ways, random);
        ruin
    }

    /// Goes on with the last of the items that are out.
    fn go_on(&mut self, ways: &mut Ways, random: &mut Random) {
        self.item = self.others.pop().unwrap_or_default();
        self.out -= 1;
        ways.settle(&self.chosen.order, &mut self.others);
        self.left = self.places();
        self.next = random.below(self.left);
        (self.place, self.value) = (self.next, f64::NEG_INFINITY);
        if !ways.none() {
            let mut order = Vec::new();
            self.with_item(self.place, ways, &mut order);
            (self.chosen.way, self.chosen.item) = (0, order[self.place]);
        }
    }

    /// The item is at its best place, and the next one comes back.
    fn settle(&mut self, ways: &mut Ways, random: &mut Random) {
        if !ways.none() {
            let mut order = Vec::new();
            self.with_best(ways, &mut order);
            self.chosen.order = order;
        }
        self.others.insert(self.place, self.item);
        self.go_on(ways, random);
    }

    fn places(&self) -> usize {
        self.others.len() + 1 - self.out
    }

    /// Puts the order with the item at a place into `order`.
    fn with_item(&self, place: usize, ways: &mut Ways, order: &mut Vec<u32>) {
        order.clear();
        order.extend_from_slice(&self.others[..place]);
        order.push(self.item);
        order.extend_from_slice(&self.others[place..]);
        ways.settle(&self.chosen.order, order);
    }

    /// How far behind the item places have other moves than without it: those of later times of its task.
    fn shifted(&self, ways: &Ways, order: &[u32]) -> usize {
        if ways.none() {
            return 0;
        }
        let mut behind = order[self.next + 1..].iter().zip(&self.others[self.next..]);
        behind.rposition(|(item, other)| item != other).map_or(0, |last| last + 1)
    }

    /// Puts the order with the item at its best place into `order`.
    fn with_best(&self, ways: &mut Ways, order: &mut Vec<u32>) {
        self.with_item(self.place, ways, order);
        if !ways.none() {
            order[self.place] = self.chosen.item;
        }
    }

    /// Whether it is a part of a try at an order with these items, sorted, or with others that stand
    /// for them.
    fn fits(&self, items: &[u32], ways: &mut Ways) -> bool {
        if self.out > self.others.len()
            || !(1..=self.places()).contains(&self.left)
            || self.next.max(self.place) >= self.places()
            || self.value.is_nan()
        {
            return false;
        }
        let mut order = Vec::new();
        self.with_best(ways, &mut order);
        if !ways.none() {
            let mut others = self.others.clone();
            ways.settle(&self.chosen.order, &mut others);
            return others == self.others && ways.fit(&self.chosen.order) && ways.fit(&order);
        }
        order.sort_unstable();
        order == items
    }
}

/// The items of an order, from the least to the greatest.
fn sorted(order: &[u32]) -> Vec<u32> {
    let mut items = order.to_vec();
    items.sort_unstable();
    items
}

/// How many different items sorted ones have, for each of them.
fn variety(items: &[u32]) -> f64 {
    items.chunk_by(|item, next| item == next).count() as f64 / items.len() as f64
}

impl<P: Problem, O: Orders<P>> Permutations<P, O> {
    pub(super) fn new(orders: O, guided: bool) -> Self {
        Permutations {
            orders,
            guided,
            ways: Ways::default(),
            worsenings: None,
            operator: None,
            present: Known::default(),
            best: Known::default(),
            recreated: None,
            changed: Known::default(),
            kept: false,
            ended: None,
            ready: false,
            work: 0,
            age: 0,
            variety: 1.0,
            scored: Vec::new(),
        }
    }

    /// Makes the order of a game the present one; at each state `choose` says which move is played.
    /// If the problem fails, nothing changes. Otherwise `undo` may come next.
    fn play(&mut self, problem: &P, mut choose: impl FnMut(&[P::Move], &[f64]) -> P::Move) -> f64 {
        let (mut moves, mut codes, mut biases) = (Vec::new(), Vec::new(), Vec::new());
        let (mut order, mut game, mut state) = (Vec::new(), Vec::new(), problem.initial());
        self.kept = false;
        problem.reset(&mut state);
        loop {
            moves.clear();
            codes.clear();
            biases.clear();
            problem.moves(&mut state, &mut Moves::new(&mut moves, &mut codes, &mut biases));
            if moves.is_empty() {
                break;
            }
            let chosen = choose(&moves, &biases);
            order.push(O::Light::item(problem, &state, chosen));
            if O::Light::tasks(problem) {
                let task = O::Light::task(problem, &state, chosen);
                let same = moves.iter().filter(|mv| O::Light::task(problem, &state, **mv) == task);
                game.push((task, same.map(|mv| O::Light::item(problem, &state, *mv)).collect()));
            }
            problem.play(&mut state, chosen);
        }
        self.orders.begin(problem, &order);
        let value = self.orders.value(problem);
        self.ready = !problem.failed();
        if problem.failed() {
            O::Light::blame(problem, &order);
        } else {
            self.ways = Ways::of(game);
            self.variety = variety(&sorted(&order));
            self.changed = std::mem::replace(&mut self.present, Known { order, value });
            (self.ended, self.kept) = (self.recreated.take(), true);
        }
        value
    }

    /// The share of tries that ruin and recreate.
    fn ruins(&self) -> f64 {
        let pairs = (self.present.order.len() as f64).powi(2);
        let grown = (self.age as f64 / (GROWS * pairs)).min(1.0);
        match self.worsenings {
            Some(_) => 0.0,
            None if self.ways.choose() => grown * RUIN.min(1.0 / self.ways.count()),
            None => grown * RUIN * self.variety,
        }
    }

    /// Has `orders` replay what the next evaluation is compared with.
    fn get_ready(&mut self, problem: &P) {
        let order = self.recreated.as_ref().map_or(&self.present.order, |ruin| &ruin.others);
        if !self.ready {
            self.orders.begin(problem, order);
            self.ready = !problem.failed();
        }
        if problem.failed() {
            O::Light::blame(problem, order);
        }
    }

    /// Evaluates the changed order.
    fn evaluate(&mut self, problem: &P, window: Range<usize>, floor: f64) -> f64 {
        self.work = (self.changed.order.len() - window.start).max(1) as u64;
        let order = &self.changed.order;
        let value = self.orders.evaluate(problem, order, window, floor);
        if problem.failed() {
            O::Light::blame(problem, order);
            self.ready = false;
        }
        value
    }

    /// One random change, if anything can be changed.
    fn change(&mut self, problem: &P, random: &mut Random, floor: f64) -> f64 {
        let order = &self.present.order;
        self.changed.order.clone_from(order);
        let differ = order.iter().any(|item| !self.ways.alike(*item, order[0]));
        let mut window = 0..0;
        if self.ways.choose() && (!differ || random.below(CHOICES) == 0) {
            if let Some((place, item)) = self.ways.draw(order, random) {
                self.changed.order[place] = item;
                window = place..place + 1;
            }
        } else {
            while differ && self.changed.order == *order {
                let (to, from) = (random.below(order.len()), random.below(order.len()));
                let drawn = match &self.worsenings {
                    Some(worsenings) => worsenings.draw(random),
                    None => Change::any(random),
                };
                if let Some(change) = Change::draw(order.len(), to, from, drawn, random) {
                    self.operator = Some(drawn);
                    change.apply(&mut self.changed.order);
                    window = change.window;
                    let changed = &mut self.changed.order[window.clone()];
                    self.ways.settle(&order[window.clone()], changed);
                }
            }
        }
        // How much worse it is, is asked for.
        let floor = if self.worsenings.is_some() { f64::NEG_INFINITY } else { floor };
        self.evaluate(problem, window, floor)
    }

    /// Tries the next place of the item on its way back. A place must be better than those before it,
    /// and that of the last item not worse than `floor`.
    fn put(&mut self, problem: &P, mut ruin: Recreated, random: &mut Random, floor: f64) -> f64 {
        let last = ruin.out == 0;
        let order = &mut self.changed.order;
        ruin.with_item(ruin.next, &mut self.ways, order);
        let items = self.ways.at(order, ruin.next);
        let more = ruin.chosen.way + 1 < items.len();
        let item = items.get(ruin.chosen.way).copied().unwrap_or(ruin.item);
        order[ruin.next] = item;
        self.ended = (last && ruin.left == 1 && !more).then(|| ruin.clone());
        let floor = if last { floor } else { f64::NEG_INFINITY };
        let window = ruin.next..ruin.next + 1 + ruin.shifted(&self.ways, order);
        let value = self.evaluate(problem, window, floor.max(ruin.value.next_up()));
        if !problem.failed() {
            if value > ruin.value {
                (ruin.place, ruin.value, ruin.chosen.item) = (ruin.next, value, item);
            }
            ruin.chosen.way += 1;
            if !more {
                (ruin.next, ruin.left) = ((ruin.next + 1) % ruin.places(), ruin.left - 1);
                ruin.chosen.way = 0;
            }
            if ruin.left == 0 {
                self.ready = false;
                if last {
                    ruin.with_best(&mut self.ways, &mut self.changed.order);
                    return ruin.value;
                }
                ruin.settle(&mut self.ways, random);
            }
        }
        self.recreated = Some(ruin);
        f64::NEG_INFINITY
    }
}

impl<P: Problem, O: Orders<P>> Tries<P> for Permutations<P, O> {
    fn first(&self) -> u64 {
        FIRST
    }

    fn hurry(&mut self) {
        self.worsenings = Some(Worsenings::default());
    }

    fn hot(&self) -> f64 {
        if self.ways.choose() { (MELTS / self.ways.count()).min(HOTTEST) } else { HOT }
    }

    /// From a game at random. The first is drawn by the bias: a strong one would give no other.
    fn begin(&mut self, problem: &P, _variant: u32, random: &mut Random) -> f64 {
        let (first, mut factors) = (self.best.order.is_empty(), Vec::new());
        self.play(problem, |moves, biases| {
            moves[match first && !biases.is_empty() {
                true => drawn(biases, &mut factors, random),
                false => random.below(moves.len()),
            }]
        })
    }

    fn adopt(&mut self, problem: &P, moves: &[P::Move]) -> f64 {
        let mut moves = moves.iter().copied();
        self.play(problem, |legal, _| moves.next().unwrap_or(legal[0]))
    }

    fn attempt(&mut self, problem: &P, random: &mut Random, floor: f64) -> Tried {
        let begins = self.recreated.is_none();
        (self.kept, self.ended, self.operator) = (false, None, None);
        if begins && self.present.order.len() > 1 && random.uniform() < self.ruins() {
            self.recreated = Some(Recreated::ruin(&self.present.order, &mut self.ways, random));
            self.ready = false;
        }
        self.get_ready(problem);
        if !problem.failed() {
            self.changed.value = match self.recreated.take() {
                Some(ruin) => self.put(problem, ruin, random, floor),
                None => self.change(problem, random, floor),
            };
        }
        if problem.failed() && begins {
            (self.recreated, self.ready) = (None, false);
        }
        Tried { value: self.changed.value, insists: false }
    }

    fn age(&mut self, tries: u64) {
        self.age = tries;
    }

    fn goes_on(&self) -> bool {
        self.recreated.is_some()
    }

    fn keep(&mut self, _problem: &P) {
        if self.ended.is_none() {
            self.orders.accept();
        }
        std::mem::swap(&mut self.present, &mut self.changed);
        self.kept = true;
    }

    fn undo(&mut self, problem: &P) {
        if self.kept {
            std::mem::swap(&mut self.present, &mut self.changed);
            self.recreated = self.ended.take();
            (self.kept, self.ready) = (false, false);
        } else if let (Some(worsenings), Some(operator), false) =
            (&mut self.worsenings, self.operator, problem.failed())
        {
            worsenings.note(operator, self.present.value - self.changed.value);
        }
    }

    fn print(&self) -> Option<u32> {
        let order = &self.changed.order;
        let next = |print: u64, &item: &u32| mix(print ^ u64::from(item));
        (order.len() <= SHORT).then(|| order.iter().fold(1, next) as u32)
    }

    fn work(&self) -> u64 {
        self.work
    }

    fn renews(&self) -> bool {
        true
    }

    fn guided(&self) -> bool {
        self.guided
    }

    fn score(&mut self, problem: &P) -> f64 {
        self.get_ready(problem);
        let score = self.orders.score(problem, (!self.guided).then_some(self.present.value));
        self.orders.moves(problem, &self.present.order, score, &mut self.scored);
        if problem.failed() {
            O::Light::blame(problem, &self.present.order);
            self.ready = false;
        }
        score
    }

    fn moves(&self, _problem: &P, moves: &mut Vec<P::Move>) {
        moves.clone_from(&self.scored);
    }

    fn remember(&mut self) {
        self.best.clone_from(&self.present);
    }

    fn recall(&mut self, _problem: &P, _variant: u32) -> f64 {
        self.present.clone_from(&self.best);
        (self.recreated, self.ready) = (None, false);
        self.present.value
    }

    fn quick(&self) -> bool {
        O::Light::QUICK
    }

    fn write(&self, writer: &mut Writer) {
        writer.put(&(&self.present, &self.best, &self.recreated));
        if let Some(worsenings) = &self.worsenings {
            writer.put(worsenings);
        }
        if !self.ways.none() {
            writer.put(&(self.ways.items(), self.recreated.as_ref().map(|ruin| &ruin.chosen)));
        }
    }

    fn read(&mut self, problem: &P, reader: &mut Reader) -> Result<(), String> {
        let (present, best, mut recreated): (Known, Known, Option<Recreated>) = reader.take()?;
        let worsenings = self.worsenings.map(|_| reader.take()).transpose()?;
        let mut ways = Ways::default();
        if O::Light::tasks(problem) && !present.order.is_empty() {
            let (items, chosen): (Vec<Vec<Vec<u32>>>, Option<Chosen>) = reader.take()?;
            if !items.iter().flatten().flatten().all(|&item| O::Light::has(problem, item)) {
                return Err(FOREIGN.into());
            }
            ways = Ways::new(items);
            recreated.iter_mut().zip(chosen).for_each(|(ruin, chosen)| ruin.chosen = chosen);
        }
        let items = sorted(&present.order);
        let alike = match ways.none() {
            true => sorted(&best.order) == items,
            false => ways.sound() && ways.fit(&present.order) && ways.fit(&best.order),
        };
        let sound = alike
            && items.iter().all(|&item| O::Light::has(problem, item))
            && recreated.as_ref().is_none_or(|ruin| ruin.fits(&items, &mut ways))
            && !present.value.is_nan()
            && !best.value.is_nan();
        if !sound {
            return Err(FOREIGN.into());
        }
        (self.present, self.best, self.recreated, self.ready) = (present, best, recreated, false);
        (self.ways, self.worsenings, self.variety) = (ways, worsenings, variety(&items));
        Ok(())
    }
}
