//! What the pattern grammar needs from outside: files and SMILES.
//!
//! This crate does no I/O and knows no chemistry, so a caller that parses `file:`, `smiles:` and
//! `molecule:` hands in a [`PatternSource`].

/// The heavy atoms of a molecule and the bonds between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoleculeShape {
    /// Atomic number of every heavy atom; atoms are numbered from 0.
    pub atoms: Vec<u32>,
    /// Bonded atoms, each bond once.
    pub bonds: Vec<(usize, usize)>,
    /// Kind of every bond: 1, 2, 3, or 4 for aromatic.
    pub bond_labels: Vec<u32>,
}

/// Answers what a pattern text asks for beyond itself.
///
/// ```
/// use gsn_core::PatternSet;
/// use gsn_core::pattern::{MoleculeShape, PatternSource};
///
/// struct Fixed;
/// impl PatternSource for Fixed {
///     fn file(&self, path: &str) -> Result<String, String> {
///         if path == "some.txt" { Ok("cycle:5\nDQc\n".into()) } else { Err("no such file".into()) }
///     }
///     fn smiles(&self, _: &str) -> Result<MoleculeShape, String> {
///         Err("no chemistry here".into())
///     }
/// }
/// let set = PatternSet::parse_with("file:some.txt, path:2", &Fixed)?;
/// let names: Vec<_> = set.iter().map(|pattern| pattern.name()).collect();
/// assert_eq!(names, ["cycle:5", "g6:DQc", "path:2"]);
/// # Ok::<(), gsn_core::pattern::PatternSyntaxError>(())
/// ```
pub trait PatternSource {
    /// The contents of the file that `file:` names.
    ///
    /// # Errors
    /// A message for the user when it cannot be read.
    fn file(&self, path: &str) -> Result<String, String>;

    /// The molecule that `smiles:` or `molecule:` names.
    ///
    /// # Errors
    /// A message for the user when it is not a valid SMILES.
    fn smiles(&self, text: &str) -> Result<MoleculeShape, String>;
}

/// Refuses both; what plain `parse::<PatternSet>()` uses.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSource;

impl PatternSource for NoSource {
    fn file(&self, _: &str) -> Result<String, String> {
        Err("files are not read here; use `PatternSet::parse_with` and a source that can".into())
    }

    fn smiles(&self, _: &str) -> Result<MoleculeShape, String> {
        Err("SMILES is not understood here; use `PatternSet::parse_with` and a source that can"
            .into())
    }
}
