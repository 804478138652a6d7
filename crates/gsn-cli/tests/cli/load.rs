//! What `benches/load.py` does to the program, in small: stars of many leaves, complete graphs, a thousand
//! patterns, patterns of thirty vertices, counts that are stopped.

use super::{expect, folder, text};
use gsn_core::{CountSpec, Counter, Graph, Matching};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

fn binomial(n: u128, k: u128) -> u128 {
    (0..k).fold(1, |product, i| product * (n - i) / (i + 1))
}

fn edges(pairs: impl Iterator<Item = (u32, u32)>) -> String {
    pairs.map(|(u, v)| format!("{u} {v}\n")).collect()
}

fn complete(n: u32) -> String {
    edges((0..n).flat_map(|v| (0..v).map(move |u| (u, v))))
}

/// The counts of every vertex, without its name.
fn rows(table: impl AsRef<Path>) -> Vec<Vec<u128>> {
    let row = |line: &str| line.split(',').skip(2).map(|cell| cell.parse().unwrap()).collect();
    text(table).lines().skip(1).map(row).collect()
}

#[test]
fn a_star_of_many_leaves_costs_no_more_than_its_leaves() {
    const LEAVES: u32 = 100_000;
    let star = edges((1..=LEAVES).map(|leaf| (0, leaf)));
    let folder = folder(&[("star.edges", star.as_bytes())]);
    expect(0, folder.path(), "count star.edges -p star:4 -o t.csv -q");
    let rows = rows(folder.path().join("t.csv"));
    let (centre, leaf) = (binomial(LEAVES.into(), 4), binomial(u128::from(LEAVES) - 1, 3));
    assert!(rows[0].contains(&centre) && rows[0].contains(&0), "{:?}", rows[0]);
    assert_eq!(rows.len(), 1 + LEAVES as usize);
    assert!(rows[1..].iter().all(|row| row.contains(&leaf) && row.contains(&0)));
}

#[test]
fn a_complete_graph_holds_cliques_alone() {
    let folder = folder(&[("k.edges", complete(200).as_bytes())]);
    expect(0, folder.path(), "count k.edges -p all:5 -o t.csv -q");
    for row in rows(folder.path().join("t.csv")) {
        assert_eq!(row.iter().sum::<u128>(), binomial(199, 4));
        assert_eq!(row.iter().filter(|&&count| count > 0).count(), 1);
    }
}

#[test]
fn a_thousand_patterns_are_counted_at_once() {
    // The Petersen graph.
    let pairs = (0..5).flat_map(|i| [(i, (i + 1) % 5), (i, 5 + i), (5 + i, 5 + (i + 2) % 5)]);
    let folder = folder(&[("p.edges", edges(pairs).as_bytes())]);
    let here = folder.path();
    expect(0, here, "count p.edges -p all:3..=7,path:8..=10,star:7..=9 -o t.csv -q");
    let head = text(here.join("t.csv")).lines().next().unwrap().to_owned();
    let patterns = |name: &str| name.rsplit_once('/').map(|(pattern, _)| pattern.to_owned());
    let patterns: std::collections::BTreeSet<String> =
        head.split(',').filter_map(patterns).collect();
    assert_eq!(patterns.len(), 1000);
    let ran = expect(0, here, "verify t.csv --seconds 2");
    let said = ran.out + &ran.err;
    assert!(said.contains("all equal"), "{said}");
}

#[test]
fn patterns_of_thirty_vertices_are_right_or_refused() {
    let ring = edges((0..30).map(|v| (v, (v + 1) % 30)));
    let side = |i: u32| (0..11).map(move |j| (12 * i + j, 12 * i + j + 1));
    let grid = (0..12).flat_map(side).chain((0..132).map(|v| (v, v + 12)));
    let folder = folder(&[
        ("ring.edges", ring.as_bytes()),
        ("k.edges", complete(31).as_bytes()),
        ("grid.edges", edges(grid).as_bytes()),
    ]);
    let here = folder.path();
    expect(0, here, "count ring.edges -p cycle:30,path:30 --matching subgraph -o ring.csv -q");
    for row in rows(here.join("ring.csv")) {
        // One ring, and a path for every edge that is left out.
        assert_eq!(row[0], 1);
        assert_eq!(row[1..].iter().sum::<u128>(), 30);
    }
    expect(0, here, "count k.edges -p clique:30 -o k.csv -q");
    assert!(rows(here.join("k.csv")).iter().all(|row| row[..] == [binomial(30, 29)]));
    let ran = expect(1, here, "count grid.edges -p path:30 --budget 1M -o grid.csv");
    assert!(ran.err.contains("budget of 1000000"), "{}", ran.err);
}

/// Once the switch is on, every thread looks at it once more and goes no further.
#[test]
fn a_count_that_is_cancelled_stops_when_it_next_looks() {
    let pairs = (0..300u32).flat_map(|v| (0..v).map(move |u| (u, v)));
    let pairs = pairs.filter(|(u, v)| (u * 7919 + v * 104_729) % 97 < 12);
    let graph = Graph::from_edges(300, pairs).unwrap();
    for (patterns, matching) in [
        ("cycle:3..=6", Matching::Subgraph),
        ("all:5", Matching::Induced),
        ("path:7", Matching::Induced),
    ] {
        let spec = CountSpec::new(patterns.parse().unwrap()).with_matching(matching);
        let (switch, looks) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let (turned, looked) = (switch.clone(), looks.clone());
        let counter = Counter::new(&spec).cancel_when(switch).on_progress(move |_| {
            if turned.swap(true, SeqCst) {
                looked.fetch_add(1, SeqCst);
            }
        });
        assert_eq!(counter.count(&graph).unwrap_err().to_string(), "cancelled", "{patterns}");
        let threads = std::thread::available_parallelism().unwrap().get();
        assert!(looks.load(SeqCst) <= threads, "{patterns}: {looks:?} looks");
    }
}
