//! Files of one and of several members, and files that the first format wrote.

use super::*;
use crate::conformal::{Calibration, Errors, Source};
use crate::predict::{Predictor, Tally};
use gsn_io::GraphSource;
use serde_json::{Value, json};

/// Written by gsn 0.1.0 with format 1: `gsn train m.csv --target y` on 84 chains and rings.
const OLD: &[u8] = include_bytes!("../../../../tests/golden/models/format-1.gsn");

fn predictions(file: &ModelFile) -> Vec<crate::ensemble::Said> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("three.csv");
    std::fs::write(&path, "smiles\nCCO\nC1CCCC1\nCCOCC\n").unwrap();
    let predictor = Predictor::new(file.clone()).unwrap();
    let rows = GraphSource::open(&path, &predictor.reader().options(None, None)).unwrap();
    let rows = rows.read_batches(10).next().unwrap().unwrap();
    let answers = predictor.predict(rows, &mut Tally::default());
    answers.into_iter().map(|answer| answer.said.unwrap()).collect()
}

#[test]
fn the_first_format_is_read_and_written_as_before() {
    let file = ModelFile::from_bytes(OLD).unwrap();
    assert_eq!((file.card.name.as_str(), file.members().len()), ("m", 1));
    let said: Vec<f64> = predictions(&file).iter().map(|said| said.numbers[0]).collect();
    assert_eq!(said, [-0.1649820217580245, 0.4068191603432308, 0.24738103709891582]);
    assert!(file.to_bytes().unwrap() == OLD, "one network is written as it always was");
}

#[test]
fn members_come_back_and_are_averaged() {
    let mut file = ModelFile::from_bytes(OLD).unwrap();
    let shifted = |by: f32| {
        let mut member = file.first.clone();
        member.unit = format!("shifted-{by}");
        member.model.params_mut().values_mut().iter_mut().for_each(|x| *x *= 1.0 + by);
        member
    };
    file.others = vec![shifted(0.25), shifted(-0.5)];
    let errors = Errors { offset: None, sorted: vec![vec![0.25, 0.5]] };
    let (source, targets) = (Source::KeptApart, vec![errors]);
    let calibration = Calibration { source, repeats: 1, groups: Vec::new(), targets };
    file.card.calibration = Some(calibration);
    let again = ModelFile::from_bytes(&file.to_bytes().unwrap()).unwrap();
    assert_eq!(again.card, file.card);
    for (a, b) in again.members().zip(file.members()) {
        assert_eq!((&a.unit, &a.pipeline), (&b.unit, &b.pipeline));
        assert_eq!(a.model.params().values(), b.model.params().values());
    }
    let alone = file.members().map(|member| {
        let (first, card) = (member.clone(), file.card.clone());
        predictions(&ModelFile { first, others: Vec::new(), card })
    });
    let alone: Vec<_> = alone.collect();
    for (row, said) in predictions(&again).iter().enumerate() {
        let [a, b, c] = [0, 1, 2].map(|member| alone[member][row].numbers[0]);
        assert_eq!(said.numbers[0].to_bits(), ((a + b + c) / 3.0).to_bits());
        let mean = said.numbers[0];
        let squares: f64 = [a, b, c].iter().map(|x| (x - mean) * (x - mean)).sum();
        assert_eq!(said.spread.as_ref().unwrap()[0], (squares / 2.0).sqrt());
    }
}

#[test]
fn a_member_lost_on_the_way_is_noticed() {
    let mut file = ModelFile::from_bytes(OLD).unwrap();
    file.others = vec![file.first.clone()];
    let bytes = file.to_bytes().unwrap();
    assert!(ModelFile::from_bytes(&bytes[..bytes.len() - 40]).unwrap_err().contains("cut short"));
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 4;
    assert!(ModelFile::from_bytes(&flipped).unwrap_err().contains("damaged"));
    assert_eq!(bytes, file.to_bytes().unwrap(), "the same bytes every time");
}

