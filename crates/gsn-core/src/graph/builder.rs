//! Building a [`Graph`] from edges in any order, and saying what had to be dropped.

use super::rows::{Ways, sorted_rows};
use super::{Adjacency, Graph, MAX_ARCS};
use crate::memory::{self, TooMuch};
use rayon::prelude::*;

/// Edges from which on rows are sorted block by block; few in tests, so that both ways are taken.
const MANY: usize = if cfg!(test) { 64 } else { 1 << 15 };

/// Why a graph could not be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// An edge end is not a vertex.
    #[error("edge {u}-{v} names a vertex outside 0..{order}")]
    VertexOutOfRange {
        /// First end.
        u: u32,
        /// Second end.
        v: u32,
        /// Number of vertices.
        order: usize,
    },
    /// More than 2³² − 1 vertices.
    #[error("{0} vertices are more than the {max} a graph may have", max = u32::MAX)]
    TooManyVertices(usize),
    /// More than [`MAX_ARCS`] arcs.
    #[error("{0} arcs are more than the {MAX_ARCS} a graph may have")]
    TooManyArcs(usize),
    /// A label list of the wrong length.
    #[error("{labels} vertex labels for {order} vertices")]
    LabelCount {
        /// Labels given.
        labels: usize,
        /// Number of vertices.
        order: usize,
    },
    /// The same edge with two labels.
    #[error("edge {u}-{v} is given with the labels {first} and {second}")]
    ContradictoryLabels {
        /// First end.
        u: u32,
        /// Second end.
        v: u32,
        /// One label.
        first: u32,
        /// The other.
        second: u32,
    },
    /// Some edges have labels and some have none.
    #[error("{unlabelled} of {edges} edges have no label; label all of them or none")]
    PartlyLabelled {
        /// Edges without a label.
        unlabelled: usize,
        /// All edges.
        edges: usize,
    },
    /// The graph does not fit into memory.
    #[error(transparent)]
    Memory(#[from] TooMuch),
    /// A renaming that is not one to one.
    #[error("the new vertex names are not a permutation of 0..order")]
    NotAPermutation,
}

/// What the builder left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Edges from a vertex to itself.
    pub self_loops: usize,
    /// Edges that were there already (in undirected graphs in either direction).
    pub duplicates: usize,
}

/// Collects edges, then sorts them into a [`Graph`].
///
/// ```
/// use gsn_core::GraphBuilder;
/// let mut builder = GraphBuilder::undirected(3);
/// builder.edge(0, 1).edge(1, 0).edge(2, 2);
/// let (graph, dropped) = builder.build_reporting()?;
/// assert_eq!(graph.edge_count(), 1);
/// assert_eq!((dropped.self_loops, dropped.duplicates), (1, 1));
/// # Ok::<(), gsn_core::graph::GraphError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GraphBuilder {
    order: usize,
    directed: bool,
    edges: Vec<(u32, u32)>,
    labels: Vec<u32>,
    vertex_labels: Option<Vec<u32>>,
}

impl GraphBuilder {
    /// An undirected graph of `order` vertices and no edges yet.
    pub fn undirected(order: usize) -> Self {
        Self { order, directed: false, edges: Vec::new(), labels: Vec::new(), vertex_labels: None }
    }

    /// A directed graph of `order` vertices and no arcs yet.
    pub fn directed(order: usize) -> Self {
        Self { directed: true, ..Self::undirected(order) }
    }

    /// Makes room for so many more edges.
    pub fn reserve(&mut self, edges: usize) -> &mut Self {
        self.edges.reserve(edges);
        self
    }

    /// Adds the edge (or, in a directed graph, the arc) `u`–`v`.
    pub fn edge(&mut self, u: u32, v: u32) -> &mut Self {
        self.edges.push((u, v));
        self
    }

    /// Adds the edge `u`–`v` with a label; label all edges or none.
    pub fn labelled_edge(&mut self, u: u32, v: u32, label: u32) -> &mut Self {
        self.edges.push((u, v));
        self.labels.push(label);
        self
    }

    /// Adds many edges (or arcs) without labels.
    pub fn edges(&mut self, edges: Vec<(u32, u32)>) -> &mut Self {
        if self.edges.is_empty() {
            self.edges = edges;
        } else {
            self.edges.extend(edges);
        }
        self
    }

