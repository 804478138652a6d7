//! The sidecar `<table>.json`: what was counted, in what, with which options.

use crate::atomic::{Disk, Group};
use crate::error::Error;
use crate::format::UnknownFormat;
use crate::input::HashOf;
use crate::names::{NameKind, VertexNaming};
use crate::output::{OutFile, TableDigest};
use crate::source::{GraphSource, InputDigest, ReadOptions, VertexIds};
use gsn_core::pattern::PatternError;
use gsn_core::{CountSpec, EdgeOrbits, Matching, Orbits, Pattern, PatternSet, Scope};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Where the sidecar of a table at `path` is.
pub fn sidecar_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".json");
    name.into()
}

/// Everything needed to understand and to repeat a count.
///
/// ```
/// use gsn_core::CountSpec;
/// use gsn_io::Sidecar;
/// let sidecar = Sidecar::new(&CountSpec::new("path:3".parse()?));
/// assert_eq!(sidecar.patterns[0].automorphisms, "2");
/// assert_eq!(sidecar.patterns[0].vertex_orbits, [vec![0, 2], vec![1]]);
/// # Ok::<(), gsn_core::pattern::PatternSyntaxError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Keys", into = "Keys")]
pub struct Sidecar {
    /// Version of the program.
    pub gsn: String,
    /// What was counted.
    pub spec: CountSpec,
    /// Its patterns with their orbits, in the order of their columns.
    pub patterns: Vec<PatternInfo>,
    /// Limits of the work a graph.
    pub budget: BudgetInfo,
    /// Any other options of the run.
    pub options: serde_json::Map<String, serde_json::Value>,
    /// What was read.
    pub input: Option<InputInfo>,
    /// What was written; the [`CountSink`](crate::CountSink) fills it in.
    pub table: Option<TableInfo>,
}

/// The keys of a sidecar as they are written.
#[derive(Serialize, Deserialize)]
struct Keys {
    gsn: String,
    scope: Scope,
    matching: Matching,
    edge_orbits: EdgeOrbits,
    patterns: Vec<PatternInfo>,
    budget: BudgetInfo,
    options: serde_json::Map<String, serde_json::Value>,
    input: Option<InputInfo>,
    table: Option<TableInfo>,
}

impl TryFrom<Keys> for Sidecar {
    type Error = PatternError;

    fn try_from(keys: Keys) -> Result<Self, PatternError> {
        let patterns = keys.patterns.iter().map(PatternInfo::pattern).collect::<Result<_, _>>()?;
        let spec = CountSpec::new(PatternSet::from_patterns(patterns)?)
            .with_scope(keys.scope)
            .with_matching(keys.matching)
            .with_orbits(keys.edge_orbits);
        let Keys { gsn, patterns, budget, options, input, table, .. } = keys;
        Ok(Self { gsn, spec, patterns, budget, options, input, table })
    }
}

impl From<Sidecar> for Keys {
    fn from(sidecar: Sidecar) -> Self {
        let Sidecar { gsn, spec, patterns, budget, options, input, table } = sidecar;
        let (scope, matching, edge_orbits) = (spec.scope(), spec.matching(), spec.orbits());
        Self { gsn, scope, matching, edge_orbits, patterns, budget, options, input, table }
    }
}

/// A pattern and its orbits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatternInfo {
    /// Its name; columns start with it.
    pub name: String,
    /// Number of vertices.
    pub order: usize,
    /// Whether its edges have a direction.
    pub directed: bool,
    /// Its edges.
    pub edges: Vec<(usize, usize)>,
    /// The labels its vertices ask for; empty when none does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vertex_labels: Vec<Option<u32>>,
    /// The labels its edges ask for, parallel to `edges`; empty when none does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edge_labels: Vec<Option<u32>>,
    /// |Aut(H)|, in decimal since it may pass 2⁶⁴.
    pub automorphisms: String,
    /// Vertices of every vertex orbit (columns `/v0`, `/v1`, …).
    pub vertex_orbits: Vec<Vec<usize>>,
    /// Edges of every edge orbit (columns `/e0`, …); only in scope `edge`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edge_orbits: Vec<Vec<(usize, usize)>>,
    /// Arcs of every arc orbit (columns `/a0`, …); only in scope `arc`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arc_orbits: Vec<Vec<(usize, usize)>>,
}

