//! The numbers a run reports: the protocol's, beside the published one and what can be had without a
//! network; of every unit; and every other metric.

use super::{Reported, RunFolder, State, duration};
use crate::html::{Cell, Html, Table, beside, figure, paragraph, remark, tag, warning};
use crate::words::{grouped, plural, sentence};
use gsn_lab::chart::{Range, ranges, short};
use gsn_lab::experiment::{Compared, Ensemble, JudgedRows, Results};
use gsn_lab::model_file::Part;
use gsn_lab::protocol::{PartMetrics, Report, Statistics, UnitMetrics};
use gsn_lab::recipe::Published;
use gsn_lab::train::Metric;

/// What the rows of a picture show; the bar of a published number is another one.
pub(crate) fn points(published: Option<&Published>) -> String {
    let deviation = match published.and_then(|published| published.std) {
        Some(_) => "; of a published number the bar is ± its deviation",
        None => "",
    };
    format!(
        "Points are units (folds or seeds), the mark is their mean, the bar its 95 % interval\
         {deviation}"
    )
}

/// Columns that every table of results has.
pub(crate) const NUMBERS: [&str; 8] = [
    "protocol",
    "metric",
    "test",
    "all networks",
    "95 % interval of test",
    "published",
    "units",
    "parameters",
];

/// How two of these columns differ.
pub(crate) const TWO_TESTS: &str = "“test” is the mean over units, each judged by itself; “all \
                                    networks” judges the mean of their predictions.";

/// Their cells for a trained result.
pub(crate) fn cells(results: &Results, published: Option<&Published>) -> [Cell; 8] {
    let report = &results.report;
    [
        report.protocol.as_str().into(),
        report.metric.name().into(),
        Cell::number(report.test.mean),
        Cell::number(results.ensemble.as_ref().map(|ensemble| ensemble.value)),
        Cell::interval(report.test.interval95),
        Cell::number(published.map(|published| published.mean)),
        Cell::whole(report.runs.len() as u64),
        Cell::whole(results.parameters as u64),
    ]
}

/// Their cells for pairs of graphs that were compared.
pub(crate) fn compared_cells(compared: &Compared, published: Option<&Published>) -> [Cell; 8] {
    [
        "separation".into(),
        "share not told apart".into(),
        Cell::number(compared.share),
        Cell::default(),
        Cell::default(),
        Cell::number(published.map(|published| published.mean)),
        Cell::whole(compared.separation.failed.len() as u64),
        Cell::default(),
    ]
}

/// The axis of a picture of a metric.
pub(crate) fn axis(metric: Metric) -> String {
    let better = if metric.maximise() { "larger" } else { "smaller" };
    format!("test {} ({better} is better)", metric.name())
}

/// The numbers that matter most, large.
pub(super) fn cards(run: &RunFolder) -> Html {
    let mut cards = Html::new();
    let mut card = |number: String, what: String| {
        let inside = Html::from(tag("b").with(number)).and(tag("span").with(what));
        cards.push(tag("div").class("card").with(inside));
    };
    match &run.reported {
        Reported::Trained(results) => {
            let Results { report, parameters, .. } = &**results;
            let name = report.metric.name();
            let (_, value) = results.network();
            match &results.ensemble {
                Some(Ensemble { rows: JudgedRows::Test, members, count, .. }) => {
                    let networks = plural(*members, "network", "networks");
                    let rows = plural(*count as usize, "row", "rows");
                    let what = format!("test {name}, mean of {networks}, {rows}");
                    card(short(value), what);
                }
                _ => {
                    let units = report.runs.len();
                    let spread = report.test.std.map(|std| deviation(&short(std)));
                    let what = match units {
                        1 => format!("test {name}, one unit"),
                        n => format!("test {name}, mean and deviation of {n} units"),
                    };
                    card(short(value) + &spread.unwrap_or_default(), what);
                }
            }
            if let Some(published) = &run.recipe.published {
                let spread =
                    published.std.map(|std| deviation(&std.to_string())).unwrap_or_default();
                card(format!("{}{spread}", published.mean), "published".into());
            }
            if let Some((name, value)) = best_baseline(results) {
                card(short(value), format!("the best without a network ({name})"));
            }
            card(grouped(*parameters as u64), "parameters of the network".into());
        }
        Reported::Compared(compared) => {
            let pairs = compared.separation.pairs;
            card(
                format!("{} %", short(100.0 * compared.share)),
                format!("of {pairs} pairs are not told apart"),
            );
            if let Some(published) = &run.recipe.published {
                card(format!("{} %", short(100.0 * published.mean)), "published".into());
            }
        }
        Reported::Nothing => {
            let epochs: usize = run.curves.iter().map(|(_, rows)| rows.len()).sum();
            let units = plural(run.curves.len(), "unit", "units");
            card(grouped(epochs as u64), format!("epochs of {units}"));
        }
    }
    if let Some(seconds) = run.seconds().filter(|_| run.state == State::Finished) {
        card(duration(seconds), "to train".into());
    }
    tag("div").class("cards").with(cards).into()
}

