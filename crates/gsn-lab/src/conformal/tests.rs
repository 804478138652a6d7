//! Exactness on small cases, and coverage on rows drawn from one distribution.

use super::*;
use gsn_core::random::Random;

fn level(share: f64) -> Level {
    share.try_into().unwrap()
}

fn number(x: f64) -> Said {
    Said { numbers: vec![x], spread: None }
}

/// A calibration of one number with these errors.
fn calibration(errors: &[f64]) -> Calibration {
    let said = number(0.0);
    let truths: Vec<[f64; 1]> = errors.iter().map(|&e| [e]).collect();
    let rows: Vec<Judged<'_>> = truths.iter().map(|t| (t.as_slice(), &said)).collect();
    Calibration::new(&Task::Regression(1), Source::KeptApart, &rows, &[])
}

#[test]
fn the_bound_is_the_error_of_the_right_rank() {
    let errors: Vec<f64> =
        (1..=19).map(|i| if i % 2 == 0 { -f64::from(i) } else { i.into() }).collect();
    let known = calibration(&errors);
    // ⌈20·level⌉ of the absolute errors 1, 2, …, 19.
    for (share, expected) in
        [(0.05, 1.0), (0.5, 10.0), (0.51, 11.0), (0.55, 11.0), (0.9, 18.0), (0.95, 19.0)]
    {
        let interval = known.interval(0, level(share), &number(100.0), &[]);
        assert_eq!(interval, Some([100.0 - expected, 100.0 + expected]), "{share}");
    }
    assert_eq!(known.interval(0, level(0.951), &number(0.0), &[]), None, "19 are too few");
    assert_eq!(calibration(&[]).interval(0, level(0.1), &number(0.0), &[]), None);
    assert_eq!((known.too_few(level(0.99)), known.too_few(level(0.9))), (1, 0));
    for (share, least) in [(0.5, 1), (0.8, 4), (0.9, 9), (0.95, 19), (0.99, 99)] {
        assert_eq!(level(share).least(), least, "{share}");
    }
    assert!(Level::try_from(1.0).is_err() && Level::try_from(f64::NAN).is_err());
    assert_eq!(level(0.995).to_string(), "99.5 %");
}

#[test]
fn missing_targets_give_no_error_and_several_are_apart() {
    let said = Said { numbers: vec![1.0, 10.0], spread: None };
    let truths = [[2.0, f64::NAN], [f64::NAN, 13.0], [4.0, 12.0]];
    let rows: Vec<Judged<'_>> = truths.iter().map(|t| (t.as_slice(), &said)).collect();
    let known = Calibration::new(&Task::Regression(2), Source::OutOfFold, &rows, &[]);
    assert_eq!(known.targets[0].sorted, [[1.0, 3.0]]);
    assert_eq!(known.targets[1].sorted, [[2.0, 3.0]]);
}

#[test]
fn members_that_disagree_get_wider_intervals() {
    let said = |x, spread| Said { numbers: vec![x], spread: Some(vec![spread]) };
    let (sure, unsure) = (said(0.0, 1.0), said(0.0, 3.0));
    // Mean error of the rows chosen by: 2. So errors are 3 / (1 + 2) and 10 / (3 + 2).
    let (one, three, ten) = ([1.0], [3.0], [10.0]);
    let chosen: Vec<Judged<'_>> = vec![(&one, &sure), (&three, &unsure)];
    let rows: Vec<Judged<'_>> = vec![(&three, &sure), (&ten, &unsure)];
    let known = Calibration::new(&Task::Regression(1), Source::KeptApart, &rows, &chosen);
    assert_eq!(known.targets[0], Errors { offset: Some(2.0), sorted: vec![vec![1.0, 2.0]] });
    assert_eq!(known.interval(0, level(0.6), &said(7.0, 0.5), &[]), Some([2.0, 12.0]));
}

