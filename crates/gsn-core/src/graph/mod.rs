//! Immutable graphs: compressed sparse rows with sorted adjacency and arc ids.
//!
//! An undirected edge is stored as two arcs. Arcs are numbered by (source, target), so arc ids
//! follow the order of [`Graph::arcs`]; edges are numbered by (smaller end, larger end). Building
//! costs O(n + m); looking an arc up costs O(log d).

pub(crate) mod blocks;
mod builder;
mod edge_ids;
pub mod graph6;
pub(crate) mod oriented;
mod rows;
pub(crate) mod small;
pub mod sparse6;

pub use builder::{Dropped, GraphBuilder, GraphError};

use edge_ids::EdgeIds;
use std::ops::Range;

/// The largest number of arcs a graph may have.
pub const MAX_ARCS: usize = 1 << 31;

/// A simple graph, directed or not, with optional integer labels on vertices and edges.
///
/// Self-loops and parallel edges are gone (the [`GraphBuilder`] says how many there were);
/// isolated vertices stay.
///
/// ```
/// use gsn_core::Graph;
/// let g = Graph::from_edges(4, [(2, 0), (0, 1)])?;
/// assert_eq!((g.order(), g.edge_count(), g.arc_count()), (4, 2, 4));
/// assert_eq!(g.neighbors(0), [1, 2]);
/// assert_eq!(g.arcs().collect::<Vec<_>>(), [(0, 1), (0, 2), (1, 0), (2, 0)]);
/// # Ok::<(), gsn_core::graph::GraphError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    directed: bool,
    out: Adjacency,
    /// Only in directed graphs: the vertices that point to each vertex.
    incoming: Option<Adjacency>,
    /// Edge id of every arc; of no use in directed graphs, where an edge is an arc.
    edge_ids: EdgeIds,
    vertex_labels: Option<Vec<u32>>,
    arc_labels: Option<Vec<u32>>,
}

/// Sorted neighbour lists, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Adjacency {
    offsets: Vec<u32>,
    targets: Vec<u32>,
}

impl Adjacency {
    fn range(&self, v: u32) -> Range<usize> {
        self.offsets[v as usize] as usize..self.offsets[v as usize + 1] as usize
    }
}

impl Graph {
    /// An undirected graph without labels; loops and duplicates are dropped.
    ///
    /// # Errors
    /// When an end is not below `order`, or there are too many vertices or arcs.
    pub fn from_edges(
        order: usize,
        edges: impl IntoIterator<Item = (u32, u32)>,
    ) -> Result<Self, GraphError> {
        Self::of_pairs(GraphBuilder::undirected(order), edges)
    }

    /// A directed graph without labels; loops and duplicates are dropped.
    ///
    /// # Errors
    /// When an end is not below `order`, or there are too many vertices or arcs.
    pub fn from_arcs(
        order: usize,
        arcs: impl IntoIterator<Item = (u32, u32)>,
    ) -> Result<Self, GraphError> {
        Self::of_pairs(GraphBuilder::directed(order), arcs)
    }

    fn of_pairs(
        mut builder: GraphBuilder,
        pairs: impl IntoIterator<Item = (u32, u32)>,
    ) -> Result<Self, GraphError> {
        for (u, v) in pairs {
            builder.edge(u, v);
        }
        builder.build()
    }

    /// An undirected graph without labels that has these rows.
    fn plain(out: Adjacency) -> Self {
        Self {
            directed: false,
            out,
            incoming: None,
            edge_ids: EdgeIds::default(),
            vertex_labels: None,
            arc_labels: None,
        }
    }

    /// The undirected graph without labels that has these rows: each sorted, without loops and
    /// duplicates, and every edge in the rows of both its ends.
    pub(crate) fn from_rows(offsets: Vec<u32>, targets: Vec<u32>) -> Self {
        let graph = Self::plain(Adjacency { offsets, targets });
        debug_assert!((0..graph.order() as u32).all(|v| graph.neighbors(v).is_sorted()));
        debug_assert!(graph.arcs().all(|(u, v)| u != v && graph.has_arc(v, u)));
        graph
    }

    /// Number of vertices.
    pub fn order(&self) -> usize {
        self.out.offsets.len() - 1
    }

    /// Number of arcs: twice the edges of an undirected graph.
    pub fn arc_count(&self) -> usize {
        self.out.targets.len()
    }

    /// Number of edges; in a directed graph every arc is one.
    pub fn edge_count(&self) -> usize {
        if self.directed { self.arc_count() } else { self.arc_count() / 2 }
    }

    /// Whether arcs have a direction of their own.
    pub fn is_directed(&self) -> bool {
        self.directed
    }

    /// Neighbours of `v` in increasing order; in a directed graph those `v` points to.
    pub fn neighbors(&self, v: u32) -> &[u32] {
        &self.out.targets[self.out.range(v)]
    }

    /// Vertices that point to `v`, in increasing order; in an undirected graph its neighbours.
    pub fn in_neighbors(&self, v: u32) -> &[u32] {
        match &self.incoming {
            None => self.neighbors(v),
            Some(incoming) => &incoming.targets[incoming.range(v)],
        }
    }

