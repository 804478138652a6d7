//! The page of results, written from what is kept and nothing else.

use super::{Kept, Row, Scores, Table, Work};
use crate::error::Result;
use crate::experiment::Results;
use crate::protocol::Statistics;
use crate::recipe::Published;
use crate::run::put;
use gsn_nn::metrics::Metric;
use std::fmt::{Display, Formatter, Write};
use std::path::Path;

const HEAD: &str = "\
# What was trained, and the results

Written by `gsn reproduce` from the files in `docs/results`, which it keeps, one for every row or seed. `ours` and `published` are mean ±
sample standard deviation over folds or seeds. `difference` is ours less the published mean in units of the pooled deviation
√((s² + s_p²)/2); whether a row is *met* is judged by the published deviation: within one of it, or better. `re-estimated` are the
same weights, evaluated with BatchNorm statistics over the whole training part instead of the running ones that the paper's
protocol stores; `validation` is the metric on the validation part. A row is *stale* where the program of today, or its recipe, would give other bits than what made it. Times are
processor time a fold, seed or cell, of all threads together, on the machines that ran them. Rows that were not run yet are listed with what
they would cost on two cores. Times of counting against the sizes of patterns and graphs, another figure of the paper, stand under \"Growth\" in
`benches/README.md`.

";

/// The page: every row of every table, with what is kept of it in `results`. `core` is that of
/// today's program.
///
/// # Errors
/// If a kept file is damaged.
pub fn page(tables: &[Table], results: &Path, core: &str) -> Result<String> {
    let (mut page, mut judged) = (String::new(), Judged::default());
    for table in tables {
        let _ = writeln!(page, "## {}\n", table.title);
        if !table.about.is_empty() {
            let _ = writeln!(page, "{}\n", table.about.trim());
        }
        let mut lines = Lines::default();
        if let Some(base) = table.rows.iter().find(|row| table.against.as_ref() == Some(&row.id)) {
            lines.against = Some((base, KeptRow::read(results, base)?.validations()));
        }
        for row in &table.rows {
            let kept = KeptRow::read(results, row)?;
            if let Some(published) = row.published().filter(|_| table.against.is_none()) {
                judged.add(&table.title, &kept, &published);
            }
            match kept.runs.is_empty() {
                false => lines.add(&kept, core)?,
                true => lines.left.push(row),
            }
        }
        page += &lines.text();
    }
    Ok(format!("{HEAD}{}\n{page}", judged.text()))
}

/// Writes the page to a file; see [`page`].
///
/// # Errors
/// If a kept file is damaged, or the page cannot be written.
pub fn write_page(path: &Path, tables: &[Table], results: &Path, core: &str) -> Result<()> {
    put(path, page(tables, results, core)?.as_bytes())
}

/// What is kept of a row.
struct KeptRow<'a> {
    row: &'a Row,
    /// Seeds that belong to it; none where it is one run.
    seeds: usize,
    runs: Vec<Kept>,
}

impl<'a> KeptRow<'a> {
    fn read(folder: &Path, row: &'a Row) -> Result<Self> {
        Ok(Self { row, seeds: row.seeds()?.len(), runs: row.kept(folder)? })
    }

    /// Would the program of today, or its recipe, give something else?
    fn is_stale(&self, core: &str) -> Result<bool> {
        let sha256 = self.row.sha256()?;
        Ok(self.runs.iter().any(|kept| !kept.is_current(core, &sha256)))
    }

    /// Seconds of a processor that a unit took on average, of those that noted them.
    fn seconds(&self) -> Option<f64> {
        let units = |kept: &Kept| match (&kept.results, &kept.sweep) {
            (Some(results), _) => results.report.runs.len(),
            (_, Some(sweep)) => sweep.lines.len(),
            _ => 1,
        };
        let noted =
            self.runs.iter().filter_map(|kept| Some((kept.processor_seconds?, units(kept))));
        let (seconds, units) = noted.fold((0.0, 0), |(s, n), (t, m)| (s + t, n + m));
        (units > 0).then(|| seconds / units as f64)
    }

