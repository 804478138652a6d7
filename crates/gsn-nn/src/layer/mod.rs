//! Layers: one formula per file, named in its first lines. They own places of parameters, not
//! numbers. [`Form`] is the list of layers a [`GsnConfig`] can be made of; the README of this folder
//! says how to add one.

pub(crate) mod dgn;
pub(crate) mod encoder;
mod general;
mod gin;
pub(crate) mod mlp;
pub(crate) mod ogb;
pub(crate) mod state;
#[cfg(test)]
mod toy;

use std::fmt::Debug;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::config::{GsnConfig, GsnLayer};
use crate::params::{Init, Params};
use crate::scalar::Scalar;
pub(crate) use crate::tape::affine::{Affine, Block, DeferredLinear, OneHot};
use crate::tape::aggregate::Eps;
use crate::tape::{Tape, Var};
use encoder::Encoded;
use mlp::{After, ArcBlock, Mlp};

/// The layer a [`GsnConfig`] is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Message MLP and update MLP.
    General,
    /// One MLP over sums.
    Gin,
    #[cfg(test)]
    #[allow(missing_docs)]
    Toy,
}

impl Form {
    /// Every form there is.
    pub const ALL: &[Form] = &[
        Form::General,
        Form::Gin,
        #[cfg(test)]
        Form::Toy,
    ];

    /// A layer of this form with fresh parameters.
    pub(crate) fn build<T: Scalar>(
        self,
        p: &mut Params<T>,
        spec: &LayerSpec<'_>,
    ) -> Arc<dyn Layer<T>> {
        match self {
            Form::General => Arc::new(general::General::new(p, spec)),
            Form::Gin => Arc::new(gin::Gin::new(p, spec)),
            #[cfg(test)]
            Form::Toy => Arc::new(toy::Toy::new(p, spec)),
        }
    }

    /// Does the form know every setting of the layer that is not at its default? If not, which.
    pub(crate) fn check(self, layer: &GsnLayer) -> Result<(), &'static str> {
        match self {
            Form::General => general::General::check(layer),
            Form::Gin => gin::Gin::check(layer),
            #[cfg(test)]
            Form::Toy => toy::Toy::check(layer),
        }
    }
}

/// A layer: new vertices from vertices, identifiers and arc features.
pub(crate) trait Layer<T: Scalar>: Debug + Send + Sync {
    /// h', a row per vertex, and `after` it.
    fn forward<'a>(&self, tape: &mut Tape<'a, T>, input: &LayerInput<'a>, after: &After<'_>)
    -> Var;
}

/// What a layer is built from.
pub(crate) struct LayerSpec<'c> {
    /// What the names of its parameters start with, such as `conv.0`.
    pub(crate) name: String,
    pub(crate) network: &'c GsnConfig,
    pub(crate) layer: &'c GsnLayer,
    /// Widths of what it reads.
    pub(crate) widths: Widths,
    /// Are the identifiers one-hot, and the arc features?
    pub(crate) ids_one_hot: bool,
    pub(crate) arc_one_hot: bool,
}

impl LayerSpec<'_> {
    /// One of its MLPs, with parameters `{name}.{part}.*`.
    fn mlp<T: Scalar>(&self, p: &mut Params<T>, part: &str, inputs: usize, outputs: usize) -> Mlp {
        let hidden = self.layer.hidden.clone().unwrap_or_else(|| vec![self.layer.width]);
        let name = format!("{}.{part}", self.name);
        let (norm, activation) = (self.network.mlp_norm, self.network.mlp_activation);
        Mlp::new(p, &name, (inputs, &hidden, outputs), norm, activation)
    }
}

/// Widths of what a layer reads; 0 for what is absent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Widths {
    pub(crate) vertex: usize,
    pub(crate) vertex_ids: usize,
    pub(crate) arc_ids: usize,
    pub(crate) arc: usize,
}

/// What a layer reads in one pass.
#[derive(Debug, Clone)]
pub(crate) struct LayerInput<'a> {
    /// The vertices h, one or more blocks side by side.
    pub(crate) h: Vec<Block<'a>>,
    /// The identifiers x.
    pub(crate) ids: Ids<'a>,
    /// The arc features e.
    pub(crate) arc: Option<Encoded<'a>>,
}

/// Structural identifiers as one layer reads them.
#[derive(Debug, Clone)]
pub(crate) enum Ids<'a> {
    None,
    /// GSN-v
    Vertex(Block<'a>),
    /// GSN-e
    Arc(Encoded<'a>),
}

impl<'a> LayerInput<'a> {
    /// `[h_a, h_b, x_a, x_b, e]` (GSN-v) or `[h_a, h_b, x, e]` (GSN-e) of an arc, its ends a and b
    /// in the order given.
    pub(crate) fn per_arc(&self, ends: [fn(Block<'a>) -> ArcBlock<'a>; 2]) -> Vec<ArcBlock<'a>> {
        let both = |blocks: &[Block<'a>]| -> Vec<ArcBlock<'a>> {
            ends.iter().flat_map(|end| blocks.iter().cloned().map(end)).collect()
        };
        let mut all = both(&self.h);
        match &self.ids {
            Ids::None => {}
            Ids::Vertex(x) => all.extend(both(std::slice::from_ref(x))),
            Ids::Arc(x) => all.push(ArcBlock::Arc(x.clone())),
        }
        all.extend(self.arc.clone().map(ArcBlock::Arc));
        all
    }
}

/// The ε of a layer: `{name}.eps`, trained or a buffer that stays 0.
fn new_eps<T: Scalar>(p: &mut Params<T>, name: &str, learn: bool) -> Eps {
    let name = format!("{name}.eps");
    if learn {
        Eps::Learned(p.add(name, &[1], Init::Constant(0.0)))
    } else {
        Eps::Fixed(p.add_buffer(name, 1, 0.0))
    }
}
