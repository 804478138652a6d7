//! What a path is that a report is asked for.

use crate::html::{Html, Section};
use crate::other::counts::CountsFile;
use crate::other::explained::Explained;
use crate::other::kept::Kept;
use crate::other::searched::Searched;
use crate::other::separated::Separated;
use crate::other::suggested::Suggested;
use crate::other::swept::Swept;
use crate::run::RunFolder;
use gsn_lab::{Error, Result};
use serde_json::Value;
use std::path::Path;

/// What is said of anything else.
const FOREIGN: &str = "is nothing that has a report: name the folder of a run, a sweep or a search, \
                       JSON of `gsn separate`, `gsn suggest` or `gsn explain`, a count table or kept results";

/// Something that has a report.
pub(crate) enum Source {
    Run(Box<RunFolder>),
    Sweep(Swept),
    Search(Box<Searched>),
    Explained(Box<Explained>),
    Separated(Box<Separated>),
    Suggested(Box<Suggested>),
    Counts(Box<CountsFile>),
    Kept(Kept),
}

impl Source {
    /// Reads what is there; a file can hold several objects, one a line.
    ///
    /// # Errors
    /// If it is nothing that has a report, or damaged.
    pub(crate) fn open(path: &Path) -> Result<Vec<Self>> {
        let foreign = || Error::file(path, FOREIGN);
        if !path.exists() {
            return Err(Error::file(path, "is not there"));
        }
        let one = if path.is_dir() {
            if path.join("recipe.toml").is_file() {
                Self::Run(Box::new(RunFolder::open(path)?))
            } else if path.join("tune.json").is_file() {
                Self::Search(Box::new(Searched::open(path)?))
            } else if path.join("cells").is_dir() {
                Self::Sweep(Swept::open(path)?)
            } else {
                Self::Kept(Kept::open(path)?.ok_or_else(foreign)?)
            }
        } else if gsn_io::sidecar_path(path).is_file() {
            Self::Counts(Box::new(CountsFile::open(path)?))
        } else if path.extension().is_some_and(|ending| ending == "json" || ending == "jsonl") {
            return Self::of_json(path);
        } else {
            return Err(foreign());
        };
        Ok(vec![one])
    }

    /// The objects of a JSON file.
    fn of_json(path: &Path) -> Result<Vec<Self>> {
        let damaged = |e: serde_json::Error| Error::file(path, format!("is damaged: {e}"));
        let text = std::fs::read_to_string(path)
            .map_err(|e| Error::file(path, format!("cannot be read: {e}")))?;
        let mut all = Vec::new();
        for value in serde_json::Deserializer::from_str(&text).into_iter::<Value>() {
            let value = value.map_err(damaged)?;
            let has = |key: &str| value.get(key).is_some();
            all.push(if has("file") && (has("tests") || has("sweep") || has("left")) {
                Self::Separated(Box::new(serde_json::from_value(value).map_err(damaged)?))
            } else if has("outputs") && has("graphs") && has("matching") {
                let found = serde_json::from_value(value).map_err(damaged)?;
                Self::Explained(Box::new(Explained(found)))
            } else if has("candidates") && has("picks") {
                Self::Suggested(Box::new(serde_json::from_value(value).map_err(damaged)?))
            } else if has("command") && (has("results") || has("compared")) {
                return Ok(Kept::open(path)?.into_iter().map(Self::Kept).collect());
            } else {
                return Err(Error::file(path, FOREIGN));
            });
        }
        if all.is_empty() { Err(Error::file(path, "is empty")) } else { Ok(all) }
    }

    pub(crate) fn title(&self) -> String {
        match self {
            Self::Run(run) => run.title(),
            Self::Sweep(sweep) => sweep.title(),
            Self::Search(search) => search.title(),
            Self::Explained(found) => found.title(),
            Self::Separated(found) => found.title(),
            Self::Suggested(found) => found.title(),
            Self::Counts(counts) => counts.title(),
            Self::Kept(kept) => kept.title(),
        }
    }

    /// What stands at the top.
    pub(crate) fn opening(&self) -> Html {
        match self {
            Self::Run(run) => run.opening(),
            Self::Sweep(sweep) => sweep.opening(),
            Self::Search(search) => search.opening(),
            Self::Explained(found) => found.opening(),
            Self::Separated(found) => found.opening(),
            Self::Suggested(found) => found.opening(),
            Self::Counts(counts) => counts.opening(),
            Self::Kept(kept) => kept.opening(),
        }
    }

    pub(crate) fn sections(&self) -> Vec<Section> {
        match self {
            Self::Run(run) => run.sections(),
            Self::Sweep(sweep) => sweep.sections(),
            Self::Search(search) => search.sections(),
            Self::Explained(found) => found.sections(),
            Self::Separated(found) => found.sections(),
            Self::Suggested(found) => found.sections(),
            Self::Counts(counts) => counts.sections(),
            Self::Kept(kept) => kept.sections(),
        }
    }
}
