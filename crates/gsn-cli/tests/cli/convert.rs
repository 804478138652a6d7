//! `gsn convert`.

use super::{expect, folder, names, text};

#[test]
fn graphs_survive_a_tour_through_the_formats() {
    let folder = folder(&[("start.g6", b"DQc\nC~\nD?{\n@\n")]);
    let at = folder.path();
    for (from, to) in [
        ("start.g6", "a.parquet"),
        ("a.parquet", "b.gin"),
        ("b.gin", "c.arrow"),
        ("c.arrow", "d.graphml"),
        ("d.graphml", "e.gml"),
        ("e.gml", "f.json"),
        ("f.json", "g.csv"),
        ("g.csv", "h.tsv.gz"),
        ("h.tsv.gz", "i.s6"),
        ("i.s6", "end.g6"),
    ] {
        expect(0, at, &format!("convert {from} {to} -q"));
    }
    assert_eq!(text(at.join("end.g6")), text(at.join("start.g6")));
}

#[test]
fn rejected_rows_and_losses_are_told() {
    let folder = folder(&[("some.csv", b"smiles,name\nCCO,ethanol\nC1CC,broken\n")]);
    let ran = expect(1, folder.path(), "convert some.csv out.g6 --json");
    assert!(ran.err.contains("row 1 (line 3)"), "{}", ran.err);
    assert!(ran.err.contains("does not hold vertex labels, edge labels"), "{}", ran.err);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&json["graphs"], &json["rejected"]), (&1.into(), &1.into()));
    assert_eq!(text(folder.path().join("out.g6")), "Bg\n");
    let list = text(folder.path().join("out.rejected.csv"));
    assert!(list.starts_with("row,line,input,reason\n1,3,"), "{list}");
    expect(0, folder.path(), "convert out.g6 out.s6 -q");
    assert!(!folder.path().join("out.rejected.csv").exists(), "nothing was rejected this time");
}

#[test]
fn edge_lists_are_numbered_as_told_and_graphml_labels_come_from_the_named_key() {
    let folder = folder(&[("gaps.txt", b"0 2\n2 5\n")]);
    let at = folder.path();
    expect(0, at, "convert gaps.txt compact.g6 -q");
    expect(0, at, "convert gaps.txt kept.g6 --vertex-ids keep -q");
    assert_eq!(text(at.join("compact.g6")), "Bg\n");
    assert_eq!(text(at.join("kept.g6")).len(), 5, "six vertices");
    let ran = expect(2, at, "convert kept.g6 again.s6 --vertex-ids keep");
    assert!(ran.err.contains("vertex numbering is for edge lists"), "{}", ran.err);

    let graphml = r#"<graphml><key id="k" for="node" attr.name="kind" attr.type="int"/>
        <graph edgedefault="undirected"><node id="a"><data key="k">7</data></node>
        <node id="b"><data key="k">9</data></node><edge source="a" target="b"/></graph></graphml>"#;
    std::fs::write(at.join("one.graphml"), graphml).unwrap();
    expect(0, at, "convert one.graphml one.gin --vertex-label kind -q");
    assert!(text(at.join("one.gin")).contains("\n7 1 1\n9 1 0\n"), "{}", text(at.join("one.gin")));
}

#[test]
fn what_cannot_be_written_is_refused() {
    let folder = folder(&[("a.g6", b"DQc\n")]);
    let at = folder.path();
    assert!(expect(2, at, "convert a.g6 out.xyz").err.contains("--to"));
    assert!(expect(2, at, "convert a.g6 out.smi").err.contains("SMILES"));
    assert!(expect(2, at, "convert a.g6 a.g6").err.contains("is the input"));
    assert!(expect(2, at, "convert missing.g6 b.g6").err.contains("missing.g6"));
    assert_eq!(names(at), ["a.g6"]);
    let ran = expect(0, at, "convert a.g6 - --to edge-list -q");
    assert_eq!(ran.out.lines().filter(|line| !line.starts_with('#')).count(), 4, "{}", ran.out);
}

#[test]
fn one_network_goes_through_the_formats_of_one_graph() {
    let folder = folder(&[(
        "start.col",
        b"c a square with a diagonal\np edge 4 5\ne 1 2\ne 1 3\ne 1 4\ne 2 3\ne 3 4\n",
    )]);
    let at = folder.path();
    for (from, to) in [
        ("start.col", "a.mtx.gz"),
        ("a.mtx.gz", "b.csv"),
        ("b.csv", "c.gml"),
        ("c.gml", "d.json"),
        ("d.json", "e.parquet"),
        ("e.parquet", "end.col"),
    ] {
        let ran = expect(0, at, &format!("convert {from} {to}"));
        // Vertices are 1 to 4 all the way.
        assert!(!ran.err.contains("does not hold"), "{from} to {to}: {}", ran.err);
    }
    let start = text(at.join("start.col"));
    assert_eq!(text(at.join("end.col")), start.split_once('\n').unwrap().1);
    let ran = expect(0, at, "count b.csv -p cycle:3 -q");
    assert_eq!(ran.out, "graph,vertex,cycle:3/v0\n0,1,2\n0,2,1\n0,3,2\n0,4,1\n");
    let ran = expect(2, at, "convert start.col out.g6 --directed");
    assert!(ran.err.contains("dimacs says itself whether edges are directed"), "{}", ran.err);
}
