//! [`Part`]: one of several shares of the work on one graph.
//!
//! A kernel's work is cut by roots, and what a root adds to the tables does not depend on the
//! others. So the roots of every kernel are cut into as many ranges as there are parts, of about
//! equal predicted weight, and a part runs its range of each. Every occurrence has exactly one
//! root; the counts of all parts add up to the counts of the graph.

use std::ops::Range;

/// One of several parts of a count in one graph; see [`Counter::with_part`](super::Counter::with_part).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    index: usize,
    of: usize,
}

impl Part {
    /// Part number `index`, from 0, of `of`; nothing if there is no such part.
    ///
    /// ```
    /// use gsn_core::count::Part;
    /// assert!(Part::new(2, 3).is_some());
    /// assert!(Part::new(3, 3).is_none());
    /// ```
    pub fn new(index: usize, of: usize) -> Option<Self> {
        (index < of).then_some(Self { index, of })
    }

    /// All parts of so many.
    pub fn all(of: usize) -> impl Iterator<Item = Self> {
        (0..of).map(move |index| Self { index, of })
    }

    /// Its number, from 0.
    pub fn index(self) -> usize {
        self.index
    }

    /// How many parts there are.
    pub fn of(self) -> usize {
        self.of
    }

    /// Its range of a kernel's roots: a root belongs to the part that the middle of its weight
    /// lies in, so the ranges of all parts are next to each other and cover all roots.
    pub(super) fn of_roots(self, weights: &[f64]) -> Range<usize> {
        let all: f64 = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let mut before = 0.0;
        let part = |weight: f64| {
            let middle = (before + 0.5 * weight) / all;
            before += weight;
            ((middle * self.of as f64) as usize).min(self.of - 1)
        };
        let owner: Vec<usize> = weights.iter().copied().map(part).collect();
        let first = |index: usize| owner.partition_point(|&owner| owner < index);
        first(self.index)..first(self.index + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::testing::{graphs, wide_graphs};
    use crate::{CountSpec, Counter, Graph, GraphBuilder, Matching, Scope};
    use proptest::prelude::*;

    /// The sum over all parts is the whole, in all scopes and matchings.
    fn check(patterns: &str, graph: &Graph, of: usize) {
        let spec = CountSpec::new(patterns.parse().unwrap());
        for scope in [Scope::Vertex, Scope::Edge, Scope::Arc] {
            if graph.is_directed() && scope == Scope::Edge {
                continue;
            }
            for matching in [Matching::Induced, Matching::Subgraph] {
                let spec = spec.clone().with_scope(scope).with_matching(matching);
                let counter = Counter::new(&spec);
                let whole = counter.count(graph).unwrap().values().to_vec();
                let mut sum = vec![0; whole.len()];
                for part in Part::all(of) {
                    let counts = counter.clone().with_part(part).count(graph).unwrap();
                    for (sum, &count) in sum.iter_mut().zip(counts.values()) {
                        *sum += count;
                    }
                }
                assert_eq!(sum, whole, "{patterns} {scope:?} {matching:?} in {of} parts");
            }
        }
    }

    const FAMILIES: [&str; 8] = [
        "cycle:3..=7",
        "path:2..=6",
        "clique:3..=6",
        "star:2..=5",
        "all:3..=5",
        "edges:0-1,1-2,2-0,2-3,edges:0-1,1-2,2-0,0-3,1-4",
        "edges:0-1,1-2,2-3,3-4,4-5,5-0,0-3",
        "cycle:3..=6,clique:4,path:4,star:4",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn parts_add_up(graph in graphs(1..11), of in 1..6usize) {
            for patterns in FAMILIES {
                check(patterns, &graph, of);
            }
        }

        #[test]
        fn parts_of_graphs_wider_than_a_word_add_up(graph in wide_graphs(), of in 1..9usize) {
            for patterns in FAMILIES {
                check(patterns, &graph, of);
            }
        }

        #[test]
        fn parts_of_directed_and_labelled_graphs_add_up(graph in graphs(3..12), of in 1..6usize) {
            let mut directed = GraphBuilder::directed(graph.order());
            let mut labelled = GraphBuilder::undirected(graph.order());
            for (u, v) in graph.edges() {
                directed.edge(if (u + v) % 3 == 0 { v } else { u }, if (u + v) % 3 == 0 { u } else { v });
                labelled.labelled_edge(u, v, u % 2);
            }
            labelled.vertex_labels((0..graph.order() as u32).map(|v| v % 3).collect());
            check("edges:0>1,1>2,2>0", &directed.build().unwrap(), of);
            check("edges:0@1-1@0:1,1@0-2", &labelled.build().unwrap(), of);
        }

        #[test]
        fn ranges_cover_all_roots_once(
            weights in prop::collection::vec(0.0..100.0f64, 0..50),
            of in 1..70usize,
        ) {
            let mut next = 0;
            for part in Part::all(of) {
                let range = part.of_roots(&weights);
                prop_assert_eq!(range.start, next);
                next = range.end;
            }
            prop_assert_eq!(next, weights.len());
        }
    }

    #[test]
    fn ranges_have_about_equal_weight() {
        let weight = |root: usize| if root < 10 { 90.0 } else { 1.0 };
        for part in Part::all(4) {
            let range = part.of_roots(&(0..910).map(weight).collect::<Vec<f64>>());
            let sum: f64 = range.map(weight).sum();
            assert!((360.0..=540.0).contains(&sum), "{part:?}: {sum}");
        }
    }
}
