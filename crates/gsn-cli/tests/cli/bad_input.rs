//! Bad input: a plain error with the place, the documented exit code, and no half output.

use super::{expect, folder, gsn, names, run_with, text, within_limit};
use std::process::Stdio;

const COUNT: &str = "-p cycle:3 -o out.csv";

/// `gsn count FILE` fails, says `part` and leaves nothing behind.
#[track_caller]
fn fails(name: &str, contents: &[u8], options: &str, part: &str) {
    let folder = folder(&[(name, contents)]);
    let ran = expect(2, folder.path(), &format!("count {name} {options} {COUNT}"));
    assert!(ran.err.contains(part), "{part}: {}", ran.err);
    assert!(ran.err.starts_with("error: "), "{}", ran.err);
    assert_eq!(names(folder.path()), [name]);
}

#[test]
fn files_that_are_no_graphs() {
    fails("empty.g6", b"", "", "empty.g6");
    fails("empty.csv", b"", "", "empty");
    fails("wrong.parquet", b"this is no parquet file", "", "wrong.parquet");
    fails("cut.parquet", b"PAR1\x00\x00", "", "cut.parquet");
    fails("cut.arrow", b"ARROW1\0\0", "", "cut.arrow");
    fails("cut.csv.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b", "", "cut.csv.gz");
    fails("what.bin", b"\x00\x01\x02\x03", "", "format");
    fails("columns.csv", b"id,molecule\n1,CCO\n", "", "no column `smiles`");
    fails("columns.csv", b"id,molecule\n1,CCO\n", "--smiles atoms", "no column `atoms`");
    fails("utf16.csv", b"\xff\xfes\0m\0i\0", "", "UTF-16");
    fails("graph.g6", b"DQc\n", "--format gin", "line 1");
    fails("graph.g6", b"DQc\n", "--directed", "undirected");
    fails("graph.g6", b"DQc\n", "--format graph7", "graph7");
}

#[test]
fn headers_that_promise_too_much() {
    // 2^36 - 1 vertices in eight bytes; billions of graphs in a GIN header.
    let folder1 = folder(&[("huge.g6", b"~~~~~~~~\nDQc\n")]);
    expect(1, folder1.path(), "count huge.g6 -p path:2 -o out.csv");
    assert!(text(folder1.path().join("out.rejected.csv")).lines().count() == 2);
    fails("huge.gin", b"99999999999\n5 0\n", "", "huge.gin");
    fails("huge.gin", b"1\n4000000000 0\n0 0\n", "", "huge.gin");
    fails("negative.gin", b"-3\n", "", "negative.gin, line 1");
    fails("ids.edges", b"0 1\n1 99999999999999999999999\n", "", "ids.edges, line 2");
    fails("ids.edges", b"0 1\n1 -2\n", "", "ids.edges, line 2");
}

#[test]
fn bad_rows_are_listed_and_the_rest_proceeds() {
    for (name, contents, rejected) in [
        ("some.g6", &b"DQc\nDQ\nDQcc\nC~\n"[..], &["1,2,", "2,3,"][..]),
        ("some.smi", b"CCO\nC1CC\nC[Xx]C\nC(C\nCC\n", &["1,2,", "2,3,", "3,4,"]),
        ("bom.csv", b"\xef\xbb\xbfsmiles\nCCO\nC1C\nCC\n", &["1,3,"]),
        ("mixed.smi", b"CCO\r\nC1C\rCC\n", &["1,2,"]),
    ] {
        let folder = folder(&[(name, contents)]);
        let ran = expect(1, folder.path(), &format!("count {name} -p path:2 -o out.csv"));
        let list = text(folder.path().join("out.rejected.csv"));
        let starts: Vec<&str> = list.lines().skip(1).collect();
        assert_eq!(starts.len(), rejected.len(), "{name}: {list}");
        for (line, start) in starts.iter().zip(rejected) {
            assert!(line.starts_with(start), "{name}: {list}");
        }
        assert!(ran.err.contains("2 graphs, "), "{name}: {}", ran.err);
    }
}

#[test]
fn folders_and_outputs_that_cannot_be() {
    let folder = folder(&[("a.g6", b"DQc\n")]);
    let at = folder.path();
    std::fs::create_dir(at.join("sub")).unwrap();
    assert!(expect(2, at, &format!("count sub {COUNT}")).err.contains("directory"));
    assert!(expect(2, at, &format!("count missing.g6 {COUNT}")).err.contains("missing.g6"));
    assert!(expect(2, at, "count a.g6 -p cycle:3 -o sub").err.contains("ending"));
    assert!(expect(2, at, "count a.g6 -p cycle:3 -o nowhere/out.csv").err.contains("nowhere"));
    assert!(expect(2, at, "count a.g6 -p cycle:3 -o out.txt").err.contains(".parquet"));
    std::fs::create_dir(at.join("sub/t.csv")).unwrap();
    assert!(expect(2, at, "count a.g6 -p cycle:3 -o sub/t.csv").err.contains("directory"));
    assert_eq!(names(at), ["a.g6", "sub"]);
}

