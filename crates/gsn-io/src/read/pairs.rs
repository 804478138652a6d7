//! Many lines of two numbers each: read a block at a time, parsed side by side while the next
//! block is read. Memory holds two blocks and the numbers, 8 bytes a line as long as all of them
//! are below 2³².

use crate::error::Error;
use crate::input::{Lines, number};
use gsn_core::memory;
use rayon::prelude::*;
use std::ops::Range;

/// Bytes of a block; few in tests, so that there are several.
const BLOCK: usize = if cfg!(test) { 64 } else { 1 << 22 };
/// Bytes that one thread parses at a time.
const PIECE: usize = if cfg!(test) { 16 } else { 1 << 17 };

/// The numbers of all lines.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Pairs {
    /// All below 2³².
    Narrow(Vec<(u32, u32)>),
    Wide(Vec<(u64, u64)>),
}

impl Default for Pairs {
    fn default() -> Self {
        Pairs::Narrow(Vec::new())
    }
}

impl Pairs {
    pub(super) fn len(&self) -> usize {
        match self {
            Pairs::Narrow(pairs) => pairs.len(),
            Pairs::Wide(pairs) => pairs.len(),
        }
    }

    /// One more than the largest number.
    pub(super) fn end(&self) -> u64 {
        let end = |u: u64, v: u64| u.max(v).saturating_add(1);
        match self {
            Pairs::Narrow(pairs) => {
                pairs.par_iter().with_min_len(1 << 14).map(|&(u, v)| end(u.into(), v.into())).max()
            }
            Pairs::Wide(pairs) => pairs.par_iter().map(|&(u, v)| end(u, v)).max(),
        }
        .unwrap_or(0)
    }

    /// Makes room for the pairs of a whole file when some of its bytes have given these, so that
    /// they need not move as they grow.
    fn expect(&mut self, length: u64, read: usize) {
        // A line takes four bytes at least.
        let all = self.len() as u64 * (length / read.max(1) as u64 + 1);
        let more = all.min(length / 4).saturating_sub(self.len() as u64);
        // What is expected need not come: only reading on may be refused.
        let list = || "the list of edges".to_owned();
        let _ = match self {
            Pairs::Narrow(pairs) => memory::reserve(pairs, more, list),
            Pairs::Wide(pairs) => memory::reserve(pairs, more, list),
        };
    }

    /// Adds a pair.
    #[inline]
    pub(super) fn push(&mut self, (u, v): (u64, u64)) {
        if let Pairs::Narrow(pairs) = self {
            if let (Ok(u), Ok(v)) = (u32::try_from(u), u32::try_from(v)) {
                pairs.push((u, v));
                return;
            }
            self.widen();
        }
        if let Pairs::Wide(pairs) = self {
            pairs.push((u, v));
        }
    }

    /// Adds pairs.
    fn append(&mut self, mut more: Pairs) {
        if matches!(more, Pairs::Wide(_)) {
            self.widen();
        } else if matches!(self, Pairs::Wide(_)) {
            more.widen();
        }
        match (self, more) {
            (Pairs::Narrow(pairs), Pairs::Narrow(more)) => pairs.extend_from_slice(&more),
            (Pairs::Wide(pairs), Pairs::Wide(more)) => pairs.extend_from_slice(&more),
            _ => unreachable!("both are as wide as the wider of them"),
        }
    }

    #[cold]
    fn widen(&mut self) {
        if let Pairs::Narrow(pairs) = self {
            *self = Pairs::Wide(pairs.iter().map(|&(u, v)| (u.into(), v.into())).collect());
        }
    }
}

/// How lines are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    /// What separates the numbers; by default blanks, tabs, commas and semicolons.
    pub(super) delimiter: Option<u8>,
    /// Numbers must be below it.
    pub(super) limit: u64,
    /// Whether it is known already that some line has more than two columns.
    pub(super) extra_known: bool,
}

/// A line that holds no two numbers as they should be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BadLine {
    /// Its text.
    NotAnEdge(Vec<u8>),
    /// The number that is too large.
    Beyond(u64),
}

