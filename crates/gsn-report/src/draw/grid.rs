//! Several pictures on one page, each with a few lines of text below.

use super::{Drawing, figure};
use std::fmt::Write;

/// Size of the text below pictures, and from line to line.
const TEXT: (f64, f64) = (11.0, 14.0);

/// A picture and the lines below it.
#[derive(Clone, Debug)]
pub struct Panel {
    /// The picture.
    pub drawing: Drawing,
    /// What stands below, the first line in bold.
    pub lines: Vec<String>,
}

/// The panels in rows of `across`, each picture with `room` pixels across and down, as one SVG document. It follows the reader's choice of
/// light or dark.
///
/// ```
/// use gsn_core::Graph;
/// use gsn_report::draw::{Drawing, Panel, grid};
/// let edge = Drawing::of_graph(&Graph::from_edges(2, [(0, 1)])?);
/// let panels = [Panel { drawing: edge, lines: vec!["an edge".into()] }];
/// assert!(grid(&panels, (100.0, 80.0), 4, "graphs").contains(">an edge</text>"));
/// # Ok::<(), gsn_core::graph::GraphError>(())
/// ```
pub fn grid(panels: &[Panel], room: (f64, f64), across: usize, title: &str) -> String {
    const SPACE: f64 = 12.0;
    let across = across.clamp(1, panels.len().max(1));
    let lines = panels.iter().map(|panel| panel.lines.len()).max().unwrap_or(0);
    let cell = (room.0 + SPACE, room.1 + lines as f64 * TEXT.1 + 2.0 * SPACE);
    let down = panels.len().div_ceil(across);
    let (wide, tall) = (across as f64 * cell.0 + SPACE, down as f64 * cell.1 + SPACE);
    let mut page = figure::opening((0.0, 0.0, wide, tall), (wide, tall), title, true);
    for (at, panel) in panels.iter().enumerate() {
        let (x, y) = ((at % across) as f64 * cell.0 + SPACE, (at / across) as f64 * cell.1 + SPACE);
        let (inner, (w, h)) = figure::svg(&panel.drawing.clone().with_room(room.0, room.1), false);
        let corner = (x + (room.0 - w) / 2.0, y + (room.1 - h) / 2.0);
        let place =
            format!("<svg x=\"{}\" y=\"{}\" ", figure::number(corner.0), figure::number(corner.1));
        page += &inner.replacen("<svg ", &place, 1);
        for (line, text) in panel.lines.iter().enumerate() {
            let weight = if line == 0 { " font-weight=\"bold\"" } else { "" };
            let _ = writeln!(
                page,
                "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"middle\" fill=\"currentColor\"{weight}>{}</text>",
                figure::number(x + room.0 / 2.0),
                figure::number(y + room.1 + SPACE + line as f64 * TEXT.1),
                figure::number(TEXT.0),
                figure::escape(text)
            );
        }
    }
    page + "</svg>\n"
}
