//! Random cases: every kernel that a plan may choose, forced one by one, against the oracle.
//!
//! A case is a few patterns, the tables that are wanted and some graphs, all of them functions of its
//! number. Kernels count the patterns that they accept in each of the graphs, in numbers of few and of
//! many bits, on one thread and on several; then the plan of the program counts all of them.
//!
//! `GSN_CASES=200000 cargo test --release -p gsn-core --lib differential -- --nocapture` makes so
//! many cases, `GSN_CASES=50000..200000` those of these numbers; `cargo xtask fuzz kernels threads` makes a
//! million graphs of them.

use super::budget::{Budget, Limits};
use super::cells::{CountTable, CountTables, PatternColumns, WantedTables};
use super::homomorphism::ALWAYS_WIDE;
use super::kernel::Use;
use super::plan::KERNELS;
use super::planned::{KernelMemories, PlannedKernel, Run};
use super::{KINDS_OF_MATCHING, Matching, oracle, replace};
use crate::pattern::{Pattern, PatternSet};
use crate::random::{Random, derive};
use crate::{CountSpec, Counter, Graph, GraphBuilder, Scope};
#[cfg(test)]
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Cases where nothing else is asked for.
#[cfg(test)]
const USUAL: u64 = 150;
/// Graphs of a case: preparing to count patterns takes longer than counting them in such a graph.
pub const GRAPHS: usize = 8;
/// Vertices of the largest pattern that is no path, star or cycle.
const LARGEST: usize = 6;
/// Maps that the oracle may have to list for a pattern.
const MAPS: f64 = 4000.0;
const ALL: [Matching; KINDS_OF_MATCHING] =
    [Matching::Induced, Matching::Subgraph, Matching::Homomorphism];

#[cfg(test)]
#[test]
#[allow(clippy::print_stdout)]
fn every_route_agrees_with_the_oracle() {
    let asked = std::env::var("GSN_CASES").unwrap_or(USUAL.to_string());
    let (from, to) = asked.split_once("..").unwrap_or(("0", &asked));
    let numbers = from.parse::<u64>().unwrap()..to.parse().unwrap();
    let cases = numbers.end - numbers.start;
    let routes = numbers.clone().into_par_iter().map(|number| Case::new(number).check());
    let total = routes.reduce(BTreeMap::new, |mut one, other| {
        other.into_iter().for_each(|(route, times)| *one.entry(route).or_default() += times);
        one
    });
    println!("cases {numbers:?}, compared by route: {total:?}");
    for kernel in KERNELS {
        let times = total.get(kernel.name).copied().unwrap_or(0);
        assert!(times * 100 >= cases, "{} was compared {times} times only", kernel.name);
    }
}

/// What is counted in which graphs.
pub struct Case {
    number: u64,
    graphs: Vec<Graph>,
    patterns: Vec<PatternColumns>,
    wanted: WantedTables,
    parallel: bool,
}

/// How often kernels were compared, by name.
pub type Routes = BTreeMap<&'static str, u64>;

impl Case {
    /// The case of this number.
    pub fn new(number: u64) -> Self {
        let mut random = Random::new(derive(14, number));
        let kind = Kind::any(&mut random);
        let graph = kind.graph(&mut random);
        let limit = squares(&graph);
        let mut next = || (0..100).map(|_| kind.graph(&mut random)).find(|g| squares(g) <= limit);
        let others: Vec<Graph> =
            (1..GRAPHS).map(|_| next().unwrap_or_else(|| graph.clone())).collect();
        let mut texts: Vec<String> = Vec::new();
        for _ in 0..1 + random.below(3) {
            let text = kind.pattern(&graph, &mut random);
            // The same pattern under another name is refused.
            let with = [&texts[..], &[text]].concat();
            if with.join("\n").parse::<PatternSet>().is_ok() {
                texts = with;
            }
        }
        let set: PatternSet = texts.join("\n").parse().unwrap();
        let rows = 1 + random.below(3);
        let matchings = 1 + random.below(7);
        let wanted = WantedTables {
            vertices: rows & 1 == 1,
            arcs: rows & 2 == 2,
            matchings: [0, 1, 2].map(|m| matchings >> m & 1 == 1),
        };
        let parallel = random.below(8) == 0;
        let graphs = std::iter::once(graph).chain(others).collect();
        Self { number, graphs, patterns: PatternColumns::of(set.patterns()), wanted, parallel }
    }