/// ` ± 0.5`: where a line has no room for both numbers, the sign stays with the second.
fn deviation(std: &str) -> String {
    format!(" ±\u{a0}{std}")
}

pub(crate) fn best_baseline(results: &Results) -> Option<(&str, f64)> {
    let metric = results.report.metric;
    let all = results.baselines.iter().filter_map(|b| Some((b.name.as_str(), b.test?)));
    all.reduce(|a, b| if metric.better(b.1, a.1) { b } else { a })
}

/// Everything that was measured.
pub(super) fn section(run: &RunFolder) -> Html {
    match &run.reported {
        Reported::Trained(results) => trained(results, run.recipe.published.as_ref()),
        Reported::Compared(compared) => {
            let mut table = Table::new("Pairs that are not told apart", ["seed", "pairs", "share"]);
            let pairs = compared.separation.pairs;
            for (seed, &failed) in run.recipe.seeds.0.iter().zip(&compared.separation.failed) {
                let share = failed as f64 / pairs.max(1) as f64;
                table.push([Cell::whole(*seed), Cell::whole(failed), Cell::number(share)]);
            }
            table.into()
        }
        Reported::Nothing => underway(run),
    }
}

/// How far the units of a run are that has not reported yet.
fn underway(run: &RunFolder) -> Html {
    if run.units.is_empty() {
        return paragraph("There are no results yet.");
    }
    let metric = run.recipe.training.as_ref().map_or("metric", |t| t.metric.name());
    let best = format!("best validation {metric}");
    let head = ["unit", "saved epochs", "state", &best, "at epoch"].map(str::to_owned);
    let mut table = Table::new("Units that were begun", head);
    for unit in &run.units {
        table.push([
            unit.name.as_str().into(),
            Cell::whole(unit.epochs),
            if unit.done { "trained" } else { "not finished" }.into(),
            Cell::number(unit.best.map(|(_, value)| value)),
            Cell::number(unit.best.map(|(epoch, _)| epoch as f64)),
        ]);
    }
    table.into()
}

/// Numbers and pictures of a finished training.
pub(crate) fn trained(results: &Results, published: Option<&Published>) -> Html {
    let metric = results.report.metric;
    let axis = axis(metric);
    let mut rows = Vec::new();
    if let Some(ensemble) = &results.ensemble {
        let interval = of_ensemble(results).and_then(|part| part.get(metric)?.interval95);
        let (name, mean) = (together(ensemble), Some(ensemble.value));
        rows.push(Range { name, mean, interval, colour: 2, ..Range::default() });
    }
    rows.extend(reports(results).map(|(at, report)| range(report, at)));
    rows.extend(published.map(published_range));
    rows.extend(results.baselines.iter().filter(|b| b.test.is_some()).map(|baseline| Range {
        name: format!("{}, without a network", baseline.name),
        mean: baseline.test,
        colour: 4,
        ..Range::default()
    }));
    let bootstrap = match &results.ensemble {
        Some(_) => "; of the first row it is found by bootstrap over the graphs",
        None => "",
    };
    let caption = format!("{}{bootstrap}.", points(published));
    let mut html = beside(figure(&ranges(&axis, &rows), &caption), numbers(results, published));
    let verdict = results.verdict();
    verdict.into_iter().for_each(|text| html.push(warning(sentence(&text))));
    html.push(intervals(results));
    html.push(every_metric(results));
    html.and(units(results))
}

/// What all networks of a run say together, of which rows.
fn together(ensemble: &Ensemble) -> String {
    match ensemble.rows {
        JudgedRows::Test => format!("mean of all networks, {} test rows", ensemble.count),
        JudgedRows::OutOfFold => {
            format!("all {} rows, each by the fold that has not seen it", ensemble.count)
        }
    }
}

