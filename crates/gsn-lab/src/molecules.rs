//! Molecules as samples: what gsn-io reads out of SMILES, in the terms of the networks.

use gsn_core::Graph;
use gsn_io::{Chematic, Featurisation, MoleculeFeatures, MoleculeReader};
use gsn_nn::Features;
use gsn_nn::config::Data;

/// A molecule, ready to be a [`Sample`](crate::Sample).
#[derive(Debug, Clone, PartialEq)]
pub struct Molecule {
    /// Its atoms and bonds.
    pub graph: Graph,
    /// Features of the vertices.
    pub vertex: Features,
    /// Features of the arcs, in the order of [`Graph::arcs`].
    pub arc: Features,
    /// Atoms without a category of their own; see [`MoleculeFeatures::unknown`].
    pub unknown: usize,
}

/// What the features of vertices and of arcs hold.
///
/// ```
/// use gsn_io::Featurisation;
/// use gsn_nn::config::Data;
/// let (vertex, arc) = gsn_lab::molecules::data(Featurisation::Zinc);
/// assert_eq!(vertex, Data::Categories { sizes: vec![28] });
/// assert_eq!(arc, Data::Categories { sizes: vec![4] });
/// ```
pub fn data(how: Featurisation) -> (Data, Data) {
    let data = |sizes: &[usize]| Data::Categories { sizes: sizes.to_vec() };
    (data(how.vertex_sizes()), data(how.arc_sizes()))
}

/// The molecule `smiles`.
///
/// ```
/// use gsn_io::Featurisation;
/// let benzene = gsn_lab::molecules::read("c1ccccc1", Featurisation::Default)?;
/// assert_eq!((benzene.graph.order(), benzene.unknown), (6, 0));
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
/// Why it is not a molecule, or has no such features.
pub fn read(smiles: &str, how: Featurisation) -> Result<Molecule, String> {
    let (graph, found) = Chematic.featurise(smiles, how)?;
    let MoleculeFeatures { vertex, arc, unknown, .. } = found;
    let vertex = Features::Categories { cols: how.vertex_sizes().len(), data: vertex };
    let arc = Features::Categories { cols: how.arc_sizes().len(), data: arc };
    Ok(Molecule { graph, vertex, arc, unknown })
}
