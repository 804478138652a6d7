//! Lines, dots and blocks over two linear axes, panel beside panel. What has a title shows it when
//! the pointer rests on it.

use super::axis::Axis;
use super::{Line, clipped, colour, escape, fitted, head, short};
use std::fmt::Write;

const LEFT: f64 = 62.0;
/// Right of the frame: without and with a legend.
const RIGHT: [f64; 2] = [16.0, 130.0];
/// Above the frame: without and with a title.
const TOP: [f64; 2] = [12.0, 34.0];
const BOTTOM: f64 = 46.0;
/// Characters of a title, at most.
const MOST: usize = 240;
/// Fewer dots than this have room to be larger and denser.
const FEW: usize = 200;
/// Points of a line that show their numbers, at most.
const TITLES: usize = 40;

/// A single point.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    /// Where it is.
    pub at: (f64, f64),
    /// What it shows under the pointer; nothing by default.
    pub title: String,
    /// Number of its [`colour`]; 0 by default.
    pub colour: usize,
}

impl Dot {
    /// A point without a title.
    pub fn new(x: f64, y: f64) -> Self {
        Self { at: (x, y), title: String::new(), colour: 0 }
    }

    /// The same point with a title.
    pub fn with_title(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }

    /// The same point in colour number `colour`.
    pub fn with_colour(self, colour: usize) -> Self {
        Self { colour, ..self }
    }
}

/// A filled rectangle: a bar of a histogram, or a cell of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// From where to where, from left to right.
    pub x: [f64; 2],
    /// From where to where, upwards.
    pub y: [f64; 2],
    /// How dense it is, from 0 to 1.
    pub opacity: f64,
    /// What it shows under the pointer.
    pub title: String,
    /// Number of its [`colour`].
    pub colour: usize,
}

/// One set of linear axes.
#[derive(Clone, Debug)]
pub struct Plot {
    /// What it is about.
    pub title: String,
    /// Name of the horizontal axis.
    pub x: String,
    /// Name of the vertical axis.
    pub y: String,
    /// Lines; those with a name are in the legend.
    pub lines: Vec<Line>,
    /// Single points.
    pub dots: Vec<Dot>,
    /// Filled rectangles, below everything else.
    pub blocks: Vec<Block>,
    /// Least and largest value of both axes; by default each axis holds all that is drawn.
    pub range: Option<[f64; 2]>,
    /// Width and height; 480 and 380 by default.
    pub size: [f64; 2],
    /// Whether the names of the lines stand beside the frame; they do by default.
    pub legend: bool,
}

impl Default for Plot {
    fn default() -> Self {
        Self {
            title: String::new(),
            x: String::new(),
            y: String::new(),
            lines: Vec::new(),
            dots: Vec::new(),
            blocks: Vec::new(),
            range: None,
            size: [480.0, 380.0],
            legend: true,
        }
    }
}

/// Plots in a row; each has the room of the largest.
pub fn plots(panels: &[Plot], columns: usize) -> String {
    let columns = columns.clamp(1, panels.len().max(1));
    let rows = panels.len().div_ceil(columns);
    let [width, height] =
        [0, 1].map(|side| panels.iter().map(|p| p.size[side]).fold(0.0, f64::max));
    let mut svg = head(columns as f64 * width, rows as f64 * height);
    for (at, panel) in panels.iter().enumerate() {
        let (x, y) = ((at % columns) as f64 * width, (at / columns) as f64 * height);
        let _ = writeln!(svg, "<g transform=\"translate({x:.0} {y:.0})\">");
        panel.draw(&mut svg);
        svg.push_str("</g>\n");
    }
    svg + "</svg>\n"
}

impl Plot {
    /// The right edge of the frame.
    fn right(&self) -> f64 {
        let legend = self.legend && self.lines.iter().any(|line| !line.name.is_empty());
        self.size[0] - RIGHT[usize::from(legend)]
    }

    /// The upper edge of the frame.
    fn top(&self) -> f64 {
        TOP[usize::from(!self.title.is_empty())]
    }

