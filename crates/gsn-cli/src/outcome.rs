//! How a run ended, and the exit codes that say so.

use crate::style::Style;
use std::io::{self, Write};

/// How a verb ended when it did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything was done: exit code 0.
    Done,
    /// Finished, but some rows were rejected or some graphs went over the budget: exit code 1.
    Partly,
}

/// What the help of every verb says about exit codes.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  finished, but rows were rejected or graphs went over the budget
  2  failure; no output file was written";

/// Turns the end of a run into an exit code, and says what went wrong.
pub(crate) fn exit_code(result: anyhow::Result<Outcome>) -> u8 {
    match result {
        Ok(Outcome::Done) => 0,
        Ok(Outcome::Partly) => 1,
        // `gsn … | head` has what it wanted.
        Err(error) if is_closed_pipe(&error) => 0,
        Err(error) => {
            let style = Style::of_stderr();
            let _ = writeln!(io::stderr(), "{} {error:#}", style.alarm("error:"));
            2
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
            || cause.downcast_ref::<gsn_io::Error>().is_some_and(gsn_io::Error::is_closed_pipe)
            || matches!(cause.downcast_ref(), Some(gsn_lab::Error::Io(e)) if e.is_closed_pipe())
    })
}

/// A line on standard error; a closed stream is not a failure.
pub(crate) fn say(text: impl std::fmt::Display) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// `1 row`, `2 rows`.
pub(crate) fn several(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
