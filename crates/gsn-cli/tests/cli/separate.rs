//! `gsn separate`, `gsn generate` and `gsn suggest`.

use super::{expect, folder, names, run_with, text};
use serde_json::Value;

/// The rook's graph and the Shrikhande graph, made by the program itself.
fn pair() -> tempfile::TempDir {
    let folder = folder(&[]);
    expect(0, folder.path(), "generate cfi --base clique:4 --pair -o pair.g6 -q");
    folder
}

#[test]
fn a_pair_that_only_counts_tell_apart() {
    let folder = pair();
    let ran = expect(0, folder.path(), "separate pair.g6 --pairs -p clique:3..=4 --json");
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((json["graphs"].as_u64(), json["pairs"].as_u64()), (Some(2), Some(1)));
    let failures = |test: &str, scope: Value| {
        let tests = json["tests"].as_array().unwrap();
        let found = tests.iter().find(|t| t["test"] == test && t["scope"] == scope).unwrap();
        found["failures"].as_u64().unwrap()
    };
    assert_eq!(failures("1-wl", Value::Null), 1);
    assert_eq!(failures("2-fwl", Value::Null), 1);
    assert_eq!(failures("3-fwl", Value::Null), 0);
    assert_eq!(failures("counts", "vertex".into()), 0);
    assert_eq!(failures("counts+1-wl", "arc".into()), 0);
    assert_eq!(failures("network-f64", Value::Null), 1);
    assert_eq!(failures("network-f64", "arc".into()), 0);
    assert_eq!(json["certificates"][0]["pattern"], "clique:4");

    let ran = expect(0, folder.path(), "separate pair.g6 -p clique:3..=4 --seeds 1");
    for part in ["2 graphs, 1 pair", "2-fwl", "100.00 %", "no two graphs of a pair are isomorphic"]
    {
        assert!(ran.out.contains(part), "{part}:\n{}", ran.out);
    }
    let ran = expect(0, folder.path(), "separate pair.g6 -p clique:4 --pair 0,1");
    assert!(ran.out.contains("16 × (2)") && ran.out.contains("16 × (0)"), "{}", ran.out);
}

#[test]
fn copies_are_named() {
    // A path of three vertices in two orders, and a triangle.
    let folder = folder(&[("copies.g6", b"BW\nBg\nBw\n")]);
    let ran = expect(0, folder.path(), "separate copies.g6 -p cycle:3 --seeds 0");
    assert!(ran.out.contains("isomorphic: 1 pair (0=1)"), "{}", ran.out);
}

#[test]
fn sweeps_are_tables_and_drawings() {
    let folder = pair();
    let ran = expect(
        0,
        folder.path(),
        "separate pair.g6 --sweep --max-size 4 --family clique,cycle --svg curves.svg",
    );
    assert!(ran.out.contains("k=3") && ran.out.contains("clique"), "{}", ran.out);
    let svg = text(folder.path().join("curves.svg"));
    assert!(svg.starts_with("<svg") && svg.contains("clique"));
    let ran =
        expect(0, folder.path(), "separate pair.g6 --sweep --max-size 4 --family clique --json");
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json["sweep"][0]["points"][1]["failures"], 0);
}

#[test]
fn bad_pair_files_are_explained() {
    let folder = folder(&[
        ("odd.g6", b"BW\nBw\nBg\n"),
        ("broken.g6", b"BW\nB!\nBw\n"),
        ("one.g6", b"BW\n"),
        ("sizes.g6", b"?\n@\nBw\nDQc\n"),
        ("empty.g6", b""),
    ]);
    for (arguments, expected) in [
        (
            "separate odd.g6 --pairs -p cycle:3",
            "3 graphs do not come in pairs: graph 2 is left over",
        ),
        ("separate broken.g6 --pairs -p cycle:3", "the pairs behind it would shift"),
        ("separate one.g6 -p cycle:3", "1 graphs make no pair"),
        ("separate empty.g6 -p cycle:3", "empty.g6"),
        ("separate nowhere.g6 -p cycle:3", "nowhere.g6"),
        ("separate odd.g6 -p cycle:3 --pair 0,9", "there is no graph 9"),
        ("separate odd.g6 -p edges:0>1,1>2", "directed"),
    ] {
        let ran = expect(2, folder.path(), arguments);
        assert!(ran.err.contains(expected), "{arguments}: {}", ran.err);
    }
    // Different sizes and empty graphs differ, and that is all.
    let ran = expect(0, folder.path(), "separate sizes.g6 --pairs -p cycle:3 --seeds 1 --json");
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(json["tests"].as_array().unwrap().iter().all(|test| test["failures"] == 0), "{json}");
    let ran = expect(1, folder.path(), "separate broken.g6 odd.g6 --seeds 0 -p cycle:3");
    assert!(ran.err.contains("rejected: row 1 (line 2)"), "{}", ran.err);
}

#[test]
fn families_are_seeded_and_checked() {
    let folder = folder(&[]);
    for arguments in [
        "generate regular --order 10 --degree 3 --count 3 --seed 5",
        "generate erdos-renyi --order 9 --probability 0.5",
        "generate chung-lu --order 30",
        "generate tree --order 12 --count 2",
        "generate circulant --order 8 --jump 1 --jump 3",
        "generate csl --skip 2 --skip 5",
        "generate rook",
        "generate shrikhande",
        "generate paley --order 13",
        "generate cfi --base cycle:3..=5 --twist",
    ] {
        let first = expect(0, folder.path(), arguments);
        assert_eq!(first.out, expect(0, folder.path(), arguments).out);
        assert!(!first.out.trim().is_empty(), "{arguments}");
    }
    let other = expect(0, folder.path(), "generate tree --order 12 --seed 1");
    assert_ne!(other.out, expect(0, folder.path(), "generate tree --order 12 --seed 2").out);
    for (arguments, expected) in [
        ("generate paley --order 15", "15 is no prime"),
        ("generate regular --order 5 --degree 3", "no 3-regular graph of 5 vertices"),
        ("generate rook -o board.xyz", "ending"),
        ("generate csl --skip 1", "4-regular"),
    ] {
        let ran = expect(2, folder.path(), arguments);
        assert!(ran.err.contains(expected), "{arguments}: {}", ran.err);
    }
    assert!(names(folder.path()).is_empty());
}

#[test]
fn suggestions_name_the_ring_that_makes_the_label() {
    let mut csv = String::from("smiles,rings\n");
    for i in 0..60 {
        // Six-rings with tails have label 1, five-rings 0.
        let tail = "C".repeat(1 + i % 5);
        csv += &match i % 2 {
            0 => format!("C1CCCCC1{tail},1\n"),
            _ => format!("C1CCCC1C{tail},0\n"),
        };
    }
    let folder = folder(&[("rings.csv", csv.as_bytes())]);
    let ran = expect(
        0,
        folder.path(),
        "suggest rings.csv --target rings --max-size 6 --plot plot.svg -o all.json --json -q",
    );
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    let first = json["candidates"][0]["pattern"].as_str().unwrap();
    assert!(["cycle:5", "cycle:6"].contains(&first), "{first}");
    assert!(json["patterns"].as_str().unwrap().contains("cycle:"), "{json}");
    assert_eq!(names(folder.path()), ["all.json", "plot.svg", "rings.csv"]);
    let ran = expect(0, folder.path(), "suggest rings.csv --target rings --max-size 5 -q");
    assert!(ran.out.contains("--patterns") && ran.out.contains("δ with cycle"), "{}", ran.out);
    let ran = run_with(folder.path(), &["suggest", "no-such-set"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("no-such-set"), "{}", ran.err);
}
