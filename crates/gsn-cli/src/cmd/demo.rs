//! `gsn demo`: what the program does, on data that comes with it. It asks no network and
//! leaves one file, `gsn-demo.html`.

use crate::args::Common;
use crate::demo::{learn, molecules, pair};
use crate::outcome::{Outcome, say};
use crate::style::Style;
use gsn_report::Demo;
use std::io::{self, Write};

/// The page that is left.
const FILE: &str = "gsn-demo.html";

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn demo
  gsn demo --threads 1 -v

It leaves gsn-demo.html in the current folder, to be looked at in a browser.

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
    let (curves, graphs) = learn::show(&mut out, style)?;
    let (molecules, patterns) = (pair::molecules()?, learn::PATTERNS.parse()?);
    let page = Demo { molecules, patterns, curves, graphs }.page();
    match gsn_io::atomic::replace(FILE.as_ref(), page.as_bytes()) {
        Ok(()) => writeln!(out, "\nreport: {FILE}")?,
        Err(why) => say(format_args!("note: there is no report: {FILE}: cannot be written: {why}")),
    }
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
