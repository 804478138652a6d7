//! Opening inputs: standard input, gzip, byte-order marks, line ends, and the hash of the bytes.
//!
//! The sha256 is that of the file as it lies on disk and is taken while the bytes pass by.

use crate::error::{Error, shown};
use crate::guard::GuardedRead;
use crate::metered::{Metered, SinceRows};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of one line that are held in memory at most.
const LONGEST_LINE: usize = 1 << 30;
const BUFFER: usize = 1 << 16;

/// What is known of the bytes that have passed.
struct Passed {
    hash: Sha256,
    bytes: u64,
    ended: bool,
}

/// Hashes what is read through it, and notices when a file ends before the length it had when it
/// was opened.
struct Hashing<R> {
    inner: R,
    length: Option<u64>,
    passed: Arc<Mutex<Passed>>,
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        let mut passed = self.passed.lock().unwrap_or_else(PoisonError::into_inner);
        passed.hash.update(&buffer[..n]);
        passed.bytes += n as u64;
        let ended = n == 0 && !buffer.is_empty();
        if let Some(length) = self.length.filter(|length| ended && passed.bytes < *length) {
            let what = format!("was cut to {} of {length} bytes while it was read", passed.bytes);
            return Err(io::Error::other(what));
        }
        passed.ended |= ended;
        Ok(n)
    }
}

/// One file of an input and where its hash comes from.
pub(crate) struct HashOf {
    path: PathBuf,
    /// Whether `path` is a file that can be read again, not standard input or bytes in memory.
    on_disk: bool,
    passed: Option<Arc<Mutex<Passed>>>,
    since_rows: SinceRows,
}

impl HashOf {
    /// A file that is not read front to back; it is hashed by reading it once more.
    pub(crate) fn file(path: &Path) -> Self {
        let since_rows = SinceRows::default();
        Self { path: path.to_owned(), on_disk: true, passed: None, since_rows }
    }

