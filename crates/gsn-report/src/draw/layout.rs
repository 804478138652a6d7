//! Where the vertices of a small connected graph go. Deterministic.
//!
//! Cycles and cliques lie on a circle, trees are layered in rings around their centre and then
//! relaxed, everything else is placed by stress (see [`super::stress`]) from several starts, of which the one with
//! the fewest crossings wins. Costs O(n² + m²) a start.

use super::{Point, stress};
use gsn_core::random::Random;
use std::f64::consts::TAU;

/// Edges beyond which crossings are not counted.
const MANY_EDGES: usize = 300;

/// Places the vertices `0..order`. The result is centred at the origin with a mean edge length
/// of about 1.
pub fn layout(order: usize, edges: &[(usize, usize)]) -> Vec<Point> {
    let mut neighbours = vec![Vec::new(); order];
    for &(a, b) in edges {
        neighbours[a].push(b);
        neighbours[b].push(a);
    }
    let neighbours: Vec<Vec<usize>> = neighbours
        .into_iter()
        .map(|mut list| {
            list.sort_unstable();
            list.dedup();
            list
        })
        .collect();
    let size: usize = neighbours.iter().map(Vec::len).sum::<usize>() / 2;
    let mut places = if size + 1 == order {
        tree(&neighbours, edges)
    } else if neighbours.iter().all(|list| list.len() == 2) {
        circle(&around(&neighbours))
    } else if size == order * (order - 1) / 2 {
        circle(&(0..order).collect::<Vec<_>>())
    } else {
        best(&neighbours, edges)
    };
    scale(&mut places, edges);
    places
}

/// The vertices of a cycle in the order they are passed.
fn around(neighbours: &[Vec<usize>]) -> Vec<usize> {
    let (mut order, mut before) = (vec![0], usize::MAX);
    while order.len() < neighbours.len() {
        let here = order[order.len() - 1];
        let next = neighbours[here].iter().copied().find(|&v| v != before).unwrap_or(0);
        before = here;
        order.push(next);
    }
    order
}

/// The vertices on a circle, the first on top; an even number stands on an edge.
fn circle(order: &[usize]) -> Vec<Point> {
    let n = order.len() as f64;
    let turn = if order.len().is_multiple_of(2) { 0.5 } else { 0.0 };
    let mut places = vec![(0.0, 0.0); order.len()];
    for (i, &v) in order.iter().enumerate() {
        let angle = TAU * ((i as f64 + turn) / n - 0.25);
        places[v] = (angle.cos(), angle.sin());
    }
    places
}

/// A tree in rings around its centre, with edges of about one length where that causes no flaw.
fn tree(neighbours: &[Vec<usize>], edges: &[(usize, usize)]) -> Vec<Point> {
    let start = rings(neighbours);
    let settled = stress::settle(&stress::distances(neighbours), &start);
    if flaws(&settled, edges) <= flaws(&start, edges) { settled } else { start }
}

/// A tree in rings around its centre; every subtree gets a wedge by its number of leaves.
fn rings(neighbours: &[Vec<usize>]) -> Vec<Point> {
    let n = neighbours.len();
    // A centre is a vertex whose farthest vertex is nearest.
    let reach = |v| stress::distances_from(neighbours, v).into_iter().max().unwrap_or(0);
    let centre = (0..n).min_by_key(|&v| reach(v)).unwrap_or(0);
    let mut parents = vec![(centre, usize::MAX, 0usize)];
    let mut at = 0;
    while at < parents.len() {
        let (v, parent, depth) = parents[at];
        for &child in neighbours[v].iter().filter(|&&child| child != parent) {
            parents.push((child, v, depth + 1));
        }
        at += 1;
    }
    let mut leaves = vec![0.0f64; n];
    for &(v, parent, _) in parents.iter().rev() {
        leaves[v] = leaves[v].max(1.0);
        if parent != usize::MAX {
            leaves[parent] += leaves[v];
        }
    }
    let mut places = vec![(0.0, 0.0); n];
    let mut wedges = vec![(0.0, 0.0); n];
    // The first branch of a path then points to the left.
    wedges[centre] = (0.25 * TAU, TAU);
    for &(v, _, depth) in &parents {
        let (start, width) = wedges[v];
        let angle = start + width / 2.0;
        places[v] = (depth as f64 * angle.cos(), depth as f64 * angle.sin());
        let children = || neighbours[v].iter().filter(|&&c| wedges[c] == (0.0, 0.0) && c != centre);
        let all: f64 = children().map(|&c| leaves[c]).sum();
        let (mut from, mut given) = (start, Vec::new());
        for &child in children() {
            let share = width * leaves[child] / all;
            given.push((child, (from, share)));
            from += share;
        }
        for (child, wedge) in given {
            wedges[child] = wedge;
        }
    }
    places
}

