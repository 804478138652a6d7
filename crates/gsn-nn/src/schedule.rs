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

/// Half a cosine from the full rate down to the least one over all epochs, with a linear way up
/// before it if asked for.
///
/// ```
/// let mut schedule = gsn_nn::Cosine::new(0.1, 4).with_warm_up(1);
/// let first = schedule.rate();
/// let rest = [(); 3].map(|()| schedule.after_epoch());
/// assert_eq!((first, rest[0]), (0.05, 0.1));
/// assert!(rest[1] > rest[2] && rest[2] > 0.0);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cosine {
    /// The full rate.
    pub full: f64,
    /// Epochs of the whole training; the rate stays at the least one behind them.
    pub epochs: u64,
    /// Epochs before the full rate is reached, at equal steps. Default: 0.
    pub warm_up: u64,
    /// The least rate, which the cosine ends in. Default: 0.
    pub least: f64,
    #[serde(default)]
    epoch: u64,
}

impl Cosine {
    /// A schedule at epoch 0, everything else by default.
    pub fn new(full: f64, epochs: u64) -> Self {
        Self { full, epochs, warm_up: 0, least: 0.0, epoch: 0 }
    }

    setters! { with_warm_up(warm_up: u64), with_least(least: f64) }

    /// The learning rate of the epoch that comes next.
    pub fn rate(&self) -> f64 {
        if self.epoch < self.warm_up {
            return self.full * (self.epoch + 1) as f64 / (self.warm_up + 1) as f64;
        }
        let length = self.epochs.saturating_sub(self.warm_up).max(1);
        let share = ((self.epoch - self.warm_up) as f64 / length as f64).min(1.0);
        let height = (1.0 + (std::f64::consts::PI * share).cos()) / 2.0;
        self.least + (self.full - self.least) * height
    }

    /// The learning rate of the next epoch.
    pub fn after_epoch(&mut self) -> f64 {
        self.epoch += 1;
        self.rate()
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

    #[test]
    fn a_cosine_starts_at_the_full_rate_is_half_way_down_in_the_middle_and_stays_down() {
        let mut s = Cosine::new(1.0, 10).with_least(0.2);
        let rates: Vec<f64> =
            std::iter::once(s.rate()).chain((0..12).map(|_| s.after_epoch())).collect();
        assert_eq!((rates[0], rates[11], rates[12]), (1.0, 0.2, 0.2));
        assert!((rates[5] - 0.6).abs() < 1e-12);
        assert!(rates.windows(2).all(|w| w[0] >= w[1]));
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
