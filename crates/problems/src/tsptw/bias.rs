//! The biases: what makes a city a good next one (gnrpa-2020, section 6.2; Sentuc et al., LION
//! 2023).

use nestor_engine::problem::Bias;
use serde::Deserialize;

use super::{NEVER, Nodes, later};

/// What the bias of a move depends on; see [`super::Tsptw::new`].
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum TsptwBias {
    /// There is no bias.
    None,
    /// Near cities are favoured.
    Distance,
    /// Cities without a wait are favoured.
    Waiting,
    /// Cities whose deadline is near are favoured.
    Lateness,
}

impl TsptwBias {
    /// Where the biases come from.
    pub(super) fn source(self, nodes: &Nodes) -> Bias {
        match self {
            TsptwBias::None => Bias::None,
            TsptwBias::Distance => Bias::PerCode(by_distance(nodes)),
            TsptwBias::Waiting | TsptwBias::Lateness => Bias::PerMove,
        }
    }
}

/// A bias that depends on the time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Timed {
    /// With the longest possible wait.
    Waiting(f64),
    /// With the longest possible time to a deadline.
    Lateness(f64),
}

impl Timed {
    /// The bias, if it depends on the time.
    pub(super) fn new(bias: TsptwBias, nodes: &Nodes) -> Option<Self> {
        let start = nodes.earliest[0];
        let longest = |times: &[f64]| {
            let limits = times[1..].iter().copied().filter(|&time| time < NEVER);
            limits.fold(start, f64::max) - start
        };
        match bias {
            TsptwBias::None | TsptwBias::Distance => None,
            TsptwBias::Waiting => Some(Timed::Waiting(longest(&nodes.earliest))),
            TsptwBias::Lateness => Some(Timed::Lateness(longest(&nodes.latest))),
        }
    }

    /// beta of going to a city. If the longest is zero, so is what is divided by it.
    pub(super) fn beta(self, nodes: &Nodes, (current, time): (u16, f64), city: u16) -> f64 {
        let j = usize::from(city);
        let arrival = time + nodes.row(current.into())[j];
        let (lost, longest) = match self {
            Timed::Waiting(longest) => (nodes.earliest[j] - arrival, longest),
            Timed::Lateness(_) if nodes.latest[j] >= NEVER => return -10.0,
            Timed::Lateness(longest) => {
                (nodes.latest[j] - later(arrival, nodes.earliest[j]), longest)
            }
        };
        if lost > 0.0 { -10.0 * (lost / longest) } else { 0.0 }
    }
}

/// The bias of each leg from what it takes.
fn by_distance(nodes: &Nodes) -> Vec<f64> {
    let off_diagonal = || nodes.durations.iter().copied().filter(|&d| d >= 0.0);
    let min = off_diagonal().fold(f64::INFINITY, f64::min);
    let max = off_diagonal().fold(0.0, f64::max);
    let bias = |&d: &f64| if d > min { 10.0 * (min - d) / (max - min) } else { 0.0 };
    nodes.durations.iter().map(bias).collect()
}
