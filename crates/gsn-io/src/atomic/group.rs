//! Files that change together.

use super::leftover::{TemporaryFolder, second_name};
use super::{AtomicFile, folder, sync_folder};
use crate::error::Error;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Files that change together: all are written and synced before the first takes its place, and
/// when one cannot take its place, those before it give theirs back.
#[derive(Default)]
pub struct Group {
    parts: Vec<Part>,
}

enum Part {
    File(AtomicFile),
    /// A folder in the making and its place.
    Folder(TemporaryFolder, PathBuf),
    /// A file of an earlier run that has no successor.
    Gone(PathBuf),
}

impl Part {
    fn target(&self) -> &Path {
        match self {
            Part::File(file) => &file.target,
            Part::Folder(_, target) | Part::Gone(target) => target,
        }
    }

    fn sync(&self) -> io::Result<()> {
        match self {
            Part::File(file) => file.sync(),
            Part::Folder(work, _) => {
                for entry in work.path().read_dir()? {
                    File::open(entry?.path())?.sync_all()?;
                }
                sync_folder(work.path());
                Ok(())
            }
            Part::Gone(_) => Ok(()),
        }
    }

    fn put(self) -> io::Result<()> {
        match self {
            Part::File(file) => file.rename(),
            Part::Folder(work, target) => {
                #[cfg(unix)]
                {
                    // Temporary folders are private; this one is as open as any new folder.
                    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
                    std::fs::set_permissions(work.path(), open)?;
                }
                std::fs::rename(work.path(), target)?;
                // The folder has moved: there is nothing left to remove.
                work.keep();
                Ok(())
            }
            Part::Gone(path) if path.is_file() => std::fs::remove_file(path),
            Part::Gone(_) => Ok(()),
        }
    }
}

/// A part that has taken its place.
struct Put {
    target: PathBuf,
    /// The file that was there before.
    old: Option<NamedTempFile>,
}

impl Put {
    /// Makes the place what it was. The error that led here is the one to report.
    fn undo(self) {
        let _ = match self.old {
            Some(old) => super::put(old, &self.target),
            None if self.target.is_dir() => std::fs::remove_dir_all(&self.target),
            None => std::fs::remove_file(&self.target),
        };
    }
}

impl Group {
    /// Adds a complete file. Files take their places in the order in which they are added.
    pub fn add(&mut self, file: AtomicFile) {
        self.parts.push(Part::File(file));
    }

    /// Adds a complete folder that will be at `target`, where nothing is; see
    /// [`temporary_folder`](super::temporary_folder).
    pub fn add_folder(&mut self, work: TemporaryFolder, target: &Path) {
        self.parts.push(Part::Folder(work, target.to_owned()));
    }

    /// Removes the file at `path`, if there is one, when its turn comes.
    pub fn remove(&mut self, path: &Path) {
        self.parts.push(Part::Gone(path.to_owned()));
    }

    /// Syncs all parts, then puts one after the other in its place.
    ///
    /// # Errors
    /// If the disk refuses one of them; then everything is as it was.
    pub fn commit(self) -> Result<(), Error> {
        for part in &self.parts {
            part.sync().map_err(|e| Error::io(part.target().display(), e))?;
        }
        let last = self.parts.len().saturating_sub(1);
        let mut done: Vec<Put> = Vec::new();
        for (at, part) in self.parts.into_iter().enumerate() {
            let target = part.target().to_owned();
            // Nothing comes after the last part, so it never goes back.
            let keeps = at < last && target.is_file();
            let old = if keeps { second_name(&target).map(Some) } else { Ok(None) };
            let put = old.and_then(|old| {
                let put = Put { target: target.clone(), old };
                match part.put() {
                    Ok(()) => Ok(put),
                    Err(e) => {
                        // Where the old file lost its name for the second one it gets it back.
                        if put.old.is_some() && !target.exists() {
                            put.undo();
                        }
                        Err(e)
                    }
                }
            });
            match put {
                Ok(put) => done.push(put),
                Err(e) => {
                    done.into_iter().rev().for_each(Put::undo);
                    return Err(Error::io(target.display(), e));
                }
            }
        }
        let mut folders: Vec<&Path> = done.iter().map(|put| folder(&put.target)).collect();
        folders.dedup();
        folders.into_iter().for_each(sync_folder);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atomic::tests::full_at;
    use crate::atomic::{Disk, Stage, replace};
    use std::io::Write;

    #[test]
    fn a_group_changes_as_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["table", "sidecar", "list"] {
            replace(&path(name), b"old").unwrap();
        }
        let write = |disk: &Disk| -> Result<(), Error> {
            let mut group = Group::default();
            group.remove(&path("list"));
            for name in ["sidecar", "table"] {
                let fail = |e| Error::io(name, e);
                let mut file = disk.create(&path(name)).map_err(fail)?;
                file.write_all(b"new").map_err(fail)?;
                group.add(file);
            }
            group.commit()
        };
        let faults = [Stage::Create, Stage::Write, Stage::Sync, Stage::Rename];
        for (stage, n) in faults.into_iter().flat_map(|stage| [(stage, 1), (stage, 2)]) {
            write(&full_at(stage, n)).unwrap_err();
            for name in ["table", "sidecar", "list"] {
                assert_eq!(std::fs::read(path(name)).unwrap(), b"old", "{name} {stage:?}");
            }
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
        }
        write(&Disk::default()).unwrap();
        assert_eq!(std::fs::read(path("table")).unwrap(), b"new");
        assert_eq!(std::fs::read(path("sidecar")).unwrap(), b"new");
        assert!(!path("list").exists());
    }

    #[test]
    fn what_was_not_there_before_is_gone_again_when_a_later_part_fails() {
        let folder = tempfile::tempdir().unwrap();
        for n in 1..=2 {
            let disk = full_at(Stage::Rename, n);
            let mut group = Group::default();
            for name in ["sidecar", "table"] {
                group.add(disk.create(&folder.path().join(name)).unwrap());
            }
            group.commit().unwrap_err();
            assert_eq!(folder.path().read_dir().unwrap().count(), 0, "rename {n}");
        }
    }
}
