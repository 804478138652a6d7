//! Single graphs and molecules as pictures for a page.

use crate::draw::{Point, layout};
use crate::html::{Html, tag};
use gsn_core::Graph;
use gsn_lab::chart::colour;
use std::fmt::Write;

/// Vertices of a graph that is drawn, at most.
const MOST: usize = 120;
/// Pixels across and down, at most, and around the picture.
const ROOM: (f64, f64) = (220.0, 150.0);
const MARGIN: f64 = 8.0;
/// Pixels of an edge, at most.
const EDGE: f64 = 40.0;

/// The graph of a row, or why there is no picture of it.
pub(crate) fn of_row(graph: Option<&Graph>, _smiles: &str, name: &str) -> Html {
    match graph {
        Some(graph) if graph.order() <= MOST => Html::picture(&plain(graph), name),
        Some(graph) => tag("p").class("remark").with(format!("{} vertices", graph.order())).into(),
        None => tag("p").class("remark").with("the graph is not here").into(),
    }
}

fn plain(graph: &Graph) -> String {
    let edges: Vec<(usize, usize)> = graph.edges().map(|(u, v)| (u as usize, v as usize)).collect();
    let places = layout(graph.order(), &edges);
    let ends = |of: fn(&Point) -> f64| {
        let all = || places.iter().map(of);
        (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max))
    };
    let ((left, right), (top, bottom)) = (ends(|p| p.0), ends(|p| p.1));
    let fits = |room: f64, extent: f64| (room - 2.0 * MARGIN) / extent.max(1e-9);
    let scale = fits(ROOM.0, right - left).min(fits(ROOM.1, bottom - top)).min(EDGE);
    let at = |v: usize| {
        let (x, y) = places[v];
        (MARGIN + (x - left) * scale, MARGIN + (y - top) * scale)
    };
    let [width, height] = [right - left, bottom - top].map(|extent| {
        let extent = if extent.is_finite() { extent } else { 0.0 };
        2.0 * MARGIN + extent * scale
    });
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.1} {height:.1}\">\n"
    );
    for &(u, v) in &edges {
        let ((a, b), (c, d)) = (at(u), at(v));
        let _ = writeln!(svg, "<path d=\"M{a:.1} {b:.1}L{c:.1} {d:.1}\" stroke=\"#999\"/>");
    }
    for v in 0..graph.order() {
        let (x, y) = at(v);
        let label = graph.vertex_labels().map_or(0, |labels| labels[v] as usize);
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{}\"/>",
            colour(label)
        );
    }
    svg + "</svg>\n"
}
