//! Work on several threads, one of which is the one that calls.

use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

/// How long the calling thread waits for the others between looks at the keyboard.
const KEYBOARD: Duration = Duration::from_millis(50);

/// How many of so many threads, of which this is one, the system lets run at once.
pub fn granted(threads: usize) -> usize {
    let all = Mutex::new(());
    std::thread::scope(|scope| {
        let _held = all.lock();
        let wait = || Builder::new().spawn_scoped(scope, || drop(all.lock()));
        1 + (1..threads).take_while(|_| wait().is_ok()).count()
    })
}

/// Does the first part of the work on this thread and each of the others on a thread of its own. Once
/// this thread is done it calls `look` now and then, until all are.
pub fn side_by_side<T: Send, R: Send>(
    parts: Vec<T>,
    work: &(impl Fn(T) -> Vec<R> + Sync),
    mut look: impl FnMut(),
) -> Vec<R> {
    let (ends, ended) = channel::<()>();
    std::thread::scope(|scope| {
        let mut parts = parts.into_iter();
        let first = parts.next();
        let spawn = |part| {
            let end = ends.clone();
            scope.spawn(move || {
                let _end = end;
                work(part)
            })
        };
        let others: Vec<_> = parts.map(spawn).collect();
        drop(ends);
        let mut stops = first.map_or(Vec::new(), work);
        while ended.recv_timeout(KEYBOARD) == Err(RecvTimeoutError::Timeout) {
            look();
        }
        for thread in others {
            stops.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        stops
    })
}