impl Reading {
    /// Adds the numbers of all lines that are left; blank lines and comments are passed over.
    /// Returns the first line with more columns, if that is news.
    ///
    /// # Errors
    /// When reading fails, or what `bad` says of the first line that is wrong; `lines` is there
    /// then.
    pub(super) fn rest(
        self,
        lines: &mut Lines,
        pairs: &mut Pairs,
        bad: impl Fn(&Lines, BadLine) -> Error,
    ) -> Result<Option<u64>, Error> {
        let mut extra = None;
        let mut reading = self;
        let mut spare = Vec::new();
        let mut length = lines.length;
        let mut block = lines.next_block(Vec::new(), BLOCK).map_err(|e| e.at(lines))?;
        while !block.is_empty() {
            let (next, parsed) = rayon::join(
                || lines.next_block(spare, BLOCK),
                || -> Vec<Parsed> {
                    let pieces = pieces(&block);
                    pieces.into_par_iter().map(|range| reading.parse(&block[range])).collect()
                },
            );
            for mut piece in parsed {
                if let Some(line) = piece.extra.filter(|_| !reading.extra_known) {
                    extra = Some(lines.number + line);
                    reading.extra_known = true;
                }
                lines.number += piece.lines;
                if let Some(line) = piece.bad.take() {
                    return Err(bad(lines, line));
                }
                pairs.append(piece.pairs);
            }
            if let Some(length) = length.take() {
                pairs.expect(length, block.len());
            }
            spare = std::mem::replace(&mut block, next.map_err(|e| e.at(lines))?);
        }
        Ok(extra)
    }

    /// The pairs of some whole lines.
    fn parse(self, text: &[u8]) -> Parsed {
        let pairs = Pairs::Narrow(Vec::with_capacity(text.len() / 10));
        let mut out = Parsed { pairs, ..Parsed::default() };
        let mut extra_known = self.extra_known;
        let mut at = 0;
        while at < text.len() {
            out.lines += 1;
            let pair = match self.quick(text, &mut at) {
                Some(pair) => pair,
                None => {
                    let end =
                        memchr::memchr2(b'\n', b'\r', &text[at..]).map_or(text.len(), |n| at + n);
                    let line = text[at..end].trim_ascii();
                    at = after_end(text, end);
                    if line.is_empty() || matches!(line[0], b'#' | b'%') {
                        continue;
                    }
                    let mut tokens = self.tokens(line);
                    let (u, v) = (tokens.next().and_then(number), tokens.next().and_then(number));
                    let (Some(u), Some(v)) = (u, v) else {
                        out.bad = Some(BadLine::NotAnEdge(line.to_vec()));
                        return out;
                    };
                    if !extra_known && tokens.next().is_some() {
                        extra_known = true;
                        out.extra = Some(out.lines);
                    }
                    (u, v)
                }
            };
            let larger = pair.0.max(pair.1);
            if larger >= self.limit {
                out.bad = Some(BadLine::Beyond(larger));
                return out;
            }
            out.pairs.push(pair);
        }
        out
    }

    /// The columns of a line.
    pub(super) fn tokens<'a>(&self, line: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let delimiter = self.delimiter;
        line.split(move |b| match delimiter {
            Some(byte) => *b == byte,
            None => b.is_ascii_whitespace() || matches!(b, b',' | b';'),
        })
        .map(<[u8]>::trim_ascii)
        .filter(|token| !token.is_empty())
    }

    /// The pair of a line that is nothing but two numbers with one byte between them; `at` moves
    /// behind it.
    #[inline]
    fn quick(self, text: &[u8], at: &mut usize) -> Option<(u64, u64)> {
        let mut here = *at;
        let u = digits(text, &mut here)?;
        let between = *text.get(here)?;
        match self.delimiter {
            None if matches!(between, b' ' | b'\t' | b',' | b';') => {}
            Some(byte) if byte == between => {}
            _ => return None,
        }
        here += 1;
        let v = digits(text, &mut here)?;
        match text.get(here) {
            None | Some(b'\n' | b'\r') => {}
            _ => return None,
        }
        *at = after_end(text, here);
        Some((u, v))
    }
}

/// What one piece of a block holds.
#[derive(Debug, Default)]
struct Parsed {
    pairs: Pairs,
    /// Lines up to the bad one, if there is one.
    lines: u64,
    /// The first line with more than two columns, from 1.
    extra: Option<u64>,
    bad: Option<BadLine>,
}

/// A number of at most 19 digits; `at` moves behind it.
#[inline]
fn digits(text: &[u8], at: &mut usize) -> Option<u64> {
    match text.get(*at..).and_then(<[u8]>::first_chunk) {
        Some(&eight) => match short(u64::from_le_bytes(eight)) {
            Some((value, count)) => {
                *at += count;
                Some(value)
            }
            None => long(text, at),
        },
        None => long(text, at),
    }
}

/// The number of one to seven digits that eight bytes start with, and how many digits it has; all
/// of them are looked at together.
#[inline]
fn short(eight: u64) -> Option<(u64, usize)> {
    let digits = eight ^ 0x3030_3030_3030_3030;
    // The highest bit of every byte that is more than 9.
    let high = 0x8080_8080_8080_8080;
    let others = (digits | ((digits & !high) + 0x7676_7676_7676_7676)) & high;
    let count = others.trailing_zeros() as usize / 8;
    if !(1..8).contains(&count) {
        return None;
    }
    // Zeros in front, then digits by twos, fours and eights; the first is the lowest byte.
    let digits = digits << (64 - 8 * count);
    let twos = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (twos * 100 + (twos >> 16)) & 0x0000_ffff_0000_ffff;
    Some(((fours * 10_000 + (fours >> 32)) & 0xffff_ffff, count))
}

