//! What folds sequences: ViennaRNA, or its stand-in in tests.

use std::error::Error;

/// Folds sequences for one target.
pub trait Folder: Send + Sync {
    /// Writes the structure of minimum free energy of a sequence, in dot-bracket form, and returns
    /// the energies; `None` if folding failed.
    ///
    /// The sequence consists of A, C, G and U and ends with a NUL, as C expects it.
    fn fold(&self, sequence: &[u8], structure: &mut Vec<u8>) -> Option<Energies>;

    /// Writes the structure of minimum free energy of a part of a sequence, as a string of its own.
    fn fold_part(&self, part: &[u8], structure: &mut Vec<u8>) -> Option<()>;

    /// The target in the ensemble of a sequence that ends with a NUL and has this minimum free
    /// energy; the defect need not be right unless it is asked for. `None` if folding failed.
    fn ensemble(&self, sequence: &[u8], minimum: i32, defect: bool) -> Option<Ensemble>;

    /// Whether folding has failed.
    fn failed(&self) -> bool;

    /// Takes the error that made folding fail, if there is one.
    fn take_error(&self) -> Option<Box<dyn Error + Send + Sync>>;
}

/// Free energies of one sequence, in units of 0.01 kcal/mol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Energies {
    /// The energy of the structure of minimum free energy.
    pub minimum: i32,
    /// The energy of the target.
    pub target: i32,
}

/// The target among all structures of one sequence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ensemble {
    /// The probability of the target.
    pub probability: f64,
    /// The expected share of bases that are not paired as in the target.
    pub defect: f64,
}
