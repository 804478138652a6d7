//! One class of several: the predicted class, its probability, and every class against the rest.

use super::column::Column;
use crate::matrix::Matrix;
use std::sync::OnceLock;

/// The graphs whose class is known.
pub(super) struct Classes {
    /// (row of the part, predicted class, true class), one a graph.
    cases: Vec<(u32, u32, u32)>,
    /// −ln of the probability of the true class, one a graph.
    surprise: Vec<f64>,
    /// Classes, those of the targets included.
    count: usize,
    probabilities: Matrix<f64>,
    targets: Vec<f64>,
    rest: OnceLock<Vec<Column>>,
    sure: OnceLock<Column>,
}

impl Classes {
    /// Logits, a row a graph, and one column of classes.
    pub(super) fn new(logits: &Matrix<f64>, target: &Matrix<f64>) -> Self {
        let mut probabilities = logits.clone();
        let cols = logits.cols().max(1);
        probabilities.data_mut().chunks_exact_mut(cols).for_each(softmax);
        let (mut cases, mut surprise, mut count) = (Vec::new(), Vec::new(), logits.cols());
        for r in 0..logits.rows() {
            let (row, class) = (logits.row(r), target.row(r)[0]);
            let best = (0..row.len()).reduce(|a, b| if row[b] > row[a] { b } else { a });
            if class.is_nan() {
                continue;
            }
            let class = class as usize;
            let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = row.iter().map(|x| (x - most).exp()).sum();
            let of_class = row.get(class).copied().unwrap_or(f64::NEG_INFINITY);
            cases.push((r as u32, best.unwrap_or(0) as u32, class as u32));
            surprise.push(most - of_class + sum.ln());
            count = count.max(class + 1);
        }
        let targets = target.data().to_vec();
        let (rest, sure) = (OnceLock::new(), OnceLock::new());
        Self { cases, surprise, count, probabilities, targets, rest, sure }
    }

    fn weighted<'a>(&'a self, weights: &'a [f64]) -> impl Iterator<Item = (f64, u32, u32)> + 'a {
        self.cases.iter().map(|&(row, said, class)| (weights[row as usize], said, class))
    }

    /// Share of right answers.
    pub(super) fn accuracy(&self, weights: &[f64]) -> Option<f64> {
        let add = |(right, all), (w, said, class)| match said == class {
            true => (right + w, all + w),
            false => (right, all + w),
        };
        let (right, all) = self.weighted(weights).fold((0.0, 0.0), add);
        (all > 0.0).then(|| right / all)
    }

    /// How often each class was predicted, is true, and both.
    fn margins(&self, weights: &[f64]) -> Vec<[f64; 3]> {
        let mut margins = vec![[0.0; 3]; self.count];
        for (w, said, class) in self.weighted(weights) {
            margins[said as usize][0] += w;
            margins[class as usize][1] += w;
            if said == class {
                margins[class as usize][2] += w;
            }
        }
        margins
    }

    /// Mean F1 over the classes that are there or were predicted.
    pub(super) fn f1(&self, weights: &[f64]) -> Option<f64> {
        let margins = self.margins(weights);
        let met = margins.iter().filter(|[said, is, _]| said + is > 0.0);
        let (sum, classes) = met.fold((0.0, 0.0), |(sum, n), [said, is, both]| {
            (sum + 2.0 * both / (said + is), n + 1.0)
        });
        (classes > 0.0).then(|| sum / classes)
    }

    /// Matthews' coefficient for several classes (Gorodkin's R_K).
    pub(super) fn mcc(&self, weights: &[f64]) -> Option<f64> {
        let margins = self.margins(weights);
        let sum = |f: &dyn Fn(&[f64; 3]) -> f64| margins.iter().map(f).sum::<f64>();
        let all = sum(&|m| m[1]);
        let covariance = sum(&|m| m[2]) * all - sum(&|m| m[0] * m[1]);
        let said = all * all - sum(&|m| m[0] * m[0]);
        let truth = all * all - sum(&|m| m[1] * m[1]);
        match truth > 0.0 {
            true if said > 0.0 => Some(covariance / (said.sqrt() * truth.sqrt())),
            true => Some(0.0),
            false => None,
        }
    }

    /// Mean of −ln(probability of the true class).
    pub(super) fn log_loss(&self, weights: &[f64]) -> Option<f64> {
        let add = |(sum, all), ((w, ..), s): ((f64, u32, u32), &f64)| (sum + w * s, all + w);
        let (sum, all) = self.weighted(weights).zip(&self.surprise).fold((0.0, 0.0), add);
        (all > 0.0).then(|| sum / all)
    }

    /// Each class against the rest, by its probability.
    pub(super) fn rest(&self) -> &[Column] {
        self.rest.get_or_init(|| {
            let yes = |class: usize, t: f64| match t.is_nan() {
                true => t,
                false => f64::from(u8::from(t as usize == class)),
            };
            let cases = |class: usize| {
                let case = move |(r, &t)| (r, self.probabilities.row(r)[class], yes(class, t));
                self.targets.iter().enumerate().map(case)
            };
            (0..self.probabilities.cols()).map(|class| Column::new(cases(class))).collect()
        })
    }

    /// Expected calibration error of the probability of the predicted class.
    pub(super) fn calibration(&self, weights: &[f64]) -> Option<f64> {
        let sure = self.sure.get_or_init(|| {
            Column::new(self.cases.iter().map(|&(row, said, class)| {
                let row = row as usize;
                let p = self.probabilities.row(row).get(said as usize).copied();
                (row, p.unwrap_or(f64::NAN), f64::from(u8::from(said == class)))
            }))
        });
        sure.calibration(weights, |p| p)
    }
}

/// Logits as probabilities.
pub(super) fn softmax(row: &mut [f64]) {
    let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    row.iter_mut().for_each(|x| *x = (*x - most).exp());
    let sum: f64 = row.iter().sum();
    row.iter_mut().for_each(|x| *x /= sum);
}