    /// The programs that made it.
    fn programs(&self) -> String {
        let mut all: Vec<&str> = self.runs.iter().map(|kept| kept.program.as_str()).collect();
        all.sort_unstable();
        all.dedup();
        all.join(", ")
    }

    fn results(&self) -> impl Iterator<Item = &Results> {
        self.runs.iter().filter_map(|kept| kept.results.as_ref())
    }

    /// Mean and spread of the test metric over all units there are. Folds belong together, and
    /// their report says what they came to.
    fn test(&self) -> Option<Statistics> {
        if self.seeds == 0 {
            return self.results().next().map(|results| results.report.test);
        }
        let units = self.results().flat_map(|results| &results.report.runs);
        Statistics::of(&units.map(|unit| unit.value).collect::<Vec<_>>())
    }

    /// The same on the validation part, where there is one.
    fn validation(&self) -> Option<Statistics> {
        if self.seeds == 0 {
            return self.results().next().and_then(|results| results.report.validation);
        }
        Statistics::of(&self.validations().iter().map(|(_, x)| *x).collect::<Vec<_>>())
    }

    /// The metric on the validation part of every seed.
    fn validations(&self) -> Vec<(u64, f64)> {
        let units = self.results().flat_map(|results| &results.report.runs);
        units.filter_map(|unit| Some((unit.seed, unit.validation?))).collect()
    }

    /// The test metric with re-estimated statistics, where every run has them.
    fn re_estimated(&self) -> Option<Statistics> {
        let values: Option<Vec<f64>> = self.runs.iter().map(|kept| kept.re_estimated).collect();
        Statistics::of(&values?)
    }

    /// How it compares with a published number, if it was run.
    fn verdict(&self, published: &Published) -> Option<Verdict> {
        if let Some((results, test)) = self.results().next().zip(self.test()) {
            return Some(Verdict::new(results.report.metric.maximise(), test.mean, published));
        }
        let compared = self.runs.iter().find_map(|kept| kept.compared.as_ref())?;
        Some(Verdict::new(false, compared.share, published))
    }

    /// How many units there are, and of how many.
    fn units(&self) -> String {
        let there: usize = self.results().map(|results| results.report.runs.len()).sum();
        match self.seeds {
            0 => there.to_string(),
            all if all == there => there.to_string(),
            all => format!("{there} of {all}"),
        }
    }
}

/// The lines of one table.
#[derive(Default)]
struct Lines<'a> {
    /// The row that others are compared with instead of published numbers, and what its seeds gave on
    /// the validation part.
    against: Option<(&'a Row, Vec<(u64, f64)>)>,
    trained: String,
    compared: String,
    swept: String,
    scored: Vec<(usize, String)>,
    commands: String,
    notes: String,
    left: Vec<&'a Row>,
}

