//! One limit on memory for the whole process, asked before anything large is allocated.
//!
//! [`ask`] says whether so many bytes more may be had, beside what is in use. Both come from the
//! program: [`set_limit`], and [`set_gauge`] for what is in use, since this crate asks no operating
//! system. Without a limit everything is granted, without a gauge nothing counts as in use.
//! Requests below [`SMALL`] are not looked at, so asking costs nothing where it does not matter.
//!
//! ```
//! use gsn_core::memory::Limit;
//! let limit = Limit::new();
//! limit.set(1 << 30);
//! assert!(limit.ask(1 << 29, || "the table".into()).is_ok());
//! let error = limit.ask(5 << 30, || "the table".into()).unwrap_err();
//! assert_eq!(error.to_string(), "the table takes 5.0 GiB of memory, and the limit is 1.0 GiB; raise it \
//!     with --max-memory");
//! ```

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Requests below so many bytes are granted unseen.
pub const SMALL: u64 = 1 << 20;

/// How often, and how long each time, a refusal waits for memory that was given back a moment ago:
/// allocators return it to the system a little later.
const PATIENCE: (u32, Duration) = (2, Duration::from_millis(15));

/// Something that does not fit into the memory the process may have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{what} takes {} of memory, {}; raise it with --max-memory",
    Bytes(*.wanted),
    beside(*.in_use, *.limit)
)]
pub struct TooMuch {
    /// What it is.
    pub what: String,
    /// Bytes that it takes.
    pub wanted: u64,
    /// Bytes in use when it was asked for; 0 where it is too large by itself.
    pub in_use: u64,
    /// Bytes that the process may have.
    pub limit: u64,
}

fn beside(in_use: u64, limit: u64) -> String {
    let limit = Bytes(limit);
    match in_use {
        0 => format!("and the limit is {limit}"),
        _ => format!("{} are in use, and the limit is {limit}", Bytes(in_use)),
    }
}

/// A number of bytes as people write it.
///
/// ```
/// use gsn_core::memory::Bytes;
/// assert_eq!([Bytes(512), Bytes(3 << 19), Bytes(u64::MAX)].map(|b| b.to_string()), ["512 bytes", "1.5 MiB", "16.0 EiB"]);
/// assert_eq!("4G".parse(), Ok(Bytes(4 << 30)));
/// assert_eq!("1.5 GiB".parse(), Ok(Bytes(3 << 29)));
/// assert!("4 X".parse::<Bytes>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

/// The letters of the units, each 1024 times the one before.
const UNITS: &str = "KMGTPE";

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let power = self.0.max(1).ilog2() / 10;
        match power.checked_sub(1).and_then(|at| UNITS.chars().nth(at as usize)) {
            Some(unit) => {
                let number = self.0 as f64 / 2f64.powi(10 * power as i32);
                write!(f, "{number:.1} {unit}iB")
            }
            None => write!(f, "{} bytes", self.0),
        }
    }
}

impl std::str::FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a size; write 800M, 4G or 1.5G");
        let trimmed = text.trim().to_ascii_uppercase();
        let end = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(end);
        let unit = unit.trim_start();
        let unit = unit.strip_suffix("IB").or(unit.strip_suffix('B')).unwrap_or(unit);
        let power = match unit {
            "" => 0,
            _ => 1 + UNITS.find(unit).filter(|_| unit.len() == 1).ok_or_else(wrong)?,
        };
        let number: f64 = number.parse().map_err(|_| wrong())?;
        let bytes = number * 1024f64.powi(power as i32);
        match bytes >= 1.0 && bytes < u64::MAX as f64 {
            true => Ok(Self(bytes as u64)),
            false => Err(wrong()),
        }
    }
}

/// A limit and the gauge of what is in use.
#[derive(Debug, Default)]
pub struct Limit {
    /// 0 stands for none.
    bytes: AtomicU64,
    gauge: OnceLock<fn() -> u64>,
}

impl Limit {
    /// No limit.
    pub const fn new() -> Self {
        Self { bytes: AtomicU64::new(0), gauge: OnceLock::new() }
    }

    /// Sets the limit.
    pub fn set(&self, bytes: u64) {
        self.bytes.store(bytes.max(1), Relaxed);
    }

    /// The limit, if there is one.
    pub fn get(&self) -> Option<u64> {
        Some(self.bytes.load(Relaxed)).filter(|&bytes| bytes > 0)
    }

