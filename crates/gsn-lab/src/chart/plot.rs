//! Lines and dots over two linear axes, panel beside panel.

use super::{Line, escape, head};
use std::fmt::Write;

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 66.0;
/// Right of the frame: without and with a legend.
const RIGHT: [f64; 2] = [16.0, 130.0];
const TOP: f64 = 34.0;
const BOTTOM: f64 = 46.0;

/// One set of linear axes.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// What it is about.
    pub title: String,
    /// Name of the horizontal axis.
    pub x: String,
    /// Name of the vertical axis.
    pub y: String,
    /// Lines; those with a name are in the legend.
    pub lines: Vec<Line>,
    /// Single points.
    pub dots: Vec<(f64, f64)>,
    /// Least and largest value of both axes; by default each axis holds all that is drawn.
    pub range: Option<[f64; 2]>,
}

/// Plots in a row.
pub fn plots(panels: &[Plot], columns: usize) -> String {
    let columns = columns.clamp(1, panels.len().max(1));
    let rows = panels.len().div_ceil(columns);
    let mut svg = head(columns as f64 * WIDTH, rows as f64 * HEIGHT);
    for (at, panel) in panels.iter().enumerate() {
        let (x, y) = ((at % columns) as f64 * WIDTH, (at / columns) as f64 * HEIGHT);
        let _ = writeln!(svg, "<g transform=\"translate({x:.0} {y:.0})\">");
        panel.draw(&mut svg);
        svg.push_str("</g>\n");
    }
    svg + "</svg>\n"
}

/// From values to places.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>, range: Option<[f64; 2]>, from: f64, to: f64) -> Self {
        let (low, high) = match range {
            Some([low, high]) => (low, high),
            None => values
                .filter(|v| v.is_finite())
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v))),
        };
        let (low, high) = match low < high {
            true => (low, high),
            false if low.is_finite() => (low - 0.5, low + 0.5),
            false => (0.0, 1.0),
        };
        Self { low, high, from, to }
    }

    fn place(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Round values, and with how many digits they are written.
    fn ticks(&self) -> (Vec<f64>, usize) {
        let rough = (self.high - self.low) / 5.0;
        let power = rough.log10().floor();
        let unit = 10f64.powf(power);
        let step = [1.0, 2.0, 5.0, 10.0].iter().map(|f| f * unit).find(|&s| s >= rough * 0.999);
        let step = step.unwrap_or(10.0 * unit);
        let first = (self.low / step - 1e-9).ceil();
        let digits = (-(step * 1.000_001).log10().floor()).clamp(0.0, 12.0) as usize;
        let ticks = (0..20)
            .map(|n| (first + f64::from(n)) * step)
            .take_while(|&v| v <= self.high + 1e-9 * step)
            // No negative zero.
            .map(|v| if v.abs() < 1e-9 * step { 0.0 } else { v });
        (ticks.collect(), digits)
    }
}

impl Plot {
    /// The right edge of the frame.
    fn right(&self) -> f64 {
        let legend = self.lines.iter().any(|line| !line.name.is_empty());
        WIDTH - RIGHT[usize::from(legend)]
    }

