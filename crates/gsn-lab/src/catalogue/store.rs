//! Where sets are looked for, and reading them with every byte hashed.

use super::entry::{Entry, FileEntry, find};
use super::read::{self, GraphSet};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Folders that may hold sets, in the order in which they are asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    roots: Vec<PathBuf>,
}

impl Store {
    /// `GSN_DATA`, then `../shared/data` seen from the current folder and from the sources, then
    /// the user's data folder.
    pub fn from_env() -> Self {
        let mut roots = Vec::new();
        roots.extend(std::env::var_os("GSN_DATA").filter(|v| !v.is_empty()).map(PathBuf::from));
        roots.push(PathBuf::from("../shared/data"));
        roots.push(PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")));
        roots.extend(user_folder());
        Self { roots }
    }

    /// Only this folder.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { roots: vec![root.into()] }
    }

    /// The folders.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// The folder that holds every file `entry` needs.
    ///
    /// # Errors
    /// When there is none: what is missing where, and what to do.
    pub fn locate(&self, entry: &Entry) -> Result<&Path> {
        let lacks = |root: &Path| {
            let gone = |file: &&FileEntry| !file.optional && present(root, file).is_none();
            entry.files.iter().filter(gone).map(|file| file.path.as_str()).collect::<Vec<_>>()
        };
        let mut told = Vec::new();
        for root in &self.roots {
            let missing = lacks(root);
            if missing.is_empty() {
                return Ok(root);
            }
            if missing.len() < entry.files.iter().filter(|f| !f.optional).count() {
                told.push(format!("{} lacks {}", root.display(), missing.join(", ")));
            }
        }
        let places: Vec<String> = self.roots.iter().map(|r| r.display().to_string()).collect();
        let partly =
            if told.is_empty() { String::new() } else { format!(" ({})", told.join("; ")) };
        let help = match &entry.instead {
            Some(instead) if !entry.is_served() => instead.clone(),
            _ => format!("`gsn data fetch {}` brings it", entry.name),
        };
        let what = format!("not found in {}{partly}. {help}", places.join(", "));
        Err(Error::data(&entry.name, what))
    }

    /// The set `name`.
    ///
    /// # Errors
    /// As [`load`](super::load).
    pub fn load(&self, name: &str) -> Result<Dataset> {
        let entry = find(name)?;
        let files = Files { entry, root: self.locate(entry)? };
        read::dataset(&files)
    }

    /// The graphs of the set `name`.
    ///
    /// # Errors
    /// As [`graphs`](super::graphs).
    pub fn graphs(&self, name: &str) -> Result<GraphSet> {
        let entry = find(name)?;
        let files = Files { entry, root: self.locate(entry)? };
        read::graph_set(&files)
    }
}

/// The user's data folder: `$XDG_DATA_HOME/gsn`, `~/.local/share/gsn`, or `%LOCALAPPDATA%\gsn`.
pub fn user_folder() -> Option<PathBuf> {
    folder_of("XDG_DATA_HOME", ".local/share")
}

/// `gsn` in the folder that `variable` names, or else in `below` the home folder.
pub(crate) fn folder_of(variable: &str, below: &str) -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    set(variable)
        .filter(|path| path.is_absolute())
        .or_else(|| set("LOCALAPPDATA"))
        .or_else(|| set("HOME").map(|home| home.join(below)))
        .map(|folder| folder.join("gsn"))
}

/// Where `file` is below `root`, packed or not, and the sha256 it must have.
fn present<'a>(root: &Path, file: &'a FileEntry) -> Option<(PathBuf, &'a str)> {
    let here = |path: &str| Some(root.join(path)).filter(|path| path.is_file());
    if let Some(path) = here(&file.path) {
        return Some((path, &file.sha256));
    }
    let (path, sha256, _) = file.plain();
    Some((here(path)?, sha256))
}

/// The files of one set, where they are.
pub(crate) struct Files<'a> {
    pub(crate) entry: &'static Entry,
    root: &'a Path,
}

impl Files<'_> {
    /// Path and sha256 of the file whose path in the catalogue is or ends in `/name`.
    pub(crate) fn find(&self, name: &str) -> Result<(PathBuf, &'static str)> {
        let fits = |file: &&FileEntry| {
            let rest = file.path.strip_suffix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let known = self.entry.files.iter().find(fits);
        known
            .and_then(|file| present(self.root, file))
            .ok_or_else(|| Error::data(&self.entry.name, format!("{name} is missing")))
    }

    /// The set's first file.
    pub(crate) fn main(&self) -> Result<(PathBuf, &'static str)> {
        self.find(&self.entry.files[0].path)
    }

    /// The unpacked bytes of a file, once its sha256 is found right.
    pub(crate) fn bytes(&self, name: &str) -> Result<Vec<u8>> {
        let (path, sha256) = self.find(name)?;
        let bytes = std::fs::read(&path).map_err(|e| Error::file(&path, e))?;
        self.compare(&path, sha256, &hex(&Sha256::digest(&bytes)))?;
        if !bytes.starts_with(&[0x1f, 0x8b]) {
            return Ok(bytes);
        }
        let mut unpacked = Vec::with_capacity(bytes.len() * 4);
        let mut reader = flate2::read::MultiGzDecoder::new(&bytes[..]);
        std::io::Read::read_to_end(&mut reader, &mut unpacked)
            .map_err(|e| Error::file(&path, format!("cannot be unpacked ({e})")))?;
        Ok(unpacked)
    }

    /// Refuses a file that is not the catalogue's.
    pub(crate) fn compare(&self, path: &Path, wanted: &str, found: &str) -> Result<()> {
        if wanted == found {
            return Ok(());
        }
        let what = format!(
            "sha256 of {}: {found} found, {wanted} in the catalogue; remove the file and fetch it again",
            path.display()
        );
        Err(Error::data(&self.entry.name, what))
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
