//! Random Latin squares, and random holes in them.

use nestor_engine::random::{Key, Random};

use super::MAX_ORDER;

/// A random Latin square, row by row, and a copy with this many holes (0) at random cells.
///
/// The square comes from the Markov chain of Jacobson and Matthews (1996), which visits all Latin
/// squares of an order equally often. The chain starts at the cyclic square, makes n^3 moves, and
/// then goes on to the next proper square. For the holes, every subset of the cells has the same
/// probability.
///
/// # Errors
///
/// If the order or the number of holes is out of range.
pub fn random(order: usize, holes: usize, seed: u64) -> Result<(Vec<u8>, Vec<u8>), String> {
    if !(1..=MAX_ORDER).contains(&order) {
        return Err(format!("the order of a square is 1 to {MAX_ORDER}, not {order}"));
    }
    if holes > order * order {
        return Err(format!("a square of order {order} has at most {} holes", order * order));
    }
    let mut random = Random::new(Key::root(seed, 0));
    let mut cube = Cube::cyclic(order);
    for _ in 0..order.pow(3) {
        cube.step(&mut random);
    }
    while cube.improper.is_some() {
        cube.step(&mut random);
    }
    let square = cube.square();
    let mut cells: Vec<usize> = (0..square.len()).collect();
    let mut with_holes = square.clone();
    for hole in 0..holes {
        cells.swap(hole, hole + below(&mut random, square.len() - hole));
        with_holes[cells[hole]] = 0;
    }
    Ok((square, with_holes))
}

/// The incidence cube of a square: 1 at (row, column, value) if the cell has the value, 0
/// elsewhere. Lines along each axis sum to 1. An improper cube also has one -1.
struct Cube {
    order: usize,
    entries: Vec<i8>,
    /// Where the -1 is.
    improper: Option<[usize; 3]>,
}

impl Cube {
    fn cyclic(order: usize) -> Self {
        let mut cube = Cube { order, entries: vec![0; order.pow(3)], improper: None };
        for row in 0..order {
            for column in 0..order {
                *cube.entry([row, column, (row + column) % order]) = 1;
            }
        }
        cube
    }

    fn entry(&mut self, [row, column, value]: [usize; 3]) -> &mut i8 {
        &mut self.entries[(row * self.order + column) * self.order + value]
    }

    /// One move: adds 1 at a 0 (or at the -1) and makes up for it along a subcube whose other
    /// corners on its three axes are 1.
    fn step(&mut self, random: &mut Random) {
        if self.order == 1 {
            return;
        }
        let from = self.improper.unwrap_or_else(|| self.zero(random));
        let to: [usize; 3] = std::array::from_fn(|axis| self.one(from, axis, random));
        for corner in 0..8 {
            let place = std::array::from_fn(|k| if corner >> k & 1 == 0 { from[k] } else { to[k] });
            let odd = (corner as u32).count_ones() % 2 == 1;
            *self.entry(place) += if odd { -1 } else { 1 };
        }
        self.improper = (*self.entry(to) < 0).then_some(to);
    }

    /// A random place where a proper cube has a 0.
    fn zero(&mut self, random: &mut Random) -> [usize; 3] {
        loop {
            let place = std::array::from_fn(|_| below(random, self.order));
            if *self.entry(place) == 0 {
                return place;
            }
        }
    }

    /// Where the line through a place along an axis has its 1. If the place has the -1, there are
    /// two, and one of them is drawn.
    fn one(&mut self, mut place: [usize; 3], axis: usize, random: &mut Random) -> usize {
        let mut skip = if *self.entry(place) < 0 { below(random, 2) } else { 0 };
        for k in 0..self.order {
            place[axis] = k;
            if *self.entry(place) == 1 {
                if skip == 0 {
                    return k;
                }
                skip -= 1;
            }
        }
        unreachable!("every line sums to one")
    }

    fn square(&self) -> Vec<u8> {
        let lines = self.entries.chunks(self.order);
        let value = |line: &[i8]| line.iter().position(|&entry| entry == 1).unwrap_or_default();
        lines.map(|line| value(line) as u8 + 1).collect()
    }
}

/// A random number below `limit` (at most 2^16, which makes its bias too small to notice).
pub(crate) fn below(random: &mut Random, limit: usize) -> usize {
    (((random.bits() >> 32) * limit as u64) >> 32) as usize
}
