//! Tables with a head that sorts them by a click, where scripts run.

use super::{Html, tag};
use gsn_lab::chart::short;

/// One cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    shown: Html,
    /// What it is sorted by; the text if not given.
    value: Option<f64>,
    number: bool,
}

impl Cell {
    /// A number, sorted by its value; empty if there is none.
    pub(crate) fn number(value: impl Into<Option<f64>>) -> Self {
        let value = value.into().filter(|value| value.is_finite());
        Self { shown: value.map(|x| Html::text(short(x))).unwrap_or_default(), value, number: true }
    }

    /// A whole number.
    pub(crate) fn whole(value: u64) -> Self {
        Self { shown: Html::text(grouped(value)), value: Some(value as f64), number: true }
    }

    /// A text that is sorted by a number.
    pub(crate) fn valued(shown: impl Into<Html>, value: impl Into<Option<f64>>) -> Self {
        Self { shown: shown.into(), value: value.into(), number: true }
    }
}

impl<T: Into<Html>> From<T> for Cell {
    fn from(shown: T) -> Self {
        Self { shown: shown.into(), value: None, number: false }
    }
}

/// A table under way.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    name: String,
    head: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table called `name` with these columns.
    pub(crate) fn new<T: Into<String>>(
        name: impl Into<String>,
        head: impl IntoIterator<Item = T>,
    ) -> Self {
        let head = head.into_iter().map(Into::into).collect();
        Self { name: name.into(), head, rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = Cell>) {
        self.rows.push(row.into_iter().collect());
    }
}

impl From<Table> for Html {
    fn from(table: Table) -> Self {
        let is_number = |at: usize| {
            let mut cells = table.rows.iter().filter_map(|row| row.get(at)).peekable();
            cells.peek().is_some() && cells.all(|cell| cell.number || cell.shown.is_empty())
        };
        let head: Html = table
            .head
            .iter()
            .enumerate()
            .map(|(at, name)| {
                let head = tag("th").attribute("scope", "col");
                let head = if is_number(at) { head.class("number") } else { head };
                head.with(name.as_str())
            })
            .collect();
        let cell = |cell: Cell| {
            let mut one = tag("td");
            if cell.number {
                one = one.class("number");
            }
            if let Some(value) = cell.value {
                one = one.attribute("data-value", value);
            }
            one.with(cell.shown)
        };
        let rows: Html = table
            .rows
            .into_iter()
            .map(|row| tag("tr").with(row.into_iter().map(cell).collect::<Html>()))
            .collect();
        let inside = tag("table")
            .with(tag("caption").with(table.name.as_str()))
            .with(tag("thead").with(tag("tr").with(head)))
            .with(tag("tbody").with(rows));
        tag("div")
            .class("wide")
            .attribute("role", "region")
            .attribute("tabindex", "0")
            .attribute("aria-label", &table.name)
            .with(inside)
            .into()
    }
}

/// `12 345 678`, with narrow spaces.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) && digits.len() > 4 {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_sorted_by_their_values() {
        let mut table = Table::new("runs", ["run", "mae"]);
        table.push([Cell::from("<a>"), Cell::number(0.25)]);
        table.push([Cell::from("b"), Cell::number(None)]);
        let html = Html::from(table);
        assert!(html.as_str().contains("<td class=\"number\" data-value=\"0.25\">0.25</td>"));
        assert!(html.as_str().contains("<td>&lt;a&gt;</td>"));
        assert!(html.as_str().contains("<th scope=\"col\" class=\"number\">mae</th>"));
    }

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(
            [8696, 20929, 1_234_567].map(grouped),
            ["8696", "20\u{202f}929", "1\u{202f}234\u{202f}567"]
        );
    }
}
