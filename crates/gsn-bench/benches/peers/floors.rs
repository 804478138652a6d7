//! The rows with a promised ratio, and a few more for context.

use crate::arena::{Arena, Bout};
use anyhow::Result;
use gsn_bench::{data, generate};
use gsn_core::Matching::{Induced, Subgraph};
use gsn_core::Scope::{Arc, Edge, Vertex};
use gsn_core::{Graph, Matching, Scope};

const BOTH: [(Scope, Matching); 4] =
    [(Vertex, Induced), (Arc, Induced), (Vertex, Subgraph), (Arc, Subgraph)];
const INDUCED: [(Scope, Matching); 2] = [(Vertex, Induced), (Arc, Induced)];

/// Patterns of six vertices over the three vertex labels of PROTEINS.
const LABELLED: [(&str, &str); 4] = [
    ("ring", "edges:0@0-1@1,1-2@0,2-3@1,3-4@0,4-5@1,5-0"),
    ("chain", "edges:0@1-1@1,1-2@0,2-3@0,3-4@1,4-5@1"),
    ("tree", "edges:0@0-1@1,0-2@1,0-3@0,3-4@0,3-5@1"),
    ("two triangles", "edges:0@1-1@1,1-2@1,2-0,2-3@1,3-4@1,4-5@1,5-3"),
];

/// Directed patterns of six vertices.
const DIRECTED: [(&str, &str); 3] = [
    ("chain", "edges:0>1,1>2,2>3,3>4,4>5"),
    ("tree", "edges:0>1,0>2,1>3,1>4,2>5"),
    ("diamonds", "edges:0>1,0>2,1>3,2>3,3>4,3>5,4>5"),
];

/// Rows of the table of floors, except those that run the binary.
pub(crate) fn run(arena: &mut Arena) -> Result<()> {
    match data::unlabelled("ZINC-12k", 2000) {
        Ok(zinc) => molecules(arena, &zinc),
        Err(error) => arena.skip("zinc", &error),
    }
    match data::labelled("IMDBBINARY") {
        Ok(graphs) => arena.run(&Bout {
            id: "imdb-cliques-igraph",
            work: "1,000 IMDB-B graphs, clique:3..=5, vertex and edge",
            against: "igraph cliques(3, 5)",
            floor: Some(200.0),
            graphs: &graphs,
            sample: None,
            patterns: "clique:3..=5",
            views: &[(Vertex, Induced), (Edge, Induced)],
            library: "igraph cliques",
            matching: Induced,
            limit: 60.0,
        }),
        Err(error) => arena.skip("imdb-cliques-igraph", &error),
    }
    match data::single("ca-GrQc") {
        Ok(graph) => collaborations(arena, &[graph]),
        Err(error) => arena.skip("grqc", &error),
    }
    for (name, graph) in [
        ("ca-GrQc", data::single("ca-GrQc")),
        ("wiki-Vote", data::single("wiki-Vote")),
        ("a power law (5,005 vertices, 50,000 edges)", generate::power_law(5_005, 10, 0.5, 1)),
    ] {
        let id = format!("evoke-{}", name.split(' ').next().unwrap_or(name));
        match graph {
            Ok(graph) => beside_evoke(arena, &id, name, &[graph]),
            Err(error) => arena.skip(&id, &error),
        }
    }
    match data::labelled("PROTEINS") {
        Ok(graphs) => proteins(arena, &data::spread(&graphs, 200))?,
        Err(error) => arena.skip("proteins", &error),
    }
    Ok(())
}

fn molecules(arena: &mut Arena, zinc: &[Graph]) {
    let cycles = Bout {
        id: "zinc-cycles-rustworkx",
        work: "2,000 ZINC molecules, cycle:3..=8, vertex and arc, both matchings",
        against: "rustworkx VF2, induced, maps listed and dropped",
        floor: Some(150.0),
        graphs: zinc,
        sample: None,
        patterns: "cycle:3..=8",
        views: &BOTH,
        library: "rustworkx vf2",
        matching: Induced,
        limit: 60.0,
    };
    arena.run(&cycles);
    for (id, against, library) in [
        ("zinc-cycles-rustworkx-counts", "maps counted by vertex and role", "rustworkx counts"),
        ("zinc-cycles-rustworkx-tables", "maps counted by vertex, arc, role", "rustworkx tables"),
    ] {
        arena.run(&Bout {
            id,
            work: "the same",
            against: &format!("rustworkx VF2, induced, {against}"),
            library,
            sample: None,
            ..cycles
        });
    }
    arena.run(&Bout {
        id: "zinc-cycles-igraph",
        work: "the same",
        against: "igraph simple_cycles, no orbits",
        floor: Some(15.0),
        library: "igraph cycles",
        matching: Subgraph,
        ..cycles
    });
    for (id, against, library) in [
        ("zinc-all-rustworkx", "maps listed and dropped", "rustworkx vf2"),
        ("zinc-all-rustworkx-counts", "maps counted by vertex and role", "rustworkx counts"),
        ("zinc-all-rustworkx-tables", "maps counted by vertex, arc, role", "rustworkx tables"),
    ] {
        arena.run(&Bout {
            id,
            work: "2,000 ZINC molecules, all:3..=5, vertex and arc",
            against: &format!("rustworkx VF2 over the 29 patterns, {against}"),
            floor: Some(200.0),
            graphs: zinc,
            sample: Some(data::spread(zinc, 100)),
            patterns: "all:3..=5",
            views: &INDUCED,
            library,
            matching: Induced,
            limit: 60.0,
        });
    }
}

