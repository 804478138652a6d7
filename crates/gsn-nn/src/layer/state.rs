//! States of arcs, made anew behind a layer from its vertices and the state before it:
//!
//! s'_uv = act(BN(W [h_v, h_u, s_uv] + b)) [+ s_uv]
//!
//! The state before the first layer are the features of the arcs as that layer reads them; without
//! features there is none. The old state is added where the network has residuals and the
//! widths agree.
//!
//! # Shapes
//! h: vertices × d; s: arcs × l; s': arcs × `width`.

use super::encoder::Encoded;
use super::mlp::{After, ArcBlock, Mlp, Norm};
use super::{Block, LayerInput};
use crate::params::Params;
use crate::scalar::Scalar;
use crate::tape::elementwise::Activation;
use crate::tape::{Tape, Var};

/// See the module documentation.
#[derive(Debug)]
pub(crate) struct ArcState {
    linear: Mlp,
    norm: Option<Norm>,
    activation: Activation,
    residual: bool,
}

impl ArcState {
    /// From vertices and states of the widths `(vertices, before)`, 0 where there was no state;
    /// parameters `{name}.fc.0`, `{name}.norm`.
    pub(crate) fn new<T: Scalar>(
        p: &mut Params<T>,
        name: &str,
        (vertices, before, width): (usize, usize, usize),
        norm: bool,
        activation: Activation,
    ) -> Self {
        Self {
            linear: Mlp::new(p, name, (2 * vertices + before, &[], width), false, activation),
            norm: norm.then(|| Norm::new(p, &format!("{name}.norm"), width)),
            activation,
            residual: false,
        }
    }

    /// Adds the old state to the new one, which must be as wide.
    pub(crate) fn with_residual(self, residual: bool) -> Self {
        Self { residual, ..self }
    }

    /// The new states, from vertices `h` and the state before.
    pub(crate) fn forward<'a, T: Scalar>(
        &self,
        tape: &mut Tape<'a, T>,
        h: Var,
        before: Option<Encoded<'a>>,
    ) -> Encoded<'a> {
        let old = before.as_ref().filter(|_| self.residual).map(|state| state.block.clone());
        let input = LayerInput { h: vec![Block::Dense(h)], ids: super::Ids::None, arc: before };
        let z = self.linear.over_arcs(tape, &input.per_arc([ArcBlock::Target, ArcBlock::Source]));
        let after = After { of: None, norm: self.norm.as_ref(), activation: self.activation };
        let mut state = after.forward(tape, z);
        if let Some(Block::Dense(old)) = old {
            state = tape.add(state, old);
        }
        Encoded { block: Block::Dense(state), rows: tape.batch.arcs(), of_arc: None }
    }
}
