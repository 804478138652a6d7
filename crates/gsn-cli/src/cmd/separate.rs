//! `gsn separate`: which graphs of a file can be told apart, by which test.

use crate::args::{self, Common, InputArguments, MatchingArgument, ScopeArgument};
use crate::outcome::{Outcome, say, several};
use crate::progress::Progress;
use crate::style::Style;
use anyhow::Context;
use gsn_core::{PatternSet, Scope};
use gsn_io::Rejected;
use gsn_lab::separate::{
    Certificate, Curve, FAMILIES, GraphList, Options, Pairing, Report, Witness, certificate, chart,
    separate, sweep,
};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::PathBuf;

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn separate sr25.g6 --patterns cycle:3..=6
  gsn separate pairs.g6 --pairs -p all:3..=5 --json
  gsn separate BREC -p all:3..=5 -p cycle:6..=8 --seeds 0
  gsn separate sr25.g6 --sweep --max-size 6 --svg curves.svg
  gsn separate sr25.g6 -p cycle:3..=6 --pair 3,7

FILE is any file of graphs, or the name of a set of the catalogue (`gsn data list`). Without
--pairs every two graphs of a file are a pair. A failure is a pair that a test does not tell apart
and that is not isomorphic; isomorphic pairs are named. Tests: 1-wl, 2-fwl and 3-fwl (where
feasible), counts (multisets of rows), counts+1-wl (the exact bound of GSN-v and GSN-e), and
networks with random weights (f64 at 1e-6; the authors' f32 at 1e-2).

Exit codes: 0 done, 1 finished with rejected rows, 2 failure";

/// Arguments of `gsn separate`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Files of graphs, or names of the catalogue
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Patterns to count, such as cycle:3..=6 (see `gsn patterns --help`); may be repeated
    #[arg(short, long = "patterns", value_name = "SPEC")]
    patterns: Vec<String>,
    /// Graphs 0 and 1, 2 and 3, … are the pairs
    #[arg(long)]
    pairs: bool,
    /// Failures of cycles, paths, cliques and all graphs against their size
    #[arg(long, conflicts_with_all = ["patterns", "pair"])]
    sweep: bool,
    /// Largest patterns of the sweep
    #[arg(long, default_value_t = 6, value_name = "K", requires = "sweep")]
    max_size: usize,
    /// Families of the sweep [default: cycle, path, clique, all]
    #[arg(long, value_name = "FAMILY", requires = "sweep", value_delimiter = ',')]
    family: Vec<String>,
    /// Write the curves of the sweep
    #[arg(long, value_name = "FILE", requires = "sweep")]
    svg: Option<PathBuf>,
    /// Look at one pair of graphs only, and print its certificate
    #[arg(long, value_name = "I,J", value_parser = pair)]
    pair: Option<(usize, usize)>,
    /// Scopes of the counts [default: vertex and arc]
    #[arg(long, value_enum, value_name = "SCOPE")]
    scope: Vec<ScopeArgument>,
    /// Matchings of the counts [default: both]
    #[arg(long, value_enum, value_name = "MATCHING")]
    matching: Vec<MatchingArgument>,
    /// Largest k of k-FWL, where feasible
    #[arg(long, default_value_t = 3, value_name = "K", value_parser = clap::value_parser!(u8).range(1..=3))]
    fwl: u8,
    /// Seeds of the random-weight networks; 0 leaves them out
    #[arg(long, default_value_t = 3, value_name = "N")]
    seeds: u64,
    /// Labels of vertices and edges do not count
    #[arg(long)]
    ignore_labels: bool,
    /// Do not look for isomorphic pairs; they then count as failures
    #[arg(long)]
    no_isomorphism: bool,
    /// Certificates to print, of the first separated pairs
    #[arg(long, default_value_t = 5, value_name = "N")]
    certificates: usize,
    /// Megabytes that tables may take
    #[arg(long, default_value_t = 2048, value_name = "MB")]
    memory: u64,
    /// Print one JSON object a file
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: InputArguments,
}

