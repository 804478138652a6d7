//! What separates the columns of a text table, as asked for or found in its first line.

use std::fmt;
use std::str::FromStr;

/// What separates the columns of a text table.
///
/// ```
/// use gsn_io::Delimiter;
/// assert_eq!(";".parse(), Ok(Delimiter::Semicolon));
/// assert_eq!("tab".parse(), Ok(Delimiter::Tab));
/// assert!("-".parse::<Delimiter>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Delimiter {
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// A tab.
    Tab,
    /// `|`
    Bar,
    /// A blank.
    Space,
}

/// Every delimiter with its byte, its name, and how messages speak of many.
const ALL: [(Delimiter, u8, &str, &str); 5] = [
    (Delimiter::Comma, b',', "comma", "commas"),
    (Delimiter::Semicolon, b';', "semicolon", "semicolons"),
    (Delimiter::Tab, b'\t', "tab", "tabs"),
    (Delimiter::Bar, b'|', "bar", "bars"),
    (Delimiter::Space, b' ', "space", "blanks"),
];

impl Delimiter {
    fn entry(self) -> &'static (Delimiter, u8, &'static str, &'static str) {
        const ENTRIES: &[(Delimiter, u8, &str, &str)] = &ALL;
        &ENTRIES[self as usize]
    }

    /// The byte itself.
    pub fn byte(self) -> u8 {
        self.entry().1
    }

    /// `commas`, `semicolons`, …
    pub(crate) fn many(self) -> &'static str {
        self.entry().3
    }

    /// What separates the columns of `line`: what is `usual` in such a file, unless another one
    /// gives columns that `fit` and the usual one does not, or there is no usual one in it.
    pub(crate) fn find(line: &[u8], usual: Self, fit: impl Fn(&[String]) -> bool) -> Self {
        let others = ALL.iter().map(|entry| entry.0).filter(|&other| other != usual);
        // A title may contain blanks, so that they win only if the titles fit.
        let (mut best, mut most) = (usual, 1);
        for one in std::iter::once(usual).chain(others) {
            // Setting up a parser takes longer than looking.
            if !line.contains(&one.byte()) {
                continue;
            }
            let columns = one.split(line);
            if columns.len() > 1 && fit(&columns) {
                return one;
            }
            let usual_splits = best == usual && most > 1;
            let may = one == usual || (one != Delimiter::Space && !usual_splits);
            if columns.len() > most && may {
                (best, most) = (one, columns.len());
            }
        }
        best
    }

    /// The columns of a line; quotation marks are respected.
    pub(crate) fn split(self, line: &[u8]) -> Vec<String> {
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(self.byte())
            .has_headers(false)
            .flexible(true)
            .from_reader(line);
        let mut record = csv::ByteRecord::new();
        // Reading from memory does not fail, and columns need not fit each other.
        let _ = reader.read_byte_record(&mut record);
        record.iter().map(|field| String::from_utf8_lossy(field.trim_ascii()).into()).collect()
    }
}

impl fmt::Display for Delimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.entry().2)
    }
}

impl FromStr for Delimiter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = if text == "\\t" { "\t" } else { text };
        let found = ALL.iter().find(|(_, byte, name, _)| {
            text.eq_ignore_ascii_case(name) || text.as_bytes() == [*byte]
        });
        found.map(|entry| entry.0).ok_or_else(|| {
            format!("`{text}` is no delimiter; there are comma, semicolon, tab, bar and space")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_the_list_is_that_of_the_type() {
        assert!(ALL.iter().enumerate().all(|(at, entry)| entry.0 as usize == at));
    }

    #[test]
    fn the_first_line_tells() {
        let smiles = |columns: &[String]| columns.iter().any(|c| c == "smiles");
        let find = |line: &str| Delimiter::find(line.as_bytes(), Delimiter::Comma, smiles);
        assert_eq!(find("id,smiles,y"), Delimiter::Comma);
        assert_eq!(find("id;smiles;y (a,b)"), Delimiter::Semicolon);
        assert_eq!(find("id\tsmiles"), Delimiter::Tab);
        assert_eq!(find("a|b|c"), Delimiter::Bar);
        assert_eq!(find("\"a;b\",\"c;d\""), Delimiter::Comma);
        assert_eq!(find("my smiles"), Delimiter::Space);
        assert_eq!(find("one title"), Delimiter::Comma);
        assert_eq!(find("smiles"), Delimiter::Comma);
        assert_eq!(find(""), Delimiter::Comma);
    }
}
