//! The `edges:` form of the grammar: `edges:0-1,1-2,2-0`, `edges:0>1,1>2`, with labels
//! `edges:0@6-1@8:2`. Costs O(length) and O(64²).

use super::error::At;
use super::{MAX_ORDER, Pattern, PatternError};
use std::fmt::Write;

/// A part of the text behind the byte where it begins.
type Located<T> = (usize, T);

/// Reads an edge list at byte `start` of `text`; returns the pattern, named as written without
/// white space, and where the list ends.
pub(super) fn edge_list(text: &str, start: usize) -> At<(Pattern, usize)> {
    let mut scanner = Scanner { text, at: start };
    let mut pairs = Vec::new();
    let mut kind: Option<char> = None;
    let mut name = String::from("edges:");
    let end = loop {
        let from = scanner.at;
        let pair = scanner.pair()?;
        match kind {
            Some(first) if first != pair.kind.1 => {
                let message = "`-` and `>` do not mix; in a directed pattern write an edge that \
                               goes both ways as both arcs, `0>1,1>0`";
                return Err((pair.kind.0, message.into()));
            }
            _ => kind = Some(pair.kind.1),
        }
        pairs.push(pair);
        name.extend(text[from..scanner.at].chars().filter(|c| !c.is_whitespace()));
        let end = scanner.at;
        // A comma goes on with the list when a vertex number follows.
        scanner.space();
        if !scanner.eat(',') {
            break end;
        }
        scanner.space();
        if !scanner.peek().is_some_and(|c| c.is_ascii_digit()) {
            break end;
        }
        name.push(',');
    };
    Ok((build(name, start, &pairs, kind == Some('>'))?, end))
}

/// `a`, `b` and their labels, `-` or `>`, and the label of the edge.
struct Pair {
    ends: [Located<usize>; 2],
    vertex_labels: [Option<Located<u32>>; 2],
    kind: Located<char>,
    label: Option<Located<u32>>,
}

fn build(name: String, start: usize, pairs: &[Pair], directed: bool) -> At<Pattern> {
    let mut used = 0u64;
    for pair in pairs {
        for &(at, v) in &pair.ends {
            if v >= MAX_ORDER {
                return Err((
                    at,
                    format!(
                        "vertex {v} is too many: a pattern has at most {MAX_ORDER} vertices, 0 to {}",
                        MAX_ORDER - 1
                    ),
                ));
            }
            used |= 1 << v;
        }
    }
    let order = used.count_ones() as usize;
    if let Some(missing) = (0..order).find(|&v| used >> v & 1 == 0) {
        let beyond = pairs.iter().flat_map(|pair| pair.ends).find(|&(_, v)| v > missing);
        let at = beyond.map_or(start, |(at, _)| at);
        return Err((
            at,
            format!("vertex {missing} is missing: vertices are numbered from 0 without gaps"),
        ));
    }
    let mut seen = [0u64; MAX_ORDER];
    for pair in pairs {
        let [(at, a), (_, b)] = pair.ends;
        let fault = if a == b {
            Some(PatternError::SelfLoop(a))
        } else if seen[a] >> b & 1 == 1 {
            Some(PatternError::Duplicate(a, b))
        } else {
            None
        };
        if let Some(fault) = fault {
            return Err((at, fault.to_string()));
        }
        seen[a] |= 1 << b;
        if !directed {
            seen[b] |= 1 << a;
        }
    }
    let ends: Vec<_> = pairs.iter().map(|pair| (pair.ends[0].1, pair.ends[1].1)).collect();
    let mut pattern =
        Pattern::build(name, order, &ends, directed).map_err(|error| (start, error.to_string()))?;
    for pair in pairs {
        let [(_, a), (_, b)] = pair.ends;
        for (v, label) in [a, b].into_iter().zip(pair.vertex_labels) {
            if let Some((at, label)) = label {
                pattern =
                    pattern.with_vertex_label(v, label).map_err(|error| (at, error.to_string()))?;
            }
        }
        if let Some((at, label)) = pair.label {
            pattern =
                pattern.with_edge_label(a, b, label).map_err(|error| (at, error.to_string()))?;
        }
    }
    Ok(pattern)
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn space(&mut self) {
        while let Some(c) = self.peek().filter(|c| c.is_whitespace()) {
            self.at += c.len_utf8();
        }
    }

    fn number(&mut self, what: &str) -> At<Located<u32>> {
        let start = self.at;
        let digits = self.text[start..].bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return Err((start, format!("expected the number of {what}")));
        }
        self.at += digits;
        match self.text[start..self.at].parse() {
            Ok(number) => Ok((start, number)),
            Err(_) => Err((start, format!("the number of {what} must be below 2^32"))),
        }
    }

    fn pair(&mut self) -> At<Pair> {
        let (a, label_a) = self.vertex()?;
        let kind = match self.peek() {
            Some(c @ ('-' | '>')) => (self.at, c),
            Some('<') => {
                return Err((self.at, "write the arc the other way round, with `>`".into()));
            }
            _ => {
                return Err((
                    self.at,
                    "expected `-` (an edge) or `>` (an arc) and a vertex".into(),
                ));
            }
        };
        self.at += 1;
        let (b, label_b) = self.vertex()?;
        let label = if self.eat(':') { Some(self.number("an edge label")?) } else { None };
        match self.peek() {
            None | Some(',') => {}
            Some(c) if c.is_whitespace() => {}
            Some('-' | '>') => {
                return Err((self.at, "write every edge by itself: `0-1,1-2`".into()));
            }
            Some(c) => {
                let message = "expected a comma, `@` and a vertex label, or `:` and an edge label";
                return Err((self.at, format!("{message}, not `{}`", c.escape_debug())));
            }
        }
        Ok(Pair { ends: [a, b], vertex_labels: [label_a, label_b], kind, label })
    }

    fn vertex(&mut self) -> At<(Located<usize>, Option<Located<u32>>)> {
        let (at, v) = self.number("a vertex")?;
        let label = if self.eat('@') { Some(self.number("a vertex label")?) } else { None };
        Ok(((at, v as usize), label))
    }
}

impl Pattern {
    /// The pattern in the `edges:` form of the grammar, which parses to the same pattern.
    ///
    /// ```
    /// use gsn_core::Pattern;
    /// let carbonyl = Pattern::new("C=O", 2, &[(0, 1)])?.with_vertex_label(1, 8)?;
    /// assert_eq!(carbonyl.with_edge_label(0, 1, 2)?.edge_list(), "edges:0-1@8:2");
    /// # Ok::<(), gsn_core::pattern::PatternError>(())
    /// ```
    pub fn edge_list(&self) -> String {
        let mut text = String::from("edges:");
        let mut told = 0u64;
        for (i, (a, b)) in self.edges().enumerate() {
            if i > 0 {
                text.push(',');
            }
            for (v, before) in [(a, ""), (b, if self.directed { ">" } else { "-" })] {
                let _ = write!(text, "{before}{v}");
                if let Some(label) = self.vertex_label(v).filter(|_| told >> v & 1 == 0) {
                    let _ = write!(text, "@{label}");
                }
                told |= 1 << v;
            }
            if let Some(label) = self.arc_label(a, b) {
                let _ = write!(text, ":{label}");
            }
        }
        text
    }
}
