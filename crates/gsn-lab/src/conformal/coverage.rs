//! How often intervals hold on rows that were used neither for fitting, nor for choosing, nor for
//! calibrating.

use super::{Calibration, Judged, Level, Source};
use crate::dataset::Task;
use serde::{Deserialize, Serialize};

/// How often intervals of one level held.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    /// How often they should hold, at least.
    pub level: Level,
    /// Which rows the errors behind them are of.
    pub source: Source,
    /// Target by target.
    pub targets: Vec<Covered>,
}

/// How often the intervals of one target held.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Covered {
    /// Its name.
    pub target: String,
    /// Rows whose errors are behind the intervals.
    pub errors: usize,
    /// Rows that were looked at; none if the errors are too few for this level.
    pub rows: u64,
    /// Rows whose target lay in the interval, or was in the set.
    pub inside: u64,
    /// Their share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Mean width of the intervals, or mean number of answers in the sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
}

impl Covered {
    /// Whether so few intervals held that chance does not explain it: fewer than the level by
    /// more than three standard errors, counting the errors they come from as well as the rows.
    pub fn falls_short(&self, level: Level) -> bool {
        let level = f64::from(level);
        let (rows, errors) = (self.rows.max(1) as f64, self.errors.max(1) as f64);
        let deviation = (level * (1.0 - level) * (1.0 / rows + 1.0 / errors)).sqrt();
        self.share.is_some_and(|share| share < level - 3.0 * deviation)
    }
}

/// Counts rows whose intervals hold, target by target.
pub struct Count<'a> {
    task: &'a Task,
    level: Level,
    /// Rows, rows inside, sum of widths.
    targets: Vec<(u64, u64, f64)>,
}

impl<'a> Count<'a> {
    /// Nothing counted yet.
    pub fn new(task: &'a Task, level: Level) -> Self {
        Self { task, level, targets: vec![(0, 0, 0.0); task.targets()] }
    }

    /// Looks at rows with the intervals of a calibration that has not seen them, and that has no
    /// groups.
    pub fn add(&mut self, calibration: &Calibration, rows: &[Judged<'_>]) {
        for (target, (all, inside, widths)) in self.targets.iter_mut().enumerate() {
            for (truth, said) in rows {
                let Some(truth) = truth.get(target).copied().filter(|t| !t.is_nan()) else {
                    continue;
                };
                let held = match self.task {
                    Task::Regression(_) => calibration
                        .interval(target, self.level, said, &[])
                        .map(|[low, high]| (low <= truth && truth <= high, high - low)),
                    _ => calibration.set(self.task, target, self.level, said, &[]).map(|set| {
                        let size = set.iter().filter(|is_in| **is_in).count() as f64;
                        (set.get(truth as usize) == Some(&true), size)
                    }),
                };
                if let Some((is_inside, width)) = held {
                    *all += 1;
                    *inside += u64::from(is_inside);
                    *widths += width;
                }
            }
        }
    }

    /// The shares; `calibration` is the one that new rows get.
    pub fn finish(self, calibration: &Calibration, names: &[String]) -> Coverage {
        let targets = self.targets.into_iter().enumerate().zip(names);
        let covered = targets.map(|((target, (rows, inside, widths)), name)| {
            let mean = |sum: f64| (rows > 0).then(|| sum / rows as f64);
            Covered {
                target: name.clone(),
                errors: calibration.rows(target),
                rows,
                inside,
                share: mean(inside as f64),
                width: mean(widths),
            }
        });
        Coverage { level: self.level, source: calibration.source, targets: covered.collect() }
    }
}
