//! Seeded random graphs; a seed gives the same graph on every machine.

use super::{GenerateError, refuse};
use crate::graph::Graph;
use crate::random::Random;
use std::collections::HashSet;

/// G(n, p): every pair is an edge with probability p, independently. O(n + m).
///
/// # Errors
/// When `probability` is not in [0, 1] or there are too many vertices.
///
/// ```
/// let graph = gsn_core::generate::erdos_renyi(100, 0.1, 1)?;
/// assert_eq!(graph, gsn_core::generate::erdos_renyi(100, 0.1, 1)?);
/// # Ok::<(), gsn_core::generate::GenerateError>(())
/// ```
pub fn erdos_renyi(order: usize, probability: f64, seed: u64) -> Result<Graph, GenerateError> {
    if !(0.0..=1.0).contains(&probability) {
        return refuse(format!("{probability} is no probability"));
    }
    if order > 1 << 24 {
        return refuse(format!("{order} vertices are more than the 16777216 there may be"));
    }
    let mut random = Random::new(seed);
    let mut edges = Vec::new();
    // Pairs (v, w), w < v, are passed in order; the gap to the next edge is geometric.
    let (mut v, mut w) = (1u64, 0u64);
    let n = order as u64;
    let log = (1.0 - probability).ln();
    let skip = |random: &mut Random| match probability {
        p if p >= 1.0 => 0,
        p if p <= 0.0 => u64::MAX,
        _ => {
            let gap = ((1.0 - random.unit()).ln() / log).floor();
            if gap < 9e15 { gap as u64 } else { u64::MAX }
        }
    };
    while v < n {
        w = w.saturating_add(skip(&mut random));
        while v < n && w >= v {
            w -= v;
            v += 1;
        }
        if v < n {
            edges.push((v as u32, w as u32));
            w += 1;
        }
    }
    Ok(Graph::from_edges(order, edges)?)
}

/// Chung and Lu's graph with a power law: vertex i has the weight (i + i₀)^(−1/(γ−1)), scaled to
/// the mean degree, and i, j are joined with probability min(1, w_i w_j / Σw). O(n²).
///
/// # Errors
/// When γ ≤ 2, the mean degree is not between 0 and n, or there are more than 50,000 vertices.
///
/// ```
/// let graph = gsn_core::generate::chung_lu(400, 2.5, 6.0, 1)?;
/// assert!(graph.max_degree() > 20);
/// # Ok::<(), gsn_core::generate::GenerateError>(())
/// ```
pub fn chung_lu(
    order: usize,
    exponent: f64,
    mean_degree: f64,
    seed: u64,
) -> Result<Graph, GenerateError> {
    if exponent.is_nan() || exponent <= 2.0 {
        return refuse(format!("an exponent of {exponent}; it must be above 2"));
    }
    if !(0.0..=order as f64).contains(&mean_degree) {
        return refuse(format!("a mean degree of {mean_degree} among {order} vertices"));
    }
    if order > 50_000 {
        return refuse(format!("{order} vertices are more than the 50000 there may be"));
    }
    let mut random = Random::new(seed);
    let power = -1.0 / (exponent - 1.0);
    // An offset keeps the largest weight near the square root of the sum.
    let offset = (order as f64).sqrt().max(1.0);
    let raw: Vec<f64> = (0..order).map(|i| (i as f64 + offset).powf(power)).collect();
    let scale = mean_degree * order as f64 / raw.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let weight: Vec<f64> = raw.iter().map(|w| w * scale).collect();
    let total: f64 = weight.iter().sum();
    let mut edges = Vec::new();
    for i in 0..order {
        for j in 0..i {
            if random.unit() < weight[i] * weight[j] / total {
                edges.push((i as u32, j as u32));
            }
        }
    }
    Ok(Graph::from_edges(order, edges)?)
}

