//! The stops near a node.

use super::Nodes;

/// The most of them.
const MOST: usize = 100;

/// What a unit of time counts that must be waited, beside a unit of distance.
const WAIT: f64 = 0.2;

/// The stops that can come right before or after a node in time, the nearest first: those need little
/// travel, and little waiting even if the first of the two is left as late as its window allows.
pub(super) fn near(nodes: &Nodes, node: usize) -> Vec<u16> {
    let far = |a: usize, b: usize| {
        let distance = nodes.row(a)[b];
        let wait = (nodes.earliest[b] - (nodes.latest[a] + distance)).max(0.0);
        let in_time = nodes.earliest[a] + distance <= nodes.latest[b];
        if in_time { distance + WAIT * wait } else { f64::INFINITY }
    };
    let others = (1..nodes.count).filter(|&other| usize::from(other) != node);
    let both = others.map(|other| (far(node, other.into()).min(far(other.into(), node)), other));
    let mut stops: Vec<(f64, u16)> = both.filter(|(far, _)| far.is_finite()).collect();
    let order = |a: &(f64, u16), b: &(f64, u16)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if stops.len() > MOST {
        stops.select_nth_unstable_by(MOST - 1, order);
        stops.truncate(MOST);
    }
    stops.sort_unstable_by(order);
    stops.into_iter().map(|(_, stop)| stop).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_stops_in_time_come_first() {
        // Stops on a line, 10 apart, whose windows open one after the other.
        let place = |node: usize| 10.0 * node as f64;
        let matrix = (0..300).flat_map(|i| (0..300).map(move |j| (place(i) - place(j)).abs()));
        let windows = (0..300).map(|node| (place(node), place(node) + 15.0)).collect();
        let nodes = Nodes::new(matrix.collect(), None, windows).unwrap();
        assert_eq!(near(&nodes, 50)[..4], [49, 51, 48, 52]);
        assert_eq!((near(&nodes, 0)[0], near(&nodes, 0).len()), (1, MOST));
    }
}
