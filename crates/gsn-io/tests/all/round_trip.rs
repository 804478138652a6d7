//! Every format gives back what was written, and says what it cannot hold.

use crate::common::read;
use gsn_core::{Graph, GraphBuilder};
use gsn_io::{Error, Format, GraphRecord, GraphSink, Lost, ReadOptions, VertexNames};
use proptest::prelude::*;
use std::path::PathBuf;

fn file_name(format: Format) -> &'static str {
    match format {
        Format::Graph6 => "x.g6",
        Format::Sparse6 => "x.s6.gz",
        Format::EdgeList => "x.edges",
        Format::Tu => "DS",
        Format::Gin => "x.txt",
        Format::GraphMl => "x.graphml.gz",
        Format::Parquet => "x.parquet",
        Format::Arrow => "x.arrow",
        Format::ArrowStream => "x.arrows.gz",
        Format::Csv => "x.csv",
        Format::Tsv => "x.tsv.gz",
        Format::Gml => "x.gml",
        Format::MatrixMarket => "x.mtx.gz",
        Format::NodeLink => "x.json",
        Format::Dimacs => "x.col",
        Format::Smi | Format::Sdf => "x.smi",
    }
}

fn write(
    format: Format,
    records: &[GraphRecord],
) -> Result<(tempfile::TempDir, PathBuf, Lost), Error> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(file_name(format));
    let mut sink = GraphSink::create(&path, format, &[])?;
    for record in records {
        sink.push(record)?;
    }
    let lost = sink.finish()?;
    Ok((dir, path, lost))
}

/// Writes and reads; returns what came back.
fn through(format: Format, records: &[GraphRecord], directed: bool) -> (Vec<GraphRecord>, Lost) {
    let (dir, path, lost) = write(format, records).unwrap();
    let told = [Format::GraphMl, Format::Gml, Format::NodeLink, Format::Dimacs];
    let directed = directed && !told.contains(&format);
    let options = ReadOptions { directed, ..ReadOptions::default() };
    let (back, rejected) = read(&path, &options).unwrap();
    assert!(rejected.is_empty(), "{format}: {rejected:?}");
    let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "{format} leaves something behind");
    (back, lost)
}

#[derive(Clone, Copy, Debug)]
struct Kind {
    directed: bool,
    vertex_labels: bool,
    edge_labels: bool,
}

fn graph(kind: Kind) -> impl Strategy<Value = Graph> {
    (1..12usize).prop_flat_map(move |order| {
        let ends = 0..order as u32;
        let edges = prop::collection::btree_map((ends.clone(), ends), 0..5u32, 0..20);
        let labels = prop::collection::vec(0..9u32, order);
        (edges, labels).prop_map(move |(edges, labels)| {
            let mut builder = if kind.directed {
                GraphBuilder::directed(order)
            } else {
                GraphBuilder::undirected(order)
            };
            for ((u, v), label) in edges {
                if u == v || (!kind.directed && u > v) {
                    continue;
                }
                if kind.edge_labels {
                    builder.labelled_edge(u, v, label);
                } else {
                    builder.edge(u, v);
                }
            }
            if kind.vertex_labels {
                builder.vertex_labels(labels);
            }
            builder.build().unwrap()
        })
    })
}

fn kinds() -> impl Strategy<Value = Kind> {
    any::<[bool; 3]>().prop_map(|[directed, vertex_labels, edge_labels]| Kind {
        directed,
        vertex_labels,
        edge_labels,
    })
}