    /// Has kernels share the graph among several threads.
    pub fn by_several_threads(&mut self) {
        self.parallel = true;
    }

    /// Counts by every kernel and by the plan.
    ///
    /// # Panics
    /// If one of them does not agree with the oracle.
    pub fn check(&self) -> Routes {
        let expected: Vec<Tables> = self.graphs.iter().map(|graph| self.expected(graph)).collect();
        let mut routes = Routes::new();
        for (index, kernel) in KERNELS.iter().enumerate() {
            let mut wanted = self.wanted;
            let maps = kernel.used == Use::Maps;
            wanted.matchings[0] &= !maps;
            wanted.matchings[1] &= !maps;
            wanted.matchings[2] &= maps;
            if wanted.matchings == [false; KINDS_OF_MATCHING] {
                continue;
            }
            let accepted = self.patterns.iter().filter(|own| match kernel.used {
                Use::WhereCheaper => replace::fits(kernel, own, wanted),
                _ => (kernel.accepts)(&own.pattern),
            });
            let accepted: Vec<PatternColumns> = accepted.cloned().collect();
            let groups: Vec<Vec<PatternColumns>> = match kernel.used {
                Use::EachAlone => accepted.into_iter().map(|own| vec![own]).collect(),
                _ if accepted.is_empty() => Vec::new(),
                _ => vec![accepted],
            };
            for group in groups {
                for wide in [false, true] {
                    let widths = [Use::Maps, Use::WhereCheaper, Use::AllSmallWhereCheaper];
                    if wide && !widths.contains(&kernel.used) {
                        continue;
                    }
                    ALWAYS_WIDE.set(wide);
                    let times = self.check_kernel(index, &group, wanted, &expected);
                    *routes.entry(kernel.name).or_default() += times;
                    ALWAYS_WIDE.set(false);
                }
            }
        }
        self.check_plan(&expected);
        *routes.entry("the plan").or_default() += self.graphs.len() as u64;
        routes
    }

    /// In how many graphs a kernel could count; there it was right.
    fn check_kernel(
        &self,
        index: usize,
        group: &[PatternColumns],
        wanted: WantedTables,
        expected: &[Tables],
    ) -> u64 {
        let planned = PlannedKernel::new(KERNELS, index, group.to_vec(), wanted);
        let mut times = 0;
        for (graph, expected) in self.graphs.iter().zip(expected) {
            let mut memories = KernelMemories::default();
            let memory = memories.of(&planned);
            if !planned.kernel.suits(graph, memory) {
                continue;
            }
            let (vertex, arc) = self.patterns.last().unwrap().end();
            let table =
                |want: bool, rows, columns| want.then(|| CountTable::zeros(rows, columns).unwrap());
            let (rows, edges) = (graph.order(), graph.edge_count());
            let of = wanted.matchings;
            let mut tables = CountTables {
                vertex: of.map(|wants| table(wants && wanted.vertices, rows, vertex)),
                arc: of.map(|wants| table(wants && wanted.arcs, edges, arc)),
            };
            let limits = Limits::new(Budget::unlimited(), None);
            let how = Run { limits: &limits, parallel: self.parallel, part: None, gauge: None };
            planned.kernel.run(graph, memory, &mut tables, &how).unwrap();
            let route = Route { name: KERNELS[index].name, graph };
            for matching in ALL {
                for (arcs, found) in [(false, &tables.vertex), (true, &tables.arc)] {
                    let Some(found) = &found[matching as usize] else { continue };
                    let expected = &expected.of[matching as usize][usize::from(arcs)];
                    for (row, column, value) in cells(group, arcs, found) {
                        let want = expected.get(&(row, column)).copied().unwrap_or(0);
                        assert_eq!(value, want, "{}", self.named(&route, matching, arcs, row));
                    }
                }
            }
            times += 1;
        }
        times
    }

