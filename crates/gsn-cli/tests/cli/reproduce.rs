//! `gsn reproduce`: rows are run once and kept, and the page follows.

use super::{expect, folder, names, text};

#[test]
fn a_row_is_run_once_and_its_page_is_written() {
    let folder = folder(&[]);
    let here = folder.path();
    let listed = expect(0, here, "reproduce sr-mpnn-sr16622 zinc --list");
    assert!(listed.out.contains("sr-mpnn-sr16622: not run, about 1 min"), "{}", listed.out);
    assert!(listed.out.contains("zinc-gsn-ef-100k: not run") && names(here).is_empty());

    let ran = expect(0, here, "reproduce sr-mpnn-sr16622 --results kept --page page.md");
    assert!(ran.out.contains("sr-mpnn-sr16622: 100.0000 %"), "{}", ran.out);
    let kept = text(here.join("kept/sr-mpnn-sr16622.json"));
    let page = text(here.join("page.md"));
    assert!(page.contains("| MPNN, SR(16,6,2,2) |") && page.contains("| 100.0000 % |"), "{page}");

    let again = expect(0, here, "reproduce sr-mpnn-sr16622 --results kept --page other.md");
    assert!(again.err.contains("row 1 of 1: sr-mpnn-sr16622 (kept before)"), "{}", again.err);
    assert!(!here.join("other.md").exists());
    expect(0, here, "reproduce --page-only --results kept --page other.md");
    assert_eq!(text(here.join("other.md")), page);
    assert_eq!(text(here.join("kept/sr-mpnn-sr16622.json")), kept);
}

#[test]
fn wrong_names_and_damaged_files_are_said() {
    let folder = folder(&[("sr-mpnn-sr16622.json", b"{\"command\":")]);
    let here = folder.path();
    let unknown = expect(2, here, "reproduce zync");
    assert!(unknown.err.contains("there is no table or row `zync`; tables are sr, delta, zinc"));
    let damaged = expect(2, here, "reproduce --page-only --results . --page page.md");
    assert!(damaged.err.contains("sr-mpnn-sr16622.json"), "{}", damaged.err);
    assert!(!here.join("page.md").exists());
}
