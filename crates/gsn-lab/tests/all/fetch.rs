//! Fetching from a server on this machine that misbehaves in every way we know.
#![cfg(feature = "fetch")]

use gsn_lab::catalogue::{Entry, Statistics, Store, find};
use gsn_lab::fetch::{self, Check, Client, Fetched, From, Patience};
use gsn_lab::{Error, Splits};
use sha2::{Digest, Sha256};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// One request as the server saw it: path and first byte asked for.
type Seen = Arc<Mutex<Vec<(String, Option<u64>)>>>;

/// A server that answers request after request by `answer`, on a thread that ends with the test.
struct Server {
    url: String,
    seen: Seen,
}

impl Server {
    fn new(answer: impl Fn(usize, &str, Option<u64>, &mut TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Seen::default();
        let log = seen.clone();
        std::thread::spawn(move || {
            for (n, stream) in listener.incoming().enumerate() {
                let mut stream = stream.unwrap();
                let (path, from) = request(&stream);
                log.lock().unwrap().push((path.clone(), from));
                answer(n, &path, from, &mut stream);
            }
        });
        Self { url, seen }
    }

    fn seen(&self) -> Vec<(String, Option<u64>)> {
        self.seen.lock().unwrap().clone()
    }
}

fn request(stream: &TcpStream) -> (String, Option<u64>) {
    let mut lines = BufReader::new(stream).lines().map(|line| line.unwrap_or_default());
    let first = lines.next().unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut from = None;
    for line in lines.take_while(|line| !line.is_empty()) {
        let line = line.to_ascii_lowercase();
        if let Some(range) = line.strip_prefix("range: bytes=") {
            from = range.strip_suffix('-').and_then(|start| start.parse().ok());
        }
    }
    (path, from)
}

/// Writes what it can; a client that closes the connection is not a failure of the server.
fn say(stream: &mut TcpStream, text: impl AsRef<[u8]>) {
    let _ = stream.write_all(text.as_ref()).and_then(|()| stream.flush());
}

fn head(status: &str, length: usize, more: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{more}\r\n")
}

/// The whole of `data`, or the rest behind `from`.
fn serve(stream: &mut TcpStream, data: &[u8], from: Option<u64>) {
    match from {
        None => {
            say(stream, head("200 OK", data.len(), ""));
            say(stream, data);
        }
        Some(from) => {
            let range =
                format!("content-range: bytes {from}-{}/{}\r\n", data.len() - 1, data.len());
            let rest = &data[from as usize..];
            say(stream, head("206 Partial Content", rest.len(), &range));
            say(stream, rest);
        }
    }
}

fn data() -> Vec<u8> {
    (0..300_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn client() -> Client {
    Client::local(Patience {
        connect: Duration::from_secs(5),
        stall: Duration::from_millis(300),
        tries: 3,
        pause: Duration::from_millis(5),
    })
}

struct Case {
    _folder: tempfile::TempDir,
    place: PathBuf,
}

impl Case {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("deep/down/file.bin");
        Self { _folder: folder, place }
    }

    fn fetch(&self, server: &Server, path: &str) -> Result<(), Error> {
        self.fetch_watched(server, path, &mut |_, _, _| true)
    }

    fn fetch_watched(
        &self,
        server: &Server,
        path: &str,
        watch: &mut dyn FnMut(&str, u64, Option<u64>) -> bool,
    ) -> Result<(), Error> {
        let (data, url) = (data(), format!("{}{path}", server.url));
        let check = Check::Sha256 { bytes: data.len() as u64, sha256: &sha256(&data) };
        client().fetch(&url, &self.place, check, watch)
    }

    /// What lies in the folder of the file.
    fn files(&self) -> Vec<String> {
        let Ok(files) = std::fs::read_dir(self.place.parent().unwrap()) else { return Vec::new() };
        files.map(|f| f.unwrap().file_name().into_string().unwrap()).collect()
    }

    fn is_right(&self) -> bool {
        std::fs::read(&self.place).unwrap() == data() && self.files() == ["file.bin"]
    }
}

#[test]
fn a_good_server_needs_one_request() {
    let server = Server::new(|_, _, from, stream| serve(stream, &data(), from));
    let case = Case::new();
    let mut last = 0;
    let mut watch = |_: &str, have: u64, all: Option<u64>| {
        assert!(have > last && all == Some(300_000));
        last = have;
        true
    };
    case.fetch_watched(&server, "/file", &mut watch).unwrap();
    assert!(case.is_right());
    assert_eq!(last, 300_000);
    assert_eq!(server.seen(), [("/file".to_owned(), None)]);
}

#[test]
fn a_truncated_transfer_is_taken_up_where_it_ended() {
    // Every answer promises the rest and ends after 100,000 bytes of it.
    let server = Server::new(|_, _, from, stream| {
        let (data, start) = (data(), from.unwrap_or(0) as usize);
        let (status, range) = match from {
            None => ("200 OK", String::new()),
            Some(_) => {
                ("206 Partial Content", format!("content-range: bytes {start}-299999/300000\r\n"))
            }
        };
        say(stream, head(status, data.len() - start, &range));
        say(stream, &data[start..data.len().min(start + 100_000)]);
    });
    let case = Case::new();
    case.fetch(&server, "/file").unwrap();
    assert!(case.is_right());
    let starts: Vec<_> = server.seen().into_iter().map(|(_, from)| from).collect();
    assert_eq!(starts.first(), Some(&None));
    assert!(starts.len() >= 3 && starts[1..].iter().all(|from| from.is_some()), "{starts:?}");
}

#[test]
fn a_server_that_stalls_is_left_and_asked_again() {
    let server = Server::new(|n, _, from, stream| {
        if n == 0 {
            say(stream, head("200 OK", 300_000, ""));
            say(stream, &data()[..50_000]);
            std::thread::sleep(Duration::from_millis(900));
        } else {
            serve(stream, &data(), from);
        }
    });
    let case = Case::new();
    case.fetch(&server, "/file").unwrap();
    assert!(case.is_right());
    assert_eq!(server.seen()[1].1, Some(50_000));
}

#[test]
fn a_server_that_never_answers_is_given_up_and_nothing_is_left() {
    let server = Server::new(|_, _, _, stream| {
        let stream = stream.try_clone().unwrap();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(3));
            drop(stream);
        });
    });
    let case = Case::new();
    let message = case.fetch(&server, "/file").unwrap_err().to_string();
    assert!(message.contains("3 times in a row"), "{message}");
    assert!(!case.place.exists());
}

