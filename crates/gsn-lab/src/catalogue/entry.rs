//! What the catalogue says about a set: source, revision, hashes, licence, statistics.
//!
//! It is written in `entries.toml`, which is compiled in and parsed once.

use super::carried;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use strsim::levenshtein;

/// A repository at a pinned revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Source {
    /// `owner/name` on GitHub.
    pub repository: String,
    /// The commit, abbreviated or not.
    pub revision: String,
    /// Its licence.
    pub licence: String,
}

impl Source {
    /// Where the file `remote` of this revision is served.
    pub fn url(&self, remote: &str) -> String {
        format!("https://github.com/{}/raw/{}/{remote}", self.repository, self.revision)
    }
}

/// How a set is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Text of GIN with ten folds.
    Tud,
    /// ZINC-12k.
    Zinc,
    /// ogbg-molhiv.
    Molhiv,
    /// graph6, nothing else.
    Graphs,
    /// graph6 in pairs, with categories.
    Brec,
    /// graph6 with classes and folds.
    Csl,
    /// Text of GIN in which graphs 2i and 2i + 1 are a pair.
    Pairs,
}

/// One file of a set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FileEntry {
    /// Where it is below the data folder; `name.gz` may also lie there unpacked as `name`.
    pub path: String,
    /// Its sha256.
    pub sha256: String,
    /// Its length.
    pub bytes: u64,
    /// What is inside, if it is packed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unpacked: Option<Unpacked>,
    /// Key of its [`Source`].
    pub source: String,
    /// Its path there; none if it was converted or rebuilt, so that nothing serves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// Whether the set loads without it.
    #[serde(default)]
    pub optional: bool,
}

/// What is inside a packed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Unpacked {
    /// Its sha256.
    pub sha256: String,
    /// Its length.
    pub bytes: u64,
}

impl FileEntry {
    /// The address it is served at, if it is.
    pub fn url(&self) -> Option<String> {
        Some(source(&self.source)?.url(self.remote.as_deref()?))
    }

    /// Path, sha256 and length it has unpacked, which is how its source serves it.
    pub fn plain(&self) -> (&str, &str, u64) {
        match &self.unpacked {
            Some(inside) => {
                let path = self.path.strip_suffix(".gz").unwrap_or(&self.path);
                (path, &inside.sha256, inside.bytes)
            }
            None => (&self.path, &self.sha256, self.bytes),
        }
    }
}

/// An archive that holds the whole set in the form of its publisher.
///
/// Its sha256 is not known, so its content is checked by the statistics alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Archive {
    /// Where it is below the data folder.
    pub path: String,
    /// Where it is served.
    pub url: String,
    /// Its licence.
    pub licence: String,
}

/// Numbers that are checked on load. Those a set does not have are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Statistics {
    /// Number of graphs.
    pub graphs: u64,
    /// Vertices in all.
    pub vertices: u64,
    /// Edges in all, without self-loops.
    pub edges: u64,
    /// Self-loops that were left out.
    pub self_loops: u64,
    /// Categories of each column of the vertex features.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vertex_categories: Vec<u64>,
    /// Categories of each column of the arc features.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arc_categories: Vec<u64>,
    /// Graphs of each class, classes in the order in which they first appear.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<u64>,
    /// Graphs whose binary target is 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positives: Option<u64>,
    /// Graphs to train, validate and test.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub split: Vec<u64>,
    /// Folds of the cross validation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folds: Option<u64>,
    /// Pairs of each category.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<u64>,
}

impl Statistics {
    /// Every number with its name, as it is shown.
    pub fn named(&self) -> Vec<(&'static str, String)> {
        let one = |n: Option<u64>| n.map_or_else(String::new, |n| n.to_string());
        let many = |n: &[u64]| n.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        vec![
            ("graphs", self.graphs.to_string()),
            ("vertices", self.vertices.to_string()),
            ("edges", self.edges.to_string()),
            ("self-loops", self.self_loops.to_string()),
            ("vertex categories", many(&self.vertex_categories)),
            ("arc categories", many(&self.arc_categories)),
            ("graphs of each class", many(&self.classes)),
            ("positives", one(self.positives)),
            ("split", many(&self.split)),
            ("folds", one(self.folds)),
            ("pairs of each category", many(&self.pairs)),
        ]
    }

    /// Compares what was `found` with what the catalogue says.
    pub(crate) fn check(&self, name: &str, found: &Statistics) -> Result<()> {
        for ((number, ours), (_, theirs)) in self.named().into_iter().zip(found.named()) {
            if ours != theirs {
                let shown =
                    |text: &str| if text.is_empty() { "none".into() } else { text.to_owned() };
                let (ours, theirs) = (shown(&ours), shown(&theirs));
                let what = format!("{number}: {theirs} found, {ours} in the catalogue");
                return Err(Error::data(name, what));
            }
        }
        Ok(())
    }
}

