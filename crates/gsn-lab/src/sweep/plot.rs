//! The plot of a sweep: the metric against one axis, a line for every value of another. Full
//! lines are the test part, dashed ones the training part. Plain SVG, nothing else needed.

use super::{Plot, Sweep, Table};
use std::collections::BTreeSet;
use std::fmt::Write;

const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6a3d9a", "#7f7f7f"];
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 48.0;

/// A line: what it is called, its points (place on the x axis, value), and whether it is dashed.
struct Curve {
    name: String,
    points: Vec<(usize, f64)>,
    dashed: bool,
    colour: &'static str,
}

/// Draws the cells that are there. Cells that differ in other axes are averaged.
pub(super) fn svg(sweep: &Sweep, plot: &Plot, table: &Table) -> String {
    let place = |axis: &str| table.axes.iter().position(|name| name == axis);
    let x_axis = place(&plot.x).unwrap_or(0);
    let mut ticks: Vec<String> = Vec::new();
    for line in &table.lines {
        if !ticks.contains(&line.values[x_axis]) {
            ticks.push(line.values[x_axis].clone());
        }
    }
    let curves = curves(plot, table, x_axis, &ticks);
    let values: Vec<f64> = curves.iter().flat_map(|c| c.points.iter().map(|p| p.1)).collect();
    let (low, high) = values
        .iter()
        .filter(|x| x.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)));
    let (low, high) = match low < high {
        true => (low - 0.05 * (high - low), high + 0.05 * (high - low)),
        false if low.is_finite() => (low - 0.5, low + 0.5),
        false => (0.0, 1.0),
    };
    let span = WIDTH - LEFT - RIGHT;
    let x = |at: usize| match ticks.len() {
        0 | 1 => LEFT + span / 2.0,
        n => LEFT + span * at as f64 / (n - 1) as f64,
    };
    let y = |value: f64| TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low);

    let mut out = String::new();
    let mut add = |of: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{of}");
    };
    add(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" \
         fill=\"white\"/>\n<text x=\"{LEFT}\" y=\"20\" font-weight=\"bold\">{}</text>",
        escaped(&sweep.name)
    ));
    let bottom = HEIGHT - BOTTOM;
    for step in 0..=5 {
        let value = low + (high - low) * f64::from(step) / 5.0;
        let at = y(value);
        add(format_args!(
            "<line x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value:.3}</text>",
            LEFT + span,
            LEFT - 6.0,
            at + 4.0
        ));
    }
    for (at, tick) in ticks.iter().enumerate() {
        add(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            x(at),
            bottom + 16.0,
            escaped(tick)
        ));
    }
    let metric = table.lines.first().map_or("metric", |line| line.metric.as_str());
    add(format_args!(
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
         <text x=\"16\" y=\"{:.1}\" transform=\"rotate(-90 16 {:.1})\" \
         text-anchor=\"middle\">{metric}</text>",
        LEFT + span / 2.0,
        HEIGHT - 10.0,
        escaped(&plot.x),
        HEIGHT / 2.0,
        HEIGHT / 2.0
    ));
    for (number, curve) in curves.iter().enumerate() {
        let points: Vec<String> =
            curve.points.iter().map(|&(at, v)| format!("{:.1},{:.1}", x(at), y(v))).collect();
        let dash = if curve.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
        let colour = curve.colour;
        add(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>",
            points.join(" ")
        ));
        for &(at, v) in &curve.points {
            add(format_args!(
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>",
                x(at),
                y(v)
            ));
        }
        let row = TOP + 16.0 * number as f64;
        let from = LEFT + span + 12.0;
        add(format_args!(
            "<line x1=\"{from:.1}\" y1=\"{row:.1}\" x2=\"{:.1}\" y2=\"{row:.1}\" \
             stroke=\"{colour}\" stroke-width=\"2\"{dash}/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            from + 20.0,
            from + 26.0,
            row + 4.0,
            escaped(&curve.name)
        ));
    }
    out + "</svg>\n"
}

fn curves(plot: &Plot, table: &Table, x_axis: usize, ticks: &[String]) -> Vec<Curve> {
    let lines_axis =
        plot.lines.as_ref().and_then(|axis| table.axes.iter().position(|name| name == axis));
    let mut names: Vec<String> = Vec::new();
    for line in &table.lines {
        let name = lines_axis.map_or(String::new(), |axis| line.values[axis].clone());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let trained = table.lines.iter().any(|line| line.train.is_some());
    let parts: BTreeSet<bool> = if trained { [false, true].into() } else { [false].into() };
    let mut curves = Vec::new();
    for (number, name) in names.iter().enumerate() {
        for &train in &parts {
            let mut points = Vec::new();
            for (at, tick) in ticks.iter().enumerate() {
                let here = table.lines.iter().filter(|line| {
                    line.values[x_axis] == *tick
                        && lines_axis.is_none_or(|axis| line.values[axis] == *name)
                });
                let values: Vec<f64> = here
                    .filter_map(
                        |line| if train { line.train.map(|t| t.0) } else { Some(line.test.0) },
                    )
                    .collect();
                if !values.is_empty() {
                    points.push((at, values.iter().sum::<f64>() / values.len() as f64));
                }
            }
            let part = if train { "train" } else { "test" };
            let name = if name.is_empty() { part.to_owned() } else { format!("{name}, {part}") };
            let colour = COLOURS[number % COLOURS.len()];
            curves.push(Curve { name, points, dashed: train, colour });
        }
    }
    curves
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::Line;

    #[test]
    fn every_series_is_a_line_and_training_is_dashed() {
        let text = "recipe = 'zinc-mpnn'\n[axes]\nfamily = ['a', 'b<']\nk = [3, 4]\n\
                    [plot]\nx = 'k'\nlines = 'family'\n";
        let sweep = Sweep::parse(text, "rings & more").unwrap();
        let line = |family: &str, k: &str, test: f64| Line {
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
        let table = Table { axes: vec!["family".into(), "k".into()], lines };
        let svg = svg(&sweep, sweep.plot.as_ref().unwrap(), &table);
        assert_eq!(svg.matches("<polyline").count(), 4);
        assert_eq!(svg.matches("stroke-dasharray").count(), 4, "two lines and their legend");
        assert!(svg.contains("rings &amp; more") && svg.contains("b&lt;, test"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}
