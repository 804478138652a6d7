//! General and GIN form with jumping knowledge (OFFICIAL §e.1):
//! x_{i+1} = act(BN(layer_i(x_i))), prediction = Σ_i dropout(head_i(readout(x_i))).

use super::config::{DegreeUse, Form, GsnConfig, Head, Inputs, Readout, Scope};
use super::{HeadNet, IdReader, Reads, arc_features};
use crate::batch::Batch;
use crate::error::Result;
use crate::layer::Block;
use crate::layer::encoder::{Encoder, dense};
use crate::layer::general::{General, Ids, Widths};
use crate::layer::gin::{Gin, GinSettings};
use crate::layer::mlp::After;
use crate::params::{NormIds, Params};
use crate::scalar::Scalar;
use crate::tape::elementwise::Activation;
use crate::tape::{Tape, Var};

#[derive(Debug, Clone)]
enum Conv {
    General(General),
    Gin(Gin),
}

#[derive(Debug, Clone)]
struct Layer {
    ids: Option<IdReader>,
    arc: Option<Encoder>,
    degree: Option<(DegreeUse, Encoder)>,
    conv: Conv,
    norm: Option<NormIds>,
    residual: bool,
}

/// See the module documentation.
#[derive(Debug, Clone)]
pub(super) struct Gsn {
    reads: Reads,
    layers: Vec<Layer>,
    heads: Vec<Option<HeadNet>>,
    dropout: Vec<f64>,
    readout: Readout,
    activation: Activation,
}

impl Gsn {
    pub(super) fn new<T: Scalar>(
        p: &mut Params<T>,
        inputs: &Inputs,
        c: &GsnConfig,
        outputs: usize,
    ) -> Self {
        let reads = Reads::new(p, "input_node_encoder", inputs);
        let mut width = reads.width();
        let mut widths = vec![width];
        let mut layers = Vec::new();
        for (i, l) in c.layers.iter().enumerate() {
            let ids = inputs.ids.as_ref().filter(|_| l.ids.unwrap_or(i == 0));
            let ids = ids.map(|ids| IdReader::new(p, i, ids));
            let arc = inputs.arc.as_ref().filter(|_| l.arcs.unwrap_or(true)).map(|a| {
                Encoder::new(
                    p,
                    &format!("edge_encoder.{i}"),
                    "arc features",
                    &a.with_width(l.arc_width),
                )
            });
            let degree =
                inputs.degree.as_ref().filter(|_| l.degree != DegreeUse::None).map(|d| {
                    (l.degree, Encoder::new(p, &format!("degree_encoder.{i}"), "degrees", d))
                });
            let on =
                |s: Scope| ids.as_ref().filter(|i| i.scope == s).map_or(0, |i| i.encoder.width());
            let w = Widths {
                vertex: match &degree {
                    None => width,
                    Some((DegreeUse::Replace, d)) => d.width(),
                    Some((_, d)) => width + d.width(),
                },
                vertex_ids: on(Scope::Vertex),
                arc_ids: on(Scope::Arc),
                arc: arc.as_ref().map_or(0, Encoder::width),
            };
            let hidden = l.hidden.clone().unwrap_or_else(|| vec![l.width]);
            let name = format!("conv.{i}");
            let (norm, act) = (c.mlp_norm, c.mlp_activation);
            let conv = match c.form {
                Form::General => {
                    let message = l.message.unwrap_or(l.width);
                    Conv::General(General::new(p, &name, w, (message, &hidden, l.width), norm, act))
                }
                Form::Gin => {
                    let s = GinSettings {
                        learn_eps: l.learn_eps,
                        dummy: c.dummy_self,
                        ids_one_hot: ids.as_ref().is_some_and(|i| i.encoder.is_one_hot()),
                        arc_one_hot: arc.as_ref().is_some_and(Encoder::is_one_hot),
                    };
                    Conv::Gin(Gin::new(p, &name, w, s, (&hidden, l.width), norm, act))
                }
            };
            layers.push(Layer {
                ids,
                arc,
                degree,
                conv,
                norm: l.norm.then(|| p.add_norm(&format!("batch_norms.{i}"), l.width)),
                residual: c.residual && width == l.width,
            });
            width = l.width;
            widths.push(width);
        }
        let last_only = || {
            let mut heads = vec![None; layers.len()];
            heads.push(Some(Head::Linear));
            heads
        };
        let heads = if c.heads.is_empty() { last_only() } else { c.heads.clone() };
        let heads = heads.iter().zip(&widths).enumerate().map(|(i, (h, &w))| {
            let name = format!("lin_proj.{i}");
            let act = c.mlp_activation;
            h.as_ref().map(|h| HeadNet::new(p, &name, h, (w, outputs), c.mlp_norm, act))
        });
        let heads = heads.collect();
        let mut dropout = c.dropout.clone();
        dropout.resize(layers.len() + 1, 0.0);
        Self { reads, layers, heads, dropout, readout: c.readout, activation: c.activation }
    }

