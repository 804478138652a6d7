//! What can be had without a network: baselines that a trained network is reported beside.
//!
//! They see a graph as one row of numbers (its size, its counts, how many vertices of each kind it
//! has), are fitted on the training part with fixed settings, chosen by nothing, and judged by the
//! same metric on the same parts. A network that loses to them is not worth its trouble.
//!
//! | file | what |
//! |---|---|
//! | `features` | a graph as one row of numbers |
//! | `linear` | ridge regression and its logistic sister |
//! | `forest` | a random forest |
//! | `tree` | one of its trees |
//!
//! Cost: a few seconds for ten thousand graphs; the same bits for any number of threads.

mod features;
mod forest;
mod linear;
mod tree;

use crate::dataset::{Dataset, Fold, Task};
use crate::error::Result;
use crate::prepare::CountedDataset;
use crate::train::Metric;
use gsn_nn::metrics::Scored;
use gsn_nn::{Loss, Matrix};
use serde::{Deserialize, Serialize};

/// A way to predict without a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The mean of the training targets, or the share of every class: the same for all graphs.
    Constant,
    /// Ridge regression, or its logistic sister, on standardised features.
    Linear,
    /// A random forest of a hundred trees.
    Forest,
}

impl Method {
    /// All of them, the simplest first.
    pub const ALL: [Self; 3] = [Self::Constant, Self::Linear, Self::Forest];

    /// Its name for people, given what is predicted.
    pub fn name(self, task: &Task) -> &'static str {
        match (self, task) {
            (Self::Constant, Task::Regression(_)) => "mean",
            (Self::Constant, _) => "majority",
            (Self::Linear, _) => "linear model",
            (Self::Forest, _) => "forest",
        }
    }
}

/// A baseline and how good it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// Its name: `mean`, `majority`, `linear model` or `forest`.
    pub name: String,
    /// The metric on the validation part, mean over the folds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<f64>,
    /// The metric on the test part, mean over the folds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<f64>,
}

/// All baselines, fitted on the training part of every fold and judged by `metric`; `loss` tells
/// yes-or-no questions from classes.
///
/// # Errors
/// If the metric does not fit the task.
pub fn baselines(
    data: &CountedDataset,
    folds: &[&Fold],
    (loss, metric): (Loss, Metric),
) -> Result<Vec<Baseline>> {
    let judge = |method: Method| {
        let said = |fold: &Fold| predict(method, data, &fold.train);
        judged(method, &data.dataset, folds, (loss, metric), said)
    };
    Method::ALL.into_iter().map(judge).collect()
}

/// [`Method::Constant`] alone, which needs no counts; otherwise as [`baselines`].
///
/// # Errors
/// If the metric does not fit the task.
pub fn constant(dataset: &Dataset, folds: &[&Fold], by: (Loss, Metric)) -> Result<Baseline> {
    judged(Method::Constant, dataset, folds, by, |fold| Ok(means(dataset, &fold.train)))
}

/// How good what is `said` for every fold is, by a metric.
fn judged(
    method: Method,
    dataset: &Dataset,
    folds: &[&Fold],
    (loss, metric): (Loss, Metric),
    said: impl Fn(&Fold) -> Result<Matrix<f64>>,
) -> Result<Baseline> {
    let mut sums = [Some(0.0), Some(0.0)];
    for fold in folds {
        let said = said(fold)?;
        for (sum, items) in sums.iter_mut().zip([&fold.validation, &fold.test]) {
            let scored = Scored::new(loss.answers(), &part(&said, items), &truth(dataset, items))?;
            let value = scored.metric(metric);
            *sum = sum.zip(value.filter(|_| !items.is_empty())).map(|(sum, x)| sum + x);
        }
    }
    let [validation, test] = sums.map(|sum| sum.map(|sum| sum / folds.len().max(1) as f64));
    Ok(Baseline { name: method.name(&dataset.task).into(), validation, test })
}

/// The same answer for every graph: the mean of the training targets, or the share of every class.
fn means(dataset: &Dataset, train: &[u32]) -> Matrix<f64> {
    let outputs = dataset.task.outputs();
    let mut said = Matrix::zeros(dataset.samples.len(), outputs);
    for output in 0..outputs {
        let (_, y) = learning(dataset, train, output);
        let mean = y.iter().sum::<f64>() / y.len().max(1) as f64;
        let value = answer(&dataset.task, mean);
        fill(&mut said, output, |_| value);
    }
    said
}

