//! `gsn explain`: which occurrences moved the predictions of a model, and by how much.

use crate::args::{self, Common};
use crate::outcome::{Outcome, say, several};
use crate::style::Style;
use anyhow::{Context, anyhow, bail};
use gsn_io::atomic::{Group, replace, temporary_folder};
use gsn_io::{Delimiter, Format};
use gsn_lab::explain::{ExplainRequest, ExplainedGraph, Explanation, explain};
use gsn_lab::model_file::ModelFile;
use gsn_lab::predict::Predictor;
use gsn_report::explain::{picture, signed, strongest};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn explain run/model.gsn molecules.csv
  gsn explain run/model.gsn 'CC(=O)Oc1ccccc1C(=O)O' -o aspirin.svg
  gsn explain run/model.gsn molecules.smi --graphs 20 --limit 50 -o explained
  gsn explain run/model.gsn molecules.csv --json > explained.json

For every graph the prediction, what it would be without any pattern, and two effects of each pattern
and of each occurrence: removal is the prediction less the one with its counts taken out, gradient its
share of integrated gradients from no counts, which sum to the difference of the two predictions. A star
says that what is left without it has counts that training never saw. OUT is a picture (.svg, of one graph),
all numbers (.json), or a new folder with both for every graph.

Exit codes: 0 done, 1 finished, but some rows could not be explained, 2 failure";

/// Arguments of `gsn explain`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Model file (.gsn) that `gsn train` wrote
    model: PathBuf,
    /// File or folder with graphs; `-` is standard input; or SMILES
    #[arg(required = true, num_args = 1..)]
    input: Vec<String>,
    /// Picture (.svg), numbers (.json), or a folder that is not there yet, for both
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Target, or target=class, that the table and the pictures are about [default: the first target, or the class predicted]
    #[arg(long, value_name = "NAME")]
    target: Option<String>,
    /// Graphs to explain at most, the first of the input
    #[arg(long, value_name = "N", default_value_t = 100)]
    graphs: usize,
    /// Occurrences of one pattern in one graph to look at one by one, at most
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
    /// Occurrences of a graph that the table shows, those with the largest effects
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,
    /// Format of the input, when its name and contents do not tell
    #[arg(long, value_name = "FORMAT", value_parser = args::format)]
    format: Option<Format>,
    /// What separates columns: comma, semicolon, tab, bar or space [default: the file tells]
    #[arg(long, value_name = "WHAT")]
    delimiter: Option<Delimiter>,
    /// Column that holds SMILES [default: the one called `smiles`]
    #[arg(long, value_name = "COLUMN")]
    smiles: Option<String>,
    /// Print all numbers as one JSON object instead of the table
    #[arg(long)]
    json: bool,
}

