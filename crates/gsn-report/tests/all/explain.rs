//! Pictures of explanations: colours by sign, numbers below, hostile names inert, broken values refused.

use gsn_core::{Graph, Matching, Scope};
use gsn_lab::explain::{
    Effect, ExplainedGraph, Explanation, OccurrenceEffect, PatternEffect, PlainGraph,
};
use gsn_report::explain::{drawing, picture, signed, strongest};

fn effect(removal: f64) -> Effect {
    Effect { removal: Some(vec![removal]), unseen: false, gradient: Some(vec![removal / 2.0]) }
}

/// Two triangles at a vertex: one raises the prediction, the other lowers it.
fn bowtie() -> Explanation {
    let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)];
    let graph = Graph::from_edges(5, edges).unwrap();
    let occurrence = |vertices: [u32; 3], by: f64| OccurrenceEffect {
        vertices: vertices.into(),
        effect: effect(by),
    };
    let triangles = PatternEffect {
        pattern: 0,
        total: 2,
        effect: effect(0.25),
        occurrences: vec![occurrence([0, 1, 2], -0.25), occurrence([2, 3, 4], 0.5)],
    };
    let explained = ExplainedGraph {
        row: 7,
        name: None,
        smiles: None,
        graph: PlainGraph::of(
            &graph,
            false,
            Some(["a", "b", "<c>", "d", "e"].map(str::to_owned).into()),
        ),
        prediction: vec![1.5],
        absent: vec![1.25],
        gradients: None,
        no_gradients: None,
        patterns: vec![triangles],
    };
    Explanation {
        model: "m".into(),
        data: "d".into(),
        outputs: vec!["y</text><script>".into()],
        probabilities: false,
        members: 1,
        patterns: vec!["cycle:3".into()],
        scope: Scope::Vertex,
        matching: Matching::Induced,
        limit: 10,
        graphs: vec![explained],
        rejected: Vec::new(),
        rows: 1,
        left_out: 0,
        notes: Vec::new(),
    }
}

#[test]
fn occurrences_are_coloured_by_sign_with_their_numbers_below() {
    let found = bowtie();
    let svg = picture(&found, &found.graphs[0], 0).unwrap();
    assert_eq!(svg, picture(&found, &found.graphs[0], 0).unwrap());
    // One picture of all, one of each triangle, the stronger first.
    assert_eq!(svg.matches("<svg ").count(), 4);
    assert!(svg.contains(">removal +0.5000, gradient +0.2500</text>"), "{svg}");
    assert!(svg.contains(">removal −0.2500, gradient −0.1250</text>"), "{svg}");
    assert!(svg.find("+0.5000").unwrap() < svg.find("removal −0.2500").unwrap());
    assert!(!svg.contains("<script") && !svg.contains("<c>"), "{svg}");
    assert!(!svg.contains("NaN") && svg.ends_with("</svg>\n"));
    let order: Vec<f64> = strongest(&found.graphs[0], 0).iter().map(|(.., by)| *by).collect();
    assert_eq!(order, [0.5, -0.25]);
    assert_eq!(drawing(&found.graphs[0]).unwrap().places().len(), 5);
}

#[test]
fn what_hardly_matters_has_no_strong_colour() {
    let strong = bowtie();
    let mut weak = strong.clone();
    for occurrence in &mut weak.graphs[0].patterns[0].occurrences {
        occurrence.effect = effect(7e-6);
    }
    let opacity = |found: &Explanation| {
        let svg = picture(found, &found.graphs[0], 0).unwrap();
        let all = svg.split("fill-opacity=\"").skip(1);
        all.filter_map(|rest| rest.split('"').next()?.parse::<f64>().ok()).fold(0.0, f64::max)
    };
    assert!(opacity(&weak) < 0.2 && opacity(&strong) > 0.5, "{}", opacity(&weak));
}

#[test]
fn broken_values_are_refused() {
    let found = bowtie();
    assert!(picture(&found, &found.graphs[0], 1).is_err());
    let mut outside = found.clone();
    outside.graphs[0].patterns[0].occurrences[0].vertices = vec![0, 1, 9];
    assert!(picture(&outside, &outside.graphs[0], 0).is_err());
    let mut contradictory = found.clone();
    contradictory.graphs[0].graph.edges.push((3, 77));
    assert!(picture(&contradictory, &contradictory.graphs[0], 0).is_err());
    let mut unknown = found;
    unknown.graphs[0].patterns[0].pattern = 5;
    assert!(picture(&unknown, &unknown.graphs[0], 0).is_ok());
}

#[test]
fn numbers_have_four_digits_and_a_sign() {
    let said = [0.0, 1.5, -0.012345, 12345.678, -2e-9, 0.99996].map(signed);
    assert_eq!(said, ["0", "+1.500", "−0.01235", "+12346", "−0.0000000020", "+1.0000"]);
}
