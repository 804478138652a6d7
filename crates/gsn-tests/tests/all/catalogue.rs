//! The catalogue against the benchmark data.

use super::{lines, store};
use gsn_lab::catalogue::{Entry, Store, entries};
use gsn_lab::{Dataset, Splits, Task};
use gsn_nn::Features;
use gsn_nn::config::Data;
use gsn_tests::benchmarks;
use std::io::Write;
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
fn carried_sets_are_what_the_catalogue_says() {
    for folder in ["sr", "brec", "csl", "zinc12k", "tud/MUTAG"] {
        check_all(&Store::carried(), folder);
    }
}

/// Fails unless the program carries exactly the sets in this folder of `GSN_DATA`.
fn equals_the_files(name: &str) {
    let (ours, theirs) = (Store::carried().load(name).unwrap(), store().load(name).unwrap());
    assert_eq!(ours.samples.len(), theirs.samples.len());
    let differ = ours.samples.iter().zip(&theirs.samples).position(|(ours, theirs)| ours != theirs);
    assert_eq!(differ, None, "{name}");
    assert_eq!((ours.name, ours.task, ours.splits), (theirs.name, theirs.task, theirs.splits));
    assert_eq!((ours.target_names, ours.vertex), (theirs.target_names, theirs.vertex));
    assert_eq!((ours.arc, ours.licence), (theirs.arc, theirs.licence));
    let (ours, theirs) = (Store::carried().graphs(name).unwrap(), store().graphs(name).unwrap());
    assert_eq!((ours.pairs, ours.categories), (theirs.pairs, theirs.categories));
}

#[test]
#[cfg_attr(not(data = "brec"), ignore = "needs brec in GSN_DATA")]
fn the_carried_brec_equals_its_files() {
    equals_the_files("BREC");
}

#[test]
#[cfg_attr(not(data = "csl"), ignore = "needs csl in GSN_DATA")]
fn the_generated_csl_equals_its_files() {
    equals_the_files("CSL");
}

#[test]
#[cfg_attr(not(data = "sr"), ignore = "needs sr in GSN_DATA")]
fn the_carried_strongly_regular_graphs_equal_their_files() {
    for entry in entries().iter().filter(|entry| entry.name.starts_with("sr")) {
        equals_the_files(&entry.name);
    }
}

#[test]
#[cfg_attr(not(data = "tud"), ignore = "needs tud in GSN_DATA")]
fn the_carried_mutag_equals_its_files() {
    equals_the_files("MUTAG");
}

#[test]
#[cfg_attr(not(data = "zinc12k"), ignore = "needs zinc12k in GSN_DATA")]
fn zinc_rebuilt_from_smiles_equals_its_files() {
    equals_the_files("ZINC-12k");
}

/// The archive that OGB serves, made from the text: one packed file for every column.
fn archive(path: &Path) {
    let text = lines(&benchmarks().join("ogbg-molhiv/molhiv_graphs.txt.gz")).collect::<Vec<_>>();
    let mut columns = [const { String::new() }; 6];
    let [orders, sizes, labels, atoms, ends, bonds] = &mut columns;
    let mut rows = text.iter().skip(1);
    while let Some(head) = rows.next() {
        let head: Vec<&str> = head.split(' ').collect();
        for (column, number) in [&mut *orders, &mut *sizes, &mut *labels].into_iter().zip(&head) {
            *column += &format!("{number}\n");
        }
        for row in rows.by_ref().take(head[0].parse().unwrap()) {
            *atoms += &format!("{}\n", row.replace(' ', ","));
        }
        for row in rows.by_ref().take(head[1].parse().unwrap()) {
            let row: Vec<&str> = row.split(' ').collect();
            *ends += &format!("{}\n", row[..2].join(","));
            *bonds += &format!("{}\n", row[2..].join(","));
        }
    }
    let split = |part: &str| {
        std::fs::read_to_string(benchmarks().join(format!("ogbg-molhiv/{part}_idx-0.txt"))).unwrap()
    };
    let [orders, sizes, labels, atoms, ends, bonds] = columns;
    let mut zip = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    for (name, text) in [
        ("mapping/mol", "HIV_active,smiles,mol_id\n".to_owned()),
        ("raw/num-node-list", orders),
        ("raw/num-edge-list", sizes),
        ("raw/graph-label", labels),
        ("raw/node-feat", atoms),
        ("raw/edge", ends),
        ("raw/edge-feat", bonds),
        ("split/scaffold/train", split("train")),
        ("split/scaffold/valid", split("val")),
        ("split/scaffold/test", split("test")),
    ] {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(format!("hiv/{name}.csv.gz"), options).unwrap();
        let mut packed = flate2::write::GzEncoder::new(&mut zip, flate2::Compression::fast());
        packed.write_all(text.as_bytes()).unwrap();
        packed.finish().unwrap();
    }
    zip.finish().unwrap();
}

#[test]
#[cfg_attr(not(data = "ogbg-molhiv"), ignore = "needs ogbg-molhiv in GSN_DATA")]
fn molhiv_in_the_archive_of_ogb_equals_its_text() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("ogbg-molhiv")).unwrap();
    archive(&folder.path().join("ogbg-molhiv/hiv.zip"));
    let ours = Store::at(folder.path()).load("ogbg-molhiv").unwrap();
    let theirs = store().load("ogbg-molhiv").unwrap();
    assert!(ours.samples == theirs.samples && ours.splits == theirs.splits);
    assert!(ours.licence.contains("snap.stanford.edu"), "{}", ours.licence);
}

#[test]
#[cfg_attr(not(data = "cexp"), ignore = "needs cexp in GSN_DATA")]
fn cexp_is_what_the_catalogue_says() {
    check_all(&store(), "cexp");
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
fn tags_and_classes_are_numbered_as_they_appear() {
    let set = Store::carried().load("MUTAG").unwrap();
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
    let set = Store::carried().load("zinc").unwrap();
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
    let brec = Store::carried().graphs("BREC").unwrap();
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
fn skip_link_graphs_have_classes() {
    assert_eq!(Store::carried().graphs("CSL").unwrap().classes.unwrap()[149], 9);
}
