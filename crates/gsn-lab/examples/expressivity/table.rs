//! Tables in Markdown, and short names for tests.

use gsn_lab::separate::{Outcome, Report};

/// A table from its head and rows.
pub(crate) fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(head);
    text += &format!("|{}\n", "---|".repeat(head.len()));
    rows.iter().for_each(|row| text += &line(row));
    text
}

/// Texts of several kinds as owned ones.
pub(crate) fn cells<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

/// The outcome of a test, by its name and the view of the counts.
pub(crate) fn outcome<'a>(
    report: &'a Report,
    test: &str,
    view: Option<(&str, &str)>,
) -> Option<&'a Outcome> {
    report.tests.iter().find(|outcome| {
        let (scope, matching) = (outcome.scope, outcome.matching);
        outcome.test == test
            && outcome.orbits != Some("official")
            && view.map(|(scope, _)| scope) == scope
            && view.map(|(_, matching)| matching) == matching
    })
}

/// Its failures, or a dash where it was not run.
pub(crate) fn failures(report: &Report, test: &str, view: Option<(&str, &str)>) -> String {
    let found = outcome(report, test, view).and_then(|outcome| outcome.failures);
    found.map_or("–".to_owned(), grouped)
}

/// A number with thin groups of three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
