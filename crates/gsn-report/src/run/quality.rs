//! Predictions beside targets: parity and errors of numbers; ROC and precision-recall curves,
//! calibration and probabilities of questions and classes; a table of confusions.
//!
//! However many rows there are, the pictures stay small: dots become a map of cells, curves are
//! thinned, and a sentence says so.

use super::RunFolder;
use super::predictions::Predictions;
use crate::html::{Cell, Html, Table, figures, plot, remark, tag};
use crate::plot::{histogram, parity, thinned};
use crate::words::plural;
use gsn_lab::chart::{Dot, Line, Plot, clipped, short};
use gsn_nn::metrics::Answers;

/// Targets or classes with pictures of their own, at most.
const MOST: usize = 6;
/// Classes of a table of confusions, at most.
const CONFUSED: usize = 20;
/// Bins of a calibration.
const BINS: usize = 10;

/// Pictures by task.
pub(super) fn section(run: &RunFolder) -> Html {
    let Some(all) = &run.predictions else { return Html::new() };
    let rows = plural(all.rows.len(), "test row", "test rows");
    let mut html = remark(format!("{rows}, predicted by {}.", all.by));
    let names = if all.answers == Answers::Classes { &all.classes } else { &all.targets };
    if names.len() > MOST {
        let of = if all.answers == Answers::Classes { "classes" } else { "targets" };
        html.push(remark(format!("Pictures show the first {MOST} of {} {of}.", names.len())));
    }
    match all.answers {
        Answers::Numbers => html.push(figures(numbers(all))),
        Answers::Questions | Answers::Classes => {
            html.push(figures(answers(all, names)));
            html.push(confusion(all));
        }
    }
    html
}

/// Parity and errors of every target.
fn numbers(all: &Predictions) -> Vec<Html> {
    let mut pictures = Vec::new();
    for (at, name) in all.targets.iter().enumerate().take(MOST) {
        let known: Vec<(f64, f64, String)> = all
            .rows
            .iter()
            .map(|said| (said.truth[at], said.said[at], called(&said.id, said.row)))
            .filter(|(truth, said, _)| truth.is_finite() && said.is_finite())
            .collect();
        pictures.push(plot(parity(name, &known)));
        let errors: Vec<f64> = known.iter().map(|(truth, said, _)| said - truth).collect();
        let title = format!("{name}: errors");
        pictures.push(plot(histogram(&title, "prediction − target", "rows", &errors)));
    }
    pictures
}

/// What a row is called.
pub(super) fn called(id: &str, row: u64) -> String {
    let id = clipped(id, 80);
    if id.is_empty() { format!("row {row}") } else { format!("{id} (row {row})") }
}

/// Curves, calibration and probabilities.
fn answers(all: &Predictions, names: &[String]) -> Vec<Html> {
    let mut pictures = curves(all, names);
    let judged = reliability(all, names);
    let mut plotted = unit(
        "Calibration",
        "predicted probability",
        "share that came true",
        vec![diagonal("ideal")],
    );
    for (at, (name, cases)) in judged.iter().enumerate() {
        let points = bins(cases);
        plotted.dots.extend(points.iter().map(|(p, share, n)| {
            let (p_said, came) = (short(*p), short(*share));
            let cases = plural(*n, "case", "cases");
            let title = format!("{name}: {cases} said {p_said}, {came} came true");
            Dot::new(*p, *share).with_title(title).with_colour(at)
        }));
        let line = points.iter().map(|(p, share, _)| (*p, *share)).collect();
        plotted.lines.push(Line::new(name, line).with_colour(at));
    }
    pictures.push(plot(plotted));
    let probabilities: Vec<f64> =
        judged.iter().flat_map(|(_, cases)| cases.iter().map(|(p, _)| *p)).collect();
    let what = if all.answers == Answers::Classes { "of the predicted class" } else { "of yes" };
    let title = format!("Predicted probabilities {what}");
    pictures.push(plot(histogram(&title, "probability", "cases", &probabilities)));
    pictures
}

