use super::*;
use crate::GraphBuilder;
use crate::count::testing::{Tested, complete};
use proptest::prelude::*;

fn compare(pattern: &Pattern, graph: &Graph) {
    Tested::<MatcherKernel>::new(std::slice::from_ref(pattern)).check(graph);
}

/// A random connected pattern and a random graph, with or without directions and labels.
fn cases(max_order: usize) -> impl Strategy<Value = (Pattern, Graph)> {
    (2..=max_order, 0..9usize, 0.0..0.9f64, any::<[bool; 3]>(), any::<u64>()).prop_map(
        |(k, n, density, [directed, vertex_labels, edge_labels], seed)| {
            let mut rng = proptest::test_runner::TestRng::from_seed(
                proptest::test_runner::RngAlgorithm::ChaCha,
                &std::array::from_fn::<u8, 32, _>(|i| (seed >> (i % 8 * 8)) as u8),
            );
            let mut chance = |p: f64| f64::from(rng.next_u32()) / f64::from(u32::MAX) < p;
            let mut edges = Vec::new();
            for b in 1..k {
                let parent = (0..b - 1).find(|_| chance(0.5)).unwrap_or(b - 1);
                for a in 0..b {
                    if a == parent || chance(0.3) {
                        let forward = !directed || chance(0.5);
                        edges.push(if forward { (a, b) } else { (b, a) });
                        if directed && chance(0.3) {
                            edges.push(if forward { (b, a) } else { (a, b) });
                        }
                    }
                }
            }
            let mut pattern = if directed {
                Pattern::directed("directed", k, &edges)
            } else {
                Pattern::new("undirected", k, &edges)
            }
            .unwrap();
            let mut builder =
                if directed { GraphBuilder::directed(n) } else { GraphBuilder::undirected(n) };
            for v in 0..k {
                if vertex_labels && chance(0.7) {
                    pattern = pattern.with_vertex_label(v, u32::from(chance(0.4))).unwrap();
                }
            }
            for &(a, b) in &edges {
                if edge_labels && chance(0.6) {
                    pattern = pattern.with_edge_label(a, b, u32::from(chance(0.3))).unwrap();
                }
            }
            for u in 0..n as u32 {
                for v in 0..n as u32 {
                    if (if directed { u != v } else { u < v }) && chance(density) {
                        match edge_labels {
                            true => builder.labelled_edge(u, v, u32::from(chance(0.3))),
                            false => builder.edge(u, v),
                        };
                    }
                }
            }
            if vertex_labels {
                builder.vertex_labels((0..n).map(|_| u32::from(chance(0.4))).collect());
            }
            // A graph without edges keeps no edge labels.
            (pattern, builder.build().unwrap())
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn agrees_with_the_oracle((pattern, graph) in cases(6)) {
        compare(&pattern, &graph);
    }
}

/// Complete bipartite and other graphs whose vertices are nearly all interchangeable.
#[test]
fn patterns_of_twins() {
    let shapes: [(usize, &[(usize, usize)]); 4] = [
        (4, &[(0, 1), (1, 2), (2, 3), (3, 0)]),
        (5, &[(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)]),
        (6, &[(0, 1), (0, 2), (0, 3), (1, 4), (1, 5)]),
        (6, &[(0, 3), (0, 4), (0, 5), (1, 3), (1, 4), (1, 5), (2, 3), (2, 4), (2, 5)]),
    ];
    for (order, edges) in shapes {
        compare(&Pattern::new("twins", order, edges).unwrap(), &complete(7));
    }
}
