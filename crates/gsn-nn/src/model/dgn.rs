//! The DGN form: h_0 = dropout(encoder), h_{i+1} = layer_i(h_i) (see `layer::dgn`),
//! prediction = W₃ ReLU(W₂ ReLU(W₁ readout(h_L))), whose widths halve twice.
//!
//! # Shapes
//! h_0: vertices × encoded width; h_{i+1}: vertices × `layers[i]`; field: arcs × directions;
//! prediction: graphs × outputs.

use super::Net;
use super::parts::{IdReader, VertexReader, head_input};
use crate::batch::Batch;
use crate::config::{DgnConfig, IdScope, Inputs};
use crate::error::Result;
use crate::layer::Block;
use crate::layer::dgn::DgnLayer;
use crate::layer::encoder::{dense, dense_all};
use crate::layer::mlp::Linear;
use crate::matrix::Matrix;
use crate::params::Params;
use crate::scalar::Scalar;
use crate::tape::direction::Directions;
use crate::tape::elementwise::Activation;
use crate::tape::{Tape, Var};

/// See the module documentation.
#[derive(Debug)]
pub(super) struct Dgn {
    vertices: VertexReader,
    field: Option<IdReader>,
    config: DgnConfig,
    layers: Vec<DgnLayer>,
    head: Vec<Linear>,
}

impl Dgn {
    pub(super) fn new<T: Scalar>(
        p: &mut Params<T>,
        inputs: &Inputs,
        c: &DgnConfig,
        outputs: usize,
    ) -> Self {
        let vertices = VertexReader::new(p, "embedding_h", inputs);
        let mut width = vertices.width();
        let mut layers = Vec::new();
        for (i, &out) in c.layers.iter().enumerate() {
            layers.push(DgnLayer::new(p, &format!("layers.{i}"), c, (width, out)));
            width = out;
        }
        let widths = [width + inputs.graph, (width / 2).max(1), (width / 4).max(1), outputs];
        let head = widths
            .windows(2)
            .enumerate()
            .map(|(k, w)| Linear::new(p, &format!("MLP_layer.FC_layers.{k}"), w[0], w[1]));
        let head = head.collect();
        let field = inputs.ids.as_ref().map(|ids| IdReader::new(p, "vector_field", ids));
        Self { vertices, field, config: c.clone(), layers, head }
    }

    /// The vector field, a row per arc u→v: the counts of the arc, or x_u − x_v.
    fn field<'a, T: Scalar>(&'a self, tape: &mut Tape<'a, T>) -> Option<Matrix<T>> {
        let reader = self.field.as_ref()?;
        let encoded = reader.encode(tape)?;
        let batch = tape.batch;
        let var = dense(tape, &encoded.block);
        let rows = tape.value(var);
        let mut field = Matrix::zeros(batch.arcs(), rows.cols());
        let cols = rows.cols().max(1);
        for (a, out) in field.data_mut().chunks_exact_mut(cols).enumerate() {
            match (reader.scope, encoded.of_arc) {
                (IdScope::Arc, Some(of_arc)) => out.copy_from_slice(rows.row(of_arc[a] as usize)),
                (IdScope::Arc, None) => out.copy_from_slice(rows.row(a)),
                (IdScope::Vertex, _) => {
                    let (u, v) = (batch.source[a] as usize, batch.target[a] as usize);
                    let pairs = rows.row(u).iter().zip(rows.row(v));
                    out.iter_mut().zip(pairs).for_each(|(f, (&u, &v))| *f = u - v);
                }
            }
        }
        Some(field)
    }
}

impl<T: Scalar> Net<T> for Dgn {
    fn check(&self, batch: &Batch<T>) -> Result<()> {
        self.vertices.check(batch)?;
        self.field.iter().try_for_each(|reader| reader.check(batch))
    }

    fn forward<'a>(&'a self, tape: &mut Tape<'a, T>) -> Var {
        let field = self.field(tape);
        let x = self.vertices.forward(tape);
        let x = dense_all(tape, &x);
        let mut h = tape.dropout(x, self.config.input_dropout);
        let kinds = &self.config.aggregators;
        let directions = Directions::new(tape.batch, kinds, field.as_ref()).into();
        for layer in &self.layers {
            h = layer.forward(tape, h, &directions, &self.config);
        }
        let mut y = tape.segment(h, &tape.batch.vertex_offsets, self.config.readout);
        tape.mark("pooled", y);
        for (k, linear) in self.head.iter().enumerate() {
            let blocks = match k {
                0 => head_input(tape, &[y]),
                _ => vec![Block::Dense(tape.activate(y, Activation::Relu))],
            };
            y = linear.forward(tape, tape.batch.graphs, &blocks);
        }
        y
    }
}
