//! Foreign decoders, held to errors.
//!
//! Parquet, Arrow, zip, gzip, XML and SMILES are decoded by crates that mean to return an error for
//! damaged bytes, but that panic on some of them: a slice out of range, a type they did not think
//! of. What goes through [`guarded`] gives an error instead, and nothing is printed: the panic hook
//! of the process stays as it is for everything outside.
//!
//! Our own code is not guarded. A panic there is a fault to be found, not a damaged file.

use std::cell::Cell;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

/// A decoder met bytes that it has no error for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown types or sizes that do not fit")]
pub struct Undecodable;

impl From<Undecodable> for io::Error {
    fn from(error: Undecodable) -> Self {
        io::Error::new(io::ErrorKind::InvalidData, error)
    }
}

thread_local! {
    /// How many guards this thread is inside of.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// One more guard, until dropped.
struct Inside;

impl Inside {
    fn enter() -> Self {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let outside = take_hook();
            set_hook(Box::new(move |panic| {
                // A thread that is ending has no guards any more.
                if DEPTH.try_with(Cell::get).unwrap_or(0) == 0 {
                    outside(panic);
                }
            }));
        });
        DEPTH.with(|depth| depth.set(depth.get() + 1));
        Inside
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        DEPTH.with(|depth| depth.set(depth.get() - 1));
    }
}

/// Runs a foreign decoder on this thread; a panic of it is an error, silently. Whatever it was
/// working on must not be used any more then.
///
/// ```
/// let bytes: Vec<u8> = vec![3, 1, 4];
/// assert_eq!(gsn_io::guard::guarded(|| bytes[2]), Ok(4));
/// assert!(gsn_io::guard::guarded(|| bytes[3]).is_err());
/// ```
///
/// # Errors
/// When it panics.
pub fn guarded<T>(decode: impl FnOnce() -> T) -> Result<T, Undecodable> {
    let _inside = Inside::enter();
    catch_unwind(AssertUnwindSafe(decode)).map_err(|_| Undecodable)
}

/// A foreign decoder of a stream of bytes, guarded. After a panic there are only errors.
pub struct GuardedRead<R> {
    inner: Option<R>,
}

impl<R: Read> GuardedRead<R> {
    /// Guards `inner`.
    pub fn new(inner: R) -> Self {
        Self { inner: Some(inner) }
    }
}

impl<R: Read> Read for GuardedRead<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(inner) = &mut self.inner else { return Err(Undecodable.into()) };
        match guarded(|| inner.read(buffer)) {
            Ok(read) => read,
            Err(error) => {
                self.inner = None;
                Err(error.into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bomb(usize);

    impl Read for Bomb {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 -= 1;
            Ok(buffer.len().min(1))
        }
    }

    #[test]
    fn a_stream_that_panics_is_an_error_from_then_on() {
        let mut stream = GuardedRead::new(Bomb(2));
        let mut byte = [0];
        assert_eq!(stream.read(&mut byte).unwrap(), 1);
        assert_eq!(stream.read(&mut byte).unwrap(), 1);
        for _ in 0..2 {
            let error = stream.read(&mut byte).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        }
    }

    #[test]
    fn guards_within_guards_end_one_by_one() {
        let inner = || guarded(|| -> u8 { panic!("inner") });
        assert_eq!(guarded(inner), Ok(Err(Undecodable)));
        assert_eq!(DEPTH.get(), 0);
    }
}
