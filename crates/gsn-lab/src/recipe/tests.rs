//! Reading recipes: what is refused, and at which place.

use super::*;
use crate::protocol::Choose;

const MINIMAL: &str = r#"
protocol = { fixed-split = { choose = "last" } }

[data]
set = "ZINC-12k"

[network]
kind = "mpnn"
layers = 2
width = 16
readout = "sum"

[training]
batch = 8
epochs = 3
lr = 0.001
loss = "l1"
metric = "mae"
"#;

fn refused(text: &str) -> String {
    Recipe::parse(text, "mine.toml").unwrap_err().to_string()
}

fn with(line: &str, instead_of: &str) -> String {
    assert!(MINIMAL.contains(instead_of), "{instead_of}");
    MINIMAL.replace(instead_of, line)
}

#[test]
fn a_minimal_recipe_has_defaults() {
    let recipe = Recipe::parse(MINIMAL, "mine").unwrap();
    assert_eq!(recipe.name, "mine");
    assert_eq!(recipe.seeds, Seeds(vec![0]));
    assert_eq!(recipe.protocol, Protocol::FixedSplit { choose: Choose::Last });
    assert!(recipe.counts.is_none() && recipe.published.is_none());
    assert!(recipe.network.norm && !recipe.network.virtual_node);
}

#[test]
fn unknown_keys_show_their_place_and_the_nearest_name() {
    let error = refused(&with("widht = 16", "width = 16"));
    assert!(
        error.starts_with(
            "mine.toml, line 10, column 1: unknown key `widht`; did you mean `width`?"
        ),
        "{error}"
    );
    assert!(error.ends_with("10 | widht = 16\n   | ^^^^^"), "{error}");
    let error = refused(&with("[netwrok]", "[network]"));
    assert!(error.contains("did you mean `network`?") && error.contains("line 7"), "{error}");
    // A value that is not one of the possible ones.
    let error = refused(&with("kind = \"mpn\"", "kind = \"mpnn\""));
    assert!(error.contains("unknown value `mpn`; did you mean `mpnn`?"), "{error}");
    assert!(error.contains("line 8, column 8"), "{error}");
    // Nothing near: the names are listed, none is suggested.
    let error = refused(&with("colour = 1", "width = 16"));
    assert!(error.contains("expected one of `kind`") && !error.contains("did you"), "{error}");
}

#[test]
fn wrong_types_missing_keys_and_bad_toml_show_their_place() {
    let error = refused(&with("width = \"wide\"", "width = 16"));
    assert!(error.contains("line 10, column 9") && error.contains("usize"), "{error}");
    let error = refused(&with("", "set = \"ZINC-12k\""));
    assert!(error.contains("missing key `set`") && error.contains("line 4"), "{error}");
    let error = refused(&with("width = = 16", "width = 16"));
    assert!(error.contains("line 10"), "{error}");
    let error = refused(&MINIMAL[..MINIMAL.find("[training]").unwrap()]);
    assert!(error.contains("missing key `training`"), "{error}");
    assert!(refused("").contains("missing key"));
}

