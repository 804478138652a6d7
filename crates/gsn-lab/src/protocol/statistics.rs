//! Mean, spread and 95 % interval of a few numbers.

use serde::{Deserialize, Serialize};

/// Mean, spread and interval of some numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statistics {
    /// Σx / n
    pub mean: f64,
    /// Sample standard deviation, √(Σ(x − mean)² / (n − 1)); `None` for one number.
    pub std: Option<f64>,
    /// Population standard deviation, √(Σ(x − mean)² / n), as the authors print it for folds.
    pub std_population: f64,
    /// 95 % confidence interval of the mean by Student's t; `None` for one number.
    pub interval95: Option<[f64; 2]>,
}

impl Statistics {
    /// Of some numbers, in their order; `None` if there are none.
    ///
    /// ```
    /// use gsn_lab::protocol::Statistics;
    /// let s = Statistics::of(&[1.0, 2.0, 3.0]).unwrap();
    /// assert_eq!((s.mean, s.std), (2.0, Some(1.0)));
    /// let [low, high] = s.interval95.unwrap();
    /// assert!((high - low - 2.0 * 4.302_653 / 3.0_f64.sqrt()).abs() < 1e-5);
    /// ```
    pub fn of(x: &[f64]) -> Option<Self> {
        if x.is_empty() {
            return None;
        }
        let n = x.len() as f64;
        let mean = x.iter().sum::<f64>() / n;
        let squares: f64 = x.iter().map(|x| (x - mean) * (x - mean)).sum();
        let std = (x.len() > 1).then(|| (squares / (n - 1.0)).sqrt());
        let half = std.map(|std| student(x.len() as u64 - 1) * std / n.sqrt());
        Some(Self {
            mean,
            std,
            std_population: (squares / n).sqrt(),
            interval95: half.map(|half| [mean - half, mean + half]),
        })
    }
}

/// The 97.5 % quantile of Student's t: a table where it bends, then the Cornish–Fisher expansion
/// around the normal quantile (within 1e-6 there).
fn student(freedom: u64) -> f64 {
    const TABLE: [f64; 20] = [
        12.706_204_736,
        4.302_652_730,
        3.182_446_305,
        2.776_445_105,
        2.570_581_836,
        2.446_911_851,
        2.364_624_252,
        2.306_004_135,
        2.262_157_163,
        2.228_138_852,
        2.200_985_160,
        2.178_812_830,
        2.160_368_656,
        2.144_786_688,
        2.131_449_546,
        2.119_905_299,
        2.109_815_578,
        2.100_922_040,
        2.093_024_054,
        2.085_963_447,
    ];
    if let Some(t) = usize::try_from(freedom).ok().and_then(|f| TABLE.get(f.checked_sub(1)?)) {
        return *t;
    }
    let (z, v) = (1.959_963_984_540_054_f64, freedom as f64);
    let [z3, z5, z7, z9] = [3, 5, 7, 9].map(|p| z.powi(p));
    z + (z3 + z) / (4.0 * v)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * v * v)
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * v.powi(3))
        + (79.0 * z9 + 776.0 * z7 + 1482.0 * z5 - 1920.0 * z3 - 945.0 * z) / (92_160.0 * v.powi(4))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of a printed table, on both sides of the switch to the expansion.
    #[test]
    fn quantiles_are_the_printed_ones() {
        for (freedom, t) in [
            (1, 12.7062),
            (9, 2.2622),
            (20, 2.0860),
            (21, 2.0796),
            (24, 2.0639),
            (30, 2.0423),
            (60, 2.0003),
            (120, 1.9799),
            (1_000_000, 1.9600),
        ] {
            assert!((student(freedom) - t).abs() < 6e-5, "{freedom}: {}", student(freedom));
        }
    }

    #[test]
    fn one_number_has_no_spread() {
        let one = Statistics::of(&[0.5]).unwrap();
        assert_eq!((one.mean, one.std, one.interval95, one.std_population), (0.5, None, None, 0.0));
        assert_eq!(Statistics::of(&[]), None);
    }
}