fn pair(text: &str) -> Result<(usize, usize), String> {
    let parts = text
        .split_once(',')
        .and_then(|(i, j)| Some((i.trim().parse().ok()?, j.trim().parse().ok()?)));
    parts.ok_or_else(|| format!("`{text}` is not two numbers such as 3,7"))
}

/// What was found in a list of graphs.
enum Found {
    Pair(Box<Certificate>),
    Sweep(Vec<Curve>, u64),
    Report(Box<Report>),
}

impl Found {
    /// Does what the arguments ask for.
    fn of(arguments: &Arguments, input: &GraphList) -> anyhow::Result<Self> {
        let patterns = match &arguments.patterns[..] {
            [] => PatternSet::default(),
            texts => args::patterns(texts)?,
        };
        let options = options(arguments, patterns, input.paired);
        let fail = || format!("cannot compare the graphs of {}", input.name);
        if let Some((i, j)) = arguments.pair {
            let found = certificate(&input.graphs, i, j, &options).with_context(fail)?;
            return Ok(Self::Pair(Box::new(found)));
        }
        if arguments.sweep {
            let names: Vec<&str> = match &arguments.family[..] {
                [] => FAMILIES.to_vec(),
                names => names.iter().map(String::as_str).collect(),
            };
            let curves =
                sweep(&input.graphs, &names, arguments.max_size, &options).with_context(fail)?;
            return Ok(Self::Sweep(curves, options.pairing.count(input.graphs.len())));
        }
        let report = separate(&input.graphs, &options).with_context(fail)?;
        Ok(Self::Report(Box::new(report)))
    }

    /// One object for a program.
    fn json(&self, input: &GraphList) -> anyhow::Result<Value> {
        let value = match self {
            Self::Pair(found) => certificate_json(input, found)?,
            Self::Sweep(curves, pairs) => {
                json!({ "graphs": input.graphs.len(), "pairs": pairs, "sweep": curves })
            }
            Self::Report(report) => {
                let mut value = serde_json::to_value(report)?;
                let all = report.certificates.iter().map(|found| certificate_json(input, found));
                value["certificates"] = Value::Array(all.collect::<Result<_, _>>()?);
                value
            }
        };
        Ok(named(input, value))
    }
}

/// An object for each file; or for `graphs` in place of files.
pub(crate) fn found(
    arguments: &Arguments,
    graphs: Option<GraphList>,
) -> anyhow::Result<Vec<Value>> {
    let of = |input: &GraphList| Found::of(arguments, input)?.json(input);
    if let Some(list) = graphs {
        return Ok(vec![of(&list)?]);
    }
    let options = arguments.read.options();
    let read = |path: &PathBuf| GraphList::read(path, &options, arguments.pairs);
    arguments.files.iter().map(|path| of(&read(path)?)).collect()
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, common: &Common) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::Done;
    for path in &arguments.files {
        let progress = Progress::new(common.quiet);
        progress.tell(|| format!("reading {}", path.display()));
        let input = GraphList::read(path, &arguments.read.options(), arguments.pairs)?;
        if !input.rejected.is_empty() {
            outcome = Outcome::Partly;
            if !common.quiet {
                for bad in input.rejected.iter().take(5) {
                    say(format_args!("rejected: {}", rejected(bad)));
                }
            }
        }
        let found = Found::of(arguments, &input)?;
        if let (Some(svg), Found::Sweep(curves, pairs)) = (&arguments.svg, &found) {
            gsn_io::atomic::replace(svg, chart(&input.name, curves, *pairs).as_bytes())
                .with_context(|| format!("cannot write {}", svg.display()))?;
            if !common.quiet {
                say(format_args!("wrote {}", svg.display()));
            }
        }
        match &found {
            _ if arguments.json => writeln!(io::stdout().lock(), "{}", found.json(&input)?)?,
            Found::Pair(found) => writeln!(io::stdout().lock(), "{}", in_words(&input, found))?,
            Found::Sweep(curves, pairs) => print_curves(&input, curves, *pairs)?,
            Found::Report(report) => print_report(&input, report)?,
        }
    }
    Ok(outcome)
}

