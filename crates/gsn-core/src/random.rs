//! Random numbers that are the same on every machine: the one generator of the workspace.
//!
//! Both kinds rest on SplitMix64. [`Random`] is a stream that is read one number after the other.
//! [`derive()`], [`uniform`] and [`bits32`] are counter-based: number `n` of key `key` is a hash of the two, so
//! that any thread can compute any of them and nothing depends on how many threads there are.

/// The step of SplitMix64: 2⁶⁴ divided by the golden ratio.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's finaliser: 64 bits in, 64 well-mixed bits out.
#[inline(always)]
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A new key from a key and a number.
#[inline(always)]
pub fn derive(key: u64, n: u64) -> u64 {
    mix(mix(key.wrapping_add(STEP)) ^ n.wrapping_mul(0xd6e8_feb8_6659_fd93))
}

/// Number `n` of `key`, uniform in [0, 1) with 53 random bits.
#[inline(always)]
pub fn uniform(key: u64, n: u64) -> f64 {
    unit(derive(key, n))
}

/// Number `n` of `key` as 32 random bits; cheap enough for one per activation of a network, and
/// written in 32-bit steps so that the compiler can do eight at once.
#[inline(always)]
pub fn bits32(key: u64, n: u32) -> u32 {
    let mut x = n.wrapping_mul(0x9e37_79b9).wrapping_add(key as u32);
    x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
    x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
    x ^= (key >> 32) as u32;
    x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
    x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// The upper 53 bits as a number in [0, 1).
#[inline(always)]
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// A reproducible stream of numbers.
///
/// ```
/// use gsn_core::random::Random;
/// let (mut a, mut b) = (Random::new(7), Random::new(7));
/// assert_eq!(a.below(100), b.below(100));
/// ```
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A stream that depends on `seed` alone.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// A number below `bound`, which is not 0; the bias is below 2⁻³² for bounds that fit 32 bits.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// A number in [0, 1).
    #[inline]
    pub fn unit(&mut self) -> f64 {
        unit(self.bits())
    }

    /// Puts a list into random order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }

    /// A random permutation of `0..n`.
    pub fn permutation(&mut self, n: usize) -> Vec<u32> {
        let mut list: Vec<u32> = (0..n as u32).collect();
        self.shuffle(&mut list);
        list
    }

    /// `some` different numbers below `all` in increasing order, or all of them; every set of this
    /// size is equally likely (Floyd's algorithm).
    pub fn choose(&mut self, some: usize, all: usize) -> Vec<usize> {
        if some >= all {
            return (0..all).collect();
        }
        let mut chosen = std::collections::BTreeSet::new();
        for top in all - some..all {
            let pick = self.below(top + 1);
            if !chosen.insert(pick) {
                chosen.insert(top);
            }
        }
        chosen.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Weights, masks, folds and samples of published runs rest on these streams.
    #[test]
    fn the_streams_never_change() {
        let mut random = Random::new(7);
        let bits = [random.bits(), random.bits(), random.bits()];
        assert_eq!(bits, [0x63cb_e1e4_5932_0dd7, 0x044c_3cd7_f43c_661c, 0xe698_4080_bab1_2a02]);
        assert_eq!((random.below(1000), random.below(7)), (582, 3));
        assert_eq!(random.unit(), 0.249_431_522_282_743_35);
        assert_eq!(random.permutation(8), [7, 1, 4, 5, 6, 0, 2, 3]);
        assert_eq!(Random::new(7).choose(5, 1000), [16, 388, 452, 582, 898]);
        assert_eq!(Random::new(0).bits(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(Random::new(u64::MAX).bits(), 0xe4d9_7177_1b65_2c20);
        assert_eq!(
            (mix(0), mix(1), mix(u64::MAX)),
            (0, 0x5692_161d_100b_05e5, 0xb4d0_55fc_f2cb_bd7b)
        );
        assert_eq!(derive(0, 0), 0x4821_8226_ff3c_d4bf);
        assert_eq!(derive(7, 3), 0xeae9_3699_cf6b_d49c);
        assert_eq!(derive(u64::MAX, 1 << 40), 0xe60d_14f1_8f0a_3d06);
        assert_eq!((bits32(0, 0), bits32(7, 3)), (0, 0x66fd_47e9));
        assert_eq!(bits32(0xeae9_3699_cf6b_d49c, u32::MAX), 0x8b33_2502);
        assert_eq!(
            (uniform(0, 0), uniform(7, 3)),
            (0.281_761_297_722_584_96, 0.917_621_052_314_117_3)
        );
    }

    #[test]
    fn counter_based_numbers_are_uniform_and_differ() {
        for key in [0u64, 1, u64::MAX] {
            let n = 100_000u64;
            let mean = (0..n).map(|i| uniform(key, i)).sum::<f64>() / n as f64;
            assert!((mean - 0.5).abs() < 5e-3, "{mean}");
            let ones = (0..n as u32).filter(|&i| bits32(derive(key, 3), i) < u32::MAX / 4).count();
            assert!((ones as f64 / n as f64 - 0.25).abs() < 6e-3, "{ones}");
        }
        assert_ne!(uniform(1, 0), uniform(2, 0));
        assert_ne!(uniform(1, 0), uniform(1, 1));
    }

    #[test]
    fn choices_are_different_sorted_and_repeatable() {
        let chosen = Random::new(7).choose(10, 1000);
        assert_eq!(chosen.len(), 10);
        assert!(chosen.windows(2).all(|w| w[0] < w[1]) && chosen[9] < 1000);
        assert_eq!(chosen, Random::new(7).choose(10, 1000));
        assert_eq!(Random::new(7).choose(5, 3), [0, 1, 2]);
    }
}
