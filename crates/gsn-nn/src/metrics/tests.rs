//! Metrics against scikit-learn 1.9.1 and scipy 1.17.1 on numbers that both sides make by the same
//! formulas, against their definitions, and where they are not defined.

use super::{Answers, Metric, Scored};
use crate::error::Error;
use crate::matrix::Matrix;

fn column(x: &[f64]) -> Matrix<f64> {
    Matrix::from_vec(x.len(), 1, x.to_vec()).unwrap()
}

fn scored(answers: Answers, said: &[f64], is: &[f64]) -> Scored {
    Scored::new(answers, &column(said), &column(is)).unwrap()
}

fn check(scored: &Scored, golden: &[(Metric, f64)]) {
    for &(metric, value) in golden {
        let got = scored.metric(metric).unwrap();
        assert!((got - value).abs() < 1e-12, "{}: {got}, not {value}", metric.name());
        assert_eq!(scored.of_target(metric, 0), Some(got), "{}", metric.name());
    }
    assert_eq!(golden.len(), Metric::of_answers(scored.answers()).count());
}

const N: usize = 60;

/// mean_absolute_error, root_mean_squared_error, …, spearmanr; there are ties on both sides.
#[test]
fn numbers_are_measured_as_by_scikit_learn() {
    let said: Vec<f64> = (0..N)
        .map(|i| ((i * 7919 + 13) % 101) as f64 / 101.0)
        .map(|x| (x * 30.0).round_ties_even() / 10.0)
        .collect();
    let is: Vec<f64> =
        said.iter().enumerate().map(|(i, x)| x + ((i * i * 31) % 17) as f64 / 8.0 - 0.5).collect();
    let golden = [
        (Metric::Mae, 0.587_5),
        (Metric::Rmse, 0.705_632_104_333_885),
        (Metric::Mse, 0.497_916_666_666_666_73),
        (Metric::R2, 0.475_507_594_532_989_5),
        (Metric::Spearman, 0.856_608_595_842_029_9),
    ];
    check(&scored(Answers::Numbers, &said, &is), &golden);
}

/// roc_auc_score, average_precision_score, …; the calibration error from calibration_curve with
/// 15 quantile bins.
#[test]
fn questions_are_measured_as_by_scikit_learn() {
    let said: Vec<f64> = (0..N).map(|i| ((i * 37 + 11) % 61) as f64 / 10.0 - 3.0).collect();
    let label = |(i, &z): (usize, &f64)| f64::from(u8::from(z > 1.5 || (i * i * 5 + i) % 7 < 3));
    let is: Vec<f64> = said.iter().enumerate().map(label).collect();
    let golden = [
        (Metric::RocAuc, 0.716_571_428_571_428_6),
        (Metric::PrAuc, 0.827_253_926_341_697_6),
        (Metric::Accuracy, 0.633_333_333_333_333_3),
        (Metric::F1, 0.656_25),
        (Metric::Mcc, 0.276_237_230_992_546_3),
        (Metric::LogLoss, 0.695_796_327_413_140_8),
        (Metric::Calibration, 0.336_663_103_898_756_1),
    ];
    let logits = scored(Answers::Questions, &said, &is);
    check(&logits, &golden);
    let p: Vec<f64> = said.iter().map(|z| 1.0 / (1.0 + (-z).exp())).collect();
    check(
        &Scored::of_probabilities(Answers::Questions, &column(&p), &column(&is)).unwrap(),
        &golden,
    );
}

/// The same for three classes: each against the rest, `average="macro"`.
#[test]
fn classes_are_measured_as_by_scikit_learn() {
    let logit = |i: usize, c: usize| ((i * (353 + 110 * c) + 7 * c) % 997) as f64 / 200.0 - 2.0;
    let said: Vec<f64> = (0..N).flat_map(|i| (0..3).map(move |c| logit(i, c))).collect();
    let said = Matrix::from_vec(N, 3, said).unwrap();
    let best = |i: usize| (0..3).reduce(|a, b| if logit(i, b) > logit(i, a) { b } else { a });
    let class = |i: usize| if i.is_multiple_of(2) { best(i).unwrap() } else { (i * i + i / 3) % 3 };
    let is: Vec<f64> = (0..N).map(|i| class(i) as f64).collect();
    let golden = [
        (Metric::RocAuc, 0.776_345_600_033_019_8),
        (Metric::PrAuc, 0.657_698_396_119_443_8),
        (Metric::Accuracy, 0.716_666_666_666_666_7),
        (Metric::F1, 0.705_997_254_777_742_6),
        (Metric::Mcc, 0.575_447_344_855_122_3),
        (Metric::LogLoss, 0.948_044_200_220_717_4),
        (Metric::Calibration, 0.252_753_752_897_037_6),
    ];
    let logits = Scored::new(Answers::Classes, &said, &column(&is)).unwrap();
    check(&logits, &golden);
    let mut p = said.clone();
    p.data_mut().chunks_exact_mut(3).for_each(|r| Scored::probabilities(Answers::Classes, r));
    check(&Scored::of_probabilities(Answers::Classes, &p, &column(&is)).unwrap(), &golden);
}

