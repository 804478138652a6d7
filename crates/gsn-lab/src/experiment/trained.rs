//! The protocols that train: units planned, trained, judged and reported.

use super::hand_over::put_best;
use super::members::{Ensemble, JudgedRows, Together};
use super::tables::Tables;
use super::units::UnitRunner;
use super::{Event, Jobs, Planned, Refit, Run};
use crate::baseline::{self, Baseline};
use crate::conformal::Coverage;
use crate::dataset::Fold;
use crate::error::{Error, Result};
use crate::pipeline::Reader;
use crate::prepare::EncodedDataset;
use crate::protocol::{Outcome, Plan, Report, Role, UnitMetrics};
use crate::run::{peak_memory, processor_seconds, processor_seconds_since};
use crate::train::Settings;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// What a run reports; `results.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// Name of the recipe.
    pub recipe: String,
    /// Name of the dataset.
    pub dataset: String,
    /// Trained numbers of the network.
    pub parameters: usize,
    /// The protocol's numbers.
    #[serde(flatten)]
    pub report: Report,
    /// The paper's protocol beside a fair one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Report>,
    /// What can be had without a network, for the user's own data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub baselines: Vec<Baseline>,
    /// The mean prediction of several units, for the user's own data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ensemble: Option<Ensemble>,
    /// How often intervals hold on rows that had no part in them, where the model is calibrated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Coverage>,
    /// What was fitted on all rows afterwards, where that is asked for.
    #[serde(default, rename = "final", skip_serializing_if = "Option::is_none")]
    pub refit: Option<Refit>,
    /// Every metric of every unit on every part; not in results of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<UnitMetrics>,
    /// The number the recipe aims for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<serde_json::Value>,
}

impl Results {
    /// The metric of what is handed on, on the validation and the test part: of several members on
    /// one split their mean prediction, else the mean over the units.
    pub fn network(&self) -> (Option<f64>, f64) {
        match &self.ensemble {
            Some(Ensemble { rows: JudgedRows::Test, validation, value, .. }) => {
                (*validation, *value)
            }
            _ => (self.report.validation.as_ref().map(|v| v.mean), self.report.test.mean),
        }
    }

    /// What is to be said about the network beside its baselines; nothing if it is the best.
    pub fn verdict(&self) -> Vec<String> {
        baseline::verdict(self.report.metric, self.network(), &self.baselines)
    }
}

