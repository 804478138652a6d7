//! What the graphs and targets of a run are like. Cost: one pass over the graphs.

use super::{Data, RunFolder};
use crate::html::{Cell, Html, Table, figures, list, plot, prose, remark, warning};
use crate::plot::histogram;
use crate::words::sentence;
use gsn_lab::{Dataset, Splits, Task};

/// Targets with pictures of their own, at most.
const MOST: usize = 4;
/// Classes in a table, at most.
const CLASSES: usize = 50;

/// Sizes, parts, targets, and what was left out.
pub(super) fn section(run: &RunFolder) -> Html {
    let Data { dataset, user } = match &run.data {
        Ok(data) => data,
        Err(why) => {
            let text =
                format!("The graphs are not described, since the data could not be read: {why}.");
            return warning(text);
        }
    };
    let mut html = sizes(dataset);
    html.push(parts(dataset));
    html.push(classes(dataset));
    let of = |get: &dyn Fn(&gsn_core::Graph) -> usize| -> Vec<f64> {
        dataset.samples.iter().map(|sample| get(&sample.graph) as f64).collect()
    };
    let mut pictures = Vec::new();
    let orders = of(&|graph| graph.order());
    // Of graphs of one size the table says all.
    if orders.iter().any(|order| *order != orders[0]) {
        pictures.push(plot(histogram("Vertices of a graph", "vertices", "graphs", &orders)));
    }
    if matches!(dataset.task, Task::Regression(_)) {
        for (at, name) in dataset.target_names.iter().enumerate().take(MOST) {
            let values: Vec<f64> = dataset.samples.iter().map(|s| s.targets[at]).collect();
            pictures.push(plot(histogram(&format!("Targets: {name}"), name, "graphs", &values)));
        }
    }
    html.push(figures(pictures));
    if let Some(user) = user {
        let report = &user.report;
        let left_out = match report.rejected.len() {
            0 => None,
            n => {
                let were = if n == 1 { "was" } else { "were" };
                let rows = report.rows;
                Some(format!("{n} of {rows} rows {were} left out (rejected.csv says why)."))
            }
        };
        let said = [format!("Task: {}.", report.task), format!("Cut: {}.", report.split)];
        html.push(list(said.into_iter().chain(left_out).map(prose)));
        report.warnings.iter().for_each(|text| html.push(warning(sentence(text))));
    }
    if !dataset.licence.is_empty() {
        html.push(remark(format!("Licence and source: {}.", dataset.licence)));
    }
    html
}

/// Least, median, mean and largest of what a graph has.
fn sizes(dataset: &Dataset) -> Html {
    let name = format!("{} graphs", dataset.samples.len());
    let mut table = Table::new(name, ["of a graph", "least", "median", "mean", "largest"]);
    let directed = dataset.samples.iter().any(|sample| sample.graph.is_directed());
    let edges = if directed { "arcs" } else { "edges" };
    let mut row = |name: &str, of: &dyn Fn(&gsn_core::Graph) -> f64| {
        let mut all: Vec<f64> = dataset.samples.iter().map(|s| of(&s.graph)).collect();
        all.sort_by(f64::total_cmp);
        let mean = all.iter().sum::<f64>() / all.len().max(1) as f64;
        let at = |place: usize| all.get(place).copied();
        table.push([
            name.into(),
            Cell::number(at(0)),
            Cell::number(at(all.len() / 2)),
            Cell::number(mean),
            Cell::number(all.last().copied()),
        ]);
    };
    row("vertices", &|graph| graph.order() as f64);
    row(edges, &|graph| graph.edge_count() as f64);
    row("largest degree", &|graph| graph.max_degree() as f64);
    table.into()
}

/// How many graphs each part has.
fn parts(dataset: &Dataset) -> Html {
    let (folds, name) = match &dataset.splits {
        Splits::None => return Html::new(),
        Splits::Fixed(fold) => (std::slice::from_ref(fold), "Parts".to_owned()),
        Splits::Folds(folds) => {
            (&folds[..], format!("Parts of the first of {} folds", folds.len()))
        }
    };
    let Some(fold) = folds.first() else { return Html::new() };
    let mut table = Table::new(name, ["part", "graphs", "share"]);
    let all = dataset.samples.len().max(1) as f64;
    for (name, items) in [
        ("training", &fold.train),
        ("validation", &fold.validation),
        ("kept apart for intervals", &fold.calibration),
        ("test", &fold.test),
    ] {
        if !items.is_empty() {
            let share = items.len() as f64 / all;
            table.push([name.into(), Cell::whole(items.len() as u64), Cell::share(share)]);
        }
    }
    table.into()
}

/// How many graphs have which answer.
fn classes(dataset: &Dataset) -> Html {
    let count = |target: usize, is: f64| {
        dataset.samples.iter().filter(|sample| sample.targets[target] == is).count() as u64
    };
    match &dataset.task {
        Task::Regression(_) => Html::new(),
        Task::Binary(questions) => {
            let mut table = Table::new("Answers", ["question", "yes", "no", "not known"]);
            for target in 0..(*questions).min(CLASSES) {
                let (yes, no) = (count(target, 1.0), count(target, 0.0));
                let missing = dataset.samples.len() as u64 - yes - no;
                let cells = [yes, no, missing].map(Cell::whole);
                let name = Cell::from(dataset.target_names[target].as_str());
                table.push(std::iter::once(name).chain(cells));
            }
            table.into()
        }
        Task::Classes(names) => {
            let sizes = (0..names.len()).map(|class| count(0, class as f64));
            if names.len() > 2 && sizes.clone().all(|size| size == 1) {
                return remark(format!("Every one of the {} graphs is a class.", names.len()));
            }
            let mut table = Table::new("Classes", ["class", "graphs"]);
            for (name, size) in names.iter().zip(sizes).take(CLASSES) {
                table.push([name.as_str().into(), Cell::whole(size)]);
            }
            table.into()
        }
    }
}
