//! [`Scored`]: the outputs of a network beside the targets, and all metrics of them.

use super::classes::{Classes, softmax};
use super::column::{Column, sigmoid, softplus};
use super::{Answers, Metric};
use crate::error::{Error, Result};
use crate::matrix::Matrix;

/// Outputs of a network beside the targets of a part.
///
/// ```
/// use gsn_nn::Matrix;
/// use gsn_nn::metrics::{Answers, Metric, Scored};
/// let column = |x: [f64; 4]| Matrix::from_vec(4, 1, x.to_vec()).unwrap();
/// let logits = column([-2.0, -0.5, -1.0, 1.5]);
/// let scored = Scored::new(Answers::Questions, &logits, &column([0.0, 0.0, 1.0, 1.0]))?;
/// assert_eq!(scored.metric(Metric::RocAuc), Some(0.75));
/// assert_eq!(scored.metric(Metric::Mae), None, "there are no numbers");
/// # Ok::<(), gsn_nn::Error>(())
/// ```
pub struct Scored {
    answers: Answers,
    outputs: Matrix<f64>,
    targets: Matrix<f64>,
    /// Weight 1 for every row.
    ones: Vec<f64>,
    /// Each target; of classes none.
    columns: Vec<Column>,
    classes: Option<Classes>,
}

impl Scored {
    /// Outputs (numbers in the unit of the data; logits of questions and classes) and targets, a
    /// row a graph each; NaN marks a missing target.
    ///
    /// # Errors
    /// If there is not a target for every output (for classes: one for every row).
    pub fn new(answers: Answers, outputs: &Matrix<f64>, targets: &Matrix<f64>) -> Result<Self> {
        let cols = if answers == Answers::Classes { 1 } else { outputs.cols() };
        // An empty part has no columns.
        let cols = if outputs.rows() == 0 { targets.cols() } else { cols };
        if (targets.rows(), targets.cols()) != (outputs.rows(), cols) {
            return Err(Error::Shape {
                what: "metrics".into(),
                prediction: (outputs.rows(), outputs.cols()),
                target: (targets.rows(), targets.cols()),
            });
        }
        let case =
            |c: usize| (0..outputs.rows()).map(move |r| (r, outputs.row(r)[c], targets.row(r)[c]));
        let classes = (answers == Answers::Classes).then(|| Classes::new(outputs, targets));
        let columns = if classes.is_some() { 0 } else { outputs.cols() };
        Ok(Self {
            answers,
            outputs: outputs.clone(),
            targets: targets.clone(),
            ones: vec![1.0; outputs.rows()],
            columns: (0..columns).map(|c| Column::new(case(c))).collect(),
            classes,
        })
    }

    /// The same from probabilities instead of logits, such as means over several networks;
    /// numbers stay as they are. Probabilities are kept 10⁻¹⁵ away from 0 and 1.
    ///
    /// # Errors
    /// As [`Scored::new`].
    pub fn of_probabilities(
        answers: Answers,
        probabilities: &Matrix<f64>,
        targets: &Matrix<f64>,
    ) -> Result<Self> {
        let mut logits = probabilities.clone();
        for p in logits.data_mut() {
            let inside = p.clamp(1e-15, 1.0 - 1e-15);
            match answers {
                Answers::Numbers => {}
                Answers::Questions => *p = inside.ln() - (-inside).ln_1p(),
                Answers::Classes => *p = inside.ln(),
            }
        }
        Self::new(answers, &logits, targets)
    }

    /// What was asked for.
    pub fn answers(&self) -> Answers {
        self.answers
    }

    /// Graphs.
    pub fn rows(&self) -> usize {
        self.ones.len()
    }

    /// Targets of a graph.
    pub fn targets(&self) -> usize {
        self.targets.cols()
    }

    /// A metric over all targets; `None` where it is not defined.
    pub fn metric(&self, metric: Metric) -> Option<f64> {
        self.weighted(metric, None, &self.ones)
    }

    /// A metric of one target; `None` where it is not defined.
    pub fn of_target(&self, metric: Metric, target: usize) -> Option<f64> {
        self.weighted(metric, Some(target), &self.ones)
    }

