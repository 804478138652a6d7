//! Single numbers of a count table, recounted by brute force.
//!
//! A cell is the number of injective maps that send a member of the orbit to the row's vertex (or
//! edge, or arc), divided by |Aut(H)|; orbits and |Aut(H)| are those of the sidecar. Where maps are
//! counted (`homomorphism`) it is the number of those that send one given member there. The search
//! shares no code with the kernels and visits nothing but the row's surroundings, so rows of a
//! large graph can be checked alone.

use super::verify::{Difference, VerifyError};
use crate::table::{GraphCounts, PatternInfo, Sidecar, row_ends};
use gsn_core::count::oracle;
use gsn_core::{EdgeOrbits, Graph, Matching, Orbits, Pattern, Scope};
use std::collections::BTreeSet;

/// Steps that one cell may take.
const CELL_STEPS: u64 = 20_000_000;

/// Everything that is known about the columns.
pub(super) struct Recount {
    scope: Scope,
    matching: Matching,
    columns: Vec<String>,
    patterns: Vec<Described>,
}

/// A pattern as the sidecar describes it.
struct Described {
    pattern: Pattern,
    automorphisms: u128,
    /// For every orbit the ways in which its members can lie on the ends of a row.
    orbits: Vec<Vec<Vec<usize>>>,
}

/// A graph whose rows are recounted.
pub(super) struct Sampled {
    pub(super) graph: Graph,
    pub(super) counts: GraphCounts,
    /// What its rows are about: `[vertex, vertex]` or `[source, target]`.
    pub(super) ends: Vec<[u32; 2]>,
}

/// What became of one row; the default is a row that was not begun.
#[derive(Default)]
pub(super) struct RowResult {
    pub(super) begun: bool,
    pub(super) cells: u64,
    pub(super) too_expensive: u64,
    /// Numbers that there was no time for.
    pub(super) out_of_time: u64,
    pub(super) differences: Vec<Difference>,
}

impl Recount {
    pub(super) fn new(sidecar: &Sidecar) -> Result<Self, VerifyError> {
        let (scope, matching) = (sidecar.spec.scope(), sidecar.spec.matching());
        let mut columns = Vec::new();
        let mut patterns = Vec::new();
        for (pattern, info) in sidecar.spec.patterns().iter().zip(&sidecar.patterns) {
            let described = Described::new(pattern, info, scope, matching)?;
            let letter = match scope {
                Scope::Vertex => 'v',
                Scope::Edge => 'e',
                Scope::Arc => 'a',
            };
            let name = |orbit| format!("{}/{letter}{orbit}", info.name);
            columns.extend((0..described.orbits.len()).map(name));
            patterns.push(described);
        }
        Ok(Self { scope, matching, columns, patterns })
    }

    /// The columns that the table must have.
    pub(super) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The keys that a graph's rows must have.
    pub(super) fn ends(&self, graph: &Graph) -> Vec<[u32; 2]> {
        row_ends(self.scope, graph)
    }

    /// Recounts one row, as long as there is time.
    pub(super) fn row(
        &self,
        sampled: &Sampled,
        row: usize,
        late: &(dyn Fn() -> bool + Sync),
    ) -> RowResult {
        let mut result = RowResult { begun: true, ..RowResult::default() };
        let Sampled { graph, counts, ends } = sampled;
        let ends = ends[row];
        let values = &counts.values[row * self.columns.len()..][..self.columns.len()];
        let mut column = 0;
        for described in &self.patterns {
            for orbit in &described.orbits {
                let (table, name) = (values[column], &self.columns[column]);
                column += 1;
                let Some(maps) = described.maps(graph, self.matching, orbit, ends, late) else {
                    let slot =
                        if late() { &mut result.out_of_time } else { &mut result.too_expensive };
                    *slot += 1;
                    continue;
                };
                result.cells += 1;
                if u128::from(table).checked_mul(described.automorphisms) != Some(maps) {
                    let brute_force = maps / described.automorphisms;
                    let (graph, column) = (counts.graph, name.clone());
                    let name = |side: usize| counts.ends[side].get(row);
                    let ends = [name(0), name(counts.ends.len() - 1)];
                    result.differences.push(Difference { graph, ends, column, table, brute_force });
                }
            }
        }
        result
    }
}

/// Refuses orbits of a sidecar that name vertices or edges the pattern does not have.
fn check_members(
    pattern: &Pattern,
    members: Vec<(usize, Option<usize>)>,
) -> Result<(), VerifyError> {
    let name = pattern.name();
    let (order, edges) = (pattern.order(), pattern.edges().collect::<Vec<_>>());
    for (a, b) in members {
        let wrong = match b {
            None => (a >= order).then(|| format!("vertex {a}")),
            Some(b) => (!edges.contains(&(a, b)) && !edges.contains(&(b, a)))
                .then(|| format!("an edge {a}-{b}")),
        };
        if let Some(what) = wrong {
            let what = format!("the sidecar speaks of {what}, which {name} does not have");
            return Err(VerifyError::Pattern(what));
        }
    }
    Ok(())
}

