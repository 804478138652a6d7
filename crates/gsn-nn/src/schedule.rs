//! Learning-rate schedules with PyTorch's semantics. Each is asked once per epoch and hands back
//! the new learning rate; state is serialisable so that a run can go on.

use serde::{Deserialize, Serialize};

use crate::config::setters;

/// Multiplies by `gamma` every `step` epochs, as `StepLR`.
///
/// ```
/// let mut schedule = gsn_nn::StepLr::new(2, 0.5);
/// assert_eq!([0.1, 0.1].map(|lr| schedule.after_epoch(lr)), [0.1, 0.05]);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepLr {
    /// Epochs between changes; 0 never changes.
    pub step: u64,
    /// Factor.
    pub gamma: f64,
    #[serde(default)]
    epoch: u64,
}

impl StepLr {
    /// A schedule at epoch 0.
    pub fn new(step: u64, gamma: f64) -> Self {
        Self { step, gamma, epoch: 0 }
    }

    /// The learning rate of the next epoch.
    pub fn after_epoch(&mut self, lr: f64) -> f64 {
        self.epoch += 1;
        let due = self.step > 0 && self.epoch.is_multiple_of(self.step);
        if due { lr * self.gamma } else { lr }
    }
}

/// Multiplies by `factor` once the metric has not improved for more than `patience` epochs, as
/// `ReduceLROnPlateau` with a relative threshold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plateau {
    /// Is a larger metric better? Default: no.
    pub maximise: bool,
    /// Factor.
    pub factor: f64,
    /// Epochs without improvement that are tolerated.
    pub patience: u64,
    /// Relative improvement that counts. Default: 1e-4.
    pub threshold: f64,
    /// Epochs after a reduction in which bad ones do not count. Default: 0.
    pub cooldown: u64,
    /// The learning rate never goes below this. Default: 0.
    pub min_lr: f64,
    best: Option<f64>,
    bad: u64,
    cooling: u64,
}

impl Plateau {
    /// For a metric that should fall, everything else by default.
    pub fn new(factor: f64, patience: u64) -> Self {
        Self {
            maximise: false,
            factor,
            patience,
            threshold: 1e-4,
            cooldown: 0,
            min_lr: 0.0,
            best: None,
            bad: 0,
            cooling: 0,
        }
    }

    setters! {
        with_maximise(maximise: bool),
        with_threshold(threshold: f64),
        with_cooldown(cooldown: u64),
        with_min_lr(min_lr: f64),
    }

    /// The learning rate of the next epoch.
    ///
    /// ```
    /// let (mut schedule, mut lr) = (gsn_nn::Plateau::new(0.5, 1), 0.1);
    /// for metric in [1.0, 1.0, 1.0] {
    ///     lr = schedule.after_epoch(lr, metric);
    /// }
    /// assert_eq!(lr, 0.05); // two epochs in a row were no better than the first
    /// ```
    pub fn after_epoch(&mut self, lr: f64, metric: f64) -> f64 {
        let better = match self.best {
            None => !metric.is_nan(),
            // Exactly torch's comparison, also for metrics below zero.
            Some(best) if self.maximise => metric > best * (1.0 + self.threshold),
            Some(best) => metric < best * (1.0 - self.threshold),
        };
        if better {
            (self.best, self.bad) = (Some(metric), 0);
        } else {
            self.bad += 1;
        }
        if self.cooling > 0 {
            self.cooling -= 1;
            self.bad = 0;
        }
        if self.bad <= self.patience {
            return lr;
        }
        (self.bad, self.cooling) = (0, self.cooldown);
        let new = (lr * self.factor).max(self.min_lr);
        if lr - new > 1e-8 { new } else { lr }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_lr() {
        let mut s = StepLr::new(2, 0.5);
        let mut lr = 1.0;
        let lrs: Vec<f64> = (0..5)
            .map(|_| {
                lr = s.after_epoch(lr);
                lr
            })
            .collect();
        assert_eq!(lrs, [1.0, 0.5, 0.5, 0.25, 0.25]);
    }

    /// The sequence torch 2.15 gives for factor 0.5, patience 2, cooldown 1, mode min.
    #[test]
    fn plateau_counts_like_torch() {
        let mut s = Plateau::new(0.5, 2).with_cooldown(1);
        let metrics = [1.0, 0.9, 0.95, 0.95, 0.95, 0.95, 0.95, 0.95, 0.95, 0.5, 0.49999, 0.6, 0.6];
        let mut lr = 1.0;
        let lrs: Vec<f64> = metrics
            .iter()
            .map(|&m| {
                lr = s.after_epoch(lr, m);
                lr
            })
            .collect();
        assert_eq!(lrs, [1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25, 0.125]);
    }
}
