//! Shared access to a table of plain numbers: the crate's only unsafe code.
//!
//! Small graphs are counted in a microsecond or two by one thread, so tables are plain `Vec<u64>`
//! (zeroed by the allocator, handed out without a copy); keeping them as atomics cost a fifth of
//! the whole count. Only a large graph that several threads share looks at its table atomically.
#![allow(unsafe_code)]

use std::sync::atomic::AtomicU64;

/// The same cells, for several threads. The standard library's `AtomicU64::from_mut_slice` is the
/// same cast, but not stable.
pub(super) fn shared(cells: &mut [u64]) -> &[AtomicU64] {
    const {
        assert!(size_of::<AtomicU64>() == size_of::<u64>());
        assert!(align_of::<AtomicU64>() == align_of::<u64>());
    }
    // SAFETY: AtomicU64 has the size, alignment and bit validity of u64, and the slice is borrowed
    // mutably for as long as the atomics live, so there is no other access to it in that time.
    unsafe { &*(std::ptr::from_mut(cells) as *const [AtomicU64]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn threads_add_to_one_slice_and_its_owner_reads_the_sums() {
        let mut cells = [1; 30];
        let seen = shared(&mut cells);
        std::thread::scope(|scope| {
            for step in [1, 2, 3] {
                scope.spawn(move || {
                    for cell in seen.iter().step_by(step) {
                        cell.fetch_add(10, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(cells[..7], [31, 11, 21, 21, 21, 11, 31]);
        assert!(shared(&mut []).is_empty());
    }
}
