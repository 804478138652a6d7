//! One reader a format; [`GraphSource`](crate::GraphSource) chooses among them.

#[cfg(feature = "columnar")]
pub(crate) mod columnar;
pub(crate) mod dimacs;
mod draft;
pub(crate) mod edge_list;
pub(crate) mod edge_table;
pub(crate) mod gin;
pub(crate) mod gml;
pub(crate) mod graph6;
pub(crate) mod graphml;
pub(crate) mod matrix_market;
pub(crate) mod node_link;
mod pairs;
mod renumber;
pub(crate) mod sdf;
mod single;
pub(crate) mod smi;
pub(crate) mod table;
pub(crate) mod tu;

use crate::error::Error;
use crate::molecule::{BadMolfile, Featurisation, MoleculeReader};
use crate::record::{GraphRecord, HELD_VERTICES, Parts, Rejected, Row};
use crate::source::ReadOptions;
use gsn_core::pattern::MoleculeShape;
use gsn_core::threads::{self, Alone};
use rayon::prelude::*;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The first lines of a text that are not blank, to find its format where the name does not say.
pub(crate) struct TextHead<'a> {
    /// All that was looked at.
    pub(crate) all: &'a [u8],
    pub(crate) first: &'a [u8],
    second: Option<&'a [u8]>,
}

impl<'a> TextHead<'a> {
    pub(crate) fn new(head: &'a [u8]) -> Option<Self> {
        let mut lines = head
            .split(|b| matches!(b, b'\n' | b'\r'))
            .map(<[u8]>::trim_ascii)
            .filter(|line| !line.is_empty());
        Some(Self { all: head, first: lines.next()?, second: lines.next() })
    }
}

/// How many numbers a line consists of, if of nothing else.
fn numbers(line: &[u8]) -> Option<usize> {
    let mut n = 0;
    for token in line.split(|b| b.is_ascii_whitespace() || *b == b',') {
        if !token.is_empty() {
            std::str::from_utf8(token).ok()?.parse::<f64>().ok()?;
            n += 1;
        }
    }
    Some(n)
}

/// Rows of text that are parsed together, in parallel where that takes long enough.
const CHUNK_ROWS: usize = 256;
/// Bytes of text beyond which a chunk is closed; dense graphs grow a hundredfold when unpacked.
const CHUNK_BYTES: usize = 1 << 18;

/// Raw rows whose text lies in one buffer.
#[derive(Default)]
struct Chunk {
    text: Vec<u8>,
    rows: Vec<RawRow>,
    /// Vertices that the rows claim in fewer bytes than that.
    claimed: u64,
}

struct RawRow {
    row: u64,
    line: u64,
    text: Range<usize>,
    name: Option<String>,
    fields: Vec<String>,
}

impl Chunk {
    fn clear(&mut self) {
        self.text.clear();
        self.rows.clear();
        self.claimed = 0;
    }

    fn is_full(&self) -> bool {
        self.rows.len() >= CHUNK_ROWS
            || self.text.len() >= CHUNK_BYTES
            || self.claimed >= HELD_VERTICES
    }

    /// Parses all rows and forgets them; the order stays.
    fn parse(&mut self, rows: &mut VecDeque<Row>, parse: impl Fn(RawRow, &[u8]) -> Row + Sync) {
        let text = &self.text;
        let parse = |raw: RawRow| {
            let range = raw.text.clone();
            parse(raw, &text[range])
        };
        let share = threads::number() > 1;
        let mut left = self.rows.drain(..);
        let mut alone = Alone::start();
        while let Some(raw) = left.next() {
            rows.push_back(parse(raw));
            if share && alone.needs_help(left.len()) {
                break;
            }
        }
        let left: Vec<RawRow> = left.collect();
        if !left.is_empty() {
            let parsed: Vec<Row> = left.into_par_iter().with_min_len(32).map(parse).collect();
            rows.extend(parsed);
        }
    }
}

/// The reader of molecules, and the features it is asked for.
#[derive(Clone)]
struct Molecules {
    reader: Arc<dyn MoleculeReader>,
    featurise: Option<Featurisation>,
    /// Whether records keep their SMILES.
    keep: bool,
    /// SMILES with an extension that was not read.
    extended: Arc<AtomicU64>,
}

