//! A run's folder and the files in it.
//!
//! ```text
//! RUN/recipe.toml        the recipe with everything it extends and every setting
//! RUN/versions.json      program, machine, hash of the data
//! RUN/metrics.jsonl      one line per unit and epoch
//! RUN/own.json           where the user's own data are and how they are read
//! RUN/data.arrow         these data, where they came from memory
//! RUN/rejected.csv       rows of the user's own data that were left out
//! RUN/split.csv          the part of every row
//! RUN/predictions.csv    what every unit predicts for every row
//! RUN/results.json       what the protocol reports, and every metric of every unit
//! RUN/learning-curve.svg loss and metric by epoch
//! RUN/parity.svg         predictions beside targets; roc.svg for classes
//! RUN/model.gsn          the model to predict with
//! RUN/sessions.jsonl     when the run was started, how fast it was
//! RUN/tensorboard/UNIT/  event files
//! RUN/units/UNIT/        last.ckpt, best.safetensors, model.gsn, predictions.csv, a picture
//! ```
//!
//! `metrics.jsonl` grows in the order epochs are finished in; when a run is taken up again it is
//! written anew from the checkpoints, and when it ends it is sorted by unit and epoch. So it does
//! not depend on how many units run side by side, nor on how often the run was killed.

use super::{checkpoint, tensorboard};
use crate::error::{Error, Result};
use crate::train::{Row, State};
use gsn_io::atomic::{self, Disk};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// A run's folder; it belongs to this process until dropped.
pub struct Folder {
    root: PathBuf,
    disk: Disk,
    metrics: Mutex<Option<File>>,
    /// Held open: another process that wants the folder finds it locked.
    _lock: File,
}

#[derive(Serialize)]
struct MetricsLine<'a> {
    unit: &'a str,
    #[serde(flatten)]
    row: &'a Row,
}

impl Folder {
    /// A new folder; it may exist if it is empty.
    ///
    /// # Errors
    /// If there is a run in it already, or it cannot be written.
    pub fn create(root: &Path, disk: Disk) -> Result<Self> {
        std::fs::create_dir_all(root).map_err(|e| cannot_write(root, &e))?;
        if root.join("recipe.toml").exists() {
            let what = format!(
                "holds a run already; go on with `gsn train --resume {}` or choose another folder \
                 with --out",
                root.display()
            );
            return Err(Error::file(root, what));
        }
        // A folder with our lock but no recipe is of a run killed before it began.
        let mut entries = std::fs::read_dir(root).map_err(|e| Error::file(root, e))?;
        if !root.join(".lock").exists()
            && let Some(entry) = entries.next()
        {
            let name = entry.map_err(|e| Error::file(root, e))?.file_name();
            let what = format!("is not empty (`{}`); choose another folder", name.display());
            return Err(Error::file(root, what));
        }
        Self::lock(root, disk)
    }

    /// The folder of a run that was started before.
    ///
    /// # Errors
    /// If there is no run in it, or another process works on it.
    pub fn open(root: &Path, disk: Disk) -> Result<Self> {
        if !root.join("recipe.toml").is_file() {
            return Err(Error::file(root, "holds no run (no recipe.toml) that could go on"));
        }
        Self::lock(root, disk)
    }

    fn lock(root: &Path, disk: Disk) -> Result<Self> {
        let path = root.join(".lock");
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let lock = lock.map_err(|e| cannot_write(&path, &e))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => {
                return Err(Error::file(root, "another gsn is working on this run"));
            }
            // Some network file systems know no locks; the run goes on without.
            Err(std::fs::TryLockError::Error(_)) => {}
        }
        // The folder is ours now, so what is under way in it is of a process that was killed.
        atomic::sweep(root);
        unit_names(root).iter().for_each(|unit| atomic::sweep(&root.join("units").join(unit)));
        let boards = root.join("tensorboard").read_dir().into_iter().flatten().flatten();
        boards.for_each(|board| atomic::sweep(&board.path()));
        Ok(Self { root: root.to_path_buf(), disk, metrics: Mutex::new(None), _lock: lock })
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of a unit.
    pub fn unit(&self, unit: &str) -> PathBuf {
        self.root.join("units").join(unit)
    }

