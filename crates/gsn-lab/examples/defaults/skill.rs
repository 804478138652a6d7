//! How good predictions are, on a scale that is the same for all tasks.
//!
//! 0 is the constant baseline, 1 is perfect: 1 − MAE / MAE of the mean; 2·(ROC-AUC − ½); or
//! (accuracy − share of the majority) / (1 − that share). A run that is far below the constant is
//! as bad as one at −1 in means, so that no single one decides.

use crate::Result;
use crate::runs::Cut;
use gsn_lab::Task;
use gsn_nn::metrics::{Metric, Scored};
use gsn_nn::{Loss, Matrix};

/// A number on the rows that choose and on those that judge.
pub(crate) type Both = [f64; 2];

/// Loss and metric of a task.
pub(crate) fn metric(task: &Task) -> (Loss, Metric) {
    match task {
        Task::Regression(_) => (Loss::L1, Metric::Mae),
        Task::Binary(_) => (Loss::BceWithLogits, Metric::RocAuc),
        Task::Classes(_) => (Loss::CrossEntropy, Metric::Accuracy),
    }
}

/// The metric of predictions for the rows of `Fold::test`.
pub(crate) fn value(cut: &Cut, said: &[f64]) -> Result<Both> {
    let (loss, metric) = metric(&cut.dataset.task);
    let items = &cut.fold().test;
    let cols = cut.dataset.task.outputs();
    let of = |from: usize, to: usize| -> Result<f64> {
        let truth = items[from..to].iter();
        let truth = truth.map(|&i| cut.dataset.samples[i as usize].targets[0]).collect();
        let rows = to - from;
        let matrix = |cols, data| Matrix::from_vec(rows, cols, data).unwrap_or_default();
        let said = matrix(cols, said[from * cols..to * cols].to_vec());
        let scored = Scored::new(loss.answers(), &said, &matrix(1, truth))?;
        let Cut { task, split, seed, .. } = cut;
        let missing =
            || format!("{task}, {split}, seed {seed}: rows {from}..{to} have no {}", metric.name());
        Ok(scored.metric(metric).ok_or_else(missing)?)
    };
    Ok([of(0, cut.choose_by)?, of(cut.choose_by, items.len())?])
}

/// The skill that a metric is worth, given that of the constant.
pub(crate) fn skill(cut: &Cut, value: Both, constant: Both) -> Both {
    [0, 1].map(|i| match &cut.dataset.task {
        Task::Regression(_) => 1.0 - value[i] / constant[i],
        Task::Binary(_) => 2.0 * value[i] - 1.0,
        Task::Classes(_) => (value[i] - constant[i]) / (1.0 - constant[i]).max(1e-9),
    })
}

/// Mean, and its standard error.
pub(crate) fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let square = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
    (mean, (square / (n - 1.0).max(1.0) / n).sqrt())
}
