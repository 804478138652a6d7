//! Parquet, Arrow and npz files with one byte changed: rows or an error that names the file, never a
//! panic, and of Parquet never fewer rows than the file says it has.

use gsn_core::CountSpec;
use gsn_io::{
    ConvertRequest, CountRequest, CountTable, Error, GraphSource, ReadOptions, Row, VerifyRequest,
    convert, count, verify,
};
use std::path::Path;

/// Graphs and a table of their counts.
fn files(folder: &Path) -> Vec<&'static str> {
    std::fs::write(folder.join("g.g6"), "DQc\nBw\nC~\nDqK\nEhEG\n").unwrap();
    for name in ["g.parquet", "g.arrow"] {
        convert(&ConvertRequest::new(folder.join("g.g6"), folder.join(name))).unwrap();
    }
    for name in ["t.parquet", "t.arrow", "t.npz"] {
        let spec = CountSpec::new("cycle:3..=5".parse().unwrap());
        count(&CountRequest::new(folder.join("g.g6"), folder.join(name), spec)).unwrap();
    }
    vec!["g.parquet", "g.arrow", "t.parquet", "t.arrow", "t.npz"]
}

fn rows(path: &Path) -> Result<usize, Error> {
    if path.file_name().unwrap().to_str().unwrap().starts_with('t') {
        return CountTable::open(path)?.map(|graph| Ok(graph?.rows())).sum();
    }
    let rows = GraphSource::open(path, &ReadOptions::default())?;
    rows.map(|row| Ok(matches!(row?, Row::Graph(_) | Row::Rejected(_)) as usize)).sum()
}

#[test]
fn a_parquet_arrow_or_npz_file_with_one_byte_changed_never_panics() {
    let folder = tempfile::tempdir().unwrap();
    for name in files(folder.path()) {
        let path = folder.path().join(name);
        let whole = rows(&path).unwrap();
        let good = std::fs::read(&path).unwrap();
        let mut refused = 0;
        for at in 0..good.len() {
            let mask = [0x01, 0x80, 0xff][at % 3];
            let mut bytes = good.clone();
            bytes[at] ^= mask;
            std::fs::write(&path, bytes).unwrap();
            match rows(&path) {
                Err(error) => {
                    let named = error.to_string().contains(&path.display().to_string());
                    assert!(named, "{error}");
                    refused += 1;
                }
                Ok(found) if name.ends_with("parquet") => {
                    assert_eq!(found, whole, "{name}: byte {at} ^ {mask:#x}");
                }
                Ok(_) => {}
            }
        }
        assert!(refused > good.len() / 8, "{name}: {refused} of {} refused", good.len());
    }
}

#[test]
fn verbs_refuse_files_with_one_byte_changed() {
    let folder = tempfile::tempdir().unwrap();
    for name in files(folder.path()) {
        let path = folder.path().join(name);
        let good = std::fs::read(&path).unwrap();
        let out = folder.path().join("out.csv");
        for at in (0..good.len()).step_by(41) {
            let mut bytes = good.clone();
            bytes[at] ^= 0xff;
            std::fs::write(&path, bytes).unwrap();
            if name.starts_with('t') {
                // Whatever became of the table, its sidecar knows that it is another.
                match verify(&VerifyRequest::new(&path)) {
                    Ok(report) => assert!(report.other_table, "{name}: byte {at}"),
                    Err(error) => assert!(error.to_string().contains(name), "{error}"),
                }
            } else {
                let spec = CountSpec::new("cycle:3".parse().unwrap());
                let _ = count(&CountRequest::new(&path, &out, spec));
                let _ = convert(&ConvertRequest::new(&path, folder.path().join("out.g6")));
            }
        }
        std::fs::write(&path, good).unwrap();
    }
}

#[test]
fn a_damaged_row_group_is_named() {
    let folder = tempfile::tempdir().unwrap();
    // A row group takes half of its rows.
    let star = |n: u32| (1..n).map(|v| format!("0 {v}\n")).collect::<String>();
    std::fs::write(folder.path().join("star.edges"), star(1 << 18)).unwrap();
    let table = folder.path().join("t.parquet");
    let spec = CountSpec::new("path:2".parse().unwrap());
    count(&CountRequest::new(folder.path().join("star.edges"), &table, spec)).unwrap();
    let good = std::fs::read(&table).unwrap();
    // Behind the middle and before the footer there is nothing but data of the second group.
    let groups: Vec<String> = (good.len() / 2..good.len() * 7 / 8)
        .step_by(97)
        .filter_map(|at| {
            let mut bytes = good.clone();
            bytes[at] ^= 0xff;
            std::fs::write(&table, bytes).unwrap();
            rows(&table).err().map(|error| error.to_string())
        })
        .collect();
    assert!(groups.iter().any(|said| said.contains("in row group 2 of 2")), "{groups:?}");
}
