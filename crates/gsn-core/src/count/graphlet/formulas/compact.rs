//! A table of numbers that mostly fit 32 bits, filled by several threads.
//!
//! The low halves lie side by side; the few numbers that need more keep the rest in a map. Sums
//! up to 96 bits are exact.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// See the module's text.
#[derive(Debug, Default)]
pub(super) struct CompactNumbers {
    low: Vec<AtomicU32>,
    /// Carries while the table is being filled.
    carries: Mutex<HashMap<u32, u64>>,
    /// What lies above 32 bits, once [`CompactNumbers::freeze`] has been called.
    high: HashMap<u32, u64>,
}

impl CompactNumbers {
    /// Zeros.
    pub(super) fn reset(&mut self, len: usize) {
        self.low.clear();
        self.low.resize_with(len, AtomicU32::default);
        self.high.clear();
        self.carries.get_mut().unwrap_or_else(|e| e.into_inner()).clear();
    }

    /// Whether there are no cells.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.low.is_empty()
    }

    /// Adds to a cell.
    #[inline]
    pub(super) fn add(&self, at: usize, value: u64) {
        let before = self.low[at].fetch_add(value as u32, Relaxed);
        let carry = (value >> 32) + u64::from(before.checked_add(value as u32).is_none());
        if carry != 0 {
            self.carry(at, carry);
        }
    }

    /// Sets a cell that nothing has been added to.
    #[inline]
    pub(super) fn set(&self, at: usize, value: u64) {
        self.low[at].store(value as u32, Relaxed);
        if value >> 32 != 0 {
            self.carry(at, value >> 32);
        }
    }

    #[cold]
    fn carry(&self, at: usize, carry: u64) {
        let mut carries = self.carries.lock().unwrap_or_else(|e| e.into_inner());
        *carries.entry(at as u32).or_insert(0) += carry;
    }

    /// Ends the filling: from now on cells are read.
    pub(super) fn freeze(&mut self) {
        std::mem::swap(&mut self.high, self.carries.get_mut().unwrap_or_else(|e| e.into_inner()));
    }

    /// A cell whose number is known to fit 64 bits.
    #[inline]
    pub(super) fn get(&self, at: usize) -> u64 {
        let low = u64::from(self.low[at].load(Relaxed));
        if self.high.is_empty() { low } else { low | self.rest(at) << 32 }
    }

    /// A cell.
    pub(super) fn wide(&self, at: usize) -> u128 {
        u128::from(self.low[at].load(Relaxed)) | u128::from(self.rest(at)) << 32
    }

    fn rest(&self, at: usize) -> u64 {
        self.high.get(&(at as u32)).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_width_add_up() {
        let mut table = CompactNumbers::default();
        table.reset(3);
        table.set(0, 7);
        table.set(1, u64::MAX);
        for _ in 0..3 {
            table.add(2, u64::MAX - 1);
        }
        table.freeze();
        assert_eq!((table.get(0), table.get(1)), (7, u64::MAX));
        assert_eq!(table.wide(2), 3 * u128::from(u64::MAX - 1));
        table.reset(1);
        table.freeze();
        assert_eq!(table.wide(0), 0);
    }
}
