//! `gsn count`: tables, sidecars, budgets, plans.

use super::{expect, folder, names, run_with, text};

/// Two triangles that share the edge 1-2, then the path 0-1-2.
const TWO: &[u8] = b"Cz\nBg\n";

#[test]
fn tables_have_the_columns_other_programs_rely_on() {
    let folder = folder(&[("two.g6", TWO)]);
    let at = folder.path();
    let vertex = expect(0, at, "count two.g6 -p cycle:3,path:2 -q");
    assert_eq!(
        vertex.out,
        "graph,vertex,cycle:3/v0,path:2/v0\n\
         0,0,1,2\n0,1,2,3\n0,2,2,3\n0,3,1,2\n1,0,0,1\n1,1,0,2\n1,2,0,1\n"
    );
    let edge =
        expect(0, at, "count two.g6 -p cycle:3 -p path:3 --scope edge --matching subgraph -q");
    assert_eq!(edge.out.lines().next(), Some("graph,source,target,cycle:3/e0,path:3/e0"));
    assert_eq!(edge.out.lines().nth(3), Some("0,1,2,2,4"));
    let arc = expect(0, at, "count two.g6 -p path:3 --scope arc -q");
    assert_eq!(arc.out.lines().next(), Some("graph,source,target,path:3/a0,path:3/a1"));
    // The path 0-1-2: its end 0 points inwards.
    assert_eq!(arc.out.lines().nth(11), Some("1,0,1,1,0"));
    // Patterns keep the names the user wrote.
    let named = run_with(at, &["count", "two.g6", "-q", "-p", "edges:0-1,1-2,2-0"]);
    assert_eq!(named.out.lines().next(), Some("graph,vertex,\"edges:0-1,1-2,2-0/v0\""));
}

#[test]
fn outputs_come_with_a_sidecar_and_rejected_rows_with_a_list() {
    let folder = folder(&[("some.csv", b"id,SMILES\n1,C1CC1\n2,C1CC\n3,c1ccccc1\n4,[Xx]\n")]);
    let at = folder.path();
    let ran = expect(1, at, "count some.csv -p cycle:3..=6 -o rings.csv.gz");
    assert_eq!(names(at), ["rings.csv.gz", "rings.csv.gz.json", "rings.rejected.csv", "some.csv"]);
    assert!(ran.out.is_empty());
    assert!(ran.err.contains("2 graphs, 9 rows, 4 columns"), "{}", ran.err);
    assert!(ran.err.contains("rejected: 2 of 4 rows"), "{}", ran.err);
    assert!(ran.err.contains("row 1 (line 3)"), "{}", ran.err);
    let rejected = text(at.join("rings.rejected.csv"));
    assert_eq!(rejected.lines().next(), Some("row,line,input,reason"));
    assert!(rejected.lines().nth(1).unwrap().starts_with("1,3,C1CC,"), "{rejected}");
    let sidecar: serde_json::Value =
        serde_json::from_str(&text(at.join("rings.csv.gz.json"))).unwrap();
    assert_eq!(sidecar["scope"], "vertex");
    assert_eq!(sidecar["patterns"].as_array().unwrap().len(), 4);
    assert_eq!(sidecar["input"]["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(sidecar["table"]["rejected"], 2);
}

#[test]
fn the_summary_is_one_json_object() {
    let folder =
        folder(&[("loops.edges", b"# two edges, a loop, one edge twice\n0 1\n1 2\n1 1\n2 1\n")]);
    let ran = expect(0, folder.path(), "count loops.edges -p path:3 -o out.parquet --json -q");
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (&json["graphs"], &json["rows"], &json["columns"]),
        (&1.into(), &3.into(), &2.into())
    );
    assert_eq!((&json["self_loops"], &json["duplicates"]), (&1.into(), &1.into()));
    assert_eq!(json["output"], "out.parquet");
    let refused = expect(2, folder.path(), "count loops.edges -p path:3 --json");
    assert!(refused.err.contains("-o"), "{}", refused.err);
}

#[test]
fn a_budget_rejects_the_graph_and_keeps_the_rest() {
    // K20 has far more paths of ten vertices than the budget has steps; the triangle has none.
    let mut edges = String::from("2\n20 0\n");
    for v in 0..20 {
        let others: Vec<String> = (0..20).filter(|&u| u != v).map(|u| u.to_string()).collect();
        edges.push_str(&format!("0 19 {}\n", others.join(" ")));
    }
    edges.push_str("3 0\n0 2 1 2\n0 2 0 2\n0 2 0 1\n");
    let folder = folder(&[("two.gin", edges.as_bytes())]);
    let at = folder.path();
    let options = "--matching subgraph -p path:10 --budget 100k -o out.csv";
    let ran = expect(1, at, &format!("count two.gin {options}"));
    assert!(ran.err.contains("budget of 100000 steps"), "{}", ran.err);
    let table = text(at.join("out.csv"));
    let rows: Vec<&str> = table.lines().skip(1).collect();
    assert_eq!(rows.len(), 3);
    assert!(
        rows.iter().all(|row| row.starts_with("1,") && row.ends_with(",0,0,0,0,0")),
        "{rows:?}"
    );
    assert!(text(at.join("out.rejected.csv")).contains("path:10"));
    assert!(expect(2, at, "count two.gin -p path:3 --budget many").err.contains("50M"));
    assert!(expect(2, at, "count two.gin -p path:3 --budget-seconds 0").err.contains("seconds"));
    let timed = "--matching subgraph -p path:12 --budget-seconds 0.05 -q";
    let ran = expect(1, at, &format!("count two.gin {timed}"));
    assert_eq!(ran.out.lines().count(), 1 + 3);
}

#[test]
fn overflow_is_an_error_that_names_graph_and_pattern() {
    // A star with 100 leaves holds C(100, 50) > 2^64 stars with 50 leaves.
    let edges: String = (1..=100).map(|leaf| format!("0 {leaf}\n")).collect();
    let folder = folder(&[("star.edges", edges.as_bytes())]);
    let ran =
        expect(1, folder.path(), "count star.edges -p star:50 --matching subgraph -q -o t.csv");
    assert!(ran.err.is_empty());
    let rejected = text(folder.path().join("t.rejected.csv"));
    assert!(rejected.contains("star:50") && rejected.contains("64 bits"), "{rejected}");
}

#[test]
fn the_plan_is_explained_without_counting() {
    let folder = folder(&[("two.g6", b"Bg\nCz\n")]);
    let at = folder.path();
    let ran = expect(0, at, "count two.g6 -p cycle:3..=5,tree:6 --explain-plan");
    for part in [
        "graph 0, the first graph: 3 vertices",
        "graph 1, the largest",
        "steps",
        "cycle:3",
        "memory  about",
    ] {
        assert!(ran.out.contains(part), "{part}:\n{}", ran.out);
    }
    let ran = expect(0, at, "count two.g6 -p cycle:3 --explain-plan --json");
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json["plans"][0]["steps"][0]["patterns"][0], "cycle:3");
    assert_eq!(names(at), ["two.g6"]);
}

