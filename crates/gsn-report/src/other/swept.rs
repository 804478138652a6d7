//! The folder of `gsn sweep`: a recipe over a grid of settings.

use super::{csv_rows, csv_table, name_of};
use crate::html::{Html, Section, code, figure, figures, paragraph, prose, warning};
use crate::run::results;
use crate::words::plural;
use gsn_lab::Result;
use gsn_lab::chart::{Range, ranges, short};
use gsn_lab::train::Metric;
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
        let finished = plural(done, "cell is", "cells are");
        let begun = plural(self.begun, "was", "were");
        let mut opening = paragraph(format!("{finished} finished, {begun} begun."));
        if self.begun > done {
            let text = "The sweep is not finished; call the same `gsn sweep` again to go on.";
            opening.push(warning(text));
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
        let known = Metric::ALL.into_iter().find(|known| known.name() == metric);
        let axis = known.map_or(format!("test {metric}"), results::axis);
        let picture = figures([figure(&ranges(&axis, &rows), &caption)]);
        let winner = known.and_then(|metric| self.winner(metric, axes)).unwrap_or_default();
        let cells = self.path.join("cells").display().to_string();
        let hint = Html::from("Every cell is a run of its own: ")
            .and(code(format!("gsn report {cells}/NAME")))
            .and(" shows it.");
        let head: Vec<String> = self.head.iter().map(|name| name.replace('_', " ")).collect();
        let table = csv_table("Cells", &head, &self.rows);
        vec![Section::new("Results", winner.and(picture).and(table).and(paragraph(hint)))]
    }

    /// The cell that is best on the validation part; nothing where there is none.
    fn winner(&self, metric: Metric, axes: usize) -> Option<Html> {
        let place = |part: &str| {
            self.head.iter().position(|name| *name == format!("{part}_{}", metric.name()))
        };
        let (validation, test) = (place("validation")?, place("test")?);
        let number = |row: &[String], at: usize| row.get(at)?.parse::<f64>().ok();
        let judged = self.rows.iter().filter_map(|row| Some((number(row, validation)?, row)));
        let (value, row) = judged.reduce(|a, b| if metric.better(b.0, a.0) { b } else { a })?;
        let settings = self.head.iter().zip(row).take(axes);
        let settings: Vec<String> = settings.map(|(axis, x)| format!("`{axis}={x}`")).collect();
        let test = number(row, test).map(|x| format!(", test {}", short(x))).unwrap_or_default();
        Some(paragraph(prose(format!(
            "Best on the validation part: {} ({} {}{test}).",
            settings.join(", "),
            metric.name(),
            short(value)
        ))))
    }
}
