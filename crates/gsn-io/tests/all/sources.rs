//! What readers understand beyond the bare minimum, batches, digests and pipes.

use crate::common::{file, gzip, read, read_text};
use gsn_io::{Format, GraphSource, ReadOptions, VertexIds};

#[test]
fn formats_are_recognised_by_name_and_contents() {
    for (name, contents, format) in [
        ("a.g6", "Bw\n", Format::Graph6),
        ("a", ">>graph6<<Bw\n", Format::Graph6),
        ("a", "Bw\n", Format::Graph6),
        ("a", ":Fa@x^\n", Format::Sparse6),
        ("a.txt", "# c\n0 1\n", Format::EdgeList),
        ("a.txt", "0 1\n1 2\n", Format::EdgeList),
        ("a.txt", "3,4\n", Format::EdgeList),
        ("a.txt", "1\n2 0\n0 1 1\n0 1 0\n", Format::Gin),
        ("a", "<?xml version=\"1.0\"?><graphml><graph/></graphml>", Format::GraphMl),
        ("a", "id,SMILES\n1,C\n", Format::Csv),
        ("a.txt", "id\tsmiles\n1\tC\n", Format::Tsv),
        ("a.smi", "C\n", Format::Smi),
    ] {
        for contents in [contents.as_bytes().to_vec(), gzip(contents.as_bytes())] {
            let (_dir, path) = file(name, contents);
            let source = GraphSource::open(&path, &ReadOptions::default()).unwrap();
            assert_eq!(source.format(), format, "{name}");
            assert!(source.map(Result::unwrap).all(|row| row.into_result().is_ok()), "{name}");
        }
    }
    assert!(Format::NAMES.iter().all(|name| name.parse::<Format>().unwrap().to_string() == *name));
}

#[test]
fn graph6_and_sparse6_may_be_mixed_with_headers_anywhere() {
    let text = ">>sparse6<<:An\n>>sparse6<<:Fa@x^\nBw\n>>graph6<<\n>>graph6<<A_\n";
    let (good, bad) = read_text("a.s6", text).unwrap();
    let sizes: Vec<_> = good.iter().map(|r| (r.row, r.graph.edge_count())).collect();
    assert_eq!((sizes, bad.len()), (vec![(0, 1), (1, 4), (2, 3), (3, 1)], 0));
}

#[test]
fn edge_list_numbering() {
    let snap =
        "# Directed graph\n# Nodes: 3 Edges: 3\n# FromNodeId\tToNodeId\n10\t30\n30\t10\n20\t20\n";
    let (good, _) = read_text("a.txt", snap).unwrap();
    assert_eq!(good[0].graph.order(), 3);
    assert_eq!(good[0].graph.edges().collect::<Vec<_>>(), [(0, 2)]);
    assert_eq!((good[0].dropped.self_loops, good[0].dropped.duplicates), (1, 1));
    let (_dir, path) = file("a.edges", "1 3\n");
    let keep = ReadOptions { ids: VertexIds::Keep, ..ReadOptions::default() };
    assert_eq!(read(&path, &keep).unwrap().0[0].graph.order(), 4);
    let (_dir, path) = file("a.edges", "# name nodes 9 edges 1\n1 3\n");
    let (good, _) = read(&path, &ReadOptions::default()).unwrap();
    assert_eq!((good[0].graph.order(), good[0].name.as_deref()), (9, Some("name")));
    let compact = ReadOptions { ids: VertexIds::Compact, ..ReadOptions::default() };
    assert_eq!(read(&path, &compact).unwrap().0[0].graph.order(), 2);
    let directed = ReadOptions { directed: true, ..ReadOptions::default() };
    let (_dir, path) = file("a.edges", "2 1 0.5\n1 2 0.25\n");
    let mut source = GraphSource::open(&path, &directed).unwrap();
    let record = source.next().unwrap().unwrap().into_result().unwrap();
    assert_eq!(record.graph.arcs().collect::<Vec<_>>(), [(0, 1), (1, 0)]);
    assert_eq!(source.notes().len(), 1);
    assert!(source.notes()[0].contains("first two columns"));
}

