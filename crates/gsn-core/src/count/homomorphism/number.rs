//! Numbers of maps: 24, 32 or 64 bits where a bound proves that they suffice, else 128 bits that stick
//! at the largest number. Those of 24 bits are floating-point numbers, which are exact up to there
//! and which every processor multiplies several of at a time.
//!
//! Everything is a sum of products of numbers that are not negative. So a number that stuck can
//! only lead to others that stuck, or be multiplied by zero: what did not stick is exact.

/// A number of maps.
pub(super) trait Number: Copy + Default + PartialEq + Send + Sync + 'static {
    const ONE: Self;

    fn plus(self, other: Self) -> Self;

    fn times(self, other: Self) -> Self;

    /// The number, unless it stuck.
    fn exact(self) -> Option<u128>;

    fn is_zero(self) -> bool {
        self == Self::default()
    }
}

/// Below this bound numbers are kept in the 24 bits that floating-point numbers are exact in.
pub(super) const TINY: f64 = 1.6e7;

/// Below this bound numbers are kept in 32 bits.
pub(super) const SHORT: f64 = 4.0e9;

/// Below this bound numbers are kept in 64 bits.
pub(super) const NARROW: f64 = 9.0e18;

/// Only for numbers that are proven to fit.
macro_rules! proven {
    ($($kind:ty),*) => {$(
        impl Number for $kind {
            const ONE: Self = 1;

            #[inline]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            #[inline]
            fn exact(self) -> Option<u128> {
                Some(u128::from(self))
            }
        }
    )*};
}

proven!(u32, u64);

/// Only for numbers that are proven to be exact.
impl Number for f32 {
    const ONE: Self = 1.0;

    #[inline]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline]
    fn times(self, other: Self) -> Self {
        self * other
    }

    #[inline]
    fn exact(self) -> Option<u128> {
        Some(self as u128)
    }
}

impl Number for u128 {
    const ONE: Self = 1;

    #[inline]
    fn plus(self, other: Self) -> Self {
        self.saturating_add(other)
    }

    #[inline]
    fn times(self, other: Self) -> Self {
        self.saturating_mul(other)
    }

    #[inline]
    fn exact(self) -> Option<u128> {
        (self != u128::MAX).then_some(self)
    }
}

/// A floating-point number of 24 bits as what it is: beside 2⁵² its digits stand at the end of the
/// mantissa. Converting in the usual way would look for numbers that do not fit.
#[inline]
pub(super) fn whole(number: f32) -> u64 {
    const LARGE: u64 = 1 << 52;
    (f64::from(number) + LARGE as f64).to_bits() & (LARGE - 1)
}
