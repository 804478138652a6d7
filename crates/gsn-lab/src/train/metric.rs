//! Metrics over all graphs of a part at once, never a mean of batch means.

use super::Metric;
use crate::error::Result;
use gsn_nn::{Loss, Matrix, metrics};

impl Metric {
    /// The metric of predictions (one row a graph, in the unit of the data; logits for classes)
    /// against targets; NaN marks a missing one. `None` where it is not defined, such as a
    /// ROC-AUC over one class. `loss` tells yes-or-no questions from classes.
    ///
    /// # Errors
    /// If there are not as many predictions as targets.
    ///
    /// ```
    /// use gsn_lab::train::Metric;
    /// use gsn_nn::{Loss, Matrix};
    /// let column = |x: [f64; 2]| Matrix::from_vec(2, 1, x.to_vec()).unwrap();
    /// let (said, is) = (column([0.5, 3.0]), column([1.0, 2.0]));
    /// assert_eq!(Metric::Mae.of(Loss::L1, &said, &is).unwrap(), Some(0.75));
    /// assert_eq!(Metric::Mse.of(Loss::L1, &said, &is).unwrap(), Some(0.625));
    /// ```
    pub fn of(
        self,
        loss: Loss,
        prediction: &Matrix<f64>,
        target: &Matrix<f64>,
    ) -> Result<Option<f64>> {
        let metric = match self {
            Metric::Accuracy if loss == Loss::CrossEntropy => metrics::accuracy,
            Metric::Accuracy => metrics::binary_accuracy,
            Metric::Mae => metrics::mae,
            Metric::Mse => metrics::mse,
            Metric::RocAuc => metrics::roc_auc,
            Metric::AveragePrecision => metrics::average_precision,
        };
        Ok(metric(prediction, target)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yes_or_no_questions_are_answered_by_the_sign() {
        let said = Matrix::from_vec(2, 2, vec![2.0, -1.0, 0.5, 0.5]).unwrap();
        let is = Matrix::from_vec(2, 2, vec![1.0, 1.0, f64::NAN, 0.0]).unwrap();
        let share = Metric::Accuracy.of(Loss::BceWithLogits, &said, &is).unwrap();
        assert_eq!(share, Some(1.0 / 3.0));
    }

    #[test]
    fn better_knows_directions_and_nan() {
        assert!(Metric::Mae.better(0.1, 0.2) && !Metric::Mae.better(0.2, 0.2));
        assert!(Metric::RocAuc.better(0.9, 0.8));
        assert!(Metric::Mae.better(5.0, f64::NAN) && !Metric::Mae.better(f64::NAN, 5.0));
    }
}
