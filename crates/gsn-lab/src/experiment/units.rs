//! Trains the units of a run, side by side, and keeps them in the run's folder.

use super::jobs::{Jobs, on_pool};
use super::tables::Tables;
use super::{Event, Observer, Options, plots};
use crate::error::{Error, Result};
use crate::model_file::{Card, Member, ModelFile, Part, Recorded};
use crate::pipeline::Reader;
use crate::prepare::{CountedDataset, EncodedDataset};
use crate::protocol::{Outcome, PartMetrics, Plan};
use crate::recipe::Recipe;
use crate::run::{EventFile, Folder};
use crate::train::{Graphs, Judged, PartPredictions, Settings, State, Unit, UnitObserver};
use gsn_nn::Model;
use std::borrow::Cow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// The table of a unit's predictions, and of all of them.
pub(super) const PREDICTIONS: &str = "predictions.csv";
/// Pictures of a unit's predictions; it has one of them.
pub(super) const PICTURES: [&str; 2] = ["parity.svg", "roc.svg"];

/// Trains the units of a run: all that they share.
pub(super) struct UnitRunner<'a> {
    pub(super) recipe: &'a Recipe,
    pub(super) settings: &'a Settings,
    pub(super) data: &'a CountedDataset,
    /// How further graphs are read, for the model files.
    pub(super) reader: Option<Reader>,
    /// What predictions are written with.
    pub(super) tables: Tables<'a>,
    pub(super) plans: &'a [Plan],
    pub(super) folder: &'a Folder,
    pub(super) options: &'a Options,
    pub(super) observer: &'a dyn Observer,
    /// Whether all units read the same encoded graphs.
    pub(super) same: bool,
    /// The graphs as the first unit reads them: kept for all, or until the first unit takes them.
    pub(super) first: Mutex<Option<Arc<EncodedDataset>>>,
    /// The learning rate of every epoch, where it is given.
    pub(super) rates: Option<&'a [f64]>,
}

