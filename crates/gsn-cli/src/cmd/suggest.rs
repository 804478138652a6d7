//! `gsn suggest`: which patterns are worth counting in a dataset.

use crate::args::{self, Common, MatchingArgument};
use crate::outcome::{Outcome, say};
use crate::progress::Progress;
use crate::style::Style;
use anyhow::Context;
use clap::ValueEnum;
use gsn_core::{CountSpec, PatternSet};
use gsn_lab::recipe::network::Kind;
use gsn_lab::recipe::{Recipe, library};
use gsn_lab::suggest::{Options, Suggestion, suggest};
use gsn_lab::{Dataset, catalogue, user_data};
use serde_json::Value;
use std::io::{self, Write};
use std::path::PathBuf;

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn suggest ZINC-12k --max-size 8
  gsn suggest molecules.csv --target logp --max-size 6 --json > suggestion.json
  gsn suggest MUTAG --max-size 6 --picks 4 --plot mutag.svg
  gsn suggest molecules.csv --target y --candidates all:3..=5

DATA is a name of the catalogue (`gsn data list`) or a file as `gsn train` reads it. Only the
training split is looked at. Signal: share of the label's variance that the number of occurrences
explains; a pattern that explains no more than the 99th percentile of permuted labels is noise.
δ: share of vertices that input features and counts tell apart inside their graph.

Exit codes: 0 done, 1 finished with rejected rows, 2 failure";

