//! Arrays as a folder of the TU collection.

use super::Arrays;
use crate::error::{Error, Result};
use gsn_io::{Format, GraphRecord, GraphSink, Lost};
use std::path::Path;

impl Arrays {
    /// Writes a TU folder at `path`, where nothing may be: features of one column as labels,
    /// `classes` as classes, and targets as `graph_attributes` otherwise.
    ///
    /// # Errors
    /// When the arrays do not fit each other, or writing fails; then there is no folder.
    pub fn write_tu(&self, path: &Path, classes: bool, directed: bool) -> Result<Lost> {
        let name = path.display().to_string();
        let bad = |what: String| Error::data(&name, what);
        self.check().map_err(bad)?;
        let mut sink = GraphSink::create(path, Format::Tu, &[])?;
        let firsts = self.vertex_starts();
        for graph in 0..self.orders.len() {
            let made = self.graph(graph, firsts[graph], directed).map_err(bad)?;
            let mut record = GraphRecord::new(graph as u64, made);
            match (&self.targets[graph][..], classes) {
                ([class], true) => record.label = Some(*class as i64),
                (targets, _) => record.targets = targets.to_vec(),
            }
            sink.push(&record)?;
        }
        Ok(sink.finish()?)
    }
}