impl UnitRunner<'_> {
    /// What unit `at` reads. It keeps its own encoding only as long as it is trained.
    fn encoded(&self, at: usize) -> Result<Arc<EncodedDataset>> {
        let kept = {
            let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
            match self.same {
                true => first.clone(),
                false if at == 0 => first.take(),
                false => None,
            }
        };
        match kept {
            Some(encoded) => Ok(encoded),
            None => Ok(Arc::new(self.data.encode(self.recipe, &self.plans[at].fold.train)?)),
        }
    }

    /// Calls `f` with a plan's unit.
    pub(super) fn with_unit<R>(
        &self,
        plan: &Plan,
        encoded: &EncodedDataset,
        f: impl FnOnce(&Unit<'_>) -> R,
    ) -> R {
        let samples = self.data.dataset.samples.iter();
        let exact: Vec<Cow<'_, [f64]>> = samples.map(|sample| sample.exact_targets()).collect();
        let truth: Vec<&[f64]> = exact.iter().map(AsRef::as_ref).collect();
        let restore = |row: &mut [f64]| encoded.pipeline.restore(row);
        let graphs = Graphs { inputs: &encoded.inputs, truth: &truth, restore: &restore };
        f(&Unit {
            name: plan.name.clone(),
            graphs,
            fold: &plan.fold,
            config: &encoded.config,
            settings: self.settings,
            keys: plan.keys(),
            measures: plan.measures,
            rates: self.rates,
        })
    }

    /// The `.gsn` file of a trained unit.
    fn model_file(
        &self,
        plan: &Plan,
        encoded: &EncodedDataset,
        model: &Model<f32>,
        outcome: &Outcome,
    ) -> Result<Vec<u8>> {
        let Self { recipe, settings, data, reader, .. } = self;
        let parts = [
            (Part::Train, &plan.fold.train),
            (Part::Validation, &plan.fold.validation),
            (Part::Test, &plan.fold.test),
        ];
        let recorded = parts.into_iter().zip(outcome.scores).filter_map(|((part, of), score)| {
            Some(Recorded {
                part,
                metric: settings.metric,
                loss: settings.loss,
                value: score?.metric?,
                graphs: of.len() as u64,
            })
        });
        let mut card = Card::new(recipe, &data.dataset, reader.clone());
        card.metrics = recorded.collect();
        let (unit, model, pipeline) = (plan.name.clone(), model.clone(), encoded.pipeline.clone());
        let first = Member { unit, model, pipeline };
        ModelFile { first, others: Vec::new(), card }.to_bytes()
    }

    /// Trains all units that are not done yet; the results of all, in the order of the plans.
    ///
    /// # Errors
    /// The first that a unit met; the others stop and are saved. [`Error::Stopped`] if that was
    /// asked for.
    pub(super) fn run(&self, jobs: Jobs) -> Result<Vec<Outcome>> {
        let next = AtomicUsize::new(0);
        let failed = AtomicBool::new(false);
        let outcomes: Vec<OnceLock<Result<Outcome>>> =
            self.plans.iter().map(|_| OnceLock::new()).collect();
        std::thread::scope(|scope| {
            for _ in 0..jobs.jobs {
                scope.spawn(|| {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        if at >= self.plans.len() || failed.load(Ordering::Relaxed) {
                            return;
                        }
                        let outcome = on_pool(jobs.threads, || self.unit(at, &failed));
                        if outcome.as_ref().is_err_and(|e| !matches!(e, Error::Paused)) {
                            failed.store(true, Ordering::Relaxed);
                        }
                        let _ = outcomes[at].set(outcome);
                    }
                });
            }
        });
        let mut all = Vec::with_capacity(outcomes.len());
        let mut error: Option<Error> = None;
        for outcome in outcomes {
            match outcome.into_inner() {
                Some(Ok(outcome)) => all.push(outcome),
                // A stop may follow from the failure of another unit, which tells more.
                Some(Err(e)) if error.as_ref().is_none_or(|known| weight(&e) > weight(known)) => {
                    error = Some(e);
                }
                _ => {}
            }
        }
        match error {
            Some(error) => Err(error),
            None if all.len() < self.plans.len() => Err(Error::Stopped),
            None => Ok(all),
        }
    }

    /// Puts the predictions of a unit into its folder, and the picture of them.
    fn keep_predictions(&self, unit: &str, predictions: &[PartPredictions]) -> Result<()> {
        let folder = Path::new("units").join(unit);
        let table = self.tables.predictions(unit, predictions);
        self.folder.put(folder.join(PREDICTIONS), &table)?;
        match plots::predictions(&self.data.dataset, unit, predictions)? {
            Some((name, picture)) => self.folder.put(folder.join(name), picture.as_bytes()),
            None => Ok(()),
        }
    }

    /// Trains one unit to its end.
    fn unit(&self, at: usize, failed: &AtomicBool) -> Result<Outcome> {
        let plan = &self.plans[at];
        let encoded = self.encoded(at)?;
        self.with_unit(plan, &encoded, |unit| {
            let mut state = unit.start()?;
            self.folder.load(&plan.name, &mut state)?;
            // A kill between the two files leaves older weights than those of the checkpoint.
            self.folder.keep_best(&plan.name, &state)?;
            self.observer.event(Event::Started { unit: at, epoch: state.epoch });
            let until = self.options.until;
            if !state.done && until.is_none_or(|until| state.epoch < until) {
                let keeper = UnitKeeper {
                    runner: self,
                    at,
                    failed,
                    steps: unit.steps(),
                    saved: Mutex::new(Instant::now()),
                    best: Mutex::new(state.best.as_ref().map_or(0, |b| b.epoch)),
                    board: Mutex::new(self.folder.board(&plan.name, &state.curve)?),
                    paused: AtomicBool::new(false),
                };
                unit.run(&mut state, &keeper).map_err(|error| match error {
                    Error::Stopped if keeper.paused.load(Ordering::Relaxed) => Error::Paused,
                    other => other,
                })?;
            }
            if until.is_some() {
                return Err(Error::Paused);
            }
            let (epoch, model) = unit.chosen(&state)?;
            let Judged { scores, mut predictions } = unit.judge(&model)?;
            let targets = &self.data.dataset.target_names;
            let metrics = predictions.iter().map(|said| PartMetrics::of(said, targets));
            let metrics = metrics.collect::<Result<_>>()?;
            self.keep_predictions(&plan.name, &predictions)?;
            predictions.retain(|said| said.part != Part::Train);
            let curve = state.curve.clone();
            let outcome = Outcome { curve, epoch, scores, predictions, metrics };
            let file = self.model_file(plan, &encoded, &model, &outcome)?;
            self.folder.put(Path::new("units").join(&plan.name).join("model.gsn"), &file)?;
            self.observer.event(Event::Done { unit: at, outcome: &outcome });
            Ok(outcome)
        })
    }
}

