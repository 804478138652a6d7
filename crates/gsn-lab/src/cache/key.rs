//! The address of an entry: a sha256 of everything its numbers depend on.

use crate::catalogue::hex;
use gsn_core::{CountSpec, EdgeOrbits, Graph, Orbits, Pattern, Scope};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::borrow::Borrow;

/// Part of every address: entries of another version of the engine or of the packing are others.
const ENGINE: &str = concat!("gsn ", env!("CARGO_PKG_VERSION"), " counts 1");

/// Graphs that are hashed together; part of the address.
const TOGETHER: usize = 64;

/// Where the columns of one pattern are kept.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    /// Names the set of graphs: a folder.
    pub(crate) set: String,
    /// Names the rest: a file in it.
    pub(crate) file: String,
    /// What the entry is, as a list shows it.
    pub(crate) about: String,
}

/// In which order the columns of a pattern are kept: that of its canonical form.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    /// The kept column of each orbit of the pattern.
    pub(crate) columns: Vec<usize>,
    /// The kept column of the reversed arcs, for each kept column.
    pub(crate) reverse: Vec<usize>,
}

/// The keys of all patterns.
pub(crate) fn of_patterns<G: Borrow<Graph> + Sync>(graphs: &[G], spec: &CountSpec) -> Vec<Key> {
    let patterns = spec.patterns().patterns();
    let plain = patterns.iter().any(|p| !p.is_labelled()).then(|| of_graphs(graphs, false));
    let labelled = patterns.iter().any(Pattern::is_labelled).then(|| of_graphs(graphs, true));
    let key = |pattern: &Pattern| {
        let set = if pattern.is_labelled() { &labelled } else { &plain };
        of_pattern(pattern, spec, set.as_deref().unwrap_or_default())
    };
    patterns.iter().map(key).collect()
}

fn of_pattern(pattern: &Pattern, spec: &CountSpec, set: &str) -> Key {
    let (scope, matching) = (spec.scope(), spec.matching());
    // Vertex orbits are the same in both notions.
    let orbits = if scope == Scope::Vertex { EdgeOrbits::Exact } else { spec.orbits() };
    let code = pattern.canonical_code();
    let about = format!("{} ({scope}, {matching}, {orbits} orbits)", pattern.name());
    let text = format!("{ENGINE}\n{set}\n{code}\n{scope}\n{matching}\n{orbits}\n");
    let file = hex(&Sha256::digest(text)[..16]);
    Key { set: set.to_owned(), file, about }
}

/// The order of the columns of a pattern.
pub(crate) fn columns(pattern: &Pattern, spec: &CountSpec) -> Order {
    let position = pattern.canonical_positions();
    let ours = Orbits::of(pattern, spec.orbits());
    let theirs = Orbits::of(&pattern.canonical(), spec.orbits());
    let arc = |&(a, b): &(usize, usize)| theirs.arc(position[a], position[b]);
    let (columns, reverse) = match spec.scope() {
        Scope::Vertex => {
            let orbits = ours.vertex_orbits();
            let of = |orbit: &Vec<usize>| theirs.vertex(position[orbit[0]]);
            (orbits.iter().map(of).collect(), Vec::new())
        }
        Scope::Edge => {
            let orbits = ours.edge_orbits();
            let of = |orbit: &Vec<(usize, usize)>| theirs.edge_of_arc_orbit(arc(&orbit[0]));
            (orbits.iter().map(of).collect(), Vec::new())
        }
        Scope::Arc => {
            let orbits = ours.arc_orbits();
            let columns = orbits.iter().map(|orbit| arc(&orbit[0])).collect();
            let reverse = |orbit| theirs.reverse(orbit).unwrap_or(orbit);
            (columns, (0..theirs.arc_count()).map(reverse).collect())
        }
    };
    Order { columns, reverse }
}

/// A sha256 of the graphs in their order, with their labels if they matter.
fn of_graphs<G: Borrow<Graph> + Sync>(graphs: &[G], labels: bool) -> String {
    let digests: Vec<[u8; 32]> = graphs
        .par_chunks(TOGETHER)
        .map_init(Vec::new, |words: &mut Vec<u32>, some| {
            let mut hash = Sha256::new();
            for graph in some {
                words.clear();
                write(graph.borrow(), labels, words);
                hash.update(bytemuck::cast_slice(words));
            }
            hash.finalize().into()
        })
        .collect();
    let mut hash = Sha256::new();
    // Words are hashed as they lie in memory, so the order of their bytes is part of the address.
    hash.update([u8::from(cfg!(target_endian = "big")), u8::from(labels)]);
    hash.update((graphs.len() as u64).to_le_bytes());
    digests.iter().for_each(|digest| hash.update(digest));
    hex(&hash.finalize()[..16])
}

/// The graph as words that determine it: sizes, then the neighbours of every vertex; in an
/// undirected graph the later ones are enough.
fn write(graph: &Graph, labels: bool, words: &mut Vec<u32>) {
    words.extend([graph.order() as u32, graph.arc_count() as u32]);
    words.push(u32::from(graph.is_directed()));
    for v in 0..graph.order() as u32 {
        let mut neighbors = graph.neighbors(v);
        if !graph.is_directed() {
            neighbors = &neighbors[neighbors.partition_point(|&w| w < v)..];
        }
        words.push(neighbors.len() as u32);
        words.extend_from_slice(neighbors);
    }
    if labels {
        for labels in [graph.vertex_labels(), graph.arc_labels()] {
            words.push(labels.map_or(u32::MAX, |labels| labels.len() as u32));
            words.extend_from_slice(labels.unwrap_or_default());
        }
    }
}