impl<'a> Lines<'a> {
    fn add(&mut self, kept: &KeptRow<'a>, core: &str) -> Result<()> {
        let row = kept.row;
        let stale = if kept.is_stale(core)? { " **stale**" } else { "" };
        let _ = writeln!(self.commands, "- {}: `{}`", row.label, row.command());
        if !row.note.is_empty() {
            let _ = writeln!(self.notes, "- {}: {}", row.label, row.note);
        }
        let (time, programs) = (kept.seconds().map_or("–".into(), duration), kept.programs());
        if let Some((results, test)) = kept.results().next().zip(kept.test()) {
            let metric = results.report.metric;
            let said =
                |of: Option<Statistics>| of.map(|of| spread(metric, &of)).unwrap_or_default();
            let mut cells = vec![format!("{}{stale}", row.label), spread(metric, &test)];
            match &self.against {
                Some((base, there)) => {
                    let change = change(&kept.validations(), there).filter(|_| base.id != row.id);
                    cells.extend([said(kept.validation()), change.unwrap_or_default()]);
                }
                None => {
                    let published = row.published();
                    let published = published.as_ref();
                    cells.extend([
                        said(kept.re_estimated()),
                        said(kept.validation()),
                        published.map(|p| printed(metric, p)).unwrap_or_default(),
                        published.and_then(|p| difference(&test, p)).unwrap_or_default(),
                        published
                            .and_then(|p| kept.verdict(p))
                            .map(|v| v.to_string())
                            .unwrap_or_default(),
                    ]);
                }
            }
            cells.extend([
                kept.units(),
                results.parameters.to_string(),
                time.clone(),
                programs.clone(),
            ]);
            let _ = writeln!(self.trained, "| {} |", cells.join(" | "));
        }
        for compared in kept.runs.iter().filter_map(|kept| kept.compared.as_ref()) {
            let pairs = compared.separation.pairs;
            let _ = writeln!(
                self.compared,
                "| {}{stale} | {} | {pairs} | {:.4} % | {} | {time} | {programs} |",
                row.label,
                compared.dataset,
                100.0 * compared.share,
                row.published().map(|p| format!("{} %", 100.0 * p.mean)).unwrap_or_default(),
            );
        }
        for table in kept.runs.iter().filter_map(|kept| kept.sweep.as_ref()) {
            let _ = writeln!(self.swept, "**{}**{stale} ({time} a cell, {programs})\n", row.label);
            self.swept += &table.to_markdown();
            self.swept.push('\n');
        }
        if let Work::Scores(scores) = &row.work {
            let line = |name: &str, values: &[f64]| {
                let cells: Vec<String> = values.iter().map(|x| format!("{x:.3}")).collect();
                format!("| {}, {name} | {} |", row.label, cells.join(" | "))
            };
            for kept in &kept.runs {
                let ours = line(&format!("ours{stale}"), &kept.scores);
                let ours = format!("{ours} {time} | {programs} |\n");
                let printed = line("printed", &scores.printed) + "  |  |\n";
                self.scored.push((scores.printed.len(), ours + &printed));
            }
        }
        Ok(())
    }

    /// The scores of all rows below one head.
    fn scores(&self) -> String {
        let Some(most) = self.scored.iter().map(|(sizes, _)| *sizes).max() else {
            return String::new();
        };
        let sizes = Scores::FIRST..Scores::FIRST + most;
        let head: String = sizes.map(|k| format!(" k = {k} |")).collect();
        let rows: String = self.scored.iter().map(|(_, lines)| lines.as_str()).collect();
        format!("| |{head} time | program |\n|---|{}\n{rows}\n", "---|".repeat(most + 2))
    }

