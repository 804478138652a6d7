//! Counts beside the rows of a record batch: what engines that hand out batches (Spark, Ray) call.
//! The columns of the input are handed on, not copied.

use crate::error::Error;
use crate::read::columnar::{TABLE, check_columns, rows_of};
use crate::record::Row;
use crate::source::ReadOptions;
use crate::table::row_ends;
use arrow_array::builder::{Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use gsn_core::{Counter, Counts, Graph, Scope};
use std::sync::Arc;

/// The fields that [`count_record_batch`] puts behind those of its input: a list of counts for
/// every column of the counter (a number a vertex, edge or arc), before them `source` and `target`
/// where edges or arcs are counted, and `error`.
pub fn counted_fields(counter: &Counter) -> Vec<Field> {
    let list = |name: &str| {
        let item = Field::new("item", DataType::Int64, true);
        Field::new(name, DataType::List(Arc::new(item)), true)
    };
    let ends: &[&str] = match counter.spec().scope() {
        Scope::Vertex => &[],
        Scope::Edge | Scope::Arc => &["source", "target"],
    };
    let columns = counter.columns();
    let names = ends.iter().copied().chain(columns.iter().map(|column| column.name()));
    names.map(list).chain([Field::new("error", DataType::Utf8, true)]).collect()
}

/// The schema of what [`count_record_batch`] gives for batches of this schema: the same fields and
/// metadata, then [`counted_fields`]. It does not depend on the rows.
///
/// # Errors
/// As [`count_record_batch`].
pub fn counted_schema(
    counter: &Counter,
    schema: &Schema,
    options: &ReadOptions,
) -> Result<SchemaRef, Error> {
    check_columns(schema, options)?;
    let added = counted_fields(counter);
    if let Some(field) = added.iter().find(|field| schema.column_with_name(field.name()).is_some())
    {
        let reason = format!("has a column `{}` already; rename it", field.name());
        return Err(Error::file(TABLE, reason));
    }
    let fields = schema.fields().iter().cloned().chain(added.into_iter().map(Arc::new));
    let fields: Fields = fields.collect();
    Ok(Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())))
}

/// The rows of a batch with their counts: every row has a graph (`num_nodes`, `src` and `dst`, or
/// SMILES), and its counts or the reason why there are none stand behind its columns.
///
/// # Errors
/// If a column is missing, of another type, or has a name that the counts need.
///
/// ```
/// use arrow_array::{RecordBatch, StringArray, cast::AsArray};
/// use gsn_core::{CountSpec, Counter};
/// use gsn_io::{ReadOptions, count_record_batch};
/// use std::sync::Arc;
///
/// let smiles = StringArray::from(vec!["C1CC1C", "xyz"]);
/// let batch = RecordBatch::try_from_iter([("smiles", Arc::new(smiles) as _)])?;
/// let counter = Counter::new(&CountSpec::new("cycle:3".parse()?));
/// let counted = count_record_batch(&counter, &batch, &ReadOptions::default())?;
/// let rings = counted.column_by_name("cycle:3/v0").unwrap().as_list::<i32>().value(0);
/// assert_eq!(rings.len(), 4);
/// assert!(counted["error"].is_null(0) && counted["error"].is_valid(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn count_record_batch(
    counter: &Counter,
    batch: &RecordBatch,
    options: &ReadOptions,
) -> Result<RecordBatch, Error> {
    let schema = counted_schema(counter, &batch.schema(), options)?;
    let added = schema.fields().len() - batch.num_columns();
    let rows: Vec<_> = rows_of(batch.clone(), options)?.into_iter().map(Row::into_result).collect();
    let graphs: Vec<&Graph> = rows.iter().flatten().map(|record| &record.graph).collect();
    let mut counts = counter.count_each(&graphs).into_iter();
    let mut table = Table::new(counter.spec().scope(), added - 1);
    for row in &rows {
        match row {
            Err(rejected) => table.fail(&rejected.reason),
            Ok(record) => match counts.next() {
                Some(Ok(counts)) => table.push(&record.graph, &counts),
                Some(Err(error)) => table.fail(&error.kind.to_string()),
                None => table.fail("was not counted"),
            },
        }
    }
    let mut columns = batch.columns().to_vec();
    columns.extend(table.finish());
    RecordBatch::try_new(schema, columns).map_err(|error| Error::file(TABLE, error.to_string()))
}

/// The columns as they grow.
struct Table {
    scope: Scope,
    /// Numbers in each of the lists so far.
    items: usize,
    lists: Vec<ListBuilder<Int64Builder>>,
    error: StringBuilder,
}

impl Table {
    fn new(scope: Scope, lists: usize) -> Self {
        let new = |_| ListBuilder::new(Int64Builder::new());
        let lists = (0..lists).map(new).collect();
        Self { scope, items: 0, lists, error: StringBuilder::new() }
    }

    fn fail(&mut self, reason: &str) {
        self.lists.iter_mut().for_each(ListBuilder::append_null);
        self.error.append_value(reason);
    }

    fn push(&mut self, graph: &Graph, counts: &Counts) {
        if counts.values().iter().any(|&count| count > i64::MAX as u64) {
            return self.fail("a count is larger than 2^63 - 1, the largest that an int64 holds");
        }
        // Offsets of lists have 32 bits.
        let items = self.items + counts.rows();
        if i32::try_from(items).is_err() {
            return self.fail("the graphs of this batch have more than 2^31 rows; make it smaller");
        }
        self.items = items;
        let (ends, rest) = match self.scope {
            Scope::Vertex => self.lists.split_at_mut(0),
            Scope::Edge | Scope::Arc => self.lists.split_at_mut(2),
        };
        if !ends.is_empty() {
            for row in row_ends(self.scope, graph) {
                for (list, end) in ends.iter_mut().zip(row) {
                    list.values().append_value(i64::from(end));
                }
            }
        }
        for (column, list) in rest.iter_mut().enumerate() {
            for count in counts.column(column) {
                list.values().append_value(count as i64);
            }
        }
        self.lists.iter_mut().for_each(|list| list.append(true));
        self.error.append_null();
    }

    fn finish(mut self) -> Vec<ArrayRef> {
        let mut columns: Vec<ArrayRef> =
            self.lists.iter_mut().map(|list| Arc::new(list.finish()) as ArrayRef).collect();
        columns.push(Arc::new(self.error.finish()));
        columns
    }
}
