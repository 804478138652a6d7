//! Tables with a head that sorts them by a click, where scripts run.

use super::{Html, tag};
use crate::words::{grouped, percent, readable};
use gsn_lab::chart::short;

/// Bytes of a text that stays on one line, at most; of a head, characters.
const SHORT: usize = 26;
const SHORT_HEAD: usize = 16;

/// One cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    shown: Shown,
    /// What it is sorted by; the text if not given.
    value: Option<f64>,
    number: bool,
}

/// What stands in a cell. Numbers of a column have as many digits as the longest of them needs, so
/// that their points are below each other.
#[derive(Clone, Debug)]
enum Shown {
    Html(Html),
    Number(f64),
    Interval([f64; 2]),
}

impl Default for Shown {
    fn default() -> Self {
        Self::Html(Html::new())
    }
}

impl Shown {
    fn is_empty(&self) -> bool {
        matches!(self, Self::Html(html) if html.is_empty())
    }

    /// Digits behind the point that it needs.
    fn digits(&self) -> usize {
        match self {
            Self::Html(_) => 0,
            Self::Number(x) => digits(*x),
            Self::Interval(ends) => ends.map(digits).into_iter().max().unwrap_or(0),
        }
    }

    fn html(self, digits: usize) -> Html {
        match self {
            Self::Html(html) => html,
            Self::Number(x) => Html::text(aligned(x, digits)),
            Self::Interval(ends) => {
                let [low, high] = ends.map(|end| aligned(end, digits));
                Html::text(format!("{low} – {high}"))
            }
        }
    }
}

/// Digits behind the point of a number from this on, at most.
const LARGE: (f64, usize) = (100.0, 2);

/// Digits behind the point of a number that people read.
fn digits(x: f64) -> usize {
    let text = readable(x);
    let behind = text.split_once('.').filter(|_| !text.contains('e'));
    behind.map_or(0, |(_, digits)| digits.len().min(most_digits(x)))
}

fn most_digits(x: f64) -> usize {
    if x.abs() < LARGE.0 { usize::MAX } else { LARGE.1 }
}

/// A number with that many digits; one that is too large or too small for them as it is.
fn aligned(x: f64, digits: usize) -> String {
    let text = readable(x);
    let digits = digits.min(most_digits(x));
    if digits == 0 || short(x).contains('e') { text } else { format!("{x:.digits$}") }
}

impl Cell {
    /// A number, sorted by its value; empty if there is none.
    pub(crate) fn number(value: impl Into<Option<f64>>) -> Self {
        let value = value.into().filter(|value| value.is_finite());
        Self { shown: value.map(Shown::Number).unwrap_or_default(), value, number: true }
    }

    /// From where to where, sorted by its beginning; empty if there is none.
    pub(crate) fn interval(ends: Option<[f64; 2]>) -> Self {
        let ends = ends.filter(|ends| ends.iter().all(|end| end.is_finite()));
        let value = ends.map(|[low, _]| low);
        Self { shown: ends.map(Shown::Interval).unwrap_or_default(), value, number: true }
    }

    /// A whole number.
    pub(crate) fn whole(value: u64) -> Self {
        Self::valued(Html::text(grouped(value)), value as f64)
    }

    /// A share in per cent; empty if there is none.
    pub(crate) fn share(share: impl Into<Option<f64>>) -> Self {
        let share = share.into();
        Self::valued(share.map(percent).unwrap_or_default(), share)
    }

    /// A text that is sorted by a number.
    pub(crate) fn valued(shown: impl Into<Html>, value: impl Into<Option<f64>>) -> Self {
        Self { shown: Shown::Html(shown.into()), value: value.into(), number: true }
    }
}