    /// Sets the label of every vertex.
    pub fn vertex_labels(&mut self, labels: Vec<u32>) -> &mut Self {
        self.vertex_labels = Some(labels);
        self
    }

    /// Builds the graph.
    ///
    /// # Errors
    /// See [`GraphError`].
    pub fn build(&self) -> Result<Graph, GraphError> {
        self.build_reporting().map(|(graph, _)| graph)
    }

    /// Builds the graph and says how many loops and duplicates were dropped.
    ///
    /// # Errors
    /// See [`GraphError`].
    pub fn build_reporting(&self) -> Result<(Graph, Dropped), GraphError> {
        let order = self.order;
        if order >= u32::MAX as usize {
            return Err(GraphError::TooManyVertices(order));
        }
        if !self.labels.is_empty() && self.labels.len() != self.edges.len() {
            return Err(GraphError::PartlyLabelled {
                unlabelled: self.edges.len() - self.labels.len(),
                edges: self.edges.len(),
            });
        }
        if let Some(labels) = &self.vertex_labels
            && labels.len() != order
        {
            return Err(GraphError::LabelCount { labels: labels.len(), order });
        }
        let labelled = !self.labels.is_empty();
        memory::ask(self.bytes(), || {
            format!("a graph of {order} vertices and {} edges", self.edges.len())
        })?;
        if self.edges.len() >= MANY && !labelled {
            return self.build_many();
        }
        let mut dropped = Dropped::default();
        // Labels that contradict each other are named by the sort of single arcs below.
        if !self.directed
            && let Some((out, arc_labels)) = self.both_ways(&mut dropped)?
        {
            let vertex_labels = self.vertex_labels.clone();
            return Ok((Graph { vertex_labels, arc_labels, ..Graph::plain(out) }, dropped));
        }
        dropped = Dropped::default();
        let mut arcs: Vec<(u32, u32, u32)> =
            Vec::with_capacity(self.edges.len() * if self.directed { 1 } else { 2 });
        for (i, &(u, v)) in self.edges.iter().enumerate() {
            if u as usize >= order || v as usize >= order {
                return Err(GraphError::VertexOutOfRange { u, v, order });
            }
            if u == v {
                dropped.self_loops += 1;
                continue;
            }
            let label = if labelled { self.labels[i] } else { 0 };
            arcs.push((u, v, label));
            if !self.directed {
                arcs.push((v, u, label));
            }
        }
        if arcs.len() > MAX_ARCS {
            return Err(GraphError::TooManyArcs(arcs.len()));
        }
        arcs.sort_unstable();
        if let Some(pair) =
            arcs.windows(2).find(|w| (w[0].0, w[0].1) == (w[1].0, w[1].1) && w[0].2 != w[1].2)
        {
            let (u, v, first) = pair[0];
            return Err(GraphError::ContradictoryLabels { u, v, first, second: pair[1].2 });
        }
        let before = arcs.len();
        arcs.dedup();
        dropped.duplicates = (before - arcs.len()) / if self.directed { 1 } else { 2 };

        let out = adjacency(order, arcs.iter().map(|&(u, v, _)| (u, v)));
        let graph = Graph {
            directed: self.directed,
            incoming: self.directed.then(|| transpose(order, &arcs)),
            vertex_labels: self.vertex_labels.clone(),
            arc_labels: labelled.then(|| arcs.iter().map(|&(_, _, label)| label).collect()),
            ..Graph::plain(out)
        };
        Ok((graph, dropped))
    }

    /// Bytes that building takes at its height, beside the edges and labels that were given.
    fn bytes(&self) -> u64 {
        let an_edge = match (self.directed, self.labels.is_empty()) {
            (true, true) => 16,
            (true, false) => 32,
            (false, true) => 24,
            (false, false) => 48,
        };
        let (order, edges) = (self.order as u64, self.edges.len() as u64);
        order.saturating_mul(16).saturating_add(edges.saturating_mul(an_edge))
    }

