//! `gsn train`: trains by a recipe and reports beside the published number, or trains on the
//! user's own data.

use super::baselines::beside;
use super::members::{self, MemberArguments};
use super::recipe::RecipeArguments;
use super::report;
use super::user_data::{self, UserDataArguments};
use crate::args::Common;
use crate::given::Given;
use crate::interrupt;
use crate::outcome::{Outcome, say, several};
use crate::screen::Screen;
use anyhow::{Context, bail};
use clap::Args;
use gsn_lab::experiment::{Compared, Results, RunResults, TrainRequest, TrainSource};
use gsn_lab::model_file::Part;
use gsn_lab::protocol::{Measured, PartMetrics, Report, Statistics, UnitMetrics};
use gsn_lab::recipe::Recipe;
use gsn_lab::train::Metric;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn train mutag-gsn-e
  gsn train zinc-gsn-ef-100k --seeds 2 --out runs/zinc
  gsn train imdb-b-gsn-e --set protocol=tud-fair --set training.lr=0.003
  gsn train my-recipe.toml --json
  gsn train molecules.csv --smiles smiles --target y --split scaffold
  gsn train molecules.csv --target y --patterns cycle:3..=6,path:4 --epochs 50 --lr 0.003
  gsn train molecules.csv --target y --save-recipe mine.toml
  gsn train molecules.csv --target y --seeds 5 --final
  gsn train molecules.csv --target y --folds 5 --repeats 3 --split scaffold
  gsn train sr-gsn-e --set data.set=sr261034
  gsn train --resume runs/zinc

The run's folder holds report.html, the resolved recipe, split.csv and predictions.csv (every row,
of every part), results.json with all usual metrics, pictures, metrics.jsonl, TensorBoard events,
checkpoints and model.gsn, which of your own data holds every seed and fold as a member. A run
that was stopped or killed goes on with --resume and ends
with the same results, bit for bit; so it does for any --threads and --jobs.

Exit codes: 0 done, 1 done, but rows of your own data were left out, 2 failure or stopped by Ctrl-C
(what was done is saved)";

/// Arguments of `gsn train`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A recipe by its name (see `gsn recipes`) or its file; or your own data, a file or folder
    #[arg(required_unless_present = "resume", value_name = "RECIPE")]
    recipe: Option<String>,
    /// Folder of the run [default: runs/NAME, or runs/NAME-2 and so on]
    #[arg(short, long, value_name = "RUN")]
    out: Option<PathBuf>,
    /// Go on with the run in this folder
    #[arg(long, value_name = "RUN", conflicts_with = "recipe")]
    resume: Option<PathBuf>,
    /// Repeat with the seeds 0, 1, …, N - 1 [default: the recipe's; 3 for your own data up to 5,000
    /// training graphs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    seeds: Option<u16>,
    /// Folds and seeds trained side by side [default: whatever is faster, by measuring]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Seconds between two checkpoints of a unit
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    checkpoint_seconds: u32,
    /// Print the results as one JSON object on standard output
    #[arg(long)]
    json: bool,
    /// Write the recipe with all settings to this file and stop
    #[arg(long, value_name = "FILE.toml")]
    save_recipe: Option<PathBuf>,
    #[command(flatten)]
    changes: RecipeArguments,
    #[command(flatten)]
    members: MemberArguments,
    #[command(flatten)]
    data: UserDataArguments,
}

/// What `--resume` can be combined with; anything else belongs to the run as it was started.
const WITH_RESUME: [&str; 4] = ["resume", "jobs", "checkpoint-seconds", "json"];

