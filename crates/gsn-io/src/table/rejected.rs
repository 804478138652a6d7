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

/// The list in the making: nothing is written before the first row, and the file is complete or
/// absent.
///
/// ```
/// use gsn_io::{Rejected, RejectedFile};
/// let dir = tempfile::tempdir()?;
/// let mut list = RejectedFile::new(Some(dir.path().join("out.rejected.csv")));
/// let (row, line, input) = (3, Some(5), "C1CC".to_owned());
/// list.push(&Rejected { row, line, input, reason: "ring 1 is open".into() })?;
/// let (count, path) = list.finish()?;
/// assert_eq!(count, 1);
/// let text = std::fs::read_to_string(path.unwrap())?;
/// assert_eq!(text, "row,line,input,reason\n3,5,C1CC,ring 1 is open\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RejectedFile {
    path: Option<PathBuf>,
    disk: Disk,
    file: Option<OutFile>,
    count: u64,
}

impl RejectedFile {
    /// A list for `path`; without one, rows are only counted.
    pub fn new(path: Option<PathBuf>) -> Self {
        Self::on(Disk::default(), path)
    }

    pub(crate) fn on(disk: Disk, path: Option<PathBuf>) -> Self {
        Self { path, disk, file: None, count: 0 }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn push(&mut self, rejected: &Rejected) -> Result<(), Error> {
        self.count += 1;
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

    /// How many there were and where they are; a list that an earlier run left is removed.
    ///
    /// # Errors
    /// When the file cannot be put in its place.
    pub fn finish(self) -> Result<(u64, Option<PathBuf>), Error> {
        let mut group = Group::default();
        let listed = self.finish_in(&mut group)?;
        group.commit()?;
        Ok(listed)
    }

    /// The same as a part of `group`.
    pub(crate) fn finish_in(self, group: &mut Group) -> Result<(u64, Option<PathBuf>), Error> {
        match (self.file, self.path) {
            (Some(file), path) => {
                file.finish(group)?;
                Ok((self.count, path))
            }
            (None, Some(path)) => {
                group.remove(&path);
                Ok((self.count, None))
            }
            (None, None) => Ok((self.count, None)),
        }
    }
}