/// The old file with its network's configuration and its card changed, and a fresh checksum.
fn crafted(change: impl FnOnce(&mut Value, &mut Value)) -> Result<ModelFile, String> {
    let length = u64::from_le_bytes(OLD[..8].try_into().unwrap()) as usize;
    let (text, tensors) = OLD[8..].split_at(length);
    let mut header: Value = serde_json::from_slice(text).unwrap();
    let inner = |key: &str| header["__metadata__"][key].as_str().unwrap().to_owned();
    let mut network: Value = serde_json::from_str(&inner("gsn")).unwrap();
    let mut card = serde_json::from_str::<Value>(&inner("gsn-model")).unwrap()["card"].take();
    change(&mut network["config"], &mut card);
    header["__metadata__"] = json!({ "gsn": network.to_string() });
    let mut text = header.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(8), b' ');
    let mut weights = (text.len() as u64).to_le_bytes().to_vec();
    weights.extend(text);
    weights.extend(tensors);
    ModelFile::from_bytes(&container::pack(&[weights], &card, 1).unwrap())
}

#[test]
fn widths_that_the_tensors_do_not_have_are_refused_before_they_are_allocated() {
    crafted(|_, _| {}).unwrap();
    // Terabytes of parameters, were they believed.
    let wide = crafted(|config, _| config["network"]["layers"][0]["width"] = json!(1 << 20));
    let said = wide.unwrap_err();
    assert!(said.contains("the configuration asks for"), "{said}");
    let wide = crafted(|config, _| config["network"]["layers"][0]["width"] = json!(1u64 << 60));
    assert!(wide.unwrap_err().contains("is not within"));
    let table = crafted(|config, _| {
        let sizes = json!({ "categories": { "sizes": [2_000_000_000] } });
        let vertex = json!({ "data": sizes, "encode": { "embedding": { "width": 1 << 20 } } });
        config["inputs"]["vertex"] = vertex;
    });
    let said = table.unwrap_err();
    assert!(said.contains("lacks the tensor") || said.contains("asks for"), "{said}");
    let numbers = crafted(|config, _| {
        let data = json!({ "values": { "width": u64::MAX } });
        config["inputs"]["vertex"] =
            json!({ "data": data, "encode": { "linear": { "width": 4 } } });
    });
    assert!(numbers.unwrap_err().contains("columns are more than"));
}

#[test]
fn more_layers_than_the_file_has_room_for_are_refused_before_they_are_built() {
    let deep = crafted(|config, _| {
        config["network"] = json!({ "kind": "dgn", "layers": vec![1; 1000], "depth": 1 << 20,
            "aggregators": ["mean"], "scalers": ["identity"] });
    });
    let said = deep.unwrap_err();
    assert!(said.contains("too few for the") && said.contains("pieces"), "{said}");
}

#[test]
fn patterns_of_a_model_open_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "cycle:3\n").unwrap();
    let named = format!("file:{}", secret.display());
    let patterns = |text: String| {
        crafted(move |_, card| card["pipeline"]["counts"]["spec"]["patterns"] = json!(text))
    };
    let said = patterns(named.clone()).unwrap_err();
    assert!(said.contains("patterns that are stored name no files"), "{said}");
    assert!(!said.contains("cycle"), "{said}");
    // The recipe beside it is shown and not followed.
    let shown = crafted(|_, card| {
        let recipe = card["recipe"].as_str().unwrap();
        let set = |line: &str| match line.starts_with("patterns") {
            true => format!("patterns = \"file:{}\"\n", folder.path().join("missing").display()),
            false => format!("{line}\n"),
        };
        card["recipe"] = json!(recipe.lines().map(set).collect::<String>());
    });
    let info = crate::info::ModelInfo::from(shown.unwrap());
    assert!(info.network.is_some_and(|network| network.contains("width")));
}
