//! The legs to and from a stop, side by side, and those of stops that are open at about the same time
//! near each other: a stop is looked at beside many that are near it in a tour.

use super::Nodes;

/// What all legs take.
#[derive(Debug, Default)]
pub(super) struct Legs {
    /// The place of each node among those of a row.
    pub(super) rank: Vec<u16>,
    /// For each node, what it takes to it from each other one, and from it to that.
    rows: Vec<[f64; 2]>,
}

impl Legs {
    pub(super) fn new(nodes: &Nodes) -> Self {
        let n = nodes.len();
        let middle =
            |&node: &u16| nodes.earliest[usize::from(node)] + nodes.latest[usize::from(node)];
        let mut order: Vec<u16> = (0..nodes.count).collect();
        order.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
        let mut rank = vec![0; n];
        (0..).zip(&order).for_each(|(place, &node)| rank[usize::from(node)] = place);
        let both = |to: usize, from: usize| [nodes.row(from)[to], nodes.row(to)[from]];
        let row = |node| order.iter().map(move |&other| both(node, other.into()));
        Legs { rank, rows: (0..n).flat_map(row).collect() }
    }

    /// The legs of a node, at the ranks of the others.
    #[inline]
    pub(super) fn row(&self, node: usize) -> &[[f64; 2]] {
        let n = self.rank.len();
        &self.rows[node * n..][..n]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legs_are_found_by_rank() {
        let matrix = vec![0.0, 1.0, 2.0, 3.0, 0.0, 4.0, 5.0, 6.0, 0.0];
        let nodes = Nodes::new(matrix, None, vec![(0.0, 9.0), (7.0, 8.0), (1.0, 2.0)]).unwrap();
        let legs = Legs::new(&nodes);
        assert_eq!(legs.rank, [1, 2, 0]);
        assert_eq!(legs.row(1)[usize::from(legs.rank[0])], [1.0, 3.0]);
        assert_eq!(legs.row(1)[usize::from(legs.rank[2])], [6.0, 4.0]);
    }
}