/// A random `degree`-regular graph: random pairs of free ends that make a simple graph, begun
/// again where the ends that are left do not (Steger and Wormald; nearly uniform).
///
/// # Errors
/// When there is no such graph, or none is found in many attempts (very dense ones).
///
/// ```
/// let graph = gsn_core::generate::random_regular(20, 3, 1)?;
/// assert!((0..20).all(|v| graph.degree(v) == 3));
/// # Ok::<(), gsn_core::generate::GenerateError>(())
/// ```
pub fn random_regular(order: usize, degree: usize, seed: u64) -> Result<Graph, GenerateError> {
    if degree >= order.max(1) || order % 2 * (degree % 2) == 1 {
        return refuse(format!("there is no {degree}-regular graph of {order} vertices"));
    }
    if order.saturating_mul(degree) > 1 << 26 {
        return refuse("more than 2^26 ends are too many");
    }
    let mut random = Random::new(seed);
    // The complement of a sparse graph is found far more easily than a dense one.
    if 2 * degree >= order && degree > 0 {
        let sparse = random_regular(order, order - 1 - degree, seed)?;
        let pairs = (0..order as u32).flat_map(|u| (0..u).map(move |v| (u, v)));
        return Ok(Graph::from_edges(order, pairs.filter(|&(u, v)| !sparse.has_arc(u, v)))?);
    }
    for _ in 0..1000 {
        if let Some(edges) = attempt(order, degree, &mut random) {
            return Ok(Graph::from_edges(order, edges)?);
        }
    }
    refuse(format!("no {degree}-regular graph of {order} vertices was found in 1000 attempts"))
}

fn attempt(order: usize, degree: usize, random: &mut Random) -> Option<Vec<(u32, u32)>> {
    let mut ends: Vec<u32> =
        (0..order as u32).flat_map(|v| std::iter::repeat_n(v, degree)).collect();
    let mut edges = Vec::with_capacity(ends.len() / 2);
    let mut there = HashSet::with_capacity(ends.len());
    let mut failures = 0;
    while !ends.is_empty() {
        let i = random.below(ends.len());
        let j = random.below(ends.len());
        let (u, v) = (ends[i].min(ends[j]), ends[i].max(ends[j]));
        if u == v || !there.insert((u, v)) {
            failures += 1;
            if failures > 100 + 10 * ends.len() {
                return None;
            }
            continue;
        }
        failures = 0;
        edges.push((u, v));
        ends.swap_remove(i.max(j));
        ends.swap_remove(i.min(j));
    }
    Some(edges)
}

/// A random labelled tree, every one equally likely (a random Prüfer sequence).
///
/// # Errors
/// When there are too many vertices.
///
/// ```
/// let tree = gsn_core::generate::random_tree(30, 1)?;
/// assert_eq!(tree.edge_count(), 29);
/// # Ok::<(), gsn_core::generate::GenerateError>(())
/// ```
pub fn random_tree(order: usize, seed: u64) -> Result<Graph, GenerateError> {
    if order > 1 << 24 {
        return refuse(format!("{order} vertices are more than the 16777216 there may be"));
    }
    let mut random = Random::new(seed);
    if order < 2 {
        return Ok(Graph::from_edges(order, [])?);
    }
    let code: Vec<usize> = (0..order - 2).map(|_| random.below(order)).collect();
    let mut left = vec![1u32; order];
    for &v in &code {
        left[v] += 1;
    }
    let mut leaf = (0..order).find(|&v| left[v] == 1).unwrap_or(0);
    let mut scan = leaf;
    let mut edges = Vec::with_capacity(order - 1);
    for &v in &code {
        edges.push((leaf as u32, v as u32));
        left[leaf] = 0;
        left[v] -= 1;
        if left[v] == 1 && v < scan {
            leaf = v;
        } else {
            scan += 1;
            while left[scan] != 1 {
                scan += 1;
            }
            leaf = scan;
        }
    }
    edges.push((leaf as u32, order as u32 - 1));
    Ok(Graph::from_edges(order, edges)?)
}
