//! The smallest rings of a small graph: a minimum cycle basis (Horton).
//!
//! Every such basis is made of cycles that are an edge and two shortest paths to its ends from one vertex. They are
//! tried from the shortest on and kept where they are no sum of kept ones. O(n m) candidates.

use super::stress::distances_from;

/// A set of edges, 64 to a word.
type Edges = Vec<u64>;

/// The rings, each with its vertices in the order they are passed.
pub(super) fn smallest_rings(
    neighbours: &[Vec<usize>],
    edges: &[(usize, usize)],
) -> Vec<Vec<usize>> {
    let core = core(neighbours);
    let inside = |&(a, b): &(usize, usize)| core[a] && core[b];
    let number = |a: usize, b: usize| {
        edges.iter().position(|&e| e == (a, b) || e == (b, a)).unwrap_or(usize::MAX)
    };
    // Which edge lies between two neighbours, in the order of the lists of neighbours.
    let numbers: Vec<Vec<usize>> = neighbours
        .iter()
        .enumerate()
        .map(
            |(v, list)| if core[v] { list.iter().map(|&w| number(v, w)).collect() } else { vec![] },
        )
        .collect();
    let edge = |a: usize, b: usize| {
        neighbours[a].iter().position(|&w| w == b).map_or(usize::MAX, |at| numbers[a][at])
    };
    let mut candidates: Vec<(usize, Vec<usize>)> = Vec::new();
    for v in (0..neighbours.len()).filter(|&v| core[v]) {
        let distance = distances_from(neighbours, v);
        let path = |mut at: usize| {
            let mut path = vec![at];
            while at != v {
                let nearer = |&&w: &&usize| distance[w] + 1 == distance[at];
                at = neighbours[at].iter().find(nearer).copied().unwrap_or(v);
                path.push(at);
            }
            path
        };
        for &(x, y) in edges.iter().filter(|e| inside(e)) {
            if distance[x].abs_diff(distance[y]) > 1 || distance[x] == usize::MAX {
                continue;
            }
            let (mut left, right) = (path(x), path(y));
            let shared = left.iter().filter(|&u| right.contains(u)).count();
            // The vertex that is common to both paths comes last in both.
            if shared == 1 && left.len() + right.len() > 3 {
                left.pop();
                left.reverse();
                let ring: Vec<usize> = right
                    .iter()
                    .rev()
                    .copied()
                    .take(1)
                    .chain(left)
                    .chain(right.iter().take(right.len() - 1).copied())
                    .collect();
                candidates.push((ring.len(), ring));
            }
        }
    }
    candidates.sort();
    let wanted = edges.iter().filter(|e| inside(e)).count() + parts(neighbours, &core)
        - core.iter().filter(|&&is| is).count();
    let mut basis: Vec<(usize, Edges)> = Vec::new();
    let mut rings = Vec::new();
    for (_, ring) in candidates {
        if rings.len() == wanted {
            break;
        }
        let mut set = vec![0u64; edges.len().div_ceil(64)];
        for (i, &a) in ring.iter().enumerate() {
            let number = edge(a, ring[(i + 1) % ring.len()]);
            set[number / 64] |= 1 << (number % 64);
        }
        for (lead, row) in &basis {
            if set[lead / 64] >> (lead % 64) & 1 == 1 {
                set.iter_mut().zip(row).for_each(|(word, other)| *word ^= other);
            }
        }
        if let Some(word) = set.iter().position(|&word| word != 0) {
            let lead = 64 * word + set[word].trailing_zeros() as usize;
            // Rows behind a lead have no bit there, so one pass in this order is enough.
            basis.push((lead, set));
            rings.push(ring);
        }
    }
    rings
}

/// Vertices that are left when leaves are taken away again and again.
fn core(neighbours: &[Vec<usize>]) -> Vec<bool> {
    let mut degree: Vec<usize> = neighbours.iter().map(Vec::len).collect();
    let mut core = vec![true; neighbours.len()];
    let mut leaves: Vec<usize> = (0..degree.len()).filter(|&v| degree[v] < 2).collect();
    while let Some(v) = leaves.pop() {
        if std::mem::take(&mut core[v]) {
            for &w in neighbours[v].iter().filter(|&&w| core[w]) {
                degree[w] -= 1;
                if degree[w] < 2 {
                    leaves.push(w);
                }
            }
        }
    }
    core
}

/// Number of connected parts of the core.
fn parts(neighbours: &[Vec<usize>], core: &[bool]) -> usize {
    let mut seen: Vec<bool> = core.iter().map(|&is| !is).collect();
    let mut parts = 0;
    for v in 0..core.len() {
        if std::mem::replace(&mut seen[v], true) {
            continue;
        }
        parts += 1;
        let mut stack = vec![v];
        while let Some(v) = stack.pop() {
            for &w in &neighbours[v] {
                if !std::mem::replace(&mut seen[w], true) {
                    stack.push(w);
                }
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::place::neighbours_of;

    fn sizes(order: usize, edges: &[(usize, usize)]) -> Vec<usize> {
        let neighbours = neighbours_of(order, edges);
        let rings = smallest_rings(&neighbours, edges);
        for ring in &rings {
            for (i, a) in ring.iter().enumerate() {
                let b = ring[(i + 1) % ring.len()];
                assert!(neighbours[*a].contains(&b), "{ring:?}");
            }
            let mut sorted = ring.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), ring.len());
        }
        rings.iter().map(Vec::len).collect()
    }

    #[test]
    fn fused_bridged_and_separate_rings_are_found() {
        let norbornane: &[(usize, usize)] =
            &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (0, 6), (6, 3)];
        assert_eq!(sizes(7, norbornane), [5, 5]);
        let cube: Vec<(usize, usize)> = (0..8usize)
            .flat_map(|v| [1, 2, 4].map(|bit| (v, v ^ bit)))
            .filter(|(a, b)| a < b)
            .collect();
        assert_eq!(sizes(8, &cube), [4; 5]);
        // Two triangles joined by a path, with a tail.
        let two: &[(usize, usize)] =
            &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 6), (6, 4), (6, 7)];
        assert_eq!(sizes(8, two), [3, 3]);
        assert_eq!(sizes(3, &[(0, 1), (1, 2)]), [0usize; 0]);
    }
}
