//! Trains the units of a run, side by side, and keeps them in the run's folder.

use super::jobs::{Jobs, on_pool};
use super::{Event, Observer, Options, Prepared, Source};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::protocol::{Outcome, Plan};
use crate::run::{Board, Folder};
use crate::train::{Graphs, Settings, State, Unit, Watcher};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// All that the units of a run share.
pub(super) struct Crew<'a> {
    pub(super) source: &'a dyn Source,
    pub(super) dataset: &'a Dataset,
    pub(super) settings: &'a Settings,
    pub(super) plans: &'a [Plan],
    pub(super) folder: &'a Folder,
    pub(super) options: &'a Options,
    pub(super) observer: &'a dyn Observer,
    /// Encoded graphs, where all units read the same.
    pub(super) shared: Option<Arc<dyn Prepared>>,
}

/// Targets in the unit of the data.
pub(super) fn truth(dataset: &Dataset) -> Vec<&[f64]> {
    dataset.samples.iter().map(|s| s.targets.as_slice()).collect()
}

impl Crew<'_> {
    /// What a unit reads.
    pub(super) fn prepared(&self, plan: &Plan) -> Result<Arc<dyn Prepared>> {
        match &self.shared {
            Some(shared) => Ok(shared.clone()),
            None => Ok(Arc::from(self.source.prepare(&plan.fold)?)),
        }
    }

    /// Calls `f` with a plan's unit.
    pub(super) fn with_unit<R>(
        &self,
        plan: &Plan,
        prepared: &dyn Prepared,
        f: impl FnOnce(&Unit<'_>) -> R,
    ) -> R {
        let truth = truth(self.dataset);
        let restore = |row: &mut [f64]| prepared.restore(row);
        let graphs = Graphs { inputs: prepared.inputs(), truth: &truth, restore: &restore };
        f(&Unit {
            name: plan.name.clone(),
            graphs,
            fold: &plan.fold,
            config: prepared.config(),
            settings: self.settings,
            draws: plan.draws(),
            watch: plan.watch,
        })
    }

    /// Trains all units that are not done yet; what each says, in the order of the plans.
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
                        if outcome.is_err() {
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
                // A stop may be the answer to another unit's failure, which says more.
                Some(Err(e)) if matches!(error, None | Some(Error::Stopped)) => error = Some(e),
                _ => {}
            }
        }
        match error {
            Some(error) => Err(error),
            None if all.len() < self.plans.len() => Err(Error::Stopped),
            None => Ok(all),
        }
    }

    /// Trains one unit to its end.
    fn unit(&self, at: usize, failed: &AtomicBool) -> Result<Outcome> {
        let plan = &self.plans[at];
        let prepared = self.prepared(plan)?;
        self.with_unit(plan, &*prepared, |unit| {
            let mut state = unit.start()?;
            self.folder.load(&plan.name, &mut state)?;
            self.observer.event(Event::Started { unit: at, epoch: state.epoch });
            if !state.done {
                let keeper = Keeper {
                    crew: self,
                    at,
                    failed,
                    steps: unit.steps(),
                    saved: Mutex::new(Instant::now()),
                    best: Mutex::new(state.best.as_ref().map_or(0, |b| b.epoch)),
                    board: Mutex::new(self.folder.board(&plan.name, &state.curve)?),
                };
                unit.run(&mut state, &keeper)?;
            }
            let (epoch, model) = state.chosen();
            let scores = unit.judge(&state)?;
            let outcome = Outcome { curve: state.curve.clone(), epoch, scores };
            let file = prepared.model_file(model, plan, &outcome)?;
            self.folder.put(Path::new("units").join(&plan.name).join("model.gsn"), &file)?;
            self.observer.event(Event::Done { unit: at, outcome: &outcome });
            Ok(outcome)
        })
    }
}

/// Looks after one unit: saves it now and then, and writes down its epochs.
struct Keeper<'a> {
    crew: &'a Crew<'a>,
    at: usize,
    failed: &'a AtomicBool,
    steps: u64,
    saved: Mutex<Instant>,
    /// The best epoch whose weights are on the disk.
    best: Mutex<u64>,
    board: Mutex<Board>,
}

impl Keeper<'_> {
    fn name(&self) -> &str {
        &self.crew.plans[self.at].name
    }

    fn is_due(&self) -> bool {
        let saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        saved.elapsed() >= self.crew.options.checkpoint_every
    }

    /// Says where the unit was when the disk refused.
    fn placed(&self, state: &State, result: Result<()>) -> Result<()> {
        result.map_err(|error| match error {
            Error::File { path, what } => {
                let (unit, epoch, step) = (self.name(), state.epoch + 1, state.step);
                let what = format!(
                    "{what} (stopped at epoch {epoch}, batch {step} of {unit}; the checkpoint \
                     before is intact)"
                );
                Error::File { path, what }
            }
            other => other,
        })
    }

    fn write(&self, state: &State) -> Result<()> {
        self.crew.folder.save(self.name(), state)?;
        if let Some(best) = &state.best
            && let Some(model) = &best.model
        {
            let mut on_disk = self.best.lock().unwrap_or_else(PoisonError::into_inner);
            if *on_disk != best.epoch {
                let name = Path::new("units").join(self.name()).join("best.safetensors");
                self.crew.folder.put(name, &model.to_bytes()?)?;
                *on_disk = best.epoch;
            }
        }
        *self.saved.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        Ok(())
    }
}

impl Watcher for Keeper<'_> {
    fn stop(&self) -> bool {
        self.crew.options.stop.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed)
    }

    fn after_step(&self, state: &State, steps: u64) -> Result<()> {
        let steps = state.epoch * steps + state.step;
        self.crew.observer.event(Event::Step { unit: self.at, steps });
        // The end of an epoch saves, once it is measured.
        if state.step < self.steps && self.is_due() { self.save(state) } else { Ok(()) }
    }

    fn after_epoch(&self, state: &State) -> Result<()> {
        let Some(row) = state.curve.last() else { return Ok(()) };
        let noted = self
            .crew
            .folder
            .add_metrics(self.name(), row)
            .and_then(|()| self.board.lock().unwrap_or_else(PoisonError::into_inner).add(row));
        self.placed(state, noted)?;
        let best = state.best.as_ref().map(|b| (b.epoch, b.value));
        self.crew.observer.event(Event::Epoch { unit: self.at, row, best });
        if state.done || self.is_due() { self.save(state) } else { Ok(()) }
    }

    fn save(&self, state: &State) -> Result<()> {
        self.placed(state, self.write(state))
    }
}
