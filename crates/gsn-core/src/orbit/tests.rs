//! Groups, orbits and canonical forms against listing all permutations, and against known groups
//! far too large to list.

use super::*;
use crate::pattern::{PatternError, PatternSet};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

fn family(text: &str) -> PatternSet {
    text.parse().unwrap()
}

fn group_order(pattern: &Pattern) -> String {
    Orbits::of(pattern, EdgeOrbits::Exact).group_order().to_string()
}

fn named_order(text: &str) -> String {
    group_order(&family(text).patterns()[0])
}

fn factorial(n: u32) -> u128 {
    (1..=u128::from(n)).product()
}

/// A pattern from the pairs that `joined` picks.
fn graph(n: usize, joined: impl Fn(usize, usize) -> bool) -> Pattern {
    let pairs = (0..n).flat_map(|v| (0..v).map(move |u| (u, v)));
    let edges: Vec<_> = pairs.filter(|&(u, v)| joined(u, v)).collect();
    Pattern::new("graph", n, &edges).unwrap()
}

/// An order of `0..n` that depends on `seed`.
fn shuffled(n: usize, seed: u64) -> Vec<u8> {
    let mut random = crate::random::Random::new(seed);
    let mut order: Vec<u8> = (0..n as u8).collect();
    for i in (1..n).rev() {
        order.swap(i, (random.bits() % (i as u64 + 1)) as usize);
    }
    order
}

