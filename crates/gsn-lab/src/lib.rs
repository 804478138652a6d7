//! Datasets, recipes, training and prediction: from files to results.
//!
//! | room | what |
//! |---|---|
//! | [`catalogue`] | benchmarks: sources, hashes, statistics, and reading them |
//! | [`fetch`] | bringing their files here |
//! | [`cache`] | count columns that were counted before |
//! | [`user_data`] | the user's own files: task, split, defaults |
//! | [`molecules`] | SMILES as graphs with features |
//! | [`dataset`] | graphs with features, targets and splits, ready for a network |
//! | [`recipe`] | an experiment as one TOML file |
//! | [`prepare`] | a recipe's graphs: selected, counted and encoded |
//! | [`pipeline`] | from a graph with its counts to what a network reads |
//! | [`model_file`] | the `.gsn` file: all that a prediction needs |
//! | [`predict`] | predictions for graphs never seen |
//! | [`train`] | settings of a training |
//! | [`protocol`] | what is trained on which part, and which epoch is reported |
//! | [`separate`] | which graphs can be told apart, by which test |
//! | [`suggest`], [`disambiguation`] | which patterns are worth counting |
//! | [`sweep`] | one recipe over a grid of settings |
//! | [`chart`] | curves and bars as SVG |
//! | [`error`] | what can go wrong, in the user's words |

pub mod cache;
pub mod catalogue;
pub mod chart;
pub mod dataset;
pub mod disambiguation;
pub mod error;
pub mod experiment;
pub mod fetch;
pub mod model_file;
pub mod molecules;
pub mod pipeline;
pub mod predict;
pub mod prepare;
pub mod protocol;
pub mod recipe;
pub mod run;
pub mod separate;
pub mod suggest;
pub mod sweep;
pub mod train;
pub mod user_data;

pub use dataset::{Dataset, Fold, Sample, Splits, Task};
pub use error::{Error, Result};
