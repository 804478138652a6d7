//! Count tables: the same numbers in every format, complete or absent, with sidecar and rejected
//! rows beside them.

use crate::common::file;
use gsn_core::{CountSpec, EdgeOrbits, Graph, Matching, Pattern, PatternSet, Scope};
use gsn_io::{
    CountSink, CountTable, Error, GraphCounts, GraphSource, InputInfo, ReadOptions, Rejected,
    Sidecar, TableFormat, VertexColumn, VertexNames, rejected_path, sidecar_path,
};
use std::path::Path;

const FILES: [(&str, TableFormat); 5] = [
    ("t.parquet", TableFormat::Parquet),
    ("t.arrow", TableFormat::Arrow),
    ("t.csv", TableFormat::Csv),
    ("t.csv.gz", TableFormat::Csv),
    ("t.npz", TableFormat::Npz),
];

fn columns() -> Vec<String> {
    ["cycle:6/a0", "edges:0-1,1-2,2-0/a0", "say \"x\"/a1"].map(String::from).to_vec()
}

fn graphs() -> Vec<(u64, Graph)> {
    vec![
        (0, Graph::from_edges(3, [(0, 1), (1, 2)]).unwrap()),
        (2, Graph::from_edges(2, []).unwrap()),
        (7, Graph::from_edges(4, [(0, 3), (1, 2), (2, 3)]).unwrap()),
    ]
}

/// Counts that differ everywhere, the largest number among them.
fn values(row: u64, count: usize) -> Vec<u64> {
    (0..count as u64).map(|at| u64::MAX - row * 1000 - at).collect()
}

fn rows(graph: &Graph, scope: Scope) -> Vec<[u32; 2]> {
    match scope {
        Scope::Vertex => (0..graph.order() as u32).map(|v| [v, v]).collect(),
        Scope::Edge => graph.edges().map(|(u, v)| [u, v]).collect(),
        Scope::Arc => graph.arcs().map(|(u, v)| [u, v]).collect(),
    }
}

fn keys(ends: &[[u32; 2]], scope: Scope) -> Vec<VertexColumn> {
    let column = |side: usize| VertexColumn::Index(ends.iter().map(|end| end[side]).collect());
    if scope == Scope::Vertex { vec![column(0)] } else { vec![column(0), column(1)] }
}

fn write(path: &Path, format: TableFormat, scope: Scope) -> Vec<GraphCounts> {
    let columns = columns();
    let mut sink = CountSink::create(path, format, scope, &columns, &[]).unwrap();
    let mut wanted = Vec::new();
    for (row, graph) in graphs() {
        let ends = rows(&graph, scope);
        let values = values(row, ends.len() * columns.len());
        sink.push(row, &graph, &values).unwrap();
        if !ends.is_empty() {
            wanted.push(GraphCounts { graph: row, ends: keys(&ends, scope), values });
        }
    }
    let summary = sink.finish(None).unwrap();
    assert_eq!(summary.graphs, 3);
    assert_eq!(summary.rows, wanted.iter().map(|c| c.rows() as u64).sum::<u64>());
    wanted
}

#[test]
fn every_format_and_scope_gives_the_numbers_back() {
    for (name, format) in FILES {
        for scope in [Scope::Vertex, Scope::Edge, Scope::Arc] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join(name);
            let wanted = write(&path, format, scope);
            let table = CountTable::open(&path).unwrap();
            assert_eq!(table.columns(), columns());
            if scope == Scope::Vertex {
                assert_eq!(table.scope(), scope);
            }
            let back: Vec<_> = table.map(Result::unwrap).collect();
            assert_eq!(back, wanted, "{name} {scope:?}");
            assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "{name}");
        }
    }
}

#[test]
fn csv_looks_as_documented() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.csv");
    let mut sink =
        CountSink::create(&path, TableFormat::Csv, Scope::Arc, &columns()[1..2], &[]).unwrap();
    sink.push(4, &Graph::from_edges(2, [(0, 1)]).unwrap(), &[5, 18_446_744_073_709_551_615])
        .unwrap();
    sink.finish(None).unwrap();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "graph,source,target,\"edges:0-1,1-2,2-0/a0\"\n4,0,1,5\n4,1,0,18446744073709551615\n"
    );
}