#[test]
fn graphml_labels_direction_and_folders() {
    let xml = r#"<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
      <key id="k0" for="node" attr.name="label" attr.type="int"><default>7</default></key>
      <key id="k1" for="node" attr.name="colour" attr.type="string"/>
      <key id="k2" for="edge" attr.name="kind" attr.type="string"/>
      <graph id="one" edgedefault="directed">
        <edge source="x" target="y"><data key="k2">3</data></edge>
        <node id="y"><data key="k0">1</data><data key="k1">red</data></node>
        <node id="x"/>
      </graph>
      <graph edgedefault="undirected"><node id="x"/></graph>
    </graphml>"#;
    let (dir, path) = file("b.graphml", xml);
    let (good, bad) = read(&path, &ReadOptions::default()).unwrap();
    assert!(bad.is_empty());
    assert_eq!(good[0].graph.arcs().collect::<Vec<_>>(), [(1, 0)]);
    assert_eq!(good[0].graph.vertex_labels(), Some(&[1, 7][..]));
    assert_eq!(good[0].graph.arc_labels(), None);
    assert_eq!(good[1].graph.vertex_labels(), Some(&[7][..]));
    let options = ReadOptions { edge_label_key: Some("kind".into()), ..ReadOptions::default() };
    assert_eq!(read(&path, &options).unwrap().0[0].graph.arc_labels(), Some(&[3][..]));

    let first = "<graphml><graph><node id=\"a\"/></graph></graphml>";
    std::fs::write(dir.path().join("a.graphml"), first).unwrap();
    let (good, _) = read(dir.path(), &ReadOptions::default()).unwrap();
    let names: Vec<_> = good.iter().map(|r| (r.row, r.name.as_deref())).collect();
    assert_eq!(names, [(0, Some("a")), (1, Some("one")), (2, Some("b"))]);
}

#[test]
fn tables_keep_their_other_columns() {
    let (_dir, path) = file("a.csv", "id,Smiles,\"y, z\"\n1,CC,\"0,5\"\n2,C#N,\n");
    let options = ReadOptions { keep_fields: true, ..ReadOptions::default() };
    let source = GraphSource::open(&path, &options).unwrap();
    assert_eq!(source.fields(), ["id", "y, z"]);
    let rows: Vec<_> = source.map(|row| row.unwrap().into_result().unwrap()).collect();
    assert_eq!(rows[0].fields, ["1", "0,5"]);
    assert_eq!(rows[1].fields, ["2", ""]);
    assert_eq!(rows[1].graph.arc_labels(), Some(&[3, 3][..]));
}

#[test]
fn batches_keep_the_order_and_every_row() {
    let text: String = (0..5000)
        .map(
            |i| if i % 7 == 0 { "C1\n".to_owned() } else { format!("{}\n", "C".repeat(1 + i % 5)) },
        )
        .collect();
    let (_dir, path) = file("a.smi", text);
    let mut batches = GraphSource::open(&path, &ReadOptions::default()).unwrap().read_batches(300);
    let mut next = 0;
    for batch in batches.by_ref() {
        let batch = batch.unwrap();
        assert!(batch.records.len() + batch.rejected.len() <= 300);
        let mut rows: Vec<u64> = batch.records.iter().map(|r| r.row).collect();
        assert!(rows.is_sorted());
        rows.extend(batch.rejected.iter().map(|r| r.row));
        rows.sort_unstable();
        assert!(rows.iter().all(|row| {
            next += 1;
            *row == next - 1
        }));
    }
    assert_eq!(next, 5000);
    let digest = batches.source().digest().unwrap();
    assert_eq!(digest.files[0].bytes, std::fs::metadata(&path).unwrap().len());
}

#[test]
fn large_graphs_make_small_batches() {
    let edges = (1..1_500_000).map(|v| (v - 1, v));
    let line = gsn_core::graph::sparse6::encode(1_500_000, edges).unwrap();
    let (_dir, file) = file("a.s6", format!("{line}\n").repeat(4));
    let sizes: Vec<_> = GraphSource::open(&file, &ReadOptions::default())
        .unwrap()
        .read_batches(100)
        .map(|batch| batch.unwrap().records.len())
        .collect();
    assert!(sizes.len() > 1 && sizes.iter().sum::<usize>() == 4, "{sizes:?}");
}

#[test]
fn digests_are_those_of_the_bytes_on_disk() {
    // printf 'Bw\n' | sha256sum
    let wanted = "8e71b38f493557683524eb45ca8f814efe19aa3c9d7e946c42a25658f532618e";
    let (_dir, path) = file("a.g6", "Bw\n");
    let mut source = GraphSource::open(&path, &ReadOptions::default()).unwrap();
    // Not read to its end: the file is hashed for itself.
    assert_eq!(source.digest().unwrap().sha256, wanted);
    assert_eq!(source.by_ref().count(), 1);
    assert_eq!(source.digest().unwrap().sha256, wanted);
    let packed = gzip(b"Bw\n");
    let (_dir, path) = file("a.g6.gz", &packed);
    let mut source = GraphSource::open(&path, &ReadOptions::default()).unwrap();
    source.by_ref().for_each(drop);
    let digest = source.digest().unwrap();
    assert_eq!(digest.files[0].bytes, packed.len() as u64);
    assert_ne!(digest.sha256, wanted);
    let (dir, _) = file("DS_A.txt", "1, 2\n");
    std::fs::write(dir.path().join("DS_graph_indicator.txt"), "1\n1\n").unwrap();
    let source = GraphSource::open(dir.path(), &ReadOptions::default()).unwrap();
    assert_eq!(source.digest().unwrap().files.len(), 2);
}

