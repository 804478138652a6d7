//! The OGB form:
//!
//! h'_v = MLP((1+ε)·s_v + Σ_{u→v} ReLU(s_u + x_uv + e_uv)),
//! where s = h + x for GSN-v and s = h otherwise.
//!
//! # Shapes
//! h, x on vertices, h': vertices × d; x on arcs, e: arcs × d. x and e may be absent.

use super::encoder::{Encoded, dense};
use super::mlp::{After, Mlp};
use super::{Block, Ids, new_eps};
use crate::params::Params;
use crate::scalar::Scalar;
use crate::tape::aggregate::Eps;
use crate::tape::elementwise::Activation;
use crate::tape::message::ArcTerms;
use crate::tape::{Tape, Var};

/// See the module documentation.
#[derive(Debug, Clone)]
pub(crate) struct OgbLayer {
    name: String,
    eps: Eps,
    update: Mlp,
}

impl OgbLayer {
    /// Parameters `{name}.eps`, `{name}.update_fn.*`.
    pub(crate) fn new<T: Scalar>(
        p: &mut Params<T>,
        name: &str,
        widths: (usize, &[usize], usize),
        learn_eps: bool,
        norm: bool,
        activation: Activation,
    ) -> Self {
        Self {
            name: name.to_string(),
            eps: new_eps(p, name, learn_eps),
            update: Mlp::new(p, &format!("{name}.update_fn"), widths, norm, activation),
        }
    }

    /// h' from h, identifiers x and arc features e, and what follows it.
    pub(crate) fn forward<'a, T: Scalar>(
        &self,
        tape: &mut Tape<'a, T>,
        h: Var,
        x: &Ids<'a>,
        e: Option<&Encoded<'a>>,
        after: &After<'_>,
    ) -> Var {
        let mut s = h;
        let mut arcs: Vec<&Encoded<'a>> = e.into_iter().collect();
        match x {
            Ids::None => {}
            Ids::Vertex(x) => {
                let x = dense(tape, x);
                s = tape.add(h, x);
            }
            Ids::Arc(x) => arcs.push(x),
        }
        let (mut tables, mut r) = (Vec::new(), None);
        for e in arcs {
            let rows = dense(tape, &e.block);
            match (e.of_arc, r) {
                (Some(of_arc), _) => tables.push((rows, of_arc)),
                (None, None) => r = Some(rows),
                (None, Some(other)) => r = Some(tape.add(other, rows)),
            }
        }
        if tape.trace.is_some() {
            let terms = ArcTerms { tables: tables.clone(), arc: r, ..ArcTerms::of_source(s) };
            let z = tape.arc_gather(terms, tape.cols(s));
            let z = tape.activate(z, Activation::Relu);
            let m = tape.arc_sum(z);
            tape.mark(format_args!("{}.aggregated_message", self.name), m);
        }
        let m = tape.aggregate(s, (self.eps, None), (true, None), tables, r);
        self.update.forward_then(tape, tape.batch.vertices, &[Block::Dense(m)], after)
    }
}
