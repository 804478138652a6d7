//! Directional aggregation (DGN form): mean, max, min, sum, var, std of the neighbours, and
//! averages weighted by a vector field F on the arcs: F_uv = x_uv for counts on arcs, x_u − x_v for
//! counts on vertices.
//!
//! Every directional aggregator is Σ_u w_uv h_u − c_v h_v with weights that depend on F alone (given
//! at [`Aggregator`]), sometimes with |·| around it. Vertices without incoming arcs get zeros.
//! Cost: arcs·width per aggregator each way.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::message::per_vertex;
use super::{Back, Op, Tape, Var};
use crate::batch::Batch;
use crate::kernel::rows;
use crate::matrix::Matrix;
use crate::scalar::Scalar;

const EPS: f64 = 1e-8;

/// How a vertex sums up its neighbours. Text form as in the DGN code: `mean`, `dir0-av`,
/// `dir1-dx-no-abs`, `dir2-neg-0.1`, …
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Aggregator {
    /// Average of the neighbours.
    Mean,
    /// Sum of the neighbours.
    Sum,
    /// Largest entry per channel.
    Max,
    /// Smallest entry per channel.
    Min,
    /// Variance per channel, cut at 0.
    Var,
    /// √(variance + 1e-8).
    Std,
    /// `dir{d}-av`: w = |F|/(Σ|F| + 1e-8).
    Average(usize),
    /// `dir{d}-dx`: |Σ w h_u − (Σ w) h_v| with signed w = F/(Σ|F| + 1e-8).
    Derivative(usize),
    /// `dir{d}-dx-no-abs`: the same without |·|.
    SignedDerivative(usize),
    /// `dir{d}-dx-balanced`: w from the positive and the negative part of F, half each.
    BalancedDerivative(usize),
    /// `dir{d}-a` or `dir{d}-neg-a`: w = softmax(±a·|F|) over the neighbours.
    Softmax(usize, f64),
}

impl Aggregator {
    /// The column of the field it reads.
    pub(crate) fn direction(self) -> Option<usize> {
        match self {
            Aggregator::Average(d)
            | Aggregator::Derivative(d)
            | Aggregator::SignedDerivative(d)
            | Aggregator::BalancedDerivative(d)
            | Aggregator::Softmax(d, _) => Some(d),
            _ => None,
        }
    }

    fn absolute(self) -> bool {
        matches!(self, Aggregator::Derivative(_) | Aggregator::BalancedDerivative(_))
    }
}

impl fmt::Display for Aggregator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Aggregator::Mean => write!(f, "mean"),
            Aggregator::Sum => write!(f, "sum"),
            Aggregator::Max => write!(f, "max"),
            Aggregator::Min => write!(f, "min"),
            Aggregator::Var => write!(f, "var"),
            Aggregator::Std => write!(f, "std"),
            Aggregator::Average(d) => write!(f, "dir{d}-av"),
            Aggregator::Derivative(d) => write!(f, "dir{d}-dx"),
            Aggregator::SignedDerivative(d) => write!(f, "dir{d}-dx-no-abs"),
            Aggregator::BalancedDerivative(d) => write!(f, "dir{d}-dx-balanced"),
            Aggregator::Softmax(d, a) if a < 0.0 => write!(f, "dir{d}-neg-{}", -a),
            Aggregator::Softmax(d, a) => write!(f, "dir{d}-{a}"),
        }
    }
}

impl FromStr for Aggregator {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let unknown = || format!("unknown aggregator `{s}`");
        let plain = match s {
            "mean" => Some(Aggregator::Mean),
            "sum" => Some(Aggregator::Sum),
            "max" => Some(Aggregator::Max),
            "min" => Some(Aggregator::Min),
            "var" => Some(Aggregator::Var),
            "std" => Some(Aggregator::Std),
            _ => None,
        };
        if let Some(a) = plain {
            return Ok(a);
        }
        let (d, rest) =
            s.strip_prefix("dir").and_then(|s| s.split_once('-')).ok_or_else(unknown)?;
        let d: usize = d.parse().map_err(|_| unknown())?;
        Ok(match rest {
            "av" => Aggregator::Average(d),
            "dx" => Aggregator::Derivative(d),
            "dx-no-abs" => Aggregator::SignedDerivative(d),
            "dx-balanced" => Aggregator::BalancedDerivative(d),
            _ => {
                let (sign, a) = rest.strip_prefix("neg-").map_or((1.0, rest), |a| (-1.0, a));
                let a: f64 = a.parse().map_err(|_| unknown())?;
                if !(a.is_finite() && a > 0.0) {
                    return Err(unknown());
                }
                Aggregator::Softmax(d, sign * a)
            }
        })
    }
}

