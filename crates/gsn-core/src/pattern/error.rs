//! The error of the pattern grammar: it shows the text and points at the character.

use std::fmt;

/// What is wrong with a pattern text, and where.
///
/// ```
/// use gsn_core::PatternSet;
/// let error = "path:4, cycel:6".parse::<PatternSet>().unwrap_err();
/// assert_eq!(error.position, 8);
/// assert_eq!(
///     error.to_string(),
///     "unknown pattern family `cycel`; did you mean `cycle`?\n\
///      \x20 path:4, cycel:6\n\
///      \x20         ^"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PatternSyntaxError {
    /// The text that was read.
    pub text: String,
    /// Byte of `text` that the message is about; its length when something is missing at the end.
    pub position: usize,
    /// What is wrong, and where known what to write instead.
    pub message: String,
    /// File and line, when `text` came from there.
    pub location: Option<String>,
}

/// What a parser inside returns: a byte position and a message.
pub(super) type At<T> = Result<T, (usize, String)>;

impl PatternSyntaxError {
    pub(super) fn new(text: &str, (position, message): (usize, String)) -> Self {
        Self { text: text.to_owned(), position, message, location: None }
    }
}

impl std::error::Error for PatternSyntaxError {}

impl fmt::Display for PatternSyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Characters shown on either side of the position, when the line is long.
        const REACH: usize = 60;
        if let Some(location) = &self.location {
            write!(f, "{location}: ")?;
        }
        write!(f, "{}", self.message)?;
        let mut position = self.position.min(self.text.len());
        while !self.text.is_char_boundary(position) {
            position -= 1;
        }
        let (before, after) = self.text.split_at(position);
        let before = before.rsplit('\n').next().unwrap_or_default();
        let after = after.split('\n').next().unwrap_or_default();
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        let count = before.chars().count();
        let mut shown: String =
            before.chars().skip(count.saturating_sub(REACH)).map(plain).collect();
        if count > REACH {
            shown.insert(0, '…');
        }
        let column = shown.chars().count();
        shown.extend(after.chars().take(REACH).map(plain));
        if after.chars().nth(REACH).is_some() {
            shown.push('…');
        }
        write!(f, "\n  {}\n  {:column$}^", shown.trim_end(), "")
    }
}