fn permutations(n: usize) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    for _ in 0..n {
        let longer = |p: &Vec<u8>| -> Vec<Vec<u8>> {
            let missing = (0..n as u8).filter(|v| !p.contains(v));
            missing.map(|v| [&p[..], &[v]].concat()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Petersen's graph: pairs from five, joined when disjoint.
fn petersen() -> Pattern {
    let pairs: Vec<u32> = (0..5).flat_map(|b| (0..b).map(move |a| 1 << a | 1 << b)).collect();
    graph(10, |u, v| pairs[u] & pairs[v] == 0)
}

/// Cai, Fürer and Immerman's graph over K4, which colour refinement sees nothing in; with a twist
/// it is another graph.
fn cai_furer_immerman(twisted: bool) -> Pattern {
    // Vertex v of K4 has four middles, one for every even set of its three edges, and for its
    // edge to w the ends (v, w, 0) and (v, w, 1).
    let end = |v: usize, w: usize, side: usize| 16 + v * 6 + (w - usize::from(w > v)) * 2 + side;
    let mut edges = Vec::new();
    for v in 0..4 {
        let others: Vec<usize> = (0..4).filter(|&w| w != v).collect();
        for (middle, set) in [0b000, 0b011, 0b101, 0b110].into_iter().enumerate() {
            for (i, &w) in others.iter().enumerate() {
                edges.push((v * 4 + middle, end(v, w, set >> i & 1)));
            }
        }
        for w in 0..v {
            let cross = usize::from(twisted && (v, w) == (1, 0));
            for side in 0..2 {
                edges.push((end(v, w, side), end(w, v, side ^ cross)));
            }
        }
    }
    Pattern::new("cfi", 40, &edges).unwrap()
}

/// A vertex joined to everything else, nine triangles and nine squares.
fn triangles_and_squares() -> Pattern {
    let place = |v: usize| match v {
        0 => (0, 0, 1),
        1..28 => (1 + (v - 1) / 3, (v - 1) % 3, 3),
        _ => (10 + (v - 28) / 4, (v - 28) % 4, 4),
    };
    graph(64, |u, v| {
        let ((a, i, k), (b, j, _)) = (place(u), place(v));
        u == 0 || (a == b && ((i + 1) % k == j || (j + 1) % k == i))
    })
}

fn symmetric_patterns() -> Vec<(Pattern, Option<u128>)> {
    let square = |q: usize, u: usize, v: usize| (1..q).any(|x| (x * x) % q == (v - u) % q);
    vec![
        (petersen(), Some(120)),
        (graph(20, |u, v| u % 2 != v % 2), Some(2 * factorial(10) * factorial(10))),
        (graph(64, |u, v| (u ^ v).count_ones() == 1), Some(64 * factorial(6))),
        (graph(64, |u, v| u / 8 == v / 8 || u % 8 == v % 8), Some(2 * factorial(8).pow(2))),
        (graph(61, |u, v| square(61, u, v)), Some(61 * 30)),
        (triangles_and_squares(), Some(48u128.pow(9) * factorial(9).pow(2))),
        (cai_furer_immerman(false), None),
        (cai_furer_immerman(true), None),
    ]
}

#[test]
fn groups_too_large_to_list() {
    assert_eq!(named_order("star:19"), factorial(19).to_string());
    assert_eq!(named_order("clique:20"), factorial(20).to_string());
    assert_eq!(named_order("cycle:20"), "40");
    assert_eq!(named_order("cycle:64"), "128");
    assert_eq!(named_order("path:64"), "2");
    // 63! has 88 digits.
    let order = named_order("star:63");
    assert!(order.starts_with("198260831540444006411614670836189813754477369022726862810627959"));
    assert_eq!(order.len(), 88);
    let orbits = Orbits::of(&family("star:63").patterns()[0], EdgeOrbits::Exact);
    assert_eq!(orbits.group_order().to_u128(), None);
    assert_eq!((orbits.vertex_count(), orbits.arc_count(), orbits.edge_count()), (2, 2, 1));
    for (pattern, order) in symmetric_patterns() {
        let found = Orbits::of(&pattern, EdgeOrbits::Exact);
        let found = found.group_order().to_u128().unwrap();
        assert_eq!(order.unwrap_or(found), found, "{}", pattern.edge_list());
    }
}

#[test]
fn canonical_form_of_symmetric_patterns() {
    let mut codes = HashSet::new();
    for (pattern, _) in symmetric_patterns() {
        let code = pattern.canonical_code();
        for seed in 0..8 {
            let other = pattern.reordered(&shuffled(pattern.order(), seed));
            assert_eq!(other.canonical_code(), code);
        }
        assert!(codes.insert(code), "the twisted graph is another one");
    }
}

/// Groups patterns that a renumbering carries to each other, by swapping neighbouring numbers
/// until nothing new turns up; `patterns` must be closed under that.
fn classes(patterns: &[Pattern]) -> Vec<usize> {
    let index: HashMap<&Pattern, usize> = patterns.iter().zip(0..).collect();
    let mut class = vec![usize::MAX; patterns.len()];
    for first in 0..patterns.len() {
        let mut open = vec![first];
        while let Some(i) = open.pop() {
            if class[i] != usize::MAX {
                continue;
            }
            class[i] = first;
            for v in 1..patterns[i].order() {
                let mut order: Vec<u8> = (0..patterns[i].order() as u8).collect();
                order.swap(v - 1, v);
                open.push(index[&patterns[i].reordered(&order)]);
            }
        }
    }
    class
}

fn codes_tell_exactly_the_classes(patterns: &[Pattern]) -> usize {
    let mut code_of_class = HashMap::new();
    let mut seen = HashSet::new();
    for (pattern, class) in patterns.iter().zip(classes(patterns)) {
        let canonical = pattern.canonical();
        let code = canonical.name().to_owned();
        assert_eq!(canonical.canonical(), canonical);
        assert_eq!(family(&code).patterns(), [canonical]);
        match code_of_class.get(&class) {
            Some(known) => assert_eq!(known, &code),
            None => {
                assert!(seen.insert(code.clone()), "{code} stands for two classes");
                code_of_class.insert(class, code);
            }
        }
    }
    seen.len()
}

/// All undirected patterns of `n` vertices, by number.
fn all_undirected(n: usize) -> Vec<Pattern> {
    let pairs: Vec<_> = (0..n).flat_map(|v| (0..v).map(move |u| (u, v))).collect();
    (0..1u32 << pairs.len())
        .filter_map(|set| {
            let chosen = pairs.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
            let edges: Vec<_> = chosen.map(|(_, &pair)| pair).collect();
            Pattern::new("", n, &edges).ok()
        })
        .collect()
}

#[test]
fn codes_tell_all_graphs_of_up_to_six_vertices() {
    for (n, graphs) in [(2, 1), (3, 2), (4, 6), (5, 21), (6, 112)] {
        assert_eq!(codes_tell_exactly_the_classes(&all_undirected(n)), graphs);
    }
}

#[test]
fn codes_tell_all_directed_graphs_of_four_vertices() {
    let arcs: Vec<_> =
        (0..4).flat_map(|a| (0..4).map(move |b| (a, b))).filter(|(a, b)| a != b).collect();
    let patterns: Vec<_> = (0..1u32 << arcs.len())
        .filter_map(|set| {
            let chosen = arcs.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
            let chosen: Vec<_> = chosen.map(|(_, &arc)| arc).collect();
            Pattern::directed("", 4, &chosen).ok()
        })
        .collect();
    // Weakly connected digraphs: 2, 13, 199 of 2, 3, 4 vertices.
    assert_eq!(codes_tell_exactly_the_classes(&patterns), 199);
}

#[test]
fn codes_tell_labels() -> Result<(), PatternError> {
    let mut patterns = Vec::new();
    for base in all_undirected(4) {
        let edges: Vec<_> = base.edges().collect();
        for set in 0..1u32 << (4 + edges.len()) {
            let mut pattern = base.clone();
            for v in (0..4).filter(|v| set >> v & 1 == 1) {
                pattern = pattern.with_vertex_label(v, 6)?;
            }
            for (i, &(a, b)) in edges.iter().enumerate() {
                if set >> (4 + i) & 1 == 1 {
                    pattern = pattern.with_edge_label(a, b, 0)?;
                }
            }
            patterns.push(pattern);
        }
    }
    let classes = codes_tell_exactly_the_classes(&patterns);
    // As many as Burnside's lemma counts.
    let fixed: usize = permutations(4)
        .iter()
        .map(|g| patterns.iter().filter(|p| p.reordered(g) == **p).count())
        .sum();
    assert_eq!(classes * 24, fixed);
    Ok(())
}

#[test]
fn a_directed_pattern_is_not_its_undirected_twin() {
    let both = family("edges:0>1,1>0 , edges:0-1");
    assert!(!both.patterns()[0].is_isomorphic(&both.patterns()[1]));
    assert_eq!(both.duplicates(), []);
}

/// Random patterns, directed or not, with a few labels.
fn patterns(orders: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Pattern> {
    let entries = prop::collection::vec(0..6u8, 7 * 7);
    let labels = prop::collection::vec(0..5u32, 7);
    (orders, any::<bool>(), entries, labels, any::<bool>(), any::<bool>()).prop_filter_map(
        "connected",
        |(n, directed, entries, labels, label_vertices, label_edges)| {
            let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
            let chosen: Vec<_> = pairs
                .filter(|&(a, b)| if directed { a != b } else { a < b })
                .filter(|&(a, b)| entries[a * n + b] > if directed { 3 } else { 2 })
                .collect();
            let make = if directed { Pattern::directed } else { Pattern::new };
            let mut pattern = make(String::new(), n, &chosen).ok()?;
            for v in (0..n).filter(|&v| label_vertices && labels[v] > 1) {
                pattern = pattern.with_vertex_label(v, labels[v] / 4).ok()?;
            }
            for &(a, b) in chosen.iter().filter(|&&(a, b)| label_edges && entries[a * n + b] > 4) {
                pattern = pattern.with_edge_label(a, b, labels[a] % 2).ok()?;
            }
            Some(pattern)
        },
    )
}

/// What `Orbits` should say, from a list of all automorphisms.
fn listed_arc_orbits(pattern: &Pattern, group: &[Vec<u8>]) -> Vec<Vec<(usize, usize)>> {
    let mut orbits: Vec<Vec<(usize, usize)>> = Vec::new();
    for (a, b) in pattern.arcs() {
        if orbits.iter().flatten().any(|&arc| arc == (a, b)) {
            continue;
        }
        let mut orbit: Vec<_> = group.iter().map(|g| (g[a] as usize, g[b] as usize)).collect();
        orbit.sort_unstable();
        orbit.dedup();
        orbits.push(orbit);
    }
    orbits
}

proptest! {
    #[test]
    fn groups_and_orbits_by_listing(pattern in patterns(2..=6)) {
        let n = pattern.order();
        let group: Vec<_> =
            permutations(n).into_iter().filter(|g| pattern.reordered(g) == pattern).collect();
        let orbits = Orbits::of(&pattern, EdgeOrbits::Exact);
        prop_assert_eq!(orbits.group_order().to_u128(), Some(group.len() as u128));
        prop_assert!(orbits.generators().iter().all(|g| group.contains(g)));
        for v in 0..n {
            let smallest = group.iter().map(|g| g[v]).min().unwrap() as usize;
            prop_assert_eq!(orbits.vertex(v), orbits.vertex(smallest));
            prop_assert_eq!(&orbits.vertex_orbits()[orbits.vertex(v)][0], &smallest);
        }
        prop_assert_eq!(orbits.arc_orbits(), listed_arc_orbits(&pattern, &group));
        let base: Vec<usize> = shuffled(n, 5).into_iter().map(usize::from).collect();
        let mut fixing = group;
        for (&v, orbit) in base.iter().zip(stabiliser_orbits(&pattern, &base)) {
            prop_assert_eq!(orbit, fixing.iter().fold(0, |set, g| set | 1u64 << g[v]));
            fixing.retain(|g| g[v] as usize == v);
        }
    }

    #[test]
    fn canonical_form_forgets_numbers(pattern in patterns(2..=7), seed: u64) {
        let other = pattern.reordered(&shuffled(pattern.order(), seed));
        prop_assert!(pattern.is_isomorphic(&other));
        prop_assert_eq!(pattern.canonical(), other.canonical());
    }

    #[test]
    fn orbits_are_a_partition(pattern in patterns(2..=7), official: bool) {
        let notion = if official { EdgeOrbits::Official } else { EdgeOrbits::Exact };
        let orbits = Orbits::of(&pattern, notion);
        let mut arcs: Vec<_> = orbits.arc_orbits().concat();
        arcs.sort_unstable();
        prop_assert_eq!(arcs, pattern.arcs().collect::<Vec<_>>());
        let mut edges: Vec<_> = orbits.edge_orbits().concat();
        edges.sort_unstable();
        prop_assert_eq!(edges, pattern.edges().collect::<Vec<_>>());
        let mut vertices = orbits.vertex_orbits().concat();
        vertices.sort_unstable();
        prop_assert!(vertices.into_iter().eq(0..pattern.order()));
        for (a, b) in pattern.arcs() {
            let back = orbits.reverse(orbits.arc(a, b));
            if pattern.is_directed() {
                prop_assert_eq!(back, None);
            } else {
                prop_assert_eq!(back, Some(orbits.arc(b, a)));
                prop_assert_eq!(orbits.reverse(back.unwrap()), Some(orbits.arc(a, b)));
                let edge = |orbit| orbits.edge_of_arc_orbit(orbit);
                prop_assert_eq!(edge(back.unwrap()), edge(orbits.arc(a, b)));
            }
        }
    }
}

/// Whether the two notions give the same arc orbits.
fn notions_agree(pattern: &Pattern) -> bool {
    let [exact, official] =
        [EdgeOrbits::Exact, EdgeOrbits::Official].map(|notion| Orbits::of(pattern, notion));
    let arcs = exact.arc_orbits() == official.arc_orbits();
    assert!(arcs || exact.arc_count() > official.arc_count());
    assert_eq!(arcs, exact.edge_orbits() == official.edge_orbits());
    arcs
}

#[test]
fn where_the_authors_orbits_are_coarser() {
    let coarser = |text: &str| -> Vec<_> {
        let set = family(text);
        set.iter().filter(|p| !notions_agree(p)).map(Pattern::canonical_code).collect()
    };
    assert_eq!(coarser("all:2..=5, cycle:3..=12, path:2..=12"), [""; 0]);
    assert_eq!(coarser("star:1..=12, clique:2..=9, tree:2..=8"), [""; 0]);
    let six: HashSet<_> = coarser("all:6").into_iter().collect();
    let known = family("g6:EhNG, g6:E^eG, g6:EtTg, g6:E^mG, g6:EzNG, g6:El^g");
    assert_eq!(six, known.iter().map(Pattern::canonical_code).collect());
    assert_eq!(six.len(), 6);
    assert_eq!(coarser("all:7").len(), 34);
}
