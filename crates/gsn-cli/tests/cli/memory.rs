//! `--max-memory`: what does not fit is refused in a sentence that says how much it wanted.

use crate::{expect, folder};

/// The end of every refusal.
const REMEDY: &str = "raise it with --max-memory";

#[test]
fn a_size_is_a_number_with_a_unit() {
    let folder = folder(&[("a.g6", b"Bw\n")]);
    for size in ["512M", "2G", "1.5GiB", "4000000000"] {
        expect(0, folder.path(), &format!("count a.g6 -p cycle:3 --max-memory {size}"));
    }
    for size in ["0", "-1", "2X", "many"] {
        let ran = expect(2, folder.path(), &format!("count a.g6 -p cycle:3 --max-memory={size}"));
        assert!(ran.err.contains("is not a size; write 800M, 4G or 1.5G"), "{}", ran.err);
    }
}

#[test]
fn a_field_of_many_megabytes_is_refused() {
    let text = [b"smiles\n\"".to_vec(), vec![b'C'; 24 << 20], b"\"\n".to_vec()].concat();
    let folder = folder(&[("long.csv", &text)]);
    let ran = expect(2, folder.path(), "count long.csv -p cycle:3 --max-memory 64M");
    assert!(ran.err.contains("long.csv") && ran.err.contains(REMEDY), "{}", ran.err);
}

#[test]
fn edges_that_repeat_millions_of_times_are_refused() {
    let folder = folder(&[("twice.edges", &b"0 1\n".repeat(3 << 20))]);
    let ran = expect(2, folder.path(), "count twice.edges -p cycle:3 --max-memory 64M");
    assert!(ran.err.contains("twice.edges") && ran.err.contains(REMEDY), "{}", ran.err);
    expect(0, folder.path(), "count twice.edges -p cycle:3 --max-memory 400M -q");
}

#[test]
fn lists_of_millions_of_entries_are_refused() {
    let star: String = (1..=400_000).map(|leaf| format!("0 {leaf}\n")).collect();
    let folder = folder(&[("star.edges", star.as_bytes())]);
    expect(0, folder.path(), "convert star.edges star.parquet -q");
    let ran = expect(2, folder.path(), "count star.parquet -p path:2 --max-memory 8M");
    assert!(ran.err.contains("star.parquet: in row group 1 of 1: reading lists of"), "{}", ran.err);
    assert!(ran.err.contains(REMEDY), "{}", ran.err);
}

#[test]
fn a_network_of_any_width_is_refused_or_trained() {
    let folder = folder(&[]);
    let wide = "train mutag-gsn-e --set network.width=100000 --max-memory 1G --out run";
    let ran = expect(2, folder.path(), wide);
    assert!(ran.err.contains(REMEDY), "{}", ran.err);
}

#[test]
fn more_graphs_than_anyone_needs_are_refused() {
    let folder = folder(&[]);
    let many = "generate tree --order 5 --count 18446744073709551615 -o t.g6";
    let ran = expect(2, folder.path(), many);
    assert!(ran.err.contains("is not in 1..=1000000000"), "{}", ran.err);
    assert!(!folder.path().join("t.g6").exists());
}
