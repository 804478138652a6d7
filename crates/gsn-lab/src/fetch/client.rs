//! Fetching one file: resumable, verified, atomic.
//!
//! A file grows beside its final path, with the ending `.part`, and is renamed only when its
//! sha256 is the catalogue's, so that a file with its final name is right. A transfer that breaks
//! off or stalls is resumed where it ended (`Range`), a few times without a new byte at most; what
//! turns out wrong after a resumption is fetched once more from the start. The server is never
//! trusted: length and hash are the catalogue's.

use super::transport::{Broken, Transport};
use crate::error::{Error, Result};
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a [`Client`] waits, and how often it tries again.
#[derive(Debug, Clone)]
pub struct Patience {
    /// Time to reach the server. Default: 20 seconds.
    pub connect: Duration,
    /// Time without a byte after which a transfer is given up. Default: 30 seconds.
    pub stall: Duration,
    /// Attempts in a row that bring no byte. Default: 4.
    pub tries: u32,
    /// Pause before the second attempt; doubles with every further one. Default: 1 second.
    pub pause: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        let (connect, stall) = (Duration::from_secs(20), Duration::from_secs(30));
        Self { connect, stall, tries: 4, pause: Duration::from_secs(1) }
    }
}

/// Is told the address, the bytes that are there and the bytes in all, if they are known; answers
/// `false` to stop the transfer. What is there stays and is resumed by the next.
pub type Watch<'a> = &'a mut dyn FnMut(&str, u64, Option<u64>) -> bool;

/// What a fetched file must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check<'a> {
    /// It must have this length and this sha256.
    Sha256 {
        /// Its length.
        bytes: u64,
        /// Its sha256 in hexadecimal.
        sha256: &'a str,
    },
    /// Nothing is known but a bound on its length.
    AtMost {
        /// The bound.
        bytes: u64,
    },
}

/// Fetches files.
pub struct Client {
    transport: Transport,
    patience: Patience,
}

impl Default for Client {
    fn default() -> Self {
        Self::new(Patience::default())
    }
}

impl Client {
    /// HTTPS only, by the proxy of the environment if there is one.
    pub fn new(patience: Patience) -> Self {
        Self { transport: Transport::new(&patience, true), patience }
    }

    /// Also plain HTTP, without a proxy: for servers on this machine.
    pub fn local(patience: Patience) -> Self {
        Self { transport: Transport::new(&patience, false), patience }
    }

