//! Several runs side by side: their numbers over one axis, their curves in one picture, and where
//! their recipes differ.

use crate::html::{
    Cell, Html, Page, Section, Table, code, figure, figures, paragraph, plot, remark, warning,
};
use crate::run::{Reported, RunFolder, curves, duration, results, word};
use gsn_lab::chart::{Line, Plot, Range, ranges, short};
use gsn_lab::recipe::Published;
use gsn_lab::train::{Metric, Row, Settings};
use std::collections::BTreeMap;

/// Runs whose own sections follow the comparison, at most.
const SHOWN: usize = 8;

/// The page of several runs.
pub(crate) fn page(runs: &[&RunFolder]) -> Page {
    let mut opening = paragraph(format!("{} runs side by side.", runs.len()));
    for run in runs {
        if let Some(text) = run.unfinished() {
            opening.push(warning(format!("{}: {text}", name(run))));
        }
    }
    let mut page = Page::new("Comparison of runs", opening);
    page.add(
        None,
        vec![
            Section::new("Results", numbers(runs)),
            Section::new("How they learned", learned(runs)),
            Section::new("Where the recipes differ", differences(runs)),
        ],
    );
    if runs.len() > SHOWN {
        let text = format!(
            "More than {SHOWN} runs are compared only; `gsn report` of one of them shows the rest of it."
        );
        page.add(None, vec![Section::new("Single runs", paragraph(text))]);
        return page;
    }
    for run in runs {
        let mut sections = vec![Section::new("In short", run.opening())];
        sections.extend(run.sections());
        page.add(Some(format!("{}: {}", name(run), run.title())), sections);
    }
    page
}

/// What a run is called beside others: its folder.
fn name(run: &RunFolder) -> String {
    let last = run.path.canonicalize().ok().and_then(|path| path.file_name().map(|n| n.to_owned()));
    last.map_or(run.path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// The metrics there are, in the order of the runs.
fn metrics(runs: &[&RunFolder]) -> Vec<Metric> {
    let mut all: Vec<Metric> = Vec::new();
    for metric in runs.iter().filter_map(|run| run.results()).map(|r| r.report.metric) {
        if !all.contains(&metric) {
            all.push(metric);
        }
    }
    all
}

/// A picture for every metric, and a table of everything.
fn numbers(runs: &[&RunFolder]) -> Html {
    let mut pictures = Vec::new();
    for metric in metrics(runs) {
        let mut rows = Vec::new();
        let mut published: Vec<&Published> = Vec::new();
        for (at, run) in runs.iter().enumerate() {
            let Some(results) = run.results().filter(|r| r.report.metric == metric) else {
                continue;
            };
            let row = results::range(&results.report, at);
            let name = format!("{}, {}", name(run), results.report.protocol);
            rows.push(Range { name, ..row });
            let one = run.recipe.published.as_ref();
            published.extend(one.filter(|one| !published.contains(one)));
        }
        rows.extend(published.iter().copied().map(results::published_range));
        let spread = published.into_iter().find(|published| published.std.is_some());
        let caption = format!("{}.", results::points(spread));
        pictures.push(figure(&ranges(&results::axis(metric), &rows), &caption));
    }
    let head = ["run", "recipe", "data"].into_iter().chain(results::NUMBERS);
    let head = head.chain(["best without one", "training"]);
    let mut table = Table::new("Results", head);
    for run in runs {
        let data = run.versions.as_ref().map_or(run.recipe.data.set.as_str(), |v| &v.data.name);
        let mut row = vec![Cell::from(name(run)), run.recipe.name.as_str().into(), data.into()];
        let published = run.recipe.published.as_ref();
        let mut baseline = None;
        match &run.reported {
            Reported::Trained(trained) => {
                row.extend(results::cells(trained, published));
                baseline = results::best_baseline(trained).map(|(_, value)| value);
            }
            Reported::Compared(compared) => {
                row.extend(results::compared_cells(compared, published));
            }
            Reported::Nothing => {
                row.extend([run.recipe.protocol.name(), "not finished"].map(Cell::from));
                row.extend((2..results::NUMBERS.len()).map(|_| Cell::default()));
            }
        }
        row.push(Cell::number(baseline));
        row.push(Cell::valued(run.seconds().map(duration).unwrap_or_default(), run.seconds()));
        table.push(row);
    }
    let html = figures(pictures).and(table);
    let together = |run: &&RunFolder| run.results().is_some_and(|r| r.ensemble.is_some());
    if runs.iter().any(together) { html.and(remark(results::TWO_TESTS)) } else { html }
}

/// Losses and metrics by epoch, runs of one loss or metric in one picture.
fn learned(runs: &[&RunFolder]) -> Html {
    type Get = fn(&Row) -> Option<f64>;
    type Called = fn(&Settings) -> String;
    let metric: Called = |training| training.metric.name().to_owned();
    let panels: [(&str, Called, Get); 3] = [
        (
            "Training",
            |training| format!("loss ({})", word(training.loss)),
            |row| Some(row.train_loss),
        ),
        ("Validation", metric, |row| row.validation),
        ("Test", metric, |row| row.test),
    ];
    let mut pictures = Vec::new();
    for (part, called, get) in panels {
        let mut kinds: Vec<(String, Vec<Line>)> = Vec::new();
        for (at, run) in runs.iter().enumerate() {
            let points = curves::mean(&curves::main_units(run), get);
            let kind = run.recipe.training.as_ref().map(called).filter(|_| !points.is_empty());
            let Some(kind) = kind else { continue };
            let line = Line::new(name(run), points).with_colour(at);
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, lines)) => lines.push(line),
                None => kinds.push((kind, vec![line])),
            }
        }
        pictures.extend(kinds.into_iter().map(|(y, lines)| {
            let title = format!("{part} {y} by epoch");
            plot(Plot { title, x: "epoch".into(), y, lines, ..Plot::default() })
        }));
    }
    figures(pictures)
}

