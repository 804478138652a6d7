//! The OGB form (SPEC §3): h'_v = MLP((1+ε)·s_v + Σ_{u→v} ReLU(s_u + x_uv + e_uv)), where
//! s = h + x for GSN-v and s = h otherwise; identifiers and arc features are embeddings of the
//! width of h.

use super::Block;
use super::encoder::Encoded;
use super::general::Ids;
use super::gin::new_eps;
use super::mlp::{After, Mlp};
use crate::params::Params;
use crate::scalar::Scalar;
use crate::tape::aggregate::Eps;
use crate::tape::elementwise::Activation;
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
                let x = super::encoder::dense(tape, x);
                s = tape.add(h, x);
            }
            Ids::Arc(x) => arcs.push(x),
        }
        let (mut tables, mut r) = (Vec::new(), None);
        for e in arcs {
            let rows = super::encoder::dense(tape, &e.block);
            match (e.of_arc, r) {
                (Some(of_arc), _) => tables.push((rows, of_arc)),
                (None, None) => r = Some(rows),
                (None, Some(other)) => r = Some(tape.add(other, rows)),
            }
        }
        if tape.trace.is_some() {
            let parts =
                crate::tape::message::Parts { p: None, q: Some(s), tables: tables.clone(), r };
            let z = tape.arc_gather(parts, tape.cols(s));
            let z = tape.activate(z, Activation::Relu);
            let m = tape.arc_sum(z);
            tape.mark(|| format!("{}.aggregated_message", self.name), m);
        }
        let m = tape.aggregate(s, (self.eps, None), (true, None), tables, r);
        self.update.forward_then(tape, tape.batch.vertices, &[Block::Dense(m)], after)
    }
}
