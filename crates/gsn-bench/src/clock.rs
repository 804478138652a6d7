//! Clocks, repetition and ratios.
//!
//! Ratios compare CPU time, not wall-clock time, so that other work on the machine slows neither
//! side more than the other. The two sides take turns, and the ratio of every turn is kept, so that
//! its spread can be printed.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// CPU time this process has used so far, all threads together.
#[cfg(unix)]
pub fn cpu() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32)
}

/// CPU time the calling thread has used so far.
#[cfg(unix)]
pub fn thread_cpu() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32)
}

/// Wall-clock time where the system has no clock for threads.
#[cfg(not(unix))]
pub fn thread_cpu() -> Duration {
    cpu()
}

/// Wall-clock time where the system has no CPU clock.
#[cfg(not(unix))]
pub fn cpu() -> Duration {
    static BEGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed()
}

/// CPU seconds of `work`, which is repeated until `at_least` has passed; its results are dropped
/// on the clock.
pub fn cpu_seconds<T>(at_least: Duration, mut work: impl FnMut() -> T) -> f64 {
    let begin = cpu();
    let mut times = 0u32;
    loop {
        black_box(work());
        times += 1;
        let passed = cpu() - begin;
        if passed >= at_least {
            return passed.as_secs_f64() / f64::from(times);
        }
    }
}

/// Wall-clock seconds of one run; its result is dropped after the clock has stopped.
pub fn wall_seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let begin = Instant::now();
    let result = black_box(work());
    let seconds = begin.elapsed().as_secs_f64();
    drop(result);
    seconds
}

/// CPU seconds, user and system, of the child processes that have ended so far.
///
/// The kernel gives it in hundredths of a second, so children should run for seconds.
pub fn children_cpu() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Fields are counted from behind the program's name, which may contain anything.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: f64 = fields.get(13)?.parse::<f64>().ok()? + fields.get(14)?.parse::<f64>().ok()?;
    Some(ticks / 100.0)
}

/// Two sides that took turns: seconds of ours and of theirs, turn by turn.
#[derive(Clone, Debug, Default)]
pub struct Duel {
    /// Our seconds.
    pub ours: Vec<f64>,
    /// The peer's seconds, scaled to the same work.
    pub theirs: Vec<f64>,
}

impl Duel {
    /// Ratio of every turn: how many times as long the peer took.
    pub fn ratios(&self) -> Vec<f64> {
        self.ours.iter().zip(&self.theirs).map(|(ours, theirs)| theirs / ours).collect()
    }

    /// Median ratio, least and greatest.
    pub fn ratio(&self) -> (f64, f64, f64) {
        let ratios = self.ratios();
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let most = ratios.iter().copied().fold(0.0, f64::max);
        (median(&ratios), least, most)
    }
}

/// The middle value; 0 if there is none.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

/// Seconds as text: `3.9 ms`, `41 µs`, `12.3 s`.
pub fn show(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s if s >= 1e-6 => (s * 1e6, "µs"),
        s => (s * 1e9, "ns"),
    };
    let digits = if value >= 100.0 { 0 } else { usize::from(value < 10.0) + 1 };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duel_keeps_its_turns_apart() {
        let duel = Duel { ours: vec![1.0, 2.0, 4.0], theirs: vec![10.0, 60.0, 80.0] };
        assert_eq!(duel.ratio(), (20.0, 10.0, 30.0));
    }

    #[test]
    fn seconds_read_well() {
        assert_eq!(show(0.00391), "3.91 ms");
        assert_eq!(show(12.34), "12.3 s");
        assert_eq!(show(0.000_041_5), "41.5 µs");
        assert_eq!(show(250.0), "250 s");
    }
}