/// Runs the verb.
pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    given: &Given,
) -> anyhow::Result<Outcome> {
    let request = request(arguments, given, interrupt::switch())?;
    if let Some(path) = &arguments.save_recipe {
        return save_recipe(&request.recipe()?, path, common);
    }
    let experiment = request.experiment()?;
    if !common.quiet {
        user_data::tell(&experiment);
    }
    let recipe = experiment.recipe.clone();
    let rejected = experiment.user_data.as_ref().is_some_and(|d| !d.report.rejected.is_empty());
    let options = request.options(&recipe.name);
    let out = &options.out;
    let screen = Screen::new(common.quiet);
    let results = experiment.run(&options, &screen);
    drop(screen);
    let results = match results {
        Err(gsn_lab::Error::Stopped) => {
            bail!("stopped; go on with `gsn train --resume {}`", out.display())
        }
        other => other?,
    };
    let text = match &results {
        results if arguments.json => as_json(results, out)?,
        RunResults::Trained(results) => table(results, &recipe, out),
        RunResults::Compared(compared) => comparison(compared, &recipe, out),
    };
    let page = out.join("report.html");
    let reported = report::write(&[out], &page);
    let named = match &reported {
        Ok(()) if !arguments.json => format!("\nreport: {}", page.display()),
        _ => String::new(),
    };
    writeln!(std::io::stdout().lock(), "{text}{named}").context("cannot write the results")?;
    reported
        .with_context(|| format!("{}: the run is finished, but has no report", out.display()))?;
    Ok(if rejected { Outcome::Partly } else { Outcome::Done })
}

/// Writes a recipe that `gsn train` repeats.
fn save_recipe(recipe: &Recipe, path: &Path, common: &Common) -> anyhow::Result<Outcome> {
    gsn_io::atomic::replace(path, recipe.to_toml().as_bytes())
        .with_context(|| format!("{}: cannot be written", path.display()))?;
    if !common.quiet {
        say(format_args!("wrote {0}; train it with `gsn train {0}`", path.display()));
    }
    Ok(Outcome::Done)
}

/// What the arguments ask for; `stop` ends the run.
pub(crate) fn request(
    arguments: &Arguments,
    given: &Given,
    stop: Arc<AtomicBool>,
) -> anyhow::Result<TrainRequest> {
    let source = match (&arguments.resume, &arguments.recipe) {
        (Some(run), _) => {
            given.refuse_beside("resume", &WITH_RESUME, "a run goes on as it was started")?;
            TrainSource::Run(run.clone())
        }
        (None, Some(name)) => TrainSource::named(name),
        (None, None) => bail!("name a recipe, or a run with --resume"),
    };
    let seeds = arguments.seeds.map(|n| ("--seeds", "seeds", n.to_string()));
    let settings =
        arguments.changes.settings(seeds.into_iter().chain(arguments.members.setting()))?;
    Ok(TrainRequest {
        settings,
        user_data: arguments.members.apply(&source, arguments.data.options()),
        given: given.under(user_data::HEADING),
        out: arguments.out.clone(),
        jobs: arguments.jobs.map(usize::from),
        checkpoint_every: Duration::from_secs(arguments.checkpoint_seconds.into()),
        stop,
        ..TrainRequest::new(source)
    })
}

/// The results for a program: `results.json` and where it is.
fn as_json(results: &impl Serialize, out: &Path) -> anyhow::Result<String> {
    let mut value = serde_json::to_value(results)?;
    if let Some(object) = value.as_object_mut() {
        object.insert("run".into(), out.display().to_string().into());
    }
    Ok(value.to_string())
}

/// What random weights told apart, for a person.
fn comparison(compared: &Compared, recipe: &Recipe, out: &Path) -> String {
    let Compared { recipe: name, dataset, separation, share, .. } = compared;
    let (pairs, seeds) = (separation.pairs, separation.failed.len());
    let failed: Vec<String> = separation.failed.iter().map(u64::to_string).collect();
    let mut text = format!(
        "{name} on {dataset}: {pairs} pairs of graphs, random weights (seeds: {seeds})\n\n\
         not told apart  {share:.4} of the pairs; by seed: {}\n",
        failed.join(", ")
    );
    if let Some(published) = &recipe.published {
        text += &format!("published       {:.4} ({})\n", published.mean, published.printed);
    }
    text + &format!("\nrun: {}", out.display())
}

