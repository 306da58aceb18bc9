//! The board of SameGame as bits, with its groups kept up to date.
//!
//! Bit `r` of a column's masks is the cell in row `r` from the bottom. Colours are stored as bit
//! planes, so a few shifts let cells fall, and a few exclusive ors compare a column with its
//! neighbour. Groups are also stored, at the cell that names them: the lowest of their leftmost
//! column. A removal only searches for the groups that it may have changed.

use nestor_engine::random::Key;

/// The largest number of columns, and of rows.
pub const SIDE: usize = 32;

/// The largest number of cells.
pub const CELLS: usize = SIDE * SIDE;

/// The largest number of colours.
pub const COLOURS: usize = 9;

/// The largest worth of a group.
const MAX_WORTH: u32 = 9;

/// More than the largest worth, and a power of two.
pub const WORTHS: usize = 16;

/// The seed of the random numbers of the codes: any constant will do.
const NUMBERS: Key = Key(0x53A3_E6A3);

/// Zobrist hashing (distributed-nrpa-samegame-2017, section 2.1) by runs of cells.
///
/// Each colour of each cell has a random number: number `(colour * 32 + column) * 32 + row` of one
/// stream. Entry \[colour\]\[column\]\[row\] is the exclusive or of those below the row, so that
/// two entries give the exclusive or over all cells between two rows.
#[derive(Clone, Debug)]
pub struct Zobrist(Vec<[[u64; SIDE + 1]; SIDE]>);

impl Zobrist {
    /// Draws the numbers of all cells.
    pub fn new() -> Self {
        let mut table = vec![[[0; SIDE + 1]; SIDE]; COLOURS];
        let mut index = 0;
        for column in table.iter_mut().flatten() {
            for row in 0..SIDE {
                column[row + 1] = column[row] ^ NUMBERS.child(index).0;
                index += 1;
            }
        }
        Zobrist(table)
    }
}

/// What moves need of a group.
#[derive(Clone, Copy, Debug, Default)]
pub struct Group {
    /// The exclusive or of the numbers of its cells.
    pub code: u64,
    /// One more than the bias by its size: see [`super::SameGameBias::Size`].
    pub worth: u8,
}

/// The columns that have cells, from the left, and their groups.
#[derive(Clone, Debug)]
pub struct Board {
    /// The number of columns that have cells. The masks of the others are 0.
    pub width: usize,
    /// Bits of 1 + colour; 0 is no cell.
    planes: [[u32; 4]; SIDE + 1],
    /// Cells with the same colour as the cell above them.
    above: [u32; SIDE],
    /// Cells with the same colour as the cell to their left.
    left: [u32; SIDE + 1],
    /// Cells that name a group of two or more.
    pub groups: [u32; SIDE],
    /// Of the cells that name a group, those of the marked colour.
    pub marked: [u32; SIDE],
    /// Of the cells that name a group, those whose group has two cells.
    pub pairs: [u32; SIDE],
    /// The group that a cell names, at its column << `bits` | row.
    pub named: Box<[Group; CELLS]>,
    /// The bits of a row's number: 4 or 5.
    pub bits: u32,
    /// The marked colour, plus 1; 0 for none.
    mark: u32,
    /// The cells of the group that is being searched; 0 elsewhere.
    group: [u32; SIDE],
}

impl Board {
    /// Lets cells, given from the bottom of each column, fall into place.
    pub fn new<C>(
        columns: impl Iterator<Item = C>,
        height: usize,
        mark: Option<u8>,
        zobrist: &Zobrist,
    ) -> Self
    where
        C: Iterator<Item = u8>,
    {
        let mut board = Board {
            width: 0,
            planes: [[0; 4]; SIDE + 1],
            above: [0; SIDE],
            left: [0; SIDE + 1],
            groups: [0; SIDE],
            marked: [0; SIDE],
            pairs: [0; SIDE],
            named: Box::new([Group::default(); CELLS]),
            bits: if height > 16 { 5 } else { 4 },
            mark: mark.map_or(0, |colour| u32::from(colour) + 1),
            group: [0; SIDE],
        };
        for column in columns {
            for (row, colour) in column.enumerate() {
                for (bit, plane) in board.planes[board.width].iter_mut().enumerate() {
                    *plane |= ((u32::from(colour) + 1) >> bit & 1) << row;
                }
            }
            board.width += usize::from(occupied(&board.planes[board.width]) != 0);
        }
        board.link(0, board.width, &mut [0; SIDE + 1]);
        board.regroup(0, board.width, &mut [u32::MAX; SIDE + 1], zobrist);
        board
    }

