//! Matrix Market: the adjacency matrix as a pattern, `symmetric` (its lower triangle) or, of
//! directed graphs, `general`. One graph a file.

use super::{Lost, Writer, counted_from_one, create, only_one};
use crate::atomic::Group;
use crate::error::Error;
use crate::output::{OutFile, decimal};
use crate::record::GraphRecord;
use std::path::Path;

struct MatrixMarket(OutFile);

pub(crate) fn writer(path: &Path) -> Result<Box<dyn Writer>, Error> {
    Ok(Box::new(MatrixMarket(create(path)?)))
}

impl Writer for MatrixMarket {
    fn push(&mut self, index: u64, record: &GraphRecord) -> Result<Lost, Error> {
        only_one("a Matrix Market file", index, &self.0.name, record)?;
        let graph = &record.graph;
        let (n, m) = (graph.order(), graph.edge_count());
        let kind = if graph.is_directed() { "general" } else { "symmetric" };
        let head = format!("%%MatrixMarket matrix coordinate pattern {kind}\n{n} {n} {m}\n");
        self.0.put(head.as_bytes())?;
        let mut line = Vec::new();
        for (u, v) in graph.edges() {
            let (row, column) = if graph.is_directed() { (u, v) } else { (u.max(v), u.min(v)) };
            line.clear();
            decimal(&mut line, u64::from(row) + 1);
            line.push(b' ');
            decimal(&mut line, u64::from(column) + 1);
            line.push(b'\n');
            self.0.put(&line)?;
        }
        let all = Lost::all_of(record);
        Ok(Lost { vertex_names: all.vertex_names && !counted_from_one(record), ..all })
    }

    fn finish(self: Box<Self>, group: &mut Group) -> Result<(), Error> {
        self.0.finish(group)
    }
}
