//! Murcko scaffolds: ring systems and the linkers between them, with atoms that hang on a double
//! bond.
//!
//! Leaves are taken away until none is left (what remains lies on a ring or between two rings),
//! then neighbours by a double bond come back. Two molecules share a scaffold when the labelled
//! graphs are isomorphic; the key is the canonical form of each component. A component of more
//! than 64 atoms is told apart by colour refinement alone. Linear except for the canonical form.

use gsn_core::random::mix;
use gsn_core::{Graph, Pattern};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Label of double bonds.
const DOUBLE: u32 = 2;
/// The largest pattern there is.
const MOST: usize = 64;

/// The vertices of the scaffold, in increasing order; none in a molecule without rings.
///
/// ```
/// use gsn_core::GraphBuilder;
/// // Methylcyclopropanone: the ring and its oxygen stay, the methyl group goes.
/// let mut builder = GraphBuilder::undirected(5);
/// for (u, v, bond) in [(0, 1, 1), (1, 2, 1), (2, 0, 1), (0, 3, 2), (1, 4, 1)] {
///     builder.labelled_edge(u, v, bond);
/// }
/// builder.vertex_labels(vec![6, 6, 6, 8, 6]);
/// assert_eq!(gsn_lab::user_data::scaffold::vertices(&builder.build()?), [0, 1, 2, 3]);
/// # Ok::<(), gsn_core::graph::GraphError>(())
/// ```
pub fn vertices(graph: &Graph) -> Vec<u32> {
    let n = graph.order();
    let mut degree: Vec<usize> = (0..n as u32).map(|v| graph.degree(v)).collect();
    let mut gone = vec![false; n];
    let mut leaves: Vec<u32> = (0..n as u32).filter(|&v| degree[v as usize] <= 1).collect();
    while let Some(v) = leaves.pop() {
        if std::mem::replace(&mut gone[v as usize], true) {
            continue;
        }
        for &u in graph.neighbors(v) {
            degree[u as usize] -= 1;
            if degree[u as usize] <= 1 && !gone[u as usize] {
                leaves.push(u);
            }
        }
    }
    let mut kept: Vec<bool> = gone.iter().map(|gone| !gone).collect();
    if let Some(labels) = graph.arc_labels() {
        for v in 0..n as u32 {
            if gone[v as usize] {
                continue;
            }
            for (arc, &u) in graph.arcs_of(v).zip(graph.neighbors(v)) {
                kept[u as usize] |= labels[arc] == DOUBLE;
            }
        }
    }
    (0..n as u32).filter(|&v| kept[v as usize]).collect()
}

/// A text that molecules with the same scaffold share; empty without rings.
pub fn key(graph: &Graph) -> String {
    let kept = vertices(graph);
    let mut parts: Vec<String> =
        components(graph, &kept).iter().map(|part| component_key(graph, part)).collect();
    parts.sort_unstable();
    parts.join(".")
}

