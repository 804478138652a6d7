//! The exact conversion between induced and subgraph counts.
//!
//! An occurrence of H (as a subgraph) on a vertex set spans the graph F that G induces there, so
//! sub(H, i) = Σ_(F, f) C · ind(F, f), where C counts the spanning subgraphs of F isomorphic to H
//! that have F's orbit f in H's orbit i; the same for arcs that the subgraph keeps. C is read off
//! the code table: a spanning subgraph of F is a submask of its code.
//!
//! Inclusion and exclusion over edges inverts it with the same numbers:
//! ind(H, i) = Σ_(F, f) (−1)^(|E(F)|−|E(H)|) C · sub(F, f).

use super::graphlets::{Class, Graphlets, MAX_ORDER};
use std::sync::OnceLock;

/// The numbers C for graphs of one number of vertices, by column of (F, f).
#[derive(Debug)]
pub(super) struct Conversion {
    /// For the vertex column of (F, f): the columns (H, i) with C > 0, and C.
    pub(super) vertex: Vec<Vec<(u16, u32)>>,
    /// The same for arc columns.
    pub(super) arc: Vec<Vec<(u16, u32)>>,
}

impl Conversion {
    /// Those of 2 to [`MAX_ORDER`] vertices; worked out once.
    pub(super) fn of(order: usize) -> &'static Self {
        static ALL: [OnceLock<Conversion>; MAX_ORDER + 1] =
            [const { OnceLock::new() }; MAX_ORDER + 1];
        ALL[order].get_or_init(|| Self::build(Graphlets::of(order)))
    }

    fn build(graphlets: &Graphlets) -> Self {
        let mut vertex = Vec::with_capacity(graphlets.vertex_columns);
        let mut arc = Vec::with_capacity(graphlets.arc_columns);
        for class in &graphlets.classes {
            let mut vertex_rows = vec![vec![0; graphlets.vertex_columns]; class.vertex_reps.len()];
            let mut arc_rows = vec![vec![0; graphlets.arc_columns]; class.arc_reps.len()];
            let mut spanning = class.code;
            while spanning != 0 {
                if let Some((sub, p)) = graphlets.locate(spanning) {
                    for (row, &f) in vertex_rows.iter_mut().zip(&class.vertex_reps) {
                        row[sub.vertex[p[f] as usize] as usize] += 1;
                    }
                    for (row, &(f, g)) in arc_rows.iter_mut().zip(&class.arc_reps) {
                        // Arcs that the subgraph has dropped are in no orbit of it.
                        let column = sub.arc[p[f] as usize][p[g] as usize] as usize;
                        if let Some(cell) = row.get_mut(column) {
                            *cell += 1;
                        }
                    }
                }
                spanning = (spanning - 1) & class.code;
            }
            vertex.extend(vertex_rows.iter().map(|row| sparse(row)));
            arc.extend(arc_rows.iter().map(|row| sparse(row)));
        }
        Self { vertex, arc }
    }
}

fn sparse(row: &[u32]) -> Vec<(u16, u32)> {
    row.iter().enumerate().filter(|&(_, &c)| c > 0).map(|(h, &c)| (h as u16, c)).collect()
}

/// (−1)^(|E(F)|−|E(H)|): the sign of C in the conversion from subgraph to induced counts.
pub(super) fn sign(h: &Class, f: &Class) -> i64 {
    1 - 2 * i64::from((h.code.count_ones() + f.code.count_ones()) % 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Σ over the columns between of signed C times C is the identity.
    fn check<'a>(maps: &[Vec<(u16, u32)>], class: impl Fn(usize) -> &'a Class) {
        for (at, row) in maps.iter().enumerate() {
            let mut product = std::collections::BTreeMap::new();
            for &(f, c) in row {
                for &(h, d) in &maps[f as usize] {
                    let sign = sign(class(h as usize), class(f as usize));
                    *product.entry(h).or_insert(0) += sign * i64::from(c) * i64::from(d);
                }
            }
            product.retain(|_, c| *c != 0);
            assert_eq!(product, [(at as u16, 1)].into());
        }
    }

    #[test]
    fn the_signed_numbers_are_the_inverse() {
        for k in 2..=MAX_ORDER {
            let graphlets = Graphlets::of(k);
            check(&Conversion::of(k).vertex, |h| graphlets.class_of_vertex_column(h));
            check(&Conversion::of(k).arc, |h| graphlets.class_of_arc_column(h));
        }
    }

    #[test]
    fn a_clique_spans_every_tree() {
        // Cayley: 5³ spanning trees of K5, of which 5 are stars with a given number of centres.
        let (graphlets, conversion) = (Graphlets::of(5), Conversion::of(5));
        let clique = graphlets.classes.last().unwrap();
        let trees: u32 = conversion.vertex[clique.vertex_base]
            .iter()
            .filter(|&&(h, _)| graphlets.class_of_vertex_column(h as usize).code.count_ones() == 4)
            .map(|&(_, c)| c)
            .sum();
        assert_eq!(trees, 125);
    }
}