/// The results for a person.
fn table(results: &Results, recipe: &Recipe, out: &Path) -> String {
    let mut text =
        format!("{} on {}, {} parameters\n\n", results.recipe, results.dataset, results.parameters);
    let metric = results.report.metric.name();
    let mut rows = vec![[
        "protocol".to_owned(),
        format!("test {metric}"),
        "95 % interval".to_owned(),
        "units".to_owned(),
    ]];
    let mut report = |name: &str, numbers: &Statistics, units: usize| {
        rows.push([name.to_owned(), spread(numbers), interval(numbers), units.to_string()]);
    };
    let reports: Vec<&Report> =
        std::iter::once(&results.report).chain(results.beside.as_ref()).collect();
    for r in reports {
        report(&r.protocol, &r.test, r.runs.len());
        for (name, numbers) in [("  validation", &r.validation), ("  training", &r.train)] {
            if let Some(numbers) = numbers {
                report(name, numbers, r.runs.len());
            }
        }
    }
    if let Some(published) = &recipe.published {
        let std = published.std.map(|std| format!(" ± {std:.4}")).unwrap_or_default();
        let mean = format!("{:.4}{std}", published.mean);
        rows.push(["published".into(), mean, String::new(), String::new()]);
    }
    text += &aligned(&rows);
    if let Some(published) = &recipe.published {
        text += &format!("\npublished: {}\n", published.printed);
    }
    text += &test_metrics(results);
    text += &beside(results);
    let together = members::text(results);
    if !together.is_empty() {
        text += &format!("\n{together}");
    }
    text + &format!("\nrun: {}", out.display())
}

/// Rows with their cells one below the other.
fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |c: usize| rows.iter().map(|row| row[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        text += cells.join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// Every usual metric of the kept models on the test part: of one unit with its bootstrap interval,
/// of several the mean over them, or that of their mean prediction where they are members of one model.
fn test_metrics(results: &Results) -> String {
    let ensemble = results.metrics.iter().any(|unit| unit.unit == UnitMetrics::ENSEMBLE);
    let reported = |unit: &str| match ensemble {
        true => unit == UnitMetrics::ENSEMBLE,
        false => results.report.runs.iter().any(|run| run.unit == unit),
    };
    let tests: Vec<&PartMetrics> = results
        .metrics
        .iter()
        .filter(|unit| reported(&unit.unit))
        .flat_map(|unit| unit.parts.iter().filter(|part| part.part == Part::Test))
        .collect();
    let Some(first) = tests.first() else { return String::new() };
    let of = if ensemble { "mean of all units, test" } else { "kept models, test" };
    let how = match tests.len() {
        1 => format!("95 % interval (bootstrap over {})", several(first.graphs, "graph")),
        n => format!("95 % interval (over {n} units)"),
    };
    let mut rows = vec![[of.to_owned(), "value".to_owned(), how]];
    for &Measured { metric, value, interval95 } in &first.overall {
        // Its root says the same in the unit of the data.
        if metric == Metric::Mse && results.report.metric != Metric::Mse {
            continue;
        }
        let values: Option<Vec<f64>> =
            tests.iter().map(|part| part.get(metric).and_then(|m| m.value)).collect();
        let over_units = values.filter(|v| v.len() > 1).and_then(|v| Statistics::of(&v));
        let (number, range) = match (over_units, value) {
            (Some(numbers), _) => (spread(&numbers), interval(&numbers)),
            (None, Some(value)) if tests.len() == 1 => {
                let range = interval95.map(|[low, high]| format!("{low:.4} – {high:.4}"));
                (format!("{value:.4}"), range.unwrap_or_default())
            }
            _ => ("not defined".into(), String::new()),
        };
        rows.push([format!("  {}", metric.name()), number, range]);
    }
    format!("\n{}", aligned(&rows))
}

/// `0.9061 ± 0.0750`; the spread is the sample standard deviation.
fn spread(numbers: &Statistics) -> String {
    let std = numbers.std.map(|std| format!(" ± {std:.4}")).unwrap_or_default();
    format!("{:.4}{std}", numbers.mean)
}

fn interval(numbers: &Statistics) -> String {
    numbers.interval95.map(|[low, high]| format!("{low:.4} – {high:.4}")).unwrap_or_default()
}
