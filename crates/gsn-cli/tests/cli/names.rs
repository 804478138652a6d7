//! What a file calls its vertices is what every output calls them.

use super::{expect, folder, text};
use serde_json::Value;

/// A triangle with a tail, as SNAP writes it.
const SNAP: &[u8] = b"# Undirected graph\n# Nodes: 4 Edges: 4\n# FromNodeId\tToNodeId\n\
    30\t10\n10\t20\n20\t30\n30\t3466\n";

const GRAPHML: &[u8] = br#"<graphml><graph edgedefault="undirected">
    <node id="ann"/><node id="bob"/><node id="eve"/>
    <edge source="ann" target="bob"/><edge source="bob" target="eve"/></graph></graphml>"#;

#[test]
fn ids_of_an_edge_list_are_the_keys_of_the_table() {
    let folder = folder(&[("net.txt", SNAP)]);
    let at = folder.path();
    let ran = expect(0, at, "count net.txt -p cycle:3");
    assert_eq!(ran.out, "graph,vertex,cycle:3/v0\n0,10,1\n0,20,1\n0,30,1\n0,3466,0\n");
    assert!(!ran.err.contains("note"), "{}", ran.err);
    let ran = expect(0, at, "count net.txt -p cycle:3 --scope edge -q");
    let rows = "0,10,20,1\n0,10,30,1\n0,20,30,1\n0,30,3466,0\n";
    assert_eq!(ran.out, format!("graph,source,target,cycle:3/e0\n{rows}"));
    // Their places are there for who asks.
    let ran = expect(0, at, "count net.txt -p cycle:3 --vertex-names index -q");
    assert_eq!(ran.out, "graph,vertex,cycle:3/v0\n0,0,1\n0,1,1\n0,2,1\n0,3,0\n");
}

#[test]
fn named_tables_are_verified_in_every_format() {
    let folder = folder(&[("net.txt", SNAP), ("people.graphml", GRAPHML)]);
    let at = folder.path();
    for (input, kind) in [("net.txt", "integers"), ("people.graphml", "strings")] {
        for table in ["t.csv", "t.parquet", "t.arrow", "t.npz"] {
            expect(0, at, &format!("count {input} -p cycle:3 -p path:3 --scope arc -o {table} -q"));
            let sidecar: Value =
                serde_json::from_str(&text(at.join(format!("{table}.json")))).unwrap();
            assert_eq!(sidecar["table"]["vertex-names"], kind, "{input} {table}");
            assert!(expect(0, at, &format!("verify {table}")).err.contains("all equal"));
        }
    }
    // A wrong number is named by the vertex as the file calls it.
    expect(0, at, "count people.graphml -p path:2 -o t.csv -q");
    let right = text(at.join("t.csv"));
    assert_eq!(right, "graph,vertex,path:2/v0\n0,ann,1\n0,bob,2\n0,eve,1\n");
    std::fs::write(at.join("t.csv"), right.replace("bob,2", "bob,3")).unwrap();
    let ran = expect(2, at, "verify t.csv");
    let line = "graph 0, vertex bob, path:2/v0: 3 in the table, 2 by brute force";
    assert!(ran.err.contains(line), "{}", ran.err);
    // Tables from before names were kept hold the places of vertices, and are right as well.
    expect(0, at, "count net.txt -p cycle:3 --vertex-names index -o old.csv -q");
    let sidecar = text(at.join("old.csv.json"));
    let old = sidecar.replace("\"vertex-names\": \"index\"", "");
    assert_ne!(sidecar, old);
    std::fs::write(at.join("old.csv.json"), old).unwrap();
    assert!(expect(0, at, "verify old.csv").err.contains("all equal"));
    // Another name is another row.
    std::fs::write(at.join("t.csv"), right.replace("bob", "rob")).unwrap();
    assert!(expect(2, at, "verify t.csv").err.contains("rows of graph 0"));
}

