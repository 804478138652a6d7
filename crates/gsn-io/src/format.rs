//! The file formats: one row for each says what it is called, how it is recognised, and which
//! reader and writer it has.
//!
//! A new format is a reader in `read/`, a writer in `write/` (if it can be written), and here a
//! variant of [`Format`] and its row in `TABLE`; nothing else knows the formats. The tests add
//! one in this way (`toy.rs`).

use crate::delimiter::Delimiter;
use crate::error::{Error, shown};
use crate::input::{HashOf, Input};
use crate::output::STDOUT;
use crate::read::{self, TextHead};
use crate::source::{ReadOptions, Rows, VertexIds};
use crate::write::{self, Writer};
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
    /// Comma-separated values with a SMILES column, or with edges.
    Csv,
    /// Tab-separated values with a SMILES column, or with edges.
    Tsv,
    /// A SMILES and an optional name a line.
    Smi,
    /// Connection tables (V2000, V3000) with properties; SDF holds many, a MOL file one.
    Sdf,
    /// Parquet with `num_nodes`, `src`, `dst`, or with a SMILES column.
    Parquet,
    /// An Arrow IPC file (Feather) with the columns of [`Format::Parquet`].
    Arrow,
    /// An Arrow IPC stream with the columns of [`Format::Parquet`].
    ArrowStream,
    /// GML; several graphs a file.
    Gml,
    /// An adjacency matrix in Matrix Market's coordinate format.
    MatrixMarket,
    /// Node-link JSON of networkx and D3: an object, an array of objects, or JSON lines.
    NodeLink,
    /// DIMACS `p edge`, `p col`, `p sp` and `p tw`.
    Dimacs,
    /// One path a line, by its number of vertices.
    #[cfg(test)]
    Toy,
}

/// An open input: its rows, and the files they come from.
pub(crate) type Opened = (Box<dyn Rows>, Vec<HashOf>);

/// Starts to write a format at a path.
pub(crate) type Create = fn(&Path) -> Result<Box<dyn Writer>, Error>;

/// What is known about a format.
struct Entry {
    format: Format,
    /// How users call it.
    name: &'static str,
    /// Endings of file names.
    endings: &'static [&'static str],
    /// First bytes that tell it without doubt; before text, blanks may stand.
    magic: &'static [&'static [u8]],
    /// Formats of bytes that always start with their magic, and may be taken for each other, have
    /// the same name here; text has none.
    binary: Option<&'static str>,
    /// Whether text looks like it, where the name of the file does not say.
    looks_like: fn(&TextHead) -> bool,
    /// Where it is said whether edges are directed.
    direction: Direction,
    /// Whether rows may come from a SMILES column.
    smiles_column: bool,
    /// Whether rows may be edges, with a column for each end.
    edge_columns: bool,
    /// Whether the columns may be separated in several ways.
    delimiter: bool,
    /// Whether keys name the labels.
    label_keys: bool,
    /// Whether vertices may be numbered anew.
    vertex_ids: bool,
    open: fn(Input, &ReadOptions) -> Result<Opened, Error>,
    folder: Option<Folder>,
    create: Option<Create>,
}

/// A format that a folder may hold.
struct Folder {
    /// What must be in it.
    holds: &'static str,
    /// Opens the folder; nothing if it holds something else.
    open: fn(&Path, &ReadOptions) -> Result<Option<Opened>, Error>,
}

enum Direction {
    /// In [`ReadOptions::directed`].
    Option,
    /// In the file.
    File,
    /// Nowhere: they are not.
    Undirected,
}

/// Text of undirected graphs that no option changes.
const TEXT: Entry = Entry {
    format: Format::Graph6,
    name: "",
    endings: &[],
    magic: &[],
    binary: None,
    looks_like: |_| false,
    direction: Direction::Undirected,
    smiles_column: false,
    edge_columns: false,
    delimiter: false,
    label_keys: false,
    vertex_ids: false,
    open: read::graph6::open,
    folder: None,
    create: None,
};

/// Parquet and Arrow as they are without the feature `columnar`.
const COLUMNAR: Entry = Entry {
    binary: Some("Arrow"),
    direction: Direction::Option,
    smiles_column: true,
    edge_columns: true,
    open: |input, _| Err(Error::columnar(input.name)),
    create: Some(|path| Err(Error::columnar(shown(path, STDOUT)))),
    ..TEXT
};