/// Keys of the recipes whose values are not the same everywhere.
fn differences(runs: &[&RunFolder]) -> Html {
    let recipes: Vec<BTreeMap<String, String>> = runs
        .iter()
        .map(|run| {
            let mut keys = BTreeMap::new();
            let value = serde_json::to_value(&run.recipe).unwrap_or_default();
            flatten("", &value, &mut keys);
            keys
        })
        .collect();
    let mut keys: Vec<&String> = recipes.iter().flat_map(BTreeMap::keys).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.retain(|key| *key != "about");
    keys.retain(|key| recipes.iter().any(|recipe| recipe.get(*key) != recipes[0].get(*key)));
    if keys.is_empty() {
        return paragraph("They do not: all runs have the same recipe.");
    }
    let head = std::iter::once("key".to_owned()).chain(runs.iter().map(|run| name(run)));
    let mut table = Table::new("Keys whose values differ", head);
    for key in keys {
        let value = |recipe: &BTreeMap<String, String>| {
            recipe.get(key).map_or(Cell::from("–"), |value| Cell::from(value.as_str()))
        };
        let cells = recipes.iter().map(value);
        table.push(std::iter::once(Cell::from(code(key.as_str()))).chain(cells));
    }
    table.into()
}

/// `network.width` = `64`, and so on.
fn flatten(key: &str, value: &serde_json::Value, into: &mut BTreeMap<String, String>) {
    match value {
        serde_json::Value::Object(table) => {
            for (name, value) in table {
                let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                flatten(&key, value, into);
            }
        }
        serde_json::Value::String(text) => {
            into.insert(key.to_owned(), text.clone());
        }
        serde_json::Value::Number(number) => {
            let text = number.as_f64().map_or(number.to_string(), short);
            into.insert(key.to_owned(), text);
        }
        serde_json::Value::Null => {}
        other => {
            into.insert(key.to_owned(), other.to_string());
        }
    }
}
