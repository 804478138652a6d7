//! Numbers against names: lines over ticks at equal distances.

use super::{Line, escape};
use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 48.0;

/// Lines whose x is the place of a tick, counted from 0.
pub fn categories(title: &str, x: &str, y: &str, ticks: &[String], lines: &[Line]) -> String {
    let (low, high) = lines
        .iter()
        .flat_map(|line| line.points.iter().map(|point| point.1))
        .filter(|y| y.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
    let (low, high) = match low < high {
        true => (low - 0.05 * (high - low), high + 0.05 * (high - low)),
        false if low.is_finite() => (low - 0.5, low + 0.5),
        false => (0.0, 1.0),
    };
    let span = WIDTH - LEFT - RIGHT;
    let place_x = |at: f64| match ticks.len() {
        0 | 1 => LEFT + span / 2.0,
        n => LEFT + span * at / (n - 1) as f64,
    };
    let place_y = |value: f64| TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" \
         fill=\"white\"/>\n<text x=\"{LEFT}\" y=\"20\" font-weight=\"bold\">{}</text>\n",
        escape(title)
    );
    for step in 0..=5 {
        let value = low + (high - low) * f64::from(step) / 5.0;
        let at = place_y(value);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value:.3}</text>",
            LEFT + span,
            LEFT - 6.0,
            at + 4.0
        );
    }
    for (at, tick) in ticks.iter().enumerate() {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            place_x(at as f64),
            HEIGHT - BOTTOM + 16.0,
            escape(tick)
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
         <text x=\"16\" y=\"{middle:.1}\" transform=\"rotate(-90 16 {middle:.1})\" \
         text-anchor=\"middle\">{y}</text>",
        LEFT + span / 2.0,
        HEIGHT - 10.0,
        escape(x),
        middle = HEIGHT / 2.0
    );
    for (number, line) in lines.iter().enumerate() {
        let (stroke, dash) = line.stroke(number);
        let places: Vec<(f64, f64)> =
            line.points.iter().map(|&(x, y)| (place_x(x), place_y(y))).collect();
        let joined: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"2\"{dash}/>",
            joined.join(" ")
        );
        for (x, y) in places {
            let _ =
                writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{stroke}\"/>");
        }
        let row = TOP + 16.0 * number as f64;
        let from = LEFT + span + 12.0;
        let _ = writeln!(
            svg,
            "<line x1=\"{from:.1}\" y1=\"{row:.1}\" x2=\"{:.1}\" y2=\"{row:.1}\" \
             stroke=\"{stroke}\" stroke-width=\"2\"{dash}/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            from + 20.0,
            from + 26.0,
            row + 4.0,
            escape(&line.name)
        );
    }
    svg + "</svg>\n"
}
