//! The families have the properties they are named for.

use super::*;
use crate::graph::Graph;
use crate::random::Random;
use crate::wl::{Fwl, isomorphism_classes, refine, treewidth};

/// (n, k, λ, μ), if the graph is strongly regular.
fn strongly_regular(graph: &Graph) -> Option<(usize, usize, usize, usize)> {
    let n = graph.order() as u32;
    let common =
        |u: u32, v: u32| graph.neighbors(u).iter().filter(|&&w| graph.has_arc(v, w)).count();
    let degree = graph.degree(0);
    let (mut lambda, mut mu) = (None, None);
    for u in 0..n {
        if graph.degree(u) != degree {
            return None;
        }
        for v in 0..u {
            let slot = if graph.has_arc(u, v) { &mut lambda } else { &mut mu };
            if *slot.get_or_insert(common(u, v)) != common(u, v) {
                return None;
            }
        }
    }
    Some((n as usize, degree, lambda?, mu?))
}

#[test]
fn named_families_are_strongly_regular() {
    assert_eq!(strongly_regular(&rook(4, 4).unwrap()), Some((16, 6, 2, 2)));
    assert_eq!(strongly_regular(&shrikhande()), Some((16, 6, 2, 2)));
    for q in [5, 9, 13, 17, 25, 29, 49] {
        let expected = (q, (q - 1) / 2, (q - 5) / 4, (q - 1) / 4);
        assert_eq!(strongly_regular(&paley(q).unwrap()), Some(expected));
    }
    for q in [0, 1, 7, 15, 21, 27, 16, 100_049] {
        assert!(paley(q).is_err(), "{q}");
    }
}

#[test]
fn skip_links_are_circulants() {
    let ten: Vec<Graph> =
        [2, 3, 4, 5, 6, 9, 11, 12, 13, 16].map(|skip| csl(41, skip).unwrap()).into();
    assert_eq!(refine(&ten, &[]).unwrap().classes(), [0; 10]);
    let two = Fwl::new(2).unwrap().classes(&ten, &[]).unwrap();
    assert_eq!(two, (0..10).collect::<Vec<u32>>());
    for (order, skip) in [(41, 1), (41, 40), (8, 4), (4, 2), (10, 0)] {
        assert!(csl(order, skip).is_err());
    }
    assert!(circulant(5, &[5]).is_err());
}

#[test]
fn cfi_pairs_need_their_treewidth() {
    // k-FWL separates the pair exactly when the treewidth of the base is at most k.
    let bases: [&[(u32, u32)]; 4] = [
        &[(0, 1), (1, 2), (2, 0)],
        &[(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)],
        &[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)],
        &[(0, 3), (0, 4), (0, 5), (1, 3), (1, 4), (1, 5), (2, 3), (2, 4), (2, 5)],
    ];
    for edges in bases {
        let n = edges.iter().map(|&(u, v)| u.max(v) + 1).max().unwrap_or(0) as usize;
        let base = Graph::from_edges(n, edges.iter().copied()).unwrap();
        let pair = [cfi(&base, false).unwrap(), cfi(&base, true).unwrap()];
        assert_eq!(isomorphism_classes(&pair).unwrap().class, [0, 1]);
        assert_eq!(refine(&pair, &[]).unwrap().classes(), [0, 0]);
        let width = treewidth(&base).unwrap();
        let two = Fwl::new(2).unwrap().classes(&pair, &[]).unwrap();
        assert_eq!(two[0] != two[1], width <= 2);
        if pair[0].order() <= 24 {
            let three = Fwl::new(3).unwrap().classes(&pair, &[]).unwrap();
            assert_eq!(three[0] != three[1], width <= 3);
        }
    }
}

#[test]
fn a_twist_anywhere_is_the_same_twist() {
    // Twisting another edge is twisting the first edge of another numbering.
    let k4 = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let wheel = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4), (4, 1)];
    for base in [Graph::from_edges(4, k4).unwrap(), Graph::from_edges(5, wheel).unwrap()] {
        let mut random = Random::new(3);
        let twisted: Vec<Graph> = (0..8)
            .map(|_| cfi(&base.relabelled(&random.permutation(base.order())).unwrap(), true))
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(isomorphism_classes(&twisted).unwrap().class, [0; 8]);
    }
    for bad in [Graph::from_edges(3, []), Graph::from_edges(4, [(0, 1), (2, 3)])] {
        assert!(cfi(&bad.unwrap(), false).is_err());
    }
    assert!(cfi(&Graph::from_arcs(2, [(0, 1)]).unwrap(), false).is_err());
    assert!(cfi(&Graph::from_edges(18, (1..18).map(|v| (0, v))).unwrap(), false).is_err());
}

#[test]
fn random_families_keep_their_promises() {
    for seed in 0..20 {
        for (n, d) in [(10, 3), (10, 8), (7, 4), (1, 0), (50, 6), (12, 11)] {
            let graph = random_regular(n, d, seed).unwrap();
            assert!((0..n as u32).all(|v| graph.degree(v) == d));
            assert_eq!(graph, random_regular(n, d, seed).unwrap());
        }
        for n in [0, 1, 2, 3, 40] {
            let tree = random_tree(n, seed).unwrap();
            assert_eq!(tree.edge_count(), n.saturating_sub(1));
            assert!(n == 0 || treewidth(&tree).is_ok_and(|width| width <= 1) || n > 22);
        }
        assert_eq!(erdos_renyi(30, 0.0, seed).unwrap().edge_count(), 0);
        assert_eq!(erdos_renyi(30, 1.0, seed).unwrap().edge_count(), 435);
    }
    let edges: usize = (0..50).map(|s| erdos_renyi(60, 0.2, s).unwrap().edge_count()).sum();
    assert!((edges as f64 / 50.0 - 354.0).abs() < 15.0, "{edges}");
    let mean = (0..20)
        .map(|s| 2.0 * chung_lu(300, 2.8, 8.0, s).unwrap().edge_count() as f64 / 300.0)
        .sum::<f64>()
        / 20.0;
    assert!((mean - 8.0).abs() < 0.6, "{mean}");
    assert!(random_regular(5, 3, 0).is_err() && random_regular(4, 4, 0).is_err());
    assert!(erdos_renyi(5, 1.5, 0).is_err() && chung_lu(10, 1.5, 2.0, 0).is_err());
    assert!(chung_lu(10, 3.0, 20.0, 0).is_err());
}
