//! The folder of the cache: finding, writing, listing and clearing entries.

use super::entry::Entry;
use super::key::Key;
use crate::catalogue::store::folder_of;
use crate::error::{Error, Result};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What every entry ends in.
const ENDING: &str = "counts";

/// Less than this is not worth a file.
const NEGLIGIBLE: Duration = Duration::from_millis(5);

/// A cache of count columns in a folder, or none.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: Option<PathBuf>,
    always: bool,
}

/// One entry, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Stored {
    /// Names the graphs it belongs to.
    pub graphs: String,
    /// Pattern, scope, matching; or that it is damaged.
    pub about: String,
    /// Its length.
    pub bytes: u64,
    /// Where it is.
    pub path: PathBuf,
}

impl Cache {
    /// The folder `GSN_CACHE` names (`off` for none), or `gsn/counts` in the user's cache folder.
    pub fn from_env() -> Self {
        let folder = match std::env::var_os("GSN_CACHE").filter(|v| !v.is_empty()) {
            Some(value) if value == "off" => None,
            Some(value) => Some(PathBuf::from(value)),
            None => folder_of("XDG_CACHE_HOME", ".cache").map(|folder| folder.join("counts")),
        };
        Self { folder, always: false }
    }

    /// Entries in `folder`, where that is cheaper than counting.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()), always: false }
    }

    /// Entries in `folder`, whatever is cheaper.
    pub fn always(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()), always: true }
    }

    /// No cache: everything is counted.
    pub fn off() -> Self {
        Self { folder: None, always: false }
    }

    /// Where entries are.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    pub(super) fn is_off(&self) -> bool {
        self.folder.is_none()
    }

    /// Whether reading is so much cheaper than counting that an entry pays.
    pub(super) fn is_worth(&self, counting: Duration, reading: Duration) -> bool {
        self.always || (counting > NEGLIGIBLE && counting > 2 * reading)
    }

    fn path(&self, key: &Key) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        Some(folder.join(&key.set).join(format!("{}.{ENDING}", key.file)))
    }

    /// The entry of `key`; `None` if there is none, and what is wrong if it is damaged.
    pub(super) fn read(&self, key: &Key, rows: usize) -> Result<Option<Entry>, String> {
        let Some(path) = self.path(key) else { return Ok(None) };
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                // Perhaps it is missing because its writer was killed.
                path.parent().iter().for_each(|folder| gsn_io::atomic::sweep(folder));
                return Ok(None);
            }
            Err(e) => return Err(format!("{}: {e}", path.display())),
        };
        match Entry::from_bytes(&bytes, key, rows) {
            Some(entry) => Ok(Some(entry)),
            None => Err(format!("{}: damaged ({})", path.display(), key.about)),
        }
    }

    /// Writes an entry, complete or not at all.
    pub(super) fn write(&self, key: &Key, entry: &Entry) -> Result<(), String> {
        let Some(path) = self.path(key) else { return Ok(()) };
        let write = || {
            std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
            gsn_io::atomic::replace(&path, &entry.to_bytes(key))
        };
        write().map_err(|e| format!("{}: {e}", path.display()))
    }

    /// Every entry, ordered by path.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list(&self) -> Result<Vec<Stored>> {
        let mut found = Vec::new();
        for path in self.files()? {
            if path.extension().is_none_or(|ending| ending != ENDING) {
                continue;
            }
            let set = path.parent().and_then(Path::file_name).unwrap_or_default();
            let graphs = set.to_string_lossy().into_owned();
            let bytes = path.metadata().map_or(0, |m| m.len());
            let mut head = Vec::new();
            let opened = std::fs::File::open(&path);
            let read = opened.and_then(|file| file.take(1 << 16).read_to_end(&mut head));
            let about = read.ok().and_then(|_| Entry::about(&head));
            let about = about.unwrap_or_else(|| "damaged".into());
            found.push(Stored { graphs, about, bytes, path });
        }
        Ok(found)
    }

    /// Removes every entry and what interrupted writers left; returns how many and their bytes.
    ///
    /// # Errors
    /// When the folder cannot be read or a file not removed.
    pub fn clear(&self) -> Result<(u64, u64)> {
        let (mut files, mut bytes) = (0, 0);
        for path in self.files()? {
            let length = path.metadata().map_or(0, |m| m.len());
            match std::fs::remove_file(&path) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::file(&path, e));
                }
                _ => (files, bytes) = (files + 1, bytes + length),
            }
            // The folder of a set goes with its last entry.
            if let Some(folder) = path.parent() {
                let _ = std::fs::remove_dir(folder);
            }
        }
        Ok((files, bytes))
    }

    /// Files of ours in the folders of sets, ordered by path.
    fn files(&self) -> Result<Vec<PathBuf>> {
        let Some(folder) = &self.folder else { return Ok(Vec::new()) };
        let list = |folder: &Path| -> Result<Vec<PathBuf>> {
            let entries = match std::fs::read_dir(folder) {
                Ok(entries) => entries,
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
                Err(e) => return Err(Error::file(folder, e)),
            };
            entries.map(|entry| Ok(entry.map_err(|e| Error::file(folder, e))?.path())).collect()
        };
        let is_set = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.len() == 32 && name.bytes().all(|b| b.is_ascii_hexdigit()) && path.is_dir()
        };
        let mut files = Vec::new();
        for set in list(folder)?.iter().filter(|path| is_set(path)) {
            files.extend(list(set)?.into_iter().filter(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                name.ends_with(&format!(".{ENDING}")) || gsn_io::atomic::is_temporary(&name)
            }));
        }
        files.sort();
        Ok(files)
    }
}
