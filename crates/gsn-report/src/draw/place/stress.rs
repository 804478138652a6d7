//! Placement by stress: distances on paper approach wanted ones, which are those in the graph unless something
//! better is known.
//!
//! Minimises Σ w_ij (|p_i − p_j| − d_ij)² by majorisation: every vertex moves to the weighted
//! mean of where the others would have it. O(n²) a round.

use crate::draw::plane::{Point, add, length, sub, times, turn};
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

/// How far apart vertices should be, and how much that matters.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    distance: Vec<f64>,
    weight: Vec<f64>,
    order: usize,
}

impl Wanted {
    /// The distances of a connected graph, which matter less the longer they are.
    pub(super) fn of(neighbours: &[Vec<usize>]) -> Self {
        let order = neighbours.len();
        let row = |v| distances_from(neighbours, v).into_iter().map(|d| d.min(order) as f64);
        let distance: Vec<f64> = (0..order).flat_map(row).collect();
        let weight = distance.iter().map(|d| if *d > 0.0 { 1.0 / (d * d) } else { 0.0 }).collect();
        Self { distance, weight, order }
    }

    /// Two vertices should be this far apart.
    pub(super) fn set(&mut self, a: usize, b: usize, distance: f64, weight: f64) {
        for at in [a * self.order + b, b * self.order + a] {
            (self.distance[at], self.weight[at]) = (distance, weight);
        }
    }

    /// The wanted distance of two vertices.
    pub(super) fn distance(&self, a: usize, b: usize) -> f64 {
        self.distance[a * self.order + b]
    }

    /// Moves the vertices from `start` to a placement of little stress.
    pub(super) fn settle(&self, start: &[Point]) -> Vec<Point> {
        let n = self.order;
        let mut places = start.to_vec();
        for _ in 0..ROUNDS {
            let mut moved: f64 = 0.0;
            for i in 0..n {
                let (mut sum, mut weights) = ((0.0, 0.0), 0.0);
                let (wanted, weight) = (&self.distance[i * n..][..n], &self.weight[i * n..][..n]);
                for (j, &q) in places.iter().enumerate().filter(|&(j, _)| j != i) {
                    let from = sub(places[i], q);
                    // Coinciding vertices have no direction to part in; any will do.
                    let (length, from) = match length(from) {
                        tiny if tiny < 1e-9 => (1.0, turn(0.159 * i as f64)),
                        length => (length, from),
                    };
                    sum = add(sum, times(weight[j], add(q, times(wanted[j] / length, from))));
                    weights += weight[j];
                }
                let next = if weights > 0.0 { times(1.0 / weights, sum) } else { places[i] };
                moved = moved.max(length(sub(next, places[i])));
                places[i] = next;
            }
            if moved < 1e-4 {
                break;
            }
        }
        places
    }

    /// What [`Wanted::settle`] makes small.
    pub(super) fn stress(&self, places: &[Point]) -> f64 {
        let mut sum = 0.0;
        for i in 0..places.len() {
            for j in 0..i {
                let off = length(sub(places[i], places[j])) - self.distance(i, j);
                sum += self.weight[i * self.order + j] * off * off;
            }
        }
        sum
    }

    /// A start that is near in the large already: classical scaling, the two main directions of the squared
    /// distances to some pivots that are far from each other.
    pub(super) fn spread(&self) -> Vec<Point> {
        const PIVOTS: usize = 40;
        let n = self.order;
        let mut pivots = vec![0];
        let mut nearest: Vec<f64> = (0..n).map(|v| self.distance(0, v)).collect();
        while pivots.len() < PIVOTS.min(n) {
            let far = (0..n).fold(0, |best, v| if nearest[v] > nearest[best] { v } else { best });
            pivots.push(far);
            (0..n).for_each(|v| nearest[v] = nearest[v].min(self.distance(far, v)));
        }
        let k = pivots.len();
        let square = |v: usize, p: usize| self.distance(v, pivots[p]) * self.distance(v, pivots[p]);
        let rows: Vec<f64> =
            (0..n).map(|v| (0..k).map(|p| square(v, p)).sum::<f64>() / k as f64).collect();
        let columns: Vec<f64> =
            (0..k).map(|p| (0..n).map(|v| square(v, p)).sum::<f64>() / n as f64).collect();
        let all = rows.iter().sum::<f64>() / n as f64;
        let centred = |v: usize, p: usize| -0.5 * (square(v, p) - rows[v] - columns[p] + all);
        let mut matrix = vec![0.0; k * k];
        for p in 0..k {
            for q in 0..k {
                matrix[p * k + q] = (0..n).map(|v| centred(v, p) * centred(v, q)).sum();
            }
        }
        let first = main_direction(&matrix, k, None);
        let second = main_direction(&matrix, k, Some(&first));
        let along = |v: usize, axis: &[f64]| (0..k).map(|p| centred(v, p) * axis[p]).sum::<f64>();
        let raw: Vec<Point> = (0..n).map(|v| (along(v, &first), along(v, &second))).collect();
        // The scale is what fits the wanted distances to the first pivot best.
        let (mut product, mut squares) = (0.0, 0.0);
        for v in 0..n {
            let drawn = length(sub(raw[v], raw[0]));
            product += drawn * self.distance(0, v);
            squares += drawn * drawn;
        }
        let scale = if squares > 1e-12 { product / squares } else { 1.0 };
        // Twins get the same place; they must be able to part.
        raw.iter()
            .enumerate()
            .map(|(v, &p)| add(times(scale, p), times(1e-3, turn(0.159 * v as f64))))
            .collect()
    }
}

/// The main eigenvector of a symmetric matrix at right angles to another, by powers.
fn main_direction(matrix: &[f64], k: usize, other: Option<&[f64]>) -> Vec<f64> {
    let mut axis: Vec<f64> = (0..k).map(|p| turn(0.137 * p as f64 + 0.05).0).collect();
    for _ in 0..60 {
        let mut next: Vec<f64> =
            (0..k).map(|p| (0..k).map(|q| matrix[p * k + q] * axis[q]).sum()).collect();
        if let Some(other) = other {
            let part: f64 = next.iter().zip(other).map(|(a, b)| a * b).sum();
            next.iter_mut().zip(other).for_each(|(a, b)| *a -= part * b);
        }
        let norm = next.iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm < 1e-12 {
            break;
        }
        axis = next.into_iter().map(|x| x / norm).collect();
    }
    axis
}
