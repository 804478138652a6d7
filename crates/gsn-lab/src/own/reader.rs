//! From a row of a file to what a network reads: fitted on the training part, saved with the
//! model, applied to graphs never seen.
//!
//! A label becomes its place among the labels that were seen; all others share one place behind
//! them and are counted. Cost: a binary search a vertex and arc.

use crate::dataset::Sample;
use gsn_core::Graph;
use gsn_io::{Format, GraphRecord, ReadOptions};
use gsn_nn::Features;
use gsn_nn::config::Data;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How graphs are read and what their labels become.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Reader {
    /// Edges have a direction.
    #[serde(default)]
    pub directed: bool,
    /// The graphs are molecules, read from SMILES: labels are atomic numbers and kinds of bonds.
    #[serde(default)]
    pub molecules: bool,
    /// Vertex labels that were seen, in increasing order; empty if the graphs have none.
    #[serde(default)]
    pub vertex_labels: Vec<u32>,
    /// Edge labels that were seen, likewise.
    #[serde(default)]
    pub edge_labels: Vec<u32>,
}

/// Labels that a reader had not seen before, and how often they occurred.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unseen {
    /// On vertices.
    pub vertex_labels: BTreeMap<u32, u64>,
    /// On edges, once for every edge.
    pub edge_labels: BTreeMap<u32, u64>,
}

impl Unseen {
    /// Adds what another has met.
    pub fn add(&mut self, other: &Self) {
        for (to, from) in [
            (&mut self.vertex_labels, &other.vertex_labels),
            (&mut self.edge_labels, &other.edge_labels),
        ] {
            from.iter().for_each(|(&label, n)| *to.entry(label).or_default() += n);
        }
    }

    /// Nothing was unseen.
    pub fn is_empty(&self) -> bool {
        self.vertex_labels.is_empty() && self.edge_labels.is_empty()
    }
}

impl Reader {
    /// Learns the labels of these graphs.
    pub fn fit<'a>(
        directed: bool,
        molecules: bool,
        graphs: impl IntoIterator<Item = &'a Graph>,
    ) -> Self {
        let (mut vertex, mut edge) = (BTreeSet::new(), BTreeSet::new());
        for graph in graphs {
            vertex.extend(graph.vertex_labels().unwrap_or_default());
            edge.extend(graph.arc_labels().unwrap_or_default());
        }
        let sorted = |labels: BTreeSet<u32>| labels.into_iter().collect();
        Self { directed, molecules, vertex_labels: sorted(vertex), edge_labels: sorted(edge) }
    }

    /// How a file of such graphs is opened.
    pub fn options(&self, format: Option<Format>, smiles: Option<String>) -> ReadOptions {
        ReadOptions {
            format,
            directed: self.directed,
            smiles_column: smiles,
            ..ReadOptions::default()
        }
    }

    /// What the tables of a [`Sample`] hold.
    pub fn data(&self) -> (Option<Data>, Option<Data>) {
        let of = |labels: &[u32]| {
            (!labels.is_empty()).then(|| Data::Categories { sizes: vec![labels.len() + 1] })
        };
        (of(&self.vertex_labels), of(&self.edge_labels))
    }

    /// A graph with its features, and the labels among them that are new.
    pub fn sample(&self, record: GraphRecord, targets: Vec<f64>) -> (Sample, Unseen) {
        let GraphRecord { row, graph, .. } = record;
        let mut unseen = Unseen::default();
        let vertex = codes(
            &self.vertex_labels,
            graph.vertex_labels(),
            graph.order(),
            |_| true,
            &mut unseen.vertex_labels,
        );
        let first: Vec<bool> =
            graph.arcs().map(|(u, v)| graph.is_directed() || u < v).collect();
        let arc = codes(
            &self.edge_labels,
            graph.arc_labels(),
            graph.arc_count(),
            |arc| first[arc],
            &mut unseen.edge_labels,
        );
        (Sample { row, graph, vertex, arc, targets }, unseen)
    }
}

/// Places of labels among those that were seen. A graph without labels has nothing but new ones.
fn codes(
    seen: &[u32],
    labels: Option<&[u32]>,
    rows: usize,
    counts: impl Fn(usize) -> bool,
    unseen: &mut BTreeMap<u32, u64>,
) -> Option<Features> {
    if seen.is_empty() {
        return None;
    }
    let unknown = seen.len() as u32;
    let data = match labels {
        None => vec![unknown; rows],
        Some(labels) => labels
            .iter()
            .enumerate()
            .map(|(at, label)| match seen.binary_search(label) {
                Ok(place) => place as u32,
                Err(_) => {
                    if counts(at) {
                        *unseen.entry(*label).or_default() += 1;
                    }
                    unknown
                }
            })
            .collect(),
    };
    Some(Features::Categories { cols: 1, data })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsn_core::GraphBuilder;

    fn path(vertices: [u32; 3], edges: [u32; 2]) -> Graph {
        let mut builder = GraphBuilder::undirected(3);
        builder.labelled_edge(0, 1, edges[0]).labelled_edge(1, 2, edges[1]);
        builder.vertex_labels(vertices.to_vec());
        builder.build().unwrap()
    }

    #[test]
    fn labels_become_places_and_new_ones_are_counted() {
        let seen = [path([6, 6, 8], [1, 2]), path([7, 6, 8], [1, 1])];
        let reader = Reader::fit(false, true, &seen);
        assert_eq!((&reader.vertex_labels[..], &reader.edge_labels[..]), (&[6, 7, 8][..], &[1, 2][..]));
        let (sample, unseen) =
            reader.sample(GraphRecord::new(0, path([9, 8, 9], [2, 5])), vec![1.5]);
        assert_eq!(sample.vertex, Some(Features::Categories { cols: 1, data: vec![3, 2, 3] }));
        assert_eq!(sample.arc, Some(Features::Categories { cols: 1, data: vec![1, 1, 2, 2] }));
        assert_eq!(unseen.vertex_labels, BTreeMap::from([(9, 2)]));
        assert_eq!(unseen.edge_labels, BTreeMap::from([(5, 1)]));
        assert_eq!(reader.data().0, Some(Data::Categories { sizes: vec![4] }));
    }

    #[test]
    fn graphs_without_labels_are_read_too() {
        let plain = Graph::from_edges(2, [(0, 1)]).unwrap();
        let none = Reader::fit(false, false, [&plain]);
        assert_eq!(none.data(), (None, None));
        let labelled = Reader::fit(false, false, [&path([1, 1, 1], [0, 0])]);
        let (sample, _) = labelled.sample(GraphRecord::new(0, plain), Vec::new());
        assert_eq!(sample.vertex, Some(Features::Categories { cols: 1, data: vec![1, 1] }));
    }
}
