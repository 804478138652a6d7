//! What a step of each kernel costs: how plans compare them.
//!
//! Estimates count steps, which are the same on every machine; a step of one kernel may take many
//! times as long as one of another. The numbers are nanoseconds on one thread of an ordinary
//! processor, as `cargo run --release -p gsn-core --example nanoseconds` prints them: the time of a
//! count, divided by the steps that were *predicted*, so that an estimate that is off for
//! a kernel's usual work is corrected here as well.

/// Kernels by their names in plans, and nanoseconds a predicted step.
const STEP: &[(&str, f64)] = &[
    ("match", 15.0),
    ("girth", 2.0),
    ("five", 2.0),
    ("twins", 2.0),
    ("small", 2.0),
    ("clique", 20.0),
    ("star", 30.0),
    ("cycle", 10.0),
    ("path", 8.0),
    ("sums", 1.5),
    ("maps", 1.5),
];

/// A kernel that is not listed.
const OTHER: f64 = 2.0;

/// Nanoseconds that a step of a kernel takes.
pub(super) fn nanoseconds(kernel: &str) -> f64 {
    STEP.iter().find(|(name, _)| *name == kernel).map_or(OTHER, |(_, step)| *step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::plan::KERNELS;

    #[test]
    fn every_kernel_has_its_price_once() {
        assert_eq!(STEP.len(), KERNELS.len());
        for kernel in KERNELS {
            assert_eq!(STEP.iter().filter(|(name, _)| *name == kernel.name).count(), 1);
            assert!(nanoseconds(kernel.name) > 0.0);
        }
    }
}