    /// One more than the colour of a cell; 0 if it is empty.
    #[inline(always)]
    pub fn mark_of(&self, column: usize, row: usize) -> u32 {
        let planes = &self.planes[column];
        (0..4).fold(0, |mark, bit| mark | (planes[bit] >> row & 1) << bit)
    }

    /// The size of the group of a cell, without what removals remember.
    pub fn size(&self, column: usize, row: usize) -> u32 {
        let mut group = [0; SIDE + 1];
        group[column] = 1 << row;
        loop {
            let mut grown = false;
            for column in 0..self.width {
                let from_left = column.checked_sub(1).map_or(0, |before| group[before]);
                let beside =
                    from_left & self.left[column] | group[column + 1] & self.left[column + 1];
                let reached = reach(group[column] | beside, self.above[column]);
                grown |= reached != group[column];
                group[column] = reached;
            }
            if !grown {
                return group.iter().map(|cells| cells.count_ones()).sum();
            }
        }
    }

    /// The number of cells.
    pub fn cells(&self) -> u32 {
        (0..self.width).map(|column| self.cells_of(column).count_ones()).sum()
    }

    /// Becomes a copy of a board and keeps its own memory.
    pub fn copy(&mut self, from: &Board) {
        (self.width, self.mark) = (from.width, from.mark);
        self.planes = from.planes;
        self.above = from.above;
        self.left = from.left;
        self.groups = from.groups;
        self.marked = from.marked;
        self.pairs = from.pairs;
        let named = from.width << from.bits;
        self.named[..named].copy_from_slice(&from.named[..named]);
    }

    /// Whether a cell of the marked colour has no neighbour of its colour.
    pub fn has_marked_single(&self) -> bool {
        (0..self.width).any(|column| {
            let of_mark = (0..4).fold(u32::MAX, |cells, bit| {
                cells & !(self.planes[column][bit] ^ (self.mark >> bit & 1).wrapping_neg())
            });
            of_mark & !self.linked(column) != 0
        })
    }

    /// The cells of a column.
    pub fn cells_of(&self, column: usize) -> u32 {
        occupied(&self.planes[column])
    }

    /// Removes the group of a cell and returns its size. `gone` is told its cells, column by column
    /// from the left.
    pub fn remove(
        &mut self,
        column: usize,
        row: usize,
        zobrist: &Zobrist,
        mut gone: impl FnMut(usize, u32),
    ) -> u32 {
        let (first, last) = self.find(column, 1 << row);
        let (mut size, mut emptied, mut changed) = (0, false, [0; SIDE + 1]);
        for (column, changed) in (first..=last).zip(&mut changed[first..]) {
            let cells = std::mem::take(&mut self.group[column]);
            size += cells.count_ones();
            gone(column, cells);
            // Nothing below the lowest removed cell moves.
            *changed = (cells & cells.wrapping_neg()).wrapping_neg();
            fall(&mut self.planes[column], cells);
            emptied |= occupied(&self.planes[column]) == 0;
        }
        let before = first.saturating_sub(1);
        if emptied {
            self.close(first);
            self.link(before, self.width, &mut changed);
            self.regroup(before, self.width, &mut [u32::MAX; SIDE + 1], zobrist);
        } else {
            self.link(first, last + 1, &mut changed);
            self.regroup(before, self.width.min(last + 2), &mut changed, zobrist);
        }
        size
    }

    /// Closes the empty columns, the first of which is `from` or further right.
    fn close(&mut self, from: usize) {
        let mut width = from;
        for column in from..self.width {
            self.planes[width] = self.planes[column];
            width += usize::from(occupied(&self.planes[width]) != 0);
        }
        for column in width..self.width {
            self.planes[column] = [0; 4];
            self.above[column] = 0;
            self.left[column] = 0;
            self.groups[column] = 0;
        }
        self.width = width;
    }

    /// Compares the cells of some columns with those above and beside them. Cells that had the
    /// colour of a cell beside them and have it no more are `changed`.
    fn link(&mut self, from: usize, to: usize, changed: &mut [u32; SIDE + 1]) {
        for column in from..to {
            let planes = &self.planes[column];
            let differ = planes.iter().fold(0, |differ, plane| differ | plane ^ plane >> 1);
            self.above[column] = !differ & occupied(planes) >> 1;
        }
        for column in from.max(1)..=to {
            let planes = &self.planes[column];
            let differ = |bit: usize| planes[bit] ^ self.planes[column - 1][bit];
            let differ = differ(0) | differ(1) | differ(2) | differ(3);
            let left = !differ & occupied(planes);
            let lost = std::mem::replace(&mut self.left[column], left) & !left;
            changed[column] |= lost;
            changed[column - 1] |= lost;
        }
    }

