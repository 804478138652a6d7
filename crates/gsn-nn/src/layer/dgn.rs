//! The DGN form:
//!
//! y_v = [s_1(D_v)·A_v, s_2(D_v)·A_v, …], A_v = all aggregators of the rows h_u, u→v, side by side,
//! s_k the degree scalers;
//! h'_v = dropout(h_v + ReLU(BN(W y_v + b))), W y + b being a stack of Linears with ReLU between if
//! the depth is above 1, and divided by √(vertices of the graph) with `graph_norm`. The sum with
//! h_v is left out without `residual` and where the widths differ.
//!
//! # Shapes
//! h: vertices × d; field: arcs × directions; y: vertices × (d · aggregators · scalers);
//! h': vertices × `width`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Block;
use super::mlp::{After, Linear, Norm};
use crate::config::DgnConfig;
use crate::params::{Init, Params};
use crate::scalar::Scalar;
use crate::tape::direction::Directions;
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

impl DgnLayer {
    /// Parameters `{name}.posttrans.fully_connected.k.linear`, `{name}.batchnorm_h`.
    pub(crate) fn new<T: Scalar>(
        p: &mut Params<T>,
        name: &str,
        c: &DgnConfig,
        (inputs, outputs): (usize, usize),
    ) -> Self {
        let wide = inputs * c.aggregators.len() * c.scalers.len();
        let linears = (0..c.depth).map(|k| {
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
            norm: c.norm.then(|| Norm::new(p, &format!("{name}.batchnorm_h"), outputs)),
            residual: c.residual && inputs == outputs,
        }
    }

    /// h' from h and the aggregators of the batch.
    pub(crate) fn forward<'a, T: Scalar>(
        &self,
        tape: &mut Tape<'a, T>,
        h: Var,
        directions: &Arc<Directions<T>>,
        c: &DgnConfig,
    ) -> Var {
        let batch = tape.batch;
        let mut y = tape.direction(h, directions);
        if c.scalers != [Scaler::Identity] {
            let factor = |s: &Scaler| {
                let f = |d: &T| T::from_f64(s.factor(d.to_f64(), c.avg_log_degree));
                batch.in_degree.iter().map(f).collect()
            };
            y = tape.scale_rows(y, c.scalers.iter().map(factor).collect());
        }
        for (k, linear) in self.linears.iter().enumerate() {
            if k > 0 {
                y = tape.activate(y, Activation::Relu);
            }
            y = linear.forward(tape, batch.vertices, &[Block::Dense(y)]);
        }
        if c.graph_norm {
            let size = |g: u32| batch.vertices_of(g as usize).map_or(1, |r| r.len());
            let f = |&g: &u32| T::from_f64(1.0 / (size(g) as f64).sqrt());
            y = tape.scale_rows(y, vec![batch.graph_of.iter().map(f).collect()]);
        }
        y = After { norm: self.norm.as_ref(), activation: Activation::Relu, of: None }
            .forward(tape, y);
        if self.residual {
            y = tape.add(h, y);
        }
        y = tape.dropout(y, c.dropout);
        tape.mark(&self.name, y);
        y
    }
}
