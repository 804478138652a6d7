//! The OGB form with optional virtual node G, one row per graph:
//! h_i ← h_i + G; h_{i+1} = dropout(act(BN(layer_i(h_i)))), no activation behind the last layer;
//! t = MLP(readout(h_i) + G), G ← dropout(act(t)); with residual h_{i+1} += h_i and
//! G ← t + dropout(act(t)). Prediction = head(readouts(Σ selected h_i)).
//!
//! # Shapes
//! all h_i: vertices × d, d the encoded width; G: graphs × d; prediction: graphs × outputs.

use super::Net;
use super::parts::{HeadNet, LayerReader, Readouts, VertexReader};
use crate::batch::Batch;
use crate::config::{Inputs, OgbConfig, Readout};
use crate::error::Result;
use crate::layer::Block;
use crate::layer::encoder::dense_all;
use crate::layer::mlp::{After, Mlp, Norm};
use crate::layer::ogb::OgbLayer;
use crate::matrix::Matrix;
use crate::params::{Init, ParamId, Params};
use crate::scalar::Scalar;
use crate::tape::elementwise::Activation;
use crate::tape::{Tape, Var};

#[derive(Debug)]
struct Layer {
    name: String,
    reader: LayerReader,
    conv: OgbLayer,
    norm: Option<Norm>,
    activation: Activation,
    dropout: f64,
}

#[derive(Debug)]
struct VirtualNode {
    start: Option<ParamId>,
    readout: Readout,
    mlps: Vec<Mlp>,
}

/// See the module documentation.
#[derive(Debug)]
pub(super) struct Ogb {
    vertices: VertexReader,
    layers: Vec<Layer>,
    virtual_node: Option<VirtualNode>,
    activation: Activation,
    residual: bool,
    jumping: Vec<bool>,
    readouts: Readouts,
    head: HeadNet,
}

impl Ogb {
    pub(super) fn new<T: Scalar>(
        p: &mut Params<T>,
        inputs: &Inputs,
        c: &OgbConfig,
        outputs: usize,
    ) -> Self {
        let vertices = VertexReader::adding(p, "input_node_encoder", inputs);
        let d = vertices.width();
        let (norm, act) = (c.mlp_norm, c.mlp_activation);
        let last = c.layers.len() - 1;
        let mut layers = Vec::new();
        for (i, l) in c.layers.iter().enumerate() {
            let name = format!("conv.{i}");
            layers.push(Layer {
                reader: LayerReader::new(p, i, inputs, l.reads(i), None),
                conv: OgbLayer::new(p, &name, (d, &l.hidden, d), l.learn_eps, norm, act),
                norm: l.norm.then(|| Norm::new(p, &format!("batch_norms.{i}"), d)),
                name,
                activation: if i == last { Activation::Identity } else { c.activation },
                dropout: l.dropout,
            });
        }
        let virtual_node = c.virtual_node.as_ref().map(|v| VirtualNode {
            start: v.learn_start.then(|| {
                let name = "vn_encoder.encoder.encoder.0.weight".to_string();
                p.add(name, &[1, d], Init::Constant(0.0))
            }),
            readout: v.readout,
            mlps: (0..last)
                .map(|i| Mlp::new(p, &format!("mlp_vn.{i}"), (d, &v.hidden, d), norm, act))
                .collect(),
        });
        let mut jumping = c.jumping.clone();
        if jumping.is_empty() {
            jumping = vec![false; last + 1];
            jumping.push(true);
        }
        let readouts = Readouts::new(c.readout, &c.beside);
        let widths = (readouts.width(d) + inputs.graph, outputs);
        let head = HeadNet::new(p, "lin_proj", &c.head, widths, norm, act);
        Self {
            vertices,
            layers,
            virtual_node,
            activation: c.activation,
            residual: c.residual,
            jumping,
            readouts,
            head,
        }
    }
}

impl<T: Scalar> Net<T> for Ogb {
    fn check(&self, batch: &Batch<T>) -> Result<()> {
        self.vertices.check(batch)?;
        self.layers.iter().try_for_each(|l| l.reader.check(batch))
    }

    fn forward<'a>(&'a self, tape: &mut Tape<'a, T>) -> Var {
        let x = self.vertices.forward(tape);
        let mut h = dense_all(tape, &x);
        let mut g = self.virtual_node.as_ref().map(|vn| vn.start(tape, self.vertices.width()));
        let mut states = Vec::new();
        for (i, layer) in self.layers.iter().enumerate() {
            if let Some(g) = g {
                h = tape.spread(h, g);
            }
            states.push(h);
            let mut next = layer.forward(tape, h);
            if self.residual {
                next = tape.add(next, h);
            }
            if let (Some(vn), Some(old)) = (&self.virtual_node, g)
                && let Some(mlp) = vn.mlps.get(i)
            {
                let pooled = tape.segment(h, &tape.batch.vertex_offsets, vn.readout);
                let sum = tape.add(pooled, old);
                let t = mlp.forward(tape, tape.batch.graphs, &[Block::Dense(sum)]);
                let on = tape.activate(t, self.activation);
                let on = tape.dropout(on, layer.dropout);
                g = Some(if self.residual { tape.add(t, on) } else { on });
            }
            h = next;
        }
        states.push(h);
        let mut selected = states.iter().zip(&self.jumping).filter(|(_, j)| **j).map(|(&s, _)| s);
        let mut sum = selected.next().unwrap_or(h);
        for s in selected {
            sum = tape.add(sum, s);
        }
        let pooled = self.readouts.forward(tape, sum);
        self.head.forward(tape, &pooled)
    }
}

impl Layer {
    fn forward<'a, T: Scalar>(&'a self, tape: &mut Tape<'a, T>, h: Var) -> Var {
        let (ids, e) = self.reader.forward(tape);
        let (norm, activation) = (self.norm.as_ref(), self.activation);
        let after = After { of: Some(&self.name), norm, activation };
        let y = self.conv.forward(tape, h, &ids, e.as_ref(), &after);
        tape.dropout(y, self.dropout)
    }
}

impl VirtualNode {
    /// The start vector, once per graph.
    fn start<T: Scalar>(&self, tape: &mut Tape<'_, T>, width: usize) -> Var {
        match self.start {
            Some(id) => tape.embed(&tape.batch.graph_zeros, &[id], false),
            None => tape.constant(Matrix::zeros(tape.batch.graphs, width)),
        }
    }
}