    fn text(self) -> String {
        let mut text = String::new();
        if !self.trained.is_empty() {
            let head = match self.against {
                Some(_) => "ours | validation | change there",
                None => "ours | re-estimated | validation | published | difference |",
            };
            let head = format!("| | {head} | units | parameters | time | program |\n");
            let columns = head.matches('|').count() - 1;
            text += &format!("{head}|{}\n", "---|".repeat(columns));
            text += &self.trained;
            text.push('\n');
        }
        if !self.compared.is_empty() {
            text += "| | graphs | pairs | not told apart | published | time | program |\n|---|---|---|---|---|---|---|\n";
            text += &self.compared;
            text.push('\n');
        }
        text += &self.swept;
        text += &self.scores();
        if !self.notes.is_empty() {
            let _ = writeln!(text, "{}", self.notes);
        }
        if !self.left.is_empty() {
            text += "Not run yet:\n\n| | published | about | command |\n|---|---|---|---|\n";
            for row in &self.left {
                let metric = row.recipe().ok().flatten().and_then(|r| r.training.map(|t| t.metric));
                let published = row.published().filter(|_| self.against.is_none());
                let published = published.zip(metric).map(|(p, m)| printed(m, &p));
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
            let _ = writeln!(text, "The commands:\n\n{}", self.commands);
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

/// Ours − another's, of the seeds that both have.
fn change(ours: &[(u64, f64)], other: &[(u64, f64)]) -> Option<String> {
    let of = |(seed, x): &(u64, f64)| Some(x - other.iter().find(|(s, _)| s == seed)?.1);
    let changes = Statistics::of(&ours.iter().filter_map(of).collect::<Vec<_>>())?;
    let spread = changes.std.map(|std| format!(" ± {std:.4}")).unwrap_or_default();
    Some(format!("{:+.4}{spread}", changes.mean))
}

/// How a row compares with its published number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    Better,
    /// Worse by at most one published deviation.
    Met,
    Missed,
}

impl Verdict {
    fn new(maximise: bool, ours: f64, published: &Published) -> Self {
        let worse = if maximise { published.mean - ours } else { ours - published.mean };
        match worse {
            x if x <= 0.0 => Self::Better,
            x if x <= published.std.unwrap_or(0.0) => Self::Met,
            _ => Self::Missed,
        }
    }
}

impl Display for Verdict {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Better => "better",
            Self::Met => "met",
            Self::Missed => "**not met**",
        })
    }
}

/// How all rows that aim for a published number compare with it.
#[derive(Default)]
struct Judged {
    met: usize,
    missed: Vec<String>,
    left: usize,
}

impl Judged {
    fn add(&mut self, table: &str, kept: &KeptRow<'_>, published: &Published) {
        match kept.verdict(published) {
            Some(Verdict::Better | Verdict::Met) => self.met += 1,
            Some(Verdict::Missed) => self.missed.push(format!("{} ({table})", kept.row.label)),
            None => self.left += 1,
        }
    }

    fn text(&self) -> String {
        let run = self.met + self.missed.len();
        let missed = match self.missed.as_slice() {
            [] => String::new(),
            missed => format!(". Not met: {}", missed.join("; ")),
        };
        format!(
            "**{run} of {} rows with a published number were run, {} of them meet it or are better{missed}.**\n",
            run + self.left,
            self.met
        )
    }
}

/// A time for a person.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => "under 1 s".into(),
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
        use Verdict::{Better, Met, Missed};
        for (ours, expected) in [(0.10, Better), (0.12, Met), (0.13, Missed)] {
            assert_eq!(Verdict::new(false, ours, &published(0.115, 0.012)), expected);
        }
        for (ours, expected) in [(0.91, Better), (0.85, Met), (0.80, Missed)] {
            assert_eq!(Verdict::new(true, ours, &published(0.906, 0.075)), expected);
        }
    }

    #[test]
    fn rows_that_miss_are_named_first() {
        let judged = Judged { met: 3, missed: vec!["A (T)".into(), "B (T)".into()], left: 2 };
        assert!(judged.text().contains("5 of 7 rows") && judged.text().contains("3 of them"));
        assert!(judged.text().contains("Not met: A (T); B (T).**"));
        assert!(!Judged { met: 1, ..Judged::default() }.text().contains("Not met"));
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
    fn changes_are_of_equal_seeds() {
        let base = [(0, 0.1), (1, 0.2), (2, 0.9)];
        assert_eq!(change(&[(1, 0.3), (0, 0.4)], &base).unwrap(), "+0.2000 ± 0.1414");
        assert_eq!(change(&[(2, 0.8)], &base).unwrap(), "-0.1000");
        assert_eq!(change(&[(7, 0.8)], &base), None);
    }

    #[test]
    fn times_are_short() {
        let said = [0.3, 61.0, 120.0, 7200.0].map(duration);
        assert_eq!(said, ["under 1 s", "61 s", "2 min", "2.0 h"]);
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
        assert!(page.contains("0 of ") && !page.contains("stale**"));
    }
}
