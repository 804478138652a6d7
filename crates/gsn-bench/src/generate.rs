//! Seeded random graphs with a power law and clustering (the growth rule of Holme and Kim), so
//! that large inputs need no download.

use anyhow::Result;
use gsn_core::Graph;
use gsn_core::random::Random;

/// A graph that grows vertex by vertex. Each new vertex brings `links` edges; an edge goes to a
/// vertex chosen in proportion to its degree, or, with probability `triad`, to a neighbour that the
/// vertex chosen before had brought along, which closes a triangle.
///
/// # Errors
/// Never for an order that fits 32 bits.
pub fn power_law(order: usize, links: usize, triad: f64, seed: u64) -> Result<Graph> {
    let mut random = Random::new(seed);
    let mut edges: Vec<(u32, u32)> = Vec::with_capacity(order * links);
    // Every vertex is here once for each of its edges, and the first ones once to begin with.
    let mut ends: Vec<u32> = Vec::with_capacity(2 * order * links);
    ends.extend(0..links.min(order) as u32);
    for v in links..order {
        let first = edges.len();
        let mut last: Option<u32> = None;
        let mut tries = 0;
        while edges.len() - first < links && tries < 64 * links {
            tries += 1;
            let target = match last {
                // The edges that vertex `near` brought along lie together.
                Some(near) if near as usize >= links && random.unit() < triad => {
                    edges[(near as usize - links) * links + random.below(links)].1
                }
                _ => ends[random.below(ends.len())],
            };
            if edges[first..].iter().any(|&(_, chosen)| chosen == target) {
                continue;
            }
            edges.push((v as u32, target));
            last = Some(target);
        }
        // A full bundle for every vertex keeps the bundles in their places.
        while edges.len() - first < links {
            edges.push((v as u32, v as u32));
        }
        for &(u, target) in &edges[first..] {
            ends.extend([u, target]);
        }
    }
    Ok(Graph::from_edges(order, edges)?)
}

/// A graph whose edges have ends drawn in proportion to (v + 1)^(-2/3), a power law; pairs that are
/// drawn again and ends that meet are dropped.
///
/// # Errors
/// Never for an order that fits 32 bits.
pub fn weighted(order: usize, edges: usize, seed: u64) -> Result<Graph> {
    let mut random = Random::new(seed);
    let names = random.permutation(order);
    let mut sums = Vec::with_capacity(order);
    let mut sum = 0.0;
    for v in 0..order {
        sum += (v as f64 + 1.0).powf(-1.0 / 1.5);
        sums.push(sum);
    }
    let mut end = || {
        let at = random.unit() * sum;
        names[sums.partition_point(|&to| to < at).min(order - 1)]
    };
    let drawn: Vec<(u32, u32)> = (0..edges).map(|_| (end(), end())).collect();
    Ok(Graph::from_edges(order, drawn)?)
}

/// Molecule-like graphs: trees of small degree with a few rings, `order` vertices each.
///
/// # Errors
/// Never for an order that fits 32 bits.
pub fn molecules(count: usize, order: usize, seed: u64) -> Result<Vec<Graph>> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|_| {
            let mut edges: Vec<(u32, u32)> = Vec::new();
            let mut degree = vec![0usize; order];
            let mut join = |u: usize, v: usize, edges: &mut Vec<(u32, u32)>| {
                if degree[u] < 3 && degree[v] < 3 {
                    degree[u] += 1;
                    degree[v] += 1;
                    edges.push((u as u32, v as u32));
                }
            };
            for v in 1..order {
                // A chain with occasional branches.
                let back = if random.unit() < 0.75 { 1 } else { 2 };
                join(v, v.saturating_sub(back), &mut edges);
            }
            let mut v = 0;
            while v + 5 < order {
                let ring = if random.unit() < 0.7 { 5 } else { 4 };
                join(v, v + ring, &mut edges);
                v += 4 + random.below(6);
            }
            Ok(Graph::from_edges(order, edges)?)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_graph_of_the_promised_size() -> Result<()> {
        let graph = power_law(500, 10, 0.5, 7)?;
        assert_eq!(graph, power_law(500, 10, 0.5, 7)?);
        assert_ne!(graph, power_law(500, 10, 0.5, 8)?);
        assert_eq!((graph.order(), graph.edge_count()), (500, 4900));
        // A hub: far above the mean degree of 20.
        assert!(graph.max_degree() > 60, "{}", graph.max_degree());
        Ok(())
    }

    #[test]
    fn molecules_have_small_degrees_and_rings() -> Result<()> {
        let all = molecules(50, 24, 1)?;
        assert_eq!(all, molecules(50, 24, 1)?);
        assert!(all.iter().all(|graph| graph.max_degree() <= 3));
        assert!(all.iter().any(|graph| graph.edge_count() >= graph.order()));
        Ok(())
    }
}
