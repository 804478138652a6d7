//! The GIN form (SPEC §3): h'_v = MLP((1+ε)·[h_v, x_v, e_self] + Σ_{u→v} [h_u, x_u, e_uv]) for
//! GSN-v, with [h_v, x_self, e_self] and [h_u, x_uv, e_uv] for GSN-e.
//!
//! What lives on arcs has no value for the centre: a one-hot block gets one more leading column
//! that only the centre sets, any other block a trained vector, or the centre has zeros.
//! The first Linear of the MLP is applied before the sum (see `tape::aggregate`).

use std::borrow::Cow;

use super::encoder::{Encoded, dense};
use super::general::{Ids, Widths};
use super::mlp::{After, Mlp};
use super::{Affine, Block, OneHot};
use crate::params::{Init, ParamId, Params};
use crate::scalar::Scalar;
use crate::tape::aggregate::Eps;
use crate::tape::elementwise::Activation;
use crate::tape::message::Parts;
use crate::tape::{Tape, Var};

/// What stands for a feature of arcs at the centre.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Centre {
    Zeros,
    /// One more leading column, 1 at the centre and 0 at neighbours.
    Column,
    /// A trained row.
    Learned(ParamId),
}

impl Centre {
    fn new<T: Scalar>(
        p: &mut Params<T>,
        name: String,
        width: usize,
        dummy: bool,
        one_hot: bool,
    ) -> Self {
        match (dummy, one_hot) {
            (false, _) => Centre::Zeros,
            (true, true) => Centre::Column,
            (true, false) => {
                let bound = (6.0 / (1 + width) as f64).sqrt();
                Centre::Learned(p.add(format!("{name}.weight"), &[1, width], Init::Uniform(bound)))
            }
        }
    }

    /// Columns it adds to the block.
    fn extra(self) -> usize {
        usize::from(matches!(self, Centre::Column))
    }
}

/// Index of a row that is the first category of its only column.
const FIRST: &[u32] = &[0];

/// The ε of a layer: `{name}.eps`, trained or a buffer that stays 0.
pub(crate) fn new_eps<T: Scalar>(p: &mut Params<T>, name: &str, learn: bool) -> Eps {
    let name = format!("{name}.eps");
    if learn {
        Eps::Learned(p.add(name, &[1], Init::Constant(0.0)))
    } else {
        Eps::Fixed(p.add_buffer(name, 1, 0.0))
    }
}

/// See the module documentation.
#[derive(Debug, Clone)]
pub(crate) struct Gin {
    name: String,
    eps: Eps,
    /// Centre values of the identifiers on arcs and of the arc features.
    ids: Option<Centre>,
    arc: Option<Centre>,
    update: Mlp,
}

/// Settings of a GIN layer.
pub(crate) struct GinSettings {
    pub(crate) learn_eps: bool,
    /// Does the centre get a dummy for features that live on arcs?
    pub(crate) dummy: bool,
    pub(crate) ids_one_hot: bool,
    pub(crate) arc_one_hot: bool,
}

impl Gin {
    /// Parameters `{name}.update_fn.*`, `{name}.eps`.
    pub(crate) fn new<T: Scalar>(
        p: &mut Params<T>,
        name: &str,
        w: Widths,
        s: GinSettings,
        (hidden, output): (&[usize], usize),
        norm: bool,
        activation: Activation,
    ) -> Self {
        let eps = new_eps(p, name, s.learn_eps);
        let ids = (w.arc_ids > 0).then(|| {
            let name = format!("{name}.central_node_id_encoder");
            Centre::new(p, name, w.arc_ids, s.dummy, s.ids_one_hot)
        });
        let arc = (w.arc > 0).then(|| {
            let name = format!("{name}.central_node_edge_encoder");
            Centre::new(p, name, w.arc, s.dummy, s.arc_one_hot)
        });
        let extra = ids.map_or(0, Centre::extra) + arc.map_or(0, Centre::extra);
        let inputs = w.vertex + w.vertex_ids + w.arc_ids + w.arc + extra;
        let widths = (inputs, hidden, output);
        let update = Mlp::new(p, &format!("{name}.update_fn"), widths, norm, activation);
        Self { name: name.to_string(), eps, ids, arc, update }
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
        let (mut on_vertices, mut on_arcs) = (h.to_vec(), Vec::new());
        match (x, self.ids) {
            (Ids::Vertex(x), _) => on_vertices.push(x.clone()),
            (Ids::Arc(x), Some(centre)) => on_arcs.push((x.clone(), centre)),
            _ => {}
        }
        if let (Some(e), Some(centre)) = (e, self.arc) {
            on_arcs.push((e.clone(), centre));
        }
        let z = if tape.trace.is_some() {
            self.sum_then_linear(tape, &on_vertices, &on_arcs)
        } else {
            self.linear_then_sum(tape, &on_vertices, &on_arcs)
        };
        self.update.rest_then(tape, z, after)
    }

