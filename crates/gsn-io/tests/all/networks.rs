//! The formats of networks: GML, Matrix Market, node-link JSON, DIMACS and tables of edges.

use crate::common::{error, file, read, read_text};
use gsn_io::{Format, GraphRecord, GraphSource, ReadOptions, VertexNames};

fn names(record: &GraphRecord) -> Vec<String> {
    let name = |v: u32| match &record.vertex_names {
        Some(names) => names.get(v).to_string(),
        None => v.to_string(),
    };
    (0..record.graph.order() as u32).map(name).collect()
}

fn edges(record: &GraphRecord) -> Vec<(u32, u32)> {
    record.graph.edges().collect()
}

#[test]
fn gml_as_networkx_and_gephi_write_it() {
    let text = r#"Creator "somebody [with brackets]"
graph [
  # a comment
  directed 0
  comment "ten &amp; twenty"
  node [ id 10 label "Ann" graphics [ x 1.5 y -2E3 fill "ff]00" ] ]
  node [
    id 20
    label "B&#252;b"
  ]
  edge [ source 20 target 10 value 3.5 ]
]
graph [ directed 1 node [ id 7 label 4 ] node [ id 5 label 1 ] edge [ source 7 target 5 label 9 ] ]
graph [ node [ id 1 ] edge [ source 1 target 2 ] ]
"#;
    let (good, bad) = read_text("x.gml", text).unwrap();
    assert_eq!(
        (names(&good[0]), edges(&good[0])),
        (vec!["Ann".into(), "Büb".into()], vec![(0, 1)])
    );
    assert!(good[1].graph.is_directed());
    assert_eq!(good[1].vertex_names, Some(VertexNames::Integers(vec![7, 5])));
    assert_eq!(good[1].graph.vertex_labels(), Some(&[4, 1][..]));
    assert_eq!(good[1].graph.arc_labels(), Some(&[9][..]));
    assert_eq!((bad[0].row, bad[0].line), (2, Some(14)));
    assert!(bad[0].reason.contains("`2`, which is no node"), "{}", bad[0].reason);
    // Labels that are not all different cannot be names.
    let twins = r#"graph [ node [ id 3 label "x" ] node [ id 4 label "x" ] ]"#;
    assert_eq!(names(&read_text("x.gml", twins).unwrap().0[0]), ["3", "4"]);
    let source = GraphSource::from_reader("x", twins.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(source.format(), Format::Gml);
}

#[test]
fn gml_that_is_broken_or_hostile() {
    assert!(error("x.gml", "graph [ node [ id 1 ]\n").contains("ends inside a list"));
    assert!(error("x.gml", "graph [\nnode [ id ] ]").contains("line 2"));
    assert!(error("x.gml", "graph [ name \"open\n").contains("ends inside a text"));
    assert!(error("x.gml", "nothing 1").contains("no graph"));
    let deep = format!("graph [ {}", "a [ ".repeat(100_000));
    assert!(error("x.gml", deep).contains("nested too deeply"));
    let long = format!("graph [ name \"{}\" ]", "x".repeat(2 << 20));
    assert!(error("x.gml", long).contains("longer than"));
}

#[test]
fn matrices_of_every_kind() {
    let read_matrix = |head: &str, body: &str| {
        let text = format!("%%MatrixMarket matrix coordinate {head}\n%comment\n\n{body}");
        read_text("x.mtx", text).unwrap().0.remove(0)
    };
    let path = vec![(0, 1), (1, 2)];
    let record = read_matrix("pattern symmetric", "3 3 2\n2 1\n3 2\n");
    assert_eq!(
        (edges(&record), names(&record)),
        (path.clone(), vec!["1".into(), "2".into(), "3".into()])
    );
    // Both halves of a general matrix are one edge, and a written zero is none.
    let record = read_matrix("real general", "3 3 5\n1 2 .5\n2 1 .5\n2 3 -1e3\n3 2 1\n1 3 0.0\n");
    assert_eq!((edges(&record), record.dropped.duplicates), (path.clone(), 0));
    assert_eq!(edges(&read_matrix("complex hermitian", "3 3 2\n2 1 0 1\n3 2 1 0\n")), path);
    let text = "%%MatrixMarket matrix coordinate integer general\n2 2 1\n2 1 7\n";
    let (_dir, path) = file("x", text);
    let directed = ReadOptions { directed: true, ..ReadOptions::default() };
    let (good, _) = read(&path, &directed).unwrap();
    assert_eq!(good[0].graph.arcs().collect::<Vec<_>>(), [(1, 0)]);

    let wrong =
        |head: &str, body: &str| error("x.mtx", format!("%%MatrixMarket matrix {head}\n{body}"));
    assert!(wrong("array real general", "2 2\n1\n").contains("dense arrays"));
    assert!(wrong("coordinate real general", "2 3 1\n1 1 1\n").contains("must be square"));
    assert!(wrong("coordinate pattern general", "2 2 1\n3 1\n").contains("from 1 to 2"));
    assert!(wrong("coordinate real general", "2 2 1\n1 2\n").contains("has no value"));
    assert!(wrong("coordinate pattern general", "2 2 5\n1 2\n").contains("cut short"));
    let huge = "1000000000000000000 1000000000000000000 1000000000000000000\n1 2\n";
    assert!(wrong("coordinate pattern general", huge).contains("too many"));
    let large = "4000000000 4000000000 1\n1 2\n";
    assert!(wrong("coordinate pattern general", large).contains("are claimed"));
}

#[test]
fn node_link_json_of_several_programs() {
    let networkx = r#"{"directed": false, "multigraph": false, "graph": {"name": "two"},
        "nodes": [{"id": "a", "label": 3}, {"id": 7, "label": 4}],
        "links": [{"weight": 2.5, "source": "a", "target": 7}]}"#;
    let record = read_text("x.json", networkx).unwrap().0.remove(0);
    assert_eq!((names(&record), edges(&record)), (vec!["a".into(), "7".into()], vec![(0, 1)]));
    assert_eq!(
        (record.name.as_deref(), record.graph.vertex_labels()),
        (Some("two"), Some(&[3, 4][..]))
    );
    let d3 = r#"{"nodes": [{"name": "x"}, {"name": "y"}], "links": [{"source": 1, "target": 0}]}"#;
    assert_eq!(names(&read_text("x.json", d3).unwrap().0[0]), ["x", "y"]);
    // An array, or one object after the other, is several graphs; bad ones are rejected alone.
    let one = r#"{"nodes": [{"id": 5}, {"id": 6}], "edges": [{"source": 6, "target": 5}]}"#;
    let odd = r#"{"nodes": [{"id": 5}], "edges": [{"source": 5, "target": 8}]}"#;
    for text in [format!("[{one},\n{odd},\n{one}]\n"), format!("{one}\n{odd}\n{one}\n")] {
        let (good, bad) = read_text("x.json", &text).unwrap();
        assert_eq!(good.iter().map(|r| r.row).collect::<Vec<_>>(), [0, 2]);
        assert_eq!(good[1].vertex_names, Some(VertexNames::Integers(vec![5, 6])));
        assert_eq!((bad[0].row, bad[0].line), (1, Some(2)));
        let source =
            GraphSource::from_reader("x", std::io::Cursor::new(text), &ReadOptions::default());
        assert_eq!(source.unwrap().format(), Format::NodeLink);
    }
    for (text, reason) in [
        ("{\"nodes\": 3}", "`nodes` is not an array"),
        ("{\"a\": []}", "no array `nodes`"),
        ("{\"nodes\": []}", "no array `links` or `edges`"),
        ("{\"nodes\": [{\"id\": [1]}], \"edges\": []}", "a text or a number"),
        ("{\"nodes\": [{\"id\": 1}, {\"id\": \"1\"}], \"edges\": []}", "the same id `1`"),
    ] {
        let (_, bad) = read_text("x.json", text).unwrap();
        assert!(bad[0].reason.contains(reason), "{text}: {}", bad[0].reason);
    }
    assert!(error("x.json", "{\"nodes\": [\n{]").contains("line 2"));
    assert!(error("x.json", "[{\"nodes\": [], \"edges\": []}").contains("ends inside an array"));
    assert!(error("x.json", "3").contains("an object"));
    assert!(error("x.json", "[".repeat(100_000)).contains("an object"));
    let deep = format!("{{\"a\": {}", "[".repeat(100_000));
    assert!(error("x.json", deep).contains("recursion limit"));
}

