//! `gsn count --list`: the occurrences themselves, with exact totals beside.

use super::count::{Arguments, report_rejected, watched};
use crate::args::{self, Common};
use crate::outcome::{Outcome, say, several};
use crate::progress::Progress;
use anyhow::{Context, bail};
use gsn_core::PatternSet;
use gsn_io::{ListRequest, ListSummary, list};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// Patterns whose totals are told one by one.
const FEW: usize = 30;

/// Lists instead of counting.
pub(super) fn run(
    arguments: &Arguments,
    output: &Path,
    common: &Common,
) -> anyhow::Result<Outcome> {
    let standard = output.as_os_str() == "-";
    if arguments.json && standard {
        bail!("--json prints the summary where the list goes; name a file with --list");
    }
    let name = output.to_string_lossy().to_ascii_lowercase();
    if !standard && !name.ends_with(".csv") && !name.ends_with(".csv.gz") {
        bail!("{}: a list is written as .csv or .csv.gz", output.display());
    }
    let patterns = args::patterns(&arguments.patterns)?;
    let progress = Arc::new(Progress::new(common.quiet));
    let result = list(
        &ListRequest::new(&arguments.input, output, patterns.clone())
            .with_matching(arguments.matching.into())
            .with_limit(arguments.limit)
            .with_read(arguments.read.options())
            .with_budget(arguments.budget())
            .with_monitor(watched(&progress)),
    );
    drop(progress);
    let summary = result?;
    if !common.quiet {
        report(&summary, &patterns, output, common.verbose);
    }
    if arguments.json {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", as_json(&summary, &patterns, arguments.limit, output))
            .context("cannot write the summary")?;
    }
    Ok(if summary.rejected.count == 0 { Outcome::Done } else { Outcome::Partly })
}

/// The summary for a person.
fn report(summary: &ListSummary, patterns: &PatternSet, output: &Path, verbose: bool) {
    for note in &summary.notes {
        say(format_args!("note: {note}"));
    }
    let shown = if verbose { usize::MAX } else { FEW };
    for (pattern, (total, listed)) in patterns.iter().zip(&summary.patterns).take(shown) {
        say(format_args!("{}: {total} in all, {listed} listed", pattern.name()));
    }
    if patterns.len() > shown {
        say(format_args!("and {} more patterns", patterns.len() - shown));
    }
    say(format_args!("{} searched", several(summary.graphs, "graph")));
    report_rejected(&summary.rejected, summary.input_rows, verbose);
    if output.as_os_str() != "-" {
        say(format_args!("wrote {}", output.display()));
    }
}

/// The summary for a program; totals beyond 64 bits are texts.
fn as_json(summary: &ListSummary, patterns: &PatternSet, limit: u64, output: &Path) -> Value {
    let number = |total: u128| u64::try_from(total).map_or(json!(total.to_string()), Value::from);
    let one = |(pattern, &(total, listed)): (&gsn_core::Pattern, &(u128, u64))| json!({ "name": pattern.name(), "total": number(total), "listed": listed });
    json!({
        "patterns": patterns.iter().zip(&summary.patterns).map(one).collect::<Vec<_>>(),
        "limit": limit,
        "graphs": summary.graphs,
        "input_rows": summary.input_rows,
        "rejected": summary.rejected.count,
        "notes": summary.notes,
        "output": output,
        "rejected_path": summary.rejected.path,
    })
}