/// Where results go.
enum Out<'a> {
    Picture(&'a Path),
    Numbers(&'a Path),
    Folder(&'a Path),
}

impl<'a> Out<'a> {
    fn of(path: &'a Path) -> anyhow::Result<Self> {
        let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("svg") => Ok(Self::Picture(path)),
            Some("json") => Ok(Self::Numbers(path)),
            Some(other) => {
                bail!("{}: .{other} is no output; give .svg, .json or a folder", path.display())
            }
            None if path.exists() => {
                bail!("{}: is there already; give a folder that is not", path.display())
            }
            None => Ok(Self::Folder(path)),
        }
    }
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, common: &Common) -> anyhow::Result<Outcome> {
    let out = arguments.output.as_deref().map(Out::of).transpose()?;
    let predictor = Predictor::new(ModelFile::open(&arguments.model)?)?;
    let molecules = predictor.reader().molecules.is_some();
    let input = super::predict::input(&arguments.input, molecules)?;
    let (progress, monitor) = super::predict::watched(common, "graphs explained");
    let request = ExplainRequest {
        input_format: arguments.format,
        delimiter: arguments.delimiter,
        smiles_column: arguments.smiles.clone(),
        ..ExplainRequest::new(input)
            .with_graphs(arguments.graphs)
            .with_limit(arguments.limit)
            .with_monitor(monitor)
    };
    let result = explain(&predictor, &request);
    drop((request, progress));
    let found = result?;
    let target = arguments.target.as_deref().map(|name| place(&found, name)).transpose()?;
    let shown = |graph: &ExplainedGraph| target.unwrap_or_else(|| usual(&found, graph));
    if let Some(out) = &out {
        write(out, &found, shown)?;
    }
    let mut stdout = std::io::stdout().lock();
    if arguments.json {
        writeln!(stdout, "{}", serde_json::to_string(&found)?)?;
    } else {
        let style = Style::of_stdout();
        for graph in &found.graphs {
            stdout
                .write_all(table(&found, graph, shown(graph), arguments.top, style).as_bytes())?;
        }
    }
    if !common.quiet {
        report(&found, arguments.output.as_deref());
    }
    Ok(if found.rejected.is_empty() { Outcome::Done } else { Outcome::Partly })
}

/// The output of this name.
fn place(found: &Explanation, name: &str) -> anyhow::Result<usize> {
    let all = &found.outputs;
    all.iter()
        .position(|output| output == name)
        .ok_or_else(|| anyhow!("--target {name}: the model predicts {}", all.join(", ")))
}

/// The class that is predicted, or the first target.
fn usual(found: &Explanation, graph: &ExplainedGraph) -> usize {
    let classes = found.outputs.iter().all(|name| name.contains('=')) && found.probabilities;
    let largest =
        |a: usize, b: usize| if graph.prediction[b] > graph.prediction[a] { b } else { a };
    if classes { (0..graph.prediction.len()).reduce(largest).unwrap_or(0) } else { 0 }
}

/// Writes pictures and numbers; they are complete or absent.
fn write(
    out: &Out,
    found: &Explanation,
    shown: impl Fn(&ExplainedGraph) -> usize,
) -> anyhow::Result<()> {
    let draw = |graph: &ExplainedGraph| {
        picture(found, graph, shown(graph)).map_err(|what| anyhow!("row {}: {what}", graph.row))
    };
    let fail = |path: &Path| format!("{}: cannot be written", path.display());
    match *out {
        Out::Numbers(path) => {
            replace(path, &serde_json::to_vec(found)?).with_context(|| fail(path))?;
        }
        Out::Picture(path) => match &found.graphs[..] {
            [one] => replace(path, draw(one)?.as_bytes()).with_context(|| fail(path))?,
            graphs => {
                let (path, number) = (path.display(), graphs.len());
                bail!("{path}: there are {number} graphs, and this is one picture; give a folder");
            }
        },
        Out::Folder(path) => {
            let work = temporary_folder(path).with_context(|| fail(path))?;
            let put = |name: &str, bytes: &[u8]| {
                std::fs::write(work.path().join(name), bytes).with_context(|| fail(path))
            };
            put("explanation.json", &serde_json::to_vec(found)?)?;
            for graph in &found.graphs {
                put(&format!("row-{}.svg", graph.row), draw(graph)?.as_bytes())?;
            }
            let mut group = Group::default();
            group.add_folder(work, path);
            group.commit()?;
        }
    }
    Ok(())
}

/// A graph for a person.
fn table(
    found: &Explanation,
    graph: &ExplainedGraph,
    output: usize,
    top: usize,
    style: Style,
) -> String {
    let name = graph.smiles.as_ref().or(graph.name.as_ref());
    let name = name.map_or(String::new(), |name| format!(" {}", printable(name)));
    let said = format!(
        "{} {:.4}, without patterns {:.4}",
        printable(&found.outputs[output]),
        graph.prediction[output],
        graph.absent[output]
    );
    let mut text = format!("{}{name}: {said}\n", style.bold(&format!("row {}", graph.row)));
    let mut lines = Vec::new();
    for pattern in &graph.patterns {
        let listed = pattern.occurrences.len() as u64;
        let mut more = several(pattern.total, "occurrence");
        if listed < pattern.total {
            more += &format!(", {listed} of them looked at");
        }
        lines.push((found.patterns[pattern.pattern].clone(), &pattern.effect, more));
    }
    for (pattern, occurrence, _) in strongest(graph, output).into_iter().take(top) {
        let vertices: Vec<String> =
            occurrence.vertices.iter().map(|&v| printable(&graph.graph.name(v))).collect();
        let name = format!("one {}", found.patterns[pattern.pattern]);
        lines.push((name, &occurrence.effect, vertices.join(" ")));
    }
    if lines.is_empty() {
        return text + "  no pattern occurs\n";
    }
    let wide = lines.iter().map(|(what, ..)| what.chars().count()).max().unwrap_or(0).max(7);
    let row = |what: &str, removal: &str, gradient: &str, more: &str| {
        format!("  {what:<wide$}  {removal:>11} {gradient:>11}  {more}").trim_end().to_owned()
            + "\n"
    };
    text += &row("pattern", "removal", "gradient", "");
    for (what, effect, more) in lines {
        let of = |effects: &Option<Vec<f64>>| {
            effects.as_ref().map_or_else(|| "-".to_owned(), |effects| signed(effects[output]))
        };
        let star = if effect.unseen { "*" } else { "" };
        text += &row(&what, &(of(&effect.removal) + star), &of(&effect.gradient), &more);
    }
    text
}

/// Text of a file without what would move the cursor.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// The summary for a person.
fn report(found: &Explanation, output: Option<&Path>) {
    for note in &found.notes {
        say(format_args!("note: {note}"));
    }
    let reasons = found.graphs.iter().filter_map(|graph| graph.no_gradients.as_ref());
    if let Some(reason) = reasons.clone().next() {
        let number = several(reasons.count() as u64, "graph");
        say(format_args!("no gradients of {number}: {reason}"));
    }
    say(format_args!("{} explained", several(found.graphs.len() as u64, "graph")));
    if found.left_out > 0 {
        let left = several(found.left_out, "row");
        say(format_args!("{left} left out; --graphs N explains more"));
    }
    for bad in found.rejected.iter().take(3) {
        say(format_args!("row {}: {}", bad.row, bad.reason));
    }
    if found.rejected.len() > 3 {
        say(format_args!(
            "and {} without an explanation",
            several(found.rejected.len() as u64 - 3, "more row")
        ));
    }
    if let Some(path) = output {
        say(format_args!("wrote {}", path.display()));
    }
}