    /// Number of (out-)neighbours of `v`.
    pub fn degree(&self, v: u32) -> usize {
        self.out.range(v).len()
    }

    /// Ids of the arcs that leave `v`, parallel to [`Graph::neighbors`].
    pub fn arcs_of(&self, v: u32) -> Range<usize> {
        self.out.range(v)
    }

    /// The vertex arc `arc` points to.
    pub fn arc_target(&self, arc: usize) -> u32 {
        self.out.targets[arc]
    }

    /// Where every arc points to, and the edge behind it; of an undirected graph.
    pub(crate) fn targets_and_edges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.out.targets.iter().copied().zip(self.edge_ids().iter().copied())
    }

    /// Id of the arc `u → v`, if there is one.
    pub fn arc_id(&self, u: u32, v: u32) -> Option<usize> {
        let range = self.out.range(u);
        let start = range.start;
        self.out.targets[range].binary_search(&v).ok().map(|at| start + at)
    }

    /// Whether the arc `u → v` is there.
    pub fn has_arc(&self, u: u32, v: u32) -> bool {
        self.arc_id(u, v).is_some()
    }

    /// Edge of every arc of an undirected graph.
    #[inline]
    pub(crate) fn edge_ids(&self) -> &[u32] {
        self.edge_ids.of(&self.out)
    }

    /// Works the edges of all arcs out before they are asked for one by one; `look` is called every
    /// few thousand arcs and may stop that.
    pub(crate) fn find_edge_ids<E>(&self, look: impl Fn() -> Result<(), E>) -> Result<(), E> {
        if self.directed { Ok(()) } else { self.edge_ids.find(&self.out, look) }
    }

    /// Edge behind an arc: both arcs of an undirected edge share it; in a directed graph the arc.
    pub fn edge_id(&self, arc: usize) -> usize {
        if self.directed { arc } else { self.edge_ids()[arc] as usize }
    }

    /// All arcs `(source, target)` in the order of their ids.
    pub fn arcs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.order() as u32).flat_map(move |u| self.neighbors(u).iter().map(move |&v| (u, v)))
    }

    /// All edges in the order of their ids: `source < target` in undirected graphs.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.arcs().filter(|&(u, v)| self.directed || u < v)
    }

    /// Label of every vertex, if the graph has them.
    pub fn vertex_labels(&self) -> Option<&[u32]> {
        self.vertex_labels.as_deref()
    }

    /// Label of every arc, in the order of [`Graph::arcs`], if the graph has them.
    pub fn arc_labels(&self) -> Option<&[u32]> {
        self.arc_labels.as_deref()
    }

    /// Largest (out-)degree.
    pub fn max_degree(&self) -> usize {
        self.out.offsets.windows(2).map(|w| (w[1] - w[0]) as usize).max().unwrap_or(0)
    }

    /// Bytes that it takes, apart from what is worked out when it is first asked for.
    pub fn memory(&self) -> u64 {
        let numbers = |list: &Vec<u32>| list.len() as u64;
        let rows = |rows: &Adjacency| numbers(&rows.offsets) + numbers(&rows.targets);
        let labels = [&self.vertex_labels, &self.arc_labels].into_iter().flatten();
        let incoming = self.incoming.as_ref().map_or(0, rows);
        4 * (rows(&self.out) + incoming + labels.map(numbers).sum::<u64>())
    }

    /// Bytes that it takes at the height of building it out of a list of its edges, the list
    /// included.
    pub fn building_memory(&self) -> u64 {
        16 * self.order() as u64 + 32 * self.edge_count() as u64
    }

    /// Vertices in increasing order of degree, those of equal degree in that of their numbers.
    pub(crate) fn by_degree(&self) -> Vec<u32> {
        let (mut order, mut bucket) = (Vec::new(), Vec::new());
        oriented::sort_by_degree(self, &mut order, &mut bucket);
        order
    }

    /// The same graph with vertex `v` renamed `names[v]`.
    ///
    /// # Errors
    /// When `names` is not a permutation of `0..order`.
    pub fn relabelled(&self, names: &[u32]) -> Result<Self, GraphError> {
        let n = self.order();
        let mut seen = vec![false; n];
        for &name in names {
            match seen.get_mut(name as usize) {
                Some(slot) if !*slot => *slot = true,
                _ => return Err(GraphError::NotAPermutation),
            }
        }
        if names.len() != n {
            return Err(GraphError::NotAPermutation);
        }
        let mut builder =
            if self.directed { GraphBuilder::directed(n) } else { GraphBuilder::undirected(n) };
        for (arc, (u, v)) in self.arcs().enumerate() {
            if self.directed || u < v {
                let (u, v) = (names[u as usize], names[v as usize]);
                match &self.arc_labels {
                    None => builder.edge(u, v),
                    Some(labels) => builder.labelled_edge(u, v, labels[arc]),
                };
            }
        }
        if let Some(labels) = &self.vertex_labels {
            let mut renamed = vec![0; n];
            for (v, &label) in labels.iter().enumerate() {
                renamed[names[v] as usize] = label;
            }
            builder.vertex_labels(renamed);
        }
        builder.build()
    }
}
