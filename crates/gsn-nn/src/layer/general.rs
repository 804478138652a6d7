//! The general form (SPEC §3, the paper's equations 3 and 4):
//! m_v = Σ_{u→v} MLP([h_v, h_u, x_v, x_u, e_uv]) (GSN-v) or MLP([h_v, h_u, x_uv, e_uv]) (GSN-e),
//! h'_v = MLP([h_v, m_v]).

use super::Block;
use super::encoder::Encoded;
use super::mlp::{After, Mlp, Place};
use crate::params::Params;
use crate::scalar::Scalar;
use crate::tape::elementwise::Activation;
use crate::tape::{Tape, Var};

/// Structural identifiers as one layer reads them.
#[derive(Debug, Clone)]
pub(crate) enum Ids<'a> {
    None,
    /// GSN-v
    Vertex(Block<'a>),
    /// GSN-e
    Arc(Encoded<'a>),
}

/// Widths of what a layer reads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Widths {
    pub(crate) vertex: usize,
    /// Width of the identifiers on vertices and on arcs; 0 if absent.
    pub(crate) vertex_ids: usize,
    pub(crate) arc_ids: usize,
    /// Width of the arc features; 0 if absent.
    pub(crate) arc: usize,
}

/// See the module documentation.
#[derive(Debug, Clone)]
pub(crate) struct General {
    name: String,
    message: Mlp,
    update: Mlp,
}

impl General {
    /// Parameters `{name}.msg_fn.*`, `{name}.update_fn.*`.
    pub(crate) fn new<T: Scalar>(
        p: &mut Params<T>,
        name: &str,
        w: Widths,
        (message, hidden, output): (usize, &[usize], usize),
        norm: bool,
        activation: Activation,
    ) -> Self {
        let inputs = 2 * (w.vertex + w.vertex_ids) + w.arc_ids + w.arc;
        let msg = (inputs, hidden, message);
        let upd = (w.vertex + message, hidden, output);
        Self {
            name: name.to_string(),
            message: Mlp::new(p, &format!("{name}.msg_fn"), msg, norm, activation),
            update: Mlp::new(p, &format!("{name}.update_fn"), upd, norm, activation),
        }
    }

    /// h' from h (one or more blocks), identifiers x and arc features e, and what follows it.
    pub(crate) fn forward<'a, T: Scalar>(
        &self,
        tape: &mut Tape<'a, T>,
        h: &[Block<'a>],
        x: &Ids<'a>,
        e: Option<&Encoded<'a>>,
        after: &After<'_>,
    ) -> Var {
        let mut places: Vec<Place<'a>> = h.iter().cloned().map(Place::Centre).collect();
        places.extend(h.iter().cloned().map(Place::Neighbour));
        match x {
            Ids::None => {}
            Ids::Vertex(x) => {
                places.push(Place::Centre(x.clone()));
                places.push(Place::Neighbour(x.clone()));
            }
            Ids::Arc(x) => places.push(Place::Arc(x.clone())),
        }
        places.extend(e.cloned().map(Place::Arc));
        let m = self.message.sum_over_neighbours(tape, &places);
        if let Block::Dense(m) = m {
            tape.mark(|| format!("{}.aggregated_message", self.name), m);
        }
        let mut input = h.to_vec();
        input.push(m);
        self.update.forward_then(tape, tape.batch.vertices, &input, after)
    }
}
