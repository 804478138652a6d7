//! The network beside what can be had without one, for a person.

use gsn_lab::experiment::Results;

/// A table of baselines with the network as its last line, and what is to be said about it; empty
/// if there are no baselines.
pub(crate) fn beside(results: &Results) -> String {
    if results.baselines.is_empty() {
        return String::new();
    }
    let number = |x: Option<f64>| x.map(|x| format!("{x:.4}")).unwrap_or_default();
    let metric = results.report.metric.name();
    let mut rows = vec![["beside".to_owned(), "validation".to_owned(), format!("test {metric}")]];
    for baseline in &results.baselines {
        rows.push([baseline.name.clone(), number(baseline.validation), number(baseline.test)]);
    }
    let (validation, test) = results.network();
    rows.push(["network".to_owned(), number(validation), number(Some(test))]);
    let width = |c: usize| rows.iter().map(|row| row[c].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1)];
    let mut text = String::from("\n");
    for [name, validation, test] in &rows {
        text += &format!("{name:0$}  {validation:1$}  {test}\n", widths[0], widths[1]);
    }
    for sentence in results.verdict() {
        text += &format!("note: {sentence}\n");
    }
    text
}
