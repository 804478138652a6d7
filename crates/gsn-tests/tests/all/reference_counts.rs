//! Counts that others have published or computed: ORCA's example and orbit totals, Peregrine's
//! motif counts, and tables of three- and four-vertex subgraphs.

use super::lines;
use gsn_core::{CountSpec, Counter, Counts, Graph, Matching, Orbits, Pattern, PatternSet, Scope};
use gsn_tests::benchmarks;
use std::collections::HashMap;

/// Edges, a vertex of each vertex orbit, an edge of each edge orbit.
type Graphlet = (&'static str, &'static [usize], &'static [(usize, usize)]);

/// The graphlets G0 to G29 as ORCA numbers them, with a vertex and an edge of each orbit in
/// ORCA's order: vertex orbits 0 to 72 (Pržulj's numbers) and, without G0, edge orbits 0 to 67.
/// ORCA lists orbits from the periphery of a graphlet inwards.
const GRAPHLETS: [Graphlet; 30] = [
    ("0-1", &[0], &[]),
    ("0-1,0-2", &[1, 0], &[(0, 1)]),
    ("0-1,0-2,1-2", &[0], &[(0, 1)]),
    ("0-1,0-3,1-2", &[2, 0], &[(0, 3), (0, 1)]),
    ("0-1,0-2,0-3", &[1, 0], &[(0, 1)]),
    ("0-2,0-3,1-2,1-3", &[0], &[(0, 2)]),
    ("0-1,0-2,0-3,1-2", &[3, 1, 0], &[(0, 3), (1, 2), (0, 1)]),
    ("0-1,0-2,0-3,1-2,1-3", &[2, 0], &[(0, 2), (0, 1)]),
    ("0-1,0-2,0-3,1-2,1-3,2-3", &[0], &[(0, 1)]),
    ("0-2,0-4,1-2,1-3", &[3, 0, 2], &[(0, 4), (0, 2)]),
    ("0-1,0-3,0-4,1-2", &[2, 3, 1, 0], &[(1, 2), (0, 3), (0, 1)]),
    ("0-1,0-2,0-3,0-4", &[1, 0], &[(0, 1)]),
    ("0-1,0-2,0-4,1-2,1-3", &[3, 2, 0], &[(0, 4), (0, 2), (0, 1)]),
    ("0-1,0-4,1-2,1-3,2-3", &[4, 0, 2, 1], &[(0, 4), (0, 1), (2, 3), (1, 2)]),
    ("0-1,0-2,0-3,0-4,1-2", &[3, 1, 0], &[(0, 3), (1, 2), (0, 1)]),
    ("0-3,0-4,1-2,1-4,2-3", &[0], &[(0, 3)]),
    ("0-2,0-3,0-4,1-2,1-3", &[4, 1, 2, 0], &[(0, 4), (1, 2), (0, 2)]),
    ("0-1,0-2,0-3,0-4,1-2,1-3", &[4, 2, 1, 0], &[(0, 4), (1, 2), (0, 2), (0, 1)]),
    ("0-1,0-2,0-3,0-4,1-4,2-3", &[1, 0], &[(1, 4), (0, 1)]),
    ("0-1,0-2,0-4,1-2,1-3,2-3", &[4, 3, 0, 1], &[(0, 4), (1, 3), (0, 1), (1, 2)]),
    ("0-2,0-3,0-4,1-2,1-3,1-4", &[2, 0], &[(0, 2)]),
    ("0-1,0-3,0-4,1-2,1-4,2-3", &[2, 4, 0], &[(2, 3), (0, 3), (0, 4), (0, 1)]),
    ("0-1,0-2,0-3,0-4,1-2,1-3,1-4", &[2, 0], &[(0, 2), (0, 1)]),
    ("0-1,0-2,0-3,0-4,1-2,1-3,2-3", &[4, 1, 0], &[(0, 4), (1, 2), (0, 1)]),
    ("0-1,0-2,0-3,0-4,1-2,1-4,2-3", &[3, 1, 0], &[(1, 4), (0, 3), (1, 2), (0, 1)]),
    ("0-2,0-3,0-4,1-2,1-3,1-4,2-3", &[4, 0, 2], &[(0, 4), (0, 2), (2, 3)]),
    ("0-1,0-2,0-3,0-4,1-2,1-3,1-4,2-3", &[4, 2, 0], &[(0, 4), (2, 3), (0, 2), (0, 1)]),
    ("0-1,0-2,0-3,0-4,1-3,1-4,2-3,2-4", &[1, 0], &[(1, 3), (0, 1)]),
    ("0-1,0-2,0-3,0-4,1-2,1-3,1-4,2-3,2-4", &[3, 0], &[(0, 3), (0, 1)]),
    ("0-1,0-2,0-3,0-4,1-2,1-3,1-4,2-3,2-4,3-4", &[0], &[(0, 1)]),
];

fn pattern(edges: &str) -> Pattern {
    let edges: Vec<(usize, usize)> = edges
        .split(',')
        .map(|edge| {
            let (a, b) = edge.split_once('-').unwrap();
            (a.parse().unwrap(), b.parse().unwrap())
        })
        .collect();
    let order = edges.iter().map(|&(a, b)| a.max(b) + 1).max().unwrap();
    Pattern::new(format!("{edges:?}"), order, &edges).unwrap()
}

fn set<'a>(edges: impl IntoIterator<Item = &'a str>) -> PatternSet {
    PatternSet::from_patterns(edges.into_iter().map(pattern).collect()).unwrap()
}

