//! Temporary files and folders, and what killed processes left of them.
//!
//! Whatever is in the making is called `.NAME.XXXXXX.part` beside its place and is locked by the
//! process that makes it. The system takes the lock away with the process, so a temporary file that
//! can be locked belongs to nobody and is removed. On file systems without locks nothing is.

use super::folder;
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use tempfile::{NamedTempFile, TempDir};

const ENDING: &str = ".part";
/// Letters and digits that make a name unique.
const RANDOM: usize = 6;

/// Whether a file of this name is one that an interrupted write left behind.
pub fn is_temporary(name: &str) -> bool {
    target_of(name).is_some()
}

/// The name of the file that a temporary one was to become.
fn target_of(name: &str) -> Option<&str> {
    let (target, random) = name.strip_prefix('.')?.strip_suffix(ENDING)?.rsplit_once('.')?;
    let is_ours = random.len() == RANDOM && random.bytes().all(|b| b.is_ascii_alphanumeric());
    is_ours.then_some(target)
}

/// Removes from `folder` what killed processes left, of any file.
pub fn sweep(folder: &Path) {
    sweep_where(folder, |_| true);
}

/// Removes what killed processes left of the file or folder at `target`.
pub(crate) fn sweep_for(target: &Path) {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    sweep_where(folder(target), |of| of == name);
}

/// What cannot be removed stays: it is in nobody's way.
fn sweep_where(folder: &Path, wanted: impl Fn(&str) -> bool) {
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().and_then(target_of).is_some_and(&wanted) {
            remove_unless_locked(&entry.path());
        }
    }
}

fn remove_unless_locked(path: &Path) {
    let Ok(file) = File::open(path) else { return };
    if file.try_lock().is_ok() {
        let _ = match path.is_dir() {
            true => std::fs::remove_dir_all(path),
            false => std::fs::remove_file(path),
        };
    }
}

/// Locks a new temporary file. False if another process has taken it for a leftover meanwhile.
fn claim(file: &File, path: &Path) -> bool {
    match file.try_lock() {
        Ok(()) => path.exists(),
        Err(TryLockError::WouldBlock) => false,
        // Where there are no locks nothing is taken for a leftover.
        Err(TryLockError::Error(_)) => true,
    }
}

/// Makes something of a temporary name beside `target`.
fn named<T>(
    target: &Path,
    make: impl FnOnce(&mut tempfile::Builder) -> io::Result<T>,
) -> io::Result<T> {
    let stem = target.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!(".{stem}.");
    let mut builder = tempfile::Builder::new();
    make(builder.prefix(&prefix).suffix(ENDING).rand_bytes(RANDOM)).map_err(without_path)
}

/// A file in the making beside `target`, with the rights of an ordinary file.
pub(super) fn temporary_file(target: &Path) -> io::Result<NamedTempFile> {
    loop {
        let file = named(target, |builder| {
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
            builder.tempfile_in(folder(target))
        })?;
        if claim(file.as_file(), file.path()) {
            return Ok(file);
        }
    }
}

/// A second name for the file at `target`, to bring it back by. Where files cannot have two names
/// the first is taken away.
pub(super) fn second_name(target: &Path) -> io::Result<NamedTempFile> {
    named(target, |builder| {
        builder.make_in(folder(target), |path| {
            std::fs::hard_link(target, path).or_else(|e| match e.kind() {
                io::ErrorKind::AlreadyExists => Err(e),
                _ => std::fs::rename(target, path),
            })?;
            let file = File::open(path)?;
            // Only so that it is not taken for a leftover; a file that someone else has locked is
            // none either.
            let _ = file.try_lock();
            Ok(file)
        })
    })
}

/// A folder in the making; it disappears unless [`Group::add_folder`](super::Group::add_folder)
/// takes it.
pub struct TemporaryFolder {
    folder: TempDir,
    /// Held open as long as the folder is in the making.
    _lock: Option<File>,
}

impl TemporaryFolder {
    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Lets the folder stay.
    pub(super) fn keep(self) {
        let _ = self.folder.keep();
    }
}

/// A folder in the making, beside `target`. What a killed process left of it is removed.
///
/// # Errors
/// If there is no such place, or nothing can be written in it.
pub fn temporary_folder(target: &Path) -> io::Result<TemporaryFolder> {
    sweep_for(target);
    loop {
        let made = named(target, |builder| builder.tempdir_in(folder(target)))?;
        // Not every system can open a folder.
        let lock = File::open(made.path()).ok();
        if lock.as_ref().is_none_or(|lock| claim(lock, made.path())) {
            return Ok(TemporaryFolder { folder: made, _lock: lock });
        }
    }
}

/// The error of the system alone: the name of a temporary file means nothing to the user.
fn without_path(error: io::Error) -> io::Error {
    let text = error.to_string();
    match text.rsplit_once(" at path \"") {
        Some((system, _)) => io::Error::new(error.kind(), system.to_owned()),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atomic::{Disk, replace};
    use std::io::Write;

    fn names(folder: &Path) -> Vec<String> {
        let entries = folder.read_dir().unwrap().flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_an_interrupted_write_leaves_has_a_name_to_know_it_by() {
        let folder = tempfile::tempdir().unwrap();
        let file = temporary_file(&folder.path().join("state.json")).unwrap();
        let left = file.path().file_name().unwrap().to_str().unwrap().to_owned();
        assert_eq!(target_of(&left), Some("state.json"));
        for other in ["state", "model.part", ".state.part", ".state.toolong.part", ".a.ab-def.part"]
        {
            assert!(!is_temporary(other), "{other}");
        }
    }

    #[test]
    fn leftovers_of_dead_processes_are_removed_and_those_of_living_ones_stay() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("state");
        let mut living = Disk::default().create(&target).unwrap();
        living.write_all(b"under way").unwrap();
        // What a killed process leaves is not locked by anyone.
        for name in [".state.dead01.part", ".other.dead02.part", "mine.part"] {
            std::fs::write(folder.path().join(name), "half").unwrap();
        }
        std::fs::create_dir(folder.path().join(".set.dead03.part")).unwrap();
        std::fs::write(folder.path().join(".set.dead03.part/a"), "half").unwrap();
        replace(&target, b"new").unwrap();
        assert!(!folder.path().join(".state.dead01.part").exists());
        assert!(folder.path().join(".other.dead02.part").exists());
        let set = temporary_folder(&folder.path().join("set")).unwrap();
        sweep(folder.path());
        assert!(set.path().is_dir());
        drop(set);
        living.commit().unwrap();
        assert_eq!(names(folder.path()), ["mine.part", "state"]);
        assert_eq!(std::fs::read(&target).unwrap(), b"under way");
    }
}
