//! How a network is trained: the `[training]` table of a recipe.
//!
//! Names and defaults follow the authors' code (Adam, no weight decay, no clipping); everything
//! that decides a result is written here, so that a run folder's recipe says it all.

use super::ClassWeights;
use crate::error::{Error, Result};
use gsn_core::setters;
use gsn_nn::Loss;
use gsn_nn::metrics::Metric;
use serde::{Deserialize, Serialize};

/// How a network is trained.
///
/// ```
/// use gsn_lab::train::{Loss, Metric, Optimiser, Schedule, Settings, Watched};
/// let plateau = Schedule::Plateau { factor: 0.5, patience: 5, watch: Watched::Loss };
/// let settings = Settings::new(128, 1000, 1e-3, Loss::L1, Metric::Mae)
///     .with_schedule(plateau)
///     .with_min_lr(1e-5);
/// assert_eq!(settings.optimiser, Optimiser::Adam);
/// settings.check()?;
/// # Ok::<(), gsn_lab::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Graphs of a mini-batch; the last one of a pass may be smaller.
    pub batch: usize,
    /// Epochs at most.
    pub epochs: u64,
    /// Steps of an epoch; a pass over the training part if not given. A pass that ends within an
    /// epoch is followed by the next one in a new order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps_per_epoch: Option<u64>,
    /// The optimiser; Adam if not given.
    #[serde(default)]
    pub optimiser: Optimiser,
    /// Learning rate at the start.
    pub lr: f64,
    /// Multiple of the parameters added to their gradient (`adam-w`: taken off the parameters, times
    /// the learning rate); 0 if not given.
    #[serde(default)]
    pub weight_decay: f64,
    /// How the learning rate changes; not at all if not given.
    #[serde(default)]
    pub schedule: Schedule,
    /// Training ends after the first epoch that leaves the learning rate below this; only with the
    /// last epoch if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_lr: Option<f64>,
    /// Gradients are scaled down to this 2-norm; not at all if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<f64>,
    /// Share of the running mean of the weights that every step keeps, above 0 and below 1, such as
    /// 0.999. The mean is evaluated, chosen and stored in place of the weights, which go on as they
    /// are; its share is smaller in the first steps. Needs `batch-norm = "re-estimated"`. No mean
    /// if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub average: Option<f64>,
    /// By which statistics BatchNorms evaluate; running ones if not given.
    #[serde(default, skip_serializing_if = "BatchNorm::is_running")]
    pub batch_norm: BatchNorm,
    /// What yes and no, or the classes, are worth in the loss; all labels the same if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_weights: Option<ClassWeights>,
    /// What training minimises.
    pub loss: Loss,
    /// What is reported.
    pub metric: Metric,
    /// Report the metric of the training part too, measured like the test part.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub train_metric: bool,
}

/// The rule by which gradients change parameters.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Optimiser {
    /// Adam with the usual decays 0.9 and 0.999.
    #[default]
    Adam,
    /// Adam with weight decay that is taken off the weights themselves.
    AdamW,
    /// Stochastic gradient descent.
    Sgd {
        /// Share of the last direction that is kept.
        momentum: f64,
    },
}

/// How the learning rate changes from epoch to epoch.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Schedule {
    /// It stays.
    #[default]
    None,
    /// Multiplied every so many epochs.
    Step {
        /// Epochs between changes.
        every: u64,
        /// Factor.
        factor: f64,
    },
    /// Half a cosine down over all epochs.
    Cosine {
        /// Epochs of a linear way up before it; none if not given.
        #[serde(default, rename = "warm-up")]
        warm_up: u64,
        /// The rate it ends in; 0 if not given.
        #[serde(default)]
        least: f64,
    },
    /// Multiplied when what is watched on the validation part has not fallen for more than
    /// `patience` epochs. The protocol `tud-paper` has no validation part and watches the test
    /// part, as the authors' code does; elsewhere test graphs steer nothing.
    Plateau {
        /// Factor.
        factor: f64,
        /// Epochs without improvement that are tolerated.
        patience: u64,
        /// What is watched.
        #[serde(default, skip_serializing_if = "Watched::is_loss")]
        watch: Watched,
    },
}

/// What a plateau is seen in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Watched {
    /// The loss.
    #[default]
    Loss,
    /// The metric; its negative where more is better, as the authors' directional network does.
    Metric,
}

impl Watched {
    fn is_loss(&self) -> bool {
        *self == Self::Loss
    }
}

/// By which statistics BatchNorms evaluate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BatchNorm {
    /// Those that follow the last batches of training, as in the authors' code.
    #[default]
    Running,
    /// Those of the whole training part under the weights as they are, measured before every
    /// evaluation and stored with the model. Costs about a third of an epoch each time.
    ReEstimated,
}

impl BatchNorm {
    fn is_running(&self) -> bool {
        *self == Self::Running
    }
}

