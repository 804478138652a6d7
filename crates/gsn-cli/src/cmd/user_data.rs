//! The part of `gsn train` that is about the user's own data.

use crate::args;
use crate::outcome::{say, several};
use clap::Args;
use gsn_io::{Featurisation, Format, RejectedFile};
use gsn_lab::Dataset;
use gsn_lab::experiment::{Event, Observer};
use gsn_lab::user_data::request::Request;
use gsn_lab::user_data::split::{Shares, Split};
use gsn_lab::user_data::task::Kind;
use gsn_lab::user_data::{self, Options, Report, defaults};
use gsn_lab::recipe::Recipe;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// How the user's own data are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Your own data")]
pub(crate) struct UserDataArguments {
    /// Column to predict; several columns are several targets
    #[arg(long = "target", value_name = "COLUMN", value_delimiter = ',')]
    targets: Vec<String>,
    /// Column that holds SMILES [default: the one called `smiles`]
    #[arg(long, value_name = "COLUMN")]
    smiles: Option<String>,
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
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Features of molecules: default, ogb or zinc
    #[arg(long, value_name = "FEATURES", default_value_t)]
    features: Featurisation,
    /// Format of the data, when name and contents do not tell
    #[arg(long, value_name = "FORMAT", value_parser = args::format)]
    format: Option<Format>,
    /// Edges have a direction (TU folders, Parquet, Arrow)
    #[arg(long)]
    directed: bool,
    /// Write the recipe that was chosen to this file and stop
    #[arg(long, value_name = "FILE.toml")]
    save_recipe: Option<PathBuf>,
}

impl UserDataArguments {
    /// The options of the reader.
    pub(crate) fn options(&self) -> Options {
        Options {
            format: self.format,
            directed: self.directed,
            smiles: self.smiles.clone(),
            featurise: self.features,
            targets: self.targets.clone(),
            task: self.task,
            split: self.split.clone(),
            shares: self.shares,
            seed: self.seed,
        }
    }

    /// Where the chosen recipe goes, if it is only to be written.
    pub(crate) fn save_recipe(&self) -> Option<&Path> {
        self.save_recipe.as_deref()
    }
}

/// Whether a name is a file or folder of data rather than a recipe.
pub(crate) fn is_data(name: &str) -> bool {
    let path = Path::new(name);
    path.exists() && !name.ends_with(".toml")
}

/// The user's data, and what is to be kept beside its run.
pub(crate) struct UserData {
    /// What was asked for.
    pub(crate) request: Request,
    /// What was found.
    pub(crate) report: Report,
}

/// Reads the data of a request and says what was found.
pub(crate) fn load(request: Request, quiet: bool) -> anyhow::Result<(Dataset, UserData)> {
    let (dataset, report) = user_data::load(&request.path, &request.options)?;
    if !quiet {
        tell(&dataset, &report);
    }
    Ok((dataset, UserData { request, report }))
}

fn tell(dataset: &Dataset, report: &Report) {
    say(format_args!(
        "{}: {} of {} ({}; {:.1} vertices and {:.1} edges on average)",
        dataset.name,
        several(report.shape.graphs as u64, "graph"),
        several(report.rows, "row"),
        report.format,
        report.shape.vertices,
        report.shape.edges
    ));
    say(format_args!("task: {}", report.task));
    say(format_args!("{}", report.split));
    for warning in &report.warnings {
        say(format_args!("note: {warning}"));
    }
    if !report.rejected.is_empty() {
        say(format_args!("left out: {}", several(report.rejected.len() as u64, "row")));
        super::count::list_rejected(&report.rejected, report.rejected.len() as u64, 3);
    }
}

/// The recipe that the data ask for, with the user's settings over it.
pub(crate) fn recipe(
    dataset: &Dataset,
    own: &UserData,
    settings: &[&str],
    quiet: bool,
) -> anyhow::Result<Recipe> {
    let (mut recipe, reasons) = defaults::recipe(dataset, &own.report)?;
    let stem = own.request.path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    recipe.name = stem.unwrap_or_else(|| "own".into());
    recipe.data.set = own.request.path.display().to_string();
    if !quiet {
        for reason in &reasons {
            say(format_args!("{reason}"));
        }
    }
    for setting in settings {
        recipe.set(setting)?;
    }
    Ok(recipe)
}

/// Looks on for another, and keeps request and rejected rows once the run's folder is there.
pub(crate) struct Keeping<'a> {
    inner: &'a dyn Observer,
    own: Option<&'a UserData>,
    run: &'a Path,
    failed: Mutex<Option<anyhow::Error>>,
}

impl<'a> Keeping<'a> {
    /// Looks on for `inner`; of a run on a benchmark there is nothing to keep.
    pub(crate) fn new(inner: &'a dyn Observer, own: Option<&'a UserData>, run: &'a Path) -> Self {
        Self { inner, own, run, failed: Mutex::new(None) }
    }

    /// Whether all could be kept.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        match self.failed.into_inner() {
            Ok(Some(error)) => Err(error),
            _ => Ok(()),
        }
    }
}

impl Observer for Keeping<'_> {
    fn event(&self, event: Event<'_>) {
        if let (Event::Planned(_), Some(own)) = (&event, self.own)
            && let Err(error) = keep(own, self.run)
            && let Ok(mut failed) = self.failed.lock()
        {
            *failed = Some(error);
        }
        self.inner.event(event);
    }
}

/// Writes, if rows were rejected, `rejected.csv` into a run's folder.
fn keep(own: &UserData, run: &Path) -> anyhow::Result<()> {
    let mut list = RejectedFile::new(Some(run.join("rejected.csv")));
    for bad in &own.report.rejected {
        list.push(bad)?;
    }
    list.finish()?;
    Ok(())
}
