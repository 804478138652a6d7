//! A [`Drawing`] as SVG: highlights behind, lines over them, letters and dots in front.
//!
//! Lines end before letters instead of being painted over, so that any background will do.

use super::colour;
use super::drawing::{Drawing, Letters, Mark, Note, Stroke};
use super::place::smallest_rings_of;
use super::plane::{Point, add, cross, direction, distance, dot, mean, sub, times};
use std::fmt::Write;

/// Pixels for an edge of length 1.
const UNIT: f64 = 30.0;
/// Size of letters.
const FONT: f64 = 13.0;
/// Space around the picture.
const MARGIN: f64 = 6.0;
/// Vertices beyond which dots and lines are smaller.
const MANY: usize = 60;
/// Edges a vertex, and in all, beyond which they are a veil through which the others can be seen.
const DENSE: [usize; 2] = [4, 40];

/// The picture and its width and height.
pub(super) fn svg(drawing: &Drawing, alone: bool) -> (String, (f64, f64)) {
    let mut figure = Figure::new(drawing);
    figure.highlights();
    figure.lines();
    figure.marks();
    figure.finish(alone)
}

struct Figure<'a> {
    drawing: &'a Drawing,
    places: Vec<Point>,
    radius: f64,
    rings: Vec<Vec<usize>>,
    body: String,
    low: Point,
    high: Point,
}

/// A text that is nothing but text; what cannot be shown becomes a space.
pub(super) fn escape(text: &str) -> String {
    let shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    gsn_lab::chart::escape(&shown)
}

/// A coordinate with one digit, and without it where it is 0.
pub(super) fn number(x: f64) -> String {
    let text = format!("{x:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".into() } else { text.to_owned() }
}

/// About how wide a text is.
fn width(text: &str, size: f64) -> f64 {
    let part = |letter: char| match letter {
        'i' | 'l' | 'I' | '.' | ',' | '\'' | '|' => 0.28,
        'f' | 'j' | 'r' | 't' | '-' | ' ' | '(' | ')' => 0.36,
        'm' | 'M' | 'w' | 'W' => 0.88,
        'O' | 'Q' | 'G' => 0.78,
        'A'..='Z' => 0.7,
        letter if letter.is_ascii() => 0.56,
        _ => 0.9,
    };
    size * text.chars().map(part).sum::<f64>()
}

impl<'a> Figure<'a> {
    fn new(drawing: &'a Drawing) -> Self {
        let scale = UNIT * spread(&drawing.places);
        let places: Vec<Point> = drawing.places.iter().map(|&p| times(scale, p)).collect();
        let edges: Vec<(usize, usize)> = drawing.edges().collect();
        let molecule = drawing.marks.iter().any(|mark| matches!(mark, Mark::Atom(_)));
        let rings = if molecule { smallest_rings_of(places.len(), &edges) } else { Vec::new() };
        let inside = |mark: &Mark| matches!(mark, Mark::Dot(Some(name)) if fits(name));
        let radius = if drawing.marks.iter().any(inside) {
            9.0
        } else if places.len() > MANY {
            3.5
        } else {
            5.0
        };
        // Dots of dense graphs are smaller than what parts them.
        let radius = f64::min(radius, (0.4 * nearest(&places)).max(2.0));
        let far = (f64::MAX, f64::MIN);
        let (low, high) = ((far.0, far.0), (far.1, far.1));
        Self { drawing, places, radius, rings, body: String::new(), low, high }
    }

    /// Makes room for something of this half width and height.
    fn reach(&mut self, at: Point, half: Point) {
        self.low = (self.low.0.min(at.0 - half.0), self.low.1.min(at.1 - half.1));
        self.high = (self.high.0.max(at.0 + half.0), self.high.1.max(at.1 + half.1));
    }

    fn put(&mut self, element: std::fmt::Arguments) {
        let _ = self.body.write_fmt(element);
        self.body.push('\n');
    }

    fn line(&mut self, p: Point, q: Point, style: &str) {
        let (x1, y1, x2, y2) = (number(p.0), number(p.1), number(q.0), number(q.1));
        self.reach(p, (1.0, 1.0));
        self.reach(q, (1.0, 1.0));
        self.put(format_args!("<path d=\"M{x1} {y1}L{x2} {y2}\"{style}/>"));
    }

