//! Charts as SVG: no fonts, scripts or styles from elsewhere.
//!
//! | function | what it draws |
//! |---|---|
//! | [`shares`] | panels of percentages against a number, logarithmic, with a line for zero |
//! | [`seconds`] | panels of times against a number, logarithmic |
//! | [`categories`] | one panel of numbers against names |
//! | [`plots`] | lines, dots and blocks over two linear axes |
//! | [`ranges`] | rows of points with their mean and its interval, over one axis |
//! | [`bars`] | rows of bars with a mark |
//!
//! ```
//! use gsn_lab::chart::{Line, Panel, shares};
//! let line = Line::new("cycles", vec![(3.0, 100.0), (4.0, 0.5), (5.0, 0.0)]);
//! let panel = Panel::new("strongly regular graphs", "k", vec![line]);
//! assert!(shares(&[panel], 0.01).starts_with("<svg "));
//! ```

mod axis;
mod bars;
mod categories;
mod panels;
mod plot;
mod ranges;

pub use bars::{Bar, bars};
pub use categories::categories;
pub use panels::{Panel, seconds, shares};
pub use plot::{Block, Dot, Plot, plots};
pub use ranges::{Range, ranges};

use std::borrow::Cow;

/// Colours that are readable on white and distinct for the colour-blind as far as they go.
const COLOURS: [&str; 10] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#666666",
    "#a5aa00", "#7a3b00",
];

/// Colour number `at`; after the last they start again.
pub fn colour(at: usize) -> &'static str {
    COLOURS[at % COLOURS.len()]
}

/// Points joined by a line.
#[derive(Clone, Debug)]
pub struct Line {
    /// What the legend calls it.
    pub name: String,
    /// Its points (x, y), from left to right.
    pub points: Vec<(f64, f64)>,
    /// Number of its [`colour`]; its place among the lines if not given.
    pub colour: Option<usize>,
    /// Whether it is dashed.
    pub dashed: bool,
    /// Whether it stands back: thin and without a name in the legend of [`plots`].
    pub faint: bool,
}

impl Line {
    /// A solid line.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, colour: None, dashed: false, faint: false }
    }

    /// The same line in colour number `colour`.
    pub fn with_colour(self, colour: usize) -> Self {
        Self { colour: Some(colour), ..self }
    }

    /// The same line, dashed or not.
    pub fn with_dashes(self, dashed: bool) -> Self {
        Self { dashed, ..self }
    }

    /// The same line, standing back or not.
    pub fn with_faintness(self, faint: bool) -> Self {
        Self { faint, ..self }
    }

    /// Its colour and its dashes, being line number `at`.
    fn stroke(&self, at: usize) -> (&'static str, &'static str) {
        let dash = if self.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
        (colour(self.colour.unwrap_or(at)), dash)
    }
}

/// A text as it stands in XML and HTML, in an element or between quotes. What is no character there
/// becomes `\u{fffd}`, and so does what would turn the text around it to the other direction.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\t' | '\n' => safe.push(c),
            c if c.is_control() => safe.push('\u{fffd}'),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => safe.push('\u{fffd}'),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// A text of at most `most` characters: of a longer one the beginning, and `…`.
pub fn clipped(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some(_) => {
            let kept = text.char_indices().nth(most.saturating_sub(1)).map_or(0, |(at, _)| at);
            Cow::Owned(format!("{}…", text[..kept].trim_end()))
        }
    }
}

/// As much of a text as fits into `room` pixels in letters of 11, bold ones too.
fn fitted(text: &str, room: f64) -> String {
    let width = |c: char| match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' => 4.2,
        'f' | 'r' | 't' | '-' | ' ' | '(' | ')' | '/' => 5.0,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 11.6,
        c if c.is_ascii_uppercase() => 8.9,
        c if c.is_ascii() => 7.4,
        // Accents of their own have no width; other letters may be as wide as high.
        '\u{300}'..='\u{36f}' => 0.0,
        c if c.is_alphabetic() && (c as u32) < 0x600 => 8.9,
        _ => 11.5,
    };
    let mut used = 0.0;
    let fits = text.chars().take_while(|&c| {
        used += width(c);
        used <= room
    });
    let fits = fits.count();
    escape(&clipped(text, if fits == text.chars().count() { fits } else { fits.max(1) }))
}

