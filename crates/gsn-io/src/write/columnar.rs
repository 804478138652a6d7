//! Graphs as Parquet and Arrow: `num_nodes`, `src`, `dst`, `node_labels`, `edge_labels`, `name`,
//! `label`. An undirected edge stands there once. Rows are written in groups of bounded size.

use super::{Lost, Writer, create, labelled_edges};
use crate::atomic::Group;
use crate::columnar::{BatchWriter, zstd};
use crate::error::Error;
use crate::record::GraphRecord;
use arrow_array::ArrayRef;
use arrow_array::builder::{
    Int64Builder, ListBuilder, StringBuilder, UInt32Builder, UInt64Builder,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use std::path::Path;
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
struct RowGroup {
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

impl RowGroup {
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
            vertex_names: all.vertex_names,
            targets: all.targets,
            fields: all.fields,
            ..Lost::default()
        }
    }

    fn is_full(&self) -> bool {
        self.rows >= GROUP_ROWS || self.weight >= GROUP_WEIGHT
    }

    fn take(&mut self) -> Vec<ArrayRef> {
        (self.rows, self.weight) = (0, 0);
        vec![
            Arc::new(self.order.finish()),
            Arc::new(self.src.finish()),
            Arc::new(self.dst.finish()),
            Arc::new(self.nodes.finish()),
            Arc::new(self.edges.finish()),
            Arc::new(self.name.finish()),
            Arc::new(self.label.finish()),
        ]
    }
}

/// Parquet, an Arrow file or an Arrow stream.
pub(super) struct Columnar {
    rows: RowGroup,
    writer: BatchWriter,
}

fn boxed(writer: BatchWriter) -> Result<Box<dyn Writer>, Error> {
    Ok(Box::new(Columnar { rows: RowGroup::default(), writer }))
}

pub(crate) fn parquet(path: &Path) -> Result<Box<dyn Writer>, Error> {
    boxed(BatchWriter::parquet(create(path)?, schema(), zstd().build())?)
}

pub(crate) fn arrow_file(path: &Path) -> Result<Box<dyn Writer>, Error> {
    boxed(BatchWriter::arrow_file(create(path)?, schema())?)
}

pub(crate) fn arrow_stream(path: &Path) -> Result<Box<dyn Writer>, Error> {
    boxed(BatchWriter::arrow_stream(create(path)?, schema())?)
}

impl Writer for Columnar {
    fn push(&mut self, _: u64, record: &GraphRecord) -> Result<Lost, Error> {
        let lost = self.rows.push(record);
        if self.rows.is_full() {
            self.writer.write(self.rows.take())?;
        }
        Ok(lost)
    }

    fn finish(mut self: Box<Self>, group: &mut Group) -> Result<(), Error> {
        if self.rows.rows > 0 {
            self.writer.write(self.rows.take())?;
        }
        self.writer.finish()?.finish(group)
    }
}
