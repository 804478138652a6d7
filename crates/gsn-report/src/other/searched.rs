//! The folder of `gsn tune`: a search for settings by the validation part.

use super::{csv_rows, csv_table, name_of};
use crate::html::{Html, Section, figures, listing, paragraph, plot, remark, warning};
use crate::run::results;
use gsn_lab::chart::{Line, Plot};
use gsn_lab::experiment::Results;
use gsn_lab::info::SearchInfo;
use gsn_lab::{Error, Result};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// Trials with a line of their own, at most.
const DRAWN: usize = 10;

/// A search.
pub(crate) struct Searched {
    path: PathBuf,
    info: SearchInfo,
    table: Option<(Vec<String>, Vec<Vec<String>>)>,
    found: Option<Found>,
    best: Option<String>,
}

/// `results.json` of a search.
#[derive(Deserialize)]
struct Found {
    metric: String,
    trials: Vec<Trial>,
    epochs: Vec<u64>,
    #[serde(default)]
    results: Option<Box<Results>>,
}

#[derive(Deserialize)]
struct Trial {
    number: usize,
    values: Vec<f64>,
}

impl Searched {
    /// Reads a search, finished or not.
    ///
    /// # Errors
    /// If a file of it is damaged.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let info = SearchInfo::of(path)?;
        let table = path.join("table.csv");
        let table = if table.is_file() { Some(csv_rows(&table)?) } else { None };
        let file = path.join("results.json");
        let found = match std::fs::read(&file) {
            Ok(bytes) => Some(
                serde_json::from_slice(&bytes)
                    .map_err(|e| Error::file(&file, format!("is damaged: {e}")))?,
            ),
            Err(_) => None,
        };
        let best = std::fs::read_to_string(path.join("best.toml")).ok();
        Ok(Self { path: path.to_owned(), info, table, found, best })
    }

    pub(crate) fn title(&self) -> String {
        format!("Search {}", name_of(&self.path))
    }

    pub(crate) fn opening(&self) -> Html {
        let SearchInfo { asked, begun, .. } = &self.info;
        let mut opening = paragraph(format!(
            "A search over {} by the validation part: {begun} of {} trials were begun, one in {} goes \
             on. The test part is looked at once, for the winner.",
            asked.what, asked.trials, asked.keep
        ));
        if !self.info.finished {
            let path = self.path.display();
            let text =
                format!("The search is not finished; go on with `gsn tune --resume {path}`.");
            opening.push(warning(text));
        }
        opening
    }

    pub(crate) fn sections(&self) -> Vec<Section> {
        let mut trials = Html::new();
        if let Some(found) = &self.found {
            trials.push(curves(found));
        }
        if let Some((head, rows)) = &self.table {
            trials.push(csv_table("Trials, the best first", head, rows));
            if rows.iter().flatten().any(|cell| cell == "as chosen") {
                trials.push(remark(
                    "“as chosen”: the trial leaves this key as the recipe has it, or as it was chosen \
                     from the data.",
                ));
            }
        }
        let winner = self.found.as_ref().and_then(|found| found.results.as_deref());
        let winner = winner.map(|results| results::trained(results, None)).unwrap_or_default();
        let best = self.best.as_deref().map(listing).unwrap_or_default();
        vec![
            Section::new("Trials", trials),
            Section::new("The winner", winner),
            Section::new("The recipe that stands first", best),
        ]
    }
}

/// The validation metric at the end of every rung, a line a trial.
fn curves(found: &Found) -> Html {
    let mut trials: Vec<&Trial> = found.trials.iter().filter(|t| !t.values.is_empty()).collect();
    trials.sort_by_key(|trial| std::cmp::Reverse(trial.values.len()));
    let line = |trial: &&Trial| {
        let points = found.epochs.iter().zip(&trial.values).map(|(&e, &value)| (e as f64, value));
        Line::new(format!("trial {}", trial.number), points.collect())
    };
    figures([plot(Plot {
        title: format!("Validation {} of the trials that came furthest", found.metric),
        x: "epochs".into(),
        y: format!("validation {}", found.metric),
        lines: trials.iter().take(DRAWN).map(line).collect(),
        ..Plot::default()
    })])
}
