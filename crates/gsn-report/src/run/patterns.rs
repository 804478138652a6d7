//! What a run counts: the patterns with their orbits coloured, and how often they are found.

use super::RunFolder;
use crate::counted::Counted;
use crate::draw;
use crate::html::{Cell, Html, Table, remark, tag};
use gsn_core::{Graph, Orbits, Pattern};

/// Graphs that are counted in, at most.
const SAMPLE: usize = 500;
/// Patterns that are drawn, at most.
const DRAWN: usize = 40;

/// The patterns of a run.
pub(super) fn section(run: &RunFolder) -> Html {
    let Some(counts) = &run.recipe.counts else { return Html::new() };
    let spec = counts.spec();
    let patterns: Vec<&Pattern> = spec.patterns().iter().collect();
    let mut html = drawn(&patterns, spec.orbits());
    let Ok(data) = &run.data else { return html };
    let samples = &data.dataset.samples;
    let step = samples.len().div_ceil(SAMPLE).max(1);
    let graphs: Vec<&Graph> = samples.iter().step_by(step).map(|sample| &sample.graph).collect();
    let counted = Counted::new(spec);
    let totals: Vec<Vec<f64>> = graphs.iter().filter_map(|graph| counted.totals(graph)).collect();
    if totals.is_empty() {
        return html;
    }
    let n = totals.len();
    let name = match step {
        1 => format!("Occurrences in {n} graphs"),
        step => format!("Occurrences in {n} graphs, one in {step}"),
    };
    let mut table = Table::new(name, ["pattern", "found in", "mean of a graph", "most"]);
    for (at, pattern) in patterns.iter().enumerate() {
        let of: Vec<f64> = totals.iter().map(|total| total[at]).collect();
        let found = of.iter().filter(|&&x| x > 0.0).count() as f64 / n as f64;
        table.push([
            pattern.name().into(),
            Cell::share(found),
            Cell::number(of.iter().sum::<f64>() / n as f64),
            Cell::number(of.iter().copied().reduce(f64::max)),
        ]);
    }
    html.push(table);
    if n < graphs.len() {
        let rest = graphs.len() - n;
        html.push(remark(format!("{rest} graphs were too large to count in for a report.")));
    }
    html
}

/// Patterns with their orbits coloured.
pub(crate) fn drawn(patterns: &[&Pattern], notion: gsn_core::EdgeOrbits) -> Html {
    let mut cells = Html::new();
    for &pattern in patterns.iter().take(DRAWN) {
        let orbits = Orbits::of(pattern, notion);
        let svg = draw::portrait(pattern, &orbits);
        cells.push(tag("figure").with(Html::picture(&svg, pattern.name())));
    }
    let mut html = remark(
        "Vertices of one colour and number are in one orbit, and so are arcs of one colour: counts \
         tell them apart from others only. |Aut| is the number of symmetries; v, e and a count \
         orbits of vertices, edges and arcs.",
    );
    html.push(tag("div").class("drawn").with(cells));
    if patterns.len() > DRAWN {
        html.push(remark(format!("The first {DRAWN} of {} patterns are drawn.", patterns.len())));
    }
    html
}
