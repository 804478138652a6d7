//! Data sets as flat arrays, the form in which other languages hold them.
//!
//! [`Arrays`] are made from a [`Dataset`], from any file of graphs ([`Arrays::read`]), or by the
//! caller; they are written as a TU folder ([`Arrays::write_tu`]) or as a set of the catalogue
//! ([`import`](crate::catalogue::import)).
//!
//! Arcs of graph `g` are `ends[starts[g]..starts[g + 1]]`, vertices numbered from 0 in each graph.
//! An undirected edge may stand there once or in both directions.

mod read;
mod write;

use crate::dataset::{Dataset, Fold, Splits};
use gsn_core::{Graph, GraphBuilder};
use gsn_nn::Features;

pub use read::ReadArrays;

/// Columns of whole numbers, row after row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    /// Columns of a row.
    pub cols: usize,
    /// Row after row.
    pub data: Vec<u32>,
}

impl Rows {
    /// Rows `from..to`.
    pub fn slice(&self, rows: std::ops::Range<usize>) -> &[u32] {
        &self.data[rows.start * self.cols..rows.end * self.cols]
    }
}

/// An edge, the smaller end first, and its features.
pub(crate) type Edge<'a> = (u32, u32, &'a [u32]);

/// Graphs with features, targets and a cut.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Arrays {
    /// Vertices of every graph.
    pub orders: Vec<usize>,
    /// Where the arcs of every graph start, and where the last ones end.
    pub starts: Vec<usize>,
    /// Both ends of every arc.
    pub ends: Vec<(u32, u32)>,
    /// Features of all vertices.
    pub vertex: Option<Rows>,
    /// Features of all arcs.
    pub arc: Option<Rows>,
    /// Numbers to be predicted of every graph; NaN where one is not known.
    pub targets: Vec<Vec<f64>>,
    /// How the graphs are cut: nothing, one cut or several folds.
    pub folds: Vec<Fold>,
}

impl Arrays {
    /// The graphs, features and targets of a dataset; arcs in the order of [`Graph::arcs`].
    /// Features that are no categories are left out.
    ///
    /// ```
    /// use gsn_lab::{arrays::Arrays, catalogue::Store};
    /// let mutag = Arrays::of(&Store::carried().load("MUTAG")?);
    /// assert_eq!((mutag.orders.len(), mutag.folds.len()), (188, 10));
    /// assert_eq!(mutag.ends.len(), 2 * 3721);
    /// # Ok::<(), gsn_lab::Error>(())
    /// ```
    pub fn of(dataset: &Dataset) -> Self {
        let mut arrays = Self { starts: vec![0], ..Self::default() };
        let mut rows: [Option<Rows>; 2] = [Some(Rows::default()), Some(Rows::default())];
        for sample in &dataset.samples {
            arrays.push_graph(&sample.graph);
            arrays.targets.push(sample.targets.clone());
            for (rows, features) in rows.iter_mut().zip([&sample.vertex, &sample.arc]) {
                match (rows.as_mut(), features) {
                    (Some(rows), Some(Features::Categories { cols, data })) => {
                        rows.cols = *cols;
                        rows.data.extend_from_slice(data);
                    }
                    _ => *rows = None,
                }
            }
        }
        [arrays.vertex, arrays.arc] = rows;
        arrays.folds = match &dataset.splits {
            Splits::None => Vec::new(),
            Splits::Fixed(fold) => vec![fold.clone()],
            Splits::Folds(folds) => folds.clone(),
        };
        arrays
    }

    fn push_graph(&mut self, graph: &Graph) {
        self.orders.push(graph.order());
        self.ends.extend(graph.arcs());
        self.starts.push(self.ends.len());
    }