/// ROC and precision-recall curves.
fn curves(all: &Predictions, names: &[String]) -> Vec<Html> {
    let Ok(scored) = all.part().scored() else { return Vec::new() };
    let curves = scored.curves();
    // Of two classes the curves of one say all about the other.
    let first = usize::from(all.answers == Answers::Classes && names.len() == 2);
    let shown = names.iter().zip(&curves).enumerate().skip(first).take(MOST);
    let called = |name: &str| match all.answers {
        Answers::Classes => format!("class {name}"),
        _ => name.to_owned(),
    };
    let lines = |which: usize| -> Vec<Line> {
        let there = shown.clone().filter(|(_, (_, curve))| !curve[which].is_empty());
        there
            .map(|(at, (name, curve))| {
                Line::new(called(name), thinned(&curve[which])).with_colour(at - first)
            })
            .collect()
    };
    let (mut roc, mut precision) = (lines(0), lines(1));
    if roc.is_empty() {
        return Vec::new();
    }
    roc.push(diagonal("chance"));
    if let [only] = &precision[..]
        // Where everything is called positive.
        && let Some(&(_, share)) = only.points.last()
    {
        let chance = Line::new("chance", vec![(0.0, share), (1.0, share)]);
        precision.push(chance.with_colour(7).with_dashes(true));
    }
    vec![
        plot(unit("ROC curve", "false positive rate", "true positive rate", roc)),
        plot(unit("Precision and recall", "recall", "precision", precision)),
    ]
}

/// Where both axes are the same.
fn diagonal(name: &str) -> Line {
    Line::new(name, vec![(0.0, 0.0), (1.0, 1.0)]).with_colour(7).with_dashes(true)
}

/// A plot of shares against shares.
fn unit(title: &str, x: &str, y: &str, lines: Vec<Line>) -> Plot {
    let range = Some([0.0, 1.0]);
    Plot { title: title.into(), x: x.into(), y: y.into(), lines, range, ..Plot::default() }
}

/// Predicted probabilities and whether they came true: of every question; of classes, of the
/// predicted one.
fn reliability(all: &Predictions, names: &[String]) -> Vec<(String, Vec<(f64, bool)>)> {
    if all.answers == Answers::Classes {
        let cases = all.rows.iter().filter(|said| !said.truth[0].is_nan());
        let cases = cases.map(|said| {
            let class = predicted(&said.said);
            (said.said[class], said.truth[0] == class as f64)
        });
        return vec![("predicted class".into(), cases.collect())];
    }
    let of = |(at, name): (usize, &String)| {
        let known = all.rows.iter().filter(|said| !said.truth[at].is_nan());
        (name.clone(), known.map(|said| (said.said[at], said.truth[at] > 0.5)).collect())
    };
    names.iter().enumerate().take(MOST).map(of).collect()
}

/// The class with the largest probability, the first of several.
fn predicted(probabilities: &[f64]) -> usize {
    let better = |a: usize, b: usize| if probabilities[b] > probabilities[a] { b } else { a };
    (0..probabilities.len()).reduce(better).unwrap_or(0)
}

/// Cases sorted by probability and cut into bins of equal count: mean probability, share that came
/// true, cases.
fn bins(cases: &[(f64, bool)]) -> Vec<(f64, f64, usize)> {
    let mut sorted = cases.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let size = sorted.len().div_ceil(BINS).max(1);
    sorted
        .chunks(size)
        .map(|bin| {
            let n = bin.len();
            let mean = bin.iter().map(|(p, _)| p).sum::<f64>() / n as f64;
            let share = bin.iter().filter(|(_, came)| *came).count() as f64 / n as f64;
            (mean, share, n)
        })
        .collect()
}

/// How often which answer was given for which truth.
fn confusion(all: &Predictions) -> Html {
    let yes_no = ["no".to_owned(), "yes".to_owned()];
    let mut html = Html::new();
    let (targets, classes): (usize, &[String]) = match all.answers {
        Answers::Classes => (1, &all.classes),
        _ => (all.targets.len().min(MOST), &yes_no),
    };
    if classes.len() > CONFUSED {
        return html;
    }
    for target in 0..targets {
        let mut counts = vec![vec![0u64; classes.len()]; classes.len()];
        for said in all.rows.iter().filter(|said| !said.truth[target].is_nan()) {
            let answer = match all.answers {
                Answers::Classes => predicted(&said.said),
                _ => usize::from(said.said[target] > 0.5),
            };
            counts[said.truth[target] as usize][answer] += 1;
        }
        let head = std::iter::once("true".to_owned())
            .chain(classes.iter().map(|name| format!("predicted {name}")));
        let mut table = Table::new(format!("{}: what was said of what", all.targets[target]), head);
        for (name, row) in classes.iter().zip(counts) {
            let cells = row.into_iter().map(Cell::whole);
            table.push(std::iter::once(Cell::from(name.as_str())).chain(cells));
        }
        html.push(tag("div").with(table));
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_as_many_cases_each() {
        let cases: Vec<(f64, bool)> = (0..100).map(|i| (f64::from(i) / 100.0, i >= 50)).collect();
        let bins = bins(&cases);
        assert_eq!(bins.len(), BINS);
        assert!(bins.iter().all(|(_, _, n)| *n == 10));
        assert_eq!((bins[0].1, bins[9].1), (0.0, 1.0));
        assert!((bins[0].0 - 0.045).abs() < 1e-12);
    }
}
