//! ViennaRNA, which folds the sequences that the core does not fold itself, and knows ensembles.
//!
//! ViennaRNA's Python calls hold the GIL while they fold. They take 99 % of the time of nested search
//! with turner1999-d1, which the core cannot fold. So any number of threads would be no faster than
//! one. The extension module of ViennaRNA exports the functions of the C library, though. If they
//! are found, they are called directly, with the GIL released; one thread alone gains 4 %. If they
//! are missing, as on some systems, folding goes through Python.
//!
//! Nothing here knows the layout of ViennaRNA's structures: the model details and the parameters are
//! made through its Python API, which also gives their addresses.

use std::error::Error;
use std::ffi::{CStr, CString, c_char, c_double, c_float, c_int, c_short, c_uint, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use libloading::Library;
use nestor_problems::rna::{Energies, Ensemble, Folder};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// ViennaRNA with one energy model and one target.
pub struct Vienna {
    target: String,
    /// Has `fold(sequence, target)`, and keeps alive what `native` points to.
    folding: Py<PyAny>,
    native: Option<Native>,
    failed: AtomicBool,
    error: Mutex<Option<PyErr>>,
}

impl Vienna {
    /// `folding` is a `nestor.problems.rna.energy.Folding`.
    pub fn new(target: &str, folding: Bound<'_, PyAny>) -> PyResult<Self> {
        let extension: Option<String> = folding.getattr("extension")?.extract()?;
        let addresses: Addresses = folding.getattr("addresses")?.extract()?;
        let load = |target| Native::load(extension.as_ref()?, addresses, target);
        let native = match load(PROBE.1) {
            Some(probe) if probe.agrees(&folding)? => load(target),
            _ => None,
        };
        let (failed, error) = Default::default();
        Ok(Vienna { target: target.to_owned(), folding: folding.unbind(), native, failed, error })
    }

    /// What is found about a sequence: nothing after the first failure.
    fn found<T>(&self, bases: &[u8], find: impl FnOnce() -> PyResult<Option<T>>) -> Option<T> {
        if self.failed() {
            return None;
        }
        let error = match find() {
            Ok(Some(found)) => return Some(found),
            Ok(None) => {
                let sequence = String::from_utf8_lossy(bases);
                PyRuntimeError::new_err(format!("ViennaRNA cannot fold {sequence}"))
            }
            Err(error) => error,
        };
        *self.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        self.failed.store(true, Ordering::Relaxed);
        None
    }

    /// Calls Python.
    fn python<T>(
        &self,
        call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> PyResult<Option<T>> {
        Python::attach(|py| call(self.folding.bind(py)).map(Some))
    }
}

/// The bases of a sequence, without the NUL at its end.
fn letters(sequence: &[u8]) -> &[u8] {
    sequence.strip_suffix(&[0]).unwrap_or(sequence)
}

/// Folds through Python.
fn call(
    folding: &Bound<'_, PyAny>,
    sequence: &[u8],
    target: &str,
    structure: &mut Vec<u8>,
) -> PyResult<Energies> {
    let folded = folding.call_method1("fold", (String::from_utf8_lossy(sequence), target))?;
    let (found, minimum, target): (String, i32, i32) = folded.extract()?;
    structure.clear();
    structure.extend_from_slice(found.as_bytes());
    Ok(Energies { minimum, target })
}

/// Asks for the ensemble through Python.
fn call_ensemble(folding: &Bound<'_, PyAny>, sequence: &[u8], target: &str) -> PyResult<Ensemble> {
    let found = folding.call_method1("ensemble", (String::from_utf8_lossy(sequence), target))?;
    let (probability, defect) = found.extract()?;
    Ok(Ensemble { probability, defect })
}

impl Folder for Vienna {
    fn fold(&self, sequence: &[u8], structure: &mut Vec<u8>) -> Option<Energies> {
        let bases = letters(sequence);
        self.found(bases, || match &self.native {
            Some(native) => Ok(native.fold(sequence, structure)),
            None => self.python(|folding| call(folding, bases, &self.target, structure)),
        })
    }

    fn fold_part(&self, part: &[u8], structure: &mut Vec<u8>) -> Option<()> {
        self.found(part, || match &self.native {
            Some(native) => Ok(native.fold_part(part, structure)),
            None => self.python(|folding| {
                call(folding, part, &".".repeat(part.len()), structure).map(drop)
            }),
        })
    }

    fn ensemble(&self, sequence: &[u8], minimum: i32, defect: bool) -> Option<Ensemble> {
        let bases = letters(sequence);
        self.found(bases, || match &self.native {
            Some(native) => Ok(native.ensemble(sequence, minimum, defect)),
            None => self.python(|folding| call_ensemble(folding, bases, &self.target)),
        })
    }

    fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    fn take_error(&self) -> Option<Box<dyn Error + Send + Sync>> {
        self.failed.store(false, Ordering::Relaxed);
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        error.map(Into::into)
    }
}

/// The functions of the C library, as its headers declare them (ViennaRNA 2.2 and later), and their
/// arguments.
struct Native {
    fold_compound: unsafe extern "C" fn(*const c_char, *const c_void, c_uint) -> *mut c_void,
    params_subst: unsafe extern "C" fn(*mut c_void, *const c_void),
    mfe: unsafe extern "C" fn(*mut c_void, *mut c_char) -> c_float,
    eval_structure_pt: unsafe extern "C" fn(*mut c_void, *const c_short) -> c_int,
    prepare: unsafe extern "C" fn(*mut c_void, c_uint) -> c_int,
    exp_params_subst: unsafe extern "C" fn(*mut c_void, *const c_void),
    exp_params_rescale: unsafe extern "C" fn(*mut c_void, *mut c_double),
    pf: unsafe extern "C" fn(*mut c_void, *mut c_char) -> c_float,
    pr_structure: unsafe extern "C" fn(*mut c_void, *const c_char) -> c_double,
    ensemble_defect: unsafe extern "C" fn(*mut c_void, *const c_char) -> c_double,
    fold_compound_free: unsafe extern "C" fn(*mut c_void),
    addresses: Addresses,
    target: CString,
    /// The target's pair table: its length, then the partner of each base from 1, or 0.
    pair_table: Vec<c_short>,
    _library: Library,
}

/// Where the models are in memory.
#[derive(Clone, Copy, FromPyObject)]
#[pyo3(from_item_all)]
struct Addresses {
    /// A `vrna_md_t` and a `vrna_param_t` for minimum free energies.
    details: usize,
    parameters: usize,
    /// The same for ensembles, with and without probabilities of pairs, and a `vrna_exp_param_t`.
    ensemble_details: usize,
    with_pairs: usize,
    without_pairs: usize,
    factors: usize,
}

/// A fold compound of the library.
struct Compound<'a> {
    native: &'a Native,
    at: *mut c_void,
}

impl Drop for Compound<'_> {
    fn drop(&mut self) {
        // SAFETY: the library made it, and it is freed once.
        unsafe { (self.native.fold_compound_free)(self.at) }
    }
}

