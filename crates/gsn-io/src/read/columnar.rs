//! Parquet and Arrow: `num_nodes`, `src`, `dst` (and `node_labels`, `edge_labels`, `node_names`),
//! or `smiles`; `name` (text) and `label` (whole number) are understood beside them. Or a row an
//! edge, with a column for each end.
//!
//! Integers of any width; `src` and `dst` are lists of equal length. An undirected edge may stand
//! there once or as two arcs (PyG's `edge_index`). A null or a number out of range rejects its
//! row; a column of the wrong type is an error. Columns of categories (dictionaries) are read as what
//! they stand for.

use super::Molecules;
use super::edge_table::{EdgeColumns, EdgeRows};
use super::table::{SMILES, find_column, missing};
use crate::columnar::ipc::ArrowBatches;
use crate::columnar::parquet::ParquetFile;
use crate::columnar::{RecordBatches, integers, is_text, plain, text};
use crate::error::Error;
use crate::format::Opened;
use crate::input::Input;
use crate::names::VertexNames;
use crate::record::{
    Batch, FREE_VERTICES, GraphRecord, HELD_VERTICES, Parts, Rejected, Row, plausible_order,
};
use crate::source::{ListColumns, ReadOptions, Rows};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Schema};
use gsn_core::memory;
use rayon::prelude::*;
use std::collections::VecDeque;

const BATCH_ROWS: usize = 512;

struct ColumnarRows {
    name: String,
    batches: RecordBatches,
    columns: Columns,
    held: Option<RecordBatch>,
    next: u64,
    directed: bool,
    /// What the columns of lists are called.
    called: ListColumns,
    /// Graphs in the making, where a row is an edge.
    edges: EdgeRows,
}

/// Which columns of a batch are which.
struct Columns {
    kind: Kind,
    /// A column `name` of text, and a column `label` of whole numbers: the graph's class.
    graph_name: Option<usize>,
    graph_label: Option<usize>,
    /// A column `node_names` of lists.
    vertex_names: Option<usize>,
    fields: Vec<usize>,
    field_names: Vec<String>,
}

enum Kind {
    Smiles(usize, Molecules),
    Lists { order: usize, src: usize, dst: usize, nodes: Option<usize>, edges: Option<usize> },
    Edges(EdgeColumns),
}

impl Columns {
    /// Finds the columns in a schema and says which ones are needed at all.
    fn find(
        name: &str,
        schema: &Schema,
        options: &ReadOptions,
    ) -> Result<(Self, Vec<usize>), Error> {
        let names: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
        let at = |column: &str| names.iter().position(|n| n == column);
        let wanted = options.smiles_column.as_deref();
        let smiles = find_column(&names, wanted.unwrap_or(SMILES));
        let asked_edges = options.source_column.is_some() || options.target_column.is_some();
        let lists = &options.list_columns;
        let kind = match (wanted, at(&lists.num_nodes), smiles) {
            (None, Some(order), _) if !asked_edges => {
                let list = |column: &str| {
                    at(column).ok_or_else(|| Error::MissingColumn {
                        path: name.to_owned(),
                        column: column.to_owned(),
                        there: names.clone(),
                    })
                };
                let (src, dst) = (list(&lists.src)?, list(&lists.dst)?);
                let (nodes, edges) = (at(&lists.node_labels), at(&lists.edge_labels));
                Kind::Lists { order, src, dst, nodes, edges }
            }
            (_, _, Some(column)) if !asked_edges => {
                Kind::Smiles(column, Molecules::new(options, name)?)
            }
            (Some(_), ..) => return Err(missing(name, wanted, &names)),
            (None, ..) => match EdgeColumns::find(name, &names, options)? {
                Some(columns) => Kind::Edges(columns),
                None => return Err(missing(name, None, &names)),
            },
        };
        let mut needed = match kind {
            Kind::Smiles(column, _) => vec![column],
            Kind::Edges(EdgeColumns { source, target, graph }) => {
                [Some(source), Some(target), graph].into_iter().flatten().collect()
            }
            Kind::Lists { order, src, dst, nodes, edges } => {
                [Some(order), Some(src), Some(dst), nodes, edges].into_iter().flatten().collect()
            }
        };
        let wrong = |column: usize, wanted| Error::ColumnType {
            path: name.to_owned(),
            column: names[column].clone(),
            found: schema.field(column).data_type().to_string(),
            wanted,
        };
        for (place, &column) in needed.iter().enumerate() {
            let found = schema.field(column).data_type();
            match kind {
                Kind::Smiles(..) if !is_text(found) => return Err(wrong(column, "text")),
                Kind::Edges(_) if is_integer_list(found) => {
                    let column = lists.num_nodes.clone();
                    return Err(Error::MissingColumn { path: name.into(), column, there: names });
                }
                Kind::Edges(_) if !(is_text(found) || found.is_integer()) => {
                    return Err(wrong(column, "a whole number or text"));
                }
                Kind::Lists { .. } if place == 0 && !found.is_integer() => {
                    return Err(wrong(column, "a whole number"));
                }
                Kind::Lists { .. } if place > 0 && !is_integer_list(found) => {
                    return Err(wrong(column, "a list of whole numbers"));
                }
                _ => {}
            }
        }
        let typed = |column: &str, fits: fn(&DataType) -> bool| {
            at(column).filter(|&at| !needed.contains(&at) && fits(schema.field(at).data_type()))
        };
        let alone = !matches!(kind, Kind::Edges(_));
        let graph_name = typed("name", is_text).filter(|_| alone);
        let graph_label = typed("label", DataType::is_integer).filter(|_| alone);
        let with_names = matches!(kind, Kind::Lists { .. });
        let vertex_names = typed("node_names", is_name_list).filter(|_| with_names);
        needed.extend(graph_name.into_iter().chain(graph_label).chain(vertex_names));
        let kept = match kind {
            Kind::Smiles(column, _) if options.keep_smiles => Some(column),
            _ => None,
        };
        let mut fields = Vec::new();
        if options.keep_fields && alone {
            fields = (0..names.len())
                .filter(|at| !needed.contains(at) || kept == Some(*at))
                .filter(|at| is_scalar(schema.field(*at).data_type()))
                .collect();
            needed.extend(fields.iter().filter(|at| kept != Some(**at)));
        }
        let field_names = fields.iter().map(|&at| names[at].clone()).collect();
        Ok((Self { kind, graph_name, graph_label, vertex_names, fields, field_names }, needed))
    }
}