#[test]
fn many_rows_become_several_groups() {
    let cycle = Graph::from_edges(50_000, (0..50_000).map(|v| (v, (v + 1) % 50_000))).unwrap();
    for (name, format) in FILES {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let mut sink =
            CountSink::create(&path, format, Scope::Vertex, &["x/v0".to_owned()], &[]).unwrap();
        for row in 0..6 {
            sink.push(row, &cycle, &values(row, 50_000)).unwrap();
        }
        assert_eq!(sink.finish(None).unwrap().rows, 300_000);
        let table = CountTable::open(&path).unwrap();
        for (row, counts) in table.enumerate() {
            let counts = counts.unwrap();
            assert_eq!((counts.graph, counts.rows()), (row as u64, 50_000), "{name}");
            assert_eq!(counts.values, values(row as u64, 50_000));
        }
    }
}

#[test]
fn a_table_that_is_not_finished_is_not_there() {
    for (name, format) in FILES {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, "what was there before").unwrap();
        let mut sink = CountSink::create(&path, format, Scope::Vertex, &columns(), &[]).unwrap();
        let (row, graph) = graphs().remove(0);
        sink.push(row, &graph, &values(row, 9)).unwrap();
        sink.reject(&rejected(1)).unwrap();
        drop(sink);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "what was there before");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "{name}");
    }
}

fn rejected(row: u64) -> Rejected {
    Rejected {
        row,
        line: Some(row + 2),
        input: "C1,\"C".into(),
        reason: "no ring".into(),
        fields: Vec::new(),
    }
}

#[test]
fn mistakes_of_the_caller_are_errors() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.csv");
    let graph = Graph::from_edges(2, [(0, 1)]).unwrap();
    let mut sink =
        CountSink::create(&path, TableFormat::Csv, Scope::Vertex, &["x".into()], &[]).unwrap();
    assert!(sink.push(0, &graph, &[1]).unwrap_err().to_string().contains("1 counts instead of 2"));
    sink.push(5, &graph, &[1, 1]).unwrap();
    assert!(sink.push(5, &graph, &[1, 1]).unwrap_err().to_string().contains("sorted"));
    let inside = dir.path().join("no/such/folder/t.csv");
    assert!(CountSink::create(&inside, TableFormat::Csv, Scope::Vertex, &[], &[]).is_err());
    let text = CountSink::create(dir.path(), TableFormat::Csv, Scope::Vertex, &[], &[])
        .err()
        .unwrap()
        .to_string();
    assert!(text.contains("is a directory"), "{text}");
}

#[test]
fn the_input_is_never_overwritten_by_whatever_name() {
    let (dir, input) = file("in.csv", "smiles\nCC\n");
    let inputs = [input.clone()];
    let refused = |path: &Path| {
        match CountSink::create(path, TableFormat::Csv, Scope::Vertex, &[], &inputs) {
            Err(Error::OutputIsInput { .. }) => {}
            other => panic!("{}: {:?}", path.display(), other.err()),
        }
        match gsn_io::GraphSink::create(path, gsn_io::Format::Graph6, &inputs) {
            Err(Error::OutputIsInput { .. }) => {}
            other => panic!("{}: {:?}", path.display(), other.err()),
        }
    };
    refused(&input);
    refused(&dir.path().join(".").join("in.csv"));
    #[cfg(unix)]
    {
        let link = dir.path().join("link.csv");
        std::os::unix::fs::symlink(&input, &link).unwrap();
        refused(&link);
        let hard = dir.path().join("hard.csv");
        std::fs::hard_link(&input, &hard).unwrap();
        refused(&hard);
    }
    // Nor by a companion of the table.
    let again = dir.path().join("t.rejected.csv");
    std::fs::write(&again, "smiles\nCC\n").unwrap();
    let table = dir.path().join("t.csv");
    let result = CountSink::create(&table, TableFormat::Csv, Scope::Vertex, &[], &[again]);
    assert!(matches!(result, Err(Error::OutputIsInput { .. })));
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_devices_are_written_directly() {
    let dir = tempfile::tempdir().unwrap();
    let (target, link) = (dir.path().join("target.csv"), dir.path().join("t.csv"));
    std::fs::write(&target, "old").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    write(&link, TableFormat::Csv, Scope::Vertex);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&target).unwrap().starts_with("graph,vertex"));
    write(Path::new("/dev/null"), TableFormat::Parquet, Scope::Vertex);
    use std::os::unix::fs::PermissionsExt;
    let fresh = dir.path().join("fresh.csv");
    write(&fresh, TableFormat::Csv, Scope::Vertex);
    let mode = std::fs::metadata(&fresh).unwrap().permissions().mode();
    std::fs::write(dir.path().join("plain"), "").unwrap();
    let plain = std::fs::metadata(dir.path().join("plain")).unwrap().permissions().mode();
    assert_eq!(mode, plain);
}

