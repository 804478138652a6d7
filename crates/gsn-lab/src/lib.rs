//! Datasets, recipes, training and prediction: from files to results.
//!
//! The verbs of the program are functions here: [`train()`], [`predict()`], [`explain()`], [`separate()`],
//! [`suggest()`], [`sweep()`], [`tune()`] and [`reproduce()`].
//!
//! | module | what |
//! |---|---|
//! | [`catalogue`] | benchmarks: sources, hashes, statistics, and reading them |
//! | [`fetch`] | bringing their files here |
//! | [`user_data`] | the user's own files: task, split, defaults |
//! | [`dataset`] | graphs with features, targets and splits, ready for a network |
//! | [`molecules`] | the features of molecules that gsn-io reads |
//! | [`cache`] | count columns that were counted before |
//! | [`recipe`] | an experiment as one TOML file |
//! | [`prepare`] | a recipe's graphs: selected, counted and encoded |
//! | [`pipeline`] | from a record to a sample, and from a sample with its counts to what a network reads |
//! | [`experiment`] | a recipe run from beginning to end |
//! | [`protocol`] | what is trained on which part, and which epoch is reported |
//! | [`mod@train`] | the training of one unit |
//! | [`run`] | the folder of a run |
//! | [`model_file`] | the `.gsn` file: all that a prediction needs |
//! | [`mod@predict`] | predictions for graphs never seen |
//! | [`mod@explain`] | which occurrences moved a prediction |
//! | [`mod@separate`] | which graphs can be told apart, by which test |
//! | [`mod@suggest`], [`disambiguation`] | which patterns are worth counting |
//! | [`mod@sweep`] | one recipe over a grid of settings |
//! | [`mod@tune`] | a search for settings by the validation part |
//! | [`mod@reproduce`] | the published tables: what runs each row, what came of it, the page |
//! | [`mod@info`] | what a file or folder is |
//! | [`chart`] | curves and bars as SVG |
//! | [`error`] | what can go wrong, in the user's words |

pub mod arrays;
pub mod baseline;
pub mod cache;
pub mod catalogue;
pub mod chart;
pub mod conformal;
pub mod dataset;
pub mod disambiguation;
pub mod ensemble;
pub mod error;
pub mod experiment;
pub mod explain;
pub mod fetch;
pub mod info;
pub mod model_file;
pub mod molecules;
pub mod pipeline;
pub mod predict;
pub mod prepare;
pub mod protocol;
pub mod recipe;
pub mod reproduce;
pub mod run;
pub mod separate;
pub mod suggest;
pub mod sweep;
pub mod train;
pub mod tune;
pub mod user_data;

pub use experiment::train;
pub use explain::explain;
pub use info::info;
pub use predict::predict;
pub use reproduce::reproduce;
pub use separate::separate;
pub use suggest::suggest;
pub use sweep::sweep;
pub use tune::tune;

pub use dataset::{Dataset, Fold, Sample, Splits, Task};
pub use error::{Error, Result};