/// Column of each (pattern, orbit).
fn columns(counts: &Counts) -> HashMap<(usize, usize), usize> {
    let columns = counts.columns().iter().enumerate();
    columns.map(|(at, column)| ((column.pattern(), column.orbit()), at)).collect()
}

/// Our columns in the order of ORCA's vertex and edge orbits.
fn orca_columns(vertex: &Counts, edge: &Counts) -> (Vec<usize>, Vec<usize>) {
    let (vertex, edge) = (columns(vertex), columns(edge));
    let (mut by_vertex, mut by_edge) = (Vec::new(), Vec::new());
    for (index, (edges, vertices, ends)) in GRAPHLETS.iter().enumerate() {
        let orbits = Orbits::of(&pattern(edges), Default::default());
        assert_eq!(vertices.len(), orbits.vertex_count(), "{edges}");
        by_vertex.extend(vertices.iter().map(|&a| vertex[&(index, orbits.vertex(a))]));
        by_edge.extend(
            ends.iter().map(|&(a, b)| edge[&(index, orbits.edge_of_arc_orbit(orbits.arc(a, b)))]),
        );
    }
    (by_vertex, by_edge)
}

fn numbers(line: &str) -> Vec<u64> {
    line.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

#[test]
#[cfg_attr(not(data = "orca_example"), ignore = "needs orca_example in GSN_DATA")]
fn orca_example() {
    let folder = benchmarks().join("orca_example");
    let mut rows = lines(&folder.join("graph.in"));
    let order = numbers(&rows.next().unwrap())[0] as usize;
    let edges: Vec<(u32, u32)> = rows
        .map(|line| {
            let ends = numbers(&line);
            (ends[0] as u32, ends[1] as u32)
        })
        .collect();
    let graph = Graph::from_edges(order, edges.iter().copied()).unwrap();
    let counter = Counter::new(&CountSpec::new(set(GRAPHLETS.map(|(edges, _, _)| edges))));
    let views = [(Scope::Vertex, Matching::Induced), (Scope::Edge, Matching::Induced)];
    let counts = counter.count_views(&graph, &views).unwrap();
    let (by_vertex, by_edge) = orca_columns(&counts[0], &counts[1]);
    assert_eq!((by_vertex.len(), by_edge.len()), (73, 68));
    for (name, width) in [("node-4.out", 15), ("node-5.out", 73)] {
        let rows = lines(&folder.join(name));
        let mut seen = 0;
        for (v, line) in rows.enumerate() {
            let ours: Vec<u64> =
                by_vertex[..width].iter().map(|&column| counts[0].row(v)[column]).collect();
            assert_eq!(ours, numbers(&line), "{name}, vertex {v}");
            seen += 1;
        }
        assert_eq!(seen, order);
    }
    for (name, width) in [("edge-4.out", 12), ("edge-5.out", 68)] {
        let rows = lines(&folder.join(name));
        let mut seen = 0;
        for (&(u, v), line) in edges.iter().zip(rows) {
            let row = counts[1].row(graph.edge_id(graph.arc_id(u, v).unwrap()));
            let ours: Vec<u64> = by_edge[..width].iter().map(|&column| row[column]).collect();
            assert_eq!(ours, numbers(&line), "{name}, edge {u}-{v}");
            seen += 1;
        }
        assert_eq!(seen, edges.len());
    }
}

/// The lines of a reference table, split at tabs, and its header.
fn table(name: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let file = benchmarks().join("reference_counts").join(name);
    let split = |line: String| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
    let mut rows = lines(&file).map(split);
    let header = rows.next().unwrap();
    (header, rows.collect())
}

/// A graph of `graphs/` in the data folder.
fn edge_list(name: &str) -> Graph {
    let mut lines = lines(&benchmarks().join(format!("graphs/{name}.txt.gz")));
    let header = lines.next().unwrap();
    let order = header.split_whitespace().skip_while(|&w| w != "nodes").nth(1).unwrap();
    let edges = lines.map(|line| {
        let mut ends = line.split_whitespace().map(|end| end.parse().unwrap());
        (ends.next().unwrap(), ends.next().unwrap())
    });
    Graph::from_edges(order.parse().unwrap(), edges).unwrap()
}

#[test]
#[cfg_attr(
    not(all(data = "reference_counts", data = "graphs")),
    ignore = "needs reference_counts and graphs in GSN_DATA"
)]
fn orca_totals_of_five_vertex_orbits() {
    let (header, rows) = table("orca_node5_orbit_totals.tsv");
    assert_eq!(header.len(), 74);
    let counter = Counter::new(&CountSpec::new(set(GRAPHLETS.map(|(edges, _, _)| edges))));
    let tiny = Graph::from_edges(2, [(0, 1)]).unwrap();
    let views = [(Scope::Vertex, Matching::Induced), (Scope::Edge, Matching::Induced)];
    let layout = counter.count_views(&tiny, &views).unwrap();
    let (by_vertex, _) = orca_columns(&layout[0], &layout[1]);
    for row in rows {
        let graph = edge_list(&row[0]);
        let counts = counter.count(&graph).unwrap();
        let totals: Vec<String> = by_vertex
            .iter()
            .map(|&column| counts.column(column).map(u128::from).sum::<u128>().to_string())
            .collect();
        assert_eq!(totals, row[1..], "{}", row[0]);
    }
}

