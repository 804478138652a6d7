//! Graphs put together for one pass through a network.
//!
//! A [`Batch`] is the disjoint union of its graphs: vertices are numbered through, arcs are sorted
//! by target (their order within a target is the order given), and every feature on arcs follows
//! that order. The caller hands in plain [`GraphInput`] pieces; no file format is known here.
//! Cost: linear in vertices, arcs and feature cells.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::ops::Range;

use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::scalar::Scalar;

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
    fn shape(&self) -> (bool, usize, usize) {
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
    /// What to predict; NaN marks a missing label. For classes: the class index.
    pub targets: Vec<f64>,
}

impl GraphInput {
    /// Sorts the arcs by target, and what belongs to them with them. [`Batch::new`] does so for
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
fn permuted<X: Copy>(data: &[X], cols: usize, order: &[u32]) -> Vec<X> {
    if cols == 1 {
        return order.iter().map(|&r| data[r as usize]).collect();
    }
    let mut out = Vec::with_capacity(data.len());
    for &r in order {
        out.extend_from_slice(&data[r as usize * cols..(r as usize + 1) * cols]);
    }
    out
}

/// Category indices of a batch.
#[derive(Debug, Clone)]
pub(crate) struct Categories {
    pub(crate) cols: usize,
    pub(crate) index: Vec<u32>,
    /// Largest index in each column, to compare with vocabularies once instead of per row.
    pub(crate) max: Vec<Option<u32>>,
    /// The different rows, for tables on arcs.
    pub(crate) distinct: Distinct,
}

/// The different rows of a table and which of them each row is: products with one-hot rows are
/// computed once per different row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Distinct {
    pub(crate) of_row: Vec<u32>,
    pub(crate) rows: Vec<u32>,
    pub(crate) count: usize,
}

/// A feature table of a batch.
#[derive(Debug, Clone)]
pub(crate) enum Table<T> {
    Categories(Categories),
    Values(Matrix<T>),
}

/// Several graphs as one; see the module documentation.
#[derive(Debug, Clone)]
pub struct Batch<T> {
    pub(crate) graphs: usize,
    pub(crate) vertices: usize,
    /// Vertices of graph g: `vertex_offsets[g]..vertex_offsets[g + 1]`; arcs likewise.
    pub(crate) vertex_offsets: Vec<u32>,
    pub(crate) arc_offsets: Vec<u32>,
    pub(crate) graph_of: Vec<u32>,
    /// Arcs into v: `in_offsets[v]..in_offsets[v + 1]`.
    pub(crate) in_offsets: Vec<u32>,
    pub(crate) source: Vec<u32>,
    pub(crate) target: Vec<u32>,
    /// Position each sorted arc had among the arcs handed in.
    pub(crate) given: Vec<u32>,
    /// Arcs out of u, as sorted positions: `out_arcs[out_offsets[u]..out_offsets[u + 1]]`.
    pub(crate) out_offsets: Vec<u32>,
    pub(crate) out_arcs: Vec<u32>,
    /// Vertex ranges with about equally many incoming arcs: the unit of parallel work.
    pub(crate) chunks: Vec<Range<usize>>,
    pub(crate) in_degree: Vec<T>,
    /// A zero per graph: the index of the virtual node's only start row.
    pub(crate) graph_zeros: Vec<u32>,
    pub(crate) vertex: Option<Table<T>>,
    pub(crate) arc: Option<Table<T>>,
    pub(crate) vertex_ids: Option<Table<T>>,
    pub(crate) arc_ids: Option<Table<T>>,
    pub(crate) degrees: Option<Table<T>>,
    pub(crate) targets: Matrix<T>,
}

/// Vertices and incoming arcs a chunk holds together, about.
const CHUNK: usize = 512;

