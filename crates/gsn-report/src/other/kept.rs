//! Results that are kept as JSON with the command that made them, such as `docs/results`.

use super::name_of;
use crate::html::{Cell, Html, Section, Table, code, figure, figures, paragraph};
use crate::run::results;
use gsn_lab::chart::ranges;
use gsn_lab::experiment::Results;
use gsn_lab::recipe::Published;
use gsn_lab::{Error, Result};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A folder of kept results.
pub(crate) struct Kept {
    path: PathBuf,
    all: Vec<One>,
}

/// One file.
#[derive(Deserialize)]
struct Stored {
    command: String,
    results: Option<Results>,
}

/// A trained result.
struct One {
    command: String,
    results: Results,
}

impl One {
    fn published(&self) -> Option<Published> {
        self.results.published.clone().and_then(|value| serde_json::from_value(value).ok())
    }
}

impl Kept {
    /// Reads a file, or every `.json` file of a folder; nothing if there is none. Comparisons and
    /// sweeps are left to the page of results.
    ///
    /// # Errors
    /// If one of them is damaged.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>> {
        let mut files: Vec<PathBuf> = match path.is_dir() {
            true => path.read_dir().into_iter().flatten().flatten().map(|e| e.path()).collect(),
            false => vec![path.to_owned()],
        };
        files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
        files.sort();
        let read = |file: &PathBuf| {
            let bytes = std::fs::read(file)
                .map_err(|e| Error::file(file, format!("cannot be read: {e}")))?;
            serde_json::from_slice(&bytes).map_err(|e| {
                Error::file(file, format!("is no kept result (a command and its results): {e}"))
            })
        };
        let all: Vec<Stored> = files.iter().map(read).collect::<Result<_>>()?;
        let trained =
            |Stored { command, results }: Stored| results.map(|results| One { command, results });
        let all: Vec<One> = all.into_iter().filter_map(trained).collect();
        Ok((!all.is_empty()).then(|| Self { path: path.to_owned(), all }))
    }

    pub(crate) fn title(&self) -> String {
        format!("Results kept in {}", name_of(&self.path))
    }

    pub(crate) fn opening(&self) -> Html {
        paragraph(format!("{} results with the commands that made them.", self.all.len()))
    }

    pub(crate) fn sections(&self) -> Vec<Section> {
        let head = [
            "recipe",
            "data",
            "protocol",
            "metric",
            "test",
            "95 % interval",
            "published",
            "units",
            "parameters",
            "command",
        ];
        let mut table = Table::new("All results", head);
        for one in &self.all {
            let report = &one.results.report;
            table.push([
                one.results.recipe.as_str().into(),
                one.results.dataset.as_str().into(),
                report.protocol.as_str().into(),
                report.metric.name().into(),
                Cell::number(report.test.mean),
                Cell::interval(report.test.interval95),
                Cell::number(one.published().map(|p| p.mean)),
                Cell::whole(report.runs.len() as u64),
                Cell::whole(one.results.parameters as u64),
                code(one.command.as_str()).into(),
            ]);
        }
        let pictures = self.all.iter().map(|one| {
            let report = &one.results.report;
            let mut rows = vec![results::range(report, 0)];
            rows.extend(one.results.beside.as_ref().map(|beside| results::range(beside, 1)));
            rows.extend(one.published().as_ref().map(results::published_range));
            let axis = format!("test {}", report.metric.name());
            let caption = format!("{} on {}", one.results.recipe, one.results.dataset);
            figure(&ranges(&axis, &rows), &caption)
        });
        vec![Section::new("Results", Html::from(table).and(figures(pictures)))]
    }
}
