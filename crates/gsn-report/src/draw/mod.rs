//! Graphs, patterns and molecules as pictures: where vertices go, and how to show them as SVG or in a terminal.
//!
//! A [`Drawing`] is one picture, [`grid`] a page of them, [`sheet`] a page of patterns with their orbits, [`terminal`] draws in letters; all
//! use one [`layout`]. The same input gives the same bytes on every machine: see `plane.rs`.

mod colour;
mod drawing;
mod element;
mod figure;
mod grid;
mod place;
mod plane;
mod svg;
pub mod terminal;

pub use colour::Colour;
pub use drawing::Drawing;
pub use grid::{Panel, grid};
pub use place::{Flaws, ON_EDGE, TOO_NEAR, layout};
pub use plane::Point;
pub use svg::{portrait, sheet};

/// The letter of a vertex orbit: `A`, `B`, …, `a`, `b`, …, then a dot.
pub fn letter(orbit: usize) -> char {
    match orbit {
        0..26 => (b'A' + orbit as u8) as char,
        26..52 => (b'a' + (orbit - 26) as u8) as char,
        _ => '●',
    }
}
