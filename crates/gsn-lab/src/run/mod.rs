//! The run folder: everything a run leaves behind, and everything it needs to go on.
//!
//! | file | what |
//! |---|---|
//! | `folder` | which files there are |
//! | `checkpoint` | a unit's state as one file |
//! | `write` | files that are complete or absent |
//! | `tensorboard` | event files |
//! | `versions` | program, machine, hash of the data |

mod checkpoint;
mod folder;
mod tensorboard;
mod versions;
mod write;

pub use folder::{Board, Folder};
pub use versions::{DataVersion, Versions};
pub use write::{Disk, Fault, Stage};
