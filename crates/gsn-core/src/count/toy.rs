//! A kernel added by the steps in the README of this folder and by nothing else: this file and
//! one line in a list of kernels. It counts pairs of arcs in both directions.

use super::budget::Stop;
use super::cells::{Cells, PatternColumns, WantedTables};
use super::kernel::{Kernel, Piece, Registration, SmallMembers, Use};
use super::plan::KERNELS;
use super::testing::Tested;
use super::{Counter, MATCHINGS, Matching, Scope};
use crate::graph::Graph;
use crate::pattern::{Pattern, PatternSet};
use crate::spec::CountSpec;
use proptest::prelude::*;

struct MutualKernel {
    columns: Vec<(usize, usize)>,
}

impl Kernel for MutualKernel {
    const NAME: &'static str = "mutual";
    const REASON: &'static str = "every arc beside its reverse";
    const USE: Use = Use::Family(SmallMembers::Keep);

    type Prepared = ();
    type Scratch = ();

    fn accepts(pattern: &Pattern) -> bool {
        pattern.is_directed()
            && !pattern.is_labelled()
            && pattern.order() == 2
            && pattern.arcs().count() == 2
    }

    fn new(patterns: &[PatternColumns], _wanted: WantedTables) -> Self {
        Self { columns: patterns.iter().map(|own| (own.vertex(0), own.arc(0, 1))).collect() }
    }

    fn estimate(&self, graph: &Graph) -> f64 {
        graph.arc_count() as f64
    }

    fn memory(&self, _: &Graph, _threads: usize) -> u64 {
        0
    }

    fn run<C: Cells>(&self, piece: Piece<'_, '_, Self, C>) -> Result<(), Stop> {
        let Piece { graph, roots, out, meter, .. } = piece;
        for u in roots.map(|root| root as u32) {
            meter.steps(1 + graph.degree(u) as u64)?;
            for arc in graph.arcs_of(u).filter(|&arc| graph.has_arc(graph.arc_target(arc), u)) {
                for (&(vertex, both), matching) in
                    self.columns.iter().flat_map(|own| MATCHINGS.map(|matching| (own, matching)))
                {
                    let (vertices, arcs) = out.both(matching);
                    if let Some(cells) = vertices {
                        cells.add(u as usize, vertex, 1);
                    }
                    if let Some(cells) = arcs {
                        cells.add(graph.edge_id(arc), both, 1);
                    }
                }
            }
        }
        Ok(())
    }
}

/// All kernels and, in one line, the new one.
const WITH_TOY: &[Registration] = &{
    let mut all = [Registration::of::<MutualKernel>(); KERNELS.len() + 1];
    let mut at = 0;
    while at < KERNELS.len() {
        all[at] = KERNELS[at];
        at += 1;
    }
    all
};

fn mutual() -> Pattern {
    Pattern::directed("mutual", 2, &[(0, 1), (1, 0)]).unwrap()
}

proptest! {
    #[test]
    fn a_new_kernel_is_planned_and_counts(
        arcs in proptest::collection::vec((0..12u32, 0..12u32), 0..60)
    ) {
        let graph = Graph::from_arcs(12, arcs).unwrap();
        Tested::<MutualKernel>::new(&[mutual()]).check_all(&graph);

        let triangle = Pattern::directed("round", 3, &[(0, 1), (1, 2), (2, 0)]).unwrap();
        let set = PatternSet::from_patterns(vec![triangle, mutual()]).unwrap();
        let spec = CountSpec::new(set);
        for (scope, matching) in
            [(Scope::Vertex, Matching::Induced), (Scope::Arc, Matching::Subgraph)]
        {
            let spec = spec.clone().with_scope(scope).with_matching(matching);
            let before = Counter::new(&spec);
            let after = before.clone().with_kernels(WITH_TOY);
            prop_assert_eq!(before.count(&graph).unwrap(), after.count(&graph).unwrap());
            let kernels = |counter: &Counter| -> Vec<_> {
                let plan = counter.plan(&graph).unwrap();
                plan.steps.iter().map(|step| (step.kernel, step.patterns.join(", "))).collect()
            };
            let [round, mutual] = ["round", "mutual"].map(str::to_owned);
            prop_assert_eq!(kernels(&before), [("match", round.clone()), ("match", mutual.clone())]);
            prop_assert_eq!(kernels(&after), [("match", round), ("mutual", mutual)]);
        }
    }
}

#[test]
fn no_other_plan_changes() {
    let spec = CountSpec::new("all:3..=5".parse().unwrap());
    let graph = Graph::from_edges(5, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)]).unwrap();
    let counter = Counter::new(&spec);
    let plan = counter.plan(&graph).unwrap();
    assert_eq!(plan, counter.with_kernels(WITH_TOY).plan(&graph).unwrap());
}
