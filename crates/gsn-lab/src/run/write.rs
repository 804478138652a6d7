//! Files that are complete or absent: written beside their name, synced, then renamed.
//!
//! A process killed at any moment leaves the old file or the new one, never a piece. Tests make
//! each stage fail through [`Fault`], as a full disk or a pulled plug would.

use crate::error::{Error, Result};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where a write is when [`Fault`] is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Before the new file is made.
    Create,
    /// When half of it is written.
    Half,
    /// Before it is synced to the disk.
    Sync,
    /// Before it takes the old one's place.
    Rename,
    /// Before a line is added to a log.
    Append,
}

/// Is asked at every stage of every write; an error stands for the disk's.
pub type Fault = Arc<dyn Fn(&Path, Stage) -> io::Result<()> + Send + Sync>;

/// Writes files of a run folder.
#[derive(Clone, Default)]
pub struct Disk {
    fault: Option<Fault>,
}

impl Disk {
    /// A disk whose writes ask `fault` first.
    pub fn with_fault(fault: Fault) -> Self {
        Self { fault: Some(fault) }
    }

    fn ask(&self, path: &Path, stage: Stage) -> io::Result<()> {
        self.fault.as_ref().map_or(Ok(()), |fault| fault(path, stage))
    }

    /// Puts `bytes` at `path`; the old file stays until the new one is on the disk.
    ///
    /// # Errors
    /// If the disk refuses; then the old file is intact.
    pub fn replace(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        self.try_replace(path, bytes).map_err(|e| cannot_write(path, &e))
    }

    fn try_replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let temporary = temporary(path);
        self.ask(path, Stage::Create)?;
        let mut file = File::create(&temporary)?;
        let written = (|| {
            let (a, b) = bytes.split_at(bytes.len() / 2);
            file.write_all(a)?;
            self.ask(path, Stage::Half)?;
            file.write_all(b)?;
            self.ask(path, Stage::Sync)?;
            file.sync_all()?;
            self.ask(path, Stage::Rename)?;
            std::fs::rename(&temporary, path)
        })();
        if written.is_err() {
            // A full disk gets its room back.
            let _ = std::fs::remove_file(&temporary);
        }
        written?;
        sync_folder(path)
    }

    /// Adds `bytes` to an open log.
    ///
    /// # Errors
    /// If the disk refuses.
    pub(crate) fn append(&self, path: &Path, file: &mut File, bytes: &[u8]) -> Result<()> {
        self.ask(path, Stage::Append)
            .and_then(|()| file.write_all(bytes))
            .map_err(|e| cannot_write(path, &e))
    }
}

/// The name a file has until it is complete.
fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".part");
    path.with_file_name(name)
}

/// A rename is on the disk when its folder is.
fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        File::open(folder)?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

pub(crate) fn cannot_write(path: &Path, e: &io::Error) -> Error {
    let hint = match e.kind() {
        io::ErrorKind::StorageFull => "; free some room, then go on with --resume",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; choose a folder that can be written with --out"
        }
        _ => "",
    };
    Error::file(path, format!("cannot be written: {e}{hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        Disk::default().replace(&path, b"old").unwrap();
        for stage in [Stage::Create, Stage::Half, Stage::Sync, Stage::Rename] {
            let asked = Arc::new(AtomicUsize::new(0));
            let count = asked.clone();
            let disk = Disk::with_fault(Arc::new(move |_, at| {
                count.fetch_add(1, Ordering::SeqCst);
                if at == stage { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
            }));
            let said = disk.replace(&path, b"new").unwrap_err().to_string();
            assert!(said.contains("free some room"), "{said}");
            assert!(asked.load(Ordering::SeqCst) > 0);
            assert_eq!(std::fs::read(&path).unwrap(), b"old");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        }
        Disk::default().replace(&path, b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
    }
}
