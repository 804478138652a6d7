//! `docs/src/recipe-keys.md` beside the reader of recipes. The page is made from sources; here the
//! reader itself is asked: by a key or a word that it cannot know, which makes it name all it does.

use gsn_lab::recipe::Recipe;
use std::collections::BTreeSet;
use std::path::Path;

/// The tables of a recipe, and a value for each key that must be there.
const TABLES: [(&str, &str); 8] = [
    ("", ""),
    ("data", ""),
    ("reading", ""),
    ("counts", ""),
    ("degrees", "use = \"append\", "),
    ("network", ""),
    ("training", ""),
    ("published", "mean = 1.0, printed = \"here\", "),
];

/// A key as the page has it.
#[derive(Debug)]
struct Key {
    table: String,
    name: String,
    line: String,
    /// The words it takes, if it takes words.
    words: BTreeSet<String>,
}

impl Key {
    fn path(&self) -> String {
        match self.table.as_str() {
            "" => self.name.clone(),
            table => format!("{table}.{}", self.name),
        }
    }

    fn default(&self) -> Option<&str> {
        self.line.split_once("· default `")?.1.split('`').next()
    }
}

fn page() -> Vec<Key> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/recipe-keys.md");
    let mut table = None;
    let mut keys: Vec<Key> = Vec::new();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        if let Some(title) = line.strip_prefix("## ") {
            table = Some(if title == "At the top" { "" } else { title }.to_owned());
        } else if let Some(rest) = line.strip_prefix("- **`") {
            let (name, line) = rest.split_once("`**").unwrap();
            let (table, name) = (table.clone().unwrap(), name.to_owned());
            keys.push(Key { table, name, line: line.to_owned(), words: BTreeSet::new() });
        } else if let Some(rest) = line.strip_prefix("  - `") {
            let written = rest.split('`').next().unwrap().trim_matches(['{', '}', ' ', '"']);
            let word = written.split(" =").next().unwrap().to_owned();
            keys.last_mut().unwrap().words.insert(word);
        }
    }
    keys
}

/// What the reader says to a setting of a recipe that has every table.
fn refused(setting: &str) -> String {
    match Recipe::find_with("mutag-gsn-e", &[setting]) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    }
}