    /// Puts a file into the folder, complete or not at all.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn put(&self, name: impl AsRef<Path>, bytes: &[u8]) -> Result<()> {
        let path = self.root.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|e| cannot_write(parent, &e))?;
        }
        self.disk.replace(&path, bytes).map_err(|e| cannot_write(&path, &e))
    }

    /// [`Folder::put`] of something as indented JSON.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn put_json(&self, name: &str, value: &impl Serialize) -> Result<()> {
        let mut text =
            serde_json::to_vec_pretty(value).map_err(|e| Error::file(self.root.join(name), e))?;
        text.push(b'\n');
        self.put(name, &text)
    }

    /// Saves a unit's state.
    ///
    /// # Errors
    /// If the disk refuses; the state saved before is intact then.
    pub fn save(&self, unit: &str, state: &State) -> Result<()> {
        self.put(Path::new("units").join(unit).join("last.ckpt"), &state.to_bytes(unit)?)
    }

    /// Makes `best.safetensors` what the state calls its best weights, if it keeps any. The state
    /// in the checkpoint is the truth; this file is a copy for other programs.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn keep_best(&self, unit: &str, state: &State) -> Result<()> {
        let Some(model) = state.best.as_ref().and_then(|best| best.model.as_ref()) else {
            return Ok(());
        };
        let name = Path::new("units").join(unit).join("best.safetensors");
        let bytes = model.to_bytes()?;
        if std::fs::read(self.root.join(&name)).is_ok_and(|there| there == bytes) {
            return Ok(());
        }
        self.put(name, &bytes)
    }

    /// Takes up a unit's saved state, if there is one; `state` is the one at its start.
    ///
    /// # Errors
    /// If the file is damaged or of something else.
    pub fn load(&self, unit: &str, state: &mut State) -> Result<bool> {
        let read = |bytes: &[u8]| state.restore(unit, bytes);
        Ok(read_state(&self.root, unit, read)?.is_some())
    }

    /// The finished epochs of a unit's saved state, if there is one, and whether it is done.
    ///
    /// # Errors
    /// As [`Folder::load`].
    pub fn peek(&self, unit: &str) -> Result<Option<(Vec<Row>, bool)>> {
        peek_unit(&self.root, unit)
    }

    /// Writes all of `metrics.jsonl`, unit after unit.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn write_metrics<'a>(
        &self,
        units: impl Iterator<Item = (&'a str, &'a [Row])>,
    ) -> Result<()> {
        let mut log = self.metrics.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = Vec::new();
        for (unit, rows) in units {
            rows.iter().try_for_each(|row| self.line(&mut text, unit, row))?;
        }
        self.put("metrics.jsonl", &text)?;
        let path = self.root.join("metrics.jsonl");
        let file = OpenOptions::new().append(true).open(&path);
        *log = Some(file.map_err(|e| cannot_write(&path, &e))?);
        Ok(())
    }

    /// Adds a line to `metrics.jsonl`.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn add_metrics(&self, unit: &str, row: &Row) -> Result<()> {
        let mut text = Vec::new();
        self.line(&mut text, unit, row)?;
        let mut log = self.metrics.lock().unwrap_or_else(PoisonError::into_inner);
        match log.as_mut() {
            Some(file) => append(&self.disk, &self.root.join("metrics.jsonl"), file, &text),
            None => Ok(()),
        }
    }

    fn line(&self, text: &mut Vec<u8>, unit: &str, row: &Row) -> Result<()> {
        serde_json::to_writer(&mut *text, &MetricsLine { unit, row })
            .map_err(|e| Error::file(self.root.join("metrics.jsonl"), e))?;
        text.push(b'\n');
        Ok(())
    }

    /// Adds a line to a log that plays no part in results, such as `sessions.jsonl`, in place of what a
    /// process that was killed left of its own.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn log(&self, name: &str, value: &serde_json::Value) -> Result<()> {
        let path = self.root.join(name);
        let file = OpenOptions::new().create(true).read(true).append(true).open(&path);
        let mut file = file.map_err(|e| cannot_write(&path, &e))?;
        let mut text = Vec::new();
        let read = file.read_to_end(&mut text);
        read.map_err(|e| Error::file(&path, format!("cannot be read: {e}")))?;
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        if whole < text.len() {
            file.set_len(whole as u64).map_err(|e| cannot_write(&path, &e))?;
        }
        append(&self.disk, &path, &mut file, format!("{value}\n").as_bytes())
    }

    /// The event file of a unit, with the epochs it has already.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn board(&self, unit: &str, rows: &[Row]) -> Result<EventFile> {
        let name = Path::new("tensorboard").join(unit).join("events.out.tfevents.0.gsn");
        let mut text = tensorboard::opening(now());
        rows.iter().for_each(|row| text.extend(record(row)));
        self.put(&name, &text)?;
        let path = self.root.join(name);
        let file = OpenOptions::new().append(true).open(&path);
        let file = file.map_err(|e| cannot_write(&path, &e))?;
        Ok(EventFile { path, file, disk: self.disk.clone() })
    }
}

