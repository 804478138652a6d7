//! Refinement against the plain definition, and what it may and may not tell apart.

use super::*;
use crate::generate;
use crate::graph::GraphBuilder;
use crate::random::Random;
use std::collections::BTreeMap;

/// The definition, round by round over the disjoint union, with names from sorted signatures.
fn plain(graphs: &[Graph], starts: &[Start<'_>]) -> Vec<Vec<u32>> {
    let mut colours: Vec<Vec<usize>> = graphs
        .iter()
        .zip(starts)
        .map(|(g, s)| (0..g.order()).map(|v| s.vertex.map_or(0, |c| c[v] as usize)).collect())
        .collect();
    let mut count = 0;
    loop {
        let mut names = BTreeMap::new();
        let signatures: Vec<Vec<_>> = graphs
            .iter()
            .zip(starts)
            .zip(&colours)
            .map(|((g, s), c)| {
                let arc = |u: u32, v: u32| {
                    g.arc_id(u, v).map(|id| s.arc.map_or(0, |colours| colours[id]))
                };
                (0..g.order() as u32)
                    .map(|v| {
                        let mut around: Vec<_> = (0..g.order() as u32)
                            .filter(|&u| g.has_arc(u, v) || g.has_arc(v, u))
                            .map(|u| (arc(u, v), arc(v, u), c[u as usize]))
                            .collect();
                        around.sort_unstable();
                        (c[v as usize], around)
                    })
                    .collect()
            })
            .collect();
        for signature in signatures.iter().flatten() {
            names.insert(signature.clone(), 0usize);
        }
        for (at, name) in names.values_mut().enumerate() {
            *name = at;
        }
        colours = signatures.iter().map(|g| g.iter().map(|s| names[s]).collect()).collect();
        if names.len() == count {
            break;
        }
        count = names.len();
    }
    colours.iter().map(|g| g.iter().map(|&c| c as u32).collect()).collect()
}

/// Whether two colourings are the same up to the names of colours.
fn same_partition(a: &[u32], b: &[u32]) -> bool {
    group(a) == group(b)
}

fn random_graph(random: &mut Random, directed: bool) -> Graph {
    let n = random.below(9);
    let p = random.unit();
    let mut builder =
        if directed { GraphBuilder::directed(n) } else { GraphBuilder::undirected(n) };
    for u in 0..n as u32 {
        for v in 0..n as u32 {
            if (directed && u != v || u < v) && random.unit() < p {
                builder.edge(u, v);
            }
        }
    }
    builder.build().unwrap()
}

#[test]
fn refinement_is_that_of_the_disjoint_union() {
    let mut random = Random::new(5);
    for round in 0..300 {
        let directed = round % 3 == 0;
        let mut graphs: Vec<Graph> = (0..4).map(|_| random_graph(&mut random, directed)).collect();
        // Regular pieces of different sizes share colours; so do copies.
        if !directed {
            graphs.push(generate::circulant(6, &[1]).unwrap());
            graphs.push(generate::circulant(4, &[1]).unwrap());
        }
        let vertex: Vec<Vec<u32>> = graphs
            .iter()
            .map(|g| (0..g.order()).map(|_| random.below(2) as u32 * 7).collect())
            .collect();
        let arc: Vec<Vec<u32>> = graphs
            .iter()
            .map(|g| (0..g.arc_count()).map(|_| random.below(2) as u32).collect())
            .collect();
        for kind in 0..4 {
            let starts: Vec<Start<'_>> = vertex
                .iter()
                .zip(&arc)
                .map(|(v, a)| Start {
                    vertex: (kind & 1 == 1).then_some(v),
                    arc: (kind & 2 == 2).then_some(a),
                })
                .collect();
            let ours = refine(&graphs, &starts).unwrap();
            let all: Vec<u32> = (0..graphs.len()).flat_map(|g| ours.of(g).to_vec()).collect();
            let truth = plain(&graphs, &starts).concat();
            assert!(same_partition(&all, &truth), "{graphs:?} {starts:?}");
        }
    }
}

#[test]
fn small_and_large_graphs_share_their_names() {
    // A long cycle is refined by lists, a short one on words; with tails the cells have an order.
    let tailed = |k: u32, copies: u32| {
        let ring = (0..k * copies).map(move |v| (v, (v + 1) % (k * copies)));
        let tail = (0..copies).flat_map(move |i| {
            let end = k * copies + 2 * i;
            [(i * k, end), (end, end + 1)]
        });
        Graph::from_edges(((k + 2) * copies) as usize, ring.chain(tail)).unwrap()
    };
    for k in 1..12 {
        let graphs = [tailed(k.max(3), 1), tailed(k.max(3), 30), tailed(k.max(3), 2)];
        let colouring = refine(&graphs, &[]).unwrap();
        let set = |g: usize| colouring.histogram(g).iter().map(|&(c, _)| c).collect::<Vec<_>>();
        assert_eq!(set(0), set(1), "{k}");
        assert_eq!(set(0), set(2), "{k}");
        let truth = plain(&graphs, &[Start::default(); 3]).concat();
        let all: Vec<u32> = (0..3).flat_map(|g| colouring.of(g).to_vec()).collect();
        assert!(same_partition(&all, &truth));
        assert_eq!(colouring.classes(), [0, 1, 2]);
    }
    // Parts of one name count together: cycles of 3 and 5 look like two of 4.
    let cycles = |a: u32, b: u32| {
        let first = (0..a).map(move |v| (v, (v + 1) % a));
        let second = (0..b).map(move |v| (a + v, a + (v + 1) % b));
        Graph::from_edges((a + b) as usize, first.chain(second)).unwrap()
    };
    let colouring = refine(&[cycles(3, 5), cycles(4, 4), cycles(3, 6)], &[]).unwrap();
    assert_eq!(colouring.classes(), [0, 0, 1]);
    // Random graphs beside many copies of themselves joined to one large graph.
    for seed in 0..60 {
        let part = generate::erdos_renyi(10, 0.22, seed).unwrap();
        let edges: Vec<(u32, u32)> = part.edges().collect();
        let copies =
            (0..9u32).flat_map(|i| edges.iter().map(move |&(u, v)| (10 * i + u, 10 * i + v)));
        let large = Graph::from_edges(90, copies).unwrap();
        let vertex: Vec<u32> = (0..90).map(|v| (v % 10) % 3).collect();
        let graphs = [part, large];
        for coloured in [false, true] {
            let start = |n: usize| Start { vertex: coloured.then_some(&vertex[..n]), arc: None };
            let colouring = refine(&graphs, &[start(10), start(90)]).unwrap();
            assert_eq!(colouring.of(0).repeat(9), colouring.of(1), "{seed}");
        }
    }
}

#[test]
fn relabelling_changes_nothing() {
    let mut random = Random::new(11);
    for seed in 0..200 {
        let graph = generate::erdos_renyi(12, 0.25, seed).unwrap();
        let moved = graph.relabelled(&random.permutation(12)).unwrap();
        let pair = [graph, moved];
        assert_eq!(refine(&pair, &[]).unwrap().classes(), [0, 0]);
        assert_eq!(Fwl::new(2).unwrap().classes(&pair, &[]).unwrap(), [0, 0]);
        let Isomorphism::Same(map) = isomorphic(&pair[0], &pair[1], 1000) else {
            panic!("seed {seed}")
        };
        assert_eq!(pair[0].relabelled(&map).unwrap(), pair[1]);
        assert_eq!(isomorphism_classes(&pair).unwrap().class, [0, 0]);
    }
}

#[test]
fn tests_form_a_ladder() {
    // Whatever a weaker test separates, a stronger one does; only different graphs are separated.
    let mut graphs: Vec<Graph> =
        (0..60).map(|seed| generate::random_regular(8, 3, seed).unwrap()).collect();
    graphs.push(generate::rook(4, 4).unwrap());
    graphs.push(generate::shrikhande());
    let one = refine(&graphs, &[]).unwrap().classes();
    let two = Fwl::new(2).unwrap().classes(&graphs, &[]).unwrap();
    let three = Fwl::new(3).unwrap().classes(&graphs, &[]).unwrap();
    let same = isomorphism_classes(&graphs).unwrap();
    assert!(same.undecided.is_empty());
    for i in 0..graphs.len() {
        for j in 0..i {
            let equal = |c: &[u32]| c[i] == c[j];
            assert!(equal(&one) || !equal(&two));
            assert!(equal(&two) || !equal(&three));
            assert!(equal(&three) || !equal(&same.class));
        }
    }
    assert_eq!(one[..60], [0; 60]);
    // The five connected cubic graphs of eight vertices.
    assert_eq!(same.class[..60].iter().max(), Some(&4));
    assert_eq!(two[60], two[61]);
    assert_ne!(three[60], three[61]);
}

#[test]
fn two_fwl_on_pairs_is_the_definition() {
    // Round by round with sorted lists and no grouping, for comparison.
    fn naive(graphs: &[Graph]) -> Vec<Vec<u32>> {
        let mut colours: Vec<Vec<u32>> = graphs
            .iter()
            .map(|g| {
                let n = g.order() as u32;
                let joined = |u, v| if u == v { 2 } else { u32::from(g.has_arc(u, v)) };
                (0..n).flat_map(|u| (0..n).map(move |v| joined(u, v))).collect()
            })
            .collect();
        for _ in 0..10 {
            let signatures = graphs.iter().zip(&colours).flat_map(|(g, c)| {
                let n = g.order();
                (0..n * n).map(move |t| {
                    let (u, v) = (t / n, t % n);
                    let mut around: Vec<_> = (0..n).map(|w| (c[u * n + w], c[w * n + v])).collect();
                    around.sort_unstable();
                    (c[t], around)
                })
            });
            let mut flat = group(signatures).into_iter();
            colours = graphs
                .iter()
                .map(|g| flat.by_ref().take(g.order() * g.order()).collect())
                .collect();
        }
        colours
    }
    for seed in 0..40 {
        let graphs: Vec<Graph> =
            (0..5).map(|i| generate::random_regular(8, 3, 5 * seed + i).unwrap()).collect();
        let ours = Fwl::new(2).unwrap().colours(&graphs, &[]).unwrap();
        let truth = naive(&graphs);
        assert!(same_partition(&ours.concat(), &truth.concat()));
        let histogram = |c: &[u32]| {
            let mut sorted = c.to_vec();
            sorted.sort_unstable();
            sorted
        };
        let classes = Fwl::new(2).unwrap().classes(&graphs, &[]).unwrap();
        assert_eq!(classes, group(truth.iter().map(|c| histogram(c))));
    }
}

#[test]
fn limits_and_wrong_starts_are_errors() {
    let graphs = [Graph::from_edges(3, [(0, 1)]).unwrap(), Graph::from_edges(3, [(1, 2)]).unwrap()];
    let short = [Start { vertex: Some(&[1, 2]), arc: None }, Start::default()];
    let error = refine(&graphs, &short).unwrap_err();
    assert_eq!(error.to_string(), "graph 0: 2 start colours for 3 vertices");
    assert!(matches!(refine(&graphs, &short[..1]), Err(WlError::Starts { .. })));
    let fwl = Fwl::new(2).unwrap();
    assert!(matches!(fwl.with_limit(100).classes(&graphs, &[]), Err(WlError::Memory { .. })));
    assert_eq!(fwl.with_limit(fwl.bytes(3, 2) + (1 << 16)).classes(&graphs, &[]).unwrap(), [0, 0]);
    assert!(matches!(Fwl::new(4), Err(WlError::Dimension(4))));
    let empty = Graph::from_edges(0, []).unwrap();
    let lone = Graph::from_edges(1, []).unwrap();
    let all = [empty.clone(), lone, empty];
    assert_eq!(refine(&all, &[]).unwrap().classes(), [0, 1, 0]);
    assert_eq!(fwl.classes(&all, &[]).unwrap(), [0, 1, 0]);
    assert_eq!(isomorphism_classes(&all).unwrap().class, [0, 1, 0]);
    assert!(refine(&[], &[]).unwrap().classes().is_empty());
    assert!(fwl.classes(&[], &[]).unwrap().is_empty());
}

#[test]
fn treewidths_are_the_known_ones() {
    let complete = |n: u32| {
        Graph::from_edges(n as usize, (0..n).flat_map(|u| (0..u).map(move |v| (u, v)))).unwrap()
    };
    let of = |graph: &Graph| treewidth(graph).unwrap();
    assert_eq!([1, 2, 5].map(|n| of(&complete(n))), [0, 1, 4]);
    assert_eq!(of(&generate::random_tree(15, 3).unwrap()), 1);
    assert_eq!(of(&generate::circulant(9, &[1]).unwrap()), 2);
    // A grid of 3 × 3, the cube, Petersen's graph.
    let grid = Graph::from_edges(
        9,
        (0..9u32).flat_map(|v| {
            let right = (v % 3 < 2).then_some((v, v + 1));
            right.into_iter().chain((v < 6).then_some((v, v + 3)))
        }),
    );
    assert_eq!(of(&grid.unwrap()), 3);
    let cube = (0..8u32).flat_map(|v| [1, 2, 4].map(|bit| (v, v ^ bit)));
    assert_eq!(of(&Graph::from_edges(8, cube).unwrap()), 3);
    let petersen = (0..5u32).flat_map(|v| [(v, (v + 1) % 5), (v, v + 5), (5 + v, 5 + (v + 2) % 5)]);
    assert_eq!(of(&Graph::from_edges(10, petersen).unwrap()), 4);
    assert!(treewidth(&generate::circulant(30, &[1]).unwrap()).is_err());
}
