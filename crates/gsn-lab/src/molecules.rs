//! The features of molecules that gsn-io reads, in the terms of the networks.

use gsn_io::{Featurisation, MoleculeFeatures};
use gsn_nn::Features;
use gsn_nn::config::Data;

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

/// The features of a molecule's vertices and of its arcs.
///
/// ```
/// use gsn_io::{Chematic, Featurisation, MoleculeReader};
/// use gsn_nn::Features;
/// let (_, ethanol) = Chematic.featurise("CCO", Featurisation::Zinc)?;
/// let (vertex, _) = gsn_lab::molecules::features(ethanol);
/// assert_eq!(vertex, Features::Categories { cols: 1, data: vec![0, 0, 1] });
/// # Ok::<(), String>(())
/// ```
pub fn features(found: MoleculeFeatures) -> (Features, Features) {
    let MoleculeFeatures { how, vertex, arc, .. } = found;
    (
        Features::Categories { cols: how.vertex_sizes().len(), data: vertex },
        Features::Categories { cols: how.arc_sizes().len(), data: arc },
    )
}
