//! The grid: its lanes, the windows of places on them, and the starting cross.

/// Side of the grid. In the paper, searches never came near the edge of a grid of this size. Known
/// games span at most 22 dots.
pub(super) const SIDE: i32 = 64;
/// No dot is ever placed in the outer `MARGIN` rows and columns, so a window of `2n - 1` dots
/// around any dot stays on the grid. A line that would need such a dot is not a move.
pub(super) const MARGIN: i32 = 4;
/// The number of dots on a lane, as a power of two.
pub(super) const LANE_BITS: u32 = 6;
/// 64 rows, 64 columns and twice 127 diagonals.
pub(super) const LANES: usize = 6 * SIDE as usize - 2;
/// The unit steps H, V, DP and DN.
pub(super) const STEPS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, -1), (1, 1)];

/// A row, column or diagonal: bit i is its dot or unit i (unit i of T joins dots i and i + 1).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lane {
    pub(super) dots: u64,
    pub(super) used: u64,
}

/// Tables for a window of `2n - 1` places around a dot. Bit s of an entry is the line that starts
/// at place s of the window.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    /// Lines with all dots.
    pub(super) full: [u8; 512],
    /// Lines with all dots except one.
    pub(super) one_missing: [u8; 512],
    /// Lines whose units are all free, for each set of used units.
    pub(super) free: [u8; 512],
}

impl Tables {
    pub(super) fn new(length: u32, reach: u32) -> Self {
        let answer = |window: usize, units: u32, wanted: u32| {
            let line = (1 << units) - 1;
            (0..length)
                .filter(|s| ((window >> s) & line).count_ones() == wanted)
                .fold(0, |answer, s| answer | 1 << s)
        };
        Self {
            full: std::array::from_fn(|window| answer(window, length, length)),
            one_missing: std::array::from_fn(|window| answer(window, length, length - 1)),
            free: std::array::from_fn(|window| answer(window, reach, 0)),
        }
    }
}

/// The lane of this direction through a dot of the grid, and the dot's place on it.
#[inline]
pub(super) fn locate(dir: u8, x: i32, y: i32) -> (usize, u32) {
    let (lane, place) = match dir {
        0 => (y, x),
        1 => (SIDE + x, y),
        2 => (2 * SIDE + x + y, x),
        _ => (5 * SIDE - 2 + x - y, x),
    };
    (lane as usize, place as u32)
}

/// The bits of a lane, starting at place `shift`.
#[inline]
pub(super) fn window(bits: u64, shift: u32) -> usize {
    (bits >> shift) as usize & 511
}

/// Whether a coordinate of the grid lies outside the margin.
pub(super) fn inside(coordinate: i32) -> bool {
    (MARGIN..SIDE - MARGIN).contains(&coordinate)
}

/// The starting cross whose arms are `arm` steps wide and long: the outline of five squares.
pub(super) fn cross(arm: i32) -> impl Iterator<Item = (i32, i32)> {
    let arms = move |a: i32, b: i32| {
        // On the outer edge of an arm, or on one of the two lines through the whole cross.
        let middle = (arm..=2 * arm).contains(&b);
        (a == 0 || a == 3 * arm) && middle
            || (a == arm || a == 2 * arm) && (b <= arm || b >= 2 * arm)
    };
    (0..=3 * arm)
        .flat_map(move |y| (0..=3 * arm).map(move |x| (x, y)))
        .filter(move |&(x, y)| arms(x, y) || arms(y, x))
}