/// Limits of the work a graph; absent means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BudgetInfo {
    /// Steps.
    pub steps: Option<u64>,
    /// Seconds.
    pub seconds: Option<f64>,
}

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputInfo {
    /// Its format.
    pub format: String,
    /// Its rows, rejected ones included.
    pub rows: u64,
    /// Path, files and sha256.
    #[serde(flatten)]
    pub digest: InputDigest,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableInfo {
    /// Its format.
    pub format: String,
    /// Its rows.
    pub rows: u64,
    /// Graphs in it.
    pub graphs: u64,
    /// Rows of the input that are not in it.
    pub rejected: u64,
    /// Its columns after the keys.
    pub columns: Vec<String>,
    /// What `vertex`, `source` and `target` hold; the places of the vertices if absent.
    #[serde(rename = "vertex-names", default, skip_serializing_if = "no_names")]
    pub vertex_names: NameKind,
    /// The file itself, so that a table and a sidecar of different runs can be told; absent in
    /// older sidecars and where the table is no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<TableDigest>,
}

fn no_names(kind: &NameKind) -> bool {
    *kind == NameKind::None
}

impl PatternInfo {
    /// Describes a pattern with the orbits that matter in `scope`.
    pub fn new(pattern: &Pattern, scope: Scope, notion: EdgeOrbits) -> Self {
        let orbits = Orbits::of(pattern, notion);
        let edges: Vec<_> = pattern.edges().collect();
        let mut info = Self {
            name: pattern.name().to_owned(),
            order: pattern.order(),
            directed: pattern.is_directed(),
            vertex_labels: Vec::new(),
            edge_labels: Vec::new(),
            automorphisms: orbits.group_order().to_string(),
            vertex_orbits: orbits.vertex_orbits(),
            edge_orbits: Vec::new(),
            arc_orbits: Vec::new(),
            edges,
        };
        if pattern.has_vertex_labels() {
            info.vertex_labels = (0..pattern.order()).map(|v| pattern.vertex_label(v)).collect();
        }
        if pattern.has_edge_labels() {
            info.edge_labels = info.edges.iter().map(|&(a, b)| pattern.arc_label(a, b)).collect();
        }
        match scope {
            Scope::Vertex => {}
            Scope::Edge => info.edge_orbits = orbits.edge_orbits(),
            Scope::Arc => info.arc_orbits = orbits.arc_orbits(),
        }
        info
    }

    /// The pattern that is described.
    ///
    /// # Errors
    /// When there is no such pattern.
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        let new = if self.directed { Pattern::directed } else { Pattern::new };
        let mut pattern = new(&self.name, self.order, &self.edges)?;
        for (v, label) in self.vertex_labels.iter().enumerate() {
            if let Some(label) = label {
                pattern = pattern.with_vertex_label(v, *label)?;
            }
        }
        for (&(a, b), label) in self.edges.iter().zip(&self.edge_labels) {
            if let Some(label) = label {
                pattern = pattern.with_edge_label(a, b, *label)?;
            }
        }
        Ok(pattern)
    }
}

impl InputInfo {
    /// Describes an input after `rows` rows of it were read.
    ///
    /// # Errors
    /// As [`GraphSource::digest`].
    pub fn of(source: &GraphSource, rows: u64) -> Result<Self, Error> {
        Ok(Self { format: source.format().to_string(), rows, digest: source.digest()? })
    }
}

impl Sidecar {
    /// Describes a count; budget, options and input are for the caller to add.
    pub fn new(spec: &CountSpec) -> Self {
        let info = |pattern| PatternInfo::new(pattern, spec.scope(), spec.orbits());
        Self {
            gsn: env!("CARGO_PKG_VERSION").to_owned(),
            spec: spec.clone(),
            patterns: spec.patterns().iter().map(info).collect(),
            budget: BudgetInfo::default(),
            options: serde_json::Map::new(),
            input: None,
            table: None,
        }
    }

