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
        ("d.graphml", "e.s6"),
        ("e.s6", "end.g6"),
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
}

#[test]
fn what_cannot_be_written_is_refused() {
    let folder = folder(&[("a.g6", b"DQc\n")]);
    let at = folder.path();
    assert!(expect(2, at, "convert a.g6 out.xyz").err.contains("--to"));
    assert!(expect(2, at, "convert a.g6 out.csv").err.contains("SMILES"));
    assert!(expect(2, at, "convert a.g6 a.g6").err.contains("is the input"));
    assert!(expect(2, at, "convert missing.g6 b.g6").err.contains("missing.g6"));
    assert_eq!(names(at), ["a.g6"]);
    let ran = expect(0, at, "convert a.g6 - --to edge-list -q");
    assert_eq!(ran.out.lines().filter(|line| !line.starts_with('#')).count(), 4, "{}", ran.out);
}
