//! Graphs put together for one pass through a network.
//!
//! A [`Batch`] is the disjoint union of its graphs: vertices are numbered through, arcs are sorted
//! by target (their order within a target is the order given), and every feature on arcs follows
//! that order. Cost: linear in vertices, arcs and feature cells.

mod input;
mod labels;
mod table;

use std::borrow::Borrow;
use std::ops::Range;

pub use input::{Features, GraphInput};
pub use labels::{Censoring, Labels};
pub(crate) use table::{Categories, FeatureTable};

use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::scalar::Scalar;
use input::permuted;

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
    pub(crate) vertex: Option<FeatureTable<T>>,
    pub(crate) arc: Option<FeatureTable<T>>,
    pub(crate) vertex_ids: Option<FeatureTable<T>>,
    pub(crate) arc_ids: Option<FeatureTable<T>>,
    pub(crate) degrees: Option<FeatureTable<T>>,
    /// Numbers beside the features of the vertices.
    pub(crate) numbers: Option<FeatureTable<T>>,
    /// Numbers of the graphs as wholes, a row a graph.
    pub(crate) graph_numbers: Option<Matrix<T>>,
    pub(crate) labels: Labels<T>,
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
        let mut numbers = Vec::new();
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
            if g.graph.len() != graphs[0].graph.len() {
                let (a, b) = (g.graph.len(), graphs[0].graph.len());
                return Err(fail(i, format!("{a} numbers of its own, but graph 0 has {b}")));
            }
            graph_of.resize(graph_of.len() + g.vertices, i as u32);
            vertex_offsets.push(graph_of.len() as u32);
            arc_offsets.push(target.len() as u32);
            numbers.extend(g.graph.iter().map(|&x| T::from_f64(x)));
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
        let cols = graphs.first().map_or(0, |g| g.graph.len());
        let table = |get: fn(&GraphInput) -> &Option<Features>, what, on_arcs| {
            table::collect(
                graphs,
                get,
                what,
                on_arcs,
                (on_arcs && !sorted).then_some(given.as_slice()),
            )
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
            numbers: table(|g| &g.numbers, "numbers of vertices", false)?,
            graph_numbers: (cols > 0)
                .then(|| Matrix::from_vec(graphs.len(), cols, numbers))
                .flatten(),
            labels: Labels::new(graphs)?,
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
        &self.labels.targets
    }

    /// What to predict, what each label is worth, and which are bounds.
    pub fn labels(&self) -> &Labels<T> {
        &self.labels
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
        let Some(FeatureTable::Categories(c)) = &b.arc_ids else { panic!() };
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
            Some(FeatureTable::Categories(c)) => (c.index.clone(), c.distinct.of_row.clone()),
            _ => panic!(),
        };
        assert_eq!(ids(&a), ids(&b));
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
