//! Counts against the truth: a case is a number, which decides graph, patterns and scopes.

use gsn_core::count::differential::Case;
use gsn_core::random::mix;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::OnceLock;

/// The number in some bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0, |number, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        match number {
            0 => u64::from_le_bytes(word),
            _ => mix(number ^ u64::from_le_bytes(word)),
        }
    })
}

/// Every kernel that accepts the patterns, and the plan, against the oracle.
pub(crate) fn kernels(bytes: &[u8]) -> u64 {
    Case::new(number(bytes)).check();
    1
}

/// The same by one thread, and by two, three or eight of them.
pub(crate) fn threads(bytes: &[u8]) -> u64 {
    static POOLS: OnceLock<Vec<ThreadPool>> = OnceLock::new();
    let pools = POOLS.get_or_init(|| {
        let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build();
        [1, 2, 3, 8].map(|threads| pool(threads).expect("threads")).into()
    });
    let number = number(bytes);
    let mut case = Case::new(number);
    case.by_several_threads();
    for pool in [&pools[0], &pools[1 + (number % 3) as usize]] {
        pool.install(|| case.check());
    }
    1
}