    /// Refuses arrays whose lengths do not fit each other, or ends that are no vertices.
    ///
    /// # Errors
    /// What does not fit, and of which graph.
    pub fn check(&self) -> Result<(), String> {
        let graphs = self.orders.len();
        let sound = self.starts.len() == graphs + 1
            && self.starts.first() == Some(&0)
            && self.starts.last() == Some(&self.ends.len())
            && self.starts.is_sorted();
        if !sound {
            let arcs = self.ends.len();
            return Err(format!("the starts of the arcs do not go from 0 to {arcs} in order"));
        }
        if self.targets.len() != graphs {
            return Err(format!("{} rows of targets for {graphs} graphs", self.targets.len()));
        }
        let vertices: usize = self.orders.iter().sum();
        let rows = [
            (&self.vertex, vertices, "vertex features", "vertices"),
            (&self.arc, self.ends.len(), "edge features", "columns of the edge index"),
        ];
        for (rows, wanted, what, of) in rows {
            let Some(rows) = rows else { continue };
            if rows.cols == 0 || rows.data.len() != wanted * rows.cols {
                let found = rows.data.len() / rows.cols.max(1);
                return Err(format!("{found} rows of {what} for {wanted} {of}"));
            }
        }
        for (graph, &order) in self.orders.iter().enumerate() {
            let ends = &self.ends[self.starts[graph]..self.starts[graph + 1]];
            if let Some((u, v)) = ends.iter().find(|(u, v)| *u.max(v) as usize >= order) {
                return Err(format!("graph {graph}: edge {u}-{v} of only {order} vertices"));
            }
        }
        let part = |fold: &Fold| [fold.train.clone(), fold.validation.clone(), fold.test.clone()];
        if self.folds.iter().flat_map(part).flatten().any(|at| at as usize >= graphs) {
            return Err(format!("the split names a graph beyond the {graphs} there are"));
        }
        Ok(())
    }

    /// Every graph with its edges once, the smaller end first, and the features of each. Self-loops
    /// are left out.
    ///
    /// # Errors
    /// When the two directions of an edge have different features.
    pub(crate) fn edges(&self, graph: usize) -> Result<Vec<Edge<'_>>, String> {
        let range = self.starts[graph]..self.starts[graph + 1];
        let row = |at: usize| self.arc.as_ref().map_or(&[][..], |rows| rows.slice(at..at + 1));
        let mut edges: Vec<_> = range
            .map(|at| (self.ends[at], row(at)))
            .filter(|((u, v), _)| u != v)
            .map(|((u, v), row)| (u.min(v), u.max(v), row))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        match edges.windows(2).find(|pair| pair[0].0 == pair[1].0 && pair[0].1 == pair[1].1) {
            Some(pair) => {
                let (u, v, _) = pair[0];
                Err(format!("graph {graph}: edge {u}-{v} has different features in its directions"))
            }
            None => Ok(edges),
        }
    }

    /// Where the vertices of every graph start.
    pub(crate) fn vertex_starts(&self) -> Vec<usize> {
        let mut sum = 0;
        let next = self.orders.iter().map(|order| {
            sum += order;
            sum
        });
        std::iter::once(0).chain(next).collect()
    }

    /// Graph `g` as one with labels; the label of a vertex or edge is its only feature.
    fn graph(&self, graph: usize, first: usize, directed: bool) -> Result<Graph, String> {
        let order = self.orders[graph];
        let mut builder = match directed {
            true => GraphBuilder::directed(order),
            false => GraphBuilder::undirected(order),
        };
        let put = |builder: &mut GraphBuilder, u, v, row: &[u32]| {
            match row {
                [label] => builder.labelled_edge(u, v, *label),
                _ => builder.edge(u, v),
            };
        };
        if directed {
            for at in self.starts[graph]..self.starts[graph + 1] {
                let row = self.arc.as_ref().map_or(&[][..], |rows| rows.slice(at..at + 1));
                put(&mut builder, self.ends[at].0, self.ends[at].1, row);
            }
        } else {
            self.edges(graph)?.into_iter().for_each(|(u, v, row)| put(&mut builder, u, v, row));
        }
        if let Some(rows) = self.vertex.as_ref().filter(|rows| rows.cols == 1) {
            builder.vertex_labels(rows.slice(first..first + order).to_vec());
        }
        builder.build().map_err(|error| format!("graph {graph}: {error}"))
    }
}
