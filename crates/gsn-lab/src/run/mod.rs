//! The run folder: everything a run leaves behind, and everything it needs to go on.
//!
//! | file | what |
//! |---|---|
//! | `checkpoint` | a unit's state as one file |
//! | `write` | files that are complete or absent |
//! | `tensorboard` | event files |

mod checkpoint;
mod tensorboard;
mod write;

pub use write::{Disk, Fault, Stage};