/// A sequence and a target to try the functions with.
const PROBE: (&CStr, &str) = (c"AGGCUAGCGAAAGCAGCCU", "((((.(((...))).))))");

/// `VRNA_OPTION_MFE` and `VRNA_OPTION_PF` of the library's headers.
const OPTION_MFE: c_uint = 1;
const OPTION_PF: c_uint = 2;

impl Native {
    /// Finds the functions in the extension module of ViennaRNA, which is already loaded; `None` if
    /// it does not export them.
    fn load(path: &str, addresses: Addresses, target: &str) -> Option<Self> {
        // SAFETY: the module is loaded, so no code runs; the signatures are those of the headers.
        unsafe {
            let library = Library::new(path).ok()?;
            Some(Native {
                fold_compound: *library.get(c"vrna_fold_compound").ok()?,
                params_subst: *library.get(c"vrna_params_subst").ok()?,
                mfe: *library.get(c"vrna_mfe").ok()?,
                eval_structure_pt: *library.get(c"vrna_eval_structure_pt").ok()?,
                prepare: *library.get(c"vrna_fold_compound_prepare").ok()?,
                exp_params_subst: *library.get(c"vrna_exp_params_subst").ok()?,
                exp_params_rescale: *library.get(c"vrna_exp_params_rescale").ok()?,
                pf: *library.get(c"vrna_pf").ok()?,
                pr_structure: *library.get(c"vrna_pr_structure").ok()?,
                ensemble_defect: *library.get(c"vrna_ensemble_defect").ok()?,
                fold_compound_free: *library.get(c"vrna_fold_compound_free").ok()?,
                addresses,
                target: CString::new(target).ok()?,
                pair_table: pair_table(target)?,
                _library: library,
            })
        }
    }

    /// Whether a probe is folded as the Python API folds it.
    fn agrees(&self, folding: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (sequence, target) = PROBE;
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        let energies = call(folding, sequence.to_bytes(), target, &mut expected)?;
        let same = self.fold(sequence.to_bytes_with_nul(), &mut found) == Some(energies);
        let ensemble = call_ensemble(folding, sequence.to_bytes(), target)?;
        let known = self.ensemble(sequence.to_bytes_with_nul(), energies.minimum, true);
        Ok(same && found == expected && known == Some(ensemble))
    }

