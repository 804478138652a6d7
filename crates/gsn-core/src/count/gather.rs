//! From the kernels' tables to the tables that were asked for.
//!
//! Kernels fill one row an edge with the exact orbits of its arc `u → v`, `u < v`. Everything else
//! is a sum of those columns: the reverse arc swaps each orbit for its reverse, an edge orbit is an
//! arc orbit and its reverse together, an official orbit is several exact ones together.

use super::Scope;
use super::budget::{Looks, Stop};
use super::cells::{CountTable, PatternColumns};
use super::packed::{ColumnList, PackedTable, copy_columns, members};
use crate::graph::Graph;
use crate::orbit::Orbits;

/// Why a table was not gathered.
pub(super) enum NotGathered {
    /// The sum of a column went beyond `u64`.
    TooLarge(usize),
    /// The count was stopped.
    Stopped(Stop),
}

/// Where each kernel column goes.
pub(super) enum Gather {
    /// The table is what was asked for already.
    Same,
    /// One row an arc: columns as they are on `u → v`, swapped like this on `v → u`.
    BothArcs { reverse: Vec<usize>, symmetric: bool },
    /// One row an arc or, without a map for the reverse arcs, one row a kernel row.
    Summed { forward: Vec<usize>, backward: Option<Vec<usize>>, columns: usize },
}

impl Gather {
    /// How `scope` is gathered; `wanted` are the orbits of each pattern in the notion asked for.
    pub(super) fn new(patterns: &[PatternColumns], wanted: &[Orbits], scope: Scope) -> Self {
        if scope == Scope::Vertex {
            return Self::Same;
        }
        let directed = patterns.first().is_some_and(|columns| columns.pattern.is_directed());
        let exact = patterns.iter().zip(wanted).all(|(own, orbits)| own.orbits == *orbits);
        let mut reverse = Vec::new();
        let mut forward = Vec::new();
        let mut columns = 0;
        for (own, orbits) in patterns.iter().zip(wanted) {
            for members in own.orbits.arc_orbits() {
                let (a, b) = members[0];
                let orbit = orbits.arc(a, b);
                forward.push(
                    columns
                        + match scope {
                            Scope::Edge => orbits.edge_of_arc_orbit(orbit),
                            _ => orbit,
                        },
                );
                if !directed {
                    reverse.push(own.arc(b, a));
                }
            }
            columns += match scope {
                Scope::Edge => orbits.edge_count(),
                _ => orbits.arc_count(),
            };
        }
        match (scope, directed, exact) {
            (Scope::Arc, true, true) => Self::Same,
            (Scope::Arc, false, true) => {
                let symmetric = reverse.iter().enumerate().all(|(j, &back)| j == back);
                Self::BothArcs { reverse, symmetric }
            }
            (Scope::Arc, false, false) => {
                let backward = Some(reverse.iter().map(|&column| forward[column]).collect());
                Self::Summed { forward, backward, columns }
            }
            _ => Self::Summed { forward, backward: None, columns },
        }
    }

    /// Whether nothing is summed, so that every column is an exact orbit.
    pub(super) fn is_plain(&self) -> bool {
        !matches!(self, Self::Summed { .. })
    }

    /// The gathered table. `look` is called every few thousand cells and may stop the work.
    pub(super) fn apply(
        &self,
        graph: &Graph,
        values: Vec<u64>,
        look: impl Fn() -> Result<(), Stop>,
    ) -> Result<Vec<u64>, NotGathered> {
        let mut looks = Looks::new(|| look().map_err(NotGathered::Stopped));
        match self {
            Self::Same => Ok(values),
            Self::BothArcs { reverse, symmetric } => {
                both_arcs(graph, values, reverse, *symmetric, &mut looks)
            }
            Self::Summed { forward, backward: None, columns } => {
                let rows = values.chunks_exact(forward.len().max(1)).take(graph.edge_count());
                let mut gathered = Vec::with_capacity(rows.len() * columns);
                for row in rows {
                    looks.after(row.len())?;
                    add_row(&mut gathered, *columns, row, forward)
                        .map_err(NotGathered::TooLarge)?;
                }
                Ok(gathered)
            }
            Self::Summed { forward, backward: Some(backward), columns } => {
                let mut gathered = Vec::with_capacity(graph.arc_count() * columns);
                for (arc, (u, v)) in graph.arcs().enumerate() {
                    let row = &values[graph.edge_id(arc) * forward.len()..][..forward.len()];
                    let map = if u < v { forward } else { backward };
                    looks.after(row.len())?;
                    add_row(&mut gathered, *columns, row, map).map_err(NotGathered::TooLarge)?;
                }
                Ok(gathered)
            }
        }
    }
}