    /// Notes how the input is read, as far as it is not by default.
    pub(crate) fn set_read_options(&mut self, read: &ReadOptions) {
        let ids = (read.ids != VertexIds::Auto).then_some(json!(read.ids));
        let naming = (read.vertex_names != VertexNaming::Auto).then_some(json!(read.vertex_names));
        let options = [
            ("format", read.format.map(|format| json!(format))),
            ("directed", read.directed.then_some(json!(true))),
            ("smiles", read.smiles_column.as_ref().map(|column| json!(column))),
            ("delimiter", read.delimiter.map(|delimiter| json!(delimiter))),
            ("source-column", read.source_column.as_ref().map(|column| json!(column))),
            ("target-column", read.target_column.as_ref().map(|column| json!(column))),
            ("graph-column", read.graph_column.as_ref().map(|column| json!(column))),
            ("vertex-ids", ids),
            ("vertex-names", naming),
            ("vertex-label", read.vertex_label_key.as_ref().map(|key| json!(key))),
            ("edge-label", read.edge_label_key.as_ref().map(|key| json!(key))),
        ];
        self.options.extend(
            options.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))),
        );
    }

    /// An option by its name, or its default.
    fn option<T: serde::de::DeserializeOwned + Default>(&self, name: &str) -> T {
        let value = self.options.get(name);
        value.and_then(|value| serde_json::from_value(value.clone()).ok()).unwrap_or_default()
    }

    /// How the input of `table` was read.
    pub(crate) fn read_options(&self, table: &Path) -> Result<ReadOptions, Error> {
        let unknown = |e: UnknownFormat| Error::file(sidecar_path(table).display(), e.to_string());
        let text = |name: &str| self.options.get(name).and_then(|value| value.as_str());
        Ok(ReadOptions {
            format: text("format").map(str::parse).transpose().map_err(unknown)?,
            directed: self.options.get("directed").is_some_and(|value| value == true),
            smiles_column: text("smiles").map(str::to_owned),
            delimiter: self.option("delimiter"),
            source_column: text("source-column").map(str::to_owned),
            target_column: text("target-column").map(str::to_owned),
            graph_column: text("graph-column").map(str::to_owned),
            ids: self.option("vertex-ids"),
            vertex_names: self.option("vertex-names"),
            vertex_label_key: text("vertex-label").map(str::to_owned),
            edge_label_key: text("edge-label").map(str::to_owned),
            ..ReadOptions::default()
        })
    }

    /// Whether the table at `table` is the one this sidecar was written with. A sidecar without a
    /// digest of its table belongs to any.
    ///
    /// # Errors
    /// When the table cannot be read.
    pub fn belongs_to(&self, table: &Path) -> Result<bool, Error> {
        let Some(digest) = self.table.as_ref().and_then(|table| table.digest.as_ref()) else {
            return Ok(true);
        };
        let there = table.metadata().map_err(|e| Error::io(table.display(), e))?;
        if there.len() != digest.bytes {
            return Ok(false);
        }
        Ok(HashOf::file(table).take()?.0 == digest.sha256)
    }

    /// Refuses a table that this sidecar was not written with.
    ///
    /// # Errors
    /// When it is another one, or cannot be read.
    pub fn check_table(&self, table: &Path) -> Result<(), Error> {
        if self.belongs_to(table)? {
            return Ok(());
        }
        Err(Error::OtherTable {
            path: table.display().to_string(),
            sidecar: sidecar_path(table).display().to_string(),
        })
    }

    /// Reads the sidecar of the table at `table`.
    ///
    /// # Errors
    /// When there is none or it is not one of ours.
    pub fn read(table: &Path) -> Result<Self, Error> {
        let path = sidecar_path(table);
        let text = std::fs::read(&path).map_err(|e| Error::io(path.display(), e))?;
        serde_json::from_slice(&text).map_err(|e| {
            Error::line(path.display(), e.line() as u64, format!("not a sidecar of gsn: {e}"))
        })
    }

    pub(super) fn write(&self, path: &Path, disk: &Disk, group: &mut Group) -> Result<(), Error> {
        let mut file = OutFile::create(path, disk)?;
        let mut text = serde_json::to_vec_pretty(self)
            .map_err(|e| Error::file(path.display(), e.to_string()))?;
        text.push(b'\n');
        file.put(&text)?;
        file.finish(group)
    }
}