fn is_name_list(kind: &DataType) -> bool {
    match kind {
        DataType::List(item) | DataType::LargeList(item) => {
            item.data_type().is_integer() || is_text(item.data_type())
        }
        _ => false,
    }
}

fn is_integer_list(kind: &DataType) -> bool {
    match kind {
        DataType::List(item) | DataType::LargeList(item) => item.data_type().is_integer(),
        _ => false,
    }
}

fn is_scalar(kind: &DataType) -> bool {
    is_text(kind)
        || kind.is_integer()
        || matches!(kind, DataType::Boolean | DataType::Float32 | DataType::Float64)
}

pub(crate) fn open_parquet(input: Input, options: &ReadOptions) -> Result<Opened, Error> {
    let name = input.name.clone();
    let (file, hash) = input.into_seekable()?;
    let file = ParquetFile::open(&name, file)?;
    let (_, needed) = Columns::find(&name, file.schema(), options)?;
    let reader = file.batches(needed, BATCH_ROWS)?;
    // Where they are among the columns that are read.
    let (columns, _) = Columns::find(&name, reader.schema(), options)?;
    Ok((rows(name, Box::new(reader), columns, options), vec![hash]))
}

pub(crate) fn open_arrow(input: Input, options: &ReadOptions) -> Result<Opened, Error> {
    let Input { name, bytes, hash, .. } = input;
    let reader = ArrowBatches::open(&name, bytes)?;
    let schema = reader.schema().clone();
    Ok((of_batches(name, &schema, Box::new(reader), options)?, vec![hash]))
}

/// The rows of record batches of this schema.
pub(crate) fn of_batches(
    name: String,
    schema: &Schema,
    batches: RecordBatches,
    options: &ReadOptions,
) -> Result<Box<dyn Rows>, Error> {
    let (columns, _) = Columns::find(&name, &plain::schema(schema), options)?;
    let called = name.clone();
    let plain = move |batch| plain::batch(&batch).map_err(|e| unusable(&called, &e));
    let batches = Box::new(batches.map(move |batch| batch.and_then(&plain)));
    Ok(rows(name, batches, columns, options))
}

/// What messages call a table that comes from no file.
pub(crate) const TABLE: &str = "the table";

/// The columns of a table that has a graph a row.
fn columns_of(schema: &Schema, options: &ReadOptions) -> Result<Columns, Error> {
    let (columns, _) = Columns::find(TABLE, &plain::schema(schema), options)?;
    if let Kind::Edges(_) = columns.kind {
        let reason =
            "holds an edge a row; put each graph into one row with `num_nodes`, `src`, `dst`";
        return Err(Error::file(TABLE, reason));
    }
    Ok(columns)
}

