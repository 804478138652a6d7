//! From a row of a file to what a network reads: fitted on the training part, saved with the
//! model, applied to graphs never seen.
//!
//! A label becomes its place among the labels that were seen; all others share one place behind
//! them and are tallied. Cost: a look into a vocabulary for every vertex and arc.

use super::{Unseen, Vocabulary};
use crate::dataset::{Dataset, Sample};
use crate::molecules;
use gsn_core::Graph;
use gsn_io::{Featurisation, Format, GraphRecord, ReadOptions};
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
    /// The graphs are molecules, read from SMILES, with these features; labels are atomic numbers
    /// and kinds of bonds, and only looked at to find new ones.
    #[serde(default)]
    pub molecules: Option<Featurisation>,
    /// Labels of the vertices; features, unless the graphs are molecules.
    #[serde(default)]
    pub vertex: Option<Vocabulary>,
    /// Labels of the edges, likewise.
    #[serde(default)]
    pub edge: Option<Vocabulary>,
}

impl Reader {
    /// Learns the labels of these graphs.
    pub fn fit<'a>(
        directed: bool,
        molecules: Option<Featurisation>,
        graphs: impl IntoIterator<Item = &'a Graph>,
    ) -> Self {
        let (mut vertex, mut edge) = (BTreeSet::new(), BTreeSet::new());
        for graph in graphs {
            vertex.extend(graph.vertex_labels().unwrap_or_default());
            edge.extend(graph.arc_labels().unwrap_or_default());
        }
        let vocabulary =
            |labels: BTreeSet<u32>| (!labels.is_empty()).then(|| Vocabulary::fit(labels));
        Self { directed, molecules, vertex: vocabulary(vertex), edge: vocabulary(edge) }
    }

    /// The reader of a dataset whose features are those of molecules, or labels under other
    /// names; nothing if they are something else.
    pub fn of(dataset: &Dataset) -> Option<Self> {
        let tables = |how: &Featurisation| {
            let (vertex, arc) = molecules::data(*how);
            dataset.vertex.as_ref() == Some(&vertex) && dataset.arc.as_ref() == Some(&arc)
        };
        if let Some(how) = Featurisation::ALL.into_iter().find(tables) {
            // A benchmark's labels need not be elements.
            let (vertex, edge) = (None, None);
            return Some(Self { directed: false, molecules: Some(how), vertex, edge });
        }
        let (mut vertex, mut edge) = (BTreeMap::new(), BTreeMap::new());
        let directed = dataset.samples.iter().any(|sample| sample.graph.is_directed());
        for Sample { graph, vertex: vertices, arc, .. } in &dataset.samples {
            rename(graph.vertex_labels(), vertices.as_ref(), &mut vertex)?;
            rename(graph.arc_labels(), arc.as_ref(), &mut edge)?;
        }
        let vocabulary =
            |known: BTreeMap<u32, u32>| (!known.is_empty()).then(|| Vocabulary::closed(known));
        Some(Self { directed, molecules: None, vertex: vocabulary(vertex), edge: vocabulary(edge) })
    }

    /// Whether features are more than labels: molecules as gsn-io perceives them.
    pub fn featurised(&self) -> bool {
        self.molecules.is_some()
    }

    /// How a file of such graphs is opened.
    pub fn options(&self, format: Option<Format>, smiles: Option<String>) -> ReadOptions {
        ReadOptions {
            format,
            directed: self.directed,
            smiles_column: smiles,
            featurise: self.molecules,
            ..ReadOptions::default()
        }
    }

    /// What the tables of a [`Sample`] hold.
    pub fn data(&self) -> (Option<Data>, Option<Data>) {
        if let Some(how) = self.molecules {
            let (vertex, arc) = molecules::data(how);
            return (Some(vertex), Some(arc));
        }
        let of = |labels: &Option<Vocabulary>| {
            Some(Data::Categories { sizes: vec![labels.as_ref()?.size()] })
        };
        (of(&self.vertex), of(&self.edge))
    }

    /// A graph with its features, and the labels among them that are new.
    ///
    /// # Errors
    /// If a label is new and there is no place for it.
    pub fn sample(
        &self,
        record: GraphRecord,
        targets: Vec<f64>,
    ) -> Result<(Sample, Unseen), String> {
        let GraphRecord { row, graph, features, .. } = record;
        let mut unseen = Unseen::default();
        let vertex = match &self.vertex {
            None => None,
            Some(known) => {
                let (labels, n) = (graph.vertex_labels(), graph.order());
                Some(codes(known, labels, n, "vertex", |_| true, &mut unseen.vertex_labels)?)
            }
        };
        let arc = match &self.edge {
            None => None,
            Some(known) => {
                let ends: Vec<(u32, u32)> = graph.arcs().collect();
                let once = |arc: usize| graph.is_directed() || ends[arc].0 < ends[arc].1;
                let (labels, n) = (graph.arc_labels(), graph.arc_count());
                Some(codes(known, labels, n, "edge", once, &mut unseen.edge_labels)?)
            }
        };
        let Some(wanted) = self.molecules else {
            return Ok((sample(row, graph, (vertex, arc), targets), unseen));
        };
        let Some(features) = features else {
            return Err("the model reads molecules, and this is none".into());
        };
        if features.how != wanted {
            return Err(format!("has the features `{}`, not `{wanted}`", features.how));
        }
        unseen.atoms = features.unknown as u64;
        let (vertex, arc) = molecules::features(features);
        Ok((sample(row, graph, (Some(vertex), Some(arc)), targets), unseen))
    }
}