/// What a baseline fitted on `train` says of every graph, in the unit of the data; logits for
/// classes and yes or no.
///
/// # Errors
/// If counts and graphs do not belong together.
pub fn predict(method: Method, data: &CountedDataset, train: &[u32]) -> Result<Matrix<f64>> {
    let dataset = &data.dataset;
    if method == Method::Constant {
        return Ok(means(dataset, train));
    }
    let outputs = dataset.task.outputs();
    let mut said = Matrix::zeros(dataset.samples.len(), outputs);
    let x = features::table(data, train);
    if let (Method::Forest, Task::Classes(names)) = (method, &dataset.task) {
        // One forest for all classes: a leaf holds the share of each.
        let (rows, y): (Vec<u32>, Vec<f64>) = train
            .iter()
            .map(|&i| (i, dataset.samples[i as usize].targets[0]))
            .filter(|(_, y)| !y.is_nan())
            .unzip();
        let mut shares = Matrix::zeros(rows.len(), names.len());
        for (r, &class) in y.iter().enumerate() {
            shares.data_mut()[r * names.len() + class as usize] = 1.0;
        }
        let forest = forest::Forest::fit(&x, &rows, &shares, forest::Kind::Classes);
        let shares = forest.predict(&x);
        for output in 0..outputs {
            fill(&mut said, output, |r| answer(&dataset.task, shares.row(r)[output]));
        }
        return Ok(said);
    }
    for output in 0..outputs {
        let (rows, y) = learning(dataset, train, output);
        if rows.is_empty() {
            continue;
        }
        match (method, &dataset.task) {
            (Method::Forest, task) => {
                let kind = match task {
                    Task::Regression(_) => forest::Kind::Numbers,
                    _ => forest::Kind::Classes,
                };
                let y = Matrix::from_vec(y.len(), 1, y).unwrap_or_default();
                let means = forest::Forest::fit(&x, &rows, &y, kind).predict(&x);
                fill(&mut said, output, |r| answer(task, means.row(r)[0]));
            }
            (_, Task::Regression(_)) => {
                let line = linear::ridge(&x, &rows, &y);
                fill(&mut said, output, |r| line.at(x.row(r)));
            }
            (_, _) => {
                let line = linear::logistic(&x, &rows, &y);
                fill(&mut said, output, |r| line.at(x.row(r)));
            }
        }
    }
    Ok(said)
}

/// The training rows whose target is known, and the target: a number, or 1 for the class `output`.
fn learning(dataset: &Dataset, train: &[u32], output: usize) -> (Vec<u32>, Vec<f64>) {
    let target = |i: u32| {
        let targets = dataset.samples[i as usize].exact_targets();
        match &dataset.task {
            Task::Classes(_) if targets[0].is_nan() => f64::NAN,
            Task::Classes(_) => f64::from(u8::from(targets[0] == output as f64)),
            _ => targets[output],
        }
    };
    train.iter().map(|&i| (i, target(i))).filter(|(_, y)| !y.is_nan()).unzip()
}

/// A mean of targets as a network would say it.
fn answer(task: &Task, mean: f64) -> f64 {
    let share = mean.clamp(1e-4, 1.0 - 1e-4);
    match task {
        Task::Regression(_) => mean,
        Task::Binary(_) => (share / (1.0 - share)).ln(),
        Task::Classes(_) => share.ln(),
    }
}

fn fill(matrix: &mut Matrix<f64>, column: usize, of: impl Fn(usize) -> f64) {
    let cols = matrix.cols();
    let rows = matrix.data_mut().chunks_exact_mut(cols.max(1));
    rows.enumerate().for_each(|(r, row)| row[column] = of(r));
}

/// The rows of a part.
fn part(of: &Matrix<f64>, items: &[u32]) -> Matrix<f64> {
    let data = items.iter().flat_map(|&i| of.row(i as usize)).copied().collect();
    Matrix::from_vec(items.len(), of.cols(), data).unwrap_or_default()
}

fn truth(dataset: &Dataset, items: &[u32]) -> Matrix<f64> {
    let exact = items.iter().map(|&i| dataset.samples[i as usize].exact_targets());
    let data = exact.flat_map(|targets| targets.into_owned()).collect();
    Matrix::from_vec(items.len(), dataset.task.targets(), data).unwrap_or_default()
}

/// What is to be said about a network beside its baselines: which of them are better, on the test
/// part and on the validation part by which one chooses. Empty if the network is best on both.
pub fn verdict(
    metric: Metric,
    (validation, test): (Option<f64>, f64),
    baselines: &[Baseline],
) -> Vec<String> {
    let mut said = Vec::new();
    let best = |of: fn(&Baseline) -> Option<f64>| {
        let known = baselines.iter().filter_map(|b| Some((b.name.as_str(), of(b)?)));
        known.reduce(|a, b| if metric.better(b.1, a.1) { b } else { a })
    };
    let name = metric.name();
    if let (Some(network), Some((who, value))) = (validation, best(|b| b.validation))
        && metric.better(value, network)
    {
        said.push(format!(
            "the {who} is better than the network on the validation part ({name} {value:.4} against \
             {network:.4}): prefer it, or get more data"
        ));
    }
    let losing = baselines.iter().filter_map(|b| Some((b, b.test?)));
    let losing: Vec<String> = losing
        .filter(|&(_, value)| metric.better(value, test))
        .map(|(b, value)| format!("the {} ({value:.4})", b.name))
        .collect();
    if !losing.is_empty() {
        let to = losing.join(" and ");
        said.push(format!("on the test part the network ({name} {test:.4}) loses to {to}"));
    }
    said
}

#[cfg(test)]
mod tests;
