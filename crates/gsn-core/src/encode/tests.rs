//! What encoders promise: equal counts get equal codes, unseen values go where they should, and
//! a stored encoder is the same encoder.

use super::*;
use proptest::prelude::*;

const ALL: [Encoding; 8] = [
    Encoding::OneHot,
    Encoding::OneHotMax,
    Encoding::Raw,
    Encoding::Standardise,
    Encoding::Log1p,
    Encoding::Bins { count: 4 },
    Encoding::Embedding { width: None },
    Encoding::Embedding { width: Some(8) },
];

fn fit(encoding: Encoding, unseen: Unseen, table: &[u64]) -> CountEncoder {
    CountEncoder::fit_tables(["a", "b"], [table], encoding, unseen).unwrap()
}

fn categories(encoder: &CountEncoder, values: &[u64]) -> (Vec<u32>, u64) {
    let encoded = encoder.encode(values).unwrap();
    match encoded.codes {
        Codes::Categories(codes) => (codes, encoded.unseen),
        Codes::Values(_) => panic!("numbers"),
    }
}

/// Codes as numbers, whatever they are.
fn codes(encoder: &CountEncoder, values: &[u64]) -> Vec<f64> {
    match encoder.encode(values).unwrap().codes {
        Codes::Categories(codes) => codes.into_iter().map(f64::from).collect(),
        Codes::Values(codes) => codes,
    }
}

fn rows() -> impl Strategy<Value = Vec<u64>> {
    let value = prop_oneof![4 => 0u64..6, 2 => 0u64..2000, 1 => 0u64..900_000];
    prop::collection::vec((value.clone(), value), 1..40)
        .prop_map(|rows| rows.into_iter().flat_map(|(a, b)| [a, b]).collect())
}

