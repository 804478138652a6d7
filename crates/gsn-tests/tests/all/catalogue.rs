//! The catalogue against the benchmark data.

use super::{repository_store, store};
use gsn_lab::catalogue::{Entry, Store, entries};
use gsn_lab::{Dataset, Splits, Task};
use gsn_nn::Features;
use gsn_nn::config::Data;
use std::path::Path;

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

/// Checks every set of the catalogue whose files are in `folder`.
fn check_all(store: &Store, folder: &str) {
    let inside = |entry: &&Entry| Path::new(&entry.files[0].path).starts_with(folder);
    let sets: Vec<_> = entries().iter().filter(inside).collect();
    assert!(!sets.is_empty(), "{folder}");
    sets.iter().for_each(|entry| check(&store.load(&entry.name).unwrap()));
}

#[test]
fn strongly_regular_graphs_and_brec_are_what_the_catalogue_says() {
    check_all(&repository_store(), "sr");
    check_all(&repository_store(), "brec");
}

#[test]
#[cfg_attr(not(data = "cexp"), ignore = "needs cexp in GSN_DATA")]
fn cexp_is_what_the_catalogue_says() {
    check_all(&store(), "cexp");
}

#[test]
#[cfg_attr(not(data = "csl"), ignore = "needs csl in GSN_DATA")]
fn csl_is_what_the_catalogue_says() {
    check_all(&store(), "csl");
}

#[test]
#[cfg_attr(not(data = "exp"), ignore = "needs exp in GSN_DATA")]
fn exp_is_what_the_catalogue_says() {
    check_all(&store(), "exp");
}

#[test]
#[cfg_attr(not(data = "graph8c"), ignore = "needs graph8c in GSN_DATA")]
fn graph8c_is_what_the_catalogue_says() {
    check_all(&store(), "graph8c");
}

#[test]
#[cfg_attr(not(data = "ogbg-molhiv"), ignore = "needs ogbg-molhiv in GSN_DATA")]
fn ogbg_molhiv_is_what_the_catalogue_says() {
    check_all(&store(), "ogbg-molhiv");
}

#[test]
#[cfg_attr(not(data = "tud"), ignore = "needs tud in GSN_DATA")]
fn tud_is_what_the_catalogue_says() {
    check_all(&store(), "tud");
}

#[test]
#[cfg_attr(not(data = "zinc12k"), ignore = "needs zinc12k in GSN_DATA")]
fn zinc12k_is_what_the_catalogue_says() {
    check_all(&store(), "zinc12k");
}

#[test]
#[cfg_attr(not(data = "tud"), ignore = "needs tud in GSN_DATA")]
fn tags_and_classes_are_numbered_as_they_appear() {
    let set = store().load("MUTAG").unwrap();
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
#[cfg_attr(not(data = "zinc12k"), ignore = "needs zinc12k in GSN_DATA")]
fn features_of_arcs_follow_the_arcs() {
    let set = store().load("zinc").unwrap();
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
fn pairs_of_brec_have_categories() {
    let brec = repository_store().graphs("BREC").unwrap();
    assert_eq!(brec.categories[4], "cfi");
    let cfi: Vec<_> = brec.pairs.iter().filter(|pair| pair.category == 4).collect();
    assert_eq!((cfi.len(), cfi[0].first, cfi[0].second), (100, 520, 521));
    assert!(brec.classes.is_none());
}

#[test]
#[cfg_attr(not(data = "exp"), ignore = "needs exp in GSN_DATA")]
fn pairs_of_exp_have_classes() {
    let exp = store().graphs("EXP").unwrap();
    assert_eq!(exp.pairs.len(), 600);
    assert_eq!(exp.classes.unwrap()[..2], [0, 1]);
}

#[test]
#[cfg_attr(not(data = "csl"), ignore = "needs csl in GSN_DATA")]
fn skip_link_graphs_have_classes() {
    assert_eq!(store().graphs("CSL").unwrap().classes.unwrap()[149], 9);
}
