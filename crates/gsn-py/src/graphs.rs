//! From arrays of edge ends to graphs, and from the rows of counts to the rows of the caller.

use crate::error;
use gsn_core::{Counts, Graph, GraphBuilder, Scope};
use gsn_io::plausible_order;
use numpy::ndarray::{ArrayView1, Axis};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::PyResult;

/// The columns of an edge index, and what stands on vertices and edges.
#[derive(Clone, Copy)]
pub(crate) struct Arrays<'a> {
    pub(crate) source: ArrayView1<'a, i64>,
    pub(crate) target: ArrayView1<'a, i64>,
    pub(crate) vertex_labels: Option<ArrayView1<'a, i64>>,
    pub(crate) edge_labels: Option<ArrayView1<'a, i64>>,
}

/// The end of an edge as a vertex of a graph of `order`.
fn vertex(column: usize, end: i64, order: usize) -> Result<u32, String> {
    match u32::try_from(end) {
        Ok(v) if (v as usize) < order => Ok(v),
        _ if end < 0 => Err(format!("edge_index column {column} holds {end}, a negative vertex")),
        _ => Err(format!(
            "edge_index column {column} holds vertex {end}, but there are {order} vertices \
             (0 to {}); give num_nodes",
            order.saturating_sub(1)
        )),
    }
}

fn label(kind: &str, at: usize, label: i64) -> Result<u32, String> {
    u32::try_from(label).map_err(|_| format!("{kind} label {at} is {label}, not 0 to {}", u32::MAX))
}

impl<'a> Arrays<'a> {
    /// What Python passed; the edge index has two rows.
    pub(crate) fn of(
        edge_index: &'a PyReadonlyArray2<'_, i64>,
        vertex_labels: Option<&'a PyReadonlyArray1<'_, i64>>,
        edge_labels: Option<&'a PyReadonlyArray1<'_, i64>>,
    ) -> Self {
        let ends = edge_index.as_array();
        Self {
            source: ends.index_axis_move(Axis(0), 0),
            target: ends.index_axis_move(Axis(0), 1),
            vertex_labels: vertex_labels.map(|labels| labels.as_array()),
            edge_labels: edge_labels.map(|labels| labels.as_array()),
        }
    }
}

impl Arrays<'_> {
    /// Refuses labels that are not one a vertex and one a column of the edge index.
    pub(crate) fn check(&self, vertices: usize) -> PyResult<()> {
        let edges = self.source.len();
        for (labels, kind, wanted, of) in [
            (self.vertex_labels, "vertex", vertices, "vertices"),
            (self.edge_labels, "edge", edges, "columns of edge_index"),
        ] {
            let found = labels.map_or(wanted, |labels| labels.len());
            if found != wanted {
                return Err(error::value(format!("{found} {kind} labels for {wanted} {of}")));
            }
        }
        Ok(())
    }

    /// The graph of `order` vertices with the edges of columns `from..to`, whose vertex labels
    /// start at `first`.
    pub(crate) fn graph(
        &self,
        order: usize,
        directed: bool,
        columns: std::ops::Range<usize>,
        first: usize,
    ) -> Result<Graph, String> {
        let mut builder = match directed {
            true => GraphBuilder::directed(order),
            false => GraphBuilder::undirected(order),
        };
        builder.reserve(columns.len());
        for column in columns.clone() {
            let local = column - columns.start;
            let u = vertex(local, self.source[column], order)?;
            let v = vertex(local, self.target[column], order)?;
            match self.edge_labels {
                None => builder.edge(u, v),
                Some(labels) => builder.labelled_edge(u, v, label("edge", local, labels[column])?),
            };
        }
        if let Some(labels) = self.vertex_labels {
            let of = |v: usize| label("vertex", v, labels[first + v]);
            builder.vertex_labels((0..order).map(of).collect::<Result<_, _>>()?);
        }
        builder.build().map_err(|e| e.to_string())
    }

    /// Writes the counts of a graph in the caller's order into a table of zeros: a row a vertex, or
    /// a row a column of the edge index. Every copy of an edge has its counts, a self-loop has
    /// zeros. Tells whether a count does not fit.
    pub(crate) fn fill(
        &self,
        graph: &Graph,
        counts: &Counts,
        columns: std::ops::Range<usize>,
        table: &mut [i64],
    ) -> bool {
        let (filled, numbers) = counts.filled();
        let (width, few) = (counts.columns().len(), filled.len());
        if few == 0 {
            return false;
        }
        // Every number is or-ed in, so that its highest bit tells at the end.
        let mut all = 0;
        let mut put = |to: &mut [i64], row: usize| {
            for (&column, &number) in filled.iter().zip(&numbers[row * few..]) {
                to[column] = number as i64;
                all |= number;
            }
        };
        let rows = table.chunks_exact_mut(width);
        if counts.scope() == Scope::Vertex {
            rows.enumerate().for_each(|(v, to)| put(to, v));
        } else {
            for (to, column) in rows.zip(columns) {
                let ends = (self.source[column] as u32, self.target[column] as u32);
                let Some(arc) = graph.arc_id(ends.0, ends.1) else { continue };
                put(to, if counts.scope() == Scope::Edge { graph.edge_id(arc) } else { arc });
            }
        }
        all > i64::MAX as u64
    }
}

/// Vertices that need no edges to be believed.
const FREE_VERTICES: u64 = 1 << 24;

/// A number of vertices given by the caller: not negative, and not so large beside the edges that a
/// slip of the pen costs gigabytes.
pub(crate) fn order(nodes: i64, edges: usize) -> PyResult<usize> {
    let nodes = u64::try_from(nodes)
        .map_err(|_| error::value(format!("num_nodes is {nodes}, a negative number")))?;
    plausible_order(nodes, edges, FREE_VERTICES)
        .map_err(|why| error::value(format!("num_nodes is {nodes}: {why}")))
}

/// Where the columns of every graph start, and how many vertices each has; both checked.
pub(crate) fn pieces(
    edge_starts: &PyReadonlyArray1<'_, i64>,
    num_nodes: &PyReadonlyArray1<'_, i64>,
    width: usize,
) -> PyResult<(Vec<usize>, Vec<usize>)> {
    let given = num_nodes.as_array();
    let starts = starts(edge_starts.as_array().iter().copied(), given.len(), width)?;
    let of = |(&nodes, columns): (&i64, &[usize])| order(nodes, columns[1] - columns[0]);
    let orders = given.iter().zip(starts.windows(2)).map(of).collect::<PyResult<_>>()?;
    Ok((starts, orders))
}

/// Where the columns of every graph start, checked.
pub(crate) fn starts(
    given: impl Iterator<Item = i64>,
    graphs: usize,
    width: usize,
) -> PyResult<Vec<usize>> {
    let starts: Option<Vec<usize>> = given.map(|start| usize::try_from(start).ok()).collect();
    starts
        .filter(|s| {
            s.len() == graphs + 1
                && s.first() == Some(&0)
                && s.last() == Some(&width)
                && s.is_sorted()
        })
        .ok_or_else(|| {
            error::value(format!(
                "edge_starts must hold {} increasing numbers from 0 to {width}",
                graphs + 1
            ))
        })
}
