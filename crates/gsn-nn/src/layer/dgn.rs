//! The DGN form:
//!
//! y_v = [s_1(D_v)·A_v, s_2(D_v)·A_v, …], A_v = all aggregators of the rows h_u, u→v, side by side,
//! s_k the degree scalers;
//! h'_v = dropout(h_v + ReLU(BN(W y_v + b))), W y + b being a stack of Linears with ReLU between if
//! the depth is above 1. The sum with h_v is left out where the widths differ.
//!
//! # Shapes
//! h: vertices × d; field: arcs × directions; y: vertices × (d · aggregators · scalers);
//! h': vertices × `width`.

use serde::{Deserialize, Serialize};

use super::Block;
use super::mlp::{After, Linear, Norm};
use crate::matrix::Matrix;
use crate::params::{Init, Params};
use crate::scalar::Scalar;
use crate::tape::direction::Aggregator;
use crate::tape::elementwise::Activation;
use crate::tape::{Tape, Var};

/// Factor of all aggregators by in-degree D; `avg` is the mean of ln(D + 1) over the training set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scaler {
    /// 1
    Identity,
    /// ln(D + 1)/avg
    Amplification,
    /// avg/ln(D + 1)
    Attenuation,
}

impl Scaler {
    fn factor(self, degree: f64, avg: f64) -> f64 {
        match self {
            Scaler::Identity => 1.0,
            Scaler::Amplification => (degree + 1.0).ln() / avg,
            // Without neighbours all aggregators are zero, whatever the factor.
            Scaler::Attenuation if degree == 0.0 => 0.0,
            Scaler::Attenuation => avg / (degree + 1.0).ln(),
        }
    }
}

/// See the module documentation.
#[derive(Debug, Clone)]
pub(crate) struct DgnLayer {
    name: String,
    linears: Vec<Linear>,
    norm: Option<Norm>,
    residual: bool,
}

/// What all layers of a network share.
#[derive(Debug, Clone)]
pub(crate) struct DgnShared {
    pub(crate) aggregators: Vec<Aggregator>,
    pub(crate) scalers: Vec<Scaler>,
    pub(crate) avg_log_degree: f64,
    pub(crate) graph_norm: bool,
    pub(crate) dropout: f64,
}

impl DgnLayer {
    /// Parameters `{name}.posttrans.fully_connected.k.linear`, `{name}.batchnorm_h`.
    pub(crate) fn new<T: Scalar>(
        p: &mut Params<T>,
        name: &str,
        shared: &DgnShared,
        (inputs, outputs): (usize, usize),
        (depth, norm, residual): (usize, bool, bool),
    ) -> Self {
        let wide = inputs * shared.aggregators.len() * shared.scalers.len();
        let linears = (0..depth).map(|k| {
            let name = format!("{name}.posttrans.fully_connected.{k}.linear");
            let inputs = if k == 0 { wide } else { outputs };
            // Xavier with gain 1/inputs, as published; the BatchNorm behind it takes up the scale.
            let bound = (6.0 / (inputs + outputs) as f64).sqrt() / inputs as f64;
            let start = (Init::Uniform(bound), Init::Constant(0.0));
            Linear::starting(p, &name, (inputs, outputs), start.0, start.1)
        });
        let linears = linears.collect();
        Self {
            name: name.to_string(),
            linears,
            norm: norm.then(|| Norm::new(p, &format!("{name}.batchnorm_h"), outputs)),
            residual: residual && inputs == outputs,
        }
    }

    /// h' from h; `field` has a row per arc.
    pub(crate) fn forward<'a, T: Scalar>(
        &self,
        tape: &mut Tape<'a, T>,
        h: Var,
        field: Option<&Matrix<T>>,
        shared: &DgnShared,
    ) -> Var {
        let batch = tape.batch;
        let mut y = tape.direction(h, &shared.aggregators, field);
        if shared.scalers != [Scaler::Identity] {
            let factor = |s: &Scaler| {
                let f = |d: &T| T::from_f64(s.factor(d.to_f64(), shared.avg_log_degree));
                batch.in_degree.iter().map(f).collect()
            };
            y = tape.scale_rows(y, shared.scalers.iter().map(factor).collect());
        }
        for (k, linear) in self.linears.iter().enumerate() {
            if k > 0 {
                y = tape.activate(y, Activation::Relu);
            }
            y = linear.forward(tape, batch.vertices, &[Block::Dense(y)]);
        }
        if shared.graph_norm {
            let size = |g: u32| batch.vertices_of(g as usize).map_or(1, |r| r.len());
            let f = |&g: &u32| T::from_f64(1.0 / (size(g) as f64).sqrt());
            y = tape.scale_rows(y, vec![batch.graph_of.iter().map(f).collect()]);
        }
        y = After { norm: self.norm.as_ref(), activation: Activation::Relu, of: None }
            .forward(tape, y);
        if self.residual {
            y = tape.add(h, y);
        }
        y = tape.dropout(y, shared.dropout);
        tape.mark(&self.name, y);
        y
    }
}