    /// The same patterns by whatever the plan chooses, on vertices and on arcs.
    fn check_plan(&self, expected: &[Tables]) {
        let patterns: Vec<Pattern> = self.patterns.iter().map(|own| own.pattern.clone()).collect();
        let spec = CountSpec::new(PatternSet::from_patterns(patterns).unwrap());
        let counter = Counter::new(&spec);
        let scopes = [Scope::Vertex, Scope::Arc];
        let views: Vec<(Scope, Matching)> = ALL
            .into_iter()
            .filter(|&matching| self.wanted.matchings[matching as usize])
            .flat_map(|matching| scopes.map(|scope| (scope, matching)))
            .filter(|&(scope, _)| match scope {
                Scope::Vertex => self.wanted.vertices,
                _ => self.wanted.arcs,
            })
            .collect();
        for (graph, expected) in self.graphs.iter().zip(expected) {
            let route = Route { name: "the plan", graph };
            let pairs: Vec<(u32, u32)> = graph.arcs().collect();
            let counts = counter.count_views(graph, &views).unwrap();
            for (&(scope, matching), counts) in views.iter().zip(&counts) {
                let arcs = scope == Scope::Arc;
                let expected = &expected.of[matching as usize][usize::from(arcs)];
                for row in 0..counts.rows() {
                    // The rows of the truth are edges, in undirected graphs in one direction.
                    let first = |row: usize| graph.is_directed() || pairs[row].0 < pairs[row].1;
                    let at = if arcs { first(row).then(|| graph.edge_id(row)) } else { Some(row) };
                    let Some(at) = at else { continue };
                    for (column, &value) in counts.row(row).iter().enumerate() {
                        let want = expected.get(&(at, column)).copied().unwrap_or(0);
                        assert_eq!(value, want, "{}", self.named(&route, matching, arcs, at));
                    }
                }
            }
        }
    }

    fn named(&self, route: &Route, matching: Matching, arcs: bool, row: usize) -> String {
        let patterns: Vec<&str> = self.patterns.iter().map(|own| own.pattern.name()).collect();
        let rows = if arcs { "edge" } else { "vertex" };
        let Route { name, graph } = route;
        let arcs: Vec<(u32, u32)> = graph.arcs().collect();
        format!(
            "case {}: {name}, {matching:?}, {rows} {row}; {}; {arcs:?}, labels {:?} {:?}",
            self.number,
            patterns.join(" "),
            graph.vertex_labels(),
            graph.arc_labels(),
        )
    }

    /// What the oracle says, for what is wanted.
    fn expected(&self, graph: &Graph) -> Tables {
        let mut tables = Tables::default();
        for matching in ALL.into_iter().filter(|&m| self.wanted.matchings[m as usize]) {
            for own in &self.patterns {
                let found = oracle::maps(&own.pattern, graph, matching);
                let group = oracle::automorphism_count(&own.pattern);
                let [vertex, arc] = &mut tables.of[matching as usize];
                for (&(v, a), &maps) in &found.vertex {
                    *vertex.entry((v as usize, own.vertex(a))).or_default() += maps;
                }
                for (&((u, v), (a, b)), &maps) in &found.arc {
                    if graph.is_directed() || u < v {
                        let edge = graph.edge_id(graph.arc_id(u, v).unwrap());
                        *arc.entry((edge, own.arc(a, b))).or_default() += maps;
                    }
                }
                // Maps are counted by one member of an orbit, occurrences by all of them.
                let members = |size: usize| match matching {
                    Matching::Homomorphism => size as u64,
                    _ => group,
                };
                let share = |table: &mut BTreeMap<(usize, usize), u64>,
                             first,
                             sizes: Vec<usize>| {
                    for (&(_, column), value) in table.iter_mut() {
                        if let Some(&size) = column.checked_sub(first).and_then(|at| sizes.get(at))
                        {
                            assert_eq!(*value % members(size), 0);
                            *value /= members(size);
                        }
                    }
                };
                share(vertex, own.vertex_column, sizes(&own.orbits.vertex_orbits()));
                share(arc, own.arc_column, sizes(&own.orbits.arc_orbits()));
            }
        }
        tables
    }
}

