//! Sums of floating-point numbers without any rounding on the way, so that their order does not
//! matter.
//!
//! A sum is a list of numbers that do not overlap and whose total it is exactly (Shewchuk 1997);
//! only reading it rounds, once, to the nearest number. Cost: a few additions a term.

/// A sum whose value does not depend on the order of its terms.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExactSum {
    /// Not overlapping, in increasing order.
    parts: Vec<f64>,
    /// What finite parts cannot hold: infinities and NaN.
    wild: f64,
}

impl ExactSum {
    /// Adds a term.
    pub(crate) fn add(&mut self, term: f64) {
        if !term.is_finite() {
            self.wild += term;
            return;
        }
        let (mut x, mut kept) = (term, 0);
        for i in 0..self.parts.len() {
            let mut y = self.parts[i];
            if x.abs() < y.abs() {
                std::mem::swap(&mut x, &mut y);
            }
            let high = x + y;
            let low = y - (high - x);
            if low != 0.0 {
                self.parts[kept] = low;
                kept += 1;
            }
            x = high;
        }
        self.parts.truncate(kept);
        self.parts.push(x);
    }

    /// The number nearest to the sum.
    pub(crate) fn value(&self) -> f64 {
        if self.wild != 0.0 {
            return self.wild;
        }
        let mut parts = self.parts.iter().rev();
        let Some(&(mut high)) = parts.next() else { return 0.0 };
        let mut low = 0.0;
        for &part in parts.by_ref() {
            let x = high;
            high = x + part;
            low = part - (high - x);
            if low != 0.0 {
                break;
            }
        }
        // Halfway between two numbers what is below decides.
        if let Some(&next) = parts.next()
            && ((low < 0.0 && next < 0.0) || (low > 0.0 && next > 0.0))
        {
            let double = 2.0 * low;
            let x = high + double;
            if x - high == double {
                high = x;
            }
        }
        high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(terms: &[f64]) -> f64 {
        let mut sum = ExactSum::default();
        terms.iter().for_each(|&x| sum.add(x));
        sum.value()
    }

    #[test]
    fn nothing_is_lost_and_no_order_matters() {
        assert_eq!(sum(&[1e100, 1.0, -1e100]), 1.0);
        assert_eq!(sum(&[0.1; 10]), 1.0);
        assert_eq!(sum(&[]), 0.0);
        // 2^53 + 1 lies halfway; the smallest number below or above decides.
        let half = 9_007_199_254_740_992.0;
        assert_eq!(sum(&[half, 1.0, 1e-30]), half + 2.0);
        assert_eq!(sum(&[half, 1.0, -1e-30]), half);
        let terms: Vec<f64> = (0..200u64)
            .map(|i| {
                let x = gsn_core::random::uniform(3, i) - 0.5;
                x * 10f64.powi((i % 40) as i32 - 20)
            })
            .collect();
        let forward = sum(&terms);
        let (mut backward, mut mixed) = (terms.clone(), terms);
        backward.reverse();
        mixed.sort_by(f64::total_cmp);
        assert_eq!([sum(&backward).to_bits(), sum(&mixed).to_bits()], [forward.to_bits(); 2]);
    }

    #[test]
    fn what_is_not_finite_stays_visible() {
        assert!(sum(&[1.0, f64::NAN]).is_nan());
        assert_eq!(sum(&[f64::INFINITY, 1.0]), f64::INFINITY);
        assert!(sum(&[f64::INFINITY, f64::NEG_INFINITY]).is_nan());
    }
}
