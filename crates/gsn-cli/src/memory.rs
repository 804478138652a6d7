//! The memory that the program may have, and how much it has: what Linux says in `/proc` and
//! `/sys/fs/cgroup`.
//!
//! The limit is what `--max-memory` says; by default most of what the machine has free, or the
//! container or the shell allows. Elsewhere than on Linux there is no limit unless it is given, and it
//! holds for each large request by itself.

use gsn_core::memory::{self, Bytes};
use std::fs::read_to_string;
use std::path::Path;

/// Limits the memory of this process to so many bytes, by default to what the machine has for it.
pub fn limit(asked: Option<Bytes>) {
    if in_use().is_some() {
        memory::set_gauge(|| in_use().unwrap_or(0));
    }
    if let Some(Bytes(bytes)) = asked.or_else(default) {
        memory::set_limit(bytes);
    }
}

/// Seven eighths of what is free for this process, and three quarters of the addresses it may have: stacks
/// and what the allocator holds back are among those.
fn default() -> Option<Bytes> {
    let free = field(&read("/proc/meminfo")?, "MemAvailable:")?;
    let free = free.saturating_add(in_use().unwrap_or(0));
    let free = container().map_or(free, |most| most.min(free));
    let addresses = read("/proc/self/limits").and_then(|limits| address_limit(&limits));
    Some(Bytes((free / 8 * 7).min(addresses.unwrap_or(u64::MAX) / 4 * 3)))
}

/// Bytes that this process holds, in memory or swapped out.
fn in_use() -> Option<u64> {
    let status = read("/proc/self/status")?;
    Some(field(&status, "VmRSS:")? + field(&status, "VmSwap:").unwrap_or(0))
}

fn read(path: impl AsRef<Path>) -> Option<String> {
    read_to_string(path).ok()
}

/// A line such as `VmRSS:   1234 kB`, in bytes.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The soft limit of addresses in `/proc/self/limits`.
fn address_limit(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The smallest limit of the groups that this process is in.
fn container() -> Option<u64> {
    let groups = read("/proc/self/cgroup")?;
    let of_group = |line: &str| {
        let (hierarchy, own) = line.split_once(':')?;
        let (controllers, own) = own.split_once(':')?;
        let (root, file) = match (hierarchy, controllers) {
            ("0", "") => ("/sys/fs/cgroup", "memory.max"),
            (_, "memory") => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            _ => return None,
        };
        let own = Path::new(own.trim_start_matches('/'));
        let limit = |group: &Path| {
            let text = read(Path::new(root).join(group).join(file))?;
            text.trim().parse::<u64>().ok()
        };
        own.ancestors().filter_map(limit).min()
    };
    groups.lines().filter_map(of_group).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_linux_says_is_understood() {
        let status = "Name:\tgsn\nVmRSS:\t    5120 kB\nVmSwap:\t       8 kB\n";
        assert_eq!(field(status, "VmRSS:"), Some(5 << 20));
        assert_eq!(field(status, "VmSwap:"), Some(8 << 10));
        assert_eq!(field(status, "MemAvailable:"), None);
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max data size             unlimited            unlimited            bytes     \n\
                      Max address space         6442450944           unlimited            bytes     \n";
        assert_eq!(address_limit(limits), Some(6 << 30));
        assert_eq!(address_limit(&limits.replace("6442450944", "unlimited ")), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn there_is_a_limit_and_a_gauge() {
        let used = in_use().expect("this process uses memory");
        let Bytes(limit) = default().expect("this machine has memory");
        assert!(0 < used && used < limit, "{used} of {limit}");
    }
}
