//! A time limit for tests that wait for another thread or program. Test programs include this file
//! with `#[path]`, so that there is one copy.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Longer than any single test takes on a slow machine.
const LIMIT: Duration = Duration::from_secs(600);

/// The result of `work`, which fails the test when it waits for ever.
pub(crate) fn within_limit<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, result) = channel();
    let worker = std::thread::spawn(move || done.send(work()));
    match result.recv_timeout(LIMIT) {
        Ok(value) => value,
        Err(RecvTimeoutError::Timeout) => panic!("not done after {} s", LIMIT.as_secs()),
        // The worker panicked: the test fails with its message.
        Err(RecvTimeoutError::Disconnected) => match worker.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(_) => unreachable!("a worker that ends has sent its result"),
        },
    }
}
