//! [`CountSpec`]: which patterns are counted, on what, and how.

use crate::count::{Column, Matching, Scope, columns};
use crate::orbit::{EdgeOrbits, Orbits};
use crate::pattern::{PatternSet, PatternSyntaxError};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// What is counted: patterns, the rows they are counted on, which subgraphs are occurrences, and
/// which notion of edge and arc orbits the columns follow.
///
/// | setting | default |
/// |---|---|
/// | scope | [`Scope::Vertex`] |
/// | matching | [`Matching::Induced`] |
/// | orbits | [`EdgeOrbits::Exact`] |
///
/// A copy is cheap: the patterns are shared.
///
/// ```
/// use gsn_core::{CountSpec, Matching, Scope};
///
/// let spec = CountSpec::new("cycle:3..=4".parse()?)
///     .with_scope(Scope::Arc)
///     .with_matching(Matching::Subgraph);
/// assert_eq!(spec.columns()[1].name(), "cycle:4/a0");
///
/// // The canonical text gives the same again.
/// assert_eq!(spec.to_string(), "arc subgraph exact cycle:3,cycle:4");
/// let again: CountSpec = spec.to_string().parse()?;
/// assert_eq!((again.fingerprint(), again), (spec.fingerprint(), spec));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Table", into = "Table")]
pub struct CountSpec {
    patterns: Arc<PatternSet>,
    scope: Scope,
    matching: Matching,
    orbits: EdgeOrbits,
}

impl CountSpec {
    /// These patterns on vertices, induced, with exact orbits.
    pub fn new(patterns: PatternSet) -> Self {
        Self {
            patterns: Arc::new(patterns),
            scope: Scope::default(),
            matching: Matching::default(),
            orbits: EdgeOrbits::default(),
        }
    }

    /// The same settings for other patterns.
    #[must_use]
    pub fn with_patterns(self, patterns: PatternSet) -> Self {
        Self { patterns: Arc::new(patterns), ..self }
    }

    /// With these rows.
    #[must_use]
    pub fn with_scope(self, scope: Scope) -> Self {
        Self { scope, ..self }
    }

    /// With these occurrences.
    #[must_use]
    pub fn with_matching(self, matching: Matching) -> Self {
        Self { matching, ..self }
    }

    /// With this notion of edge and arc orbits; columns of vertices do not depend on it.
    #[must_use]
    pub fn with_orbits(self, orbits: EdgeOrbits) -> Self {
        Self { orbits, ..self }
    }

    /// The patterns, in the order of their columns.
    pub fn patterns(&self) -> &PatternSet {
        &self.patterns
    }

    /// What the rows are.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Which subgraphs are occurrences.
    pub fn matching(&self) -> Matching {
        self.matching
    }

    /// Which notion of edge and arc orbits the columns follow.
    pub fn orbits(&self) -> EdgeOrbits {
        self.orbits
    }

    /// The columns of the counts. Finds the orbits of every pattern;
    /// [`Counter::columns`](crate::Counter::columns) keeps them.
    pub fn columns(&self) -> Arc<[Column]> {
        let orbits = Orbits::of_all(self.patterns.patterns(), self.orbits);
        columns(self.patterns.iter().map(|pattern| pattern.name()).zip(&orbits), self.scope)
    }

    /// A hash that is the same on every machine and in every version: FNV-1a of the settings,
    /// and of the name and the edges of every pattern.
    pub fn fingerprint(&self) -> u64 {
        let mut text = format!("{} {} {}", self.scope, self.matching, self.orbits);
        for pattern in self.patterns.iter() {
            text.extend(["\n", pattern.name(), "\t", &pattern.edge_list()]);
        }
        text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    }
}

impl fmt::Display for CountSpec {
    /// The canonical text: scope, matching, orbits and the patterns, as
    /// `vertex induced exact cycle:3,cycle:4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.scope, self.matching, self.orbits, self.patterns)
    }
}

/// What is wrong with the text of a [`CountSpec`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CountSpecError {
    /// A setting that is missing or has no such value.
    #[error("`{word}` is no {setting}; write one of {possible}")]
    Setting {
        /// `scope`, `matching` or `notion of orbits`.
        setting: &'static str,
        /// What stands there.
        word: String,
        /// What could.
        possible: String,
    },
    /// A pattern that cannot be read.
    #[error(transparent)]
    Patterns(#[from] PatternSyntaxError),
}

impl FromStr for CountSpec {
    type Err = CountSpecError;

