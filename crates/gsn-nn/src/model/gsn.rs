//! General and GIN form with jumping knowledge:
//! x_{i+1} = act(BN(layer_i(x_i))) [+ x_i], prediction = Σ_i dropout(head_i(readouts(x_i))).
//! Where arcs have states, layers behind the first read them in place of features (`layer::state`).
//!
//! # Shapes
//! x_0: vertices × encoded width; x_{i+1}: vertices × `layers[i].width`; prediction:
//! graphs × outputs.

use std::sync::Arc;

use super::Net;
use super::parts::{HeadNet, LayerReader, Readouts, VertexReader};
use crate::batch::Batch;
use crate::config::{DegreeUse, GsnConfig, GsnLayer, Head, IdScope, Inputs};
use crate::error::Result;
use crate::layer::encoder::{Encoded, Encoder, dense_all};
use crate::layer::mlp::{After, Norm};
use crate::layer::state::ArcState;
use crate::layer::{self, Block, LayerInput, LayerSpec, Widths};
use crate::params::Params;
use crate::scalar::Scalar;
use crate::tape::elementwise::Activation;
use crate::tape::{Tape, Var};

#[derive(Debug)]
struct Layer<T: Scalar> {
    name: String,
    reader: LayerReader,
    degree: Option<(DegreeUse, Encoder)>,
    /// Width of the features or states of arcs that it reads.
    arc_width: usize,
    conv: Arc<dyn layer::Layer<T>>,
    norm: Option<Norm>,
    residual: bool,
}

/// See the module documentation.
#[derive(Debug)]
pub(super) struct Gsn<T: Scalar> {
    vertices: VertexReader,
    layers: Vec<Layer<T>>,
    /// Behind each layer but the last, if arcs have states.
    states: Vec<ArcState>,
    heads: Vec<Option<HeadNet>>,
    dropout: Vec<f64>,
    readouts: Readouts,
    activation: Activation,
}

impl<T: Scalar> Gsn<T> {
    pub(super) fn new(p: &mut Params<T>, inputs: &Inputs, c: &GsnConfig, outputs: usize) -> Self {
        let vertices = VertexReader::new(p, "input_node_encoder", inputs);
        let mut widths = vec![vertices.width()];
        let (mut layers, mut states) = (Vec::new(), Vec::new());
        for (i, l) in c.layers.iter().enumerate() {
            let layer = Layer::new(p, inputs, c, (i, l), widths[i]);
            widths.push(l.width);
            if let Some(width) = c.arc_states.filter(|_| i + 1 < c.layers.len()) {
                let (name, before) = (format!("arc_states.{i}"), layer.arc_width);
                let of = (l.width, before, width);
                let state = ArcState::new(p, &name, of, l.norm, c.activation);
                states.push(state.with_residual(c.residual && i > 0));
            }
            layers.push(layer);
        }
        let last_only = || {
            let mut heads = vec![None; layers.len()];
            heads.push(Some(Head::Linear));
            heads
        };
        let heads = if c.heads.is_empty() { last_only() } else { c.heads.clone() };
        let readouts = Readouts::new(c.readout, &c.beside);
        let heads = heads.iter().zip(&widths).enumerate().map(|(i, (h, &w))| {
            let name = format!("lin_proj.{i}");
            let act = c.mlp_activation;
            let widths = (readouts.width(w) + inputs.graph, outputs);
            h.as_ref().map(|h| HeadNet::new(p, &name, h, widths, c.mlp_norm, act))
        });
        let heads = heads.collect();
        let mut dropout = c.dropout.clone();
        dropout.resize(layers.len() + 1, 0.0);
        let activation = c.activation;
        Self { vertices, layers, states, heads, dropout, readouts, activation }
    }

