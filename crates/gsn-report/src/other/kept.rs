//! Results that are kept as JSON with the command that made them, such as `docs/results`.

use super::name_of;
use crate::html::{Cell, Html, Section, Table, code, figure, figures, paragraph, remark};
use crate::run::results;
use crate::words::plural;
use gsn_lab::chart::{Range, ranges};
use gsn_lab::experiment::{Compared, Results};
use gsn_lab::protocol::Statistics;
use gsn_lab::recipe::Published;
use gsn_lab::{Error, Result};
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A folder of kept results.
pub(crate) struct Kept {
    path: PathBuf,
    trained: Vec<One<Results>>,
    compared: Vec<One<Compared>>,
}

/// One file.
#[derive(Deserialize)]
struct Stored {
    command: String,
    results: Option<Results>,
    compared: Option<Compared>,
}

/// What came of a command.
struct One<T> {
    command: String,
    came: T,
    published: Option<Published>,
}

impl<T> One<T> {
    fn new(command: &str, came: T, published: Option<Value>) -> Self {
        let published = published.and_then(|value| serde_json::from_value(value).ok());
        Self { command: command.to_owned(), came, published }
    }
}

impl Kept {
    /// Reads a file, or every `.json` file of a folder; nothing if there is none. Sweeps are left to
    /// the page of results.
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
        let mut kept = Self { path: path.to_owned(), trained: Vec::new(), compared: Vec::new() };
        for file in &files {
            let bytes = std::fs::read(file)
                .map_err(|e| Error::file(file, format!("cannot be read: {e}")))?;
            let Stored { command, results, compared } =
                serde_json::from_slice(&bytes).map_err(|e| {
                    Error::file(file, format!("is no kept result (a command and its results): {e}"))
                })?;
            kept.trained.extend(results.map(|results| {
                let published = results.published.clone();
                One::new(&command, results, published)
            }));
            kept.compared.extend(compared.map(|compared| {
                let published = compared.published.clone();
                One::new(&command, compared, published)
            }));
        }
        let empty = kept.trained.is_empty() && kept.compared.is_empty();
        Ok((!empty).then_some(kept))
    }

    pub(crate) fn title(&self) -> String {
        format!("Results kept in {}", name_of(&self.path))
    }

    pub(crate) fn opening(&self) -> Html {
        let all = self.trained.len() + self.compared.len();
        let all = plural(
            all,
            "result with the command that made it",
            "results with the commands that made them",
        );
        paragraph(format!("{all}."))
    }

    pub(crate) fn sections(&self) -> Vec<Section> {
        let head = || ["recipe", "data"].into_iter().chain(results::NUMBERS).chain(["command"]);
        let mut trained = Table::new("All trained results", head());
        for One { command, came, published } in &self.trained {
            let mut row = vec![came.recipe.as_str().into(), came.dataset.as_str().into()];
            row.extend(results::cells(came, published.as_ref()));
            row.push(code(command.as_str()).into());
            trained.push(row);
        }
        let mut compared = Table::new("Pairs of graphs with random networks", head());
        for One { command, came, published } in &self.compared {
            let mut row: Vec<Cell> =
                vec![came.recipe.as_str().into(), came.dataset.as_str().into()];
            row.extend(results::compared_cells(came, published.as_ref()));
            row.push(code(command.as_str()).into());
            compared.push(row);
        }
        let table = |table: Table, rows: usize| if rows > 0 { table.into() } else { Html::new() };
        let mut first = figures(self.pictures()).and(table(trained, self.trained.len()));
        if self.trained.iter().any(|one| one.came.ensemble.is_some()) {
            first.push(remark(results::TWO_TESTS));
        }
        vec![
            Section::new("Trained", first),
            Section::new("Told apart", table(compared, self.compared.len())),
        ]
    }

    /// One picture for every recipe and set; seeds that were kept one by one are in one row.
    fn pictures(&self) -> Vec<Html> {
        let mut groups: Vec<Vec<&One<Results>>> = Vec::new();
        for one in &self.trained {
            let same = |first: &Results| {
                (&first.recipe, &first.dataset, &first.report.protocol)
                    == (&one.came.recipe, &one.came.dataset, &one.came.report.protocol)
            };
            match groups.iter_mut().find(|group| same(&group[0].came)) {
                Some(group) => group.push(one),
                None => groups.push(vec![one]),
            }
        }
        let picture = |group: Vec<&One<Results>>| {
            let first = &group[0].came;
            let mut rows = vec![together(group.iter().map(|one| &one.came))];
            rows.extend(first.beside.as_ref().map(|beside| results::range(beside, 1)));
            let published = group[0].published.as_ref();
            rows.extend(published.map(results::published_range));
            let points = results::points(published);
            let caption = format!("{} on {}. {points}.", first.recipe, first.dataset);
            figure(&ranges(&results::axis(first.report.metric), &rows), &caption)
        };
        groups.into_iter().map(picture).collect()
    }
}

/// The units of all, their mean and its interval.
fn together<'a>(mut all: impl Iterator<Item = &'a Results>) -> Range {
    let mut row = all.next().map(|first| results::range(&first.report, 0)).unwrap_or_default();
    let mut alone = true;
    for more in all {
        row.points.extend(results::range(&more.report, 0).points);
        alone = false;
    }
    let values: Vec<f64> = row.points.iter().map(|(value, _)| *value).collect();
    match Statistics::of(&values).filter(|_| !alone) {
        Some(numbers) => Range { mean: Some(numbers.mean), interval: numbers.interval95, ..row },
        None => row,
    }
}
