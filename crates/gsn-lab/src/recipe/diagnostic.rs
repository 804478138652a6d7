//! Errors that point: file, line, column, the line itself with carets below, and the nearest
//! name that would have been right.

use crate::error::Error;
use std::ops::Range;

/// A text and what it is called.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a str,
}

/// `name, line 3, column 1: message`, the line and carets under `span`.
pub(super) fn error(source: Source<'_>, span: Range<usize>, message: &str) -> Error {
    let Source { name, text } = source;
    let message = with_nearest(message);
    if text.is_empty() {
        return Error::Recipe(format!("{name}: {message}"));
    }
    let mut start = span.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let before = &text[..start];
    let line = before.matches('\n').count();
    let first = before.rfind('\n').map_or(0, |at| at + 1);
    let shown = text[first..].lines().next().unwrap_or("");
    let column = text[first..start].chars().count();
    let end = span.end.clamp(start, first + shown.len().max(start - first));
    let marked = text.get(start..end).map_or(1, |part| part.chars().count()).max(1);
    let number = (line + 1).to_string();
    let margin = " ".repeat(number.len());
    let (blank, carets) = (" ".repeat(column), "^".repeat(marked));
    Error::Recipe(format!(
        "{name}, line {number}, column {}: {message}\n{margin} |\n{number} | {shown}\n{margin} | \
         {blank}{carets}",
        column + 1
    ))
}

/// Adds the nearest of the names that a message of serde lists.
fn with_nearest(message: &str) -> String {
    let message = message
        .replace("unknown field", "unknown key")
        .replace("missing field", "missing key")
        .replace("unknown variant", "unknown value");
    let Some((wrong, expected)) = message.split_once(", expected ") else { return message };
    let Some(wrong) = quoted(wrong).next_back() else { return message };
    let expected: Vec<&str> = quoted(expected).collect();
    match nearest(wrong, expected.iter().copied()) {
        Some(name) => {
            let (first, rest) = message.split_at(message.find(", expected ").unwrap_or(0));
            format!("{first}; did you mean `{name}`?{}", rest.replacen(", ", " (", 1) + ")")
        }
        None => message,
    }
}

/// The parts of a text between backticks.
fn quoted(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    let parts: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    parts.into_iter()
}

/// The name nearest to `wrong`, if one is near enough to be meant.
pub(super) fn nearest<'a>(
    wrong: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let far = (wrong.chars().count() / 3).max(1) + 1;
    names
        .into_iter()
        .map(|name| (distance(wrong, name), name))
        .filter(|&(d, _)| d <= far)
        .min_by_key(|&(d, _)| d)
        .map(|(_, name)| name)
}

/// Letters to insert, delete, replace or swap with their neighbour, whatever the case, `_` being
/// `-`. Cost: the product of the lengths.
fn distance(a: &str, b: &str) -> usize {
    let plain = |text: &str| text.to_ascii_lowercase().replace('_', "-");
    strsim::osa_distance(&plain(a), &plain(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_letters() {
        assert_eq!(distance("width", "width"), 0);
        assert_eq!(distance("widht", "width"), 1);
        assert_eq!(distance("edge_features", "edge-features"), 0);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn only_near_names_are_offered() {
        let names = ["width", "layers", "readout"];
        assert_eq!(nearest("with", names), Some("width"));
        assert_eq!(nearest("Layer", names), Some("layers"));
        assert_eq!(nearest("colour", names), None);
    }

    #[test]
    fn the_caret_stands_below_the_place() {
        let text = "a = 1\nwidht = \"ü\" # x\n";
        let source = Source { name: "r.toml", text };
        let message = "unknown field `widht`, expected one of `width`, `kind`";
        let shown = error(source, 6..11, message).to_string();
        assert_eq!(
            shown,
            "r.toml, line 2, column 1: unknown key `widht`; did you mean `width`? (expected one \
             of `width`, `kind`)\n  |\n2 | widht = \"ü\" # x\n  | ^^^^^"
        );
        // Places at the very end, or none at all, are shown as well as can be.
        for span in [text.len()..text.len(), 900..901, 16..17, 0..900] {
            assert!(error(source, span, "x").to_string().starts_with("r.toml, line "));
        }
        assert_eq!(error(Source { name: "n", text: "" }, 0..0, "x").to_string(), "n: x");
    }
}
