//! Where the vertices of a connected graph of any kind go.
//!
//! Cycles and cliques lie on a circle, trees are layered in rings around their centre and then
//! relaxed, everything else is placed by stress (see [`super::stress`]) from several starts, of which the one with
//! the fewest flaws wins. Costs O(n² + m²) a start.

use super::flaws::Flaws;
use super::stress::{Wanted, distances_from};
use crate::draw::plane::{Point, bounds, mean, rotate, sub, times, turn};
use gsn_core::random::Random;

/// Edges beyond which crossings are not counted.
const MANY_EDGES: usize = 300;
/// Vertices beyond which all distances would take too much memory and time.
const MANY_VERTICES: usize = 1500;

/// Places a connected graph that is no ring system with chains.
pub(super) fn place(neighbours: &[Vec<usize>], edges: &[(usize, usize)]) -> Vec<Point> {
    let order = neighbours.len();
    if order > MANY_VERTICES {
        rings(neighbours)
    } else if edges.len() + 1 == order {
        tree(neighbours, edges)
    } else if neighbours.iter().all(|list| list.len() == 2) {
        circle(&around(neighbours))
    } else if 2 * edges.len() == order * (order - 1) {
        circle(&(0..order).collect::<Vec<_>>())
    } else {
        best(neighbours, edges)
    }
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

/// The vertices on a circle with sides of length 1, the first on top; an even number stands on an edge.
pub(super) fn circle(order: &[usize]) -> Vec<Point> {
    let n = order.len() as f64;
    let shift = if order.len().is_multiple_of(2) { 0.5 } else { 0.0 };
    let radius = if order.len() > 1 { 0.5 / turn(0.5 / n).1 } else { 0.0 };
    let mut places = vec![(0.0, 0.0); order.len()];
    for (i, &v) in order.iter().enumerate() {
        places[v] = times(radius, turn((i as f64 + shift) / n - 0.25));
    }
    places
}

/// A tree in rings around its centre, with edges of about one length where that causes no flaw.
fn tree(neighbours: &[Vec<usize>], edges: &[(usize, usize)]) -> Vec<Point> {
    let start = rings(neighbours);
    if edges.len() > MANY_EDGES {
        return start;
    }
    let settled = Wanted::of(neighbours).settle(&start);
    let weight = |places: &[Point]| Flaws::of(places, edges).weight();
    if weight(&settled) <= weight(&start) { settled } else { start }
}

/// A tree in rings around its centre, every subtree in a wedge by its number of leaves; of other graphs a tree of
/// shortest paths.
fn rings(neighbours: &[Vec<usize>]) -> Vec<Point> {
    let n = neighbours.len();
    // A centre is a vertex whose farthest vertex is nearest; in large graphs one of many neighbours will do.
    let reach = |v| distances_from(neighbours, v).into_iter().max().unwrap_or(0);
    let centre = if n <= MANY_VERTICES {
        (0..n).min_by_key(|&v| reach(v)).unwrap_or(0)
    } else {
        (0..n).rev().max_by_key(|&v| neighbours[v].len()).unwrap_or(0)
    };
    let mut seen = vec![false; n];
    seen[centre] = true;
    let mut found = vec![(centre, usize::MAX, 0usize)];
    let mut children = vec![Vec::new(); n];
    let mut at = 0;
    while at < found.len() {
        let (v, _, depth) = found[at];
        for &child in &neighbours[v] {
            if !std::mem::replace(&mut seen[child], true) {
                found.push((child, v, depth + 1));
                children[v].push(child);
            }
        }
        at += 1;
    }
    let mut leaves = vec![0.0f64; n];
    for &(v, parent, _) in found.iter().rev() {
        leaves[v] = leaves[v].max(1.0);
        if parent != usize::MAX {
            leaves[parent] += leaves[v];
        }
    }
    let mut places = vec![(0.0, 0.0); n];
    let mut wedges = vec![(0.0, 0.0); n];
    // The first branch of a path then points to the left.
    wedges[centre] = (0.25, 1.0);
    for &(v, _, depth) in &found {
        let (mut from, width) = wedges[v];
        places[v] = times(depth as f64, turn(from + width / 2.0));
        let all: f64 = children[v].iter().map(|&c| leaves[c]).sum();
        for &child in &children[v] {
            let share = width * leaves[child] / all;
            wedges[child] = (from, share);
            from += share;
        }
    }
    places
}

/// The best of several placements.
fn best(neighbours: &[Vec<usize>], edges: &[(usize, usize)]) -> Vec<Point> {
    let n = neighbours.len();
    let wanted = Wanted::of(neighbours);
    let ring = circle(&(0..n).collect::<Vec<_>>());
    let mut random = Random::new(1);
    let mut anywhere = || (random.unit() - 0.5, random.unit() - 0.5);
    let more = match n {
        0..=12 => 12,
        13..=100 => 5,
        _ => 0,
    };
    let mut starts = vec![wanted.spread()];
    if n <= 100 {
        starts.push(ring.clone());
    }
    starts.extend((0..more).map(|_| (0..n).map(|_| anywhere()).collect()));
    let mut candidates: Vec<Vec<Point>> = starts.iter().map(|start| wanted.settle(start)).collect();
    if n <= 12 {
        candidates.push(ring);
    }
    let score = |places: &Vec<Point>| {
        let few = edges.len() <= MANY_EDGES;
        let flaws = if few { Flaws::of(&scaled(places, edges), edges).weight() } else { 0 };
        (flaws, wanted.stress(places))
    };
    let mut scored: Vec<_> = candidates.into_iter().map(|p| (score(&p), p)).collect();
    scored.sort_by(|(a, _), (b, _)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut places = scored.swap_remove(0).1;
    level(&mut places);
    places
}

/// Turns the longest direction to the horizontal, since screens are wide.
pub(super) fn level(places: &mut [Point]) {
    let centre = mean(&*places);
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for &p in places.iter() {
        let (x, y) = sub(p, centre);
        (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
    }
    // The main axis of a 2 × 2 matrix: half the angle of (xx − yy, 2 xy).
    let (a, b) = (xx - yy, 2.0 * xy);
    let norm = (a * a + b * b).sqrt();
    if norm < 1e-9 {
        return;
    }
    let cos = ((1.0 + a / norm) / 2.0).max(0.0).sqrt();
    let sin = ((1.0 - a / norm) / 2.0).max(0.0).sqrt();
    let against = (cos, if b > 0.0 { -sin } else { sin });
    places.iter_mut().for_each(|p| *p = rotate(sub(*p, centre), against));
}

/// The same picture, centred and with edges 1 long in the mean.
pub(super) fn scaled(places: &[Point], edges: &[(usize, usize)]) -> Vec<Point> {
    let (low, high) = bounds(places);
    let centre = ((low.0 + high.0) / 2.0, (low.1 + high.1) / 2.0);
    let long = |&(a, b): &(usize, usize)| crate::draw::plane::distance(places[a], places[b]);
    let mean = edges.iter().map(long).sum::<f64>() / edges.len().max(1) as f64;
    let factor = if mean > 1e-9 { 1.0 / mean } else { 1.0 };
    places.iter().map(|&p| times(factor, sub(p, centre))).collect()
}
