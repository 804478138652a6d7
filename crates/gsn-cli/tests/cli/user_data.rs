//! `gsn train` on own data, `gsn predict` and `gsn sweep`.

use super::{expect, folder, names, text};
use std::path::Path;

/// Rings and chains with a number, a yes or no and a class; the last row is no molecule.
pub(super) fn molecules() -> String {
    let mut table = String::from("smiles,size,ring,kind\n");
    for (at, tail) in ["", "C", "CC", "O", "N", "CO", "CN", "CCl"].repeat(4).iter().enumerate() {
        let size = at as f64 / 4.0 + 0.1;
        table += &format!("C1CCCC1{tail},{size},1,ring\nCCCCC{tail},-{size},0,chain\n");
    }
    table + "C1CC,1.5,1,ring\n"
}

const QUICK: &str =
    "--set training.epochs=2 --set network.width=8 --set network.layers=2 --seeds 1";

fn lines(path: impl AsRef<Path>) -> Vec<Vec<String>> {
    text(path).lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn a_table_is_trained_on_and_its_model_predicts() {
    let folder = folder(&[("m.csv", molecules().as_bytes())]);
    let here = folder.path();
    for (target, columns) in [("size", 4), ("ring", 4), ("kind", 6)] {
        let run = format!("run-{target}");
        let ran = expect(1, here, &format!("train m.csv --target {target} {QUICK} --out {run}"));
        assert!(ran.err.contains("left out: 1 row"), "{}", ran.err);
        assert!(names(&here.join(&run)).contains(&"own.json".to_owned()));
        assert!(text(here.join(&run).join("rejected.csv")).contains("64,66,C1CC,"));
        let ran = expect(1, here, &format!("predict {run}/model.gsn m.csv -o {target}.csv --json"));
        let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!((&json["rows"], &json["failed"]), (&65.into(), &1.into()));
        let table = lines(here.join(format!("{target}.csv")));
        assert_eq!(table.len(), 66);
        assert!(table.iter().all(|row| row.len() == columns), "{table:?}");
        assert_eq!(table[0][..2], ["row", target]);
        assert!((1..66).all(|at| table[at][0] == (at - 1).to_string()));
        assert!(!table[65].last().unwrap().is_empty() && table[65][1].is_empty());
        // Any batch size and number of threads, byte for byte.
        let first = text(here.join(format!("{target}.csv")));
        for more in ["--batch 1", "--batch 7 --threads 1"] {
            expect(1, here, &format!("predict {run}/model.gsn m.csv -o again.csv {more}"));
            assert_eq!(text(here.join("again.csv")), first, "{target} {more}");
        }
    }
    expect(1, here, "predict run-kind/model.gsn m.csv -o kind.parquet");
    let kinds = lines(here.join("kind.csv"));
    assert!(kinds[1..65].iter().all(|row| row[1] == "ring" || row[1] == "chain"));
}

#[test]
fn a_comparison_of_pairs_lists_the_rows_it_left_out() {
    let recipe = r#"
        protocol = { separation = { threshold = 0.001 } }
        data.set = "m.csv"
        counts = { patterns = "cycle:5", scope = "vertex", matching = "induced" }
        network = { kind = "gsn", layers = 2, width = 8, readout = "sum" }
    "#;
    let folder = folder(&[("m.csv", molecules().as_bytes()), ("pairs.toml", recipe.as_bytes())]);
    let here = folder.path();
    let ran = expect(1, here, "train pairs.toml --target size --out run --json");
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json["pairs"], 64 * 63 / 2);
    assert!(text(here.join("run/rejected.csv")).contains("64,66,C1CC,"));
}

#[test]
fn a_good_file_ends_with_zero_and_a_bad_model_with_a_reason() {
    let good = molecules().replace("C1CC,1.5,1,ring\n", "");
    let folder = folder(&[("m.csv", good.as_bytes())]);
    let here = folder.path();
    expect(0, here, &format!("train m.csv --target size {QUICK} --out run -q"));
    let ran = expect(0, here, "predict run/model.gsn m.csv");
    assert_eq!(ran.out.lines().count(), 65);
    let ran = expect(2, here, "predict m.csv m.csv");
    assert!(ran.err.contains("is not a gsn model file"), "{}", ran.err);
    let mut bytes = std::fs::read(here.join("run/model.gsn")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(here.join("bad.gsn"), &bytes).unwrap();
    let ran = expect(2, here, "predict bad.gsn m.csv -o out.csv");
    assert!(ran.err.contains("damaged"), "{}", ran.err);
    bytes.truncate(middle);
    std::fs::write(here.join("bad.gsn"), &bytes).unwrap();
    let ran = expect(2, here, "predict bad.gsn m.csv -o out.csv");
    assert!(ran.err.contains("cut short"), "{}", ran.err);
    assert!(!here.join("out.csv").exists());
    expect(2, here, "predict run/model.gsn m.csv -o out.npz");
    expect(2, here, "predict run/model.gsn m.csv -o m.csv");
    expect(2, here, "train m.csv --target nothing");
    expect(2, here, "train m.csv");
}

#[test]
fn the_chosen_recipe_can_be_saved_and_used() {
    let folder = folder(&[("m.csv", molecules().as_bytes())]);
    let here = folder.path();
    expect(0, here, &format!("train m.csv --target size {QUICK} --save-recipe mine.toml"));
    assert!(text(here.join("mine.toml")).contains("cycle:3..=8"));
    expect(1, here, "train mine.toml --target size --out one -q");
    expect(1, here, &format!("train m.csv --target size {QUICK} --out two -q"));
    let predicted = |run: &str| {
        expect(1, here, &format!("predict {run}/model.gsn m.csv -o {run}.csv"));
        text(here.join(format!("{run}.csv")))
    };
    assert_eq!(predicted("one"), predicted("two"));
}

#[test]
fn sweeps_list_their_cells_and_name_mistakes() {
    let sweep = "recipe = 'zinc-mpnn'\n[axes]\nfraction = [0.5, 1.0]\n\
                 [set]\n'data.fraction' = '{fraction}'\n";
    let wrong = sweep.replace("data.fraction", "data.share");
    let folder = folder(&[("s.toml", sweep.as_bytes()), ("w.toml", wrong.as_bytes())]);
    let ran = expect(0, folder.path(), "sweep s.toml --list");
    assert_eq!(ran.out, "fraction=0.5\nfraction=1.0\n");
    let ran = expect(2, folder.path(), "sweep w.toml --list");
    assert!(ran.err.contains("share"), "{}", ran.err);
    assert_eq!(names(folder.path()), ["s.toml", "w.toml"]);
}
