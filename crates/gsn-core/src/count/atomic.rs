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
