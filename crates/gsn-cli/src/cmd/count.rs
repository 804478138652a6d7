//! `gsn count`: exact counts of patterns around every vertex, edge or arc of every graph of an
//! input, as a table.

use crate::args::{self, Common, InputArguments, MatchingArgument, OrbitsArgument, ScopeArgument};
use crate::outcome::{Outcome, say, several};
use crate::progress::{Progress, TimeLeft};
use anyhow::{Context, bail};
use clap::Args;
use gsn_core::{Budget, CountSpec, Counter};
use gsn_io::{
    CountRequest, CountSummary, Event, Monitor, Rejected, RejectedRows, TableFormat, count,
};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn count molecules.csv --patterns cycle:3..=8 -o rings.parquet
  gsn count graph.edges -p all:4 -p clique:5 --scope arc --matching subgraph -o motifs.npz
  gsn count molecules.smi -p 'edges:0@7-1@8,0-2@8' | head
  gsn count social.txt.gz -p all:5 --explain-plan
  gsn count graphs.g6 -p cycle:10 --budget 50M -o rings.csv.gz
  gsn count social.txt.gz -p clique:4 --list cliques.csv --limit 100

The table has the columns graph, then vertex or source and target, as the input calls them, then
one for every pattern and orbit. Beside OUT are written OUT.json (patterns, orbits, options, hash of the input) and,
if rows were rejected, *.rejected.csv. Outputs are complete or absent.

Exit codes: 0 done, 1 finished with rejected rows or budget hits, 2 failure";

/// Arguments of `gsn count`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// File or folder with graphs; `-` is standard input
    pub(super) input: PathBuf,
    /// Patterns to count, such as cycle:3..=8 (see `gsn patterns --help`); may be repeated
    #[arg(short, long = "patterns", required = true, value_name = "SPEC")]
    pub(super) patterns: Vec<String>,
    /// What the rows of the table are
    #[arg(long, value_enum, default_value_t)]
    scope: ScopeArgument,
    /// Which subgraphs count
    #[arg(long, value_enum, default_value_t)]
    pub(super) matching: MatchingArgument,
    /// Notion of edge and arc orbits
    #[arg(long, value_enum, default_value_t, value_name = "NOTION")]
    orbits: OrbitsArgument,
    #[command(flatten)]
    pub(super) read: InputArguments,
    /// Steps that one graph may take, such as 50M; graphs beyond are rejected
    #[arg(long, value_name = "STEPS", value_parser = args::steps)]
    budget: Option<u64>,
    /// Seconds that one graph may take; graphs beyond are rejected
    #[arg(long, value_name = "SECONDS", value_parser = args::seconds)]
    budget_seconds: Option<Duration>,
    /// Table to write, by its ending: .parquet, .arrow, .csv, .csv.gz or .npz [default: CSV on
    /// standard output]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Write the occurrences themselves instead of counts, one a line with its vertices by role:
    /// .csv, .csv.gz or `-`
    #[arg(long, value_name = "OUT", conflicts_with_all = ["output", "explain_plan", "scope", "orbits"])]
    list: Option<PathBuf>,
    /// Occurrences of one pattern in one graph that --list writes at most; totals stay exact
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "list")]
    pub(super) limit: u64,
    /// Say which kernels would count the patterns, why, and at what cost; then stop
    #[arg(long, conflicts_with = "output")]
    explain_plan: bool,
    /// Print the summary as one JSON object on standard output
    #[arg(long)]
    pub(super) json: bool,
}

impl Arguments {
    fn spec(&self) -> anyhow::Result<CountSpec> {
        Ok(CountSpec::new(args::patterns(&self.patterns)?)
            .with_scope(self.scope.into())
            .with_matching(self.matching.into())
            .with_orbits(self.orbits.into()))
    }

