//! `gsn verify`.

use super::{expect, folder, text};

/// A house, K4 minus an edge with a tail, and a graph without edges.
const GRAPHS: &[u8] = b"DqK\nD^C\nB?\nD~{\n";

#[test]
fn counts_are_confirmed_in_every_scope_and_format() {
    let folder = folder(&[("graphs.g6", GRAPHS)]);
    let at = folder.path();
    for scope in ["vertex", "edge", "arc"] {
        for (matching, out) in
            [("induced", "t.parquet"), ("subgraph", "t.npz"), ("homomorphism", "t.csv")]
        {
            let options = format!("--scope {scope} --matching {matching} -o {out} -q");
            expect(0, at, &format!("count graphs.g6 -p all:4 -p cycle:5 -p star:3 {options}"));
            let ran = expect(0, at, &format!("verify {out} --json"));
            let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
            assert_eq!(json["differences"], serde_json::json!([]));
            assert!(json["recounted_numbers"].as_u64().unwrap() > 50, "{json}");
            assert!(ran.err.contains("all equal"), "{}", ran.err);
        }
    }
    expect(0, at, "count graphs.g6 -p all:5 --scope arc --orbits official -o t.arrow -q");
    expect(0, at, "verify t.arrow -q");
    let maps = "--matching homomorphism --scope edge --orbits official";
    expect(0, at, &format!("count graphs.g6 -p spasm:cycle:6 -p all:4 {maps} -o t.arrow -q"));
    expect(0, at, "verify t.arrow -q");
}

#[test]
fn a_wrong_number_is_found_and_named() {
    let folder = folder(&[("graphs.g6", GRAPHS)]);
    let at = folder.path();
    expect(0, at, "count graphs.g6 -p cycle:3 -o t.csv -q");
    let right = text(at.join("t.csv"));
    assert!(right.contains("\n3,4,6\n"), "{right}");
    std::fs::write(at.join("t.csv"), right.replace("\n3,4,6\n", "\n3,4,7\n")).unwrap();
    let ran = expect(2, at, "verify t.csv");
    let line = "graph 3, vertex 4, cycle:3/v0: 7 in the table, 6 by brute force";
    assert!(ran.err.contains(line), "{}", ran.err);
}

#[test]
fn tables_that_do_not_belong_to_their_input_are_refused() {
    let folder = folder(&[("graphs.g6", GRAPHS)]);
    let at = folder.path();
    expect(0, at, "count graphs.g6 -p cycle:3 -o t.csv -q");
    let table = text(at.join("t.csv"));
    // A row is missing, a graph is missing.
    std::fs::write(at.join("t.csv"), table.replace("\n3,4,6\n", "\n")).unwrap();
    assert!(expect(2, at, "verify t.csv").err.contains("rows of graph 3"));
    let short: String =
        table.lines().filter(|l| !l.starts_with("3,")).map(|l| format!("{l}\n")).collect();
    std::fs::write(at.join("t.csv"), short).unwrap();
    assert!(expect(2, at, "verify t.csv").err.contains("not in the table"));
    // The input has changed, was moved, is missing.
    std::fs::write(at.join("t.csv"), table).unwrap();
    std::fs::write(at.join("graphs.g6"), [GRAPHS, b"\n"].concat()).unwrap();
    assert!(expect(2, at, "verify t.csv").err.contains("sha256"));
    std::fs::write(at.join("moved.g6"), GRAPHS).unwrap();
    expect(0, at, "verify t.csv --input moved.g6");
    std::fs::remove_file(at.join("graphs.g6")).unwrap();
    assert!(expect(2, at, "verify t.csv").err.contains("--input"));
    std::fs::remove_file(at.join("t.csv.json")).unwrap();
    assert!(expect(2, at, "verify t.csv").err.contains("sidecar"));
}

