//! `gsn count`: exact counts of patterns around every vertex, edge or arc of every graph of an
//! input, as a table.

use crate::args::{self, Common, InputArguments, MatchingArgument, OrbitsArgument, ScopeArgument};
use crate::interrupt;
use crate::job::count::{Job, Summary, count};
use crate::outcome::{Outcome, say, several};
use crate::progress::Progress;
use anyhow::{Context, bail};
use clap::Args;
use gsn_core::{Budget, CountSpec, Counter};
use gsn_io::{BudgetInfo, Rejected, Sidecar, TableFormat};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn count molecules.csv --patterns cycle:3..=8 -o rings.parquet
  gsn count graph.edges -p all:4 -p clique:5 --scope arc --matching subgraph -o motifs.npz
  gsn count molecules.smi -p 'edges:0@7-1@8,0-2@8' | head
  gsn count social.txt.gz -p all:5 --explain-plan
  gsn count graphs.g6 -p cycle:10 --budget 50M -o rings.csv.gz

The table has the columns graph, then vertex or source and target, then one for every pattern
and orbit. Beside OUT are written OUT.json (patterns, orbits, options, hash of the input) and,
if rows were rejected, *.rejected.csv. Outputs are complete or absent.

Exit codes: 0 done, 1 finished with rejected rows or budget hits, 2 failure";

/// Arguments of `gsn count`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// File or folder with graphs; `-` is standard input
    input: PathBuf,
    /// Patterns to count, such as cycle:3..=8 (see `gsn patterns --help`); may be repeated
    #[arg(short, long = "patterns", required = true, value_name = "SPEC")]
    patterns: Vec<String>,
    /// What the rows of the table are
    #[arg(long, value_enum, default_value_t)]
    scope: ScopeArgument,
    /// Which subgraphs count
    #[arg(long, value_enum, default_value_t)]
    matching: MatchingArgument,
    /// Notion of edge and arc orbits
    #[arg(long, value_enum, default_value_t, value_name = "NOTION")]
    orbits: OrbitsArgument,
    #[command(flatten)]
    read: InputArguments,
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
    /// Say which kernels would count the patterns, why, and at what cost; then stop
    #[arg(long, conflicts_with = "output")]
    explain_plan: bool,
    /// Print the summary as one JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// The arguments, checked.
struct Options {
    counter: Counter,
    output: PathBuf,
    format: TableFormat,
    sidecar: Sidecar,
}