    /// Coloured grounds, each with what the mouse shows.
    fn highlights(&mut self) {
        for (&(a, b), Note { colour, title }) in &self.drawing.highlighted {
            let ((ink, opacity), title) = (colour.ink(), escape(title));
            self.put(format_args!(
                "<g stroke=\"{ink}\" stroke-opacity=\"{opacity:.2}\" stroke-width=\"{}\" stroke-linecap=\"round\"><title>{title}</title>",
                number(1.6 * self.radius)
            ));
            self.line(self.places[a], self.places[b], "");
            self.put(format_args!("</g>"));
        }
        for (&v, Note { colour, title }) in &self.drawing.vertices {
            if matches!(self.drawing.marks[v], Mark::Atom(_)) {
                let ((ink, opacity), title) = (colour.ink(), escape(title));
                let ((x, y), radius) = (self.places[v], 0.36 * UNIT);
                self.reach((x, y), (radius, radius));
                let (x, y, radius) = (number(x), number(y), number(radius));
                self.put(format_args!(
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{ink}\" fill-opacity=\"{opacity:.2}\"><title>{title}</title></circle>"
                ));
            }
        }
    }

    fn lines(&mut self) {
        let molecule = !self.rings.is_empty()
            || self.drawing.marks.iter().any(|mark| matches!(mark, Mark::Atom(_)));
        let (vertices, edges) = (self.places.len(), self.drawing.edges.len());
        let dense = edges > DENSE[0] * vertices && edges > DENSE[1];
        let style = match (molecule, vertices > MANY, dense) {
            (true, ..) => "stroke-width=\"1.5\" stroke-linecap=\"round\"",
            (false, _, true) => "stroke-width=\"0.7\" stroke-opacity=\"0.2\"",
            (false, false, false) => "stroke-width=\"1.5\" stroke-opacity=\"0.6\"",
            (false, true, false) => "stroke-width=\"0.9\" stroke-opacity=\"0.35\"",
        };
        self.put(format_args!("<g stroke=\"currentColor\" fill=\"none\" {style}>"));
        for &((a, b), stroke) in &self.drawing.edges {
            match stroke {
                Stroke::Edge => self.line(self.places[a], self.places[b], ""),
                Stroke::Arrow => self.arrow(a, b),
                Stroke::Bond(order) => self.bond(a, b, order, ""),
                Stroke::Aromatic => self.bond(a, b, 2, " stroke-dasharray=\"2.5 2.5\""),
            }
        }
        self.put(format_args!("</g>"));
    }

    fn arrow(&mut self, a: usize, b: usize) {
        let (p, q) = (self.places[a], self.places[b]);
        let Some(way) = direction(sub(q, p)) else { return };
        let aside = (-way.1, way.0);
        let (start, tip) = (add(p, times(self.radius, way)), sub(q, times(self.radius + 0.5, way)));
        let neck = sub(tip, times(7.0, way));
        self.line(start, neck, "");
        let (left, right) = (add(neck, times(3.2, aside)), sub(neck, times(3.2, aside)));
        let [x1, y1, x2, y2, x3, y3] = [tip.0, tip.1, left.0, left.1, right.0, right.1].map(number);
        self.put(format_args!(
            "<path d=\"M{x1} {y1}L{x2} {y2}L{x3} {y3}Z\" fill=\"currentColor\" stroke=\"none\"/>"
        ));
    }

