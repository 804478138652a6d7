//! Rows of bars.

use super::plot::ending;
use super::{colour, escape, fitted, head};
use std::fmt::Write;

const NAME: f64 = 150.0;
const COLUMN: f64 = 230.0;
const ROW: f64 = 18.0;

/// One row of bars.
#[derive(Clone, Debug)]
pub struct Bar {
    /// What it is called.
    pub name: String,
    /// A bar for every title, from 0 on.
    pub values: Vec<f64>,
    /// Where the first value stops being more than chance; 0 leaves the mark out.
    pub mark: f64,
    /// Whether the row stands out.
    pub chosen: bool,
}

/// Rows of bars side by side, one column of bars for every title; each column has its own scale.
pub fn bars(titles: &[&str], rows: &[Bar]) -> String {
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
            let value = row.values[column];
            let length = value.max(0.0) * scale;
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{length:.1}\" height=\"12\" fill=\"{}\"{}\
                 <text x=\"{:.1}\" y=\"{:.1}\">{value:.3}</text>",
                colour(usize::from(row.chosen)),
                ending("rect", &format!("{}: {value:.4}", row.name)),
                // Behind the mark too, which would cross it out.
                x + length.max(if column == 0 { row.mark * scale } else { 0.0 }) + 4.0,
                y + 10.0
            );
            if column > 0 {
                continue;
            }
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                NAME - 8.0,
                y + 10.0,
                fitted(&row.name, NAME - 8.0)
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
    svg + "</svg>\n"
}
