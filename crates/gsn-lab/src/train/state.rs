//! [`State`]: all that changes while a unit is trained.
//!
//! Between two steps it is everything: a copy of it goes on exactly as the original would. What
//! is random comes from keys (see `order`), not from the state.

use super::{Optimiser, Schedule, Settings};
use crate::error::Result;
use gsn_core::memory;
use gsn_nn::{Adam, Model, ModelConfig, Plateau, Sgd, StepLr};
use serde::{Deserialize, Serialize};
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
    Plateau(Plateau),
}

/// All that changes while a unit is trained.
#[derive(Debug, Clone)]
pub struct State {
    /// The network.
    pub model: Model<f32>,
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
            Optimiser::Adam => {
                let adam = Adam::new(model.params().count(), settings.lr);
                OptimiserState::Adam(adam.with_weight_decay(settings.weight_decay))
            }
            Optimiser::Sgd { momentum } => {
                let sgd = Sgd::new(settings.lr).with_momentum(momentum);
                OptimiserState::Sgd(sgd.with_weight_decay(settings.weight_decay))
            }
        };
        let pace = match settings.schedule {
            Schedule::None => ScheduleState::None,
            Schedule::Step { every, factor } => ScheduleState::Step(StepLr::new(every, factor)),
            Schedule::Plateau { factor, patience, .. } => {
                ScheduleState::Plateau(Plateau::new(factor, patience))
            }
        };
        Ok(Self {
            model,
            optimiser,
            pace,
            epoch: 0,
            step: 0,
            loss_sum: 0.0,
            loss_graphs: 0,
            curve: Vec::new(),
            best: None,
            done: false,
        })
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
        Ok(moved?)
    }

    /// Moves the learning rate on after an epoch; `watched` is what a plateau is seen in.
    pub(crate) fn pace_after_epoch(&mut self, watched: Option<f64>) {
        let lr = self.lr();
        let next = match &mut self.pace {
            ScheduleState::None => lr,
            ScheduleState::Step(step) => step.after_epoch(lr),
            ScheduleState::Plateau(plateau) => plateau.after_epoch(lr, watched.unwrap_or(f64::NAN)),
        };
        self.set_lr(next);
    }
}
