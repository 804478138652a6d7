//! `gsn data` from the outside.

use super::{Ran, expect, finish, gsn};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};

/// A folder that holds some sets: the data the program carries.
pub(super) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../gsn-lab/data")
}

fn data(folder: &Path, root: &Path, arguments: &[&str]) -> Ran {
    let mut command = gsn(folder);
    command.env("GSN_DATA", root).env("GSN_CACHE", folder.join("cache"));
    command.arg("data").args(arguments);
    finish(command).into()
}

fn json(ran: &Ran) -> Value {
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).expect("JSON")
}

#[test]
fn the_catalogue_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    let ran = expect(0, folder.path(), "data list");
    assert_eq!(ran.out.lines().count(), 23);
    assert!(ran.out.contains("ZINC-12k") && ran.out.contains("12000 graphs"));
    let all = json(&data(folder.path(), folder.path(), &["list", "--json"]));
    let zinc = all.as_array().unwrap().iter().find(|set| set["name"] == "ZINC-12k").unwrap();
    assert!(zinc["note"].as_str().unwrap().contains("Python pickle"));
    assert_eq!(zinc["statistics"]["edges"], 298_985);
    assert_eq!(zinc["served"], false);
    let states = |root: &Path| -> Vec<(String, String)> {
        let sets = json(&data(folder.path(), root, &["list", "--json"]));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        sets.as_array().unwrap().iter().map(|s| (text(&s["name"]), text(&s["state"]))).collect()
    };
    let state = |root: &Path, name: &str| {
        states(root).into_iter().find(|(known, _)| known == name).map(|(_, state)| state).unwrap()
    };
    assert_eq!(state(folder.path(), "ZINC-12k"), "carried");
    assert_eq!(state(folder.path(), "PROTEINS"), "fetch");
    assert_eq!(state(folder.path(), "ogbg-molhiv"), "fetch");
    assert_eq!(state(folder.path(), "EXP"), "-");
    assert_eq!(state(&repository(), "BREC"), "here");
}

#[test]
fn a_set_has_a_path_or_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let unknown = data(folder.path(), folder.path(), &["path", "MUTGA"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("did you mean MUTAG?"), "{}", unknown.err);
    let found = data(folder.path(), &repository(), &["path", "SR16622"]);
    assert_eq!(found.code, 0, "{}", found.err);
    assert!(found.out.trim_end().ends_with("sr"), "{}", found.out);
    let carried = data(folder.path(), folder.path(), &["path", "sr16622"]);
    assert_eq!(carried.code, 2);
    assert!(carried.err.contains("carried by the program"), "{}", carried.err);
}

#[test]
fn what_nothing_serves_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let ran = data(folder.path(), folder.path(), &["fetch", "EXP"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("GSN_DATA") && ran.err.contains(".pkl"), "{}", ran.err);
}

#[test]
fn a_data_folder_that_does_not_exist_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("nothing");
    for verb in [&["list"][..], &["path", "MUTAG"], &["fetch", "MUTAG"]] {
        let ran = data(folder.path(), &missing, verb);
        assert_eq!(ran.code, 2, "{verb:?}");
        let named = ran.err.contains("GSN_DATA") && ran.err.contains(missing.to_str().unwrap());
        assert!(named && !missing.exists(), "{}", ran.err);
    }
}

#[test]
fn a_carried_set_is_written_where_it_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("mine");
    let fetch = ["fetch", "CSL", "--json", "--to", root.to_str().unwrap()];
    assert_eq!(json(&data(folder.path(), folder.path(), &fetch))["fetched"], 5);
    assert!(root.join("csl/csl.g6").is_file());
    assert_eq!(json(&data(folder.path(), folder.path(), &fetch))["fetched"], 0);
    let path = data(folder.path(), &root, &["path", "CSL"]);
    assert!(path.out.contains("mine"), "{}", path.out);
}

/// Serves the files below `root` and nothing else.
pub(super) fn mirror(root: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/data/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            // A program that was killed asks nothing.
            let Some(Ok(first)) = lines.next() else { continue };
            lines.map_while(Result::ok).take_while(|line| !line.is_empty()).for_each(drop);
            let path = first.split(' ').nth(1).unwrap().trim_start_matches("/data/").to_owned();
            let (status, body) = match std::fs::read(root.join(path)) {
                Ok(body) => ("200 OK", body),
                Err(_) => ("404 Not Found", Vec::new()),
            };
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
        }
    });
    url
}

