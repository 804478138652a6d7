//! Graphs out of Parquet and Arrow: any integer width, nulls, wrong types, damaged files.

use crate::common::{file, gzip, read};
use arrow_array::builder::{Int16Builder, Int64Builder, ListBuilder};
use arrow_array::*;
use arrow_schema::{DataType, Field, Schema};
use gsn_io::{Error, GraphRecord, ReadOptions, Rejected, VertexNames};
use std::sync::Arc;

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true)))
        .unwrap()
}

fn parquet(batch: &RecordBatch) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = parquet::arrow::ArrowWriter::try_new(&mut out, batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    out
}

fn arrow(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn packed(batch: &RecordBatch, codec: arrow_ipc::CompressionType) -> Vec<u8> {
    let options =
        arrow_ipc::writer::IpcWriteOptions::default().try_with_compression(Some(codec)).unwrap();
    let schema = batch.schema();
    let mut writer =
        arrow_ipc::writer::FileWriter::try_new_with_options(Vec::new(), &schema, options).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn stream(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn all(
    bytes: &[u8],
    name: &str,
    options: &ReadOptions,
) -> Result<(Vec<GraphRecord>, Vec<Rejected>), Error> {
    let (_dir, path) = file(name, bytes);
    read(&path, options)
}

#[test]
fn strings_that_are_stored_as_dictionaries_are_read() {
    use arrow_array::types::{Int8Type, Int32Type};
    let words = [Some("CCO"), None, Some("C1CC1"), Some("CCO")];
    let small: DictionaryArray<Int8Type> = words.into_iter().collect();
    let usual: DictionaryArray<Int32Type> = words.into_iter().collect();
    let large = Arc::new(LargeStringArray::from(vec!["CCO", "C1CC1"])) as ArrayRef;
    let keys = Int32Array::from(vec![Some(0), None, Some(1), Some(0)]);
    let large = DictionaryArray::<Int32Type>::try_new(keys, large).unwrap();
    for column in [Arc::new(small) as ArrayRef, Arc::new(usual), Arc::new(large)] {
        let batch = batch(vec![("smiles", column)]);
        let files = [(arrow(&batch), "x.arrow"), (stream(&batch), "x.arrows")];
        for (bytes, name) in files.into_iter().chain([(parquet(&batch), "x.parquet")]) {
            let (good, bad) = all(&bytes, name, &ReadOptions::default()).unwrap();
            let orders: Vec<_> = good.iter().map(|record| record.graph.order()).collect();
            assert_eq!((orders, bad.len()), (vec![3, 3, 3], 1), "{name}");
        }
    }
}

fn lists(rows: &[Option<&[Option<i64>]>]) -> ArrayRef {
    let mut builder = ListBuilder::new(Int64Builder::new());
    for row in rows {
        for value in row.unwrap_or_default() {
            builder.values().append_option(*value);
        }
        builder.append(row.is_some());
    }
    Arc::new(builder.finish())
}

fn sample() -> RecordBatch {
    let one = |values: &'static [i64]| values.iter().map(|&v| Some(v)).collect::<Vec<_>>();
    let src =
        [one(&[0, 1, 1, 0]), one(&[]), one(&[0]), one(&[0]), one(&[0]), one(&[-1]), one(&[0])];
    let dst = [one(&[1, 0, 2, 0]), one(&[]), one(&[1]), one(&[3]), one(&[]), one(&[1]), vec![None]];
    let some = |rows: &[Vec<Option<i64>>]| {
        lists(&rows.iter().map(|row| Some(&row[..])).collect::<Vec<_>>())
    };
    let order: ArrayRef = Arc::new(Int16Array::from(vec![
        Some(4),
        Some(2),
        None,
        Some(3),
        Some(2),
        Some(2),
        Some(2),
    ]));
    batch(vec![("num_nodes", order), ("src", some(&src)), ("dst", some(&dst))])
}

#[test]
fn lists_of_any_container_and_what_is_wrong_with_single_rows() {
    let sample = sample();
    for (name, bytes) in [
        ("x.parquet", parquet(&sample)),
        ("x.parquet.gz", gzip(&parquet(&sample))),
        ("x.arrow", arrow(&sample)),
        ("x.arrow.gz", gzip(&arrow(&sample))),
        ("x.feather", packed(&sample, arrow_ipc::CompressionType::LZ4_FRAME)),
        ("x.feather", packed(&sample, arrow_ipc::CompressionType::ZSTD)),
        ("x.arrow", stream(&sample)),
        ("unnamed", stream(&sample)),
        ("unnamed", parquet(&sample)),
    ] {
        let (good, bad) = all(&bytes, name, &ReadOptions::default()).unwrap();
        assert_eq!(good.iter().map(|r| r.row).collect::<Vec<_>>(), [0, 1], "{name}");
        assert_eq!(good[0].graph.edges().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
        assert_eq!((good[0].graph.order(), good[1].graph.order()), (4, 2));
        assert_eq!((good[0].dropped.self_loops, good[0].dropped.duplicates), (1, 0));
        let reasons: Vec<_> = bad.iter().map(|r| r.reason.as_str()).collect();
        let wanted = ["null", "vertex 3 of only 3", "1 entries and dst has 0", "vertex -1", "null"];
        assert_eq!(bad.iter().map(|r| r.row).collect::<Vec<_>>(), [2, 3, 4, 5, 6]);
        for (reason, wanted) in reasons.iter().zip(wanted) {
            assert!(reason.contains(wanted), "{reason}");
        }
    }
    let options = ReadOptions { directed: true, ..ReadOptions::default() };
    let (good, _) = all(&parquet(&sample), "x.parquet", &options).unwrap();
    assert_eq!(good[0].graph.arcs().collect::<Vec<_>>(), [(0, 1), (1, 0), (1, 2)]);
}

#[test]
fn every_integer_width_and_large_lists() {
    let mut src = ListBuilder::new(Int16Builder::new());
    src.values().append_value(1);
    src.append(true);
    let mut dst = builder_large();
    dst.values().append_value(0);
    dst.append(true);
    let (src, dst): (ArrayRef, ArrayRef) = (Arc::new(src.finish()), Arc::new(dst.finish()));
    let orders: [ArrayRef; 8] = [
        Arc::new(Int8Array::from(vec![2])),
        Arc::new(Int16Array::from(vec![2])),
        Arc::new(Int32Array::from(vec![2])),
        Arc::new(Int64Array::from(vec![2])),
        Arc::new(UInt8Array::from(vec![2])),
        Arc::new(UInt16Array::from(vec![2])),
        Arc::new(UInt32Array::from(vec![2])),
        Arc::new(UInt64Array::from(vec![2])),
    ];
    for order in orders {
        let batch = batch(vec![("dst", dst.clone()), ("num_nodes", order), ("src", src.clone())]);
        let (good, _) = all(&parquet(&batch), "x.parquet", &ReadOptions::default()).unwrap();
        assert_eq!(good[0].graph.edge_count(), 1);
    }
}

fn builder_large() -> arrow_array::builder::LargeListBuilder<arrow_array::builder::UInt8Builder> {
    arrow_array::builder::LargeListBuilder::new(arrow_array::builder::UInt8Builder::new())
}

#[test]
fn a_claim_of_many_vertices_is_refused_before_it_costs_memory() {
    let order: ArrayRef = Arc::new(Int64Array::from(vec![4_000_000_000, -5, i64::MAX]));
    let empty = lists(&[Some(&[]), Some(&[]), Some(&[])]);
    let batch = batch(vec![("num_nodes", order), ("src", empty.clone()), ("dst", empty)]);
    let (good, bad) = all(&parquet(&batch), "x.parquet", &ReadOptions::default()).unwrap();
    assert_eq!((good.len(), bad.len()), (0, 3));
    assert!(bad[0].reason.contains("4000000000 vertices are claimed"), "{}", bad[0].reason);
    assert!(bad[1].reason.contains("num_nodes is -5"), "{}", bad[1].reason);
}

#[test]
fn smiles_columns_names_classes_and_other_columns() {
    let smiles: ArrayRef = Arc::new(StringArray::from(vec![Some("CCO"), None, Some("C1")]));
    let score: ArrayRef = Arc::new(Float64Array::from(vec![Some(0.5), None, Some(2.0)]));
    let name: ArrayRef = Arc::new(LargeStringArray::from(vec!["a", "b", "c"]));
    let label: ArrayRef = Arc::new(Int8Array::from(vec![-1, 0, 1]));
    let batch = batch(vec![("score", score), ("Smiles", smiles), ("name", name), ("label", label)]);
    let options = ReadOptions { keep_fields: true, ..ReadOptions::default() };
    for (file_name, bytes) in [("x.parquet", parquet(&batch)), ("x.arrow", arrow(&batch))] {
        let (good, bad) = all(&bytes, file_name, &options).unwrap();
        assert_eq!((good.len(), bad.len()), (1, 2));
        assert_eq!(good[0].graph.vertex_labels(), Some(&[6, 6, 8][..]));
        assert_eq!((good[0].name.as_deref(), good[0].label), (Some("a"), Some(-1)));
        assert_eq!(good[0].fields, ["0.5"]);
        assert!(bad[0].reason.contains("null") && bad[1].reason.contains("ring"));
    }
}

#[test]
fn labels_must_fit() {
    let order: ArrayRef = Arc::new(Int64Array::from(vec![2, 2, 2, 2]));
    let src = lists(&[Some(&[Some(0)]), Some(&[Some(0)]), Some(&[Some(0)]), Some(&[Some(0)])]);
    let dst = lists(&[Some(&[Some(1)]), Some(&[Some(1)]), Some(&[Some(1)]), Some(&[Some(1)])]);
    let nodes =
        lists(&[Some(&[Some(5), Some(6)]), None, Some(&[Some(5)]), Some(&[Some(5), Some(-1)])]);
    let edges = lists(&[Some(&[Some(9)]), None, Some(&[Some(9)]), Some(&[Some(9)])]);
    let batch = batch(vec![
        ("num_nodes", order),
        ("src", src),
        ("dst", dst),
        ("node_labels", nodes),
        ("edge_labels", edges),
    ]);
    let (good, bad) = all(&parquet(&batch), "x.parquet", &ReadOptions::default()).unwrap();
    assert_eq!(good[0].graph.vertex_labels(), Some(&[5, 6][..]));
    assert_eq!(good[0].graph.arc_labels(), Some(&[9, 9][..]));
    assert_eq!(good[1].graph.vertex_labels(), None);
    assert!(bad[0].reason.contains("node_labels has 1 entries instead of 2"), "{}", bad[0].reason);
    assert!(bad[1].reason.contains("whole numbers"), "{}", bad[1].reason);
}

#[test]
fn wrong_types_and_missing_columns_are_errors() {
    let number: ArrayRef = Arc::new(Int64Array::from(vec![2]));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
    let list = lists(&[Some(&[])]);
    for (columns, wanted) in [
        (
            vec![("num_nodes", text.clone()), ("src", list.clone()), ("dst", list.clone())],
            "`num_nodes` holds Utf8",
        ),
        (
            vec![("num_nodes", number.clone()), ("src", number.clone()), ("dst", list.clone())],
            "`src` holds Int64",
        ),
        (
            vec![("num_nodes", number.clone()), ("src", list)],
            "no column `dst`; its columns are `num_nodes`, `src`",
        ),
        (vec![("smiles", number.clone())], "`smiles` holds Int64, but text"),
        (vec![("x", number)], "its columns are `x`"),
    ] {
        let batch = batch(columns);
        for (name, bytes) in [
            ("x.parquet", parquet(&batch)),
            ("x.arrow", arrow(&batch)),
            ("x.arrows", stream(&batch)),
        ] {
            let error = all(&bytes, name, &ReadOptions::default()).unwrap_err().to_string();
            assert!(error.contains(wanted) && error.contains(name), "{error}");
        }
    }
    let schema = Arc::new(Schema::new(vec![Field::new("smiles", DataType::Utf8, false)]));
    let none = RecordBatch::new_empty(schema);
    assert_eq!(all(&parquet(&none), "x.parquet", &ReadOptions::default()).unwrap().0.len(), 0);
}

#[test]
fn damaged_files_are_errors_or_rejected_rows_but_never_a_panic() {
    let sample = sample();
    for (name, bytes) in [
        ("x.parquet", parquet(&sample)),
        ("x.arrow", arrow(&sample)),
        ("x.arrows", stream(&sample)),
        ("x.feather", packed(&sample, arrow_ipc::CompressionType::LZ4_FRAME)),
    ] {
        for cut in (8..bytes.len()).step_by(bytes.len() / 40 + 1) {
            let result = all(&bytes[..cut], name, &ReadOptions::default());
            // A stream may end between two messages.
            assert!(result.is_err() || name == "x.arrows", "{name} cut at {cut}");
        }
        let mut state = 12345u64;
        for _ in 0..400 {
            let mut damaged = bytes.clone();
            for _ in 0..3 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let at = 8 + (state >> 33) as usize % (bytes.len() - 8);
                damaged[at] ^= (state >> 20) as u8;
            }
            let _ = all(&damaged, name, &ReadOptions::default());
        }
    }
}

#[test]
fn rows_may_be_edges() {
    let ends: ArrayRef = Arc::new(Int64Array::from(vec![10, 20, 30, 7]));
    let others: ArrayRef = Arc::new(Int64Array::from(vec![Some(20), Some(30), Some(10), None]));
    let graphs: ArrayRef = Arc::new(StringArray::from(vec!["a", "a", "a", "b"]));
    let people: ArrayRef = Arc::new(StringArray::from(vec!["ann", "bob", "bob", "eve"]));
    let weights: ArrayRef = Arc::new(Float64Array::from(vec![0.5; 4]));
    let table = batch(vec![
        ("weight", weights.clone()),
        ("graph", graphs),
        ("from", ends.clone()),
        ("to", others.clone()),
        ("who", people.clone()),
    ]);
    for (name, bytes) in [("x.parquet", parquet(&table)), ("x.arrow", arrow(&table))] {
        let (good, bad) = all(&bytes, name, &ReadOptions::default()).unwrap();
        assert_eq!((good.len(), bad.len()), (2, 0), "{name}");
        assert_eq!(good[0].vertex_names, Some(VertexNames::Integers(vec![10, 20, 30])));
        assert_eq!((good[0].graph.edge_count(), good[0].name.as_deref()), (3, Some("a")));
        // A null target makes a vertex without edges.
        assert_eq!((good[1].graph.order(), good[1].graph.edge_count()), (1, 0));
    }
    let chosen = ReadOptions {
        source_column: Some("who".into()),
        target_column: Some("from".into()),
        ..ReadOptions::default()
    };
    let (good, _) = all(&parquet(&table), "x.parquet", &chosen).unwrap();
    let names = ["ann", "10", "bob", "20", "30"].map(str::to_owned);
    assert_eq!(good[0].vertex_names, Some(VertexNames::Text(names.into())));

    let other = batch(vec![("from", weights), ("to", ends)]);
    let text = all(&parquet(&other), "x.parquet", &ReadOptions::default()).unwrap_err();
    assert!(text.to_string().contains("a whole number or text is needed"), "{text}");
    let unknown = batch(vec![("a", others), ("b", people)]);
    let text = all(&parquet(&unknown), "x.parquet", &ReadOptions::default()).unwrap_err();
    assert!(text.to_string().contains("--source-column"), "{text}");
}

#[test]
fn a_stream_is_counted_piece_by_piece_under_any_names() {
    use gsn_core::{CountSpec, Counter};
    use gsn_io::{CountedBatches, ListColumns, counted_schema};
    let rows = 20_000;
    let orders: ArrayRef = Arc::new(Int64Array::from(vec![3; rows]));
    let one: &[Option<i64>] = &[Some(0), Some(1), Some(2)];
    let two: &[Option<i64>] = &[Some(1), Some(2), Some(0)];
    let table = batch(vec![
        ("n", orders.clone()),
        ("from", lists(&vec![Some(one); rows])),
        ("to", lists(&vec![Some(two); rows])),
    ]);
    let names = ListColumns {
        num_nodes: "n".into(),
        src: "from".into(),
        dst: "to".into(),
        ..ListColumns::default()
    };
    let options = ReadOptions { list_columns: names, ..ReadOptions::default() };
    let counter = Counter::new(&CountSpec::new("cycle:3".parse().unwrap()));
    let read = |table: &RecordBatch, options: &ReadOptions| {
        let batches = [Ok(table.clone()), Ok(table.slice(0, 5))];
        let reader = arrow_array::RecordBatchIterator::new(batches, table.schema());
        CountedBatches::new(counter.clone(), Box::new(reader), options.clone())
    };
    let counted = read(&table, &options).unwrap();
    let schema = counted_schema(&counter, &table.schema(), &options).unwrap();
    let batches: Vec<RecordBatch> = counted.map(Result::unwrap).collect();
    let sizes: Vec<usize> = batches.iter().map(RecordBatch::num_rows).collect();
    assert_eq!(sizes, [8192, 8192, 3616, 5]);
    for piece in &batches {
        assert_eq!(piece.schema(), schema);
        assert_eq!(piece["error"].null_count(), piece.num_rows());
    }
    // The columns of the input are the same memory.
    let place = |array: &ArrayRef| array.to_data().buffers()[0].as_ptr();
    assert_eq!(place(batches[0].column(0)), place(&orders));
    assert_eq!(place(batches[2].column(0)), place(&orders.slice(16_384, 1)));
    let missing = read(&table, &ReadOptions::default()).err().unwrap().to_string();
    assert!(missing.contains("no column `num_nodes`"), "{missing}");
    let twice = read(&batches[3], &options).err().unwrap().to_string();
    assert!(twice.contains("`cycle:3/v0` already"), "{twice}");
}
