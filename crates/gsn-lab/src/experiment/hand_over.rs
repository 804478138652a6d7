//! What a finished run leaves for others: the predictions of all units in one table, every metric,
//! pictures.

use super::tables::joined;
use super::units::{PICTURES, PREDICTIONS};
use super::{Run, plots};
use crate::error::{Error, Result};
use crate::protocol::{self, Outcome, PartMetrics, Plan, Report, Role, UnitMetrics};
use crate::run::Folder;
use crate::train::{Metric, PartPredictions};

const ENSEMBLE: &str = UnitMetrics::ENSEMBLE;

impl Run<'_> {
    /// Puts tables and pictures into the folder; gives the metrics of all units, and behind them
    /// those of the mean prediction `together`, if there is one.
    pub(super) fn hand_over(
        &self,
        folder: &Folder,
        report: &Report,
        units: &[(&Plan, Outcome)],
        together: &[PartPredictions],
    ) -> Result<Vec<UnitMetrics>> {
        let dataset = &self.data.dataset;
        let read = |(plan, _): &(&Plan, Outcome)| {
            let path = folder.unit(&plan.name).join(PREDICTIONS);
            std::fs::read(&path).map_err(|e| Error::file(&path, e))
        };
        let mut tables: Vec<Vec<u8>> = units.iter().map(read).collect::<Result<_>>()?;
        let mut metrics: Vec<UnitMetrics> = units
            .iter()
            .map(|(plan, o)| UnitMetrics { unit: plan.name.clone(), parts: o.metrics.clone() })
            .collect();
        match together.is_empty() {
            true => put_best(folder, report, &PICTURES)?,
            false => {
                tables.push(self.tables().predictions(ENSEMBLE, together));
                let parts =
                    together.iter().map(|said| PartMetrics::of(said, &dataset.target_names));
                let parts = parts.collect::<Result<_>>()?;
                metrics.push(UnitMetrics { unit: ENSEMBLE.into(), parts });
                if let Some((name, picture)) = plots::predictions(dataset, ENSEMBLE, together)? {
                    folder.put(name, picture.as_bytes())?;
                }
            }
        }
        folder.put(PREDICTIONS, &joined(tables.into_iter()))?;
        let main = units.iter().filter(|(plan, _)| plan.role == Role::Main);
        let curve = plots::learning_curve(report.metric, &main.map(|(_, o)| o).collect::<Vec<_>>());
        folder.put("learning-curve.svg", curve.as_bytes())?;
        Ok(metrics)
    }
}

/// Files of the unit that is best on validation, of the first where nothing was validated: those of
/// `names` that it has.
pub(super) fn put_best(folder: &Folder, report: &Report, names: &[&str]) -> Result<()> {
    let better = |a: &protocol::Run, b: &protocol::Run, metric: Metric| {
        metric.better(a.validation.unwrap_or(f64::NAN), b.validation.unwrap_or(f64::NAN))
    };
    let best = report.runs.iter().reduce(|a, b| if better(b, a, report.metric) { b } else { a });
    let Some(best) = best else { return Ok(()) };
    let from = folder.unit(&best.unit);
    names.iter().filter(|name| from.join(name).exists()).try_for_each(|name| {
        let path = from.join(name);
        let bytes = std::fs::read(&path).map_err(|e| Error::file(&path, e))?;
        folder.put(name, &bytes)
    })
}
