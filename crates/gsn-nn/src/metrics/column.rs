//! One target: the graphs that have it, what was predicted and what is true.
//!
//! Every sum takes a weight for each row of the part, 1 for all of them or the times a row was
//! drawn in a resample. Orders are made once and kept, so a resample costs a linear pass.

use std::sync::OnceLock;

/// Bins of the calibration error.
const BINS: usize = 15;

/// The graphs that have one target.
pub(super) struct Column {
    /// Their rows in the part.
    rows: Vec<u32>,
    /// What was predicted: a number, or a logit or probability to rank by.
    said: Vec<f64>,
    /// What is true.
    truth: Vec<f64>,
    by_said: OnceLock<Vec<u32>>,
    by_truth: OnceLock<Vec<u32>>,
}

/// Right and wrong answers to a question.
#[derive(Default)]
struct Table {
    right_yes: f64,
    right_no: f64,
    wrong_yes: f64,
    wrong_no: f64,
}

impl Column {
    /// Cases of (row, prediction, target); those without a target are left out.
    pub(super) fn new(cases: impl Iterator<Item = (usize, f64, f64)>) -> Self {
        let (mut rows, mut said, mut truth) = (Vec::new(), Vec::new(), Vec::new());
        for (row, s, t) in cases.filter(|(_, _, t)| !t.is_nan()) {
            rows.push(row as u32);
            said.push(s);
            truth.push(t);
        }
        let (by_said, by_truth) = (OnceLock::new(), OnceLock::new());
        Self { rows, said, truth, by_said, by_truth }
    }

    fn cases<'a>(&'a self, weights: &'a [f64]) -> impl Iterator<Item = (f64, f64, f64)> + 'a {
        let weight = self.rows.iter().map(|&row| weights[row as usize]);
        weight.zip(&self.said).zip(&self.truth).map(|((w, &s), &t)| (w, s, t))
    }

    /// Mean of `f(prediction, target)`.
    pub(super) fn mean(&self, weights: &[f64], f: impl Fn(f64, f64) -> f64) -> Option<f64> {
        let add = |(sum, all), (w, s, t)| (sum + w * f(s, t), all + w);
        let (sum, all) = self.cases(weights).fold((0.0, 0.0), add);
        (all > 0.0).then(|| sum / all)
    }

    /// 1 − Σ(s − t)² / Σ(t − mean)².
    pub(super) fn r2(&self, weights: &[f64]) -> Option<f64> {
        let mean = self.mean(weights, |_, t| t)?;
        let spread = self.mean(weights, |_, t| (t - mean) * (t - mean))?;
        let error = self.mean(weights, |s, t| (s - t) * (s - t))?;
        (spread > 0.0).then(|| 1.0 - error / spread)
    }

    /// Correlation of the ranks.
    pub(super) fn spearman(&self, weights: &[f64]) -> Option<f64> {
        if self.said.iter().any(|s| s.is_nan()) {
            return None;
        }
        let by_said = self.by_said.get_or_init(|| falling(&self.said));
        let by_truth = self.by_truth.get_or_init(|| falling(&self.truth));
        let a = self.ranks(by_said, &self.said, weights);
        let b = self.ranks(by_truth, &self.truth, weights);
        let weight = |i: usize| weights[self.rows[i] as usize];
        let all: f64 = (0..a.len()).map(weight).sum();
        // The mean rank is the same for both.
        let middle = (all + 1.0) / 2.0;
        let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
        for (i, (a, b)) in a.iter().zip(&b).enumerate() {
            let (a, b) = (a - middle, b - middle);
            ab += weight(i) * a * b;
            aa += weight(i) * a * a;
            bb += weight(i) * b * b;
        }
        (aa > 0.0 && bb > 0.0).then(|| ab / (aa.sqrt() * bb.sqrt()))
    }

    /// Rank of each case along an order; equal values share the middle of theirs.
    fn ranks(&self, order: &[u32], values: &[f64], weights: &[f64]) -> Vec<f64> {
        let mut ranks = vec![0.0; values.len()];
        let mut before = 0.0;
        for group in order.chunk_by(|&a, &b| values[a as usize] == values[b as usize]) {
            let here: f64 = group.iter().map(|&i| weights[self.rows[i as usize] as usize]).sum();
            group.iter().for_each(|&i| ranks[i as usize] = before + (here + 1.0) / 2.0);
            before += here;
        }
        ranks
    }

    /// Calls `f` with the (yes, no) of each group of equal predictions, the surest first. Nothing
    /// where a prediction is no number.
    fn groups(&self, weights: &[f64], mut f: impl FnMut(f64, f64)) -> Option<()> {
        if self.said.iter().any(|s| s.is_nan()) {
            return None;
        }
        let order = self.by_said.get_or_init(|| falling(&self.said));
        let value = |i: u32| self.said[i as usize];
        for group in order.chunk_by(|&a, &b| value(a) == value(b)) {
            let (mut yes, mut no) = (0.0, 0.0);
            for &i in group {
                let sum = if self.truth[i as usize] > 0.5 { &mut yes } else { &mut no };
                *sum += weights[self.rows[i as usize] as usize];
            }
            f(yes, no);
        }
        Some(())
    }

