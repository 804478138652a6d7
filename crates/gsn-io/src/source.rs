//! [`GraphSource`]: any supported input as a stream of rows.
//!
//! Readers hand over a few hundred rows at a time, parsed in parallel where rows are independent;
//! memory does not grow with the number of rows.

use crate::delimiter::Delimiter;
use crate::error::Error;
use crate::format::{Format, Opened};
use crate::input::{HashOf, Input, hex};
use crate::molecule::{Chematic, Featurisation, MoleculeReader};
use crate::names::VertexNaming;
use crate::record::{Batch, Rejected, Row};
use sha2::{Digest, Sha256};
use std::collections::VecDeque;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How an edge list numbers its vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VertexIds {
    /// As they are when a header gives the number of vertices, else compacted.
    #[default]
    Auto,
    /// Renumbered from 0 in increasing order; numbers that do not occur vanish.
    Compact,
    /// As they are; every number below the largest is a vertex.
    Keep,
}

/// What the columns of a table are called that holds a graph a row as lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListColumns {
    /// The number of vertices; default `num_nodes`.
    pub num_nodes: String,
    /// One end of every edge; default `src`.
    pub src: String,
    /// The other end; default `dst`.
    pub dst: String,
    /// The label of every vertex, if there is such a column; default `node_labels`.
    pub node_labels: String,
    /// The label of every edge, if there is such a column; default `edge_labels`.
    pub edge_labels: String,
}

impl Default for ListColumns {
    fn default() -> Self {
        Self {
            num_nodes: "num_nodes".into(),
            src: "src".into(),
            dst: "dst".into(),
            node_labels: "node_labels".into(),
            edge_labels: "edge_labels".into(),
        }
    }
}

/// How to read an input. The default recognises the format and takes what is there.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The format; by default name and contents tell.
    pub format: Option<Format>,
    /// Edges have a direction (edge lists, TU, GIN, Parquet and Arrow; GraphML says so itself).
    pub directed: bool,
    /// Numbering of edge lists.
    pub ids: VertexIds,
    /// How vertices are called.
    pub vertex_names: VertexNaming,
    /// What separates the columns of text tables and edge lists; by default the file tells.
    pub delimiter: Option<Delimiter>,
    /// Column with one end of each edge, in tables of edges; by default the usual titles are
    /// looked for.
    pub source_column: Option<String>,
    /// Column with the other end of each edge.
    pub target_column: Option<String>,
    /// Column that says which graph an edge belongs to; by default one called `graph`, and
    /// without it all edges are of one graph.
    pub graph_column: Option<String>,
    /// Column with the SMILES; by default the one called `smiles` in any case.
    pub smiles_column: Option<String>,
    /// Columns of tables that hold a graph a row as lists (Parquet and Arrow).
    pub list_columns: ListColumns,
    /// Whether records keep the other columns of a table as text.
    pub keep_fields: bool,
    /// Whether the SMILES is among the columns that are kept.
    pub keep_smiles: bool,
    /// The vertex label of GraphML: a key by its name. By default an integer key `label`.
    pub vertex_label_key: Option<String>,
    /// The edge label of GraphML: a key by its name. By default an integer key `label`.
    pub edge_label_key: Option<String>,
    /// What understands SMILES.
    pub molecules: Arc<dyn MoleculeReader>,
    /// Molecules get these features; their graphs are then perceived, not taken as written.
    pub featurise: Option<Featurisation>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            directed: false,
            ids: VertexIds::Auto,
            vertex_names: VertexNaming::Auto,
            delimiter: None,
            source_column: None,
            target_column: None,
            graph_column: None,
            smiles_column: None,
            list_columns: ListColumns::default(),
            keep_fields: false,
            keep_smiles: false,
            vertex_label_key: None,
            edge_label_key: None,
            molecules: Arc::new(Chematic),
            featurise: None,
        }
    }
}

/// What a reader of one format does.
pub(crate) trait Rows: Send {
    /// Appends some rows; `false` when there are none left. Rows that were appended before an
    /// error are good.
    fn fill(&mut self, rows: &mut VecDeque<Row>) -> Result<bool, Error>;

    /// What the user should know about the input as a whole.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Names of the columns that records keep.
    fn fields(&self) -> &[String] {
        &[]
    }

    /// Whether rows are molecules, read from SMILES or connection tables.
    fn are_molecules(&self) -> bool {
        false
    }
}

