//! The GIN form:
//!
//! h'_v = MLP((1+ε)·[h_v, x_v, e_self] + Σ_{u→v} [h_u, x_u, e_uv]) for GSN-v,
//! h'_v = MLP((1+ε)·[h_v, x_self, e_self] + Σ_{u→v} [h_u, x_uv, e_uv]) for GSN-e.
//!
//! Features of arcs have no value at the centre, so x_self and e_self stand for them: a one-hot
//! block gets one more leading column that only the centre sets, any other block a trained row; if
//! the configuration wants no dummy the centre has zeros.
//! The first Linear of the MLP is applied before the sum (see `tape::aggregate`).
//!
//! # Shapes
//! h: vertices × d; x: vertices × k or arcs × k; e: arcs × l; h': vertices × `width`. x and e may be
//! absent.

use std::borrow::Cow;

use super::encoder::{Encoded, dense};
use super::mlp::{After, Mlp};
use super::{Affine, Block, Ids, Layer, LayerInput, LayerSpec, OneHot, new_eps};
use crate::config::GsnLayer;
use crate::matrix::Matrix;
use crate::params::{Init, ParamId, Params};
use crate::scalar::Scalar;
use crate::tape::aggregate::Eps;
use crate::tape::message::ArcTerms;
use crate::tape::{Tape, Var};

/// What stands for a feature of arcs at the centre.
#[derive(Debug, Clone, Copy)]
enum Centre {
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

/// See the module documentation.
#[derive(Debug)]
pub(super) struct Gin {
    name: String,
    eps: Eps,
    /// Centre values of the identifiers on arcs and of the arc features.
    ids: Option<Centre>,
    arc: Option<Centre>,
    update: Mlp,
}

impl Gin {
    /// Parameters `{name}.eps`, `{name}.central_node_*`, `{name}.update_fn.*`.
    pub(super) fn new<T: Scalar>(p: &mut Params<T>, spec: &LayerSpec<'_>) -> Self {
        let (w, name) = (spec.widths, &spec.name);
        let eps = new_eps(p, name, spec.layer.learn_eps);
        let mut centre = |what: &str, width: usize, one_hot: bool| {
            let name = format!("{name}.central_node_{what}_encoder");
            (width > 0).then(|| Centre::new(p, name, width, spec.network.dummy_self, one_hot))
        };
        let ids = centre("id", w.arc_ids, spec.ids_one_hot);
        let arc = centre("edge", w.arc, spec.arc_one_hot);
        let extra = ids.map_or(0, Centre::extra) + arc.map_or(0, Centre::extra);
        let inputs = w.vertex + w.vertex_ids + w.arc_ids + w.arc + extra;
        let update = spec.mlp(p, "update_fn", inputs, spec.layer.width);
        Self { name: name.clone(), eps, ids, arc, update }
    }

    pub(super) fn check(layer: &GsnLayer) -> Result<(), &'static str> {
        if layer.message.is_some() { Err("the gin form has no message width") } else { Ok(()) }
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
            let arcs = tape.arc_gather(ArcTerms::of_source(b), width);
            messages.push(tape.arc_sum(arcs));
            total.push(tape.aggregate(b, (self.eps, None), (false, None), vec![], None));
        }
        let n = tape.batch.vertices;
        for (e, c) in on_arcs {
            let mut rows = dense(tape, &e.block);
            if let Centre::Column = c {
                let zero = tape.constant(Matrix::zeros(e.rows, 1));
                rows = tape.concat(&[zero, rows]);
            }
            let width = tape.cols(rows);
            let own = match c {
                Centre::Zeros => None,
                Centre::Column => {
                    let mut m = Matrix::zeros(1, width);
                    m.data_mut()[0] = T::ONE;
                    Some(tape.constant(m))
                }
                Centre::Learned(id) => Some(tape.embed(FIRST, &[*id], false)),
            };
            let (tables, r) = match e.of_arc {
                Some(of_arc) => (vec![(rows, of_arc)], None),
                None => (vec![], Some(rows)),
            };
            let terms = ArcTerms { target: None, source: None, tables: tables.clone(), arc: r };
            let arcs = tape.arc_gather(terms, width);
            messages.push(tape.arc_sum(arcs));
            let none = tape.constant(Matrix::zeros(n, width));
            total.push(tape.aggregate(none, (self.eps, own), (false, None), tables, r));
        }
        let m = tape.concat(&messages);
        tape.mark(format_args!("{}.aggregated_message", self.name), m);
        let total: Vec<Block<'a>> = total.into_iter().map(Block::Dense).collect();
        self.update.first().forward(tape, n, &total)
    }
}

impl<T: Scalar> Layer<T> for Gin {
    fn forward<'a>(
        &self,
        tape: &mut Tape<'a, T>,
        input: &LayerInput<'a>,
        after: &After<'_>,
    ) -> Var {
        let (mut on_vertices, mut on_arcs) = (input.h.clone(), Vec::new());
        match (&input.ids, self.ids) {
            (Ids::Vertex(x), _) => on_vertices.push(x.clone()),
            (Ids::Arc(x), Some(centre)) => on_arcs.push((x.clone(), centre)),
            _ => {}
        }
        if let (Some(e), Some(centre)) = (&input.arc, self.arc) {
            on_arcs.push((e.clone(), centre));
        }
        let z = if tape.trace.is_some() {
            self.sum_then_linear(tape, &on_vertices, &on_arcs)
        } else {
            self.linear_then_sum(tape, &on_vertices, &on_arcs)
        };
        self.update.rest_then(tape, z, after)
    }
}
