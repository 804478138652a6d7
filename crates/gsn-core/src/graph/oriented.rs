//! A degeneracy order and the arcs that point forward in it.
//!
//! The next vertex is always one of smallest degree among those left, so every vertex has few
//! later neighbours: at most the degeneracy, which is never above √(2m). Each edge is kept once, at
//! its earlier end. O(n + m) time and memory, reused from graph to graph.

use super::Graph;
use std::ops::Range;

/// A graph whose edges point forward in a degeneracy order.
#[derive(Debug, Default)]
pub(crate) struct OrientedGraph {
    /// Vertices in order.
    pub(crate) order: Vec<u32>,
    /// Position of every vertex in the order.
    pub(crate) rank: Vec<u32>,
    starts: Vec<u32>,
    targets: Vec<u32>,
    edges: Vec<u32>,
    bucket: Vec<u32>,
    degree: Vec<u32>,
}

impl OrientedGraph {
    /// Later neighbours of `v`, in increasing order of their numbers.
    pub(crate) fn neighbors(&self, v: u32) -> &[u32] {
        &self.targets[self.range(v)]
    }

    /// Edges to them.
    pub(crate) fn edges(&self, v: u32) -> &[u32] {
        &self.edges[self.range(v)]
    }

    fn range(&self, v: u32) -> Range<usize> {
        self.starts[v as usize] as usize..self.starts[v as usize + 1] as usize
    }

    /// Orients an undirected graph, in place of the last one.
    pub(crate) fn orient(&mut self, graph: &Graph) {
        self.sort(graph);
        self.starts.clear();
        self.targets.clear();
        self.edges.clear();
        self.starts.push(0);
        for v in 0..graph.order() as u32 {
            for arc in graph.arcs_of(v) {
                let w = graph.arc_target(arc);
                if self.rank[v as usize] < self.rank[w as usize] {
                    self.targets.push(w);
                    self.edges.push(graph.edge_id(arc) as u32);
                }
            }
            self.starts.push(self.targets.len() as u32);
        }
    }

    /// Bucket sort by degree; a vertex that loses a neighbour changes places with the first of
    /// its bucket (Batagelj and Zaveršnik).
    fn sort(&mut self, graph: &Graph) {
        let n = graph.order();
        self.degree.clear();
        self.degree.extend((0..n as u32).map(|v| graph.degree(v) as u32));
        self.bucket.clear();
        self.bucket.resize(graph.max_degree() + 2, 0);
        for &degree in &self.degree {
            self.bucket[degree as usize + 1] += 1;
        }
        for degree in 1..self.bucket.len() {
            self.bucket[degree] += self.bucket[degree - 1];
        }
        self.order.clear();
        self.order.resize(n, 0);
        self.rank.clear();
        self.rank.resize(n, 0);
        for v in 0..n {
            let at = &mut self.bucket[self.degree[v] as usize];
            self.order[*at as usize] = v as u32;
            self.rank[v] = *at;
            *at += 1;
        }
        // Each entry has become the start of the next bucket.
        self.bucket.rotate_right(1);
        self.bucket[0] = 0;
        for i in 0..n {
            let v = self.order[i];
            for &w in graph.neighbors(v) {
                let degree = self.degree[w as usize];
                if degree <= self.degree[v as usize] {
                    continue;
                }
                // Everything before i is done, so the bucket starts after it.
                let first = self.bucket[degree as usize].max(i as u32 + 1);
                let (at, other) = (self.rank[w as usize], self.order[first as usize]);
                self.order.swap(at as usize, first as usize);
                self.rank[w as usize] = first;
                self.rank[other as usize] = at;
                self.bucket[degree as usize] = first + 1;
                self.degree[w as usize] -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        /// No vertex has more later neighbours than the degeneracy.
        #[test]
        fn later_neighbours_are_few(
            edges in proptest::collection::vec((0..20u32, 0..20u32), 0..120)
        ) {
            let graph = Graph::from_edges(20, edges).unwrap();
            let mut oriented = OrientedGraph::default();
            oriented.orient(&graph);
            let mut left: Vec<u32> = (0..20).collect();
            let mut degeneracy = 0;
            while !left.is_empty() {
                let inside = |v: u32| graph.neighbors(v).iter().filter(|w| left.contains(w)).count();
                let next = *left.iter().min_by_key(|&&v| inside(v)).unwrap();
                degeneracy = degeneracy.max(inside(next));
                left.retain(|&v| v != next);
            }
            for (i, &v) in oriented.order.iter().enumerate() {
                proptest::prop_assert_eq!(oriented.rank[v as usize], i as u32);
                proptest::prop_assert!(oriented.neighbors(v).len() <= degeneracy);
            }
            let kept: usize = (0..20).map(|v| oriented.neighbors(v).len()).sum();
            proptest::prop_assert_eq!(kept, graph.edge_count());
            let all: Vec<_> = graph.edges().collect();
            for v in 0..20 {
                for (&w, &edge) in oriented.neighbors(v).iter().zip(oriented.edges(v)) {
                    proptest::prop_assert_eq!(all[edge as usize], (v.min(w), v.max(w)));
                }
            }
        }
    }
}
