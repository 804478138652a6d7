//! Bringing the files of a set into a data folder.
//!
//! A set that the program carries is written out. Any other is fetched over HTTPS ([`Client`]),
//! file by file or as the archive of its publisher; this needs the cargo feature `fetch`.

mod client;
mod transport;

pub use client::{Check, Client, Patience, Watch};

use crate::catalogue::{Archive, Entry, FileEntry, Imported, Location, Store, carried_file};
use crate::error::{Error, Result};
use std::fs::File;
use std::path::{Path, PathBuf};

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
    /// What the program carries; for other sets the sources of the catalogue.
    Sources,
    /// An address below which every file has the path of the catalogue.
    Mirror(String),
}

/// A mirror at `url` and who speaks to it: HTTPS, or plain HTTP with this machine, where nobody can
/// listen in between.
///
/// # Errors
/// When the address is another one.
///
/// ```
/// assert!(gsn_lab::fetch::mirror("https://example.org/benchmarks").is_ok());
/// assert!(gsn_lab::fetch::mirror("http://localhost:8000").is_ok());
/// assert!(gsn_lab::fetch::mirror("http://example.org/benchmarks").is_err());
/// ```
pub fn mirror(url: &str) -> Result<(From, Client)> {
    let client = match url.split_once("://") {
        Some(("https", _)) => Client::default(),
        Some(("http", rest)) if is_this_machine(rest) => Client::local(Patience::default()),
        Some(("http", _)) => {
            let what = "a mirror on another machine is fetched from over https:// only";
            return Err(Error::file(url, what));
        }
        _ => {
            let what = "an address starts with https://, on this machine also with http://";
            return Err(Error::file(url, what));
        }
    };
    Ok((From::Mirror(url.to_owned()), client))
}

/// Whether an address, without `http://`, is one of this machine.
fn is_this_machine(rest: &str) -> bool {
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let named = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    };
    let loopback = |ip: Result<std::net::IpAddr, _>| ip.is_ok_and(|ip| ip.is_loopback());
    match named.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
        Some(six) => loopback(six.parse::<std::net::IpAddr>()),
        None => named.eq_ignore_ascii_case("localhost") || loopback(named.parse()),
    }
}

/// Brings every file of `entry` that can be had into the data folder `root`; those that are there
/// and right are left alone.
///
/// # Errors
/// When nothing serves a file the set needs (what to do instead is in the message), an archive is
/// not what `entry` says, or as [`Client::fetch`].
pub fn set(
    entry: &Entry,
    root: &Path,
    client: &Client,
    from: &From,
    watch: Watch,
) -> Result<Vec<Fetched>> {
    if let Some(imported) = Imported::at(&Location::Folder(root.to_owned()), entry)? {
        let what = format!(
            "{} holds the set as it was imported from {}; remove its folder first",
            root.display(),
            imported.from
        );
        return Err(Error::data(&entry.name, what));
    }
    let carried = *from == From::Sources && entry.is_carried();
    if *from == From::Sources && !carried {
        if let Some(archive) = &entry.archive {
            return Ok(vec![fetch_archive(entry, archive, root, client, watch)?]);
        }
        if !entry.is_served() {
            let what = entry.note.as_deref().unwrap_or("nothing serves it");
            return Err(Error::data(&entry.name, what));
        }
    }
    let mut done = Vec::new();
    for file in &entry.files {
        let (path, sha256, bytes) = match from {
            From::Sources => file.plain(),
            From::Mirror(_) => (&*file.path, &*file.sha256, file.bytes),
        };
        let url = match from {
            From::Sources => file.url(),
            From::Mirror(base) => Some(format!("{}/{}", base.trim_end_matches('/'), file.path)),
        };
        let copy = if carried { carried_file(path)? } else { None };
        let place = root.join(path);
        let present = is_present(file, root)?;
        match (copy, url) {
            _ if present => (),
            (Some(copy), _) => {
                let folder = place.parent().unwrap_or(root);
                std::fs::create_dir_all(folder)
                    .and_then(|()| gsn_io::atomic::replace(&place, &copy))
                    .map_err(|e| Error::file(&place, e))?;
            }
            (None, Some(url)) if !carried => {
                client.fetch(&url, &place, Check::Sha256 { bytes, sha256 }, watch)?;
            }
            // An optional file that is not carried or not served.
            _ => continue,
        }
        done.push(Fetched { path: place, bytes, present });
    }
    Ok(done)
}

/// Fetches the archive of a set. Its hash is not known, so it stays only if the set can be read
/// from it and has the statistics of the catalogue.
fn fetch_archive(
    entry: &Entry,
    archive: &Archive,
    root: &Path,
    client: &Client,
    watch: Watch,
) -> Result<Fetched> {
    let path = root.join(&archive.path);
    let present = path.is_file();
    if !present {
        client.fetch(&archive.url, &path, Check::AtMost { bytes: LARGEST_ARCHIVE }, watch)?;
    }
    if let Err(error) = Store::at(root).read(entry) {
        std::fs::remove_file(&path).map_err(|e| Error::file(&path, e))?;
        return Err(error);
    }
    let bytes = path.metadata().map_err(|e| Error::file(&path, e))?.len();
    Ok(Fetched { path, bytes, present })
}

/// More than any archive of the catalogue holds.
const LARGEST_ARCHIVE: u64 = 1 << 30;

/// Whether the file is there, packed or not, and right.
fn is_present(file: &FileEntry, root: &Path) -> Result<bool> {
    let (path, sha256, _) = file.plain();
    for (path, sha256) in [(&*file.path, &*file.sha256), (path, sha256)] {
        let path = root.join(path);
        if let Ok(mut there) = File::open(&path)
            && client::hash(&mut there).map_err(|e| Error::file(&path, e))? == sha256
        {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_spoken_with_this_machine_alone() {
        let mine =
            ["localhost", "LOCALHOST:80/x", "127.0.0.1:8000/data", "127.9.9.9", "[::1]:8000/"];
        assert!(mine.into_iter().all(is_this_machine));
        let others = [
            "",
            "example.org",
            "localhost.example.org/",
            "localhost@example.org",
            "localhost:80@example.org/",
            "127.0.0.1.example.org",
            "10.0.0.1",
            "0.0.0.0",
            "[::2]",
            "example.org/localhost",
        ];
        for other in others {
            assert!(!is_this_machine(other), "{other}");
        }
    }
}