    /// Hash and length of the whole file.
    pub(crate) fn take(&self) -> Result<(String, u64), Error> {
        if let Some(passed) = &self.passed {
            let passed = passed.lock().unwrap_or_else(PoisonError::into_inner);
            if passed.ended {
                return Ok((hex(&passed.hash.clone().finalize()), passed.bytes));
            }
            if !self.on_disk {
                let name = shown(&self.path, STDIN);
                return Err(Error::file(name, "not read to its end, so it has no hash yet"));
            }
        }
        let path = self.path.display();
        let mut file = File::open(&self.path).map_err(|e| Error::io(&path, e))?;
        let mut hash = Sha256::new();
        let mut buffer = vec![0; BUFFER];
        let mut bytes = 0;
        loop {
            let n = file.read(&mut buffer).map_err(|e| Error::io(&path, e))?;
            if n == 0 {
                return Ok((hex(&hash.finalize()), bytes));
            }
            hash.update(&buffer[..n]);
            bytes += n as u64;
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What was read of the file so far has become rows.
    pub(crate) fn rows_are_complete(&self) {
        self.since_rows.reset();
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) const STDIN: &str = "standard input";

/// Decompressed bytes of one file.
pub(crate) type Bytes = Box<dyn BufRead + Send>;

/// An open file, unpacked when it is gzip.
pub(crate) struct Input {
    /// How messages call it.
    pub(crate) name: String,
    /// The first unpacked bytes, still to come in `bytes`.
    pub(crate) head: Vec<u8>,
    /// The unpacked bytes; a byte-order mark is gone.
    pub(crate) bytes: Bytes,
    /// The hash of the file as it is.
    pub(crate) hash: HashOf,
    /// Whether it was gzip.
    pub(crate) gzip: bool,
    /// Number of bytes, where it is known before they are read.
    pub(crate) length: Option<u64>,
}

impl Input {
    /// Opens `path`; `-` is standard input.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let name = shown(path, STDIN);
        let fail = |e| Error::io(&name, e);
        if path.as_os_str() == "-" {
            return Self::from_bytes(path, Box::new(io::stdin()));
        }
        let file = File::open(path).map_err(fail)?;
        let data = file.metadata().map_err(fail)?;
        if data.is_dir() {
            return Err(Error::file(&name, "is a directory, but a file is needed here"));
        }
        let length = data.is_file().then_some(data.len());
        let mut input = Self::new(path, Box::new(file), true, length)?;
        input.length = length.filter(|_| !input.gzip);
        Ok(input)
    }

    /// Bytes that do not come from a file, but that messages call `path`.
    pub(crate) fn from_bytes(path: &Path, raw: Box<dyn Read + Send>) -> Result<Self, Error> {
        Self::new(path, raw, false, None)
    }

    fn new(
        path: &Path,
        raw: Box<dyn Read + Send>,
        on_disk: bool,
        length: Option<u64>,
    ) -> Result<Self, Error> {
        let name = shown(path, STDIN);
        let fail = |e| Error::io(&name, e);
        let passed = Arc::new(Mutex::new(Passed { hash: Sha256::new(), bytes: 0, ended: false }));
        let hashed = Some(passed.clone());
        let raw = BufReader::with_capacity(BUFFER, Hashing { inner: raw, length, passed });
        let (head, raw) = peek(raw).map_err(fail)?;
        let gzip = head.starts_with(&[0x1f, 0x8b]);
        let (mut head, mut bytes) = (head, raw);
        if gzip {
            let unpacked = GuardedRead::new(flate2::bufread::MultiGzDecoder::new(bytes));
            (head, bytes) = peek(BufReader::with_capacity(BUFFER, unpacked))
                .map_err(|e| unpack_error(&name, e))?;
        }
        if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
            return Err(Error::file(&name, "is UTF-16 text; save it as UTF-8"));
        }
        if head.starts_with(b"\xef\xbb\xbf") {
            bytes.consume(3);
            head.drain(..3);
        }
        let (bytes, since_rows) = Metered::new(bytes);
        let hash = HashOf { path: path.to_owned(), on_disk, passed: hashed, since_rows };
        Ok(Self { name, head, bytes: Box::new(bytes), hash, gzip, length: None })
    }

    pub(crate) fn lines(self) -> (Lines, HashOf) {
        let lines = Lines {
            name: self.name,
            bytes: self.bytes,
            number: 0,
            length: self.length,
            after_return: false,
            tail: Vec::new(),
        };
        (lines, self.hash)
    }

    /// The bytes in a file that can be searched: the file itself, or an unpacked copy that
    /// disappears with its handle.
    pub(crate) fn into_seekable(mut self) -> Result<(File, HashOf), Error> {
        let path = self.hash.path.clone();
        if !self.gzip && self.hash.on_disk && path.metadata().is_ok_and(|m| m.is_file()) {
            let file = File::open(&path).map_err(|e| Error::io(&self.name, e))?;
            return Ok((file, HashOf::file(&path)));
        }
        let mut copy = tempfile::tempfile().map_err(|e| Error::io("a temporary file", e))?;
        io::copy(&mut self.bytes, &mut copy).map_err(|e| unpack_error(&self.name, e))?;
        io::Seek::rewind(&mut copy).map_err(|e| Error::io("a temporary file", e))?;
        Ok((copy, self.hash))
    }
}

/// The first bytes, and a reader that still gives them. A single read of a pipe may give less
/// than a magic number, so this reads until it has enough.
fn peek(mut bytes: impl BufRead + Send + 'static) -> io::Result<(Vec<u8>, Bytes)> {
    let mut head = Vec::new();
    (&mut bytes).take(1 << 12).read_to_end(&mut head)?;
    Ok((head.clone(), Box::new(io::Cursor::new(head).chain(bytes))))
}

pub(crate) fn unpack_error(name: &str, error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            Error::file(name, "the compressed data end too early; fetch the file again")
        }
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            Error::file(name, format!("the compressed data are damaged ({error})"))
        }
        _ => Error::io(name, error),
    }
}

/// Lines that end in `\n`, `\r\n` or `\r`, in any mixture.
pub(crate) struct Lines {
    pub(crate) name: String,
    bytes: Bytes,
    /// The line read last, from 1.
    pub(crate) number: u64,
    /// Bytes of the whole file, where that is known.
    pub(crate) length: Option<u64>,
    after_return: bool,
    /// The beginning of a line whose end is not in the blocks so far.
    tail: Vec<u8>,
}

/// Why there is no next block of lines.
pub(crate) enum NoBlock {
    /// Reading failed.
    Failed(io::Error),
    /// The line after the last one is too long.
    LongLine,
}

impl NoBlock {
    /// The error, when all lines before it are counted.
    pub(crate) fn at(self, lines: &Lines) -> Error {
        match self {
            NoBlock::Failed(error) => unpack_error(&lines.name, error),
            NoBlock::LongLine => {
                let reason = format!("longer than {LONGEST_LINE} bytes");
                Error::line(&lines.name, lines.number + 1, reason)
            }
        }
    }
}

