//! Small graphs as pictures: where the vertices go, and how to show them in a terminal or as SVG.

mod layout;
mod stress;
mod svg;
pub mod terminal;

pub use layout::layout;
pub use svg::sheet;

/// A place in the plane; `y` grows downwards.
pub type Point = (f64, f64);

/// The letter of a vertex orbit: `A`, `B`, …, `a`, `b`, …, then a dot.
pub fn letter(orbit: usize) -> char {
    match orbit {
        0..26 => (b'A' + orbit as u8) as char,
        26..52 => (b'a' + (orbit - 26) as u8) as char,
        _ => '●',
    }
}
