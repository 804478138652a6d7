//! One file a verb.

pub(crate) mod convert;
pub(crate) mod count;
pub(crate) mod demo;
mod explain;
pub(crate) mod patterns;
pub(crate) mod verify;
