//! Everything that may be wrong with an input: a plain error with file and line, or a rejected
//! row, and the rest proceeds.

use crate::common::{error, file, gzip, read, read_text};
use gsn_io::{Error, Format, GraphSource, ReadOptions, VertexIds};

#[test]
fn wrong_magic() {
    for name in ["x.parquet", "x.arrow", "x.feather", "x.arrows"] {
        let text = error(name, "graph,vertex\n");
        assert!(text.contains("does not start like"), "{text}");
        assert!(text.contains(name), "{text}");
    }
    let (_dir, path) = file("x.bin", "PAR1 is only a beginning");
    let options = ReadOptions { format: Some(Format::Arrow), ..ReadOptions::default() };
    assert!(GraphSource::open(&path, &options).is_err());
    let text = error("x.parquet", "PAR1 but nothing else of Parquet PAR1");
    assert!(text.contains("Parquet data are damaged"), "{text}");
    let text = error("x.arrow", "ARROW1\0\0 but nothing else");
    assert!(text.contains("Arrow data are damaged"), "{text}");
    let text = error("x.what", "neither this nor that\n");
    assert!(text.contains("unknown format") && text.contains("graph6"), "{text}");
}

#[test]
fn graph6_truncated_overlong_or_not_graph6_at_all() {
    let (good, bad) =
        read_text("x.g6", ">>graph6<<Bw\nDQ\nDQcc\nD c\n\nA_\n~~~~~~~~\nDQ\u{e9}\n").unwrap();
    assert_eq!(good.iter().map(|r| r.row).collect::<Vec<_>>(), [0, 4]);
    let lines: Vec<_> = bad.iter().map(|r| (r.row, r.line.unwrap())).collect();
    assert_eq!(lines, [(1, 2), (2, 3), (3, 4), (5, 7), (6, 8)]);
    assert!(bad[0].reason.contains("2 characters where 3 are needed"), "{}", bad[0].reason);
    assert_eq!(bad[0].input, "DQ");
}

#[test]
fn sparse6_that_claims_billions_of_vertices_is_refused_before_it_costs_memory() {
    let (good, bad) = read_text("x.s6", ":Fa@x^\n:~~@?????\n:~~?~????\n").unwrap();
    assert_eq!(good.len(), 1);
    assert_eq!(bad.len(), 2);
    assert!(bad.iter().all(|r| r.reason.contains("vertices")), "{bad:?}");
}

#[test]
fn a_sparse6_graph_of_70_000_vertices_and_two_edges_is_read() {
    let line = ":~PDo_??pDn??D\n";
    // Many of them are not held at a time.
    let (good, bad) = read_text("x.s6", line.repeat(40)).unwrap();
    assert!(bad.is_empty(), "{bad:?}");
    assert_eq!(good.len(), 40);
    let graph = &good[39].graph;
    assert_eq!((graph.order(), graph.edge_count()), (70_000, 2));
    assert!(graph.arc_id(0, 1).is_some() && graph.arc_id(5, 69_999).is_some());
}

#[test]
fn edge_lists_with_wrong_numbers() {
    let text = error("x.edges", "# g nodes 3 edges 2\n0 1\n1 3\n");
    assert!(text.contains("line 3") && text.contains("vertex 3"), "{text}");
    let text = error("x.edges", "# g nodes -3 edges 2\n0 1\n");
    assert!(text.contains("line 1") && text.contains("not negative"), "{text}");
    let text = error("x.edges", "# g nodes 99999999999999999999999 edges 1\n0 1\n");
    assert!(text.contains("line 1"), "{text}");
    let text = error("x.edges", "# g nodes 4000000000 edges 1\n0 1\n");
    assert!(text.contains("4000000000 vertices are claimed"), "{text}");
    let text = error("x.edges", "# g nodes 3 edges 7\n0 1\n1 2\n");
    assert!(text.contains("promises 7 edges") && text.contains("cut short"), "{text}");
    for line in ["0 -1", "0", "a b", "0 1.5", "0 99999999999999999999999"] {
        let text = error("x.edges", format!("0 1\n{line}\n"));
        assert!(text.contains("line 2") && text.contains("not an edge"), "{text}");
    }
    let (_dir, path) = file("x.edges", "0 1\n0 5000000000\n");
    let options = ReadOptions { ids: VertexIds::Keep, ..ReadOptions::default() };
    let text = read(&path, &options).unwrap_err().to_string();
    assert!(text.contains("5000000001 vertices are too many"), "{text}");
}