#[test]
fn sets_hold_the_answers_that_are_likely_enough() {
    let classes = Task::Classes(["a", "b", "c"].map(String::from).into());
    let said = |p: [f64; 3]| Said { numbers: p.to_vec(), spread: None };
    let shares = [said([0.5, 0.25, 0.25]), said([0.25, 0.75, 0.0]), said([0.0, 0.0, 1.0])];
    let truths = [[0.0], [1.0], [2.0]];
    let rows: Vec<Judged<'_>> = truths.iter().map(<[f64; 1]>::as_slice).zip(&shares).collect();
    let known = Calibration::new(&classes, Source::KeptApart, &rows, &[]);
    assert_eq!(known.targets[0].sorted, [[0.0, 0.25, 0.5]]);
    let new = said([0.5, 0.5, 0.0]);
    let set = |share| known.set(&classes, 0, level(share), &new, &[]);
    assert_eq!(set(0.75), Some(vec![true, true, false]));
    assert_eq!(set(0.5), Some(vec![true, false, false]), "the most likely is always in");
    assert_eq!(set(0.8), None);
    let yes = Said { numbers: vec![0.875], spread: None };
    assert_eq!(answers(&Task::Binary(1), 0, &yes), [0.125, 0.875]);
}

/// The errors 1, 2 of the first fold and 3, 4 of the second, whose members say 10 and 20 about a new
/// row: by hand.
#[test]
fn errors_out_of_fold_are_counted_from_what_their_own_members_say() {
    let zero = number(0.0);
    let truths = [[1.0], [-2.0], [3.0], [4.0]];
    let rows = |of: std::ops::Range<usize>| -> Vec<Judged<'_>> {
        truths[of].iter().map(|t| (t.as_slice(), &zero)).collect()
    };
    let folds = vec![(vec![0], rows(0..2)), (vec![1], rows(2..4))];
    let known = Calibration::out_of_fold(&Task::Regression(1), 1, folds);
    let groups = known.groups_of(&[vec![10.0], vec![20.0]]);
    let all = number(15.0);
    // Upper ends 11, 12, 23, 24; lower ends 9, 8, 17, 16, from above: 17, 16, 9, 8.
    let interval = |share| known.interval(0, level(share), &all, &groups);
    assert_eq!(interval(0.8), Some([8.0, 24.0]));
    assert_eq!(interval(0.6), Some([9.0, 23.0]));
    assert_eq!(interval(0.4), Some([15.0, 15.0]), "the mean is always within: 16 to 12 is empty");
    assert_eq!(interval(0.81), None);
    let pooled = known.clone().pooled();
    assert_eq!(pooled.interval(0, level(0.6), &all, &[]), Some([12.0, 18.0]));
    // Two cuts: every row has two errors, and counts once.
    let folds = [0..2, 2..4, 0..2, 2..4].into_iter().enumerate();
    let folds = folds.map(|(at, of)| (vec![at], rows(of))).collect();
    let twice = Calibration::out_of_fold(&Task::Regression(1), 2, folds);
    let groups = twice.groups_of(&[vec![10.0], vec![20.0], vec![10.0], vec![20.0]]);
    assert_eq!(twice.rows(0), 4);
    assert_eq!(twice.interval(0, level(0.6), &all, &groups), Some([9.0, 23.0]));
}

