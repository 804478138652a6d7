//! Ridge regression, and logistic regression with the same penalty, on standardised features.
//!
//! Ridge: (XᵀX + λI)·w = Xᵀ(y − ȳ), by Cholesky. Logistic: Newton's method, whose step solves
//! (XᵀDX + λI)·δ = Xᵀ(y − p) − λw with D = p(1 − p); a step that does not lower the loss is halved.
//! The penalty makes the loss strictly convex, so there is one minimum; it is reached when no
//! step of a thousandth lowers the loss. Features of other graphs are kept to five deviations, since a
//! line leaves the data without a limit. Cost: rows · columns² a step.

use gsn_nn::Matrix;
use rayon::prelude::*;

/// λ, for standardised features.
const PENALTY: f64 = 1.0;
/// Newton steps at most; six to ten are usual.
const STEPS: usize = 50;
/// Features lie within so many deviations.
const WIDEST: f64 = 5.0;
/// Rows that are summed up together.
const CHUNK: usize = 512;

/// w·x + b over standardised features.
pub(super) struct Line {
    mean: Vec<f64>,
    deviation: Vec<f64>,
    weights: Vec<f64>,
    bias: f64,
}

impl Line {
    /// Its value at a row of features.
    pub(super) fn at(&self, row: &[f64]) -> f64 {
        let mut sum = self.bias;
        for (c, &x) in row.iter().enumerate() {
            sum += self.weights[c] * standard(x, self.mean[c], self.deviation[c]);
        }
        sum
    }
}

fn standard(x: f64, mean: f64, deviation: f64) -> f64 {
    ((x - mean) / deviation).clamp(-WIDEST, WIDEST)
}

/// Standardised rows with a 1 behind them, and how they were standardised.
fn standardised(x: &Matrix<f64>, rows: &[u32]) -> (Vec<Vec<f64>>, Vec<f64>, Vec<f64>) {
    let n = rows.len().max(1) as f64;
    let moment = |c: usize, f: &dyn Fn(f64) -> f64| {
        rows.iter().map(|&r| f(x.row(r as usize)[c])).sum::<f64>() / n
    };
    let mean: Vec<f64> = (0..x.cols()).map(|c| moment(c, &|x| x)).collect();
    let deviation: Vec<f64> = (0..x.cols())
        .map(|c| {
            let variance = moment(c, &|x| (x - mean[c]) * (x - mean[c]));
            if variance > 0.0 { variance.sqrt() } else { 1.0 }
        })
        .collect();
    let row = |&r: &u32| {
        let row = x.row(r as usize).iter().enumerate();
        row.map(|(c, &x)| standard(x, mean[c], deviation[c])).chain([1.0]).collect()
    };
    (rows.iter().map(row).collect(), mean, deviation)
}

/// Ridge regression of `y` on `rows` of `x`.
pub(super) fn ridge(x: &Matrix<f64>, rows: &[u32], y: &[f64]) -> Line {
    let (z, mean, deviation) = standardised(x, rows);
    let weights = vec![1.0; rows.len()];
    let mut solved = solve(&z, &weights, y, &vec![0.0; x.cols() + 1]);
    let bias = solved.pop().unwrap_or(0.0);
    Line { mean, deviation, weights: solved, bias }
}

/// Logistic regression of `y`, 0 or 1, on `rows` of `x`.
pub(super) fn logistic(x: &Matrix<f64>, rows: &[u32], y: &[f64]) -> Line {
    let (z, mean, deviation) = standardised(x, rows);
    let mut w = vec![0.0; x.cols() + 1];
    let score = |w: &[f64], z: &[f64]| w.iter().zip(z).map(|(w, z)| w * z).sum::<f64>();
    let loss = |w: &[f64]| {
        let data: f64 = z
            .iter()
            .zip(y)
            .map(|(z, y)| {
                let s = score(w, z);
                s.max(0.0) - y * s + (-s.abs()).exp().ln_1p()
            })
            .sum();
        data + 0.5 * PENALTY * w[..x.cols()].iter().map(|w| w * w).sum::<f64>()
    };
    let mut now = loss(&w);
    for _ in 0..STEPS {
        let p: Vec<f64> = z.iter().map(|z| 1.0 / (1.0 + (-score(&w, z)).exp())).collect();
        let weights: Vec<f64> = p.iter().map(|p| (p * (1.0 - p)).max(1e-9)).collect();
        let pull: Vec<f64> =
            y.iter().zip(&p).zip(&weights).map(|((y, p), weight)| (y - p) / weight).collect();
        let step = solve(&z, &weights, &pull, &w);
        let mut share = 1.0;
        let better = loop {
            let next: Vec<f64> = w.iter().zip(&step).map(|(w, s)| w + share * s).collect();
            let there = loss(&next);
            if there < now {
                break Some((next, there));
            }
            share /= 2.0;
            if share < 1e-3 {
                break None;
            }
        };
        let Some((next, there)) = better else { break };
        let gain = now - there;
        (w, now) = (next, there);
        if gain < 1e-9 * (1.0 + now) {
            break;
        }
    }
    let bias = w.pop().unwrap_or(0.0);
    Line { mean, deviation, weights: w, bias }
}