    /// The lower edge of the frame.
    fn bottom(&self) -> f64 {
        self.size[1] - BOTTOM
    }

    fn draw(&self, svg: &mut String) {
        let finite = |(x, y): &(f64, f64)| x.is_finite() && y.is_finite();
        let points = || {
            let lines = self.lines.iter().flat_map(|line| line.points.iter().copied());
            let blocks = self.blocks.iter().flat_map(|b| [(b.x[0], b.y[0]), (b.x[1], b.y[1])]);
            lines.chain(self.dots.iter().map(|dot| dot.at)).chain(blocks).filter(finite)
        };
        let x = Axis::of(points().map(|p| p.0), self.range, LEFT, self.right());
        let y = Axis::of(points().map(|p| p.1), self.range, self.bottom(), self.top());
        // Lines should not lie on the frame.
        let y = if self.range.is_none() { y.with_room(0.04) } else { y };
        self.frame(svg, &x, &y);
        for block in &self.blocks {
            block.draw(svg, &x, &y);
        }
        let (radius, opacity) = if self.dots.len() < FEW { (3.2, 0.85) } else { (2.4, 0.5) };
        for Dot { at, title, colour: number } in self.dots.iter().filter(|dot| finite(&dot.at)) {
            let (px, py) = (x.place(at.0), y.place(at.1));
            let _ = writeln!(
                svg,
                "<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"{radius}\" fill=\"{}\" \
                 fill-opacity=\"{opacity}\"{}",
                colour(*number),
                ending("circle", title)
            );
        }
        let mut named = 0;
        for (at, line) in self.lines.iter().enumerate() {
            let (stroke, dash) = line.stroke(at);
            let points: Vec<(f64, f64)> = line.points.iter().copied().filter(finite).collect();
            let path: Vec<String> = points
                .iter()
                .map(|point| format!("{:.1} {:.1}", x.place(point.0), y.place(point.1)))
                .collect();
            if path.is_empty() {
                continue;
            }
            let _ = writeln!(
                svg,
                "<path d=\"M{}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{}\"{dash}/>",
                path.join("L"),
                if line.faint { "1.6\" stroke-opacity=\"0.3" } else { "1.6" }
            );
            if let [only] = points[..] {
                let (px, py) = (x.place(only.0), y.place(only.1));
                let _ = writeln!(
                    svg,
                    "<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"3\" fill=\"{stroke}\"/>"
                );
            }
            if line.name.is_empty() || line.faint {
                continue;
            }
            self.show_numbers(svg, line, &points, &x, &y);
            if self.legend {
                let row = self.top() + 16.0 + 15.0 * f64::from(named);
                let from = self.right() + 8.0;
                let _ = writeln!(
                    svg,
                    "<path d=\"M{from} {row}h18\" stroke=\"{stroke}\" stroke-width=\"1.6\"{dash}/>\
                     <text x=\"{}\" y=\"{}\">{}</text>",
                    from + 23.0,
                    row + 4.0,
                    fitted(&line.name, RIGHT[1] - 31.0)
                );
                named += 1;
            }
        }
    }