    /// One to four lines; `second` is the style of the one beside the first.
    fn bond(&mut self, a: usize, b: usize, order: u8, second: &str) {
        const GAP: f64 = 4.2;
        let (p, q) = (self.places[a], self.places[b]);
        let Some(way) = direction(sub(q, p)) else { return };
        let aside = (-way.1, way.0);
        let (start, end) = (self.trimmed(a, way), self.trimmed(b, (-way.0, -way.1)));
        if dot(sub(end, start), way) <= 0.0 {
            return;
        }
        let beside = |shift: f64, cut: (f64, f64)| {
            let by = times(shift, aside);
            (add(add(start, times(cut.0, way)), by), add(sub(end, times(cut.1, way)), by))
        };
        match order {
            2 => match self.side(a, b) {
                Some(side) => {
                    self.line(start, end, "");
                    // The second line of a ring ends where it would meet that of the next bond.
                    let short = |v: usize| if self.has_letters(v) { 0.0 } else { 0.6 * GAP };
                    let (p, q) = beside(side * GAP, (short(a), short(b)));
                    self.line(p, q, second);
                }
                None => {
                    for (shift, style) in [(-0.5, ""), (0.5, second)] {
                        let (p, q) = beside(shift * GAP, (0.0, 0.0));
                        self.line(p, q, style);
                    }
                }
            },
            3 => [-0.8, 0.0, 0.8].into_iter().for_each(|shift| {
                let (p, q) = beside(shift * GAP, (0.0, 0.0));
                self.line(p, q, "");
            }),
            4 => [-1.2, -0.4, 0.4, 1.2].into_iter().for_each(|shift| {
                let (p, q) = beside(shift * GAP, (0.0, 0.0));
                self.line(p, q, "");
            }),
            _ => self.line(start, end, ""),
        }
    }

    fn has_letters(&self, v: usize) -> bool {
        matches!(self.drawing.marks[v], Mark::Atom(Some(_)))
    }

    /// Where a line that leaves `v` in direction `way` starts: outside its letters.
    fn trimmed(&self, v: usize, way: Point) -> Point {
        let Mark::Atom(Some(letters)) = &self.drawing.marks[v] else { return self.places[v] };
        let half = (width(&letters.symbol, FONT) / 2.0 + 2.0, 0.38 * FONT + 2.0);
        let reach = (half.0 / way.0.abs().max(1e-6)).min(half.1 / way.1.abs().max(1e-6));
        add(self.places[v], times(reach, way))
    }

    /// The side of the second line of a double bond: 1 or -1, or none if it lies in the middle.
    fn side(&self, a: usize, b: usize) -> Option<f64> {
        let (p, q) = (self.places[a], self.places[b]);
        let ring = (self.rings.iter())
            .filter(|ring| ring.contains(&a) && ring.contains(&b))
            .min_by_key(|ring| {
                // A ring with more double bonds shows itself as the aromatic one.
                let doubles = self.drawing.edges.iter().filter(|((a, b), stroke)| {
                    matches!(stroke, Stroke::Bond(2) | Stroke::Aromatic)
                        && ring.contains(a)
                        && ring.contains(b)
                });
                (std::cmp::Reverse(doubles.count()), ring.len())
            });
        if let Some(ring) = ring {
            let centre = mean(ring.iter().map(|&v| &self.places[v]));
            return Some(f64::signum(cross(sub(q, p), sub(centre, p))));
        }
        let others = |v: usize| {
            let mine = move |&&((x, y), _): &&((usize, usize), Stroke)| x == v || y == v;
            let other = move |&((x, y), _): &((usize, usize), Stroke)| if x == v { y } else { x };
            self.drawing.edges.iter().filter(mine).map(other).filter(move |&w| w != a && w != b)
        };
        if others(a).next().is_none() || others(b).next().is_none() {
            return None;
        }
        let sides = others(a).chain(others(b)).map(|w| cross(sub(q, p), sub(self.places[w], p)));
        let sum: f64 = sides.map(|side| if side.abs() < 1e-6 { 0.0 } else { side.signum() }).sum();
        Some(if sum < 0.0 { -1.0 } else { 1.0 })
    }

    fn marks(&mut self) {
        for v in 0..self.places.len() {
            match self.drawing.marks[v].clone() {
                Mark::Dot(name) => self.dot(v, name.as_deref()),
                Mark::Atom(Some(letters)) => self.atom(v, &letters),
                Mark::Atom(None) => self.reach(self.places[v], (1.0, 1.0)),
            }
        }
    }

