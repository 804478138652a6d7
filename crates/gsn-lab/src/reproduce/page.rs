//! The page of results, written from what is kept and nothing else.

use super::{Kept, Row, Table};
use crate::error::Result;
use crate::protocol::Statistics;
use crate::recipe::Published;
use gsn_nn::metrics::Metric;
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# What was trained, and the results

Written by `gsn reproduce --page` from the files in `docs/results`, which `gsn reproduce` keeps. `ours` and `published` are mean ±
sample standard deviation over folds or seeds. `difference` is ours less the published mean in units of the pooled deviation
√((s² + s_p²)/2); whether a row is *met* is judged by the published deviation: within one of it, or better. `re-estimated` are the
same weights, evaluated with BatchNorm statistics over the whole training part instead of the running ones that the paper's
protocol stores. A row is *stale* where the program of today would give other bits
than the one that made it. Times are those of two cores, all units together. Rows that were not run yet are listed with what they would
cost.

";

/// The page: every row of every table, with what is kept of it in `results`. `core` is that of
/// today's program.
///
/// # Errors
/// If a kept file is damaged.
pub fn page(tables: &[Table], results: &Path, core: &str) -> Result<String> {
    let mut page = HEAD.to_owned();
    for table in tables {
        let _ = writeln!(page, "## {}\n", table.title);
        if !table.about.is_empty() {
            let _ = writeln!(page, "{}\n", table.about.trim());
        }
        let mut lines = Lines::default();
        for row in &table.rows {
            match Kept::read(results, &row.id)? {
                Some(kept) => lines.add(row, &kept, core),
                None => lines.left.push(row),
            }
        }
        page += &lines.text();
    }
    Ok(page)
}

/// The lines of one table.
#[derive(Default)]
struct Lines<'a> {
    trained: String,
    compared: String,
    swept: String,
    commands: String,
    notes: String,
    left: Vec<&'a Row>,
}

impl<'a> Lines<'a> {
    fn add(&mut self, row: &'a Row, kept: &Kept, core: &str) {
        let stale = if kept.core == core { "" } else { " **stale**" };
        let _ = writeln!(self.commands, "{}", kept.command);
        if !row.note.is_empty() {
            let _ = writeln!(self.notes, "- {}: {}", row.label, row.note);
        }
        let time = duration(kept.seconds);
        if let Some(results) = &kept.results {
            let (report, metric) = (&results.report, results.report.metric);
            let published = row.published();
            let cells = [
                format!("{}{stale}", row.label),
                spread(metric, &report.test),
                kept.re_estimated.as_ref().map(|r| spread(metric, &r.test)).unwrap_or_default(),
                published.as_ref().map(|p| printed(metric, p)).unwrap_or_default(),
                published.as_ref().and_then(|p| difference(&report.test, p)).unwrap_or_default(),
                published
                    .as_ref()
                    .map(|p| verdict(metric, report.test.mean, p))
                    .unwrap_or_default(),
                report.runs.len().to_string(),
                results.parameters.to_string(),
                time.clone(),
                kept.program.clone(),
            ];
            let _ = writeln!(self.trained, "| {} |", cells.join(" | "));
        }
        if let Some(compared) = &kept.compared {
            let pairs = compared.separation.pairs;
            let _ = writeln!(
                self.compared,
                "| {}{stale} | {} | {pairs} | {:.4} % | {} | {time} | {} |",
                row.label,
                compared.dataset,
                100.0 * compared.share,
                row.published().map(|p| format!("{} %", 100.0 * p.mean)).unwrap_or_default(),
                kept.program,
            );
        }
        if let Some(table) = &kept.sweep {
            let _ = writeln!(self.swept, "**{}**{stale} ({time}, {})\n", row.label, kept.program);
            self.swept += &table.to_markdown();
            self.swept.push('\n');
        }
    }