impl Settings {
    /// Whole passes by Adam at this rate throughout, without weight decay, clipping or an early
    /// end, BatchNorms by running statistics; the metric of the training part is not measured.
    pub fn new(batch: usize, epochs: u64, lr: f64, loss: Loss, metric: Metric) -> Self {
        Self {
            batch,
            epochs,
            steps_per_epoch: None,
            optimiser: Optimiser::default(),
            lr,
            weight_decay: 0.0,
            schedule: Schedule::default(),
            min_lr: None,
            clip: None,
            average: None,
            class_weights: None,
            batch_norm: BatchNorm::default(),
            loss,
            metric,
            train_metric: false,
        }
    }

    setters! {
        with_steps_per_epoch(steps_per_epoch: u64),
        with_optimiser(optimiser: Optimiser),
        with_weight_decay(weight_decay: f64),
        with_schedule(schedule: Schedule),
        with_min_lr(min_lr: f64),
        with_clip(clip: f64),
        with_average(average: f64),
        with_class_weights(class_weights: ClassWeights),
        with_batch_norm(batch_norm: BatchNorm),
        with_train_metric(train_metric: bool)
    }

    /// Refuses numbers that no training can follow.
    ///
    /// # Errors
    /// Names the key.
    pub fn check(&self) -> Result<()> {
        let fail = |key: &str, what: String| Error::Recipe(format!("training.{key}: {what}"));
        let positive = |key: &str, x: f64| match x > 0.0 && x.is_finite() {
            true => Ok(()),
            false => Err(fail(key, format!("{x} is not a number above zero"))),
        };
        let factor = |key: &str, x: f64| match x > 0.0 && x <= 1.0 {
            true => Ok(()),
            false => Err(fail(key, format!("{x} is not above 0 and at most 1"))),
        };
        for (key, n) in [
            ("batch", self.batch as u64),
            ("epochs", self.epochs),
            ("steps-per-epoch", self.steps_per_epoch.unwrap_or(1)),
        ] {
            if n == 0 {
                return Err(fail(key, "0 leaves nothing to train".into()));
            }
        }
        positive("lr", self.lr)?;
        self.min_lr.map_or(Ok(()), |x| positive("min-lr", x))?;
        self.clip.map_or(Ok(()), |x| positive("clip", x))?;
        if !(self.weight_decay >= 0.0 && self.weight_decay.is_finite()) {
            return Err(fail("weight-decay", format!("{} is below zero", self.weight_decay)));
        }
        if let Optimiser::Sgd { momentum } = self.optimiser
            && !(0.0..1.0).contains(&momentum)
        {
            return Err(fail("optimiser.sgd.momentum", format!("{momentum} is not in 0..1")));
        }
        if let Some(share) = self.average {
            if !(share > 0.0 && share < 1.0) {
                return Err(fail("average", format!("{share} is not above 0 and below 1")));
            }
            if self.batch_norm.is_running() {
                let why = "running statistics belong to the weights, not to their mean";
                return Err(fail("average", format!("{why}: set batch-norm = \"re-estimated\"")));
            }
        }
        match self.schedule {
            Schedule::None => {}
            Schedule::Cosine { warm_up, least } => {
                if warm_up >= self.epochs {
                    let all = self.epochs;
                    return Err(fail(
                        "schedule.cosine.warm-up",
                        format!("{warm_up} of {all} epochs"),
                    ));
                }
                if !(least >= 0.0 && least <= self.lr) {
                    let what = format!("{least} is not between 0 and the learning rate");
                    return Err(fail("schedule.cosine.least", what));
                }
            }
            Schedule::Step { every, factor: f } => {
                if every == 0 {
                    return Err(fail("schedule.step.every", "0 epochs between changes".into()));
                }
                factor("schedule.step.factor", f)?;
            }
            Schedule::Plateau { factor: f, .. } => factor("schedule.plateau.factor", f)?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "batch = 4\nepochs = 2\nlr = 0.1\nloss = \"l1\"\nmetric = \"mae\"\n";

    #[test]
    fn unknown_keys_and_impossible_numbers_are_refused() {
        let read = |more: &str| toml::from_str::<Settings>(&format!("{BASE}{more}"));
        assert!(read("").unwrap().check().is_ok());
        assert!(read("learning-rate = 1.0").is_err());
        assert!(read("schedule = { step = { every = 1, factor = 0.5, extra = 1 } }").is_err());
        for wrong in [
            "schedule = { step = { every = 0, factor = 0.5 } }",
            "schedule = { plateau = { patience = 5, factor = 1.5 } }",
            "optimiser = { sgd = { momentum = 1.0 } }",
            "min-lr = 0.0",
            "clip = -1.0",
            "average = 1.0\nbatch-norm = \"re-estimated\"",
            "average = 0.9",
            "schedule = { cosine = { warm-up = 2 } }",
            "schedule = { cosine = { least = 0.2 } }",
            "weight-decay = nan",
            "steps-per-epoch = 0",
        ] {
            assert!(read(wrong).unwrap().check().is_err(), "{wrong}");
        }
    }

    #[test]
    fn settings_survive_a_round_trip() {
        let more = "schedule = { plateau = { factor = 0.5, patience = 5 } }\nmin-lr = 1e-5\n";
        let one: Settings = toml::from_str(&format!("{BASE}{more}")).unwrap();
        assert_eq!(toml::from_str::<Settings>(&toml::to_string(&one).unwrap()).unwrap(), one);
    }
}