/// δ of (ZᵀDZ + λI)·δ = ZᵀD·y − λw; the last column, the bias, is not penalised.
fn solve(z: &[Vec<f64>], weights: &[f64], y: &[f64], w: &[f64]) -> Vec<f64> {
    let p = w.len();
    // Chunks are fixed and added in their order, whatever the threads.
    let parts: Vec<(Vec<f64>, Vec<f64>)> = (0..z.len().div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let (mut a, mut b) = (vec![0.0; p * p], vec![0.0; p]);
            for r in chunk * CHUNK..((chunk + 1) * CHUNK).min(z.len()) {
                for i in 0..p {
                    let left = weights[r] * z[r][i];
                    b[i] += left * y[r];
                    for j in 0..=i {
                        a[i * p + j] += left * z[r][j];
                    }
                }
            }
            (a, b)
        })
        .collect();
    let (mut a, mut b) = (vec![0.0; p * p], vec![0.0; p]);
    for (part_a, part_b) in parts {
        a.iter_mut().zip(part_a).for_each(|(a, x)| *a += x);
        b.iter_mut().zip(part_b).for_each(|(b, x)| *b += x);
    }
    for i in 0..p {
        let penalty = if i + 1 < p { PENALTY } else { 1e-9 };
        a[i * p + i] += penalty;
        b[i] -= penalty * w[i];
    }
    cholesky(&mut a, p);
    for i in 0..p {
        let known: f64 = (0..i).map(|j| a[i * p + j] * b[j]).sum();
        b[i] = (b[i] - known) / a[i * p + i];
    }
    for i in (0..p).rev() {
        let known: f64 = (i + 1..p).map(|j| a[j * p + i] * b[j]).sum();
        b[i] = (b[i] - known) / a[i * p + i];
    }
    b
}

/// Lower half of `a` = L·Lᵀ becomes L; the penalty keeps it positive definite.
fn cholesky(a: &mut [f64], p: usize) {
    for i in 0..p {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| a[i * p + k] * a[j * p + k]).sum();
            let rest = a[i * p + j] - known;
            a[i * p + j] = match i == j {
                true => rest.max(1e-12).sqrt(),
                false => rest / a[j * p + j],
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsn_core::random::uniform;

    fn table(n: usize, p: usize) -> Matrix<f64> {
        let cells = (0..(n * p) as u64).map(|i| 10.0 * uniform(4, i) - 3.0);
        Matrix::from_vec(n, p, cells.collect()).unwrap()
    }

    #[test]
    fn a_line_is_found_but_for_the_penalty() {
        let x = table(400, 5);
        let rows: Vec<u32> = (0..400).collect();
        let truth = |row: &[f64]| 2.0 - 3.0 * row[0] + 0.5 * row[3];
        let y: Vec<f64> = (0..400).map(|r| truth(x.row(r))).collect();
        let line = ridge(&x, &rows, &y);
        let worst = (0..400).map(|r| (line.at(x.row(r)) - y[r]).abs()).fold(0.0, f64::max);
        assert!(worst < 0.2, "{worst}");
        // At the minimum the gradient is zero.
        let (z, ..) = standardised(&x, &rows);
        for c in 0..5 {
            let pull: f64 = (0..400).map(|r| z[r][c] * (y[r] - line.at(x.row(r)))).sum();
            assert!((pull - PENALTY * line.weights[c]).abs() < 1e-6, "{pull}");
        }
    }

    #[test]
    fn newton_ends_where_the_gradient_vanishes() {
        let x = table(300, 4);
        let rows: Vec<u32> = (0..300).collect();
        // Classes that a line almost tells apart.
        let class = |r: usize| {
            let s = x.row(r)[1] - 2.0 * x.row(r)[2] + 4.0 * uniform(8, r as u64) - 2.0;
            f64::from(u8::from(s > 0.0))
        };
        let y: Vec<f64> = (0..300).map(class).collect();
        let line = logistic(&x, &rows, &y);
        let (z, ..) = standardised(&x, &rows);
        let p: Vec<f64> = (0..300).map(|r| 1.0 / (1.0 + (-line.at(x.row(r))).exp())).collect();
        for c in 0..4 {
            let pull: f64 = (0..300).map(|r| z[r][c] * (y[r] - p[r])).sum();
            assert!((pull - PENALTY * line.weights[c]).abs() < 1e-3, "{pull}");
        }
        let right = (0..300).filter(|&r| (p[r] > 0.5) == (y[r] == 1.0)).count();
        assert!(right > 255, "{right}");
        // Classes that a line tells apart altogether have a minimum too.
        let y: Vec<f64> = (0..300).map(|r| f64::from(u8::from(x.row(r)[0] > 1.0))).collect();
        assert!(logistic(&x, &rows, &y).weights.iter().all(|w| w.is_finite()));
    }
}