    /// prediction += dropout(head_i(readouts(x_i)))
    fn jump<'a>(
        &self,
        tape: &mut Tape<'a, T>,
        i: usize,
        x: &[Block<'a>],
        prediction: &mut Option<Var>,
    ) {
        let Some(head) = &self.heads[i] else { return };
        let x = dense_all(tape, x);
        let pooled = self.readouts.forward(tape, x);
        let y = head.forward(tape, &pooled);
        let y = tape.dropout(y, self.dropout[i]);
        *prediction = Some(match *prediction {
            Some(sum) => tape.add(sum, y),
            None => y,
        });
    }
}

impl<T: Scalar> Net<T> for Gsn<T> {
    fn check(&self, batch: &Batch<T>) -> Result<()> {
        self.vertices.check(batch)?;
        for l in &self.layers {
            l.reader.check(batch)?;
            l.degree.iter().try_for_each(|(_, e)| e.check(batch.degrees.as_ref()))?;
        }
        Ok(())
    }

    fn forward<'a>(&'a self, tape: &mut Tape<'a, T>) -> Var {
        let mut x = self.vertices.forward(tape);
        let (mut prediction, mut state) = (None, None);
        self.jump(tape, 0, &x, &mut prediction);
        for (i, layer) in self.layers.iter().enumerate() {
            let (h, read) = layer.forward(tape, &x, state.take(), self.activation);
            state = self.states.get(i).map(|next| next.forward(tape, h, read));
            x = vec![Block::Dense(h)];
            self.jump(tape, i + 1, &x, &mut prediction);
        }
        // Validation made sure that there is a head.
        prediction.unwrap_or(Var(0))
    }
}

impl<T: Scalar> Layer<T> {
    fn new(
        p: &mut Params<T>,
        inputs: &Inputs,
        network: &GsnConfig,
        (i, layer): (usize, &GsnLayer),
        width: usize,
    ) -> Self {
        let reader = LayerReader::new(p, i, inputs, network.reads(i), layer.arc_width);
        let state = network.arc_states.filter(|_| i > 0);
        let arc_width = state.unwrap_or(reader.arc_width());
        let degree = inputs.degree.as_ref().filter(|_| layer.degree != DegreeUse::None);
        let degree = degree
            .map(|d| (layer.degree, Encoder::new(p, &format!("degree_encoder.{i}"), "degrees", d)));
        let (ids_one_hot, arc_one_hot) = reader.one_hot();
        let widths = Widths {
            vertex: match &degree {
                None => width,
                Some((DegreeUse::Replace, d)) => d.width(),
                Some((_, d)) => width + d.width(),
            },
            vertex_ids: reader.ids_width(IdScope::Vertex),
            arc_ids: reader.ids_width(IdScope::Arc),
            arc: arc_width,
        };
        let name = format!("conv.{i}");
        let spec =
            LayerSpec { name: name.clone(), network, layer, widths, ids_one_hot, arc_one_hot };
        let conv = network.form.build(p, &spec);
        let norm = layer.norm.then(|| Norm::new(p, &format!("batch_norms.{i}"), layer.width));
        let residual = network.residual && width == layer.width;
        Self { name, reader, degree, arc_width, conv, norm, residual }
    }

    /// The vertices behind it, and the features or states of arcs it read.
    fn forward<'a>(
        &'a self,
        tape: &mut Tape<'a, T>,
        x: &[Block<'a>],
        state: Option<Encoded<'a>>,
        activation: Activation,
    ) -> (Var, Option<Encoded<'a>>) {
        let mut h = x.to_vec();
        if let (Some((how, encoder)), Some(table)) = (&self.degree, &tape.batch.degrees) {
            if *how == DegreeUse::Replace {
                h.clear();
            }
            h.push(encoder.encode(tape, table, false).block);
        }
        let (ids, features) = self.reader.forward(tape);
        let arc = state.or(features);
        let after = After { of: Some(&self.name), norm: self.norm.as_ref(), activation };
        let y = self.conv.forward(tape, &LayerInput { h, ids, arc: arc.clone() }, &after);
        if !self.residual {
            return (y, arc);
        }
        let x = dense_all(tape, x);
        (tape.add(y, x), arc)
    }
}