impl Lines {
    /// The next whole lines, some `size` bytes of them, in the memory of `block`; nothing at the
    /// end of the file. The caller counts them. After the first block there are only blocks.
    pub(crate) fn next_block(
        &mut self,
        mut block: Vec<u8>,
        size: usize,
    ) -> Result<Vec<u8>, NoBlock> {
        block.clear();
        block.append(&mut self.tail);
        loop {
            let before = block.len();
            let read = (&mut self.bytes).take(size as u64).read_to_end(&mut block);
            let ended = read.map_err(NoBlock::Failed)? == 0;
            if std::mem::take(&mut self.after_return) && block.first() == Some(&b'\n') {
                block.remove(0);
            }
            if ended {
                return Ok(block);
            }
            // A return at the end may be the first half of a line end.
            let whole = &block[..block.len() - usize::from(block.last() == Some(&b'\r'))];
            let from = before.min(whole.len()).saturating_sub(1);
            if let Some(at) = memchr::memrchr2(b'\n', b'\r', &whole[from..]) {
                self.tail.extend_from_slice(&block[from + at + 1..]);
                block.truncate(from + at + 1);
                return Ok(block);
            }
            if block.len() > LONGEST_LINE {
                return Err(NoBlock::LongLine);
            }
        }
    }

    /// Appends the next line without its end to `line`; `false` at the end of the file.
    pub(crate) fn append(&mut self, line: &mut Vec<u8>) -> Result<bool, Error> {
        let start = line.len();
        let mut any = false;
        loop {
            let chunk = match self.bytes.fill_buf() {
                Ok(chunk) => chunk,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(unpack_error(&self.name, e)),
            };
            if chunk.is_empty() {
                self.number += u64::from(any);
                return Ok(any);
            }
            if std::mem::take(&mut self.after_return) && chunk[0] == b'\n' {
                self.bytes.consume(1);
                continue;
            }
            any = true;
            match memchr::memchr2(b'\n', b'\r', chunk) {
                Some(at) => {
                    line.extend_from_slice(&chunk[..at]);
                    self.after_return = chunk[at] == b'\r';
                    self.bytes.consume(at + 1);
                    self.number += 1;
                    return Ok(true);
                }
                None => {
                    line.extend_from_slice(chunk);
                    let n = chunk.len();
                    self.bytes.consume(n);
                    if line.len() - start > LONGEST_LINE {
                        let reason = format!("longer than {LONGEST_LINE} bytes");
                        return Err(Error::line(&self.name, self.number + 1, reason));
                    }
                }
            }
        }
    }

    /// The next line in place of what is in `line`.
    pub(crate) fn read(&mut self, line: &mut Vec<u8>) -> Result<bool, Error> {
        line.clear();
        self.append(line)
    }

    /// An error at the line read last.
    pub(crate) fn error(&self, reason: impl Into<String>) -> Error {
        Error::line(&self.name, self.number, reason)
    }
}

/// Counts line ends as they are consumed, which is as far as the parser has got.
pub(crate) struct CountLines {
    bytes: Bytes,
    lines: Arc<AtomicU64>,
}

impl CountLines {
    /// Counts the lines of `bytes`; the number of line ends so far is shared.
    pub(crate) fn new(bytes: Bytes) -> (Self, Arc<AtomicU64>) {
        let lines = Arc::new(AtomicU64::new(0));
        (Self { bytes, lines: lines.clone() }, lines)
    }
}

impl Read for CountLines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.bytes.read(buffer)?;
        self.lines.fetch_add(memchr::memchr_iter(b'\n', &buffer[..n]).count() as u64, Relaxed);
        Ok(n)
    }
}

impl BufRead for CountLines {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.bytes.fill_buf()
    }

    fn consume(&mut self, n: usize) {
        if let Ok(held) = self.bytes.fill_buf() {
            let ends = memchr::memchr_iter(b'\n', &held[..n.min(held.len())]).count();
            self.lines.fetch_add(ends as u64, Relaxed);
        }
        self.bytes.consume(n);
    }
}

/// A whole number out of ASCII digits, quickly.
pub(crate) fn number(token: &[u8]) -> Option<u64> {
    if token.is_empty() || token.len() > 20 {
        return None;
    }
    token.iter().try_fold(0u64, |n, byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 { None } else { n.checked_mul(10)?.checked_add(u64::from(digit)) }
    })
}

/// A whole number that may be negative.
pub(crate) fn integer(token: &[u8]) -> Option<i64> {
    std::str::from_utf8(token).ok()?.parse().ok()
}

/// The words of a line.
pub(crate) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|b| b.is_ascii_whitespace()).filter(|word| !word.is_empty())
}
