//! GML: `graph [ directed 1 node [ id 7 label "ann" ] edge [ source 7 target 9 ] ]`; several
//! graphs are several rows.
//!
//! Vertices are called by their `label` or `name` where all have a different one, else by their
//! `id`. Whole numbers under the key `label` (or as the options say) are labels. Lists nest at
//! most [`DEEPEST`] levels.

use super::draft::{DefaultLabels, Draft, label};
use super::{TextHead, nothing};
use crate::error::Error;
use crate::format::Opened;
use crate::input::{CountLines, Input, unpack_error};
use crate::record::Row;
use crate::source::{ReadOptions, Rows};
use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Levels of lists inside each other.
const DEEPEST: usize = 64;
/// Bytes of one word or text.
const LONGEST: usize = 1 << 20;

struct GmlRows {
    tokens: Tokens,
    vertex_key: String,
    edge_key: String,
    next: u64,
}

/// `graph [`, perhaps behind `Creator` and `Version`.
pub(crate) fn looks_like(head: &TextHead) -> bool {
    let starts = |line: &[u8], word: &str| {
        let rest = line.get(..word.len()).is_some_and(|w| w.eq_ignore_ascii_case(word.as_bytes()));
        rest && line.get(word.len()).is_none_or(|b| b.is_ascii_whitespace() || *b == b'[')
    };
    let list =
        |line: &[u8]| starts(line, "graph") && line[5..].trim_ascii_start().starts_with(b"[");
    let second = head.second.unwrap_or_default();
    list(head.first)
        || head.first.eq_ignore_ascii_case(b"graph") && second.starts_with(b"[")
        || starts(head.first, "creator")
        || starts(head.first, "version") && starts(second, "graph")
}

pub(crate) fn open(input: Input, options: &ReadOptions) -> Result<Opened, Error> {
    let Input { name, bytes, hash, .. } = input;
    let (bytes, lines) = CountLines::new(bytes);
    let key = |asked: &Option<String>| asked.clone().unwrap_or_else(|| "label".into());
    let rows = GmlRows {
        tokens: Tokens { name, bytes, lines },
        vertex_key: key(&options.vertex_label_key),
        edge_key: key(&options.edge_label_key),
        next: 0,
    };
    Ok((Box::new(rows), vec![hash]))
}

impl Rows for GmlRows {
    fn fill(&mut self, rows: &mut VecDeque<Row>) -> Result<bool, Error> {
        loop {
            match self.tokens.next()? {
                None if self.next == 0 => return Err(nothing(&self.tokens.name, "graph [ … ]")),
                None => return Ok(false),
                Some(Token::Key(key)) => match self.tokens.value(&key)? {
                    Token::Open if key.eq_ignore_ascii_case("graph") => {
                        rows.push_back(self.graph()?);
                        return Ok(true);
                    }
                    Token::Open => self.tokens.skip_list()?,
                    _ => {}
                },
                Some(_) => return Err(self.tokens.error("a key is expected, such as `graph`")),
            }
        }
    }
}

impl GmlRows {
    /// Reads to the end of a graph.
    fn graph(&mut self) -> Result<Row, Error> {
        let mut draft = Draft::at(self.tokens.line());
        // Whether edges are directed may come behind them.
        let mut directed = false;
        while let Some(key) = self.tokens.key()? {
            let line = self.tokens.line();
            match (&*key.to_ascii_lowercase(), self.tokens.value(&key)?) {
                ("node", Token::Open) => {
                    let added = self.node(&mut draft)?;
                    draft.note(line, added);
                }
                ("edge", Token::Open) => {
                    let added = self.edge(&mut draft)?;
                    draft.note(line, added);
                }
                (_, Token::Open) => self.tokens.skip_list()?,
                ("directed", Token::Number(text)) => directed = text != "0",
                ("name" | "label", Token::Text(text)) => draft.name = Some(text),
                _ => {}
            }
        }
        draft.directed = directed;
        let row = self.next;
        self.next += 1;
        Ok(draft.finish(row, DefaultLabels::default()))
    }

    fn node(&mut self, draft: &mut Draft) -> Result<Result<(), String>, Error> {
        let (mut id, mut number, mut titles) = (None, None, [None, None]);
        while let Some(key) = self.tokens.key()? {
            let value = self.tokens.value(&key)?;
            if key == self.vertex_key
                && let Token::Number(text) = &value
            {
                number = Some(text.clone());
            }
            match (&*key, value) {
                (_, Token::Open) => self.tokens.skip_list()?,
                ("id", Token::Number(text) | Token::Text(text)) => id = Some(text),
                ("label", Token::Text(text)) => titles[0] = Some(text),
                ("name", Token::Text(text)) => titles[1] = Some(text),
                _ => {}
            }
        }
        let add = || -> Result<(), String> {
            draft.node(id)?;
            if let Some(number) = number {
                draft.label_vertex(label(&number)?);
            }
            let [first, second] = titles;
            if let Some(title) = first.or(second) {
                draft.title_vertex(title);
            }
            Ok(())
        };
        Ok(add())
    }

