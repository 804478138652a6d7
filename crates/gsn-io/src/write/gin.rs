//! The text format of GIN and DGCNN. Its first line is the number of graphs, known only at the
//! end, so the graphs wait in an unnamed file beside the target.

use super::{Lost, Writer, create};
use crate::atomic::Group;
use crate::error::Error;
use crate::output::{OutFile, decimal, unnamed_beside};
use crate::record::GraphRecord;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

struct Gin {
    out: OutFile,
    graphs: BufWriter<File>,
    count: u64,
}

pub(crate) fn writer(path: &Path) -> Result<Box<dyn Writer>, Error> {
    let out = create(path)?;
    let graphs = BufWriter::new(unnamed_beside(path)?);
    Ok(Box::new(Gin { out, graphs, count: 0 }))
}

impl Writer for Gin {
    fn push(&mut self, _: u64, record: &GraphRecord) -> Result<Lost, Error> {
        self.count += 1;
        let graph = &record.graph;
        let mut text = format!("{} {}\n", graph.order(), record.label.unwrap_or(0)).into_bytes();
        for v in 0..graph.order() as u32 {
            let tag = graph.vertex_labels().map_or(0, |labels| labels[v as usize]);
            decimal(&mut text, u64::from(tag));
            text.push(b' ');
            decimal(&mut text, graph.degree(v) as u64);
            for &u in graph.neighbors(v) {
                text.push(b' ');
                decimal(&mut text, u64::from(u));
            }
            text.push(b'\n');
        }
        self.graphs.write_all(&text).map_err(|e| Error::io(&self.out.name, e))?;
        Ok(Lost { vertex_labels: false, classes: false, ..Lost::all_of(record) })
    }

    fn finish(mut self: Box<Self>, group: &mut Group) -> Result<(), Error> {
        self.out.put(format!("{}\n", self.count).as_bytes())?;
        let name = self.out.name.clone();
        let fail = |e| Error::io(&name, e);
        let mut graphs = self.graphs.into_inner().map_err(|e| fail(e.into_error()))?;
        graphs.rewind().map_err(fail)?;
        io::copy(&mut graphs, &mut self.out).map_err(fail)?;
        self.out.finish(group)
    }
}
