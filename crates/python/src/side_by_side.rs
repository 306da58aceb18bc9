//! Work on several threads, one of which is the one that calls.

use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

/// How long the calling thread waits for the others between looks at the keyboard.
const KEYBOARD: Duration = Duration::from_millis(50);

/// Does the first part of the work on this thread and each of the others on a thread of its own, or
/// on this one if the system refuses a thread. Once the first part is done it calls `look` now and then,
/// until all threads are. Returns the results in the order of the parts.
pub fn side_by_side<T: Send, R: Send>(
    parts: Vec<T>,
    work: &(impl Fn(T) -> Vec<R> + Sync),
    mut look: impl FnMut(),
) -> Vec<R> {
    let (ends, ended) = channel::<()>();
    let parts: Vec<_> = parts.into_iter().map(|part| Mutex::new(Some(part))).collect();
    let done = |part: &Mutex<Option<T>>| {
        let part = part.lock().ok().and_then(|mut part| part.take());
        part.map_or(Vec::new(), work)
    };
    std::thread::scope(|scope| {
        let spawn = |part| {
            let (end, done) = (ends.clone(), &done);
            let spawned = Builder::new().spawn_scoped(scope, move || {
                let _end = end;
                done(part)
            });
            (part, spawned)
        };
        let others: Vec<_> = parts.iter().skip(1).map(spawn).collect();
        drop(ends);
        let mut results = parts.first().map_or(Vec::new(), done);
        while ended.recv_timeout(KEYBOARD) == Err(RecvTimeoutError::Timeout) {
            look();
        }
        for (part, spawned) in others {
            results.extend(match spawned {
                Ok(thread) => {
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                }
                Err(_) => done(part),
            });
        }
        results
    })
}
