//! Nested Monte Carlo search over any problem.
//!
//! A [`problem::Problem`] gives the rules, a [`search::Search`] ([`nrpa::Nrpa`], [`nmcs::Nmcs`],
//! [`beam::Beam`]) searches, its [`meter::Meter`] keeps what was found.

pub mod algorithm;
pub mod beam;
mod bias;
pub mod biased;
mod carried;
pub mod code;
#[cfg(test)]
mod examples;
mod journal;
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
mod saved;
pub mod search;
pub mod sequence;
mod table;
mod team;
