//! `gsn verify`: a count table held against its input, a sample of it recounted by brute force.

use crate::args::{self, Common};
use crate::outcome::{Outcome, say, several};
use crate::progress::Progress;
use gsn_io::{Difference, Event, VerifyReport, VerifyRequest, verify};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn verify rings.parquet
  gsn verify rings.parquet --sample 1000 --seed 7 --seconds 300
  gsn verify rings.parquet --input moved/molecules.csv --json

The keys of all rows and the hashes of table and input are checked; of the sampled graphs up to 500 rows
each are recounted, number by number, by a search that shares nothing with the counting kernels.

With --sample 0 nothing is recounted: the table belongs to its sidecar and input, no more.

Exit codes: 0 all numbers that were recounted are equal, 2 a difference or another failure";

/// Arguments of `gsn verify`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Table that `gsn count -o` wrote; its sidecar must lie beside it
    counts: PathBuf,
    /// Graphs to recount
    #[arg(long, default_value_t = 100, value_name = "N")]
    sample: usize,
    /// Start of the random choice
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,
    /// Time to spend on recounting
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = args::seconds)]
    seconds: Duration,
    /// The input, when it is no longer where the sidecar says
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Print the result as one JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// Differences that are shown.
const SHOWN: usize = 10;

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, common: &Common) -> anyhow::Result<Outcome> {
    let progress = Arc::new(Progress::new(common.quiet));
    let monitor = progress.monitor(|event, _| match event {
        Event::Rows { done, .. } => format!("{done} graphs read"),
        Event::Recount { graph, of } => format!("recounting graph {graph} of {of}"),
        other => format!("{other:?}"),
    });
    let request = VerifyRequest {
        input: arguments.input.clone(),
        sample: arguments.sample,
        seed: arguments.seed,
        time: arguments.seconds,
        monitor,
        ..VerifyRequest::new(&arguments.counts)
    };
    let result = verify(&request);
    drop((request, progress));
    let report = result?;
    if arguments.json {
        writeln!(std::io::stdout().lock(), "{}", as_json(&report))?;
    }
    if !common.quiet {
        tell(&report, arguments);
    }
    if !report.differences.is_empty() {
        let most = if common.verbose { usize::MAX } else { SHOWN };
        for difference in report.differences.iter().take(most) {
            let Difference { graph, ends: [u, v], column, table, brute_force } = difference;
            let place = if u == v { format!("vertex {u}") } else { format!("{u} to {v}") };
            say(format_args!(
                "  graph {graph}, {place}, {column}: {table} in the table, {brute_force} by \
                 brute force"
            ));
        }
        let (table, differ) = (arguments.counts.display(), report.differences.len());
        anyhow::bail!("{table}: {differ} of {} numbers differ", report.cells);
    }
    anyhow::ensure!(
        report.cells > 0 || report.graphs == 0 || arguments.sample == 0,
        "brute force could recount nothing in its time; raise --seconds or count smaller patterns"
    );
    Ok(Outcome::Done)
}

fn tell(report: &VerifyReport, arguments: &Arguments) {
    say(format_args!(
        "{}: the rows of {} are those of {}",
        arguments.counts.display(),
        several(report.graphs, "graph"),
        report.input.display()
    ));
    if report.cells == 0 {
        say("recounted by brute force: nothing, so whether the numbers are right is not known");
    } else {
        let verdict = if report.differences.is_empty() { "all equal" } else { "NOT all equal" };
        say(format_args!(
            "recounted by brute force: {} in {} of {}: {verdict}",
            several(report.cells, "number"),
            several(report.rows, "row"),
            several(report.recounted, "graph")
        ));
    }
    if report.other_table {
        say("the table is not the one that its sidecar was written with");
    }
    if report.too_expensive > 0 {
        say(format_args!(
            "too expensive for brute force: {}",
            several(report.too_expensive, "number")
        ));
    }
    let seconds = arguments.seconds.as_secs_f64();
    if report.out_of_time > 0 {
        let numbers = several(report.out_of_time, "number");
        say(format_args!("not recounted within {seconds} s: {numbers} of rows that were begun"));
    }
    if report.not_begun > 0 {
        say(format_args!("not begun within {seconds} s: {}", several(report.not_begun, "row")));
    }
}

fn as_json(report: &VerifyReport) -> Value {
    let difference = |d: &Difference| {
        json!({
            "graph": d.graph,
            "ends": d.ends,
            "column": d.column,
            "table": d.table,
            "brute_force": d.brute_force.to_string(),
        })
    };
    json!({
        "input": report.input,
        "graphs": report.graphs,
        "recounted_graphs": report.recounted,
        "recounted_rows": report.rows,
        "recounted_numbers": report.cells,
        "too_expensive": report.too_expensive,
        "out_of_time": report.out_of_time,
        "rows_not_begun": report.not_begun,
        "other_table": report.other_table,
        "differences": report.differences.iter().map(difference).collect::<Vec<_>>(),
    })
}
