//! The cache returns what would have been counted, also when its files are damaged.

use super::*;
use gsn_core::{EdgeOrbits, GraphBuilder, Matching, Scope};
use std::path::PathBuf;

/// Small graphs of all sorts, from a fixed generator.
fn some_graphs(many: usize) -> Vec<Graph> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move |end: u32| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % u64::from(end)) as u32
    };
    let graph = |_| {
        let n = 1 + next(14);
        let edges: Vec<(u32, u32)> = (0..next(3 * n + 1)).map(|_| (next(n), next(n))).collect();
        let mut builder = GraphBuilder::undirected(n as usize);
        for (u, v) in edges {
            builder.labelled_edge(u, v, 1);
        }
        builder.vertex_labels((0..n).map(|_| 6 + next(2)).collect());
        builder.build().unwrap()
    };
    (0..many).map(graph).collect()
}

fn spec(patterns: &str) -> CountSpec {
    CountSpec::new(patterns.parse().unwrap())
}

/// From the cache, which must have found and counted this many patterns.
fn cached(
    graphs: &[Graph],
    request: &Request,
    cache: &Cache,
    expect: (usize, usize),
) -> Vec<Counts> {
    let (counts, report) = counts_of(graphs, request, cache).unwrap();
    assert_eq!((report.found, report.counted), expect, "{report:?}");
    counts
}

fn counted(graphs: &[Graph], request: &Request) -> Vec<Counts> {
    request.counter(request.spec).count_many(graphs).unwrap()
}

fn files(cache: &Cache) -> Vec<PathBuf> {
    cache.list().unwrap().into_iter().map(|stored| stored.path).collect()
}

#[test]
fn cold_longer_and_warm_give_what_is_counted() {
    let graphs = some_graphs(300);
    let (short, long) = (spec("path:3,cycle:4"), spec("path:4,cycle:4,star:3,path:3,all:5"));
    for scope in [Scope::Vertex, Scope::Edge, Scope::Arc] {
        for matching in [Matching::Induced, Matching::Subgraph] {
            for orbits in [EdgeOrbits::Exact, EdgeOrbits::Official] {
                let folder = tempfile::tempdir().unwrap();
                let cache = Cache::always(folder.path());
                let view = |spec: &CountSpec| {
                    spec.clone().with_scope(scope).with_matching(matching).with_orbits(orbits)
                };
                let (short, long) = (view(&short), view(&long));
                let (short, long) = (Request::new(&short), Request::new(&long));
                let first = cached(&graphs, &short, &cache, (0, 2));
                assert_eq!(first, counted(&graphs, &short));
                // cycle:4, path:3; and path:4, star:3 and cycle:4 are no part of all:5.
                let second = cached(&graphs, &long, &cache, (2, 23));
                assert_eq!(second, counted(&graphs, &long));
                assert_eq!(cached(&graphs, &long, &cache, (25, 0)), second);
                assert_eq!(files(&cache).len(), 25);
            }
        }
    }
}

#[test]
fn a_pattern_written_in_another_way_finds_its_entry() {
    let graphs = some_graphs(200);
    // A triangle with a tail of two: five orbits of arcs that reverse into each other.
    let (one, other) = (spec("edges:0-1,1-2,2-0,2-3,3-4"), spec("edges:4-1,1-0,0-4,0-3,3-2"));
    for scope in [Scope::Vertex, Scope::Edge, Scope::Arc] {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::always(folder.path());
        let view =
            |spec: &CountSpec| spec.clone().with_scope(scope).with_matching(Matching::Subgraph);
        let (one, other) = (view(&one), view(&other));
        cached(&graphs, &Request::new(&one), &cache, (0, 1));
        let found = cached(&graphs, &Request::new(&other), &cache, (1, 0));
        assert_eq!(found, counted(&graphs, &Request::new(&other)));
    }
}

#[test]
fn directed_graphs_and_patterns() {
    let arcs = |i: u32| (0..30).map(move |k| (k * (i + 3) % 11, (k * k + i) % 11));
    let graphs: Vec<Graph> = (0..40).map(|i| Graph::from_arcs(11, arcs(i)).unwrap()).collect();
    let set = spec("edges:0>1,1>2,edges:0>1,1>2,2>0").with_scope(Scope::Arc);
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::always(folder.path());
    let request = Request::new(&set);
    let first = cached(&graphs, &request, &cache, (0, 2));
    assert_eq!(cached(&graphs, &request, &cache, (2, 0)), first);
    assert_eq!(first, counted(&graphs, &request));
}

#[test]
fn labels_matter_to_labelled_patterns_only() {
    let graphs = some_graphs(50);
    let bare: Vec<Graph> =
        graphs.iter().map(|g| Graph::from_edges(g.order(), g.edges()).unwrap()).collect();
    let all_alike = |graph: &Graph| {
        let mut builder = GraphBuilder::undirected(graph.order());
        graph.edges().for_each(|(u, v)| {
            builder.labelled_edge(u, v, 1);
        });
        builder.vertex_labels(vec![6; graph.order()]);
        builder.build().unwrap()
    };
    let alike: Vec<Graph> = graphs.iter().map(all_alike).collect();
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::always(folder.path());
    let set = spec("path:3,edges:0@6-1@7,1-2@6");
    let request = Request::new(&set);
    let first = cached(&graphs, &request, &cache, (0, 2));
    let second = cached(&alike, &request, &cache, (1, 1));
    assert_ne!(first, second);
    assert_eq!(second, counted(&alike, &request));
    let plain = spec("path:3");
    cached(&bare, &Request::new(&plain), &cache, (1, 0));
}

