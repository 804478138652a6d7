//! Exact treewidth of small graphs, by dynamic programming over vertex sets.
//!
//! tw(G) is the least, over all orders of elimination, of the largest number of vertices still
//! there that an eliminated vertex can reach through eliminated ones. Q(S, v) depends on the set
//! S eliminated before v alone, so the best order of every set follows from smaller sets
//! (Bodlaender, Fomin, Koster, Kratsch, Thilikos 2006). O(2ⁿ n²) time, 2ⁿ bytes.

use super::WlError;
use crate::graph::Graph;

/// Most vertices of the graph.
const LARGEST: usize = 22;

/// The treewidth of a graph of at most 22 vertices; directions are ignored.
///
/// # Errors
/// When the graph is larger.
///
/// # Complexity
/// O(2ⁿ n²) steps, 2ⁿ bytes.
///
/// ```
/// use gsn_core::{Graph, wl::treewidth};
/// let cycle = Graph::from_edges(5, (0..5).map(|v| (v, (v + 1) % 5)))?;
/// assert_eq!(treewidth(&cycle)?, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn treewidth(graph: &Graph) -> Result<usize, WlError> {
    let n = graph.order();
    if n > LARGEST {
        return Err(WlError::TooLarge(n, LARGEST));
    }
    if n == 0 {
        return Ok(0);
    }
    let mut rows = vec![0u32; n];
    for (u, v) in graph.arcs() {
        rows[u as usize] |= 1 << v;
        rows[v as usize] |= 1 << u;
    }
    // best[S]: the least width of eliminating exactly the vertices of S first.
    let mut best = vec![u8::MAX; 1 << n];
    best[0] = 0;
    for set in 1u32..1 << n {
        let mut least = u8::MAX;
        let mut left = set;
        while left != 0 {
            let v = left.trailing_zeros();
            left &= left - 1;
            let before = set & !(1 << v);
            let width = best[before as usize].max(reached(&rows, before, v));
            least = least.min(width);
        }
        best[set as usize] = least;
    }
    Ok(best[(1usize << n) - 1] as usize)
}

/// Vertices outside `through` and other than `v` that paths from `v` inside `through` reach.
fn reached(rows: &[u32], through: u32, v: u32) -> u8 {
    let (mut seen, mut frontier) = (1u32 << v, 1u32 << v);
    let mut ends = 0;
    while frontier != 0 {
        let w = frontier.trailing_zeros() as usize;
        frontier &= frontier - 1;
        let fresh = rows[w] & !seen;
        seen |= fresh;
        ends |= fresh & !through;
        frontier |= fresh & through;
    }
    ends.count_ones() as u8
}