fn options(arguments: &Arguments, patterns: PatternSet, paired: bool) -> Options {
    let mut options = Options::new(patterns)
        .with_labels(!arguments.ignore_labels)
        .with_fwl(usize::from(arguments.fwl))
        .with_seeds(arguments.seeds)
        .with_isomorphism(!arguments.no_isomorphism)
        .with_certificates(arguments.certificates)
        .with_memory(arguments.memory.saturating_mul(1 << 20));
    if arguments.pairs || paired {
        options.pairing = Pairing::Consecutive;
    }
    if !arguments.scope.is_empty() {
        options.scopes = arguments.scope.iter().map(|&scope| Scope::from(scope)).collect();
    }
    if !arguments.matching.is_empty() {
        options.matchings = arguments.matching.iter().map(|&m| m.into()).collect();
    }
    options
}

/// A rejected row in words.
fn rejected(bad: &Rejected) -> String {
    let line = bad.line.map(|line| format!(" (line {line})")).unwrap_or_default();
    format!("row {}{line}: {}", bad.row, bad.reason)
}

/// The report with the name of its file in front.
fn named(input: &GraphList, value: Value) -> Value {
    let mut object = json!({ "file": input.name });
    if let (Value::Object(into), Value::Object(from)) = (&mut object, value) {
        into.extend(from);
    }
    if !input.rejected.is_empty() {
        object["rejected"] = input.rejected.iter().map(rejected).collect();
    }
    object
}

fn print_report(input: &GraphList, report: &Report) -> anyhow::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let style = Style::of_stdout();
    writeln!(
        out,
        "{}: {}, {}",
        style.bold(&input.name),
        several(report.graphs as u64, "graph"),
        several(report.pairs, "pair")
    )?;
    writeln!(out, "\n  {:<14}{:<28}{:>12}{:>11}", "test", "counts", "failures", "share")?;
    for test in &report.tests {
        let of = [test.scope, test.matching, test.orbits.filter(|&o| o != "exact")];
        let of: Vec<&str> = of.into_iter().flatten().collect();
        let failures = match test.failures {
            None => format!("{:>12}", "–"),
            Some(failures) => {
                let share = 100.0 * failures as f64 / report.pairs.max(1) as f64;
                format!("{failures:>12}{:>11}", percent(failures, share))
            }
        };
        let note = test.note.as_deref().map(|note| format!("  {}", style.dim(note)));
        let seeds = match &test.by_seed[..] {
            [] => String::new(),
            seeds => {
                let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
                style.dim(&format!("  seeds: {}", seeds.join(", ")))
            }
        };
        writeln!(
            out,
            "  {:<14}{:<28}{failures}{seeds}{}",
            test.test,
            of.join(", "),
            note.unwrap_or_default()
        )?;
    }
    match report.isomorphic {
        Some(0) => writeln!(out, "\n  no two graphs of a pair are isomorphic")?,
        Some(count) => {
            let first: Vec<String> = report
                .isomorphic_pairs
                .iter()
                .take(8)
                .map(|&(i, j)| format!("{}={}", input.rows[i], input.rows[j]))
                .collect();
            let more = if count as usize > first.len() { ", …" } else { "" };
            let list = first.join(", ");
            writeln!(out, "\n  isomorphic: {} ({list}{more})", several(count, "pair"))?;
        }
        None => {}
    }
    for &(i, j) in &report.undecided {
        let (i, j) = (input.rows[i], input.rows[j]);
        writeln!(out, "  graphs {i} and {j}: whether they are isomorphic could not be decided")?;
    }
    if report.unseparated > 0 {
        let first: Vec<String> = report
            .unseparated_pairs
            .iter()
            .take(8)
            .map(|&(i, j)| format!("{}~{}", input.rows[i], input.rows[j]))
            .collect();
        let more = if report.unseparated as usize > first.len() { ", …" } else { "" };
        writeln!(
            out,
            "  no test here tells apart: {} ({}{more})",
            several(report.unseparated, "pair"),
            first.join(", ")
        )?;
    }
    let smallest = report.tests.iter().filter(|test| !test.smallest.is_empty());
    for test in smallest {
        let mut patterns: Vec<String> =
            test.smallest.iter().take(6).map(|(name, pairs)| format!("{name} {pairs}")).collect();
        if test.smallest.len() > 6 {
            patterns.push("…".into());
        }
        writeln!(
            out,
            "  smallest pattern, {} {}: {}",
            test.scope.unwrap_or_default(),
            test.matching.unwrap_or_default(),
            patterns.join(", ")
        )?;
    }
    if !report.certificates.is_empty() {
        writeln!(out)?;
    }
    for found in report.certificates.iter().take(20) {
        writeln!(out, "  {}", in_words(input, found))?;
    }
    Ok(out.flush()?)
}

