//! Graph files of every format. What is read must be a graph that is right in itself: it is written as
//! sparse6 and read again.

use crate::said;
use gsn_core::Graph;
use gsn_core::graph::sparse6;
use gsn_core::random::mix;
use gsn_io::{
    Featurisation, GraphRecord, GraphSource, ReadOptions, Row, VertexIds, VertexNames, VertexNaming,
};
use std::io::Cursor;
use std::path::Path;

/// Reads bytes in a format.
pub(crate) fn read(format: &str, bytes: &[u8]) -> u64 {
    let format = Some(format.parse().expect("a format that there is"));
    rows(Path::new("x"), bytes, &ReadOptions { format, ..options(bytes) })
}

/// Lets the bytes tell what they are.
pub(crate) fn detect(bytes: &[u8]) -> u64 {
    rows(Path::new("x"), bytes, &options(bytes))
}

/// A folder of several files in one text.
pub(crate) fn tu(bytes: &[u8]) -> u64 {
    let Some(folder) = crate::kept::folder(bytes) else { return 0 };
    let format = Some("tu".parse().expect("a format that there is"));
    match GraphSource::open(folder, &ReadOptions { format, ..options(bytes) }) {
        Ok(source) => take(source),
        Err(error) => said(&error.to_string()),
    }
}

fn rows(name: &Path, bytes: &[u8], options: &ReadOptions) -> u64 {
    match GraphSource::from_reader(name, Cursor::new(bytes.to_vec()), options) {
        Ok(source) => take(source),
        Err(error) => said(&error.to_string()),
    }
}

/// Options that differ from input to input.
fn options(bytes: &[u8]) -> ReadOptions {
    let dice = mix(bytes.len() as u64 + 256 * u64::from(bytes.last().copied().unwrap_or(0)));
    let features = [None, None, Some(Featurisation::Ogb), Some(Featurisation::Zinc)];
    ReadOptions {
        directed: dice & 7 == 0,
        ids: [VertexIds::Auto, VertexIds::Auto, VertexIds::Keep, VertexIds::Compact]
            [(dice >> 3) as usize % 4],
        vertex_names: [VertexNaming::Auto, VertexNaming::Index, VertexNaming::Text]
            [(dice >> 5) as usize % 3],
        keep_fields: dice >> 8 & 1 == 1,
        featurise: features[(dice >> 9) as usize % 4],
        ..ReadOptions::default()
    }
}

fn take(mut source: GraphSource) -> u64 {
    let mut seen = 1;
    for row in &mut source {
        let one = match &row {
            Ok(Row::Graph(record)) => right(record),
            Ok(Row::Rejected(rejected)) => said(&rejected.reason),
            Err(error) => said(&error.to_string()),
        };
        // The kinds of rows there are, whatever their order.
        seen |= 1 << (one % 61);
    }
    source.notes().iter().for_each(|note| seen ^= said(note));
    seen
}

/// Checks a graph; gives its size, roughly.
fn right(record: &GraphRecord) -> u64 {
    let graph = &record.graph;
    let (order, arcs) = (graph.order(), graph.arc_count());
    if let Some(names) = &record.vertex_names {
        let many = match names {
            VertexNames::Integers(names) => names.len(),
            VertexNames::Text(names) => names.len(),
        };
        assert_eq!(many, order, "a name for every vertex");
    }
    if let Some(labels) = graph.vertex_labels() {
        assert_eq!(labels.len(), order, "a label for every vertex");
    }
    if order <= 64 {
        let mut pairs: Vec<(u32, u32)> = graph.arcs().collect();
        assert_eq!(pairs.len(), arcs);
        assert!(pairs.windows(2).all(|two| two[0] < two[1]), "arcs are sorted and different");
        assert!(pairs.iter().all(|&(u, v)| u != v), "there are no loops");
        if !graph.is_directed() {
            pairs.retain(|&(u, v)| u < v);
            assert_eq!(2 * pairs.len(), arcs, "every edge has two arcs");
            let text = sparse6::encode(order, pairs.iter().copied()).expect("a small graph");
            let (again, edges) = sparse6::decode(text.as_bytes()).expect("what was written");
            let plain = Graph::from_edges(order, pairs).expect("its own edges");
            assert_eq!(Graph::from_edges(again, edges).expect("a graph"), plain, "{text}");
        }
    }
    let rough = |number: usize| u64::from(number.checked_ilog2().map_or(0, |log| log + 1));
    rough(order) * 8 + rough(arcs)
}