impl Run<'_> {
    /// Trains all units of the protocol. `reader` says how further graphs are read, for the model
    /// files.
    pub(super) fn train(&self, reader: Option<Reader>) -> Result<Results> {
        let Self { recipe, data, options, observer, .. } = *self;
        let (dataset, settings) = (&data.dataset, recipe.training()?);
        let plans = recipe.protocol.plan(dataset, &dataset.splits, settings, &recipe.seeds.0)?;
        let folder = self.open()?;
        let first =
            plans.first().ok_or_else(|| Error::Training("there is nothing to train".into()))?;
        let tables = self.tables();
        folder.put("split.csv", &tables.split(&plans))?;
        observer.event(Event::Phase("encoding the graphs"));
        let encoded = Arc::new(data.encode(recipe, &first.fold.train)?);
        let parameters = encoded.config.parameters()?;
        let same = (!recipe.depends_on_fold() && dataset.columns.is_empty())
            || plans.iter().all(|plan| plan.fold.train == first.fold.train);
        let runner = UnitRunner {
            recipe,
            settings,
            data,
            reader: reader.clone(),
            tables,
            plans: &plans,
            folder: &folder,
            options,
            observer,
            same,
            first: Mutex::new(Some(encoded.clone())),
            rates: None,
        };
        // What was finished before; of a new run, nothing.
        let mut saved = Vec::with_capacity(plans.len());
        for plan in &plans {
            saved.push(folder.peek(&plan.name)?.unwrap_or_default());
        }
        let left = saved.iter().filter(|(_, done)| !done).count();
        let (jobs, steps) = self.jobs(&runner, &encoded, left)?;
        drop(encoded);
        folder.write_metrics(
            plans.iter().zip(&saved).map(|(plan, (rows, _))| (plan.name.as_str(), rows.as_slice())),
        )?;
        let names: Vec<String> = plans.iter().map(|plan| plan.name.clone()).collect();
        observer.event(Event::Planned(Planned {
            units: &names,
            metric: settings.metric,
            epochs: settings.epochs,
            steps,
            parameters,
            jobs: jobs.jobs,
            threads: jobs.threads,
        }));
        let (begin, processor) = (Instant::now(), processor_seconds());
        let outcomes = runner.run(jobs);
        let line = serde_json::json!({
            "ended": SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs()),
            "seconds": begin.elapsed().as_secs_f64(),
            "processor_seconds": processor_seconds_since(processor),
            "jobs": jobs.jobs,
            "threads": jobs.threads,
            "peak_memory": peak_memory(),
            "resumed_at": saved.iter().map(|(rows, _)| rows.len()).sum::<usize>(),
            "epochs":
                outcomes.as_ref().ok().map(|o| o.iter().map(|o| o.curve.len()).sum::<usize>()),
            "end": match &outcomes { Ok(_) => "done".to_string(), Err(e) => e.to_string() },
        });
        // What ended the run matters more than a log of it.
        let logged = folder.log("sessions.jsonl", &line);
        let outcomes = outcomes?;
        logged?;
        folder.write_metrics(
            plans.iter().zip(&outcomes).map(|(plan, o)| (plan.name.as_str(), o.curve.as_slice())),
        )?;
        let units: Vec<(&Plan, Outcome)> = plans.iter().zip(outcomes).collect();
        let (report, beside) = recipe.protocol.report(settings.metric, &units)?;
        let baselines = match self.user_data {
            Some(_) => {
                observer.event(Event::Phase("fitting baselines"));
                self.baselines(&plans, settings)?
            }
            None => Vec::new(),
        };
        let together = match self.user_data {
            Some(_) => Some(Together::new(dataset, &recipe.protocol, settings, &units)?),
            None => None,
        };
        match &together {
            Some(together) => {
                let names: Vec<String> = report.runs.iter().map(|run| run.unit.clone()).collect();
                folder.put("model.gsn", &together.file(&folder, &names)?.to_bytes()?)?;
            }
            None => put_best(&folder, &report, &["model.gsn"])?,
        }
        let refit = match recipe.refit {
            true => {
                let (refit, curves) = self.refit(&folder, &units, reader)?;
                let selected = units.iter().map(|(plan, o)| (plan.name.as_str(), &o.curve[..]));
                let fitted = curves.iter().map(|(name, curve)| (name.as_str(), &curve[..]));
                folder.write_metrics(selected.chain(fitted))?;
                Some(refit)
            }
            false => None,
        };
        let together = together.unwrap_or_default();
        let metrics = self.hand_over(&folder, &report, &units, &together.predictions)?;
        let results = Results {
            recipe: recipe.name.clone(),
            dataset: dataset.name.clone(),
            parameters,
            report,
            beside,
            baselines,
            ensemble: together.ensemble,
            intervals: together.coverage,
            refit,
            metrics,
            published: self.published(),
        };
        folder.put_json("results.json", &results)?;
        Ok(results)
    }

    /// What tables of rows are written with.
    pub(super) fn tables(&self) -> Tables<'_> {
        let columns = self.user_data.map(|data| &data.report.columns);
        Tables { dataset: &self.data.dataset, columns }
    }

    /// What can be had without a network, on every fold of the plans.
    fn baselines(&self, plans: &[Plan], settings: &Settings) -> Result<Vec<Baseline>> {
        let mut folds: Vec<&Fold> = Vec::new();
        for plan in plans.iter().filter(|plan| plan.role == Role::Main) {
            // Units of several seeds share their fold.
            if !folds.contains(&&plan.fold) {
                folds.push(&plan.fold);
            }
        }
        baseline::baselines(self.data, &folds, (settings.loss, settings.metric))
    }

    /// Units side by side and steps of an epoch; `left` units are not finished.
    pub(super) fn jobs(
        &self,
        runner: &UnitRunner<'_>,
        encoded: &EncodedDataset,
        left: usize,
    ) -> Result<(Jobs, u64)> {
        let Self { options, observer, .. } = self;
        let threads = options.threads.unwrap_or_else(rayon::current_num_threads).max(1);
        runner.with_unit(&runner.plans[0], encoded, |unit| {
            let jobs = match options.jobs {
                Some(jobs) => Jobs::share(jobs, threads, left),
                None => {
                    if left > 1 && threads > 1 {
                        observer.event(Event::Phase("measuring some steps"));
                    }
                    Jobs::measure(unit, left, threads)?
                }
            };
            Ok((jobs, unit.steps()))
        })
    }
}
