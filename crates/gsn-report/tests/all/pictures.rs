//! What holds for every picture: numbers that are numbers, everything inside the frame, names that stay names,
//! vertices apart, rings regular, the same bytes each time.

use gsn_core::random::Random;
use gsn_core::{Graph, generate};
use gsn_report::draw::{Colour, Drawing, Flaws};

/// The numbers of an attribute, in the order they appear.
fn numbers(svg: &str, attribute: &str) -> Vec<f64> {
    let start = format!(" {attribute}=\"");
    svg.split(start.as_str())
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
        .collect()
}

/// Checks that all circles, texts and lines lie inside the frame and that the numbers are finite.
fn check_frame(svg: &str) {
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    let frame = svg.split("viewBox=\"").nth(1).unwrap().split('"').next().unwrap();
    let frame: Vec<f64> = frame.split(' ').map(|n| n.parse().unwrap()).collect();
    let [left, top, wide, high] = frame[..] else { panic!("{frame:?}") };
    let inside_x = |x: f64| (left..=left + wide).contains(&x);
    let inside_y = |y: f64| (top..=top + high).contains(&y);
    assert!([numbers(svg, "cx"), numbers(svg, "x")].concat().into_iter().all(inside_x), "{svg}");
    assert!([numbers(svg, "cy"), numbers(svg, "y")].concat().into_iter().all(inside_y), "{svg}");
    for path in svg.split(" d=\"M").skip(1) {
        let path = path.split('"').next().unwrap().trim_end_matches('Z');
        for point in path.split('L') {
            let (x, y) = point.split_once(' ').unwrap();
            assert!(inside_x(x.parse().unwrap()) && inside_y(y.parse().unwrap()), "{svg}");
        }
    }
}

/// A molecule by a random walk over what SMILES allow: chains, branches, rings, spiro and fused rings.
fn random_smiles(random: &mut Random) -> String {
    const PARTS: [&str; 14] = [
        "C",
        "N",
        "O",
        "C(=O)",
        "C(C)",
        "c1ccccc1",
        "C1CCCCC1",
        "C1CC1",
        "c1ccc2ccccc2c1",
        "C2(CC2)",
        "S(=O)(=O)",
        "C#C",
        "C(F)(F)",
        "[NH2+]",
    ];
    // Rings are written so that what follows hangs on their first atom.
    let ring = |part: &str| part.contains('1') && !part.starts_with("C2");
    let mut out = String::from("C");
    for _ in 0..1 + random.below(9) {
        let part = PARTS[random.below(PARTS.len())];
        if ring(part) {
            out += &format!("C({part})");
        } else {
            out += part;
        }
    }
    out + "C"
}

#[test]
fn molecules_are_drawn_apart_inside_the_frame_and_the_same_each_time() {
    let mut random = Random::new(11);
    let (mut drawn, mut flawless) = (0, 0);
    while drawn < 150 {
        let smiles = random_smiles(&mut random);
        let Ok(drawing) = Drawing::of_smiles(&smiles) else { continue };
        drawn += 1;
        let svg = drawing.svg();
        check_frame(&svg);
        assert_eq!(svg, Drawing::of_smiles(&smiles).unwrap().svg());
        let edges: Vec<_> = drawing.edges().collect();
        let places = drawing.places();
        for (i, p) in places.iter().enumerate() {
            for q in &places[..i] {
                let apart = ((p.0 - q.0).powi(2) + (p.1 - q.1).powi(2)).sqrt();
                assert!(apart > 0.1, "{smiles}: {apart}");
            }
        }
        flawless += usize::from(Flaws::of(places, &edges) == Flaws::default());
    }
    // Crowded ones may touch, but not many of them.
    assert!(flawless * 100 >= drawn * 90, "{flawless} of {drawn}");
}

#[test]
fn six_rings_of_molecules_are_regular() {
    for smiles in ["c1ccccc1", "c1ccc2ccccc2c1", "c1cc2cccc3ccc4cccc1c4c32", "C1CCC2(CC1)CCNCC2"] {
        let drawing = Drawing::of_smiles(smiles).unwrap();
        for (a, b) in drawing.edges() {
            let (p, q) = (drawing.places()[a], drawing.places()[b]);
            let length = ((p.0 - q.0).powi(2) + (p.1 - q.1).powi(2)).sqrt();
            assert!((length - 1.0).abs() < 1e-6, "{smiles} {length}");
        }
        let edges: Vec<_> = drawing.edges().collect();
        assert_eq!(Flaws::of(drawing.places(), &edges), Flaws::default(), "{smiles}");
    }
}

#[test]
fn sides_of_double_bonds_are_as_written() {
    for (smiles, same) in [("C/C=C/CCC", false), ("C/C=C\\CCC", true), ("C/C=C\\C=C\\C", true)] {
        let drawing = Drawing::of_smiles(smiles).unwrap();
        let at = |v: usize| drawing.places()[v];
        let side = |v: usize| {
            let ((bx, by), (cx, cy), (x, y)) = (at(1), at(2), at(v));
            (cx - bx) * (y - by) - (cy - by) * (x - bx) > 0.0
        };
        assert_eq!(side(0) == side(3), same, "{smiles}");
    }
}

#[test]
fn graphs_are_drawn_inside_the_frame() {
    let mut random = Random::new(12);
    for seed in 0..60 {
        let order = 1 + random.below(40);
        let graph = generate::erdos_renyi(order, 3.0 / order.max(4) as f64, seed).unwrap();
        let mut drawing = Drawing::of_graph(&graph).with_room(200.0, 150.0);
        drawing.highlight_vertex(random.below(order), Colour::Signed(f64::NAN), "?");
        drawing.highlight_vertex(order + 5, Colour::Number(3), "not there");
        drawing.highlight_edge(0, order + 5, Colour::Number(3), "not there");
        let svg = drawing.svg();
        check_frame(&svg);
        assert!(!svg.contains("not there"));
        assert_eq!(svg, drawing.svg());
        let size: Vec<f64> = ["width", "height"].map(|a| numbers(&svg, a)[0]).into();
        assert!(size[0] <= 201.0 && size[1] <= 151.0, "{size:?}");
    }
}

#[test]
fn hostile_names_are_inert() {
    let graph = Graph::from_edges(2, [(0, 1)]).unwrap();
    let bad = "</title><script>alert(1)</script>\" onload=\"x\u{0}\u{1b}";
    let mut drawing = Drawing::of_graph(&graph).with_title(bad).with_names([bad.to_owned()]);
    drawing.highlight_vertex(1, Colour::Number(0), bad);
    for svg in [drawing.svg(), drawing.document()] {
        assert!(!svg.contains("<script") && !svg.contains("\" onload"), "{svg}");
        assert!(!svg.chars().any(|c| c.is_control() && c != '\n'), "{svg}");
    }
    let refused = Drawing::of_smiles("C1CC").unwrap_err();
    assert!(!refused.is_empty());
}

#[test]
fn nothing_is_a_picture_too() {
    check_frame(&Drawing::of_graph(&Graph::from_edges(0, []).unwrap()).svg());
    check_frame(&Drawing::of_graph(&Graph::from_edges(3, []).unwrap()).svg());
    check_frame(&Drawing::of_smiles("C").unwrap().svg());
    check_frame(&Drawing::of_smiles("[Na+].[Cl-]").unwrap().document());
}