/// The best of several placements.
fn best(neighbours: &[Vec<usize>], edges: &[(usize, usize)]) -> Vec<Point> {
    let n = neighbours.len();
    let distances = stress::distances(neighbours);
    let mut starts = vec![circle(&(0..n).collect::<Vec<_>>())];
    let mut random = Random::new(1);
    let mut anywhere = || (random.unit() - 0.5, random.unit() - 0.5);
    let more = if n <= 12 { 12 } else { 5 };
    starts.extend((0..more).map(|_| (0..n).map(|_| anywhere()).collect()));
    let mut candidates: Vec<Vec<Point>> =
        starts.iter().map(|start| stress::settle(&distances, start)).collect();
    candidates.push(starts.swap_remove(0));
    let score = |places: &Vec<Point>| {
        let flaws = if edges.len() <= MANY_EDGES { flaws(places, edges) } else { 0 };
        (flaws, stress::stress(&distances, places))
    };
    let mut scored: Vec<_> = candidates.into_iter().map(|p| (score(&p), p)).collect();
    scored.sort_by(|(a, _), (b, _)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut places = scored.swap_remove(0).1;
    level(&mut places);
    places
}

/// Crossings of edges, and vertices that lie on edges of others (which is worse).
fn flaws(places: &[Point], edges: &[(usize, usize)]) -> usize {
    let side = |p: Point, q: Point, r: Point| (q.0 - p.0) * (r.1 - p.1) - (q.1 - p.1) * (r.0 - p.0);
    let mut found = 0;
    for (i, &(a, b)) in edges.iter().enumerate() {
        let (p, q) = (places[a], places[b]);
        for &(c, d) in &edges[..i] {
            let (r, s) = (places[c], places[d]);
            let apart = a != c && a != d && b != c && b != d;
            let crosses =
                side(p, q, r) * side(p, q, s) < 0.0 && side(r, s, p) * side(r, s, q) < 0.0;
            found += usize::from(apart && crosses);
        }
        let length = (q.0 - p.0).hypot(q.1 - p.1).max(1e-9);
        for (v, &r) in places.iter().enumerate() {
            let along = ((r.0 - p.0) * (q.0 - p.0) + (r.1 - p.1) * (q.1 - p.1)) / (length * length);
            let near = side(p, q, r).abs() / length < 0.2 && (0.0..=1.0).contains(&along);
            found += if v != a && v != b && near { 4 } else { 0 };
        }
    }
    found
}

/// Turns the longest direction to the horizontal, since terminals are wide.
fn level(places: &mut [Point]) {
    let n = places.len() as f64;
    let (sx, sy) = places.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0, y + p.1));
    let (cx, cy) = (sx / n, sy / n);
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for p in places.iter() {
        let (x, y) = (p.0 - cx, p.1 - cy);
        (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
    }
    let angle = -0.5 * (2.0 * xy).atan2(xx - yy);
    let (sin, cos) = angle.sin_cos();
    for p in places {
        let (x, y) = (p.0 - cx, p.1 - cy);
        *p = (x * cos - y * sin, x * sin + y * cos);
    }
}

/// Centres the picture and makes the mean edge 1 long.
fn scale(places: &mut [Point], edges: &[(usize, usize)]) {
    let (low, high) = bounds(places);
    let (cx, cy) = ((low.0 + high.0) / 2.0, (low.1 + high.1) / 2.0);
    let length =
        |&(a, b): &(usize, usize)| (places[a].0 - places[b].0).hypot(places[a].1 - places[b].1);
    let mean = edges.iter().map(length).sum::<f64>() / edges.len().max(1) as f64;
    let factor = if mean > 1e-9 { 1.0 / mean } else { 1.0 };
    for p in places {
        *p = ((p.0 - cx) * factor, (p.1 - cy) * factor);
    }
}

/// Smallest and largest coordinates.
pub(super) fn bounds(places: &[Point]) -> (Point, Point) {
    let start = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
    places.iter().fold(start, |(low, high), p| {
        ((low.0.min(p.0), low.1.min(p.1)), (high.0.max(p.0), high.1.max(p.1)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closest(places: &[Point]) -> f64 {
        let pairs = (0..places.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        pairs
            .map(|(i, j)| (places[i].0 - places[j].0).hypot(places[i].1 - places[j].1))
            .fold(f64::MAX, f64::min)
    }

    #[test]
    fn vertices_keep_apart_and_the_same_graph_gets_the_same_picture() {
        let decalin: &[(usize, usize)] = &[
            (0, 1),
            (1, 2),
            (2, 3),
            (3, 4),
            (4, 5),
            (5, 0),
            (5, 6),
            (6, 7),
            (7, 8),
            (8, 9),
            (9, 0),
        ];
        let cases: [(usize, &[(usize, usize)]); 6] = [
            (2, &[(0, 1)]),
            (4, &[(0, 1), (1, 2), (2, 3)]),
            (5, &[(0, 1), (0, 2), (0, 3), (0, 4)]),
            (4, &[(0, 1), (1, 2), (2, 3), (3, 0)]),
            (5, &[(0, 1), (1, 2), (2, 3), (3, 0), (1, 3), (3, 4)]),
            (10, decalin),
        ];
        for (order, edges) in cases {
            let places = layout(order, edges);
            assert!(places.iter().all(|p| p.0.is_finite() && p.1.is_finite()));
            assert!(closest(&places) > 0.3, "{edges:?}: {places:?}");
            assert_eq!(places, layout(order, edges));
        }
        assert_eq!(flaws(&layout(10, decalin), decalin), 0);
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
            assert_eq!(flaws(&layout(order, edges), edges), 0, "{edges:?}");
        }
    }
}
