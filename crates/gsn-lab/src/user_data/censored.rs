//! Targets that are bounds: `<0.5` and `>10` in a column of numbers.
//!
//! They are read as such where a column holds more different plain numbers than bounds (texts like
//! `<5`, `5-10` and `>10` alone are classes), or where a regression is asked for.

use super::task::{Cell, Column, Kind};
use crate::error::{Error, Result};
use gsn_nn::Censoring;
use std::collections::BTreeSet;

/// What becomes of targets that are bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Censored {
    /// They cost where a prediction is on their wrong side, and no metric looks at them.
    #[default]
    Use,
    /// They are no targets.
    Drop,
    /// They are a mistake.
    Error,
}

impl std::str::FromStr for Censored {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "use" => Ok(Censored::Use),
            "drop" => Ok(Censored::Drop),
            "error" => Ok(Censored::Error),
            _ => Err(format!("`{text}` is none of use, drop and error")),
        }
    }
}

/// Columns with numbers in place of bounds.
pub(super) struct Numbers {
    pub(super) columns: Vec<Column>,
    /// For every row one for every column; empty where no target of the row is a bound.
    pub(super) censoring: Vec<Vec<Censoring>>,
    /// What is to be said about it.
    pub(super) notes: Vec<String>,
}

/// Reads the bounds among targets; nothing if there are none.
pub(super) fn read(
    columns: &[Column],
    wanted: Option<Kind>,
    policy: Censored,
) -> Result<Option<Numbers>> {
    if !matches!(wanted, None | Some(Kind::Regression)) {
        return Ok(None);
    }
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let mut out =
        Numbers { columns: columns.to_vec(), censoring: vec![Vec::new(); rows], notes: Vec::new() };
    let mut any = false;
    for (at, column) in out.columns.iter_mut().enumerate() {
        if wanted.is_none() && !holds_bounds(column) {
            continue;
        }
        let (mut below, mut above) = (0, 0);
        for (row, cell) in column.cells.iter_mut().enumerate() {
            let Some((side, number)) = bound(cell) else { continue };
            if policy == Censored::Error {
                return Err(Error::Recipe(format!(
                    "target `{cell}` of `{}` is a bound, not a number; --censored use learns from \
                     bounds, --censored drop leaves them out",
                    column.name
                )));
            }
            if side == Censoring::Below {
                below += 1
            } else {
                above += 1
            }
            if policy == Censored::Drop {
                *cell = Cell::Gap;
                continue;
            }
            *cell = Cell::Number(number);
            out.censoring[row].resize(columns.len(), Censoring::None);
            out.censoring[row][at] = side;
        }
        if below + above > 0 {
            any = true;
            let what = match policy {
                Censored::Drop => "they are left out",
                _ => {
                    "they cost only where a prediction is on their wrong side, and no metric looks \
                     at them (--censored drop leaves them out)"
                }
            };
            out.notes.push(format!(
                "{} targets of `{}` are bounds ({below} with <, {above} with >): {what}",
                below + above,
                column.name
            ));
        }
    }
    Ok(any.then_some(out))
}

/// Whether there are bounds, and more different plain numbers.
fn holds_bounds(column: &Column) -> bool {
    let (mut plain, mut bounds) = (BTreeSet::new(), BTreeSet::new());
    for cell in &column.cells {
        match cell.number() {
            Some(x) => plain.insert(x.to_bits()),
            None if bound(cell).is_some() => bounds.insert(cell.to_string()),
            None => continue,
        };
    }
    !bounds.is_empty() && plain.len() > bounds.len()
}

/// The side and the number of `<0.5`, `>= 10` and the like.
fn bound(cell: &Cell) -> Option<(Censoring, f64)> {
    let Cell::Text(text) = cell else { return None };
    let text = text.trim();
    let (side, rest) = match text.chars().next()? {
        '<' => (Censoring::Below, text[1..].strip_prefix('=').unwrap_or(&text[1..])),
        '>' => (Censoring::Above, text[1..].strip_prefix('=').unwrap_or(&text[1..])),
        '≤' => (Censoring::Below, &text['≤'.len_utf8()..]),
        '≥' => (Censoring::Above, &text['≥'.len_utf8()..]),
        _ => return None,
    };
    Cell::Text(rest.to_owned()).number().map(|number| (side, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(texts: &[&str]) -> Column {
        let cells = texts.iter().map(|&text| Cell::Text(text.into())).collect();
        Column { name: "y".into(), cells }
    }

    #[test]
    fn bounds_are_told_from_classes() {
        let found = |texts: &[&str]| read(&[column(texts)], None, Censored::Use).unwrap();
        let numbers = found(&["0.5", "1.5", "2.5", "<0.1", ">= 10", "≤0.2"]);
        // Three plain numbers are not more than three bounds.
        assert!(numbers.is_none());
        let numbers = found(&["0.5", "1.5", "2.5", "3.5", "<0.1", ">= 10", "≤0.2"]).unwrap();
        assert_eq!(numbers.columns[0].cells[5], Cell::Number(10.0));
        let side = |at: usize| numbers.censoring[at].first().copied();
        use Censoring::{Above, Below};
        assert_eq!(
            (side(0), side(4), side(5), side(6)),
            (None, Some(Below), Some(Above), Some(Below))
        );
        assert!(numbers.notes[0].contains("3 targets of `y` are bounds (2 with <, 1 with >)"));
        assert!(found(&["<5", "5-10", ">10", "<5"]).is_none());
        assert!(found(&["1", "2"]).is_none());
    }

    #[test]
    fn bounds_can_be_left_out_or_refused() {
        let columns = [column(&["0.5", "1.5", "<0.1"])];
        let dropped = read(&columns, None, Censored::Drop).unwrap().unwrap();
        assert_eq!(dropped.columns[0].cells[2], Cell::Gap);
        assert!(dropped.censoring.iter().all(Vec::is_empty));
        let refused = read(&columns, None, Censored::Error).err().unwrap().to_string();
        assert!(refused.contains("`<0.1` of `y`") && refused.contains("--censored"), "{refused}");
        let asked = read(&[column(&["<1", ">2"])], Some(Kind::Regression), Censored::Use);
        assert!(asked.unwrap().is_some());
    }
}
