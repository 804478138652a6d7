//! `gsn count --list`: occurrences instead of counts.

use super::{expect, folder, text};
use serde_json::Value;

#[test]
fn totals_are_exact_however_short_the_list_is() {
    // A clique of six: 20 triangles, no induced path of three, 15 cliques of four.
    let edges: String = (0..6).flat_map(|u| (0..u).map(move |v| format!("v{v} v{u}\n"))).collect();
    let folder = folder(&[("k6.edges", edges.as_bytes())]);
    let at = folder.path();
    let ran = expect(
        0,
        at,
        "count k6.edges -p cycle:3,path:3,clique:4 --list list.csv.gz --limit 7 --json",
    );
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    let totals: Vec<(u64, u64)> = summary["patterns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| (p["total"].as_u64().unwrap(), p["listed"].as_u64().unwrap()))
        .collect();
    assert_eq!(totals, [(20, 7), (0, 0), (15, 7)]);
    assert!(ran.err.contains("cycle:3: 20 in all, 7 listed"), "{}", ran.err);
    expect(0, at, "count k6.edges -p clique:4 --list list.csv -q");
    let list = text(at.join("list.csv"));
    let mut lines = list.lines();
    assert_eq!(lines.next(), Some("graph,pattern,number,of,v0,v1,v2,v3"));
    let rows: Vec<&str> = lines.collect();
    assert_eq!(rows.len(), 15);
    assert!(rows.iter().all(|row| row.starts_with("0,clique:4,") && row.contains(",15,v")));
}

#[test]
fn labels_directions_names_and_rejected_rows_are_kept() {
    let folder =
        folder(&[("arcs.edges", b"a b\nb c\nc a\nc d\n"), ("m.csv", b"smiles\nOCO\nC1CC\nCCO\n")]);
    let at = folder.path();
    let ran = expect(0, at, "count arcs.edges --directed -p edges:0>1,1>2,2>0 --list - -q");
    assert_eq!(ran.out.lines().count(), 2);
    assert!(ran.out.ends_with(",1,1,a,b,c\n"), "{}", ran.out);
    let ran = expect(1, at, "count m.csv -p edges:0@6-1@8 --list co.csv");
    assert!(ran.err.contains("3 in all, 3 listed"), "{}", ran.err);
    let list = text(at.join("co.csv"));
    let ends: Vec<&str> = list.lines().skip(1).collect();
    assert_eq!(
        ends,
        ["0,edges:0@6-1@8,1,2,1,0", "0,edges:0@6-1@8,2,2,1,2", "2,edges:0@6-1@8,1,1,1,2"]
    );
    assert!(text(at.join("co.rejected.csv")).contains("C1CC"));
}

#[test]
fn what_cannot_act_together_is_refused() {
    let folder = folder(&[("e.edges", b"0 1\n")]);
    let at = folder.path();
    for (line, reason) in [
        ("count e.edges -p path:2 --limit 3", "--list"),
        ("count e.edges -p path:2 --list l.csv --scope edge", "--scope"),
        ("count e.edges -p path:2 --list l.parquet", ".csv"),
        ("count e.edges -p path:2 --list - --json", "--list"),
        ("count e.edges -p path:2 --list e.edges", ".csv"),
        ("count e.edges -p edges:0>1 --list l.csv", "directed"),
    ] {
        let ran = expect(2, at, line);
        assert!(ran.err.contains(reason), "{line}: {}", ran.err);
    }
    assert!(!at.join("l.csv").exists());
}
