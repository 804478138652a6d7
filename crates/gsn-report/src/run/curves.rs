//! How a run learned: loss and metric by epoch, every unit faint and their mean strong.

use super::RunFolder;
use crate::html::{Html, figures, plot, remark};
use gsn_lab::chart::{Line, Plot};
use gsn_lab::train::Row;

/// Units that have a line of their own, at most.
const FAINT: usize = 30;
/// Points of a line at most; of longer ones every second, third, … is drawn.
const POINTS: usize = 500;

/// Epochs of one unit.
type Curve<'a> = &'a [Row];

/// Loss and metric by epoch.
pub(super) fn section(run: &RunFolder) -> Html {
    let units = main_units(run);
    if units.is_empty() {
        return Html::new();
    }
    let metric = run.recipe.training.as_ref().map_or("metric", |t| t.metric.name());
    let loss: [Get; 3] =
        [|row| Some(row.train_loss), |row| row.validation_loss, |row| row.test_loss];
    let measured: [Get; 3] = [|row| row.train, |row| row.validation, |row| row.test];
    let rate: [Get; 3] = [|row| Some(row.lr), |_| None, |_| None];
    // One that stays says nothing beyond the recipe.
    let changes = units.iter().any(|unit| unit.iter().any(|row| row.lr != unit[0].lr));
    let panels = [
        panel("Loss by epoch", "loss", &units, &loss),
        panel(&format!("{metric} by epoch"), metric, &units, &measured),
        panel("Learning rate by epoch", "learning rate", &units, &rate).filter(|_| changes),
    ];
    let mut html = figures(panels.into_iter().flatten().map(plot));
    if units.len() > 1 {
        html.push(remark(format!(
            "Strong lines are means over {} units, as far as they are trained; faint lines are single \
             units{}.",
            units.len(),
            if units.len() > FAINT { format!(", the first {FAINT}") } else { String::new() }
        )));
    }
    html
}

/// The epochs of the units that are reported: networks fitted on all rows afterwards are another
/// story, and so is a second protocol.
pub(crate) fn main_units(run: &RunFolder) -> Vec<Curve<'_>> {
    let main: Option<Vec<&str>> = run
        .results()
        .map(|results| results.report.runs.iter().map(|run| run.unit.as_str()).collect());
    let is_main = |unit: &str| match &main {
        Some(units) => units.contains(&unit),
        None => !unit.starts_with("final-"),
    };
    run.curves.iter().filter(|(unit, _)| is_main(unit)).map(|(_, rows)| &rows[..]).collect()
}

type Get = fn(&Row) -> Option<f64>;

/// The mean over units, epoch by epoch.
pub(crate) fn mean(units: &[Curve<'_>], get: Get) -> Vec<(f64, f64)> {
    let longest = units.iter().map(|unit| unit.len()).max().unwrap_or(0);
    let point = |at: usize| {
        let values: Vec<f64> = units.iter().filter_map(|unit| get(unit.get(at)?)).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (!values.is_empty()).then_some((at as f64 + 1.0, mean))
    };
    (0..longest).step_by(longest.div_ceil(POINTS).max(1)).filter_map(point).collect()
}

fn panel(title: &str, y: &str, units: &[Curve<'_>], get: &[Get; 3]) -> Option<Plot> {
    let names = match y {
        "learning rate" => [y, "", ""],
        _ => ["training", "validation", "test"],
    };
    let mut lines = Vec::new();
    for (colour, (&name, &get)) in names.iter().zip(get).enumerate() {
        let strong = Line::new(name, mean(units, get)).with_colour(colour);
        if strong.points.is_empty() {
            continue;
        }
        if units.len() > 1 && y != "learning rate" {
            let single = units.iter().take(FAINT).map(|unit| {
                let points = mean(&[*unit], get);
                Line::new("", points).with_colour(colour).with_faintness(true)
            });
            lines.extend(single);
        }
        lines.push(strong);
    }
    let (title, x, y) = (title.to_owned(), "epoch".to_owned(), y.to_owned());
    (!lines.is_empty()).then(|| Plot { title, x, y, lines, ..Plot::default() })
}
