//! Golden files, and random graphs.

use gsn_core::Graph;
use proptest::prelude::*;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// A golden file of the repository.
pub(crate) fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(name)
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