/// In the order of [`Format`]; the first that text looks like is taken.
const TABLE: &[Entry] = &[
    Entry {
        format: Format::Graph6,
        name: "graph6",
        endings: &["g6", "graph6"],
        magic: &[b">>graph6<<"],
        looks_like: read::graph6::looks_like_graph6,
        open: read::graph6::open,
        create: Some(write::text::graph6),
        ..TEXT
    },
    Entry {
        format: Format::Sparse6,
        name: "sparse6",
        endings: &["s6", "sparse6"],
        magic: &[b">>sparse6<<"],
        looks_like: read::graph6::looks_like_sparse6,
        open: read::graph6::open,
        create: Some(write::text::sparse6),
        ..TEXT
    },
    Entry {
        format: Format::EdgeList,
        name: "edge-list",
        endings: &["edges", "edgelist", "el", "edge-list"],
        looks_like: read::edge_list::looks_like,
        direction: Direction::Option,
        delimiter: true,
        vertex_ids: true,
        open: read::edge_list::open,
        create: Some(write::text::edge_list),
        ..TEXT
    },
    Entry {
        format: Format::Tu,
        name: "tu",
        direction: Direction::Option,
        open: read::tu::refuse_file,
        folder: Some(Folder {
            holds: "a TU dataset (*_A.txt and *_graph_indicator.txt)",
            open: read::tu::open_folder,
        }),
        create: Some(write::tu::writer),
        ..TEXT
    },
    Entry {
        format: Format::Gin,
        name: "gin",
        endings: &["gin"],
        looks_like: read::gin::looks_like,
        direction: Direction::Option,
        open: read::gin::open,
        create: Some(write::gin::writer),
        ..TEXT
    },
    Entry {
        format: Format::GraphMl,
        name: "graphml",
        endings: &["graphml", "xml"],
        magic: &[b"<?xml", b"<graphml"],
        direction: Direction::File,
        label_keys: true,
        open: read::graphml::open,
        folder: Some(Folder { holds: ".graphml files", open: read::graphml::open_folder }),
        create: Some(write::graphml::writer),
        ..TEXT
    },
    Entry {
        format: Format::Csv,
        name: "csv",
        endings: &["csv"],
        looks_like: |head| read::table::looks_like(head, Delimiter::Comma),
        direction: Direction::Option,
        edge_columns: true,
        delimiter: true,
        smiles_column: true,
        open: |input, options| read::table::open(input, options, Delimiter::Comma),
        create: Some(write::edge_table::csv),
        ..TEXT
    },
    Entry {
        format: Format::Tsv,
        name: "tsv",
        endings: &["tsv"],
        looks_like: |head| read::table::looks_like(head, Delimiter::Tab),
        direction: Direction::Option,
        edge_columns: true,
        delimiter: true,
        smiles_column: true,
        open: |input, options| read::table::open(input, options, Delimiter::Tab),
        create: Some(write::edge_table::tsv),
        ..TEXT
    },
    Entry {
        format: Format::Smi,
        name: "smi",
        endings: &["smi", "smiles"],
        open: read::smi::open,
        ..TEXT
    },
    Entry {
        format: Format::Sdf,
        name: "sdf",
        endings: &["sdf", "sd", "mol", "mdl"],
        looks_like: read::sdf::looks_like,
        open: read::sdf::open,
        ..TEXT
    },
    Entry {
        format: Format::Parquet,
        name: "parquet",
        endings: &["parquet", "pq"],
        magic: &[b"PAR1"],
        binary: Some("Parquet"),
        #[cfg(feature = "columnar")]
        open: read::columnar::open_parquet,
        #[cfg(feature = "columnar")]
        create: Some(write::columnar::parquet),
        ..COLUMNAR
    },
    Entry {
        format: Format::Arrow,
        name: "arrow",
        endings: &["arrow", "feather", "ipc"],
        magic: &[b"ARROW1"],
        #[cfg(feature = "columnar")]
        open: read::columnar::open_arrow,
        #[cfg(feature = "columnar")]
        create: Some(write::columnar::arrow_file),
        ..COLUMNAR
    },
    Entry {
        format: Format::ArrowStream,
        name: "arrow-stream",
        endings: &["arrows"],
        magic: &[&[0xff, 0xff, 0xff, 0xff]],
        #[cfg(feature = "columnar")]
        open: read::columnar::open_arrow,
        #[cfg(feature = "columnar")]
        create: Some(write::columnar::arrow_stream),
        ..COLUMNAR
    },
    Entry {
        format: Format::Gml,
        name: "gml",
        endings: &["gml"],
        looks_like: read::gml::looks_like,
        direction: Direction::File,
        label_keys: true,
        open: read::gml::open,
        create: Some(write::gml::writer),
        ..TEXT
    },
    Entry {
        format: Format::MatrixMarket,
        name: "matrix-market",
        endings: &["mtx"],
        magic: &[read::matrix_market::MAGIC],
        direction: Direction::Option,
        open: read::matrix_market::open,
        create: Some(write::matrix_market::writer),
        ..TEXT
    },
    Entry {
        format: Format::NodeLink,
        name: "node-link",
        endings: &["json", "jsonl", "ndjson"],
        looks_like: read::node_link::looks_like,
        direction: Direction::File,
        label_keys: true,
        open: read::node_link::open,
        create: Some(write::node_link::writer),
        ..TEXT
    },
    Entry {
        format: Format::Dimacs,
        name: "dimacs",
        endings: &["dimacs", "col", "clq", "gr"],
        looks_like: read::dimacs::looks_like,
        direction: Direction::File,
        open: read::dimacs::open,
        create: Some(write::dimacs::writer),
        ..TEXT
    },
    #[cfg(test)]
    Entry {
        format: Format::Toy,
        name: "toy",
        endings: &["toy"],
        magic: &[b"toy paths"],
        looks_like: crate::toy::looks_like,
        open: crate::toy::open,
        create: Some(crate::toy::writer),
        ..TEXT
    },
];

