//! The OGB form with optional virtual node G (OFFICIAL §e.2):
//! h_i ← h_i + G; h_{i+1} = dropout(act(BN(layer_i(h_i)))), no activation behind the last layer;
//! t = MLP(readout(h_i) + G), G ← dropout(ReLU(t)); with residual h_{i+1} += h_i and
//! G ← t + dropout(ReLU(t)). Prediction = head(readout(Σ selected h_i)).

use super::config::{Inputs, OgbConfig, Readout};
use super::{HeadNet, IdReader, Reads, arc_features};
use crate::batch::Batch;
use crate::error::Result;
use crate::layer::Block;
use crate::layer::encoder::{Encoder, dense};
use crate::layer::general::Ids;
use crate::layer::mlp::{After, Mlp};
use crate::layer::ogb::OgbLayer;
use crate::matrix::Matrix;
use crate::params::{Init, NormIds, ParamId, Params};
use crate::scalar::Scalar;
use crate::tape::elementwise::Activation;
use crate::tape::{Tape, Var};

#[derive(Debug, Clone)]
struct Layer {
    ids: Option<IdReader>,
    arc: Option<Encoder>,
    conv: OgbLayer,
    norm: Option<NormIds>,
    activation: Activation,
    dropout: f64,
}

#[derive(Debug, Clone)]
struct VirtualNode {
    start: Option<ParamId>,
    readout: Readout,
    mlps: Vec<Mlp>,
}

/// See the module documentation.
#[derive(Debug, Clone)]
pub(super) struct Ogb {
    reads: Reads,
    layers: Vec<Layer>,
    virtual_node: Option<VirtualNode>,
    activation: Activation,
    residual: bool,
    jumping: Vec<bool>,
    readout: Readout,
    head: HeadNet,
}

impl Ogb {
    pub(super) fn new<T: Scalar>(
        p: &mut Params<T>,
        inputs: &Inputs,
        c: &OgbConfig,
        outputs: usize,
    ) -> Self {
        let reads = Reads::new(p, "input_node_encoder", inputs);
        let d = reads.width();
        let (norm, act) = (c.mlp_norm, c.mlp_activation);
        let last = c.layers.len() - 1;
        let mut layers = Vec::new();
        for (i, l) in c.layers.iter().enumerate() {
            let ids = inputs.ids.as_ref().filter(|_| l.ids.unwrap_or(i == 0));
            let arc = inputs.arc.as_ref().filter(|_| l.arcs.unwrap_or(true));
            layers.push(Layer {
                ids: ids.map(|ids| IdReader::new(p, i, ids)),
                arc: arc.map(|a| Encoder::new(p, &format!("edge_encoder.{i}"), "arc features", a)),
                conv: OgbLayer::new(
                    p,
                    &format!("conv.{i}"),
                    (d, &l.hidden, d),
                    l.learn_eps,
                    norm,
                    act,
                ),
                norm: l.norm.then(|| p.add_norm(&format!("batch_norms.{i}"), d)),
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
        let head = HeadNet::new(p, "lin_proj", &c.head, (d, outputs), norm, act);
        Self {
            reads,
            layers,
            virtual_node,
            activation: c.activation,
            residual: c.residual,
            jumping,
            readout: c.readout,
            head,
        }
    }

    pub(super) fn check<T: Scalar>(&self, batch: &Batch<T>) -> Result<()> {
        self.reads.check(batch)?;
        for l in &self.layers {
            l.ids.as_ref().map_or(Ok(()), |i| i.check(batch))?;
            l.arc.as_ref().map_or(Ok(()), |e| e.check(batch.arc.as_ref()))?;
        }
        Ok(())
    }

    pub(super) fn forward<'a, T: Scalar>(&'a self, tape: &mut Tape<'a, T>) -> Var {
        let x: Vec<Var> = self.reads.forward(tape).iter().map(|b| dense(tape, b)).collect();
        let mut h = tape.concat(&x);
        let mut g = self.virtual_node.as_ref().map(|vn| vn.start(tape, self.reads.width()));
        let mut states = Vec::new();
        for (i, layer) in self.layers.iter().enumerate() {
            if let Some(g) = g {
                h = tape.spread(h, g);
            }
            states.push(h);
            let mut next = layer.forward(tape, i, h);
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
        let pooled = tape.segment(sum, &tape.batch.vertex_offsets, self.readout);
        self.head.forward(tape, pooled)
    }
}

impl Layer {
    fn forward<'a, T: Scalar>(&'a self, tape: &mut Tape<'a, T>, i: usize, h: Var) -> Var {
        let ids = self.ids.as_ref().map_or(Ids::None, |r| r.forward(tape));
        let e = arc_features(&self.arc, tape);
        let (of, name) = (|| format!("conv.{i}"), || format!("batch_norms.{i}"));
        let norm = self.norm.map(|ids| (ids, &name as &dyn Fn() -> String));
        let after = After { of: Some(&of), norm, activation: self.activation };
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
