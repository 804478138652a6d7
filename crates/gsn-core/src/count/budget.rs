//! Limits on the work of one count, and the meter that kernels report to.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How much work counting in one graph may take. What does not fit is an error, never a partial
/// count.
///
/// A step is one node of a search or one table entry read. The number of steps of a count does
/// not depend on threads or on the machine, so a step limit gives the same answer everywhere; a
/// limit in seconds does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    pub(crate) steps: Option<u64>,
    pub(crate) time: Option<Duration>,
}

impl Budget {
    /// No limit.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// At most this many steps a graph.
    pub fn steps(steps: u64) -> Self {
        Self { steps: Some(steps), time: None }
    }

    /// At most this long a graph.
    pub fn time(time: Duration) -> Self {
        Self { steps: None, time: Some(time) }
    }

    /// The limit of steps, if there is one.
    pub fn max_steps(&self) -> Option<u64> {
        self.steps
    }

    /// The limit of time, if there is one.
    pub fn max_time(&self) -> Option<Duration> {
        self.time
    }

    /// The same budget with a time limit as well.
    #[must_use]
    pub fn with_time(self, time: Duration) -> Self {
        Self { time: Some(time), ..self }
    }
}

/// Why a kernel stopped early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// More steps than allowed.
    Steps,
    /// Longer than allowed.
    Time,
    /// The switch of the count was set.
    Cancelled,
    /// A number inside the kernel went beyond what it can hold, for this column's pattern.
    Overflow,
}

/// The limits of one count, shared by its threads.
pub(crate) struct Limits<'a> {
    steps: u64,
    deadline: Option<Instant>,
    cancel: Option<&'a AtomicBool>,
    used: AtomicU64,
    /// Hears of the steps so far, now and then.
    watch: Option<&'a (dyn Fn(u64) + Sync)>,
}

impl<'a> Limits<'a> {
    pub(crate) fn new(budget: Budget, cancel: Option<&'a AtomicBool>) -> Self {
        Self {
            steps: budget.steps.unwrap_or(u64::MAX),
            deadline: budget.time.map(|time| Instant::now() + time),
            cancel,
            used: AtomicU64::new(0),
            watch: None,
        }
    }

    /// The same limits; `watch` hears of the steps so far, now and then.
    pub(crate) fn watched(self, watch: Option<&'a (dyn Fn(u64) + Sync)>) -> Self {
        Self { watch, ..self }
    }

    pub(crate) fn meter(&self) -> Meter<'_> {
        Meter { limits: self, pending: 0, settled: 0 }
    }

    /// Steps reported so far.
    pub(crate) fn used(&self) -> u64 {
        self.used.load(Relaxed)
    }
}

/// What stops work that has no meter: estimates, which nothing is lost of.
#[derive(Clone, Default)]
pub(crate) struct Patience {
    cancel: Option<Arc<AtomicBool>>,
    deadline: Option<Instant>,
}

thread_local! {
    static PATIENCE: RefCell<Patience> = RefCell::default();
}

impl Patience {
    /// Until the switch is set or the limits' time is over.
    pub(crate) fn of(limits: &Limits<'_>, cancel: Option<&Arc<AtomicBool>>) -> Self {
        Self { cancel: cancel.cloned(), deadline: limits.deadline }
    }

    /// Does some work that asks [`out_of_patience`] now and then.
    pub(crate) fn during<T>(self, work: impl FnOnce() -> T) -> T {
        let before = PATIENCE.replace(self);
        let done = work();
        PATIENCE.replace(before);
        done
    }
}

/// Whether an estimate need not be finished, since nobody will look at it.
pub(crate) fn out_of_patience() -> bool {
    PATIENCE.with_borrow(|patience| {
        patience.cancel.as_ref().is_some_and(|cancel| cancel.load(Relaxed))
            || patience.deadline.is_some_and(|deadline| Instant::now() > deadline)
    })
}

/// The same as an answer, for work that is stopped by an error.
pub(crate) fn patience() -> Result<(), OutOfPatience> {
    if out_of_patience() { Err(OutOfPatience) } else { Ok(()) }
}

/// An estimate was not finished, since nobody will look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutOfPatience;

/// Calls `look` every few thousand steps.
pub(crate) struct Looks<L> {
    look: L,
    steps: usize,
}

