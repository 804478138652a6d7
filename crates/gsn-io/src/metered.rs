//! Bytes of an input, held to the limit on memory.
//!
//! Readers keep what they have read of a graph until it is complete, each in a form of its own. So the
//! bytes are counted as they pass, and every few megabytes between two rows the memory of the process
//! is looked at: what it has grown by must fit once more, since lists double when they are full. A
//! look costs some microseconds.

use crate::input::Bytes;
use gsn_core::memory;
use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes between two looks.
const STEP: u64 = 1 << 22;
/// Bytes that the densest text may become: a node of one digit in a list of JSON.
const EXPANSION: u64 = 64;

/// Bytes that were read since the last rows were complete.
#[derive(Clone, Debug, Default)]
pub(crate) struct SinceRows(Arc<AtomicU64>);

impl SinceRows {
    /// Rows are complete: what they took is no longer the reader's.
    pub(crate) fn reset(&self) {
        self.0.store(0, Relaxed);
    }
}

/// A stream of bytes that ends in an error when what is made of them outgrows the limit.
pub(crate) struct Metered {
    bytes: Bytes,
    since: SinceRows,
    /// Value of `since` at the last look, and what the process used at the first.
    looked: u64,
    before: Option<u64>,
}

impl Metered {
    pub(crate) fn new(bytes: Bytes) -> (Self, SinceRows) {
        let since = SinceRows::default();
        (Self { bytes, since: since.clone(), looked: 0, before: None }, since)
    }

    fn check(&mut self) -> io::Result<()> {
        let since = self.since.0.load(Relaxed);
        if since < self.looked {
            (self.looked, self.before) = (0, None);
        }
        if since - self.looked < STEP || memory::limit().is_none() {
            return Ok(());
        }
        self.looked = since;
        let used = memory::in_use();
        let grown = used.saturating_sub(*self.before.get_or_insert(used));
        let wanted = grown.min(since.saturating_mul(EXPANSION));
        memory::ask(wanted, || "reading on".into()).map_err(io::Error::other)
    }
}

impl Read for Metered {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.check()?;
        let n = self.bytes.read(buffer)?;
        self.since.0.fetch_add(n as u64, Relaxed);
        Ok(n)
    }
}

impl BufRead for Metered {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.check()?;
        self.bytes.fill_buf()
    }

    fn consume(&mut self, n: usize) {
        self.since.0.fetch_add(n as u64, Relaxed);
        self.bytes.consume(n);
    }
}

/// A refusal that came through a stream.
#[cfg(feature = "columnar")]
pub(crate) fn refusal(error: &io::Error) -> Option<&memory::TooMuch> {
    error.get_ref()?.downcast_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_pass_unchanged_and_rows_start_anew() {
        let text: Vec<u8> = (0..3 * STEP).map(|i| i as u8).collect();
        let (mut stream, since) = Metered::new(Box::new(io::Cursor::new(text.clone())));
        let mut out = vec![0; STEP as usize];
        stream.read_exact(&mut out).unwrap();
        assert_eq!(since.0.load(Relaxed), STEP);
        since.reset();
        stream.read_to_end(&mut out).unwrap();
        assert_eq!(out, text);
        assert_eq!(since.0.load(Relaxed), 2 * STEP);
    }
}
