//! Zip archives whose members are packed before their first bytes are known.
//!
//! A member is a few bytes (the header of an array, which says how long it is) and what a [`Packer`]
//! has packed on the way. Both are deflate streams of their own: blocks that are not the last one of
//! their stream may be followed by any others. Sizes and checksums are known before a member is
//! written, so an archive can be written to a pipe. Numbers beyond 32 bits take the form of Zip64.

use super::deflate::NumberPacker;
use crc32fast::Hasher;
use flate2::write::DeflateEncoder;
use flate2::{Compress, Compression, FlushCompress};
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};

/// Keys repeat, so little effort packs them well.
const LEVEL: u32 = 2;

/// Packs bytes into a file.
pub(super) struct Packer<T = DeflateEncoder<BufWriter<File>>> {
    to: T,
    checksum: Hasher,
    bytes: u64,
}

/// Packs counts into a file.
pub(super) type CountPacker = Packer<NumberPacker<BufWriter<File>>>;

/// What packs bytes or numbers.
pub(super) trait Pack {
    /// Ends the stream.
    fn finish(self) -> io::Result<BufWriter<File>>;
}

impl Pack for DeflateEncoder<BufWriter<File>> {
    fn finish(self) -> io::Result<BufWriter<File>> {
        self.finish()
    }
}

impl Pack for NumberPacker<BufWriter<File>> {
    fn finish(self) -> io::Result<BufWriter<File>> {
        self.finish()
    }
}

impl Packer {
    pub(super) fn new(file: File) -> Self {
        let to = BufWriter::with_capacity(1 << 16, file);
        let to = DeflateEncoder::new(to, Compression::new(LEVEL));
        Self { to, checksum: Hasher::new(), bytes: 0 }
    }

    pub(super) fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.checksum.update(bytes);
        self.bytes += bytes.len() as u64;
        self.to.write_all(bytes)
    }
}

impl CountPacker {
    pub(super) fn of_counts(file: File) -> Self {
        let to = NumberPacker::new(BufWriter::with_capacity(1 << 16, file));
        Self { to, checksum: Hasher::new(), bytes: 0 }
    }

    /// Packs counts, given as such and as bytes, the lowest of each first.
    pub(super) fn write_counts(&mut self, counts: &[u64], bytes: &[u8]) -> io::Result<()> {
        self.checksum.update(bytes);
        self.bytes += bytes.len() as u64;
        self.to.pack(counts)
    }
}

/// An archive in the making.
pub(super) struct Archive<W> {
    to: W,
    written: u64,
    members: Vec<Member>,
}

/// What is known of a member.
struct Member {
    name: String,
    checksum: u32,
    packed: u64,
    unpacked: u64,
    at: u64,
}

impl<W: Write> Archive<W> {
    pub(super) fn new(to: W) -> Self {
        Self { to, written: 0, members: Vec::new() }
    }

    /// Adds a member: some bytes, then those that were packed.
    pub(super) fn add<P: Pack>(
        &mut self,
        name: &str,
        first: &[u8],
        rest: Packer<P>,
    ) -> io::Result<()> {
        let Packer { to, mut checksum, bytes } = rest;
        let mut file = to.finish()?.into_inner().map_err(|e| e.into_error())?;
        let length = file.stream_position()?;
        file.rewind()?;
        let head = packed(first, FlushCompress::Sync)?;
        let mut whole = Hasher::new();
        whole.update(first);
        std::mem::swap(&mut whole, &mut checksum);
        checksum.combine(&whole);
        self.start(Member {
            name: name.to_owned(),
            checksum: checksum.finalize(),
            packed: head.len() as u64 + length,
            unpacked: first.len() as u64 + bytes,
            at: self.written,
        })?;
        self.put(&head)?;
        self.written += io::copy(&mut file.take(length), &mut self.to)?;
        Ok(())
    }

    /// Adds a member of some bytes.
    pub(super) fn add_bytes(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let packed = packed(bytes, FlushCompress::Finish)?;
        self.start(Member {
            name: name.to_owned(),
            checksum: crc32fast::hash(bytes),
            packed: packed.len() as u64,
            unpacked: bytes.len() as u64,
            at: self.written,
        })?;
        self.put(&packed)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written += bytes.len() as u64;
        self.to.write_all(bytes)
    }

    /// Writes what stands before a member.
    fn start(&mut self, member: Member) -> io::Result<()> {
        let mut out = b"PK\x03\x04".to_vec();
        member.describe(&mut out, false);
        self.members.push(member);
        self.put(&out)
    }