impl<T: Scalar> Batch<T> {
    /// Puts graphs together; they may be owned or borrowed.
    ///
    /// # Errors
    /// If an arc names a vertex that is not there, a table has the wrong number of rows, or the
    /// graphs do not all have the same tables, columns and number of targets.
    pub fn new<G: Borrow<GraphInput>>(graphs: &[G]) -> Result<Self> {
        let graphs: &[&GraphInput] = &graphs.iter().map(Borrow::borrow).collect::<Vec<_>>();
        let fail = |graph: usize, what: String| Error::Graph { graph, what };
        let vertices: usize = graphs.iter().map(|g| g.vertices).sum();
        let arcs: usize = graphs.iter().map(|g| g.arcs.len()).sum();
        if vertices.max(arcs) >= u32::MAX as usize {
            return Err(crate::error::batch("more than 2^32 - 1 vertices or arcs"));
        }
        let (mut vertex_offsets, mut arc_offsets) = (vec![0u32], vec![0u32]);
        let mut graph_of = Vec::with_capacity(vertices);
        let (mut source, mut target) = (Vec::with_capacity(arcs), Vec::with_capacity(arcs));
        let mut targets = Vec::new();
        for (i, g) in graphs.iter().enumerate() {
            let base = graph_of.len() as u32;
            for &[u, v] in &g.arcs {
                if u.max(v) as usize >= g.vertices {
                    let what = format!("arc {u}->{v} leaves the {} vertices", g.vertices);
                    return Err(fail(i, what));
                }
                source.push(base + u);
                target.push(base + v);
            }
            if g.targets.len() != graphs[0].targets.len() {
                let (a, b) = (g.targets.len(), graphs[0].targets.len());
                return Err(fail(i, format!("{a} targets, but graph 0 has {b}")));
            }
            graph_of.resize(graph_of.len() + g.vertices, i as u32);
            vertex_offsets.push(graph_of.len() as u32);
            arc_offsets.push(target.len() as u32);
            targets.extend(g.targets.iter().map(|&t| T::from_f64(t)));
        }
        let in_offsets = offsets(vertices, &target);
        let sorted = target.is_sorted();
        let given = if sorted { (0..arcs as u32).collect() } else { bucket(&in_offsets, &target) };
        if !sorted {
            source = permuted(&source, 1, &given);
            target = permuted(&target, 1, &given);
        }
        let out_offsets = offsets(vertices, &source);
        let out_arcs = bucket(&out_offsets, &source);
        let tasks = graphs.first().map_or(0, |g| g.targets.len());
        let table = |get: fn(&GraphInput) -> &Option<Features>, what, on_arcs| {
            collect(graphs, get, what, on_arcs, (on_arcs && !sorted).then_some(given.as_slice()))
        };
        Ok(Self {
            graphs: graphs.len(),
            graph_zeros: vec![0; graphs.len()],
            vertices,
            vertex: table(|g| &g.vertex, "vertex features", false)?,
            arc: table(|g| &g.arc, "arc features", true)?,
            vertex_ids: table(|g| &g.vertex_ids, "vertex identifiers", false)?,
            arc_ids: table(|g| &g.arc_ids, "arc identifiers", true)?,
            degrees: table(|g| &g.degrees, "degrees", false)?,
            targets: Matrix::from_vec(graphs.len(), tasks, targets)
                .ok_or_else(|| crate::error::batch("targets"))?,
            chunks: chunks(&in_offsets),
            in_degree: in_offsets.windows(2).map(|w| T::from_f64((w[1] - w[0]) as f64)).collect(),
            vertex_offsets,
            arc_offsets,
            graph_of,
            in_offsets,
            source,
            target,
            given,
            out_offsets,
            out_arcs,
        })
    }

    /// Number of graphs.
    pub fn graphs(&self) -> usize {
        self.graphs
    }

    /// Number of vertices of all graphs together.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Number of arcs of all graphs together.
    pub fn arcs(&self) -> usize {
        self.source.len()
    }

    /// What to predict: one row per graph, NaN where a label is missing.
    pub fn targets(&self) -> &Matrix<T> {
        &self.targets
    }

    /// Position that arc `i` of the inner order (sorted by target) had among the arcs handed in.
    pub fn given_order(&self) -> &[u32] {
        &self.given
    }

    /// The vertices of graph `g`, if there is such a graph.
    pub fn vertices_of(&self, g: usize) -> Option<Range<usize>> {
        Some(*self.vertex_offsets.get(g)? as usize..*self.vertex_offsets.get(g + 1)? as usize)
    }

    /// Arcs into v.
    #[inline(always)]
    pub(crate) fn arcs_in(&self, v: usize) -> Range<usize> {
        self.in_offsets[v] as usize..self.in_offsets[v + 1] as usize
    }

    /// Arcs out of u, as sorted positions.
    #[inline(always)]
    pub(crate) fn arcs_out(&self, u: usize) -> &[u32] {
        &self.out_arcs[self.out_offsets[u] as usize..self.out_offsets[u + 1] as usize]
    }
}

/// Where each key starts when all are sorted.
fn offsets(keys: usize, of: &[u32]) -> Vec<u32> {
    let mut offsets = vec![0u32; keys + 1];
    of.iter().for_each(|&k| offsets[k as usize + 1] += 1);
    for i in 0..keys {
        offsets[i + 1] += offsets[i];
    }
    offsets
}

