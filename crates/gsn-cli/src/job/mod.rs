//! The work of the larger verbs, without a word to the user: `cmd` asks and tells.

pub(crate) mod count;
mod pipeline;
pub(crate) mod predict;
pub(crate) mod sample;
pub(crate) mod training;
pub(crate) mod verify;
