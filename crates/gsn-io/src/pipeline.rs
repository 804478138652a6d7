//! Three stages in order: read, work, write.
//!
//! The reader has a thread of its own, since reading may wait for a pipe for ever while the user
//! wants to stop. With one thread at work it reads only when asked, so that one core is busy at a
//! time; with several it is one item ahead, and the writer has a thread as well.

use crate::error::Error;
use crate::monitor::Monitor;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// Time between two looks at the monitor's switch while there is nothing to read.
const PERIOD: Duration = Duration::from_millis(10);

/// Sends every item of `source` through `work`, which sends on what comes out of it, to `write`,
/// in order, and gives the exhausted source back. Memory holds two items of each kind.
///
/// ```
/// use gsn_io::{Error, Monitor, pipeline};
///
/// let mut written = Vec::new();
/// pipeline::run(
///     vec![1, 2, 3].into_iter().map(Ok),
///     &Monitor::default(),
///     |n, send| {
///         send(n)?;
///         send(10 * n)
///     },
///     |n| -> Result<(), Error> { Ok(written.push(n)) },
/// )?;
/// assert_eq!(written, [1, 10, 2, 20, 3, 30]);
/// # Ok::<(), gsn_io::Error>(())
/// ```
///
/// # Errors
/// The first error of any stage, or [`Error::Cancelled`]; the other stages stop, and a reader that
/// waits is abandoned.
pub fn run<S, In, Out, E>(
    source: S,
    monitor: &Monitor,
    mut work: impl FnMut(In, &mut dyn FnMut(Out) -> Result<(), E>) -> Result<(), E>,
    mut write: impl FnMut(Out) -> Result<(), E> + Send,
) -> Result<S, E>
where
    S: Iterator<Item = Result<In, Error>> + Send + 'static,
    In: Send + 'static,
    Out: Send,
    E: From<Error> + Send,
{
    let several = gsn_core::threads::number() > 1;
    let mut reader = Reader::start(source, several);
    if !several {
        while let Some(item) = reader.next(monitor)? {
            work(item, &mut write)?;
        }
    } else {
        thread::scope(|scope| {
            let (to_write, results) = sync_channel::<Out>(1);
            let writer = scope.spawn(move || results.into_iter().try_for_each(write));
            // A writer that has gone has an error of its own, which is the one to report.
            let mut send = |out: Out| to_write.send(out).map_err(|_| Error::ClosedPipe.into());
            let mut all = || -> Result<(), E> {
                while let Some(item) = reader.next(monitor)? {
                    work(item, &mut send)?;
                }
                Ok(())
            };
            let worked = all();
            drop(to_write);
            let written = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            written.and(worked)
        })?;
    }
    reader.source.take().ok_or_else(|| Error::NotReadToItsEnd.into())
}

/// [`run`] on this thread alone, for a source that never waits and is soon read.
///
/// # Errors
/// The first error of any stage, or [`Error::Cancelled`].
pub fn run_alone<S, In, Out, E>(
    mut source: S,
    monitor: &Monitor,
    mut work: impl FnMut(In, &mut dyn FnMut(Out) -> Result<(), E>) -> Result<(), E>,
    mut write: impl FnMut(Out) -> Result<(), E>,
) -> Result<S, E>
where
    S: Iterator<Item = Result<In, Error>>,
    E: From<Error>,
{
    for item in source.by_ref() {
        monitor.check()?;
        work(item?, &mut write)?;
    }
    Ok(source)
}

/// What the reading thread sends: an item, or at the end the source itself.
enum Read<S, In> {
    Item(Result<In, Error>),
    End(S),
}

struct Reader<S, In> {
    requests: SyncSender<()>,
    items: Receiver<Read<S, In>>,
    source: Option<S>,
}