#[test]
fn redirects_are_followed_and_endless_ones_are_not() {
    let server = Server::new(|_, path, from, stream| match path {
        "/old" => say(stream, head("302 Found", 0, "location: /new\r\n")),
        "/round" => say(stream, head("301 Moved Permanently", 0, "location: /round\r\n")),
        _ => serve(stream, &data(), from),
    });
    let case = Case::new();
    case.fetch(&server, "/old").unwrap();
    assert!(case.is_right());
    let case = Case::new();
    assert!(case.fetch(&server, "/round").is_err());
    assert!(case.files().is_empty(), "{:?}", case.files());
}

#[test]
fn a_missing_file_is_said_at_once() {
    let server = Server::new(|_, _, _, stream| {
        say(stream, head("404 Not Found", 9, ""));
        say(stream, "not found");
    });
    let case = Case::new();
    let message = case.fetch(&server, "/gone").unwrap_err().to_string();
    assert!(message.contains("answers 404") && message.contains("/gone"), "{message}");
    assert!(case.files().is_empty(), "{:?}", case.files());
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn a_busy_server_is_asked_again() {
    let server = Server::new(|n, _, from, stream| match n {
        0 => say(stream, head("503 Service Unavailable", 0, "")),
        1 => say(stream, head("429 Too Many Requests", 0, "")),
        _ => serve(stream, &data(), from),
    });
    let case = Case::new();
    case.fetch(&server, "/file").unwrap();
    assert!(case.is_right());
}

#[test]
fn wrong_bytes_never_get_the_name() {
    let server = Server::new(|_, path, from, stream| {
        let mut data = data();
        match path {
            "/long" => data.extend([0; 70_000]),
            _ => data[123_456] ^= 1,
        }
        serve(stream, &data, from);
    });
    for (path, says) in [("/flipped", "serves other bytes"), ("/long", "serves more than")] {
        let case = Case::new();
        let message = case.fetch(&server, path).unwrap_err().to_string();
        assert!(message.contains(says), "{message}");
        assert!(case.files().is_empty(), "{:?}", case.files());
    }
}

#[test]
fn a_stopped_transfer_is_resumed_by_the_next() {
    let server = Server::new(|_, _, from, stream| serve(stream, &data(), from));
    let case = Case::new();
    let stopped = case.fetch_watched(&server, "/file", &mut |_, have, _| have < 100_000);
    assert!(matches!(stopped, Err(Error::Stopped)));
    assert!(!case.place.exists());
    case.fetch(&server, "/file").unwrap();
    assert!(case.is_right());
    assert!(server.seen()[1].1.is_some_and(|from| from >= 100_000));
}

#[test]
fn a_damaged_beginning_is_noticed_and_fetched_again() {
    let server = Server::new(|_, _, from, stream| serve(stream, &data(), from));
    let case = Case::new();
    let _ = case.fetch_watched(&server, "/file", &mut |_, have, _| have < 100_000);
    let part = part(&case.place);
    let mut bytes = std::fs::read(&part).unwrap();
    bytes[7] ^= 0x40;
    std::fs::write(&part, bytes).unwrap();
    case.fetch(&server, "/file").unwrap();
    assert!(case.is_right());
    let starts: Vec<bool> = server.seen().into_iter().map(|(_, from)| from.is_some()).collect();
    assert_eq!(starts, [false, true, false]);
}

#[test]
fn a_server_that_cannot_resume_starts_over() {
    // 416 once, then a resumption at the wrong place, then the whole.
    let server = Server::new(|n, _, from, stream| match n {
        0 => serve(stream, &data(), None),
        1 => say(stream, head("416 Range Not Satisfiable", 0, "")),
        2 => {
            say(stream, head("200 OK", 300_000, ""));
            say(stream, &data()[..60_000]);
        }
        3 => {
            say(stream, head("206 Partial Content", 1, "content-range: bytes 5-5/300000\r\n"));
            say(stream, [0]);
        }
        _ => serve(stream, &data(), from.map(|_| 0).filter(|_| false)),
    });
    let case = Case::new();
    let _ = case.fetch_watched(&server, "/file", &mut |_, have, _| have < 100_000);
    case.fetch(&server, "/file").unwrap();
    assert!(case.is_right());
    assert!(server.seen().len() >= 5);
}

#[test]
fn two_at_once_do_not_mix() {
    let server = Server::new(|_, _, from, stream| serve(stream, &data(), from));
    let case = Case::new();
    let mut inner = None;
    let mut watch = |_: &str, _: u64, _: Option<u64>| {
        inner.get_or_insert_with(|| case.fetch(&server, "/file").unwrap_err().to_string());
        true
    };
    case.fetch_watched(&server, "/file", &mut watch).unwrap();
    assert!(inner.unwrap().contains("another process"));
    assert!(case.is_right());
}

#[test]
fn only_https_is_fetched_by_default() {
    let server = Server::new(|_, _, from, stream| serve(stream, &data(), from));
    let case = Case::new();
    let url = format!("{}/file", server.url);
    let check = Check::Sha256 { bytes: 1, sha256: &sha256(b"x") };
    let done = Client::default().fetch(&url, &case.place, check, &mut |_, _, _| true);
    assert!(done.is_err() && server.seen().is_empty());
}

/// An archive of the structure that OGB serves: ethanol and formaldehyde.
fn archive() -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in [
        ("mapping/mol", "HIV_active,smiles,mol_id\n0,CCO,a\n1,C=O,b\n"),
        ("raw/num-node-list", "3\n2\n"),
        ("raw/num-edge-list", "2\n1\n"),
        ("raw/graph-label", "0\n1\n"),
        (
            "raw/node-feat",
            "5,0,4,5,3,0,2,0,0\n5,0,4,5,2,0,2,0,0\n7,0,2,5,1,0,2,0,0\n5,0,3,5,2,0,1,0,0\n7,0,1,5,0,0,1,0,0\n",
        ),
        ("raw/edge", "0,1\n1,2\n0,1\n"),
        ("raw/edge-feat", "0,0,0\n0,0,0\n1,0,0\n"),
        ("split/scaffold/train", "1\n"),
        ("split/scaffold/valid", ""),
        ("split/scaffold/test", "0\n"),
    ] {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(format!("hiv/{name}.csv.gz"), options).unwrap();
        let mut packed = flate2::write::GzEncoder::new(&mut zip, flate2::Compression::default());
        packed.write_all(text.as_bytes()).unwrap();
        packed.finish().unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The entry of ogbg-molhiv, with two molecules and another server.
fn two_molecules(server: &Server, positives: u64) -> Entry {
    let mut entry = find("ogbg-molhiv").unwrap().clone();
    entry.archive.as_mut().unwrap().url = format!("{}/hiv.zip", server.url);
    entry.statistics = Statistics {
        graphs: 2,
        vertices: 5,
        edges: 3,
        positives: Some(positives),
        split: vec![1, 0, 1],
        ..entry.statistics
    };
    entry
}

fn fetch_set(entry: &Entry, root: &Path) -> Result<Vec<Fetched>, Error> {
    fetch::set(entry, root, &client(), &From::Sources, &mut |_, _, _| true)
}

#[test]
fn the_archive_of_a_set_is_fetched_and_read() {
    // The first answer breaks off.
    let server = Server::new(|n, _, from, stream| {
        let data = archive();
        if n == 0 {
            say(stream, head("200 OK", data.len(), ""));
            say(stream, &data[..data.len() / 2]);
        } else {
            serve(stream, &data, from);
        }
    });
    let (folder, entry) = (tempfile::tempdir().unwrap(), two_molecules(&server, 1));
    let done = fetch_set(&entry, folder.path()).unwrap();
    let path = folder.path().join("ogbg-molhiv/hiv.zip");
    assert_eq!((&done[0].path, done[0].bytes), (&path, archive().len() as u64));
    assert_eq!(std::fs::read(&path).unwrap(), archive());
    assert_eq!(server.seen()[1].1, Some(archive().len() as u64 / 2));
    let set = Store::at(folder.path()).read(&entry).unwrap();
    assert_eq!(set.samples[1].targets, [1.0]);
    assert_eq!(set.samples[0].graph.vertex_labels().unwrap(), [6, 6, 8]);
    assert_eq!(set.samples[1].graph.arc_labels().unwrap(), [2, 2]);
    let Splits::Fixed(fold) = &set.splits else { panic!() };
    assert_eq!((&fold.train[..], &fold.test[..]), (&[1][..], &[0][..]));
    assert!(fetch_set(&entry, folder.path()).unwrap()[0].present);
    assert_eq!(server.seen().len(), 2);
}

#[test]
fn an_archive_that_is_not_the_set_is_refused_and_removed() {
    let server = Server::new(|n, _, _, stream| {
        // No length at all, as of a server that makes the answer while it sends it.
        say(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n");
        say(stream, if n == 0 { archive() } else { data() });
    });
    let folder = tempfile::tempdir().unwrap();
    for says in ["positives: 1 found, 2 in the catalogue", "is not OGB's archive"] {
        let refused = fetch_set(&two_molecules(&server, 2), folder.path()).unwrap_err();
        assert!(refused.to_string().contains(says), "{refused}");
        assert_eq!(std::fs::read_dir(folder.path().join("ogbg-molhiv")).unwrap().count(), 0);
    }
}

fn part(place: &Path) -> PathBuf {
    let folder = std::fs::read_dir(place.parent().unwrap()).unwrap();
    let paths = folder.map(|file| file.unwrap().path());
    paths.into_iter().find(|path| path.extension().is_some_and(|e| e == "part")).unwrap()
}