const _: () = {
    let mut at = 0;
    while at < TABLE.len() {
        assert!(TABLE[at].format as usize == at, "rows stand in the order of the formats");
        at += 1;
    }
};

impl Format {
    /// The names that [`Format::from_str`] understands.
    pub const NAMES: [&'static str; TABLE.len()] = {
        let mut names = [""; TABLE.len()];
        let mut at = 0;
        while at < names.len() {
            names[at] = TABLE[at].name;
            at += 1;
        }
        names
    };

    fn entry(self) -> &'static Entry {
        &TABLE[self as usize]
    }

    fn find(fits: impl Fn(&Entry) -> bool) -> Option<Self> {
        TABLE.iter().find(|entry| fits(entry)).map(|entry| entry.format)
    }

    /// What the ending of a file name says; `.gz` is looked through.
    pub fn from_path(path: &Path) -> Option<Self> {
        let ending = ending(path)?;
        Self::find(|entry| entry.endings.contains(&&*ending))
    }

    /// What the ending of an output says.
    pub(crate) fn of_output(path: &Path) -> Result<Self, Error> {
        Self::from_path(path).ok_or_else(|| {
            let reason = "the ending does not tell a format; name one with --to".into();
            Error::Option { path: shown(path, STDOUT), reason }
        })
    }

    /// What the first bytes say, where they say it without doubt.
    fn from_magic(head: &[u8]) -> Option<Self> {
        let text = head.trim_ascii_start();
        Self::find(|entry| {
            let start = if entry.binary.is_some() { head } else { text };
            entry.magic.iter().any(|magic| start.starts_with(magic))
        })
    }

    /// The format as asked for, or by name and contents together: magic first, then the ending,
    /// then a look at the text.
    fn detect(path: &Path, name: &str, head: &[u8], asked: Option<Format>) -> Result<Self, Error> {
        let by_magic = Self::from_magic(head);
        let expected = asked.or_else(|| Self::from_path(path));
        if let Some(binary) = expected.and_then(|format| format.entry().binary) {
            let family = |format: &Format| format.entry().binary == Some(binary);
            return by_magic.filter(family).ok_or_else(|| {
                let reason = match (asked, expected) {
                    (None, Some(format)) => {
                        format!("does not start like {format} data, although its name says so")
                    }
                    _ => format!("does not start like {binary} data"),
                };
                Error::file(name, reason)
            });
        }
        let by_text = || {
            let head = TextHead::new(head)?;
            Self::find(|entry| (entry.looks_like)(&head))
        };
        asked
            .or(by_magic)
            .or(expected)
            .or_else(by_text)
            .ok_or_else(|| Error::UnknownFormat { path: name.to_owned() })
    }

    /// Opens a file.
    pub(crate) fn open_file(
        path: &Path,
        input: Input,
        options: &ReadOptions,
    ) -> Result<(Self, Opened), Error> {
        if input.head.is_empty() {
            return Err(Error::file(input.name, "is empty"));
        }
        let format = Self::detect(path, &input.name, &input.head, options.format)?;
        format.check(options, &input.name)?;
        Ok((format, (format.entry().open)(input, options)?))
    }

    /// Opens a folder.
    pub(crate) fn open_folder(path: &Path, options: &ReadOptions) -> Result<(Self, Opened), Error> {
        let name = path.display().to_string();
        let mut kinds = Vec::new();
        for entry in TABLE {
            let Some(folder) = &entry.folder else { continue };
            kinds.push(folder.holds);
            if options.format.is_none_or(|asked| asked == entry.format)
                && let Some(opened) = (folder.open)(path, options)?
            {
                entry.format.check(options, &name)?;
                return Ok((entry.format, opened));
            }
        }
        let kinds = kinds.join(" nor ");
        Err(Error::file(name, format!("is a directory, but holds neither {kinds}")))
    }

    /// Options that a format has no use for are mistakes of the user, not to be swallowed.
    fn check(self, options: &ReadOptions, path: &str) -> Result<(), Error> {
        let entry = self.entry();
        let keys = options.vertex_label_key.is_some() || options.edge_label_key.is_some();
        let edges = [&options.source_column, &options.target_column, &options.graph_column];
        let edges = edges.into_iter().any(Option::is_some);
        let reason = match entry.direction {
            Direction::Undirected if options.directed => format!("{self} graphs are undirected"),
            Direction::File if options.directed => {
                format!("{self} says itself whether edges are directed")
            }
            _ if options.smiles_column.is_some() && !entry.smiles_column => {
                format!("{self} input has no SMILES column")
            }
            _ if edges && !entry.edge_columns => {
                format!("{self} input has no columns for the ends of edges")
            }
            _ if options.delimiter.is_some() && !entry.delimiter => {
                format!("a delimiter is for tables and edge lists, not {self}")
            }
            _ if keys && !entry.label_keys => {
                format!("label keys are for graphml, gml and node-link, not {self}")
            }
            _ if options.ids != VertexIds::Auto && !entry.vertex_ids => {
                format!("vertex numbering is for edge lists, not {self}")
            }
            _ => return Ok(()),
        };
        Err(Error::Option { path: path.to_owned(), reason })
    }

    /// How the format is written; nothing if it is only read.
    pub(crate) fn writer(self) -> Option<Create> {
        self.entry().create
    }
}