#[test]
fn a_set_comes_from_a_mirror_once() {
    let url = mirror(repository());
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("mine");
    std::fs::create_dir(&root).unwrap();
    let fetch = ["fetch", "BREC", "--mirror", &url, "--json"];
    let first = json(&data(folder.path(), &root, &fetch));
    assert_eq!(first["fetched"], 2);
    assert!(root.join("brec/brec.g6").is_file());
    let again = json(&data(folder.path(), &root, &fetch));
    assert_eq!(again["fetched"], 0);
    let path = data(folder.path(), &root, &["path", "BREC"]);
    assert!(path.out.contains("mine"), "{}", path.out);
    // A file that was changed since is fetched again.
    std::fs::write(root.join("brec/brec.g6"), "changed").unwrap();
    assert_eq!(json(&data(folder.path(), &root, &fetch))["fetched"], 1);
}

#[test]
fn a_mirror_without_the_file_is_a_failure_that_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let url = mirror(folder.path().join("nothing"));
    let ran = data(folder.path(), folder.path(), &["fetch", "graph8c", "--mirror", &url]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("404"), "{}", ran.err);
    let ran = data(folder.path(), folder.path(), &["fetch", "graph8c", "--mirror", "ftp://x"]);
    assert!(ran.code == 2 && ran.err.contains("https://"), "{}", ran.err);
    let far = ["fetch", "graph8c", "--mirror", "http://example.org/data"];
    let ran = data(folder.path(), folder.path(), &far);
    assert!(ran.code == 2 && ran.err.contains("over https:// only"), "{}", ran.err);
}

#[test]
fn recipes_train_on_what_the_program_carries() {
    let folder = tempfile::tempdir().unwrap();
    for recipe in ["mutag-gsn-e", "zinc-gsn-ef-100k"] {
        let mut command = gsn(folder.path());
        command.env_remove("GSN_DATA").env("XDG_DATA_HOME", folder.path()).env("GSN_CACHE", "off");
        let setting = ["--seeds", "1", "--set", "training.epochs=1", "-q", "--out", recipe];
        let ran: Ran = command.args(["train", recipe]).args(setting).output().unwrap().into();
        assert_eq!(ran.code, 0, "{recipe}: {}", ran.err);
        assert!(folder.path().join(recipe).is_dir());
    }
}

#[test]
fn an_empty_cache_is_shown_and_cleared() {
    let folder = tempfile::tempdir().unwrap();
    let shown = data(folder.path(), folder.path(), &["cache"]);
    assert!(shown.out.starts_with("0 column sets, 0 bytes in"), "{}", shown.out);
    let cleared = json(&data(folder.path(), folder.path(), &["cache", "--clear", "--json"]));
    assert_eq!(cleared["removed"], 0);
}

/// A set of another library in the place of ZINC-12k: used, named, verified, and left alone by
/// `fetch`.
#[test]
fn an_imported_set_stands_for_that_of_the_catalogue() {
    use gsn_lab::arrays::{Arrays, Rows};
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("data");
    let graphs = 12;
    let part = |range: std::ops::Range<u32>| range.collect();
    let fold = gsn_lab::Fold {
        train: part(0..8),
        validation: part(8..10),
        test: part(10..12),
        ..Default::default()
    };
    let triangles = Arrays {
        orders: vec![3; graphs],
        starts: (0..=graphs).map(|graph| 3 * graph).collect(),
        ends: [(0, 1), (1, 2), (2, 0)].repeat(graphs),
        vertex: Some(Rows { cols: 1, data: (0..3 * graphs as u32).map(|v| v % 5).collect() }),
        arc: Some(Rows { cols: 1, data: [1, 2, 3].repeat(graphs) }),
        targets: (0..graphs).map(|graph| vec![graph as f64 / 7.0]).collect(),
        folds: vec![fold],
    };
    let from = "a library of triangles";
    let (place, _) = gsn_lab::catalogue::import(&root, "ZINC", &triangles, from).unwrap();

    let set = ["--set", "training.epochs=1", "--set", "network.width=8", "--out", "run"];
    let mut command = gsn(folder.path());
    command.env("GSN_DATA", &root).args(["train", "zinc-gsn-ef-100k"]).args(set);
    let trained: Ran = finish(command).into();
    assert_eq!(trained.code, 0, "{}", trained.err);
    let note = "note: ZINC-12k was imported from a library of triangles; it is not the set of the \
                catalogue (graphs: 12 imported, 12000 in the catalogue;";
    assert!(trained.err.contains(note), "{}", trained.err);

    let fetched = data(folder.path(), &root, &["fetch", "ZINC"]);
    assert_eq!(fetched.code, 2);
    assert!(fetched.err.contains("remove its folder first"), "{}", fetched.err);

    let file = place.join("zinc12k_test.txt");
    std::fs::write(&file, std::fs::read_to_string(&file).unwrap() + "\n").unwrap();
    let mut command = gsn(folder.path());
    command.env("GSN_DATA", &root).args(["train", "zinc-gsn-ef-100k", "--out", "other"]);
    let refused: Ran = finish(command).into();
    assert!(refused.code != 0 && refused.err.contains("sha256"), "{}", refused.err);
}
