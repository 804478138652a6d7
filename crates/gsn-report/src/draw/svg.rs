//! A page of patterns as SVG: vertices coloured and numbered by vertex orbit, every arc of its
//! own coloured by arc orbit. Self-contained, no fonts or scripts from elsewhere.

use super::place::layout;
use super::plane::{Point, bounds, distance};
use gsn_core::{Orbits, Pattern};
use gsn_lab::chart::{colour, escape};
use std::fmt::{Display, Write};

const CELL: (f64, f64) = (210.0, 238.0);
const PICTURE: f64 = 150.0;
const ACROSS: usize = 5;
/// Edges up to which arcs have room for the number of their orbit.
const FEW_EDGES: usize = 9;
/// How far neighbours are apart where there is room for it.
const FAR: f64 = 34.0;

/// The patterns in a grid, as one SVG document.
pub fn sheet(patterns: &[(&Pattern, &Orbits)]) -> String {
    // The widest grid with the fewest empty places.
    let empty = |across: &usize| patterns.len().next_multiple_of(*across) - patterns.len();
    let across = (ACROSS.div_ceil(2)..=ACROSS)
        .rev()
        .min_by_key(empty)
        .map_or(1, |across| across.min(patterns.len().max(1)));
    let down = patterns.len().div_ceil(across);
    let (width, height) = (across as f64 * CELL.0, down as f64 * CELL.1 + 26.0);
    let mut svg = String::new();
    let mut line = |text: String| {
        svg.push_str(&text);
        svg.push('\n');
    };
    line(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"Helvetica, Arial, sans-serif\">"
    ));
    line(format!("<rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#ffffff\"/>"));
    for (at, (pattern, orbits)) in patterns.iter().enumerate() {
        let (x, y) = ((at % across) as f64 * CELL.0, (at / across) as f64 * CELL.1);
        line(format!("<g transform=\"translate({x:.0} {y:.0})\">"));
        line(cell(pattern, orbits));
        line("</g>".into());
    }
    line(format!(
        "<text x=\"{:.0}\" y=\"{:.0}\" font-size=\"11\" fill=\"#666666\" text-anchor=\"middle\">\
         number and colour of a vertex: its orbit · colour of an arc: its orbit</text>",
        width / 2.0,
        height - 10.0
    ));
    line("</svg>".into());
    svg
}

/// One pattern with its name and the sizes of its group and orbits, as one SVG document.
pub fn portrait(pattern: &Pattern, orbits: &Orbits) -> String {
    let (width, height) = (CELL.0, CELL.1 - 8.0);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"Helvetica, Arial, sans-serif\">\n\
         <rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#ffffff\"/>\n{}\n</svg>\n",
        cell(pattern, orbits)
    )
}

/// One pattern with its caption.
fn cell(pattern: &Pattern, orbits: &Orbits) -> String {
    let edges: Vec<(usize, usize)> = pattern.edges().collect();
    let places = fit(&layout(pattern.order(), &edges));
    let shortest =
        edges.iter().map(|&(a, b)| distance(places[a], places[b])).fold(PICTURE, f64::min);
    // Arcs between neighbours can be seen.
    let most = (0.28 * shortest).clamp(4.0, 12.0);
    let radius = (PICTURE / (3.2 * (pattern.order() as f64).sqrt())).clamp(4.0, most);
    let numbered = edges.len() <= FEW_EDGES && shortest >= FAR;
    let mut out = Drawing { text: String::new(), radius };
    for (a, b) in pattern.arcs() {
        out.arc(pattern, orbits, (a, b), (places[a], places[b]), numbered);
    }
    for (v, &(x, y)) in places.iter().enumerate() {
        let orbit = orbits.vertex(v);
        out.put(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"{}\"/>",
            colour(orbit)
        ));
        if radius >= 6.0 {
            out.words((x, y + radius * 0.38), radius * 1.1, "#ffffff", orbit);
        }
        if let Some(label) = pattern.vertex_label(v) {
            out.words((x + 1.7 * radius, y - radius), 10.0, "#000000", format_args!("@{label}"));
        }
    }
    let middle = CELL.0 / 2.0;
    out.words((middle, CELL.1 - 32.0), 14.0, "#000000", escape(&shortened(pattern.name())));
    let counts = format!(
        "|Aut| {} · orbits {} v, {} e, {} a",
        orbits.group_order(),
        orbits.vertex_count(),
        orbits.edge_count(),
        orbits.arc_count()
    );
    out.words((middle, CELL.1 - 15.0), 11.0, "#666666", counts);
    out.text.trim_end().to_owned()
}