impl<T: Into<Html>> From<T> for Cell {
    fn from(shown: T) -> Self {
        Self { shown: Shown::Html(shown.into()), value: None, number: false }
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

/// The classes of a cell.
fn class(number: bool, short: bool) -> &'static str {
    match (number, short) {
        (true, true) => "number short",
        (true, false) => "number",
        (false, true) => "short",
        (false, false) => "",
    }
}

impl Table {
    /// Leaves columns out that say nothing.
    fn without_empty_columns(&mut self) {
        if self.rows.is_empty() {
            return;
        }
        let says = |at: usize| {
            self.rows.iter().any(|row| row.get(at).is_some_and(|cell| !cell.shown.is_empty()))
        };
        let kept: Vec<bool> = (0..self.head.len()).map(says).collect();
        let keep = |at: usize| kept.get(at).copied().unwrap_or(true);
        let mut at = 0..;
        self.head.retain(|_| at.next().is_some_and(keep));
        for row in &mut self.rows {
            let mut at = 0..;
            row.retain(|_| at.next().is_some_and(keep));
        }
    }
}

impl From<Table> for Html {
    fn from(mut table: Table) -> Self {
        table.without_empty_columns();
        let is_number = |at: usize| {
            let mut cells = table.rows.iter().filter_map(|row| row.get(at)).peekable();
            cells.peek().is_some() && cells.all(|cell| cell.number || cell.shown.is_empty())
        };
        let head: Html = table
            .head
            .iter()
            .enumerate()
            .map(|(at, name)| {
                let class = class(is_number(at), name.chars().count() <= SHORT_HEAD);
                tag("th").attribute("scope", "col").classes(class).with(name.as_str())
            })
            .collect();
        let columns = table.head.len();
        let needed: Vec<usize> = (0..columns)
            .map(|at| table.rows.iter().filter_map(|row| Some(row.get(at)?.shown.digits())).max())
            .map(Option::unwrap_or_default)
            .collect();
        let cell = |(at, cell): (usize, Cell)| {
            let short = matches!(&cell.shown, Shown::Html(html) if html.as_str().len() <= SHORT);
            let class = class(cell.number, short && !cell.number && !cell.shown.is_empty());
            let mut one = tag("td").classes(class);
            if let Some(value) = cell.value {
                one = one.attribute("data-value", value);
            }
            one.with(cell.shown.html(needed.get(at).copied().unwrap_or_default()))
        };
        let rows: Html = table
            .rows
            .into_iter()
            .map(|row| tag("tr").with(row.into_iter().enumerate().map(cell).collect::<Html>()))
            .collect();
        let inside = tag("table")
            .with(tag("caption").with(table.name.as_str()))
            .with(tag("thead").with(tag("tr").with(head)))
            .with(tag("tbody").with(rows));
        tag("div")
            .class("wide")
            // No landmark: there are many, some of the same name.
            .attribute("role", "group")
            .attribute("tabindex", "0")
            .attribute("aria-label", &table.name)
            .with(inside)
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_sorted_by_their_values() {
        let mut table = Table::new("runs", ["run", "mae"]);
        table.push([Cell::from("<a>"), Cell::number(0.25)]);
        table.push([Cell::from("b"), Cell::number(None)]);
        table.push([Cell::from("c"), Cell::number(2.0)]);
        table.push([Cell::from("d"), Cell::number(1e-6)]);
        let html = Html::from(table);
        assert!(html.as_str().contains("<td class=\"number\" data-value=\"0.25\">0.25</td>"));
        assert!(html.as_str().contains("<td class=\"short\">&lt;a&gt;</td>"));
        assert!(html.as_str().contains("<td class=\"number\" data-value=\"2\">2.00</td>"));
        assert!(html.as_str().contains("data-value=\"0.000001\">1.00e-6</td>"));
        assert!(html.as_str().contains("<th scope=\"col\" class=\"number short\">mae</th>"));
    }

    #[test]
    fn columns_that_say_nothing_are_left_out() {
        let mut table = Table::new("runs", ["run", "fold", "mae"]);
        table.push([Cell::from("a"), Cell::default(), Cell::number(None)]);
        table.push([Cell::from("b"), Cell::default(), Cell::number(1.0)]);
        let html = Html::from(table);
        assert!(!html.as_str().contains("fold") && html.as_str().contains("mae"));
        assert_eq!(html.as_str().matches("<td").count(), 4);
    }

    #[test]
    fn large_numbers_have_few_digits_behind_the_point() {
        let mut table = Table::new("counts", ["mean", "most"]);
        table.push([Cell::number(0.1234), Cell::number(12_345.0)]);
        table.push([Cell::number(1234.0), Cell::number(2_500_000.0)]);
        let html = Html::from(table);
        for said in [">0.1234<", ">1234.00<", ">12\u{202f}345<", ">2\u{202f}500\u{202f}000<"] {
            assert!(html.as_str().contains(said), "{said}: {}", html.as_str());
        }
    }
}
