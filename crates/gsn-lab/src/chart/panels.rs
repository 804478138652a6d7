//! Panels in a grid, with a logarithmic vertical axis.

use super::{Line, escape, head};
use std::fmt::Write;

/// One set of axes.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What it is about.
    pub title: String,
    /// Name of the horizontal axis.
    pub x: String,
    /// Whether the horizontal axis is logarithmic, too; [`shares`] ignores it.
    pub log_x: bool,
    /// The lines.
    pub lines: Vec<Line>,
}

impl Panel {
    /// A panel with a linear horizontal axis.
    pub fn new(title: impl Into<String>, x: impl Into<String>, lines: Vec<Line>) -> Self {
        Self { title: title.into(), x: x.into(), log_x: false, lines }
    }

    /// The same panel with a logarithmic horizontal axis, or a linear one.
    pub fn with_log_x(self, log_x: bool) -> Self {
        Self { log_x, ..self }
    }
}

/// Size of a panel and the edges of its frame.
struct Frame {
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    /// Radius of a point.
    dot: f64,
}

const SHARES: Frame = Frame {
    width: 430.0,
    height: 260.0,
    left: 70.0,
    right: 430.0 - 110.0,
    top: 34.0,
    bottom: 260.0 - 40.0,
    dot: 2.8,
};

const SECONDS: Frame = Frame {
    width: 460.0,
    height: 340.0,
    left: 64.0,
    right: 460.0 - 130.0,
    top: 36.0,
    bottom: 340.0 - 44.0,
    dot: 2.6,
};

/// Panels of shares in percent, two in a row: logarithmic down to `least`, and a line for zero
/// below it.
pub fn shares(panels: &[Panel], least: f64) -> String {
    SHARES.grid(panels, panels.len().clamp(1, 2), |svg, panel| draw_shares(svg, panel, least))
}

/// Panels of seconds in rows of `columns`. The frame follows the solid lines; dashed ones may
/// leave through its top.
pub fn seconds(panels: &[Panel], columns: usize) -> String {
    SECONDS.grid(panels, columns.max(1), draw_seconds)
}

impl Frame {
    fn grid(&self, panels: &[Panel], columns: usize, draw: impl Fn(&mut String, &Panel)) -> String {
        let rows = panels.len().div_ceil(columns);
        let mut svg = head(columns as f64 * self.width, rows as f64 * self.height);
        for (at, panel) in panels.iter().enumerate() {
            let (x, y) = ((at % columns) as f64 * self.width, (at / columns) as f64 * self.height);
            let _ = writeln!(svg, "<g transform=\"translate({x:.0} {y:.0})\">");
            draw(&mut svg, panel);
            svg.push_str("</g>\n");
        }
        svg + "</svg>\n"
    }

    /// Title, frame and the name of the horizontal axis.
    fn open(&self, svg: &mut String, panel: &Panel) {
        let Self { left, right, top, bottom, .. } = self;
        let _ = writeln!(
            svg,
            "<text x=\"{left}\" y=\"20\" font-size=\"13\" font-weight=\"bold\">{}</text>\n\
             <rect x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\" fill=\"none\" \
             stroke=\"#999\"/>\n<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            escape(&panel.title),
            right - left,
            bottom - top,
            (left + right) / 2.0,
            self.height - 8.0,
            escape(&panel.x),
        );
    }

    /// A line across the frame and its name.
    fn tick_y(&self, svg: &mut String, y: f64, name: &str) {
        let _ = writeln!(
            svg,
            "<path d=\"M{} {y:.1}H{}\" stroke=\"#eee\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
            self.left,
            self.right,
            self.left - 6.0,
            y + 4.0
        );
    }

    /// A name below the frame.
    fn tick_x(&self, svg: &mut String, x: f64, name: &str) {
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
            self.bottom + 16.0
        );
    }

    /// A line along `path`, its points and its entry in the legend.
    fn line(&self, svg: &mut String, at: usize, line: &Line, path: &str, points: &[(f64, f64)]) {
        let (stroke, dash) = line.stroke(at);
        let _ = writeln!(
            svg,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"1.8\"{dash}/>"
        );
        for (x, y) in points {
            let _ = writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{}\" fill=\"{stroke}\"/>",
                self.dot
            );
        }
        let y = self.top + 12.0 + 16.0 * at as f64;
        let _ = writeln!(
            svg,
            "<path d=\"M{} {y}h18\" stroke=\"{stroke}\" stroke-width=\"1.8\"{dash}/>\
             <text x=\"{}\" y=\"{}\">{}</text>",
            self.right + 10.0,
            self.right + 33.0,
            y + 4.0,
            escape(&line.name)
        );
    }
}

