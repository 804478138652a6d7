//! Work without the interpreter: other Python threads go on, Ctrl-C stops it, panics stay inside.

use crate::error;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often Python is asked whether Ctrl-C was pressed.
const LOOK: Duration = Duration::from_millis(50);

/// Runs `work` on this thread without the interpreter; for what is surely short.
///
/// The thread becomes a pool of one, so that nothing inside waits for threads of the usual pool:
/// in a process made by `fork`, as by PyTorch's loaders, these do not exist.
pub(crate) fn inline<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    thread_local! {
        // A thread that is in a pool already stays in it.
        static ALONE: Option<ThreadPool> =
            ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok();
    }
    py.detach(|| {
        ALONE.with(|_| ());
        catch_unwind(AssertUnwindSafe(work))
    })
    .map_err(|e| error::panic(&*e))
}

/// The threads of this process, made anew after a `fork`.
fn pool() -> PyResult<Arc<ThreadPool>> {
    static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    match &*pool {
        Some((of, threads)) if *of == process => Ok(threads.clone()),
        _ => {
            let threads = Arc::new(ThreadPoolBuilder::new().build().map_err(error::value)?);
            // The threads of another process cannot be joined.
            std::mem::forget(pool.replace((process, threads.clone())));
            Ok(threads)
        }
    }
}

/// A pool of this many threads, or of all.
fn pool_of(threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    match threads {
        None => pool(),
        Some(threads) => {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            pool.map(Arc::new).map_err(error::value)
        }
    }
}

/// Runs `work` on another thread without the interpreter. While it runs, signals are looked at:
/// if one raises (Ctrl-C does), `switch` is turned on and the work is waited for.
pub(crate) fn stoppable<T: Send>(
    py: Python<'_>,
    switch: &Arc<AtomicBool>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    stoppable_with(py, None, switch, work)
}

/// Runs `work`, which nothing can stop, on another thread without the interpreter. After Ctrl-C it is
/// left alone: it ends by itself, and nobody looks at its result.
pub(crate) fn abandonable<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let pool = pool_of(threads)?;
    py.detach(|| {
        let (done, wait) = channel();
        std::thread::spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(|| pool.install(work)));
            let _ = done.send(result);
        });
        loop {
            match wait.recv_timeout(LOOK) {
                Ok(result) => return result.map_err(|e| error::panic(&*e)),
                Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals())?,
                Err(RecvTimeoutError::Disconnected) => return Err(error::panic(&"no result")),
            }
        }
    })
}

/// [`stoppable`] with this many threads.
pub(crate) fn stoppable_with<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    switch: &Arc<AtomicBool>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let pool = pool_of(threads)?;
    py.detach(|| {
        std::thread::scope(|scope| {
            let (done, wait) = channel::<()>();
            let worker = scope.spawn(move || {
                let result = catch_unwind(AssertUnwindSafe(|| pool.install(work)));
                let _ = done.send(());
                result
            });
            let mut raised = None;
            while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(LOOK) {
                if raised.is_none()
                    && let Err(signal) = Python::attach(|py| py.check_signals())
                {
                    switch.store(true, Ordering::Relaxed);
                    raised = Some(signal);
                }
            }
            let result = worker.join().unwrap_or_else(Err);
            match raised {
                Some(signal) => Err(signal),
                None => result.map_err(|e| error::panic(&*e)),
            }
        })
    })
}