#[test]
fn dimacs_of_every_kind() {
    let (good, _) = read_text("x.col", "c hi\np edge 4 2\ne 1 2\ne 2 1\ne 2 4\n").unwrap();
    assert_eq!((edges(&good[0]), names(&good[0]).len()), (vec![(0, 1), (1, 3)], 4));
    assert_eq!(good[0].vertex_names, Some(VertexNames::Integers(vec![1, 2, 3, 4])));
    let (good, _) = read_text("x.gr", "p sp 2 1\na 2 1 17\n").unwrap();
    assert_eq!(good[0].graph.arcs().collect::<Vec<_>>(), [(1, 0)]);
    assert!(good[0].graph.is_directed());
    let (good, _) = read_text("x.gr", "c PACE\np tw 3 2\n1 2\n3 2\n").unwrap();
    assert_eq!(edges(&good[0]), [(0, 1), (1, 2)]);
    let text = "c one\nc two\np col 2 1\ne 1 2\n";
    let source = GraphSource::from_reader("x", text.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(source.format(), Format::Dimacs);
    let (_dir, path) = file("x.col", "p edge 3 9\ne 1 2\n");
    let mut source = GraphSource::open(&path, &ReadOptions::default()).unwrap();
    source.next().unwrap().unwrap();
    assert!(source.notes()[0].contains("promises 9 edges, 1 follow"), "{:?}", source.notes());

    assert!(error("x.col", "e 1 2\n").contains("before the line `p edge N M`"));
    assert!(error("x.col", "p edge 2 1\ne 1 3\n").contains("line 2"));
    assert!(error("x.col", "p edge 2 1\ne 0 1\n").contains("from 1 to 2"));
    assert!(error("x.col", "p cnf 2 1\n").contains("is no graph"));
    assert!(error("x.col", "p edge 2 1\np edge 2 1\n").contains("second line `p`"));
    assert!(error("x.col", "p edge 1000000000000000000 1\ne 1 2\n").contains("too many"));
    assert!(error("x.col", "p edge 4000000000 1\ne 1 2\n").contains("are claimed"));
    assert!(error("x.col", "c nothing\n").contains("holds no line `p edge N M`"));
}

#[test]
fn tables_of_edges() {
    let (good, bad) = read_text("x.csv", "Source,Target,w\n30,10,.5\n10,20,1\n40,,\n").unwrap();
    assert!(bad.is_empty());
    assert_eq!(good[0].vertex_names, Some(VertexNames::Integers(vec![10, 20, 30, 40])));
    assert_eq!(edges(&good[0]), [(0, 1), (0, 2)]);
    let (good, bad) = read_text("x.csv", "graph,u,v\na,1,2\na,,3\nb,x,y\n").unwrap();
    assert_eq!((good[0].row, good[0].name.as_deref()), (1, Some("b")));
    assert_eq!((bad[0].row, bad[0].line), (0, Some(3)));
    assert!(bad[0].reason.contains("no source"), "{}", bad[0].reason);
    assert!(error("x.csv", "source,target\n").contains("holds no edge"));
    let same = ReadOptions {
        source_column: Some("a".into()),
        target_column: Some("A".into()),
        ..ReadOptions::default()
    };
    let (_dir, path) = file("x.csv", "a,b\n1,2\n");
    let text = read(&path, &same).unwrap_err().to_string();
    assert!(text.contains("different columns"), "{text}");
    // A table without a name is recognised by its titles.
    for (text, format) in [("src\tdst\n1\t2\n", Format::Tsv), ("src;dst\n1;2\n", Format::Csv)] {
        let source = GraphSource::from_reader("x", text.as_bytes(), &ReadOptions::default());
        assert_eq!(source.unwrap().format(), format);
    }
}

#[test]
fn edge_lists_of_names_and_with_titles() {
    let (good, _) = read_text("x.edges", "bob ann\nann eve 0.5\n").unwrap();
    assert_eq!(names(&good[0]), ["bob", "ann", "eve"]);
    let (_dir, path) = file("x.edges", "source target\n5 9\n");
    let mut source = GraphSource::open(&path, &ReadOptions::default()).unwrap();
    let record = source.next().unwrap().unwrap().into_result().unwrap();
    assert_eq!(names(&record), ["5", "9"]);
    assert!(source.notes()[0].contains("line 1 names the columns"), "{:?}", source.notes());
    let long = format!("{} b\n", "a".repeat(2000));
    assert!(error("x.edges", long).contains("longer than 1000 bytes"));
    let large = u64::MAX - 1;
    let (good, _) = read_text("x.edges", format!("3 {large}\n")).unwrap();
    assert_eq!(names(&good[0]), ["3".to_owned(), large.to_string()]);
}