    fn dot(&mut self, v: usize, name: Option<&str>) {
        let ((x, y), radius) = (self.places[v], self.radius);
        self.reach((x, y), (radius, radius));
        let note = self.drawing.vertices.get(&v);
        let fill = note.map_or("currentColor", |note| note.colour.ink().0);
        let ground = note.and_then(|note| note.colour.strength());
        let title = note.map(|note| note.title.as_str()).or(name).filter(|title| !title.is_empty());
        let title = title.map_or(String::new(), |t| format!("<title>{}</title>", escape(t)));
        let inside = name.filter(|name| fits(name));
        let fill = if inside.is_some() && note.is_none() { "#666666" } else { fill };
        let (cx, cy, r) = (number(x), number(y), number(radius));
        // A weak effect is a faint colour on grey, none is grey.
        let (fill, faint) = match ground {
            Some(strength) if strength < 0.02 => (colour::PLAIN, String::new()),
            Some(strength) => (fill, format!(" fill-opacity=\"{:.2}\"", 0.25 + 0.75 * strength)),
            None => (fill, String::new()),
        };
        let under = match faint.is_empty() {
            true => String::new(),
            false => {
                format!("<circle cx=\"{cx}\" cy=\"{cy}\" r=\"{r}\" fill=\"{}\"/>", colour::PLAIN)
            }
        };
        self.put(format_args!(
            "<g>{title}{under}<circle cx=\"{cx}\" cy=\"{cy}\" r=\"{r}\" fill=\"{fill}\"{faint}/>"
        ));
        if let Some(name) = inside {
            self.text((x, y + 3.5), 10.0, "middle", "#ffffff", name);
        } else if let Some(name) = name {
            let short: String = name.chars().take(12).collect();
            self.text((x + radius + 2.0, y - radius), 9.0, "start", "currentColor", &short);
        }
        self.put(format_args!("</g>"));
    }

    fn text(&mut self, at: Point, size: f64, anchor: &str, fill: &str, text: &str) {
        let wide = width(text, size);
        let middle = match anchor {
            "start" => at.0 + wide / 2.0,
            "end" => at.0 - wide / 2.0,
            _ => at.0,
        };
        self.reach((middle, at.1 - 0.35 * size), (wide / 2.0, 0.5 * size));
        let (x, y, size) = (number(at.0), number(at.1), number(size));
        let text = escape(text);
        self.put(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{fill}\">{text}</text>"
        ));
    }

    /// The letters of an atom: the symbol in its place, hydrogens where no bond is.
    fn atom(&mut self, v: usize, letters: &Letters) {
        const SMALL: f64 = 9.0;
        let (x, y) = self.places[v];
        let own = colour::of_element(&letters.symbol).filter(|_| !self.is_coloured(v));
        let fill = own.unwrap_or("currentColor");
        let base = y + 0.36 * FONT;
        let half = width(&letters.symbol, FONT) / 2.0;
        self.text((x, base), FONT, "middle", fill, &letters.symbol);
        if let Some(mass) = letters.isotope {
            self.text((x - half, base - 6.0), SMALL, "end", fill, &mass.to_string());
        }
        let mut right = x + half;
        if letters.hydrogens > 0 {
            let count =
                if letters.hydrogens > 1 { letters.hydrogens.to_string() } else { String::new() };
            let wide = width("H", FONT);
            let (left, base) = match self.free_side(v) {
                Side::Right => {
                    right += wide + width(&count, SMALL);
                    (x + half, base)
                }
                Side::Left => (x - half - wide - width(&count, SMALL), base),
                Side::Below => (x - wide / 2.0, base + FONT - 1.0),
                Side::Above => (x - wide / 2.0, base - FONT + 1.0),
            };
            self.text((left, base), FONT, "start", fill, "H");
            if !count.is_empty() {
                self.text((left + wide, base + 3.0), SMALL, "start", fill, &count);
            }
        }
        if letters.charge != 0 {
            let sign = if letters.charge > 0 { "+" } else { "−" };
            let size = letters.charge.unsigned_abs();
            let text = if size > 1 { format!("{size}{sign}") } else { sign.to_owned() };
            self.text((right, base - 5.0), SMALL + 1.0, "start", fill, &text);
        }
    }

    /// Whether an atom stands on a coloured ground, on which colours of elements are hard to read.
    fn is_coloured(&self, v: usize) -> bool {
        self.drawing.vertices.get(&v).is_some_and(|note| note.colour.ink().1 > 0.15)
    }

    /// How much of the place beside an atom is taken by atoms that it is not bound to: from 0 to 1.
    fn crowded(&self, v: usize, way: Point) -> f64 {
        let at = add(self.places[v], times(0.95 * FONT, way));
        let near = |(w, place): (usize, &Point)| {
            let letters = if self.has_letters(w) { 1.45 } else { 0.7 };
            w != v && distance(at, *place) < letters * FONT
        };
        if self.places.iter().enumerate().any(near) { 1.0 } else { 0.0 }
    }

    /// Where there is room beside an atom.
    fn free_side(&self, v: usize) -> Side {
        let taken = |way: Point| {
            let ends = self.drawing.edges().filter(|&(a, b)| a == v || b == v);
            let ways = ends.filter_map(|(a, b)| {
                direction(sub(self.places[if a == v { b } else { a }], self.places[v]))
            });
            let bonds = ways.map(|other| dot(way, other)).fold(-1.0, f64::max);
            bonds + 1.6 * self.crowded(v, way)
        };
        // Letters beside a symbol are read more easily than above or below it.
        let sides = [
            (Side::Right, taken((1.0, 0.0))),
            (Side::Left, taken((-1.0, 0.0)) + 0.05),
            (Side::Below, taken((0.0, 1.0)) + 1.2),
            (Side::Above, taken((0.0, -1.0)) + 1.25),
        ];
        sides.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(Side::Right, |best| best.0)
    }

    fn finish(self, alone: bool) -> (String, (f64, f64)) {
        let empty = self.low.0 > self.high.0;
        let (low, high) = if empty { ((0.0, 0.0), (0.0, 0.0)) } else { (self.low, self.high) };
        let (x, y) = ((low.0 - MARGIN).floor(), (low.1 - MARGIN).floor());
        let wide = (high.0 + MARGIN).ceil() - x;
        let tall = (high.1 + MARGIN).ceil() - y;
        let fit = (self.drawing.room.0 / wide).min(self.drawing.room.1 / tall).min(1.0);
        let size = ((wide * fit).ceil(), (tall * fit).ceil());
        let title = self.drawing.title.as_deref().unwrap_or("a graph");
        (opening((x, y, wide, tall), size, title, alone) + &self.body + "</svg>\n", size)
    }
}

