//! Colour refinement (1-WL): what a message-passing network without counts can see.
//!
//! Starting from one colour, a vertex's new colour is its old one with the multiset of its
//! neighbours' colours, until no class splits any more. O(n · m) with the sorting here.

use gsn_core::Graph;
use std::collections::BTreeMap;

/// Sizes of the colour classes of every graph, by colour; colours mean the same in all of them.
pub(crate) fn histograms(graphs: &[&Graph]) -> Vec<Vec<usize>> {
    let mut colours: Vec<Vec<usize>> = graphs.iter().map(|g| vec![0; g.order()]).collect();
    let mut count = 1;
    loop {
        let signature = |g: &Graph, colours: &[usize], v: usize| {
            let mut around: Vec<usize> =
                g.neighbors(v as u32).iter().map(|&u| colours[u as usize]).collect();
            around.sort_unstable();
            (colours[v], around)
        };
        let signatures: Vec<Vec<_>> = graphs
            .iter()
            .zip(&colours)
            .map(|(g, colours)| (0..g.order()).map(|v| signature(g, colours, v)).collect())
            .collect();
        let mut names = BTreeMap::new();
        for signature in signatures.iter().flatten() {
            names.entry(signature.clone()).or_insert(0);
        }
        for (name, number) in names.values_mut().enumerate() {
            *number = name;
        }
        colours = signatures.iter().map(|list| list.iter().map(|s| names[s]).collect()).collect();
        if names.len() == count {
            break;
        }
        count = names.len();
    }
    colours
        .iter()
        .map(|colours| {
            let mut sizes = vec![0; count];
            colours.iter().for_each(|&colour| sizes[colour] += 1);
            sizes
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refinement_splits_a_path_but_not_a_hexagon_from_two_triangles() {
        let path = Graph::from_edges(3, [(0, 1), (1, 2)]).unwrap();
        assert_eq!(histograms(&[&path]), [[2, 1]]);
        let hexagon = Graph::from_edges(6, (0..6).map(|v| (v, (v + 1) % 6))).unwrap();
        let triangles =
            Graph::from_edges(6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]).unwrap();
        let both = histograms(&[&hexagon, &triangles]);
        assert_eq!(both[0], both[1]);
    }
}
