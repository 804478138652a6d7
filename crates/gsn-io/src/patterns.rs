//! Files and SMILES for the pattern grammar.

use crate::input::Input;
use crate::molecule::{Chematic, MoleculeReader};
use gsn_core::pattern::{MoleculeShape, PatternSource};
use std::io::Read;
use std::path::PathBuf;

/// Bytes of a pattern file that are read at most.
const LONGEST: u64 = 64 << 20;

/// Answers `smiles:` and `molecule:` in pattern texts and opens no file: for texts that stand in
/// files of others.
#[derive(Clone, Copy, Debug, Default)]
pub struct PatternMolecules;

impl PatternSource for PatternMolecules {
    fn file(&self, _: &str) -> Result<String, String> {
        Err("patterns that are stored name no files".into())
    }

    fn smiles(&self, text: &str) -> Result<MoleculeShape, String> {
        Chematic.read(text)
    }
}

/// Answers `file:`, `smiles:` and `molecule:` in pattern texts.
///
/// ```
/// # #[cfg(feature = "chemistry")] {
/// use gsn_core::PatternSet;
/// let set = PatternSet::parse_with("smiles:c1ccccc1", &gsn_io::PatternFiles::default())?;
/// assert_eq!((set.patterns()[0].order(), set.patterns()[0].size()), (6, 6));
/// # }
/// # Ok::<(), gsn_core::pattern::PatternSyntaxError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PatternFiles {
    /// What relative paths start from; by default the working directory.
    pub base: PathBuf,
}

impl PatternSource for PatternFiles {
    fn file(&self, path: &str) -> Result<String, String> {
        let input = Input::open(&self.base.join(path)).map_err(|e| e.to_string())?;
        let name = input.name;
        let mut text = Vec::new();
        input
            .bytes
            .take(LONGEST + 1)
            .read_to_end(&mut text)
            .map_err(|e| crate::input::unpack_error(&name, e).to_string())?;
        if text.len() as u64 > LONGEST {
            return Err(format!("{name} is longer than {LONGEST} bytes"));
        }
        String::from_utf8(text).map_err(|_| format!("{name} is not UTF-8 text"))
    }

    fn smiles(&self, text: &str) -> Result<MoleculeShape, String> {
        Chematic.read(text)
    }
}