fn plain(order: usize, graph: &Graph) -> Graph {
    Graph::from_edges(order, graph.edges()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn formats_that_hold_everything(
        (kind, graphs) in kinds().prop_flat_map(|kind| (Just(kind), prop::collection::vec(graph(kind), 1..6))),
        classes in any::<bool>(),
    ) {
        let records: Vec<GraphRecord> = graphs
            .into_iter()
            .enumerate()
            .map(|(row, graph)| {
                let mut record = GraphRecord::new(row as u64, graph);
                record.label = classes.then_some(row as i64 - 1);
                record
            })
            .collect();
        for format in [Format::Parquet, Format::Arrow, Format::ArrowStream] {
            let (back, lost) = through(format, &records, kind.directed);
            prop_assert_eq!(&back, &records);
            prop_assert_eq!(lost, Lost { direction: kind.directed, ..Lost::default() });
        }
        // The first graph says which files a TU dataset has; one without edges has no edge labels.
        if records[0].graph.arc_count() > 0 || !kind.edge_labels {
            let (back, lost) = through(Format::Tu, &records, kind.directed);
            for (back, record) in back.iter().zip(&records) {
                if record.graph.arc_count() > 0 {
                    prop_assert_eq!(back, record);
                }
            }
            prop_assert_eq!(lost, Lost { direction: kind.directed, ..Lost::default() });
        }
        for format in [Format::GraphMl, Format::Gml, Format::NodeLink] {
            let (back, lost) = through(format, &records, kind.directed);
            prop_assert_eq!(back.len(), records.len());
            for (back, record) in back.iter().zip(&records) {
                prop_assert_eq!(&back.graph, &record.graph);
                prop_assert_eq!(&back.vertex_names, &None);
            }
            prop_assert_eq!(lost, Lost { classes, ..Lost::default() });
        }
        for format in [Format::MatrixMarket, Format::Dimacs] {
            let (back, lost) = through(format, &records[..1], kind.directed);
            let arcs = |graph: &Graph| graph.arcs().collect::<Vec<_>>();
            prop_assert_eq!(arcs(&back[0].graph), arcs(&records[0].graph));
            prop_assert_eq!(back[0].graph.order(), records[0].graph.order());
            prop_assert_eq!(lost.direction, kind.directed && format == Format::MatrixMarket);
            prop_assert!(lost.vertex_labels == kind.vertex_labels && !lost.vertex_names);
        }
        for format in [Format::Csv, Format::Tsv] {
            let (back, _) = through(format, &records, kind.directed);
            prop_assert_eq!(back.len(), records.len());
            for (back, record) in back.iter().zip(&records) {
                let arcs = |graph: &Graph| graph.arcs().collect::<Vec<_>>();
                prop_assert_eq!(arcs(&back.graph), arcs(&record.graph));
                prop_assert_eq!((&back.name, &back.vertex_names), (&None, &None));
            }
        }
    }

    #[test]
    fn formats_that_hold_bare_graphs(
        (kind, graphs) in kinds().prop_flat_map(|kind| {
            let kind = Kind { directed: false, ..kind };
            (Just(kind), prop::collection::vec(graph(kind), 1..6))
        }),
    ) {
        let records: Vec<GraphRecord> =
            graphs.into_iter().enumerate().map(|(row, g)| GraphRecord::new(row as u64, g)).collect();
        for format in [Format::Graph6, Format::Sparse6] {
            let (back, lost) = through(format, &records, false);
            prop_assert_eq!(back.len(), records.len());
            for (back, record) in back.iter().zip(&records) {
                prop_assert_eq!(&back.graph, &plain(record.graph.order(), &record.graph));
            }
            prop_assert_eq!(lost.vertex_labels, kind.vertex_labels);
        }
        let (back, _) = through(Format::EdgeList, &records[..1], false);
        prop_assert_eq!(&back[0].graph, &plain(records[0].graph.order(), &records[0].graph));
        let (back, lost) = through(Format::Gin, &records, false);
        for (back, record) in back.iter().zip(&records) {
            prop_assert_eq!(back.graph.edges().collect::<Vec<_>>(), record.graph.edges().collect::<Vec<_>>());
            if kind.vertex_labels {
                prop_assert_eq!(back.graph.vertex_labels(), record.graph.vertex_labels());
            }
            prop_assert_eq!(back.dropped, record.dropped);
        }
        prop_assert!(!lost.vertex_labels);
    }
}

#[test]
fn isolated_vertices_names_and_targets_survive_where_they_can() {
    let mut record = GraphRecord::new(0, Graph::from_edges(5, [(1, 3)]).unwrap());
    record.name = Some("a \"<b>\" & c".into());
    record.targets = vec![0.5, -2.25];
    for format in [Format::Parquet, Format::Arrow, Format::GraphMl] {
        let (back, lost) = through(format, std::slice::from_ref(&record), false);
        assert_eq!((&back[0].graph, &back[0].name), (&record.graph, &record.name), "{format}");
        assert!(lost.targets && !lost.names);
    }
    let (back, lost) = through(Format::Tu, std::slice::from_ref(&record), false);
    assert_eq!((&back[0].graph, &back[0].targets), (&record.graph, &record.targets));
    assert_eq!(lost, Lost { names: true, ..Lost::default() });
    let (back, _) = through(Format::EdgeList, std::slice::from_ref(&record), false);
    assert_eq!(back[0].graph.order(), 5);
    let empty = GraphRecord::new(0, Graph::from_edges(0, []).unwrap());
    for format in
        [Format::Graph6, Format::Sparse6, Format::EdgeList, Format::Parquet, Format::GraphMl]
    {
        assert_eq!(
            through(format, std::slice::from_ref(&empty), false).0,
            [empty.clone()].map(|mut r| {
                if format == Format::EdgeList {
                    r.name = Some("graph".into())
                }
                r
            }),
            "{format}"
        );
    }
}

#[test]
fn what_a_format_cannot_hold_at_all_is_an_error_and_leaves_no_file() {
    let directed = GraphRecord::new(3, Graph::from_arcs(2, [(0, 1)]).unwrap());
    let undirected = GraphRecord::new(4, Graph::from_edges(2, [(0, 1)]).unwrap());
    for (format, records, reason) in [
        (Format::Graph6, vec![directed.clone()], "graph 3: is directed"),
        (Format::Sparse6, vec![directed], "graph 3: is directed"),
        (Format::EdgeList, vec![undirected.clone(), undirected.clone()], "one graph only"),
        (Format::Smi, vec![undirected], "SMILES"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file_name(format));
        let result = GraphSink::create(&path, format, &[])
            .and_then(|mut sink| records.iter().try_for_each(|r| sink.push(r).map(|_| ())));
        assert!(result.unwrap_err().to_string().contains(reason));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "{format}");
    }
}