#[test]
fn an_input_is_never_overwritten() {
    let start = b"smiles\nCCO\n";
    let folder = folder(&[("in.csv", start), ("in.csv.json", b"precious")]);
    let at = folder.path();
    for output in ["in.csv", "./in.csv"] {
        let ran = expect(2, at, &format!("count in.csv -p path:2 -o {output}"));
        assert!(ran.err.contains("is the input"), "{}", ran.err);
    }
    assert_eq!(std::fs::read(at.join("in.csv")).unwrap(), start);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("in.csv", at.join("link.csv")).unwrap();
        assert!(expect(2, at, "count in.csv -p path:2 -o link.csv").err.contains("is the input"));
    }
    assert_eq!(std::fs::read(at.join("in.csv")).unwrap(), start);
}

#[test]
fn patterns_and_arguments_that_cannot_be() {
    let folder = folder(&[("a.g6", b"DQc\n")]);
    let at = folder.path();
    let ran = expect(2, at, "count a.g6 -p cycel:3");
    assert!(ran.err.contains("did you mean `cycle`?\n  cycel:3\n  ^"), "{}", ran.err);
    let ran = run_with(at, &["count", "a.g6", "-p", "cycle:3, path:99999"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.lines().last().unwrap().trim() == "^", "{}", ran.err);
    assert!(run_with(at, &["count", "a.g6", "-p", ""]).code == 2);
    assert!(expect(2, at, "count a.g6").err.contains("--patterns"));
    assert!(expect(2, at, "count a.g6 -p cycle:3 --scope nodes").err.contains("vertex"));
    assert!(expect(2, at, "count a.g6 -p cycle:3 --threads 0").err.contains("threads"));
    assert!(expect(2, at, "cuont").err.contains("count"));
    assert!(expect(2, at, "").err.contains("Usage"));
}

#[test]
fn every_verb_has_help_with_examples_and_exit_codes() {
    let folder = folder(&[]);
    for verb in ["demo", "patterns", "count", "convert", "verify"] {
        let ran = expect(0, folder.path(), &format!("{verb} --help"));
        assert!(ran.out.contains("Examples:\n  gsn "), "{verb}: {}", ran.out);
        assert!(ran.out.contains("Exit codes: 0 "), "{verb}: {}", ran.out);
    }
    assert!(expect(0, folder.path(), "--help").out.contains("1  finished, but rows were rejected"));
    assert!(expect(0, folder.path(), "--version").out.starts_with("gsn "));
}

#[test]
fn standard_input_is_read_and_its_format_recognised() {
    let folder = folder(&[]);
    for (contents, rows) in [(&b"DQc\n"[..], 5), (b"0 1\n1 2\n", 3), (b"smiles\nCCO\n", 3)] {
        let mut child = gsn(folder.path())
            .args(["count", "-", "-p", "path:2", "-q"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), contents).unwrap();
        let output = within_limit(|| child.wait_with_output()).unwrap();
        assert!(output.status.success());
        assert_eq!(output.stdout.iter().filter(|&&b| b == b'\n').count(), 1 + rows);
    }
}

/// The places are those where the decoder of Parquet panics, and a step through the rest.
#[test]
fn files_with_one_byte_changed_are_refused_silently_and_by_name() {
    let folder = folder(&[("g.g6", b"DQc\nBw\nC~\nDqK\n")]);
    let at = folder.path();
    for name in ["g.parquet", "g.arrow"] {
        expect(0, at, &format!("convert g.g6 {name} -q"));
        expect(0, at, "count g.g6 -p cycle:3 -o t.parquet -q");
    }
    for (name, verb) in [
        ("g.parquet", "convert g.parquet out.g6 -q"),
        ("g.parquet", "count g.parquet -p cycle:3 -o out.csv -q"),
        ("g.arrow", "count g.arrow -p cycle:3 -o out.csv -q"),
        ("t.parquet", "verify t.parquet -q"),
    ] {
        let good = std::fs::read(at.join(name)).unwrap();
        for place in (4..good.len()).step_by(59) {
            let mut bytes = good.clone();
            bytes[place] ^= 0xff;
            std::fs::write(at.join(name), bytes).unwrap();
            let ran = run_with(at, &verb.split(' ').collect::<Vec<_>>());
            assert!((0..=2).contains(&ran.code), "{verb}, byte {place}: {} {}", ran.code, ran.err);
            assert!(!ran.err.contains("panicked"), "{verb}, byte {place}: {}", ran.err);
            if ran.code == 2 {
                assert!(ran.err.contains(name), "{verb}, byte {place}: {}", ran.err);
            }
        }
        std::fs::write(at.join(name), good).unwrap();
    }
}
