//! Arrays from any file of graphs.

use super::{Arrays, Rows};
use crate::dataset::Fold;
use crate::error::{Error, Result};
use crate::user_data::split::{Part, part};
use gsn_io::{GraphRecord, GraphSource, ReadOptions, Row};
use std::path::Path;

/// What to take from a file beside its graphs.
#[derive(Debug, Clone, Default)]
pub struct ReadArrays {
    /// Edges have a direction.
    pub directed: bool,
    /// Columns with the targets. None: the class or the targets that the format has a place for.
    pub targets: Vec<String>,
    /// The column that says `train`, `validation` or `test`.
    pub split: Option<String>,
}

impl Arrays {
    /// All graphs of a file or folder: labels of vertices and edges as features of one column,
    /// classes or target columns as targets. Arcs are in the order of their ends.
    ///
    /// # Errors
    /// When it cannot be read, a row is no graph, or a column is missing or holds no number.
    pub fn read(path: &Path, what: &ReadArrays) -> Result<Self> {
        let keep_fields = !what.targets.is_empty() || what.split.is_some();
        let options =
            ReadOptions { directed: what.directed, keep_fields, ..ReadOptions::default() };
        let mut source = GraphSource::open(path, &options)?;
        let mut arrays = Self { starts: vec![0], ..Self::default() };
        let mut labels = [Some(Vec::new()), Some(Vec::new())];
        let mut fold = Fold::default();
        while let Some(row) = source.next() {
            let record = match row? {
                Row::Graph(record) => record,
                Row::Rejected(bad) => {
                    return Err(Error::file(path, format!("row {}: {}", bad.row, bad.reason)));
                }
            };
            let field = |name: &String| {
                let at = source.fields().iter().position(|field| field == name);
                let cell = at.and_then(|at| record.fields.get(at));
                cell.ok_or_else(|| Error::file(path, format!("has no column `{name}`")))
            };
            let graph = arrays.orders.len() as u32;
            if let Some(name) = &what.split {
                let cell = field(name)?;
                let place = part(cell).map_err(|why| Error::file(path, why))?;
                match place {
                    Part::Train => fold.train.push(graph),
                    Part::Validation => fold.validation.push(graph),
                    Part::Calibration => fold.calibration.push(graph),
                    Part::Test => fold.test.push(graph),
                }
            }
            let wanted = what.targets.iter().map(|name| {
                let cell = field(name)?;
                if cell.is_empty() {
                    return Ok(f64::NAN);
                }
                let why =
                    || Error::file(path, format!("row {}: `{cell}` is no number", record.row));
                cell.parse().map_err(|_| why())
            });
            let wanted = wanted.collect::<Result<Vec<f64>>>()?;
            arrays.targets.push(if wanted.is_empty() { own_targets(&record) } else { wanted });
            let found = [record.graph.vertex_labels(), record.graph.arc_labels()];
            // A graph without edges has no labels on them to miss.
            let none = [record.graph.order() == 0, record.graph.arc_count() == 0];
            for ((all, found), none) in labels.iter_mut().zip(found).zip(none) {
                match (all.as_mut(), found) {
                    (Some(all), Some(found)) => all.extend_from_slice(found),
                    _ if none => {}
                    _ => *all = None,
                }
            }
            arrays.push_graph(&record.graph);
        }
        let rows = |data: Option<Vec<u32>>| {
            data.filter(|data| !data.is_empty()).map(|data| Rows { cols: 1, data })
        };
        [arrays.vertex, arrays.arc] = labels.map(rows);
        arrays.folds = what.split.iter().map(|_| fold.clone()).collect();
        Ok(arrays)
    }
}

/// What the format itself says about a graph.
fn own_targets(record: &GraphRecord) -> Vec<f64> {
    match record.label {
        Some(label) => vec![label as f64],
        None => record.targets.clone(),
    }
}
