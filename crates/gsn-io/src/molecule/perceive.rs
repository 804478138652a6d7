//! What a molecule is, whatever its SMILES: RDKit's model of it, by chematic's port.
//!
//! Hydrogens that only fill valences are gone, charges of nitro groups and the like are cleaned up,
//! aromaticity, conjugation, hybridisation and stereo are perceived. Atoms keep their order.

use super::features::ELEMENTS;
use chematic_core::Molecule;
use chematic_smiles::{OgbGraphFeatures, ogb_graph_features};
use gsn_core::{Graph, GraphBuilder};

/// Rows of vertices, rows of bonds, and how many atoms are of no known kind.
pub(super) type Rows = (Vec<u32>, Vec<u32>, usize);

/// A molecule in the categories of OGB, from which the others follow.
pub(super) struct Perceived {
    /// The nine columns of every atom.
    pub(super) atoms: Vec<[i64; 9]>,
    /// The ends of every bond.
    pub(super) bonds: Vec<(u32, u32)>,
    /// The three columns of every bond.
    pub(super) kinds: Vec<[i64; 3]>,
}

// Columns of OGB's atoms.
pub(super) const ELEMENT: usize = 0;
pub(super) const CHIRALITY: usize = 1;
pub(super) const CHARGE: usize = 3;
pub(super) const HYDROGENS: usize = 4;
pub(super) const RADICALS: usize = 5;
const AROMATIC: usize = 7;
const IN_RING: usize = 8;
/// OGB's number for an element that is none.
const NO_ELEMENT: i64 = 118;
/// OGB's number for an aromatic bond.
pub(super) const AROMATIC_BOND: i64 = 3;

pub(super) fn perceive(molecule: &Molecule) -> Result<Perceived, String> {
    let OgbGraphFeatures { node_feat, edge_index, edge_feat } = ogb_graph_features(molecule)
        .map_err(|e| {
            let text = e.to_string();
            text.strip_prefix("RDKit-compatible SMILES: ").unwrap_or(&text).to_owned()
        })?;
    if node_feat.is_empty() {
        return Err("there is no atom".into());
    }
    // Every bond comes in both directions, one after the other.
    let bonds = edge_index.iter().step_by(2).map(|&[u, v]| (u as u32, v as u32)).collect();
    let kinds = edge_feat.iter().step_by(2).copied().collect();
    Ok(Perceived { atoms: node_feat, bonds, kinds })
}

impl Perceived {
    /// Atomic number of an atom; 0 for `*`.
    pub(super) fn element(&self, atom: usize) -> u32 {
        match self.atoms[atom][ELEMENT] {
            NO_ELEMENT => 0,
            number => number as u32 + 1,
        }
    }

    /// Atoms and bonds with the labels of [`super::shape`].
    pub(super) fn graph(&self) -> Result<Graph, String> {
        let mut builder = GraphBuilder::undirected(self.atoms.len());
        builder.vertex_labels((0..self.atoms.len()).map(|atom| self.element(atom)).collect());
        for (&(u, v), kind) in self.bonds.iter().zip(&self.kinds) {
            if u == v {
                return Err(format!("atom {u} is bonded to itself"));
            }
            let label = [1, 2, 3, 4].get(kind[0] as usize).copied().unwrap_or(6);
            builder.labelled_edge(u, v, label);
        }
        builder.build().map_err(|e| e.to_string())
    }

    /// The columns as they are.
    pub(super) fn ogb(&self) -> Rows {
        let unknown = self.atoms.iter().filter(|atom| atom[ELEMENT] == NO_ELEMENT).count();
        let flat = |rows: &[i64]| rows.iter().map(|&n| n as u32).collect();
        (flat(self.atoms.as_flattened()), flat(self.kinds.as_flattened()), unknown)
    }

    /// Our own columns.
    pub(super) fn plain(&self, graph: &Graph) -> Rows {
        let mut vertex = Vec::with_capacity(5 * self.atoms.len());
        let mut unknown = 0;
        for (at, atom) in self.atoms.iter().enumerate() {
            let element = ELEMENTS.iter().position(|&known| known == self.element(at));
            unknown += usize::from(element.is_none());
            vertex.extend([
                element.map_or(0, |at| at as u32 + 1),
                // OGB counts charges from -5; here they are at most 2 either way.
                atom[CHARGE].clamp(3, 7) as u32 - 3,
                atom[HYDROGENS].min(4) as u32,
                atom[AROMATIC] as u32,
                atom[IN_RING] as u32,
            ]);
        }
        let in_ring = ring_edges(graph);
        let edges = self.bonds.iter().zip(&self.kinds).flat_map(|(&(u, v), kind)| {
            let ring = graph.arc_id(u, v).is_some_and(|arc| in_ring[graph.edge_id(arc)]);
            [kind[0] as u32, u32::from(ring)]
        });
        (vertex, edges.collect(), unknown)
    }
}

/// Whether each edge lies on a cycle: those that do not are bridges, found in one depth-first
/// walk by the lowest vertex that a subtree still reaches (Tarjan).
fn ring_edges(graph: &Graph) -> Vec<bool> {
    const NEW: u32 = u32::MAX;
    let n = graph.order();
    let mut in_ring = vec![true; graph.edge_count()];
    let (mut entered, mut low) = (vec![NEW; n], vec![NEW; n]);
    let mut clock = 0;
    let mut stack: Vec<(u32, usize, usize)> = Vec::new();
    for root in 0..n as u32 {
        if entered[root as usize] != NEW {
            continue;
        }
        (entered[root as usize], low[root as usize]) = (clock, clock);
        clock += 1;
        stack.push((root, graph.arcs_of(root).start, usize::MAX));
        while let Some((v, arc, by)) = stack.pop() {
            if arc < graph.arcs_of(v).end {
                stack.push((v, arc + 1, by));
                let (w, edge) = (graph.arc_target(arc), graph.edge_id(arc));
                if edge == by {
                    continue;
                }
                if entered[w as usize] == NEW {
                    (entered[w as usize], low[w as usize]) = (clock, clock);
                    clock += 1;
                    stack.push((w, graph.arcs_of(w).start, edge));
                } else {
                    low[v as usize] = low[v as usize].min(entered[w as usize]);
                }
            } else if let Some(&(parent, _, _)) = stack.last() {
                low[parent as usize] = low[parent as usize].min(low[v as usize]);
                in_ring[by] = low[v as usize] <= entered[parent as usize];
            }
        }
    }
    in_ring
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_on_cycles_are_found() {
        // A triangle, a bridge, a square; and a single edge elsewhere.
        let edges = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (5, 6), (3, 6), (7, 8)];
        let graph = Graph::from_edges(9, edges).unwrap();
        let in_ring = ring_edges(&graph);
        for (edge, ends) in graph.edges().enumerate() {
            assert_eq!(in_ring[edge], ends != (2, 3) && ends != (7, 8), "{ends:?}");
        }
    }
}
