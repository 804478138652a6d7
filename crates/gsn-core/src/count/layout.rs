//! What was asked for, worked out once for all graphs: tables, columns, and how they follow from
//! those that the kernels fill.

use super::cells::Task;
use super::counts::Column;
use super::gather::Gather;
use super::graphlet::Wants;
use super::{MATCHINGS, Matching, Scope};
use crate::graph::Graph;
use crate::orbit::{EdgeOrbits, Orbits};
use std::sync::Arc;

/// The tables the kernels must fill for these views.
pub(super) fn wants(views: &[(Scope, Matching)]) -> Wants {
    let any = |test: &dyn Fn(Scope, Matching) -> bool| views.iter().any(|&(s, m)| test(s, m));
    Wants {
        vertices: any(&|scope, _| scope == Scope::Vertex),
        arcs: any(&|scope, _| scope != Scope::Vertex),
        matchings: MATCHINGS.map(|matching| any(&|_, m| m == matching)),
    }
}

/// What was asked for, worked out once for all graphs.
pub(super) struct Layout {
    pub(super) views: Vec<View>,
    pub(super) wants: Wants,
}

/// One table that was asked for.
pub(super) struct View {
    pub(super) scope: Scope,
    pub(super) matching: Matching,
    pub(super) sheet: Arc<Sheet>,
}

impl View {
    /// Rows of the table that was asked for.
    pub(super) fn rows(&self, graph: &Graph) -> usize {
        match self.scope {
            Scope::Vertex => graph.order(),
            Scope::Edge => graph.edge_count(),
            Scope::Arc => graph.arc_count(),
        }
    }
}

/// The columns of a scope, and how they follow from those the kernels fill.
pub(super) struct Sheet {
    pub(super) columns: Arc<[Column]>,
    pub(super) gather: Gather,
}

impl Sheet {
    pub(super) fn new(tasks: &[Task], scope: Scope, notion: EdgeOrbits) -> Self {
        let of = |task: &Task| match notion {
            EdgeOrbits::Exact => task.orbits.clone(),
            EdgeOrbits::Official => Orbits::of(&task.pattern, EdgeOrbits::Official),
        };
        let orbits: Vec<Orbits> = tasks.iter().map(of).collect();
        let named = |(pattern, task): (usize, &Task)| {
            let orbits = &orbits[pattern];
            let (letter, count) = match scope {
                Scope::Vertex => ('v', orbits.vertex_count()),
                Scope::Edge => ('e', orbits.edge_count()),
                Scope::Arc => ('a', orbits.arc_count()),
            };
            let name = task.pattern.name();
            (0..count)
                .map(|orbit| Column { name: format!("{name}/{letter}{orbit}"), pattern, orbit })
                .collect::<Vec<_>>()
        };
        let columns = tasks.iter().enumerate().flat_map(named).collect();
        Self { columns, gather: Gather::new(tasks, &orbits, scope) }
    }
}
