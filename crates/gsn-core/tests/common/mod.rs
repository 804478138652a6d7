//! Where the tests find truth and data, and random graphs.
#![allow(dead_code, clippy::print_stdout)]

use gsn_core::Graph;
use proptest::prelude::*;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A golden file: in `$GSN_GOLDEN`, beside the project, or in the project.
pub(crate) fn golden(name: &str) -> PathBuf {
    let given = std::env::var_os("GSN_GOLDEN").map(PathBuf::from);
    let places = [format!("{ROOT}/../shared/golden"), format!("{ROOT}/tests/golden")];
    given
        .into_iter()
        .chain(places.iter().map(PathBuf::from))
        .map(|place| place.join(name))
        .find(|file| file.exists())
        .unwrap_or_else(|| panic!("no golden file {name}; set GSN_GOLDEN"))
}

/// A data file: in `$GSN_DATA` or beside the project; `None`, with a word, where it is missing.
pub(crate) fn data(name: &str) -> Option<PathBuf> {
    let given = std::env::var_os("GSN_DATA").map(PathBuf::from);
    let file = given
        .into_iter()
        .chain([PathBuf::from(format!("{ROOT}/../shared/data"))])
        .map(|place| place.join(name))
        .find(|file| file.exists());
    if file.is_none() {
        println!("skipped: no data file {name}; set GSN_DATA to a folder that has it");
    }
    file
}

/// Lines of a file, decompressed when its name ends in `gz`.
pub(crate) fn lines(file: &Path) -> impl Iterator<Item = String> {
    let raw = std::fs::File::open(file).unwrap();
    let reader: Box<dyn BufRead> = if file.extension().is_some_and(|e| e == "gz") {
        Box::new(BufReader::new(flate2::read::GzDecoder::new(raw)))
    } else {
        Box::new(BufReader::new(raw))
    };
    reader.lines().map(Result::unwrap)
}

/// A graph of `graphs/` in the data folder.
pub(crate) fn edge_list(name: &str) -> Option<Graph> {
    let file = data(&format!("graphs/{name}.txt.gz"))?;
    let mut lines = lines(&file);
    let header = lines.next().unwrap();
    let order = header.split_whitespace().skip_while(|&w| w != "nodes").nth(1).unwrap();
    let edges = lines.map(|line| {
        let mut ends = line.split_whitespace().map(|end| end.parse().unwrap());
        (ends.next().unwrap(), ends.next().unwrap())
    });
    Some(Graph::from_edges(order.parse().unwrap(), edges).unwrap())
}

/// Random undirected graphs from empty to complete.
pub(crate) fn graphs(orders: std::ops::Range<usize>) -> impl Strategy<Value = Graph> {
    (orders, 0.0..=1.0f64).prop_flat_map(|(n, density)| {
        proptest::collection::vec(proptest::bool::weighted(density), n * n.saturating_sub(1) / 2)
            .prop_map(move |present| {
                let pairs = (0..n as u32).flat_map(|v| (0..v).map(move |u| (u, v)));
                let edges = pairs.zip(present).filter(|&(_, there)| there).map(|(pair, _)| pair);
                Graph::from_edges(n, edges).unwrap()
            })
    })
}
