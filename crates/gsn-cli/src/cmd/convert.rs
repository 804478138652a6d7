//! `gsn convert`: the graphs of an input in another format, row after row.

use super::count::list_rejected;
use crate::args::{Common, InputArguments};
use crate::interrupt;
use crate::job::count::files_of;
use crate::outcome::{Outcome, say, several};
use crate::progress::Progress;
use anyhow::{Context, bail};
use gsn_io::{Format, GraphSink, GraphSource, RejectedFile, Row, rejected_path};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

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

/// Rejected rows that are kept to be shown.
const SHOWN: usize = 100;

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, common: &Common) -> anyhow::Result<Outcome> {
    let output = &arguments.output;
    let format = arguments.to.or_else(|| Format::from_path(output)).with_context(|| {
        format!("{}: the ending does not tell a format; name one with --to", output.display())
    })?;
    if arguments.json && output.as_os_str() == "-" {
        bail!("--json prints the summary where the graphs go; name a file");
    }
    let progress = Progress::new(common.quiet);
    let cancel = interrupt::switch();
    let mut source = GraphSource::open(&arguments.input, &arguments.read.options())?;
    let mut sink = GraphSink::create(output, format, &files_of(&arguments.input))?;
    let standard = output.as_os_str() == "-";
    let mut list = RejectedFile::new((!standard).then(|| rejected_path(output)));
    let (mut first, mut rows) = (Vec::new(), 0u64);
    for row in source.by_ref() {
        match row? {
            Row::Graph(record) => {
                sink.push(&record)?;
            }
            Row::Rejected(bad) => {
                list.push(&bad)?;
                if first.len() < SHOWN {
                    first.push(bad);
                }
            }
        }
        rows += 1;
        if rows.is_multiple_of(1024) {
            progress.tell(|| format!("{rows} rows"));
            if cancel.load(Ordering::Relaxed) {
                bail!("cancelled; nothing was written");
            }
        }
    }
    if sink.written() == 0 {
        for bad in first.iter().take(3) {
            say(format_args!("  row {}: {}", bad.row, bad.reason));
        }
        bail!("{} holds no graph that can be written", arguments.input.display());
    }
    let written = sink.written();
    let lost = sink.finish()?;
    let (rejected, rejected_path) = list.finish()?;
    let seconds = progress.elapsed().as_secs_f64();
    drop(progress);
    if !common.quiet {
        source.notes().iter().for_each(|note| say(format_args!("note: {note}")));
        say(format_args!("{} as {format} in {seconds:.2} s", several(written, "graph")));
        if !lost.is_nothing() {
            say(format_args!("{format} does not hold {lost}"));
        }
        if rejected > 0 {
            say(format_args!("rejected: {rejected} of {}", several(rows, "row")));
            list_rejected(&first, rejected, if common.verbose { SHOWN } else { 3 });
            if let Some(path) = &rejected_path {
                say(format_args!("all of them are listed in {}", path.display()));
            }
        }
    }
    if arguments.json {
        let lost = if lost.is_nothing() { None } else { Some(lost.to_string()) };
        let summary = json!({
            "graphs": written,
            "input_rows": rows,
            "rejected": rejected,
            "rejected_path": rejected_path,
            "lost": lost,
            "format": format,
            "seconds": seconds,
            "output": output,
        });
        writeln!(std::io::stdout().lock(), "{summary}")?;
    }
    Ok(if rejected == 0 { Outcome::Done } else { Outcome::Partly })
}