/// Two boards of 60 and 40 people: all members of a board know each other, and nine sit on both.
#[test]
fn people_of_the_same_groups_are_counted_once() {
    let board = |members: std::ops::Range<u32>| {
        let pairs = members.clone().flat_map(move |a| (members.start..a).map(move |b| (a, b)));
        pairs.map(|(a, b)| format!("{a} {b}\n")).collect::<String>()
    };
    let edges = board(0..60) + &board(51..91);
    let folder = folder(&[("boards.edges", edges.as_bytes())]);
    let at = folder.path();
    let plan = expect(0, at, "count boards.edges -p all:5 --explain-plan");
    assert!(plan.out.contains("twins"), "{}", plan.out);
    assert!(plan.out.contains("the same neighbours"), "{}", plan.out);
    // Five of a board: 59 or 39 others to choose four from, for nine people both less their own.
    let ran = expect(0, at, "count boards.edges -p clique:5,all:5 -q");
    let clique = |person: usize| {
        let row = ran.out.lines().nth(1 + person).unwrap();
        row.split(',').nth(2).unwrap().parse::<u64>().unwrap()
    };
    let choose4 = |n: u64| n * (n - 1) * (n - 2) * (n - 3) / 24;
    assert_eq!(clique(0), choose4(59));
    assert_eq!(clique(90), choose4(39));
    assert_eq!(clique(55), choose4(59) + choose4(39) - choose4(8));
    // The same numbers by another way: a sample is recounted by brute force.
    expect(0, at, "count boards.edges -p all:3..=4 --scope arc -q -o arcs.csv");
    expect(0, at, "verify arcs.csv -q");
}

#[test]
fn directed_and_labelled_patterns_need_fitting_graphs() {
    let folder = folder(&[("arcs.edges", b"0 1\n1 2\n2 0\n2 3\n"), ("one.smi", b"OC(=O)N\n")]);
    let at = folder.path();
    let ran = expect(0, at, "count arcs.edges --directed -p edges:0>1,1>2,2>0 -q");
    assert_eq!(ran.out.lines().last(), Some("0,3,0"));
    assert!(expect(2, at, "count arcs.edges -p edges:0>1 -o t.csv").err.contains("directed"));
    assert!(expect(2, at, "count arcs.edges -p edges:0@6-1 -o t.csv").err.contains("labels"));
    assert!(
        expect(2, at, "count arcs.edges --directed -p edges:0>1 --scope edge").err.contains("arc")
    );
    assert_eq!(names(at), ["arcs.edges", "one.smi"], "a failure leaves nothing behind");
    // Carbon with a doubly bonded oxygen: atoms by number, bonds by kind.
    let ran = expect(0, at, "count one.smi -p edges:0@6-1@8:2 -q");
    assert_eq!(
        ran.out,
        "graph,vertex,edges:0@6-1@8:2/v0,edges:0@6-1@8:2/v1\n0,0,0,0\n0,1,1,0\n0,2,0,1\n0,3,0,0\n"
    );
}

#[test]
fn the_number_of_threads_does_not_change_a_byte() {
    let mut lines = String::new();
    for i in 0..3000u32 {
        lines.push_str(
            ["c1ccc2ccccc2c1", "C1CC1CC(=O)N", "C1CC", "OCCN", "c1ccc2c(c1)cc1ccccc1c2"]
                [(i.wrapping_mul(2654435761) >> 16) as usize % 5],
        );
        lines.push('\n');
    }
    let folder = folder(&[("many.smi", lines.as_bytes())]);
    let at = folder.path();
    for (scope, out) in [("vertex", "csv"), ("arc", "parquet")] {
        let mut tables = Vec::new();
        for threads in [1, 2, 3] {
            let options = format!("--scope {scope} --threads {threads} -o t.{out} -q");
            expect(1, at, &format!("count many.smi -p cycle:3..=8 -p path:4 {options}"));
            let table = std::fs::read(at.join(format!("t.{out}"))).unwrap();
            let rest = [text(at.join(format!("t.{out}.json"))), text(at.join("t.rejected.csv"))];
            tables.push((table, rest));
        }
        assert!(tables[0] == tables[1] && tables[0] == tables[2], "{scope}");
    }
}
