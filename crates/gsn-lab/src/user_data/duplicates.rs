//! The same graph in more than one part: what was learned by heart is then judged as if it were
//! new.
//!
//! Graphs are the same if an isomorphism keeps directions and labels; of molecules also charge,
//! hydrogens and whatever else their features say. Cost: colour refinement of all graphs, and more
//! only among those that it does not tell apart.

use crate::dataset::Fold;
use gsn_core::random::mix;
use gsn_core::wl::isomorphism_classes;
use gsn_core::{Graph, GraphBuilder};
use gsn_io::GraphRecord;
use std::collections::BTreeMap;

/// Rows that are named.
const NAMED: usize = 3;

/// What is to be said about graphs that are in more than one part.
pub(super) fn across_parts(
    records: &[GraphRecord],
    fold: &Fold,
    molecules: bool,
) -> Option<String> {
    let graphs: Vec<Graph> = records.iter().map(labelled).collect();
    let classes = isomorphism_classes(&graphs).ok()?.class;
    let mut first: BTreeMap<u32, u32> = BTreeMap::new();
    for &i in &fold.train {
        first.entry(classes[i as usize]).or_insert(i);
    }
    let mut of_part = |items: &[u32]| -> Vec<(u32, u32)> {
        let twice: Vec<(u32, u32)> =
            items.iter().filter_map(|&i| Some((i, *first.get(&classes[i as usize])?))).collect();
        items.iter().for_each(|&i| {
            first.entry(classes[i as usize]).or_insert(i);
        });
        twice
    };
    let validation = of_part(&fold.validation);
    of_part(&fold.calibration);
    let test = of_part(&fold.test);
    if validation.is_empty() && test.is_empty() {
        return None;
    }
    let what = if molecules { "molecules" } else { "graphs" };
    let row = |i: u32| records[i as usize].row;
    let pairs: Vec<String> = test
        .iter()
        .chain(&validation)
        .take(NAMED)
        .map(|&(one, other)| format!("row {} is row {}", row(one), row(other)))
        .collect();
    let more = if test.len() + validation.len() > NAMED { ", …" } else { "" };
    Some(format!(
        "{} of {} {what} to judge by and {} of {} to choose by are in another part too ({}{more}), so \
         their scores are too good; leave duplicates out, or keep them together by a split column",
        test.len(),
        fold.test.len(),
        validation.len(),
        fold.validation.len(),
        pairs.join(", ")
    ))
}

/// The graph with everything that is known of its vertices and arcs in their labels.
fn labelled(record: &GraphRecord) -> Graph {
    let Some(features) = &record.features else { return record.graph.clone() };
    let graph = &record.graph;
    let code = |label: u32, row: &[u32]| {
        let hash = row.iter().fold(mix(u64::from(label)), |h, &x| mix(h ^ u64::from(x)));
        (hash >> 33) as u32
    };
    let (n, m) = (graph.order().max(1), graph.arc_count().max(1));
    let (cols, arc_cols) = (features.vertex.len() / n, features.arc.len() / m);
    let label = |labels: Option<&[u32]>, at: usize| labels.map_or(0, |labels| labels[at]);
    let mut builder = GraphBuilder::undirected(graph.order());
    builder.vertex_labels(
        (0..graph.order())
            .map(|v| code(label(graph.vertex_labels(), v), &features.vertex[v * cols..][..cols]))
            .collect(),
    );
    for (arc, (u, v)) in graph.arcs().enumerate().filter(|(_, (u, v))| u < v) {
        let row = &features.arc[arc * arc_cols..][..arc_cols];
        builder.labelled_edge(u, v, code(label(graph.arc_labels(), arc), row));
    }
    builder.build().unwrap_or_else(|_| graph.clone())
}
