//! The end of the interpreter. A thread that asks for the GIL after it is ended on the spot, which
//! aborts the process if the thread is inside the core. So all must have left the core before.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use pyo3::exceptions::PySystemExit;
use pyo3::prelude::*;

static CLOSING: AtomicBool = AtomicBool::new(false);
static INSIDE: AtomicUsize = AtomicUsize::new(0);

/// How long the interpreter waits for a callback that does not return.
const LONGEST_CALLBACK: Duration = Duration::from_secs(5);

/// A thread that is inside the core and may ask for the GIL.
pub struct Inside(());

impl Inside {
    /// Enters the core, which fails once the interpreter ends.
    pub fn enter() -> PyResult<Self> {
        INSIDE.fetch_add(1, Ordering::SeqCst);
        let inside = Inside(());
        if CLOSING.load(Ordering::SeqCst) { Err(PySystemExit::new_err(())) } else { Ok(inside) }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Lets nobody into the core any more, and waits until all have left it.
#[pyfunction]
fn close(py: Python<'_>) {
    CLOSING.store(true, Ordering::SeqCst);
    let begun = Instant::now();
    while INSIDE.load(Ordering::SeqCst) > 0 && begun.elapsed() < LONGEST_CALLBACK {
        py.detach(|| std::thread::sleep(Duration::from_millis(1)));
    }
}

/// Has the interpreter call `close` before it ends.
pub fn register(py: Python<'_>) -> PyResult<()> {
    py.import("atexit")?.call_method1("register", (wrap_pyfunction!(close, py)?,))?;
    Ok(())
}