fn percent(failures: u64, share: f64) -> String {
    match failures {
        0 => "0 %".to_owned(),
        _ if share >= 0.01 => format!("{share:.2} %"),
        _ => format!("{share:.1e} %"),
    }
}

fn in_words(input: &GraphList, found: &Certificate) -> String {
    let (i, j) = (input.rows[found.left], input.rows[found.right]);
    let Some(pattern) = &found.pattern else {
        return format!("graphs {i} and {j}: these patterns do not tell them apart");
    };
    let scope = found.scope.unwrap_or_default();
    let matching = found.matching.unwrap_or_default();
    if found.by == Some("counts+1-wl") {
        return format!("graphs {i} and {j}: 1-WL from {matching} {scope} counts of {pattern}");
    }
    let rows = |rows: &[(Vec<u64>, u64)]| {
        let mut text: Vec<String> = rows
            .iter()
            .take(4)
            .map(|(row, times)| {
                let row: Vec<String> = row.iter().map(u64::to_string).collect();
                format!("{times} × ({})", row.join(", "))
            })
            .collect();
        if rows.len() > 4 {
            text.push(format!("… {} rows", rows.len()));
        }
        text.join(", ")
    };
    // Where vertices have names, one of them is named.
    let named = |witness: &&Witness| input.vertex_names[witness.graph].is_some();
    let witness = found.witness.as_ref().filter(named).map(|witness| {
        let ends: Vec<String> =
            witness.ends.iter().map(|&v| input.vertex(witness.graph, v).to_string()).collect();
        let row: Vec<String> = witness.row.iter().map(u64::to_string).collect();
        let graph = input.rows[witness.graph];
        format!("; such as {scope} {} of graph {graph}: ({})", ends.join(" to "), row.join(", "))
    });
    format!(
        "graphs {i} and {j}: {pattern}, {matching} {scope} counts: {}  |  {}{}",
        rows(&found.left_rows),
        rows(&found.right_rows),
        witness.unwrap_or_default()
    )
}

/// A certificate whose witness is called as the file calls it.
fn certificate_json(input: &GraphList, found: &Certificate) -> anyhow::Result<Value> {
    let mut value = serde_json::to_value(found)?;
    if let Some(witness) = &found.witness {
        let ends = witness.ends.iter().map(|&v| input.vertex(witness.graph, v));
        value["witness"]["ends"] = serde_json::to_value(ends.collect::<Vec<_>>())?;
    }
    Ok(value)
}

fn print_curves(input: &GraphList, curves: &[Curve], pairs: u64) -> anyhow::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    writeln!(out, "{}: {}, failures by size", input.name, several(pairs, "pair"))?;
    let sizes: Vec<usize> = curves
        .first()
        .map(|curve| curve.points.iter().map(|point| point.k).collect())
        .unwrap_or_default();
    let heads: Vec<String> = sizes.iter().map(|k| format!("{:>10}", format!("k={k}"))).collect();
    writeln!(
        out,
        "  {:<8}{:<13}{:<8}{:<10}{}",
        "family",
        "test",
        "scope",
        "matching",
        heads.concat()
    )?;
    for curve in curves.iter().filter(|curve| curve.orbits == "exact") {
        let cells: Vec<String> =
            curve.points.iter().map(|point| format!("{:>10}", point.failures)).collect();
        writeln!(
            out,
            "  {:<8}{:<13}{:<8}{:<10}{}",
            curve.family,
            curve.test,
            curve.scope,
            curve.matching,
            cells.concat()
        )?;
    }
    Ok(out.flush()?)
}
