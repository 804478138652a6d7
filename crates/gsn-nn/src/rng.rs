//! Counter-based random numbers: number `i` of stream `key` is a hash of (key, i).
//!
//! Nothing is carried from one number to the next, so any thread can compute any of them and a
//! seed gives the same masks and weights for every number of threads.

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
    mix(mix(key.wrapping_add(0x9e37_79b9_7f4a_7c15)) ^ n.wrapping_mul(0xd6e8_feb8_6659_fd93))
}

/// Number `i` of stream `key`, uniform in [0, 1) with 53 random bits.
#[inline(always)]
pub fn uniform(key: u64, i: u64) -> f64 {
    (derive(key, i) >> 11) as f64 / (1u64 << 53) as f64
}

/// Number `i` of stream `key` as 32 random bits; cheap enough for one per activation, and written
/// in 32-bit steps so that the compiler can do eight at once.
#[inline(always)]
pub(crate) fn bits32(key: u64, i: u32) -> u32 {
    let mut x = i.wrapping_mul(0x9e37_79b9).wrapping_add(key as u32);
    x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
    x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
    x ^= (key >> 32) as u32;
    x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
    x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_uniform_and_differ() {
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
}
