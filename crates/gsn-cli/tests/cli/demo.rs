//! `gsn demo`.

use super::{expect, folder, names, text};

#[test]
fn the_demo_shows_the_pair_and_mutag_trains_and_leaves_a_page() {
    let folder = folder(&[]);
    let ran = expect(0, folder.path(), "demo --threads 2");
    for part in ["decalin", "bicyclopentyl", "6·6", "4 + 4 + 2 atoms", "188 molecules", "nitro"] {
        assert!(ran.out.contains(part), "{part}:\n{}", ran.out);
    }
    // The gap: counts make the network right, without them it can only guess.
    assert!(ran.out.contains("right in 100 of 100 cases, without them in 5"), "{}", ran.out);
    assert!(ran.out.lines().count() < 70);
    assert!(ran.out.lines().all(|line| line.chars().count() <= 100), "{}", ran.out);
    assert!(ran.out.contains("report: gsn-demo.html"), "{}", ran.out);
    assert_eq!(names(folder.path()), ["gsn-demo.html"]);
    let page = text(folder.path().join("gsn-demo.html"));
    assert!(page.contains("bicyclopentyl") && page.contains("cycle:8") && !page.contains("src="));
    assert!(ran.err.is_empty(), "{}", ran.err);
}