/// The names between backticks behind `expected`.
fn expected(message: &str) -> BTreeSet<String> {
    let first = message.lines().next().unwrap_or_default();
    let names = first.split_once("expected").map(|(_, names)| names).unwrap_or_default();
    names.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_table_has_the_keys_that_are_read() {
    let keys = page();
    for (table, needed) in TABLES {
        let message = match table {
            "" => refused("zzz=1"),
            table if needed.is_empty() => refused(&format!("{table}.zzz=1")),
            table => refused(&format!("{table}={{ {needed} zzz = 1 }}")),
        };
        let listed = keys.iter().filter(|key| key.table == table).map(|key| key.name.clone());
        let mut listed: BTreeSet<String> = listed.collect();
        if table.is_empty() {
            // `extends` is taken away before the rest is read; tables have sections of their own.
            assert!(listed.remove("extends"));
            listed.extend(TABLES[1..].iter().map(|(table, _)| table.to_string()));
        }
        assert_eq!(listed, expected(&message), "[{table}]: {message}");
    }
}

#[test]
fn every_key_takes_the_words_that_are_listed() {
    let mut checked = 0;
    for key in page().iter().filter(|key| !key.words.is_empty()) {
        let message = match TABLES.iter().find(|(table, _)| *table == key.table).unwrap() {
            (_, "") => refused(&format!("{}=\"zzz\"", key.path())),
            // The key that must be there is given, unless it is the one that is asked for.
            (table, _) if key.name == "use" => refused(&format!("{table}={{ use = \"zzz\" }}")),
            (table, needed) => refused(&format!("{table}={{ {needed} {} = \"zzz\" }}", key.name)),
        };
        // An older name of `pr-auc` is read still, and not listed.
        let mut words = expected(&message);
        words.remove("average-precision");
        assert_eq!(key.words, words, "{}: {message}", key.path());
        checked += 1;
    }
    assert!(checked >= 20, "{checked}");
}

#[test]
fn a_default_that_is_written_out_changes_nothing() {
    // No recipe says all of it, so that each default is the one that acts.
    let bare = "protocol = \"tud-paper\"\n[data]\nset = \"MUTAG\"\n[reading]\n[counts]\npatterns = \"cycle:3\"\n\
                scope = \"vertex\"\nmatching = \"induced\"\n[degrees]\nuse = \"append\"\n[network]\nkind = \"gin\"\n\
                layers = 1\nwidth = 4\nreadout = \"sum\"\n[training]\nbatch = 4\nepochs = 1\nlr = 0.1\n\
                loss = \"cross-entropy\"\nmetric = \"accuracy\"\n";
    let bare = Recipe::parse(bare, "bare").unwrap();
    let mut checked = 0;
    for key in page() {
        let Some(default) = key.default() else { continue };
        let setting = format!("{}={default}", key.path());
        let same = bare.with_settings(&[&setting]).unwrap_or_else(|e| panic!("{setting}: {e}"));
        assert_eq!(same, bare, "{setting}");
        checked += 1;
    }
    assert!(checked >= 20, "{checked}");
}

#[test]
fn the_kinds_that_have_a_key_are_those_that_accept_it() {
    let value = |name: &str| match name {
        "layers" | "hidden" | "edge-states" | "walks" => "2",
        "beside" => "[\"max\"]",
        "jumping" | "inject" | "edge-features" => "\"all\"",
        "head" => "\"mlp\"",
        "arc-encoding" => "\"embedding\"",
        "aggregators" => "[\"mean\"]",
        "scalers" => "[\"identity\"]",
        _ => "true",
    };
    let kinds = ["gsn", "mpnn", "gin", "ogb", "dgn", "deepsets"];
    let mut checked = 0;
    for key in page().iter().filter(|key| key.table == "network") {
        let Some((_, listed)) = key.line.split_once("Kinds: ") else { continue };
        let listed: Vec<&str> = listed.split('`').skip(1).step_by(2).collect();
        let has = |kind: &&str| {
            // Nothing but what is needed, and the key.
            let layers = if *kind == "deepsets" { "" } else { "layers = 1\n" };
            let layers = if key.name == "layers" { "" } else { layers };
            let text = format!(
                "protocol = \"tud-paper\"\n[data]\nset = \"MUTAG\"\n[network]\nkind = \"{kind}\"\nwidth = 4\n\
                 readout = \"sum\"\n{layers}{} = {}\n[training]\nbatch = 4\nepochs = 1\nlr = 0.1\n\
                 loss = \"cross-entropy\"\nmetric = \"accuracy\"\n",
                key.name,
                value(&key.name)
            );
            let message = Recipe::parse(&text, "bare").err().map(|error| error.to_string());
            !message.is_some_and(|m| m.contains(&format!("has no `{}`", key.name)))
        };
        let accept: Vec<&str> = kinds.iter().copied().filter(has).collect();
        assert_eq!(listed, accept, "{}", key.name);
        checked += 1;
    }
    assert_eq!(checked, 15);
}

#[test]
fn words_that_are_written_in_a_way_of_their_own_are_the_ones_that_are_read() {
    let all = page();
    let mut checked = 0;
    for key in all.iter().filter(|key| ["encoding", "aggregators"].contains(&key.name.as_str())) {
        let listed = key.line.split("· default").next().unwrap();
        let words = listed.split("`\"").skip(1).filter_map(|rest| rest.split("\"`").next());
        // A number stands for any, and a numbered direction for one of several.
        let any = |word: &str| match word.split_once(':') {
            Some((name, _)) => format!("{name}:N"),
            None => word.to_owned(),
        };
        let mut listed: BTreeSet<String> = words.map(any).collect();
        let message = match key.name.as_str() {
            "aggregators" => {
                assert!(listed.remove("dir0-av"));
                refused("network.aggregators=[\"zzz\"]")
            }
            _ if key.table == "degrees" => {
                refused("degrees={ use = \"append\", encoding = \"zzz\" }")
            }
            _ => refused(&format!("{}=\"zzz\"", key.path())),
        };
        assert_eq!(listed, expected(&message), "{}: {message}", key.path());
        checked += 1;
    }
    assert_eq!(checked, 3);
}