proptest! {
    #[test]
    fn codes_follow_the_counts(table in rows(), encoding in prop::sample::select(&ALL)) {
        let encoder = fit(encoding, Unseen::Unknown, &table);
        let codes = codes(&encoder, &table);
        prop_assert_eq!(encoder.encode(&table).unwrap().unseen, 0);
        let bins = matches!(encoding, Encoding::Bins { .. });
        for column in 0..2 {
            for i in (column..table.len()).step_by(2) {
                for j in (column..table.len()).step_by(2) {
                    match table[i].cmp(&table[j]) {
                        std::cmp::Ordering::Equal => prop_assert_eq!(codes[i], codes[j]),
                        std::cmp::Ordering::Less if bins => prop_assert!(codes[i] <= codes[j]),
                        std::cmp::Ordering::Less => prop_assert!(codes[i] < codes[j]),
                        std::cmp::Ordering::Greater => {}
                    }
                }
            }
        }
        if let Some(sizes) = encoder.sizes() {
            prop_assert!(codes.chunks(2).all(|r| r[0] < sizes[0] as f64 && r[1] < sizes[1] as f64));
        }
    }

    #[test]
    fn a_fit_does_not_depend_on_order_or_cut(
        table in rows(),
        encoding in prop::sample::select(&ALL),
        cut in 0usize..40,
    ) {
        let backwards: Vec<u64> = table.chunks(2).rev().flatten().copied().collect();
        let (left, right) = backwards.split_at((2 * cut).min(backwards.len()));
        let again = CountEncoder::fit_tables(["a", "b"], [left, right], encoding, Unseen::Unknown);
        prop_assert_eq!(again.unwrap(), fit(encoding, Unseen::Unknown, &table));
    }

    #[test]
    fn a_stored_encoder_is_the_same(
        table in rows(),
        other in rows(),
        encoding in prop::sample::select(&ALL),
    ) {
        for unseen in [Unseen::Unknown, Unseen::Nearest] {
            let encoder = fit(encoding, unseen, &table);
            let text = serde_json::to_string(&encoder).unwrap();
            let back: CountEncoder = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(&back, &encoder);
            prop_assert_eq!(back.encode(&other), encoder.encode(&other));
        }
    }

    #[test]
    fn unseen_values_go_where_promised(table in rows(), other in rows()) {
        let seen = |column: usize, value: u64| {
            table.iter().skip(column).step_by(2).any(|&v| v == value)
        };
        let strange = other.iter().enumerate().filter(|&(i, &v)| !seen(i % 2, v)).count() as u64;
        let known = fit(Encoding::OneHot, Unseen::Unknown, &table);
        let near = fit(Encoding::OneHot, Unseen::Nearest, &table);
        let sizes = near.sizes().unwrap();
        prop_assert_eq!(known.sizes().unwrap(), [sizes[0] + 1, sizes[1] + 1]);
        let (in_slot, n) = categories(&known, &other);
        let (to_near, m) = categories(&near, &other);
        prop_assert_eq!((n, m), (strange, strange));
        for (i, &value) in other.iter().enumerate() {
            let mut values: Vec<u64> = table.iter().skip(i % 2).step_by(2).copied().collect();
            values.sort_unstable();
            values.dedup();
            if seen(i % 2, value) {
                prop_assert_eq!(in_slot[i], to_near[i]);
                prop_assert_eq!(values[in_slot[i] as usize], value);
            } else {
                prop_assert_eq!(in_slot[i] as usize, values.len());
                let best = values.iter().map(|v| v.abs_diff(value)).min().unwrap();
                let first = values.iter().position(|v| v.abs_diff(value) == best).unwrap();
                prop_assert_eq!(to_near[i] as usize, first);
            }
        }
        let strict = fit(Encoding::OneHot, Unseen::Error, &table).encode(&other);
        prop_assert_eq!(strict.is_err(), strange > 0);
    }

    #[test]
    fn bins_hold_about_equally_many_rows(values in prop::collection::vec(0u64..10_000, 1..200)) {
        let encoding = Encoding::Bins { count: 4 };
        let encoder = CountEncoder::fit_tables(["a"], [values.as_slice()], encoding, Unseen::Error).unwrap();
        let (codes, _) = categories(&encoder, &values);
        let size = encoder.sizes().unwrap()[0];
        prop_assert!((1..=4).contains(&size));
        // Every bin has somebody in it, and without its largest value at most a quarter.
        for bin in 0..size {
            let inside: Vec<u64> =
                codes.iter().zip(&values).filter(|c| *c.0 as usize == bin).map(|c| *c.1).collect();
            let most = inside.iter().max();
            prop_assert!(most.is_some(), "bin {} of {} is empty", bin, size);
            let rest = inside.iter().filter(|v| Some(*v) != most).count();
            prop_assert!(4 * rest < values.len() + 4, "{} of {}", rest, values.len());
        }
    }
}

#[test]
fn the_paper_setting_has_no_slot_for_unseen_values() {
    let encoder = fit(Encoding::OneHot, Unseen::Nearest, &[0, 7, 3, 7, 3, 9]);
    assert_eq!(encoder.sizes(), Some(vec![2, 2]));
    let max = fit(Encoding::OneHotMax, Unseen::Nearest, &[0, 7, 3, 7, 3, 9]);
    assert_eq!(max.sizes(), Some(vec![4, 10]));
    assert_eq!(categories(&max, &[5, 5]), (vec![3, 5], 1));
    let slot = fit(Encoding::OneHotMax, Unseen::Unknown, &[0, 7, 3, 7, 3, 9]);
    assert_eq!(slot.sizes(), Some(vec![5, 11]));
    assert_eq!(categories(&slot, &[5, 50]), (vec![4, 10], 2));
}

#[test]
fn numbers_are_what_they_say() {
    let table = [2, 1, 4, 1, 6, 1];
    assert_eq!(codes(&fit(Encoding::Raw, Unseen::Error, &table), &[9, 2]), [9.0, 2.0]);
    let log = codes(&fit(Encoding::Log1p, Unseen::Error, &table), &[0, 1]);
    assert_eq!(log, [0.0, 2f64.ln()]);
    // Mean 4, deviation √(8/3); a constant column is only shifted.
    let scaled = codes(&fit(Encoding::Standardise, Unseen::Error, &table), &[6, 2]);
    assert!((scaled[0] - 2.0 / (8f64 / 3.0).sqrt()).abs() < 1e-12);
    assert_eq!(scaled[1], 1.0);
}