/// Numbers that are not zero, by matching, by vertex or arc, by row and column.
#[derive(Default)]
struct Tables {
    of: [[BTreeMap<(usize, usize), u64>; 2]; KINDS_OF_MATCHING],
}

/// What counted, and where.
struct Route<'a> {
    name: &'static str,
    graph: &'a Graph,
}

/// Arcs of either direction at a vertex.
fn degree(graph: &Graph, v: u32) -> f64 {
    let backward = if graph.is_directed() { graph.in_neighbors(v).len() } else { 0 };
    (graph.degree(v) + backward) as f64
}

fn squares(graph: &Graph) -> f64 {
    (0..graph.order() as u32).map(|v| degree(graph, v).powi(2)).sum()
}

fn sizes<T>(orbits: &[Vec<T>]) -> Vec<usize> {
    orbits.iter().map(Vec::len).collect()
}

/// The cells of some patterns in a table.
fn cells(
    group: &[PatternColumns],
    arcs: bool,
    table: &CountTable,
) -> impl Iterator<Item = (usize, usize, u64)> {
    let columns = group.iter().flat_map(move |own| {
        if arcs { own.arc_column..own.end().1 } else { own.vertex_column..own.end().0 }
    });
    let columns: Vec<usize> = columns.collect();
    let of_row = move |(row, values): (usize, &[u64])| {
        let cells: Vec<_> = columns.iter().map(|&column| (row, column, values[column])).collect();
        cells
    };
    table.values().chunks_exact(table.columns().max(1)).enumerate().flat_map(of_row)
}

/// Which graphs and patterns a case takes.
#[derive(Clone, Copy)]
struct Kind {
    directed: bool,
    labelled: bool,
    shape: GraphShape,
}

#[derive(Clone, Copy, PartialEq)]
enum GraphShape {
    /// A few vertices, any density.
    Small,
    /// The same beside isolated vertices, too many for a word.
    Padded,
    /// More than 64 vertices, few edges.
    Sparse,
    /// No triangles and no squares.
    Girth,
    /// A few vertices, most of them with twins.
    Twins,
}

impl Kind {
    fn any(random: &mut Random) -> Self {
        let shape = match random.below(10) {
            0..=4 => GraphShape::Small,
            5..=6 => GraphShape::Padded,
            7 => GraphShape::Sparse,
            8 => GraphShape::Twins,
            _ => GraphShape::Girth,
        };
        let kind = random.below(10);
        Self { directed: kind >= 8, labelled: kind == 7 || kind == 9, shape }
    }