    /// A metric with a weight for every row, such as how often it was drawn in a resample; of one
    /// target or over all. Cost: linear, after the first call of a metric that ranks.
    pub fn weighted(&self, metric: Metric, target: Option<usize>, weights: &[f64]) -> Option<f64> {
        if !metric.measures(self.answers) || weights.len() != self.rows() {
            return None;
        }
        let value = match (&self.classes, target) {
            (Some(classes), None | Some(0)) => of_classes(classes, metric, weights),
            (Some(_), Some(_)) => None,
            (None, Some(target)) => {
                self.columns.get(target).and_then(|column| of_column(column, metric, weights))
            }
            (None, None) => match metric {
                Metric::Mae => self.pooled(weights, absolute),
                Metric::Mse => self.pooled(weights, square),
                Metric::Accuracy => self.pooled(weights, right),
                _ => mean(self.columns.iter().map(|column| of_column(column, metric, weights))),
            },
        };
        value.filter(|value| value.is_finite())
    }

    /// Mean of `f` over all labels, row after row.
    fn pooled(&self, weights: &[f64], f: fn(f64, f64) -> f64) -> Option<f64> {
        let (mut sum, mut all) = (0.0, 0.0);
        for (r, &w) in weights.iter().enumerate() {
            for (&s, &t) in self.outputs.row(r).iter().zip(self.targets.row(r)) {
                if !t.is_nan() {
                    (sum, all) = (sum + w * f(s, t), all + w);
                }
            }
        }
        (all > 0.0).then(|| sum / all)
    }

    /// The ROC curve (false against true positives) and the precision-recall curve (recall against
    /// precision) of each question, or of each class against the rest; empty where there are not
    /// both classes, none at all for numbers.
    pub fn curves(&self) -> Vec<[Vec<(f64, f64)>; 2]> {
        let columns = match (&self.classes, self.answers) {
            (Some(classes), _) => classes.rest(),
            (None, Answers::Questions) => &self.columns,
            (None, _) => &[],
        };
        columns.iter().map(|column| column.curves(&self.ones)).collect()
    }

    /// Logits as probabilities, numbers as they are: what a table of predictions says.
    pub fn probabilities(answers: Answers, row: &mut [f64]) {
        match answers {
            Answers::Numbers => {}
            Answers::Questions => row.iter_mut().for_each(|x| *x = sigmoid(*x)),
            Answers::Classes => softmax(row),
        }
    }
}

fn absolute(said: f64, is: f64) -> f64 {
    (said - is).abs()
}

fn square(said: f64, is: f64) -> f64 {
    (said - is) * (said - is)
}

fn right(logit: f64, is: f64) -> f64 {
    f64::from(u8::from((logit > 0.0) == (is > 0.5)))
}

/// Mean over those that are defined.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let (sum, n) = values.flatten().fold((0.0, 0usize), |(sum, n), x| (sum + x, n + 1));
    (n > 0).then(|| sum / n as f64)
}

fn of_column(column: &Column, metric: Metric, weights: &[f64]) -> Option<f64> {
    match metric {
        Metric::Mae => column.mean(weights, absolute),
        Metric::Mse => column.mean(weights, square),
        Metric::Rmse => column.mean(weights, square).map(f64::sqrt),
        Metric::R2 => column.r2(weights),
        Metric::Spearman => column.spearman(weights),
        Metric::RocAuc => column.roc_auc(weights),
        Metric::PrAuc => column.pr_auc(weights),
        Metric::Accuracy => column.mean(weights, right),
        Metric::F1 => column.f1(weights),
        Metric::Mcc => column.mcc(weights),
        Metric::LogLoss => column.mean(weights, |z, is| softplus(if is > 0.5 { -z } else { z })),
        Metric::Calibration => column.calibration(weights, sigmoid),
    }
}

fn of_classes(classes: &Classes, metric: Metric, weights: &[f64]) -> Option<f64> {
    let rest = |f: fn(&Column, &[f64]) -> Option<f64>| {
        mean(classes.rest().iter().map(|column| f(column, weights)))
    };
    match metric {
        Metric::RocAuc => rest(Column::roc_auc),
        Metric::PrAuc => rest(Column::pr_auc),
        Metric::Accuracy => classes.accuracy(weights),
        Metric::F1 => classes.f1(weights),
        Metric::Mcc => classes.mcc(weights),
        Metric::LogLoss => classes.log_loss(weights),
        Metric::Calibration => classes.calibration(weights),
        _ => None,
    }
}
