//! The file formats, and how one is recognised.

use crate::error::Error;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A file format that holds graphs.
///
/// ```
/// use gsn_io::Format;
/// assert_eq!("edge-list".parse::<Format>(), Ok(Format::EdgeList));
/// assert_eq!(Format::from_path("molecules.csv.gz".as_ref()), Some(Format::Csv));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// McKay's graph6, one graph a line; sparse6 lines may be mixed in.
    Graph6,
    /// McKay's sparse6, one graph a line; graph6 lines may be mixed in.
    Sparse6,
    /// `u v` a line, `#` comments (SNAP); one graph a file.
    EdgeList,
    /// A folder of the TU Dortmund collection (`DS_A.txt`, `DS_graph_indicator.txt`, …).
    Tu,
    /// The text format of GIN and DGCNN.
    Gin,
    /// GraphML; a folder of `.graphml` files is one input, sorted by name.
    GraphMl,
    /// Comma-separated values with a SMILES column.
    Csv,
    /// Tab-separated values with a SMILES column.
    Tsv,
    /// A SMILES and an optional name a line.
    Smi,
    /// Parquet with `num_nodes`, `src`, `dst`, or with a SMILES column.
    Parquet,
    /// An Arrow IPC file (Feather) with the columns of [`Format::Parquet`].
    Arrow,
    /// An Arrow IPC stream with the columns of [`Format::Parquet`].
    ArrowStream,
}

use Format::*;

const ALL: [Format; 12] =
    [Graph6, Sparse6, EdgeList, Tu, Gin, GraphMl, Csv, Tsv, Smi, Parquet, Arrow, ArrowStream];

impl Format {
    /// The names that [`Format::from_str`] understands.
    pub const NAMES: [&'static str; 12] = [
        "graph6",
        "sparse6",
        "edge-list",
        "tu",
        "gin",
        "graphml",
        "csv",
        "tsv",
        "smi",
        "parquet",
        "arrow",
        "arrow-stream",
    ];

    /// What the ending of a file name says; `.gz` is looked through.
    pub fn from_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let (_, ending) = name.rsplit_once('.')?;
        Some(match ending {
            "g6" | "graph6" => Graph6,
            "s6" | "sparse6" => Sparse6,
            "edges" | "edgelist" | "el" | "edge-list" => EdgeList,
            "graphml" | "xml" => GraphMl,
            "csv" => Csv,
            "tsv" => Tsv,
            "smi" | "smiles" => Smi,
            "parquet" | "pq" => Parquet,
            "arrow" | "feather" | "ipc" => Arrow,
            "arrows" => ArrowStream,
            "gin" => Gin,
            _ => return None,
        })
    }

    /// What the first bytes say, where they say it without doubt.
    pub(crate) fn from_magic(head: &[u8]) -> Option<Self> {
        let text = head.trim_ascii_start();
        if head.starts_with(b"PAR1") {
            Some(Parquet)
        } else if head.starts_with(b"ARROW1") {
            Some(Arrow)
        } else if head.starts_with(&[0xff, 0xff, 0xff, 0xff]) {
            Some(ArrowStream)
        } else if text.starts_with(b">>graph6<<") {
            Some(Graph6)
        } else if text.starts_with(b">>sparse6<<") {
            Some(Sparse6)
        } else if text.starts_with(b"<?xml") || text.starts_with(b"<graphml") {
            Some(GraphMl)
        } else {
            None
        }
    }

    /// What text without a telling name looks like.
    fn from_text(head: &[u8]) -> Option<Self> {
        let mut lines = head
            .split(|b| matches!(b, b'\n' | b'\r'))
            .map(<[u8]>::trim_ascii)
            .filter(|line| !line.is_empty());
        let first = lines.next()?;
        if first.starts_with(b"#") {
            return Some(EdgeList);
        }
        let numbers = |line: &[u8]| -> Option<usize> {
            let mut n = 0;
            for token in line.split(|b| b.is_ascii_whitespace() || *b == b',') {
                if !token.is_empty() {
                    std::str::from_utf8(token).ok()?.parse::<f64>().ok()?;
                    n += 1;
                }
            }
            Some(n)
        };
        if let Some(n) = numbers(first) {
            let second = lines.next().and_then(numbers);
            return match (n, second) {
                (1, Some(2) | None) => Some(Gin),
                (2.., _) => Some(EdgeList),
                _ => None,
            };
        }
        let has_smiles = |separator| {
            first
                .split(|&b| b == separator)
                .any(|name| name.trim_ascii().eq_ignore_ascii_case(b"smiles"))
        };
        if has_smiles(b',') {
            Some(Csv)
        } else if has_smiles(b'\t') {
            Some(Tsv)
        } else if first.iter().all(|b| (63..=126).contains(b)) {
            // Short SMILES such as `CC` can be graph6 as well: only a whole valid line is.
            gsn_core::graph::graph6::decode(first).ok().map(|_| Graph6)
        } else if first.starts_with(b":") {
            Some(Sparse6)
        } else {
            None
        }
    }

    /// Name and contents together: magic first, then the ending, then a look at the text.
    pub(crate) fn detect(path: &Path, name: &str, head: &[u8]) -> Result<Self, Error> {
        let by_magic = Self::from_magic(head);
        let by_name = Self::from_path(path);
        match (by_name, by_magic) {
            (Some(Arrow | ArrowStream), Some(kind @ (Arrow | ArrowStream))) => Ok(kind),
            (Some(binary @ (Parquet | Arrow | ArrowStream)), other) if other != Some(binary) => {
                Err(Error::file(
                    name,
                    format!("does not start like {binary} data, although its name says so"),
                ))
            }
            (_, Some(format)) => Ok(format),
            (Some(format), None) => Ok(format),
            (None, None) => {
                Self::from_text(head).ok_or_else(|| Error::UnknownFormat { path: name.to_owned() })
            }
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = ALL.iter().position(|format| format == self).unwrap_or(0);
        f.pad(Self::NAMES[at])
    }
}

/// No format is called that.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no format is called `{name}`; there are {}", Format::NAMES.join(", "))]
pub struct UnknownName {
    /// What was asked for.
    pub name: String,
}

impl FromStr for Format {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let at = Self::NAMES.iter().position(|name| name.eq_ignore_ascii_case(text));
        at.map(|at| ALL[at]).ok_or_else(|| UnknownName { name: text.to_owned() })
    }
}

impl serde::Serialize for Format {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Format {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