/// Refuses a table without a graph a row.
pub(crate) fn check_columns(schema: &Schema, options: &ReadOptions) -> Result<(), Error> {
    columns_of(schema, options).map(|_| ())
}

/// The rows of one record batch, in its order: a graph or the reason why there is none.
pub(crate) fn rows_of(batch: RecordBatch, options: &ReadOptions) -> Result<Vec<Row>, Error> {
    let (mut reader, mut found) = (reader_of(batch, options)?, VecDeque::new());
    while reader.fill(&mut found)? {}
    Ok(found.into())
}

/// The same as a batch of graphs and rejected rows, and whether they are molecules.
pub(crate) fn batch_of(batch: RecordBatch, options: &ReadOptions) -> Result<(Batch, bool), Error> {
    let (mut reader, mut found) = (reader_of(batch, options)?, VecDeque::new());
    while reader.fill(&mut found)? {}
    let mut rows = Batch { fields: reader.fields().into(), ..Batch::default() };
    for row in found {
        match row {
            Row::Graph(record) => rows.records.push(record),
            Row::Rejected(rejected) => rows.rejected.push(rejected),
        }
    }
    Ok((rows, reader.are_molecules()))
}

/// The reader of one record batch.
fn reader_of(batch: RecordBatch, options: &ReadOptions) -> Result<Box<dyn Rows>, Error> {
    let batch = plain::batch(&batch).map_err(|e| unusable(TABLE, &e))?;
    let columns = columns_of(&batch.schema(), options)?;
    let batches: RecordBatches = Box::new(std::iter::once(Ok(batch)));
    Ok(rows(TABLE.to_owned(), batches, columns, options))
}

fn rows(
    name: String,
    batches: RecordBatches,
    columns: Columns,
    options: &ReadOptions,
) -> Box<dyn Rows> {
    let directed = options.directed;
    let edges = EdgeRows::new(&name, directed);
    let called = options.list_columns.clone();
    Box::new(ColumnarRows { name, batches, columns, held: None, next: 0, directed, called, edges })
}

/// Categories that stand for nothing.
fn unusable(name: &str, error: &ArrowError) -> Error {
    Error::file(name, format!("its columns of categories cannot be read ({error})"))
}

impl ColumnarRows {
    /// How many rows of a batch are read together: fewer when they claim many vertices.
    fn rows_at_a_time(&self, batch: &RecordBatch) -> usize {
        let most = batch.num_rows().min(BATCH_ROWS);
        let Kind::Lists { order, .. } = self.columns.kind else { return most };
        let orders = integers::<u64>(&batch.column(order).slice(0, most));
        let mut claimed = 0u64;
        let fits = orders.into_iter().take_while(|order| {
            claimed = claimed.saturating_add(order.unwrap_or(0).min(FREE_VERTICES));
            claimed <= HELD_VERTICES
        });
        fits.count().max(most.min(1))
    }
}

