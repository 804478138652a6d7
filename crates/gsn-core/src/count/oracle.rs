//! The slow, obvious count: every map, one by one; of injective ones each occurrence has |Aut(H)|.
//!
//! It shares no code with the kernels and is what they are tested against; `gsn verify` recounts
//! samples with it. Costs O(n · d^(k−1)) maps.

use super::Matching;
use crate::graph::Graph;
use crate::pattern::Pattern;
use std::collections::BTreeMap;

/// The maps of a pattern into a graph, counted by where they send vertices and arcs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapCounts {
    /// All maps.
    pub maps: u64,
    /// Maps that send pattern vertex `a` to graph vertex `v`, at `(v, a)`; zeros are left out.
    pub vertex: BTreeMap<(u32, usize), u64>,
    /// Maps that send the pattern arc `(a, b)` to the graph arc `(u, v)`, at `((u, v), (a, b))`.
    pub arc: BTreeMap<(GraphArc, PatternArc), u64>,
}

/// An arc of the graph.
pub type GraphArc = (u32, u32);

/// An arc of the pattern.
pub type PatternArc = (usize, usize);

/// Lists every map from `pattern` into `graph` that keeps arcs and labels and counts where it
/// sends things. For subgraph and induced matching maps are injective, and for the latter they
/// keep non-arcs, too; then each occurrence is found |Aut(H)| times.
pub fn maps(pattern: &Pattern, graph: &Graph, matching: Matching) -> MapCounts {
    let mut order = vec![0];
    while order.len() < pattern.order() {
        let bound: u64 = order.iter().map(|&a: &usize| 1u64 << a).sum();
        let next = (0..pattern.order())
            .find(|&a| bound >> a & 1 == 0 && pattern.neighbor_set(a) & bound != 0)
            .expect("patterns are connected");
        order.push(next);
    }
    let mut found = MapCounts::default();
    let mut image = vec![u32::MAX; pattern.order()];
    extend(pattern, graph, matching, &order, 0, &mut image, &mut found);
    found
}

fn extend(
    pattern: &Pattern,
    graph: &Graph,
    matching: Matching,
    order: &[usize],
    depth: usize,
    image: &mut [u32],
    found: &mut MapCounts,
) {
    let Some(&a) = order.get(depth) else {
        found.maps += 1;
        for (b, &v) in image.iter().enumerate() {
            *found.vertex.entry((v, b)).or_default() += 1;
        }
        for (b, c) in pattern.arcs() {
            *found.arc.entry(((image[b], image[c]), (b, c))).or_default() += 1;
        }
        return;
    };
    let candidates: Vec<u32> =
        match order[..depth].iter().find(|&&b| pattern.neighbor_set(a) >> b & 1 == 1) {
            None => (0..graph.order() as u32).collect(),
            Some(&b) if pattern.has_arc(b, a) => graph.neighbors(image[b]).to_vec(),
            Some(&b) => graph.in_neighbors(image[b]).to_vec(),
        };
    for v in candidates {
        if fits(pattern, graph, matching, &order[..depth], image, a, v) {
            image[a] = v;
            extend(pattern, graph, matching, order, depth + 1, image, found);
        }
    }
}

fn fits(
    pattern: &Pattern,
    graph: &Graph,
    matching: Matching,
    bound: &[usize],
    image: &[u32],
    a: usize,
    v: u32,
) -> bool {
    let label_fits = match (pattern.vertex_label(a), graph.vertex_labels()) {
        (Some(label), Some(labels)) => labels[v as usize] == label,
        (Some(_), None) => false,
        (None, _) => true,
    };
    let arc_fits = |b: usize, c: usize, u: u32, w: u32| match graph.arc_id(u, w) {
        Some(arc) if pattern.has_arc(b, c) => match (pattern.arc_label(b, c), graph.arc_labels()) {
            (Some(label), Some(labels)) => labels[arc] == label,
            (Some(_), None) => false,
            (None, _) => true,
        },
        Some(_) => matching != Matching::Induced,
        None => !pattern.has_arc(b, c),
    };
    let free = |b: usize| image[b] != v || matching == Matching::Homomorphism;
    label_fits
        && bound
            .iter()
            .all(|&b| free(b) && arc_fits(a, b, v, image[b]) && arc_fits(b, a, image[b], v))
}

/// Number of maps from `pattern` into `graph` that send every pattern vertex of `fixed` to the
/// graph vertex beside it, or `None` when finding them takes more than `limit` steps.
///
/// Fixing a vertex or both ends of an edge gives one cell of a count table without visiting the
/// rest of a large graph. `fixed` starts the search and must not be empty in large graphs.
///
/// ```
/// use gsn_core::count::oracle::maps_through;
/// use gsn_core::{Graph, Matching, Pattern};
/// let triangle = Pattern::new("triangle", 3, &[(0, 1), (1, 2), (2, 0)])?;
/// let k4 = Graph::from_edges(4, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])?;
/// // Vertex 3 lies on three triangles, each found in both directions.
/// assert_eq!(maps_through(&triangle, &k4, Matching::Induced, &[(0, 3)], 1000), Some(6));
/// assert_eq!(maps_through(&triangle, &k4, Matching::Induced, &[(0, 3)], 5), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn maps_through(
    pattern: &Pattern,
    graph: &Graph,
    matching: Matching,
    fixed: &[(usize, u32)],
    limit: u64,
) -> Option<u64> {
    maps_through_unless(pattern, graph, matching, fixed, limit, &|| false)
}