#[test]
fn contradictions_are_named_at_their_key() {
    let counts =
        "[counts]\npatterns = \"cycle:3..=6\"\nscope = \"vertex\"\nmatching = \"induced\"\n";
    let all = |network: &str, more: &str| {
        let text = with(network, "kind = \"mpnn\"\nlayers = 2\nwidth = 16");
        text.replace("[network]", &format!("{more}\n[network]"))
    };
    let gsn = "kind = \"gsn\"\nlayers = 2\nwidth = 16";
    let cases = [
        (all("kind = \"mpnn\"\nlayers = 2\nwidth = 16", counts), "did you mean `gsn`?"),
        (all(&format!("{gsn}\nvirtual-node = true"), counts), "`gsn` has no `virtual-node`"),
        (all(&format!("{gsn}\ninject = \"all\""), ""), "no [counts] to read"),
        (all("kind = \"gsn\"\nwidth = 16", counts), "missing key `layers`"),
        (all("kind = \"deepsets\"\nlayers = 2\nwidth = 16", counts), "`deepsets` has no `layers`"),
        (all("kind = \"ogb\"\nlayers = 2\nwidth = 16", counts), "use `embedding`"),
        (all("kind = \"dgn\"\nlayers = 2\nwidth = 16", counts), "use `raw` or `log1p`"),
        (
            all("kind = \"dgn\"\nlayers = 2\nwidth = 16\naggregators = [\"dir-av\"]", ""),
            "directions come from [counts]",
        ),
        (all("kind = \"dgn\"\nlayers = 2\nwidth = 16\naggregators = [\"dri-av\"]", ""), "`dir-av`"),
        (all("kind = \"gin\"\nlayers = 0\nwidth = 16", ""), "0 leaves no network"),
        (all(&format!("{gsn}\ndropout = 1.0"), ""), "not within 0 <= p < 1"),
        (all(&format!("{gsn}\narc-encoding = \"one-hot\""), ""), "`edge-features` is `none`"),
        (all(&format!("{gsn}\nwalks = 0"), ""), "walks have 1 to"),
        (all(&format!("{gsn}\ncount-totals = true"), ""), "no [counts] to add up"),
        (all(&format!("{gsn}\nedge-states = 0"), ""), "0 leaves no network"),
        (
            all("kind = \"gsn\"\nlayers = 1\nwidth = 4\nedge-states = 8", ""),
            "no second layer to read them",
        ),
        (
            all(&format!("{gsn}\nedge-states = 8\nedge-features = \"all\""), ""),
            "read the states: use `first`",
        ),
        (
            all("kind = \"dgn\"\nlayers = 2\nwidth = 16\nedge-states = 8", ""),
            "`dgn` has no `edge-states`",
        ),
        (
            all("kind = \"dgn\"\nlayers = 2\nwidth = 16\nbeside = [\"max\"]", ""),
            "`dgn` has no `beside`",
        ),
        (all(gsn, &counts.replace("cycle", "cykle")), "cykle"),
        (all(gsn, &format!("{counts}edge-orbits = \"official\"")), "no edge orbits"),
        (all(gsn, &format!("{counts}encoding = \"one-hit\"")), "did you mean `one-hot`?"),
        (
            all("kind = \"ogb\"\nlayers = 1\nwidth = 4", "[degrees]\nuse = \"replace\""),
            "no degrees",
        ),
        (with("lr = -1.0", "lr = 0.001"), "above zero"),
        (with("metric = \"accuracy\"", "metric = \"mae\""), "does not measure"),
        (with("set = \"x\"\nfraction = 0.0", "set = \"ZINC-12k\""), "at most 1"),
        (
            with(
                "protocol = { separation = { threshold = 1.0 } }",
                "protocol = { fixed-split = { choose = \"last\" } }",
            ),
            "trains nothing",
        ),
        (
            with(
                "loss = \"cross-entropy\"\nmetric = \"accuracy\"\n[data2]",
                "loss = \"l1\"\nmetric = \"mae\"",
            ),
            "data2",
        ),
        (format!("seeds = 0\n{MINIMAL}"), "number of seeds"),
        (format!("seeds = [1, 1]\n{MINIMAL}"), "given twice"),
    ];
    for (text, wanted) in cases {
        let error = refused(&text);
        assert!(error.contains(wanted), "wanted {wanted}:\n{error}");
        assert!(error.starts_with("mine.toml, line "), "{error}");
    }
}

#[test]
fn the_place_of_a_contradiction_is_that_of_the_key() {
    let error = refused(&with("width = 16\nvirtual-node = true", "width = 16"));
    assert!(error.starts_with("mine.toml, line 11, column 1: `mpnn` has no"), "{error}");
    assert!(error.ends_with("11 | virtual-node = true\n   | ^^^^^^^^^^^^"), "{error}");
}

