//! `gsn report`: runs and other results as one HTML file.

use crate::args::Common;
use crate::outcome::{Outcome, say};
use anyhow::Context;
use std::path::{Path, PathBuf};

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn report runs/mutag-gsn-e
  gsn report runs/zinc-gsn-ef-100k runs/zinc-mpnn-ef-64 -o zinc.html
  gsn report runs/my-sweep runs/my-search -o grid.html
  gsn separate sr25.g6 -p cycle:3..=6 --json > sr25.json
  gsn report sr25.json
  gsn suggest molecules.csv --target y -o suggestion.json
  gsn report suggestion.json
  gsn explain run/model.gsn new.csv -o why.json
  gsn report why.json
  gsn report counts.parquet -o counts.html
  gsn report docs/results

The file needs no network and nothing beside it: charts, drawings, tables and the recipe are in it,
for light and dark screens, phones and paper. Tables sort by a click on their heads. A run that is
under way or was stopped is shown as far as it came. Several runs stand side by side.

Exit codes: 0 done, 2 failure (something has no report, or is damaged)";

/// Arguments of `gsn report`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Folders of runs, sweeps and searches; JSON of `separate`, `suggest` and `explain`; count tables; a
    /// folder of kept results
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// The file to write
    #[arg(short, long, value_name = "FILE.html", default_value = "report.html")]
    output: PathBuf,
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, common: &Common) -> anyhow::Result<Outcome> {
    write(&arguments.runs, &arguments.output)?;
    if !common.quiet {
        say(format_args!("wrote {}", arguments.output.display()));
    }
    Ok(Outcome::Done)
}

/// Writes the report of these.
pub(crate) fn write(runs: &[impl AsRef<Path>], output: &Path) -> anyhow::Result<()> {
    let html = gsn_report::report(runs)?;
    gsn_io::atomic::replace(output, html.as_bytes())
        .with_context(|| format!("{}: cannot be written", output.display()))
}
