//! One file a verb.

mod baselines;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod count;
pub(crate) mod data;
pub(crate) mod demo;
pub(crate) mod explain;
pub(crate) mod generate;
pub(crate) mod info;
mod list;
pub(crate) mod man;
pub(crate) mod members;
pub(crate) mod patterns;
mod plan;
pub(crate) mod predict;
mod recipe;
pub(crate) mod recipes;
mod reference;
pub(crate) mod report;
pub(crate) mod reproduce;
pub(crate) mod separate;
pub(crate) mod suggest;
pub(crate) mod sweep;
pub(crate) mod train;
pub(crate) mod tune;
pub(crate) mod user_data;
pub(crate) mod verify;
