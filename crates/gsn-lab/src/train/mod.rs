//! Training of one unit: a fold or a seed.
//!
//! [`Unit`] says what is trained on what; [`State`] is all that changes on the way, so that a
//! state written to disk at any step and read back goes on bit for bit. A [`UnitObserver`] is
//! called after every step and saves.
//!
//! | file | what |
//! |---|---|
//! | [`settings`] | the `[training]` table of a recipe |
//! | `class_weights` | what classes are worth in the loss |
//! | `order` | which graphs a step sees |
//! | `batches` | graphs that pass again and again in the same batches |
//! | `evaluate` | loss and metric over a whole part |
//! | `statistics` | statistics of BatchNorms over the training part |
//! | `predictions` | what a trained unit says of every graph |
//! | `state` | what changes on the way |
//! | `unit` | the loop |

mod batches;
mod class_weights;
mod evaluate;
pub(crate) mod order;
mod predictions;
pub mod settings;
pub(crate) mod state;
mod statistics;
mod unit;

pub use gsn_nn::Loss;
pub use gsn_nn::metrics::Metric;

pub use class_weights::ClassWeights;
pub use evaluate::{Graphs, Part, Score};
pub use order::{Order, RandomKeys};
pub use predictions::{Form, PartPredictions};
pub use settings::{BatchNorm, Optimiser, Schedule, Settings, Watched};
pub use state::{Best, Row, State};
pub use statistics::Statistics;
pub use unit::{Judged, Measures, Unit, UnitObserver};
