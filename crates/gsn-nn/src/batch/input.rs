//! What a caller hands in: plain graphs with plain tables. No file format is known here.

use super::Censoring;

/// A table of features, one row per vertex or per arc.
#[derive(Debug, Clone, PartialEq)]
pub enum Features {
    /// Category indices, `cols` per row.
    Categories {
        /// Columns per row.
        cols: usize,
        /// Row after row.
        data: Vec<u32>,
    },
    /// Real numbers, `cols` per row.
    Values {
        /// Columns per row.
        cols: usize,
        /// Row after row.
        data: Vec<f64>,
    },
}

impl Features {
    /// Are they categories, how many columns, how many cells?
    pub(super) fn shape(&self) -> (bool, usize, usize) {
        match self {
            Features::Categories { cols, data } => (true, *cols, data.len()),
            Features::Values { cols, data } => (false, *cols, data.len()),
        }
    }
}

/// One graph as a network reads it. Tables that a model does not need may stay `None`, but all
/// graphs of a batch must have the same tables.
///
/// ```
/// use gsn_nn::{Batch, Features, GraphInput};
/// // A path of three vertices; one category per vertex, one target number.
/// let path = GraphInput {
///     vertices: 3,
///     arcs: vec![[0, 1], [1, 0], [1, 2], [2, 1]],
///     vertex: Some(Features::Categories { cols: 1, data: vec![0, 1, 0] }),
///     targets: vec![0.5],
///     ..GraphInput::default()
/// };
/// let batch = Batch::<f32>::new(&[path.clone(), path]).unwrap();
/// assert_eq!((batch.graphs(), batch.vertices(), batch.arcs()), (2, 6, 8));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GraphInput {
    /// Number of vertices.
    pub vertices: usize,
    /// Arcs `[source, target]`; a message runs from source to target.
    pub arcs: Vec<[u32; 2]>,
    /// Input features of the vertices.
    pub vertex: Option<Features>,
    /// Input features of the arcs, in the order of `arcs`.
    pub arc: Option<Features>,
    /// Structural identifiers of the vertices (GSN-v).
    pub vertex_ids: Option<Features>,
    /// Structural identifiers of the arcs (GSN-e), in the order of `arcs`.
    pub arc_ids: Option<Features>,
    /// Degrees, encoded by the caller (a category, usually).
    pub degrees: Option<Features>,
    /// Numbers of the vertices that stand beside their encoded features; as many columns as
    /// [`Inputs::numbers`](crate::config::Inputs::numbers).
    pub numbers: Option<Features>,
    /// Numbers of the graph as a whole, which heads read beside what is read out of the vertices;
    /// as many as [`Inputs::graph`](crate::config::Inputs::graph).
    pub graph: Vec<f64>,
    /// What to predict; NaN marks a missing label. For classes: the class index.
    pub targets: Vec<f64>,
    /// What each target is worth in the loss; empty: all the same.
    pub weights: Vec<f64>,
    /// Which targets are censoring of the true value; empty: none.
    pub censoring: Vec<Censoring>,
}

impl GraphInput {
    /// Sorts the arcs by target, and what belongs to them with them. [`Batch::new`](crate::Batch::new) does so for
    /// every batch; graphs that are trained on again and again had better be sorted once.
    ///
    /// ```
    /// # use gsn_nn::{Features, GraphInput};
    /// let mut edge = GraphInput {
    ///     vertices: 2,
    ///     arcs: vec![[0, 1], [1, 0]],
    ///     arc: Some(Features::Values { cols: 1, data: vec![0.5, 0.7] }),
    ///     ..GraphInput::default()
    /// };
    /// edge.sort_arcs();
    /// assert_eq!(edge.arcs, [[1, 0], [0, 1]]);
    /// assert_eq!(edge.arc, Some(Features::Values { cols: 1, data: vec![0.7, 0.5] }));
    /// ```
    pub fn sort_arcs(&mut self) {
        let arcs = &self.arcs;
        if arcs.is_sorted_by_key(|arc| arc[1]) {
            return;
        }
        let mut order: Vec<u32> = (0..arcs.len() as u32).collect();
        order.sort_by_key(|&a| arcs[a as usize][1]);
        // Tables of another length are refused later, by name.
        let sort = |table: &mut Option<Features>| match table {
            Some(Features::Categories { cols, data }) if data.len() == *cols * order.len() => {
                *data = permuted(data, *cols, &order);
            }
            Some(Features::Values { cols, data }) if data.len() == *cols * order.len() => {
                *data = permuted(data, *cols, &order);
            }
            _ => {}
        };
        [&mut self.arc, &mut self.arc_ids].into_iter().for_each(sort);
        self.arcs = permuted(&self.arcs, 1, &order);
    }
}

/// Rows of `cols` numbers in another order.
pub(super) fn permuted<X: Copy>(data: &[X], cols: usize, order: &[u32]) -> Vec<X> {
    if cols == 1 {
        return order.iter().map(|&r| data[r as usize]).collect();
    }
    let mut out = Vec::with_capacity(data.len());
    for &r in order {
        out.extend_from_slice(&data[r as usize * cols..(r as usize + 1) * cols]);
    }
    out
}