    /// (1+ε)·(W a_v + W a_self) + Σ_u W a_uv + b
    fn linear_then_sum<'a, T: Scalar>(
        &self,
        tape: &mut Tape<'a, T>,
        on_vertices: &[Block<'a>],
        on_arcs: &[(Encoded<'a>, Centre)],
    ) -> Var {
        let first = self.update.first();
        let product = |tape: &mut Tape<'a, T>, rows, blocks| {
            let op = Affine { weight: first.weight, bias: None, bias_scale: None, blocks };
            tape.affine(rows, op)
        };
        let mut at = 0;
        let mut blocks = Vec::new();
        for b in on_vertices {
            blocks.push((at, b.clone()));
            at += b.width(tape);
        }
        let y = product(tape, tape.batch.vertices, blocks);
        let (mut centre, mut tables, mut dense_arcs) = (Vec::new(), Vec::new(), Vec::new());
        for (e, c) in on_arcs {
            match c {
                Centre::Zeros => {}
                Centre::Column => {
                    let hot = OneHot { index: FIRST, starts: Cow::Borrowed(FIRST), width: 1 };
                    centre.push((at, Block::OneHot(hot)));
                }
                Centre::Learned(id) => {
                    centre.push((at, Block::Dense(tape.embed(FIRST, &[*id], false))))
                }
            }
            at += c.extra();
            match e.of_arc {
                Some(of_arc) => {
                    tables.push((product(tape, e.rows, vec![(at, e.block.clone())]), of_arc));
                }
                None => dense_arcs.push((at, e.block.clone())),
            }
            at += e.block.width(tape);
        }
        let self_row = (!centre.is_empty()).then(|| product(tape, 1, centre));
        let arcs = tape.batch.arcs();
        let r = (!dense_arcs.is_empty()).then(|| product(tape, arcs, dense_arcs));
        tape.aggregate(y, (self.eps, self_row), (false, Some(first.bias)), tables, r)
    }

    /// The same in the order of the formula, with the values a trace asks for.
    fn sum_then_linear<'a, T: Scalar>(
        &self,
        tape: &mut Tape<'a, T>,
        on_vertices: &[Block<'a>],
        on_arcs: &[(Encoded<'a>, Centre)],
    ) -> Var {
        let (mut total, mut messages) = (Vec::new(), Vec::new());
        for b in on_vertices {
            let b = dense(tape, b);
            let width = tape.cols(b);
            let arcs =
                tape.arc_gather(Parts { p: None, q: Some(b), tables: vec![], r: None }, width);
            messages.push(tape.arc_sum(arcs));
            total.push(tape.aggregate(b, (self.eps, None), (false, None), vec![], None));
        }
        let n = tape.batch.vertices;
        for (e, c) in on_arcs {
            let mut rows = dense(tape, &e.block);
            if let Centre::Column = c {
                let zero = tape.constant(crate::Matrix::zeros(e.rows, 1));
                rows = tape.concat(&[zero, rows]);
            }
            let width = tape.cols(rows);
            let own = match c {
                Centre::Zeros => None,
                Centre::Column => {
                    let mut m = crate::Matrix::zeros(1, width);
                    m.data_mut()[0] = T::ONE;
                    Some(tape.constant(m))
                }
                Centre::Learned(id) => Some(tape.embed(FIRST, &[*id], false)),
            };
            let (tables, r) = match e.of_arc {
                Some(of_arc) => (vec![(rows, of_arc)], None),
                None => (vec![], Some(rows)),
            };
            let parts = Parts { p: None, q: None, tables: tables.clone(), r };
            let arcs = tape.arc_gather(parts, width);
            messages.push(tape.arc_sum(arcs));
            let none = tape.constant(crate::Matrix::zeros(n, width));
            total.push(tape.aggregate(none, (self.eps, own), (false, None), tables, r));
        }
        let m = tape.concat(&messages);
        tape.mark(|| format!("{}.aggregated_message", self.name), m);
        let total: Vec<Block<'a>> = total.into_iter().map(Block::Dense).collect();
        self.update.first().forward(tape, n, &total)
    }
}
