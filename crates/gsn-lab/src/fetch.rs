//! Fetching the files of a set over HTTPS: resumable, verified, atomic.
//!
//! A file grows as `name.<first digits of its sha256>.part` beside its place and is renamed only
//! when its sha256 is the catalogue's, so what has its name is right. A transfer that breaks off
//! or stalls is taken up where it ended (`Range`), a few times without a new byte at most; what
//! turns out wrong after a resumption is fetched once more from the start. What is served is
//! never trusted: length and hash are the catalogue's.

use crate::catalogue::{Entry, FileEntry};
use crate::error::{Error, Result};
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use ureq::http::header;

/// How patient a [`Client`] is.
#[derive(Debug, Clone)]
pub struct Patience {
    /// To reach the server.
    pub connect: Duration,
    /// Without a byte.
    pub stall: Duration,
    /// Attempts in a row that bring no byte.
    pub tries: u32,
    /// Before the second attempt; doubles with every further one.
    pub pause: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        let (connect, stall) = (Duration::from_secs(20), Duration::from_secs(30));
        Self { connect, stall, tries: 4, pause: Duration::from_secs(1) }
    }
}

/// What a transfer reports; answer `false` to stop it. What is there stays and is resumed later.
pub type Watch<'a> = &'a mut dyn FnMut(&str, u64, u64) -> bool;

/// Fetches files.
pub struct Client {
    agent: ureq::Agent,
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
        let agent = config(&patience).https_only(true).build().into();
        Self { agent, patience }
    }

    /// Also plain HTTP, without a proxy: for servers on this machine.
    pub fn local(patience: Patience) -> Self {
        let agent = config(&patience).proxy(None).build().into();
        Self { agent, patience }
    }

    /// Fetches `url` to `place`, which must come to have this length and sha256.
    ///
    /// # Errors
    /// When the server has no such file, it has other bytes, it cannot be reached, or the file
    /// cannot be written; [`Error::Stopped`] when `watch` says so.
    pub fn fetch(
        &self,
        url: &str,
        place: &Path,
        bytes: u64,
        sha256: &str,
        watch: Watch,
    ) -> Result<()> {
        let fail = |e: std::io::Error| Error::file(place, e);
        if let Some(folder) = place.parent() {
            std::fs::create_dir_all(folder).map_err(|e| Error::file(folder, e))?;
        }
        let part = part_of(place, sha256);
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
            let outcome = if before == bytes {
                Ok(())
            } else {
                self.attempt(url, &mut file, &part, bytes, watch)
            };
            match outcome {
                Ok(()) => {
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
                        return Err(Error::file(place, what));
                    }
                }
                Err(Broken::Final(error)) => {
                    if file.metadata().is_ok_and(|m| m.len() == 0) {
                        remove(&part);
                    }
                    return Err(error);
                }
                Err(Broken::Again(reason)) => {
                    let gained = file.metadata().map_err(fail)?.len() > before;
                    failures = if gained { 0 } else { failures + 1 };
                    if failures >= self.patience.tries {
                        let what = format!("{url}: {reason}, {failures} times in a row");
                        return Err(Error::file(place, what));
                    }
                    std::thread::sleep(
                        self.patience.pause * (1 << failures.saturating_sub(1).min(6)),
                    );
                }
            }
        }
        gsn_io::atomic::rename_synced(&file, &part, place).map_err(fail)
    }

    /// One request; appends to `file` what it brings.
    fn attempt(
        &self,
        url: &str,
        file: &mut File,
        part: &Path,
        bytes: u64,
        watch: Watch,
    ) -> std::result::Result<(), Broken> {
        let disk = |e: std::io::Error| Broken::Final(Error::file(part, e));
        let mut have = file.metadata().map_err(disk)?.len();
        if have > bytes {
            file.set_len(0).map_err(disk)?;
            have = 0;
        }
        let mut request = self.agent.get(url);
        if have > 0 {
            request = request.header(header::RANGE, format!("bytes={have}-"));
        }
        let response = request.call().map_err(|e| broken(url, e))?;
        let status = response.status().as_u16();
        let start = match status {
            200 => 0,
            206 => {
                let range = response.headers().get(header::CONTENT_RANGE);
                let start = range.and_then(|range| range_start(range.to_str().ok()?));
                if start != Some(have) {
                    file.set_len(0).map_err(disk)?;
                    return Err(Broken::Again("the server resumes at another place".into()));
                }
                have
            }
            416 => {
                file.set_len(0).map_err(disk)?;
                return Err(Broken::Again("the server cannot resume".into()));
            }
            408 | 425 | 429 | 500..=599 => {
                return Err(Broken::Again(format!("the server answers {status}")));
            }
            _ => {
                let what = format!("the server answers {status} for {url}");
                return Err(Broken::Final(Error::file(part.with_extension(""), what)));
            }
        };
        file.set_len(start).map_err(disk)?;
        file.seek(SeekFrom::Start(start)).map_err(disk)?;
        let mut have = start;
        let mut body = response.into_body().into_reader();
        let mut buffer = vec![0; 1 << 16];
        loop {
            let n = match body.read(&mut buffer) {
                Ok(0) if have < bytes => {
                    let what = format!("the transfer ends after {have} of {bytes} bytes");
                    return Err(Broken::Again(what));
                }
                Ok(0) => return Ok(()),
                Ok(n) => n,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(e) => {
                    let what =
                        format!("the transfer breaks off after {have} of {bytes} bytes ({e})");
                    return Err(Broken::Again(what));
                }
            };
            have += n as u64;
            if have > bytes {
                file.set_len(0).map_err(disk)?;
                let what = format!("{url} serves more than the {bytes} bytes of the catalogue");
                return Err(Broken::Final(Error::file(part.with_extension(""), what)));
            }
            file.write_all(&buffer[..n]).map_err(disk)?;
            if !watch(url, have, bytes) {
                return Err(Broken::Final(Error::Stopped));
            }
        }
    }
}

