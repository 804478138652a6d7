//! Standardised targets of a regression, and the way back.

use serde::{Deserialize, Serialize};

/// Mean and deviation of every target over a training part.
///
/// ```
/// use gsn_lab::pipeline::Scale;
/// let scale = Scale::fit(1, [[1.0], [f64::NAN], [3.0]].iter().map(|t| t.as_slice()));
/// let mut y = [3.0];
/// scale.apply(&mut y);
/// assert_eq!(y, [1.0]);
/// scale.undo(&mut y);
/// assert_eq!(y, [3.0]);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    mean: Vec<f64>,
    deviation: Vec<f64>,
}

impl Scale {
    /// Mean and deviation of each target; NaN marks a missing one. A constant target is only
    /// shifted.
    pub fn fit<'a>(targets: usize, rows: impl Iterator<Item = &'a [f64]> + Clone) -> Self {
        let moment = |t: usize, f: &dyn Fn(f64) -> f64| {
            let (mut sum, mut known) = (0.0, 0u64);
            for y in rows.clone().filter_map(|row| row.get(t).copied()).filter(|y| !y.is_nan()) {
                (sum, known) = (sum + f(y), known + 1);
            }
            if known == 0 { 0.0 } else { sum / known as f64 }
        };
        let mean: Vec<f64> = (0..targets).map(|t| moment(t, &|y| y)).collect();
        let deviation = (0..targets).map(|t| {
            let variance = moment(t, &|y| (y - mean[t]) * (y - mean[t]));
            if variance > 0.0 { variance.sqrt() } else { 1.0 }
        });
        let deviation = deviation.collect();
        Self { mean, deviation }
    }

    /// Means of the targets.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Deviations of the targets, never 0.
    pub fn deviation(&self) -> &[f64] {
        &self.deviation
    }

    /// From the unit of the data to what a network learns.
    pub fn apply(&self, targets: &mut [f64]) {
        for ((y, mean), deviation) in targets.iter_mut().zip(&self.mean).zip(&self.deviation) {
            *y = (*y - mean) / deviation;
        }
    }

    /// From what a network predicts to the unit of the data.
    pub fn undo(&self, prediction: &mut [f64]) {
        for ((y, mean), deviation) in prediction.iter_mut().zip(&self.mean).zip(&self.deviation) {
            *y = *y * deviation + mean;
        }
    }
}
