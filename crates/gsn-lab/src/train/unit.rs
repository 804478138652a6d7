//! The training loop of one unit.
//!
//! While the network works on one mini-batch another thread of the pool puts the next one
//! together. Between any two steps the unit can be stopped, saved and taken up again. It runs on
//! the rayon pool it is called from. Cost: the steps, the evaluations that the protocol asks for,
//! and little else (measured by the bench `train`).

use super::evaluate::{Graphs, Part, Score};
use super::order::{Order, RandomKeys};
use super::state::{Best, Row, State};
use super::statistics::Statistics;
use super::{Form, PartPredictions, Schedule, Settings, Watched};
use crate::dataset::Fold;
use crate::error::{Error, Result};
use crate::model_file::Part as Name;
use gsn_nn::{Batch, Grads, GraphInput, Model, ModelConfig, Pool, clip_norm};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is measured after every epoch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Measures {
    /// The training part, in evaluation mode.
    pub train: bool,
    /// The validation part.
    pub validation: bool,
    /// The test part.
    pub test: bool,
    /// Keep the model with the best validation metric.
    pub keep_best: bool,
}

/// The chosen model of a unit on the parts that are there.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Loss and metric of the training (if the settings want it), validation and test part.
    pub scores: [Option<Score>; 3],
    /// What it says of every graph of every part.
    pub predictions: Vec<PartPredictions>,
}

/// What is trained on what.
pub struct Unit<'a> {
    /// Its name: `fold-3`, `seed-0`.
    pub name: String,
    /// All graphs of the dataset.
    pub graphs: Graphs<'a>,
    /// The parts, as indices into them.
    pub fold: &'a Fold,
    /// The network.
    pub config: &'a ModelConfig,
    /// How it is trained.
    pub settings: &'a Settings,
    /// Decides everything random.
    pub keys: RandomKeys,
    /// What is measured after every epoch.
    pub measures: Measures,
    /// The learning rate of every epoch, instead of what the schedule of the settings says.
    pub rates: Option<&'a [f64]>,
}

/// Receives the progress of a unit's training. It may ask for a stop, and saves.
pub trait UnitObserver: Sync {
    /// Is asked before every step; true stops the unit after a save.
    fn stop(&self) -> bool {
        false
    }
    /// A step is done; `steps` make an epoch. May save.
    ///
    /// # Errors
    /// Ends the unit.
    fn after_step(&self, state: &State, steps: u64) -> Result<()> {
        let _ = (state, steps);
        Ok(())
    }
    /// An epoch is done; its row is the last of the curve. May save.
    ///
    /// # Errors
    /// Ends the unit.
    fn after_epoch(&self, state: &State) -> Result<()> {
        let _ = state;
        Ok(())
    }
    /// The unit ends before it is done: keep this state.
    ///
    /// # Errors
    /// If it cannot be kept.
    fn save(&self, state: &State) -> Result<()> {
        let _ = state;
        Ok(())
    }
}

/// Ignores everything and saves nothing.
impl UnitObserver for () {}

