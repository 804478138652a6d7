//! Placement by stress: distances on paper approach distances in the graph.
//!
//! Minimises Σ (|p_i − p_j| − d_ij)² / d_ij² by majorisation: every vertex moves to the weighted
//! mean of where the others would have it. O(n²) a round.

use super::Point;
use std::collections::VecDeque;

const ROUNDS: usize = 300;

/// Number of edges on a shortest path from `start` to every vertex.
pub(super) fn distances_from(neighbours: &[Vec<usize>], start: usize) -> Vec<usize> {
    let mut distance = vec![usize::MAX; neighbours.len()];
    distance[start] = 0;
    let mut queue = VecDeque::from([start]);
    while let Some(v) = queue.pop_front() {
        for &w in &neighbours[v] {
            if distance[w] == usize::MAX {
                distance[w] = distance[v] + 1;
                queue.push_back(w);
            }
        }
    }
    distance
}

/// All distances; vertices that cannot be reached are as far apart as there are vertices.
pub(super) fn distances(neighbours: &[Vec<usize>]) -> Vec<Vec<f64>> {
    let n = neighbours.len();
    let row = |v| distances_from(neighbours, v).into_iter().map(|d| d.min(n) as f64).collect();
    (0..n).map(row).collect()
}

/// Moves the vertices from `start` to a placement of little stress.
pub(super) fn settle(distances: &[Vec<f64>], start: &[Point]) -> Vec<Point> {
    let mut places = start.to_vec();
    for _ in 0..ROUNDS {
        let mut moved: f64 = 0.0;
        for i in 0..places.len() {
            let (mut sum, mut weights) = ((0.0, 0.0), 0.0);
            for (j, &q) in places.iter().enumerate().filter(|&(j, _)| j != i) {
                let wanted = distances[i][j];
                let (dx, dy) = (places[i].0 - q.0, places[i].1 - q.1);
                // Coinciding vertices have no direction to part in; any will do.
                let (length, dx, dy) = match dx.hypot(dy) {
                    tiny if tiny < 1e-9 => (1.0, (i as f64).cos(), (i as f64).sin()),
                    length => (length, dx, dy),
                };
                let weight = 1.0 / (wanted * wanted);
                sum.0 += weight * (q.0 + wanted * dx / length);
                sum.1 += weight * (q.1 + wanted * dy / length);
                weights += weight;
            }
            let next = (sum.0 / weights, sum.1 / weights);
            moved = moved.max((next.0 - places[i].0).hypot(next.1 - places[i].1));
            places[i] = next;
        }
        if moved < 1e-4 {
            break;
        }
    }
    places
}

/// What [`settle`] makes small.
pub(super) fn stress(distances: &[Vec<f64>], places: &[Point]) -> f64 {
    let mut sum = 0.0;
    for i in 0..places.len() {
        for j in 0..i {
            let (p, q, wanted) = (places[i], places[j], distances[i][j]);
            let off = (p.0 - q.0).hypot(p.1 - q.1) - wanted;
            sum += off * off / (wanted * wanted);
        }
    }
    sum
}
