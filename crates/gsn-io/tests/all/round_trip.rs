//! Every format gives back what was written, and says what it cannot hold.

use crate::common::read;
use gsn_core::{Graph, GraphBuilder};
use gsn_io::{Error, Format, GraphRecord, GraphSink, Lost, ReadOptions};
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
        Format::Csv | Format::Tsv | Format::Smi | Format::Sdf => "x.smi",
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
    let directed = directed && format != Format::GraphMl;
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
        let (back, lost) = through(Format::GraphMl, &records, kind.directed);
        for (back, record) in back.iter().zip(&records) {
            prop_assert_eq!(&back.graph, &record.graph);
        }
        prop_assert_eq!(lost, Lost { classes, ..Lost::default() });
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
