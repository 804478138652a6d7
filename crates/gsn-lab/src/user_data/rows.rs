//! All rows of an input, and the columns they have.

use super::split::Split;
use super::task::{Cell, Column};
use super::{InputColumns, Options};
use crate::error::{Error, Result};
use gsn_io::{Format, GraphRecord, GraphSource, ReadOptions, Rejected, Row};
use std::path::Path;

/// The column called exactly so, or else so in another case.
fn position(fields: &[String], name: &str) -> Option<usize> {
    let other = || fields.iter().position(|field| field.eq_ignore_ascii_case(name));
    fields.iter().position(|field| field == name).or_else(other)
}

/// All rows of an input in memory.
pub(super) struct Rows {
    pub(super) format: Format,
    pub(super) molecules: bool,
    fields: Vec<String>,
    pub(super) records: Vec<GraphRecord>,
    pub(super) rejected: Vec<Rejected>,
    /// Rows of the input, rejected ones included.
    pub(super) count: u64,
    pub(super) notes: Vec<String>,
}

impl Rows {
    pub(super) fn read(path: &Path, options: &Options) -> Result<Self> {
        let read = ReadOptions {
            format: options.format,
            delimiter: options.delimiter,
            directed: options.directed,
            smiles_column: options.smiles.clone(),
            keep_fields: true,
            featurise: Some(options.featurise),
            ..ReadOptions::default()
        };
        let mut source = GraphSource::open(path, &read)?;
        let (mut records, mut rejected) = (Vec::new(), Vec::new());
        for row in source.by_ref() {
            match row? {
                Row::Graph(record) if record.graph.order() == 0 => {
                    rejected.push(record.rejected("the graph has no vertex"));
                }
                Row::Graph(record) => records.push(record),
                Row::Rejected(bad) => rejected.push(bad),
            }
        }
        let count = (records.len() + rejected.len()) as u64;
        let format = source.format();
        let molecules = source.is_molecules();
        let (fields, notes) = (source.fields().to_vec(), source.notes());
        Ok(Self { format, molecules, fields, records, rejected, count, notes })
    }

    fn column(&self, name: &str) -> Option<Column> {
        if let Some(at) = position(&self.fields, name) {
            let cell =
                |record: &GraphRecord| record.fields.get(at).cloned().map_or(Cell::Gap, Cell::Text);
            let cells = self.records.iter().map(cell).collect();
            return Some(Column { name: self.fields[at].clone(), cells });
        }
        // The class that TU, GIN and columnar files have a place of their own for.
        if name == "label" && self.records.iter().any(|record| record.label.is_some()) {
            let cell = |record: &GraphRecord| {
                record.label.map_or(Cell::Gap, |label| Cell::Number(label as f64))
            };
            let cells = self.records.iter().map(cell).collect();
            return Some(Column { name: "label".into(), cells });
        }
        // `attribute` or `attribute:3` of TU folders.
        let at = match name.strip_prefix("attribute") {
            Some("") => 0,
            Some(rest) => rest.strip_prefix(':')?.parse().ok()?,
            None => return None,
        };
        if self.records.iter().all(|record| record.targets.len() <= at) {
            return None;
        }
        let cell =
            |record: &GraphRecord| record.targets.get(at).map_or(Cell::Gap, |&x| Cell::Number(x));
        let cells = self.records.iter().map(cell).collect();
        Some(Column { name: name.to_owned(), cells })
    }

    /// Names that [`Rows::column`] finds.
    fn names(&self) -> Vec<String> {
        let mut names = self.fields.clone();
        if self.records.iter().any(|record| record.label.is_some()) {
            names.push("label".into());
        }
        let attributes = self.records.iter().map(|r| r.targets.len()).max().unwrap_or(0);
        match attributes {
            0 => {}
            1 => names.push("attribute".into()),
            many => names.extend((0..many).map(|at| format!("attribute:{at}"))),
        }
        names
    }

