//! DeepSets over arcs (OFFICIAL §e.3), the control without message passing:
//! prediction = ρ(readout over arcs u→v of act(BN(MLP([h_u, h_v, x…, e_uv])))), where x… is
//! [x_u, x_v] or x_uv. A graph without arcs reads as zeros.

use super::config::{DeepSetsConfig, Inputs, Readout, Scope};
use super::{HeadNet, IdReader, Reads, arc_features};
use crate::batch::Batch;
use crate::error::Result;
use crate::layer::encoder::Encoder;
use crate::layer::general::Ids;
use crate::layer::mlp::{Mlp, Place, norm_then};
use crate::params::{NormIds, Params};
use crate::scalar::Scalar;
use crate::tape::elementwise::Activation;
use crate::tape::{Tape, Var};

/// See the module documentation.
#[derive(Debug, Clone)]
pub(super) struct DeepSets {
    reads: Reads,
    ids: Option<IdReader>,
    arc: Option<Encoder>,
    phi: Mlp,
    norm: Option<NormIds>,
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
        let reads = Reads::new(p, "input_node_encoder", inputs);
        let ids = inputs.ids.as_ref().map(|ids| IdReader::new(p, 0, ids));
        let arc = inputs.arc.as_ref().map(|a| Encoder::new(p, "edge_encoder.0", "arc features", a));
        let id_width = ids.as_ref().map_or(0, |i| match i.scope {
            Scope::Vertex => 2 * i.encoder.width(),
            Scope::Arc => i.encoder.width(),
        });
        let width = 2 * reads.width() + id_width + arc.as_ref().map_or(0, Encoder::width);
        let (norm, act) = (c.mlp_norm, c.mlp_activation);
        Self {
            reads,
            ids,
            arc,
            phi: Mlp::new(p, "conv", (width, &c.hidden, c.width), norm, act),
            norm: c.norm.then(|| p.add_norm("batch_norms", c.width)),
            activation: c.activation,
            readout: c.readout,
            rho: HeadNet::new(p, "lin_proj", &c.head, (c.width, outputs), norm, act),
            dropout: c.dropout,
        }
    }

    pub(super) fn check<T: Scalar>(&self, batch: &Batch<T>) -> Result<()> {
        self.reads.check(batch)?;
        self.ids.as_ref().map_or(Ok(()), |i| i.check(batch))?;
        self.arc.as_ref().map_or(Ok(()), |e| e.check(batch.arc.as_ref()))
    }

    pub(super) fn forward<'a, T: Scalar>(&'a self, tape: &mut Tape<'a, T>) -> Var {
        let h = self.reads.forward(tape);
        let mut places: Vec<Place<'a>> = h.iter().cloned().map(Place::Neighbour).collect();
        places.extend(h.into_iter().map(Place::Centre));
        match self.ids.as_ref().map_or(Ids::None, |r| r.forward(tape)) {
            Ids::None => {}
            Ids::Vertex(x) => {
                places.push(Place::Neighbour(x.clone()));
                places.push(Place::Centre(x));
            }
            Ids::Arc(x) => places.push(Place::Arc(x)),
        }
        places.extend(arc_features(&self.arc, tape).map(Place::Arc));
        let z = self.phi.over_arcs(tape, &places);
        let y = match self.norm {
            Some(ids) => norm_then(tape, &|| "batch_norms".into(), z, ids, self.activation),
            None => tape.activate(z, self.activation),
        };
        let pooled = tape.segment(y, &tape.batch.arc_offsets, self.readout);
        let y = self.rho.forward(tape, pooled);
        tape.dropout(y, self.dropout)
    }
}
