//! Rows of points over one axis, with their mean and its interval: folds and seeds beside a
//! published number. The name of a row stands above it, so that the picture is as narrow as a phone.

use super::axis::Axis;
use super::plot::ending;
use super::{colour, fitted, head, short};
use std::fmt::Write;

const WIDTH: f64 = 360.0;
const MARGIN: f64 = 10.0;
const ROW: f64 = 42.0;
const FOOT: f64 = 44.0;

/// One row.
#[derive(Clone, Debug, Default)]
pub struct Range {
    /// What it is called.
    pub name: String,
    /// Single values, and what they show under the pointer.
    pub points: Vec<(f64, String)>,
    /// Their mean, or the only number there is.
    pub mean: Option<f64>,
    /// From where to where the mean may be.
    pub interval: Option<[f64; 2]>,
    /// Number of its [`colour`].
    pub colour: usize,
}

/// The rows from top to bottom over one axis called `x`.
pub fn ranges(x: &str, rows: &[Range]) -> String {
    let values = rows.iter().flat_map(|row| {
        let points = row.points.iter().map(|(value, _)| *value);
        points.chain(row.mean).chain(row.interval.into_iter().flatten())
    });
    let axis = Axis::of(values, None, MARGIN + 8.0, WIDTH - MARGIN - 8.0);
    let bottom = 6.0 + ROW * rows.len() as f64;
    let mut svg = head(WIDTH, bottom + FOOT);
    let (ticks, digits) = axis.ticks();
    for tick in ticks {
        let at = axis.place(tick);
        let _ = writeln!(
            svg,
            "<path d=\"M{at:.1} 6V{bottom}\" stroke=\"#eee\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{tick:.digits$}</text>",
            bottom + 16.0
        );
    }
    let _ = writeln!(
        svg,
        "<path d=\"M{MARGIN} {bottom}H{}\" stroke=\"#999\"/>\
         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        WIDTH - MARGIN,
        WIDTH / 2.0,
        bottom + 36.0,
        fitted(x, WIDTH)
    );
    for (at, row) in rows.iter().enumerate() {
        row.draw(&mut svg, &axis, 6.0 + ROW * at as f64);
    }
    svg + "</svg>\n"
}

impl Range {
    fn draw(&self, svg: &mut String, axis: &Axis, top: f64) {
        let (stroke, y) = (colour(self.colour), top + 26.0);
        let _ = writeln!(
            svg,
            "<text x=\"{MARGIN}\" y=\"{}\" font-weight=\"bold\">{}</text>",
            top + 13.0,
            fitted(&self.name, WIDTH - 2.0 * MARGIN)
        );
        if let Some([low, high]) = self.interval.filter(|ends| ends.iter().all(|e| e.is_finite())) {
            let title = format!("{}: {} to {}", self.name, short(low), short(high));
            let _ = writeln!(
                svg,
                "<path d=\"M{:.1} {y}H{:.1}\" stroke=\"{stroke}\" stroke-width=\"6\" \
                 stroke-opacity=\"0.3\" stroke-linecap=\"round\"{}",
                axis.place(low),
                axis.place(high),
                ending("path", &title)
            );
        }
        for (value, title) in self.points.iter().filter(|(value, _)| value.is_finite()) {
            let _ = writeln!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{y}\" r=\"3.4\" fill=\"{stroke}\" \
                 fill-opacity=\"0.55\"{}",
                axis.place(*value),
                ending("circle", title)
            );
        }
        if let Some(mean) = self.mean.filter(|mean| mean.is_finite()) {
            let _ = writeln!(
                svg,
                "<path d=\"M{:.1} {}v18\" stroke=\"{stroke}\" stroke-width=\"2.5\"{}",
                axis.place(mean),
                y - 9.0,
                ending("path", &format!("{}: {}", self.name, short(mean)))
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_inside_and_nothing_is_infinite() {
        let row = Range {
            name: "tud & <fair>".into(),
            points: vec![(0.8, "fold-0".into()), (f64::NAN, "fold-1".into())],
            mean: Some(0.85),
            interval: Some([0.7, 0.95]),
            colour: 1,
        };
        let text = ranges("accuracy", &[row, Range::default()]);
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
        assert!(text.contains("tud &amp; &lt;fair&gt;") && !text.contains("NaN"), "{text}");
        assert_eq!(text.matches("<circle").count(), 1);
        assert!(text.contains("<title>fold-0</title>"));
    }
}
