//! [`State`]: all that changes while a unit is trained.
//!
//! Between two steps it is everything: a copy of it goes on exactly as the original would. What
//! is random comes from keys (see `order`), not from the state.

use super::{Optimiser, Schedule, Settings};
use crate::error::Result;
use gsn_core::memory;
use gsn_nn::{Adam, Cosine, Model, ModelConfig, Plateau, Sgd, StepLr};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// One epoch of a curve. What the protocol does not ask for is not measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Epoch, from 1.
    pub epoch: u64,
    /// Learning rate it was trained with.
    pub lr: f64,
    /// Mean loss over the graphs as they were trained on.
    pub train_loss: f64,
    /// Metric on the training part after the epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub train: Option<f64>,
    /// Loss on the validation part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation_loss: Option<f64>,
    /// Metric on the validation part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<f64>,
    /// Loss on the test part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_loss: Option<f64>,
    /// Metric on the test part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<f64>,
}

/// The best epoch so far.
#[derive(Debug, Clone)]
pub struct Best {
    /// Epoch, from 1.
    pub epoch: u64,
    /// Its validation metric.
    pub value: f64,
    /// Its model as it was evaluated, if the protocol wants it.
    pub model: Option<Arc<Model<f32>>>,
}

/// The optimiser with its memory.
#[derive(Debug, Clone)]
pub(crate) enum OptimiserState {
    Adam(Adam<f32>),
    Sgd(Sgd<f32>),
}

/// A schedule with memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ScheduleState {
    None,
    Step(StepLr),
    Cosine(Cosine),
    Plateau(Plateau),
}

/// A running mean of the weights: mean ← share·mean + (1 − share)·weights after every step, with
/// the share (1 + t)/(10 + t) in step t as long as that is smaller.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Average {
    share: f64,
    pub(crate) steps: u64,
    pub(crate) mean: Vec<f32>,
}

impl Average {
    fn add(&mut self, weights: &[f32]) {
        let t = self.steps as f64;
        let keep = self.share.min((1.0 + t) / (10.0 + t)) as f32;
        let take = 1.0 - keep;
        for (mean, &w) in self.mean.iter_mut().zip(weights) {
            *mean = keep * *mean + take * w;
        }
        self.steps += 1;
    }
}

/// All that changes while a unit is trained.
#[derive(Debug, Clone)]
pub struct State {
    /// The network.
    pub model: Model<f32>,
    /// The mean of its weights, if one is kept.
    pub(crate) average: Option<Average>,
    pub(crate) optimiser: OptimiserState,
    pub(crate) pace: ScheduleState,
    /// Finished epochs.
    pub epoch: u64,
    /// Finished steps of the epoch that is under way.
    pub step: u64,
    /// Σ loss · graphs and Σ graphs of the epoch that is under way.
    pub(crate) loss_sum: f64,
    pub(crate) loss_graphs: u64,
    /// The finished epochs.
    pub curve: Vec<Row>,
    /// The best of them, where the protocol chooses by validation.
    pub best: Option<Best>,
    /// Is training over?
    pub done: bool,
}

impl State {
    /// Before the first step.
    ///
    /// # Errors
    /// If the configuration is contradictory.
    pub fn new(config: ModelConfig, settings: &Settings, weights: u64) -> Result<Self> {
        let numbers = config.parameters()? as u64;
        // Beside the network: a gradient and what the optimiser remembers.
        memory::ask_for::<f32>(numbers.saturating_mul(4), || {
            format!("training a network of {numbers} numbers")
        })
        .map_err(gsn_nn::Error::from)?;
        let model = Model::new(config, weights)?;
        let optimiser = match settings.optimiser {
            Optimiser::Adam | Optimiser::AdamW => {
                let adam = Adam::new(model.params().count(), settings.lr)
                    .with_weight_decay(settings.weight_decay)
                    .with_decoupled(settings.optimiser == Optimiser::AdamW);
                OptimiserState::Adam(adam)
            }
            Optimiser::Sgd { momentum } => {
                let sgd = Sgd::new(settings.lr).with_momentum(momentum);
                OptimiserState::Sgd(sgd.with_weight_decay(settings.weight_decay))
            }
        };
        let pace = match settings.schedule {
            Schedule::None => ScheduleState::None,
            Schedule::Step { every, factor } => ScheduleState::Step(StepLr::new(every, factor)),
            Schedule::Cosine { warm_up, least } => {
                let cosine = Cosine::new(settings.lr, settings.epochs);
                ScheduleState::Cosine(cosine.with_warm_up(warm_up).with_least(least))
            }
            Schedule::Plateau { factor, patience, .. } => {
                ScheduleState::Plateau(Plateau::new(factor, patience))
            }
        };
        let average = settings.average.map(|share| Average {
            share,
            steps: 0,
            mean: model.params().values().to_vec(),
        });
        let first = match &pace {
            ScheduleState::Cosine(cosine) => cosine.rate(),
            _ => settings.lr,
        };
        let mut state = Self {
            model,
            average,
            optimiser,
            pace,
            epoch: 0,
            step: 0,
            loss_sum: 0.0,
            loss_graphs: 0,
            curve: Vec::new(),
            best: None,
            done: false,
        };
        state.set_lr(first);
        Ok(state)
    }

    /// The network to be evaluated: with the mean of the weights if one is kept.
    pub(crate) fn evaluated(&self) -> Cow<'_, Model<f32>> {
        let Some(average) = &self.average else { return Cow::Borrowed(&self.model) };
        let mut model = self.model.clone();
        model.params_mut().values_mut().copy_from_slice(&average.mean);
        Cow::Owned(model)
    }

    /// The learning rate of the next step.
    pub fn lr(&self) -> f64 {
        match &self.optimiser {
            OptimiserState::Adam(adam) => adam.lr,
            OptimiserState::Sgd(sgd) => sgd.lr,
        }
    }

    pub(crate) fn set_lr(&mut self, lr: f64) {
        match &mut self.optimiser {
            OptimiserState::Adam(adam) => adam.lr = lr,
            OptimiserState::Sgd(sgd) => sgd.lr = lr,
        }
    }

    pub(crate) fn move_by(&mut self, gradients: &[f32]) -> Result<()> {
        let values = self.model.params_mut().values_mut();
        let moved = match &mut self.optimiser {
            OptimiserState::Adam(adam) => adam.step(values, gradients),
            OptimiserState::Sgd(sgd) => sgd.step(values, gradients),
        };
        moved?;
        if let Some(average) = &mut self.average {
            average.add(values);
        }
        Ok(())
    }

    /// Moves the learning rate on after an epoch; `watched` is what a plateau is seen in.
    pub(crate) fn pace_after_epoch(&mut self, watched: Option<f64>) {
        let lr = self.lr();
        let next = match &mut self.pace {
            ScheduleState::None => lr,
            ScheduleState::Step(step) => step.after_epoch(lr),
            ScheduleState::Cosine(cosine) => cosine.after_epoch(),
            ScheduleState::Plateau(plateau) => plateau.after_epoch(lr, watched.unwrap_or(f64::NAN)),
        };
        self.set_lr(next);
    }
}