/// Moves a layout into the picture part of a cell.
fn fit(places: &[Point]) -> Vec<Point> {
    let (low, high) = bounds(places);
    let (wide, tall) = (high.0 - low.0, high.1 - low.1);
    let factor = (PICTURE / wide.max(1e-9)).min(PICTURE / tall.max(1e-9)).min(PICTURE / 1.5);
    let middle = (CELL.0 / 2.0, PICTURE / 2.0 + 20.0);
    let centre = ((low.0 + high.0) / 2.0, (low.1 + high.1) / 2.0);
    let put =
        |p: &Point| (middle.0 + (p.0 - centre.0) * factor, middle.1 + (p.1 - centre.1) * factor);
    places.iter().map(put).collect()
}

struct Drawing {
    text: String,
    radius: f64,
}

impl Drawing {
    fn put(&mut self, element: impl Display) {
        let _ = writeln!(self.text, "{element}");
    }

    fn words(&mut self, at: Point, size: f64, colour: &str, text: impl Display) {
        self.put(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{size:.1}\" fill=\"{colour}\" \
             text-anchor=\"middle\">{text}</text>",
            at.0, at.1
        ));
    }

    /// An arrow that keeps to its side of the edge, so that both arcs of an edge can be seen.
    fn arc(
        &mut self,
        pattern: &Pattern,
        orbits: &Orbits,
        (a, b): (usize, usize),
        (p, q): (Point, Point),
        numbered: bool,
    ) {
        let orbit = orbits.arc(a, b);
        let length = (q.0 - p.0).hypot(q.1 - p.1).max(1e-9);
        let along = ((q.0 - p.0) / length, (q.1 - p.1) / length);
        let aside = (-along.1, along.0);
        let shift = if pattern.has_arc(b, a) { 0.28 * self.radius } else { 0.0 };
        let at =
            |t: f64, s: f64| (p.0 + along.0 * t + aside.0 * s, p.1 + along.1 * t + aside.1 * s);
        let (start, end) = (at(self.radius, shift), at(length - self.radius, shift));
        let head = (0.55 * self.radius).min(length / 4.0);
        let (neck, barb) = (
            at(length - self.radius - head, shift),
            at(length - self.radius - head, shift + 0.45 * head),
        );
        let colour = colour(orbit);
        self.put(format_args!(
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"{colour}\" stroke-width=\"1.8\" \
             fill=\"none\"/>",
            start.0, start.1, neck.0, neck.1
        ));
        let inner = at(length - self.radius - head, shift - 0.3 * head);
        self.put(format_args!(
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z\" fill=\"{colour}\"/>",
            end.0, end.1, barb.0, barb.1, inner.0, inner.1
        ));
        if numbered {
            let near = at(0.36 * length, shift + 8.0);
            self.words((near.0, near.1 + 3.0), 8.5, colour, format_args!("a{orbit}"));
        }
        if let (Some(label), true) = (pattern.arc_label(a, b), a < b || pattern.is_directed()) {
            let near = at(0.5 * length, shift + 9.0);
            self.words((near.0, near.1 + 3.0), 10.0, "#000000", format_args!(":{label}"));
        }
    }
}

/// Names can be long edge lists; captions cannot.
fn shortened(name: &str) -> String {
    const ROOM: usize = 26;
    if name.chars().count() <= ROOM {
        return name.to_owned();
    }
    name.chars().take(ROOM - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsn_core::{EdgeOrbits, PatternSet};

    #[test]
    fn every_vertex_and_arc_is_drawn_and_names_are_escaped() {
        let set: PatternSet = "path:4, edges:0>1,1>2".parse().unwrap();
        let orbits: Vec<Orbits> = set.iter().map(|p| Orbits::of(p, EdgeOrbits::Exact)).collect();
        let svg = sheet(&set.iter().zip(&orbits).collect::<Vec<_>>());
        assert_eq!(svg.matches("<circle").count(), 4 + 3);
        assert_eq!(svg.matches("stroke-width").count(), 6 + 2);
        assert!(svg.contains("edges:0&gt;1,1&gt;2"), "{svg}");
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        let (path, of) = (set.iter().next().unwrap(), &orbits[0]);
        assert!(svg.contains(&cell(path, of)) && portrait(path, of).contains(&cell(path, of)));
    }
}
