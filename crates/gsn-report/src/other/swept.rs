//! The folder of `gsn sweep`: a recipe over a grid of settings.

use super::{csv_rows, csv_table, name_of};
use crate::html::{Html, Section, code, figure, figures, paragraph, tag};
use gsn_lab::Result;
use gsn_lab::chart::{Range, ranges};
use std::path::{Path, PathBuf};

/// Cells in the chart, at most.
const CHARTED: usize = 60;

/// A sweep.
pub(crate) struct Swept {
    path: PathBuf,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Cells that were begun.
    begun: usize,
}

impl Swept {
    /// Reads the table of a sweep; there is none before the first cell is finished.
    ///
    /// # Errors
    /// If it is damaged.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let table = path.join("table.csv");
        let (head, rows) = match table.is_file() {
            true => csv_rows(&table)?,
            false => (Vec::new(), Vec::new()),
        };
        let begun = path.join("cells").read_dir().map_or(0, Iterator::count);
        Ok(Self { path: path.to_owned(), head, rows, begun })
    }

    pub(crate) fn title(&self) -> String {
        format!("Sweep {}", name_of(&self.path))
    }

    pub(crate) fn opening(&self) -> Html {
        let done = self.rows.len();
        let mut opening =
            paragraph(format!("{done} cells are finished, {} were begun.", self.begun));
        if self.begun > done {
            let text = "The sweep is not finished; call the same `gsn sweep` again to go on.";
            opening.push(tag("p").class("warning").with(text));
        }
        opening
    }

    pub(crate) fn sections(&self) -> Vec<Section> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        let place = |start: &str| self.head.iter().position(|name| name.starts_with(start));
        let Some(test) = place("test_") else {
            return vec![Section::new("Table", csv_table("Cells", &self.head, &self.rows))];
        };
        let metric = self.head[test].trim_start_matches("test_");
        // Settings stand before the first number.
        let axes = ["delta", "train_", "validation_", "test_"].into_iter().filter_map(place).min();
        let axes = axes.unwrap_or(test);
        let row = |cells: &Vec<String>| {
            let mean: f64 = cells.get(test)?.parse().ok()?;
            let std: Option<f64> = cells.get(test + 1).and_then(|cell| cell.parse().ok());
            let named = self.head.iter().zip(cells).take(axes);
            let name: Vec<String> = named.map(|(axis, value)| format!("{axis}={value}")).collect();
            Some(Range {
                name: name.join(", "),
                mean: Some(mean),
                interval: std.map(|std| [mean - std, mean + std]),
                ..Range::default()
            })
        };
        let rows: Vec<Range> = self.rows.iter().filter_map(row).take(CHARTED).collect();
        let caption = match self.rows.len() > CHARTED {
            true => format!("Mean on the test part ± its deviation; the first {CHARTED} cells."),
            false => "Mean on the test part ± its deviation over units.".to_owned(),
        };
        let picture = figures([figure(&ranges(&format!("test {metric}"), &rows), &caption)]);
        let cells = self.path.join("cells").display().to_string();
        let hint = Html::from("Every cell is a run of its own: ")
            .and(code(format!("gsn report {cells}/NAME")))
            .and(" shows it.");
        let table = csv_table("Cells", &self.head, &self.rows);
        vec![Section::new("Results", picture.and(table).and(paragraph(hint)))]
    }
}