    /// The cells of a column that are in a group of two or more.
    pub fn linked(&self, column: usize) -> u32 {
        let above = self.above[column];
        above | above << 1 | self.left[column] | self.left[column + 1]
    }

    /// Finds again all groups that have a changed cell in some columns.
    ///
    /// After a removal these are the cells that have moved, and those that were beside a cell of
    /// their colour and are no more. Any other group that differs has got a cell that has moved.
    fn regroup(
        &mut self,
        from: usize,
        to: usize,
        changed: &mut [u32; SIDE + 1],
        zobrist: &Zobrist,
    ) {
        let open = changed;
        for (column, open) in (from..to).zip(&mut open[from..]) {
            self.groups[column] &= !*open;
            *open &= self.linked(column);
        }
        for column in from..to {
            while open[column] != 0 {
                let (first, last) = self.find(column, open[column] & open[column].wrapping_neg());
                for (open, group) in open[first..=last].iter_mut().zip(&self.group[first..=last]) {
                    *open &= !group;
                }
                self.name(first, last, zobrist);
            }
        }
    }

    /// Stores the group found in place of the groups that its cells were in.
    fn name(&mut self, first: usize, last: usize, zobrist: &Zobrist) {
        let row = self.group[first].trailing_zeros() as usize;
        let colour = self.mark_of(first, row);
        let numbers = &zobrist.0[colour as usize - 1];
        let (mut size, mut code) = (0, 0);
        for (column, numbers) in (first..=last).zip(&numbers[first..]) {
            let mut cells = std::mem::take(&mut self.group[column]);
            self.groups[column] &= !cells;
            while cells != 0 {
                let start = cells.trailing_zeros();
                // The carry leaves the lowest run of cells and sets the bit after it.
                let carried = cells.wrapping_add(1 << start);
                let end = carried.trailing_zeros();
                code ^= numbers[end as usize] ^ numbers[start as usize];
                size += end - start;
                cells &= carried;
            }
        }
        let put = |mask: &mut u32, bit: bool| *mask = *mask & !(1 << row) | u32::from(bit) << row;
        put(&mut self.groups[first], true);
        put(&mut self.marked[first], colour == self.mark);
        put(&mut self.pairs[first], size == 2);
        let tabu_pair = colour == self.mark && size == 2;
        let worth = (size - 1).min(MAX_WORTH) as u8 - u8::from(tabu_pair);
        self.named[first << self.bits | row] = Group { code, worth };
    }

    /// Finds the group of a cell, given as a mask: leaves its cells in `group` and returns its
    /// first and last column.
    fn find(&mut self, column: usize, cell: u32) -> (usize, usize) {
        let (mut first, mut last) = (column, column);
        self.group[column] = reach(cell, self.above[column]);
        loop {
            while self.group[last] & self.left[last + 1] != 0 {
                let beside = self.group[last] & self.left[last + 1];
                last += 1;
                self.group[last] = reach(beside, self.above[last]);
            }
            while self.group[first] & self.left[first] != 0 {
                let beside = self.group[first] & self.left[first];
                first -= 1;
                self.group[first] = reach(beside, self.above[first]);
            }
            if !self.turn(first, last) {
                return (first, last);
            }
        }
    }

    /// Adds the cells beside a group, within its columns, to it. Returns whether there were any.
    fn turn(&mut self, first: usize, last: usize) -> bool {
        let mut grown = false;
        for right in first + 1..=last {
            let beside = (self.group[right - 1] | self.group[right]) & self.left[right];
            for column in [right - 1, right] {
                if beside & !self.group[column] != 0 {
                    self.group[column] = reach(self.group[column] | beside, self.above[column]);
                    grown = true;
                }
            }
        }
        grown
    }
}

fn occupied(planes: &[u32; 4]) -> u32 {
    planes[0] | planes[1] | planes[2] | planes[3]
}

/// Removes cells from a column; those above them fall.
fn fall(planes: &mut [u32; 4], mut gone: u32) {
    while gone != 0 {
        let row = gone.trailing_zeros();
        let run = (gone >> row).trailing_ones();
        let below = (1 << row) - 1;
        for plane in planes.iter_mut() {
            *plane = *plane & below | plane.unbounded_shr(run) & !below;
        }
        gone = gone.unbounded_shr(run) & !below;
    }
}

/// The cells of a column reached from some cells by steps up and down.
fn reach(cells: u32, above: u32) -> u32 {
    // Adding to a run of ones carries through it: everything upwards in one step.
    let mut reached = cells | above ^ above.wrapping_add(cells & above);
    loop {
        let below = reached >> 1 & above & !reached;
        if below == 0 {
            return reached;
        }
        reached |= below;
    }
}
