//! DIMACS: `p edge N M` and `e u v`, or `p sp N M` and `a u v 1` for directed graphs. Vertices are
//! 1 to N. One graph a file.

use super::{Lost, Writer, counted_from_one, create, only_one};
use crate::atomic::Group;
use crate::error::Error;
use crate::output::{OutFile, decimal};
use crate::record::GraphRecord;
use std::path::Path;

struct Dimacs(OutFile);

pub(crate) fn writer(path: &Path) -> Result<Box<dyn Writer>, Error> {
    Ok(Box::new(Dimacs(create(path)?)))
}

impl Writer for Dimacs {
    fn push(&mut self, index: u64, record: &GraphRecord) -> Result<Lost, Error> {
        only_one("a DIMACS file", index, &self.0.name, record)?;
        let graph = &record.graph;
        let (kind, letter, length) =
            if graph.is_directed() { ("sp", b'a', " 1") } else { ("edge", b'e', "") };
        let head = format!("p {kind} {} {}\n", graph.order(), graph.edge_count());
        self.0.put(head.as_bytes())?;
        let mut line = Vec::new();
        for (u, v) in graph.edges() {
            line.clear();
            line.extend_from_slice(&[letter, b' ']);
            decimal(&mut line, u64::from(u) + 1);
            line.push(b' ');
            decimal(&mut line, u64::from(v) + 1);
            line.extend_from_slice(length.as_bytes());
            line.push(b'\n');
            self.0.put(&line)?;
        }
        let all = Lost::all_of(record);
        let vertex_names = all.vertex_names && !counted_from_one(record);
        Ok(Lost { vertex_names, direction: false, ..all })
    }

    fn finish(self: Box<Self>, group: &mut Group) -> Result<(), Error> {
        self.0.finish(group)
    }
}
