//! `gsn predict`: predictions of a trained model for graphs it has never seen, row by row.

use crate::args::{self, Common};
use crate::outcome::{Outcome, say, several};
use crate::progress::Progress;
use anyhow::bail;
use gsn_io::{
    Chematic, Delimiter, Event, Format, MoleculeReader, Monitor, PredictionSink, Rejected,
};
use gsn_lab::conformal::Level;
use gsn_lab::model_file::ModelFile;
use gsn_lab::predict::{Keep, PredictInput, PredictRequest, PredictSummary, Predictor, predict};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn predict run/model.gsn molecules.csv -o predictions.csv
  gsn predict run/model.gsn molecules.parquet --smiles canonical -o predictions.parquet
  gsn predict run/model.gsn molecules.sdf --keep all -o predictions.csv
  gsn predict run/model.gsn 'CCO' 'c1ccccc1'
  gsn predict run/model.gsn - --format smi < molecules.smi

The table has a line for every row of the input, in its order: row, the predictions (for yes or
no a probability; for classes the class and the probability of each), flag, which says what of a
row was never seen in training, and error, which says why a row has no prediction. A model with
several members adds their spread, a calibrated one intervals (low, high) or sets of answers.
Beside OUT, *.rejected.csv lists the rows without a prediction.

Exit codes: 0 done, 1 finished, but some rows have no prediction, 2 failure";

/// Arguments of `gsn predict`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Model file (.gsn) that `gsn train` wrote
    model: PathBuf,
    /// File or folder with graphs; `-` is standard input; or SMILES
    #[arg(required = true, num_args = 1..)]
    input: Vec<String>,
    /// Table to write, by its ending: .csv, .csv.gz, .parquet or .arrow [default: CSV on standard
    /// output]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Format of the input, when its name and contents do not tell
    #[arg(long, value_name = "FORMAT", value_parser = args::format)]
    format: Option<Format>,
    /// What separates columns: comma, semicolon, tab, bar or space [default: the file tells]
    #[arg(long, value_name = "WHAT")]
    delimiter: Option<Delimiter>,
    /// Column that holds SMILES [default: the one called `smiles`]
    #[arg(long, value_name = "COLUMN")]
    smiles: Option<String>,
    /// Columns of the input that go into the table, in front of the predictions; or `all`
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    keep: Vec<String>,
    /// Column that names the rows; it stands first
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// Graphs that go through the network together; predictions do not depend on it
    #[arg(long, value_name = "N", default_value_t = gsn_lab::predict::BATCH)]
    batch: usize,
    /// How often an interval or a set shall hold [default: 0.9]
    #[arg(long, value_name = "SHARE", conflicts_with = "no_interval")]
    interval: Option<Level>,
    /// Give no intervals
    #[arg(long)]
    no_interval: bool,
    /// Print the summary as one JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, common: &Common) -> anyhow::Result<Outcome> {
    let output = arguments.output.clone().unwrap_or_else(|| "-".into());
    let format = PredictionSink::format_of(&output)?;
    if arguments.json && output.as_os_str() == "-" {
        bail!("--json prints the summary where the table goes; name a file with -o");
    }
    let file = ModelFile::open(&arguments.model)?;
    if arguments.interval.is_some() {
        let path = arguments.model.display();
        file.check_calibrated().map_err(|what| anyhow::anyhow!("{path}: {what}"))?;
    }
    let level = (!arguments.no_interval).then(|| arguments.interval.unwrap_or_default());
    let predictor = Predictor::new(file)?.with_batch(arguments.batch).with_level(level);
    if let (Some((_, level)), false) = (predictor.too_few_errors(), common.quiet) {
        say(format_args!(
            "note: no intervals of {level}: they need {} rows kept apart, and the model has fewer",
            level.least()
        ));
    }
    if common.verbose {
        let card = &predictor.file().card;
        say(format_args!("{}, trained on {} ({})", card.name, card.data, card.licence));
    }
    let molecules = predictor.reader().molecules.is_some();
    let input = input(&arguments.input, molecules)?;
    let (progress, monitor) = watched(common, "rows predicted");
    let request = PredictRequest {
        input_format: arguments.format,
        delimiter: arguments.delimiter,
        smiles_column: arguments.smiles.clone(),
        keep: keep(arguments, &input),
        ..PredictRequest::new(input, &output).with_format(format).with_monitor(monitor)
    };
    let result = predict(&predictor, &request);
    let seconds = progress.elapsed().as_secs_f64();
    drop((request, progress));
    let summary = result?;
    if !common.quiet {
        let most = if common.verbose { 100 } else { 3 };
        report(&summary, &output, seconds, most, molecules);
    }
    if arguments.json {
        writeln!(std::io::stdout().lock(), "{}", as_json(&summary, &output, seconds))?;
    }
    Ok(if summary.tally.failed == 0 { Outcome::Done } else { Outcome::Partly })
}

