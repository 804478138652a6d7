//! `gsn recipes`.

use super::{expect, folder};

#[test]
fn recipes_are_listed_with_their_aims() {
    let folder = folder(&[]);
    let ran = expect(0, folder.path(), "recipes");
    let line = |name: &str| ran.out.lines().find(|line| line.starts_with(name)).unwrap();
    assert!(line("imdb-b-gsn-e ").contains("0.778 ± 0.033"), "{}", ran.out);
    assert!(line("zinc-gsn-ef-100k").contains("0.115 ± 0.012"));
    assert!(line("molhiv-dgn").contains(" - "));
    assert!(ran.out.lines().count() > 45 && !ran.out.contains("base/"));
    // Those of one dataset.
    let ran = expect(0, folder.path(), "recipes zinc -v");
    assert_eq!(ran.out.lines().filter(|line| line.starts_with("zinc-")).count(), 11);
    assert!(!ran.out.contains("mutag") && ran.out.contains("printed in: GSN paper"));
}

#[test]
fn one_recipe_is_shown_in_full_and_can_be_read_again() {
    let folder = folder(&[]);
    let ran = expect(0, folder.path(), "recipes zinc-gsn-ef-100k --set network.width=48");
    for part in ["patterns = \"cycle:3..=8\"", "width = 48", "patience = 5", "min-lr = 0.00001"] {
        assert!(ran.out.contains(part), "{part}:\n{}", ran.out);
    }
    assert!(!ran.out.contains("extends"));
    std::fs::write(folder.path().join("mine.toml"), &ran.out).unwrap();
    let again = expect(0, folder.path(), "recipes mine.toml");
    assert_eq!(again.out, ran.out);
}

#[test]
fn json_holds_the_list_and_one_recipe() {
    let folder = folder(&[]);
    let read = |arguments: &str| -> serde_json::Value {
        serde_json::from_str(&expect(0, folder.path(), arguments).out).unwrap()
    };
    let all = read("recipes --json");
    let one = all.as_array().unwrap().iter().find(|r| r["name"] == "mutag-gin").unwrap();
    assert_eq!((&one["metric"], &one["published"]["mean"]), (&"accuracy".into(), &0.894.into()));
    let full = read("recipes mutag-gin --json");
    assert_eq!(full["network"]["kind"], "gin");
    assert_eq!(full["training"]["steps-per-epoch"], 50);
}

#[test]
fn mistakes_are_pointed_at() {
    let mine = b"extends = \"mutag-gin\"\n\n[network]\nwidht = 3\n";
    let folder = folder(&[("mine.toml", mine)]);
    let ran = expect(2, folder.path(), "recipes mine.toml");
    assert!(
        ran.err.contains("mine.toml, line 4, column 1: unknown key `widht`; did you mean `width`?"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("4 | widht = 3\n  | ^^^^^"), "{}", ran.err);
    let ran = expect(2, folder.path(), "recipes zinc-gsm");
    assert!(ran.err.contains("did you mean `zinc-gsn`?"), "{}", ran.err);
    let ran = expect(2, folder.path(), "recipes mutag-gin --set training.lr=-1");
    assert!(ran.err.contains("--set, line 1") && ran.err.contains("above zero"), "{}", ran.err);
    expect(2, folder.path(), "recipes zinc --set network.width=3");
    expect(2, folder.path(), "recipes nowhere.toml");
}
