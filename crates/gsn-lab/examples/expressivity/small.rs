//! Connected graphs of n vertices that share all induced counts of smaller connected patterns.
//!
//! The paper's remark that GSN with all patterns of n − 1 vertices is universal rests on the
//! reconstruction conjecture, verified for small graphs. Here it is worked out from totals alone.

use crate::Result;
use crate::table::{cells, grouped, table};
use gsn_core::wl::group;
use gsn_core::{CountSpec, Counter, Graph, PatternSet};
use gsn_lab::catalogue;
use gsn_lab::separate::{Pairing, equal_pairs, open_graphs};

pub(crate) fn section() -> Result<String> {
    let mut rows = Vec::new();
    let mut answer = String::new();
    for order in 4..=8usize {
        let graphs: Vec<Graph> = if order == 8 {
            catalogue::graphs("graph8c")?.graphs
        } else {
            let all: PatternSet = format!("all:{order}").parse()?;
            let graph = |pattern: &gsn_core::Pattern| {
                let edges = pattern.edges().map(|(a, b)| (a as u32, b as u32));
                Graph::from_edges(order, edges)
            };
            all.iter().map(graph).collect::<std::result::Result<_, _>>()?
        };
        let mut classes = vec![0u32; graphs.len()];
        let mut left = Vec::new();
        for size in 2..order {
            let open = open_graphs(&classes, Pairing::All);
            if !open.is_empty() {
                let spec = CountSpec::new(format!("all:{size}").parse()?);
                let counter = Counter::new(&spec);
                let some: Vec<Graph> = open.iter().map(|&at| graphs[at].clone()).collect();
                let totals = counter.count_many(&some)?.into_iter().map(|counts| {
                    let columns = counts.columns().len();
                    (0..columns).map(|c| counts.column(c).sum::<u64>()).collect::<Vec<u64>>()
                });
                let finer =
                    group(open.iter().map(|&at| classes[at]).zip(totals.collect::<Vec<_>>()));
                let free = 1 + classes.iter().max().copied().unwrap_or(0);
                for (&at, class) in open.iter().zip(finer) {
                    classes[at] = free + class;
                }
            }
            left.push(format!("{size}: {}", grouped(equal_pairs(&classes, Pairing::All))));
        }
        let rest = equal_pairs(&classes, Pairing::All);
        if order == 8 {
            answer = match rest {
                0 => "No two connected graphs of eight vertices share all induced counts of the connected patterns with up to \
                      seven vertices: on eight vertices the premise of the paper's universality remark holds."
                    .to_owned(),
                rest => format!("{rest} pairs of connected graphs of eight vertices share all of them."),
            };
        }
        rows.push(vec![
            order.to_string(),
            grouped(graphs.len() as u64),
            grouped(Pairing::All.count(graphs.len())),
            left.join(", "),
        ]);
    }
    let head = cells([
        "vertices",
        "connected graphs",
        "pairs",
        "pairs with equal totals of all connected induced patterns of up to so many vertices",
    ]);
    Ok(format!(
        "Totals over the whole graph only: neither orbits nor rows of vertices are used.\n\n{}\n{answer}\n",
        table(&head, &rows)
    ))
}
