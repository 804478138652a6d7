//! Graphs as Parquet and Arrow: `num_nodes`, `src`, `dst`, `node_labels`, `edge_labels`, `name`,
//! `label`. An undirected edge stands there once. Rows are written in groups of bounded size.

use super::{Lost, Writer, labelled_edges};
use crate::atomic;
use crate::error::Error;
use crate::output::{OutFile, write_failed};
use crate::record::GraphRecord;
use arrow_array::builder::{
    Int64Builder, ListBuilder, StringBuilder, UInt32Builder, UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use std::sync::Arc;

const GROUP_ROWS: usize = 1 << 14;
/// Vertices and edges of a group.
const GROUP_WEIGHT: usize = 1 << 22;

fn list(name: &str, nullable: bool) -> Field {
    let item = Arc::new(Field::new("item", DataType::UInt32, true));
    Field::new(name, DataType::List(item), nullable)
}

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("num_nodes", DataType::UInt64, false),
        list("src", false),
        list("dst", false),
        list("node_labels", true),
        list("edge_labels", true),
        Field::new("name", DataType::Utf8, true),
        Field::new("label", DataType::Int64, true),
    ]))
}

type Lists = ListBuilder<UInt32Builder>;

/// Rows that wait to be written.
#[derive(Default)]
struct Group {
    order: UInt64Builder,
    src: Lists,
    dst: Lists,
    nodes: Lists,
    edges: Lists,
    name: StringBuilder,
    label: Int64Builder,
    rows: usize,
    weight: usize,
}

impl Group {
    fn push(&mut self, record: &GraphRecord) -> Lost {
        let graph = &record.graph;
        self.order.append_value(graph.order() as u64);
        for (u, v, label) in labelled_edges(record) {
            self.src.values().append_value(u);
            self.dst.values().append_value(v);
            if let Some(label) = label {
                self.edges.values().append_value(label);
            }
        }
        self.src.append(true);
        self.dst.append(true);
        self.edges.append(graph.arc_labels().is_some());
        if let Some(labels) = graph.vertex_labels() {
            self.nodes.values().append_slice(labels);
        }
        self.nodes.append(graph.vertex_labels().is_some());
        self.name.append_option(record.name.as_deref());
        self.label.append_option(record.label);
        self.rows += 1;
        self.weight += graph.order() + graph.edge_count();
        let all = Lost::all_of(record);
        Lost {
            direction: all.direction,
            targets: all.targets,
            fields: all.fields,
            ..Lost::default()
        }
    }

    fn is_full(&self) -> bool {
        self.rows >= GROUP_ROWS || self.weight >= GROUP_WEIGHT
    }

    fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        let arrays: Vec<ArrayRef> = vec![
            Arc::new(self.order.finish()),
            Arc::new(self.src.finish()),
            Arc::new(self.dst.finish()),
            Arc::new(self.nodes.finish()),
            Arc::new(self.edges.finish()),
            Arc::new(self.name.finish()),
            Arc::new(self.label.finish()),
        ];
        (self.rows, self.weight) = (0, 0);
        RecordBatch::try_new(schema(), arrays)
    }
}

macro_rules! writer {
    ($kind:ident, $inner:ty, $open:expr, $flush:expr) => {
        pub(super) struct $kind {
            name: String,
            group: Group,
            writer: $inner,
        }

        impl $kind {
            pub(super) fn new(out: OutFile) -> Result<Self, Error> {
                let name = out.name.clone();
                let open: fn(OutFile) -> Result<$inner, Box<dyn std::error::Error>> = $open;
                let writer = open(out).map_err(|e| write_failed(&name, &*e))?;
                Ok(Self { name, group: Group::default(), writer })
            }

            fn flush(&mut self) -> Result<(), Error> {
                let batch = self.group.take().map_err(|e| write_failed(&self.name, &e))?;
                self.writer.write(&batch).map_err(|e| write_failed(&self.name, &e))?;
                let flush: fn(&mut $inner) -> Result<(), Box<dyn std::error::Error>> = $flush;
                flush(&mut self.writer).map_err(|e| write_failed(&self.name, &*e))
            }
        }

        impl Writer for $kind {
            fn push(&mut self, _: u64, record: &GraphRecord) -> Result<Lost, Error> {
                let lost = self.group.push(record);
                if self.group.is_full() {
                    self.flush()?;
                }
                Ok(lost)
            }

            fn finish(mut self: Box<Self>, group: &mut atomic::Group) -> Result<(), Error> {
                if self.group.rows > 0 {
                    self.flush()?;
                }
                let name = self.name;
                self.writer.into_inner().map_err(|e| write_failed(&name, &e))?.finish(group)
            }
        }
    };
}

writer!(
    Parquet,
    ArrowWriter<OutFile>,
    |out| {
        let packed = Compression::ZSTD(ZstdLevel::try_new(1)?);
        let properties = WriterProperties::builder().set_compression(packed).build();
        Ok(ArrowWriter::try_new(out, schema(), Some(properties))?)
    },
    |writer| Ok(writer.flush()?)
);
writer!(Arrow, FileWriter<OutFile>, |out| Ok(FileWriter::try_new(out, &schema())?), |_| Ok(()));
writer!(
    ArrowStream,
    StreamWriter<OutFile>,
    |out| Ok(StreamWriter::try_new(out, &schema())?),
    |writer| Ok(writer.flush()?)
);