/// Occurrences in all: the sum of an orbit's column over the size of the orbit.
fn occurrences(counts: &Counts, patterns: &PatternSet) -> Vec<u128> {
    let columns = columns(counts);
    let patterns = patterns.patterns().iter().enumerate();
    patterns
        .map(|(index, pattern)| {
            let size = Orbits::of(pattern, Default::default()).vertex_orbits()[0].len() as u128;
            let sum: u128 = counts.column(columns[&(index, 0)]).map(u128::from).sum();
            assert_eq!(sum % size, 0);
            sum / size
        })
        .collect()
}

#[test]
#[cfg_attr(
    not(all(data = "reference_counts", data = "graphs")),
    ignore = "needs reference_counts and graphs in GSN_DATA"
)]
fn three_and_four_vertices_in_all_graphs() {
    let (header, rows) = table("graphs_small_subgraph_counts.tsv");
    let shapes = [
        ("triangles", "0-1,0-2,1-2"),
        ("path3", "0-1,1-2"),
        ("path4", "0-1,1-2,2-3"),
        ("claw", "0-1,0-2,0-3"),
        ("C4", "0-1,1-2,2-3,0-3"),
        ("paw", "0-1,0-2,1-2,2-3"),
        ("diamond", "0-1,0-2,1-2,1-3,2-3"),
        ("K4", "0-1,0-2,0-3,1-2,1-3,2-3"),
    ];
    let patterns = set(shapes.map(|(_, edges)| edges));
    let counter = Counter::new(&CountSpec::new(patterns.clone()));
    let views = [(Scope::Vertex, Matching::Induced), (Scope::Vertex, Matching::Subgraph)];
    for row in rows {
        let graph = edge_list(&row[0]);
        let counts = counter.count_views(&graph, &views).unwrap();
        let induced = occurrences(&counts[0], &patterns);
        let subgraph = occurrences(&counts[1], &patterns);
        let mut compared = 0;
        for (at, (shape, _)) in shapes.iter().enumerate() {
            for (prefix, ours) in [("", &induced), ("ind_", &induced), ("non_", &subgraph)] {
                let Some(column) = header.iter().position(|h| *h == format!("{prefix}{shape}"))
                else {
                    continue;
                };
                assert_eq!(ours[at].to_string(), row[column], "{} {prefix}{shape}", row[0]);
                compared += 1;
            }
        }
        assert_eq!(compared, header.len() - 3);
    }
}