fn draw_shares(svg: &mut String, panel: &Panel, least: f64) {
    let frame = SHARES;
    // Zero has a line of its own, a little below the least share.
    let (zero, low) = (frame.bottom, frame.bottom - 18.0);
    let bound = least.clamp(1e-12, 50.0).log10();
    let place_y = |share: f64| {
        if share <= 0.0 {
            return zero;
        }
        let part = (share.log10() - bound) / (2.0 - bound);
        low - part.clamp(0.0, 1.0) * (low - frame.top)
    };
    let mut seen: Vec<f64> =
        panel.lines.iter().flat_map(|line| line.points.iter().map(|&(x, _)| x)).collect();
    seen.sort_by(f64::total_cmp);
    seen.dedup();
    let (first, last) = (seen.first().copied(), seen.last().copied());
    let (first, last) = (first.unwrap_or(0.0), last.unwrap_or(0.0));
    let place_x = |x: f64| {
        let part = if last > first { (x - first) / (last - first) } else { 0.5 };
        frame.left + 12.0 + part * (frame.right - frame.left - 24.0)
    };
    frame.open(svg, panel);
    frame.tick_y(svg, zero, "0 %");
    for power in (0..).map(|step| 2 - 2 * step).take_while(|&power| f64::from(power) >= bound) {
        let share = 10f64.powi(power);
        let name = format!("{share:.*} %", (-power).max(0) as usize);
        frame.tick_y(svg, place_y(share), &name);
    }
    for x in seen {
        frame.tick_x(svg, place_x(x), &x.to_string());
    }
    for (at, line) in panel.lines.iter().enumerate() {
        let places: Vec<(f64, f64)> =
            line.points.iter().map(|&(x, y)| (place_x(x), place_y(y))).collect();
        let path: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
        frame.line(svg, at, line, &format!("M{}", path.join("L")), &places);
    }
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

fn draw_seconds(svg: &mut String, panel: &Panel) {
    let solid = || panel.lines.iter().filter(|line| !line.dashed).flat_map(|line| &line.points);
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, 0.0f64), |(low, high), v| (low.min(v), high.max(v)))
    };
    let (x_low, x_high) = range(&mut solid().map(|p| p.0));
    let (y_low, y_high) = range(&mut solid().map(|p| p.1));
    if !x_low.is_finite() || !y_low.is_finite() {
        return;
    }
    let frame = SECONDS;
    let decade = |v: f64, up: f64| 10f64.powf(v.log10().floor() + up);
    let x = Axis { low: x_low, high: x_high, from: frame.left, to: frame.right, log: panel.log_x };
    let (low, high) = (decade(y_low, 0.0), decade(y_high, 2.0));
    let y = Axis { low, high, from: frame.bottom, to: frame.top, log: true };
    frame.open(svg, panel);
    for tick in x.ticks() {
        let name = match tick >= 10_000.0 {
            true => format!("10^{}", tick.log10().round()),
            false => tick.to_string(),
        };
        frame.tick_x(svg, x.place(tick), &name);
    }
    for tick in y.ticks() {
        frame.tick_y(svg, y.place(tick), &seconds_name(tick));
    }
    for (at, line) in panel.lines.iter().enumerate() {
        let all: Vec<(f64, f64)> =
            line.points.iter().map(|&(px, py)| (x.place(px), y.place(py))).collect();
        let dots = if line.dashed { &[] } else { &all[..] };
        frame.line(svg, at, line, &cut_path(line, &x, &y), dots);
    }
}

/// The path of a line, cut where it leaves the frame, on its way in logarithms.
fn cut_path(line: &Line, x: &Axis, y: &Axis) -> String {
    let mut path = String::new();
    let mut last: Option<(f64, f64)> = None;
    for &(px, py) in &line.points {
        if py > y.high {
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
    path
}

fn seconds_name(value: f64) -> String {
    match value.log10().round() as i32 {
        power @ 0.. => format!("{} s", 10f64.powi(power)),
        power @ -3..=-1 => format!("{} ms", 10f64.powi(power + 3)),
        power @ -6..=-4 => format!("{} µs", 10f64.powi(power + 6)),
        power => format!("{} ns", 10f64.powi(power + 9)),
    }
}
