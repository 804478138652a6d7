//! The range that predictions of a regression are kept to.
//!
//! A network that has never seen anything like a graph may say any number. What lies further from
//! the targets of the training part than a share of their range is taken back to that limit, and
//! said to be.

use serde::{Deserialize, Serialize};

/// Limits of every target.
///
/// ```
/// use gsn_lab::pipeline::Bounds;
/// let bounds = Bounds::fit(0.5, 1, [[1.0], [f64::NAN], [3.0]].iter().map(|t| t.as_slice()));
/// let mut y = [7.5];
/// assert_eq!((bounds.apply(&mut y), y), (vec![0], [4.0]));
/// assert_eq!((bounds.apply(&mut y), bounds.least(), bounds.most()), (vec![], &[0.0][..], &[4.0][..]));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    least: Vec<f64>,
    most: Vec<f64>,
}

impl Bounds {
    /// From the smallest target less `share` of the range to the largest and as much; NaN marks a
    /// missing target. A target without any value has no limits.
    pub fn fit<'a>(
        share: f64,
        targets: usize,
        rows: impl Iterator<Item = &'a [f64]> + Clone,
    ) -> Self {
        let limits = |t: usize| {
            let known = rows.clone().filter_map(|row| row.get(t).copied()).filter(|y| !y.is_nan());
            let (least, most) = known
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), y| {
                    (least.min(y), most.max(y))
                });
            match least <= most {
                true => (least - share * (most - least), most + share * (most - least)),
                // The largest numbers that a file can hold.
                false => (f64::MIN, f64::MAX),
            }
        };
        let (least, most) = (0..targets).map(limits).unzip();
        Self { least, most }
    }

    /// The smallest prediction of every target.
    pub fn least(&self) -> &[f64] {
        &self.least
    }

    /// The largest prediction of every target.
    pub fn most(&self) -> &[f64] {
        &self.most
    }

    /// Takes predictions, in the unit of the data, back to the limits; says which targets lay
    /// outside.
    pub fn apply(&self, prediction: &mut [f64]) -> Vec<usize> {
        let limits = self.least.iter().zip(&self.most);
        let mut outside = Vec::new();
        for (t, (y, (&least, &most))) in prediction.iter_mut().zip(limits).enumerate() {
            if *y < least || *y > most {
                *y = y.clamp(least, most);
                outside.push(t);
            }
        }
        outside
    }
}
