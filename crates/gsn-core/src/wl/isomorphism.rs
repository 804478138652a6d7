//! Isomorphism of graphs: isomorphic pairs are those that no test may separate.
//!
//! A pair is decided by individualisation and refinement: a vertex of a smallest cell of the left
//! graph gets a colour of its own, every vertex of the corresponding cell of the right one is
//! tried in its place, and refinement cuts the search. The search is limited, and says so when
//! the limit ends it. Many graphs are sorted into classes by canonical forms where all connected
//! parts have at most 64 vertices, and pair by pair among 1-WL-equivalent ones where not.

use super::colouring::refine;
use super::names::group;
use super::{Start, WlError, starts_of};
use crate::graph::Graph;
use crate::pattern::{MAX_ORDER, Pattern, PatternError};
use rayon::prelude::*;
use std::collections::HashMap;

/// What is known about two graphs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Isomorphism {
    /// They are the same: vertex `v` of the left one is `map[v]` of the right one.
    Same(Vec<u32>),
    /// They are not.
    Different,
    /// The search ended before it was known.
    Undecided,
}

/// Looks for an isomorphism that keeps directions and labels.
///
/// # Arguments
/// * `left`, `right`: the two graphs;
/// * `limit`: the most refinements to spend.
///
/// # Returns
/// An isomorphism, that there is none, or that the limit was reached before either was known.
///
/// # Complexity
/// O(m log n) a refinement. One refinement for every vertex of a cell that has to be tried: few
/// for most graphs, exponentially many in the worst case.
///
/// ```
/// use gsn_core::wl::{Isomorphism, isomorphic};
/// use gsn_core::Graph;
/// let path = Graph::from_edges(3, [(0, 1), (1, 2)])?;
/// let same = Graph::from_edges(3, [(0, 2), (0, 1)])?;
/// let Isomorphism::Same(map) = isomorphic(&path, &same, 100) else { panic!() };
/// assert_eq!(path.relabelled(&map)?, same);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn isomorphic(left: &Graph, right: &Graph, limit: usize) -> Isomorphism {
    let shape = |graph: &Graph| {
        let labels = (graph.vertex_labels().is_some(), graph.arc_labels().is_some());
        (graph.order(), graph.arc_count(), graph.is_directed(), labels)
    };
    if shape(left) != shape(right) {
        return Isomorphism::Different;
    }
    let graphs = [left.clone(), right.clone()];
    let mut search = Search { graphs, refinements_left: limit };
    let colours = [left, right].map(|graph| match graph.vertex_labels() {
        Some(labels) => labels.to_vec(),
        None => vec![0; graph.order()],
    });
    // Labels become dense, so that colours of individualised vertices never meet them.
    let dense = group(colours.iter().flatten());
    let n = left.order();
    search.run([dense[..n].to_vec(), dense[n..].to_vec()]).unwrap_or(Isomorphism::Undecided)
}

struct Search {
    graphs: [Graph; 2],
    refinements_left: usize,
}

impl Search {
    /// `None` when the limit is reached.
    fn run(&mut self, start: [Vec<u32>; 2]) -> Option<Isomorphism> {
        self.refinements_left = self.refinements_left.checked_sub(1)?;
        let starts =
            [0, 1].map(|i| Start { vertex: Some(&start[i]), arc: self.graphs[i].arc_labels() });
        let Ok(colouring) = refine(&self.graphs, &starts) else { return None };
        let histogram = colouring.histogram(0);
        if histogram != colouring.histogram(1) {
            return Some(Isomorphism::Different);
        }
        let open = histogram.iter().filter(|&&(_, size)| size > 1).min_by_key(|&&(_, size)| size);
        let Some(&(cell, _)) = open else {
            let mut of_colour = vec![0u32; colouring.count() as usize];
            for (v, &colour) in colouring.of(1).iter().enumerate() {
                of_colour[colour as usize] = v as u32;
            }
            let map: Vec<u32> = colouring.of(0).iter().map(|&c| of_colour[c as usize]).collect();
            // Equal quotients of discrete partitions are isomorphisms already; this is a check.
            let same = self.graphs[0].relabelled(&map).is_ok_and(|moved| moved == self.graphs[1]);
            return Some(if same { Isomorphism::Same(map) } else { Isomorphism::Different });
        };
        let special = colouring.count();
        let chosen = colouring.of(0).iter().position(|&c| c == cell)?;
        let mut next = [colouring.of(0).to_vec(), colouring.of(1).to_vec()];
        next[0][chosen] = special;
        for v in 0..next[1].len() {
            if next[1][v] != cell {
                continue;
            }
            next[1][v] = special;
            match self.run(next.clone())? {
                Isomorphism::Different => next[1][v] = cell,
                found => return Some(found),
            }
        }
        Some(Isomorphism::Different)
    }
}

/// Graphs sorted by isomorphism.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IsomorphismClasses {
    /// A number for every graph; equal numbers are isomorphic graphs.
    pub class: Vec<u32>,
    /// Pairs that could not be decided; they count as different above.
    pub undecided: Vec<(usize, usize)>,
}

/// Refinements spent on a pair of large graphs.
const MAX_REFINEMENTS: usize = 20_000;
/// Groups of at most this many graphs are decided pair by pair.
const MAX_PAIRWISE: usize = 6;

