//! `gsn info`: what a file or folder is.

use crate::args::{Common, InputArguments};
use crate::outcome::{Outcome, several};
use crate::style::Style;
use gsn_lab::info::{
    CountsInfo, GraphsInfo, Info, ModelInfo, RunInfo, SearchInfo, SweepInfo, info,
};
use gsn_lab::recipe::Recipe;
use gsn_lab::{Task, info::UnitInfo};
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn info run/model.gsn
  gsn info runs/zinc
  gsn info counts.parquet
  gsn info network.txt --directed
  gsn info mutag-gsn-e --json

FILE is a model (.gsn), the folder of a run or of a search, a recipe or a sweep (.toml), a count
table with its sidecar, or graphs in any format that `gsn count` reads.

Exit codes: 0 done, 2 failure";

/// Arguments of `gsn info`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A file or folder, or the name of a recipe
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Print one JSON object instead
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    input: InputArguments,
}

/// A name and what is said about it.
type Line = (&'static str, String);

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, common: &Common) -> anyhow::Result<Outcome> {
    let path = &arguments.path;
    let found = info(path, &arguments.input.options())?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    if arguments.json {
        writeln!(out, "{:#}", serde_json::to_value(&found)?)?;
    } else {
        let (kind, lines) = match &found {
            Info::Model(model) => ("a model", of_model(model)),
            Info::Run(run) => ("a run", of_run(run, path, common.verbose)),
            Info::Search(search) => ("a search", of_search(search, path)),
            Info::Recipe(recipe) => ("a recipe", of_recipe(recipe)),
            Info::Sweep(sweep) => ("a sweep", of_sweep(sweep)),
            Info::Counts(counts) => ("a table of counts", of_counts(counts)),
            Info::Graphs(graphs) => ("graphs", of_graphs(graphs)),
        };
        let style = Style::of_stdout();
        writeln!(out, "{}: {kind}", style.bold(&path.display().to_string()))?;
        let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, text) in lines.iter().filter(|(_, text)| !text.is_empty()) {
            writeln!(out, "  {}  {text}", style.dim(&format!("{name:<width$}")))?;
        }
    }
    out.flush()?;
    Ok(Outcome::Done)
}

/// The word that stands for something in recipes and sidecars.
fn word(value: impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().map(str::to_owned).unwrap_or_default()
}

fn of_model(model: &ModelInfo) -> Vec<Line> {
    let task = match &model.task {
        Task::Regression(n) => several(*n as u64, "number"),
        Task::Binary(n) => several(*n as u64, "question") + " of yes or no",
        Task::Classes(names) => format!("{} classes: {}", names.len(), names.join(", ")),
    };
    let counts = match (model.scope, model.matching) {
        (Some(scope), Some(matching)) => {
            format!("{} ({}, {})", model.patterns.join(","), word(scope), word(matching))
        }
        _ => "none".into(),
    };
    let units: Vec<&str> = model.members.iter().map(|member| member.unit.as_str()).collect();
    let members = match &units[..] {
        [_] => String::new(),
        units => format!("{}: {}", units.len(), units.join(", ")),
    };
    let parameters = model.members.first().map(|member| member.parameters.to_string());
    let mut lines = vec![
        ("recipe", model.name.clone()),
        ("predicts", format!("{}: {task}", model.targets.join(", "))),
        ("reads", model.reads.clone().unwrap_or_else(|| "nothing from files".into())),
        ("counts", counts),
        ("network", model.network.clone().unwrap_or_default()),
        ("parameters", parameters.unwrap_or_default()),
        ("members", members),
        ("data", model.data.clone()),
        ("licence", model.licence.clone()),
    ];
    for one in &model.metrics {
        let (part, metric) = (word(one.part), one.metric.name());
        let graphs = several(one.graphs, "graph");
        lines.push(("measured", format!("{part} {metric} {:.4} ({graphs})", one.value)));
    }
    lines
}

fn of_run(run: &RunInfo, path: &Path, verbose: bool) -> Vec<Line> {
    let done = run.units.iter().filter(|unit| unit.done).count();
    let state = match run.finished {
        true => "finished".to_owned(),
        false => format!("not finished; go on with `gsn train --resume {}`", path.display()),
    };
    let metric = run.metric.map(|metric| metric.name()).unwrap_or_default();
    let own = run.path.as_ref().map(|path| path.display().to_string());
    let mut lines = vec![
        ("state", state),
        ("recipe", run.recipe.clone()),
        ("data", own.unwrap_or_else(|| run.data.clone())),
        ("protocol", run.protocol.clone()),
        ("epochs", format!("{} at most", run.epochs)),
    ];
    if !run.units.is_empty() {
        lines.push(("units", format!("{done} of {} that were begun are done", run.units.len())));
    }
    let unit = |unit: &UnitInfo| {
        let best = unit.best.map(|(epoch, value)| {
            format!(", best validation {metric} {value:.4} at epoch {epoch}")
        });
        let epochs = several(unit.epochs, "epoch");
        ("unit", format!("{}: {epochs}{}", unit.name, best.unwrap_or_default()))
    };
    let shown = if verbose { usize::MAX } else { 10 };
    lines.extend(run.units.iter().take(shown).map(unit));
    if run.units.len() > shown {
        lines.push(("", format!("… {} more with -v", run.units.len() - shown)));
    }
    let number = |key: &str| run.results.as_ref().and_then(|results| results[key].as_f64());
    if let Some(mean) = number("mean") {
        let std = number("std").map(|std| format!(" ± {std:.4}")).unwrap_or_default();
        lines.push(("test", format!("{metric} {mean:.4}{std}")));
    }
    if let Some(share) = number("share") {
        lines.push(("pairs", format!("{share:.4} of them are not told apart")));
    }
    if run.model {
        lines.push(("model", path.join("model.gsn").display().to_string()));
    }
    lines.push(("made by", run.gsn.as_ref().map(|v| format!("gsn {v}")).unwrap_or_default()));
    lines
}