/// What was judged, among rows that are no networks.
fn network(report: &Report) -> String {
    format!("network, {}", report.protocol)
}

/// The reports of a run and the numbers of their colours.
fn reports(results: &Results) -> impl Iterator<Item = (usize, &Report)> {
    std::iter::once((0, &results.report)).chain(results.beside.as_ref().map(|beside| (1, beside)))
}

/// A report as a row of points.
pub(crate) fn range(report: &Report, colour: usize) -> Range {
    let point = |run: &gsn_lab::protocol::Run| {
        (run.value, format!("{}: {}, epoch {}", run.unit, short(run.value), run.epoch))
    };
    Range {
        name: network(report),
        points: report.runs.iter().map(point).collect(),
        mean: Some(report.test.mean),
        interval: report.test.interval95,
        colour,
    }
}

/// A published number and its deviation as a row.
pub(crate) fn published_range(published: &Published) -> Range {
    let Published { mean, std, printed, .. } = published;
    let bar = if std.is_some() { " ± deviation" } else { "" };
    Range {
        name: format!("published{bar}: {printed}"),
        mean: Some(*mean),
        interval: std.map(|std| [mean - std, mean + std]),
        colour: 7,
        ..Range::default()
    }
}

fn of_ensemble(results: &Results) -> Option<&PartMetrics> {
    let unit = results.metrics.iter().find(|unit| unit.unit == UnitMetrics::ENSEMBLE)?;
    unit.parts.iter().find(|part| part.part == Part::Test)
}

/// The protocol's numbers beside the published one and the baselines.
fn numbers(results: &Results, published: Option<&Published>) -> Html {
    let metric = results.report.metric;
    let head = ["part", metric.name(), "deviation", "95 % interval", "units"];
    let mut table = Table::new("What is reported", head);
    let mut row = |name: String, numbers: &Statistics, units: usize| {
        table.push([
            name.into(),
            Cell::number(numbers.mean),
            Cell::number(numbers.std),
            Cell::interval(numbers.interval95),
            Cell::whole(units as u64),
        ]);
    };
    for (_, report) in reports(results) {
        let units = report.runs.len();
        row(format!("{}, test", network(report)), &report.test, units);
        for (part, numbers) in [("validation", &report.validation), ("training", &report.train)] {
            if let Some(numbers) = numbers {
                row(format!("{}, {part}", network(report)), numbers, units);
            }
        }
    }
    if let Some(ensemble) = &results.ensemble {
        let found = of_ensemble(results).and_then(|part| part.get(metric)?.interval95);
        let mut row = |name: String, value: f64, interval: Option<[f64; 2]>| {
            table.push([
                name.into(),
                Cell::number(value),
                Cell::default(),
                Cell::interval(interval),
                Cell::whole(ensemble.members as u64),
            ]);
        };
        row(together(ensemble), ensemble.value, found);
        if let Some(value) = ensemble.validation {
            row("mean of all networks, validation".to_owned(), value, None);
        }
    }
    if let Some(published) = published {
        table.push([
            format!("published: {}", published.printed).into(),
            Cell::number(published.mean),
            Cell::number(published.std),
            Cell::default(),
            Cell::default(),
        ]);
    }
    for baseline in &results.baselines {
        table.push([
            format!("{}, without a network, test", baseline.name).into(),
            Cell::number(baseline.test),
            Cell::default(),
            Cell::default(),
            Cell::default(),
        ]);
    }
    table.into()
}

/// How often intervals hold.
fn intervals(results: &Results) -> Html {
    let Some(coverage) = &results.intervals else { return Html::new() };
    let level = coverage.level;
    let head = ["target", "held for", "rows", "mean size", "errors behind them"];
    let mut table = Table::new(format!("Intervals that should hold for {level}"), head);
    for covered in &coverage.targets {
        table.push([
            covered.target.as_str().into(),
            Cell::share(covered.share),
            Cell::whole(covered.rows),
            Cell::number(covered.width),
            Cell::whole(covered.errors as u64),
        ]);
    }
    let short: Vec<&str> = coverage
        .targets
        .iter()
        .filter(|covered| covered.falls_short(level))
        .map(|covered| covered.target.as_str())
        .collect();
    let mut html = Html::from(table).and(remark(
        "“held for” is the share of rows whose target lay in its interval, or in its set of answers; \
         “mean size” is the mean width of the intervals, or the mean number of answers in a set; \
         “errors behind them” counts the rows whose errors the intervals were made from.",
    ));
    if !short.is_empty() {
        let text = format!("Fewer intervals hold than should: {}.", short.join(", "));
        html.push(warning(text));
    }
    html
}

