//! What is there is shown; what is damaged or foreign gets a sentence.

use super::{report, rows, write_run};
use std::path::Path;

fn run() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_run(folder.path(), "rings", &rows("r", 9));
    folder
}

fn refused(path: &Path) -> String {
    gsn_report::report(&[path]).unwrap_err().to_string()
}

#[test]
fn a_run_that_was_killed_is_shown_as_far_as_it_came() {
    let folder = run();
    let here = folder.path();
    std::fs::remove_file(here.join("results.json")).unwrap();
    std::fs::remove_file(here.join("predictions.csv")).unwrap();
    let line = "{\"unit\": \"seed-0\", \"epoch\": 1, \"lr\": 0.01, \"train_loss\": 1.5}\n";
    // The last line was being written.
    std::fs::write(here.join("metrics.jsonl"), format!("{line}{}", &line[..20])).unwrap();
    let page = report(here);
    assert!(page.contains("This run is not finished") && page.contains("--resume"));
    assert!(page.contains("The last line of metrics.jsonl is cut short"));
    assert!(page.contains("Loss"), "the curve is there");
}

#[test]
fn a_run_under_way_says_so() {
    let folder = run();
    let here = folder.path();
    std::fs::remove_file(here.join("results.json")).unwrap();
    let lock = std::fs::File::create(here.join(".lock")).unwrap();
    lock.try_lock().unwrap();
    assert!(report(here).contains("This run is still under way"));
    drop(lock);
    assert!(report(here).contains("This run is not finished"));
}

#[test]
fn damaged_files_are_named() {
    for (file, contents) in [
        ("results.json", "{\"recipe\": 1}"),
        ("results.json", "{"),
        ("recipe.toml", "name = "),
        ("metrics.jsonl", "no json\n{}\n"),
        ("predictions.csv", "unit,row,id,part,y\n"),
        ("predictions.csv", "unit,row,id,part,y,y_predicted\nrings,x,,test,1,1\n"),
        ("predictions.csv", "unit,row,id,part,y,y_predicted\nrings,0,,test,1\n"),
        ("predictions.csv", "a,b\n"),
    ] {
        let folder = run();
        std::fs::write(folder.path().join(file), contents).unwrap();
        let said = refused(folder.path());
        assert!(said.contains(file), "{file}: {said}");
    }
}

#[test]
fn foreign_things_get_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let put = |name: &str, text: &str| std::fs::write(here.join(name), text).unwrap();
    put("notes.txt", "hello");
    put("foreign.json", "{\"a\": 1}");
    put("broken.json", "{\"file\": \"x\", \"tests\": 7}");
    put("cut.json", "{\"file\": ");
    put("empty.json", "");
    std::fs::create_dir(here.join("nothing")).unwrap();
    for (name, why) in [
        ("notes.txt", "is nothing that has a report"),
        ("foreign.json", "is nothing that has a report"),
        ("broken.json", "is damaged"),
        ("cut.json", "is damaged"),
        ("empty.json", "is empty"),
        ("nothing", "is nothing that has a report"),
        ("missing", "is not there"),
    ] {
        let said = refused(&here.join(name));
        assert!(said.contains(name) && said.contains(why), "{name}: {said}");
    }
}

#[test]
fn several_runs_stand_side_by_side() {
    let (a, b) = (run(), run());
    let recipe = a.path().join("recipe.toml");
    let changed = std::fs::read_to_string(&recipe).unwrap().replace("width = 8", "width = 16");
    std::fs::write(&recipe, changed).unwrap();
    let page = gsn_report::report(&[a.path(), b.path()]).unwrap();
    assert!(page.contains("2 runs side by side") && page.contains("<code>network.width</code>"));
}