#[test]
fn counts_are_fitted_as_their_tables_are() {
    let spec = crate::CountSpec::new("cycle:3..=6, path:2..=4".parse().unwrap());
    let graphs: Vec<Graph> =
        (0..20).map(|seed| crate::generate::erdos_renyi(12, 0.3, seed).unwrap()).collect();
    let counts = crate::Counter::new(&spec).count_many(&graphs).unwrap();
    let columns = spec.columns();
    for encoding in ALL {
        let names = columns.iter().map(|column| column.name());
        let tables = counts.iter().map(|counts| counts.values());
        let by_tables = CountEncoder::fit_tables(names, tables, encoding, Unseen::Unknown);
        assert_eq!(CountEncoder::fit(&counts, encoding, Unseen::Unknown), by_tables);
    }
    let other = crate::CountSpec::new("cycle:3".parse().unwrap());
    let other = crate::Counter::new(&other).count(&graphs[0]).unwrap();
    let mixed = CountEncoder::fit(&[&counts[0], &other], Encoding::Raw, Unseen::Error);
    assert_eq!(mixed, Err(EncodeError::Columns { graph: 1 }));
    let none: [crate::Counts; 0] = [];
    assert!(CountEncoder::fit(&none, Encoding::OneHot, Unseen::Unknown).is_err());
}

#[test]
fn contradictions_are_named() {
    let empty: [&[u64]; 0] = [];
    let nothing = CountEncoder::fit_tables(["a"], empty, Encoding::OneHot, Unseen::Nearest);
    assert!(matches!(nothing, Err(EncodeError::Nothing { .. })));
    let slot = CountEncoder::fit_tables(["a"], empty, Encoding::OneHot, Unseen::Unknown).unwrap();
    assert_eq!(slot.sizes(), Some(vec![1]));
    assert_eq!(categories(&slot, &[4]), (vec![0], 1));
    let ragged =
        CountEncoder::fit_tables(["a", "b"], [&[1, 2, 3][..]], Encoding::Raw, Unseen::Error);
    assert_eq!(ragged, Err(EncodeError::Shape { columns: 2, length: 3 }));
    let large =
        CountEncoder::fit_tables(["a"], [&[1 << 40][..]], Encoding::OneHotMax, Unseen::Error);
    assert!(matches!(large, Err(EncodeError::Large { value, .. }) if value == 1 << 40));
    let strict =
        CountEncoder::fit_tables(["cycle:6/v0"], [&[0, 2][..]], Encoding::OneHot, Unseen::Error);
    let error = strict.unwrap().encode(&[1]).unwrap_err().to_string();
    assert!(error.contains("cycle:6/v0") && error.contains(": 1 "), "{error}");
}

#[test]
fn damaged_encoders_are_refused() {
    let good = fit(Encoding::OneHot, Unseen::Nearest, &[0, 1, 2, 3]);
    let text = serde_json::to_string(&good).unwrap();
    for (from, to) in [
        ("[0,2]", "[2,0]"),
        ("[0,2]", "[]"),
        ("one-hot", "raw"),
        ("one-hot", "one-hat"),
        ("\"a\",", ""),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        let damaged = text.replacen(from, to, 1);
        assert!(serde_json::from_str::<CountEncoder>(&damaged).is_err(), "{damaged}");
    }
}

#[test]
fn texts_name_encodings_and_back() {
    for encoding in ALL {
        assert_eq!(encoding.to_string().parse(), Ok(encoding));
    }
    for wrong in ["", "bins", "bins:", "bins:0", "bins:-1", "embedding:x", "One-Hot"] {
        assert!(wrong.parse::<Encoding>().is_err(), "{wrong}");
    }
}
