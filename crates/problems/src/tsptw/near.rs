//! The cities that may well follow a node.

use super::Nodes;

/// In tours of fewer nodes the policy knows better what may well follow a node.
pub(super) const LONG: usize = 250;

/// The most cities that may well follow a node.
const MOST: usize = 100;

/// What a unit of time counts that must be waited, beside a unit of distance.
const WAIT: f64 = 0.2;

/// For each node, the cities that can be reached in time from it, those first that are near and need
/// little waiting even if the node is left as late as its window allows; of equals, the first.
pub(super) fn near(nodes: &Nodes) -> Vec<Vec<u32>> {
    (0..nodes.len()).map(|node| near_one(nodes, node)).collect()
}

fn near_one(nodes: &Nodes, node: usize) -> Vec<u32> {
    let (row, earliest, latest) = (nodes.row(node), nodes.earliest[node], nodes.latest[node]);
    let in_time = |&j: &usize| j != node && earliest + row[j] <= nodes.latest[j];
    let far = |j: usize| {
        let wait = (nodes.earliest[j] - (latest + row[j])).max(0.0);
        (row[j] + WAIT * wait, j as u32)
    };
    let mut cities: Vec<(f64, u32)> = (1..nodes.len()).filter(in_time).map(far).collect();
    let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if cities.len() > MOST {
        cities.select_nth_unstable_by(MOST - 1, order);
        cities.truncate(MOST);
    }
    cities.sort_unstable_by(order);
    cities.into_iter().map(|(_, city)| city).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_cities_in_time_come_first() {
        // Cities on a line, 10 apart, whose windows open one after the other.
        let place = |node: usize| 10.0 * node as f64;
        let matrix = (0..300).map(|i| (0..300).map(|j| (place(i) - place(j)).abs()).collect());
        let windows = (0..300).map(|node| (place(node), place(node) + 15.0)).collect();
        let nodes = Nodes::new(matrix.collect(), None, windows).unwrap();
        let near = near(&nodes);
        // Who is at city 50 when its window opens reaches no city before it in time.
        assert_eq!(near[50][..3], [51, 52, 53]);
        assert_eq!((near[0][0], near[0].len(), near[299].len()), (1, MOST, 0));
    }
}