    /// Reads the canonical text of one pattern or more, without files and molecules.
    fn from_str(text: &str) -> Result<Self, CountSpecError> {
        let mut words = text.trim_start().splitn(4, char::is_whitespace);
        let mut word = || words.next().unwrap_or_default();
        let (scope, matching, orbits) = (word().parse()?, word().parse()?, word().parse()?);
        Ok(Self { patterns: Arc::new(word().parse()?), scope, matching, orbits })
    }
}

/// Gives the values of a setting the names that files and the command line write.
macro_rules! named {
    ($type:ident, $setting:literal, $($value:ident = $name:literal),+) => {
        impl $type {
            /// All values.
            pub const ALL: &[Self] = &[$(Self::$value),+];

            /// The word that files and the command line write.
            pub fn name(self) -> &'static str {
                match self { $(Self::$value => $name),+ }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $type {
            type Err = CountSpecError;

            fn from_str(word: &str) -> Result<Self, CountSpecError> {
                let found = Self::ALL.iter().find(|value| value.name() == word).copied();
                found.ok_or_else(|| CountSpecError::Setting {
                    setting: $setting,
                    word: word.to_owned(),
                    possible: [$(concat!("`", $name, "`")),+].join(", "),
                })
            }
        }
    };
}

named!(Scope, "scope", Vertex = "vertex", Edge = "edge", Arc = "arc");
named!(
    Matching,
    "matching",
    Induced = "induced",
    Subgraph = "subgraph",
    Homomorphism = "homomorphism"
);
named!(EdgeOrbits, "notion of orbits", Exact = "exact", Official = "official");

/// The keys of a [`CountSpec`] in TOML and JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Table {
    patterns: String,
    scope: Scope,
    matching: Matching,
    #[serde(default)]
    edge_orbits: EdgeOrbits,
}

impl TryFrom<Table> for CountSpec {
    type Error = PatternSyntaxError;

    fn try_from(table: Table) -> Result<Self, PatternSyntaxError> {
        let Table { patterns, scope, matching, edge_orbits } = table;
        Ok(Self { patterns: Arc::new(patterns.parse()?), scope, matching, orbits: edge_orbits })
    }
}

impl From<CountSpec> for Table {
    fn from(spec: CountSpec) -> Self {
        Self {
            patterns: spec.patterns.to_string(),
            scope: spec.scope,
            matching: spec.matching,
            edge_orbits: spec.orbits,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Vec<CountSpec> {
        let sets = ["cycle:3", "cycle:3..=5,path:4", "edges:0>1,1>2", "edges:0@6-1:2"];
        let mut all = Vec::new();
        for patterns in sets.map(|text| text.parse::<PatternSet>().unwrap()) {
            for &scope in Scope::ALL {
                for &matching in Matching::ALL {
                    for &orbits in EdgeOrbits::ALL {
                        let spec = CountSpec::new(patterns.clone()).with_scope(scope);
                        all.push(spec.with_matching(matching).with_orbits(orbits));
                    }
                }
            }
        }
        all
    }

    #[test]
    fn text_and_table_give_the_same_again() {
        for spec in some() {
            assert_eq!(spec.to_string().parse(), Ok(spec.clone()));
            let json = serde_json::to_string(&spec).unwrap();
            assert_eq!(serde_json::from_str::<CountSpec>(&json).unwrap(), spec, "{json}");
        }
        let spec = CountSpec::new("path:3".parse().unwrap());
        assert_eq!(
            serde_json::to_string(&spec).unwrap(),
            r#"{"patterns":"path:3","scope":"vertex","matching":"induced","edge-orbits":"exact"}"#
        );
    }

    #[test]
    fn fingerprints_differ_and_stay() {
        let mut seen: Vec<u64> = some().iter().map(CountSpec::fingerprint).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), some().len());
        let spec = CountSpec::new("cycle:3".parse().unwrap());
        assert_eq!(spec.fingerprint(), 0x9155_9107_7c8d_3073, "it may be in files");
    }

    #[test]
    fn the_columns_are_those_of_the_counts() {
        for spec in some() {
            assert_eq!(spec.columns(), crate::Counter::new(&spec).columns(), "{spec}");
        }
    }

    #[test]
    fn wrong_texts_say_what_would_be_right() {
        let error = |text: &str| text.parse::<CountSpec>().unwrap_err().to_string();
        assert_eq!(
            error("vertices induced exact cycle:3"),
            "`vertices` is no scope; write one of `vertex`, `edge`, `arc`"
        );
        assert!(error("arc").contains("`` is no matching"));
        assert!(error("arc induced exact cykle:3").contains("did you mean `cycle`?"));
    }
}