/// An input as a stream of rows: graphs, and rows that are none. An `Err` is final.
///
/// ```
/// use gsn_io::{GraphSource, ReadOptions, Row};
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("two.g6");
/// std::fs::write(&path, "Bw\nnonsense\n")?;
/// for row in GraphSource::open(&path, &ReadOptions::default())? {
///     match row? {
///         Row::Graph(record) => assert_eq!((record.row, record.graph.order()), (0, 3)),
///         Row::Rejected(bad) => assert_eq!((bad.row, bad.line), (1, Some(2))),
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct GraphSource {
    path: PathBuf,
    format: Format,
    rows: Box<dyn Rows>,
    ready: VecDeque<Row>,
    failure: Option<Error>,
    ended: bool,
    hashes: Vec<HashOf>,
    naming: VertexNaming,
    small: bool,
}

/// Bytes of a file that is read before other threads would be awake.
pub(crate) const SMALL: u64 = 1 << 19;

impl GraphSource {
    /// Opens a file, a folder or, for `-`, standard input.
    ///
    /// # Errors
    /// When it cannot be opened, its format is unknown, or its beginning is broken.
    pub fn open(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Self, Error> {
        let path = path.as_ref();
        if path.is_dir() {
            return Ok(Self::new(path, Format::open_folder(path, options)?, options));
        }
        Ok(Self::new(path, Format::open_file(path, Input::open(path)?, options)?, options))
    }

    /// Reads what `bytes` gives, gzip or not; `name` stands for its path in messages and in the
    /// guess of the format.
    ///
    /// ```
    /// use gsn_io::{GraphSource, ReadOptions};
    /// let source = GraphSource::from_reader("two.g6", &b"Bw\nCF\n"[..], &ReadOptions::default())?;
    /// assert_eq!(source.count(), 2);
    /// # Ok::<(), gsn_io::Error>(())
    /// ```
    ///
    /// # Errors
    /// When its format is unknown or its beginning is broken.
    pub fn from_reader(
        name: impl AsRef<Path>,
        bytes: impl Read + Send + 'static,
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        let name = name.as_ref();
        let input = Input::from_bytes(name, Box::new(bytes))?;
        Ok(Self::new(name, Format::open_file(name, input, options)?, options))
    }

    /// Reads record batches of one schema, as an Arrow file with them would be read; `name` stands for
    /// their path in messages.
    ///
    /// # Errors
    /// When a column is missing or of the wrong type.
    #[cfg(feature = "columnar")]
    pub fn from_batches(
        name: impl AsRef<Path>,
        schema: &arrow_schema::Schema,
        batches: impl Iterator<Item = arrow_array::RecordBatch> + Send + 'static,
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        let name = name.as_ref();
        let batches = Box::new(batches.map(Ok));
        let rows = crate::read::columnar::of_batches(
            name.display().to_string(),
            schema,
            batches,
            options,
        )?;
        Ok(Self::new(name, (Format::Arrow, (rows, Vec::new())), options))
    }

    fn new(path: &Path, opened: (Format, Opened), options: &ReadOptions) -> Self {
        let (format, (rows, hashes)) = opened;
        let (ready, path) = (VecDeque::new(), path.to_owned());
        let naming = options.vertex_names;
        let small = is_small(&path);
        Self { path, format, rows, ready, failure: None, ended: false, hashes, naming, small }
    }

    /// Calls the vertices of a graph as it was asked for.
    fn name_vertices(&self, row: Row) -> Row {
        let Row::Graph(mut record) = row else { return row };
        match self.naming.apply(record.vertex_names.take(), record.graph.order()) {
            Ok(names) => {
                record.vertex_names = names;
                Row::Graph(record)
            }
            Err(reason) => {
                let name = record.name.unwrap_or_default();
                Row::Rejected(Rejected::new(record.row, None, name.as_bytes(), reason))
            }
        }
    }

    /// Whether it is a file that one thread has soon read.
    pub(crate) fn is_small(&self) -> bool {
        self.small
    }

    /// The format that is being read.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The path as given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The input and, of a folder, everything in it: what an output must not replace.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files = vec![self.path.clone()];
        if let Ok(entries) = self.path.read_dir() {
            files.extend(entries.flatten().map(|entry| entry.path()));
        }
        files
    }