#[test]
fn the_same_seed_takes_the_same_sample() {
    let mut graphs = Vec::new();
    (0..200).for_each(|_| graphs.extend_from_slice(b"D~{\n"));
    let folder = folder(&[("graphs.g6", &graphs)]);
    let at = folder.path();
    expect(0, at, "count graphs.g6 -p cycle:3 -o t.csv -q");
    let wrong = text(at.join("t.csv")).replace(",0,6\n", ",0,5\n");
    std::fs::write(at.join("t.csv"), wrong).unwrap();
    let found = |seed: u32| expect(2, at, &format!("verify t.csv --sample 3 --seed {seed} -q")).err;
    assert_eq!(found(1), found(1));
    assert_ne!(found(1), found(2));
    assert!(found(1).contains("3 of 15 numbers differ"), "{}", found(1));
}

#[test]
fn an_orbit_that_the_pattern_does_not_have_is_an_error() {
    let folder = folder(&[("graphs.g6", GRAPHS)]);
    let at = folder.path();
    for (scope, key, wrong) in [
        ("vertex", "vertex_orbits", serde_json::json!([[0, 1, 9]])),
        ("edge", "edge_orbits", serde_json::json!([[[0, 1], [7, 2]]])),
        ("arc", "arc_orbits", serde_json::json!([[[1, 1]]])),
    ] {
        expect(0, at, &format!("count graphs.g6 -p cycle:3 --scope {scope} -o t.csv -q"));
        let mut sidecar: serde_json::Value =
            serde_json::from_str(&text(at.join("t.csv.json"))).unwrap();
        sidecar["patterns"][0][key] = wrong;
        std::fs::write(at.join("t.csv.json"), sidecar.to_string()).unwrap();
        let ran = expect(2, at, "verify t.csv");
        assert!(ran.err.contains("cycle:3 does not have"), "{}", ran.err);
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
    }
}

#[test]
fn a_sample_of_nothing_is_not_called_equal() {
    let folder = folder(&[("graphs.g6", GRAPHS)]);
    let at = folder.path();
    expect(0, at, "count graphs.g6 -p cycle:3 -o t.csv -q");
    let ran = expect(0, at, "verify t.csv --sample 0");
    assert!(!ran.err.contains("equal"), "{}", ran.err);
    assert!(ran.err.contains("recounted by brute force: nothing"), "{}", ran.err);
}

#[test]
fn a_table_beside_the_sidecar_of_another_run_is_told() {
    let folder = folder(&[("graphs.g6", GRAPHS)]);
    let at = folder.path();
    expect(0, at, "count graphs.g6 -p cycle:3 -o t.csv -q");
    let old = text(at.join("t.csv"));
    // As a kill between the two renames would leave them: other columns, other numbers.
    expect(0, at, "count graphs.g6 -p cycle:4 -o t.csv -q");
    std::fs::write(at.join("t.csv"), &old).unwrap();
    assert!(expect(2, at, "verify t.csv").err.contains("columns"));
    expect(0, at, "count graphs.g6 -p path:3 --matching subgraph -o t.csv -q");
    let other = text(at.join("t.csv"));
    expect(0, at, "count graphs.g6 -p path:3 -o t.csv -q");
    std::fs::write(at.join("t.csv"), &other).unwrap();
    let ran = expect(2, at, "verify t.csv");
    assert!(ran.err.contains("not the one that its sidecar was written with"), "{}", ran.err);
    // The same numbers in other bytes.
    expect(0, at, "count graphs.g6 -p cycle:3 -o t.csv -q");
    std::fs::write(at.join("t.csv"), old.replace('\n', "\r\n")).unwrap();
    let ran = expect(2, at, "verify t.csv");
    assert!(ran.err.contains("is not the table that t.csv.json was written with"), "{}", ran.err);
    let ran = expect(2, at, "info t.csv");
    assert!(ran.err.contains("is not the table that t.csv.json was written with"), "{}", ran.err);
    // Sidecars of earlier versions do not name their table.
    let mut sidecar: serde_json::Value =
        serde_json::from_str(&text(at.join("t.csv.json"))).unwrap();
    sidecar["table"].as_object_mut().unwrap().remove("digest").unwrap();
    std::fs::write(at.join("t.csv.json"), sidecar.to_string()).unwrap();
    expect(0, at, "verify t.csv");
}
