//! Layers: what SPEC §3 writes as one line each. They own places of parameters, not numbers.

pub(crate) mod dgn;
pub(crate) mod encoder;
pub(crate) mod general;
pub(crate) mod gin;
pub(crate) mod mlp;
pub(crate) mod ogb;

pub(crate) use crate::tape::affine::{Affine, Block, Inner, OneHot};