#[test]
fn gin_headers_that_lie() {
    let ok = "2\n2 1\n0 1 1\n0 1 0\n1 0\n5 0\n";
    assert_eq!(read_text("x.gin", ok).unwrap().0.len(), 2);
    let text = error("x.gin", "-2\n");
    assert!(text.contains("line 1"), "{text}");
    let text = error("x.gin", "18446744073709551615\n1 0\n0 0\n");
    assert!(text.contains("ends after 1 of the 18446744073709551615 graphs"), "{text}");
    let text = error("x.gin", "1\n18446744073709551615 0\n0 0\n");
    assert!(text.contains("line 2") && text.contains("ends after 1"), "{text}");
    let text = error("x.gin", "1\n1 0\n0 0\n7\n");
    assert!(text.contains("line 4") && text.contains("something follows"), "{text}");
    let text = error("x.gin", "1\none 0\n");
    assert!(text.contains("line 2"), "{text}");
}

#[test]
fn a_bad_vertex_line_rejects_its_graph_only() {
    for bad in ["0 1 2", "0 2 1", "-1 0", "0 99999999999999999999 1", "", "0"] {
        let text = format!("2\n2 0\n{bad}\n0 1 0\n1 7\n3 0\n");
        let (good, rejected) = read_text("x.gin", &text).unwrap();
        assert_eq!((good.len(), rejected.len()), (1, 1), "{bad}");
        assert_eq!((good[0].row, good[0].label), (1, Some(7)));
        assert_eq!((rejected[0].row, rejected[0].line), (0, Some(3)), "{bad}");
    }
}

#[test]
fn smiles_that_are_no_molecules() {
    let csv = "id,SMILES\n1,C1CC\n2,C[Xx]\n3,\n4,CCO\n5\n6,C(\n";
    let (good, bad) = read_text("x.csv", csv).unwrap();
    assert_eq!(good.len(), 1);
    assert_eq!(good[0].row, 3);
    let rows: Vec<_> = bad.iter().map(|r| (r.row, r.line.unwrap())).collect();
    assert_eq!(rows, [(0, 2), (1, 3), (2, 4), (4, 6), (5, 7)]);
    assert!(bad[0].reason.contains("ring closure"), "{}", bad[0].reason);
    assert!(bad[1].reason.contains("element"), "{}", bad[1].reason);
    assert!(bad[2].reason.contains("empty"), "{}", bad[2].reason);
}

#[test]
fn csv_without_the_column_lists_the_columns_there_are() {
    let text = error("x.csv", "name,structure\na,CC\n");
    assert!(text.contains("no column `smiles`"), "{text}");
    assert!(text.contains("`name`, `structure`"), "{text}");
    let (_dir, path) = file("x.csv", "name,structure\na,CC\n");
    let column = Some("structure".to_owned());
    let options = ReadOptions { smiles_column: column, ..ReadOptions::default() };
    assert_eq!(read(&path, &options).unwrap().0.len(), 1);
}

#[test]
fn csv_with_a_quotation_mark_that_never_closes_says_so() {
    let (_dir, path) = file("x.csv", "smiles,y\nCC,1\n\"CCO,2\nCCC,3\n");
    let mut source = GraphSource::open(&path, &ReadOptions::default()).unwrap();
    let rows: Vec<_> = source.by_ref().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 2);
    assert!(rows[1].clone().into_result().is_err());
    assert!(source.notes()[0].contains("quotation mark"), "{:?}", source.notes());
}

#[test]
fn line_ends_of_all_kinds_and_a_byte_order_mark() {
    let (good, bad) = read_text("x.g6", b"\xef\xbb\xbfBw\r\nA_\rBw\n\r\n?").unwrap();
    assert_eq!((good.len(), bad.len()), (4, 0));
    let (good, _) = read_text("x.edges", "\u{feff}# c\r\n0 1\r1 2\n2 3\r\n").unwrap();
    assert_eq!(good[0].graph.edge_count(), 3);
    let (good, bad) = read_text("x.csv", "\u{feff}smiles,y\r\nCC,1\rCCC,2\nC,3").unwrap();
    assert_eq!((good.len(), bad.len()), (3, 0));
    let (good, _) = read_text("x.gin", "\u{feff}1\r\n2 0\r0 1 1\n0 1 0\r\n").unwrap();
    assert_eq!(good[0].graph.edge_count(), 1);
    let (good, _) = read_text("x.smi", "\u{feff}CC a\r\nCCC\r").unwrap();
    assert_eq!(good[0].name.as_deref(), Some("a"));
    assert_eq!(good.len(), 2);
    let text = error("x.csv", b"\xff\xfes\0m\0");
    assert!(text.contains("UTF-16"), "{text}");
}

