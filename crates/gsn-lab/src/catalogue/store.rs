//! Where sets are looked for, and reading their files with every byte hashed.

use super::carried;
use super::entry::{Entry, FileEntry, Statistics, find};
use super::imported::Imported;
use super::read::{self, GraphSet};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use gsn_io::guard::GuardedRead;
use sha2::{Digest, Sha256};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Folders that may hold sets, in the order in which they are asked, and whether the sets that
/// the program carries are asked after them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    roots: Vec<PathBuf>,
    carried: bool,
}

/// Where a set was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// Its files are below this data folder, under the paths of the catalogue.
    Folder(PathBuf),
    /// Its archive, as its publisher serves it, is this file.
    Archive(PathBuf),
    /// The program carries it.
    Carried,
}

impl Store {
    /// `GSN_DATA`, then the user's data folder, then what the program carries.
    ///
    /// # Errors
    /// When `GSN_DATA` names a folder that does not exist.
    pub fn from_env() -> Result<Self> {
        let roots = data_folder()?.into_iter().chain(user_folder()).collect();
        Ok(Self { roots, carried: true })
    }

    /// Only this folder.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { roots: vec![root.into()], carried: false }
    }

    /// Only what the program carries.
    ///
    /// ```
    /// let mutag = gsn_lab::catalogue::Store::carried().load("MUTAG")?;
    /// assert_eq!(mutag.samples.len(), 188);
    /// # Ok::<(), gsn_lab::Error>(())
    /// ```
    pub fn carried() -> Self {
        Self { roots: Vec::new(), carried: true }
    }

    /// Where every file that `entry` needs is.
    ///
    /// # Errors
    /// When that is nowhere: what is missing in which folder, and what to do.
    pub fn locate(&self, entry: &Entry) -> Result<Location> {
        let needed = || entry.files.iter().filter(|file| !file.optional);
        let mut incomplete = Vec::new();
        for root in &self.roots {
            let missing: Vec<&str> = needed()
                .filter(|file| present(root, file).is_none())
                .map(|file| file.path.as_str())
                .collect();
            if missing.is_empty() {
                return Ok(Location::Folder(root.clone()));
            }
            let archive = entry.archive.as_ref().map(|archive| root.join(&archive.path));
            if let Some(archive) = archive.filter(|path| path.is_file()) {
                return Ok(Location::Archive(archive));
            }
            if missing.len() < needed().count() {
                incomplete.push(format!("{} lacks {}", root.display(), missing.join(", ")));
            }
        }
        if self.carried && entry.is_carried() {
            return Ok(Location::Carried);
        }
        let folders: Vec<String> = self.roots.iter().map(|r| r.display().to_string()).collect();
        let partly = match &incomplete[..] {
            [] => String::new(),
            some => format!(" ({})", some.join("; ")),
        };
        let help = match &entry.note {
            Some(note) if !entry.is_served() && !entry.is_carried() => note.clone(),
            _ => format!("`gsn data fetch {}` brings it", entry.name),
        };
        let what = format!("not found in {}{partly}. {help}", folders.join(", "));
        Err(Error::data(&entry.name, what))
    }

    /// The set `name`.
    ///
    /// # Errors
    /// As [`load`](super::load).
    pub fn load(&self, name: &str) -> Result<Dataset> {
        self.read(find(name)?)
    }

    /// The set that `entry` describes.
    ///
    /// # Errors
    /// When it is not here, or is not what `entry` says.
    pub fn read(&self, entry: &Entry) -> Result<Dataset> {
        self.with_files(entry, read::dataset)
    }

    /// The graphs of the set `name`.
    ///
    /// # Errors
    /// As [`graphs`](super::graphs).
    pub fn graphs(&self, name: &str) -> Result<GraphSet> {
        self.with_files(find(name)?, read::graph_set)
    }

    /// The numbers of the set that `entry` describes, whatever it says they are.
    pub(super) fn statistics(&self, entry: &Entry) -> Result<Statistics> {
        read::found(&Files { entry, location: self.locate(entry)?, imported: None })
    }

    /// Reads the files of a set, by what was imported where something was.
    fn with_files<T>(&self, entry: &Entry, read: fn(&Files) -> Result<T>) -> Result<T> {
        let location = self.locate(entry)?;
        match Imported::at(&location, entry)? {
            Some(imported) => {
                let (entry, imported) = (&imported.entry(entry)?, Some(imported.from));
                read(&Files { entry, location, imported })
            }
            None => read(&Files { entry, location, imported: None }),
        }
    }
}

/// The folder `GSN_DATA` names, if the variable is set.
///
/// # Errors
/// When it does not exist: a mistyped folder would otherwise be passed over in silence.
pub fn data_folder() -> Result<Option<PathBuf>> {
    match std::env::var_os("GSN_DATA").filter(|value| !value.is_empty()).map(PathBuf::from) {
        Some(folder) if !folder.is_dir() => {
            let what = "GSN_DATA names this folder, but it does not exist; create it, name \
                        another, or unset GSN_DATA";
            Err(Error::file(folder, what))
        }
        folder => Ok(folder),
    }
}

