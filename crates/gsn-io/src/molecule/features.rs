//! The three featurisations of molecules: what the columns are, and their numbers.
//!
//! | name | vertex columns | arc columns |
//! |---|---|---|
//! | `zinc` | atom type (28: symbol, written hydrogens, charge) | kind of bond (4), Kekulé form |
//! | `ogb` | the 9 of `ogb.utils.smiles2graph` | its 3 |
//! | `default` | element, charge, hydrogens, aromatic, in a ring | kind of bond, in a ring |

#[cfg(feature = "chemistry")]
use super::{conjugate, perceive, zinc};
#[cfg(feature = "chemistry")]
use chematic_core::Molecule;
#[cfg(feature = "chemistry")]
use gsn_core::Graph;

/// How atoms and bonds become categories.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Featurisation {
    /// That of ZINC-12k.
    Zinc,
    /// That of the Open Graph Benchmark.
    Ogb,
    /// Ours: small, and independent of how the SMILES is written.
    #[default]
    Default,
}

/// A name that is none of `zinc`, `ogb`, `default`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no featurisation of molecules; there are zinc, ogb and default")]
pub struct UnknownFeaturisation(pub String);

/// Elements with a category of their own; category 0 is for all others.
pub(super) const ELEMENTS: [u32; 13] = [1, 5, 6, 7, 8, 9, 14, 15, 16, 17, 34, 35, 53];

/// Categories of our own vertex columns.
const DEFAULT_VERTEX: [usize; 5] = [ELEMENTS.len() + 1, 5, 5, 2, 2];

impl Featurisation {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Zinc, Self::Ogb, Self::Default];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Zinc => "zinc",
            Self::Ogb => "ogb",
            Self::Default => "default",
        }
    }

    /// Categories of each vertex column.
    ///
    /// ```
    /// use gsn_io::Featurisation;
    /// assert_eq!(Featurisation::Zinc.vertex_sizes(), [28]);
    /// assert_eq!(Featurisation::Ogb.arc_sizes(), [5, 6, 2]);
    /// ```
    pub fn vertex_sizes(self) -> &'static [usize] {
        match self {
            Self::Zinc => &[28],
            Self::Ogb => &[119, 5, 12, 12, 10, 6, 6, 2, 2],
            Self::Default => &DEFAULT_VERTEX,
        }
    }

    /// Categories of each arc column.
    pub fn arc_sizes(self) -> &'static [usize] {
        match self {
            Self::Zinc => &[4],
            Self::Ogb => &[5, 6, 2],
            Self::Default => &[5, 2],
        }
    }

    /// Names of the vertex columns.
    pub fn vertex_names(self) -> &'static [&'static str] {
        match self {
            Self::Zinc => &["atom type"],
            Self::Ogb => &[
                "element",
                "chirality",
                "degree",
                "charge",
                "hydrogens",
                "radical electrons",
                "hybridisation",
                "aromatic",
                "in a ring",
            ],
            Self::Default => &["element", "charge", "hydrogens", "aromatic", "in a ring"],
        }
    }

    /// Names of the arc columns.
    pub fn arc_names(self) -> &'static [&'static str] {
        match self {
            Self::Zinc => &["bond"],
            Self::Ogb => &["bond", "stereo", "conjugated"],
            Self::Default => &["bond", "in a ring"],
        }
    }
}

impl std::fmt::Display for Featurisation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Featurisation {
    type Err = UnknownFeaturisation;

    fn from_str(name: &str) -> Result<Self, UnknownFeaturisation> {
        Self::ALL
            .into_iter()
            .find(|known| known.name() == name)
            .ok_or_else(|| UnknownFeaturisation(name.to_owned()))
    }
}

/// The features of a molecule's atoms and bonds, as a network reads them.
///
/// ```
/// # #[cfg(feature = "chemistry")] {
/// use gsn_io::{Chematic, Featurisation, MoleculeReader};
/// let (graph, ethanol) = Chematic.featurise("CCO", Featurisation::Zinc)?;
/// assert_eq!(graph.order(), 3);
/// assert_eq!(ethanol.vertex, [0, 0, 1]); // C, C, O
/// assert_eq!(ethanol.arc, [1; 4]); // single bonds, both ways
/// # }
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoleculeFeatures {
    /// Which categories these are.
    pub how: Featurisation,
    /// Categories of the vertices, row after row; [`Featurisation::vertex_sizes`] says of what.
    pub vertex: Vec<u32>,
    /// Categories of the arcs in the order of [`Graph::arcs`](gsn_core::Graph::arcs), row after row.
    pub arc: Vec<u32>,
    /// Atoms that have no category of their own and take the place of others or the nearest.
    pub unknown: usize,
}

