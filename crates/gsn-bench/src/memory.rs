//! How much memory a count needs beyond the graph and its result: measured by the kernel's own
//! high-water mark, in a process that does nothing else.

use anyhow::{Context, Result};

/// Environment of a child whose memory is measured: freed blocks go straight back to the system,
/// so what the process holds is what it uses.
pub const RETURN_FREED: [(&str, &str); 1] = [("MIMALLOC_PURGE_DELAY", "0")];

/// Megabytes this process holds now, and the most it has held since the last [`reset`].
///
/// # Errors
/// Where there is no `/proc`.
pub fn held() -> Result<(f64, f64)> {
    let status = std::fs::read_to_string("/proc/self/status").context("no /proc/self/status")?;
    let field = |name: &str| -> Result<f64> {
        let line = status.lines().find(|line| line.starts_with(name));
        let value = line.and_then(|line| line.split_whitespace().nth(1));
        Ok(value.with_context(|| format!("no {name}"))?.parse::<f64>()? / 1024.0)
    };
    Ok((field("VmRSS:")?, field("VmHWM:")?))
}

/// Forgets the high-water mark.
///
/// # Errors
/// Where the system does not allow it.
pub fn reset() -> Result<()> {
    std::fs::write("/proc/self/clear_refs", "5").context("cannot reset the high-water mark")
}