fn of_search(search: &SearchInfo, path: &Path) -> Vec<Line> {
    let state = match search.finished {
        true => "finished".to_owned(),
        false => format!("not finished; go on with `gsn tune --resume {}`", path.display()),
    };
    let test = search.test.as_ref().map(|(metric, x)| format!("{metric} {x:.4}, of the winner"));
    vec![
        ("state", state),
        ("over", search.asked.what.clone()),
        ("trials", format!("{} of {} begun", search.begun, search.asked.trials)),
        ("test", test.unwrap_or_default()),
        ("best", path.join("best.toml").display().to_string()),
    ]
}

fn of_recipe(recipe: &Recipe) -> Vec<Line> {
    let network = &recipe.network;
    let layers = network.layers.map(|n| format!("{n} layers of ")).unwrap_or_default();
    let counts = recipe.counts.as_ref().map_or("none".into(), |counts| {
        let spec = counts.spec();
        format!("{} ({}, {})", counts.patterns(), word(spec.scope()), word(spec.matching()))
    });
    let training = recipe.training.as_ref().map(|training| {
        let (epochs, metric) = (training.epochs, training.metric.name());
        format!("{epochs} epochs at most, batches of {}; judged by {metric}", training.batch)
    });
    let published = recipe.published.as_ref().map(|p| format!("{} ({})", p.mean, p.printed));
    vec![
        ("name", recipe.name.clone()),
        ("about", recipe.about.clone()),
        ("data", recipe.data.set.clone()),
        ("protocol", recipe.protocol.name().to_owned()),
        ("counts", counts),
        ("network", format!("{}, {layers}width {}", network.kind.name(), network.width)),
        ("training", training.unwrap_or_default()),
        ("published", published.unwrap_or_default()),
    ]
}

fn of_sweep(sweep: &SweepInfo) -> Vec<Line> {
    vec![
        ("name", sweep.name.clone()),
        ("about", sweep.about.clone()),
        ("recipe", sweep.recipe.clone()),
        ("axes", sweep.axes.join(", ")),
        ("cells", sweep.cells.len().to_string()),
    ]
}

fn of_counts(counts: &CountsInfo) -> Vec<Line> {
    let CountsInfo { scope, matching, edge_orbits, .. } = counts;
    let how = match scope {
        gsn_core::Scope::Vertex => format!("{}, {}", word(scope), word(matching)),
        _ => format!("{}, {}, {} orbits", word(scope), word(matching), word(edge_orbits)),
    };
    let mut lines = vec![("patterns", counts.patterns.join(", ")), ("counted", how)];
    if let Some(table) = &counts.table {
        let graphs = several(table.graphs, "graph");
        lines.push(("format", table.format.clone()));
        lines.push(("rows", format!("{} of {graphs}", table.rows)));
        if table.rejected > 0 {
            lines.push(("left out", several(table.rejected, "row") + " of the input"));
        }
        let shown: Vec<&str> = table.columns.iter().take(12).map(String::as_str).collect();
        let more = if table.columns.len() > 12 { ", …" } else { "" };
        let columns = format!("{}: {}{more}", table.columns.len(), shown.join(", "));
        lines.push(("columns", columns));
    }
    if let Some(input) = &counts.input {
        let rows = several(input.rows, "row");
        lines.push(("input", format!("{} ({}, {rows})", input.digest.path, input.format)));
    }
    lines.push(("made by", format!("gsn {}", counts.gsn)));
    lines
}

fn of_graphs(graphs: &GraphsInfo) -> Vec<Line> {
    let range = |range: &gsn_lab::info::Range| match (graphs.graphs, range.least == range.most) {
        (0, _) => String::new(),
        (_, true) => range.least.to_string(),
        (n, false) => {
            let mean = range.all as f64 / n as f64;
            format!("{} to {}, {mean:.1} on average", range.least, range.most)
        }
    };
    let labels = match (graphs.molecules, graphs.vertex_labels, graphs.edge_labels) {
        (true, atoms, bonds) => {
            format!("{} and {bonds} of bonds", several(atoms as u64, "kind") + " of atoms")
        }
        (false, 0, 0) => String::new(),
        (false, vertex, edge) => format!("{vertex} of vertices, {edge} of edges"),
    };
    let class = |(class, graphs): (&i64, &u64)| format!("{class}: {graphs}");
    let classes: Vec<String> = graphs.classes.iter().take(20).map(class).collect();
    let mut lines = vec![
        ("format", graphs.format.clone()),
        ("graphs", graphs.graphs.to_string()),
        ("vertices", range(&graphs.vertices)),
        (if graphs.directed { "arcs" } else { "edges" }, range(&graphs.edges)),
        ("labels", labels),
        (
            "names",
            graphs.vertex_names.map(|kind| word(kind) + " call the vertices").unwrap_or_default(),
        ),
        ("classes", classes.join(", ")),
        ("columns", graphs.columns.join(", ")),
    ];
    if graphs.dropped > 0 {
        lines.push(("left out", format!("{} loops and repeated edges", graphs.dropped)));
    }
    if let Some(first) = &graphs.first_rejected {
        lines
            .push(("rejected", format!("{}; the first: {first}", several(graphs.rejected, "row"))));
    }
    lines.extend(graphs.notes.iter().map(|note| ("note", note.clone())));
    lines
}
