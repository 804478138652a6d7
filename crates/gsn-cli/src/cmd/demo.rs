//! `gsn demo`: what the program does, on data that comes with it. No network, no files.

use crate::args::Common;
use crate::demo::{learn, molecules, pair};
use crate::outcome::Outcome;
use crate::style::Style;
use std::io::{self, Write};

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn demo
  gsn demo --threads 1 -v

Exit codes: 0 done, 2 failure";

/// Arguments of `gsn demo`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {}

/// Runs the verb.
pub(crate) fn run(_: &Arguments, common: &Common) -> anyhow::Result<Outcome> {
    let style = Style::of_stdout();
    let mut out = io::BufWriter::new(io::stdout().lock());
    pair::show(&mut out, style)?;
    writeln!(out)?;
    out.flush()?;
    molecules::show(&mut out, common.verbose, style)?;
    writeln!(out)?;
    learn::show(&mut out, style)?;
    if !common.quiet {
        let dim = |text| style.dim(text);
        writeln!(
            out,
            "\n{}",
            dim("Next: gsn patterns cycle:3..=6 · gsn count --help · gsn train --help")
        )?;
    }
    out.flush()?;
    Ok(Outcome::Done)
}
