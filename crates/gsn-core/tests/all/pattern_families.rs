//! The graphs and trees we generate: as many as the known sequences say, all different.

use gsn_core::{Pattern, PatternSet};
use std::collections::BTreeSet;

fn family(text: &str) -> PatternSet {
    text.parse().unwrap()
}

fn codes(set: &PatternSet) -> BTreeSet<String> {
    set.iter().map(Pattern::canonical_code).collect()
}

#[test]
fn as_many_as_the_known_sequences_say() {
    for (k, graphs) in (2..).zip([1, 2, 6, 21, 112, 853, 11_117]) {
        let set = family(&format!("all:{k}"));
        assert_eq!((set.len(), codes(&set).len()), (graphs, graphs), "all:{k}");
    }
    for (k, trees) in (2..).zip([1, 1, 2, 3, 6, 11, 23, 47, 106]) {
        let set = family(&format!("tree:{k}"));
        assert_eq!((set.len(), codes(&set).len()), (trees, trees), "tree:{k}");
        assert!(set.iter().all(|tree| tree.size() == k - 1 && tree.order() == k));
    }
    // Trees are the connected graphs with the fewest edges.
    let all = family("all:7");
    let few: BTreeSet<_> = all.iter().filter(|p| p.size() == 6).map(|p| p.name()).collect();
    assert_eq!(few, family("tree:7").iter().map(|p| p.name()).collect());
}

#[test]
fn names_are_canonical_and_in_order() {
    for text in ["all:6", "tree:9"] {
        let set = family(text);
        for pattern in &set {
            assert_eq!(*pattern, pattern.canonical());
            assert_eq!(family(pattern.name()).patterns(), std::slice::from_ref(pattern));
        }
        let keys: Vec<_> = set.iter().map(|p| (p.size(), p.name().to_owned())).collect();
        assert!(keys.is_sorted(), "{text}");
    }
    // Names become columns, so they must not change from one version to the next.
    let names: Vec<_> = family("all:4").iter().map(|p| p.name().to_owned()).collect();
    assert_eq!(names, ["g6:CF", "g6:CL", "g6:CN", "g6:C]", "g6:C^", "g6:C~"]);
}