/// A sample without numbers of its own.
fn sample(
    row: u64,
    graph: Graph,
    (vertex, arc): (Option<Features>, Option<Features>),
    targets: Vec<f64>,
) -> Sample {
    Sample { row, graph, vertex, arc, columns: Vec::new(), targets, censoring: Vec::new() }
}

/// Adds to `names` which category each label is; nothing if a label is two, or the table is not
/// one column of categories.
fn rename(
    labels: Option<&[u32]>,
    table: Option<&Features>,
    names: &mut BTreeMap<u32, u32>,
) -> Option<()> {
    match (labels, table) {
        (_, None) => Some(()),
        (Some(labels), Some(Features::Categories { cols: 1, data })) => {
            let fits = |(&label, &name): (&u32, &u32)| *names.entry(label).or_insert(name) == name;
            labels.iter().zip(data).all(fits).then_some(())
        }
        // Without labels all vertices are alike: label 0.
        (None, Some(Features::Categories { cols: 1, data })) => {
            let first = *data.first().unwrap_or(&0);
            data.iter().all(|&c| *names.entry(0).or_insert(first) == c).then_some(())
        }
        _ => None,
    }
}

/// Categories of labels; a graph without labels has the label 0 throughout. Labels that are new
/// are tallied where `counts` says so.
fn codes(
    vocabulary: &Vocabulary,
    labels: Option<&[u32]>,
    rows: usize,
    what: &str,
    counts: impl Fn(usize) -> bool,
    unseen: &mut BTreeMap<u32, u64>,
) -> Result<Features, String> {
    let mut data = Vec::with_capacity(rows);
    for at in 0..rows {
        let label = labels.map_or(0, |labels| labels[at]);
        let Some((category, seen)) = vocabulary.code(label) else {
            return Err(format!("the {what} label {label} is not one that the model knows"));
        };
        if !seen && counts(at) {
            *unseen.entry(label).or_default() += 1;
        }
        data.push(category);
    }
    Ok(Features::Categories { cols: 1, data })
}

/// Symbols of the elements, by atomic number.
const SYMBOLS: &str = "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni \
    Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd \
    Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U \
    Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og";

/// The symbol of an element, or its number where there is none.
///
/// ```
/// assert_eq!(gsn_lab::pipeline::element(34), "Se");
/// ```
pub fn element(number: u32) -> String {
    let at = (number as usize).checked_sub(1);
    let symbol = at.and_then(|at| SYMBOLS.split_whitespace().nth(at));
    symbol.map_or_else(|| format!("label {number}"), str::to_owned)
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
        let reader = Reader::fit(false, None, &seen);
        let known =
            |labels: &Option<Vocabulary>| labels.as_ref().unwrap().values().collect::<Vec<_>>();
        assert_eq!((known(&reader.vertex), known(&reader.edge)), (vec![6, 7, 8], vec![1, 2]));
        let (sample, unseen) =
            reader.sample(GraphRecord::new(0, path([9, 8, 9], [2, 5])), vec![1.5]).unwrap();
        assert_eq!(sample.vertex, Some(Features::Categories { cols: 1, data: vec![3, 2, 3] }));
        assert_eq!(sample.arc, Some(Features::Categories { cols: 1, data: vec![1, 1, 2, 2] }));
        assert_eq!(unseen.vertex_labels, BTreeMap::from([(9, 2)]));
        assert_eq!(unseen.edge_labels, BTreeMap::from([(5, 1)]));
        assert_eq!(reader.data().0, Some(Data::Categories { sizes: vec![4] }));
    }

    #[test]
    fn graphs_without_labels_are_read_too() {
        let plain = Graph::from_edges(2, [(0, 1)]).unwrap();
        let none = Reader::fit(false, None, [&plain]);
        assert_eq!(none.data(), (None, None));
        let labelled = Reader::fit(false, None, [&path([1, 1, 1], [0, 0])]);
        let (sample, _) = labelled.sample(GraphRecord::new(0, plain), Vec::new()).unwrap();
        assert_eq!(sample.vertex, Some(Features::Categories { cols: 1, data: vec![1, 1] }));
    }

    #[test]
    fn a_dataset_tells_which_label_is_which_category() {
        let sample = |graph: Graph, data: Vec<u32>| Sample {
            columns: Vec::new(),
            censoring: Vec::new(),
            row: 0,
            vertex: Some(Features::Categories { cols: 1, data }),
            arc: None,
            graph,
            targets: vec![0.0],
        };
        let mut dataset = Dataset {
            name: "tags".into(),
            samples: vec![sample(path([9, 4, 9], [0, 0]), vec![0, 1, 0])],
            task: crate::Task::Binary(1),
            columns: Vec::new(),
            target_names: vec!["y".into()],
            vertex: Some(Data::Categories { sizes: vec![2] }),
            arc: None,
            splits: crate::Splits::None,
            licence: String::new(),
        };
        let reader = Reader::of(&dataset).unwrap();
        let known = path([4, 4, 9], [0, 0]);
        let (read, _) = reader.sample(GraphRecord::new(0, known), Vec::new()).unwrap();
        assert_eq!(read.vertex, Some(Features::Categories { cols: 1, data: vec![1, 1, 0] }));
        let new = reader.sample(GraphRecord::new(0, path([4, 5, 9], [0, 0])), Vec::new());
        assert!(new.unwrap_err().contains("label 5"));
        dataset.samples.push(sample(path([4, 4, 4], [0, 0]), vec![0, 1, 0]));
        assert_eq!(Reader::of(&dataset), None, "one label, two categories");
    }
}
