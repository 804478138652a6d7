//! What an explanation says, as one value: for the terminal, pictures, reports and, as JSON, for other programs.

use gsn_core::graph::GraphError;
use gsn_core::{Graph, GraphBuilder, Matching, Scope};
use serde::{Deserialize, Serialize};

/// Which occurrences moved the predictions of a model, and by how much.
///
/// Effects are differences of predictions, so they have the unit of the prediction (a number in the unit of the data, or a
/// probability), and a positive one says that the occurrence raises it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explanation {
    /// Name of the model's recipe.
    pub model: String,
    /// Name of the data it was trained on.
    pub data: String,
    /// What is predicted: the targets, or `target=class` for every class.
    pub outputs: Vec<String>,
    /// Whether predictions are probabilities.
    pub probabilities: bool,
    /// Networks whose mean the prediction is.
    pub members: usize,
    /// Names of the patterns that the model counts.
    pub patterns: Vec<String>,
    /// Where they are counted.
    pub scope: Scope,
    /// What their occurrences are; with homomorphism matching, maps.
    pub matching: Matching,
    /// Occurrences of one pattern in one graph that are looked at one by one, at most.
    pub limit: usize,
    /// The graphs that were explained, in the order of the input.
    pub graphs: Vec<ExplainedGraph>,
    /// Rows that could not be.
    pub rejected: Vec<RejectedGraph>,
    /// Rows of the input.
    pub rows: u64,
    /// Rows that were not looked at since enough graphs were explained.
    pub left_out: u64,
    /// What should be said about the input as a whole.
    pub notes: Vec<String>,
}

/// A row without an explanation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RejectedGraph {
    /// Row of the input, from 0.
    pub row: u64,
    /// Line of the input, from 1, where it has lines.
    pub line: Option<u64>,
    /// Why.
    pub reason: String,
}

/// One graph, its prediction, and what moved it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExplainedGraph {
    /// Row of the input, from 0.
    pub row: u64,
    /// Its name, where the input has one.
    pub name: Option<String>,
    /// The molecule as the input writes it.
    pub smiles: Option<String>,
    /// The graph itself.
    pub graph: PlainGraph,
    /// What is predicted, a number for every output.
    pub prediction: Vec<f64>,
    /// What would be predicted if no pattern occurred.
    pub absent: Vec<f64>,
    /// How integrated gradients were found; nothing if they were not.
    pub gradients: Option<Path>,
    /// Why there are no integrated gradients.
    pub no_gradients: Option<String>,
    /// The patterns that occur.
    pub patterns: Vec<PatternEffect>,
}

/// A graph as plain lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlainGraph {
    /// Number of vertices.
    pub order: usize,
    /// Whether edges have a direction.
    pub directed: bool,
    /// Whether it is a molecule, so that labels of vertices are elements.
    pub molecule: bool,
    /// The edges.
    pub edges: Vec<(u32, u32)>,
    /// Labels of the vertices, if there are any.
    pub vertex_labels: Option<Vec<u32>>,
    /// Labels of the edges, if there are any.
    pub edge_labels: Option<Vec<u32>>,
    /// What the input calls the vertices, unless it is 0, 1, 2, ….
    pub names: Option<Vec<String>>,
}

impl PlainGraph {
    /// The lists of a graph.
    pub fn of(graph: &Graph, molecule: bool, names: Option<Vec<String>>) -> Self {
        let edges: Vec<(u32, u32)> = graph.edges().collect();
        let label = |labels: &[u32]| {
            let of = |&(u, v): &(u32, u32)| graph.arc_id(u, v).map_or(0, |arc| labels[arc]);
            edges.iter().map(of).collect()
        };
        Self {
            order: graph.order(),
            directed: graph.is_directed(),
            molecule,
            edge_labels: graph.arc_labels().map(label),
            vertex_labels: graph.vertex_labels().map(<[u32]>::to_vec),
            edges,
            names,
        }
    }

    /// The graph of the lists.
    ///
    /// # Errors
    /// If they contradict each other.
    pub fn graph(&self) -> Result<Graph, GraphError> {
        let mut builder = match self.directed {
            true => GraphBuilder::directed(self.order),
            false => GraphBuilder::undirected(self.order),
        };
        if let Some(labels) = &self.vertex_labels {
            builder.vertex_labels(labels.clone());
        }
        for (at, &(u, v)) in self.edges.iter().enumerate() {
            match self.edge_labels.as_ref().and_then(|labels| labels.get(at)) {
                Some(&label) => builder.labelled_edge(u, v, label),
                None => builder.edge(u, v),
            };
        }
        builder.build()
    }

    /// What the input calls a vertex.
    pub fn name(&self, vertex: u32) -> String {
        let name = self.names.as_ref().and_then(|names| names.get(vertex as usize));
        name.cloned().unwrap_or_else(|| vertex.to_string())
    }
}

/// How far integrated gradients are from what they should sum to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// Points on the path from no counts to those of the graph, of the member that took most.
    pub steps: usize,
    /// For every output, the sum of the gradients less the difference of the predictions at the ends.
    pub gap: Vec<f64>,
}

/// What one pattern does to the prediction of a graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatternEffect {
    /// Which of [`Explanation::patterns`].
    pub pattern: usize,
    /// How often it occurs: exact, whatever the limit is.
    pub total: u64,
    /// Effects of the pattern as a whole.
    pub effect: Effect,
    /// Its occurrences, the first ones if there are more than the limit.
    pub occurrences: Vec<OccurrenceEffect>,
}

/// What one occurrence does to the prediction of a graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OccurrenceEffect {
    /// The vertices of the graph, in the order of the pattern's.
    pub vertices: Vec<u32>,
    /// Its effects.
    pub effect: Effect,
}

/// By how much predictions are moved, a number for every output each.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// The prediction less the one without it; nothing if there is no prediction without it.
    pub removal: Option<Vec<f64>>,
    /// Whether, without it, the graph has counts that the model never saw in training, so that `removal` says less.
    pub unseen: bool,
    /// Its share of the integrated gradients; nothing if there are none.
    pub gradient: Option<Vec<f64>>,
}

impl Effect {
    /// Removal if there is one, else the gradient.
    pub fn best(&self) -> Option<&[f64]> {
        self.removal.as_deref().or(self.gradient.as_deref())
    }
}
