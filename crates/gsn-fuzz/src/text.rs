//! Texts that people write: patterns and recipes.

use crate::said;
use gsn_core::{EdgeOrbits, Orbits, PatternSet};
use gsn_io::PatternMolecules;
use gsn_lab::recipe::Recipe;

/// Patterns of a text, and what follows from them: orbits, and names that are read as the same.
pub(crate) fn patterns(bytes: &[u8]) -> u64 {
    let Ok(text) = std::str::from_utf8(bytes) else { return 0 };
    let set = match PatternSet::parse_with(text, &PatternMolecules) {
        Ok(set) => set,
        Err(error) => return said(&error.to_string()),
    };
    let mut seen = 1;
    for pattern in set.iter().filter(|pattern| pattern.order() <= 6).take(20) {
        let orbits = Orbits::of(pattern, EdgeOrbits::Exact);
        let members: usize = orbits.vertex_orbits().iter().map(Vec::len).sum();
        assert_eq!(members, pattern.order(), "every vertex is in one orbit");
        let size = 8 * pattern.order() + pattern.edges().count();
        seen |= 1 << (size % 61);
    }
    seen
}

/// A recipe, and the same one from what it is written as.
pub(crate) fn recipe(bytes: &[u8]) -> u64 {
    let Ok(text) = std::str::from_utf8(bytes) else { return 0 };
    // Other files are not what this is about.
    if text.contains("extends") && text.contains('/') {
        return 0;
    }
    let recipe = match Recipe::parse(text, "recipe") {
        Ok(recipe) => recipe,
        Err(error) => return said(&error.to_string()),
    };
    if recipe.check().is_ok() {
        let written = recipe.to_toml();
        let again = Recipe::parse(&written, "recipe");
        assert!(again.is_ok_and(|again| again.to_toml() == written), "{written}");
    }
    2
}