/// Counting sort: the positions sorted by key, stable.
fn bucket(offsets: &[u32], of: &[u32]) -> Vec<u32> {
    let (mut at, mut order) = (offsets.to_vec(), vec![0u32; of.len()]);
    for (i, &k) in of.iter().enumerate() {
        order[at[k as usize] as usize] = i as u32;
        at[k as usize] += 1;
    }
    order
}

/// Vertex ranges of about `CHUNK` arcs and vertices each.
fn chunks(offsets: &[u32]) -> Vec<Range<usize>> {
    let n = offsets.len() - 1;
    let (mut out, mut first) = (Vec::new(), 0);
    for v in 0..n {
        let work = (offsets[v + 1] - offsets[first]) as usize + (v + 1 - first);
        if work >= CHUNK || v + 1 == n {
            out.push(first..v + 1);
            first = v + 1;
        }
    }
    out
}

/// One table of all graphs, rows reordered by `order` if given.
fn collect<T: Scalar>(
    graphs: &[&GraphInput],
    get: fn(&GraphInput) -> &Option<Features>,
    what: &str,
    on_arcs: bool,
    order: Option<&[u32]>,
) -> Result<Option<Table<T>>> {
    let Some(first) = graphs.first().and_then(|g| get(g).as_ref()) else {
        return match graphs.iter().position(|g| get(g).is_some()) {
            Some(graph) => {
                Err(Error::Graph { graph, what: format!("has {what}, graph 0 has none") })
            }
            None => Ok(None),
        };
    };
    let (kind, cols, _) = first.shape();
    let (mut index, mut values) = (Vec::new(), Vec::new());
    for (graph, g) in graphs.iter().enumerate() {
        let fail = |what: String| Error::Graph { graph, what };
        let Some(f) = get(g) else {
            return Err(fail(format!("no {what}, but graph 0 has them")));
        };
        let rows = if on_arcs { g.arcs.len() } else { g.vertices };
        let (k, c, len) = f.shape();
        if k != kind || c != cols {
            return Err(fail(format!(
                "{what} of {c} columns, graph 0 has {cols} (or another kind)"
            )));
        }
        if len != rows * cols {
            return Err(fail(format!("{what}: {len} numbers for {rows} rows of {cols}")));
        }
        match f {
            Features::Categories { data, .. } => index.extend_from_slice(data),
            Features::Values { data, .. } => values.extend(data.iter().map(|&x| T::from_f64(x))),
        }
    }
    fn permute<X: Copy>(data: Vec<X>, cols: usize, order: Option<&[u32]>) -> Vec<X> {
        match order {
            Some(order) => permuted(&data, cols, order),
            None => data,
        }
    }
    if !kind {
        let data = permute(values, cols, order);
        let rows = data.len().checked_div(cols).unwrap_or(0);
        return Ok(Matrix::from_vec(rows, cols, data).map(Table::Values));
    }
    let index = permute(index, cols, order);
    let max = largest(&index, cols);
    let distinct = if on_arcs { distinct(&index, &max) } else { Distinct::default() };
    Ok(Some(Table::Categories(Categories { cols, index, max, distinct })))
}

/// The largest number of each column; `None` of no rows.
fn largest(index: &[u32], cols: usize) -> Vec<Option<u32>> {
    let Some((first, rest)) = index.split_at_checked(cols) else { return vec![None; cols] };
    let mut max = first.to_vec();
    for row in rest.chunks_exact(cols.max(1)) {
        max.iter_mut().zip(row).for_each(|(max, &i)| *max = i.max(*max));
    }
    max.into_iter().map(Some).collect()
}