/// Which of several errors tells most.
fn weight(error: &Error) -> u8 {
    match error {
        Error::Paused => 0,
        Error::Stopped => 1,
        _ => 2,
    }
}

/// Looks after one unit: saves it now and then, and writes down its epochs.
struct UnitKeeper<'a> {
    runner: &'a UnitRunner<'a>,
    at: usize,
    failed: &'a AtomicBool,
    steps: u64,
    saved: Mutex<Instant>,
    /// The best epoch whose weights are on the disk.
    best: Mutex<u64>,
    board: Mutex<EventFile>,
    /// Whether the epochs that were asked for are done.
    paused: AtomicBool,
}

impl UnitKeeper<'_> {
    fn name(&self) -> &str {
        &self.runner.plans[self.at].name
    }

    fn is_due(&self) -> bool {
        let saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        saved.elapsed() >= self.runner.options.checkpoint_every
    }

    /// Says where the unit was when the disk refused.
    fn placed(&self, state: &State, result: Result<()>) -> Result<()> {
        result.map_err(|error| match error {
            Error::File { path, what } => {
                let (unit, epoch, step) = (self.name(), state.epoch + 1, state.step);
                let kept = match self.runner.folder.unit(unit).join("last.ckpt").is_file() {
                    true => "the checkpoint before is intact",
                    false => "there was no checkpoint before",
                };
                let what =
                    format!("{what} (stopped at epoch {epoch}, batch {step} of {unit}; {kept})");
                Error::File { path, what }
            }
            other => other,
        })
    }

    fn write(&self, state: &State) -> Result<()> {
        self.runner.folder.save(self.name(), state)?;
        let mut on_disk = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        let best = state.best.as_ref().map_or(0, |best| best.epoch);
        if *on_disk != best {
            self.runner.folder.keep_best(self.name(), state)?;
            *on_disk = best;
        }
        drop(on_disk);
        *self.saved.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        Ok(())
    }
}

impl UnitObserver for UnitKeeper<'_> {
    fn stop(&self) -> bool {
        let on = |switch: &AtomicBool| switch.load(Ordering::Relaxed);
        on(&self.runner.options.stop) || on(self.failed) || on(&self.paused)
    }

    fn after_step(&self, state: &State, steps: u64) -> Result<()> {
        let steps = state.epoch * steps + state.step;
        self.runner.observer.event(Event::Step { unit: self.at, steps });
        // The end of an epoch saves, once it is measured.
        if state.step < self.steps && self.is_due() { self.save(state) } else { Ok(()) }
    }

    fn after_epoch(&self, state: &State) -> Result<()> {
        if self.runner.options.until.is_some_and(|until| state.epoch >= until) {
            self.paused.store(true, Ordering::Relaxed);
        }
        let Some(row) = state.curve.last() else { return Ok(()) };
        let noted = self
            .runner
            .folder
            .add_metrics(self.name(), row)
            .and_then(|()| self.board.lock().unwrap_or_else(PoisonError::into_inner).add(row));
        self.placed(state, noted)?;
        let best = state.best.as_ref().map(|b| (b.epoch, b.value));
        self.runner.observer.event(Event::Epoch { unit: self.at, row, best });
        if state.done || self.is_due() { self.save(state) } else { Ok(()) }
    }

    fn save(&self, state: &State) -> Result<()> {
        self.placed(state, self.write(state))
    }
}