impl Unit<'_> {
    /// The state before the first step.
    ///
    /// # Errors
    /// If the configuration is contradictory.
    pub fn start(&self) -> Result<State> {
        State::new(self.config.clone(), self.settings, self.keys.weights())
    }

    /// Steps of an epoch.
    pub fn steps(&self) -> u64 {
        let pass = Order::new(&self.fold.train, self.settings.batch, self.keys).steps();
        self.settings.steps_per_epoch.unwrap_or(pass)
    }

    fn batch(&self, items: &[u32]) -> Result<Batch<f32>> {
        let pick = |&i: &u32| &self.graphs.inputs[i as usize];
        let graphs: Vec<&GraphInput> = items.iter().map(pick).collect();
        Ok(Batch::new(&graphs)?)
    }

    /// Trains from `state` to the end.
    ///
    /// # Errors
    /// [`Error::Stopped`] if the observer asked for it; [`Error::Training`] if a loss is not
    /// finite, after the last sound state was saved; whatever the observer meets.
    pub fn run(&self, state: &mut State, observer: &dyn UnitObserver) -> Result<()> {
        if self.fold.train.is_empty() {
            return Err(Error::Training(format!("{}: no graphs to train on", self.name)));
        }
        let part = |wanted: bool, items| wanted.then(|| Part::new(self.graphs, items)).transpose();
        let parts = Parts {
            train: part(self.measures.train, &self.fold.train)?,
            validation: part(self.measures.validation, &self.fold.validation)?,
            test: part(self.measures.test, &self.fold.test)?,
        };
        let statistics = self.statistics()?;
        let pool = Pool::new();
        let mut gradients = Grads::new(state.model.params());
        let mut order = Order::new(&self.fold.train, self.settings.batch, self.keys);
        let steps = self.steps();
        // What is kept when a loss goes wrong: the state at the end of the last sound epoch.
        let mut sound = state.clone();
        while !state.done {
            let mut next = match state.step < steps {
                true => Some(self.batch(order.of_step(state.epoch, state.step))?),
                false => None,
            };
            while let Some(batch) = next.take() {
                if observer.stop() {
                    observer.save(state)?;
                    return Err(Error::Stopped);
                }
                let following = (state.step + 1 < steps)
                    .then(|| order.of_step(state.epoch, state.step + 1).to_vec());
                let (done, made) = rayon::join(
                    || self.step(state, &batch, &pool, &mut gradients),
                    || following.map(|items| self.batch(&items)).transpose(),
                );
                if let Err(bad) = done {
                    observer.save(&sound)?;
                    return Err(bad);
                }
                next = made?;
                observer.after_step(state, steps)?;
            }
            if let Err(bad) = self.finish_epoch(state, &parts, &statistics, &pool) {
                observer.save(&sound)?;
                return Err(bad);
            }
            sound.clone_from(state);
            observer.after_epoch(state)?;
        }
        Ok(())
    }

    /// One mini-batch.
    fn step(
        &self,
        state: &mut State,
        batch: &Batch<f32>,
        pool: &Pool<f32>,
        gradients: &mut Grads<f32>,
    ) -> Result<()> {
        let seed = self.keys.step(state.epoch, state.step);
        let loss = state.model.gradients(batch, self.settings.loss, seed, pool, gradients)?;
        if !loss.is_finite() {
            let (epoch, step) = (state.epoch + 1, state.step + 1);
            return Err(self.not_finite("loss", loss, format!("epoch {epoch}, batch {step}")));
        }
        if let Some(most) = self.settings.clip {
            clip_norm(gradients.values_mut(), most);
        }
        state.move_by(gradients.values())?;
        state.loss_sum += loss * batch.graphs() as f64;
        state.loss_graphs += batch.graphs() as u64;
        state.step += 1;
        Ok(())
    }

    /// Measures, moves the schedule on, keeps what is best, closes the epoch.
    fn finish_epoch(
        &self,
        state: &mut State,
        parts: &Parts<'_>,
        statistics: &Statistics<'_>,
        pool: &Pool<f32>,
    ) -> Result<()> {
        let epoch = state.epoch + 1;
        let model = state.evaluated();
        let model = match parts.any() {
            true => statistics.ready(model, pool)?,
            false => model,
        };
        let score = |part: &Option<Part<'_>>, name: &str| -> Result<Option<Score>> {
            let Some(part) = part.as_ref().filter(|part| !part.is_empty()) else { return Ok(None) };
            let what = (self.settings.loss, self.settings.metric);
            let score = part.score(&model, pool, what, self.keys)?;
            if !score.loss.is_finite() {
                let at = format!("the end of epoch {epoch}");
                return Err(self.not_finite(&format!("{name} loss"), score.loss, at));
            }
            Ok(Some(score))
        };
        let train = score(&parts.train, "training")?;
        let validation = score(&parts.validation, "validation")?;
        let test = score(&parts.test, "test")?;
        let metric = self.settings.metric;
        let value = validation.and_then(|s| s.metric).filter(|&value| {
            state.best.as_ref().is_none_or(|best| metric.better(value, best.value))
        });
        let best = value.map(|value| Best {
            epoch,
            value,
            model: self.measures.keep_best.then(|| Arc::new(model.into_owned())),
        });
        let row = Row {
            epoch,
            lr: state.lr(),
            train_loss: state.loss_sum / state.loss_graphs.max(1) as f64,
            train: train.and_then(|s| s.metric),
            validation_loss: validation.map(|s| s.loss),
            validation: validation.and_then(|s| s.metric),
            test_loss: test.map(|s| s.loss),
            test: test.and_then(|s| s.metric),
        };
        state.pace_after_epoch(watched(self.settings, &row));
        if let Some(&rate) = self.rates.and_then(|rates| rates.get(epoch as usize)) {
            state.set_lr(rate);
        }
        (state.epoch, state.step) = (epoch, 0);
        (state.loss_sum, state.loss_graphs) = (0.0, 0);
        if best.is_some() {
            state.best = best;
        }
        state.curve.push(row);
        state.done = epoch >= self.settings.epochs
            || self.settings.min_lr.is_some_and(|least| state.lr() < least);
        Ok(())
    }

    fn not_finite(&self, what: &str, value: f64, at: String) -> Error {
        Error::Training(format!(
            "{}: {what} is {value} at {at}; all epochs before are saved. Try a smaller \
             training.lr or set training.clip",
            self.name
        ))
    }

    fn statistics(&self) -> Result<Statistics<'_>> {
        Statistics::new(self.graphs, &self.fold.train, self.settings, self.keys)
    }

    /// The epoch and the model to be reported and kept, with the statistics it is evaluated by:
    /// the best one where one is kept, else the last.
    ///
    /// # Errors
    /// If the graphs do not fit the model.
    pub fn chosen<'s>(&self, state: &'s State) -> Result<(u64, Cow<'s, Model<f32>>)> {
        match &state.best {
            Some(Best { epoch, model: Some(model), .. }) => Ok((*epoch, Cow::Borrowed(model))),
            _ => Ok((state.epoch, self.statistics()?.ready(state.evaluated(), &Pool::new())?)),
        }
    }

    /// Applies a model that is ready for evaluation to all parts.
    ///
    /// # Errors
    /// If the graphs do not fit the model.
    pub fn judge(&self, model: &Model<f32>) -> Result<Judged> {
        let Fold { train, validation, calibration, test } = self.fold;
        let mut judged = Judged { scores: [None; 3], predictions: Vec::new() };
        let pool = Pool::new();
        let Settings { loss, metric, train_metric, .. } = *self.settings;
        let parts = [
            (Name::Train, train, train_metric.then_some(0)),
            (Name::Validation, validation, Some(1)),
            (Name::Calibration, calibration, None),
            (Name::Test, test, Some(2)),
        ];
        for (name, items, place) in parts {
            if items.is_empty() {
                continue;
            }
            let part = Part::new(self.graphs, items)?;
            let (value, outputs) = part.outputs(model, &pool, loss, self.keys)?;
            let said = PartPredictions {
                part: name,
                items: items.clone(),
                answers: loss.answers(),
                targets: part.truth().clone(),
                outputs,
                form: Form::Logits,
            };
            if let Some(place) = place {
                let metric = said.scored()?.metric(metric);
                judged.scores[place] = Some(Score { loss: value, metric });
            }
            judged.predictions.push(said);
        }
        Ok(judged)
    }

    /// Time of a training step, batches included, measured over some first steps that are thrown
    /// away: one to warm up, then up to sixteen or a third of a second.
    ///
    /// # Errors
    /// If a step fails.
    pub fn probe(&self) -> Result<Duration> {
        let mut state = self.start()?;
        let (pool, mut gradients) = (Pool::new(), Grads::new(state.model.params()));
        let mut order = Order::new(&self.fold.train, self.settings.batch, self.keys);
        let mut step = |n: u64| {
            let batch = self.batch(order.of_step(0, n))?;
            self.step(&mut state, &batch, &pool, &mut gradients)
        };
        step(0)?;
        let (begin, mut done) = (Instant::now(), 0);
        loop {
            done += 1;
            step(u64::from(done))?;
            let passed = begin.elapsed();
            if done >= 16 || passed > Duration::from_millis(300) {
                return Ok(passed / done);
            }
        }
    }

    /// Does the schedule look at something that may not be measured otherwise?
    pub(crate) fn needs_score(settings: &Settings) -> bool {
        matches!(settings.schedule, Schedule::Plateau { .. })
    }
}