    /// Whether so many bytes more may be allocated; `what` takes them.
    ///
    /// # Errors
    /// If they do not fit beside what is in use.
    pub fn ask(&self, wanted: u64, what: impl FnOnce() -> String) -> Result<(), TooMuch> {
        let Some(limit) = self.get().filter(|_| wanted >= SMALL) else { return Ok(()) };
        if wanted > limit {
            return Err(TooMuch { what: what(), wanted, in_use: 0, limit });
        }
        let Some(gauge) = self.gauge.get() else { return Ok(()) };
        for _ in 0..PATIENCE.0 {
            if gauge().saturating_add(wanted) <= limit {
                return Ok(());
            }
            std::thread::sleep(PATIENCE.1);
        }
        let in_use = gauge();
        match in_use.saturating_add(wanted) <= limit {
            true => Ok(()),
            false => Err(TooMuch { what: what(), wanted, in_use, limit }),
        }
    }
}

static PROCESS: Limit = Limit::new();

/// Sets the limit of this process.
pub fn set_limit(bytes: u64) {
    PROCESS.set(bytes);
}

/// The limit of this process, if there is one.
pub fn limit() -> Option<u64> {
    PROCESS.get()
}

/// Sets what tells how many bytes this process uses; the first one set stays.
pub fn set_gauge(gauge: fn() -> u64) {
    let _ = PROCESS.gauge.set(gauge);
}

/// Bytes that this process uses, as far as its gauge knows.
pub fn in_use() -> u64 {
    PROCESS.gauge.get().map_or(0, |gauge| gauge())
}

/// [`Limit::ask`] of this process.
///
/// # Errors
/// If it does not fit.
pub fn ask(wanted: u64, what: impl FnOnce() -> String) -> Result<(), TooMuch> {
    PROCESS.ask(wanted, what)
}

/// [`ask`] for `count` values of type `T`.
///
/// # Errors
/// If they do not fit.
pub fn ask_for<T>(count: u64, what: impl FnOnce() -> String) -> Result<(), TooMuch> {
    ask(count.saturating_mul(size_of::<T>() as u64), what)
}

/// Makes room for `more` values behind those of `list`, which grows by a factor as lists do, and asks
/// first. Pushing so many values then allocates nothing.
///
/// # Errors
/// If it does not fit; the list is as it was.
pub fn grow<T>(
    list: &mut Vec<T>,
    more: usize,
    what: impl FnOnce() -> String,
) -> Result<(), TooMuch> {
    let wanted = list.len().saturating_add(more);
    if wanted > list.capacity() {
        let room = wanted.max(list.capacity().saturating_mul(2));
        ask_for::<T>(room as u64, what)?;
        list.reserve_exact(room - list.len());
    }
    Ok(())
}

/// Makes room for exactly `more` values behind those of `list`, and asks first; what the system itself
/// refuses is an error too.
///
/// # Errors
/// If it does not fit; the list is as it was.
pub fn reserve<T>(list: &mut Vec<T>, more: u64, what: impl Fn() -> String) -> Result<(), TooMuch> {
    let wanted = more.saturating_mul(size_of::<T>() as u64);
    ask(wanted, &what)?;
    let room = usize::try_from(more).ok().and_then(|more| list.try_reserve_exact(more).ok());
    let limit = limit().unwrap_or(isize::MAX as u64);
    room.ok_or_else(|| TooMuch { what: what(), wanted, in_use: in_use(), limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_use_counts() {
        let limit = Limit::new();
        assert_eq!(limit.ask(u64::MAX, || unreachable!()), Ok(()), "no limit, no refusal");
        limit.set(10 * SMALL);
        assert!(limit.ask(10 * SMALL, String::new).is_ok());
        limit.gauge.set(|| 4 * SMALL).unwrap();
        assert!(limit.ask(6 * SMALL, String::new).is_ok());
        let error = limit.ask(7 * SMALL, || "the list".into()).unwrap_err();
        assert_eq!((error.wanted, error.in_use, error.limit), (7 << 20, 4 << 20, 10 << 20));
        assert_eq!(
            error.to_string(),
            "the list takes 7.0 MiB of memory, 4.0 MiB are in use, and the limit is 10.0 MiB; raise it \
             with --max-memory"
        );
        assert!(limit.ask(SMALL - 1, || unreachable!()).is_ok(), "too small to look at");
    }

    #[test]
    fn sizes_are_read_as_they_are_written() {
        for (text, bytes) in
            [("1", 1), ("800m", 800 << 20), ("4 GiB", 4 << 30), ("2GB", 2 << 30), ("0.5K", 512)]
        {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
        for wrong in ["", "G", "0", "-4G", "4KM", "1e3", "4Gi b", "99999E", "ü", "1..5G"] {
            assert!(wrong.parse::<Bytes>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_list_grows_by_a_factor() {
        let mut list: Vec<u32> = Vec::new();
        let mut moves = 0;
        for at in 0..1000 {
            let before = list.capacity();
            grow(&mut list, 1, String::new).unwrap();
            moves += usize::from(list.capacity() != before);
            list.push(at);
        }
        assert!(moves < 12, "{moves}");
    }
}