/// Against the definitions: pairs for ROC-AUC, thresholds for average precision.
#[test]
fn ranking_metrics_equal_their_definitions() {
    let score = [0.3, 0.3, 0.9, 0.1, 0.5, 0.5, 0.5, 0.2];
    let label = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, f64::NAN];
    let at = |want: f64| (0..7).filter(move |&i| label[i] == want);
    let mut wins = 0.0;
    for i in at(1.0) {
        for j in at(0.0) {
            wins += if score[i] > score[j] {
                1.0
            } else if score[i] == score[j] {
                0.5
            } else {
                0.0
            };
        }
    }
    let scored = scored(Answers::Questions, &score, &label);
    let auc = scored.metric(Metric::RocAuc).unwrap();
    assert!((auc - wins / 12.0).abs() < 1e-15);
    let mut cuts: Vec<f64> = score[..7].to_vec();
    cuts.sort_by(|a, b| b.total_cmp(a));
    cuts.dedup();
    let (mut ap, mut recall) = (0.0, 0.0);
    for c in cuts {
        let hit = at(1.0).filter(|&i| score[i] >= c).count() as f64;
        let all = (0..7).filter(|&i| score[i] >= c).count() as f64;
        ap += (hit / 4.0 - recall) * (hit / all);
        recall = hit / 4.0;
    }
    assert!((scored.metric(Metric::PrAuc).unwrap() - ap).abs() < 1e-15);
}

/// A weight is as many copies of a row, for every metric.
#[test]
fn weights_are_copies() {
    let times = [2usize, 0, 1, 3, 1, 0, 2, 1, 1, 4];
    let said: Vec<f64> = (0..10).map(|i| ((i * 7) % 5) as f64 - 1.8).collect();
    for answers in [Answers::Numbers, Answers::Questions, Answers::Classes] {
        let cols = if answers == Answers::Classes { 3 } else { 1 };
        let is = |i: usize| match answers {
            Answers::Numbers => ((i * 3) % 7) as f64,
            Answers::Questions => ((i * 3) % 2) as f64,
            Answers::Classes => ((i * 2) % 3) as f64,
        };
        let row = |i: usize| (0..cols).map(|c| said[(i + 3 * c) % 10]).collect::<Vec<f64>>();
        let build = |rows: &[usize]| {
            let outputs = rows.iter().flat_map(|&i| row(i)).collect();
            let targets: Vec<f64> = rows.iter().map(|&i| is(i)).collect();
            let outputs = Matrix::from_vec(rows.len(), cols, outputs).unwrap();
            Scored::new(answers, &outputs, &column(&targets)).unwrap()
        };
        let all: Vec<usize> = (0..10).collect();
        let copied: Vec<usize> = all.iter().flat_map(|&i| vec![i; times[i]]).collect();
        let weights = times.map(|n| n as f64);
        let (all, copied) = (build(&all), build(&copied));
        for metric in Metric::of_answers(answers) {
            let (a, b) = (all.weighted(metric, None, &weights), copied.metric(metric));
            let (a, b) = (a.unwrap(), b.unwrap());
            assert!((a - b).abs() < 1e-12, "{}: {a}, {b}", metric.name());
            assert_ne!(all.metric(metric), Some(b), "{} sees no weights", metric.name());
        }
    }
}

#[test]
fn undefined_metrics_are_none() {
    let one_class = scored(Answers::Questions, &[0.1, 0.2], &[1.0, 1.0]);
    for metric in [Metric::RocAuc, Metric::PrAuc, Metric::Mcc] {
        assert_eq!(one_class.metric(metric), None, "{}", metric.name());
    }
    assert_eq!(one_class.metric(Metric::F1), Some(1.0));
    let never = scored(Answers::Questions, &[0.1, 0.2], &[0.0, 0.0]);
    assert_eq!(never.metric(Metric::F1), None);
    let constant = scored(Answers::Numbers, &[0.1, 0.2], &[1.0, 1.0]);
    assert_eq!(constant.metric(Metric::R2), None);
    assert_eq!(constant.metric(Metric::Spearman), None);
    let gaps = scored(Answers::Numbers, &[0.1, 0.2], &[f64::NAN, f64::NAN]);
    assert!(Metric::ALL.iter().all(|&metric| gaps.metric(metric).is_none()));
    let half = scored(Answers::Numbers, &[0.1, 0.2], &[f64::NAN, 0.5]);
    assert_eq!(half.metric(Metric::Mae), Some(0.3));
    assert_eq!(scored(Answers::Numbers, &[f64::NAN], &[1.0]).metric(Metric::Mae), None);
}

#[test]
fn yes_or_no_questions_are_answered_by_the_sign() {
    let said = Matrix::from_vec(2, 2, vec![2.0, -1.0, 0.5, 0.5]).unwrap();
    let is = Matrix::from_vec(2, 2, vec![1.0, 1.0, f64::NAN, 0.0]).unwrap();
    let scored = Scored::new(Answers::Questions, &said, &is).unwrap();
    assert_eq!(scored.metric(Metric::Accuracy), Some(1.0 / 3.0));
    assert_eq!(scored.of_target(Metric::Accuracy, 0), Some(1.0));
    assert_eq!(scored.of_target(Metric::Accuracy, 1), Some(0.0));
    assert_eq!(scored.of_target(Metric::Accuracy, 2), None);
}

#[test]
fn shapes_that_differ_are_refused() {
    let p = column(&[0.1, 0.2]);
    let wide = Matrix::zeros(2, 2);
    for t in [column(&[1.0]), column(&[1.0, 0.0, 1.0]), wide.clone()] {
        for answers in [Answers::Numbers, Answers::Questions, Answers::Classes] {
            let e = Scored::new(answers, &p, &t).err().unwrap();
            assert!(matches!(e, Error::Shape { prediction: (2, 1), .. }), "{e}");
        }
    }
    assert!(Scored::new(Answers::Classes, &wide, &p).is_ok());
}

#[test]
fn better_knows_directions_and_nan() {
    assert!(Metric::Mae.better(0.1, 0.2) && !Metric::Mae.better(0.2, 0.2));
    assert!(Metric::RocAuc.better(0.9, 0.8) && Metric::LogLoss.better(0.8, 0.9));
    assert!(Metric::Mae.better(5.0, f64::NAN) && !Metric::Mae.better(f64::NAN, 5.0));
}