/// The connected parts that `kept` (sorted) induces.
fn components(graph: &Graph, kept: &[u32]) -> Vec<Vec<u32>> {
    let mut seen = vec![false; graph.order()];
    let mut parts = Vec::new();
    for &start in kept {
        if std::mem::replace(&mut seen[start as usize], true) {
            continue;
        }
        let (mut part, mut at) = (vec![start], 0);
        while at < part.len() {
            for &u in graph.neighbors(part[at]) {
                if kept.binary_search(&u).is_ok() && !std::mem::replace(&mut seen[u as usize], true)
                {
                    part.push(u);
                }
            }
            at += 1;
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts
}

/// Bonds inside a part with positions in it instead of vertices, and their labels.
fn bonds(graph: &Graph, part: &[u32]) -> Vec<(usize, usize, u32)> {
    let labels = graph.arc_labels();
    let mut out = Vec::new();
    for (a, &v) in part.iter().enumerate() {
        for (arc, u) in graph.arcs_of(v).zip(graph.neighbors(v)) {
            if let Ok(b) = part.binary_search(u)
                && a < b
            {
                out.push((a, b, labels.map_or(0, |labels| labels[arc])));
            }
        }
    }
    out
}

fn component_key(graph: &Graph, part: &[u32]) -> String {
    let bonds = bonds(graph, part);
    let exact = || -> Option<String> {
        if part.len() > MOST {
            return None;
        }
        let edges: Vec<(usize, usize)> = bonds.iter().map(|&(a, b, _)| (a, b)).collect();
        let mut pattern = Pattern::new("scaffold", part.len(), &edges).ok()?;
        for (a, &v) in part.iter().enumerate() {
            let label = graph.vertex_labels().map_or(0, |labels| labels[v as usize]);
            pattern = pattern.with_vertex_label(a, label).ok()?;
        }
        for &(a, b, label) in &bonds {
            pattern = pattern.with_edge_label(a, b, label).ok()?;
        }
        Some(pattern.canonical_code())
    };
    exact().unwrap_or_else(|| refined(graph, part, &bonds))
}

/// Sizes and signatures of the colour classes after refinement.
fn refined(graph: &Graph, part: &[u32], bonds: &[(usize, usize, u32)]) -> String {
    let mut around = vec![Vec::new(); part.len()];
    for &(a, b, label) in bonds {
        around[a].push((b, label));
        around[b].push((a, label));
    }
    let label = |v: &u32| graph.vertex_labels().map_or(0, |labels| u64::from(labels[*v as usize]));
    let mut colours: Vec<u64> = part.iter().map(label).collect();
    let mut classes = 0;
    loop {
        let signature = |v: usize| {
            let mut next: Vec<(u64, u32)> =
                around[v].iter().map(|&(u, label)| (colours[u], label)).collect();
            next.sort_unstable();
            let start = mix(colours[v] ^ 0x9e37_79b9_7f4a_7c15);
            next.iter().fold(start, |h, &(c, l)| mix(h ^ mix(c).wrapping_add(u64::from(l))))
        };
        colours = (0..part.len()).map(signature).collect();
        let mut sizes = BTreeMap::<u64, usize>::new();
        colours.iter().for_each(|&colour| *sizes.entry(colour).or_default() += 1);
        if sizes.len() <= classes {
            let mut out = format!("wl:{}", part.len());
            for (colour, size) in sizes {
                let _ = write!(out, ",{colour:x}*{size}");
            }
            return out;
        }
        classes = sizes.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsn_io::{GraphSource, ReadOptions, Row};

    fn graphs(smiles: &[&str]) -> Vec<Graph> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("molecules.smi");
        std::fs::write(&path, smiles.join("\n")).unwrap();
        let source = GraphSource::open(&path, &ReadOptions::default()).unwrap();
        source
            .map(|row| match row.unwrap() {
                Row::Graph(record) => record.graph,
                Row::Rejected(bad) => panic!("{bad:?}"),
            })
            .collect()
    }

    fn same(a: &str, b: &str) -> bool {
        let graphs = graphs(&[a, b]);
        key(&graphs[0]) == key(&graphs[1])
    }

    #[test]
    fn side_chains_go_and_rings_linkers_and_double_bonds_stay() {
        assert!(same("CCc1ccccc1", "OC(=O)c1ccccc1"));
        assert!(same("c1ccccc1CCc1ccccc1C", "Fc1ccccc1CC(O)c1ccccc1"), "the linker stays");
        assert!(!same("c1ccccc1CCc1ccccc1", "c1ccccc1CCCc1ccccc1"), "its length counts");
        assert!(!same("O=C1CCCCC1", "OC1CCCCC1"), "=O on a ring stays");
        assert!(same("O=C1CCCCC1", "CC1CCCCC1=O"));
        assert!(same("CC=C1CCCC1", "C=C1CCCC1"), "of a chain only its first atom");
        assert!(!same("c1ccncc1", "c1ccccc1"), "elements count");
        assert!(!same("C1CCCCC1", "C1CCCC=C1"), "bonds count");
    }

    #[test]
    fn without_rings_there_is_no_scaffold_and_order_does_not_matter() {
        assert_eq!(key(&graphs(&["CC(C)=O.[Na+]"])[0]), "");
        assert!(same("c1ccccc1.C1CC1", "C1CC1C.CCc1ccccc1"), "components in any order");
        assert!(same("n1ccccc1Cl", "c1cccnc1"));
    }

    #[test]
    fn large_scaffolds_are_told_apart_by_refinement() {
        let chain = |middle: &str| format!("c1ccccc1{}C1CCCCC1", middle.repeat(60));
        assert!(same(&chain("C"), &format!("{}C", chain("C"))));
        assert!(!same(&chain("C"), &chain("CN")));
    }
}
