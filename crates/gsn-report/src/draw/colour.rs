//! Colours that can be seen on white and on black.

use gsn_lab::chart::colour;

/// A colour by what it means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Colour {
    /// One of several kinds; after ten they start again.
    Number(usize),
    /// From -1 (blue) through 0 (nothing) to 1 (orange).
    Signed(f64),
}

impl Colour {
    /// The colour as CSS has it, and how opaque a coloured ground is.
    pub(super) fn ink(self) -> (&'static str, f64) {
        match self {
            Self::Number(at) => (colour(at), 0.45),
            Self::Signed(value) if value.is_nan() => (colour(7), 0.0),
            Self::Signed(value) => {
                let strength = value.abs().min(1.0);
                (if value < 0.0 { colour(0) } else { colour(1) }, 0.75 * strength)
            }
        }
    }

    /// How much there is of what it means, from 0 to 1; nothing where it names a kind.
    pub(super) fn strength(self) -> Option<f64> {
        match self {
            Self::Number(_) => None,
            Self::Signed(value) if value.is_nan() => Some(0.0),
            Self::Signed(value) => Some(value.abs().min(1.0)),
        }
    }
}

/// A vertex of which nothing is said.
pub(super) const PLAIN: &str = "#9aa0a6";

/// The colour of an element's letters; nothing for the colour of the text.
pub(super) fn of_element(symbol: &str) -> Option<&'static str> {
    Some(match symbol {
        "N" => "#4d7cff",
        "O" => "#e0312b",
        "S" | "Se" => "#a88400",
        "F" | "Cl" => "#1f9d3a",
        "Br" => "#b5562c",
        "I" => "#9a4fd0",
        "P" => "#d9730d",
        _ => return None,
    })
}