#[test]
fn settings_are_checked_like_files() {
    let recipe = |settings: &[&str]| Recipe::find_with("zinc-gsn-ef-100k", settings);
    let changed = recipe(&["network.width=48", "training.lr = 1e-4", "seeds=[4, 5]"]).unwrap();
    assert_eq!((changed.network.width, changed.seeds), (48, Seeds(vec![4, 5])));
    assert_eq!(changed.training.unwrap().lr, 1e-4);
    // A text needs no quotes, a table within a table keeps what is not named.
    let changed = recipe(&["counts.patterns=path:3..=4", "training.schedule.plateau.patience=9"]);
    let changed = changed.unwrap();
    assert_eq!(changed.counts.unwrap().patterns(), "path:3..=4");
    let schedule = changed.training.unwrap().schedule;
    let watch = crate::train::Watched::Loss;
    assert_eq!(schedule, crate::train::Schedule::Plateau { factor: 0.5, patience: 9, watch });
    // Another kind of schedule replaces the first.
    let changed = recipe(&["training.schedule={ step = { every = 5, factor = 0.5 } }"]).unwrap();
    let schedule = changed.training.unwrap().schedule;
    assert_eq!(schedule, crate::train::Schedule::Step { every: 5, factor: 0.5 });
    // A table or a key can be taken away.
    let plain = recipe(&["counts=false", "network.head=false"]).unwrap();
    assert!(plain.counts.is_none() && plain.network.head.is_none());

    let error = recipe(&["network.widht=48"]).unwrap_err().to_string();
    assert!(error.starts_with("--set, line 1, column 9: unknown key `widht`; did"), "{error}");
    let error = recipe(&["network.width=wide"]).unwrap_err().to_string();
    assert!(error.contains("--set, line 1") && error.contains("\"wide\""), "{error}");
    let error = recipe(&["network.kind=mpnn"]).unwrap_err().to_string();
    assert!(error.contains("--set, line 1") && error.contains("did you mean `gsn`"), "{error}");
    assert!(recipe(&["network.width"]).is_err());
    assert!(recipe(&["=3"]).is_err());
}

#[test]
fn a_recipe_is_changed_in_place_or_not_at_all() {
    let mut recipe = Recipe::parse(MINIMAL, "mine").unwrap();
    recipe.set("network.width=32").unwrap();
    assert_eq!((recipe.network.width, recipe.name.as_str()), (32, "mine"));
    let before = recipe.clone();
    assert!(recipe.set("network.width=0").is_err());
    assert_eq!(recipe, before);
}

#[test]
fn a_file_extends_a_file_and_an_embedded_recipe() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("base.toml", "extends = \"mutag-gsn-e\"\nabout = \"base\"\n[network]\nwidth = 8\n");
    write("top.toml", "extends = \"base.toml\"\n[training]\nbatch = 4\n");
    let path = folder.path().join("top.toml");
    let recipe = Recipe::find(path.to_str().unwrap()).unwrap();
    assert_eq!((recipe.name.as_str(), recipe.about.as_str()), ("top", ""));
    assert_eq!(recipe.network.width, 8);
    assert_eq!(recipe.training.as_ref().unwrap().batch, 4);
    // The number that another network aims for is not this one's.
    assert!(recipe.published.is_none());
    assert_eq!(recipe.counts.unwrap().patterns(), "cycle:3..=6");

    // What is wrong in the file below is shown there.
    write("base.toml", "extends = \"mutag-gsn-e\"\n[network]\nwidth = 0\n");
    let error = Recipe::find(path.to_str().unwrap()).unwrap_err().to_string();
    assert!(error.contains("base.toml, line 3, column 1: 0 leaves no network"), "{error}");
    write("base.toml", "extends = \"top.toml\"\n");
    let error = Recipe::find(path.to_str().unwrap()).unwrap_err().to_string();
    assert!(error.contains("extends itself"), "{error}");
    write("base.toml", "extends = \"mutag-gsm-e\"\n");
    let error = Recipe::find(path.to_str().unwrap()).unwrap_err().to_string();
    assert!(error.contains("did you mean `mutag-gsn-e`?"), "{error}");
    assert!(error.contains("base.toml, line 1, column 11"), "{error}");
}

