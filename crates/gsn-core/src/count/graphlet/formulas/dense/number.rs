//! The numbers that tables of classes hold: 32 bits where those do, else 64. Arithmetic wraps.

use std::ops::BitAnd;

/// A number of a pair of classes.
pub(in crate::count) trait Number:
    BitAnd<Output = Self> + Copy + Default + From<u32> + Into<u64> + Send + Sync + 'static
{
    /// All bits set.
    const ALL: Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

macro_rules! number {
    ($type:ty) => {
        impl Number for $type {
            const ALL: Self = !0;
            #[inline]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
        }
    };
}
number!(u32);
number!(u64);