/// Finds the different rows, numbered as they first appear.
///
/// Column by column: what the rows before this column are called, and what stands in it, name a
/// pair; pairs are numbered anew, by a table where there are few and by hashing where there might
/// be many.
fn distinct(index: &[u32], max: &[Option<u32>]) -> Distinct {
    let cols = max.len();
    let rows = index.len().checked_div(cols).unwrap_or(0);
    let mut out = Distinct { of_row: vec![0; rows], ..Distinct::default() };
    if rows == 0 {
        return out;
    }
    out.count = 1;
    // The row where each number appeared first.
    let mut firsts: Vec<usize> = vec![0];
    for (c, &max) in max.iter().enumerate() {
        let radix = max.unwrap_or(0) as usize + 1;
        firsts.clear();
        let mut number = |row: usize, slot: &mut u32| {
            if *slot == u32::MAX {
                *slot = firsts.len() as u32;
                firsts.push(row);
            }
            *slot
        };
        let column = index[c..].iter().step_by(cols);
        let pairs = out.of_row.iter_mut().zip(column).enumerate();
        match out.count.checked_mul(radix) {
            Some(space) if space <= (8 * rows).max(1 << 16) => {
                let mut slots = vec![u32::MAX; space];
                for (row, (of, &i)) in pairs {
                    *of = number(row, &mut slots[*of as usize * radix + i as usize]);
                }
            }
            _ => {
                let mut slots: HashMap<(u32, u32), u32> = HashMap::new();
                for (row, (of, &i)) in pairs {
                    *of = number(row, slots.entry((*of, i)).or_insert(u32::MAX));
                }
            }
        }
        out.count = firsts.len();
    }
    for &row in &firsts {
        out.rows.extend_from_slice(&index[row * cols..(row + 1) * cols]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle() -> GraphInput {
        GraphInput {
            vertices: 4, // vertex 3 is isolated
            arcs: vec![[0, 1], [1, 2], [2, 0], [1, 0], [2, 1], [0, 2]],
            arc_ids: Some(Features::Categories {
                cols: 2,
                data: vec![0, 1, 0, 1, 2, 0, 0, 1, 2, 0, 0, 0],
            }),
            targets: vec![1.0],
            ..GraphInput::default()
        }
    }

    #[test]
    fn arcs_are_sorted_by_target_and_features_follow() {
        let b = Batch::<f64>::new(&[triangle(), triangle()]).unwrap();
        assert_eq!(b.target, [0, 0, 1, 1, 2, 2, 4, 4, 5, 5, 6, 6]);
        assert_eq!(b.given[..6], [2, 3, 0, 4, 1, 5]);
        for u in 0..b.vertices {
            assert!(b.arcs_out(u).iter().all(|&a| b.source[a as usize] == u as u32));
        }
        let Some(Table::Categories(c)) = &b.arc_ids else { panic!() };
        let given = [0, 1, 0, 1, 2, 0, 0, 1, 2, 0, 0, 0];
        for (i, &g) in b.given[..6].iter().enumerate() {
            assert_eq!(c.index[2 * i..2 * i + 2], given[2 * g as usize..2 * g as usize + 2]);
            let d = c.distinct.of_row[i] as usize;
            assert_eq!(c.index[2 * i..2 * i + 2], c.distinct.rows[2 * d..2 * d + 2]);
        }
        assert_eq!(c.distinct.count, 3);
    }

    #[test]
    fn a_sorted_graph_makes_the_same_batch() {
        let mut sorted = triangle();
        sorted.sort_arcs();
        let [a, b] = [triangle(), sorted].map(|g| Batch::<f64>::new(&[g.clone(), g]).unwrap());
        assert_eq!((&a.source, &a.target, &a.out_arcs), (&b.source, &b.target, &b.out_arcs));
        assert_eq!(b.given, (0..12).collect::<Vec<u32>>());
        let ids = |batch: &Batch<f64>| match &batch.arc_ids {
            Some(Table::Categories(c)) => (c.index.clone(), c.distinct.of_row.clone()),
            _ => panic!(),
        };
        assert_eq!(ids(&a), ids(&b));
    }

    #[test]
    fn different_rows_are_numbered_as_they_appear() {
        let number = |i: u64, below: u64| (crate::rng::uniform(7, i) * below as f64) as u32;
        for (rows, cols, below) in [(0, 2, 3), (50, 1, 5), (400, 3, 3), (300, 2, 1 << 30)] {
            let index: Vec<u32> = (0..rows * cols).map(|i| number(i / 2, below)).collect();
            let cols = cols as usize;
            let found = distinct(&index, &largest(&index, cols));
            let mut seen: Vec<&[u32]> = Vec::new();
            for (row, &of) in index.chunks_exact(cols).zip(&found.of_row) {
                let at = seen.iter().position(|&s| s == row).unwrap_or(seen.len());
                if at == seen.len() {
                    seen.push(row);
                }
                assert_eq!(of as usize, at);
            }
            assert_eq!((found.count, found.rows), (seen.len(), seen.concat()));
            assert_eq!(found.of_row.len(), rows as usize);
        }
    }

    #[test]
    fn contradictions_are_named() {
        let mut bad = triangle();
        bad.arcs[2] = [2, 9];
        let e = Batch::<f32>::new(&[triangle(), bad]).unwrap_err().to_string();
        assert_eq!(e, "graph 1: arc 2->9 leaves the 4 vertices");
        let mut bad = triangle();
        bad.arc_ids = None;
        let e = Batch::<f32>::new(&[triangle(), bad]).unwrap_err().to_string();
        assert_eq!(e, "graph 1: no arc identifiers, but graph 0 has them");
        let mut bad = triangle();
        bad.arc_ids = Some(Features::Categories { cols: 2, data: vec![0; 3] });
        assert!(Batch::<f32>::new(&[bad]).is_err());
    }
}
