//! The plot of a sweep: the metric against one axis, a line for every value of another. Full
//! lines are the test part, dashed ones the training part.

use super::{Plot, Sweep, SweepRow, SweepTable};
use crate::chart::{Line, categories};

/// Draws the cells that are there. Cells that differ in other axes are averaged.
pub(super) fn svg(sweep: &Sweep, plot: &Plot, table: &SweepTable) -> String {
    let place = |axis: &String| table.axes.iter().position(|name| name == axis);
    let x_axis = place(&plot.x).unwrap_or(0);
    let lines_axis = plot.lines.as_ref().and_then(place);
    let ticks = distinct(table.lines.iter().map(|line| line.values[x_axis].as_str()));
    let trained = table.lines.iter().any(|line| line.train.is_some());
    let mut lines = Vec::new();
    for (colour, series) in
        distinct(table.lines.iter().map(|line| series_of(line, lines_axis))).into_iter().enumerate()
    {
        for train in [false, true].into_iter().filter(|&train| !train || trained) {
            let mut points = Vec::new();
            for (at, tick) in ticks.iter().enumerate() {
                let here = table.lines.iter().filter(|line| line.values[x_axis] == *tick);
                let values: Vec<f64> = here
                    .filter(|line| series_of(line, lines_axis) == series)
                    .filter_map(|line| if train { line.train } else { Some(line.test) })
                    .map(|(mean, _)| mean)
                    .collect();
                if !values.is_empty() {
                    points.push((at as f64, values.iter().sum::<f64>() / values.len() as f64));
                }
            }
            let part = if train { "train" } else { "test" };
            let name = match series.as_str() {
                "" => part.to_owned(),
                series => format!("{series}, {part}"),
            };
            lines.push(Line::new(name, points).with_colour(colour).with_dashes(train));
        }
    }
    let metric = table.lines.first().map_or("metric", |line| line.metric.as_str());
    categories(&sweep.name, &plot.x, metric, &ticks, &lines)
}

/// The value that names the series of a cell.
fn series_of(line: &SweepRow, axis: Option<usize>) -> &str {
    axis.map_or("", |axis| &line.values[axis])
}

/// The different names, in the order of their first places.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        if !all.iter().any(|known| known == name) {
            all.push(name.to_owned());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_series_is_a_line_and_training_is_dashed() {
        let text = "recipe = 'zinc-mpnn'\n[axes]\nfamily = ['a', 'b<']\nk = [3, 4]\n\
                    [plot]\nx = 'k'\nlines = 'family'\n";
        let sweep = Sweep::parse(text, "rings & more").unwrap();
        let line = |family: &str, k: &str, test: f64| SweepRow {
            values: vec![family.into(), k.into()],
            parameters: 1,
            metric: "mae".into(),
            train: Some((test / 2.0, None)),
            validation: None,
            test: (test, None),
            units: 1,
            delta: None,
        };
        let lines = vec![line("a", "3", 0.3), line("a", "4", 0.2), line("b<", "3", 0.4)];
        let table = SweepTable { axes: vec!["family".into(), "k".into()], lines };
        let svg = svg(&sweep, sweep.plot.as_ref().unwrap(), &table);
        assert_eq!(svg.matches("<polyline").count(), 4);
        assert_eq!(svg.matches("stroke-dasharray").count(), 4, "two lines and their legend");
        assert!(svg.contains("rings &amp; more") && svg.contains("b&lt;, test"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}