#[test]
fn a_long_chain_of_extends_is_no_cycle_and_a_cycle_by_another_path_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let open = |name: &str| Recipe::find(folder.path().join(name).to_str().unwrap());
    write("0.toml", "extends = \"mutag-gsn-e\"\n[network]\nwidth = 8\n");
    for n in 1..=100 {
        write(&format!("{n}.toml"), &format!("extends = \"{}.toml\"\n", n - 1));
    }
    assert_eq!(open("16.toml").unwrap().network.width, 8);
    assert_eq!(open("60.toml").unwrap().network.width, 8);
    let error = open("100.toml").unwrap_err().to_string();
    assert!(error.contains("extends 64 recipes") && !error.contains("itself"), "{error}");
    write("0.toml", "extends = \"./16.toml\"\n");
    let error = open("16.toml").unwrap_err().to_string();
    assert!(error.contains("extends itself"), "{error}");
}

#[test]
fn every_recipe_reads_and_survives_a_round_trip() {
    for recipe in library::all().unwrap() {
        let again = Recipe::parse(&recipe.to_toml(), "again").unwrap();
        assert_eq!(again, recipe, "{}", recipe.name);
        assert!(!recipe.about.is_empty(), "{}", recipe.name);
    }
}

#[test]
fn the_library_holds_the_files_of_the_folder() {
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../recipes"));
    let mut there = Vec::new();
    for (folder, prefix) in [(root.to_owned(), ""), (root.join("base"), "base/")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if let Some(stem) = name.strip_suffix(".toml") {
                there.push(format!("{prefix}{stem}"));
            }
        }
    }
    there.sort();
    assert_eq!(library::files(), there);
}

#[test]
fn every_published_number_has_a_recipe() {
    let has = |name: &str| library::names().any(|n| n == name);
    for set in ["mutag", "ptc", "proteins", "nci1", "collab", "imdb-b", "imdb-m"] {
        for network in ["gsn-e", "gsn-v", "gin", "deepsets"] {
            assert!(has(&format!("{set}-{network}")), "{set}-{network}");
        }
    }
    for name in library::names() {
        let recipe = Recipe::find(name).unwrap();
        // Only DGN without directions is printed nowhere.
        assert_eq!(recipe.published.is_none(), name == "molhiv-dgn", "{name}");
    }
}

#[test]
fn a_share_of_the_training_part_is_nested_and_small_graphs_are_left_out() {
    use crate::dataset::{Dataset, Fold, Sample, Splits, Task};
    let sample = |row: u64| Sample {
        columns: Vec::new(),
        censoring: Vec::new(),
        row,
        graph: gsn_core::Graph::from_edges(1 + row as usize % 5, []).unwrap(),
        vertex: None,
        arc: None,
        targets: vec![0.0],
    };
    let fold = Fold {
        train: (0..80).collect(),
        validation: (80..90).collect(),
        test: (90..100).collect(),
        ..Fold::default()
    };
    let all = Dataset {
        name: "x".into(),
        samples: (0..100).map(sample).collect(),
        task: Task::Regression(1),
        columns: Vec::new(),
        target_names: vec!["y".into()],
        vertex: None,
        arc: None,
        splits: Splits::Fixed(fold.clone()),
        licence: String::new(),
    };
    let data = Recipe::parse(MINIMAL, "mine").unwrap().data;
    let train = |fraction: f64| {
        let chosen = Data { fraction, ..data.clone() }.select(all.clone());
        let Splits::Fixed(f) = chosen.splits else { panic!() };
        assert_eq!((f.validation, f.test), (fold.validation.clone(), fold.test.clone()));
        f.train
    };
    assert_eq!(train(1.0), fold.train);
    let (less, more) = (train(0.2), train(0.5));
    assert_eq!((less.len(), more.len()), (16, 40));
    assert!(less.iter().all(|i| more.contains(i)));
    assert_ne!(more, (0..40).collect::<Vec<_>>());

    let large = Data { min_vertices: 3, ..data }.select(all);
    assert_eq!(large.samples.len(), 60);
    let Splits::Fixed(f) = large.splits else { panic!() };
    assert_eq!((f.train.len(), f.validation.len(), f.test.len()), (48, 6, 6));
    assert!(f.test.iter().all(|&i| large.samples[i as usize].row >= 90));
}