    fn missing(&self, name: &str, what: &str) -> Error {
        let there = self.names();
        let there = match there.len() {
            0 => "it has none".to_owned(),
            n => {
                let more = if n > 30 { ", …" } else { "" };
                format!("there are {}{more}", there[..n.min(30)].join(", "))
            }
        };
        Error::data(name, format!("{what}; {there}"))
    }

    /// What every row says beside its graph and the targets.
    pub(super) fn input_columns(
        &self,
        name: &str,
        options: &Options,
        targets: &[Column],
    ) -> Result<InputColumns> {
        let target = |field: &str| targets.iter().any(|target| target.name == field);
        let id = match &options.id {
            Some(column) => {
                let what = format!("there is no column `{column}` that names the rows");
                let found = position(&self.fields, column);
                Some(found.ok_or_else(|| self.missing(name, &what))?)
            }
            None => InputColumns::ID_NAMES
                .iter()
                .find_map(|id| self.fields.iter().position(|f| f.eq_ignore_ascii_case(id)))
                .filter(|&at| !target(&self.fields[at])),
        };
        let kept: Vec<usize> = (0..self.fields.len())
            .filter(|&at| Some(at) != id && !target(&self.fields[at]))
            .collect();
        let smiles = self.records.iter().any(|record| record.smiles.is_some());
        let mut names = Vec::new();
        names.extend(smiles.then(|| options.smiles.clone().unwrap_or_else(|| "smiles".into())));
        names.extend(kept.iter().map(|&at| self.fields[at].clone()));
        let mut columns = InputColumns::new(names);
        for record in &self.records {
            let field = |at: usize| record.fields.get(at).cloned().unwrap_or_default();
            let id = id.map(field).or_else(|| record.name.clone()).unwrap_or_default();
            let mut cells = Vec::new();
            cells.extend(smiles.then(|| record.smiles.clone().unwrap_or_default()));
            cells.extend(kept.iter().map(|&at| field(at)));
            columns.push(record.row, id, cells);
        }
        Ok(columns)
    }

    /// The target columns: those asked for, or the only one that there can be.
    pub(super) fn targets(&self, name: &str, options: &Options) -> Result<Vec<Column>> {
        if self.records.is_empty() {
            let first = self.rejected.first().map(|bad| format!("; the first: {}", bad.reason));
            let what =
                format!("none of its {} rows is a graph{}", self.count, first.unwrap_or_default());
            return Err(Error::data(name, what));
        }
        let find = |column: &str| {
            let what = format!("there is no column `{column}` to predict");
            self.column(column).ok_or_else(|| self.missing(name, &what))
        };
        if !options.targets.is_empty() {
            return options.targets.iter().map(|column| find(column)).collect();
        }
        let used = match &options.split {
            Some(Split::Column(column)) => Some(column.as_str()),
            _ => None,
        };
        let mut names = self.names();
        names.retain(|name| Some(name.as_str()) != used && !options.with_columns.contains(name));
        // A class says what a TU or GIN set is for.
        if self.fields.is_empty() && names.iter().any(|name| name == "label") {
            return Ok(vec![find("label")?]);
        }
        match &names[..] {
            [only] => Ok(vec![find(only)?]),
            _ => Err(self.missing(name, "name what to predict with --target")),
        }
    }

    /// The columns of numbers that the network reads beside the graph.
    pub(super) fn extra(&self, name: &str, options: &Options) -> Result<Vec<Column>> {
        let find = |column: &String| {
            let what = format!("there is no column `{column}` (--with-columns)");
            let found = self.column(column).ok_or_else(|| self.missing(name, &what))?;
            match found.cells.iter().any(|cell| cell.number().is_some()) {
                true => Ok(found),
                false => Err(Error::data(name, format!("column `{column}` holds no number"))),
            }
        };
        options.with_columns.iter().map(find).collect()
    }

    /// The column that says which part a row belongs to, if there is one.
    pub(super) fn split_column(&self, name: &str, options: &Options) -> Result<Option<Vec<Cell>>> {
        let Some(Split::Column(column)) = &options.split else { return Ok(None) };
        let what = format!("there is no column `{column}` to split by");
        let found = self.column(column).ok_or_else(|| self.missing(name, &what))?;
        Ok(Some(found.cells))
    }
}