/// Sorts graphs by isomorphism, directions and labels included.
///
/// # Returns
/// A class for every graph, and the pairs that could not be decided.
///
/// # Errors
/// When labels are as large as `u32::MAX`.
///
/// # Complexity
/// O(m log n) a graph for 1-WL; among graphs that it does not tell apart a canonical form for each
/// (parts of at most 64 vertices), or [`isomorphic`] for pairs.
///
/// ```
/// use gsn_core::{Graph, wl::isomorphism_classes};
/// let path = Graph::from_edges(3, [(0, 1), (1, 2)])?;
/// let moved = path.relabelled(&[1, 0, 2])?;
/// let lone = Graph::from_edges(3, [(0, 1)])?;
/// assert_eq!(isomorphism_classes(&[path, lone, moved])?.class, [0, 1, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn isomorphism_classes(graphs: &[Graph]) -> Result<IsomorphismClasses, WlError> {
    let starts: Vec<Start<'_>> = graphs.iter().map(Start::labels).collect();
    let alike = refine(graphs, &starts_of(graphs, &starts)?)?.classes();
    let mut members: HashMap<u32, Vec<usize>> = HashMap::new();
    for (at, &class) in alike.iter().enumerate() {
        members.entry(class).or_default().push(at);
    }
    let mut buckets: Vec<Vec<usize>> = members.into_values().filter(|b| b.len() > 1).collect();
    buckets.sort_unstable();
    let mut class: Vec<usize> = (0..graphs.len()).collect();
    let mut undecided = Vec::new();
    for bucket in buckets {
        let codes = if bucket.len() > MAX_PAIRWISE {
            bucket.par_iter().map(|&at| canonical_code(&graphs[at])).collect::<Option<Vec<_>>>()
        } else {
            None
        };
        if let Some(codes) = codes {
            let mut first = HashMap::new();
            for (code, &at) in codes.into_iter().zip(&bucket) {
                class[at] = *first.entry(code).or_insert(at);
            }
            continue;
        }
        let mut kept: Vec<usize> = Vec::new();
        for &at in &bucket {
            let verdicts: Vec<Isomorphism> = kept
                .par_iter()
                .map(|&other| isomorphic(&graphs[other], &graphs[at], MAX_REFINEMENTS))
                .collect();
            match verdicts.iter().position(|v| matches!(v, Isomorphism::Same(_))) {
                Some(found) => class[at] = kept[found],
                None => {
                    let open = kept.iter().zip(&verdicts);
                    let open = open.filter(|(_, v)| **v == Isomorphism::Undecided);
                    undecided.extend(open.map(|(&other, _)| (other, at)));
                    kept.push(at);
                }
            }
        }
    }
    Ok(IsomorphismClasses { class: group(class), undecided })
}

/// A text that isomorphic graphs share and no others: the sorted codes of the connected parts.
/// `None` when a part has more vertices than a pattern may have.
fn canonical_code(graph: &Graph) -> Option<Vec<String>> {
    let n = graph.order();
    // Where each vertex is in its own part.
    let mut index = vec![usize::MAX; n];
    let mut codes = Vec::new();
    for root in 0..n {
        if index[root] != usize::MAX {
            continue;
        }
        let mut vertices = vec![root as u32];
        index[root] = 0;
        let mut at = 0;
        while at < vertices.len() {
            let v = vertices[at];
            at += 1;
            for &u in graph.neighbors(v).iter().chain(graph.in_neighbors(v)) {
                if index[u as usize] == usize::MAX {
                    index[u as usize] = vertices.len();
                    vertices.push(u);
                }
            }
        }
        if vertices.len() > MAX_ORDER {
            return None;
        }
        codes.push(match &vertices[..] {
            [single] => format!("{:?}", graph.vertex_labels().map(|l| l[*single as usize])),
            _ => pattern(graph, &vertices, &index).ok()?.canonical_code(),
        });
    }
    codes.sort_unstable();
    Some(codes)
}

/// A connected part as a pattern; `index` says where its vertices are in `vertices`.
fn pattern(graph: &Graph, vertices: &[u32], index: &[usize]) -> Result<Pattern, PatternError> {
    let mut edges = Vec::new();
    let mut labels = Vec::new();
    for (v, &name) in vertices.iter().enumerate() {
        for (arc, &u) in graph.arcs_of(name).zip(graph.neighbors(name)) {
            let u = index[u as usize];
            if graph.is_directed() || v < u {
                edges.push((v, u));
                labels.push(graph.arc_labels().map(|labels| labels[arc]));
            }
        }
    }
    let mut pattern = if graph.is_directed() {
        Pattern::directed("", vertices.len(), &edges)?
    } else {
        Pattern::new("", vertices.len(), &edges)?
    };
    for (&(a, b), label) in edges.iter().zip(labels) {
        if let Some(label) = label {
            pattern = pattern.with_edge_label(a, b, label)?;
        }
    }
    if let Some(labels) = graph.vertex_labels() {
        for (v, &name) in vertices.iter().enumerate() {
            pattern = pattern.with_vertex_label(v, labels[name as usize])?;
        }
    }
    Ok(pattern)
}