    /// Places on a line, not to be seen, that show their numbers under the pointer.
    fn show_numbers(
        &self,
        svg: &mut String,
        line: &Line,
        points: &[(f64, f64)],
        x: &Axis,
        y: &Axis,
    ) {
        let step = points.len().div_ceil(TITLES).max(1);
        for &(px, py) in points.iter().step_by(step) {
            let title =
                format!("{}: {} {}, {} {}", line.name, self.x, short(px), self.y, short(py));
            let _ = writeln!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"5\" fill-opacity=\"0\"{}",
                x.place(px),
                y.place(py),
                ending("circle", &title)
            );
        }
    }

    /// Title, frame, ticks and the names of the axes.
    fn frame(&self, svg: &mut String, x: &Axis, y: &Axis) {
        let (right, top, bottom) = (self.right(), self.top(), self.bottom());
        let (middle_x, middle_y) = ((LEFT + right) / 2.0, (top + bottom) / 2.0);
        if !self.title.is_empty() {
            let _ = writeln!(
                svg,
                "<text x=\"{LEFT}\" y=\"20\" font-size=\"13\" font-weight=\"bold\">{}</text>",
                fitted(&self.title, 0.8 * (right - LEFT))
            );
        }
        let _ = writeln!(
            svg,
            "<rect x=\"{LEFT}\" y=\"{top}\" width=\"{}\" height=\"{}\" fill=\"none\" \
             stroke=\"#999\"/>\n\
             <text x=\"{middle_x}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
             <text x=\"12\" y=\"{middle_y}\" transform=\"rotate(-90 12 {middle_y})\" \
             text-anchor=\"middle\">{}</text>",
            right - LEFT,
            bottom - top,
            self.size[1] - 10.0,
            fitted(&self.x, right - LEFT),
            fitted(&self.y, bottom - top),
        );
        let (ticks, digits) = x.ticks();
        for tick in ticks {
            let at = x.place(tick);
            let _ = writeln!(
                svg,
                "<path d=\"M{at:.1} {top}V{bottom}\" stroke=\"#eee\"/>\
                 <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{tick:.digits$}</text>",
                bottom + 16.0
            );
        }
        let (ticks, digits) = y.ticks();
        for tick in ticks {
            let at = y.place(tick);
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#eee\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{tick:.digits$}</text>",
                LEFT - 6.0,
                at + 4.0
            );
        }
    }
}

impl Block {
    fn draw(&self, svg: &mut String, x: &Axis, y: &Axis) {
        let ([left, right], [low, high]) = (self.x.map(|v| x.place(v)), self.y.map(|v| y.place(v)));
        if ![left, right, low, high].iter().all(|place| place.is_finite()) {
            return;
        }
        let _ = writeln!(
            svg,
            "<rect x=\"{left:.1}\" y=\"{high:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\" \
             fill-opacity=\"{:.2}\"{}",
            (right - left - 0.6).max(0.4),
            (low - high).max(0.0),
            colour(self.colour),
            self.opacity.clamp(0.0, 1.0),
            ending("rect", &self.title)
        );
    }
}

/// The end of an element, with a title if there is one.
pub(super) fn ending(element: &str, title: &str) -> String {
    match title {
        "" => "/>".to_owned(),
        title => format!("><title>{}</title></{element}>", escape(&clipped(title, MOST))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_hold_their_place_and_a_frame_holds_all_of_them() {
        let block = |at: f64| Block {
            x: [at, at + 1.0],
            y: [0.0, 10.0 * at],
            opacity: 0.5,
            title: format!("{at}"),
            colour: 1,
        };
        let plot = Plot {
            blocks: vec![block(0.0), block(1.0), block(f64::NAN)],
            size: [400.0, 300.0],
            ..Plot::default()
        };
        let text = plots(&[plot], 1);
        assert!(text.contains("width=\"400\"") && !text.contains("NaN"), "{text}");
        assert_eq!(text.matches("fill-opacity=\"0.50\"").count(), 2);
    }

    #[test]
    fn plots_are_closed_and_finite() {
        let line = Line::new("a < b", vec![(0.0, 1.0), (1.0, f64::NAN), (2.0, 0.5)]);
        let dots = vec![Dot::new(0.5, 0.5).with_title("\"<"), Dot::new(f64::INFINITY, 1.0)];
        let some = Plot { title: "x & y".into(), lines: vec![line], dots, ..Plot::default() };
        let constant = Plot { dots: vec![Dot::new(1.0, 1.0)], ..Plot::default() };
        let text = plots(&[some, constant, Plot::default()], 2);
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
        assert!(text.contains("a &lt; b") && text.contains("x &amp; y"));
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        assert_eq!(text.matches("r=\"3.2\"").count(), 2);
        assert!(text.contains("<title>&quot;&lt;</title>"), "{text}");
        assert!(text.contains("<title>a &lt; b:  2,  0.5</title>"), "{text}");
        assert_eq!(text.matches("<g ").count(), text.matches("</g>").count());
    }
}