/// A unit's event file.
pub struct EventFile {
    path: PathBuf,
    file: File,
    disk: Disk,
}

impl EventFile {
    /// Adds an epoch.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn add(&mut self, row: &Row) -> Result<()> {
        append(&self.disk, &self.path, &mut self.file, &record(row))
    }
}

fn append(disk: &Disk, path: &Path, file: &mut File, bytes: &[u8]) -> Result<()> {
    disk.append(path, file, bytes).map_err(|e| cannot_write(path, &e))
}

fn cannot_write(path: &Path, e: &io::Error) -> Error {
    let hint = match e.kind() {
        io::ErrorKind::StorageFull => "; free some room, then go on with --resume",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; choose a folder that can be written with --out"
        }
        _ => "",
    };
    Error::file(path, format!("cannot be written: {e}{hint}"))
}

/// Writes a file that is complete or absent, and the folder it is in.
pub(crate) fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    let fail = |e: io::Error| Error::file(path, format!("cannot be written: {e}"));
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(fail)?;
    gsn_io::atomic::replace(path, bytes).map_err(fail)
}

/// What a JSON file holds, if it is there.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    match std::fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|e| Error::file(path, format!("is damaged: {e}"))),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Error::file(path, format!("cannot be read: {e}"))),
    }
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |t| t.as_secs_f64())
}

fn record(row: &Row) -> Vec<u8> {
    let values = [
        ("lr", Some(row.lr)),
        ("loss/train", Some(row.train_loss)),
        ("loss/validation", row.validation_loss),
        ("loss/test", row.test_loss),
        ("metric/train", row.train),
        ("metric/validation", row.validation),
        ("metric/test", row.test),
    ];
    let values: Vec<(&str, f64)> =
        values.into_iter().filter_map(|(tag, x)| Some((tag, x?))).collect();
    tensorboard::scalars(now(), row.epoch, &values)
}

/// Names of the units that a run has begun, sorted.
pub(crate) fn unit_names(root: &Path) -> Vec<String> {
    let entries = root.join("units").read_dir().into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The finished epochs of a unit's saved state, if there is one, and whether it is done. Takes no
/// lock: states are replaced as a whole.
pub(crate) fn peek_unit(root: &Path, unit: &str) -> Result<Option<(Vec<Row>, bool)>> {
    read_state(root, unit, |bytes| checkpoint::peek(unit, bytes))
}

fn read_state<R>(
    root: &Path,
    unit: &str,
    read: impl FnOnce(&[u8]) -> Result<R, String>,
) -> Result<Option<R>> {
    let path = root.join("units").join(unit).join("last.ckpt");
    match std::fs::read(&path) {
        Ok(bytes) => read(&bytes).map(Some).map_err(|what| Error::file(&path, what)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Error::file(&path, format!("cannot be read: {e}"))),
    }
}
