//! Metrics over predictions and targets (one row per graph, NaN marks a missing label). Each is
//! `None` where it is not defined, and an error where the shapes differ. Cost: linear, n·log n for
//! the ranking ones.

use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::scalar::Scalar;

/// Refuses targets that are not `cols` wide and as many as the predictions.
fn check<T: Scalar>(
    what: &str,
    prediction: &Matrix<T>,
    target: &Matrix<T>,
    cols: usize,
) -> Result<()> {
    if (target.rows(), target.cols()) == (prediction.rows(), cols) {
        return Ok(());
    }
    Err(Error::Shape {
        what: what.to_owned(),
        prediction: (prediction.rows(), prediction.cols()),
        target: (target.rows(), target.cols()),
    })
}

/// Share of graphs whose largest logit is the class; the one target column holds the class.
///
/// # Errors
/// If there is not one target per row.
///
/// ```
/// use gsn_nn::{Matrix, metrics};
/// let logits = Matrix::from_vec(2, 2, vec![0.1f32, 0.9, 0.8, 0.2]).unwrap();
/// let class = Matrix::from_vec(2, 1, vec![1.0, 1.0]).unwrap();
/// assert_eq!(metrics::accuracy(&logits, &class)?, Some(0.5));
/// # Ok::<(), gsn_nn::Error>(())
/// ```
pub fn accuracy<T: Scalar>(prediction: &Matrix<T>, target: &Matrix<T>) -> Result<Option<f64>> {
    check("accuracy", prediction, target, 1)?;
    let (mut right, mut all) = (0usize, 0usize);
    for r in 0..prediction.rows() {
        let class = target.row(r)[0].to_f64();
        if class.is_nan() {
            continue;
        }
        let row = prediction.row(r);
        let best = (0..row.len()).reduce(|a, b| if row[b] > row[a] { b } else { a });
        right += usize::from(best.is_some_and(|best| best as f64 == class));
        all += 1;
    }
    Ok((all > 0).then(|| right as f64 / all as f64))
}

/// Share of yes-or-no labels (above 0.5 is yes) that the sign of the logit answers.
///
/// # Errors
/// If the shapes differ.
pub fn binary_accuracy<T: Scalar>(
    prediction: &Matrix<T>,
    target: &Matrix<T>,
) -> Result<Option<f64>> {
    let right = |logit: f64, answer: f64| f64::from(u8::from((logit > 0.0) == (answer > 0.5)));
    mean("binary accuracy", prediction, target, right)
}

/// Mean absolute error over present labels.
///
/// # Errors
/// If the shapes differ.
pub fn mae<T: Scalar>(prediction: &Matrix<T>, target: &Matrix<T>) -> Result<Option<f64>> {
    mean("mean absolute error", prediction, target, |p, t| (p - t).abs())
}

/// Mean squared error over present labels.
///
/// # Errors
/// If the shapes differ.
pub fn mse<T: Scalar>(prediction: &Matrix<T>, target: &Matrix<T>) -> Result<Option<f64>> {
    mean("mean squared error", prediction, target, |p, t| (p - t) * (p - t))
}

/// Mean of `f` over present labels.
fn mean<T: Scalar>(
    what: &str,
    prediction: &Matrix<T>,
    target: &Matrix<T>,
    f: impl Fn(f64, f64) -> f64,
) -> Result<Option<f64>> {
    check(what, prediction, target, prediction.cols())?;
    let pairs = prediction.data().iter().zip(target.data()).filter(|(_, t)| !t.is_nan());
    let (sum, n) =
        pairs.fold((0.0, 0usize), |(sum, n), (p, t)| (sum + f(p.to_f64(), t.to_f64()), n + 1));
    Ok((n > 0).then(|| sum / n as f64))
}

/// Area under the ROC curve, the mean over tasks (columns) that have both classes.
///
/// # Errors
/// If the shapes differ.
///
/// ```
/// use gsn_nn::{Matrix, metrics};
/// let score = Matrix::from_vec(4, 1, vec![0.1, 0.4, 0.35, 0.8]).unwrap();
/// let label = Matrix::from_vec(4, 1, vec![0.0, 0.0, 1.0, 1.0]).unwrap();
/// assert_eq!(metrics::roc_auc(&score, &label)?, Some(0.75));
/// # Ok::<(), gsn_nn::Error>(())
/// ```
pub fn roc_auc<T: Scalar>(prediction: &Matrix<T>, target: &Matrix<T>) -> Result<Option<f64>> {
    per_task("ROC-AUC", prediction, target, |groups, positives, negatives| {
        // Each positive beats the negatives below it and ties with half of its group's.
        let (mut below, mut sum) = (0.0, 0.0);
        for &(pos, neg) in groups.iter().rev() {
            sum += pos * (below + neg / 2.0);
            below += neg;
        }
        (negatives > 0.0).then(|| sum / (positives * negatives))
    })
}

