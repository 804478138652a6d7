//! Which cells of a table of counts one occurrence is counted in, so that it can be taken out of them again.
//!
//! An occurrence adds 1 for every vertex, edge or arc of the pattern, in the row of its image and the column of its
//! orbit. A homomorphism adds 1 for one member of every orbit, the first, which is how maps are counted. Over all
//! occurrences, cells sum to the counts.

use super::{Counts, Matching, Scope};
use crate::graph::Graph;
use crate::orbit::{EdgeOrbits, Orbits};
use crate::spec::CountSpec;

/// What the occurrences of a spec's patterns are counted in.
///
/// ```
/// use gsn_core::count::{Coverage, Occurrences};
/// use gsn_core::{CountSpec, Counter, Graph};
/// let bowtie = Graph::from_edges(5, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)])?;
/// let spec = CountSpec::new("cycle:3".parse()?);
/// let coverage = Coverage::of(&spec);
/// let mut counts = Counter::new(&spec).count(&bowtie)?.values().to_vec();
/// for image in Occurrences::new(&spec.patterns().patterns()[0], &bowtie, spec.matching()) {
///     coverage.cells(0, &image, &bowtie).for_each(|(row, column)| counts[row + column] -= 1);
/// }
/// assert_eq!(counts, [0; 5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Coverage {
    scope: Scope,
    patterns: Vec<Roles>,
}

/// What of one pattern is counted: members, the second of which is the same as the first for vertices, and their columns.
type Roles = Vec<((usize, usize), usize)>;

impl Coverage {
    /// The coverage of these counts.
    pub fn of(spec: &CountSpec) -> Self {
        let maps = spec.matching() == Matching::Homomorphism;
        let scope = spec.scope();
        let mut first = 0;
        let roles = |pattern| {
            let exact = Orbits::of(pattern, EdgeOrbits::Exact);
            let wanted = Orbits::of(pattern, spec.orbits());
            // Of every orbit one member, or all of them.
            let counted = |members: &[(usize, usize)]| {
                members[..if maps { 1 } else { members.len() }].to_vec()
            };
            let column = |&(a, b): &(usize, usize)| match scope {
                Scope::Vertex => wanted.vertex(a),
                Scope::Edge => wanted.edge_of_arc_orbit(wanted.arc(a, b)),
                Scope::Arc => wanted.arc(a, b),
            };
            let members: Vec<(usize, usize)> = match scope {
                Scope::Vertex => {
                    let pairs =
                        |orbit: &Vec<usize>| orbit.iter().map(|&a| (a, a)).collect::<Vec<_>>();
                    exact.vertex_orbits().iter().flat_map(|orbit| counted(&pairs(orbit))).collect()
                }
                Scope::Edge => {
                    exact.edge_orbits().iter().flat_map(|orbit| counted(orbit)).collect()
                }
                Scope::Arc => exact.arc_orbits().iter().flat_map(|orbit| counted(orbit)).collect(),
            };
            let start = first;
            first += match scope {
                Scope::Vertex => wanted.vertex_count(),
                Scope::Edge => wanted.edge_count(),
                Scope::Arc => wanted.arc_count(),
            };
            members.into_iter().map(|member| (member, start + column(&member))).collect()
        };
        Self { scope, patterns: spec.patterns().iter().map(roles).collect() }
    }

    /// How many occurrences, or maps, of every pattern these counts stand for: the sum of its cells, in which each stands as
    /// often as it adds to them.
    ///
    /// # Panics
    /// When the counts have fewer columns than the spec's.
    pub fn totals(&self, counts: &Counts) -> Vec<u128> {
        let total = |roles: &Roles| {
            let mut columns: Vec<usize> = roles.iter().map(|&(_, column)| column).collect();
            columns.sort_unstable();
            columns.dedup();
            let cells = columns.into_iter().flat_map(|column| counts.column(column));
            let sum: u128 = cells.map(u128::from).sum();
            sum.checked_div(roles.len() as u128).unwrap_or(0)
        };
        self.patterns.iter().map(total).collect()
    }

    /// The rows and columns that the occurrence `image` of a pattern is counted in, each once for every 1 that it adds.
    pub fn cells<'a>(
        &'a self,
        pattern: usize,
        image: &'a [u32],
        graph: &'a Graph,
    ) -> impl Iterator<Item = (usize, usize)> + 'a {
        self.patterns[pattern].iter().filter_map(move |&((a, b), column)| {
            let (u, v) = (image[a], image[b]);
            let row = match self.scope {
                Scope::Vertex => Some(u as usize),
                Scope::Arc => graph.arc_id(u, v),
                Scope::Edge => graph.arc_id(u, v).map(|arc| graph.edge_id(arc)),
            };
            Some((row?, column))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::Occurrences;
    use crate::graph::GraphBuilder;
    use crate::random::Random;
    use crate::{Counter, PatternSet};

    #[test]
    fn all_occurrences_together_cover_the_counts() {
        let undirected = "all:2..=4, cycle:5, star:4, edges:0@1-1,1-2@0, edges:0-1:1,1-2,2-0, \
                          edges:0-1,1-2,2-3,3-4,4-5,5-0,0-3,1-4";
        let directed = "edges:0>1, edges:0>1,1>2,2>0, edges:0>1,0>2, edges:0>1,1>0,1>2";
        let mut random = Random::new(8);
        let mut compared = 0;
        for round in 0..8 {
            let is_directed = round % 4 == 3;
            let set: PatternSet = if is_directed { directed } else { undirected }.parse().unwrap();
            let order = 4 + random.below(4);
            let mut builder = if is_directed {
                GraphBuilder::directed(order)
            } else {
                GraphBuilder::undirected(order)
            };
            builder.vertex_labels((0..order).map(|_| random.below(2) as u32).collect());
            for u in 0..order as u32 {
                for v in (0..order as u32).filter(|&v| v != u && (is_directed || u < v)) {
                    if random.below(5) < 3 {
                        builder.labelled_edge(u, v, random.below(2) as u32);
                    }
                }
            }
            let graph = builder.build().unwrap();
            for matching in [Matching::Induced, Matching::Subgraph, Matching::Homomorphism] {
                for scope in [Scope::Vertex, Scope::Edge, Scope::Arc] {
                    for notion in [EdgeOrbits::Exact, EdgeOrbits::Official] {
                        let spec = CountSpec::new(set.clone())
                            .with_scope(scope)
                            .with_matching(matching)
                            .with_orbits(notion);
                        let Ok(counts) = Counter::new(&spec).count(&graph) else { continue };
                        let mut sum = vec![0; counts.values().len()];
                        let (coverage, columns) = (Coverage::of(&spec), counts.columns().len());
                        let totals = coverage.totals(&counts);
                        for (at, pattern) in set.iter().enumerate() {
                            let found: Vec<_> =
                                Occurrences::new(pattern, &graph, matching).collect();
                            assert_eq!(
                                found.len() as u128,
                                totals[at],
                                "{:?}",
                                (matching, scope, notion)
                            );
                            for image in found {
                                for (row, column) in coverage.cells(at, &image, &graph) {
                                    sum[row * columns + column] += 1;
                                }
                            }
                        }
                        let name = (matching, scope, notion, &graph);
                        assert_eq!(sum, counts.values(), "{name:?}");
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 100, "{compared}");
    }
}
