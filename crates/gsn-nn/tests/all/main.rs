//! All integration tests of the crate in one binary.
//!
//! | module | what |
//! |---|---|
//! | `networks` | a configuration of every kind of network, and random graphs they can all read |
//! | `golden` | the tensors of `tests/golden/nn`, written by the authors' own code |
//! | `labels` | weights and censoring of targets, numbers of graphs as wholes |
//! | `properties` | renaming, degenerate graphs, threads, batches, precision |
//! | `shares` | how much each cell of the identifiers moves a prediction |
//! | `statistics` | statistics of BatchNorms over a whole part |
//! | `files` | checkpoints and configurations |

mod files;
mod golden;
mod labels;
mod networks;
mod properties;
mod shares;
mod statistics;
