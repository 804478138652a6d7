//! SMILES and MOL files to graphs and features, behind the trait [`MoleculeReader`] so that the parser can be
//! exchanged.
//!
//! Reading a graph takes the molecule as it is written; [`features`] perceives it first (hydrogens,
//! aromaticity, stereo) the way RDKit does, in one of three [`Featurisation`]s.
//!
//! Vertex label = atomic number (0 for `*`), edge label = kind of bond as it is written: 1, 2, 3,
//! 4 aromatic, 5 quadruple, 6 dative. Hydrogens written as atoms are left out the way RDKit does.
//! About a microsecond a molecule of 25 atoms, five where its SMILES is unusual.

#[cfg(feature = "chemistry")]
mod conjugate;
mod features;
#[cfg(feature = "chemistry")]
mod molfile;
#[cfg(feature = "chemistry")]
mod notation;
#[cfg(feature = "chemistry")]
mod perceive;
#[cfg(feature = "chemistry")]
mod shape;
mod structure;
#[cfg(feature = "chemistry")]
mod usual;
#[cfg(feature = "chemistry")]
mod zinc;

pub use features::{Featurisation, MoleculeFeatures, UnknownFeaturisation};
pub use structure::{DrawnAtom, DrawnBond, DrawnMolecule};

use gsn_core::Graph;
use gsn_core::pattern::MoleculeShape;

/// Why a MOL file is no molecule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct BadMolfile {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there, for the user to read.
    pub reason: String,
}

impl BadMolfile {
    /// What is wrong with the molecule as a whole.
    fn whole(reason: String) -> Self {
        Self { line: 1, reason }
    }
}

/// Turns a SMILES or a MOL file into atoms and bonds.
pub trait MoleculeReader: std::fmt::Debug + Send + Sync {
    /// The cargo feature of gsn-io without which this reader reads nothing, if that is off.
    fn missing_feature(&self) -> Option<&'static str> {
        None
    }

    /// The atoms and bonds of `smiles`, as they are written.
    ///
    /// # Errors
    /// Why it is not a molecule, for the user to read.
    fn read(&self, smiles: &str) -> Result<MoleculeShape, String>;

    /// The graph of `smiles`, whose labels are atomic numbers and kinds of bonds with aromatic ones
    /// found anew, and the features of its vertices and arcs.
    ///
    /// # Errors
    /// Why it is not a molecule, or why it has no such features, for the user to read.
    fn featurise(
        &self,
        smiles: &str,
        how: Featurisation,
    ) -> Result<(Graph, MoleculeFeatures), String>;

    /// The molecule of `smiles` with all that a drawing shows. A reader of shapes alone refuses.
    ///
    /// # Errors
    /// Why it is not a molecule, for the user to read.
    fn drawn(&self, _smiles: &str) -> Result<DrawnMolecule, String> {
        Err("this reader does not know what a drawing shows".into())
    }

    /// [`MoleculeReader::drawn`] for a MOL file. A reader of SMILES alone refuses.
    ///
    /// # Errors
    /// Why it is not a molecule, and where.
    fn drawn_molfile(&self, _text: &str) -> Result<DrawnMolecule, BadMolfile> {
        Err(BadMolfile::whole("only SMILES can be read".into()))
    }

    /// The atoms and bonds of a MOL file, as they are written. A reader of SMILES alone refuses.
    ///
    /// # Errors
    /// Why it is not a molecule, and where.
    fn read_molfile(&self, _text: &str) -> Result<MoleculeShape, BadMolfile> {
        Err(BadMolfile::whole("only SMILES can be read".into()))
    }

    /// [`MoleculeReader::featurise`] for a MOL file. A reader of SMILES alone refuses.
    ///
    /// # Errors
    /// Why it is not a molecule, or why it has no such features, and where.
    fn featurise_molfile(
        &self,
        _text: &str,
        _how: Featurisation,
    ) -> Result<(Graph, MoleculeFeatures), BadMolfile> {
        Err(BadMolfile::whole("only SMILES can be read".into()))
    }
}

/// [`MoleculeReader`] by the crate chematic-smiles; in a build without the feature `chemistry` it
/// refuses every SMILES.
///
/// Grammar only: rings and brackets must close and elements must exist, but valences are not
/// judged and aromaticity is taken as written, since neither changes the graph.
///
/// ```
/// # #[cfg(feature = "chemistry")] {
/// use gsn_io::{Chematic, MoleculeReader};
/// let ring = Chematic.read("c1ccccc1O")?;
/// assert_eq!(ring.atoms, [6, 6, 6, 6, 6, 6, 8]);
/// assert_eq!(ring.bonds.len(), 7);
/// assert_eq!(Chematic.read("C1CC").unwrap_err(), "unmatched ring closure 1 at position 4");
/// # }
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Chematic;

#[cfg(feature = "chemistry")]
impl MoleculeReader for Chematic {
    fn read(&self, smiles: &str) -> Result<MoleculeShape, String> {
        match shape::usual(smiles) {
            Some(shape) => Ok(shape),
            None => decoded(no_molecule, || shape::shape(&shape::parse(smiles)?)),
        }
    }

    fn featurise(
        &self,
        smiles: &str,
        how: Featurisation,
    ) -> Result<(Graph, MoleculeFeatures), String> {
        decoded(no_molecule, || features::featurise(&shape::parse(smiles)?, how))
    }

    fn drawn(&self, smiles: &str) -> Result<DrawnMolecule, String> {
        decoded(no_molecule, || structure::structure(&shape::parse(smiles)?))
    }

    fn drawn_molfile(&self, text: &str) -> Result<DrawnMolecule, BadMolfile> {
        decoded(no_molfile, || {
            structure::structure(&molfile::parse(text)?).map_err(BadMolfile::whole)
        })
    }

    fn read_molfile(&self, text: &str) -> Result<MoleculeShape, BadMolfile> {
        decoded(no_molfile, || shape::shape(&molfile::parse(text)?).map_err(BadMolfile::whole))
    }

    fn featurise_molfile(
        &self,
        text: &str,
        how: Featurisation,
    ) -> Result<(Graph, MoleculeFeatures), BadMolfile> {
        decoded(no_molfile, || {
            features::featurise_molfile(&molfile::parse(text)?, how).map_err(BadMolfile::whole)
        })
    }
}

/// Runs chematic, guarded.
#[cfg(feature = "chemistry")]
fn decoded<T, E>(undecodable: fn() -> E, read: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    crate::guard::guarded(read).unwrap_or_else(|_| Err(undecodable()))
}

#[cfg(feature = "chemistry")]
fn no_molecule() -> String {
    "no molecule can be made of it".into()
}

#[cfg(feature = "chemistry")]
fn no_molfile() -> BadMolfile {
    BadMolfile::whole(no_molecule())
}

#[cfg(not(feature = "chemistry"))]
impl MoleculeReader for Chematic {
    fn missing_feature(&self) -> Option<&'static str> {
        Some("chemistry")
    }

    fn read(&self, _: &str) -> Result<MoleculeShape, String> {
        Err("SMILES are read by the feature `chemistry` of gsn-io, which this build lacks".into())
    }

    fn featurise(
        &self,
        smiles: &str,
        _: Featurisation,
    ) -> Result<(Graph, MoleculeFeatures), String> {
        self.read(smiles).map(|_| unreachable!("nothing is read"))
    }

    fn drawn(&self, smiles: &str) -> Result<DrawnMolecule, String> {
        self.read(smiles).map(|_| unreachable!("nothing is read"))
    }
}
