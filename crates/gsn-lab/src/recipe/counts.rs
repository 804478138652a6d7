//! The `[counts]` table: what is counted, and how the counts become input of a network.

use super::Fit;
use crate::error::{Error, Result};
use gsn_core::setters;
use gsn_core::{CountSpec, EdgeOrbits, Encoding, Matching, PatternSet, Scope, Unseen};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The `[counts]` table; its keys are those of `docs/src/recipe-keys.md`.
///
/// ```
/// use gsn_core::{CountSpec, Encoding};
/// use gsn_lab::recipe::Counts;
/// let counts = Counts::new(CountSpec::new("cycle:3..=4".parse()?)).with_encoding(Encoding::Raw);
/// assert_eq!(counts.patterns(), "cycle:3,cycle:4");
/// # Ok::<(), gsn_core::pattern::PatternSyntaxError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Table", into = "Table")]
pub struct Counts {
    spec: CountSpec,
    /// The patterns as they were written.
    written: String,
    /// How counts become input of the network.
    pub encoding: Encoding,
    /// What the encoder is fitted on.
    pub fit: Fit,
    /// Where unseen counts go, if it is said; see [`Counts::unseen`].
    pub unseen: Option<Unseen>,
}

impl Counts {
    /// Counts as they are encoded by default.
    pub fn new(spec: CountSpec) -> Self {
        Self {
            written: spec.patterns().to_string(),
            spec,
            encoding: Encoding::default(),
            fit: Fit::default(),
            unseen: None,
        }
    }

    /// Patterns in their grammar, files and molecules included, on vertices and induced; the text
    /// stays as it is written.
    ///
    /// # Errors
    /// At the first place that cannot be read.
    pub fn read(patterns: &str) -> Result<Self> {
        let set = PatternSet::parse_with(patterns, &gsn_io::PatternFiles::default())
            .map_err(|error| Error::Recipe(format!("counts.patterns: {error}")))?;
        Ok(Self { written: patterns.to_owned(), ..Self::new(CountSpec::new(set)) })
    }

    setters! {
        with_encoding(encoding: Encoding),
        with_fit(fit: Fit),
        with_unseen(unseen: Unseen)
    }

    /// The same on other rows.
    #[must_use]
    pub fn with_scope(self, scope: Scope) -> Self {
        Self { spec: self.spec.with_scope(scope), ..self }
    }

    /// The same with another notion of occurrences.
    #[must_use]
    pub fn with_matching(self, matching: Matching) -> Self {
        Self { spec: self.spec.with_matching(matching), ..self }
    }

    /// The same with the patterns written out, so that no file is needed to read them again.
    #[must_use]
    pub fn written_out(self) -> Self {
        Self { written: self.spec.patterns().to_string(), ..self }
    }

    /// The same, with the patterns written out if their text names files.
    #[must_use]
    pub fn without_files(self) -> Self {
        match PatternSet::parse_with(&self.written, &gsn_io::PatternMolecules) {
            Ok(_) => self,
            Err(_) => self.written_out(),
        }
    }

    /// What is counted.
    pub fn spec(&self) -> &CountSpec {
        &self.spec
    }

    /// The patterns as they were written.
    pub fn patterns(&self) -> &str {
        &self.written
    }

    /// Where unseen counts go: as written, or else to a slot of their own, or, fitted on all
    /// graphs, to the nearest, since the paper's vocabularies have no slot.
    pub fn unseen(&self) -> Unseen {
        self.unseen.unwrap_or(self.fit.unseen())
    }
}

/// The keys of the table.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Table<W = Written> {
    /// What is counted.
    patterns: W,
    /// What gets counts: vertices (GSN-v), edges or arcs (GSN-e without and with direction).
    scope: Scope,
    /// What an occurrence is.
    matching: Matching,
    /// Which notion of edge and arc orbits.
    #[serde(default)]
    edge_orbits: EdgeOrbits,
    /// How counts become input of the network. `ogb` takes embeddings, `dgn` numbers.
    #[serde(default)]
    encoding: Encoding,
    /// What the encoder is fitted on.
    #[serde(default)]
    fit: Fit,
    /// Where counts go that did not occur when the encoder was fitted; if not given, to a category
    /// of their own, and with `fit = "all"`, whose vocabularies are the paper's, to the nearest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unseen: Option<Unseen>,
}

/// Patterns and the text they were read from, with files and molecules.
struct Written {
    text: String,
    set: PatternSet,
}

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let set = PatternSet::parse_with(&text, &gsn_io::PatternFiles::default());
        Ok(Self { set: set.map_err(de::Error::custom)?, text })
    }
}

/// The same where a text of others is read: no file is opened.
struct WithoutFiles(Written);

impl<'de> Deserialize<'de> for WithoutFiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let set = PatternSet::parse_with(&text, &gsn_io::PatternMolecules);
        Ok(Self(Written { set: set.map_err(de::Error::custom)?, text }))
    }
}

/// Reads a table that stands in a model file; its patterns are graphs, and no file is opened.
pub(crate) fn stored<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Counts, D::Error> {
    let table = Table::<WithoutFiles>::deserialize(deserializer)?;
    let Table { scope, matching, edge_orbits, encoding, fit, unseen, .. } = table;
    let patterns = table.patterns.0;
    Ok(Table { patterns, scope, matching, edge_orbits, encoding, fit, unseen }.into())
}

impl From<Table> for Counts {
    fn from(table: Table) -> Self {
        let spec = CountSpec::new(table.patterns.set)
            .with_scope(table.scope)
            .with_matching(table.matching)
            .with_orbits(table.edge_orbits);
        let Table { encoding, fit, unseen, .. } = table;
        Self { spec, written: table.patterns.text, encoding, fit, unseen }
    }
}

impl From<Counts> for Table {
    fn from(counts: Counts) -> Self {
        let Counts { spec, written, encoding, fit, unseen } = counts;
        Self {
            scope: spec.scope(),
            matching: spec.matching(),
            edge_orbits: spec.orbits(),
            patterns: Written { text: written, set: PatternSet::default() },
            encoding,
            fit,
            unseen,
        }
    }
}
