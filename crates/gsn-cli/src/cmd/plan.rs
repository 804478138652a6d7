//! `gsn count --explain-plan`: which kernels would count the patterns, why, and at what cost.

use crate::outcome::Outcome;
use anyhow::Context;
use gsn_core::count::Plan;
use gsn_core::memory::Bytes;
use gsn_core::{Counter, Graph};
use gsn_io::{GraphSource, ReadOptions, Row};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

/// Graphs that are looked at to find a large one.
const LOOK: usize = 10_000;

/// Explains the plans for the first graph and for the largest of the first ten thousand.
pub(super) fn run(
    input: &Path,
    options: &ReadOptions,
    counter: &Counter,
    as_json: bool,
) -> anyhow::Result<Outcome> {
    let mut first: Option<(u64, Graph)> = None;
    let mut largest: Option<(u64, Graph)> = None;
    let weight = |graph: &Graph| graph.order() + graph.arc_count();
    let mut looked = 0;
    for row in GraphSource::open(input, options)? {
        let Row::Graph(record) = row? else { continue };
        looked += 1;
        if first.is_none() {
            first = Some((record.row, record.graph));
        } else {
            let heaviest = largest.as_ref().or(first.as_ref()).map_or(0, |(_, g)| weight(g));
            if weight(&record.graph) > heaviest {
                largest = Some((record.row, record.graph));
            }
        }
        if looked == LOOK {
            break;
        }
    }
    let first = first.with_context(|| format!("{} holds no graph", input.display()))?;
    let mut chosen = vec![("the first graph", first)];
    chosen.extend(largest.map(|graph| ("the largest", graph)));
    let mut out = std::io::stdout().lock();
    let mut plans = Vec::new();
    for (at, (which, (row, graph))) in chosen.iter().enumerate() {
        let plan = counter.plan(graph).map_err(|error| anyhow::anyhow!("{}", error.kind))?;
        if as_json {
            plans.push(plan_json(*row, graph, &plan));
            continue;
        }
        let of = if at == 0 { String::new() } else { format!(" of the first {looked}") };
        let edges = if graph.is_directed() { "arcs" } else { "edges" };
        writeln!(
            out,
            "{}graph {row}, {which}{of}: {} vertices, {} {edges}\n{plan} to count, {} to read the graph",
            if at == 0 { "" } else { "\n" },
            graph.order(),
            graph.edge_count(),
            Bytes(graph.building_memory())
        )?;
    }
    if as_json {
        writeln!(out, "{}", json!({ "plans": plans }))?;
    }
    Ok(Outcome::Done)
}

fn plan_json(row: u64, graph: &Graph, plan: &Plan) -> Value {
    let steps: Vec<Value> = plan
        .steps
        .iter()
        .map(|step| {
            json!({
                "kernel": step.kernel,
                "reason": step.reason,
                "patterns": step.patterns,
                "predicted_steps": step.predicted_steps,
                "predicted_seconds": step.predicted_seconds,
                "predicted_memory": step.predicted_memory,
                "instead_of": step.instead_of.iter().map(|(kernel, seconds)| {
                    json!({ "kernel": kernel, "predicted_seconds": seconds })
                }).collect::<Vec<Value>>(),
            })
        })
        .collect();
    json!({
        "graph": row,
        "vertices": graph.order(),
        "edges": graph.edge_count(),
        "predicted_steps": plan.predicted_steps(),
        "predicted_seconds": plan.predicted_seconds(),
        "predicted_memory": plan.predicted_memory(),
        "reading_memory": graph.building_memory(),
        "steps": steps,
    })
}