fn config(patience: &Patience) -> ureq::config::ConfigBuilder<ureq::typestate::AgentScope> {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(8)
        .timeout_resolve(Some(patience.connect))
        .timeout_connect(Some(patience.connect))
        .timeout_recv_response(Some(patience.stall))
        .timeout_per_read(Some(patience.stall))
        .user_agent(concat!("gsn/", env!("CARGO_PKG_VERSION")))
}

/// Why an attempt failed: for good, or worth another.
enum Broken {
    Final(Error),
    Again(String),
}

fn broken(url: &str, error: ureq::Error) -> Broken {
    use ureq::Error::{
        BadUri, InvalidProxyUrl, RedirectFailed, RequireHttpsOnly, TooManyRedirects,
    };
    match error {
        BadUri(_) | InvalidProxyUrl | RedirectFailed | RequireHttpsOnly(_) | TooManyRedirects => {
            Broken::Final(Error::file(url, error))
        }
        _ => Broken::Again(error.to_string()),
    }
}

/// The first byte of `bytes 10-99/100`.
fn range_start(text: &str) -> Option<u64> {
    text.trim().strip_prefix("bytes")?.trim_start().split('-').next()?.parse().ok()
}

fn part_of(place: &Path, sha256: &str) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(format!(".{}.part", &sha256[..sha256.len().min(12)]));
    name.into()
}

/// Takes an empty part away; that it stays would be no harm.
fn remove(part: &Path) {
    let _ = std::fs::remove_file(part);
}

fn hash(file: &mut File) -> std::io::Result<String> {
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

/// What [`set`] did about one file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Fetched {
    /// Where it is.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// Whether it was there already.
    pub present: bool,
}

/// Where files come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum From {
    /// The repositories of the catalogue.
    Sources,
    /// An address below which every file has the path of the catalogue.
    Mirror(String),
}

/// Fetches every file of `entry` that is served into the data folder `root`; those that are there
/// and right are left alone.
///
/// # Errors
/// When nothing serves a file the set needs (what to do instead is in the message), or as
/// [`Client::fetch`].
pub fn set(
    entry: &Entry,
    root: &Path,
    client: &Client,
    from: &From,
    watch: Watch,
) -> Result<Vec<Fetched>> {
    if *from == From::Sources && !entry.is_served() {
        let what = entry.instead.as_deref().unwrap_or("nothing serves it");
        return Err(Error::data(&entry.name, what));
    }
    let mut done = Vec::new();
    for file in &entry.files {
        let (url, (path, sha256, bytes)) = match from {
            From::Sources => match file.url() {
                Some(url) => (url, file.plain()),
                None => continue,
            },
            From::Mirror(base) => {
                let url = format!("{}/{}", base.trim_end_matches('/'), file.path);
                (url, (&*file.path, &*file.sha256, file.bytes))
            }
        };
        let path = root.join(path);
        let present = is_present(file, root)?;
        if !present {
            client.fetch(&url, &path, bytes, sha256, watch)?;
        }
        done.push(Fetched { path, bytes, present });
    }
    Ok(done)
}

/// Whether the file is there, packed or not, and right.
fn is_present(file: &FileEntry, root: &Path) -> Result<bool> {
    let (path, sha256, _) = file.plain();
    for (path, sha256) in [(&*file.path, &*file.sha256), (path, sha256)] {
        let path = root.join(path);
        if let Ok(mut there) = File::open(&path)
            && hash(&mut there).map_err(|e| Error::file(&path, e))? == sha256
        {
            return Ok(true);
        }
    }
    Ok(false)
}
