//! `gsn demo`.

use super::{expect, folder, names};

#[test]
fn the_demo_shows_the_pair_and_mutag_and_leaves_nothing_behind() {
    let folder = folder(&[]);
    let ran = expect(0, folder.path(), "demo --threads 2");
    for part in ["decalin", "bicyclopentyl", "6·6", "4 + 4 + 2 atoms", "188 molecules", "nitro"] {
        assert!(ran.out.contains(part), "{part}:\n{}", ran.out);
    }
    assert!(ran.out.lines().count() < 60);
    assert!(ran.out.lines().all(|line| line.chars().count() <= 100), "{}", ran.out);
    assert!(names(folder.path()).is_empty());
    assert!(ran.err.is_empty(), "{}", ran.err);
}
