//! A few small pictures, byte by byte. `GSN_WRITE_GOLDEN=1 cargo test -p gsn-report golden` writes them anew; look at
//! them before they are kept.

use gsn_core::Graph;
use gsn_report::draw::{Colour, Drawing};
use std::path::PathBuf;

fn check(name: &str, drawing: &Drawing) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    let svg = drawing.document();
    if std::env::var_os("GSN_WRITE_GOLDEN").is_some() {
        std::fs::write(&path, &svg).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    assert_eq!(svg, kept, "{name}");
}

#[test]
fn molecules() {
    for (name, smiles) in [
        ("caffeine.svg", "Cn1cnc2c1c(=O)n(C)c(=O)n2C"),
        ("ions.svg", "C[N+](C)(C)CC([O-])=O.[13CH3]/C=C\\C#N"),
        ("norbornane.svg", "C1CC2CC1CC2N"),
    ] {
        check(name, &Drawing::of_smiles(smiles).unwrap());
    }
}

#[test]
fn graphs() {
    let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)];
    let names = ["a", "<b>&\"", "c", "d", "long name"].map(str::to_owned);
    let graph = Graph::from_edges(5, edges).unwrap();
    let mut drawing = Drawing::of_graph(&graph).with_names(names).with_title("a <title>");
    drawing.highlight_vertex(0, Colour::Number(0), "orbit <0>");
    drawing.highlight_edge(3, 2, Colour::Signed(-0.5), "a bridge");
    check("graph.svg", &drawing);
    let arcs = Graph::from_arcs(3, [(0, 1), (1, 2), (2, 0)]).unwrap();
    check("directed.svg", &Drawing::of_graph(&arcs));
}
