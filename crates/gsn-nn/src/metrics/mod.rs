//! Metrics over predictions and targets.
//!
//! A [`Scored`] holds the outputs of a network (one row a graph, numbers in the unit of the data,
//! logits for questions and classes) beside the targets (NaN marks a missing one) and gives every
//! [`Metric`] over all of them, of one target, or over a resample. What is not defined, such as a
//! ROC-AUC over one class, is `None`.
//!
//! | file | what |
//! |---|---|
//! | `scored` | outputs and targets, and which metric is computed by what |
//! | `column` | one target: errors of numbers, answers to a question, orders |
//! | `classes` | one class of several |
//! | `tests` | against scikit-learn |

mod classes;
mod column;
mod scored;
#[cfg(test)]
mod tests;

pub use scored::Scored;

use crate::tape::loss::Loss;
use serde::{Deserialize, Serialize};

/// What a network is asked for; it decides which metrics make sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// Real numbers, one a column.
    Numbers,
    /// Yes or no, one logit a column; a target above 0.5 is yes.
    Questions,
    /// One class: a logit a column, and one column of targets with the index of the class.
    Classes,
}

impl Answers {
    /// What they are called in messages.
    pub fn name(self) -> &'static str {
        match self {
            Answers::Numbers => "numbers",
            Answers::Questions => "yes or no",
            Answers::Classes => "classes",
        }
    }
}

impl Loss {
    /// What a network learns by it.
    pub fn answers(self) -> Answers {
        match self {
            Loss::L1 | Loss::Mse => Answers::Numbers,
            Loss::BceWithLogits => Answers::Questions,
            Loss::CrossEntropy => Answers::Classes,
        }
    }
}

/// A number that says how good predictions are, over all graphs of a part at once.
///
/// Over several targets MAE, MSE and accuracy are taken over all labels; everything else is the
/// mean over those targets it is defined for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Mean absolute error, in the unit of the data.
    Mae,
    /// Root of the mean squared error, in the unit of the data.
    Rmse,
    /// Mean squared error, in the squared unit of the data.
    Mse,
    /// 1 − Σ(prediction − target)² / Σ(target − mean)²; not defined for constant targets.
    R2,
    /// Spearman's rank correlation, ties share their mean rank; not defined where either is
    /// constant.
    Spearman,
    /// Area under the ROC curve; for classes the mean over each against the rest.
    RocAuc,
    /// Area under the precision-recall curve as average precision, Σ (Rₙ − Rₙ₋₁)·Pₙ; for classes the
    /// mean over each against the rest.
    #[serde(alias = "average-precision")]
    PrAuc,
    /// Share of right answers; yes is a probability above one half.
    Accuracy,
    /// Harmonic mean of precision and recall: of yes; for classes the mean over those that are
    /// there or were predicted.
    F1,
    /// Matthews' correlation coefficient; 0 where all predictions are one class, not defined where
    /// all targets are.
    Mcc,
    /// Mean of −ln(predicted probability of what is true).
    LogLoss,
    /// Expected calibration error: cases sorted by predicted probability (for classes that of the
    /// predicted class) and cut into 15 bins of equal count, equal probabilities in one bin; the
    /// mean over cases of |mean probability − share of what came true| of their bin.
    Calibration,
}

impl Metric {
    /// All of them.
    pub const ALL: [Metric; 12] = [
        Metric::Mae,
        Metric::Rmse,
        Metric::Mse,
        Metric::R2,
        Metric::Spearman,
        Metric::RocAuc,
        Metric::PrAuc,
        Metric::Accuracy,
        Metric::F1,
        Metric::Mcc,
        Metric::LogLoss,
        Metric::Calibration,
    ];

    /// Its name, as in recipes and results.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Mae => "mae",
            Metric::Rmse => "rmse",
            Metric::Mse => "mse",
            Metric::R2 => "r2",
            Metric::Spearman => "spearman",
            Metric::RocAuc => "roc-auc",
            Metric::PrAuc => "pr-auc",
            Metric::Accuracy => "accuracy",
            Metric::F1 => "f1",
            Metric::Mcc => "mcc",
            Metric::LogLoss => "log-loss",
            Metric::Calibration => "calibration",
        }
    }

    /// Is a larger value better?
    pub fn maximise(self) -> bool {
        use Metric::{Calibration, LogLoss, Mae, Mse, Rmse};
        !matches!(self, Mae | Rmse | Mse | LogLoss | Calibration)
    }

    /// Is `a` better than `b`? NaN is worse than everything.
    pub fn better(self, a: f64, b: f64) -> bool {
        if a.is_nan() || b.is_nan() {
            return !a.is_nan() && b.is_nan();
        }
        if self.maximise() { a > b } else { a < b }
    }

    /// Does it measure such answers?
    pub fn measures(self, answers: Answers) -> bool {
        use Metric::{Mae, Mse, R2, Rmse, Spearman};
        let numbers = matches!(self, Mae | Rmse | Mse | R2 | Spearman);
        numbers == (answers == Answers::Numbers)
    }

    /// All that measure such answers.
    pub fn of_answers(answers: Answers) -> impl Iterator<Item = Metric> {
        Self::ALL.into_iter().filter(move |metric| metric.measures(answers))
    }
}
