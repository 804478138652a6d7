//! The parser of the pattern grammar; [`PatternSet::parse_with`](super::PatternSet::parse_with)
//! describes it. Costs O(length) beside building the patterns.

use super::Pattern;
use super::edges::edge_list;
use super::error::{At, PatternSyntaxError};
use super::families::Family;
use super::quotient::{MAX_QUOTIENTS, quotients};
use super::set::{Collector, PatternSet};
use super::sizes::sizes;
use super::source::{MoleculeShape, PatternSource};

/// Forms that are not families of sizes.
const FORMS: [&str; 6] = ["g6", "edges", "spasm", "file", "smiles", "molecule"];

/// Most patterns whose quotients are listed at once.
const MANY: usize = 32;

/// Other words for families and forms, and the word of the grammar.
const OTHER_WORDS: [(&str, &str); 13] = [
    ("complete", "clique"),
    ("k", "clique"),
    ("ring", "cycle"),
    ("c", "cycle"),
    ("chain", "path"),
    ("line", "path"),
    ("graphlet", "all"),
    ("graphlets", "all"),
    ("graph6", "g6"),
    ("mol", "molecule"),
    ("smi", "smiles"),
    ("quotient", "spasm"),
    ("quotients", "spasm"),
];

/// All patterns that `text` names, in order.
pub(super) fn parse(
    text: &str,
    source: &dyn PatternSource,
) -> Result<PatternSet, PatternSyntaxError> {
    let mut found = Collector::default();
    Parser { text, at: 0, source, in_file: false, found: &mut found }.run()?;
    Ok(found.set)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    source: &'a dyn PatternSource,
    /// Files do not name files.
    in_file: bool,
    found: &'a mut Collector,
}

