use super::*;
use gsn_core::random::Random;

fn closest(places: &[Point]) -> f64 {
    let pairs = (0..places.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.map(|(i, j)| distance(places[i], places[j])).fold(f64::MAX, f64::min)
}

const DECALIN: [(usize, usize); 11] =
    [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (5, 6), (6, 7), (7, 8), (8, 9), (9, 0)];

#[test]
fn vertices_keep_apart_and_the_same_graph_gets_the_same_picture() {
    let cases: [(usize, &[(usize, usize)]); 6] = [
        (2, &[(0, 1)]),
        (4, &[(0, 1), (1, 2), (2, 3)]),
        (5, &[(0, 1), (0, 2), (0, 3), (0, 4)]),
        (4, &[(0, 1), (1, 2), (2, 3), (3, 0)]),
        (5, &[(0, 1), (1, 2), (2, 3), (3, 0), (1, 3), (3, 4)]),
        (10, &DECALIN),
    ];
    for (order, edges) in cases {
        let places = layout(order, edges);
        assert!(places.iter().all(|p| p.0.is_finite() && p.1.is_finite()));
        assert!(closest(&places) > 0.3, "{edges:?}: {places:?}");
        assert_eq!(places, layout(order, edges));
    }
    assert_eq!(Flaws::of(&layout(10, &DECALIN), &DECALIN), Flaws::default());
}

#[test]
fn paths_lie_on_a_line_from_left_to_right() {
    let places = layout(4, &[(0, 1), (1, 2), (2, 3)]);
    assert!(places.windows(2).all(|w| w[1].0 > w[0].0 + 0.9), "{places:?}");
    assert!(places.iter().all(|p| p.1.abs() < 1e-9));
}

#[test]
fn planar_patterns_are_drawn_without_crossings() {
    // The square with one diagonal, the house, and two triangles joined by an edge.
    let cases: [(usize, &[(usize, usize)]); 3] = [
        (4, &[(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]),
        (5, &[(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4)]),
        (6, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)]),
    ];
    for (order, edges) in cases {
        assert_eq!(Flaws::of(&layout(order, edges), edges).weight(), 0, "{edges:?}");
    }
}

#[test]
fn fused_rings_are_regular_polygons() {
    // Six hexagons around a seventh: peri-fused throughout.
    let decalin = layout(10, &DECALIN);
    for ring in smallest_rings_of(10, &DECALIN) {
        assert_regular(&decalin, &ring);
    }
}

fn assert_regular(places: &[Point], ring: &[usize]) {
    let centre = super::super::plane::mean(ring.iter().map(|&v| &places[v]));
    for (i, &v) in ring.iter().enumerate() {
        let side = distance(places[v], places[ring[(i + 1) % ring.len()]]);
        let radius = distance(places[v], centre);
        assert!((side - 1.0).abs() < 1e-6, "{side}");
        assert!((radius - system::radius(ring.len())).abs() < 1e-6, "{radius}");
    }
}

/// A random graph with `n` vertices and about `m` edges.
fn random_graph(random: &mut Random, n: usize, m: usize) -> Vec<(usize, usize)> {
    let mut edges: Vec<(usize, usize)> = (0..m)
        .map(|_| (random.below(n), random.below(n)))
        .filter(|(a, b)| a != b)
        .map(|(a, b)| (a.min(b), a.max(b)))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

#[test]
fn random_graphs_have_finite_places_that_differ() {
    let mut random = Random::new(5);
    for _ in 0..200 {
        let n = 1 + random.below(24);
        let m = random.below(2 * n);
        let edges = random_graph(&mut random, n, m);
        let places = layout(n, &edges);
        assert_eq!(places.len(), n);
        assert!(places.iter().all(|p| p.0.is_finite() && p.1.is_finite()), "{n} {edges:?}");
        assert!(n < 2 || closest(&places) > 0.05, "{} {n} {edges:?}", closest(&places));
    }
}

#[test]
fn large_graphs_are_placed_too() {
    let mut random = Random::new(6);
    let edges: Vec<(usize, usize)> = (1..4000).map(|v| (random.below(v), v)).collect();
    assert!(layout(4000, &edges).iter().all(|p| p.0.is_finite() && p.1.is_finite()));
    assert!(layout(0, &[]).is_empty());
}
