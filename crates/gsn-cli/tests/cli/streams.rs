//! Long inputs, closed pipes and interruptions.

use super::{expect, folder, gsn, names, text, within_limit};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

#[test]
fn two_hundred_thousand_rows_stream_through() {
    let mut lines = Vec::new();
    for row in 0..200_000 {
        lines.extend_from_slice(if row % 50_000 == 49_999 { b"DQ\n" } else { b"Bw\n" });
    }
    let folder = folder(&[("many.g6", &lines)]);
    let ran = expect(1, folder.path(), "count many.g6 -p cycle:3 -o t.csv --json -q");
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&json["graphs"], &json["rows"]), (&199_996.into(), &(3 * 199_996).into()));
    assert_eq!(json["rejected"], 4);
    let table = text(folder.path().join("t.csv"));
    assert_eq!(table.lines().last(), Some("199998,2,1"));
    assert_eq!(text(folder.path().join("t.rejected.csv")).lines().count(), 5);
}

/// Several blocks of lines: a ring of numbers that are ten apart, with a chord over every vertex.
#[test]
fn an_edge_list_of_many_megabytes_is_read_in_blocks() {
    let ring = 400_000;
    let mut lines = String::from("# a ring\r\n");
    for v in 0..ring {
        lines += &format!("{} {}\r\n", 10 * v, 10 * ((v + 1) % ring));
        lines += &format!("{}\t{}\n", 10 * v, 10 * ((v + 2) % ring));
    }
    let broken = lines.replacen("\n3000000 ", "\n3000000 x", 1);
    let folder = folder(&[("ring.txt", lines.as_bytes()), ("broken.txt", broken.as_bytes())]);
    let here = folder.path();
    expect(0, here, "convert ring.txt ring.txt.gz --to edge-list -q");
    for (threads, input) in [(1, "ring.txt"), (2, "ring.txt"), (2, "ring.txt.gz")] {
        let command = format!("count {input} -p clique:3,star:2 --threads {threads} -o t.csv -q");
        expect(0, here, &command);
        let table = text(here.join("t.csv"));
        // Of the six pairs of neighbours of a vertex three are adjacent.
        assert!(table.lines().nth(1).unwrap().starts_with("0,0,3,3,"), "{input}");
        assert!(table.lines().last().unwrap().starts_with("0,3999990,3,3,"), "{input}");
        assert_eq!(table.lines().count(), ring + 1, "{input}");
    }
    let ran = expect(2, here, "count broken.txt -p clique:3 -o t.csv");
    let line = 1 + broken.lines().position(|line| line.contains('x')).unwrap();
    assert!(ran.err.contains(&format!("broken.txt, line {line}: `3000000 x")), "{}", ran.err);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let lines = b"D~{\n".repeat(50_000);
    let folder = folder(&[("many.g6", &lines)]);
    for arguments in [
        &["count", "many.g6", "-p", "cycle:3"][..],
        &["convert", "many.g6", "-", "--to", "sparse6"],
        &["patterns", "all:7", "--draw", "always"],
    ] {
        for threads in ["1", "2"] {
            let mut child = gsn(folder.path())
                .args(arguments)
                .args(["--threads", threads])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let (first, said, status) = within_limit(move || {
                let (mut first, mut said) = (String::new(), String::new());
                let mut out = BufReader::new(child.stdout.take().unwrap());
                out.read_line(&mut first).unwrap();
                drop(out);
                child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
                (first, said, child.wait().unwrap())
            });
            assert!(status.success(), "{arguments:?}: {said}");
            assert!(!first.is_empty() && said.is_empty(), "{arguments:?}: {first}{said}");
        }
    }
}

/// Starts a count that waits for more input, sends it a signal, and looks at what is left.
#[cfg(unix)]
fn interrupted(signal: &str) -> (Option<i32>, String, Vec<String>) {
    use std::io::Write;
    let folder = folder(&[]);
    let mut child = gsn(folder.path())
        .args(["count", "-", "--format", "smi", "-p", "cycle:3..=8", "-o", "t.parquet"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut kill = std::process::Command::new("kill");
    kill.args([signal, &child.id().to_string()]);
    let (status, said) = within_limit(move || {
        let mut input = child.stdin.take().unwrap();
        // Enough rows that counting has begun; the input then stays open.
        input.write_all(&b"c1ccc2ccccc2c1\n".repeat(20_000)).unwrap();
        input.flush().unwrap();
        assert!(kill.status().expect("kill is there").success());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (child.wait().unwrap(), said)
    });
    (status.code(), said, names(folder.path()))
}

#[cfg(unix)]
#[test]
fn an_interrupted_count_leaves_no_output() {
    for signal in ["-INT", "-TERM"] {
        let (code, said, left) = interrupted(signal);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("cancelled; nothing was written"), "{said}");
        assert!(left.is_empty(), "{left:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_killed_count_leaves_no_table() {
    let (code, _, left) = interrupted("-KILL");
    assert_eq!(code, None);
    assert!(left.iter().all(|name| name.starts_with('.') && name.ends_with(".part")), "{left:?}");
}