    /// Fetches `url` to `path`.
    ///
    /// # Errors
    /// When the server has no such file, it has other bytes than `check` says, it cannot be
    /// reached, the file cannot be written, or the program was built without the cargo feature
    /// `fetch`; [`Error::Stopped`] when `watch` says so.
    pub fn fetch(&self, url: &str, path: &Path, check: Check, watch: Watch) -> Result<()> {
        let fail = |e: std::io::Error| Error::file(path, e);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|e| Error::file(folder, e))?;
        }
        let part = part_of(path, check);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&part)
            .map_err(|e| Error::file(&part, e))?;
        if file.try_lock().is_err() {
            return Err(Error::file(&part, "is being fetched by another process"));
        }
        let mut failures = 0;
        loop {
            let before = file.metadata().map_err(fail)?.len();
            let outcome = match check {
                Check::Sha256 { bytes, .. } if before == bytes => Ok(()),
                _ => self.attempt(url, &mut file, path, check, watch),
            };
            match (outcome, check) {
                (Ok(()), Check::AtMost { .. }) => break,
                (Ok(()), Check::Sha256 { sha256, .. }) => {
                    let found = hash(&mut file).map_err(fail)?;
                    if found == sha256 {
                        break;
                    }
                    file.set_len(0).map_err(fail)?;
                    if before == 0 {
                        remove(&part);
                        let what = format!(
                            "{url} serves other bytes: sha256 {found}, but the catalogue says {sha256}"
                        );
                        return Err(Error::file(path, what));
                    }
                }
                (Err(Broken::Final(error)), _) => {
                    if file.metadata().is_ok_and(|m| m.len() == 0) {
                        remove(&part);
                    }
                    return Err(error);
                }
                (Err(Broken::Again(reason)), _) => {
                    let gained = file.metadata().map_err(fail)?.len() > before;
                    failures = if gained { 0 } else { failures + 1 };
                    if failures >= self.patience.tries {
                        let what = format!("{url}: {reason}, {failures} times in a row");
                        return Err(Error::file(path, what));
                    }
                    std::thread::sleep(
                        self.patience.pause * (1 << failures.saturating_sub(1).min(6)),
                    );
                }
            }
        }
        gsn_io::atomic::rename_synced(&file, &part, path).map_err(fail)
    }

    /// One request; appends to `file` what it brings.
    fn attempt(
        &self,
        url: &str,
        file: &mut File,
        path: &Path,
        check: Check,
        watch: Watch,
    ) -> Result<(), Broken> {
        let disk = |e: std::io::Error| Broken::Final(Error::file(path, e));
        let (Check::Sha256 { bytes: limit, .. } | Check::AtMost { bytes: limit }) = check;
        let mut have = file.metadata().map_err(disk)?.len();
        if have > limit {
            file.set_len(0).map_err(disk)?;
            have = 0;
        }
        let mut answer = self.transport.get(url, have)?;
        match answer.status {
            200 => have = 0,
            206 if answer.start == Some(have) => (),
            206 => {
                file.set_len(0).map_err(disk)?;
                return Err(Broken::Again("the server resumes at another byte".into()));
            }
            416 => {
                file.set_len(0).map_err(disk)?;
                return Err(Broken::Again("the server cannot resume".into()));
            }
            status @ (408 | 425 | 429 | 500..=599) => {
                return Err(Broken::Again(format!("the server answers {status}")));
            }
            status => {
                let what = format!("the server answers {status} for {url}");
                return Err(Broken::Final(Error::file(path, what)));
            }
        }
        let total = match check {
            Check::Sha256 { bytes, .. } => Some(bytes),
            Check::AtMost { .. } => answer.length.map(|rest| have + rest),
        };
        let of_all = total.map_or_else(String::new, |total| format!(" of {total}"));
        file.set_len(have).map_err(disk)?;
        file.seek(SeekFrom::Start(have)).map_err(disk)?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            let n = match answer.body.read(&mut buffer) {
                Ok(0) if total.is_some_and(|total| have < total) => {
                    let what = format!("the transfer ends after {have}{of_all} bytes");
                    return Err(Broken::Again(what));
                }
                Ok(0) => return Ok(()),
                Ok(n) => n,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(e) => {
                    let what = format!("the transfer breaks off after {have}{of_all} bytes ({e})");
                    return Err(Broken::Again(what));
                }
            };
            have += n as u64;
            if have > limit {
                file.set_len(0).map_err(disk)?;
                let what = format!("{url} serves more than the {limit} bytes of the catalogue");
                return Err(Broken::Final(Error::file(path, what)));
            }
            file.write_all(&buffer[..n]).map_err(disk)?;
            if !watch(url, have, total) {
                return Err(Broken::Final(Error::Stopped));
            }
        }
    }
}

fn part_of(path: &Path, check: Check) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    if let Check::Sha256 { sha256, .. } = check {
        // A part of another version of the file must not be resumed.
        name.push(format!(".{}", &sha256[..sha256.len().min(12)]));
    }
    name.push(".part");
    name.into()
}

/// Takes an empty part away; that it stays would be no harm.
fn remove(part: &Path) {
    let _ = std::fs::remove_file(part);
}

/// The sha256 of a whole file.
pub(super) fn hash(file: &mut File) -> std::io::Result<String> {
    file.seek(SeekFrom::Start(0))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(crate::catalogue::hex(&hash.finalize())),
            n => hash.update(&buffer[..n]),
        }
    }
}