#[test]
fn rejected_rows_and_sidecar() {
    let (dir, input) = file("in.smi", "C1CC1\nC1CC\n");
    let out = dir.path().join("t.csv");
    let pattern = Pattern::new("path:3", 3, &[(0, 1), (1, 2)]).unwrap();
    let inputs = [input.clone()];
    let run = |bad: bool| {
        let mut source = GraphSource::open(&input, &ReadOptions::default()).unwrap();
        let columns = ["path:3/v0".to_owned(), "path:3/v1".to_owned()];
        let mut sink =
            CountSink::create(&out, TableFormat::Csv, Scope::Vertex, &columns, &inputs).unwrap();
        let mut rows = 0;
        for row in source.by_ref() {
            rows += 1;
            match row.unwrap().into_result() {
                Ok(record) => sink.push(record.row, &record.graph, &[0; 6]).unwrap(),
                Err(_) if bad => sink.reject(&rejected(1)).unwrap(),
                Err(_) => {}
            }
        }
        let spec = CountSpec::new(PatternSet::from_patterns(vec![pattern.clone()]).unwrap());
        let spec = spec.with_matching(Matching::Subgraph).with_orbits(EdgeOrbits::Official);
        let mut sidecar = Sidecar::new(&spec);
        sidecar.budget.steps = Some(77);
        sidecar.options.insert("threads".into(), 2.into());
        sidecar.input = Some(InputInfo::of(&source, rows).unwrap());
        sink.finish(Some(sidecar)).unwrap()
    };
    let summary = run(true);
    assert_eq!((summary.graphs, summary.rejected.count), (1, 1));
    assert_eq!(summary.rejected.path.unwrap(), rejected_path(&out));
    assert_eq!(
        std::fs::read_to_string(rejected_path(&out)).unwrap(),
        "row,line,input,reason\n1,3,\"C1,\"\"C\",no ring\n"
    );
    let sidecar = Sidecar::read(&out).unwrap();
    assert_eq!(summary.sidecar_path.unwrap(), sidecar_path(&out));
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(sidecar_path(&out)).unwrap()).unwrap();
    assert_eq!((&json["scope"], &json["matching"]), (&"vertex".into(), &"subgraph".into()));
    assert_eq!(json["edge_orbits"], "official");
    assert_eq!(
        (sidecar.spec.scope(), sidecar.spec.matching()),
        (Scope::Vertex, Matching::Subgraph)
    );
    assert_eq!(sidecar.spec.orbits(), EdgeOrbits::Official);
    assert_eq!(sidecar.spec.patterns().patterns()[0].edge_list(), "edges:0-1,1-2");
    assert_eq!(sidecar.patterns[0].edges, [(0, 1), (1, 2)]);
    assert_eq!(sidecar.patterns[0].automorphisms, "2");
    let read = sidecar.input.unwrap();
    assert_eq!((read.rows, &*read.format), (2, "smi"));
    // printf 'C1CC1\nC1CC\n' | sha256sum
    assert_eq!(
        read.digest.sha256,
        "193360a5f73c453a8e3f660c4b7ddde6d90467be686d11e57b3a654a054826d6"
    );
    let table = sidecar.table.unwrap();
    assert_eq!((table.rows, table.graphs, table.rejected), (3, 1, 1));
    // A later run without rejected rows does not leave the old list behind.
    run(false);
    assert!(!rejected_path(&out).exists());
}

#[test]
fn things_that_are_no_count_tables() {
    for (name, contents, reason) in [
        ("t.csv", "a,b\n1,2\n", "not a count table"),
        ("t.csv", "graph,x\n1,2\n", "no column"),
        ("t.csv", "graph,vertex,x/v0\n0,0,-1\n", "`-1` is not a whole number"),
        ("t.csv", "graph,vertex,x/v0\n1,0,1\n0,0,1\n", "not sorted"),
        ("t.csv", "graph,vertex,x/v0\n0,0\n", "line 2"),
        ("t.npz", "PK\u{3}\u{4}nothing", "damaged"),
        ("t.parquet", "PAR1PAR1", "damaged"),
    ] {
        let (_dir, path) = file(name, contents);
        let result = CountTable::open(&path).and_then(|table| table.collect::<Result<Vec<_>, _>>());
        let text = result.unwrap_err().to_string();
        assert!(text.contains(reason), "{name}: {text}");
    }
}