impl Parser<'_> {
    fn run(mut self) -> Result<(), PatternSyntaxError> {
        let whole = |fault| PatternSyntaxError::new(self.text, fault);
        if self.text.trim().is_empty() {
            return Err(whole((0, "no pattern here; write for example `cycle:3..=6`".into())));
        }
        loop {
            self.space();
            self.item()?;
            if !self.separator().map_err(|fault| PatternSyntaxError::new(self.text, fault))? {
                return Ok(());
            }
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Steps over a comma or line end; false at the end of the text.
    fn separator(&mut self) -> At<bool> {
        let end_of_item = self.at;
        self.space();
        if self.rest().is_empty() {
            return Ok(false);
        }
        if self.rest().starts_with(',') {
            let comma = self.at;
            self.at += 1;
            self.space();
            if self.rest().is_empty() {
                return Err((comma, "a pattern is missing after this comma".into()));
            }
        } else if !self.text[end_of_item..self.at].contains('\n') {
            return Err((self.at, "expected a comma between two patterns".into()));
        }
        Ok(true)
    }

    /// One `family:argument`; leaves `at` just behind it.
    fn item(&mut self) -> Result<(), PatternSyntaxError> {
        let start = self.at;
        let whole = |fault| PatternSyntaxError::new(self.text, fault);
        let end = self.rest().find([',', '\n']).map_or(self.text.len(), |length| start + length);
        let item = self.text[start..end].trim_end();
        if item.is_empty() {
            return Err(whole((start, "a pattern is missing before this comma".into())));
        }
        let Some(colon) = item.find(':') else {
            return Err(whole((start, without_colon(item))));
        };
        let word = item[..colon].trim_end();
        let argument = item[colon + 1..].trim_start();
        let at = start + item.len() - argument.len();
        self.at = start + item.len();
        if let Some(family) = Family::ALL.into_iter().find(|family| family.name() == word) {
            let (first, last) = sizes(family, argument, at).map_err(whole)?;
            for k in first..=last {
                self.found.family(family, k).map_err(|error| whole((at, error.to_string())))?;
            }
            return Ok(());
        }
        if argument.is_empty() && FORMS.contains(&word) {
            return Err(whole((at, format!("something must follow `{word}:`"))));
        }
        let pattern = match word {
            "edges" => {
                let (pattern, end) = edge_list(self.text, at).map_err(whole)?;
                self.at = end;
                pattern
            }
            "g6" => graph6(argument, at).map_err(whole)?,
            "smiles" | "molecule" => self.molecule(word, argument, at).map_err(whole)?,
            "spasm" => return self.spasm(argument, at),
            "file" => return self.file(argument, at),
            _ => return Err(whole((start, unknown(word)))),
        };
        self.found.add(&pattern).map_err(|error| whole((at, error.to_string())))?;
        Ok(())
    }

    /// All quotients of what the argument names.
    fn spasm(&mut self, argument: &str, at: usize) -> Result<(), PatternSyntaxError> {
        let whole = |message: String| PatternSyntaxError::new(self.text, (at, message));
        if argument.trim_start().starts_with("spasm") {
            return Err(whole("the quotients of quotients are quotients; name a pattern".into()));
        }
        let mut named = Collector::default();
        let mut inner = Parser {
            text: self.text,
            at,
            source: self.source,
            in_file: self.in_file,
            found: &mut named,
        };
        inner.item()?;
        let end = inner.at;
        if named.set.len() > MANY {
            let number = named.set.len();
            return Err(whole(format!("`spasm` takes at most {MANY} patterns, not {number}")));
        }
        for pattern in named.set.iter() {
            if pattern.is_directed() || pattern.is_labelled() {
                return Err(whole("`spasm` takes patterns without labels and directions".into()));
            }
            if pattern.order() > MAX_QUOTIENTS {
                let order = pattern.order();
                return Err(whole(format!(
                    "`spasm` takes patterns of at most {MAX_QUOTIENTS} vertices, not {order}"
                )));
            }
            for quotient in quotients(pattern) {
                self.found.add_new(&quotient).map_err(|error| whole(error.to_string()))?;
            }
        }
        self.at = end;
        Ok(())
    }

    fn molecule(&self, word: &str, smiles: &str, at: usize) -> At<Pattern> {
        if let Some(dot) = smiles.find('.') {
            return Err((at + dot, "a pattern is connected, and `.` separates molecules".into()));
        }
        let MoleculeShape { atoms, bonds, bond_labels } =
            self.source.smiles(smiles).map_err(|message| (at, message))?;
        let fault = |error: super::PatternError| (at, error.to_string());
        let name = format!("{word}:{smiles}");
        let mut pattern = Pattern::new(name, atoms.len(), &bonds).map_err(fault)?;
        if bonds.len() != bond_labels.len() {
            let counts = format!("{} bonds and {} kinds", bonds.len(), bond_labels.len());
            return Err((at, format!("the molecule came with {counts} of bonds")));
        }
        if word == "molecule" {
            for (v, &atom) in atoms.iter().enumerate() {
                pattern = pattern.with_vertex_label(v, atom).map_err(fault)?;
            }
            for (&(a, b), &label) in bonds.iter().zip(&bond_labels) {
                pattern = pattern.with_edge_label(a, b, label).map_err(fault)?;
            }
        }
        Ok(pattern)
    }

    fn file(&mut self, path: &str, at: usize) -> Result<(), PatternSyntaxError> {
        let whole = |message| PatternSyntaxError::new(self.text, (at, message));
        if self.in_file {
            return Err(whole("a file of patterns cannot name another file".into()));
        }
        let contents = self.source.file(path).map_err(|error| whole(format!("{path}: {error}")))?;
        let contents = contents.trim_start_matches('\u{feff}');
        let mut empty = true;
        for (number, line) in contents.lines().enumerate() {
            let mut line = line.trim();
            if line.starts_with(">>") {
                line = line.trim_start_matches(">>graph6<<");
            }
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            empty = false;
            self.line(line).map_err(|error| PatternSyntaxError {
                location: Some(format!("{path}, line {}", number + 1)),
                ..error
            })?;
        }
        if empty {
            return Err(whole(format!("{path} has no pattern in it")));
        }
        Ok(())
    }

    /// A line of a file: a pattern text or graph6, which has no colon in it.
    fn line(&mut self, line: &str) -> Result<(), PatternSyntaxError> {
        if line.contains(':') && !line.starts_with(':') {
            let (source, found) = (self.source, &mut *self.found);
            return Parser { text: line, at: 0, source, in_file: true, found }.run();
        }
        let whole = |fault| PatternSyntaxError::new(line, fault);
        let pattern = graph6(line, 0).map_err(whole)?;
        self.found.add(&pattern).map_err(|error| whole((0, error.to_string())))?;
        Ok(())
    }
}

fn graph6(text: &str, at: usize) -> At<Pattern> {
    use super::{Graph6Error, PatternError};
    Pattern::from_graph6(text).map_err(|error| {
        let offset = match &error {
            PatternError::Graph6(
                Graph6Error::InvalidByte { position, .. }
                | Graph6Error::Overlong { position, .. }
                | Graph6Error::Padding { position },
            ) => *position,
            PatternError::Graph6(Graph6Error::Truncated { length, .. }) => *length,
            _ => 0,
        };
        (at + offset, error.to_string())
    })
}

fn words() -> impl Iterator<Item = &'static str> {
    Family::ALL.into_iter().map(Family::name).chain(FORMS)
}

fn without_colon(item: &str) -> String {
    if words().any(|word| word == item) {
        return format!("`{item}` needs a colon and what to take, as in `cycle:6`");
    }
    if Pattern::from_graph6(item).is_ok() {
        return format!("a pattern starts with its family and a colon; graph6 is `g6:{item}`");
    }
    "a pattern starts with its family and a colon, as in `cycle:6`".into()
}

/// Tells what family may have been meant.
fn unknown(word: &str) -> String {
    let shown: String = word.chars().take(24).collect();
    let lower = shown.to_lowercase();
    let other = OTHER_WORDS.iter().find(|(other, _)| *other == lower).map(|&(_, ours)| ours);
    let nearest = words()
        .map(|known| (strsim::osa_distance(&lower, known), known))
        .filter(|&(distance, known)| distance <= 2 && distance < known.len())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, known)| known);
    let known = words().collect::<Vec<_>>().join(", ");
    let shown = shown.escape_debug();
    match other.or(nearest) {
        Some(meant) => format!("unknown pattern family `{shown}`; did you mean `{meant}`?"),
        None => format!("unknown pattern family `{shown}`; there are {known}"),
    }
}
