//! Files of one and of several members, and files that the first format wrote.

use super::*;
use crate::conformal::{Calibration, Errors, Source};
use crate::predict::{Predictor, Tally};
use gsn_io::GraphSource;

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
    assert_eq!(said, [-0.1649820217580245, 0.40681905801860313, 0.24738107430787135]);
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
