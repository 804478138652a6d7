//! Helpers shared by the tests: temporary files, reading everything.
#![allow(dead_code)] // every test file uses another part

use gsn_io::{Error, GraphRecord, GraphSource, ReadOptions, Rejected, Row};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A temporary folder with one file in it.
pub(crate) fn file(name: &str, contents: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, contents).unwrap();
    (dir, path)
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// All rows of an input.
pub(crate) fn read(
    path: &Path,
    options: &ReadOptions,
) -> Result<(Vec<GraphRecord>, Vec<Rejected>), Error> {
    let (mut records, mut rejected) = (Vec::new(), Vec::new());
    for row in GraphSource::open(path, options)? {
        match row? {
            Row::Graph(record) => records.push(record),
            Row::Rejected(bad) => rejected.push(bad),
        }
    }
    Ok((records, rejected))
}

/// All rows of a small text.
pub(crate) fn read_text(
    name: &str,
    contents: impl AsRef<[u8]>,
) -> Result<(Vec<GraphRecord>, Vec<Rejected>), Error> {
    let (_dir, path) = file(name, contents);
    read(&path, &ReadOptions::default())
}

/// The error of reading a small text to its end.
pub(crate) fn error(name: &str, contents: impl AsRef<[u8]>) -> String {
    match read_text(name, contents) {
        Ok((records, rejected)) => {
            panic!("{name}: {} graphs, {} rejected, no error", records.len(), rejected.len())
        }
        Err(e) => e.to_string(),
    }
}
