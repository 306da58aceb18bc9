//! Nested Monte Carlo search over any problem.
//!
//! A [`problem::Problem`] gives the rules, an [`algorithm::Algorithm`] the settings; the
//! [`search::Search`] that it starts searches, and its [`meter::Meter`] keeps what was found.

pub mod algorithm;
pub mod beam;
pub mod biased;
pub mod code;
#[cfg(test)]
mod examples;
mod kernels;
pub mod math;
pub mod meter;
pub mod nmcs;
pub mod nrpa;
pub mod playout;
pub mod policy;
pub mod prior;
pub mod problem;
pub mod random;
pub mod search;
pub mod sequence;
mod state;
mod table;
mod threads;