#[test]
fn names_go_with_the_graph_where_the_format_has_room() {
    let folder = folder(&[("people.graphml", GRAPHML), ("net.txt", SNAP)]);
    let at = folder.path();
    expect(0, at, "convert people.graphml people.edges");
    let edges = "# vertex names are text\n# Nodes: 3 Edges: 2\nann bob\nbob eve\n";
    assert_eq!(text(at.join("people.edges")), edges);
    expect(0, at, "convert people.edges again.graphml");
    assert!(text(at.join("again.graphml")).contains("<edge source=\"bob\" target=\"eve\"/>"));
    expect(0, at, "convert net.txt net.edges");
    assert!(text(at.join("net.edges")).ends_with("\n30 3466\n"));
    let ran = expect(0, at, "convert people.graphml people.g6");
    assert!(ran.err.contains("graph6 does not hold names of vertices"), "{}", ran.err);
}

#[test]
fn a_header_that_lies_and_names_where_numbers_were_are_told() {
    let folder = folder(&[
        ("cut.txt", b"# Nodes: 9 Edges: 50\n1 2\n" as &[u8]),
        ("mixed.edges", b"1 2\nann bob\n"),
    ]);
    let at = folder.path();
    let ran = expect(0, at, "count cut.txt -p path:2 -o t.csv");
    assert!(ran.err.contains("speaks of 9 vertices, the edges have 2"), "{}", ran.err);
    assert!(ran.err.contains("speaks of 50 edges, 1 follow"), "{}", ran.err);
    let ran = expect(2, at, "count mixed.edges -p path:2");
    assert!(ran.err.contains("line 2") && ran.err.contains("--vertex-names text"), "{}", ran.err);
    assert_eq!(ran.out, "", "no header before an error");
    let ran = expect(0, at, "count mixed.edges -p path:2 --vertex-names text -q");
    assert_eq!(ran.out, "graph,vertex,path:2/v0\n0,1,1\n0,2,1\n0,ann,1\n0,bob,1\n");
}

#[test]
fn tables_of_edges_are_read_with_any_usual_titles_and_delimiters() {
    let folder = folder(&[
        ("a.csv", b"from;weight;to\nann;0,5;bob\nbob;1,5;eve\n" as &[u8]),
        ("b.tsv", b"day\tcaller\tcallee\n1\t7\t9\n1\t9\t8\n"),
        ("c.csv", b"graph,source,target\nx,1,2\nx,2,3\ny,5,6\ny,9,\n"),
        ("d.csv", b"graph,source,target\nx,1,2\ny,5,6\nx,2,3\n"),
        ("e.csv", b"this,that\n1,2\n"),
    ]);
    let at = folder.path();
    let ran = expect(0, at, "count a.csv -p path:2");
    assert_eq!(ran.out, "graph,vertex,path:2/v0\n0,ann,1\n0,bob,2\n0,eve,1\n");
    assert!(
        ran.err.contains("note: a.csv: its columns are separated by semicolons"),
        "{}",
        ran.err
    );
    let chosen = "--source-column caller --target-column callee";
    let ran = expect(0, at, &format!("count b.tsv -p path:2 {chosen}"));
    assert_eq!(ran.out, "graph,vertex,path:2/v0\n0,7,1\n0,8,1\n0,9,2\n");
    let ran = expect(0, at, "count c.csv -p path:2");
    assert!(ran.out.ends_with("\n1,5,1\n1,6,1\n1,9,0\n"), "{}", ran.out);
    let ran = expect(2, at, "count d.csv -p path:2");
    assert!(ran.err.contains("line 4") && ran.err.contains("sort the table"), "{}", ran.err);
    let ran = expect(2, at, "count e.csv -p path:2");
    assert!(ran.err.contains("--smiles") && ran.err.contains("--source-column"), "{}", ran.err);
    let ran = expect(2, at, "count e.csv -p path:2 --source-column this");
    assert!(ran.err.contains("needs --target-column"), "{}", ran.err);
    expect(0, at, "count a.csv -p path:2 --delimiter semicolon -o t.csv -q");
    assert!(expect(0, at, "verify t.csv").err.contains("all equal"));
}