    pub(super) fn check<T: Scalar>(&self, batch: &Batch<T>) -> Result<()> {
        self.reads.check(batch)?;
        for l in &self.layers {
            l.ids.as_ref().map_or(Ok(()), |i| i.check(batch))?;
            l.arc.as_ref().map_or(Ok(()), |e| e.check(batch.arc.as_ref()))?;
            l.degree.as_ref().map_or(Ok(()), |(_, e)| e.check(batch.degrees.as_ref()))?;
        }
        Ok(())
    }

    pub(super) fn forward<'a, T: Scalar>(&'a self, tape: &mut Tape<'a, T>) -> Var {
        let mut x = self.reads.forward(tape);
        let mut prediction = None;
        self.jump(tape, 0, &x, &mut prediction);
        for (i, layer) in self.layers.iter().enumerate() {
            let h = layer.forward(tape, i, &x, self.activation);
            x = vec![Block::Dense(h)];
            self.jump(tape, i + 1, &x, &mut prediction);
        }
        // Validation made sure that there is a head.
        prediction.unwrap_or(Var(0))
    }

    /// prediction += dropout(head_i(readout(x_i)))
    fn jump<'a, T: Scalar>(
        &self,
        tape: &mut Tape<'a, T>,
        i: usize,
        x: &[Block<'a>],
        prediction: &mut Option<Var>,
    ) {
        let Some(head) = &self.heads[i] else { return };
        let x: Vec<Var> = x.iter().map(|b| dense(tape, b)).collect();
        let x = tape.concat(&x);
        let pooled = tape.segment(x, &tape.batch.vertex_offsets, self.readout);
        let y = head.forward(tape, pooled);
        let y = tape.dropout(y, self.dropout[i]);
        *prediction = Some(match *prediction {
            Some(sum) => tape.add(sum, y),
            None => y,
        });
    }
}

impl Layer {
    fn forward<'a, T: Scalar>(
        &'a self,
        tape: &mut Tape<'a, T>,
        i: usize,
        x: &[Block<'a>],
        activation: Activation,
    ) -> Var {
        let mut input = x.to_vec();
        if let (Some((how, encoder)), Some(table)) = (&self.degree, &tape.batch.degrees) {
            if *how == DegreeUse::Replace {
                input.clear();
            }
            input.push(encoder.encode(tape, table, false).block);
        }
        let ids = self.ids.as_ref().map_or(Ids::None, |r| r.forward(tape));
        let e = arc_features(&self.arc, tape);
        let (of, name) = (|| format!("conv.{i}"), || format!("batch_norms.{i}"));
        let norm = self.norm.map(|ids| (ids, &name as &dyn Fn() -> String));
        let after = After { of: Some(&of), norm, activation };
        let y = match &self.conv {
            Conv::General(c) => c.forward(tape, &input, &ids, e.as_ref(), &after),
            Conv::Gin(c) => c.forward(tape, &input, &ids, e.as_ref(), &after),
        };
        if !self.residual {
            return y;
        }
        let x: Vec<Var> = x.iter().map(|b| dense(tape, b)).collect();
        let x = tape.concat(&x);
        tape.add(y, x)
    }
}