impl Rows for ColumnarRows {
    fn fill(&mut self, rows: &mut VecDeque<Row>) -> Result<bool, Error> {
        let batch = match self.held.take() {
            Some(batch) => batch,
            None => match self.batches.next() {
                None => {
                    if let Kind::Edges(_) = self.columns.kind {
                        rows.extend(self.edges.finish()?);
                    }
                    return Ok(false);
                }
                Some(batch) => batch?,
            },
        };
        let now = self.rows_at_a_time(&batch);
        if batch.num_rows() > now {
            self.held = Some(batch.slice(now, batch.num_rows() - now));
        }
        let batch = batch.slice(0, now);
        if let Kind::Edges(EdgeColumns { source, target, graph }) = self.columns.kind {
            for at in 0..now {
                let field = |column: usize| scalar(batch.column(column), at);
                let graph = graph.map(field);
                let edge = (field(source), field(target));
                rows.extend(self.edges.push(None, graph.as_deref(), &edge.0, &edge.1)?);
            }
            return Ok(true);
        }
        let first = self.next;
        self.next += now as u64;
        let columns = &self.columns;
        let fields: Vec<&ArrayRef> = columns.fields.iter().map(|&at| batch.column(at)).collect();
        let names = columns.graph_name.map(|at| batch.column(at));
        let labels = columns.graph_label.map(|at| integers::<i64>(batch.column(at)));
        let finish = |at: usize, read: Result<GraphRecord, (String, String)>| match read {
            Ok(mut record) => {
                if let Some(column) = columns.vertex_names {
                    match vertex_names(batch.column(column), at, record.graph.order()) {
                        Ok(names) => record.vertex_names = names,
                        Err(reason) => {
                            return Row::Rejected(Rejected::new(record.row, None, b"", reason));
                        }
                    }
                }
                record.name = names.and_then(|names| text(names, at)).map(str::to_owned);
                record.label = labels.as_ref().and_then(|labels| labels[at]);
                record.fields = fields.iter().map(|array| scalar(array, at)).collect();
                Row::Graph(record)
            }
            Err((text, reason)) => {
                Row::Rejected(Rejected::new(first + at as u64, None, text.as_bytes(), reason))
            }
        };
        let parsed: Vec<Row> = match &columns.kind {
            Kind::Edges(_) => Vec::new(),
            Kind::Smiles(column, molecules) => {
                let column = batch.column(*column);
                let molecule = |at: usize| {
                    let text =
                        text(column, at).ok_or((String::new(), "the SMILES is null".into()))?;
                    molecules
                        .record(first + at as u64, text)
                        .map_err(|reason| (text.to_owned(), reason))
                };
                (0..now)
                    .into_par_iter()
                    .with_min_len(16)
                    .map(|at| finish(at, molecule(at)))
                    .collect()
            }
            &Kind::Lists { order, src, dst, nodes, edges } => {
                let of_items = [Some(src), Some(dst), nodes, edges].into_iter().flatten();
                let items: u64 = of_items.map(|at| Lists::items(batch.column(at))).sum();
                // Once as they are, and once as ends of edges.
                memory::ask_for::<[u64; 3]>(items, || format!("reading lists of {items} entries"))
                    .map_err(|e| Error::file(&self.name, e.to_string()))?;
                let lists = Lists {
                    order: integers(batch.column(order)),
                    src: Lists::of(batch.column(src)),
                    dst: Lists::of(batch.column(dst)),
                    nodes: nodes.map(|at| Lists::of(batch.column(at))),
                    edges: edges.map(|at| Lists::of(batch.column(at))),
                    directed: self.directed,
                    called: &self.called,
                };
                (0..now)
                    .into_par_iter()
                    .with_min_len(16)
                    .map(|at| finish(at, lists.graph(first + at as u64, at)))
                    .collect()
            }
        };
        rows.extend(parsed);
        Ok(true)
    }

    fn fields(&self) -> &[String] {
        &self.columns.field_names
    }

    fn notes(&self) -> Vec<String> {
        match &self.columns.kind {
            Kind::Smiles(_, molecules) => molecules.notes(&self.name).into_iter().collect(),
            Kind::Lists { .. } | Kind::Edges(_) => Vec::new(),
        }
    }

    fn are_molecules(&self) -> bool {
        matches!(self.columns.kind, Kind::Smiles(..))
    }
}

/// A column of integers; nulls and what does not fit are `None`. Types were checked against the
/// schema.
type Integers = Vec<Option<i64>>;

/// A column of lists: where each row's items are, and the items.
struct List {
    rows: Vec<Option<(usize, usize)>>,
    items: Integers,
}

struct Lists<'a> {
    order: Integers,
    src: List,
    dst: List,
    nodes: Option<List>,
    edges: Option<List>,
    directed: bool,
    called: &'a ListColumns,
}

