//! The work of the larger verbs, without a word to the user: `cmd` asks and tells.

pub(crate) mod training;