/// Average precision (Σ (R_n − R_{n−1})·P_n), the mean over tasks that have both classes.
///
/// # Errors
/// If the shapes differ.
pub fn average_precision<T: Scalar>(
    prediction: &Matrix<T>,
    target: &Matrix<T>,
) -> Result<Option<f64>> {
    per_task("average precision", prediction, target, |groups, positives, negatives| {
        let (mut tp, mut seen, mut sum) = (0.0, 0.0, 0.0);
        for &(pos, neg) in groups {
            tp += pos;
            seen += pos + neg;
            sum += pos / positives * (tp / seen);
        }
        (negatives > 0.0).then_some(sum)
    })
}

/// Positives and negatives of each group of equal scores, best first.
type Groups = [(f64, f64)];

/// Mean over tasks of `f(groups, positives, negatives)`.
fn per_task<T: Scalar>(
    what: &str,
    prediction: &Matrix<T>,
    target: &Matrix<T>,
    f: impl Fn(&Groups, f64, f64) -> Option<f64>,
) -> Result<Option<f64>> {
    check(what, prediction, target, prediction.cols())?;
    let (mut sum, mut tasks) = (0.0, 0usize);
    for c in 0..prediction.cols() {
        let mut scored: Vec<(f64, bool)> = (0..prediction.rows())
            .map(|r| (prediction.row(r)[c].to_f64(), target.row(r)[c].to_f64()))
            .filter(|(_, t)| !t.is_nan())
            .map(|(p, t)| (p, t > 0.5))
            .collect();
        if scored.iter().any(|(p, _)| p.is_nan()) {
            return Ok(None);
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut groups: Vec<(f64, f64)> = Vec::new();
        let mut last = f64::NAN;
        for (score, positive) in scored {
            if score != last {
                groups.push((0.0, 0.0));
                last = score;
            }
            if let Some(g) = groups.last_mut() {
                if positive { g.0 += 1.0 } else { g.1 += 1.0 }
            }
        }
        let (pos, neg) = groups.iter().fold((0.0, 0.0), |(p, n), g| (p + g.0, n + g.1));
        if let Some(x) = f(&groups, pos, neg).filter(|_| pos > 0.0) {
            sum += x;
            tasks += 1;
        }
    }
    Ok((tasks > 0).then(|| sum / tasks as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(x: &[f64]) -> Matrix<f64> {
        Matrix::from_vec(x.len(), 1, x.to_vec()).unwrap()
    }

    /// Against the definitions: pairs for ROC-AUC, thresholds for average precision.
    #[test]
    fn ranking_metrics_equal_their_definitions() {
        let score = [0.3, 0.3, 0.9, 0.1, 0.5, 0.5, 0.5, 0.2];
        let label = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, f64::NAN];
        let at = |want: f64| (0..7).filter(move |&i| label[i] == want);
        let mut wins = 0.0;
        for i in at(1.0) {
            for j in at(0.0) {
                wins += if score[i] > score[j] {
                    1.0
                } else if score[i] == score[j] {
                    0.5
                } else {
                    0.0
                };
            }
        }
        let auc = roc_auc(&column(&score), &column(&label)).unwrap().unwrap();
        assert!((auc - wins / 12.0).abs() < 1e-15);
        let mut cuts: Vec<f64> = score[..7].to_vec();
        cuts.sort_by(|a, b| b.total_cmp(a));
        cuts.dedup();
        let (mut ap, mut recall) = (0.0, 0.0);
        for c in cuts {
            let hit = at(1.0).filter(|&i| score[i] >= c).count() as f64;
            let all = (0..7).filter(|&i| score[i] >= c).count() as f64;
            ap += (hit / 4.0 - recall) * (hit / all);
            recall = hit / 4.0;
        }
        let got = average_precision(&column(&score), &column(&label)).unwrap().unwrap();
        assert!((got - ap).abs() < 1e-15);
    }

    #[test]
    fn undefined_metrics_are_none() {
        let (p, t) = (column(&[0.1, 0.2]), column(&[1.0, 1.0]));
        assert_eq!(roc_auc(&p, &t).unwrap(), None);
        assert_eq!(average_precision(&p, &t).unwrap(), None);
        assert_eq!(mae(&p, &column(&[f64::NAN, f64::NAN])).unwrap(), None);
        assert_eq!(mae(&p, &column(&[f64::NAN, 0.5])).unwrap(), Some(0.3));
    }

    #[test]
    fn yes_or_no_questions_are_answered_by_the_sign() {
        let said = Matrix::from_vec(2, 2, vec![2.0, -1.0, 0.5, 0.5]).unwrap();
        let is = Matrix::from_vec(2, 2, vec![1.0, 1.0, f64::NAN, 0.0]).unwrap();
        assert_eq!(binary_accuracy(&said, &is).unwrap(), Some(1.0 / 3.0));
    }

    #[test]
    fn shapes_that_differ_are_refused() {
        let p = column(&[0.1, 0.2]);
        let wide = Matrix::zeros(2, 2);
        for metric in [accuracy, binary_accuracy, mae, mse, roc_auc, average_precision] {
            for t in [column(&[1.0]), column(&[1.0, 0.0, 1.0]), wide.clone()] {
                let e = metric(&p, &t).unwrap_err();
                assert!(matches!(e, Error::Shape { prediction: (2, 1), .. }), "{e}");
            }
        }
        assert!(accuracy(&wide, &p).is_ok());
    }
}
