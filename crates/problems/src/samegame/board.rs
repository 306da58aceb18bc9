//! The board of SameGame as bits, with its groups kept up to date.
//!
//! Bit `r` of a column's masks is the cell in row `r` from the bottom. Colours are stored as bit
//! planes, so that falling is a few shifts and comparing a column with its neighbour a few
//! exclusive ors. Groups are stored, by the cell that names them: the lowest of their leftmost
//! column. A removal searches again only the groups it may have changed.

use nestor_engine::random::Key;

/// The most columns, and the most rows.
pub const SIDE: usize = 32;

/// The most colours.
pub const COLOURS: usize = 9;

/// Where the random numbers of the codes begin: any constant does.
const NUMBERS: Key = Key(0x53A3_E6A3);

/// Zobrist hashing (distributed-nrpa-samegame-2017, section 2.1) by runs of cells.
///
/// Each colour of each cell has a random number, number `(colour * 32 + column) * 32 + row` of one
/// stream. Entry \[colour\]\[column\]\[row\] is the exclusive or of those below the row, and two
/// entries give that of all cells between two rows.
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

/// The columns that have cells, from the left, and their groups.
#[derive(Clone, Debug)]
pub struct Board {
    /// The number of columns that have cells. Masks are 0 from there on.
    width: usize,
    /// Bits of 1 + colour; 0 is no cell.
    planes: [[u32; 4]; SIDE + 1],
    /// Cells of the colour of the cell above them.
    above: [u32; SIDE],
    /// Cells of the colour of the cell to their left.
    left: [u32; SIDE + 1],
    /// Cells that name a group.
    groups: [u32; SIDE],
    /// Those of the marked colour.
    marked: [u32; SIDE],
    /// Those of groups of two. Like all below, it means nothing where no group is named.
    pairs: [u32; SIDE],
    /// The number of cells of the group that a cell names.
    sizes: Vec<[u16; SIDE]>,
    /// Its code, the exclusive or of the numbers of its cells.
    codes: Vec<[u64; SIDE]>,
    /// Scratch of a search: the cells of a group.
    cells: [u32; SIDE],
    /// The marked colour.
    mark: Option<u8>,
}

/// The columns of a group.
type Span = std::ops::RangeInclusive<usize>;