    /// A fold compound of a sequence that ends with a NUL.
    fn compound(
        &self,
        sequence: &[u8],
        details: usize,
        parameters: usize,
        options: c_uint,
    ) -> Option<Compound<'_>> {
        if sequence.last() != Some(&0) {
            return None;
        }
        // SAFETY: the sequence is a C text. The details and the parameters are alive and never
        // written to: the object that owns them is kept by `Vienna`, and the library copies both.
        let at = unsafe {
            let details = details as *const c_void;
            let at = (self.fold_compound)(sequence.as_ptr().cast(), details, options);
            if at.is_null() {
                return None;
            }
            (self.params_subst)(at, parameters as *const c_void);
            at
        };
        Some(Compound { native: self, at })
    }

    /// The compound of a sequence that ends with a NUL, its structure and the minimum free energy.
    fn minimum(&self, sequence: &[u8], structure: &mut Vec<u8>) -> Option<(Compound<'_>, i32)> {
        let Addresses { details, parameters, .. } = self.addresses;
        let compound = self.compound(sequence, details, parameters, OPTION_MFE)?;
        structure.clear();
        structure.resize(sequence.len(), 0);
        // SAFETY: there is room for a structure of the sequence's length and its NUL, and the
        // compound is used by this thread alone.
        let minimum = unsafe { (self.mfe)(compound.at, structure.as_mut_ptr().cast()) };
        // The NUL is dropped; without a structure, backtracking failed.
        structure.pop();
        let minimum = (f64::from(minimum) * 100.0).round() as i32;
        (structure.first() != Some(&0)).then_some((compound, minimum))
    }

    /// Folds a part of a sequence.
    fn fold_part(&self, part: &[u8], structure: &mut Vec<u8>) -> Option<()> {
        self.minimum(&[part, &[0]].concat(), structure).map(drop)
    }

    /// The target in the ensemble of a sequence that ends with a NUL; the defect if it is asked for.
    fn ensemble(&self, sequence: &[u8], minimum: i32, defect: bool) -> Option<Ensemble> {
        if sequence.len() != self.pair_table.len() {
            return None;
        }
        let at = &self.addresses;
        let details = at.ensemble_details;
        let parameters = if defect { at.with_pairs } else { at.without_pairs };
        let options = OPTION_MFE | OPTION_PF;
        let compound = self.compound(sequence, details, parameters, options)?;
        // SAFETY: as above; the target is a C text.
        let (probability, defect) = unsafe {
            let minimum = match details == at.details {
                true => minimum as c_float / 100.0,
                false => (self.mfe)(compound.at, ptr::null_mut()),
            };
            // Factors that it gets before it is prepared would be replaced.
            (self.prepare)(compound.at, options);
            (self.exp_params_subst)(compound.at, at.factors as *const c_void);
            (self.exp_params_rescale)(compound.at, &mut c_double::from(minimum));
            (self.pf)(compound.at, ptr::null_mut());
            let target = self.target.as_ptr();
            let probability = (self.pr_structure)(compound.at, target);
            (probability, if defect { (self.ensemble_defect)(compound.at, target) } else { 0.0 })
        };
        Some(Ensemble { probability, defect })
    }

    /// Folds a sequence that ends with a NUL.
    fn fold(&self, sequence: &[u8], structure: &mut Vec<u8>) -> Option<Energies> {
        if sequence.len() != self.pair_table.len() {
            return None;
        }
        let (compound, minimum) = self.minimum(sequence, structure)?;
        // SAFETY: the pair table has the length of the sequence.
        let target = unsafe { (self.eval_structure_pt)(compound.at, self.pair_table.as_ptr()) };
        Some(Energies { minimum, target })
    }
}

/// The pair table of a structure in dot-bracket form; `None` if it is not balanced.
fn pair_table(target: &str) -> Option<Vec<c_short>> {
    let mut table = vec![0; target.len() + 1];
    table[0] = c_short::try_from(target.len()).ok()?;
    let mut open = Vec::new();
    for (position, symbol) in (1..).zip(target.bytes()) {
        match symbol {
            b'(' => open.push(position),
            b')' => {
                let opening: c_short = open.pop()?;
                table[opening as usize] = position;
                table[position as usize] = opening;
            }
            _ => (),
        }
    }
    open.is_empty().then_some(table)
}