#[test]
fn other_graphs_or_another_order_are_another_set() {
    let mut graphs = some_graphs(70);
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::always(folder.path());
    let set = spec("cycle:3");
    cached(&graphs, &Request::new(&set), &cache, (0, 1));
    graphs.swap(3, 66);
    cached(&graphs, &Request::new(&set), &cache, (0, 1));
    graphs.pop();
    cached(&graphs, &Request::new(&set), &cache, (0, 1));
}

#[test]
fn a_damaged_entry_is_noticed_and_counted_again() {
    let graphs = some_graphs(400);
    let set = spec("path:4,cycle:3").with_scope(Scope::Arc);
    let request = Request::new(&set);
    let right = counted(&graphs, &request);
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::always(folder.path());
    cached(&graphs, &request, &cache, (0, 2));
    let path = files(&cache).remove(0);
    let whole = std::fs::read(&path).unwrap();
    let mut changed: Vec<Vec<u8>> = vec![Vec::new(), whole[..whole.len() / 2].to_vec()];
    changed.push([&whole[..], &[0]].concat());
    for at in [0, 9, 20, 60, whole.len() / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        changed.push(bytes);
    }
    for bytes in changed {
        std::fs::write(&path, bytes).unwrap();
        let (counts, report) = counts_of(&graphs, &request, &cache).unwrap();
        assert_eq!((report.found, report.counted, report.damaged.len()), (1, 1, 1));
        assert_eq!(counts, right);
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }
}

#[test]
fn an_entry_under_another_name_is_not_taken() {
    let graphs = some_graphs(60);
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::always(folder.path());
    let (one, other) = (spec("path:4"), spec("cycle:3"));
    cached(&graphs, &Request::new(&one), &cache, (0, 1));
    let path = files(&cache).remove(0);
    let bytes = std::fs::read(&path).unwrap();
    cached(&graphs, &Request::new(&other), &cache, (0, 1));
    for file in files(&cache) {
        std::fs::write(file, &bytes).unwrap();
    }
    let (counts, report) = counts_of(&graphs, &Request::new(&other), &cache).unwrap();
    assert_eq!(report.damaged.len(), 1);
    assert_eq!(counts, counted(&graphs, &Request::new(&other)));
}

#[test]
fn a_folder_that_cannot_be_written_costs_no_result() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let (graphs, set) = (some_graphs(20), spec("cycle:3"));
    let request = Request::new(&set);
    let (counts, report) =
        counts_of(&graphs, &request, &Cache::always(file.join("cache"))).unwrap();
    assert_eq!(counts, counted(&graphs, &request));
    assert!(report.not_kept.is_some() || !report.damaged.is_empty(), "{report:?}");
}

#[test]
fn several_at_once_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::always(folder.path());
    let graphs = some_graphs(150);
    let set = spec("path:3,path:4,cycle:3..=5");
    let request = Request::new(&set);
    let right = counted(&graphs, &request);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let (counts, report) = counts_of(&graphs, &request, &cache).unwrap();
                    assert_eq!(counts, right);
                    assert!(report.damaged.is_empty() && report.not_kept.is_none(), "{report:?}");
                }
            });
        }
    });
    assert_eq!(files(&cache).len(), 5);
}

#[test]
fn what_is_cheap_is_counted_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path().join("none"));
    let (graphs, set) = (some_graphs(3), spec("cycle:3"));
    // On a busy machine even this may take long enough to be worth a file.
    let stays_away = || {
        let _ = std::fs::remove_dir_all(folder.path().join("none"));
        let (_, report) = counts_of(&graphs, &Request::new(&set), &cache).unwrap();
        report.stayed_away && report.found == 0
    };
    assert!((0..100).any(|_| stays_away()));
    assert!(!folder.path().join("none").exists());
    let (counts, _) = counts_of(&graphs, &Request::new(&set), &Cache::off()).unwrap();
    assert_eq!(counts.len(), 3);
    let none: [Graph; 0] = [];
    assert!(
        counts_of(&none, &Request::new(&set), &Cache::always(folder.path())).unwrap().0.is_empty()
    );
}

#[test]
fn entries_are_listed_and_cleared() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::always(folder.path());
    let set = spec("cycle:3,path:4");
    cached(&some_graphs(30), &Request::new(&set), &cache, (0, 2));
    std::fs::write(folder.path().join("mine.txt"), "not ours").unwrap();
    let mut about: Vec<String> = cache.list().unwrap().into_iter().map(|s| s.about).collect();
    about.sort();
    assert_eq!(
        about,
        ["cycle:3 (vertex, induced, exact orbits)", "path:4 (vertex, induced, exact orbits)"]
    );
    let bytes: u64 = cache.list().unwrap().iter().map(|s| s.bytes).sum();
    assert_eq!(cache.clear().unwrap(), (2, bytes));
    assert!(cache.list().unwrap().is_empty());
    assert!(folder.path().join("mine.txt").exists());
    assert_eq!(Cache::at(folder.path().join("never")).clear().unwrap(), (0, 0));
}
