//! Knuth's estimate of the size of a search tree: walk down at random, multiply the numbers of
//! children met on the way, average. The generator always starts in the same state, so estimates
//! are the same everywhere.

use super::budget::out_of_patience;
use crate::random::Random;

/// The generator of all estimates, always in the same state.
pub(super) fn fixed_random() -> Random {
    Random::new(0x243F_6A88_85A3_08D3)
}

/// Roots taken from each stratum.
const SAMPLES: usize = 8;

/// The sum over `0..roots` of a random quantity, when early roots may be far heavier than late
/// ones: the roots are cut into strata 0, 1, 2–3, 4–7, … and a few are drawn from each.
pub(super) fn sum_over_roots(
    roots: usize,
    random: &mut Random,
    mut weight: impl FnMut(usize, &mut Random) -> f64,
) -> f64 {
    let (mut from, mut sum) = (0, 0.0);
    while from < roots {
        let to = (2 * from).max(from + 1).min(roots);
        let samples = (to - from).min(SAMPLES);
        let mut part = 0.0;
        for i in 0..samples {
            if out_of_patience() {
                return f64::INFINITY;
            }
            let root = if samples == to - from { from + i } else { from + random.below(to - from) };
            part += weight(root, random);
        }
        sum += part * (to - from) as f64 / samples as f64;
        from = to;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_roots_are_summed_exactly_and_many_nearly() {
        let mut random = fixed_random();
        let exact = sum_over_roots(9, &mut random, |root, _| root as f64);
        assert_eq!(exact, 36.0);
        let about = sum_over_roots(1000, &mut random, |root, _| 1e6 / (1.0 + root as f64));
        let truth: f64 = (1..=1000).map(|i| 1e6 / f64::from(i)).sum();
        assert!((about / truth - 1.0).abs() < 0.2, "{about} for {truth}");
    }
}