/// What should be said about where the set `name` comes from: it was imported, or `GSN_DATA` names
/// a folder that holds nothing of any set.
///
/// # Errors
/// As [`data_folder`].
pub fn overlooked(name: &str) -> Result<Option<String>> {
    if let Ok(entry) = find(name)
        && let Ok(location) = Store::from_env()?.locate(entry)
        && let Some(imported) = Imported::at(&location, entry)?
    {
        return Ok(Some(imported.told(entry)));
    }
    let Some(folder) = data_folder()? else { return Ok(None) };
    let holds = |entry: &Entry| {
        let archive = entry.archive.as_ref().map(|archive| folder.join(&archive.path));
        entry.files.iter().any(|file| present(&folder, file).is_some())
            || archive.is_some_and(|path| path.is_file())
    };
    if super::entries().iter().any(holds) {
        return Ok(None);
    }
    let folder = folder.display();
    Ok(Some(format!(
        "GSN_DATA is {folder}, which holds no set of the catalogue; {name} comes from elsewhere"
    )))
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
pub(crate) fn present<'a>(root: &Path, file: &'a FileEntry) -> Option<(PathBuf, &'a str)> {
    let here = |path: &str| Some(root.join(path)).filter(|path| path.is_file());
    if let Some(path) = here(&file.path) {
        return Some((path, &file.sha256));
    }
    let (path, sha256, _) = file.plain();
    Some((here(path)?, sha256))
}

/// The files of one set, where they are.
pub(crate) struct Files<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) location: Location,
    /// Where they were imported from, if they were.
    pub(crate) imported: Option<String>,
}

/// A file that is being read.
pub(crate) struct Opened<'a> {
    /// What messages call it.
    pub(crate) name: String,
    /// The sha256 its bytes must have.
    pub(crate) sha256: &'a str,
    /// Its bytes.
    pub(crate) bytes: Box<dyn Read + Send>,
}

impl<'a> Files<'a> {
    /// Opens the file whose path in the catalogue is or ends in `/name`.
    pub(crate) fn open(&self, name: &str) -> Result<Opened<'a>> {
        let entry = self.entry;
        let missing = || Error::data(&entry.name, format!("{name} is missing"));
        let fits = |file: &&FileEntry| {
            let rest = file.path.strip_suffix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let file = entry.files.iter().find(fits).ok_or_else(missing)?;
        match &self.location {
            Location::Folder(root) => {
                let (path, sha256) = present(root, file).ok_or_else(missing)?;
                let bytes = std::fs::File::open(&path).map_err(|e| Error::file(&path, e))?;
                let name = path.display().to_string();
                Ok(Opened { name, sha256, bytes: Box::new(bytes) })
            }
            Location::Carried => {
                let (path, sha256, _) = file.plain();
                let bytes = carried::file(path)?.ok_or_else(missing)?;
                let name = format!("{path}, carried by the program");
                Ok(Opened { name, sha256, bytes: Box::new(std::io::Cursor::new(bytes)) })
            }
            Location::Archive(_) => Err(missing()),
        }
    }

    /// Opens the set's first file.
    pub(crate) fn main(&self) -> Result<Opened<'a>> {
        self.open(&self.entry.files[0].path)
    }

    /// The unpacked bytes of a file, once its sha256 is found right.
    pub(crate) fn bytes(&self, name: &str) -> Result<Vec<u8>> {
        let mut file = self.open(name)?;
        let mut bytes = Vec::new();
        file.bytes.read_to_end(&mut bytes).map_err(|e| Error::file(&file.name, e))?;
        self.compare(&file.name, file.sha256, &hex(&Sha256::digest(&bytes)))?;
        if !bytes.starts_with(&[0x1f, 0x8b]) {
            return Ok(bytes);
        }
        let mut unpacked = Vec::with_capacity(bytes.len() * 4);
        GuardedRead::new(flate2::read::MultiGzDecoder::new(&bytes[..]))
            .read_to_end(&mut unpacked)
            .map_err(|e| Error::file(&file.name, format!("cannot be unpacked ({e})")))?;
        Ok(unpacked)
    }

    /// Refuses a file that is not the catalogue's.
    pub(crate) fn compare(&self, name: &str, wanted: &str, found: &str) -> Result<()> {
        if wanted == found {
            return Ok(());
        }
        let what = format!(
            "sha256 of {name}: {found} found, {wanted} in the catalogue; remove the file and fetch it again"
        );
        Err(Error::data(&self.entry.name, what))
    }

    /// Licence and source of what is read, in one line.
    pub(crate) fn licence(&self) -> String {
        if let Some(from) = &self.imported {
            return format!("imported from {from}; {}", self.entry.licence());
        }
        match (&self.location, &self.entry.archive) {
            (Location::Archive(_), Some(archive)) => {
                format!("{}: {}", archive.url, archive.licence)
            }
            _ => self.entry.licence(),
        }
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
