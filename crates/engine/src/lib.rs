//! Nested Monte Carlo search over any problem.
//!
//! A [`problem::Problem`] gives the rules, and an [`Algorithm`] has the settings. It starts a
//! [`search::Search`], whose [`meter::Meter`] keeps what is found.

mod adopt;
pub mod beam;
pub mod beam_search;
pub mod biased;
mod borrower;
pub mod code;
#[cfg(test)]
mod examples;
pub mod improve;
#[cfg(all(test, feature = "shuttle"))]
mod interleavings;
pub mod job;
mod kernels;
mod lockstep;
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
pub mod style;
mod table;
mod threads;
mod way;

use serde::Deserialize;

use biased::Biased;
use borrower::Borrowers;
use improve::polish::{self, Polish};
use job::Sequences;
pub use nrpa::start::Child;
use policy::Policy;
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
    /// Beam search.
    BeamSearch(beam_search::Settings),
    /// Beam NRPA.
    BeamNrpa(beam::Settings),
    /// NRPA, GNRPA or Beam NRPA with polish.
    Polished(polish::Settings),
    /// Local search.
    LocalSearch(improve::Settings),
    /// A race of searches, each with an algorithm of its own.
    Race(race::Settings),
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
        self.lending(problem, |nested, lends| match nested {
            Algorithm::Nrpa(settings) => {
                Ok(nrpa::start::start(problem, settings, lends, key)? as Box<Search<P>>)
            }
            Algorithm::Nmcs(settings) => nmcs::start(problem, settings, key),
            Algorithm::BeamNrpa(settings) => beam::start(problem, settings, lends, key),
            Algorithm::BeamSearch(_) => Ok(beam_search::start(problem, key)),
            Algorithm::LocalSearch(settings) => improve::start(problem, settings, key),
            Algorithm::Polished(_) => Err("results are polished once".into()),
            Algorithm::Race(_) => Err("a race is made of other searches".into()),
        })
    }

    /// Makes one job of what it searches with: its only search, or those of a race.
    ///
    /// # Errors
    ///
    /// If they are too few or too many, or a setting is out of range.
    pub fn join<J: Sequences + 'static>(
        &self,
        searches: Vec<J>,
    ) -> Result<Box<dyn Sequences<Move = J::Move>>, String> {
        if let Algorithm::Race(settings) = self {
            return Ok(Box::new(race::start(searches, settings)?));
        }
        let [only] =
            <[J; 1]>::try_from(searches).map_err(|_| "only a race has several searches")?;
        Ok(Box::new(only))
    }

    /// Starts a search that runs as the child of a level outside it.
    ///
    /// # Errors
    ///
    /// If it is not NRPA, if policies are not shared, or a setting is out of range.
    pub fn start_child<P: Offers + 'static>(
        &self,
        problem: &Biased<P>,
        key: Key,
    ) -> Result<Box<Search<P, dyn Child<P>>>, String> {
        self.lending(problem, |nested, lends| match nested {
            Algorithm::Nrpa(settings) => nrpa::start::start_child(problem, settings, lends, key),
            _ => Err("only NRPA has levels that share a policy".into()),
        })
    }

    /// Starts a search whose playouts follow a policy, and whose levels begin with it.
    ///
    /// # Errors
    ///
    /// If a setting is out of range, or the search has no policy that it could begin with.
    pub fn start_from<P: Offers + 'static>(
        &self,
        problem: &Biased<P>,
        policy: &Policy<P::Code>,
        key: Key,
    ) -> Result<Box<Search<P>>, String> {
        self.lending(problem, |nested, lends| match nested {
            Algorithm::Nmcs(settings) => nmcs::start_from(problem, settings, policy, key),
            Algorithm::BeamNrpa(settings) => {
                beam::start_from(problem, settings, lends, policy, key)
            }
            _ => Err("only NMCS and Beam NRPA begin so".into()),
        })
    }

    /// Starts this search, or the one whose results it polishes, with what borrows them.
    fn lending<P: Offers + 'static, S>(
        &self,
        problem: &Biased<P>,
        start: impl FnOnce(&Algorithm, Borrowers<P>) -> Result<S, String>,
    ) -> Result<S, String> {
        let Algorithm::Polished(settings) = self else { return start(self, &|| None) };
        settings.check(problem)?;
        match &*settings.nested {
            nested @ (Algorithm::Nrpa(_) | Algorithm::BeamNrpa(_)) => {
                start(nested, &|| Some(Box::new(Polish::new(problem, settings))))
            }
            _ => Err("only results of NRPA and Beam NRPA are polished".into()),
        }
    }

    /// The first weights of the biases, if they are learned.
    pub fn learned_bias_weights(&self) -> Option<&[f64]> {
        match self {
            Algorithm::Nrpa(settings) => settings.learned_bias_weights(),
            Algorithm::Polished(settings) => settings.nested.learned_bias_weights(),
            _ => None,
        }
    }
}
