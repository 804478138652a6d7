//! `gsn explain`: tables, numbers and pictures, and what is refused.

use super::{expect, folder, text};
use serde_json::Value;

fn rows() -> String {
    let mut rows = "smiles,y,kind\n".to_owned();
    for _ in 0..4 {
        for c in ["C", "CC", "CCC", "O", "N", "CO", "CN"] {
            rows += &format!("C1CCCC1{c},1.5,ring\nCCC{c},-0.5,chain\nCCOC{c},0.25,ether\n");
        }
    }
    rows
}

#[test]
fn tables_numbers_and_pictures_say_the_same() {
    let new = "smiles\nC1CCCC1C\nC1CC\nCCOCC\nC1CC1C1CC1\n";
    let folder = folder(&[("train.csv", rows().as_bytes()), ("new.csv", new.as_bytes())]);
    let at = folder.path();
    expect(
        0,
        at,
        "train train.csv --target y --patterns cycle:3..=6,path:3 --set training.epochs=2 --seeds 2 --out run -q",
    );
    let ran = expect(1, at, "explain run/model.gsn new.csv --json");
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (&found["members"], &found["rows"], &found["outputs"][0]),
        (&2.into(), &4.into(), &"y".into())
    );
    assert_eq!(found["rejected"][0]["row"], 1);
    let graphs = found["graphs"].as_array().unwrap();
    assert_eq!(graphs.len(), 3);
    let said = expect(1, at, "predict run/model.gsn new.csv -q");
    let said: Vec<f64> =
        said.out.lines().skip(1).filter_map(|line| line.split(',').nth(1)?.parse().ok()).collect();
    for (graph, said) in graphs.iter().zip(said) {
        assert!((graph["prediction"][0].as_f64().unwrap() - said).abs() < 1e-6);
        let number = |value: &Value| value[0].as_f64().unwrap();
        let patterns = graph["patterns"].as_array().unwrap();
        let sum: f64 = patterns.iter().map(|p| number(&p["effect"]["gradient"])).sum();
        let difference = number(&graph["prediction"]) - number(&graph["absent"]);
        // The integral's own error is said, and small.
        let gap = number(&graph["gradients"]["gap"]);
        assert!((sum - difference - gap).abs() < 1e-5, "{sum} {difference} {gap}");
        assert!(gap.abs() < 0.05 * difference.abs(), "{gap} {difference}");
    }
    // Two squares are not there, two triangles are.
    let triangles = &graphs[2]["patterns"][0];
    assert_eq!((&triangles["pattern"], &triangles["total"]), (&0.into(), &2.into()));
    assert_eq!(triangles["occurrences"][0]["vertices"], serde_json::json!([0, 1, 2]));

    let ran = expect(1, at, "explain run/model.gsn new.csv -o pictures --limit 1 --top 2");
    assert!(
        ran.out.contains("row 0 C1CCCC1C: y ") && ran.out.contains("one cycle:"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("2 occurrences, 1 of them looked at"), "{}", ran.out);
    assert!(ran.err.contains("3 graphs explained") && ran.err.contains("row 1: "), "{}", ran.err);
    assert!(!at.join("pictures/row-1.svg").exists());
    let svg = text(at.join("pictures/row-3.svg"));
    assert!(
        svg.starts_with("<svg ") && svg.contains("cycle:3") && svg.contains("removal "),
        "{svg}"
    );
    let kept: Value = serde_json::from_str(&text(at.join("pictures/explanation.json"))).unwrap();
    assert_eq!(
        (&kept["limit"], &kept["graphs"][2]["patterns"][0]["total"]),
        (&1.into(), &2.into())
    );
    let one = expect(0, at, "explain run/model.gsn C1CCCC1C -o one.svg -q");
    assert_eq!(one.out.lines().next().unwrap().split(':').next(), Some("row 0 C1CCCC1C"));
    assert!(text(at.join("one.svg")).ends_with("</svg>\n"));

    for (line, reason) in [
        ("explain run/model.gsn new.csv -o pictures", "is there already"),
        ("explain run/model.gsn new.csv -o all.svg", "give a folder"),
        ("explain run/model.gsn new.csv -o all.png", ".png is no output"),
        ("explain run/model.gsn new.csv --target z", "the model predicts y"),
        ("explain run/model.gsn nothing.csv", "nothing.csv"),
        ("explain new.csv new.csv", "new.csv"),
    ] {
        let ran = expect(2, at, line);
        assert!(ran.err.contains(reason), "{line}: {}", ran.err);
    }
    assert!(!at.join("all.svg").exists());
}

#[test]
fn classes_choose_the_one_predicted_and_plain_models_have_nothing_to_explain() {
    let folder = folder(&[("train.csv", rows().as_bytes())]);
    let at = folder.path();
    let train = "train train.csv --target kind --set training.epochs=1 -q";
    expect(0, at, &format!("{train} --patterns cycle:5 --out run"));
    let ran = expect(0, at, "explain run/model.gsn C1CCCC1C CCC -q");
    assert!(ran.out.contains(": kind=") && ran.out.contains("  no pattern occurs"), "{}", ran.out);
    let ran = expect(0, at, "explain run/model.gsn C1CCCC1C -q --target kind=ether");
    assert!(ran.out.contains(": kind=ether "), "{}", ran.out);
    expect(0, at, &format!("{train} --set counts=false --set network.kind=mpnn --out plain"));
    let ran = expect(2, at, "explain plain/model.gsn CCO");
    assert!(ran.err.contains("counts no patterns, so there is nothing to explain"), "{}", ran.err);
}