impl Described {
    fn new(
        pattern: &Pattern,
        info: &PatternInfo,
        scope: Scope,
        matching: Matching,
    ) -> Result<Self, VerifyError> {
        let automorphisms = info.automorphisms.parse().map_err(|e| {
            let what = format!("`{}` has too many automorphisms for brute force: {e}", info.name);
            VerifyError::Pattern(what)
        })?;
        if automorphisms == 0 {
            let what = format!("the sidecar gives {} no automorphism", info.name);
            return Err(VerifyError::Pattern(what));
        }
        let members = match scope {
            Scope::Vertex => info.vertex_orbits.iter().flatten().map(|&v| (v, None)).collect(),
            Scope::Edge => info.edge_orbits.iter().flatten().map(|&(a, b)| (a, Some(b))).collect(),
            Scope::Arc => info.arc_orbits.iter().flatten().map(|&(a, b)| (a, Some(b))).collect(),
        };
        check_members(pattern, members)?;
        let ends = |&(a, b): &(usize, usize)| vec![a, b];
        let both = |&(a, b): &(usize, usize)| [vec![a, b], vec![b, a]];
        if matching == Matching::Homomorphism {
            return Ok(Self::of_maps(pattern, info, scope));
        }
        let orbits = match scope {
            Scope::Vertex => {
                info.vertex_orbits.iter().map(|o| o.iter().map(|&v| vec![v]).collect()).collect()
            }
            Scope::Arc => info.arc_orbits.iter().map(|o| o.iter().map(ends).collect()).collect(),
            Scope::Edge => {
                info.edge_orbits.iter().map(|o| o.iter().flat_map(both).collect()).collect()
            }
        };
        Ok(Self { pattern: pattern.clone(), automorphisms, orbits })
    }

    /// One member of every exact orbit: maps are counted by where they send it.
    fn of_maps(pattern: &Pattern, info: &PatternInfo, scope: Scope) -> Self {
        let exact = Orbits::of(pattern, EdgeOrbits::Exact);
        let first_of = |kind: &mut dyn FnMut(usize) -> usize, members: usize| -> Vec<usize> {
            let mut seen = BTreeSet::new();
            (0..members).filter(|&at| seen.insert(kind(at))).collect()
        };
        let vertices = |orbit: &Vec<usize>| -> Vec<Vec<usize>> {
            let first = first_of(&mut |at| exact.vertex(orbit[at]), orbit.len());
            first.into_iter().map(|at| vec![orbit[at]]).collect()
        };
        let arcs = |orbit: &Vec<(usize, usize)>, both: bool| -> Vec<Vec<usize>> {
            let arc_orbit = |at: usize| exact.arc(orbit[at].0, orbit[at].1);
            let first = if both {
                first_of(&mut |at| exact.edge_of_arc_orbit(arc_orbit(at)), orbit.len())
            } else {
                first_of(&mut |at| arc_orbit(at), orbit.len())
            };
            let ways = |at: usize| {
                let (a, b) = orbit[at];
                if both { vec![vec![a, b], vec![b, a]] } else { vec![vec![a, b]] }
            };
            first.into_iter().flat_map(ways).collect()
        };
        let orbits = match scope {
            Scope::Vertex => info.vertex_orbits.iter().map(vertices).collect(),
            Scope::Arc => info.arc_orbits.iter().map(|orbit| arcs(orbit, false)).collect(),
            Scope::Edge => info.edge_orbits.iter().map(|orbit| arcs(orbit, true)).collect(),
        };
        Self { pattern: pattern.clone(), automorphisms: 1, orbits }
    }

    /// The maps behind one number of the table, each occurrence as often as the pattern has
    /// automorphisms; `None` when that takes too many steps or too long.
    fn maps(
        &self,
        graph: &Graph,
        matching: Matching,
        orbit: &[Vec<usize>],
        ends: [u32; 2],
        late: &(dyn Fn() -> bool + Sync),
    ) -> Option<u128> {
        let mut maps = 0u128;
        for members in orbit {
            let fixed: Vec<(usize, u32)> = members.iter().copied().zip(ends).collect();
            let found = oracle::maps_through_unless(
                &self.pattern,
                graph,
                matching,
                &fixed,
                CELL_STEPS,
                late,
            )?;
            maps += u128::from(found);
        }
        Some(maps)
    }
}
