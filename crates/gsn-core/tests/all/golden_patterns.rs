//! Every line of `counts/patterns.jsonl.gz`: group order, orbits, and the authors' orbits.

use crate::common;
use gsn_core::{EdgeOrbits, Orbits, Pattern};
use serde::Deserialize;

type Pairs = Vec<(usize, usize)>;

#[derive(Deserialize)]
struct Line {
    pattern: String,
    k: usize,
    edges: Pairs,
    aut: u128,
    vertex_orbits: Vec<Vec<usize>>,
    edge_orbits: Vec<Pairs>,
    arc_orbits: Vec<Pairs>,
    official_edge_orbits: Vec<Pairs>,
    official_arc_orbits: Vec<Pairs>,
    official_equals_true: bool,
}

#[test]
fn every_line() {
    let mut checked = 0;
    for text in common::lines(&common::golden("counts/patterns.jsonl.gz")) {
        let line: Line = serde_json::from_str(&text).unwrap();
        let name = &line.pattern;
        let pattern = Pattern::new(name.as_str(), line.k, &line.edges).unwrap();
        let exact = Orbits::of(&pattern, EdgeOrbits::Exact);
        assert_eq!(exact.group_order().to_u128(), Some(line.aut), "{name}");
        assert_eq!(exact.vertex_orbits(), line.vertex_orbits, "{name}");
        assert_eq!(exact.edge_orbits(), line.edge_orbits, "{name}");
        assert_eq!(exact.arc_orbits(), line.arc_orbits, "{name}");
        let official = Orbits::of(&pattern, EdgeOrbits::Official);
        assert_eq!(official.vertex_orbits(), line.vertex_orbits, "{name}");
        assert_eq!(official.edge_orbits(), line.official_edge_orbits, "{name}");
        assert_eq!(official.arc_orbits(), line.official_arc_orbits, "{name}");
        let same = official.arc_orbits() == exact.arc_orbits();
        assert_eq!(same, line.official_equals_true, "{name}");
        checked += 1;
    }
    assert!(checked > 0, "the golden file is empty");
}