impl Lists<'_> {
    /// How many items the lists of a column have together.
    fn items(array: &dyn Array) -> u64 {
        match array.data_type() {
            DataType::LargeList(_) => spanned(array.as_list::<i64>().value_offsets()),
            _ => spanned(array.as_list::<i32>().value_offsets()),
        }
    }

    fn of(array: &dyn Array) -> List {
        fn rows<O: arrow_array::OffsetSizeTrait>(array: &dyn Array) -> List {
            let list = array.as_list::<O>();
            let offsets = list.value_offsets();
            let base = offsets.first().map_or(0, |o| o.as_usize());
            let end = offsets.last().map_or(0, |o| o.as_usize());
            let rows = (0..list.len())
                .map(|at| {
                    let (from, to) = (offsets[at].as_usize(), offsets[at + 1].as_usize());
                    list.is_valid(at).then_some((from - base, to - base))
                })
                .collect();
            List { rows, items: integers(&list.values().slice(base, end - base)) }
        }
        match array.data_type() {
            DataType::LargeList(_) => rows::<i64>(array),
            _ => rows::<i32>(array),
        }
    }

    fn graph(&self, row: u64, at: usize) -> Result<GraphRecord, (String, String)> {
        let order = self.order[at];
        let column = &self.called.num_nodes;
        let shown = || match order {
            Some(n) => format!("{column} = {n}"),
            None => format!("{column} = null"),
        };
        self.parts(at, order).map_err(|reason| (shown(), reason)).and_then(|parts| {
            let (graph, dropped) =
                parts.build_from_both_ways().map_err(|e| (shown(), e.to_string()))?;
            Ok(GraphRecord::with_dropped(row, graph, dropped))
        })
    }

    fn parts(&self, at: usize, order: Option<i64>) -> Result<Parts, String> {
        let ListColumns { num_nodes, src: from, dst: to, node_labels, edge_labels } = self.called;
        let order = order.ok_or_else(|| format!("{num_nodes} is null or too large"))?;
        let order = u64::try_from(order).map_err(|_| format!("{num_nodes} is {order}"))?;
        let src = self.src.row(at, from)?;
        let dst = self.dst.row(at, to)?;
        if src.len() != dst.len() {
            return Err(format!("{from} has {} entries and {to} has {}", src.len(), dst.len()));
        }
        let order = plausible_order(order, src.len(), FREE_VERTICES)?;
        let vertex = |value: &Option<i64>, list: &str| {
            let value = value.ok_or_else(|| format!("{list} has a null or a number too large"))?;
            match u32::try_from(value) {
                Ok(v) if (v as usize) < order => Ok(v),
                _ => Err(format!("{list} names vertex {value} of only {order}")),
            }
        };
        let arcs = src
            .iter()
            .zip(dst)
            .map(|(u, v)| Ok((vertex(u, from)?, vertex(v, to)?)))
            .collect::<Result<Vec<_>, String>>()?;
        let labels = |list: &Option<List>, name: &str, wanted: usize| {
            let Some(list) = list else { return Ok(None) };
            // A null list says that this graph has no labels.
            if list.rows[at].is_none() {
                return Ok(None);
            }
            let items = list.row(at, name)?;
            if items.len() != wanted {
                return Err(format!("{name} has {} entries instead of {wanted}", items.len()));
            }
            let label = |value: &Option<i64>| value.and_then(|v| u32::try_from(v).ok());
            let all: Option<Vec<u32>> = items.iter().map(label).collect();
            all.map(Some).ok_or_else(|| format!("{name} must be whole numbers from 0 to 2^32 - 1"))
        };
        let vertex_labels = labels(&self.nodes, node_labels, order)?;
        let arc_labels = labels(&self.edges, edge_labels, arcs.len())?;
        // No edge, no label: an empty list of labels is as good as none.
        let arc_labels = arc_labels.filter(|labels| !labels.is_empty());
        Ok(Parts { order, arcs, arc_labels, vertex_labels, directed: self.directed })
    }
}

/// Items between the first and the last offset.
fn spanned<O: arrow_array::OffsetSizeTrait>(offsets: &[O]) -> u64 {
    let ends = offsets.first().zip(offsets.last());
    ends.map_or(0, |(first, last)| last.as_usize().saturating_sub(first.as_usize()) as u64)
}

impl List {
    fn row(&self, at: usize, name: &str) -> Result<&[Option<i64>], String> {
        let (from, to) = self.rows[at].ok_or_else(|| format!("{name} is null"))?;
        Ok(&self.items[from..to])
    }
}

/// The names of a row's vertices; none if they are null.
fn vertex_names(array: &ArrayRef, at: usize, order: usize) -> Result<Option<VertexNames>, String> {
    if array.is_null(at) {
        return Ok(None);
    }
    let items = match array.data_type() {
        DataType::LargeList(_) => array.as_list::<i64>().value(at),
        _ => array.as_list::<i32>().value(at),
    };
    if items.len() != order {
        return Err(format!("node_names has {} entries instead of {order}", items.len()));
    }
    let null = || "node_names has a null".to_owned();
    if is_text(items.data_type()) {
        let texts = (0..order).map(|item| text(&items, item).map(str::to_owned));
        return VertexNames::from_texts(texts.collect::<Option<_>>().ok_or_else(null)?);
    }
    let numbers: Option<_> = integers::<i64>(&items).into_iter().collect();
    Ok(VertexNames::from_integers(numbers.ok_or_else(null)?))
}

/// A kept column as text; null is empty.
fn scalar(array: &ArrayRef, at: usize) -> String {
    if array.is_null(at) {
        return String::new();
    }
    match array.data_type() {
        DataType::Boolean => array.as_boolean().value(at).to_string(),
        DataType::Float32 => array.as_primitive::<Float32Type>().value(at).to_string(),
        DataType::Float64 => array.as_primitive::<Float64Type>().value(at).to_string(),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().value(at).to_string(),
        kind if kind.is_integer() => {
            integers::<i64>(&array.slice(at, 1))[0].map(|v| v.to_string()).unwrap_or_default()
        }
        _ => text(array, at).unwrap_or_default().to_owned(),
    }
}
