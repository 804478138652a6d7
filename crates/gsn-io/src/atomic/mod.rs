//! Files that are complete or absent, one alone or several together.
//!
//! A file is written beside its place under a temporary name, synced to the disk, renamed, and
//! its folder is synced; an error before the rename leaves the old file as it was, a killed
//! process at most the temporary file, which the next one that writes there removes. The parts of a
//! [`Group`] are all written and synced before the first of them is renamed, and one that cannot be
//! renamed takes the others back, so a full disk changes none of them. Only a kill or a power cut
//! between two renames leaves some parts new and some old: where that matters, one part names the
//! digest of the other ([`Sidecar`](crate::Sidecar)).
//!
//! ```
//! use gsn_io::atomic::{self, Disk, Group};
//! use std::io::Write;
//!
//! let dir = tempfile::tempdir()?;
//! atomic::replace(&dir.path().join("alone"), b"complete or absent")?;
//!
//! let mut table = Disk::default().create(&dir.path().join("table"))?;
//! let mut notes = Disk::default().create(&dir.path().join("notes"))?;
//! table.write_all(b"1,2\n")?;
//! notes.write_all(b"two columns\n")?;
//! let mut group = Group::default();
//! group.add(notes);
//! group.add(table);
//! assert!(!dir.path().join("table").exists());
//! group.commit()?;
//! assert_eq!(std::fs::read(dir.path().join("table"))?, b"1,2\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod group;
mod leftover;

pub use group::Group;
pub(crate) use leftover::sweep_for;
pub use leftover::{TemporaryFolder, is_temporary, sweep, temporary_folder};

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::NamedTempFile;

/// Where a write is when a [`Fault`] is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Before the temporary file is made.
    Create,
    /// Before some bytes are written to it.
    Write,
    /// Before it is synced to the disk.
    Sync,
    /// Before it takes the old one's place.
    Rename,
    /// Before bytes are added to a file that is open.
    Append,
}

/// Is asked at every stage of every write; its error stands for one of the disk. For tests.
pub type Fault = Arc<dyn Fn(&Path, Stage) -> io::Result<()> + Send + Sync>;

/// Where files are written. The default is the file system; tests make it fail.
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

    /// Starts a file that will be at `path`; through a link the file behind it is replaced.
    ///
    /// # Errors
    /// If there is no such folder, or nothing can be written in it.
    pub fn create(&self, path: &Path) -> io::Result<AtomicFile> {
        self.ask(path, Stage::Create)?;
        let target = if path.is_file() { path.canonicalize()? } else { path.to_owned() };
        let temporary = leftover::temporary_file(&target)?;
        Ok(AtomicFile { temporary, target, disk: self.clone() })
    }

    /// Puts `bytes` at `path`; the old file stays until the new one is on the disk. Devices and
    /// named pipes are written directly.
    ///
    /// # Errors
    /// If the disk refuses; then the old file is as it was.
    pub fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        if path.metadata().is_ok_and(|there| !there.is_file() && !there.is_dir()) {
            return std::fs::write(path, bytes);
        }
        let mut file = self.create(path)?;
        // In two parts, so that a fault can come between them.
        let (first, second) = bytes.split_at(bytes.len() / 2);
        file.write_all(first)?;
        file.write_all(second)?;
        file.commit()
    }

    /// Adds `bytes` to the open file at `path`.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn append(&self, path: &Path, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        self.ask(path, Stage::Append)?;
        file.write_all(bytes)
    }
}

/// [`Disk::replace`] on the file system; what a killed process left of the same file is removed.
///
/// # Errors
/// If the disk refuses; then the old file is as it was.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    sweep_for(path);
    Disk::default().replace(path, bytes)
}

/// Gives the complete file at `from` the name `to` in the same folder: syncs it, renames it and
/// syncs the folder. For files that grow under a name of their own over several runs.
///
/// # Errors
/// If the disk refuses; then what was at `to` is as it was.
pub fn rename_synced(file: &File, from: &Path, to: &Path) -> io::Result<()> {
    file.sync_all()?;
    std::fs::rename(from, to)?;
    sync_folder(folder(to));
    Ok(())
}

/// A file in the making; dropped without [`AtomicFile::commit`] it disappears.
pub struct AtomicFile {
    temporary: NamedTempFile,
    target: PathBuf,
    disk: Disk,
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.disk.ask(&self.target, Stage::Write)?;
        self.temporary.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.flush()
    }
}

impl AtomicFile {
    /// Syncs the file, puts it in its place and syncs the folder.
    ///
    /// # Errors
    /// If the disk refuses; then the old file is as it was.
    pub fn commit(self) -> io::Result<()> {
        self.sync()?;
        let target = self.target.clone();
        self.rename()?;
        sync_folder(folder(&target));
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.disk.ask(&self.target, Stage::Sync)?;
        if let Ok(old) = self.target.metadata() {
            self.temporary.as_file().set_permissions(old.permissions())?;
        }
        self.temporary.as_file().sync_all()
    }

    fn rename(self) -> io::Result<()> {
        self.disk.ask(&self.target, Stage::Rename)?;
        put(self.temporary, &self.target)
    }
}

/// Gives a temporary file its name. On Unix by the standard library, as every other change of the
/// disk, so that tests can stand between the program and its system.
fn put(temporary: NamedTempFile, target: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        let mut temporary = temporary;
        std::fs::rename(temporary.path(), target)?;
        // There is nothing left to remove under the old name.
        temporary.disable_cleanup(true);
        Ok(())
    }
    #[cfg(not(unix))]
    temporary.persist(target).map(drop).map_err(|e| e.error)
}

/// The folder of a path.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A rename is on the disk when its folder is. Not every file system can sync a folder, and the
/// file is in its place by now, so a refusal is no error.
fn sync_folder(folder: &Path) {
    #[cfg(unix)]
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    #[cfg(not(unix))]
    let _ = folder;
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const STAGES: [Stage; 4] = [Stage::Create, Stage::Write, Stage::Sync, Stage::Rename];

    /// A disk that is full from the `n`th time on that a stage is reached.
    pub(crate) fn full_at(stage: Stage, n: usize) -> Disk {
        let reached = AtomicUsize::new(0);
        Disk::with_fault(Arc::new(move |_, at| {
            let full = at == stage && reached.fetch_add(1, Ordering::SeqCst) + 1 >= n;
            if full { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }))
    }

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        replace(&path, b"old").unwrap();
        for (stage, n) in STAGES.map(|stage| (stage, 1)).into_iter().chain([(Stage::Write, 2)]) {
            let error = full_at(stage, n).replace(&path, b"new").unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
            assert_eq!(std::fs::read(&path).unwrap(), b"old");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        }
        replace(&path, b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn the_mode_of_an_old_file_is_kept() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        for mode in [0o600, 0o640, 0o444] {
            replace(&path, b"old").unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            replace(&path, b"new").unwrap();
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, mode);
        }
    }
}
