//! Units side by side, or threads inside a step? Whatever is faster here, by measuring.
//!
//! The first steps of the first unit are timed both ways: as many copies at once as there would
//! be jobs, each with its share of the threads, and one copy with all threads. Results do not
//! depend on the answer. Cost: under two seconds.

use crate::error::Result;
use crate::train::Unit;
use std::time::Duration;

/// Units side by side and threads of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Jobs {
    /// Units side by side.
    pub jobs: usize,
    /// Threads of each.
    pub threads: usize,
}

impl Jobs {
    /// `jobs` units side by side share `threads` threads.
    pub fn share(jobs: usize, threads: usize, units: usize) -> Self {
        let jobs = jobs.clamp(1, units.max(1));
        Self { jobs, threads: (threads / jobs).max(1) }
    }

    /// The faster of all side by side and one after the other, for `units` units like `unit`.
    ///
    /// # Errors
    /// If a step fails.
    pub fn measure(unit: &Unit<'_>, units: usize, threads: usize) -> Result<Self> {
        let one = Self::share(1, threads, units);
        let many = Self::share(threads, threads, units);
        if many == one {
            return Ok(one);
        }
        let rounds = units.div_ceil(many.jobs) as f64;
        let beside = rounds * many.time(unit)?.as_secs_f64();
        let after = units as f64 * one.time(unit)?.as_secs_f64();
        Ok(if beside <= after { many } else { one })
    }

    /// Time of a step when all jobs are busy.
    fn time(self, unit: &Unit<'_>) -> Result<Duration> {
        let times: Vec<Result<Duration>> = std::thread::scope(|scope| {
            let probe = || on_pool(self.threads, || unit.probe());
            let copies: Vec<_> = (0..self.jobs).map(|_| scope.spawn(probe)).collect();
            copies.into_iter().map(|copy| copy.join().unwrap_or(Ok(Duration::MAX))).collect()
        });
        times.into_iter().try_fold(Duration::ZERO, |most, time| Ok(most.max(time?)))
    }
}

/// Runs `work` on a pool of its own.
pub(super) fn on_pool<R: Send>(
    threads: usize,
    work: impl FnOnce() -> Result<R> + Send,
) -> Result<R> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| crate::Error::Training(format!("cannot start threads: {e}")))?;
    pool.install(work)
}
