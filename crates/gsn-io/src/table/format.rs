//! The formats of count tables: one row for each says what it is called, how it is recognised, and
//! which writer and reader it has.

#[cfg(feature = "columnar")]
use super::columnar;
use super::columns::HeldRows;
use super::keys::VertexColumn;
use super::{csv, npz};
use crate::error::{Error, shown};
use crate::format::ending;
use crate::input::Input;
use crate::names::NameKind;
use crate::output::{OutFile, STDOUT};
use gsn_core::Scope;
use std::fmt;
use std::path::Path;

/// A file format for count tables.
///
/// ```
/// use gsn_io::TableFormat;
/// assert_eq!(TableFormat::from_path("counts.csv.gz".as_ref()), Some(TableFormat::Csv));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableFormat {
    /// Parquet, packed with zstd.
    Parquet,
    /// An Arrow IPC file, not packed, to be mapped into memory.
    Arrow,
    /// Comma-separated values.
    Csv,
    /// NumPy arrays `graph`, `vertex` or `source` and `target`, `counts`, `columns`.
    Npz,
}

/// What a writer of one format does.
pub(super) trait TableWriter: Send {
    /// Writes a group of rows; it may take them out.
    fn write(&mut self, rows: &mut HeldRows) -> Result<(), Error>;

    /// Completes the data.
    fn finish(self: Box<Self>) -> Result<OutFile, Error>;
}

/// Some rows of a table.
pub(super) struct Block {
    pub(super) graph: Vec<u64>,
    /// `vertex`, or `source` and `target`.
    pub(super) ends: Vec<VertexColumn>,
    /// The counts, row after row.
    pub(super) values: Vec<u64>,
}

impl Block {
    /// No rows yet, of a table with so many key columns.
    pub(super) fn new(keys: usize) -> Self {
        let ends = vec![VertexColumn::default(); keys.saturating_sub(1)];
        Self { graph: Vec::new(), ends, values: Vec::new() }
    }
}

/// The rows of a table.
pub(super) trait Blocks: Send {
    /// Some rows, `None` at the end.
    fn next(&mut self) -> Option<Result<Block, Error>>;
}

/// The names of all columns of a table, and its rows.
pub(super) type OpenedTable = (Vec<String>, Box<dyn Blocks>);

type Create =
    fn(OutFile, &Path, (Scope, NameKind), &[String]) -> Result<Box<dyn TableWriter>, Error>;

/// How many rows wait before they are written, and what they decide.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    /// Numbers that are held at most.
    pub(super) cells: usize,
    /// Whether the rows that are written first say what the key columns hold.
    pub(super) fix_names: bool,
}

impl Held {
    /// 32 MB, as groups of rows should be large.
    const GROUPS: Self = Self { cells: 1 << 22, fix_names: true };
    /// 8 MB: arrays are packed as they come, but are of one type.
    const ARRAYS: Self = Self { cells: 1 << 20, fix_names: true };
    /// A few hundred kilobytes: each line stands alone.
    const LINES: Self = Self { cells: 1 << 15, fix_names: false };
}

/// What is known about a format.
struct Entry {
    format: TableFormat,
    name: &'static str,
    endings: &'static [&'static str],
    /// The first bytes.
    magic: &'static [u8],
    /// How rows are held back.
    held: Held,
    create: Create,
    open: fn(Input) -> Result<OpenedTable, Error>,
}

/// What takes the place of Parquet and Arrow without the feature `columnar`.
const LACKING: Entry = Entry {
    format: TableFormat::Parquet,
    name: "",
    endings: &[],
    magic: b"",
    held: Held::GROUPS,
    create: |file, _, _, _| Err(Error::columnar(file.name)),
    open: |input| Err(Error::columnar(input.name)),
};

/// In the order of [`TableFormat`].
#[allow(clippy::needless_update)] // with the feature nothing is lacking
const TABLE: [Entry; 4] = [
    Entry {
        format: TableFormat::Parquet,
        name: "parquet",
        endings: &["parquet", "pq"],
        magic: b"PAR1",
        #[cfg(feature = "columnar")]
        create: columnar::parquet,
        #[cfg(feature = "columnar")]
        open: columnar::open_parquet,
        ..LACKING
    },
    Entry {
        format: TableFormat::Arrow,
        name: "arrow",
        endings: &["arrow", "feather", "ipc"],
        magic: b"ARROW1",
        #[cfg(feature = "columnar")]
        create: columnar::arrow,
        #[cfg(feature = "columnar")]
        open: columnar::open_arrow,
        ..LACKING
    },
    Entry {
        format: TableFormat::Csv,
        name: "csv",
        endings: &["csv"],
        magic: b"graph,",
        held: Held::LINES,
        create: csv::create,
        open: csv::open,
    },
    Entry {
        format: TableFormat::Npz,
        name: "npz",
        endings: &["npz"],
        magic: b"PK\x03\x04",
        held: Held::ARRAYS,
        create: npz::create,
        open: npz::open,
    },
];

impl TableFormat {
    fn find(fits: impl Fn(&Entry) -> bool) -> Option<&'static Entry> {
        const ENTRIES: &[Entry] = &TABLE;
        ENTRIES.iter().find(|entry| fits(entry))
    }

    /// What the ending of a file name says; `.gz` is looked through.
    pub fn from_path(path: &Path) -> Option<Self> {
        let ending = ending(path)?;
        Self::find(|entry| entry.endings.contains(&&*ending)).map(|entry| entry.format)
    }

    /// What the ending of an output says; CSV on standard output.
    ///
    /// # Errors
    /// When the ending does not tell.
    pub fn of_output(path: &Path) -> Result<Self, Error> {
        if path.as_os_str() == "-" {
            return Ok(TableFormat::Csv);
        }
        Self::from_path(path).ok_or_else(|| {
            let reason = "the ending says which table to write; use .parquet, .arrow, .csv, \
                          .csv.gz or .npz";
            Error::Option { path: shown(path, STDOUT), reason: reason.into() }
        })
    }

    /// How rows are held back.
    pub(super) fn held(self) -> Held {
        TABLE[self as usize].held
    }

    pub(super) fn writer(
        self,
        file: OutFile,
        path: &Path,
        keys: (Scope, NameKind),
        columns: &[String],
    ) -> Result<Box<dyn TableWriter>, Error> {
        (TABLE[self as usize].create)(file, path, keys, columns)
    }

    pub(super) fn open(input: Input) -> Result<OpenedTable, Error> {
        match Self::find(|entry| input.head.starts_with(entry.magic)) {
            Some(entry) => (entry.open)(input),
            None => {
                let reason = "is not a count table (parquet, arrow, csv or npz)";
                Err(Error::file(input.name, reason))
            }
        }
    }
}

pub(super) fn damaged(name: &str, error: &dyn fmt::Display) -> Error {
    Error::file(name, format!("is damaged or cut short ({error})"))
}

impl fmt::Display for TableFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(TABLE[*self as usize].name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_formats() {
        assert!(TABLE.iter().enumerate().all(|(at, entry)| entry.format as usize == at));
    }
}
