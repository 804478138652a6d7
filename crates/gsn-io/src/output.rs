//! Outputs: files that are complete or absent, standard output, devices and pipes.
//!
//! A file is an [`AtomicFile`]: dropped before it is complete it disappears. `-` is standard
//! output; devices and named pipes are written directly. A name in `.gz` is packed.

use crate::atomic::{AtomicFile, Disk, Group, folder, sweep_for};
use crate::error::{Error, shown};
use crate::input::hex;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

pub(crate) const STDOUT: &str = "standard output";

enum Place {
    Direct(Box<dyn Write + Send>),
    File(AtomicFile, Option<Box<Passed>>),
}

/// What is known of the bytes that went into a file.
#[derive(Default)]
struct Passed {
    bytes: u64,
    hash: Sha256,
}

/// Length and sha256 of a file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TableDigest {
    /// Its length.
    pub bytes: u64,
    /// Its sha256, as `sha256sum` prints it.
    pub sha256: String,
}

impl Write for Place {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Place::Direct(out) => out.write(bytes),
            Place::File(file, passed) => {
                let n = file.write(bytes)?;
                if let Some(passed) = passed {
                    passed.bytes += n as u64;
                    passed.hash.update(&bytes[..n]);
                }
                Ok(n)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Place::Direct(out) => out.flush(),
            Place::File(file, _) => file.flush(),
        }
    }
}

enum Packing {
    Plain(BufWriter<Place>),
    Gzip(Box<GzEncoder<BufWriter<Place>>>),
}

/// An output in the making.
pub(crate) struct OutFile {
    pub(crate) name: String,
    to: Packing,
}

impl OutFile {
    /// Starts an output; a file is not at `path` before it is committed. What a killed process left
    /// of the same output is removed.
    pub(crate) fn create(path: &Path, disk: &Disk) -> Result<Self, Error> {
        Self::start(path, disk, None)
    }

    /// [`OutFile::create`] of a file whose digest is needed.
    pub(crate) fn create_hashed(path: &Path, disk: &Disk) -> Result<Self, Error> {
        Self::start(path, disk, Some(Box::default()))
    }

    fn start(path: &Path, disk: &Disk, passed: Option<Box<Passed>>) -> Result<Self, Error> {
        let name = shown(path, STDOUT);
        let fail = |e| Error::io(&name, e);
        let place = match path.metadata() {
            _ if path.as_os_str() == "-" => Place::Direct(Box::new(io::stdout())),
            Ok(there) if there.is_dir() => {
                return Err(Error::file(&name, "is a directory; name a file in it"));
            }
            Ok(there) if !there.is_file() => {
                Place::Direct(Box::new(File::options().write(true).open(path).map_err(fail)?))
            }
            _ => {
                sweep_for(path);
                Place::File(disk.create(path).map_err(fail)?, passed)
            }
        };
        let buffered = BufWriter::with_capacity(1 << 16, place);
        let packed = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
        let to = if packed {
            Packing::Gzip(Box::new(GzEncoder::new(buffered, Compression::new(6))))
        } else {
            Packing::Plain(buffered)
        };
        Ok(Self { name, to })
    }

    /// Writes out what is buffered; a file becomes a part of `group`.
    pub(crate) fn finish(self, group: &mut Group) -> Result<(), Error> {
        if let (Some(file), _) = self.complete()? {
            group.add(file);
        }
        Ok(())
    }

    /// Writes out what is buffered, for [`Group::add`]; nothing but a file has a place to take.
    pub(crate) fn complete(self) -> Result<(Option<AtomicFile>, Option<TableDigest>), Error> {
        let fail = |e| Error::io(&self.name, e);
        let mut buffered = match self.to {
            Packing::Plain(out) => out,
            Packing::Gzip(out) => out.finish().map_err(fail)?,
        };
        buffered.flush().map_err(fail)?;
        let digest = |passed: Box<Passed>| {
            let Passed { bytes, hash } = *passed;
            TableDigest { bytes, sha256: hex(&hash.finalize()) }
        };
        match buffered.into_inner().map_err(|e| fail(e.into_error()))? {
            Place::File(file, passed) => Ok((Some(file), passed.map(digest))),
            Place::Direct(_) => Ok((None, None)),
        }
    }

    /// Writes or says why not.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.write_all(bytes).map_err(|e| Error::io(&self.name, e))
    }
}

impl Write for OutFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.to {
            Packing::Plain(out) => out.write(bytes),
            Packing::Gzip(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            Packing::Plain(out) => out.flush(),
            Packing::Gzip(out) => out.flush(),
        }
    }
}

/// An unnamed file in the folder of an output, for what must wait; it vanishes with the process,
/// even a killed one.
pub(crate) fn unnamed_beside(path: &Path) -> Result<File, Error> {
    let standard = path.as_os_str() == "-";
    let place = if standard { std::env::temp_dir() } else { folder(path).to_owned() };
    tempfile::tempfile_in(&place).map_err(|e| Error::io(place.display(), e))
}

/// Refuses an output that is one of the inputs, by whatever name.
pub(crate) fn refuse_input(path: &Path, inputs: &[PathBuf]) -> Result<(), Error> {
    if path.as_os_str() == "-" {
        return Ok(());
    }
    let same = |input: &PathBuf| match (identity(path), identity(input)) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    };
    if inputs.iter().any(same) {
        return Err(Error::OutputIsInput { path: path.display().to_string() });
    }
    Ok(())
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    // Devices and pipes cannot be overwritten.
    let data = path.metadata().ok().filter(|data| data.is_file() || data.is_dir())?;
    Some((data.dev(), data.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// Appends a number in decimal.
pub(crate) fn decimal(out: &mut Vec<u8>, mut number: u64) {
    // Most counts have one digit.
    if number < 10 {
        out.push(b'0' + number as u8);
        return;
    }
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// The shortest text that reads back as the same 32-bit number: networks compute in 32 bits, so
/// more digits would say nothing.
///
/// ```
/// assert_eq!(gsn_io::shortest(0.1f32.into()), "0.1");
/// assert_eq!(gsn_io::shortest(1e-9), "1e-9");
/// assert_eq!(gsn_io::shortest(-120.0), "-120");
/// ```
pub fn shortest(number: f64) -> String {
    let number = number as f32;
    match number.abs() {
        size if size == 0.0 || (1e-5..1e9).contains(&size) => number.to_string(),
        _ => format!("{number:e}"),
    }
}

/// Appends a CSV field, quoted where it must be.
pub fn csv_field(out: &mut Vec<u8>, text: &str) {
    if text.contains(['"', ',', '\n', '\r']) {
        out.push(b'"');
        out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
        out.push(b'"');
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}