#[cfg(unix)]
mod pipes {
    use super::*;
    use crate::within::within_limit;
    use gsn_core::{Graph, Scope};
    use gsn_io::{CountSink, GraphSink, TableFormat};
    use std::io::{Read, Write};

    fn fifo() -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo");
        assert!(made.success());
        (dir, path)
    }

    #[test]
    fn a_reader_that_goes_away_is_a_quiet_end() {
        within_limit(a_reader_that_goes_away);
    }

    fn a_reader_that_goes_away() {
        for format in [TableFormat::Csv, TableFormat::Parquet, TableFormat::Arrow] {
            let (_dir, path) = fifo();
            let reader = std::thread::spawn({
                let path = path.clone();
                move || {
                    let mut some = [0; 16];
                    std::fs::File::open(path).unwrap().read_exact(&mut some).unwrap();
                }
            });
            let columns = ["x/v0".to_owned()];
            let mut sink = CountSink::create(&path, format, Scope::Vertex, &columns, &[]).unwrap();
            let graph = Graph::from_edges(100_000, []).unwrap();
            // Numbers without a pattern, so that packing does not swallow them.
            let counts: Vec<u64> =
                (0..100_000u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
            let error = (0..100)
                .find_map(|row| sink.push(row, &graph, &counts).err())
                .expect("the pipe is closed");
            assert!(error.is_closed_pipe(), "{format}: {error}");
            reader.join().unwrap();
        }
        let (_dir, path) = fifo();
        let reader = std::thread::spawn({
            let path = path.clone();
            move || drop(std::fs::File::open(path).unwrap())
        });
        let mut sink = GraphSink::create(&path, Format::Graph6, &[]).unwrap();
        reader.join().unwrap();
        let record = gsn_io::GraphRecord::new(0, Graph::from_edges(500, []).unwrap());
        let error = (0..100).find_map(|_| sink.push(&record).err()).expect("the pipe is closed");
        assert!(error.is_closed_pipe(), "{error}");
    }

    #[test]
    fn a_slow_pipe_is_read_like_a_file_and_one_closed_early_is_an_error() {
        within_limit(a_slow_pipe);
    }

    fn a_slow_pipe() {
        for (cut, graphs) in [(0, Some(2)), (3, None)] {
            let (_dir, path) = fifo();
            let writer = std::thread::spawn({
                let path = path.clone();
                move || {
                    let packed = gzip(b"2\n2 0\n0 1 1\n0 1 0\n1 1\n0 0\n");
                    let mut pipe = std::fs::File::options().write(true).open(path).unwrap();
                    // Byte by byte: even the magic number arrives in pieces.
                    for byte in &packed[..packed.len() - cut] {
                        pipe.write_all(&[*byte]).unwrap();
                        pipe.flush().unwrap();
                    }
                }
            });
            let options = ReadOptions { format: Some(Format::Gin), ..ReadOptions::default() };
            let result = read(&path, &options);
            writer.join().unwrap();
            match graphs {
                Some(graphs) => assert_eq!(result.unwrap().0.len(), graphs),
                None => assert!(result.unwrap_err().to_string().contains("end too early")),
            }
        }
    }
}

#[test]
fn graphml_data_of_whole_graphs_are_fields() {
    let xml = |key: &str, data: &str| {
        format!(
            "<graphml>{key}<graph id=\"g\">{data}<node id=\"a\"><data key=\"y\">9</data></node>\
             </graph></graphml>"
        )
    };
    let dir = tempfile::tempdir().unwrap();
    let key = r#"<key id="y" for="graph" attr.name="yield" attr.type="double"><default>7</default></key>"#;
    let write = |name: &str, text: String| std::fs::write(dir.path().join(name), text).unwrap();
    write("a.graphml", xml(key, r#"<data key="y">1.5</data>"#));
    write("b.graphml", xml(key, ""));
    write("c.graphml", xml("", ""));
    let options = ReadOptions { keep_fields: true, ..ReadOptions::default() };
    let mut source = GraphSource::open(dir.path(), &options).unwrap();
    let fields: Vec<Vec<String>> =
        source.by_ref().map(|row| row.unwrap().into_result().unwrap().fields).collect();
    assert_eq!(fields, [["1.5"], ["7"], [""]]);
    assert_eq!(source.fields(), ["yield"]);
}
