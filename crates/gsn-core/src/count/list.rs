//! Occurrences themselves, one by one, where counts are not enough.
//!
//! A search that binds one pattern vertex after the other in a connected order. Symmetry is broken as in the matcher: the
//! orbit of a vertex under the automorphisms that fix those before it goes to larger graph vertices than itself,
//! which exactly one of the |Aut(H)| maps onto an occurrence obeys. O(n · d^(k−1)) steps to the last occurrence; the
//! memory does not grow with their number.

use super::Matching;
use crate::graph::Graph;
use crate::orbit::stabiliser_orbits;
use crate::pattern::{Pattern, bits};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Steps between two looks at the switch that stops a search.
const PERIOD: u64 = 1 << 12;

/// The occurrences of a pattern in a graph, each once; for homomorphism matching the maps, each once.
///
/// An item holds the graph vertex of every pattern vertex, in the order of the pattern's vertices: its role. Items come in
/// an order that depends on pattern and graph alone. Labels and directions are kept; a pattern that asks for labels
/// finds nothing in a graph without them.
///
/// ```
/// use gsn_core::count::Occurrences;
/// use gsn_core::{Graph, Matching, PatternSet};
/// let two_triangles = Graph::from_edges(4, [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)])?;
/// let patterns: PatternSet = "cycle:3".parse()?;
/// let found: Vec<_> =
///     Occurrences::new(&patterns.patterns()[0], &two_triangles, Matching::Induced).collect();
/// assert_eq!(found, [[0, 1, 2], [1, 2, 3]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Occurrences<'a> {
    pattern: &'a Pattern,
    graph: &'a Graph,
    matching: Matching,
    /// Pattern vertices in the order in which they are bound.
    order: Vec<usize>,
    /// For every place in the order, pattern vertices that must have smaller images.
    above: Vec<Vec<usize>>,
    image: Vec<u32>,
    /// What is still to be tried at every place that is open.
    open: Vec<Candidates<'a>>,
    steps: u64,
    stop: Option<Arc<AtomicBool>>,
}

/// Graph vertices that a pattern vertex may go to.
#[derive(Clone, Debug)]
enum Candidates<'a> {
    All(std::ops::Range<u32>),
    Of(std::slice::Iter<'a, u32>),
}

impl Candidates<'_> {
    fn next(&mut self) -> Option<u32> {
        match self {
            Self::All(range) => range.next(),
            Self::Of(list) => list.next().copied(),
        }
    }
}

impl<'a> Occurrences<'a> {
    /// The occurrences of `pattern` in `graph`.
    pub fn new(pattern: &'a Pattern, graph: &'a Graph, matching: Matching) -> Self {
        let order = connected_order(pattern);
        let mut above = vec![Vec::new(); order.len()];
        // Maps that are counted one by one are all different already.
        if matching != Matching::Homomorphism {
            for (at, orbit) in stabiliser_orbits(pattern, &order).into_iter().enumerate() {
                for b in bits(orbit & !(1 << order[at])) {
                    let later = order.iter().position(|&c| c == b).unwrap_or(at);
                    above[later].push(order[at]);
                }
            }
        }
        let image = vec![u32::MAX; pattern.order()];
        let open = vec![Candidates::All(0..graph.order() as u32)];
        Self { pattern, graph, matching, order, above, image, open, steps: 0, stop: None }
    }

    /// Ends the search soon after `switch` is turned on; what was found before stays found.
    #[must_use]
    pub fn stop_when(self, switch: Arc<AtomicBool>) -> Self {
        Self { stop: Some(switch), ..self }
    }

    /// What the vertex at place `at` may be, as the shortest list of neighbours says.
    fn candidates(&self, at: usize) -> Candidates<'a> {
        let a = self.order[at];
        let bound =
            self.order[..at].iter().filter(|&&b| self.pattern.neighbor_set(a) >> b & 1 == 1);
        let list = |&b: &usize| {
            if self.pattern.has_arc(b, a) {
                self.graph.neighbors(self.image[b])
            } else {
                self.graph.in_neighbors(self.image[b])
            }
        };
        match bound.map(list).min_by_key(|list| list.len()) {
            Some(list) => Candidates::Of(list.iter()),
            None => Candidates::All(0..self.graph.order() as u32),
        }
    }

    /// Whether the vertex at place `at` may go to `v`.
    fn fits(&self, at: usize, v: u32) -> bool {
        let (pattern, graph, a) = (self.pattern, self.graph, self.order[at]);
        if let Some(label) = pattern.vertex_label(a)
            && graph.vertex_labels().is_none_or(|labels| labels[v as usize] != label)
        {
            return false;
        }
        if self.above[at].iter().any(|&b| self.image[b] >= v) {
            return false;
        }
        self.order[..at].iter().all(|&b| {
            let w = self.image[b];
            (self.matching == Matching::Homomorphism || v != w)
                && self.arc_fits((a, b), (v, w))
                && (!pattern.is_directed() || self.arc_fits((b, a), (w, v)))
        })
    }

    fn arc_fits(&self, (a, b): (usize, usize), (v, w): (u32, u32)) -> bool {
        let there = self.graph.arc_id(v, w);
        if !self.pattern.has_arc(a, b) {
            return there.is_none() || self.matching != Matching::Induced;
        }
        let Some(arc) = there else { return false };
        match self.pattern.arc_label(a, b) {
            Some(label) => self.graph.arc_labels().is_some_and(|labels| labels[arc] == label),
            None => true,
        }
    }
}

