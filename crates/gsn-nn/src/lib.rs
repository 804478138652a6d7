//! The training core of gsn and every network of the paper.
//!
//! A [`Batch`] is made from plain [`GraphInput`] pieces, a [`Model`] from one [`ModelConfig`].
//! [`Model::gradients`] runs a training pass on a small reverse-mode tape over a closed set of
//! graph operations; an optimiser ([`Adam`], [`Sgd`]) moves the parameters; [`Model::predict`]
//! evaluates. Everything runs on the rayon pool it is called from, and its results are the same
//! bit for bit for any number of threads.
//!
//! | folder | what |
//! |---|---|
//! | `kernel` | products, sums and scatters on slices |
//! | `tape` | differentiable operations and their backward |
//! | `layer` | the formulas of the paper's layers |
//! | `model` | networks from layers, built from a configuration |
//! | [`config`] | the configurations, with their defaults |

mod batch;
mod checkpoint;
pub mod config;
mod error;
mod kernel;
mod layer;
mod matrix;
pub mod metrics;
mod model;
mod optim;
mod params;
mod scalar;
mod schedule;
mod tape;

pub use batch::{Batch, Censoring, Features, GraphInput, Labels};
pub use config::ModelConfig;
pub use error::{Error, Result};
pub use matrix::{Matrix, Pool};
pub use model::{BatchStatistics, IdentifierShares, Model, Traced};
pub use optim::{Adam, Sgd, clip_norm};
pub use params::{Entry, Grads, Params};
pub use scalar::Scalar;
pub use schedule::{Cosine, Plateau, StepLr};
pub use tape::loss::Loss;