    /// The same for many edges without labels.
    fn build_many(&self) -> Result<(Graph, Dropped), GraphError> {
        let Self { order, directed, ref edges, .. } = *self;
        let outside = |&&(u, v): &&(u32, u32)| u as usize >= order || v as usize >= order;
        if let Some(&(u, v)) = edges.par_iter().with_min_len(MANY).find_first(outside) {
            return Err(GraphError::VertexOutOfRange { u, v, order });
        }
        let loops = edges.par_iter().with_min_len(MANY).filter(|(u, v)| u == v).count();
        let ways = if directed { 1 } else { 2 };
        let given = (edges.len() - loops) * ways;
        if given > MAX_ARCS {
            return Err(GraphError::TooManyArcs(given));
        }
        let out = sorted_rows(order, edges, if directed { Ways::Forward } else { Ways::Both });
        let dropped = Dropped { self_loops: loops, duplicates: (given - out.targets.len()) / ways };
        let incoming = directed.then(|| sorted_rows(order, edges, Ways::Backward));
        let vertex_labels = self.vertex_labels.clone();
        Ok((Graph { directed, incoming, vertex_labels, ..Graph::plain(out) }, dropped))
    }

    /// The rows of an undirected graph and the labels of its arcs, if it has any, sorted in
    /// O(vertices + edges): every edge goes into the rows of both its ends, and turning all rows
    /// round puts each into order. Nothing if an edge is there twice with different labels.
    #[allow(clippy::type_complexity)] // rows and labels, as the graph keeps them
    fn both_ways(
        &self,
        dropped: &mut Dropped,
    ) -> Result<Option<(Adjacency, Option<Vec<u32>>)>, GraphError> {
        let order = self.order;
        for &(u, v) in &self.edges {
            if u as usize >= order || v as usize >= order {
                return Err(GraphError::VertexOutOfRange { u, v, order });
            }
            dropped.self_loops += usize::from(u == v);
        }
        let arcs = 2 * (self.edges.len() - dropped.self_loops);
        if arcs > MAX_ARCS {
            return Err(GraphError::TooManyArcs(arcs));
        }
        let mut offsets = vec![0u32; order + 1];
        for &(u, v) in self.edges.iter().filter(|(u, v)| u != v) {
            offsets[u as usize + 1] += 1;
            offsets[v as usize + 1] += 1;
        }
        for v in 0..order {
            offsets[v + 1] += offsets[v];
        }
        let mut next = offsets[..order].to_vec();
        let labelled = !self.labels.is_empty();
        let with_labels = if labelled { arcs } else { 0 };
        let (mut rows, mut row_labels) = (vec![0u32; arcs], vec![0u32; with_labels]);
        for (i, &(u, v)) in self.edges.iter().enumerate().filter(|(_, (u, v))| u != v) {
            for (from, to) in [(u, v), (v, u)] {
                let at = next[from as usize] as usize;
                next[from as usize] += 1;
                rows[at] = to;
                if labelled {
                    row_labels[at] = self.labels[i];
                }
            }
        }
        next.copy_from_slice(&offsets[..order]);
        let (mut targets, mut labels) = (vec![0u32; arcs], vec![0u32; with_labels]);
        for u in 0..order {
            for from in offsets[u] as usize..offsets[u + 1] as usize {
                let v = rows[from] as usize;
                let at = next[v] as usize;
                next[v] += 1;
                targets[at] = u as u32;
                if labelled {
                    labels[at] = row_labels[from];
                }
            }
        }
        let Some(kept) = drop_repeated(&mut offsets, &mut targets, &mut labels) else {
            return Ok(None);
        };
        dropped.duplicates = (arcs - kept) / 2;
        Ok(Some((Adjacency { offsets, targets }, labelled.then_some(labels))))
    }
}

/// Leaves out what stands twice in a sorted row; gives the number of arcs that are left, or nothing
/// if one stands there with different labels.
fn drop_repeated(
    offsets: &mut [u32],
    targets: &mut Vec<u32>,
    labels: &mut Vec<u32>,
) -> Option<usize> {
    let labelled = !labels.is_empty();
    let (mut kept, mut begin) = (0, 0);
    for v in 0..offsets.len() - 1 {
        let (first, end) = (kept, offsets[v + 1] as usize);
        for at in begin..end {
            let target = targets[at];
            let repeated = kept > first && targets[kept - 1] == target;
            if repeated && labelled && labels[kept - 1] != labels[at] {
                return None;
            }
            if !repeated {
                targets[kept] = target;
                if labelled {
                    labels[kept] = labels[at];
                }
                kept += 1;
            }
        }
        begin = end;
        offsets[v + 1] = kept as u32;
    }
    if kept < targets.len() {
        targets.truncate(kept);
        targets.shrink_to_fit();
        labels.truncate(kept);
        labels.shrink_to_fit();
    }
    Some(kept)
}

