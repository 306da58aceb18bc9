//! What every ruin of tours does: strings of neighbouring stops come out, and those that are out are
//! put in an order.

use nestor_engine::math::ln;
use nestor_engine::random::Random;

use super::Nodes;

/// The stops of the longest string, and the most strings.
const LENGTH: usize = 10;
const STRINGS: f64 = 80.0 / 11.0;
/// The chance that a place is skipped.
const SKIP: f64 = 0.01;

/// Puts strings of stops into the bag, near a stop chosen at random.
///
/// `stops` is the tour with the depot at both ends, whose first `fixed` stops stay; `place` says where
/// each stop is, 0 for those that are `out`; `gone` is all false, and left so.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(super) fn take(
    stops: &[u16],
    out: &[u16],
    fixed: usize,
    place: &[u16],
    near: &[Vec<u16>],
    gone: &mut [bool],
    bag: &mut Vec<u16>,
    random: &mut Random,
) {
    let count = stops.len() - 2 - fixed;
    let seed = match !out.is_empty() && random.below(2) == 0 {
        true => out[random.below(out.len())],
        false => 1 + random.below(place.len() - 1) as u16,
    };
    let strings = 1 + (random.uniform() * (STRINGS - 1.0)) as usize;
    let mut taken = 0;
    let neighbours = std::iter::once(&seed).chain(&near[usize::from(seed)]);
    for &stop in neighbours {
        let at = usize::from(place[usize::from(stop)]);
        if taken == strings {
            break;
        }
        if at <= fixed || gone[usize::from(stop)] {
            continue;
        }
        taken += 1;
        let length = (1 + random.below(LENGTH)).min(count);
        let first = (at + 1)
            .saturating_sub(1 + random.below(length))
            .clamp(fixed + 1, fixed + count + 1 - length);
        let mut kept = 0..0;
        if length > 2 && random.below(2) == 0 {
            let keeps = 1 + random.below(length - 2);
            let from = first + 1 + random.below(length - 1 - keeps);
            kept = from..from + keeps;
        }
        for (number, &out) in (first..).zip(&stops[first..first + length]) {
            if !kept.contains(&number) && !std::mem::replace(&mut gone[usize::from(out)], true) {
                bag.push(out);
            }
        }
    }
    bag.iter().for_each(|&stop| gone[usize::from(stop)] = false);
}

/// Orders the bag, by chance or by what is hard to place; `drawn` is scratch space.
#[inline]
pub(super) fn shuffle(
    nodes: &Nodes,
    bag: &mut Vec<u16>,
    drawn: &mut Vec<(f64, u16)>,
    random: &mut Random,
) {
    let by: fn(&Nodes, usize) -> f64 = match random.below(6) {
        0 => |nodes, stop| nodes.latest[stop] - nodes.earliest[stop],
        1 => |nodes, stop| nodes.earliest[stop],
        2 => |nodes, stop| -nodes.latest[stop],
        3 => |nodes, stop| -nodes.row(0)[stop],
        _ => {
            (1..bag.len()).for_each(|last| bag.swap(last, random.below(last + 1)));
            return;
        }
    };
    drawn.clear();
    drawn.extend(bag.iter().map(|&stop| (by(nodes, stop.into()), stop)));
    drawn.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    bag.clear();
    bag.extend(drawn.iter().map(|&(_, stop)| stop));
}

/// Which places are skipped: each by the same chance.
pub(super) struct Skips<'a> {
    random: &'a mut Random,
    left: u32,
}

impl<'a> Skips<'a> {
    #[inline]
    pub(super) fn new(random: &'a mut Random) -> Self {
        let mut skips = Skips { random, left: 0 };
        skips.skip();
        skips
    }

    #[inline(always)]
    pub(super) fn skip(&mut self) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return false;
        }
        self.left = (ln(1.0 - self.random.uniform()) / ln(1.0 - SKIP)).min(1e6) as u32;
        true
    }
}