#[test]
fn molecules_are_found_behind_any_delimiter() {
    let folder =
        folder(&[("a.csv", b"id;smiles\n1;CCO\n" as &[u8]), ("b.csv", b"id\tSMILES\n1\tC1CC1\n")]);
    let at = folder.path();
    let ran = expect(0, at, "count a.csv -p path:2");
    assert_eq!(ran.out.lines().count(), 4, "{}", ran.out);
    assert!(ran.err.contains("separated by semicolons"), "{}", ran.err);
    let ran = expect(0, at, "count b.csv -p cycle:3");
    assert_eq!(ran.out.lines().last(), Some("0,2,1"));
    assert!(ran.err.contains("separated by tabs"), "{}", ran.err);
    let ran = expect(2, at, "count a.csv -p path:2 --delimiter tab");
    assert!(ran.err.contains("no column `smiles`"), "{}", ran.err);
}

#[test]
fn mistakes_are_told_once_and_with_the_option_that_helps() {
    let folder = folder(&[
        ("net.txt", SNAP),
        ("what", b"some text that is nothing\n" as &[u8]),
        ("people.graphml", GRAPHML),
    ]);
    let at = folder.path();
    let ran = expect(2, at, "count net.txt -p cycle:3 -o missing/t.csv");
    assert_eq!(ran.err.matches("No such file").count(), 1, "{}", ran.err);
    assert!(ran.err.contains("missing/t.csv") && !ran.err.contains(".part"), "{}", ran.err);
    let ran = expect(2, at, "count missing.g6 -p cycle:3");
    assert_eq!(ran.err.matches("No such file").count(), 1, "{}", ran.err);
    assert!(expect(2, at, "count what -p cycle:3").err.contains("--format: graph6"));
    let ran = super::run_with(at, &["count", "net.txt", "-p", "edges:0>1,1>2,2>0"]);
    assert!(ran.code == 2 && ran.err.contains("--directed"), "{}", ran.err);
    let ran = super::run_with(at, &["count", "people.graphml", "-p", "edges:0@1-1"]);
    assert!(ran.code == 2 && ran.err.contains("--vertex-label"), "{}", ran.err);
    let ran = expect(2, at, "train nosuch.csv --target y");
    assert!(ran.err.contains("nosuch.csv: there is no such file"), "{}", ran.err);
}

#[test]
fn a_check_without_time_says_what_it_left() {
    let folder = folder(&[("net.txt", SNAP)]);
    let at = folder.path();
    expect(0, at, "count net.txt -p cycle:3 -o t.csv -q");
    let ran = expect(2, at, "verify t.csv --seconds 0.000000001");
    assert!(ran.err.contains("not begun within") && ran.err.contains("4 rows"), "{}", ran.err);
}

#[test]
fn a_certificate_names_a_vertex_as_the_file_does() {
    let graphs = r#"{"nodes": [{"id": "ann"}, {"id": "bob"}, {"id": "eve"}],
          "links": [{"source": "ann", "target": "bob"}, {"source": "bob", "target": "eve"}]}
        {"nodes": [{"id": 70}, {"id": 80}, {"id": 90}],
          "links": [{"source": 70, "target": 80}, {"source": 80, "target": 90},
                    {"source": 90, "target": 70}]}"#;
    let folder = folder(&[("two.json", graphs.as_bytes())]);
    let at = folder.path();
    let ran = expect(0, at, "separate two.json -p cycle:3 --seeds 0 --scope vertex");
    assert!(ran.out.contains("such as vertex ann of graph 0: (0)"), "{}", ran.out);
    let ran = expect(0, at, "separate two.json -p cycle:3 --pair 1,0 --scope arc --json");
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(found["witness"]["ends"], serde_json::json!([70, 80]), "{found}");
}
