//! The benchmark data, read whole and compared with what their README states.

use super::lines;
use gsn_io::{GraphRecord, GraphSource, ReadOptions, Row};
use gsn_tests::{benchmarks, carried, repository};
use std::path::Path;

/// All graphs of a file, in which every row must be good.
fn all(root: &Path, path: &str) -> Vec<GraphRecord> {
    let source = GraphSource::open(root.join(path), &ReadOptions::default()).unwrap();
    let good = |row| match row {
        Ok(Row::Graph(record)) => record,
        bad => panic!("{path}: {bad:?}"),
    };
    source.map(good).collect()
}

/// Atoms, bonds and elements of all 41,127 molecules against OGB's own features, made by RDKit.
#[test]
#[cfg_attr(not(data = "ogbg-molhiv"), ignore = "needs ogbg-molhiv in GSN_DATA")]
fn hiv_molecules_equal_ogb() {
    let records = all(&benchmarks(), "ogbg-molhiv/HIV.csv.gz");
    let mut lines = lines(&benchmarks().join("ogbg-molhiv/molhiv_graphs.txt.gz")).skip(1);
    assert_eq!(records.len(), 41_127);
    assert_eq!(records.iter().map(|r| r.graph.order()).sum::<usize>(), 1_049_163);
    assert_eq!(records.iter().map(|r| r.graph.edge_count()).sum::<usize>(), 1_129_688);
    let mut numbers = move || -> Vec<u32> {
        lines.next().unwrap().split_whitespace().map(|word| word.parse().unwrap()).collect()
    };
    let mut other_bonds = 0;
    for record in &records {
        let head = numbers();
        let atoms: Vec<u32> = (0..head[0]).map(|_| numbers()[0] + 1).collect();
        assert_eq!(record.graph.vertex_labels(), Some(&atoms[..]), "row {}", record.row);
        let mut bonds: Vec<(u32, u32, u32)> = (0..head[1])
            .map(|_| numbers())
            .map(|b| (b[0].min(b[1]), b[0].max(b[1]), b[2] + 1))
            .collect();
        bonds.sort_unstable();
        let graph = &record.graph;
        let labels = graph.arc_labels().unwrap_or_default();
        let ours: Vec<(u32, u32, u32)> = graph
            .arcs()
            .enumerate()
            .filter(|(_, (u, v))| u < v)
            .map(|(arc, (u, v))| (u, v, labels[arc]))
            .collect();
        let ends = |all: &[(u32, u32, u32)]| all.iter().map(|b| (b.0, b.1)).collect::<Vec<_>>();
        assert_eq!(ends(&ours), ends(&bonds), "row {}", record.row);
        other_bonds += usize::from(ours != bonds);
    }
    // RDKit perceives aromaticity, we take it as written: the kinds of bonds differ in 110.
    assert!(other_bonds <= 110, "{other_bonds}");
}

#[test]
#[cfg_attr(not(data = "zinc12k"), ignore = "needs zinc12k in GSN_DATA")]
fn zinc_molecules_have_the_published_sizes() {
    let records = all(&benchmarks(), "zinc12k/zinc12k_smiles.csv.gz");
    let mut lines = lines(&benchmarks().join("zinc12k/zinc12k_train.txt.gz"));
    assert_eq!(records.len(), 12_000);
    let count: usize = lines.next().unwrap().parse().unwrap();
    for record in &records[..count] {
        let head = lines.next().unwrap();
        let head: Vec<&str> = head.split_whitespace().collect();
        lines.nth(1);
        let size = (record.graph.order().to_string(), record.graph.edge_count().to_string());
        assert_eq!((&*size.0, &*size.1), (head[0], head[1]), "row {}", record.row);
    }
}

#[test]
#[cfg_attr(not(data = "tud"), ignore = "needs tud in GSN_DATA")]
fn tud_sets_have_the_published_means() {
    for (name, file, graphs, nodes, edges, loops) in [
        ("MUTAG", "MUTAG.txt", 188, 17.93, 19.79, 0),
        ("PTC", "PTC.txt", 344, 25.56, 25.96, 0),
        ("PROTEINS", "PROTEINS.txt", 1113, 39.06, 72.82, 0),
        ("NCI1", "NCI1.txt", 4110, 29.87, 32.30, 0),
        ("COLLAB", "COLLAB.txt.gz", 5000, 74.49, 2457.22, 2837),
        ("IMDBBINARY", "IMDBBINARY.txt", 1000, 19.77, 96.53, 0),
        ("IMDBMULTI", "IMDBMULTI.txt", 1500, 13.00, 65.94, 0),
    ] {
        let records = all(&benchmarks(), &format!("tud/{name}/{file}"));
        assert_eq!(records.len(), graphs, "{name}");
        let mean = |total: usize| (total as f64 / graphs as f64 * 100.0).round() / 100.0;
        assert_eq!(mean(records.iter().map(|r| r.graph.order()).sum()), nodes, "{name}");
        assert_eq!(mean(records.iter().map(|r| r.graph.edge_count()).sum()), edges, "{name}");
        assert_eq!(records.iter().map(|r| r.dropped.self_loops).sum::<usize>(), loops, "{name}");
        assert_eq!(records.iter().map(|r| r.dropped.duplicates).sum::<usize>(), 0, "{name}");
        assert!(records.iter().all(|r| r.label.is_some() && r.graph.vertex_labels().is_some()));
    }
}

/// Fails unless the file holds so many graphs of one size.
fn holds(root: &Path, path: &str, graphs: usize, order: usize) {
    let records = all(root, path);
    assert_eq!(records.len(), graphs, "{path}");
    assert!(records.iter().all(|r| r.graph.order() == order), "{path}");
}

#[test]
fn graph6_files_have_the_published_numbers_of_graphs() {
    for (path, graphs, order) in [
        ("sr/sr16622.g6", 2, 16),
        ("sr/sr251256.g6", 15, 25),
        ("sr/sr351668.g6", 3854, 35),
        ("sr/sr401224.g6", 28, 40),
    ] {
        holds(&carried(), path, graphs, order);
    }
    holds(&repository(), "all_simple_graphs/graph7c.g6", 853, 7);
    assert_eq!(all(&carried(), "brec/brec.g6").len(), 800);
}

#[test]
#[cfg_attr(not(data = "csl"), ignore = "needs csl in GSN_DATA")]
fn there_are_150_skip_link_graphs() {
    holds(&benchmarks(), "csl/csl.g6", 150, 41);
}

#[test]
#[cfg_attr(not(data = "graph8c"), ignore = "needs graph8c in GSN_DATA")]
fn there_are_11117_connected_graphs_of_eight_vertices() {
    holds(&benchmarks(), "graph8c/graph8c.g6", 11_117, 8);
}

#[test]
#[cfg_attr(not(data = "graphs"), ignore = "needs graphs in GSN_DATA")]
fn single_graphs_keep_their_isolated_vertices() {
    for (name, nodes, edges) in [
        ("ca-GrQc", 5242, 14_484),
        ("email-Eu-core", 1005, 16_064),
        ("as20000102", 6474, 12_572),
        ("citeseer-peregrine", 3264, 4536),
        ("socfb-MIT8", 6440, 251_252),
    ] {
        let records = all(&benchmarks(), &format!("graphs/{name}.txt.gz"));
        assert_eq!((records[0].graph.order(), records[0].graph.edge_count()), (nodes, edges));
        assert_eq!(records[0].name.as_deref(), Some(name));
    }
}
