//! What a run on the user's own data was asked for, kept in its folder so that it can go on.

use super::{Options, Report, load};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::run::{Folder, read_json};
use gsn_io::RejectedFile;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The file in a run's folder.
const FILE: &str = "own.json";
/// Rows that came from memory.
const ROWS: &str = "data.arrow";

/// Where the data are and how they are read.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Request {
    /// The file or folder, from the root, so that a run goes on wherever it is called from.
    pub path: PathBuf,
    /// How it is read.
    pub options: Options,
}

impl Request {
    /// A request for a file or folder that is there.
    ///
    /// # Errors
    /// If it is not.
    pub fn new(path: &Path, options: Options) -> Result<Self> {
        let path =
            path.canonicalize().map_err(|e| Error::file(path, format!("cannot be found: {e}")))?;
        Ok(Self { path, options })
    }

    /// Puts rows from memory, which `write` writes as an Arrow file, into the folder of a run that is
    /// yet to begin, so that the run can go on whenever it was stopped; gives the file to train on.
    ///
    /// # Errors
    /// If the folder holds a run or anything else already, or cannot be written.
    pub fn keep_rows(
        run: &Path,
        write: impl FnOnce(&Path) -> Result<(), gsn_io::Error>,
    ) -> Result<PathBuf> {
        let folder = Folder::create(run, gsn_io::atomic::Disk::default())?;
        let path = folder.root().join(ROWS);
        write(&path)?;
        Ok(path)
    }

    /// The request of a run, if it is one on the user's own data.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of_run(run: &Path) -> Result<Option<Self>> {
        read_json(&run.join(FILE))
    }

    fn to_bytes(&self) -> Result<Vec<u8>> {
        serde_json::to_vec_pretty(self).map_err(|e| Error::file(FILE, e))
    }
}

/// The user's data as an experiment keeps them: what was asked for and what was found.
#[derive(Debug, Clone)]
pub struct UserData {
    /// What was asked for.
    pub request: Request,
    /// What was found.
    pub report: Report,
}

impl UserData {
    /// Reads the data of a request.
    ///
    /// # Errors
    /// As [`load`].
    pub fn load(request: Request) -> Result<(Dataset, Self)> {
        let (dataset, report) = load(&request.path, &request.options)?;
        Ok((dataset, Self { request, report }))
    }

    /// Puts the request into a run's folder, and `rejected.csv` if rows were left out. A run killed
    /// at any moment then knows its data, if this comes before its recipe.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn keep(&self, folder: &Folder) -> Result<()> {
        folder.put(FILE, &self.request.to_bytes()?)?;
        let mut list = RejectedFile::new(Some(folder.root().join("rejected.csv")));
        for bad in &self.report.rejected {
            list.push(bad)?;
        }
        list.finish()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::split::Split;
    use super::*;

    #[test]
    fn a_request_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Request::of_run(folder.path()).unwrap().is_none());
        let options = Options {
            targets: vec!["y".into(), "z".into()],
            split: Some(Split::Column("part".into())),
            format: Some(gsn_io::Format::Tsv),
            ..Options::default()
        };
        let request = Request::new(folder.path(), options).unwrap();
        std::fs::write(folder.path().join(FILE), request.to_bytes().unwrap()).unwrap();
        let again = Request::of_run(folder.path()).unwrap().unwrap();
        assert_eq!(again.path, request.path);
        assert_eq!(again.options, request.options);
        std::fs::write(folder.path().join(FILE), "{").unwrap();
        assert!(Request::of_run(folder.path()).is_err());
    }
}
