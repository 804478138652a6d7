//! Small graphs as pictures: where the vertices go, and how to show them in a terminal or as SVG.

pub(crate) mod chart;
pub(crate) mod layout;
mod stress;
pub(crate) mod svg;
pub(crate) mod terminal;

/// A place in the plane; `y` grows downwards.
pub(crate) type Point = (f64, f64);

/// Colours of orbits on paper: readable on white, distinct for the colour-blind as far as they go.
const PAPER: [&str; 10] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#666666",
    "#a5aa00", "#7a3b00",
];

/// The colour of an orbit on paper.
fn paper(orbit: usize) -> &'static str {
    PAPER[orbit % PAPER.len()]
}

/// The letter of a vertex orbit: `A`, `B`, …, `a`, `b`, …, then a dot.
pub(crate) fn letter(orbit: usize) -> char {
    match orbit {
        0..26 => (b'A' + orbit as u8) as char,
        26..52 => (b'a' + (orbit - 26) as u8) as char,
        _ => '●',
    }
}
