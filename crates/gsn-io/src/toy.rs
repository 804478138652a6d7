//! A format added by the steps that [`crate::format`] names: this file is its reader and its
//! writer, the rest is its variant and its row in the table. A line is the number of vertices of
//! a path.

use crate::atomic::Group;
use crate::error::Error;
use crate::format::Opened;
use crate::input::{Input, Lines, number};
use crate::output::OutFile;
use crate::read::TextHead;
use crate::record::{GraphRecord, Rejected, Row};
use crate::source::{ReadOptions, Rows};
use crate::write::{Lost, Writer, create};
use gsn_core::Graph;
use std::collections::VecDeque;
use std::path::Path;

pub(crate) fn looks_like(head: &TextHead) -> bool {
    head.first == b"paths follow"
}

pub(crate) fn open(input: Input, _: &ReadOptions) -> Result<Opened, Error> {
    let (lines, hash) = input.lines();
    Ok((Box::new(ToyRows { lines, next: 0 }), vec![hash]))
}

struct ToyRows {
    lines: Lines,
    next: u64,
}

impl Rows for ToyRows {
    fn fill(&mut self, rows: &mut VecDeque<Row>) -> Result<bool, Error> {
        let mut line = Vec::new();
        if !self.lines.read(&mut line)? {
            return Ok(false);
        }
        if line == b"toy paths" || line == b"paths follow" {
            return Ok(true);
        }
        let row = self.next;
        self.next += 1;
        let path = |n: u64| Graph::from_edges(n as usize, (1..n as u32).map(|v| (v - 1, v))).ok();
        rows.push_back(match number(&line).and_then(path) {
            Some(graph) => Row::Graph(GraphRecord::new(row, graph)),
            None => {
                let reason = "is not a number of vertices";
                Row::Rejected(Rejected::new(row, Some(self.lines.number), &line, reason))
            }
        });
        Ok(true)
    }
}

pub(crate) fn writer(path: &Path) -> Result<Box<dyn Writer>, Error> {
    let mut out = create(path)?;
    out.put(b"toy paths\n")?;
    Ok(Box::new(Toy(out)))
}

struct Toy(OutFile);

impl Writer for Toy {
    fn push(&mut self, _: u64, record: &GraphRecord) -> Result<Lost, Error> {
        self.0.put(format!("{}\n", record.graph.order()).as_bytes())?;
        Ok(Lost::all_of(record))
    }

    fn finish(self: Box<Self>, group: &mut Group) -> Result<(), Error> {
        self.0.finish(group)
    }
}

mod tests {
    use crate::{ConvertRequest, Format, GraphSource, ReadOptions, convert};

    #[test]
    fn a_variant_a_row_a_reader_and_a_writer_are_a_format() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        std::fs::write(path("in.g6"), "@\nBg\nnonsense\nA_\n").unwrap();
        let done = convert(&ConvertRequest::new(path("in.g6"), path("a.toy"))).unwrap();
        assert_eq!((done.format, done.graphs, done.rejected.count), (Format::Toy, 3, 1));
        assert_eq!(std::fs::read_to_string(path("a.toy")).unwrap(), "toy paths\n1\n3\n2\n");

        // By its ending, by its first bytes, by a look at the text, by its name.
        std::fs::copy(path("a.toy"), path("b")).unwrap();
        std::fs::write(path("c"), "paths follow\n1\n3\n2\n").unwrap();
        let read = |name: &str, format: Option<Format>| {
            let options = ReadOptions { format, ..ReadOptions::default() };
            let source = GraphSource::open(path(name), &options).unwrap();
            assert_eq!(source.format(), Format::Toy);
            source.map(|row| row.unwrap().into_result().unwrap().graph.order()).collect::<Vec<_>>()
        };
        assert_eq!(read("a.toy", None), [1, 3, 2]);
        assert_eq!(read("b", None), [1, 3, 2]);
        assert_eq!(read("c", None), [1, 3, 2]);
        assert_eq!(read("c", Some("toy".parse().unwrap())), [1, 3, 2]);
        let directed = ReadOptions { directed: true, ..ReadOptions::default() };
        let refused = GraphSource::open(path("b"), &directed).err().unwrap().to_string();
        assert!(refused.contains("toy graphs are undirected"), "{refused}");
        convert(&ConvertRequest::new(path("a.toy"), path("a.g6"))).unwrap();
        assert_eq!(std::fs::read_to_string(path("a.g6")).unwrap(), "@\nBg\nA_\n");
    }
}