#[test]
#[cfg_attr(
    not(all(data = "reference_counts", data = "graphs")),
    ignore = "needs reference_counts and graphs in GSN_DATA"
)]
fn motifs_of_four_to_six_vertices_in_citeseer() {
    let (_, rows) = table("citeseer_motif_counts.tsv");
    let graph = edge_list("citeseer-peregrine");
    assert_eq!(rows.len(), 6 + 21 + 112);
    let patterns = set(rows.iter().map(|row| row[2].as_str()));
    let views = [(Scope::Vertex, Matching::Subgraph), (Scope::Vertex, Matching::Induced)];
    let counts =
        Counter::new(&CountSpec::new(patterns.clone())).count_views(&graph, &views).unwrap();
    for (counts, column) in counts.iter().zip([3, 4]) {
        for (ours, row) in occurrences(counts, &patterns).into_iter().zip(&rows) {
            assert_eq!(ours.to_string(), row[column], "{}", row[2]);
        }
    }
}

/// Triangles as the Stanford collection publishes them.
const TRIANGLES: [(&str, u64); 11] = [
    ("ego-facebook", 1_612_010),
    ("ca-GrQc", 48_260),
    ("ca-HepTh", 28_339),
    ("ca-HepPh", 3_358_499),
    ("ca-AstroPh", 1_351_441),
    ("ca-CondMat", 173_361),
    ("email-Enron", 727_044),
    ("email-Eu-core", 105_461),
    ("p2p-Gnutella08", 2_383),
    ("as20000102", 6_584),
    ("wiki-Vote", 608_389),
];

#[test]
#[cfg_attr(not(data = "graphs"), ignore = "needs graphs in GSN_DATA")]
fn triangles_of_the_stanford_graphs() {
    let counter = Counter::new(&CountSpec::new("clique:3".parse().unwrap()));
    for (name, triangles) in TRIANGLES {
        let graph = edge_list(name);
        let views = [(Scope::Vertex, Matching::Subgraph), (Scope::Edge, Matching::Induced)];
        for counts in counter.count_views(&graph, &views).unwrap() {
            assert_eq!(counts.column(0).sum::<u64>(), 3 * triangles, "{name}");
        }
    }
}