fn long(text: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0u64;
    let mut count = 0;
    for &byte in &text[*at..] {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        count += 1;
    }
    *at += count;
    // 10¹⁹ is below 2⁶⁴.
    (1..=19).contains(&count).then_some(value)
}

/// Where the next line starts when one ends at `end`.
#[inline]
fn after_end(text: &[u8], end: usize) -> usize {
    let pair = text.get(end) == Some(&b'\r') && text.get(end + 1) == Some(&b'\n');
    (end + 1 + usize::from(pair)).min(text.len())
}

/// Cuts a block between lines.
fn pieces(block: &[u8]) -> Vec<Range<usize>> {
    let mut pieces = Vec::with_capacity(block.len() / PIECE + 1);
    let mut start = 0;
    while start < block.len() {
        let from = (start + PIECE).min(block.len());
        let end = memchr::memchr2(b'\n', b'\r', &block[from..]);
        let end = end.map_or(block.len(), |n| after_end(block, from + n));
        pieces.push(start..end);
        start = end;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Input;
    use proptest::prelude::*;
    use std::path::Path;

    fn lines(text: &str) -> Lines {
        let bytes = std::io::Cursor::new(text.to_owned().into_bytes());
        Input::from_bytes(Path::new("x"), Box::new(bytes)).unwrap().lines().0
    }

    /// Pairs, the first line with more columns, and the line of the first error.
    type Outcome = (Pairs, Option<u64>, Option<u64>);

    fn in_blocks(text: &str, reading: Reading) -> Outcome {
        let (mut lines, mut pairs) = (lines(text), Pairs::default());
        let wrong = std::cell::Cell::new(None);
        let extra = reading.rest(&mut lines, &mut pairs, |lines, _| {
            wrong.set(Some(lines.number));
            lines.error("wrong")
        });
        (pairs, extra.unwrap_or(None), wrong.get())
    }

    /// The same line by line.
    fn one_by_one(text: &str, reading: Reading) -> Outcome {
        let (mut lines, mut pairs) = (lines(text), Pairs::default());
        let (mut line, mut extra) = (Vec::new(), None);
        while lines.read(&mut line).unwrap() {
            let text = line.trim_ascii();
            if text.is_empty() || text[0] == b'#' || text[0] == b'%' {
                continue;
            }
            let tokens: Vec<_> = reading.tokens(text).collect();
            let ends: Vec<_> = tokens.iter().take(2).filter_map(|token| number(token)).collect();
            let good = ends.len() == 2 && ends.iter().all(|&end| end < reading.limit);
            if !good {
                return (pairs, None, Some(lines.number));
            }
            if tokens.len() > 2 && !reading.extra_known && extra.is_none() {
                extra = Some(lines.number);
            }
            pairs.push((ends[0], ends[1]));
        }
        (pairs, extra, None)
    }

    fn line() -> impl Strategy<Value = String> {
        let usual =
            (0..5000u64, "[ \t,;]", 0..5000u64).prop_map(|(u, by, v)| format!("{u}{by}{v}"));
        prop_oneof![
            30 => usual,
            3 => "( |\t|# text|% 1 2)?",
            2 => "[ ]?[0-9]{1,3}[ ,]{1,3}[0-9]{1,21}[ ]{0,2}",
            1 => "[0-9] [0-9] [0-9a]",
            1 => "[0-9]{0,2}[a;:-]?[0-9]{0,2}",
        ]
    }

    proptest! {
        /// Blocks, pieces and quick lines change nothing.
        #[test]
        fn blocks_give_what_lines_give(
            parts in proptest::collection::vec((line(), "\n|\r\n|\r"), 0..80),
            ending: bool,
            delimiter in proptest::option::of(Just(b',')),
            limit in prop_oneof![Just(u64::MAX), Just(4000)],
            extra_known: bool,
        ) {
            let mut text: String = parts.iter().flat_map(|(a, b)| [a.as_str(), b]).collect();
            if !ending {
                text.truncate(text.trim_end_matches(['\r', '\n']).len());
            }
            let reading = Reading { delimiter, limit, extra_known };
            let (found, expected) = (in_blocks(&text, reading), one_by_one(&text, reading));
            prop_assert_eq!(found.2, expected.2);
            if expected.2.is_none() {
                prop_assert_eq!(found, expected);
            }
        }
    }
}
