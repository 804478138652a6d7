//! One large graph, counted in parts: the graph from a record batch, and the counts of a part as
//! one. What engines that spread work over machines (Spark, Ray) call.

use crate::error::Error;
use crate::read::columnar::rows_of;
use crate::record::{FREE_VERTICES, Row, plausible_order};
use crate::source::ReadOptions;
use crate::table::row_ends;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use gsn_core::count::Part;
use gsn_core::{Counter, Graph, GraphBuilder, Scope};
use std::sync::Arc;

const NAME: &str = "the record batch";

/// The graph of a record batch with one row: `num_nodes`, `src` and `dst`, as `gsn convert` writes
/// an Arrow file. Ends of edges are read where they are, in a mapped file for instance; the graph is
/// the only copy.
///
/// # Errors
/// If there is not exactly one row, or it holds no graph.
pub fn graph_of_record_batch(batch: &RecordBatch, directed: bool) -> Result<Graph, Error> {
    if batch.num_rows() != 1 {
        let reason = format!("holds {} graphs instead of one", batch.num_rows());
        return Err(Error::file(NAME, reason));
    }
    let labelled = |name: &str| batch.column_by_name(name).is_some_and(|c| !c.is_null(0));
    let ends = ["src", "dst"].map(|name| batch.column_by_name(name).and_then(items));
    if let ([Some(src), Some(dst)], Some(order)) = (ends, order(batch))
        && !labelled("node_labels")
        && !labelled("edge_labels")
        && src.len() == dst.len()
        && src.null_count() + dst.null_count() == 0
        && let (Some(source), Some(target)) = (reader(&src), reader(&dst))
    {
        let ends = (0..src.len()).map(|at| [source(at), target(at)]);
        return build(order, directed, ends).map_err(|reason| Error::file(NAME, reason));
    }
    // Labels and whatever is wrong: the reader of all rows knows how to say it.
    let options = ReadOptions { directed, ..ReadOptions::default() };
    match rows_of(batch.clone(), &options)?.into_iter().next() {
        Some(Row::Graph(record)) => Ok(record.graph),
        Some(Row::Rejected(rejected)) => Err(Error::file(NAME, rejected.reason)),
        None => Err(Error::file(NAME, "holds no graph")),
    }
}

/// The items of the one list of a column.
fn items(column: &ArrayRef) -> Option<ArrayRef> {
    match column.data_type() {
        _ if column.is_null(0) => None,
        DataType::List(_) => Some(column.as_list::<i32>().value(0)),
        DataType::LargeList(_) => Some(column.as_list::<i64>().value(0)),
        _ => None,
    }
}

/// The number of vertices.
fn order(batch: &RecordBatch) -> Option<u64> {
    let column = batch.column_by_name("num_nodes")?;
    crate::columnar::integers::<u64>(column).first().copied().flatten()
}

fn build(
    order: u64,
    directed: bool,
    edges: impl ExactSizeIterator<Item = [Option<u32>; 2]>,
) -> Result<Graph, String> {
    let order = plausible_order(order, edges.len(), FREE_VERTICES)?;
    let mut builder =
        if directed { GraphBuilder::directed(order) } else { GraphBuilder::undirected(order) };
    for (at, ends) in edges.enumerate() {
        let [Some(u), Some(v)] = ends.map(|end| end.filter(|&v| (v as usize) < order)) else {
            return Err(format!("edge {at} has an end that is none of the {order} vertices"));
        };
        builder.edge(u, v);
    }
    builder.build().map_err(|error| error.to_string())
}

/// Reads vertices out of an array of whole numbers; nothing for those that cannot be one.
fn reader(array: &dyn Array) -> Option<Box<dyn Fn(usize) -> Option<u32> + '_>> {
    macro_rules! of {
        ($kind:ty) => {{
            let values = array.as_primitive::<$kind>().values();
            Some(Box::new(move |at| u32::try_from(values[at]).ok()))
        }};
    }
    match array.data_type() {
        DataType::Int32 => of!(Int32Type),
        DataType::Int64 => of!(Int64Type),
        DataType::UInt32 => of!(UInt32Type),
        DataType::UInt64 => of!(UInt64Type),
        _ => None,
    }
}

/// The fields of [`count_part`]: `vertex`, or `source` and `target`, and one a column of counts.
pub fn part_fields(counter: &Counter) -> Vec<Field> {
    let keys: &[&str] = match counter.spec().scope() {
        Scope::Vertex => &["vertex"],
        Scope::Edge | Scope::Arc => &["source", "target"],
    };
    let columns = counter.columns();
    let names = keys.iter().copied().chain(columns.iter().map(|column| column.name()));
    names.map(|name| Field::new(name, DataType::Int64, false)).collect()
}

