//! Reading numbers from text; errors name the line.

use super::{Files, broken};
use crate::error::{Error, Result};

/// A reader of numbers separated by white space or commas.
pub(super) struct Numbers<'a> {
    files: &'a Files<'a>,
    name: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Numbers<'a> {
    pub(super) fn new(files: &'a Files<'a>, name: &'a str, bytes: &'a [u8]) -> Self {
        Self { files, name, bytes, at: 0 }
    }

    fn skip(&mut self) {
        let is_gap = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
        while self.bytes.get(self.at).is_some_and(is_gap) {
            self.at += 1;
        }
    }

    /// Whether no number follows.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.skip();
        self.at == self.bytes.len()
    }

    fn word(&mut self) -> &'a [u8] {
        self.skip();
        let rest = &self.bytes[self.at..];
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
        let word = &rest[..rest.iter().position(is_end).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    /// An error at the line of the number read last.
    pub(super) fn error(&self, what: impl std::fmt::Display) -> Error {
        let line = 1 + self.bytes[..self.at].iter().filter(|&&byte| byte == b'\n').count();
        broken(self.files, self.name, format!("line {line}: {what}"))
    }

    /// A whole number.
    pub(super) fn whole(&mut self) -> Result<u32> {
        let word = self.word();
        let digits = |number: u32, byte: &u8| {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 { None } else { number.checked_mul(10)?.checked_add(u32::from(digit)) }
        };
        match word.iter().try_fold(0, digits) {
            Some(number) if !word.is_empty() => Ok(number),
            _ => Err(self.error(format!("`{}` is no number", String::from_utf8_lossy(word)))),
        }
    }

    /// A whole number below `end`.
    pub(super) fn below(&mut self, end: usize) -> Result<u32> {
        let number = self.whole()?;
        if (number as usize) < end {
            return Ok(number);
        }
        Err(self.error(format!("{number} is not below {end}")))
    }

    /// A real number.
    pub(super) fn real(&mut self) -> Result<f64> {
        let word = std::str::from_utf8(self.word()).unwrap_or_default();
        word.parse().map_err(|_| self.error(format!("`{word}` is no number")))
    }

    /// All whole numbers that follow, each below `end`.
    pub(super) fn rest_below(mut self, end: usize) -> Result<Vec<u32>> {
        let mut found = Vec::new();
        while !self.is_at_end() {
            found.push(self.below(end)?);
        }
        Ok(found)
    }
}
