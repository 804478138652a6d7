//! The general form (equations 3 and 4 of the paper):
//!
//! m_v = Σ_{u→v} MLP([h_v, h_u, x_v, x_u, e_uv]) for GSN-v,
//! m_v = Σ_{u→v} MLP([h_v, h_u, x_uv, e_uv]) for GSN-e,
//! h'_v = MLP([h_v, m_v]).
//!
//! # Shapes
//! h: vertices × d; x: vertices × k or arcs × k; e: arcs × l; m: vertices × `message`;
//! h': vertices × `width`. x and e may be absent.

use super::mlp::{After, ArcBlock, Mlp};
use super::{Block, Layer, LayerInput, LayerSpec};
use crate::config::GsnLayer;
use crate::params::Params;
use crate::scalar::Scalar;
use crate::tape::{Tape, Var};

/// See the module documentation.
#[derive(Debug)]
pub(super) struct General {
    name: String,
    message: Mlp,
    update: Mlp,
}

impl General {
    /// Parameters `{name}.msg_fn.*`, `{name}.update_fn.*`.
    pub(super) fn new<T: Scalar>(p: &mut Params<T>, spec: &LayerSpec<'_>) -> Self {
        let (w, width) = (spec.widths, spec.layer.width);
        let inputs = 2 * (w.vertex + w.vertex_ids) + w.arc_ids + w.arc;
        let message = spec.layer.message.unwrap_or(width);
        Self {
            name: spec.name.clone(),
            message: spec.mlp(p, "msg_fn", inputs, message),
            update: spec.mlp(p, "update_fn", w.vertex + message, width),
        }
    }

    pub(super) fn check(layer: &GsnLayer) -> Result<(), &'static str> {
        if layer.learn_eps { Err("learn_eps belongs to the gin form") } else { Ok(()) }
    }
}

impl<T: Scalar> Layer<T> for General {
    fn forward<'a>(
        &self,
        tape: &mut Tape<'a, T>,
        input: &LayerInput<'a>,
        after: &After<'_>,
    ) -> Var {
        let per_arc = input.per_arc([ArcBlock::Target, ArcBlock::Source]);
        let m = self.message.sum_over_neighbours(tape, &per_arc);
        if let Block::Dense(m) = m {
            tape.mark(format_args!("{}.aggregated_message", self.name), m);
        }
        let mut both = input.h.clone();
        both.push(m);
        self.update.forward_then(tape, tape.batch.vertices, &both, after)
    }
}
