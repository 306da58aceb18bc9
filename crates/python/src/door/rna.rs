//! Inverse RNA folding: its problem, and its energy models.

use std::collections::HashMap;

use nestor_problems::rna::{Instance, MAX_LENGTH, Model, Rna, Tables};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::vienna::Vienna;
use crate::{read, wrong};

/// Makes the problem. Besides the settings of the instance there is `folding`, a
/// `nestor.problems.rna.energy.Folding`.
pub fn make(settings: &Bound<'_, PyDict>) -> PyResult<Rna<Vienna>> {
    let settings = settings.copy()?;
    let folding = settings.as_any().get_item("folding")?;
    settings.del_item("folding")?;
    let instance: Instance = read(&settings)?;
    let model = match folding.getattr_opt("own")? {
        Some(own) if !own.is_none() => Some(own.cast::<EnergyModel>()?.get().0.clone()),
        _ => None,
    };
    let vienna = Vienna::new(&instance.target, folding)?;
    Rna::new(instance, model, vienna).map_err(wrong)
}

/// The parameters of an energy model, and folding with them; see
/// `nestor.problems.rna.energy`.
#[pyclass(frozen, module = "nestor._core")]
pub struct EnergyModel(Model);

#[pymethods]
impl EnergyModel {
    /// The tables of a parameter file by their names, special hairpins with their energies, and the
    /// factor of the logarithm of the size of longer loops; whether the model is one of d1.
    #[new]
    fn new(
        tables: HashMap<String, Vec<i32>>,
        special: HashMap<String, i32>,
        longer: f64,
        single: bool,
    ) -> PyResult<Self> {
        let model = Model::new(&tables, &special, longer, single);
        Ok(EnergyModel(model.map_err(wrong)?))
    }

    /// The structure of minimum free energy of a sequence, and its energy in units of 0.01 kcal/mol.
    fn fold(&self, sequence: &str) -> PyResult<(String, i32)> {
        if !self.0.folds() {
            return Err(wrong("the core folds with models of d2"));
        }
        let n = sequence.len();
        if n == 0 || n > MAX_LENGTH || !sequence.bytes().all(|base| b"ACGU".contains(&base)) {
            return Err(wrong(format!("a sequence has 1 to {MAX_LENGTH} letters A, C, G and U")));
        }
        let mut structure = Vec::new();
        let minimum = Tables::default().fold(&self.0, sequence.as_bytes(), &mut structure);
        Ok((String::from_utf8_lossy(&structure).into_owned(), minimum))
    }

    /// The energy of a structure, in units of 0.01 kcal/mol.
    fn evaluate(&self, sequence: &str, structure: &str) -> PyResult<i32> {
        self.0.energy(sequence.as_bytes(), structure.as_bytes()).map_err(wrong)
    }
}
