//! The page of results says what the kept files say, and calls stale what the program of today would
//! not give.

use gsn_lab::reproduce::{core, page, tables};
use std::path::Path;

/// Fails when the bits of a training change: results that were kept are stale from then on, and
/// the page has to say so. Where no result is kept yet there is nothing to be stale.
#[test]
fn the_page_of_results_is_that_of_the_kept_files_and_of_this_program() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let there = std::fs::read_to_string(docs.join("src/results.md")).unwrap();
    let page = page(&tables().unwrap(), &docs.join("results"), &core().unwrap()).unwrap();
    let differs = there.lines().zip(page.lines()).position(|(there, due)| there != due);
    let at = differs.unwrap_or_else(|| there.lines().count().min(page.lines().count()));
    let line = |text: &str| text.lines().nth(at).map(str::to_owned);
    assert!(
        there == page,
        "line {} of the page is {:?} where {:?} is due: write it anew with `gsn reproduce --page-only`",
        at + 1,
        line(&there),
        line(&page),
    );
}

/// Every kept file belongs to a row.
#[test]
fn no_kept_file_is_left_over() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results");
    let tables = tables().unwrap();
    let ids: Vec<&str> = tables.iter().flat_map(|t| &t.rows).map(|row| row.id.as_str()).collect();
    for entry in folder.read_dir().into_iter().flatten() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let id = name.strip_suffix(".json").unwrap_or(&name);
        let id = id.split_once(".seed-").map_or(id, |(id, _)| id);
        assert!(ids.contains(&id), "{name} belongs to no row");
    }
}
