//! Nested Monte Carlo search over any problem.
//!
//! A [`problem::Problem`] gives the rules, and an [`Algorithm`] has the settings. It starts a
//! [`search::Search`], whose [`meter::Meter`] keeps what is found.

mod adopt;
pub mod beam;
pub mod biased;
pub mod code;
#[cfg(test)]
mod examples;
pub mod improve;
#[cfg(all(test, feature = "shuttle"))]
mod interleavings;
pub mod job;
mod kernels;
pub mod math;
pub mod meter;
pub mod nmcs;
pub mod nrpa;
pub mod playout;
pub mod policy;
pub mod prior;
pub mod problem;
pub mod race;
pub mod random;
pub mod search;
pub mod sequence;
mod shared;
pub mod state;
mod table;
mod threads;
mod way;

use serde::Deserialize;

use biased::Biased;
use improve::counterexamples;
use problem::Offers;
use random::Key;
use search::Search;

/// An algorithm and its settings.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum Algorithm {
    /// NRPA and GNRPA.
    Nrpa(nrpa::settings::Settings),
    /// NMCS and sampling.
    Nmcs(nmcs::Settings),
    /// Beam NRPA.
    BeamNrpa(beam::Settings),
    /// Search by counterexamples.
    Counterexamples(counterexamples::Settings),
    /// Local search.
    LocalSearch(improve::Settings),
}

impl Algorithm {
    /// Starts a search.
    ///
    /// # Errors
    ///
    /// If a setting is out of range.
    pub fn start<P: Offers + 'static>(
        &self,
        problem: &Biased<P>,
        key: Key,
    ) -> Result<Box<Search<P>>, String> {
        match self {
            Algorithm::Nrpa(settings) => nrpa::start::start(problem, settings, key),
            Algorithm::Nmcs(settings) => nmcs::start(problem, settings, key),
            Algorithm::BeamNrpa(settings) => beam::start(problem, settings, key),
            Algorithm::Counterexamples(settings) => counterexamples::start(problem, settings, key),
            Algorithm::LocalSearch(_) => improve::start(problem, key),
        }
    }

    /// The first weights of the biases, if they are learned.
    pub fn learned_bias_weights(&self) -> Option<&[f64]> {
        match self {
            Algorithm::Nrpa(settings) => settings.learned_bias_weights(),
            _ => None,
        }
    }
}
