//! Graphs as Parquet and Arrow: `num_nodes`, `src`, `dst`, `node_labels`, `edge_labels`, `name`,
//! `label`, and `node_names` where one of the first graphs has names of vertices. An undirected
//! edge stands there once. Rows are written in groups of bounded size.

use super::{Lost, Writer, create, labelled_edges};
use crate::atomic::Group;
use crate::columnar::{BatchWriter, zstd};
use crate::error::Error;
use crate::names::{NameKind, VertexNames};
use crate::output::OutFile;
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

fn schema(names: NameKind) -> SchemaRef {
    let mut fields = vec![
        Field::new("num_nodes", DataType::UInt64, false),
        list("src", false),
        list("dst", false),
        list("node_labels", true),
        list("edge_labels", true),
        Field::new("name", DataType::Utf8, true),
        Field::new("label", DataType::Int64, true),
    ];
    let item = match names {
        NameKind::None => None,
        NameKind::Integers => Some(DataType::Int64),
        NameKind::Strings => Some(DataType::Utf8),
    };
    fields.extend(item.map(|item| {
        let item = Arc::new(Field::new("item", item, true));
        Field::new("node_names", DataType::List(item), true)
    }));
    Arc::new(Schema::new(fields))
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
    names: Vec<Option<VertexNames>>,
    rows: usize,
    weight: usize,
}

impl RowGroup {
    /// Adds a graph; its names are kept if they are of a kind up to `most`.
    fn push(&mut self, record: &GraphRecord, most: NameKind) -> Lost {
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
        let names = record.vertex_names.clone().filter(|names| names.kind() <= most);
        let unnamed = names.is_none();
        self.names.push(names);
        self.rows += 1;
        self.weight += graph.order() + graph.edge_count();
        let all = Lost::all_of(record);
        Lost {
            direction: all.direction,
            vertex_names: all.vertex_names && unnamed,
            targets: all.targets,
            fields: all.fields,
            ..Lost::default()
        }
    }

    fn is_full(&self) -> bool {
        self.rows >= GROUP_ROWS || self.weight >= GROUP_WEIGHT
    }

    /// What the names of these rows are.
    fn kind(&self) -> NameKind {
        self.names.iter().flatten().map(VertexNames::kind).max().unwrap_or_default()
    }

    fn take(&mut self, names: NameKind) -> Vec<ArrayRef> {
        (self.rows, self.weight) = (0, 0);
        let names = self.take_names(names);
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(self.order.finish()),
            Arc::new(self.src.finish()),
            Arc::new(self.dst.finish()),
            Arc::new(self.nodes.finish()),
            Arc::new(self.edges.finish()),
            Arc::new(self.name.finish()),
            Arc::new(self.label.finish()),
        ];
        columns.extend(names);
        columns
    }

    /// The column of names, if there is one.
    fn take_names(&mut self, kind: NameKind) -> Option<ArrayRef> {
        let all = std::mem::take(&mut self.names);
        match kind {
            NameKind::None => None,
            NameKind::Integers => {
                let mut lists = ListBuilder::new(Int64Builder::new());
                for names in all {
                    if let Some(VertexNames::Integers(numbers)) = &names {
                        lists.values().append_slice(numbers);
                    }
                    lists.append(names.is_some());
                }
                Some(Arc::new(lists.finish()))
            }
            NameKind::Strings => {
                let mut lists = ListBuilder::new(StringBuilder::new());
                for names in all {
                    let texts = names.as_ref().map(VertexNames::texts).unwrap_or_default();
                    texts.iter().for_each(|text| lists.values().append_value(text));
                    lists.append(names.is_some());
                }
                Some(Arc::new(lists.finish()))
            }
        }
    }
}

/// Parquet, an Arrow file or an Arrow stream.
pub(super) struct Columnar {
    rows: RowGroup,
    state: State,
}

/// The first group of rows says whether there is a column of names, and of what kind.
enum State {
    Waiting(OutFile, Start),
    Open(BatchWriter, NameKind),
    Broken,
}

/// Writes the beginning of a file of this schema.
type Start = fn(OutFile, SchemaRef) -> Result<BatchWriter, Error>;

fn boxed(path: &Path, start: Start) -> Result<Box<dyn Writer>, Error> {
    let state = State::Waiting(create(path)?, start);
    Ok(Box::new(Columnar { rows: RowGroup::default(), state }))
}

pub(crate) fn parquet(path: &Path) -> Result<Box<dyn Writer>, Error> {
    boxed(path, |file, schema| BatchWriter::parquet(file, schema, zstd().build()))
}

pub(crate) fn arrow_file(path: &Path) -> Result<Box<dyn Writer>, Error> {
    boxed(path, BatchWriter::arrow_file)
}

pub(crate) fn arrow_stream(path: &Path) -> Result<Box<dyn Writer>, Error> {
    boxed(path, BatchWriter::arrow_stream)
}

impl Columnar {
    /// Writes the rows that wait, and before the first of them the beginning of the file.
    fn flush(&mut self) -> Result<(), Error> {
        self.state = match std::mem::replace(&mut self.state, State::Broken) {
            State::Waiting(file, start) => {
                let kind = self.rows.kind();
                State::Open(start(file, schema(kind))?, kind)
            }
            state => state,
        };
        match &mut self.state {
            State::Open(writer, kind) if self.rows.rows > 0 => writer.write(self.rows.take(*kind)),
            _ => Ok(()),
        }
    }
}

impl Writer for Columnar {
    fn push(&mut self, _: u64, record: &GraphRecord) -> Result<Lost, Error> {
        let most = match &self.state {
            State::Open(_, kind) => *kind,
            _ => NameKind::Strings,
        };
        let lost = self.rows.push(record, most);
        if self.rows.is_full() {
            self.flush()?;
        }
        Ok(lost)
    }

    fn finish(mut self: Box<Self>, group: &mut Group) -> Result<(), Error> {
        self.flush()?;
        match self.state {
            State::Open(writer, _) => writer.finish()?.finish(group),
            _ => Ok(()),
        }
    }
}