/// One set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Other names under which it is found.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// How it is read.
    pub kind: Kind,
    /// What the set holds, in one line.
    pub about: String,
    /// Its files.
    pub files: Vec<FileEntry>,
    /// An archive that may stand for the files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive: Option<Archive>,
    /// Numbers that the set must have.
    pub statistics: Statistics,
    /// How its files were made, and what to do about those that nothing serves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Entry {
    /// Sources of its files, each once.
    pub fn sources(&self) -> Vec<&'static Source> {
        let mut found: Vec<&Source> = Vec::new();
        for source in self.files.iter().filter_map(|file| source(&file.source)) {
            if !found.contains(&source) {
                found.push(source);
            }
        }
        found
    }

    /// Licence and source in one line, to be handed on with every model.
    pub fn licence(&self) -> String {
        let told = self
            .sources()
            .iter()
            .map(|s| format!("{} at {}: {}", s.repository, s.revision, s.licence))
            .collect::<Vec<_>>();
        told.join("; ")
    }

    /// Whether it can be fetched: its archive, or every file it needs, is served somewhere.
    pub fn is_served(&self) -> bool {
        let is_served = |file: &FileEntry| file.optional || file.remote.is_some();
        self.archive.is_some() || self.files.iter().all(is_served)
    }

    /// Whether the program carries every file it needs.
    pub fn is_carried(&self) -> bool {
        self.files.iter().all(|file| file.optional || carried::has(file.plain().0))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Catalogue {
    source: BTreeMap<String, Source>,
    set: Vec<Entry>,
}

fn catalogue() -> &'static Catalogue {
    static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
    CATALOGUE.get_or_init(|| {
        toml::from_str(include_str!("entries.toml")).expect("entries.toml is tested to parse")
    })
}

/// Every set, in the order of the catalogue.
pub fn entries() -> &'static [Entry] {
    &catalogue().set
}

/// The source with this key.
pub fn source(key: &str) -> Option<&'static Source> {
    catalogue().source.get(key)
}

/// The set called `name`, whatever the case and punctuation.
///
/// ```
/// use gsn_lab::catalogue::find;
/// assert_eq!(find("imdb_binary")?.name, "IMDB-B");
/// assert!(find("MUTGA").unwrap_err().to_string().contains("did you mean MUTAG?"));
/// # Ok::<(), gsn_lab::Error>(())
/// ```
///
/// # Errors
/// When there is none; the nearest name is in the message.
pub fn find(name: &str) -> Result<&'static Entry> {
    let wanted = plain(name);
    let names = |entry: &'static Entry| {
        std::iter::once(&entry.name).chain(&entry.aliases).map(move |known| (plain(known), entry))
    };
    let all: Vec<(String, &'static Entry)> = entries().iter().flat_map(names).collect();
    if let Some((_, entry)) = all.iter().find(|(known, _)| *known == wanted) {
        return Ok(entry);
    }
    let nearest = all.iter().min_by_key(|(known, _)| levenshtein(known, &wanted));
    let hint = match nearest {
        Some((known, entry)) if levenshtein(known, &wanted) <= 1 + wanted.len() / 3 => {
            format!("did you mean {}? ", entry.name)
        }
        _ => String::new(),
    };
    let what = format!("not in the catalogue; {hint}`gsn data list` shows all there are");
    Err(Error::data(name, what))
}

/// Letters and digits in lower case.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_is_complete() {
        let names: Vec<&str> = entries().iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names.len(), 7 + 2 + 9 + 5);
        for entry in entries() {
            assert!(!entry.files.is_empty() && entry.statistics.graphs > 0, "{}", entry.name);
            assert!(
                entry.is_carried() || entry.is_served() || entry.note.is_some(),
                "{}",
                entry.name
            );
            for file in &entry.files {
                let hex =
                    |text: &str| text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
                assert!(hex(&file.sha256) && hex(file.plain().1));
                assert_eq!(file.unpacked.is_some(), file.path.ends_with(".gz"), "{}", file.path);
                assert!(source(&file.source).is_some(), "{}", file.path);
            }
            for alias in &entry.aliases {
                assert_eq!(find(alias).unwrap().name, entry.name);
            }
        }
    }

    #[test]
    fn a_number_that_differs_is_named() {
        let ours = Statistics { graphs: 2, classes: vec![1, 1], ..Statistics::default() };
        let mut theirs = ours.clone();
        assert!(ours.check("X", &theirs).is_ok());
        theirs.classes = vec![2];
        let message = ours.check("X", &theirs).unwrap_err().to_string();
        assert_eq!(message, "dataset X: graphs of each class: 2 found, 1, 1 in the catalogue");
    }
}
