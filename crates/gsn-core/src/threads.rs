//! How many threads share the work, and whether it is worth waking them.
//!
//! Work on several threads runs in the pool of rayon, which starts when it is first used or when its
//! number of threads is asked for. A command on a few thousand molecules takes less time than that,
//! so a program may leave the pool to those who need it.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Threads that the pool will have when it starts; 0 when nothing is known about that.
static EXPECTED: AtomicUsize = AtomicUsize::new(0);

/// Says that nobody has started the pool: until it is needed, its number of threads is what it
/// would start with.
///
/// ```
/// gsn_core::threads::start_when_needed();
/// assert!(gsn_core::threads::number() > 0);
/// ```
pub fn start_when_needed() {
    let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|text| text.parse().ok());
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    EXPECTED.store(asked.filter(|&threads| threads > 0).unwrap_or_else(cores), Relaxed);
}

/// Threads of the pool that this one works in, or of the one that everybody shares. Does not start
/// it where [`start_when_needed`] was called.
pub fn number() -> usize {
    let expected = EXPECTED.load(Relaxed);
    if expected > 0 && rayon::current_thread_index().is_none() {
        return expected;
    }
    rayon::current_num_threads()
}

/// Work on many items that one thread begins alone, to see whether it is worth sharing.
///
/// ```
/// use gsn_core::threads::Alone;
///
/// let mut items = (0..100).into_iter();
/// let mut alone = Alone::start();
/// while let Some(item) = items.next() {
///     let _ = item * item;
///     if alone.needs_help(items.len()) {
///         break; // the rest is for `par_iter`
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Alone {
    start: Instant,
    done: u32,
}

/// Work that is not worth waking other threads for.
const SHORT: Duration = Duration::from_millis(1);
/// Items that show how long one takes: the first ones also prepare what all need.
const SHOWN: u32 = 16;

impl Alone {
    /// Looks at the clock.
    pub fn start() -> Self {
        Self { start: Instant::now(), done: 0 }
    }

    /// Whether so many items are left that others should help, now that one more is done.
    pub fn needs_help(&mut self, left: usize) -> bool {
        self.done += 1;
        if !self.done.is_multiple_of(SHOWN) && self.done != 1 {
            return false;
        }
        let took = self.start.elapsed();
        if self.done == 1 {
            return took > SHORT && left > 0;
        }
        took / self.done * u32::try_from(left).unwrap_or(u32::MAX) > SHORT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_of_its_own_has_its_own_number() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        assert_eq!(pool.install(number), 3);
        start_when_needed();
        assert_eq!(pool.install(number), 3);
        assert!(number() > 0);
    }

    #[test]
    fn long_items_need_help_and_none_do_not() {
        let slow = || Alone { start: Instant::now() - 2 * SHORT, done: 0 };
        assert!(slow().needs_help(1));
        assert!(!slow().needs_help(0));
        let mut quick = Alone::start();
        assert!((1..SHOWN).all(|_| !quick.needs_help(1)));
    }
}
