//! Three stages in order: read, work, write.
//!
//! The reader has a thread of its own, since reading may wait for a pipe for ever while the user
//! wants to stop. With one thread at work it reads only when asked, so that one core is busy at a
//! time; with several it is one item ahead, and the writer has a thread as well.

use anyhow::{Result, anyhow};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// The stage in the middle: one item in, any number of items out, in order.
pub(crate) trait Stage<In, Out> {
    /// Works on one item and sends what comes out of it.
    fn process(&mut self, item: In, send: &mut dyn FnMut(Out) -> Result<()>) -> Result<()>;

    /// Called now and then while there is nothing to do; an error ends the run.
    fn wait(&mut self) -> Result<()>;
}

/// Time between two calls of [`Stage::wait`].
const PERIOD: Duration = Duration::from_millis(50);

/// Sends every item of `source` through `work` to `write` and gives the exhausted source back.
///
/// # Errors
/// The first error of any stage; the other stages stop, and a reader that waits is abandoned.
pub(crate) fn run<S, In, Out, E>(
    source: S,
    work: &mut impl Stage<In, Out>,
    write: &mut (impl FnMut(Out) -> Result<()> + Send),
) -> Result<S>
where
    S: Iterator<Item = Result<In, E>> + Send + 'static,
    In: Send + 'static,
    Out: Send,
    E: Into<anyhow::Error> + Send + 'static,
{
    let mut reader = Reader::start(source, rayon::current_num_threads() > 1);
    if rayon::current_num_threads() == 1 {
        while let Some(item) = reader.next(&mut || work.wait())? {
            work.process(item, write)?;
        }
    } else {
        thread::scope(|scope| {
            let (to_write, results) = sync_channel::<Out>(1);
            let writer = scope.spawn(move || results.into_iter().try_for_each(write));
            let mut send = |out: Out| to_write.send(out).map_err(|_| anyhow!(Hindered));
            let mut all = || -> Result<()> {
                while let Some(item) = reader.next(&mut || work.wait())? {
                    work.process(item, &mut send)?;
                }
                Ok(())
            };
            let worked = all();
            drop(to_write);
            let written = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            written.and(worked)
        })?;
    }
    reader.source.take().ok_or_else(|| anyhow!("the input was not read to its end"))
}

/// What the reading thread sends: an item, or at the end the source itself.
enum Read<S, In, E> {
    Item(Result<In, E>),
    End(S),
}

struct Reader<S, In, E> {
    requests: SyncSender<()>,
    items: Receiver<Read<S, In, E>>,
    source: Option<S>,
}

impl<S, In, E> Reader<S, In, E>
where
    S: Iterator<Item = Result<In, E>> + Send + 'static,
    In: Send + 'static,
    E: Into<anyhow::Error> + Send + 'static,
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

    fn next(&mut self, wait: &mut dyn FnMut() -> Result<()>) -> Result<Option<In>> {
        // At the end of the input the reader takes no more requests.
        let _ = self.requests.try_send(());
        loop {
            match self.items.recv_timeout(PERIOD) {
                Ok(Read::Item(item)) => return item.map(Some).map_err(Into::into),
                Ok(Read::End(source)) => {
                    self.source = Some(source);
                    return Ok(None);
                }
                Err(RecvTimeoutError::Timeout) => wait()?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(anyhow!("the input could not be read to its end"));
                }
            }
        }
    }
}

/// The writer has gone; its own error is the one to report.
#[derive(Debug)]
struct Hindered;

impl std::fmt::Display for Hindered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the output cannot be written any more")
    }
}

impl std::error::Error for Hindered {}

#[cfg(test)]
mod tests {
    use super::*;

    struct Twice {
        patient: bool,
    }

    impl Stage<u32, u32> for Twice {
        fn process(&mut self, item: u32, send: &mut dyn FnMut(u32) -> Result<()>) -> Result<()> {
            if item == 7 {
                return Err(anyhow!("seven"));
            }
            send(item)?;
            send(10 * item)
        }

        fn wait(&mut self) -> Result<()> {
            if self.patient { Ok(()) } else { Err(anyhow!("tired")) }
        }
    }

    fn through(items: Vec<Result<u32, anyhow::Error>>, most: usize) -> (Vec<u32>, Result<()>) {
        let mut seen = Vec::new();
        let mut write = |out| {
            if seen.len() == most {
                return Err(anyhow!("full"));
            }
            seen.push(out);
            Ok(())
        };
        let result = run(items.into_iter(), &mut Twice { patient: true }, &mut write).map(drop);
        (seen, result)
    }

    fn threads(n: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap()
    }

    #[test]
    fn a_reader_that_waits_for_ever_is_abandoned() {
        for n in [1, 2] {
            let (held, forever) = sync_channel::<Result<u32, anyhow::Error>>(1);
            let mut twice = Twice { patient: false };
            let result = threads(n)
                .install(|| run(forever.into_iter(), &mut twice, &mut |_| Ok(())).map(drop));
            assert_eq!(result.unwrap_err().to_string(), "tired");
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
                assert_eq!(full.to_string(), "full");
                let seven = through(vec![Ok(1), Ok(7), Ok(2)], 99).1.unwrap_err();
                assert_eq!(seven.to_string(), "seven");
                let (seen, broken) = through(vec![Ok(1), Err(anyhow!("broken"))], 99);
                assert_eq!((seen, broken.unwrap_err().to_string()), (vec![1, 10], "broken".into()));
            });
        }
    }
}
