//! Losses: the weighted mean over all labels that are there (NaN marks a missing one). A target that
//! is a bound costs nothing where the prediction keeps it.
//! Cost: one pass over predictions; the gradient is made on the way.

use serde::{Deserialize, Serialize};

use super::{Back, Op, Tape, Var};
use crate::batch::Labels;
use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::scalar::Scalar;

/// What training minimises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// |prediction − target|
    L1,
    /// (prediction − target)²
    Mse,
    /// `−log softmax(prediction)[class]`; one target column holding class indices.
    CrossEntropy,
    /// Binary cross-entropy of sigmoid(prediction) against 0/1 targets.
    BceWithLogits,
}

pub(crate) struct LossOp<T> {
    prediction: Var,
    gradient: Matrix<T>,
}

impl Loss {
    /// Value (Σ w·loss / Σ w over present labels; 0 if there is none) and gradient by prediction.
    ///
    /// # Errors
    /// If shapes do not fit or a class index is not one of the prediction's columns.
    pub fn value_and_gradient<T: Scalar>(
        self,
        prediction: &Matrix<T>,
        labels: &Labels<T>,
    ) -> Result<(f64, Matrix<T>)> {
        let target = &labels.targets;
        let (n, k) = (prediction.rows(), prediction.cols());
        let fits = if self == Loss::CrossEntropy { target.cols() == 1 } else { target.cols() == k };
        if target.rows() != n || !fits {
            let (what, target) = (format!("{self:?}"), (target.rows(), target.cols()));
            return Err(Error::Shape { what, prediction: (n, k), target });
        }
        let present = || target.data().iter().enumerate().filter(|(_, t)| !t.is_nan());
        let mean = match &labels.weights {
            None => 1.0 / present().count().max(1) as f64,
            Some(_) => {
                let total: f64 = present().map(|(at, _)| labels.weight(at)).sum();
                if total > 0.0 { 1.0 / total } else { 0.0 }
            }
        };
        let mut gradient = Matrix::zeros(n, k);
        let mut sum = 0.0;
        if self == Loss::CrossEntropy {
            for r in 0..n {
                let t = target.row(r)[0].to_f64();
                if !t.is_nan() {
                    let g = &mut gradient.data_mut()[r * k..(r + 1) * k];
                    let weight = labels.weight(r);
                    sum += weight * cross_entropy(prediction.row(r), t, mean * weight, g)?;
                }
            }
        } else {
            let pairs = prediction.data().iter().zip(target.data());
            for (at, (g, (p, t))) in gradient.data_mut().iter_mut().zip(pairs).enumerate() {
                let (p, t) = (p.to_f64(), t.to_f64());
                if t.is_nan() || labels.kept(at, p, t) {
                    continue;
                }
                let (value, slope) = match self {
                    Loss::Mse => ((p - t) * (p - t), 2.0 * (p - t)),
                    Loss::BceWithLogits => {
                        // log(1 + e^p) − p·t without overflow
                        let soft = p.max(0.0) + (-p.abs()).exp().ln_1p();
                        (soft - p * t, 1.0 / (1.0 + (-p).exp()) - t)
                    }
                    _ => (
                        (p - t).abs(),
                        if p > t {
                            1.0
                        } else if p < t {
                            -1.0
                        } else {
                            0.0
                        },
                    ),
                };
                let weight = labels.weight(at);
                sum += weight * value;
                *g = T::from_f64(slope * (mean * weight));
            }
        }
        Ok((sum * mean, gradient))
    }
}

fn cross_entropy<T: Scalar>(
    logits: &[T],
    class: f64,
    mean: f64,
    gradient: &mut [T],
) -> Result<f64> {
    if class < 0.0 || class.fract() != 0.0 || class >= logits.len() as f64 {
        return Err(Error::Class { class, classes: logits.len() });
    }
    let top = logits.iter().fold(f64::NEG_INFINITY, |m, x| m.max(x.to_f64()));
    let total: f64 = logits.iter().map(|x| (x.to_f64() - top).exp()).sum();
    for (i, (g, x)) in gradient.iter_mut().zip(logits).enumerate() {
        let p = (x.to_f64() - top).exp() / total;
        *g = T::from_f64(mean * (p - if i == class as usize { 1.0 } else { 0.0 }));
    }
    Ok(total.ln() + top - logits[class as usize].to_f64())
}

impl<'a, T: Scalar> Tape<'a, T> {
    /// The loss of a prediction against the batch's targets.
    pub(crate) fn loss(&mut self, prediction: Var, loss: Loss) -> Result<(Var, f64)> {
        let (value, gradient) =
            loss.value_and_gradient(self.value(prediction), &self.batch.labels)?;
        let mut out = self.pool.take(1, 1);
        out.data_mut()[0] = T::from_f64(value);
        let needs = self.needs(prediction);
        Ok((self.push(out, needs, Op::Loss(LossOp { prediction, gradient })), value))
    }
}

impl<T: Scalar> LossOp<T> {
    pub(crate) fn backward(self, dy: Matrix<T>, cx: &mut Back<'_, '_, T>) {
        let mut g = cx.pool.take_copy(&self.gradient);
        let by = dy.data()[0];
        g.data_mut().iter_mut().for_each(|x| *x *= by);
        cx.pool.give(dy);
        cx.add(self.prediction, g);
    }
}