/// The features of a molecule that was read from a MOL file.
#[cfg(feature = "chemistry")]
pub(super) fn featurise_molfile(
    molecule: &Molecule,
    how: Featurisation,
) -> Result<(Graph, MoleculeFeatures), String> {
    if how != Featurisation::Zinc {
        return featurise(molecule, how);
    }
    let perceived = perceive::perceive(molecule)?;
    featurise(&zinc::aromatic_form(molecule, &perceived), how)
}

/// The features of a molecule that was read from a SMILES.
#[cfg(feature = "chemistry")]
pub(super) fn featurise(
    molecule: &Molecule,
    how: Featurisation,
) -> Result<(Graph, MoleculeFeatures), String> {
    let mut perceived = perceive::perceive(molecule)?;
    let graph = perceived.graph()?;
    if how == Featurisation::Ogb {
        conjugate::conjugate(&mut perceived, &graph);
    }
    let (vertex, edges, unknown) = match how {
        Featurisation::Ogb => perceived.ogb(),
        Featurisation::Default => perceived.plain(&graph),
        Featurisation::Zinc => zinc::rows(molecule, &perceived)?,
    };
    let cols = how.arc_sizes().len();
    let mut arc = vec![0; graph.arc_count() * cols];
    for (&(u, v), row) in perceived.bonds.iter().zip(edges.chunks_exact(cols)) {
        for at in [graph.arc_id(u, v), graph.arc_id(v, u)].into_iter().flatten() {
            arc[at * cols..][..cols].copy_from_slice(row);
        }
    }
    Ok((graph, MoleculeFeatures { how, vertex, arc, unknown }))
}

#[cfg(all(test, feature = "chemistry"))]
mod tests {
    use super::super::{Chematic, MoleculeReader};
    use super::*;

    fn read(smiles: &str, how: Featurisation) -> MoleculeFeatures {
        Chematic.featurise(smiles, how).unwrap().1
    }

    #[test]
    fn every_column_has_a_name_and_every_name_a_way_back() {
        for how in Featurisation::ALL {
            assert_eq!(how.vertex_sizes().len(), how.vertex_names().len());
            assert_eq!(how.arc_sizes().len(), how.arc_names().len());
            assert_eq!(how.to_string().parse(), Ok(how));
        }
        let unknown = "rdkit".parse::<Featurisation>().unwrap_err().to_string();
        assert!(unknown.contains("zinc, ogb and default"), "{unknown}");
    }

    #[test]
    fn atoms_of_zinc_are_what_a_bracket_says() {
        let atoms = |smiles| read(smiles, Featurisation::Zinc).vertex;
        assert_eq!(atoms("C[C@H](N)C(=O)[O-]"), [0, 4, 2, 0, 1, 7]);
        // A centre that is none, a hydrogen that needs no bracket in a Kekulé form.
        assert_eq!(atoms("C[C@H](C)C"), [0, 0, 0, 0]);
        assert_eq!(atoms("c1cc[nH]c1"), [0, 0, 0, 2, 0]);
        assert_eq!(atoms("C[NH2+]C"), [0, 11, 0]);
        let bonds = read("c1ccccc1", Featurisation::Zinc).arc;
        assert_eq!(bonds.iter().filter(|&&bond| bond == 2).count(), 6);
    }

    #[test]
    fn what_has_no_category_is_counted_or_refused() {
        let near = read("C[CH2+]", Featurisation::Zinc);
        assert_eq!((near.vertex.len(), near.unknown), (2, 1));
        let refused = Chematic.featurise("C[SiH3]", Featurisation::Zinc).unwrap_err();
        assert!(refused.contains("Si"), "{refused}");
        assert_eq!(read("C[Sn](C)(C)C", Featurisation::Default).unknown, 1);
        assert_eq!(read("*C", Featurisation::Ogb).unknown, 1);
    }

    #[test]
    fn rings_and_aromatic_bonds_of_our_own() {
        let (graph, found) = Chematic.featurise("c1ccccc1CC1CC1", Featurisation::Default).unwrap();
        let row = |u: u32, v: u32| {
            let arc = graph.arc_id(u, v).unwrap();
            [found.arc[2 * arc], found.arc[2 * arc + 1]]
        };
        assert_eq!(row(0, 1), [3, 1]);
        assert_eq!(row(5, 6), [0, 0]);
        assert_eq!(row(7, 8), [0, 1]);
        assert_eq!(found.vertex[..5], [3, 2, 1, 1, 1]);
    }

    #[test]
    fn molecules_that_cannot_be_are_refused_with_a_reason() {
        for bad in ["C(C)(C)(C)(C)C", "c1cccc1", "", "C1CC"] {
            assert!(!Chematic.featurise(bad, Featurisation::Default).unwrap_err().is_empty());
        }
    }
}