/// Every usual metric on the test part: of the mean of all networks, or the mean over the units.
fn every_metric(results: &Results) -> Html {
    let tests: Vec<&PartMetrics> = match of_ensemble(results) {
        Some(part) => vec![part],
        None => {
            let reported =
                |unit: &&UnitMetrics| results.report.runs.iter().any(|run| run.unit == unit.unit);
            let units = results.metrics.iter().filter(reported);
            units.flat_map(|unit| unit.parts.iter().filter(|p| p.part == Part::Test)).collect()
        }
    };
    let Some(first) = tests.first() else { return Html::new() };
    let name = match (tests.len(), &results.ensemble) {
        (_, Some(ensemble)) => format!("Every metric: {}", together(ensemble)),
        (1, None) => format!("Every metric, {} test rows, bootstrap intervals", first.graphs),
        (n, None) => format!("Every metric of the kept models, over {n} units"),
    };
    let mut table = Table::new(name, ["metric", "value", "95 % interval"]);
    for measured in &first.overall {
        // Its root says the same in the unit of the data.
        if measured.metric == Metric::Mse && results.report.metric != Metric::Mse {
            continue;
        }
        let of = |part: &&PartMetrics| part.get(measured.metric).and_then(|m| m.value);
        let values: Option<Vec<f64>> = tests.iter().map(of).collect();
        let (value, range) = match (tests.len(), values.as_deref().and_then(Statistics::of)) {
            (1, _) => (measured.value, measured.interval95),
            (_, Some(numbers)) => (Some(numbers.mean), numbers.interval95),
            (_, None) => (None, None),
        };
        let shown = match value {
            Some(_) => Cell::number(value),
            None => "not defined".into(),
        };
        table.push([measured.metric.name().into(), shown, Cell::interval(range)]);
    }
    let mut html = Html::from(table);
    if first.targets.len() > 1 {
        let metrics: Vec<Metric> = first.overall.iter().map(|m| m.metric).collect();
        let head = std::iter::once("target").chain(metrics.iter().map(|m| m.name()));
        let of = if tests.len() > 1 { "Every target, the first unit" } else { "Every target" };
        let mut table = Table::new(of, head);
        for target in &first.targets {
            let cells = target.metrics.iter().map(|m| Cell::number(m.value));
            table.push(std::iter::once(target.target.as_str().into()).chain(cells));
        }
        html.push(table);
    }
    html
}

/// Every fold and seed.
fn units(results: &Results) -> Html {
    let metric = results.report.metric.name();
    let mut html = Html::new();
    for (_, report) in reports(results).filter(|(_, report)| report.runs.len() > 1) {
        let mut head = vec!["unit", "seed"];
        let folds = report.runs.iter().any(|run| run.fold.is_some());
        let validated = report.runs.iter().any(|run| run.validation.is_some());
        let trained = report.runs.iter().any(|run| run.train.is_some());
        let (test, validation, train) = (
            format!("test {metric}"),
            format!("validation {metric}"),
            format!("training {metric}"),
        );
        head.extend(folds.then_some("fold"));
        head.push(&test);
        head.extend(validated.then_some(validation.as_str()));
        head.extend(trained.then_some(train.as_str()));
        head.extend(["reported epoch", "epochs"]);
        let mut table = Table::new(format!("Units of {}", report.protocol), head);
        for run in &report.runs {
            let mut row = vec![Cell::from(run.unit.as_str()), Cell::whole(run.seed)];
            row.extend(folds.then(|| run.fold.map_or(Cell::default(), Cell::whole)));
            row.push(Cell::number(run.value));
            row.extend(validated.then(|| Cell::number(run.validation)));
            row.extend(trained.then(|| Cell::number(run.train)));
            row.extend([Cell::whole(run.epoch), Cell::whole(run.epochs)]);
            table.push(row);
        }
        html.push(table);
    }
    if let Some(refit) = &results.refit {
        html.push(remark(format!(
            "Afterwards {} fitted on all {} for {} (final.gsn); no row is left to judge by.",
            plural(refit.members, "network was", "networks were"),
            plural(refit.rows as usize, "row", "rows"),
            plural(refit.epochs as usize, "epoch", "epochs"),
        )));
    }
    html
}