    fn edge(&mut self, draft: &mut Draft) -> Result<Result<(), String>, Error> {
        let (mut ends, mut number) = ([None, None], None);
        while let Some(key) = self.tokens.key()? {
            let value = self.tokens.value(&key)?;
            if key == self.edge_key
                && let Token::Number(text) = &value
            {
                number = Some(text.clone());
            }
            match (&*key, value) {
                (_, Token::Open) => self.tokens.skip_list()?,
                ("source", Token::Number(text) | Token::Text(text)) => ends[0] = Some(text),
                ("target", Token::Number(text) | Token::Text(text)) => ends[1] = Some(text),
                _ => {}
            }
        }
        let add = || -> Result<(), String> {
            let [source, target] = ends;
            draft.edge(source, target, None)?;
            if let Some(number) = number {
                draft.label_edge(label(&number)?);
            }
            Ok(())
        };
        Ok(add())
    }
}

/// A word of GML.
enum Token {
    Key(String),
    Number(String),
    Text(String),
    Open,
    Close,
}

struct Tokens {
    name: String,
    bytes: CountLines,
    lines: Arc<AtomicU64>,
}

impl Tokens {
    fn line(&self) -> u64 {
        self.lines.load(Relaxed) + 1
    }

    fn error(&self, reason: impl Into<String>) -> Error {
        Error::line(&self.name, self.line(), reason)
    }

    fn peek(&mut self) -> Result<Option<u8>, Error> {
        let held = self.bytes.fill_buf().map_err(|e| unpack_error(&self.name, e))?;
        Ok(held.first().copied())
    }

    /// The next key of a list, nothing at its end.
    fn key(&mut self) -> Result<Option<String>, Error> {
        match self.next()? {
            Some(Token::Key(key)) => Ok(Some(key)),
            Some(Token::Close) => Ok(None),
            None => Err(self.error("the file ends inside a list")),
            Some(_) => Err(self.error("a key or `]` is expected")),
        }
    }

    fn value(&mut self, key: &str) -> Result<Token, Error> {
        match self.next()? {
            Some(value @ (Token::Number(_) | Token::Text(_) | Token::Open)) => Ok(value),
            // Some writers leave the quotation marks out.
            Some(Token::Key(word)) => Ok(Token::Text(word)),
            _ => Err(self.error(format!("`{key}` has no value"))),
        }
    }

    /// Skips the rest of a list.
    fn skip_list(&mut self) -> Result<(), Error> {
        let mut depth = 1usize;
        while depth > 0 {
            match self.next()? {
                None => return Err(self.error("the file ends inside a list")),
                Some(Token::Open) => depth += 1,
                Some(Token::Close) => depth -= 1,
                Some(_) => {}
            }
            if depth > DEEPEST {
                return Err(self.error("lists are nested too deeply"));
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Token>, Error> {
        loop {
            match self.peek()? {
                None => return Ok(None),
                Some(b'#') => drop(self.take_while(|byte| byte != b'\n', usize::MAX)?),
                Some(byte) if byte.is_ascii_whitespace() => self.bytes.consume(1),
                Some(b'[') => {
                    self.bytes.consume(1);
                    return Ok(Some(Token::Open));
                }
                Some(b']') => {
                    self.bytes.consume(1);
                    return Ok(Some(Token::Close));
                }
                Some(b'"') => {
                    self.bytes.consume(1);
                    let text = self.take_while(|byte| byte != b'"', LONGEST)?;
                    if self.peek()?.is_none() {
                        return Err(self.error("the file ends inside a text"));
                    }
                    self.bytes.consume(1);
                    return Ok(Some(Token::Text(unescape(&text))));
                }
                Some(_) => {
                    let end = |byte: u8| {
                        !byte.is_ascii_whitespace() && !matches!(byte, b'[' | b']' | b'"')
                    };
                    let word = self.take_while(end, LONGEST)?;
                    let number = word.parse::<f64>().is_ok()
                        && word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
                    return Ok(Some(if number { Token::Number(word) } else { Token::Key(word) }));
                }
            }
        }
    }

    /// The bytes that pass, as text; what is skipped (`most` without limit) is not kept.
    fn take_while(&mut self, pass: impl Fn(u8) -> bool, most: usize) -> Result<String, Error> {
        let mut text = Vec::new();
        loop {
            let held = self.bytes.fill_buf().map_err(|e| unpack_error(&self.name, e))?;
            let end = held.iter().position(|&byte| !pass(byte)).unwrap_or(held.len());
            let (all, empty) = (end == held.len(), held.is_empty());
            if most < usize::MAX {
                text.extend_from_slice(&held[..end]);
            }
            self.bytes.consume(end);
            if text.len() > most {
                return Err(self.error(format!("a word is longer than {most} bytes")));
            }
            if !all || empty {
                return Ok(String::from_utf8_lossy(&text).into_owned());
            }
        }
    }
}

/// Text with its `&quot;`, `&amp;` and `&#228;` replaced.
fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find(';').filter(|&end| end <= 10);
        let found = end.and_then(|end| {
            let name = &rest[1..end];
            let letter = match name {
                "quot" => Some('"'),
                "amp" => Some('&'),
                "lt" => Some('<'),
                "gt" => Some('>'),
                "apos" => Some('\''),
                _ => name.strip_prefix('#')?.parse().ok().and_then(char::from_u32),
            };
            Some((end, letter?))
        });
        match found {
            Some((end, letter)) => {
                out.push(letter);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}