#[test]
fn sets_out_of_fold_count_errors_that_are_smaller() {
    let task = Task::Binary(1);
    let (sure, unsure) = (number(0.75), number(0.5));
    let yes = [1.0];
    let folds: Vec<(Vec<usize>, Vec<Judged<'_>>)> =
        vec![(vec![0], vec![(&yes, &sure); 2]), (vec![1], vec![(&yes, &unsure); 2])];
    let known = Calibration::out_of_fold(&task, 1, folds);
    assert_eq!(known.targets[0].sorted, [[0.25, 0.25], [0.5, 0.5]]);
    let groups = known.groups_of(&[vec![0.75], vec![0.5]]);
    // The error of yes is 0.25 and 0.5: no known error is smaller. That of no is 0.75 and 0.5: two
    // known errors are smaller, those of the first fold.
    let set = |share| known.set(&task, 0, level(share), &number(0.625), &groups);
    assert_eq!(set(0.4), Some(vec![false, true]));
    assert_eq!(set(0.6), Some(vec![true, true]));
}

/// Folds whose members are off by different amounts: new rows are covered as promised, at least.
#[test]
fn intervals_out_of_fold_hold_as_often_as_they_say() {
    let task = Task::Regression(1);
    let mut random = Random::new(5);
    let mut uniform = || random.unit();
    let (mut held, mut all) = (0, 0);
    for _ in 0..300 {
        let shifts: Vec<f64> = (0..5).map(|_| 4.0 * uniform() - 2.0).collect();
        let mut row = || {
            let x = 10.0 * uniform();
            (x, [x - (1.0 - uniform()).ln()])
        };
        let folds: Vec<Vec<(Said, [f64; 1])>> = shifts
            .iter()
            .map(|shift| (0..12).map(|_| row()).map(|(x, y)| (number(x + shift), y)).collect())
            .collect();
        let judged = folds.iter().enumerate().map(|(at, rows)| {
            (vec![at], rows.iter().map(|(said, y)| (y.as_slice(), said)).collect::<Vec<_>>())
        });
        let known = Calibration::out_of_fold(&task, 1, judged.collect());
        for _ in 0..10 {
            let (x, [y]) = row();
            let members: Vec<Vec<f64>> = shifts.iter().map(|shift| vec![x + shift]).collect();
            let said = Said::mean_of(&members).unwrap();
            let [low, high] =
                known.interval(0, level(0.8), &said, &known.groups_of(&members)).unwrap();
            held += u32::from(low <= y && y <= high);
            all += 1;
        }
    }
    let share = f64::from(held) / f64::from(all);
    assert!((0.77..0.9).contains(&share), "{share}");
}

/// 300 times 60 rows to calibrate on and 20 new ones: the share of new rows inside is the level,
/// within a little more than four standard errors, for every level and with members or without.
#[test]
fn intervals_hold_as_often_as_they_say() {
    let task = Task::Regression(1);
    let mut random = Random::new(12);
    let mut uniform = || random.unit();
    for members in [false, true] {
        // A model that is off by a skewed error, larger where its members disagree.
        let mut draw = |n: usize| -> Vec<([f64; 1], Said)> {
            let one = |_| {
                let (spread, x) = (uniform(), 10.0 * uniform());
                let error = -(1.0 - uniform()).ln() * (0.2 + spread);
                let spread = members.then(|| vec![spread]);
                ([x + error], Said { numbers: vec![x], spread })
            };
            (0..n).map(one).collect()
        };
        let chosen = draw(50);
        for share in [0.5, 0.8, 0.9] {
            let mut count = Count::new(&task, level(share));
            let mut last = None;
            for _ in 0..300 {
                let (kept, new) = (draw(60), draw(20));
                let judged = |rows: &'_ [([f64; 1], Said)]| -> Vec<(Vec<f64>, Said)> {
                    rows.iter().map(|(t, s)| (t.to_vec(), s.clone())).collect()
                };
                let (kept, new, chosen) = (judged(&kept), judged(&new), judged(&chosen));
                fn rows(of: &[(Vec<f64>, Said)]) -> Vec<Judged<'_>> {
                    of.iter().map(|(t, s)| (t.as_slice(), s)).collect()
                }
                let known =
                    Calibration::new(&task, Source::KeptApart, &rows(&kept), &rows(&chosen));
                count.add(&known, &rows(&new));
                last = Some(known);
            }
            let coverage = count.finish(&last.unwrap(), &["y".into()]);
            let found = coverage.targets[0].share.unwrap();
            assert!((found - share).abs() < 0.03, "{found} instead of {share}");
        }
    }
}

#[test]
fn many_rows_are_thinned_without_looking_at_their_errors() {
    let errors: Vec<f64> = (0..30_000).map(f64::from).collect();
    let known = calibration(&errors);
    assert_eq!(known.rows(0), MOST);
    let [_, bound] = known.interval(0, level(0.5), &number(0.0), &[]).unwrap();
    assert!((bound - 15_000.0).abs() < 1_000.0, "{bound}");
}