#[test]
fn empty_files() {
    for name in ["x.g6", "x.s6", "x.edges", "x.gin", "x.graphml", "x.csv", "x.smi", "x.parquet"] {
        for contents in [b"".to_vec(), gzip(b"")] {
            let text = error(name, contents);
            assert!(text.contains("is empty"), "{text}");
        }
    }
    for name in ["x.g6", "x.edges", "x.smi"] {
        let text = error(name, "\n\n");
        assert!(text.contains("holds no"), "{text}");
    }
}

#[test]
fn directories_and_missing_files() {
    let dir = tempfile::tempdir().unwrap();
    let text = read(dir.path(), &ReadOptions::default()).unwrap_err().to_string();
    assert!(text.contains("is a directory") && text.contains("_graph_indicator.txt"), "{text}");
    let text = read(&dir.path().join("no.g6"), &ReadOptions::default()).unwrap_err().to_string();
    assert!(text.contains("no.g6"), "{text}");
}

#[test]
fn bytes_that_are_not_text() {
    let (good, bad) = read_text("x.csv", b"smiles\nCC\nC\xffC\nCCC\n").unwrap();
    assert_eq!((good.len(), bad.len()), (2, 1));
    assert!(bad[0].reason.contains("UTF-8"), "{}", bad[0].reason);
    let (good, bad) = read_text("x.smi", b"CC\n\xc3(\n").unwrap();
    assert_eq!((good.len(), bad.len()), (1, 1));
    let (_, bad) = read_text("x.g6", b"Bw\n\xff\xfe\n").unwrap();
    assert_eq!(bad.len(), 1);
    assert!(
        error("x.graphml", b"<graphml><graph id=\"\xff\"></graph></graphml>").contains("line 1")
    );
}

#[test]
fn gzip_cut_short_or_damaged() {
    let lines: String = (0..20_000).map(|i| format!("{i} {}\n", i * 7 % 1000)).collect();
    let packed = gzip(lines.as_bytes());
    let text = error("x.edges.gz", &packed[..packed.len() / 2]);
    assert!(text.contains("x.edges.gz") && text.contains("end too early"), "{text}");
    let mut damaged = packed.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 8].copy_from_slice(&[0xa5; 8]);
    assert!(error("x.edges.gz", &damaged).contains("x.edges.gz"));
    assert_eq!(read_text("x.edges.gz", packed).unwrap().0[0].graph.order(), 20_000);
    // Rows before the damage are handed out; then comes the error.
    let smi = gzip("CC\n".repeat(300_000).as_bytes());
    let (_dir, path) = file("x.smi.gz", &smi[..smi.len() - 12]);
    let mut rows = 0;
    let mut failure = None;
    for row in GraphSource::open(&path, &ReadOptions::default()).unwrap() {
        match row {
            Ok(_) => rows += 1,
            Err(e) => failure = Some(e),
        }
    }
    assert!(rows > 100_000 && failure.is_some());
}

#[test]
fn options_that_mean_nothing_are_refused() {
    let (_dir, path) = file("x.g6", "Bw\n");
    let refused = |options: ReadOptions| match GraphSource::open(&path, &options) {
        Err(Error::Option { .. }) => {}
        other => panic!("{:?}", other.err()),
    };
    refused(ReadOptions { directed: true, ..ReadOptions::default() });
    refused(ReadOptions { ids: VertexIds::Keep, ..ReadOptions::default() });
    refused(ReadOptions { smiles_column: Some("s".into()), ..ReadOptions::default() });
    refused(ReadOptions { vertex_label_key: Some("s".into()), ..ReadOptions::default() });
}

mod graphml {
    use super::*;

    fn doc(body: &str) -> String {
        format!("<?xml version=\"1.0\"?>\n<graphml>\n{body}\n</graphml>\n")
    }

    #[test]
    fn broken_xml_is_an_error_with_its_line() {
        for (body, line) in
            [("<graph>\n<node id=\"a\"></graph>", "line 4"), ("<graph>\n<node id=\"a\"/>", "line")]
        {
            let text = error("x.graphml", doc(body));
            assert!(text.contains(line), "{text}");
        }
        assert!(error("x.graphml", "<html></html>").contains("not <graphml>"));
        assert!(error("x.graphml", doc("")).contains("holds no <graph>"));
        let text =
            error("x.graphml", "<graphml><graph edgedefault=\"undirected\"><node id=\"a\"/>");
        assert!(text.contains("ends inside <graph>"), "{text}");
    }