/// The first lines of a picture: left, top, width and height of what it shows, its width and height in pixels, and its title. A
/// picture that stands alone has a background.
pub(super) fn opening(
    (x, y, wide, tall): (f64, f64, f64, f64),
    (w, h): (f64, f64),
    title: &str,
    alone: bool,
) -> String {
    let style = if alone {
        "<style>svg{color:#1f2328;background:#ffffff}\
         @media (prefers-color-scheme:dark){svg{color:#e6e6e6;background:#16181c}}</style>\n"
    } else {
        ""
    };
    let [x, y, wide, tall, w, h] = [x, y, wide, tall, w, h].map(number);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"gsn-drawing\" role=\"img\" width=\"{w}\" height=\"{h}\" \
         viewBox=\"{x} {y} {wide} {tall}\" font-family=\"Helvetica, Arial, sans-serif\">\n<title>{}</title>\n{style}",
        escape(title)
    )
}

/// Where the hydrogens of an atom stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Right,
    Left,
    Below,
    Above,
}

/// Whether a name has room in a dot.
fn fits(name: &str) -> bool {
    (1..=2).contains(&name.chars().count())
}

/// How much a picture is spread so that its two nearest vertices can be told apart.
fn spread(places: &[Point]) -> f64 {
    (0.45 / nearest(places).clamp(1e-9, 1.0)).clamp(1.0, 2.0)
}

/// How far the two nearest vertices are apart; nothing is near in large pictures, which are shrunk as a whole anyway.
fn nearest(places: &[Point]) -> f64 {
    if places.len() > 400 {
        return f64::MAX;
    }
    (0..places.len())
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| distance(places[i], places[j]))
        .fold(f64::MAX, f64::min)
}