    fn graph(self, random: &mut Random) -> Graph {
        let (n, tries) = match self.shape {
            GraphShape::Small => (1 + random.below(9), 45),
            GraphShape::Padded => (2 + random.below(8), 40),
            GraphShape::Sparse => (66 + random.below(10), 160),
            GraphShape::Girth => (3 + random.below(14), 30),
            GraphShape::Twins => (4 + random.below(7), 10),
        };
        let order = if self.shape == GraphShape::Padded { 70 } else { n };
        // Twins are joined to the same others, and to each other if a class meets itself.
        let classes = if self.shape == GraphShape::Twins { 2 + n / 3 } else { n };
        let members = |class: usize| (class..n).step_by(classes);
        let mut around = vec![Vec::new(); n];
        let mut builder = if self.directed {
            GraphBuilder::directed(order)
        } else {
            GraphBuilder::undirected(order)
        };
        let mut pairs = std::collections::BTreeSet::new();
        let mut drawn = Vec::new();
        for _ in 0..random.below(tries) {
            let (a, b) = (random.below(classes), random.below(classes));
            drawn.extend(members(a).flat_map(|u| members(b).map(move |v| (u, v))));
        }
        for (u, v) in drawn {
            let pair = if self.directed { (u, v) } else { (u.min(v), u.max(v)) };
            let near = self.shape == GraphShape::Girth && is_within_three(&around, u, v);
            if u == v || near || !pairs.insert(pair) {
                continue;
            }
            around[u].push(v);
            around[v].push(u);
            let (u, v) = (pair.0 as u32, pair.1 as u32);
            if self.labelled {
                builder.labelled_edge(u, v, random.below(2) as u32);
            } else {
                builder.edge(u, v);
            }
        }
        if self.labelled {
            builder.vertex_labels((0..order).map(|_| random.below(2) as u32).collect());
        }
        builder.build().unwrap()
    }

    /// A pattern whose maps into a graph the oracle lists soon.
    fn pattern(self, graph: &Graph, random: &mut Random) -> String {
        let squares = squares(graph);
        let arcs = (0..graph.order() as u32).map(|v| degree(graph, v)).sum::<f64>().max(1.0);
        let (mut order, mut maps) = (2, arcs);
        while order < 8 && maps * squares / arcs < MAPS {
            order += 1;
            maps *= (squares / arcs).max(1.0);
        }
        let k = 2 + random.below(order - 1);
        if !self.directed && !self.labelled && random.below(2) == 0 {
            return match random.below(4) {
                0 if k >= 3 => format!("cycle:{k}"),
                1 => format!("clique:{}", k.min(LARGEST)),
                2 => format!("star:{}", k - 1),
                _ => format!("path:{k}"),
            };
        }
        let k = k.min(LARGEST);
        let mut pairs = Vec::new();
        for v in 1..k {
            pairs.push((v, random.below(v)));
        }
        let density = random.unit();
        for (a, b) in (0..k).flat_map(|a| (0..a).map(move |b| (a, b))) {
            if !pairs.contains(&(a, b)) && random.unit() < density {
                pairs.push((a, b));
            }
        }
        let labels: Vec<Option<usize>> = (0..k)
            .map(|_| (self.labelled && random.below(2) == 0).then(|| random.below(2)))
            .collect();
        let mut text = String::from("edges:");
        for (at, &(a, b)) in pairs.iter().enumerate() {
            let (a, b) = if random.below(2) == 0 { (a, b) } else { (b, a) };
            let name = |v: usize| labels[v].map_or(v.to_string(), |label| format!("{v}@{label}"));
            let sign = if self.directed { '>' } else { '-' };
            let comma = if at == 0 { "" } else { "," };
            write!(text, "{comma}{}{sign}{}", name(a), name(b)).unwrap();
            if self.labelled && random.below(3) == 0 {
                write!(text, ":{}", random.below(2)).unwrap();
            } else if self.directed && random.below(5) == 0 {
                write!(text, ",{}>{}", name(b), name(a)).unwrap();
            }
        }
        text
    }
}

/// Whether two vertices are at most three steps apart.
fn is_within_three(around: &[Vec<usize>], u: usize, v: usize) -> bool {
    let mut near = vec![u];
    for _ in 0..3 {
        let next: Vec<usize> = near.iter().flat_map(|&w| around[w].iter().copied()).collect();
        near.extend(next);
    }
    near.contains(&v)
}