/// A number in few digits, for people.
pub fn short(x: f64) -> String {
    match x.abs() {
        0.0 => "0".to_owned(),
        size if (1e-3..1e6).contains(&size) => {
            let text = format!("{x:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => format!("{x:.2e}"),
    }
}

/// The beginning of a page on white.
fn head(width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"Helvetica, Arial, sans-serif\" \
         font-size=\"11\">\n<rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#ffffff\"/>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_are_closed_and_finite() {
        let line = Line::new("a < b", vec![(3.0, 100.0), (4.0, 0.01), (5.0, 0.0)]);
        let panel = Panel::new("vertex", "k", vec![line]);
        let one = Panel::new("vertex", "k", vec![]);
        for text in [shares(&[panel, one], 1e-4), shares(&[], 1e-4)] {
            assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
            assert_eq!(text.matches("<g ").count(), text.matches("</g>").count());
        }
        let row = Bar { name: "cycle:6".into(), values: vec![0.1, 0.5], mark: 0.01, chosen: true };
        let text = bars(&["signal", "δ"], &[row]);
        assert!(text.contains("cycle:6") && !text.contains("NaN"));
    }

    #[test]
    fn whatever_a_name_holds_it_stays_a_name() {
        let said = escape("<b a='1' c=\"2\">&\0\u{7}\r\u{ffff}é\n");
        let safe =
            "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;\u{fffd}\u{fffd}\u{fffd}\u{fffd}é\n";
        assert_eq!(said, safe);
        assert_eq!(escape("a\u{202e}b\u{2066}c\u{2069}א"), "a\u{fffd}b\u{fffd}c\u{fffd}א");
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let said = [("", 3), ("åäö", 3), ("åäöü", 3), ("a b c", 3), ("ab", 0)];
        let said = said.map(|(text, most)| clipped(text, most).into_owned());
        assert_eq!(said, ["", "åäö", "åä…", "a…", "…"]);
    }

    #[test]
    fn numbers_are_short() {
        let said = [0.0, 2.0, 0.25, -1.0 / 3.0, 120_000.0, 1e-7, 2.5e9].map(short);
        assert_eq!(said, ["0", "2", "0.25", "-0.3333", "120000", "1.00e-7", "2.50e9"]);
    }

    #[test]
    fn times_stay_inside_their_frame() {
        let measured = Line::new("measured", vec![(3.0, 1e-6), (4.0, 1e-5)]);
        let worst = Line::new("worst", vec![(3.0, 1e-6), (4.0, 1.0)]).with_dashes(true);
        let panel = Panel::new("a < b", "k", vec![measured, worst]);
        let text = seconds(&[panel.clone(), panel], 2);
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
        assert!(text.contains("a &lt; b") && !text.contains("NaN"));
        assert_eq!(text.matches("<g ").count(), text.matches("</g>").count());
        // The dashed line is cut at the top of the frame.
        assert!(text.contains(" 36.0\" fill=\"none\""), "{text}");
    }

    #[test]
    fn every_series_of_a_category_chart_is_a_line() {
        let ticks = ["3".to_owned(), "4".to_owned()];
        let line = |name, dashed| Line::new(name, vec![(0.0, 0.3), (1.0, 0.2)]).with_dashes(dashed);
        let lines = [line("a, test", false), line("b<, train", true)];
        let text = categories("rings & more", "k", "mae", &ticks, &lines);
        assert_eq!(text.matches("<polyline").count(), 2);
        assert_eq!(text.matches("stroke-dasharray").count(), 2, "the line and its legend");
        assert!(text.contains("rings &amp; more") && text.contains("b&lt;, train"));
        assert!(!text.contains("NaN") && !text.contains("inf"));
    }
}