impl Iterator for Occurrences<'_> {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Vec<u32>> {
        loop {
            let at = self.open.len().checked_sub(1)?;
            let Some(v) = self.open[at].next() else {
                self.open.pop();
                continue;
            };
            self.steps += 1;
            if self.steps.is_multiple_of(PERIOD)
                && self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
            {
                self.open.clear();
                return None;
            }
            if !self.fits(at, v) {
                continue;
            }
            self.image[self.order[at]] = v;
            if at + 1 == self.order.len() {
                return Some(self.image.clone());
            }
            self.open.push(self.candidates(at + 1));
        }
    }
}

/// Pattern vertices so that each is joined to one before it, and to as many as can be.
fn connected_order(pattern: &Pattern) -> Vec<usize> {
    let mut order = Vec::with_capacity(pattern.order());
    let mut bound = 0u64;
    while order.len() < pattern.order() {
        let joined = |a: usize| (pattern.neighbor_set(a) & bound).count_ones();
        let degree = |a: usize| pattern.neighbor_set(a).count_ones();
        let free = (0..pattern.order()).rev().filter(|&a| bound >> a & 1 == 0);
        let Some(next) = free.max_by_key(|&a| (joined(a), degree(a))) else { break };
        bound |= 1 << next;
        order.push(next);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::super::{Coverage, oracle};
    use super::*;
    use crate::graph::GraphBuilder;
    use crate::random::Random;
    use crate::{CountSpec, Counter, PatternSet};
    use std::collections::BTreeSet;

    const ALL: [Matching; 3] = [Matching::Induced, Matching::Subgraph, Matching::Homomorphism];

    /// A graph with labels 0 and 1 on vertices and edges, directed or not.
    fn random_graph(random: &mut Random, order: usize, directed: bool) -> Graph {
        let mut builder =
            if directed { GraphBuilder::directed(order) } else { GraphBuilder::undirected(order) };
        builder.vertex_labels((0..order).map(|_| random.below(2) as u32).collect());
        for u in 0..order as u32 {
            for v in (0..order as u32).filter(|&v| v != u && (directed || u < v)) {
                if random.below(5) < 2 {
                    builder.labelled_edge(u, v, random.below(2) as u32);
                }
            }
        }
        builder.build().unwrap()
    }

    /// A vertex or an arc, and the label that the pattern asks for there.
    type Asked<X> = BTreeSet<(X, Option<u32>)>;

    /// What an occurrence is, whatever the order of its roles: its vertices and its arcs, with what is asked of them.
    fn body(pattern: &Pattern, image: &[u32]) -> (Asked<u32>, Asked<(u32, u32)>) {
        let vertices = image.iter().enumerate().map(|(a, &v)| (v, pattern.vertex_label(a)));
        let arcs = pattern.arcs();
        let arcs = arcs.map(|(a, b)| ((image[a], image[b]), pattern.arc_label(a, b)));
        (vertices.collect(), arcs.collect())
    }

    #[test]
    fn every_occurrence_is_found_once_and_all_are_as_many_as_are_counted() {
        let undirected = "all:2..=4, cycle:5, star:4, edges:0@1-1,1-2@0, edges:0-1:1,1-2,2-0";
        let directed =
            "edges:0>1, edges:0>1,1>2,2>0, edges:0>1,0>2, edges:0>1,1>0,1>2, edges:0@1>1:0";
        let mut random = Random::new(3);
        for round in 0..12 {
            let is_directed = round % 2 == 1;
            let set: PatternSet = if is_directed { directed } else { undirected }.parse().unwrap();
            let order = 1 + random.below(8);
            let graph = random_graph(&mut random, order, is_directed);
            for matching in ALL {
                let spec = CountSpec::new(set.clone()).with_matching(matching);
                // A graph without edges has no labels of edges to be compared with.
                let Ok(counts) = Counter::new(&spec).count(&graph) else { continue };
                let totals = Coverage::of(&spec).totals(&counts);
                for (pattern, total) in set.iter().zip(totals) {
                    let found: Vec<Vec<u32>> =
                        Occurrences::new(pattern, &graph, matching).collect();
                    let maps = oracle::maps(pattern, &graph, matching).maps;
                    let name = (pattern.name(), matching, &graph);
                    assert_eq!(total, found.len() as u128, "{name:?}");
                    if matching == Matching::Homomorphism {
                        assert_eq!(found.len() as u64, maps, "{name:?}");
                        let different: BTreeSet<_> = found.iter().collect();
                        assert_eq!(different.len(), found.len(), "{name:?}");
                        continue;
                    }
                    let symmetries = oracle::automorphism_count(pattern);
                    assert_eq!(found.len() as u64 * symmetries, maps, "{name:?}");
                    let bodies: BTreeSet<_> = found.iter().map(|f| body(pattern, f)).collect();
                    assert_eq!(bodies.len(), found.len(), "{name:?}");
                    for image in &found {
                        let fixed: Vec<(usize, u32)> = image.iter().copied().enumerate().collect();
                        let through = oracle::maps_through(pattern, &graph, matching, &fixed, 1000);
                        assert_eq!(through, Some(1), "{name:?} {image:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_search_that_is_told_to_stop_ends() {
        let edges = (0..60u32).flat_map(|u| (0..u).map(move |v| (v, u)));
        let dense = Graph::from_edges(60, edges).unwrap();
        let set: PatternSet = "clique:6".parse().unwrap();
        let switch = Arc::new(AtomicBool::new(true));
        let found = Occurrences::new(&set.patterns()[0], &dense, Matching::Subgraph)
            .stop_when(switch)
            .count();
        assert!((found as u64) < PERIOD, "{found}");
    }
}
