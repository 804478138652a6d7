//! `gsn convert`: the graphs of an input in another format, row after row.

use super::count::report_rejected;
use crate::args::{Common, InputArguments};
use crate::outcome::{Outcome, say, several};
use crate::progress::Progress;
use anyhow::{Context, bail};
use gsn_io::{ConvertRequest, ConvertSummary, Error, Event, Format, convert};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn convert molecules.csv molecules.parquet
  gsn convert MUTAG/ mutag.gin
  gsn convert graphs.g6 tu-folder --to tu
  gsn convert social.txt.gz - --to sparse6

What a format cannot hold (labels, names, classes) is left out and named. Rows that are no graphs
are listed beside the output in *.rejected.csv.

Exit codes: 0 done, 1 finished with rejected rows, 2 failure";

/// Arguments of `gsn convert`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// File or folder with graphs; `-` is standard input
    input: PathBuf,
    /// File or folder to write; `-` is standard output
    output: PathBuf,
    #[command(flatten)]
    read: InputArguments,
    /// Format of the output, when its ending does not tell
    #[arg(long, value_name = "FORMAT", value_parser = crate::args::format)]
    to: Option<Format>,
    /// Print the summary as one JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, common: &Common) -> anyhow::Result<Outcome> {
    let output = &arguments.output;
    let format = arguments.to.or_else(|| Format::from_path(output)).with_context(|| {
        format!("{}: the ending does not tell a format; name one with --to", output.display())
    })?;
    if arguments.json && output.as_os_str() == "-" {
        bail!("--json prints the summary where the graphs go; name a file");
    }
    let progress = Arc::new(Progress::new(common.quiet));
    let monitor = progress.monitor(|event, _| match event {
        Event::Rows { read, .. } => format!("{read} rows"),
        other => format!("{other:?}"),
    });
    let result = convert(
        &ConvertRequest::new(&arguments.input, output)
            .with_read(arguments.read.options())
            .with_format(format)
            .with_monitor(monitor),
    );
    let seconds = progress.elapsed().as_secs_f64();
    drop(progress);
    if let Err(Error::NoGraph { rejected, .. }) = &result {
        for bad in rejected.iter().take(3) {
            say(format_args!("  row {}: {}", bad.row, bad.reason));
        }
    }
    let ConvertSummary { graphs, input_rows, rejected, lost, notes, .. } = result?;
    if !common.quiet {
        notes.iter().for_each(|note| say(format_args!("note: {note}")));
        say(format_args!("{} as {format} in {seconds:.2} s", several(graphs, "graph")));
        if !lost.is_nothing() {
            say(format_args!("{format} does not hold {lost}"));
        }
        report_rejected(&rejected, input_rows, common.verbose);
    }
    if arguments.json {
        let lost = if lost.is_nothing() { None } else { Some(lost.to_string()) };
        let summary = json!({
            "graphs": graphs,
            "input_rows": input_rows,
            "rejected": rejected.count,
            "rejected_path": rejected.path,
            "lost": lost,
            "format": format,
            "seconds": seconds,
            "output": output,
        });
        writeln!(std::io::stdout().lock(), "{summary}")?;
    }
    Ok(if rejected.count == 0 { Outcome::Done } else { Outcome::Partly })
}
