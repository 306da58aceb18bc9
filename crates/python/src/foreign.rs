//! Problems behind the C interface, as Python sees them.

use std::sync::Arc;

use nestor_engine::code::Code;
use nestor_engine::improve::ruin::sets::SetProblem;
use nestor_engine::problem::Problem;
use nestor_problems::exposed::listed;

use nestor_problems::foreign::{
    ANY_ORDER, ANY_PART, BIASED, COVER, DECISIONS, FRONT, Fault, Foreign, MINIMISE, Part, Replayed,
    Report, State, Table, Wrong, last_parts,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::own::CutOffError;
use crate::{check, wrong};

/// What a table says of its problem.
#[derive(Clone, IntoPyObject)]
pub struct Said {
    minimise: bool,
    biased: bool,
    change: &'static str,
    code_count: u64,
    state_size: u64,
    optimum: f64,
    front: bool,
    parts: Vec<(f64, f64, f64, f64, bool)>,
    guided: bool,
    undoes: bool,
    tasks: bool,
}

/// Single steps of a problem.
pub trait Steps: Send + Sync {
    fn said(&self) -> Said;
    fn initial<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>>;
    fn moves(&self, state: &[u8]) -> PyResult<(Vec<i64>, Vec<u64>, Vec<f64>)>;
    fn play<'py>(&self, py: Python<'py>, state: &[u8], mv: i64) -> PyResult<Bound<'py, PyBytes>>;
    fn undo<'py>(&self, py: Python<'py>, state: &[u8], mv: i64) -> PyResult<Bound<'py, PyBytes>>;
    fn task(&self, mv: i64) -> PyResult<u32>;
    fn judge(&self, state: &[u8], guide: bool) -> PyResult<f64>;
    fn last_parts(&self) -> Vec<f64>;
    fn replayed(&self, moves: &[i64]) -> PyResult<(f64, Vec<f64>, Vec<f64>)>;
}

fn read<C: Code>(problem: &Foreign<C>, bytes: &[u8]) -> PyResult<State> {
    let state = problem.read(bytes);
    state.ok_or_else(|| wrong(format!("a state has not {} bytes", bytes.len())))
}

impl<C: Code> Steps for Foreign<C> {
    fn said(&self) -> Said {
        let table = self.table();
        let has = |flag| table.flags & flag != 0;
        Said {
            minimise: has(MINIMISE),
            biased: has(BIASED),
            change: match () {
                () if has(ANY_ORDER) => "order",
                () if has(ANY_PART) => "set",
                () if has(DECISIONS) => "decisions",
                () if has(COVER) => "cover",
                () => "none",
            },
            undoes: table.undo.is_some(),
            tasks: table.task.is_some(),
            code_count: table.code_count,
            state_size: table.state_size,
            optimum: table.optimum,
            front: has(FRONT),
            parts: self.parts().map_or(vec![], |parts| {
                let told = |p: &Part| (p.least, p.most, p.step, p.optimum, p.minimise != 0);
                parts.parts.iter().map(told).collect()
            }),
            guided: table.guide.is_some(),
        }
    }

    fn initial<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, self.bytes(&Problem::initial(self))))
    }

    fn moves(&self, state: &[u8]) -> PyResult<(Vec<i64>, Vec<u64>, Vec<f64>)> {
        let (moves, codes, biases) = listed(self, &mut read(self, state)?);
        check(self)?;
        Ok((moves, codes.into_iter().map(Into::into).collect(), biases))
    }

    fn play<'py>(&self, py: Python<'py>, state: &[u8], mv: i64) -> PyResult<Bound<'py, PyBytes>> {
        let mut state = read(self, state)?;
        Problem::play(self, &mut state, mv);
        check(self)?;
        Ok(PyBytes::new(py, self.bytes(&state)))
    }

    fn undo<'py>(&self, py: Python<'py>, state: &[u8], mv: i64) -> PyResult<Bound<'py, PyBytes>> {
        let mut state = read(self, state)?;
        self.take(&mut state, mv);
        check(self)?;
        Ok(PyBytes::new(py, self.bytes(&state)))
    }

    fn task(&self, mv: i64) -> PyResult<u32> {
        let task = Foreign::task(self, &Problem::initial(self), mv);
        check(self)?;
        Ok(task)
    }

    fn judge(&self, state: &[u8], guide: bool) -> PyResult<f64> {
        let judged = self.judged(&read(self, state)?, guide);
        check(self)?;
        Ok(judged)
    }

    fn last_parts(&self) -> Vec<f64> {
        last_parts(self.parts().map_or(0, |parts| parts.parts.len()))
    }

    fn replayed(&self, moves: &[i64]) -> PyResult<(f64, Vec<f64>, Vec<f64>)> {
        let root = Problem::initial(self);
        let order: Vec<u32> = moves.iter().map(|&mv| self.item(&root, mv)).collect();
        check(self)?;
        let Replayed { value, bounds, joined } = Foreign::replayed(self, &order);
        check(self)?;
        Ok((value, bounds, joined))
    }
}

/// Opens the problem of a table; see [`crate::door::Problem`].
pub fn open(
    py: Python<'_>,
    address: usize,
    report: Py<PyAny>,
    layout: Option<u64>,
    biased: bool,
    checked: bool,
) -> PyResult<Opened> {
    if address == 0 {
        return Err(wrong("there is no table"));
    }
    // SAFETY: the caller says that a table is there.
    let mut table = unsafe { std::ptr::read_unaligned(address as *const Table) };
    table.check(layout).map_err(wrong)?;
    if !biased {
        table.flags &= !BIASED;
    }
    if table.code_count > 0 {
        opened(py, table, checked, report).map(Opened::Dense)
    } else {
        opened(py, table, checked, report).map(Opened::Hashed)
    }
}

fn opened<C: Code>(
    py: Python<'_>,
    table: Table,
    checked: bool,
    report: Py<PyAny>,
) -> PyResult<Arc<Foreign<C>>> {
    let first = report.clone_ref(py);
    let report: Box<Report> = Box::new(move |fault| told(&report, fault).into());
    // SAFETY: the caller says so; `report` keeps alive what the functions need.
    let made = unsafe { Foreign::new(table, checked, report) };
    Ok(Arc::new(made.map_err(|fault| told(&first, fault))?))
}

/// A problem and its kind of codes.
pub enum Opened {
    Dense(Arc<Foreign<u32>>),
    Hashed(Arc<Foreign<u64>>),
}

/// The exception for a fault.
fn told(report: &Py<PyAny>, fault: Fault) -> PyErr {
    if let Wrong::Cut(longest) = fault.wrong {
        return CutOffError::new_err((fault.moves.len(), longest));
    }
    let status = match fault.wrong {
        Wrong::Status(status, _) => status,
        _ => 0,
    };
    Python::attach(|py| {
        let said = fault.to_string();
        let made = report.bind(py).call1((fault.function, said, fault.moves, status));
        made.map_or_else(|error| error, PyErr::from_value)
    })
}