#[test]
fn names_of_vertices_stand_in_the_key_columns_of_every_format() {
    let graph = Graph::from_edges(3, [(0, 1), (1, 2)]).unwrap();
    let numbers = VertexNames::Integers(vec![10, -20, 1 << 40]);
    let texts = ["ann", "b,\"b\"", "äö"].map(String::from).to_vec();
    let texts = VertexNames::Text(texts);
    for (names, wanted) in [
        (&numbers, VertexColumn::Integers(vec![10, -20, 1 << 40])),
        (&texts, VertexColumn::Text(vec!["ann".into(), "b,\"b\"".into(), "äö".into()])),
    ] {
        for (name, format) in FILES {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join(name);
            let columns = ["path:2/v0".to_owned()];
            let mut sink = CountSink::create(&path, format, Scope::Vertex, &columns, &[]).unwrap();
            sink.push_named(0, &graph, Some(names), &[1, 2, 1]).unwrap();
            let sidecar = Sidecar::new(&CountSpec::new("path:2".parse().unwrap()));
            sink.finish(Some(sidecar)).unwrap();
            let back: Vec<_> = CountTable::open(&path).unwrap().map(Result::unwrap).collect();
            let ends = vec![wanted.clone()];
            assert_eq!(back, [GraphCounts { graph: 0, ends, values: vec![1, 2, 1] }], "{name}");
            let table = Sidecar::read(&path).unwrap().table.unwrap();
            assert_eq!(table.vertex_names, names.kind(), "{name}");
        }
    }
}

#[test]
fn a_table_widens_its_keys_until_rows_are_written() {
    let graph = Graph::from_edges(2, [(0, 1)]).unwrap();
    let large = Graph::from_edges(200_000, []).unwrap();
    let names = |names: [&str; 2]| VertexNames::Text(names.map(str::to_owned).into());
    let columns = ["path:2/v0".to_owned()];
    let (_dir, path) = file("t.parquet", "");
    let create =
        || CountSink::create(&path, TableFormat::Parquet, Scope::Vertex, &columns, &[]).unwrap();
    let mut sink = create();
    sink.push(0, &graph, &[1, 1]).unwrap();
    sink.push_named(1, &graph, Some(&names(["a", "b"])), &[1, 1]).unwrap();
    sink.finish(None).unwrap();
    let back: Vec<_> = CountTable::open(&path).unwrap().map(Result::unwrap).collect();
    assert_eq!(back[0].ends, [VertexColumn::Text(vec!["0".into(), "1".into()])]);

    // Once rows are on the disk, small numbers still fit and the rest is refused with the remedy.
    let mut sink = create();
    sink.push(0, &large, &vec![0; 200_000]).unwrap();
    let small = VertexNames::Integers(vec![10, 20]);
    sink.push_named(1, &graph, Some(&small), &[1, 1]).unwrap();
    let wide = VertexNames::Integers(vec![-1, 20]);
    let refused = sink.push_named(2, &graph, Some(&wide), &[1, 1]).unwrap_err().to_string();
    assert!(
        refused.contains("graph 2") && refused.contains("--vertex-names integers"),
        "{refused}"
    );
    let text = names(["a", "b"]);
    let refused = sink.push_named(3, &graph, Some(&text), &[1, 1]).unwrap_err().to_string();
    assert!(refused.contains("--vertex-names text"), "{refused}");
}

/// Lines stand alone, so a later graph may be called by anything.
#[test]
fn csv_takes_names_of_any_kind_at_any_time() {
    let graph = Graph::from_edges(2, [(0, 1)]).unwrap();
    let large = Graph::from_edges(200_000, []).unwrap();
    let (_dir, path) = file("t.csv", "");
    let columns = ["path:2/v0".to_owned()];
    let mut sink =
        CountSink::create(&path, TableFormat::Csv, Scope::Vertex, &columns, &[]).unwrap();
    sink.push(0, &large, &vec![0; 200_000]).unwrap();
    let wide = VertexNames::Integers(vec![-1, 20]);
    sink.push_named(1, &graph, Some(&wide), &[1, 1]).unwrap();
    let text = VertexNames::Text(vec!["a".into(), "b".into()]);
    sink.push_named(2, &graph, Some(&text), &[1, 1]).unwrap();
    sink.finish(None).unwrap();
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written.ends_with("0,199999,0\n1,-1,1\n1,20,1\n2,a,1\n2,b,1\n"));
    assert_eq!(written.lines().count(), 200_005);
}