/// [`maps_through`] that also gives up when `stop`, which is asked every few thousand steps,
/// says so.
pub fn maps_through_unless(
    pattern: &Pattern,
    graph: &Graph,
    matching: Matching,
    fixed: &[(usize, u32)],
    limit: u64,
    stop: &dyn Fn() -> bool,
) -> Option<u64> {
    let mut order: Vec<usize> = fixed.iter().map(|&(a, _)| a).collect();
    let mut image = vec![u32::MAX; pattern.order()];
    for (at, &(a, v)) in fixed.iter().enumerate() {
        if !fits(pattern, graph, matching, &order[..at], &image, a, v) {
            return Some(0);
        }
        image[a] = v;
    }
    while order.len() < pattern.order() {
        let bound: u64 = order.iter().map(|&a| 1u64 << a).sum();
        let free = |a: &usize| bound >> a & 1 == 0;
        let next = (0..pattern.order()).filter(free).max_by_key(|&a| {
            ((pattern.neighbor_set(a) & bound).count_ones(), pattern.order() - a)
        })?;
        order.push(next);
    }
    let mut search = Completion { pattern, graph, matching, order: &order, left: limit, stop };
    search.from(fixed.len(), &mut image)
}

/// A search for the images of the pattern vertices that are not fixed.
struct Completion<'a> {
    pattern: &'a Pattern,
    graph: &'a Graph,
    matching: Matching,
    order: &'a [usize],
    /// Steps that are left.
    left: u64,
    stop: &'a dyn Fn() -> bool,
}

/// Steps between two questions whether to stop.
const PERIOD: u64 = 1 << 12;

impl Completion<'_> {
    /// Number of ways to bind the pattern vertices from `depth` on; `None` when it has to stop.
    fn from(&mut self, depth: usize, image: &mut [u32]) -> Option<u64> {
        let Self { pattern, graph, matching, order, .. } = *self;
        let Some(&a) = order.get(depth) else { return Some(1) };
        let list = |b: usize| {
            if pattern.has_arc(b, a) {
                graph.neighbors(image[b])
            } else {
                graph.in_neighbors(image[b])
            }
        };
        let joined = order[..depth].iter().filter(|&&b| pattern.neighbor_set(a) >> b & 1 == 1);
        let candidates: Vec<u32> = match joined.map(|&b| list(b)).min_by_key(|list| list.len()) {
            None => (0..graph.order() as u32).collect(),
            Some(list) => list.to_vec(),
        };
        let mut found = 0u64;
        for v in candidates {
            self.left = self.left.checked_sub(1)?;
            if self.left.is_multiple_of(PERIOD) && (self.stop)() {
                return None;
            }
            if fits(pattern, graph, matching, &order[..depth], image, a, v) {
                image[a] = v;
                found += self.from(depth + 1, image)?;
            }
        }
        Some(found)
    }
}

/// |Aut(H)|, one automorphism at a time. Only for patterns with few of them.
pub fn automorphism_count(pattern: &Pattern) -> u64 {
    fn extend(pattern: &Pattern, image: &mut Vec<usize>) -> u64 {
        let a = image.len();
        if a == pattern.order() {
            return 1;
        }
        let mut found = 0;
        for v in 0..pattern.order() {
            let same = |b: usize, c: usize, u: usize, w: usize| {
                pattern.has_arc(b, c) == pattern.has_arc(u, w)
                    && pattern.arc_label(b, c) == pattern.arc_label(u, w)
            };
            let fits = !image.contains(&v)
                && pattern.vertex_label(a) == pattern.vertex_label(v)
                && (0..a).all(|b| same(a, b, v, image[b]) && same(b, a, image[b], v));
            if fits {
                image.push(v);
                found += extend(pattern, image);
                image.pop();
            }
        }
        found
    }
    extend(pattern, &mut Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_search_is_given_up_soon_after_it_is_told_to_stop() {
        let path = Pattern::new("path", 5, &[(0, 1), (1, 2), (2, 3), (3, 4)]).unwrap();
        let edges = (0..40).flat_map(|u| (0..u).map(move |v| (v, u)));
        let dense = Graph::from_edges(40, edges).unwrap();
        let through = |stop: &dyn Fn() -> bool| {
            maps_through_unless(&path, &dense, Matching::Subgraph, &[(0, 0)], u64::MAX, stop)
        };
        assert_eq!(through(&|| false), Some(39 * 38 * 37 * 36));
        let asked = Cell::new(0);
        let third = || {
            asked.set(asked.get() + 1);
            asked.get() == 3
        };
        assert_eq!((through(&third), asked.get()), (None, 3));
    }
}
