//! The list of rejected rows beside a table: `row,line,input,reason`, only when there are some.

use crate::atomic::{Disk, Group};
use crate::error::Error;
use crate::output::{OutFile, csv_field};
use crate::record::Rejected;
use std::path::{Path, PathBuf};

/// Where the rejected rows of a table at `path` are listed.
///
/// ```
/// let path = gsn_io::rejected_path("out/counts.csv.gz".as_ref());
/// assert_eq!(path.to_str(), Some("out/counts.rejected.csv"));
/// ```
pub fn rejected_path(path: &Path) -> PathBuf {
    let mut stem = path.to_owned();
    if stem.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz")) {
        stem.set_extension("");
    }
    stem.with_extension("rejected.csv")
}

/// The rows of an input that have no place in the output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RejectedRows {
    /// How many there are.
    pub count: u64,
    /// The first of them, 100 at most.
    pub first: Vec<Rejected>,
    /// Where all of them are listed, if there are some.
    pub path: Option<PathBuf>,
}

/// Rejected rows that are held in memory.
const FIRST: usize = 100;

/// The list in the making: nothing is written before the first row, and the file is complete or
/// absent.
///
/// ```
/// use gsn_io::{Rejected, RejectedFile};
/// let dir = tempfile::tempdir()?;
/// let mut list = RejectedFile::new(Some(dir.path().join("out.rejected.csv")));
/// let (row, line, input) = (3, Some(5), "C1CC".to_owned());
/// let (reason, fields) = ("ring 1 is open".into(), Vec::new());
/// list.push(&Rejected { row, line, input, reason, fields })?;
/// let rejected = list.finish()?;
/// assert_eq!(rejected.count, 1);
/// let text = std::fs::read_to_string(rejected.path.unwrap())?;
/// assert_eq!(text, "row,line,input,reason\n3,5,C1CC,ring 1 is open\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RejectedFile {
    path: Option<PathBuf>,
    disk: Disk,
    file: Option<OutFile>,
    count: u64,
    first: Vec<Rejected>,
}

impl RejectedFile {
    /// A list for `path`; without one, rows are only counted.
    pub fn new(path: Option<PathBuf>) -> Self {
        Self::on(Disk::default(), path)
    }

    pub(crate) fn on(disk: Disk, path: Option<PathBuf>) -> Self {
        Self { path, disk, file: None, count: 0, first: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn push(&mut self, rejected: &Rejected) -> Result<(), Error> {
        self.count += 1;
        if self.first.len() < FIRST {
            self.first.push(rejected.clone());
        }
        let Some(path) = &self.path else { return Ok(()) };
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let mut file = OutFile::create(path, &self.disk)?;
                file.put(b"row,line,input,reason\n")?;
                self.file.insert(file)
            }
        };
        let line = rejected.line.map(|line| line.to_string()).unwrap_or_default();
        let mut out = format!("{},{line},", rejected.row).into_bytes();
        csv_field(&mut out, &rejected.input);
        out.push(b',');
        csv_field(&mut out, &rejected.reason);
        out.push(b'\n');
        file.put(&out)
    }

    /// The first rows, without the list.
    pub(crate) fn into_first(self) -> Vec<Rejected> {
        self.first
    }

    /// Puts the list in its place; one that an earlier run left is removed.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(self) -> Result<RejectedRows, Error> {
        let mut group = Group::default();
        let rejected = self.finish_in(&mut group)?;
        group.commit()?;
        Ok(rejected)
    }

    /// The same as a part of `group`.
    pub(crate) fn finish_in(self, group: &mut Group) -> Result<RejectedRows, Error> {
        let path = match (self.file, self.path) {
            (Some(file), path) => {
                file.finish(group)?;
                path
            }
            (None, Some(path)) => {
                group.remove(&path);
                None
            }
            (None, None) => None,
        };
        Ok(RejectedRows { count: self.count, first: self.first, path })
    }
}