#[test]
fn tu_labels_must_be_on_all_graphs_or_none() {
    let mut labelled = GraphRecord::new(0, Graph::from_edges(2, [(0, 1)]).unwrap());
    let bare = labelled.clone();
    labelled.label = Some(1);
    let text = write(Format::Tu, &[labelled, bare]).unwrap_err().to_string();
    assert!(text.contains("on all graphs"), "{text}");
}

/// Edges by the names of their ends, and the names of all vertices, each sorted.
fn by_name(record: &GraphRecord) -> (Vec<(String, String)>, Vec<String>) {
    let name = |v: u32| match &record.vertex_names {
        Some(names) => names.get(v).to_string(),
        None => v.to_string(),
    };
    let sorted = |(u, v): (u32, u32)| {
        let (u, v) = (name(u), name(v));
        if u < v { (u, v) } else { (v, u) }
    };
    let mut edges: Vec<_> = record.graph.edges().map(sorted).collect();
    let mut names: Vec<_> = (0..record.graph.order() as u32).map(name).collect();
    edges.sort();
    names.sort();
    (edges, names)
}

#[test]
fn names_of_vertices_survive_where_they_can() {
    let mut numbers = GraphRecord::new(0, Graph::from_edges(4, [(0, 3), (1, 2), (0, 1)]).unwrap());
    numbers.vertex_names = Some(VertexNames::Integers(vec![30, 7, 1 << 40, 12]));
    let mut texts = numbers.clone();
    let names = ["ann", "10", "b.c_d", "äö"].map(str::to_owned);
    texts.vertex_names = Some(VertexNames::Text(names.into()));
    let mut odd = numbers.clone();
    let names = ["a b", "\"q\", <&>;", "7", "x\ty"].map(str::to_owned);
    odd.vertex_names = Some(VertexNames::Text(names.into()));
    let mut isolated = GraphRecord::new(0, Graph::from_edges(3, [(0, 2)]).unwrap());
    isolated.vertex_names = Some(VertexNames::Integers(vec![5, 6, 7]));
    let rich = [Format::GraphMl, Format::Gml, Format::NodeLink, Format::Csv, Format::Tsv];
    let columnar = [Format::Parquet, Format::Arrow, Format::ArrowStream];
    for format in rich.into_iter().chain(columnar).chain([Format::EdgeList]) {
        for record in [&numbers, &texts, &odd, &isolated] {
            let (back, lost) = through(format, std::slice::from_ref(record), false);
            // XML has no room for a tab, a list of words none for blanks and lonely vertices.
            let unfit = match format {
                Format::GraphMl => record == &odd,
                Format::EdgeList => record == &odd || record == &isolated,
                _ => false,
            };
            assert_eq!(lost.vertex_names, unfit, "{format}");
            if unfit {
                assert_eq!(back[0].graph, record.graph, "{format}");
            } else {
                assert_eq!(by_name(&back[0]), by_name(record), "{format}");
            }
        }
    }
    for format in [Format::Graph6, Format::Gin, Format::Tu, Format::Dimacs, Format::MatrixMarket] {
        let (_, lost) = through(format, std::slice::from_ref(&texts), false);
        assert!(lost.vertex_names, "{format}");
    }
}