impl<S, In> Reader<S, In>
where
    S: Iterator<Item = Result<In, Error>> + Send + 'static,
    In: Send + 'static,
{
    fn start(mut source: S, ahead: bool) -> Self {
        let (requests, wanted) = sync_channel::<()>(2);
        let (send, items) = sync_channel(1);
        // A closed channel on either side means that nobody waits for the rest.
        thread::spawn(move || {
            for () in wanted {
                let Some(item) = source.next() else { break };
                if send.send(Read::Item(item)).is_err() {
                    return;
                }
            }
            let _ = send.send(Read::End(source));
        });
        if ahead {
            let _ = requests.send(());
        }
        Self { requests, items, source: None }
    }

    fn next(&mut self, monitor: &Monitor) -> Result<Option<In>, Error> {
        // At the end of the input the reader takes no more requests.
        let _ = self.requests.try_send(());
        loop {
            match self.items.recv_timeout(PERIOD) {
                Ok(Read::Item(item)) => return item.map(Some),
                Ok(Read::End(source)) => {
                    self.source = Some(source);
                    return Ok(None);
                }
                Err(RecvTimeoutError::Timeout) => monitor.check()?,
                Err(RecvTimeoutError::Disconnected) => return Err(Error::NotReadToItsEnd),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    fn failed(what: &str) -> Error {
        Error::file("x", what)
    }

    fn through(items: Vec<Result<u32, Error>>, most: usize) -> (Vec<u32>, Result<(), Error>) {
        let mut seen = Vec::new();
        let write = |out| {
            if seen.len() == most {
                return Err(failed("full"));
            }
            seen.push(out);
            Ok(())
        };
        let twice = |item: u32, send: &mut dyn FnMut(u32) -> Result<(), Error>| {
            if item == 7 {
                return Err(failed("seven"));
            }
            send(item)?;
            send(10 * item)
        };
        let result = run(items.into_iter(), &Monitor::default(), twice, write).map(drop);
        (seen, result)
    }

    #[test]
    fn one_thread_alone_does_the_same() {
        let alone = |items: Vec<Result<u32, Error>>, monitor: &Monitor| {
            let mut seen = Vec::new();
            let write = |n: u32| -> Result<(), Error> {
                seen.push(n);
                Ok(())
            };
            let result = run_alone(items.into_iter(), monitor, |n, send| send(2 * n), write);
            (seen, result.map(drop))
        };
        let (seen, result) = alone(vec![Ok(1), Ok(2)], &Monitor::default());
        assert_eq!((seen, result.is_ok()), (vec![2, 4], true));
        let (seen, result) = alone(vec![Ok(1), Err(failed("broken"))], &Monitor::default());
        assert_eq!((seen, result.unwrap_err().to_string()), (vec![2], "x: broken".to_owned()));
        let stopped = Monitor::default().with_cancel(Arc::new(AtomicBool::new(true)));
        let (seen, result) = alone(vec![Ok(1)], &stopped);
        assert!(seen.is_empty() && matches!(result, Err(Error::Cancelled)));
    }

    fn threads(n: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap()
    }

    #[test]
    fn a_reader_that_waits_for_ever_is_abandoned() {
        for n in [1, 2] {
            let (held, forever) = sync_channel::<Result<u32, Error>>(1);
            let switch = Arc::new(AtomicBool::new(true));
            let monitor = Monitor::default().with_cancel(switch);
            let result = threads(n).install(|| {
                run(forever.into_iter(), &monitor, |n, send| send(n), |_| Ok::<_, Error>(()))
                    .map(drop)
            });
            assert!(matches!(result, Err(Error::Cancelled)));
            drop(held);
        }
    }

    #[test]
    fn order_stays_and_the_stage_at_fault_is_named() {
        for n in [1, 3] {
            threads(n).install(|| {
                let items = || vec![Ok(1), Ok(2), Ok(3)];
                assert_eq!(through(items(), 99).0, [1, 10, 2, 20, 3, 30]);
                let full = through(items(), 2).1.unwrap_err();
                assert_eq!(full.to_string(), "x: full");
                let seven = through(vec![Ok(1), Ok(7), Ok(2)], 99).1.unwrap_err();
                assert_eq!(seven.to_string(), "x: seven");
                let (seen, broken) = through(vec![Ok(1), Err(failed("broken"))], 99);
                assert_eq!(seen, [1, 10]);
                assert_eq!(broken.unwrap_err().to_string(), "x: broken");
            });
        }
    }
}