    /// Writes the directory and gives back what was written to.
    pub(super) fn finish(mut self) -> io::Result<W> {
        let at = self.written;
        for member in std::mem::take(&mut self.members) {
            let mut out = b"PK\x01\x02".to_vec();
            out.extend(MADE_BY.to_le_bytes());
            member.describe(&mut out, true);
            self.members.push(member);
            self.put(&out)?;
        }
        let (number, length, end) = (self.members.len() as u64, self.written - at, self.written);
        let mut out = Vec::new();
        if end >= NARROW {
            out.extend(b"PK\x06\x06");
            out.extend(44u64.to_le_bytes());
            out.extend(MADE_BY.to_le_bytes());
            out.extend(VERSION.to_le_bytes());
            out.extend([0; 8]);
            [number, number, length, at].iter().for_each(|n| out.extend(n.to_le_bytes()));
            out.extend(b"PK\x06\x07\0\0\0\0");
            out.extend(end.to_le_bytes());
            out.extend(1u32.to_le_bytes());
        }
        out.extend(b"PK\x05\x06\0\0\0\0");
        out.extend([number as u16; 2].iter().flat_map(|n| n.to_le_bytes()));
        out.extend([narrow(length), narrow(at)].iter().flat_map(|n| n.to_le_bytes()));
        out.extend([0; 2]);
        self.put(&out)?;
        Ok(self.to)
    }
}

/// The version of the format that has Zip64, and the same made on Unix.
const VERSION: u16 = 45;
const MADE_BY: u16 = 3 << 8 | VERSION;
/// From here on numbers stand where those of 64 bits do; soon in tests, so that both ways are taken.
const NARROW: u64 = if cfg!(test) { 300 } else { u32::MAX as u64 };

/// A number, or the mark of one that stands elsewhere.
fn narrow(number: u64) -> u32 {
    if number >= NARROW { u32::MAX } else { number as u32 }
}

impl Member {
    /// Writes the fields that stand before the member and, with some more, in the directory.
    fn describe(&self, out: &mut Vec<u8>, directory: bool) {
        let all = [self.unpacked, self.packed, self.at];
        let sizes = if directory { &all[..] } else { &all[..2] };
        // Before a member both sizes are wide or none is.
        let any = sizes.iter().any(|&size| size >= NARROW);
        let is_wide = |size: u64| if directory { size >= NARROW } else { any };
        let mut extra = Vec::new();
        for &size in sizes.iter().filter(|&&size| is_wide(size)) {
            extra.extend(size.to_le_bytes());
        }
        if any {
            let length = extra.len() as u16;
            extra.splice(..0, [1u16, length].iter().flat_map(|n| n.to_le_bytes()));
        }
        let shown = |size: u64| if is_wide(size) { u32::MAX } else { size as u32 };
        // No flags, deflate, midnight of 1 January 1980.
        for field in [VERSION, 0, 8, 0, 1 << 5 | 1] {
            out.extend(field.to_le_bytes());
        }
        for field in [self.checksum, shown(self.packed), shown(self.unpacked)] {
            out.extend(field.to_le_bytes());
        }
        out.extend((self.name.len() as u16).to_le_bytes());
        out.extend((extra.len() as u16).to_le_bytes());
        if directory {
            out.extend([0; 6]);
            // A file that its owner may write and all may read.
            out.extend((0o100644u32 << 16).to_le_bytes());
            out.extend(shown(self.at).to_le_bytes());
        }
        out.extend(self.name.as_bytes());
        out.extend(extra);
    }
}

/// Bytes as a deflate stream, the last of its kind or to be followed by another.
fn packed(bytes: &[u8], flush: FlushCompress) -> io::Result<Vec<u8>> {
    let mut packer = Compress::new(Compression::new(LEVEL), false);
    // Bytes that do not pack grow by a few for every block.
    let mut out = Vec::with_capacity(64 + bytes.len() + bytes.len() / 16);
    packer.compress_vec(bytes, &mut out, flush)?;
    if packer.total_in() < bytes.len() as u64 {
        return Err(io::Error::other("the bytes cannot be packed"));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Members of any lengths, on both sides of where numbers become wide.
        #[test]
        fn an_archive_holds_what_was_put_into_it(
            members in prop::collection::vec((0..200usize, 0..40usize, any::<u64>()), 0..12),
        ) {
            let mut archive = Archive::new(Vec::new());
            let mut expected = Vec::new();
            for (at, &(first, rest, seed)) in members.iter().enumerate() {
                let byte = |i: usize| (seed >> (i % 61)) as u8;
                let head: Vec<u8> = (0..first).map(byte).collect();
                let tail: Vec<u8> = (0..rest * rest).map(byte).collect();
                let name = format!("member {at}");
                if at % 3 == 0 {
                    archive.add_bytes(&name, &head).unwrap();
                    expected.push((name, head));
                } else {
                    let mut packer = Packer::new(tempfile::tempfile().unwrap());
                    tail.chunks(100).for_each(|some| packer.write_all(some).unwrap());
                    archive.add(&name, &head, packer).unwrap();
                    expected.push((name, [head, tail].concat()));
                }
            }
            let bytes = archive.finish().unwrap();
            let mut read = zip::ZipArchive::new(io::Cursor::new(&bytes)).unwrap();
            prop_assert_eq!(read.len(), expected.len());
            for (at, (name, expected)) in expected.into_iter().enumerate() {
                let mut member = read.by_index(at).unwrap();
                prop_assert_eq!(member.name().unwrap(), name);
                let mut found = Vec::new();
                member.read_to_end(&mut found).unwrap();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
