//! Maps instead of occurrences, through every verb that counts.

use super::user_data::molecules;
use super::{expect, folder, text};
use serde_json::Value;

#[test]
fn maps_of_quotients_are_features_of_every_vertex() {
    let folder = folder(&[("ring.edges", b"0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n0 6\n")]);
    let at = folder.path();
    let ran = expect(
        0,
        at,
        "count ring.edges -p spasm:cycle:6 --matching homomorphism -q -o maps.csv --json",
    );
    assert_eq!(ran.err, "");
    let table = text(at.join("maps.csv"));
    let head = table.lines().next().unwrap();
    // Every quotient of a hexagon, from a single edge to the hexagon itself.
    assert!(head.starts_with("graph,vertex,g6:A_/v0,g6:BW/v0,g6:BW/v1,g6:Bw/v0"), "{head}");
    let info = expect(0, at, "info maps.csv");
    assert!(info.out.contains("homomorphism"), "{}", info.out);
    expect(0, at, "verify maps.csv -q");
    // A pattern is planned by time, and the plan says what it is taken instead of.
    let ran = expect(0, at, "count ring.edges -p path:3 --matching homomorphism --explain-plan");
    assert!(ran.out.contains("maps    about"), "{}", ran.out);
    let ran = expect(2, at, "count ring.edges -p spasm:edges:0>1,1>2 -q");
    assert!(ran.err.contains("without labels and directions"), "{}", ran.err);
}

#[test]
fn maps_keep_directions_and_labels() {
    let folder =
        folder(&[("arcs.edges", b"0 1\n1 2\n2 0\n2 3\n"), ("m.csv", b"smiles\nCCO\nOCO\n")]);
    let at = folder.path();
    // Walks of two steps: from where, over where, to where.
    let ran =
        expect(0, at, "count arcs.edges --directed -p edges:0>1,1>2 --matching homomorphism -q");
    let rows: Vec<&str> = ran.out.lines().skip(1).collect();
    assert_eq!(rows, ["0,0,1,1,1", "0,1,2,1,1", "0,2,1,2,1", "0,3,0,0,1"]);
    // A carbon between two oxygens, which may be one and the same.
    let ran = expect(0, at, "count m.csv -p edges:0@8-1@6,1@6-2@8 --matching homomorphism -q");
    let rows: Vec<&str> = ran.out.lines().skip(1).collect();
    assert_eq!(rows, ["0,0,0,0", "0,1,0,1", "0,2,1,0", "1,0,2,0", "1,1,0,4", "1,2,2,0"]);
}

#[test]
fn maps_are_trained_on_and_a_model_counts_them_again() {
    let good = molecules().replace("C1CC,1.5,1,ring\n", "");
    let folder = folder(&[("m.csv", good.as_bytes())]);
    let here = folder.path();
    let counts = "--patterns spasm:cycle:5 --scope vertex --matching homomorphism";
    let quick = "--set training.epochs=1 --set network.width=8 --set network.layers=2 --seeds 1";
    expect(0, here, &format!("train m.csv --target size {counts} {quick} --out run -q"));
    let ran = expect(0, here, "info run/model.gsn");
    assert!(ran.out.contains("homomorphism"), "{}", ran.out);
    let ran = expect(0, here, "predict run/model.gsn m.csv");
    assert_eq!(ran.out.lines().count(), 65);
}

#[test]
fn maps_of_trees_tell_nothing_that_refinement_does_not() {
    // A ring of six, and two triangles.
    let folder = folder(&[("pair.g6", b"EhEG\nEwCW\n")]);
    for (patterns, failures) in [("path:2..=6,star:3", 1), ("cycle:3", 0)] {
        let options = "--matching homomorphism --scope vertex --seeds 0 --json";
        let ran = expect(0, folder.path(), &format!("separate pair.g6 -p {patterns} {options}"));
        let json: Value = serde_json::from_str(&ran.out).unwrap();
        let tests = json["tests"].as_array().unwrap();
        let counts = tests.iter().find(|t| t["test"] == "counts").unwrap();
        assert_eq!(counts["failures"].as_u64(), Some(failures), "{patterns}");
        assert_eq!(counts["matching"], "homomorphism");
    }
}

#[test]
fn maps_are_suggested() {
    let good = molecules().replace("C1CC,1.5,1,ring\n", "");
    let folder = folder(&[("m.csv", good.as_bytes())]);
    let command = "suggest m.csv --target ring --max-size 5 --matching homomorphism -q";
    let ran = expect(0, folder.path(), command);
    assert!(ran.out.contains("--matching homomorphism"), "{}", ran.out);
}
