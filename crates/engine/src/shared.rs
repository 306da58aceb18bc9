//! What threads share: locks, atomic numbers and the threads themselves.
//!
//! With the feature `shuttle` they are those of a checker, which chooses at each of their operations
//! the thread that goes on (see `interleavings.rs`).

#[cfg(feature = "shuttle")]
pub(crate) use shuttle::{hint, sync};
#[cfg(not(feature = "shuttle"))]
pub(crate) use std::{hint, sync, thread};

#[cfg(feature = "shuttle")]
pub(crate) mod thread {
    pub(crate) use shuttle::thread::{scope, yield_now};

    /// Tells the checker that the thread waits, which shuttle's own `sleep` does not.
    pub(crate) fn sleep(_: std::time::Duration) {
        yield_now();
    }
}
