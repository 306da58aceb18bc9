//! ViennaRNA, which folds the sequences that the core does not fold itself.
//!
//! ViennaRNA's Python calls hold the GIL while they fold. They take 99 % of the time of a search with
//! turner1999-d1, which the core cannot fold. So any number of threads would be no faster than one. The extension module of ViennaRNA exports the functions
//! of the C library, though. If they are found, they are called directly, with the GIL released; one
//! thread alone gains 4 %. If they are missing, as on some systems, folding goes through Python.
//!
//! Nothing here knows the layout of ViennaRNA's structures: the model details and the parameters are
//! made through its Python API, which also gives their addresses.

use std::error::Error;
use std::ffi::{CStr, c_char, c_float, c_int, c_short, c_uint, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use libloading::Library;
use nestor_problems::rna::{Energies, Folder};
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
        let library: Option<String> = folding.getattr("library")?.extract()?;
        let details = folding.getattr("details_address")?.extract()?;
        let parameters = folding.getattr("parameters_address")?.extract()?;
        let load = |target| Native::load(library.as_ref()?, details, parameters, target);
        let native = match load(PROBE.1) {
            Some(probe) if probe.agrees(&folding)? => load(target),
            _ => None,
        };
        Ok(Vienna {
            target: target.to_owned(),
            folding: folding.unbind(),
            native,
            failed: AtomicBool::new(false),
            error: Mutex::new(None),
        })
    }

    fn fail(&self, error: PyErr) {
        *self.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        self.failed.store(true, Ordering::Relaxed);
    }
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

impl Folder for Vienna {
    fn fold(&self, sequence: &[u8], structure: &mut Vec<u8>) -> Option<Energies> {
        if self.failed() {
            return None;
        }
        let bases = sequence.strip_suffix(&[0]).unwrap_or(sequence);
        let folded = match &self.native {
            Some(native) => native.fold(sequence, structure).ok_or_else(|| {
                let sequence = String::from_utf8_lossy(bases);
                PyRuntimeError::new_err(format!("ViennaRNA cannot fold {sequence}"))
            }),
            None => {
                Python::attach(|py| call(self.folding.bind(py), bases, &self.target, structure))
            }
        };
        folded.map_err(|error| self.fail(error)).ok()
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
    fold_compound_free: unsafe extern "C" fn(*mut c_void),
    /// Addresses of a `vrna_md_t` and a `vrna_param_t`.
    details: usize,
    parameters: usize,
    /// The target's pair table: its length, then the partner of each base from 1, or 0.
    pair_table: Vec<c_short>,
    _library: Library,
}

/// A sequence and a target to try the functions with.
const PROBE: (&CStr, &str) = (c"AGGCUAGCGAAAGCAGCCU", "((((.(((...))).))))");

/// `VRNA_OPTION_MFE` of the library's headers.
const OPTION_MFE: c_uint = 1;

impl Native {
    /// Finds the functions in the extension module of ViennaRNA, which is already loaded; `None` if
    /// it does not export them.
    fn load(path: &str, details: usize, parameters: usize, target: &str) -> Option<Self> {
        // SAFETY: the module is loaded, so no code runs; the signatures are those of the headers.
        unsafe {
            let library = Library::new(path).ok()?;
            Some(Native {
                fold_compound: *library.get(c"vrna_fold_compound").ok()?,
                params_subst: *library.get(c"vrna_params_subst").ok()?,
                mfe: *library.get(c"vrna_mfe").ok()?,
                eval_structure_pt: *library.get(c"vrna_eval_structure_pt").ok()?,
                fold_compound_free: *library.get(c"vrna_fold_compound_free").ok()?,
                details,
                parameters,
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
        Ok(same && found == expected)
    }

    /// Folds a sequence that ends with a NUL.
    fn fold(&self, sequence: &[u8], structure: &mut Vec<u8>) -> Option<Energies> {
        if sequence.len() != self.pair_table.len() || sequence.last() != Some(&0) {
            return None;
        }
        structure.clear();
        structure.resize(sequence.len(), 0);
        // SAFETY: the sequence is a C text of the pair table's length, and `structure` has room
        // for a structure of that length and its NUL. `details` and `parameters` are alive and
        // never written to: the object that owns them is kept by `Vienna`, and the library copies
        // both. The fold compound is used by this thread alone, and freed once.
        let (minimum, target) = unsafe {
            let details = self.details as *const c_void;
            let compound = (self.fold_compound)(sequence.as_ptr().cast(), details, OPTION_MFE);
            if compound.is_null() {
                return None;
            }
            (self.params_subst)(compound, self.parameters as *const c_void);
            let minimum = (self.mfe)(compound, structure.as_mut_ptr().cast());
            let target = (self.eval_structure_pt)(compound, self.pair_table.as_ptr());
            (self.fold_compound_free)(compound);
            (minimum, target)
        };
        // The NUL is dropped; without a structure, backtracking failed.
        structure.pop();
        let minimum = (f64::from(minimum) * 100.0).round() as i32;
        (structure.first() != Some(&0)).then_some(Energies { minimum, target })
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