/// The number a plateau is seen in: the smaller, the better.
fn watched(settings: &Settings, row: &Row) -> Option<f64> {
    match settings.schedule {
        Schedule::Plateau { watch: Watched::Metric, .. } => {
            let value = row.validation.or(row.test)?;
            Some(if settings.metric.maximise() { -value } else { value })
        }
        _ => row.validation_loss.or(row.test_loss),
    }
}

/// What is measured after every epoch.
struct Parts<'a> {
    train: Option<Part<'a>>,
    validation: Option<Part<'a>>,
    test: Option<Part<'a>>,
}

impl Parts<'_> {
    /// Is anything measured?
    fn any(&self) -> bool {
        [&self.train, &self.validation, &self.test]
            .iter()
            .any(|part| part.as_ref().is_some_and(|part| !part.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plateau_watches_the_loss_or_the_metric_turned_so_that_less_is_better() {
        let row = Row {
            validation_loss: Some(0.5),
            validation: Some(0.75),
            test_loss: Some(0.6),
            test: Some(0.7),
            ..Row::default()
        };
        let test_only = Row { validation_loss: None, validation: None, ..row.clone() };
        for (metric, watch, expected) in [
            ("roc-auc", "loss", [0.5, 0.6]),
            ("roc-auc", "metric", [-0.75, -0.7]),
            ("mae", "metric", [0.75, 0.7]),
        ] {
            let text = format!(
                "batch = 4\nepochs = 2\nlr = 0.1\nloss = \"l1\"\nmetric = \"{metric}\"\n\
                 schedule = {{ plateau = {{ factor = 0.5, patience = 5, watch = \"{watch}\" }} }}"
            );
            let settings: Settings = toml::from_str(&text).unwrap();
            let found = [&row, &test_only].map(|row| watched(&settings, row));
            assert_eq!(found, expected.map(Some), "{metric}, {watch}");
        }
    }
}
