//! Occurrences of patterns in single graphs, for captions; within a budget, since a report should
//! not take longer than what it is about.

use gsn_core::{Budget, CountSpec, Counter, Graph, Matching, Scope};

/// Steps of one graph at most.
const STEPS: u64 = 20_000_000;

/// Counts whole graphs.
pub(crate) struct Counted {
    counter: Counter,
    /// Rows of the table that one occurrence is seen from.
    seen: Vec<f64>,
}

impl Counted {
    /// Counts these patterns as they are matched there.
    pub(crate) fn new(spec: &CountSpec) -> Self {
        let spec = spec.clone().with_scope(Scope::Vertex);
        let maps = spec.matching() == Matching::Homomorphism;
        let seen = |pattern: &gsn_core::Pattern| match maps {
            // Of a map every role is counted at one vertex, of which one orbit is enough.
            true => 0.0,
            false => pattern.order() as f64,
        };
        let seen = spec.patterns().iter().map(seen).collect();
        Self { counter: Counter::new(&spec).budget(Budget::steps(STEPS)), seen }
    }

    /// How often every pattern occurs in a graph; nothing if that takes too long.
    pub(crate) fn totals(&self, graph: &Graph) -> Option<Vec<f64>> {
        let counts = self.counter.count(graph).ok()?;
        let mut totals = vec![0.0; self.seen.len()];
        for (at, column) in counts.columns().iter().enumerate() {
            let seen = self.seen[column.pattern()];
            if seen == 0.0 && column.orbit() > 0 {
                continue;
            }
            let sum: f64 = counts.column(at).map(|x| x as f64).sum();
            totals[column.pattern()] += if seen == 0.0 { sum } else { sum / seen };
        }
        Some(totals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_occurrence_counts_once_whatever_the_scope() {
        // Two triangles at a vertex, and a tail.
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2), (4, 5)];
        let graph = Graph::from_edges(6, edges).unwrap();
        let spec = CountSpec::new("cycle:3,path:3".parse().unwrap());
        for scope in [Scope::Vertex, Scope::Edge, Scope::Arc] {
            let spec = spec.clone().with_scope(scope).with_matching(Matching::Subgraph);
            // Σ C(degree, 2) paths of three vertices.
            assert_eq!(Counted::new(&spec).totals(&graph), Some(vec![2.0, 12.0]));
        }
        // Six maps of a triangle onto each, and Σ degree² of the path.
        let maps = spec.with_matching(Matching::Homomorphism);
        assert_eq!(Counted::new(&maps).totals(&graph), Some(vec![12.0, 38.0]));
    }
}
