//! The catalogue against the benchmark data, where they are on this machine.
#![allow(clippy::print_stdout)] // a skipped test says so

use gsn_lab::catalogue::{Store, entries, find, graphs, load};
use gsn_lab::{Dataset, Splits, Task};
use gsn_nn::Features;
use gsn_nn::config::Data;

/// Whether the set is here; says so if not.
fn is_here(name: &str) -> bool {
    let located = Store::from_env().locate(find(name).unwrap()).map(|_| ());
    if let Err(error) = &located {
        println!("skipped: {error}");
    }
    located.is_ok()
}

/// Categories in range, arcs by row, targets and splits in range: what a network relies on.
fn check(set: &Dataset) {
    let table =
        |features: &Option<Features>, data: &Option<Data>, rows: usize| match (features, data) {
            (None, None) => true,
            (Some(Features::Categories { cols, data }), Some(Data::Categories { sizes })) => {
                *cols == sizes.len()
                    && data.len() == rows * cols
                    && data
                        .chunks_exact(*cols)
                        .all(|row| row.iter().zip(sizes).all(|(&c, &n)| (c as usize) < n))
            }
            _ => false,
        };
    for sample in &set.samples {
        assert!(table(&sample.vertex, &set.vertex, sample.graph.order()), "{}", set.name);
        assert!(table(&sample.arc, &set.arc, sample.graph.arc_count()), "{}", set.name);
        assert_eq!(sample.targets.len(), set.task.targets());
    }
    let folds = match &set.splits {
        Splits::None => &[],
        Splits::Fixed(fold) => std::slice::from_ref(fold),
        Splits::Folds(folds) => &folds[..],
    };
    for fold in folds {
        let mut all = [&fold.train[..], &fold.validation, &fold.test].concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..set.samples.len() as u32), "{}", set.name);
    }
}

#[test]
fn every_set_that_is_here_is_what_the_catalogue_says() {
    for entry in entries() {
        if is_here(&entry.name) {
            check(&load(&entry.name).unwrap());
        }
    }
}

#[test]
fn tags_and_classes_are_numbered_as_they_appear() {
    if !is_here("MUTAG") {
        return;
    }
    let set = load("MUTAG").unwrap();
    assert_eq!(set.task, Task::Classes(vec!["2".into(), "0".into()]));
    assert_eq!(set.samples[0].targets, [0.0]);
    // The first vertex line of the file has tag 2.
    assert_eq!(set.samples[0].graph.vertex_labels().unwrap()[0], 2);
    let Some(Features::Categories { data, .. }) = &set.samples[0].vertex else { panic!() };
    assert_eq!(data[0], 0);
    let Splits::Folds(folds) = &set.splits else { panic!() };
    assert_eq!((folds.len(), folds[0].test.len(), folds[0].test[0]), (10, 18, 109));
}

#[test]
fn features_of_arcs_follow_the_arcs() {
    if !is_here("ZINC-12k") {
        return;
    }
    let set = load("zinc").unwrap();
    let sample = &set.samples[0];
    assert_eq!((sample.graph.order(), sample.graph.edge_count()), (29, 32));
    assert_eq!(sample.targets, [0.8349]);
    // The file says `2 3 2`, `2 28 1`: a double bond to 3, a single one to 28.
    let Some(Features::Categories { data, .. }) = &sample.arc else { panic!() };
    for (u, v, bond) in [(2, 3, 2), (3, 2, 2), (2, 28, 1), (28, 2, 1), (0, 1, 1)] {
        assert_eq!(data[sample.graph.arc_id(u, v).unwrap()], bond);
    }
    assert_eq!(sample.graph.vertex_labels().unwrap()[..2], [6, 8]);
    let Splits::Fixed(fold) = &set.splits else { panic!() };
    assert_eq!((fold.validation[0], fold.test[0]), (10_000, 11_000));
}

#[test]
fn pairs_and_categories() {
    if !is_here("BREC") || !is_here("EXP") || !is_here("CSL") {
        return;
    }
    let brec = graphs("BREC").unwrap();
    assert_eq!(brec.categories[4], "cfi");
    let cfi: Vec<_> = brec.pairs.iter().filter(|pair| pair.category == 4).collect();
    assert_eq!((cfi.len(), cfi[0].first, cfi[0].second), (100, 520, 521));
    assert!(brec.classes.is_none());
    let exp = graphs("EXP").unwrap();
    assert_eq!(exp.pairs.len(), 600);
    assert_eq!(exp.classes.unwrap()[..2], [0, 1]);
    assert_eq!(graphs("CSL").unwrap().classes.unwrap()[149], 9);
}

#[test]
fn a_changed_file_is_refused_and_a_missing_one_named() {
    if !is_here("sr16622") {
        return;
    }
    let entry = find("sr16622").unwrap();
    let from = Store::from_env().locate(entry).unwrap().join(&entry.files[0].path);
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let missing = store.load("sr16622").unwrap_err().to_string();
    assert!(
        missing.contains("not found") && missing.contains("gsn data fetch sr16622"),
        "{missing}"
    );
    std::fs::create_dir(folder.path().join("sr")).unwrap();
    let place = folder.path().join("sr/sr16622.g6");
    std::fs::copy(&from, &place).unwrap();
    assert_eq!(store.load("sr16622").unwrap().samples.len(), 2);
    // The same graphs, one line end more.
    let mut bytes = std::fs::read(&from).unwrap();
    bytes.push(b'\n');
    std::fs::remove_file(&place).unwrap();
    std::fs::write(&place, bytes).unwrap();
    let changed = store.load("sr16622").unwrap_err().to_string();
    assert!(changed.contains("sha256 of") && changed.contains("in the catalogue"), "{changed}");
}

#[test]
fn what_nothing_serves_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let message = Store::at(folder.path()).load("ZINC").unwrap_err().to_string();
    assert!(message.contains("Python pickle") && message.contains("GSN_DATA"), "{message}");
}
