//! One file a verb.

pub(crate) mod convert;
pub(crate) mod count;
pub(crate) mod demo;
mod explain;
pub(crate) mod generate;
pub(crate) mod patterns;
pub(crate) mod separate;
pub(crate) mod suggest;
pub(crate) mod verify;
