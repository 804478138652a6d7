//! DeepSets over arcs, the control without message passing:
//! prediction = dropout(ρ(readout over arcs u→v of act(BN(MLP([h_u, h_v, x…, e_uv]))))), where x… is
//! [x_u, x_v] or x_uv. A graph without arcs reads as zeros.
//!
//! # Shapes
//! h: vertices × encoded width; MLP: arcs × `width`; prediction: graphs × outputs.

use super::Net;
use super::parts::{HeadNet, LayerReader, VertexReader};
use crate::batch::Batch;
use crate::config::{DeepSetsConfig, IdScope, Inputs, LayerReads, Readout};
use crate::error::Result;
use crate::layer::LayerInput;
use crate::layer::mlp::{After, ArcBlock, Mlp, Norm};
use crate::params::Params;
use crate::scalar::Scalar;
use crate::tape::elementwise::Activation;
use crate::tape::{Tape, Var};

/// See the module documentation.
#[derive(Debug)]
pub(super) struct DeepSets {
    vertices: VertexReader,
    reader: LayerReader,
    phi: Mlp,
    norm: Option<Norm>,
    activation: Activation,
    readout: Readout,
    rho: HeadNet,
    dropout: f64,
}

impl DeepSets {
    pub(super) fn new<T: Scalar>(
        p: &mut Params<T>,
        inputs: &Inputs,
        c: &DeepSetsConfig,
        outputs: usize,
    ) -> Self {
        let vertices = VertexReader::new(p, "input_node_encoder", inputs);
        let all = LayerReads { ids: true, arcs: true };
        let reader = LayerReader::new(p, 0, inputs, all, None);
        let on_vertices = vertices.width() + reader.ids_width(IdScope::Vertex);
        let width = 2 * on_vertices + reader.ids_width(IdScope::Arc) + reader.arc_width();
        let (norm, act) = (c.mlp_norm, c.mlp_activation);
        Self {
            vertices,
            reader,
            phi: Mlp::new(p, "conv", (width, &c.hidden, c.width), norm, act),
            norm: c.norm.then(|| Norm::new(p, "batch_norms", c.width)),
            activation: c.activation,
            readout: c.readout,
            rho: HeadNet::new(p, "lin_proj", &c.head, (c.width + inputs.graph, outputs), norm, act),
            dropout: c.dropout,
        }
    }
}

impl<T: Scalar> Net<T> for DeepSets {
    fn check(&self, batch: &Batch<T>) -> Result<()> {
        self.vertices.check(batch)?;
        self.reader.check(batch)
    }

    fn forward<'a>(&'a self, tape: &mut Tape<'a, T>) -> Var {
        let h = self.vertices.forward(tape);
        let (ids, arc) = self.reader.forward(tape);
        let input = LayerInput { h, ids, arc };
        let z = self.phi.over_arcs(tape, &input.per_arc([ArcBlock::Source, ArcBlock::Target]));
        let after = After { of: None, norm: self.norm.as_ref(), activation: self.activation };
        let y = after.forward(tape, z);
        let pooled = tape.segment(y, &tape.batch.arc_offsets, self.readout);
        let y = self.rho.forward(tape, &[pooled]);
        tape.dropout(y, self.dropout)
    }
}
