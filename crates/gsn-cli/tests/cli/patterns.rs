//! `gsn patterns`.

use super::{expect, folder, names, run_with, text};

#[test]
fn orbits_of_a_path_are_drawn_and_named() {
    let folder = folder(&[]);
    let ran = expect(0, folder.path(), "patterns path:4");
    for part in [
        "4 vertices, 3 edges, |Aut| = 2",
        "v0 A {0 3}",
        "v1 B {1 2}",
        "e0 {0-1 2-3}",
        "e1 {1-2}",
        "a0 {0>1 3>2}",
        "a1 {1>0 2>3}",
        "a2 {1>2 2>1}",
    ] {
        assert!(ran.out.contains(part), "{part}:\n{}", ran.out);
    }
    // The vertices stand in a row: end, inside, inside, end.
    let drawn = ran.out.lines().find(|line| line.trim_start().starts_with('A')).unwrap();
    let letters: String = drawn.chars().take(25).filter(char::is_ascii_alphabetic).collect();
    assert_eq!(letters, "ABBA");
    assert!(!ran.out.contains('\x1b'), "escape codes in plain output");
}

#[test]
fn large_groups_are_instant_and_exact() {
    let folder = folder(&[]);
    let ran = expect(0, folder.path(), "patterns star:19 cycle:20 --draw never");
    let factorial: u128 = (1..=19u128).product();
    assert!(ran.out.contains(&factorial.to_string()), "{}", ran.out);
    assert!(ran.out.lines().any(|line| line.starts_with("cycle:20") && line.contains(" 40 ")));
}

#[test]
fn json_holds_orbits_and_duplicates_are_reported() {
    let folder = folder(&[]);
    let arguments = ["patterns", "cycle:3", "edges:0-1,1-2,2-0", "edges:0>1,1>2", "--json"];
    let ran = run_with(folder.path(), &arguments);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let patterns = json["patterns"].as_array().unwrap();
    assert_eq!(patterns.len(), 3);
    assert_eq!(patterns[0]["automorphisms"], "6");
    assert_eq!(patterns[0]["vertex_orbits"], serde_json::json!([[0, 1, 2]]));
    assert_eq!(patterns[2]["directed"], true);
    assert_eq!(patterns[2]["arc_orbits"], serde_json::json!([[[0, 1]], [[1, 2]]]));
    assert_eq!(json["duplicates"][0]["same_as"], "cycle:3");
    assert!(ran.err.contains("same pattern as `cycle:3`"), "{}", ran.err);
}

#[test]
fn official_orbits_are_coarser_where_they_should_be() {
    // Exact arc orbits can split a pair of vertex orbits; over all graphs of six vertices they
    // do so for 6 of 112.
    let folder = folder(&[]);
    let arcs = |notion: &str| -> Vec<u64> {
        let ran = expect(0, folder.path(), &format!("patterns all:6 --json --orbits {notion}"));
        let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let patterns = json["patterns"].as_array().unwrap();
        patterns.iter().map(|p| p["arc_orbits"].as_array().unwrap().len() as u64).collect()
    };
    let (exact, official) = (arcs("exact"), arcs("official"));
    assert_eq!(exact.len(), 112);
    assert!(exact.iter().zip(&official).all(|(e, o)| e >= o));
    assert_eq!(exact.iter().zip(&official).filter(|(e, o)| e > o).count(), 6);
}

#[test]
fn the_sheet_is_written() {
    let folder = folder(&[]);
    expect(0, folder.path(), "patterns cycle:3..=5 --svg sheet.svg -q");
    assert_eq!(names(folder.path()), ["sheet.svg"]);
    let svg = text(folder.path().join("sheet.svg"));
    assert_eq!(svg.matches("<circle").count(), 12);
    let ran = expect(2, folder.path(), "patterns cycle:3 --svg nowhere/sheet.svg");
    assert!(ran.err.contains("nowhere/sheet.svg"), "{}", ran.err);
}

#[test]
fn errors_point_at_the_character() {
    let folder = folder(&[]);
    let ran = run_with(folder.path(), &["patterns", "path:4, cycel:6"]);
    assert_eq!(ran.code, 2);
    let expected = "error: unknown pattern family `cycel`; did you mean `cycle`?\n  path:4, cycel:6\n          ^\n";
    assert_eq!(ran.err, expected);
}

#[test]
fn files_and_smiles_are_patterns_too() {
    let folder = folder(&[("some.g6", b"DQc\nC~\n")]);
    let ran = expect(0, folder.path(), "patterns file:some.g6 smiles:c1ccccc1 --draw never");
    let first: Vec<&str> =
        ran.out.lines().skip(1).map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(first, ["g6:DQc", "g6:C~", "smiles:c1ccccc1"]);
    let ran = expect(2, folder.path(), "patterns file:missing.g6");
    assert!(ran.err.contains("missing.g6"), "{}", ran.err);
}