/// The ending of a file name in small letters; `.gz` is looked through.
pub(crate) fn ending(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.rsplit_once('.').map(|(_, ending)| ending.to_owned())
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.entry().name)
    }
}

/// No format is called that.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no format is called `{name}`; there are {}", Format::NAMES.join(", "))]
pub struct UnknownFormat {
    /// What was asked for.
    pub name: String,
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        Self::find(|entry| entry.name.eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownFormat { name: text.to_owned() })
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

#[cfg(all(test, not(feature = "columnar"), not(feature = "chemistry")))]
mod tests {
    use crate::{CountSink, CountTable, GraphSink, GraphSource, ReadOptions, TableFormat};
    use gsn_core::Scope;

    #[test]
    fn what_a_build_lacks_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        for (name, text) in [("a.parquet", "PAR1"), ("a.arrow", "ARROW1"), ("a.smi", "C\n")] {
            std::fs::write(path(name), text).unwrap();
        }
        let read = |name: &str| {
            GraphSource::open(path(name), &ReadOptions::default()).err().unwrap().to_string()
        };
        assert!(read("a.smi").contains("`chemistry`"));
        assert!(read("a.parquet").contains("`columnar`") && read("a.arrow").contains("`columnar`"));
        let refused = CountTable::open(path("a.parquet")).err().unwrap().to_string();
        assert!(refused.contains("`columnar`"), "{refused}");
        let refused = GraphSink::create(path("b.parquet"), super::Format::Parquet, &[]);
        assert!(refused.err().unwrap().to_string().contains("`columnar`"));
        let refused =
            CountSink::create(path("b.arrow"), TableFormat::Arrow, Scope::Vertex, &[], &[]);
        assert!(refused.err().unwrap().to_string().contains("`columnar`"));
    }
}
