//! Curves and bars as SVG, self-contained.

use super::paper;
use super::svg::escape;
use std::fmt::Write;

/// Points joined by a line.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
    pub(crate) dashed: bool,
}

/// A frame with lines in it.
#[derive(Clone, Debug)]
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) x: String,
    pub(crate) lines: Vec<Line>,
}

const WIDTH: f64 = 430.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 110.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 40.0;

/// Panels of shares in percent, two in a row: logarithmic down to `least`, and a line for zero
/// below it.
pub(crate) fn shares(panels: &[Panel], least: f64) -> String {
    let across = panels.len().clamp(1, 2);
    let down = panels.len().div_ceil(across);
    let (width, height) = (across as f64 * WIDTH, down as f64 * HEIGHT);
    let mut svg = head(width, height);
    for (at, panel) in panels.iter().enumerate() {
        let (x, y) = ((at % across) as f64 * WIDTH, (at / across) as f64 * HEIGHT);
        let _ = writeln!(svg, "<g transform=\"translate({x:.0} {y:.0})\">");
        draw(&mut svg, panel, least);
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

fn head(width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"Helvetica, Arial, sans-serif\" \
         font-size=\"11\">\n<rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#ffffff\"/>\n"
    )
}

fn draw(svg: &mut String, panel: &Panel, least: f64) {
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    // Zero has a line of its own, a little below the least share.
    let zero = bottom;
    let low = bottom - 18.0;
    let bound = least.clamp(1e-12, 50.0).log10();
    let place_y = |share: f64| {
        if share <= 0.0 {
            return zero;
        }
        let part = (share.log10() - bound) / (2.0 - bound);
        low - part.clamp(0.0, 1.0) * (low - TOP)
    };
    let xs = || panel.lines.iter().flat_map(|line| line.points.iter().map(|&(x, _)| x));
    let first = xs().fold(f64::INFINITY, f64::min);
    let last = xs().fold(f64::NEG_INFINITY, f64::max);
    let place_x = |x: f64| {
        let part = if last > first { (x - first) / (last - first) } else { 0.5 };
        LEFT + 12.0 + part * (right - LEFT - 24.0)
    };
    let _ = writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"20\" font-size=\"13\" font-weight=\"bold\">{}</text>\n\
         <rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#999\"/>\n\
         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        escape(&panel.title),
        right - LEFT,
        bottom - TOP,
        (LEFT + right) / 2.0,
        HEIGHT - 8.0,
        escape(&panel.x),
    );
    let mut tick = |share: f64, name: String| {
        let y = place_y(share);
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {y:.1}H{right}\" stroke=\"#eee\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
            LEFT - 6.0,
            y + 4.0
        );
    };
    tick(0.0, "0 %".to_owned());
    let mut power = 2;
    while f64::from(power) >= bound {
        let share = 10f64.powi(power);
        tick(
            share,
            if power >= 0 {
                format!("{share} %")
            } else {
                format!("{share:.*} %", -power as usize)
            },
        );
        power -= 2;
    }
    let mut seen: Vec<f64> = xs().collect();
    seen.sort_by(f64::total_cmp);
    seen.dedup();
    for x in seen {
        let at = place_x(x);
        let _ = writeln!(
            svg,
            "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{x}</text>",
            bottom + 16.0
        );
    }
    for (at, line) in panel.lines.iter().enumerate() {
        let colour = paper(at);
        let dash = if line.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
        let path: Vec<String> = line
            .points
            .iter()
            .map(|&(x, y)| format!("{:.1} {:.1}", place_x(x), place_y(y)))
            .collect();
        let _ = writeln!(
            svg,
            "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"{dash}/>",
            path.join("L")
        );
        for &(x, y) in &line.points {
            let _ = writeln!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.8\" fill=\"{colour}\"/>",
                place_x(x),
                place_y(y)
            );
        }
        let y = TOP + 12.0 + 16.0 * at as f64;
        let _ = writeln!(
            svg,
            "<path d=\"M{} {y}h18\" stroke=\"{colour}\" stroke-width=\"1.8\"{dash}/>\
             <text x=\"{}\" y=\"{}\">{}</text>",
            right + 10.0,
            right + 33.0,
            y + 4.0,
            escape(&line.name)
        );
    }
}

/// One row of bars: a name, values from 0 to 1 and a mark.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) values: Vec<f64>,
    /// Where a value stops being more than chance.
    pub(crate) mark: f64,
    /// Whether the row stands out.
    pub(crate) chosen: bool,
}

/// Rows of bars side by side, one column of bars for every title; each column has its own scale.
pub(crate) fn bars(titles: &[&str], rows: &[Bar]) -> String {
    const NAME: f64 = 150.0;
    const COLUMN: f64 = 230.0;
    const ROW: f64 = 18.0;
    let width = NAME + COLUMN * titles.len() as f64 + 20.0;
    let height = 40.0 + ROW * rows.len() as f64 + 12.0;
    let mut svg = head(width, height);
    for (column, title) in titles.iter().enumerate() {
        let x = NAME + COLUMN * column as f64;
        let most = rows.iter().map(|row| row.values[column]).fold(0.0, f64::max).max(1e-12);
        let scale = (COLUMN - 70.0) / most;
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"24\" font-size=\"12\" font-weight=\"bold\">{}</text>",
            escape(title)
        );
        for (at, row) in rows.iter().enumerate() {
            let y = 36.0 + ROW * at as f64;
            let colour = paper(if row.chosen { 1 } else { 0 });
            let value = row.values[column];
            let length = value.max(0.0) * scale;
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{length:.1}\" height=\"12\" fill=\"{colour}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\">{value:.3}</text>",
                x + length + 4.0,
                y + 10.0
            );
            if column == 0 {
                let _ = writeln!(
                    svg,
                    "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                    NAME - 8.0,
                    y + 10.0,
                    escape(&row.name)
                );
                if row.mark > 0.0 {
                    let at = x + row.mark * scale;
                    let _ = writeln!(
                        svg,
                        "<path d=\"M{at:.1} {}v14\" stroke=\"#000\" stroke-width=\"1.2\"/>",
                        y - 1.0
                    );
                }
            }
        }
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_are_closed_and_finite() {
        let line = Line {
            name: "a < b".into(),
            points: vec![(3.0, 100.0), (4.0, 0.01), (5.0, 0.0)],
            dashed: false,
        };
        let panel = Panel { title: "vertex".into(), x: "k".into(), lines: vec![line] };
        let one = Panel { lines: vec![], ..panel.clone() };
        for text in [shares(&[panel, one], 1e-4), shares(&[], 1e-4)] {
            assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
            assert_eq!(text.matches("<g ").count(), text.matches("</g>").count());
        }
        let row = Bar { name: "cycle:6".into(), values: vec![0.1, 0.5], mark: 0.01, chosen: true };
        let text = bars(&["signal", "δ"], &[row]);
        assert!(text.contains("cycle:6") && !text.contains("NaN"));
    }
}
