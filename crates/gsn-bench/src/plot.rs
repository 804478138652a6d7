//! Small-multiple plots in SVG with logarithmic axes; no fonts, scripts or styles from elsewhere.

use std::fmt::Write as _;

/// One line of a panel.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it shows.
    pub name: String,
    /// Points `(x, y)`, both above 0.
    pub points: Vec<(f64, f64)>,
    /// Worst cases are dashed.
    pub dashed: bool,
}

/// One set of axes.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What it is about.
    pub title: String,
    /// Name of the horizontal axis.
    pub x: String,
    /// Whether the horizontal axis is logarithmic; the vertical one always is.
    pub log_x: bool,
    /// The lines.
    pub lines: Vec<Line>,
}

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 130.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 44.0;
/// Told apart by people who see colours differently, too.
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555"];

/// All panels in rows of `columns`; the vertical axis is seconds.
pub fn svg(panels: &[Panel], columns: usize) -> String {
    let rows = panels.len().div_ceil(columns);
    let (width, height) = (WIDTH * columns as f64, HEIGHT * rows as f64);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for (at, panel) in panels.iter().enumerate() {
        let (x, y) = ((at % columns) as f64 * WIDTH, (at / columns) as f64 * HEIGHT);
        let _ = writeln!(out, "<g transform=\"translate({x} {y})\">");
        draw(&mut out, panel);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// From values to places on the page.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    log: bool,
}

impl Axis {
    fn place(&self, value: f64) -> f64 {
        let scale = |v: f64| if self.log { v.max(1e-12).log10() } else { v };
        let (low, high) = (scale(self.low), scale(self.high));
        let share = (scale(value) - low) / (high - low).max(1e-9);
        self.from + share * (self.to - self.from)
    }

    fn ticks(&self) -> Vec<f64> {
        if !self.log {
            return (self.low.ceil() as i64..=self.high.floor() as i64).map(|v| v as f64).collect();
        }
        let (low, high) = (self.low.log10().ceil() as i32, self.high.log10().floor() as i32);
        let step = ((high - low) / 6).max(0) + 1;
        (low..=high).step_by(step as usize).map(|power| 10f64.powi(power)).collect()
    }
}

fn draw(out: &mut String, panel: &Panel) {
    // The frame follows what was measured; worst cases may leave through its top.
    let solid = || panel.lines.iter().filter(|line| !line.dashed).flat_map(|line| &line.points);
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, 0.0f64), |(low, high), v| (low.min(v), high.max(v)))
    };
    let (x_low, x_high) = range(&mut solid().map(|p| p.0));
    let (y_low, y_high) = range(&mut solid().map(|p| p.1));
    if !x_low.is_finite() || !y_low.is_finite() {
        return;
    }
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let decade = |v: f64, up: f64| 10f64.powf(v.log10().floor() + up);
    let x = Axis { low: x_low, high: x_high, from: LEFT, to: right, log: panel.log_x };
    let (low, high) = (decade(y_low, 0.0), decade(y_high, 2.0));
    let y = Axis { low, high, from: bottom, to: TOP, log: true };
    let _ = writeln!(
        out,
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
    for tick in x.ticks() {
        let at = x.place(tick);
        let _ = writeln!(
            out,
            "<path d=\"M{at:.1} {bottom}v4\" stroke=\"#999\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 17.0,
            tick_name(tick),
        );
    }
    for tick in y.ticks() {
        let at = y.place(tick);
        let _ = writeln!(
            out,
            "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#eee\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            at + 4.0,
            seconds_name(tick),
        );
    }
    for (at, line) in panel.lines.iter().enumerate() {
        draw_line(out, line, COLOURS[at % COLOURS.len()], &x, &y, TOP + 12.0 + 16.0 * at as f64);
    }
}

fn draw_line(out: &mut String, line: &Line, colour: &str, x: &Axis, y: &Axis, legend: f64) {
    let dash = if line.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
    let mut path = String::new();
    let mut last: Option<(f64, f64)> = None;
    for &(px, py) in &line.points {
        if py > y.high {
            // Cut where the line leaves the frame, on its way in logarithms.
            if let Some((lx, ly)) = last {
                let share = (y.high.ln() - ly.ln()) / (py.ln() - ly.ln());
                let (from, to) = (x.place(lx), x.place(px));
                let _ = write!(path, "L{:.1} {:.1}", from + share * (to - from), y.to);
            }
            break;
        }
        let command = if path.is_empty() { 'M' } else { 'L' };
        let _ = write!(path, "{command}{:.1} {:.1}", x.place(px), y.place(py));
        last = Some((px, py));
    }
    let _ = writeln!(
        out,
        "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"{dash}/>"
    );
    if !line.dashed {
        for &(px, py) in &line.points {
            let _ = writeln!(
                out,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.6\" fill=\"{colour}\"/>",
                x.place(px),
                y.place(py)
            );
        }
    }
    let at = x.to + 10.0;
    let _ = writeln!(
        out,
        "<path d=\"M{at} {legend}h18\" stroke=\"{colour}\" stroke-width=\"1.8\"{dash}/>\
         <text x=\"{}\" y=\"{}\">{}</text>",
        at + 23.0,
        legend + 4.0,
        escape(&line.name),
    );
}

fn tick_name(value: f64) -> String {
    if value >= 10_000.0 { format!("10^{}", value.log10().round()) } else { format!("{value}") }
}

fn seconds_name(value: f64) -> String {
    match value.log10().round() as i32 {
        power @ 0.. => format!("{} s", 10f64.powi(power)),
        power @ -3..=-1 => format!("{} ms", 10f64.powi(power + 3)),
        power @ -6..=-4 => format!("{} µs", 10f64.powi(power + 6)),
        power => format!("{} ns", 10f64.powi(power + 9)),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_is_closed_and_stays_inside_its_frame() {
        let line = |name: &str, points, dashed| Line { name: name.into(), points, dashed };
        let panel = Panel {
            title: "a < b".into(),
            x: "k".into(),
            log_x: false,
            lines: vec![
                line("measured", vec![(3.0, 1e-6), (4.0, 1e-5)], false),
                line("worst", vec![(3.0, 1e-6), (4.0, 1.0)], true),
            ],
        };
        let text = svg(&[panel.clone(), panel], 2);
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
        assert!(text.contains("a &lt; b") && !text.contains("NaN"));
        assert_eq!(text.matches("<g ").count(), text.matches("</g>").count());
        // The dashed line is cut at the top of the frame.
        assert!(text.contains(&format!(" {TOP:.1}\" fill=\"none\"")), "{text}");
    }
}