impl Options {
    fn new(arguments: &Arguments) -> anyhow::Result<Self> {
        let output = arguments.output.clone().unwrap_or_else(|| "-".into());
        let standard = output.as_os_str() == "-";
        let format = match TableFormat::from_path(&output) {
            _ if standard => TableFormat::Csv,
            Some(format) => format,
            None => bail!(
                "{}: the ending says which table to write; use .parquet, .arrow, .csv, .csv.gz \
                 or .npz",
                output.display()
            ),
        };
        if arguments.json && standard && !arguments.explain_plan {
            bail!("--json prints the summary where the table goes; name a file with -o");
        }
        let spec = CountSpec::new(args::patterns(&arguments.patterns)?)
            .with_scope(arguments.scope.into())
            .with_matching(arguments.matching.into())
            .with_orbits(arguments.orbits.into());
        let budget = match (arguments.budget, arguments.budget_seconds) {
            (None, None) => Budget::unlimited(),
            (Some(steps), None) => Budget::steps(steps),
            (None, Some(time)) => Budget::time(time),
            (Some(steps), Some(time)) => Budget::steps(steps).and_time(time),
        };
        let counter = Counter::new(&spec).budget(budget);
        let mut sidecar = Sidecar::new(&spec);
        sidecar.budget = BudgetInfo {
            steps: arguments.budget,
            seconds: arguments.budget_seconds.map(|time| time.as_secs_f64()),
        };
        let read = &arguments.read;
        for (name, value) in [
            ("format", read.format.map(|format| json!(format.to_string()))),
            ("directed", read.directed.then_some(json!(true))),
            ("smiles", read.smiles.as_ref().map(|column| json!(column))),
        ] {
            if let Some(value) = value {
                sidecar.options.insert(name.into(), value);
            }
        }
        Ok(Self { counter, output, format, sidecar })
    }
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, common: &Common) -> anyhow::Result<Outcome> {
    let options = Options::new(arguments)?;
    let patterns = options.counter.spec().patterns();
    if !common.quiet {
        for duplicate in patterns.duplicates() {
            say(format_args!("note: {duplicate}"));
        }
    }
    if arguments.explain_plan {
        return super::explain::run(
            &arguments.input,
            &arguments.read.options(),
            &options.counter,
            arguments.json,
        );
    }
    if common.verbose {
        let columns = options.counter.columns().len();
        say(format_args!(
            "{}, {}",
            several(patterns.len() as u64, "pattern"),
            several(columns as u64, "column")
        ));
    }
    let progress = Arc::new(Progress::new(common.quiet));
    let cancel: Arc<AtomicBool> = interrupt::switch();
    let steps = progress.clone();
    let counter = options.counter.cancel_when(cancel.clone());
    let large = counter.clone().on_progress(move |share| {
        steps.tell(|| format!("{:.0} % of a large graph counted", 100.0 * share));
    });
    let job = Job {
        input: arguments.input.clone(),
        read: arguments.read.options(),
        counter,
        large,
        output: options.output.clone(),
        format: options.format,
        sidecar: options.sidecar,
        cancel,
    };
    let told = progress.clone();
    let start = std::time::Instant::now();
    let tell = move |rows: u64, graphs: u64| {
        told.tell(|| {
            let rate = graphs as f64 / start.elapsed().as_secs_f64();
            format!("{rows} rows read, {graphs} graphs counted, {rate:.0} a second")
        });
    };
    let result = count(job, &tell);
    let seconds = progress.elapsed().as_secs_f64();
    drop(tell);
    drop(progress);
    let summary = result?;
    if !common.quiet {
        report(&summary, &options.output, seconds, common.verbose);
    }
    if arguments.json {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", as_json(&summary, &options.output, seconds))
            .context("cannot write the summary")?;
    }
    Ok(if summary.table.rejected == 0 { Outcome::Done } else { Outcome::Partly })
}

/// The summary for a person.
fn report(summary: &Summary, output: &std::path::Path, seconds: f64, verbose: bool) {
    let Summary { table, input_rows, columns, first_rejected, dropped, notes } = summary;
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
    if table.rejected > 0 {
        say(format_args!("rejected: {} of {}", table.rejected, several(*input_rows, "row")));
        let most = if verbose { 100 } else { 3 };
        list_rejected(first_rejected, table.rejected, most);
        if let Some(path) = &table.rejected_path {
            say(format_args!("all of them are listed in {}", path.display()));
        }
    }
    if output.as_os_str() != "-" {
        say(format_args!("wrote {}", output.display()));
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
fn as_json(summary: &Summary, output: &std::path::Path, seconds: f64) -> Value {
    let reason = |bad: &Rejected| json!({ "row": bad.row, "line": bad.line, "reason": bad.reason });
    let table = &summary.table;
    json!({
        "graphs": table.graphs,
        "rows": table.rows,
        "columns": summary.columns,
        "input_rows": summary.input_rows,
        "rejected": table.rejected,
        "first_rejected": summary.first_rejected.iter().take(10).map(reason).collect::<Vec<_>>(),
        "self_loops": summary.dropped.self_loops,
        "duplicates": summary.dropped.duplicates,
        "notes": summary.notes,
        "seconds": seconds,
        "graphs_per_second": table.graphs as f64 / seconds.max(1e-9),
        "output": output,
        "sidecar": table.sidecar_path,
        "rejected_path": table.rejected_path,
    })
}