/// A line of progress for rows that go through a model, called `done`.
pub(super) fn watched(common: &Common, done: &'static str) -> (Arc<Progress>, Monitor) {
    let progress = Arc::new(Progress::new(common.quiet));
    let monitor = progress.monitor(move |event, seconds| match event {
        Event::Rows { done: rows, .. } => {
            format!("{rows} {done}, {:.1} a second", rows as f64 / seconds)
        }
        other => format!("{other:?}"),
    });
    (progress, monitor)
}

/// A file, or SMILES where there is no such file.
pub(super) fn input(texts: &[String], molecules: bool) -> anyhow::Result<PredictInput> {
    let is_file = |text: &String| text == "-" || Path::new(text).exists();
    if let [one] = texts
        && (is_file(one) || !molecules || Format::from_path(Path::new(one)).is_some())
    {
        return Ok(PredictInput::Path(one.into()));
    }
    if let Some(file) = texts.iter().find(|text| is_file(text)) {
        bail!("{file}: is a file; give one file, or SMILES alone");
    }
    if !molecules {
        bail!("the model reads graphs from files, not SMILES; give one file");
    }
    if let [one] = texts
        && let Err(reason) = Chematic.read(one)
    {
        bail!("{one}: there is no such file, and it is no SMILES ({reason})");
    }
    Ok(PredictInput::Smiles(texts.to_vec()))
}

/// Which columns are kept: those asked for, and SMILES that were typed.
fn keep(arguments: &Arguments, input: &PredictInput) -> Keep {
    let typed = matches!(input, PredictInput::Smiles(_)).then(|| "smiles".to_owned());
    let mut names: Vec<String> = arguments.id.clone().into_iter().chain(typed).collect();
    names.extend(arguments.keep.iter().cloned());
    match &arguments.keep[..] {
        [all] if all == "all" => Keep::All { first: arguments.id.clone() },
        _ if names.is_empty() => Keep::Nothing,
        _ => Keep::Columns(names),
    }
}

/// The summary for a person.
fn report(summary: &PredictSummary, output: &Path, seconds: f64, most: usize, molecules: bool) {
    let PredictSummary { tally, failed, judged, notes } = summary;
    for note in notes {
        say(format_args!("note: {note}"));
    }
    let done = tally.rows - tally.failed;
    say(format_args!(
        "{} in {seconds:.2} s ({:.0} a second)",
        several(done, "prediction"),
        done as f64 / seconds.max(1e-9)
    ));
    if tally.unseen_rows > 0 {
        say(format_args!(
            "{} with something the model never saw in training: {}",
            several(tally.unseen_rows, "row"),
            tally.unseen.phrases(molecules).join(", ")
        ));
    }
    if tally.failed > 0 {
        say(format_args!("no prediction: {} of {}", tally.failed, several(tally.rows, "row")));
        super::count::list_rejected(&failed.first, tally.failed, most);
        if let Some(path) = &failed.path {
            say(format_args!("all of them are listed in {}", path.display()));
        }
    }
    if let Some(judged) = judged {
        let metrics: Vec<String> =
            judged.metrics.iter().map(|(metric, x)| format!("{} {x:.4}", metric.name())).collect();
        say(format_args!(
            "judged by {} of {}: {}",
            judged.targets.join(", "),
            several(judged.rows, "row"),
            metrics.join(", ")
        ));
    }
    if output.as_os_str() != "-" {
        say(format_args!("wrote {}", output.display()));
    }
}

/// The summary for a program.
fn as_json(summary: &PredictSummary, output: &Path, seconds: f64) -> Value {
    let reason = |bad: &Rejected| json!({ "row": bad.row, "line": bad.line, "reason": bad.reason });
    let tally = &summary.tally;
    json!({
        "rows": tally.rows,
        "predicted": tally.rows - tally.failed,
        "failed": tally.failed,
        "first_failed": summary.failed.first.iter().take(10).map(reason).collect::<Vec<_>>(),
        "unseen": {
            "rows": tally.unseen_rows,
            "counts": tally.unseen.counts,
            "degrees": tally.unseen.degrees,
            "vertex_categories": tally.unseen.vertex_categories,
            "arc_categories": tally.unseen.arc_categories,
            "atoms_without_category": tally.unseen.atoms,
            "vertex_labels": tally.unseen.vertex_labels,
            "edge_labels": tally.unseen.edge_labels,
        },
        "judged": summary.judged.as_ref().map(|judged| json!({
            "rows": judged.rows,
            "targets": judged.targets,
            "metrics": judged.metrics.iter().map(|(metric, x)| (metric.name(), *x)).collect::<BTreeMap<_, _>>(),
        })),
        "notes": summary.notes,
        "seconds": seconds,
        "output": output,
        "rejected_path": summary.failed.path,
    })
}