impl TryFrom<String> for Aggregator {
    type Error = String;
    fn try_from(s: String) -> Result<Self, String> {
        s.parse()
    }
}

impl From<Aggregator> for String {
    fn from(a: Aggregator) -> String {
        a.to_string()
    }
}

/// See the module documentation.
pub(crate) struct Direction<T> {
    x: Var,
    kinds: Vec<Aggregator>,
    /// w per arc and aggregator; c per vertex and aggregator.
    weights: Matrix<T>,
    own: Matrix<T>,
    /// Σ w h_u − c h_v before |·|, statistics, and which arc held an extreme.
    raw: Matrix<T>,
    winners: Vec<u32>,
    means: Matrix<T>,
}

impl<'a, T: Scalar> Tape<'a, T> {
    /// All aggregators side by side; `field` has a row per arc.
    pub(crate) fn direction(
        &mut self,
        x: Var,
        kinds: &[Aggregator],
        field: Option<&Matrix<T>>,
    ) -> Var {
        let batch = self.batch;
        let (weights, own) = arc_weights(batch, kinds, field);
        let h = self.value(x);
        let (d, j) = (h.cols(), kinds.len());
        let mut raw = Matrix::zeros(batch.vertices, d * j);
        let mut winners = vec![u32::MAX; batch.vertices * d * j];
        let mut means = Matrix::zeros(batch.vertices, d);
        for v in 0..batch.vertices {
            let arcs = batch.arcs_in(v);
            if arcs.is_empty() {
                continue;
            }
            let inv = T::ONE / T::from_f64(arcs.len() as f64);
            let mean = &mut means.data_mut()[v * d..(v + 1) * d];
            for a in arcs.clone() {
                rows::add_scaled(mean, inv, h.row(batch.source[a] as usize));
            }
            for (k, &kind) in kinds.iter().enumerate() {
                let at = (v * j + k) * d;
                let out = &mut raw.data_mut()[at..at + d];
                let won = &mut winners[at..at + d];
                for a in arcs.clone() {
                    let hu = h.row(batch.source[a] as usize);
                    match kind {
                        Aggregator::Max | Aggregator::Min => {
                            for i in 0..d {
                                let better = if kind == Aggregator::Max {
                                    hu[i] > out[i]
                                } else {
                                    hu[i] < out[i]
                                };
                                if won[i] == u32::MAX || better {
                                    (out[i], won[i]) = (hu[i], a as u32);
                                }
                            }
                        }
                        Aggregator::Var | Aggregator::Std => {
                            (0..d).for_each(|i| out[i] += inv * hu[i] * hu[i]);
                        }
                        _ => rows::add_scaled(out, weights.row(a)[k], hu),
                    }
                }
                match kind {
                    Aggregator::Var | Aggregator::Std => {
                        for i in 0..d {
                            let var = out[i] - mean[i] * mean[i];
                            out[i] = if var > T::ZERO { var } else { T::ZERO };
                        }
                    }
                    _ => rows::add_scaled(out, -own.row(v)[k], h.row(v)),
                }
            }
        }
        let mut out = self.pool.take_copy(&raw);
        for (at, y) in out.data_mut().iter_mut().enumerate() {
            match kinds[at / d.max(1) % j] {
                k if k.absolute() => *y = y.abs(),
                Aggregator::Std if !batch.arcs_in(at / (d * j)).is_empty() => {
                    *y = (*y + T::from_f64(EPS)).sqrt();
                }
                _ => {}
            }
        }
        let needs = self.needs(x);
        let kinds = kinds.to_vec();
        self.push(
            out,
            needs,
            Op::Direction(Direction { x, kinds, weights, own, raw, winners, means }),
        )
    }
}