fn collaborations(arena: &mut Arena, graph: &[Graph]) {
    let four = Bout {
        id: "grqc-all4-igraph",
        work: "ca-GrQc, all:4, vertex and arc",
        against: "igraph RAND-ESU size 4, totals only",
        floor: Some(15.0),
        graphs: graph,
        sample: None,
        patterns: "all:4",
        views: &INDUCED,
        library: "igraph motifs",
        matching: Induced,
        limit: 60.0,
    };
    arena.run(&four);
    arena.run(&Bout {
        id: "grqc-all5-igraph",
        work: "ca-GrQc, all:5, vertex",
        against: "igraph RAND-ESU size 5, totals only",
        floor: Some(60.0),
        patterns: "all:5",
        views: &[(Vertex, Induced)],
        ..four
    });
}

/// All orbits of up to four and five vertices at every vertex, which is what EVOKE gives as well.
fn beside_evoke(arena: &mut Arena, id: &str, name: &str, graph: &[Graph]) {
    for patterns in ["all:3..=4", "all:3..=5"] {
        arena.run(&Bout {
            id: &format!("{id}-{patterns}"),
            work: &format!("{name}, {patterns}, vertex, subgraph"),
            against: "EVOKE (orbitsi), the same orbits",
            floor: None,
            graphs: graph,
            sample: None,
            patterns,
            views: &[(Vertex, Subgraph)],
            library: "evoke",
            matching: Subgraph,
            limit: 60.0,
        });
    }
}

fn proteins(arena: &mut Arena, graphs: &[Graph]) -> Result<()> {
    let oriented: Vec<Graph> = graphs.iter().map(data::oriented).collect::<Result<_>>()?;
    let rows = LABELLED.iter().map(|row| ("labelled", graphs, row));
    let rows = rows.chain(DIRECTED.iter().map(|row| ("directed", &oriented[..], row)));
    for (kind, graphs, (shape, pattern)) in rows {
        arena.run(&Bout {
            id: &format!("proteins-{kind}-{}", shape.replace(' ', "-")),
            work: &format!("200 PROTEINS graphs, {kind} {shape} of 6 vertices, vertex and arc"),
            against: "networkx GraphMatcher",
            floor: Some(100.0),
            graphs,
            sample: None,
            patterns: pattern,
            views: &INDUCED,
            library: "networkx matcher",
            matching: Induced,
            limit: 5.0,
        });
    }
    Ok(())
}

/// Other ways to the same counts, without a promise.
pub(crate) fn context(arena: &mut Arena) -> Result<()> {
    let Ok(zinc) = data::unlabelled("ZINC-12k", 2000) else { return Ok(()) };
    for (id, against, library, sample) in [
        ("context-zinc-networkx", "networkx GraphMatcher", "networkx matcher", 50),
        ("context-zinc-graph-tool", "graph-tool VF2, induced", "graph-tool vf2", 400),
    ] {
        arena.run(&Bout {
            id,
            work: "2,000 ZINC molecules, cycle:3..=8, vertex and arc, both matchings",
            against,
            floor: None,
            graphs: &zinc,
            sample: Some(data::spread(&zinc, sample)),
            patterns: "cycle:3..=8",
            views: &BOTH,
            library,
            matching: Induced,
            limit: 10.0,
        });
    }
    let Ok(imdb) = data::labelled("IMDBBINARY") else { return Ok(()) };
    for (id, against, library) in [
        ("context-imdb-networkx", "networkx GraphMatcher", "networkx matcher"),
        ("context-imdb-rustworkx", "rustworkx VF2", "rustworkx vf2"),
        ("context-imdb-graph-tool", "graph-tool VF2", "graph-tool vf2"),
    ] {
        arena.run(&Bout {
            id,
            work: "IMDB-B graphs, clique:3, vertex and edge",
            against,
            floor: None,
            graphs: &data::spread(&imdb, 100),
            sample: None,
            patterns: "clique:3",
            views: &[(Vertex, Induced), (Edge, Induced)],
            library,
            matching: Induced,
            limit: 5.0,
        });
    }
    Ok(())
}
