//! How far a run or a search is. Nothing is locked, so a run under way can be looked at.

use crate::error::Result;
use crate::recipe::Recipe;
use crate::run::{Versions, peek_unit, read_json, unit_names};
use crate::train::Metric;
use crate::tune::TuneRequest;
use crate::user_data;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The folder of a run.
#[derive(Debug, Clone, Serialize)]
pub struct RunInfo {
    /// Whether it is finished.
    pub finished: bool,
    /// Name of the recipe.
    pub recipe: String,
    /// The data.
    pub data: String,
    /// Where the user's own data are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The protocol.
    pub protocol: String,
    /// What is reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<Metric>,
    /// Epochs of a unit at most.
    pub epochs: u64,
    /// The units that were begun.
    pub units: Vec<UnitInfo>,
    /// `results.json`, if it is finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<serde_json::Value>,
    /// Whether there is a model to predict with.
    pub model: bool,
    /// Version of the program that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gsn: Option<String>,
}

/// One unit of a run.
#[derive(Debug, Clone, Serialize)]
pub struct UnitInfo {
    /// Its name.
    pub name: String,
    /// Epochs that are saved.
    pub epochs: u64,
    /// Whether its training is over.
    pub done: bool,
    /// The best saved epoch by validation, and its metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<(u64, f64)>,
}

impl RunInfo {
    /// Looks at a run.
    ///
    /// # Errors
    /// If a file of it is damaged.
    pub fn of(folder: &Path) -> Result<Self> {
        let recipe = Recipe::of_run(folder)?;
        let versions: Option<Versions> = read_json(&folder.join("versions.json"))?;
        let metric = recipe.training.as_ref().map(|training| training.metric);
        let mut units = Vec::new();
        for name in unit_names(folder) {
            let Some((rows, done)) = peek_unit(folder, &name)? else { continue };
            let better = |a: f64, b: f64| metric.is_some_and(|metric| metric.better(a, b));
            let best = rows
                .iter()
                .filter_map(|row| Some((row.epoch, row.validation?)))
                .reduce(|a, b| if better(b.1, a.1) { b } else { a });
            units.push(UnitInfo { name, epochs: rows.len() as u64, done, best });
        }
        let results: Option<serde_json::Value> = read_json(&folder.join("results.json"))?;
        Ok(Self {
            finished: results.is_some(),
            path: user_data::Request::of_run(folder)?.map(|request| request.path),
            data: versions.as_ref().map_or(recipe.data.set.clone(), |v| v.data.name.clone()),
            protocol: recipe.protocol.name().to_owned(),
            metric,
            epochs: recipe.training.as_ref().map_or(0, |training| training.epochs),
            units,
            results,
            model: folder.join("model.gsn").is_file(),
            gsn: versions.map(|versions| versions.gsn),
            recipe: recipe.name,
        })
    }
}

/// The folder of a search.
#[derive(Debug, Clone, Serialize)]
pub struct SearchInfo {
    /// Whether it is finished.
    pub finished: bool,
    /// What was asked for.
    pub asked: TuneRequest,
    /// Trials that were begun.
    pub begun: usize,
    /// The winner's test metric, if it is finished: its name and the number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<(String, f64)>,
}

impl SearchInfo {
    /// Looks at a search.
    ///
    /// # Errors
    /// If a file of it is damaged.
    pub fn of(folder: &Path) -> Result<Self> {
        let asked = TuneRequest::of_folder(folder)?;
        let begun = folder.join("trials").read_dir().map_or(0, Iterator::count);
        let results: Option<serde_json::Value> = read_json(&folder.join("results.json"))?;
        let test = results.as_ref().and_then(|results| {
            let name = results["metric"].as_str()?.to_owned();
            Some((name, results["results"]["mean"].as_f64()?))
        });
        Ok(Self { finished: results.is_some(), asked, begun, test })
    }
}