/// Weights of arcs and of the vertex itself, for the aggregators that are weighted sums.
fn arc_weights<T: Scalar>(
    batch: &Batch<T>,
    kinds: &[Aggregator],
    field: Option<&Matrix<T>>,
) -> (Matrix<T>, Matrix<T>) {
    let j = kinds.len();
    let mut weights = Matrix::zeros(batch.arcs(), j);
    let mut own = Matrix::zeros(batch.vertices, j);
    for v in 0..batch.vertices {
        let arcs = batch.arcs_in(v);
        for (k, &kind) in kinds.iter().enumerate() {
            let f = |a: usize| match (field, kind.direction()) {
                (Some(f), Some(d)) => f.row(a)[d].to_f64(),
                _ => 0.0,
            };
            let sum = |g: &dyn Fn(f64) -> f64| arcs.clone().map(|a| g(f(a))).sum::<f64>();
            let weight: Box<dyn Fn(f64) -> f64> = match kind {
                Aggregator::Sum => Box::new(|_| 1.0),
                Aggregator::Mean => {
                    let n = arcs.len() as f64;
                    Box::new(move |_| 1.0 / n)
                }
                Aggregator::Average(_) => {
                    let total = sum(&f64::abs) + EPS;
                    Box::new(move |x| x.abs() / total)
                }
                Aggregator::Derivative(_) | Aggregator::SignedDerivative(_) => {
                    let total = sum(&f64::abs) + EPS;
                    Box::new(move |x| x / total)
                }
                Aggregator::BalancedDerivative(_) => {
                    let front = sum(&|x| x.max(0.0)) + EPS;
                    let back = sum(&|x| (-x).max(0.0)) + EPS;
                    Box::new(move |x| (x.max(0.0) / front + (-x).max(0.0) / back) / 2.0)
                }
                Aggregator::Softmax(_, alpha) => {
                    let top =
                        arcs.clone().map(|a| alpha * f(a).abs()).fold(f64::NEG_INFINITY, f64::max);
                    let total = sum(&|x| (alpha * x.abs() - top).exp());
                    Box::new(move |x| (alpha * x.abs() - top).exp() / total)
                }
                _ => continue,
            };
            let mut self_weight = 0.0;
            for a in arcs.clone() {
                let w = weight(f(a));
                self_weight += w;
                weights.data_mut()[a * j + k] = T::from_f64(w);
            }
            let derivative = kind.absolute() || matches!(kind, Aggregator::SignedDerivative(_));
            own.data_mut()[v * j + k] = T::from_f64(if derivative { self_weight } else { 0.0 });
        }
    }
    (weights, own)
}

impl<T: Scalar> Direction<T> {
    pub(crate) fn backward(self, mut dy: Matrix<T>, cx: &mut Back<'_, '_, T>) {
        let batch = cx.batch;
        let h = cx.value(self.x);
        let (d, j) = (h.cols(), self.kinds.len());
        let two = T::ONE + T::ONE;
        // The gradient of what stands inside |·| and √·.
        for (at, g) in dy.data_mut().iter_mut().enumerate() {
            let raw = self.raw.data()[at];
            match self.kinds[at / d.max(1) % j] {
                k if k.absolute() && raw < T::ZERO => *g = -*g,
                k if k.absolute() && raw == T::ZERO => *g = T::ZERO,
                Aggregator::Var | Aggregator::Std if raw <= T::ZERO => *g = T::ZERO,
                Aggregator::Std => *g = *g / (two * (raw + T::from_f64(EPS)).sqrt()),
                _ => {}
            }
        }
        let mut dx = cx.pool.take(batch.vertices, d);
        per_vertex(
            batch,
            &mut dx,
            #[inline(always)]
            |u, row| {
                row.fill(T::ZERO);
                for k in 0..j {
                    let e = &dy.row(u)[k * d..(k + 1) * d];
                    rows::add_scaled(row, -self.own.row(u)[k], e);
                }
                for &a in batch.arcs_out(u) {
                    let (a, v) = (a as usize, batch.target[a as usize] as usize);
                    for (k, &kind) in self.kinds.iter().enumerate() {
                        let e = &dy.row(v)[k * d..(k + 1) * d];
                        match kind {
                            Aggregator::Max | Aggregator::Min => {
                                let won = &self.winners[(v * j + k) * d..];
                                let mine = (0..d).filter(|&i| won[i] == a as u32);
                                mine.for_each(|i| row[i] += e[i]);
                            }
                            Aggregator::Var | Aggregator::Std => {
                                let c = two / batch.in_degree[v];
                                let (hu, mean) = (h.row(u), self.means.row(v));
                                (0..d).for_each(|i| row[i] += e[i] * c * (hu[i] - mean[i]));
                            }
                            _ => rows::add_scaled(row, self.weights.row(a)[k], e),
                        }
                    }
                }
            },
        );
        cx.pool.give(dy);
        cx.add(self.x, dx);
    }
}
