//! The run folder: everything a run leaves behind, and everything it needs to go on.
//!
//! | file | what |
//! |---|---|
//! | `folder` | which files there are |
//! | `checkpoint` | a unit's state as one file |
//! | `tensorboard` | event files |
//! | `versions` | program, machine, hash of the data |

mod checkpoint;
mod folder;
mod tensorboard;
mod versions;

pub use folder::{EventFile, Folder};
pub(crate) use folder::{peek_unit, put, read_json, unit_names};
pub use gsn_io::atomic::{Disk, Fault, Stage};
pub use versions::{DataVersion, Versions};
pub(crate) use versions::{peak_memory, processor_seconds, processor_seconds_since};
