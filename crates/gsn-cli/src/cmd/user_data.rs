//! The part of `gsn train` that is about the user's own data.

use crate::args;
use crate::outcome::{say, several};
use clap::Args;
use gsn_io::{Delimiter, Featurisation, Format};
use gsn_lab::experiment::Experiment;
use gsn_lab::user_data::censored::Censored;
use gsn_lab::user_data::split::{Shares, Split};
use gsn_lab::user_data::task::Kind;
use gsn_lab::user_data::{Options, Report};

/// What the options below are listed under; they are refused for benchmarks.
pub(crate) const HEADING: &str = "Your own data";

/// How the user's own data are read.
#[derive(Debug, Args)]
#[command(next_help_heading = HEADING)]
pub(crate) struct UserDataArguments {
    /// Column to predict; several columns are several targets
    #[arg(long = "target", value_name = "COLUMN", value_delimiter = ',')]
    targets: Vec<String>,
    /// Column that holds SMILES [default: the one called `smiles`]
    #[arg(long, value_name = "COLUMN")]
    smiles: Option<String>,
    /// Column that names the rows in the tables of the run [default: one called id, name or the like]
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// What the target is: regression, binary or classes [default: its values tell]
    #[arg(long, value_name = "TASK")]
    task: Option<Kind>,
    /// random, stratified, scaffold or column:NAME [default: stratified for classes, else random]
    #[arg(long, value_name = "HOW")]
    split: Option<Split>,
    /// Shares of the training, validation and test part
    #[arg(long, value_name = "SHARES", default_value = "80/10/10")]
    shares: Shares,
    /// Decides random splits
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..1 << 63))]
    seed: u64,
    /// Features of molecules: default, ogb or zinc
    #[arg(long, value_name = "FEATURES", default_value_t)]
    features: Featurisation,
    /// Format of the data, when name and contents do not tell
    #[arg(long, value_name = "FORMAT", value_parser = args::format)]
    format: Option<Format>,
    /// What separates columns: comma, semicolon, tab, bar or space [default: the file tells]
    #[arg(long, value_name = "WHAT")]
    delimiter: Option<Delimiter>,
    /// Edges have a direction (TU folders, Parquet, Arrow)
    #[arg(long)]
    directed: bool,
    /// Targets such as <0.5 and >10: use (they cost on their wrong side), drop or error
    #[arg(long, value_name = "WHAT", default_value = "use")]
    censored: Censored,
    /// Columns of numbers that the network reads beside the graph
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    with_columns: Vec<String>,
}

impl UserDataArguments {
    /// The options of the reader.
    pub(crate) fn options(&self) -> Options {
        Options {
            format: self.format,
            delimiter: self.delimiter,
            directed: self.directed,
            smiles: self.smiles.clone(),
            featurise: self.features,
            id: self.id.clone(),
            targets: self.targets.clone(),
            task: self.task,
            split: self.split.clone(),
            shares: self.shares,
            seed: self.seed,
            censored: self.censored,
            with_columns: self.with_columns.clone(),
            ..Options::default()
        }
    }
}

/// What was found in the user's data.
fn found(name: &str, report: &Report) -> Vec<String> {
    let mut lines = vec![
        format!(
            "{name}: {} of {} ({}; {:.1} vertices and {:.1} edges on average)",
            several(report.shape.graphs as u64, "graph"),
            several(report.rows, "row"),
            report.format,
            report.shape.vertices,
            report.shape.edges
        ),
        format!("task: {}", report.task),
        report.split.clone(),
    ];
    lines.extend(report.warnings.iter().map(|warning| format!("note: {warning}")));
    if !report.rejected.is_empty() {
        lines.push(format!("left out: {}", several(report.rejected.len() as u64, "row")));
    }
    lines
}

/// What was found in the data of an experiment and what was chosen from them, a line each.
pub(crate) fn told(experiment: &Experiment) -> Vec<String> {
    let data = experiment.user_data.as_ref();
    let found = data.map(|data| found(&experiment.dataset.name, &data.report));
    found.into_iter().flatten().chain(experiment.reasons.iter().cloned()).collect()
}

/// Says what was found in the user's data and what was chosen from them.
pub(crate) fn tell(experiment: &Experiment) {
    if let Some(data) = &experiment.user_data {
        let report = &data.report;
        found(&experiment.dataset.name, report).iter().for_each(say);
        super::count::list_rejected(&report.rejected, report.rejected.len() as u64, 3);
    }
    experiment.reasons.iter().for_each(say);
}
