//! The local search of a plain problem is that of the day that asks for no more: its rules are the same,
//! to the last bit.

use nestor_engine::improve::ruin::Ruin;
use nestor_engine::improve::{Improver, Step};
use nestor_engine::random::Key;
use nestor_engine::state::{Reader, Writer};

use super::super::{Objective as Plain, PENALTY, Tsptw};
use super::rebuild::Rebuild;
use super::{Day, NONE, Objective, State};

/// The local search of [`Tsptw`].
pub(in super::super) struct OfPlain {
    day: Day,
    ruin: Ruin<Rebuild>,
}

impl OfPlain {
    pub(in super::super) fn new(problem: &Tsptw) -> Self {
        let n = problem.nodes.len();
        let day = Day {
            nodes: problem.nodes.clone(),
            pauses: Vec::new(),
            gaps: Vec::new(),
            selective: false,
            objective: match problem.objective {
                Plain::Cost => Objective::Cost,
                Plain::Makespan => Objective::Makespan,
            },
            weight: PENALTY,
            counts: true,
            pinned: Vec::new(),
            now: None,
            previous: vec![NONE; n],
            change: 0.0,
            left_out: vec![f64::INFINITY; n],
            ahead: Vec::new(),
            bias: problem.bias,
            timed: None,
            root: State::default(),
        };
        OfPlain { ruin: Ruin::new(Rebuild::new(&day)), day }
    }
}

impl Improver<Tsptw> for OfPlain {
    fn begin(&mut self, _problem: &Tsptw, key: Key) {
        self.ruin.begin(&self.day, key);
    }

    fn adopt(&mut self, _problem: &Tsptw, moves: &[u16]) {
        self.ruin.adopt(&self.day, moves);
    }

    fn step(&mut self, _problem: &Tsptw, patience: u64) -> Step {
        self.ruin.step(&self.day, patience)
    }

    fn moves(&self, _problem: &Tsptw, moves: &mut Vec<u16>) {
        Improver::moves(&self.ruin, &self.day, moves);
    }

    fn progress(&self, patience: u64) -> (u64, u64) {
        Improver::<Day>::progress(&self.ruin, patience)
    }

    fn quick(&self) -> bool {
        Improver::<Day>::quick(&self.ruin)
    }

    fn write(&self, writer: &mut Writer) {
        Improver::<Day>::write(&self.ruin, writer);
    }

    fn read(&mut self, _problem: &Tsptw, reader: &mut Reader) -> Result<(), String> {
        self.ruin.read(&self.day, reader)
    }
}