impl Gather {
    /// The gathered table of a small graph, one row an edge in `table`, without the columns that
    /// are zero throughout; or the column whose sum went beyond `u64`.
    pub(super) fn pack(&self, graph: &Graph, table: &CountTable) -> Result<PackedTable, usize> {
        let (touched, width) = (table.touched(), table.columns());
        let edge = |edge: usize| &table.values()[edge * width..][..width];
        match self {
            Self::Same => {
                let values = copy_columns(touched, (0..table.rows()).map(edge));
                Ok(PackedTable { present: touched, values })
            }
            Self::BothArcs { symmetric: true, .. } => {
                let rows = (0..graph.arc_count()).map(|arc| edge(graph.edge_id(arc)));
                Ok(PackedTable { present: touched, values: copy_columns(touched, rows) })
            }
            Self::BothArcs { reverse, .. } => {
                let present = members(touched).fold(touched, |set, j| set | 1 << reverse[j]);
                let forward = ColumnList::new(members(present));
                // Reversing twice changes nothing, so what goes to a column is its reverse.
                let backward = ColumnList::new(members(present).map(|j| reverse[j]));
                let wide = forward.columns().len();
                let mut values = Vec::with_capacity(graph.arc_count() * wide);
                for (arc, (u, v)) in graph.arcs().enumerate() {
                    let list = if u < v { &forward } else { &backward };
                    list.push(&mut values, edge(graph.edge_id(arc)));
                }
                Ok(PackedTable { present, values })
            }
            Self::Summed { forward, backward, .. } => {
                let mut present = members(touched).fold(0, |set, j| set | 1u128 << forward[j]);
                if let Some(backward) = backward {
                    present = members(touched).fold(present, |set, j| set | 1 << backward[j]);
                }
                let packed = PackedTable { present, values: Vec::new() };
                let from = ColumnList::new(members(touched));
                let positions = |map: &[usize]| {
                    ColumnList::new(
                        members(touched).map(|j| packed.position(map[j]).unwrap_or_default()),
                    )
                };
                let maps = (positions(forward), backward.as_ref().map(|map| (positions(map), map)));
                let rows = if backward.is_some() { graph.arc_count() } else { graph.edge_count() };
                let wide = packed.width();
                let mut values = vec![0; rows * wide];
                let mut add = |to: usize, row: &[u64], positions: &ColumnList, map: &[usize]| {
                    let to = &mut values[to * wide..][..wide];
                    for (&j, &at) in from.columns().iter().zip(positions.columns()) {
                        let cell: &mut u64 = &mut to[at as usize];
                        let sum = cell.checked_add(row[j as usize]);
                        *cell = sum.ok_or(map[j as usize])?;
                    }
                    Ok::<(), usize>(())
                };
                match &maps {
                    (positions, None) => {
                        (0..rows).try_for_each(|row| add(row, edge(row), positions, forward))?;
                    }
                    (positions, Some((back, backward))) => {
                        for (arc, (u, v)) in graph.arcs().enumerate() {
                            let row = edge(graph.edge_id(arc));
                            if u < v {
                                add(arc, row, positions, forward)?;
                            } else {
                                add(arc, row, back, backward)?;
                            }
                        }
                    }
                }
                Ok(PackedTable { present, values })
            }
        }
    }
}

fn add_row(
    gathered: &mut Vec<u64>,
    columns: usize,
    row: &[u64],
    map: &[usize],
) -> Result<(), usize> {
    let start = gathered.len();
    gathered.resize(start + columns, 0);
    for (&value, &column) in row.iter().zip(map) {
        let cell = &mut gathered[start + column];
        *cell = cell.checked_add(value).ok_or(column)?;
    }
    Ok(())
}

/// Spreads one row an edge, at the front of the table, to one row an arc without a second table:
/// an edge's number is never larger than that of its arcs (and equal only for arcs from the
/// smaller end), so going backwards no row is overwritten before it was read.
fn both_arcs<L: Fn() -> Result<(), NotGathered>>(
    graph: &Graph,
    mut values: Vec<u64>,
    reverse: &[usize],
    symmetric: bool,
    looks: &mut Looks<L>,
) -> Result<Vec<u64>, NotGathered> {
    let columns = reverse.len();
    let rows = &values[..graph.edge_count() * columns];
    let swaps = if symmetric { Vec::new() } else { swaps(rows, reverse) };
    for u in (0..graph.order() as u32).rev() {
        for arc in graph.arcs_of(u).rev() {
            looks.after(1 + columns)?;
            let edge = graph.edge_id(arc);
            if edge == arc {
                continue;
            }
            let (before, from) = values.split_at_mut(arc * columns);
            let row = &before[edge * columns..][..columns];
            let target = &mut from[..columns];
            if symmetric || u < graph.arc_target(arc) {
                target.copy_from_slice(row);
            } else {
                target.fill(0);
                for &(from, to) in &swaps {
                    target[to] = row[from];
                }
            }
        }
    }
    Ok(values)
}

/// The columns that are not all zero, each with the column it goes to on reverse arcs. Most
/// graphs have few of the patterns of a large collection.
fn swaps(rows: &[u64], reverse: &[usize]) -> Vec<(usize, usize)> {
    let mut any = vec![0; reverse.len()];
    for row in rows.chunks_exact(reverse.len().max(1)) {
        for (any, value) in any.iter_mut().zip(row) {
            *any |= value;
        }
    }
    (0..any.len()).filter(|&from| any[from] != 0).map(|from| (from, reverse[from])).collect()
}