    fn draw(&self, svg: &mut String) {
        let points = || {
            let lines = self.lines.iter().flat_map(|line| &line.points);
            lines.chain(&self.dots).filter(|(x, y)| x.is_finite() && y.is_finite())
        };
        let x = Axis::of(points().map(|p| p.0), self.range, LEFT, self.right());
        let y = Axis::of(points().map(|p| p.1), self.range, HEIGHT - BOTTOM, TOP);
        self.frame(svg, &x, &y);
        let place = |&(px, py): &(f64, f64)| (x.place(px), y.place(py));
        for point in self.dots.iter().filter(|(x, y)| x.is_finite() && y.is_finite()) {
            let (px, py) = place(point);
            let _ = writeln!(
                svg,
                "<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"2.4\" fill=\"{}\" fill-opacity=\"0.5\"/>",
                super::colour(0)
            );
        }
        let mut named = 0;
        for (at, line) in self.lines.iter().enumerate() {
            let (stroke, dash) = line.stroke(at);
            let path: Vec<String> = line
                .points
                .iter()
                .filter(|(x, y)| x.is_finite() && y.is_finite())
                .map(|point| {
                    let (px, py) = place(point);
                    format!("{px:.1} {py:.1}")
                })
                .collect();
            if path.is_empty() {
                continue;
            }
            let _ = writeln!(
                svg,
                "<path d=\"M{}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"1.6\"{dash}/>",
                path.join("L")
            );
            if !line.name.is_empty() {
                let row = TOP + 16.0 + 15.0 * f64::from(named);
                let from = self.right() + 8.0;
                let _ = writeln!(
                    svg,
                    "<path d=\"M{from} {row}h18\" stroke=\"{stroke}\" stroke-width=\"1.6\"{dash}/>\
                     <text x=\"{}\" y=\"{}\">{}</text>",
                    from + 23.0,
                    row + 4.0,
                    escape(&line.name)
                );
                named += 1;
            }
        }
    }

    /// Title, frame, ticks and the names of the axes.
    fn frame(&self, svg: &mut String, x: &Axis, y: &Axis) {
        let (right, bottom) = (self.right(), HEIGHT - BOTTOM);
        let (middle_x, middle_y) = ((LEFT + right) / 2.0, (TOP + bottom) / 2.0);
        let _ = writeln!(
            svg,
            "<text x=\"{LEFT}\" y=\"20\" font-size=\"13\" font-weight=\"bold\">{}</text>\n\
             <rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\" fill=\"none\" \
             stroke=\"#999\"/>\n\
             <text x=\"{middle_x}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
             <text x=\"14\" y=\"{middle_y}\" transform=\"rotate(-90 14 {middle_y})\" \
             text-anchor=\"middle\">{}</text>",
            escape(&self.title),
            right - LEFT,
            bottom - TOP,
            HEIGHT - 10.0,
            escape(&self.x),
            escape(&self.y),
        );
        let (ticks, digits) = x.ticks();
        for tick in ticks {
            let at = x.place(tick);
            let _ = writeln!(
                svg,
                "<path d=\"M{at:.1} {TOP}V{bottom}\" stroke=\"#eee\"/>\
                 <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{tick:.digits$}</text>",
                bottom + 16.0
            );
        }
        let (ticks, digits) = y.ticks();
        for tick in ticks {
            let at = y.place(tick);
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#eee\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{tick:.digits$}</text>",
                LEFT - 6.0,
                at + 4.0
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(low: f64, high: f64) -> Vec<String> {
        let (ticks, digits) = Axis { low, high, from: 0.0, to: 1.0 }.ticks();
        ticks.iter().map(|tick| format!("{tick:.digits$}")).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(0.0, 1.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(ticks(-25.0, 3.0), ["-20", "-10", "0"]);
        assert_eq!(ticks(1.0, 1000.0), ["200", "400", "600", "800", "1000"]);
        assert_eq!(ticks(0.0011, 0.0019), ["0.0012", "0.0014", "0.0016", "0.0018"]);
    }

    #[test]
    fn plots_are_closed_and_finite() {
        let line = Line::new("a < b", vec![(0.0, 1.0), (1.0, f64::NAN), (2.0, 0.5)]);
        let dots = vec![(0.5, 0.5), (f64::INFINITY, 1.0)];
        let some = Plot { title: "x & y".into(), lines: vec![line], dots, ..Plot::default() };
        let constant = Plot { dots: vec![(1.0, 1.0)], ..Plot::default() };
        let text = plots(&[some, constant, Plot::default()], 2);
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
        assert!(text.contains("a &lt; b") && text.contains("x &amp; y"));
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        assert_eq!(text.matches("<circle").count(), 2);
        assert_eq!(text.matches("<g ").count(), text.matches("</g>").count());
    }
}
