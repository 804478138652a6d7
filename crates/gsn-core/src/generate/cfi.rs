//! Graphs of Cai, Fürer and Immerman (1992), in the form without edge vertices.
//!
//! A vertex v of the base becomes the even subsets S of its edges; (v, S) and (w, T) are joined
//! when vw is an edge e of the base and S and T agree on e. In the twisted graph they must
//! disagree on one edge; which one does not matter when the base is connected. k-FWL cannot tell
//! the two apart when the base has treewidth above k, and homomorphism counts from F can only if
//! F has at least its treewidth (Roberson 2022, Neuen 2024).

use super::{GenerateError, refuse};
use crate::graph::Graph;

/// The largest degree of a base: a vertex of degree d becomes 2ᵈ⁻¹ vertices.
const LARGEST_DEGREE: usize = 16;

/// The CFI graph over a base graph, or its twisted companion.
///
/// # Arguments
/// * `base`: an undirected connected graph with edges, degrees at most 16;
/// * `twist`: whether it is the twisted one.
///
/// # Errors
/// When the base is directed, not connected, without edges, or has a vertex of degree above 16.
///
/// # Complexity
/// The size of the result: a vertex of degree d becomes 2ᵈ⁻¹, an edge between degrees c and d
/// 2ᶜ⁺ᵈ⁻³ edges.
///
/// ```
/// use gsn_core::{Graph, generate};
/// // Over a cycle of five: two cycles of five, or one of ten.
/// let base = Graph::from_edges(5, (0..5).map(|v| (v, (v + 1) % 5)))?;
/// let (plain, twisted) = (generate::cfi(&base, false)?, generate::cfi(&base, true)?);
/// assert_eq!((plain.order(), plain.edge_count()), (10, 10));
/// assert_eq!(gsn_core::wl::refine(&[plain, twisted], &[])?.classes(), [0, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cfi(base: &Graph, twist: bool) -> Result<Graph, GenerateError> {
    if base.is_directed() {
        return refuse("the base of a CFI graph is undirected");
    }
    if base.edge_count() == 0 {
        return refuse("the base of a CFI graph has edges");
    }
    if base.max_degree() > LARGEST_DEGREE {
        let most = base.max_degree();
        return refuse(format!(
            "a base vertex of degree {most} would become 2^{} vertices; at most {LARGEST_DEGREE}",
            most - 1
        ));
    }
    if !connected(base) {
        return refuse("the base of a CFI graph is connected");
    }
    // (v, S) as `first[v]` plus the rank of S among the even subsets: S without its last bit.
    let mut first = vec![0u32];
    for v in 0..base.order() as u32 {
        first.push(first[v as usize] + (1 << (base.degree(v) - 1)));
    }
    let even = |v: u32| {
        let degree = base.degree(v) as u32;
        (0..1u32 << (degree - 1)).map(move |half| half | (half.count_ones() & 1) << (degree - 1))
    };
    let mut edges = Vec::new();
    for (at, (u, v)) in base.edges().enumerate() {
        let index = |x: u32, y: u32| base.neighbors(x).iter().position(|&z| z == y);
        let (Some(i), Some(j)) = (index(u, v), index(v, u)) else { continue };
        let flip = u32::from(twist && at == 0);
        for (a, s) in even(u).enumerate() {
            for (b, t) in even(v).enumerate() {
                if (s >> i ^ t >> j) & 1 == flip {
                    edges.push((first[u as usize] + a as u32, first[v as usize] + b as u32));
                }
            }
        }
    }
    Ok(Graph::from_edges(first[base.order()] as usize, edges)?)
}

fn connected(graph: &Graph) -> bool {
    let mut seen = vec![false; graph.order()];
    let mut waiting = vec![0u32];
    let mut reached = 0;
    while let Some(v) = waiting.pop() {
        if !std::mem::replace(&mut seen[v as usize], true) {
            reached += 1;
            waiting.extend(graph.neighbors(v));
        }
    }
    reached == graph.order()
}
