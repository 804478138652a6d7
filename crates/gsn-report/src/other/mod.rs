//! What has a report beside runs: one file each.
//!
//! | file | what |
//! |---|---|
//! | `separated` | JSON of `gsn separate`: which tests tell graphs apart |
//! | `explained` | JSON of `gsn explain`: which occurrences moved predictions |
//! | `suggested` | JSON of `gsn suggest`: which patterns are worth counting |
//! | `swept` | the folder of `gsn sweep`: a recipe over a grid |
//! | `searched` | the folder of `gsn tune`: a search for settings |
//! | `counts` | a table of `gsn count` and its sidecar |
//! | `kept` | results kept as JSON with the command that made them |

pub(crate) mod counts;
pub(crate) mod explained;
pub(crate) mod kept;
pub(crate) mod searched;
pub(crate) mod separated;
pub(crate) mod suggested;
pub(crate) mod swept;

use crate::html::{Cell, Html, Table};
use gsn_core::{Pattern, PatternSet};
use gsn_lab::{Error, Result};
use std::path::Path;

/// The last part of a path.
fn name_of(path: &Path) -> String {
    let full = path.canonicalize().ok();
    let name = full.as_deref().and_then(Path::file_name);
    name.map_or(path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// A table of comma-separated values: its head and its rows.
fn csv_rows(path: &Path) -> Result<(Vec<String>, Vec<Vec<String>>)> {
    let damaged = |e: csv::Error| Error::file(path, format!("is damaged: {e}"));
    let mut reader = csv::Reader::from_path(path).map_err(damaged)?;
    let cells = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect();
    let head = cells(reader.headers().map_err(damaged)?);
    let rows = reader.records().map(|record| Ok(cells(&record.map_err(damaged)?)));
    Ok((head, rows.collect::<Result<_>>()?))
}

/// The same as a table of a page; what is a number is sorted as one.
fn csv_table(name: &str, head: &[String], rows: &[Vec<String>]) -> Html {
    let mut table = Table::new(name, head.iter().cloned());
    for row in rows {
        table.push(row.iter().map(|cell| match cell.parse::<f64>() {
            Ok(number) if number.is_finite() => Cell::number(number),
            _ => Cell::from(cell.as_str()),
        }));
    }
    table.into()
}

/// Patterns by their names, as far as they can be read without a file.
fn patterns(names: &[String]) -> Vec<Pattern> {
    let read = |name: &String| name.parse::<PatternSet>().ok();
    names.iter().filter_map(read).flat_map(|set| set.iter().cloned().collect::<Vec<_>>()).collect()
}

/// They, drawn.
fn drawn(names: &[String]) -> Html {
    let all = patterns(names);
    let all: Vec<&Pattern> = all.iter().collect();
    match all.is_empty() {
        true => Html::new(),
        false => crate::run::patterns::drawn(&all, gsn_core::EdgeOrbits::Exact),
    }
}