/// Arguments of `gsn suggest`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Name of a set, or a file
    data: String,
    /// Most vertices of a pattern
    #[arg(long, default_value_t = 6, value_name = "K")]
    max_size: usize,
    /// Candidates, instead of cycles, paths, stars, cliques and all small graphs; may be repeated
    #[arg(long, value_name = "SPEC")]
    candidates: Vec<String>,
    /// Which subgraphs count
    #[arg(long, value_enum, default_value_t)]
    matching: MatchingArgument,
    /// Target column of a file
    #[arg(long, value_name = "COLUMN")]
    target: Vec<String>,
    /// Column that holds SMILES [default: the one called `smiles`]
    #[arg(long, value_name = "COLUMN")]
    smiles: Option<String>,
    /// Most patterns to pick
    #[arg(long, default_value_t = 8, value_name = "N")]
    picks: usize,
    /// Largest trees in the table of δ by family; they are many
    #[arg(long, default_value_t = 6, value_name = "K")]
    trees: usize,
    /// Most training graphs to look at
    #[arg(long, default_value_t = 20_000, value_name = "N")]
    graphs: usize,
    /// Decides permutations, samples and random splits
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Write the ranking as a plot
    #[arg(long, value_name = "SVG")]
    plot: Option<PathBuf>,
    /// Write everything as JSON
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object instead of the tables
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, common: &Common) -> anyhow::Result<Outcome> {
    let progress = Progress::new(common.quiet);
    let (dataset, notes, rejected) = load(arguments)?;
    if !common.quiet {
        notes.iter().for_each(say);
    }
    progress.tell(|| format!("counting in {}", dataset.name));
    let found = suggest(&dataset, &options(arguments)?)?;
    drop(progress);
    let write = |path: &PathBuf, text: String| -> anyhow::Result<()> {
        gsn_io::atomic::replace(path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
        if !common.quiet {
            say(format_args!("wrote {}", path.display()));
        }
        Ok(())
    };
    if let Some(path) = &arguments.plot {
        write(path, found.chart())?;
    }
    if let Some(path) = &arguments.output {
        write(path, format!("{:#}\n", as_json(arguments, &found)?))?;
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    if arguments.json {
        writeln!(out, "{}", as_json(arguments, &found)?)?;
    } else {
        print(&mut out, &found, &command(arguments, &found), common.verbose)?;
    }
    out.flush()?;
    Ok(if rejected { Outcome::Partly } else { Outcome::Done })
}

/// What is suggested, for a program, and what there is to say about the data.
pub(crate) fn found(arguments: &Arguments) -> anyhow::Result<(Value, Vec<String>)> {
    let (dataset, notes, _) = load(arguments)?;
    let found = suggest(&dataset, &options(arguments)?)?;
    // Without the command: a table in memory has no name that could be typed.
    Ok((serde_json::to_value(found)?, notes))
}

/// What was found and the command that uses it.
fn as_json(arguments: &Arguments, found: &Suggestion) -> anyhow::Result<Value> {
    let mut value = serde_json::to_value(found)?;
    value["command"] = command(arguments, found).into();
    Ok(value)
}

fn options(arguments: &Arguments) -> anyhow::Result<Options> {
    let candidates = match &arguments.candidates[..] {
        [] => PatternSet::default(),
        texts => args::patterns(texts)?,
    };
    Ok(Options::new(arguments.max_size)
        .with_spec(CountSpec::new(candidates).with_matching(arguments.matching.into()))
        .with_picks(arguments.picks)
        .with_seed(arguments.seed)
        .with_graphs(arguments.graphs)
        .with_trees(arguments.trees))
}

/// The dataset, what there is to say about it, and whether rows of it were left out.
fn load(arguments: &Arguments) -> anyhow::Result<(Dataset, Vec<String>, bool)> {
    let options = user_data::Options {
        targets: arguments.target.clone(),
        smiles: arguments.smiles.clone(),
        seed: arguments.seed,
        ..Default::default()
    };
    let (dataset, report) = user_data::find(&arguments.data, &options)?;
    let Some(report) = report else {
        let note = catalogue::overlooked(&dataset.name)?;
        return Ok((dataset, note.iter().map(|note| format!("note: {note}")).collect(), false));
    };
    let mut notes = vec![format!("task: {}; split: {}", report.task, report.split)];
    notes.extend(report.warnings.iter().map(|note| format!("note: {note}")));
    let rejected = report.rejected.iter().take(3);
    notes.extend(rejected.map(|bad| format!("rejected: row {}: {}", bad.row, bad.reason)));
    Ok((dataset, notes, !report.rejected.is_empty()))
}

/// The command that trains with the picked patterns, ready to be pasted.
fn command(arguments: &Arguments, found: &Suggestion) -> String {
    let own = std::path::Path::new(&arguments.data).exists();
    let what = match own {
        true => Some(arguments.data.clone()),
        // A recipe that counts something in this set, so that only the patterns change; not that of
        // the control, which passes no messages, if there is another.
        false => library::names()
            .filter_map(|name| Some((name, Recipe::find(name).ok()?)))
            .filter(|(_, recipe)| recipe.data.set == found.data && recipe.counts.is_some())
            .min_by_key(|(_, recipe)| recipe.network.kind == Kind::Deepsets)
            .map(|(name, _)| name.to_owned()),
    };
    let mut words = vec!["gsn".to_owned(), "train".to_owned()];
    words.push(what.unwrap_or_else(|| "RECIPE".into()));
    if own {
        let flag = |name: &str, value: &String| [name.to_owned(), value.clone()];
        words.extend(arguments.target.iter().flat_map(|column| flag("--target", column)));
        words.extend(arguments.smiles.iter().flat_map(|column| flag("--smiles", column)));
        if arguments.seed != 0 {
            words.extend(flag("--seed", &arguments.seed.to_string()));
        }
    }
    words.extend(["--patterns".to_owned(), found.patterns.clone()]);
    words.extend(["--scope", "vertex", "--matching"].map(str::to_owned));
    let matching = arguments.matching.to_possible_value();
    words.extend(matching.map(|value| value.get_name().to_owned()));
    words.iter().map(|word| gsn_report::shell_word(word)).collect::<Vec<_>>().join(" ")
}

fn print(out: &mut impl Write, found: &Suggestion, command: &str, all: bool) -> io::Result<()> {
    let style = Style::of_stdout();
    writeln!(
        out,
        "{}: {} of {} graphs, {}",
        style.bold(&found.data),
        found.graphs.0,
        found.graphs.1,
        found.part
    )?;
    for note in &found.notes {
        writeln!(out, "  {}", style.dim(note))?;
    }
    writeln!(out, "\n  δ of the input features alone: {:.3}", found.delta_without)?;
    for family in ["cycle", "path", "tree"] {
        let cells: Vec<String> = found
            .families
            .iter()
            .filter(|cell| cell.family == family)
            .map(|cell| format!("k≤{} {:.3}", cell.k, cell.delta))
            .collect();
        if !cells.is_empty() {
            writeln!(out, "  δ with {family:<6} {}", cells.join("  "))?;
        }
    }
    writeln!(
        out,
        "\n  {:<18}{:>8}{:>10}{:>10}{:>8}{:>9}{:>9}",
        "pattern", "signal", "chance", "F", "δ", "found", "steps"
    )?;
    let shown = if all { usize::MAX } else { 20 };
    for row in found.candidates.iter().take(shown) {
        let signal = format!("{:.4}", row.signal.share);
        let noise = if row.signal.above() > 0.0 { "" } else { "  noise" };
        writeln!(
            out,
            "  {:<18}{signal:>8}{:>10.4}{:>10.1}{:>8.3}{:>8.1}%{:>9.1e}{}",
            row.pattern,
            row.signal.baseline,
            row.signal.f,
            row.delta,
            100.0 * row.found,
            row.cost,
            style.dim(noise)
        )?;
    }
    if found.candidates.len() > shown {
        let rest = found.candidates.len() - shown;
        writeln!(out, "  {}", style.dim(&format!("… {rest} more with -v")))?;
    }
    writeln!(out, "\n  picked, one after the other:")?;
    for pick in &found.picks {
        writeln!(out, "  {:<18}{:>7.3}  {}", pick.pattern, pick.score, pick.why)?;
    }
    if found.picks.is_empty() {
        writeln!(out, "  nothing: no pattern gains enough over chance")?;
    } else {
        writeln!(out, "\n  {}", style.bold(command))?;
    }
    Ok(())
}