    /// How many are yes and how many no.
    fn balance(&self, weights: &[f64]) -> (f64, f64) {
        self.cases(weights).fold((0.0, 0.0), |(yes, no), (w, _, t)| match t > 0.5 {
            true => (yes + w, no),
            false => (yes, no + w),
        })
    }

    /// Area under the ROC curve.
    pub(super) fn roc_auc(&self, weights: &[f64]) -> Option<f64> {
        let (positives, negatives) = self.balance(weights);
        // Each yes beats the noes below it and ties with half of its group's.
        let (mut left, mut sum) = (negatives, 0.0);
        self.groups(weights, |yes, no| {
            left -= no;
            sum += yes * (left + no / 2.0);
        })?;
        (positives > 0.0 && negatives > 0.0).then(|| sum / (positives * negatives))
    }

    /// Average precision.
    pub(super) fn pr_auc(&self, weights: &[f64]) -> Option<f64> {
        let (positives, negatives) = self.balance(weights);
        let (mut right, mut seen, mut sum) = (0.0, 0.0, 0.0);
        self.groups(weights, |yes, no| {
            right += yes;
            seen += yes + no;
            if yes > 0.0 {
                sum += yes / positives * (right / seen);
            }
        })?;
        (positives > 0.0 && negatives > 0.0).then_some(sum)
    }

    /// Points (x, y) of the ROC curve, false against true positives, and of the precision-recall
    /// curve, recall against precision; empty without both classes.
    pub(super) fn curves(&self, weights: &[f64]) -> [Vec<(f64, f64)>; 2] {
        let (positives, negatives) = self.balance(weights);
        let (mut roc, mut recall) = (vec![(0.0, 0.0)], Vec::new());
        let (mut tp, mut fp) = (0.0, 0.0);
        let done = self.groups(weights, |yes, no| {
            (tp, fp) = (tp + yes, fp + no);
            roc.push((fp / negatives, tp / positives));
            recall.push((tp / positives, tp / (tp + fp)));
        });
        match done {
            Some(()) if positives > 0.0 && negatives > 0.0 => [roc, recall],
            _ => [Vec::new(), Vec::new()],
        }
    }

    fn table(&self, weights: &[f64], least: f64) -> Table {
        let mut table = Table::default();
        for (w, s, t) in self.cases(weights) {
            *match (s > least, t > 0.5) {
                (true, true) => &mut table.right_yes,
                (true, false) => &mut table.wrong_yes,
                (false, true) => &mut table.wrong_no,
                (false, false) => &mut table.right_no,
            } += w;
        }
        table
    }

    /// F1 of yes, where a logit above 0 says it.
    pub(super) fn f1(&self, weights: &[f64]) -> Option<f64> {
        let Table { right_yes, wrong_yes, wrong_no, .. } = self.table(weights, 0.0);
        let positives = right_yes + wrong_no;
        (positives > 0.0).then(|| 2.0 * right_yes / (2.0 * right_yes + wrong_yes + wrong_no))
    }

    /// Matthews' coefficient, where a logit above 0 says yes.
    pub(super) fn mcc(&self, weights: &[f64]) -> Option<f64> {
        let Table { right_yes, right_no, wrong_yes, wrong_no } = self.table(weights, 0.0);
        let truth = (right_yes + wrong_no) * (right_no + wrong_yes);
        let said = (right_yes + wrong_yes) * (right_no + wrong_no);
        let covariance = right_yes * right_no - wrong_yes * wrong_no;
        match truth > 0.0 {
            true if said > 0.0 => Some(covariance / (truth.sqrt() * said.sqrt())),
            true => Some(0.0),
            false => None,
        }
    }

    /// Expected calibration error of `probability(prediction)`, which must not fall.
    pub(super) fn calibration(
        &self,
        weights: &[f64],
        probability: impl Fn(f64) -> f64,
    ) -> Option<f64> {
        if self.said.iter().any(|s| s.is_nan()) {
            return None;
        }
        let order = self.by_said.get_or_init(|| falling(&self.said));
        let weight = |i: u32| weights[self.rows[i as usize] as usize];
        let all: f64 = order.iter().map(|&i| weight(i)).sum();
        let mut gaps = [0.0; BINS];
        let mut before = 0.0;
        let value = |i: u32| self.said[i as usize];
        for group in order.chunk_by(|&a, &b| value(a) == value(b)) {
            let here: f64 = group.iter().map(|&i| weight(i)).sum();
            if here > 0.0 {
                let bin = (BINS as f64 * (before + here / 2.0) / all) as usize;
                let p = probability(value(group[0]));
                let gap = |&i: &u32| weight(i) * (p - f64::from(self.truth[i as usize] > 0.5));
                gaps[bin.min(BINS - 1)] += group.iter().map(gap).sum::<f64>();
            }
            before += here;
        }
        (all > 0.0).then(|| gaps.iter().map(|gap: &f64| gap.abs()).sum::<f64>() / all)
    }
}

/// Places of the values from the largest to the smallest.
fn falling(values: &[f64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_by(|&a, &b| values[b as usize].total_cmp(&values[a as usize]));
    order
}

/// ln(1 + eˣ).
pub(super) fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// 1 / (1 + e⁻ˣ).
pub(super) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
