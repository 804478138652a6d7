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

pub(crate) use folder::read_json;
pub use folder::{EventFile, Folder};
pub use gsn_io::atomic::{Disk, Fault, Stage};
pub use versions::{DataVersion, Versions};
