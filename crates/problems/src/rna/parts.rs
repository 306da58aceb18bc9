//! The parts of a target that are made to fold by themselves before the whole does, and its loops.

use super::model::helices;

/// The least bases of a part.
const LEAST: usize = 20;

/// A target as a search by counterexamples sees it. A place is what one move decides.
#[derive(Default)]
pub(super) struct Shape {
    /// The parts, from the smallest to the whole.
    pub(super) parts: Vec<Part>,
    /// The place of each position.
    pub(super) place_of: Vec<u16>,
    /// The places of each loop, with those of its pairs.
    pub(super) loops: Vec<Vec<u16>>,
    /// For each place the loop that it is in; for a pair the loop inside.
    pub(super) loop_of: Vec<u16>,
}

/// A subtree of the target, or the whole.
pub(super) struct Part {
    /// Its first and its last position.
    pub(super) string: (u16, u16),
    /// Its places.
    pub(super) places: Vec<u16>,
    /// The structure of the string, by the partner of each base in it.
    pub(super) target: Vec<Option<u16>>,
}

impl Shape {
    /// The shape of a target, given by the partner of each base and the first position of each place.
    pub(super) fn new(partners: &[Option<u16>], places: impl Iterator<Item = u16>) -> Self {
        let n = partners.len();
        let mut shape = Shape { place_of: vec![0; n], ..Shape::default() };
        for (place, position) in (0..).zip(places) {
            for position in partners[usize::from(position)].into_iter().chain([position]) {
                shape.place_of[usize::from(position)] = place;
            }
            shape.loop_of.push(0);
        }
        let closing = (0..n).filter(|&i| partners[i].is_some_and(|j| usize::from(j) > i));
        for i in closing {
            let j = partners[i].map_or(i, usize::from);
            shape.add_loop(partners, i + 1, j, Some(i));
        }
        shape.add_loop(partners, 0, n, None);
        let mut strings = vec![(0, n - 1)];
        strings.extend(subtrees(partners, 0, n, n));
        strings.sort_by_key(|(first, last)| last - first);
        for (first, last) in strings {
            let mut places = shape.place_of[first..=last].to_vec();
            places.sort_unstable();
            places.dedup();
            let within = |&j: &Option<u16>| j.map(|j| j - first as u16);
            let target = partners[first..=last].iter().map(within).collect();
            shape.parts.push(Part { string: (first as u16, last as u16), places, target });
        }
        shape
    }

    /// Adds the loop between two positions, inside the pair that opens at `closing` if there is one.
    fn add_loop(
        &mut self,
        partners: &[Option<u16>],
        from: usize,
        to: usize,
        closing: Option<usize>,
    ) {
        let mut places: Vec<u16> = closing.iter().map(|&i| self.place_of[i]).collect();
        let number = self.loops.len() as u16;
        let mut position = from;
        while position < to {
            places.push(self.place_of[position]);
            position = match partners[position] {
                Some(last) => usize::from(last) + 1,
                None => {
                    self.loop_of[usize::from(self.place_of[position])] = number;
                    position + 1
                }
            };
        }
        if let Some(closing) = closing {
            self.loop_of[usize::from(self.place_of[closing])] = number;
        }
        self.loops.push(places);
    }
}

/// The largest subtrees between two positions of at most 3/4 of the bases of the part above, and
/// those within them.
fn subtrees(partners: &[Option<u16>], from: usize, to: usize, above: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (i, j) in helices(partners, from, to) {
        let size = j + 1 - i;
        if size < LEAST {
            continue;
        }
        // A pair by itself does not hold a string together.
        let stacked = partners[i + 1].is_some_and(|inner| usize::from(inner) + 1 == j);
        let is_part = stacked && 4 * size <= 3 * above;
        found.extend(is_part.then_some((i, j)));
        found.extend(subtrees(partners, i + 1, j, if is_part { size } else { above }));
    }
    found
}