/// Rows from arcs that are sorted by source.
fn adjacency(order: usize, arcs: impl ExactSizeIterator<Item = (u32, u32)>) -> Adjacency {
    let mut offsets = vec![0u32; order + 1];
    let mut targets = Vec::with_capacity(arcs.len());
    for (u, v) in arcs {
        offsets[u as usize + 1] += 1;
        targets.push(v);
    }
    for v in 0..order {
        offsets[v + 1] += offsets[v];
    }
    Adjacency { offsets, targets }
}

fn transpose(order: usize, arcs: &[(u32, u32, u32)]) -> Adjacency {
    let mut turned: Vec<(u32, u32)> = arcs.iter().map(|&(u, v, _)| (v, u)).collect();
    turned.sort_unstable();
    adjacency(order, turned.into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Labels that are all the same are not for the way of many edges; the graph is the same.
        #[test]
        fn many_edges_give_the_graph_that_few_would(
            order in 40..600usize,
            ends in proptest::collection::vec((0..40u32, 0..600u32), MANY..400),
            directed: bool,
        ) {
            let edges: Vec<(u32, u32)> = ends.iter().map(|&(u, v)| (u, v % order as u32)).collect();
            let empty = if directed { GraphBuilder::directed } else { GraphBuilder::undirected };
            let (mut many, mut few) = (empty(order), empty(order));
            many.edges(edges.clone());
            edges.iter().for_each(|&(u, v)| {
                few.labelled_edge(u, v, 7);
            });
            let (found, dropped) = many.build_reporting().unwrap();
            let (mut expected, also_dropped) = few.build_reporting().unwrap();
            expected.arc_labels = None;
            prop_assert_eq!(found, expected);
            prop_assert_eq!(dropped, also_dropped);
            many.edge(3, order as u32);
            let outside = GraphError::VertexOutOfRange { u: 3, v: order as u32, order };
            prop_assert_eq!(many.build().unwrap_err(), outside);
        }

        /// Labels follow their edges; an edge with two labels is refused, whichever comes first.
        #[test]
        fn labels_follow_their_edges(
            edges in proptest::collection::vec((0u32..9, 0u32..9, 0u32..3), 1..30),
        ) {
            let mut builder = GraphBuilder::undirected(9);
            let mut expected = std::collections::BTreeMap::new();
            for &(u, v, label) in &edges {
                builder.labelled_edge(u, v, label);
                if u != v {
                    expected.entry((u.min(v), u.max(v))).or_insert_with(Vec::new).push(label);
                }
            }
            let built = builder.build_reporting();
            let contradiction = expected.iter_mut().find_map(|(&(u, v), labels)| {
                labels.sort_unstable();
                labels.dedup();
                let &[first, second, ..] = &labels[..] else { return None };
                Some(GraphError::ContradictoryLabels { u, v, first, second })
            });
            if let Some(contradiction) = contradiction {
                prop_assert_eq!(built.unwrap_err(), contradiction);
                return Ok(());
            }
            let (graph, dropped) = built.unwrap();
            let loops = edges.iter().filter(|(u, v, _)| u == v).count();
            prop_assert_eq!(dropped.self_loops, loops);
            prop_assert_eq!(dropped.duplicates, edges.len() - loops - expected.len());
            prop_assert_eq!(graph.edge_count(), expected.len());
            for ((u, v), label) in graph.arcs().zip(graph.arc_labels().unwrap()) {
                prop_assert_eq!(&expected[&(u.min(v), u.max(v))], &[*label]);
            }
        }

        #[test]
        fn edges_with_and_without_labels_make_the_same_graph(
            edges in proptest::collection::vec((0u32..9, 0u32..9), 0..60),
            isolated in 0usize..4,
        ) {
            let order = 9 + isolated;
            let (mut plain, mut labelled) =
                (GraphBuilder::undirected(order), GraphBuilder::undirected(order));
            for &(u, v) in &edges {
                plain.edge(u, v);
                labelled.labelled_edge(u, v, 0);
            }
            let (plain, labelled) =
                (plain.build_reporting().unwrap(), labelled.build_reporting().unwrap());
            prop_assert_eq!(plain.1, labelled.1);
            prop_assert_eq!(&plain.0.out, &labelled.0.out);
            let [plain, labelled] = [plain.0, labelled.0];
            for arc in 0..plain.arc_count() {
                prop_assert_eq!(plain.edge_id(arc), labelled.edge_id(arc));
            }
        }
    }
}