impl<L> Looks<L> {
    pub(crate) fn new(look: L) -> Self {
        Self { look, steps: 0 }
    }

    /// Reports steps, before or after they are done.
    #[inline]
    pub(crate) fn after<E>(&mut self, steps: usize) -> Result<(), E>
    where
        L: Fn() -> Result<(), E>,
    {
        self.steps += steps;
        if self.steps < LOOK_PERIOD {
            return Ok(());
        }
        self.steps = 0;
        (self.look)()
    }
}

/// Steps between two of these looks; few in tests.
const LOOK_PERIOD: usize = if cfg!(test) { 16 } else { 1 << 14 };

/// One thread's account of its steps; call [`Meter::close`] at the end of a piece of work.
pub(crate) struct Meter<'a> {
    limits: &'a Limits<'a>,
    pending: u64,
    /// Steps of this account that are settled.
    settled: u64,
}

/// Steps between two looks at the clock.
const PERIOD: u64 = 1 << 13;

impl Meter<'_> {
    /// Reports `n` steps. Cheap: looks at the limits only now and then.
    #[inline]
    pub(crate) fn steps(&mut self, n: u64) -> Result<(), Stop> {
        self.pending += n;
        if self.pending < PERIOD { Ok(()) } else { self.close() }
    }

    /// Another account under the same limits, for another thread.
    pub(crate) fn fork(&self) -> Meter<'_> {
        self.limits.meter()
    }

    /// Looks at the limits beside the account, from any thread: for work whose steps are reported
    /// together in the end.
    pub(crate) fn look(&self) -> Result<(), Stop> {
        self.fork().close()
    }

    /// Steps of this account so far.
    pub(crate) fn counted(&self) -> u64 {
        self.settled + self.pending
    }

    /// Settles the account.
    pub(crate) fn close(&mut self) -> Result<(), Stop> {
        let used = self.limits.used.fetch_add(self.pending, Relaxed).saturating_add(self.pending);
        self.settled += self.pending;
        self.pending = 0;
        if let Some(watch) = self.limits.watch {
            watch(used);
        }
        if used > self.limits.steps {
            return Err(Stop::Steps);
        }
        if self.limits.cancel.is_some_and(|cancel| cancel.load(Relaxed)) {
            return Err(Stop::Cancelled);
        }
        if self.limits.deadline.is_some_and(|deadline| Instant::now() > deadline) {
            return Err(Stop::Time);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::CountErrorKind;
    use crate::count::cells::CountTable;
    use crate::{CountSpec, Counter, generate};

    #[test]
    fn patience_lasts_until_the_switch_is_set() {
        let switch = Arc::new(AtomicBool::new(false));
        let limits = Limits::new(Budget::unlimited(), Some(&switch));
        Patience::of(&limits, Some(&switch)).during(|| {
            assert!(!out_of_patience());
            switch.store(true, Relaxed);
            assert!(out_of_patience());
        });
        assert!(!out_of_patience());
    }

    #[test]
    fn a_large_table_for_nobody_is_not_zeroed() {
        let switch = Arc::new(AtomicBool::new(true));
        let limits = Limits::new(Budget::unlimited(), Some(&switch));
        let zeros = || CountTable::zeros(5 << 20, 1);
        assert!(zeros().is_ok_and(|table| table.rows() == 5 << 20));
        let given_up = Patience::of(&limits, Some(&switch)).during(zeros);
        assert_eq!(given_up.unwrap_err(), CountErrorKind::Cancelled);
    }

    /// A plan that is made for nobody is no error of its own.
    #[test]
    fn a_count_that_is_cancelled_or_out_of_time_is_not_planned() {
        let graph = generate::erdos_renyi(200, 0.1, 1).unwrap();
        let counter = Counter::new(&CountSpec::new("cycle:3..=6, star:5".parse().unwrap()));
        let cancelled = counter.clone().cancel_when(Arc::new(AtomicBool::new(true)));
        assert_eq!(cancelled.count(&graph).unwrap_err().kind, CountErrorKind::Cancelled);
        let late = counter.budget(Budget::time(Duration::ZERO)).count(&graph).unwrap_err();
        assert!(matches!(late.kind, CountErrorKind::Time { .. }), "{late}");
    }
}