impl Molecules {
    /// For the input called `name`.
    fn new(options: &ReadOptions, name: &str) -> Result<Self, Error> {
        let reader = options.molecules.clone();
        match reader.missing_feature() {
            Some(feature) => Err(Error::Feature { path: name.to_owned(), feature }),
            None => Ok(Self {
                reader,
                featurise: options.featurise,
                keep: options.keep_fields,
                extended: Arc::default(),
            }),
        }
    }

    /// The molecule of a SMILES; an extension behind it (CXSMILES) is left out and counted.
    fn record(&self, row: u64, smiles: &str) -> Result<GraphRecord, String> {
        let (smiles, extension) = split_extension(smiles);
        if !extension.is_empty() {
            self.extended.fetch_add(1, Ordering::Relaxed);
        }
        let record = match self.featurise {
            None => molecule_record(row, self.reader.read(smiles)?)?,
            Some(how) => {
                let (graph, features) = self.reader.featurise(smiles, how)?;
                GraphRecord { features: Some(features), ..GraphRecord::new(row, graph) }
            }
        };
        Ok(GraphRecord { smiles: self.keep.then(|| smiles.to_owned()), ..record })
    }
}

impl Molecules {
    /// The molecule of a MOL file.
    fn molfile(&self, row: u64, text: &str) -> Result<GraphRecord, BadMolfile> {
        let Some(how) = self.featurise else {
            let shape = self.reader.read_molfile(text)?;
            let whole = |reason| BadMolfile { line: 1, reason };
            return molecule_record(row, shape).map_err(whole);
        };
        let (graph, features) = self.reader.featurise_molfile(text, how)?;
        Ok(GraphRecord { features: Some(features), ..GraphRecord::new(row, graph) })
    }

    /// What should be said about the molecules of the input called `name`.
    fn notes(&self, name: &str) -> Option<String> {
        let n = self.extended.load(Ordering::Relaxed);
        (n > 0)
            .then(|| format!("{name}: {n} SMILES have an extension (CXSMILES), which is not read"))
    }
}

/// A SMILES, and the extension in bars behind it; what follows the extension is cut off.
fn split_extension(text: &str) -> (&str, &str) {
    let text = text.trim_ascii();
    let end = text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len());
    let rest = text[end..].trim_ascii_start();
    match rest.strip_prefix('|').and_then(|inner| inner.find('|')) {
        Some(at) => (&text[..end], &rest[..at + 2]),
        None => (text, ""),
    }
}

/// One row with a SMILES.
fn molecule_row(raw: RawRow, text: &[u8], molecules: &Molecules) -> Row {
    let read = std::str::from_utf8(text)
        .map_err(|_| "the SMILES is not UTF-8 text".to_owned())
        .and_then(|smiles| molecules.record(raw.row, smiles));
    match read {
        Ok(mut record) => {
            record.name = raw.name;
            record.fields = raw.fields;
            record.line = Some(raw.line);
            Row::Graph(record)
        }
        Err(reason) => Row::Rejected(Rejected {
            fields: raw.fields,
            ..Rejected::new(raw.row, Some(raw.line), text, reason)
        }),
    }
}

fn molecule_record(row: u64, shape: MoleculeShape) -> Result<GraphRecord, String> {
    let parts = Parts {
        order: shape.atoms.len(),
        arcs: shape.bonds.iter().map(|&(a, b)| (a as u32, b as u32)).collect(),
        arc_labels: Some(shape.bond_labels),
        vertex_labels: Some(shape.atoms),
        directed: false,
    };
    let (graph, dropped) = parts.build().map_err(|e| e.to_string())?;
    Ok(GraphRecord::with_dropped(row, graph, dropped))
}

/// A vertex or edge label.
fn label(token: &[u8]) -> Option<u32> {
    crate::input::number(token).and_then(|n| u32::try_from(n).ok())
}

/// What a reader of lines does at the end of a file that holds no graph at all.
fn nothing(name: &str, what: &str) -> Error {
    Error::file(name, format!("holds no {what}"))
}