    /// Names of the columns that records keep in [`GraphRecord::fields`](crate::GraphRecord::fields);
    /// of GraphML the data of whole graphs, complete when the rows are.
    pub fn fields(&self) -> &[String] {
        self.rows.fields()
    }

    /// Whether rows are molecules, read from SMILES or connection tables.
    pub fn is_molecules(&self) -> bool {
        self.rows.are_molecules()
    }

    /// What should be said about the input as a whole, such as columns that are not used.
    /// Complete when the rows are.
    pub fn notes(&self) -> Vec<String> {
        self.rows.notes()
    }

    /// Rows in batches of at most `rows`, fewer when graphs are large: a batch holds no more than
    /// some ten million vertices and arcs unless a single graph does.
    pub fn read_batches(self, rows: usize) -> Batches {
        Batches { source: self, rows: rows.max(1), held: None, fields: Arc::default() }
    }

    /// The files behind the input and their sha256. Bytes that went by while reading are not read
    /// again.
    ///
    /// # Errors
    /// When a file can no longer be read, or standard input was not read to its end.
    pub fn digest(&self) -> Result<InputDigest, Error> {
        let mut files = Vec::new();
        for hash in &self.hashes {
            let (sha256, bytes) = hash.take()?;
            files.push(FileDigest { path: hash.path().display().to_string(), bytes, sha256 });
        }
        let sha256 = match &files[..] {
            [one] => one.sha256.clone(),
            many => {
                let mut hash = Sha256::new();
                for file in many {
                    let name = Path::new(&file.path).file_name().unwrap_or_default();
                    hash.update(format!("{}  {}\n", file.sha256, name.to_string_lossy()));
                }
                hex(&hash.finalize())
            }
        };
        Ok(InputDigest { path: self.path.display().to_string(), sha256, files })
    }
}

/// Whether a path is that of a file with few bytes; packed, they may be many.
pub(crate) fn is_small(path: &Path) -> bool {
    let packed = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    !packed && path.metadata().is_ok_and(|data| data.is_file() && data.len() <= SMALL)
}

/// What exactly was read.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct InputDigest {
    /// The path as given.
    pub path: String,
    /// sha256 of the file; of a folder, that of the lines `sha256sum` prints for its files.
    pub sha256: String,
    /// Every file that was read.
    pub files: Vec<FileDigest>,
}

/// One file that was read.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FileDigest {
    /// Where it is.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// Its sha256, as `sha256sum` prints it.
    pub sha256: String,
}

impl Iterator for GraphSource {
    type Item = Result<Row, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.ready.pop_front() {
                return Some(Ok(self.name_vertices(row)));
            }
            if self.ended {
                return self.failure.take().map(Err);
            }
            match self.rows.fill(&mut self.ready) {
                Ok(more) => {
                    self.ended = !more;
                    self.hashes.iter().for_each(HashOf::rows_are_complete);
                }
                Err(error) => (self.ended, self.failure) = (true, Some(error)),
            }
        }
    }
}

/// Batches of rows; see [`GraphSource::read_batches`].
pub struct Batches {
    source: GraphSource,
    rows: usize,
    held: Option<Error>,
    /// Those that the last batch was given.
    fields: Arc<[String]>,
}

/// Vertices and arcs of a batch beyond which it is closed.
const BATCH_WEIGHT: usize = 8 << 20;

impl Batches {
    /// The source, for its notes and digest.
    pub fn source(&self) -> &GraphSource {
        &self.source
    }
}

impl Iterator for Batches {
    type Item = Result<Batch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.held.take() {
            return Some(Err(error));
        }
        let mut batch = Batch::default();
        let mut weight = 0;
        while batch.records.len() + batch.rejected.len() < self.rows && weight < BATCH_WEIGHT {
            match self.source.next() {
                None => break,
                Some(Ok(Row::Graph(record))) => {
                    weight += record.graph.order() + record.graph.arc_count();
                    batch.records.push(record);
                }
                Some(Ok(Row::Rejected(rejected))) => batch.rejected.push(rejected),
                Some(Err(error)) => {
                    self.held = Some(error);
                    break;
                }
            }
        }
        if batch.records.is_empty() && batch.rejected.is_empty() {
            return self.held.take().map(Err);
        }
        if *self.fields != *self.source.fields() {
            self.fields = self.source.fields().into();
        }
        batch.fields = self.fields.clone();
        Some(Ok(batch))
    }
}
