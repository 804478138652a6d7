//! What `gsn count` (with its `--list`), `gsn convert` and `gsn verify` do, as functions: from files to files, as a
//! stream, with a summary or a typed error at the end.

mod convert;
mod count;
mod list;
mod recount;
mod sample;
mod verify;

pub use convert::{ConvertRequest, ConvertSummary, convert};
pub use count::{CountRequest, CountSummary, count};
pub use list::{ListRequest, ListSummary, list};
pub use verify::{Difference, VerifyError, VerifyReport, VerifyRequest, verify};