    #[test]
    fn graphs_that_make_no_sense_are_rejected_one_by_one() {
        let node = "<node id=\"a\"/><node id=\"b\"/>";
        let good = format!("<graph id=\"ok\">{node}<edge source=\"b\" target=\"a\"/></graph>");
        for (bad, reason) in [
            ("<edge source=\"a\" target=\"z\"/>", "`z`, which is no node"),
            ("<edge source=\"a\"/>", "without a target"),
            ("<node id=\"a\"/>", "same id"),
            ("<node/>", "without an id"),
            ("<hyperedge/>", "hyperedges"),
            ("<node id=\"c\"><graph/></node>", "graphs inside graphs"),
            ("<edge source=\"a\" target=\"b\" directed=\"true\"/>", "mixed"),
            ("<edge source=\"&lol;\" target=\"b\"/>", "source"),
        ] {
            let text = doc(&format!("<graph id=\"bad\">{node}{bad}</graph>\n{good}"));
            let (graphs, rejected) = read_text("x.graphml", text).unwrap();
            assert_eq!((graphs.len(), rejected.len()), (1, 1), "{bad}");
            assert_eq!((graphs[0].row, graphs[0].name.as_deref()), (1, Some("ok")));
            assert!(rejected[0].reason.contains(reason), "{bad}: {}", rejected[0].reason);
        }
    }

    #[test]
    fn entity_bombs_and_deep_nesting_cost_nothing() {
        let mut dtd = String::from("<!DOCTYPE graphml [<!ENTITY l0 \"lol\">");
        for i in 1..30 {
            let previous = format!("&l{};", i - 1).repeat(10);
            dtd += &format!("<!ENTITY l{i} \"{previous}\">");
        }
        dtd += "]>";
        let bomb = format!(
            "<?xml version=\"1.0\"?>{dtd}<graphml><graph id=\"&l29;\"><node id=\"a\"/></graph></graphml>"
        );
        let (graphs, rejected) = read_text("x.graphml", bomb).unwrap();
        assert_eq!((graphs.len(), rejected.len()), (0, 1));
        for open in ["<graph>", "<x>", "<node id=\"a\">"] {
            let deep = format!("<graphml>{}", open.repeat(1_000_000));
            assert!(error("x.graphml", deep).contains("nested too deeply"), "{open}");
        }
    }
}

mod tu {
    use super::*;

    /// A dataset of the given files.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (what, text) in files {
            std::fs::write(dir.path().join(format!("DS_{what}.txt")), text).unwrap();
        }
        dir
    }

    fn fails(files: &[(&str, &str)]) -> String {
        read(folder(files).path(), &ReadOptions::default()).unwrap_err().to_string()
    }

    #[test]
    fn files_that_do_not_fit_each_other() {
        let text = fails(&[("A", "1, 2\n")]);
        assert!(text.contains("DS_graph_indicator.txt is missing"), "{text}");
        let text = fails(&[("A", "1, 2\n"), ("graph_indicator", "1\n1\n3\n")]);
        assert!(text.contains("line 3") && text.contains("graph 3 after graph 1"), "{text}");
        let text = fails(&[("A", "1, 2\n9, 1\n"), ("graph_indicator", "1\n1\n")]);
        assert!(text.contains("line 2") && text.contains("vertex 9"), "{text}");
        let text = fails(&[("A", "0, 1\n"), ("graph_indicator", "1\n1\n")]);
        assert!(text.contains("line 1"), "{text}");
        let base = [("A", "1, 2\n"), ("graph_indicator", "1\n1\n")];
        let text = fails(&[base[0], base[1], ("node_labels", "1\n")]);
        assert!(text.contains("fewer labels than vertices"), "{text}");
        let text = fails(&[base[0], base[1], ("graph_labels", "1\n2\n")]);
        assert!(text.contains("more lines"), "{text}");
        let text = fails(&[base[0], base[1], ("edge_labels", "")]);
        assert!(text.contains("fewer edge labels"), "{text}");
    }

    #[test]
    fn an_arc_between_graphs_rejects_its_graph_and_order_does_not_matter() {
        let files = [("A", "1, 2\n2, 3\n3, 4\n"), ("graph_indicator", "1\n1\n2\n2\n")];
        let (good, bad) = read(folder(&files).path(), &ReadOptions::default()).unwrap();
        assert_eq!((good.len(), bad.len()), (1, 1));
        assert_eq!((bad[0].row, bad[0].line), (0, Some(2)));
        let files = [("A", "3, 4\n1, 2\n4, 3\n2, 1\n"), ("graph_indicator", "1\n1\n2\n2\n")];
        let (good, _) = read(folder(&files).path(), &ReadOptions::default()).unwrap();
        assert!(good.iter().all(|r| r.graph.edge_count() == 1 && r.dropped.duplicates == 0));
    }
}
