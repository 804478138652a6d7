//! The DGN form (OFFICIAL §e.4): encoder, directional layers, readout, and a head whose widths
//! halve twice with ReLU between.

use super::Reads;
use super::config::{DgnConfig, Ids, Inputs, Readout, Scope};
use crate::batch::{Batch, Table};
use crate::error::Result;
use crate::layer::Block;
use crate::layer::dgn::{DgnLayer, DgnShared};
use crate::layer::encoder::{Encoder, dense};
use crate::layer::mlp::Linear;
use crate::matrix::Matrix;
use crate::params::Params;
use crate::scalar::Scalar;
use crate::tape::elementwise::Activation;
use crate::tape::{Tape, Var};

/// See the module documentation.
#[derive(Debug, Clone)]
pub(super) struct Dgn {
    reads: Reads,
    field: Option<(Scope, Encoder)>,
    shared: DgnShared,
    layers: Vec<DgnLayer>,
    head: Vec<Linear>,
    readout: Readout,
    input_dropout: f64,
}

impl Dgn {
    pub(super) fn new<T: Scalar>(
        p: &mut Params<T>,
        inputs: &Inputs,
        c: &DgnConfig,
        outputs: usize,
    ) -> Self {
        let reads = Reads::new(p, "embedding_h", inputs);
        let shared = DgnShared {
            aggregators: c.aggregators.clone(),
            scalers: c.scalers.clone(),
            avg_log_degree: c.avg_log_degree,
            graph_norm: c.graph_norm,
            dropout: c.dropout,
        };
        let mut width = reads.width();
        let mut layers = Vec::new();
        for (i, &out) in c.layers.iter().enumerate() {
            let rest = (c.depth, c.norm, c.residual);
            layers.push(DgnLayer::new(p, &format!("layers.{i}"), &shared, (width, out), rest));
            width = out;
        }
        let widths = [width, (width / 2).max(1), (width / 4).max(1), outputs];
        let head = widths
            .windows(2)
            .enumerate()
            .map(|(k, w)| Linear::new(p, &format!("MLP_layer.FC_layers.{k}"), w[0], w[1]));
        let head = head.collect();
        let field = inputs.ids.as_ref().map(|Ids { scope, input }| {
            (*scope, Encoder::new(p, "vector_field", "identifiers", input))
        });
        let (readout, input_dropout) = (c.readout, c.input_dropout);
        Self { reads, field, shared, layers, head, readout, input_dropout }
    }

    pub(super) fn check<T: Scalar>(&self, batch: &Batch<T>) -> Result<()> {
        self.reads.check(batch)?;
        match &self.field {
            Some((scope, encoder)) => encoder.check(ids(*scope, batch)),
            None => Ok(()),
        }
    }

    pub(super) fn forward<'a, T: Scalar>(&'a self, tape: &mut Tape<'a, T>) -> Var {
        let field = self.field(tape);
        let x: Vec<Var> = self.reads.forward(tape).iter().map(|b| dense(tape, b)).collect();
        let x = tape.concat(&x);
        let mut h = tape.dropout(x, self.input_dropout);
        for layer in &self.layers {
            h = layer.forward(tape, h, field.as_ref(), &self.shared);
        }
        let mut y = tape.segment(h, &tape.batch.vertex_offsets, self.readout);
        tape.mark(|| "pooled".to_string(), y);
        for (k, linear) in self.head.iter().enumerate() {
            if k > 0 {
                y = tape.activate(y, Activation::Relu);
            }
            y = linear.forward(tape, tape.batch.graphs, &[Block::Dense(y)]);
        }
        y
    }

    /// The vector field, a row per arc u→v: the counts of the arc, or x_u − x_v.
    fn field<'a, T: Scalar>(&'a self, tape: &mut Tape<'a, T>) -> Option<Matrix<T>> {
        let (scope, encoder) = self.field.as_ref()?;
        let batch = tape.batch;
        let encoded = encoder.encode(tape, ids(*scope, batch)?, *scope == Scope::Arc);
        let var = dense(tape, &encoded.block);
        let rows = tape.value(var);
        let mut field = Matrix::zeros(batch.arcs(), rows.cols());
        let cols = rows.cols().max(1);
        for (a, out) in field.data_mut().chunks_exact_mut(cols).enumerate() {
            match (scope, encoded.of_arc) {
                (Scope::Arc, Some(of_arc)) => out.copy_from_slice(rows.row(of_arc[a] as usize)),
                (Scope::Arc, None) => out.copy_from_slice(rows.row(a)),
                (Scope::Vertex, _) => {
                    let (u, v) = (batch.source[a] as usize, batch.target[a] as usize);
                    let pairs = rows.row(u).iter().zip(rows.row(v));
                    out.iter_mut().zip(pairs).for_each(|(f, (&u, &v))| *f = u - v);
                }
            }
        }
        Some(field)
    }
}

fn ids<T>(scope: Scope, batch: &Batch<T>) -> Option<&Table<T>> {
    match scope {
        Scope::Vertex => batch.vertex_ids.as_ref(),
        Scope::Arc => batch.arc_ids.as_ref(),
    }
}
