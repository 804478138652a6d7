//! Pictures of a run: how it learned (`learning-curve.svg`), and predictions beside targets
//! (`parity.svg` for numbers, `roc.svg` with ROC and precision-recall curves for the rest).

use crate::chart::{Dot, Line, Plot, plots};
use crate::dataset::{Dataset, Task};
use crate::error::Result;
use crate::model_file::Part;
use crate::protocol::Outcome;
use crate::train::{Metric, PartPredictions, Row};
use gsn_nn::metrics::Answers;

/// Panels or lines at most.
const MOST: usize = 10;
/// Points of a panel at most; of more, every second, third, … is drawn.
const DOTS: usize = 5000;

/// Loss and metric by epoch, the mean over units where there are several.
pub(super) fn learning_curve(metric: Metric, units: &[&Outcome]) -> String {
    let line = |name: &str, get: fn(&Row) -> Option<f64>| {
        let longest = units.iter().map(|unit| unit.curve.len()).max().unwrap_or(0);
        let point = |at: usize| {
            let rows = units.iter().filter_map(|unit| unit.curve.get(at));
            let values: Vec<f64> = rows.filter_map(get).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            (!values.is_empty()).then_some((at as f64 + 1.0, mean))
        };
        Line::new(name, (0..longest).filter_map(point).collect())
    };
    let title = match units.len() {
        1 => String::new(),
        n => format!(", mean of {n} units"),
    };
    let panel = |y: &str, lines: [Line; 3]| {
        let lines: Vec<Line> = lines
            .into_iter()
            .enumerate()
            .map(|(at, line)| line.with_colour(at))
            .filter(|line| !line.points.is_empty())
            .collect();
        let (x, y) = ("epoch".to_owned(), y.to_owned());
        Plot { title: format!("{y}{title}"), x, y, lines, ..Plot::default() }
    };
    let loss = [
        line("training", |row| Some(row.train_loss)),
        line("validation", |row| row.validation_loss),
        line("test", |row| row.test_loss),
    ];
    let measured = [
        line("training", |row| row.train),
        line("validation", |row| row.validation),
        line("test", |row| row.test),
    ];
    let panels = [panel("loss", loss), panel(metric.name(), measured)];
    let panels: Vec<Plot> = panels.into_iter().filter(|plot| !plot.lines.is_empty()).collect();
    plots(&panels, 2)
}

/// The picture of a unit's test part and the name of its file; nothing if there is none.
pub(super) fn predictions(
    dataset: &Dataset,
    unit: &str,
    parts: &[PartPredictions],
) -> Result<Option<(&'static str, String)>> {
    let Some(test) = parts.iter().find(|part| part.part == Part::Test) else { return Ok(None) };
    Ok(Some(match test.answers {
        Answers::Numbers => ("parity.svg", parity(dataset, unit, test)),
        Answers::Questions | Answers::Classes => ("roc.svg", roc(dataset, unit, test)?),
    }))
}

/// Predictions against targets, a panel a target.
fn parity(dataset: &Dataset, unit: &str, test: &PartPredictions) -> String {
    let panel = |(at, name): (usize, &String)| {
        let rows = 0..test.items.len();
        let all: Vec<(f64, f64)> = rows
            .map(|r| (test.targets.row(r)[at], test.outputs.row(r)[at]))
            .filter(|(target, said)| !target.is_nan() && said.is_finite())
            .collect();
        let step = all.len().div_ceil(DOTS).max(1);
        let dots: Vec<(f64, f64)> = all.iter().step_by(step).copied().collect();
        let (low, high) = dots
            .iter()
            .flat_map(|&(x, y)| [x, y])
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let margin = 0.03 * (high - low);
        let drawn = match step {
            1 => String::new(),
            _ => format!(", {} of {} rows", dots.len(), all.len()),
        };
        let diagonal = Line::new("", vec![(low, low), (high, high)]).with_colour(7);
        Plot {
            title: format!("{name}, test part of {unit}{drawn}"),
            x: "target".into(),
            y: "prediction".into(),
            lines: if dots.is_empty() { vec![] } else { vec![diagonal.with_dashes(true)] },
            range: (low < high).then_some([low - margin, high + margin]),
            dots: dots.into_iter().map(|(x, y)| Dot::new(x, y)).collect(),
            ..Plot::default()
        }
    };
    let panels: Vec<Plot> = dataset.target_names.iter().take(MOST).enumerate().map(panel).collect();
    plots(&panels, 2)
}

/// ROC and precision-recall curves, a line a question or a class against the rest.
fn roc(dataset: &Dataset, unit: &str, test: &PartPredictions) -> Result<String> {
    let names = match &dataset.task {
        Task::Classes(names) => names,
        _ => &dataset.target_names,
    };
    let curves = test.scored()?.curves();
    let lines = |which: usize| -> Vec<Line> {
        let named = names.iter().zip(&curves).take(MOST).enumerate();
        named
            .filter(|(_, (_, curve))| !curve[which].is_empty())
            .map(|(at, (name, curve))| Line::new(name, curve[which].clone()).with_colour(at))
            .collect()
    };
    let mut roc = lines(0);
    let chance = Line::new("", vec![(0.0, 0.0), (1.0, 1.0)]).with_colour(7).with_dashes(true);
    roc.push(chance);
    let plot = |title: &str, x: &str, y: &str, lines: Vec<Line>| Plot {
        title: format!("{title}, test part of {unit}"),
        x: x.into(),
        y: y.into(),
        lines,
        range: Some([0.0, 1.0]),
        ..Plot::default()
    };
    let panels = [
        plot("ROC", "false positive rate", "true positive rate", roc),
        plot("precision and recall", "recall", "precision", lines(1)),
    ];
    Ok(plots(&panels, 2))
}