    pub(super) fn budget(&self) -> Budget {
        match (self.budget, self.budget_seconds) {
            (None, None) => Budget::unlimited(),
            (Some(steps), None) => Budget::steps(steps),
            (None, Some(time)) => Budget::time(time),
            (Some(steps), Some(time)) => Budget::steps(steps).with_time(time),
        }
    }
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, common: &Common) -> anyhow::Result<Outcome> {
    if let Some(output) = &arguments.list {
        return super::list::run(arguments, output, common);
    }
    let output = arguments.output.clone().unwrap_or_else(|| "-".into());
    let format = TableFormat::of_output(&output)?;
    if arguments.json && output.as_os_str() == "-" && !arguments.explain_plan {
        bail!("--json prints the summary where the table goes; name a file with -o");
    }
    let spec = arguments.spec()?;
    if !common.quiet {
        for duplicate in spec.patterns().duplicates() {
            say(format_args!("note: {duplicate}"));
        }
    }
    let read = arguments.read.options();
    if arguments.explain_plan {
        let counter = Counter::new(&spec).budget(arguments.budget());
        return super::plan::run(&arguments.input, &read, &counter, arguments.json);
    }
    if common.verbose {
        say(format_args!(
            "{}, {}",
            several(spec.patterns().len() as u64, "pattern"),
            several(spec.columns().len() as u64, "column")
        ));
    }
    let progress = Arc::new(Progress::new(common.quiet));
    let monitor = watched(&progress);
    let result = count(
        &CountRequest::new(&arguments.input, &output, spec)
            .with_read(read)
            .with_format(format)
            .with_budget(arguments.budget())
            .with_monitor(monitor),
    );
    let seconds = progress.elapsed().as_secs_f64();
    drop(progress);
    let summary = result?;
    if !common.quiet {
        report(&summary, &output, seconds, common.verbose);
    }
    if arguments.json {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", as_json(&summary, &output, seconds))
            .context("cannot write the summary")?;
    }
    Ok(if summary.table.rejected.count == 0 { Outcome::Done } else { Outcome::Partly })
}

/// What is told while graphs are counted.
pub(super) fn watched(progress: &Arc<Progress>) -> Monitor {
    let left = Mutex::new(TimeLeft::default());
    progress.monitor(move |event, seconds| match event {
        Event::LargeGraph(share) => {
            let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
            let left = left.in_words(share, seconds);
            format!("{:.0} % of a large graph counted{left}", 100.0 * share)
        }
        Event::Rows { read, done } => {
            let rate = done as f64 / seconds;
            format!("{read} rows read, {done} graphs counted, {rate:.0} a second")
        }
        other => format!("{other:?}"),
    })
}

/// The summary for a person.
fn report(summary: &CountSummary, output: &Path, seconds: f64, verbose: bool) {
    let CountSummary { table, input_rows, columns, dropped, notes } = summary;
    for note in notes {
        say(format_args!("note: {note}"));
    }
    let rate = match table.graphs {
        0 | 1 => String::new(),
        many => format!(" ({:.0} graphs a second)", many as f64 / seconds.max(1e-9)),
    };
    say(format_args!(
        "{}, {}, {} in {seconds:.2} s{rate}",
        several(table.graphs, "graph"),
        several(table.rows, "row"),
        several(*columns as u64, "column"),
    ));
    if dropped.self_loops + dropped.duplicates > 0 {
        say(format_args!(
            "left out: {}, {}",
            several(dropped.self_loops as u64, "self-loop"),
            several(dropped.duplicates as u64, "repeated edge")
        ));
    }
    report_rejected(&table.rejected, *input_rows, verbose);
    if output.as_os_str() != "-" {
        say(format_args!("wrote {}", output.display()));
    }
}

/// The rejected rows among `rows`, if there are some.
pub(super) fn report_rejected(rejected: &RejectedRows, rows: u64, verbose: bool) {
    if rejected.count == 0 {
        return;
    }
    say(format_args!("rejected: {} of {}", rejected.count, several(rows, "row")));
    list_rejected(&rejected.first, rejected.count, if verbose { 100 } else { 3 });
    if let Some(path) = &rejected.path {
        say(format_args!("all of them are listed in {}", path.display()));
    }
}

/// Some rejected rows, one a line.
pub(super) fn list_rejected(rejected: &[Rejected], all: u64, most: usize) {
    let shown = rejected.len().min(most);
    for Rejected { row, line, reason, .. } in &rejected[..shown] {
        let line = line.map(|line| format!(" (line {line})")).unwrap_or_default();
        say(format_args!("  row {row}{line}: {reason}"));
    }
    if all > shown as u64 {
        say(format_args!("  and {} more", all - shown as u64));
    }
}

/// The summary for a program.
fn as_json(summary: &CountSummary, output: &Path, seconds: f64) -> Value {
    let reason = |bad: &Rejected| json!({ "row": bad.row, "line": bad.line, "reason": bad.reason });
    let table = &summary.table;
    json!({
        "graphs": table.graphs,
        "rows": table.rows,
        "columns": summary.columns,
        "input_rows": summary.input_rows,
        "rejected": table.rejected.count,
        "first_rejected": table.rejected.first.iter().take(10).map(reason).collect::<Vec<_>>(),
        "self_loops": summary.dropped.self_loops,
        "duplicates": summary.dropped.duplicates,
        "notes": summary.notes,
        "seconds": seconds,
        "graphs_per_second": table.graphs as f64 / seconds.max(1e-9),
        "output": output,
        "sidecar": table.sidecar_path,
        "rejected_path": table.rejected.path,
    })
}
