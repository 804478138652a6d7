//! Training, as `gsn train` does it.

use crate::background::stoppable_with;
use crate::error;
use gsn_cli::Call;
use gsn_lab::experiment::{Event, Observer, Planned};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Hands events to a Python function, as JSON. If it raises, the run is stopped.
struct Listener {
    call: Option<Py<PyAny>>,
    plan: Mutex<(Vec<String>, u64)>,
    raised: Mutex<Option<PyErr>>,
    stop: Arc<AtomicBool>,
}

impl Listener {
    fn tell(&self, event: &Value) {
        let Some(call) = &self.call else { return };
        let said = Python::attach(|py| call.call1(py, (event.to_string(),)).map(drop));
        if let Err(error) = said {
            self.stop.store(true, Ordering::Relaxed);
            let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
            raised.get_or_insert(error);
        }
    }

    /// The name of a unit, and how many epochs it has at most.
    fn unit(&self, unit: usize) -> (String, u64) {
        let plan = self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        (plan.0.get(unit).cloned().unwrap_or_default(), plan.1)
    }
}

impl Observer for Listener {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::Phase(text) => self.tell(&json!({ "event": "phase", "text": text })),
            Event::Note(text) => self.tell(&json!({ "event": "note", "text": text })),
            Event::Planned(Planned { units, metric, epochs, steps, parameters, jobs, threads }) => {
                let mut plan = self.plan.lock().unwrap_or_else(PoisonError::into_inner);
                *plan = (units.to_vec(), epochs);
                drop(plan);
                self.tell(&json!({
                    "event": "planned", "units": units, "metric": metric.name(), "epochs": epochs,
                    "steps": steps, "parameters": parameters, "jobs": jobs, "threads": threads,
                }));
            }
            Event::Epoch { unit, row, best } => {
                let (unit, epochs) = self.unit(unit);
                self.tell(&json!({
                    "event": "epoch", "unit": unit, "epoch": row.epoch, "epochs": epochs,
                    "lr": row.lr, "train_loss": row.train_loss, "train": row.train,
                    "validation": row.validation, "test": row.test, "best": best,
                }));
            }
            Event::Done { unit, outcome } => {
                let (unit, _) = self.unit(unit);
                self.tell(&json!({
                    "event": "done", "unit": unit, "epochs": outcome.curve.len(),
                    "epoch": outcome.epoch,
                }));
            }
            _ => {}
        }
    }
}

/// Trains by the arguments of `gsn train`; gives the folder of the run and what was said about the
/// data. `progress` hears of every event as JSON.
#[pyfunction]
#[pyo3(signature = (arguments, progress))]
pub(crate) fn train(
    py: Python<'_>,
    arguments: Vec<OsString>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(PathBuf, Vec<String>)> {
    let call = Call::parse(std::iter::once("train".into()).chain(arguments));
    let call = call.map_err(error::value)?;
    call.limit_memory();
    let stop = Arc::new(AtomicBool::new(false));
    let request = call.train(stop.clone()).map_err(error::value)?;
    let (plan, raised) = Default::default();
    let listener = Listener { call: progress, plan, raised, stop: stop.clone() };
    let done = stoppable_with(py, call.threads(), &stop, || {
        let experiment = request.experiment()?;
        let told = Call::told(&experiment);
        for text in &told {
            listener.tell(&json!({ "event": "note", "text": text }));
        }
        let options = request.options(&experiment.recipe.name);
        experiment.run(&options, &listener)?;
        Ok((options.out, told))
    })?;
    let raised = listener.raised.into_inner().unwrap_or_else(PoisonError::into_inner);
    match (done, raised) {
        (Err(gsn_lab::Error::Stopped), Some(raised)) => Err(raised),
        (done, _) => done.map_err(|e: gsn_lab::Error| error::lab(&e)),
    }
}