    fn text(self) -> String {
        let mut text = String::new();
        if !self.trained.is_empty() {
            text += "| | ours | re-estimated | published | difference | | units | parameters | time | program |\n\
                     |---|---|---|---|---|---|---|---|---|---|\n";
            text += &self.trained;
            text.push('\n');
        }
        if !self.compared.is_empty() {
            text += "| | graphs | pairs | not told apart | published | time | program |\n|---|---|---|---|---|---|---|\n";
            text += &self.compared;
            text.push('\n');
        }
        text += &self.swept;
        if !self.notes.is_empty() {
            let _ = writeln!(text, "{}", self.notes);
        }
        if !self.left.is_empty() {
            text += "Not run yet:\n\n| | published | about | command |\n|---|---|---|---|\n";
            for row in &self.left {
                let metric = row.recipe().ok().flatten().and_then(|r| r.training.map(|t| t.metric));
                let published = row.published().zip(metric).map(|(p, m)| printed(m, &p));
                let _ = writeln!(
                    text,
                    "| {} | {} | {} | `{}` |",
                    row.label,
                    published.unwrap_or_default(),
                    duration(60.0 * row.minutes),
                    row.command(),
                );
            }
            text.push('\n');
        }
        if !self.commands.is_empty() {
            let _ = writeln!(
                text,
                "The commands, in the order of the table:\n\n```sh\n{}```\n",
                self.commands
            );
        }
        text
    }
}

/// Shares are printed as percentages.
fn number(metric: Metric, x: f64) -> String {
    match metric {
        Metric::Accuracy | Metric::RocAuc => format!("{:.2} %", 100.0 * x),
        _ => format!("{x:.4}"),
    }
}

fn plus_minus(metric: Metric, mean: f64, std: Option<f64>) -> String {
    match std {
        Some(std) => format!("{} ± {}", number(metric, mean), number(metric, std)),
        None => number(metric, mean),
    }
}

fn spread(metric: Metric, of: &Statistics) -> String {
    plus_minus(metric, of.mean, of.std)
}

fn printed(metric: Metric, published: &Published) -> String {
    plus_minus(metric, published.mean, published.std)
}

/// (ours − published) / √((s² + s_p²)/2), where both have a spread.
fn difference(ours: &Statistics, published: &Published) -> Option<String> {
    let (ours_std, std) = (ours.std?, published.std?);
    let pooled = ((ours_std * ours_std + std * std) / 2.0).sqrt();
    (pooled > 0.0).then(|| format!("{:+.2}", (ours.mean - published.mean) / pooled))
}

/// Met within one published deviation, or better.
fn verdict(metric: Metric, ours: f64, published: &Published) -> String {
    let worse = match metric.maximise() {
        true => published.mean - ours,
        false => ours - published.mean,
    };
    let tolerated = published.std.unwrap_or(0.0);
    match worse {
        x if x <= 0.0 => "better".into(),
        x if x <= tolerated => "met".into(),
        _ => "**not met**".into(),
    }
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn published(mean: f64, std: f64) -> Published {
        Published { mean, std: Some(std), printed: String::new(), parameters: None }
    }

    #[test]
    fn rows_are_judged_by_the_published_deviation_whichever_way_is_better() {
        for (metric, ours, expected) in [
            (Metric::Mae, 0.10, "better"),
            (Metric::Mae, 0.12, "met"),
            (Metric::Mae, 0.13, "**not met**"),
        ] {
            assert_eq!(verdict(metric, ours, &published(0.115, 0.012)), expected);
        }
        for (ours, expected) in [(0.91, "better"), (0.85, "met"), (0.80, "**not met**")] {
            assert_eq!(verdict(Metric::Accuracy, ours, &published(0.906, 0.075)), expected);
        }
    }

    #[test]
    fn differences_are_in_pooled_deviations() {
        let ours = Statistics::of(&[0.1, 0.2]).unwrap();
        let std = ours.std.unwrap();
        let said = difference(&ours, &published(0.15 - std, std)).unwrap();
        assert_eq!(said, "+1.00");
        assert_eq!(difference(&Statistics::of(&[0.1]).unwrap(), &published(0.1, 0.1)), None);
    }

    #[test]
    fn a_page_lists_what_was_not_run() {
        let folder = tempfile::tempdir().unwrap();
        let tables = super::super::tables().unwrap();
        let page = page(&tables, folder.path(), "").unwrap();
        for table in &tables {
            assert!(page.contains(&table.title));
            for row in &table.rows {
                assert!(page.contains(&row.command()), "{}", row.id);
            }
        }
        assert!(!page.contains("stale**"));
    }
}
