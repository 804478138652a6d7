//! Small graphs as pictures: where the vertices go, and how to show them in a terminal or as SVG.

pub(crate) mod layout;
mod stress;
pub(crate) mod svg;
pub(crate) mod terminal;

/// A place in the plane; `y` grows downwards.
pub(crate) type Point = (f64, f64);

/// The letter of a vertex orbit: `A`, `B`, …, `a`, `b`, …, then a dot.
pub(crate) fn letter(orbit: usize) -> char {
    match orbit {
        0..26 => (b'A' + orbit as u8) as char,
        26..52 => (b'a' + (orbit - 26) as u8) as char,
        _ => '●',
    }
}