/// A part of the counts in a graph. Part 0 has a row for every vertex, edge or arc, the others for
/// those with counts; the sums over all parts, row by row, are the counts of the graph. No count is
/// so large that the sums could leave 64 bits.
///
/// # Errors
/// Why the part cannot be counted, or that a count is too large.
///
/// ```
/// use gsn_core::{CountSpec, Counter, Graph, count::Part};
/// use gsn_io::count_part;
///
/// let graph = Graph::from_edges(4, [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)])?;
/// let counter = Counter::new(&CountSpec::new("cycle:3".parse()?));
/// let part = count_part(&counter, &graph, Part::new(0, 2).unwrap())?;
/// assert_eq!((part.num_rows(), part.num_columns()), (4, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn count_part(counter: &Counter, graph: &Graph, part: Part) -> Result<RecordBatch, Error> {
    let counts = counter.clone().with_part(part).count(graph);
    let counts = counts.map_err(|error| Error::file("the graph", error.to_string()))?;
    let most = i64::MAX as u64 / part.of() as u64;
    if counts.values().iter().any(|&count| count > most) {
        let parts = part.of();
        let reason =
            format!("has a count above {most}, so the sum of {parts} parts may be too large");
        return Err(Error::file("the graph", reason));
    }
    let ends = row_ends(counter.spec().scope(), graph);
    let kept: Vec<usize> = (0..ends.len())
        .filter(|&row| part.index() == 0 || counts.row(row).iter().any(|&count| count > 0))
        .collect();
    let fields = part_fields(counter);
    let keys = fields.len() - counts.columns().len();
    let key = |at: usize| kept.iter().map(|&row| i64::from(ends[row][at])).collect::<Int64Array>();
    let count = |column: usize| {
        kept.iter().map(|&row| counts.row(row)[column] as i64).collect::<Int64Array>()
    };
    let columns = (0..keys).map(key).chain((0..counts.columns().len()).map(count));
    let columns = columns.map(|column| Arc::new(column) as ArrayRef).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
        .map_err(|error| Error::file("the graph", error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::builder::{Int64Builder, LargeListBuilder};
    use gsn_core::CountSpec;

    fn batch(order: i64, src: &[i64], dst: &[i64]) -> RecordBatch {
        let list = |ends: &[i64]| {
            let mut list = LargeListBuilder::new(Int64Builder::new());
            list.values().append_slice(ends);
            list.append(true);
            Arc::new(list.finish()) as ArrayRef
        };
        let order = Arc::new(Int64Array::from(vec![order])) as ArrayRef;
        let columns = [("num_nodes", order), ("src", list(src)), ("dst", list(dst))];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    #[test]
    fn a_graph_is_read_in_place_and_its_parts_add_up() {
        let graph = graph_of_record_batch(&batch(4, &[0, 0, 1, 1, 2], &[1, 2, 2, 3, 3]), false);
        let graph = graph.unwrap();
        let spec = CountSpec::new("cycle:3..=4,path:3".parse().unwrap()).with_scope(Scope::Arc);
        let counter = Counter::new(&spec);
        let whole = counter.count(&graph).unwrap();
        let mut sums = vec![0; whole.values().len()];
        for part in Part::all(3) {
            let counted = count_part(&counter, &graph, part).unwrap();
            let column = |at: usize| counted.column(at).as_primitive::<Int64Type>().values();
            for row in 0..counted.num_rows() {
                let (u, v) = (column(0)[row] as u32, column(1)[row] as u32);
                let arc = graph.arc_id(u, v).unwrap();
                for at in 0..whole.columns().len() {
                    sums[arc * whole.columns().len() + at] += column(2 + at)[row] as u64;
                }
            }
        }
        assert_eq!(sums, whole.values());
    }

    #[test]
    fn what_is_no_single_graph_is_refused() {
        let said =
            |batch: &RecordBatch| graph_of_record_batch(batch, false).unwrap_err().to_string();
        assert!(said(&batch(2, &[0], &[2])).contains("none of the 2 vertices"));
        assert!(said(&batch(2, &[-1], &[1])).contains("edge 0"));
        assert!(said(&batch(2, &[0, 1], &[1])).contains("src has 2 entries"));
        let none = batch(2, &[0], &[1]).slice(0, 0);
        assert!(said(&none).contains("0 graphs instead of one"));
    }
}
