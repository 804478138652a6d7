//! Training of one unit: a fold or a seed.

pub mod settings;

pub use settings::{Metric, Optimiser, Schedule, Settings};
