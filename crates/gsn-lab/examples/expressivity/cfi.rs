//! The smallest pattern that tells a CFI pair apart, base by base.

use crate::Result;
use crate::table::{cells, table};
use gsn_core::wl::{Fwl, isomorphism_classes, refine, treewidth};
use gsn_core::{CountSpec, Counter, Graph, Matching, Pattern, PatternSet, Scope, generate};
use gsn_lab::separate::{Options, certificate};

/// Bases with names, as patterns.
const BASES: [(&str, &str); 17] = [
    ("cycle of 3", "cycle:3"),
    ("cycle of 4", "cycle:4"),
    ("cycle of 5", "cycle:5"),
    ("cycle of 6", "cycle:6"),
    ("K4 − e", "edges:0-1,1-2,2-3,3-0,0-2"),
    ("K2,3", "edges:0-2,0-3,0-4,1-2,1-3,1-4"),
    ("bow tie", "edges:0-1,1-2,2-0,2-3,3-4,4-2"),
    ("K4", "clique:4"),
    ("wheel of 4 spokes", "edges:0-1,0-2,0-3,0-4,1-2,2-3,3-4,4-1"),
    ("K5 − e", "edges:0-1,0-2,0-3,1-2,1-3,2-3,0-4,1-4,2-4"),
    ("wheel of 5 spokes", "edges:0-1,0-2,0-3,0-4,0-5,1-2,2-3,3-4,4-5,5-1"),
    ("prism", "edges:0-1,1-2,2-0,3-4,4-5,5-3,0-3,1-4,2-5"),
    ("K3,3", "edges:0-3,0-4,0-5,1-3,1-4,1-5,2-3,2-4,2-5"),
    ("K5", "clique:5"),
    ("octahedron", "edges:0-1,0-2,0-3,0-4,5-1,5-2,5-3,5-4,1-2,2-3,3-4,4-1"),
    ("cube", "edges:0-1,1-2,2-3,3-0,4-5,5-6,6-7,7-4,0-4,1-5,2-6,3-7"),
    ("Petersen's graph", "g6:IheA@GUAo"),
];

/// Largest patterns that are all tried.
const LARGEST: usize = 6;

pub(crate) fn section() -> Result<String> {
    let mut rows = Vec::new();
    let (mut by_base, mut only_base, mut below) = (true, true, Vec::new());
    for (name, spec) in BASES {
        eprintln!("  {name}");
        let set: PatternSet = spec.parse()?;
        let pattern = &set.patterns()[0];
        let edges = pattern.edges().map(|(a, b)| (a as u32, b as u32));
        let base = Graph::from_edges(pattern.order(), edges)?;
        let pair = [generate::cfi(&base, false)?, generate::cfi(&base, true)?];
        let width = treewidth(&base)?;
        let apart =
            |classes: Vec<u32>| if classes[0] != classes[1] { "apart" } else { "alike" }.to_owned();
        let fwl = |k: usize, most: usize| -> Result<String> {
            if pair[0].order() > most {
                return Ok("–".to_owned());
            }
            Ok(apart(Fwl::new(k)?.classes(&pair, &[])?))
        };
        let most = LARGEST.min(base.order());
        let subgraph = smallest_total(&pair, most, Matching::Subgraph)?;
        let induced = smallest_total(&pair, most, Matching::Induced)?;
        let itself = totals_differ(&pair, pattern)?;
        by_base &= itself;
        only_base &= subgraph.as_ref().is_none_or(|found| found.is_isomorphic(pattern));
        let refined = smallest_refined(&pair)?;
        if refined.1.is_some_and(|order| order < base.order()) {
            below.push(name);
        }
        let different = isomorphism_classes(&pair)?.class == [0, 1];
        let shown = |found: Option<Pattern>| match found {
            Some(found) if found.is_isomorphic(pattern) => {
                format!("the base, {} vertices", found.order())
            }
            Some(found) => format!("`{}`, {} vertices", found.name(), found.order()),
            None => format!("none of at most {most}"),
        };
        rows.push(vec![
            name.to_owned(),
            base.order().to_string(),
            width.to_string(),
            format!("{}{}", pair[0].order(), if different { "" } else { " (not shown to differ)" }),
            apart(refine(&pair, &[])?.classes()),
            fwl(2, 200)?,
            fwl(3, 40)?,
            shown(subgraph),
            if itself { "yes" } else { "no" }.to_owned(),
            shown(induced),
            refined.0,
        ]);
    }
    let head = cells([
        "base",
        "vertices",
        "treewidth",
        "vertices of the pair",
        "1-WL",
        "2-FWL",
        "3-FWL",
        "smallest pattern whose subgraph total differs",
        "subgraph total of the base differs",
        "smallest pattern whose induced total differs",
        "smallest size at which multisets of induced arc counts, or 1-WL from them, differ",
    ]);
    let mut text = format!(
        "The plain and the twisted graph over a base (even subsets of the edges at every vertex, no vertices for edges). Totals are \
         occurrences in the whole graph; all connected patterns of up to {LARGEST} vertices were tried (no more than the base has), \
         the smallest by vertices, then by edges.\n\n{}",
        table(&head, &rows)
    );
    text += &format!(
        "\nk-FWL tells the pair apart exactly when the treewidth of the base is at most k. \
         The number of homomorphisms from F differs on the pair only if F maps onto the base in a certain parity-preserving way, so \
         F has at least as many vertices as the base and at least its treewidth (Roberson 2022, Neuen 2024). Totals of subgraphs are \
         sums of such numbers over F and its quotients, so no pattern with fewer vertices than the base can have different totals; \
         here {}, and the base itself {}. So the smallest pattern has as many vertices as the base, and, counted as a subgraph, \
         its treewidth: where k-FWL needs k to reach the treewidth, a counting network needs a pattern that does. Induced totals mix \
         all patterns on the same vertices, so a tree of the size of the base may differ as well; its own treewidth says nothing. \
         Rows of counts see more than totals: a multiset of rows compares patterns glued at a vertex or an arc, whose treewidth is no \
         larger but which have more vertices. {}\n",
        if only_base {
            "the smallest one was the base itself wherever one was found"
        } else {
            "others of that size differ, too"
        },
        if by_base { "differs in every row" } else { "does not always differ" },
        match &below[..] {
            [] =>
                "In this table that never told a pair apart below the size of the base.".to_owned(),
            names => format!(
                "In this table that told pairs apart below the size of the base: {}.",
                names.join(", ")
            ),
        }
    );
    Ok(text)
}

/// Occurrences of every pattern in a graph.
fn totals(graph: &Graph, patterns: &PatternSet, matching: Matching) -> Result<Vec<u64>> {
    let spec = CountSpec::new(patterns.clone()).with_matching(matching);
    let counts = Counter::new(&spec).count(graph)?;
    let mut totals = vec![0; patterns.len()];
    for (at, column) in counts.columns().iter().enumerate() {
        totals[column.pattern()] += counts.column(at).sum::<u64>();
    }
    Ok(totals)
}

fn totals_differ(pair: &[Graph; 2], pattern: &Pattern) -> Result<bool> {
    let set = PatternSet::from_patterns(vec![pattern.clone()])?;
    let of = |graph: &Graph| totals(graph, &set, Matching::Subgraph);
    Ok(of(&pair[0])? != of(&pair[1])?)
}

/// The smallest connected pattern, by vertices and edges, whose totals differ.
fn smallest_total(
    pair: &[Graph; 2],
    largest: usize,
    matching: Matching,
) -> Result<Option<Pattern>> {
    for size in 2..=largest {
        let set: PatternSet = format!("all:{size}").parse()?;
        let [left, right] = [0, 1].map(|at| totals(&pair[at], &set, matching));
        let (left, right) = (left?, right?);
        let different = (0..set.len()).filter(|&at| left[at] != right[at]);
        if let Some(at) = different.min_by_key(|&at| set.patterns()[at].size()) {
            return Ok(Some(set.patterns()[at].clone()));
        }
    }
    Ok(None)
}

/// The smallest size at which arc rows, alone or refined, tell the pair apart.
fn smallest_refined(pair: &[Graph; 2]) -> Result<(String, Option<usize>)> {
    let options = Options {
        scopes: vec![Scope::Arc],
        matchings: vec![Matching::Induced],
        ..Options::new(format!("all:3..={LARGEST}").parse()?)
    };
    let found = certificate(pair, 0, 1, &options)?;
    Ok(match &found.pattern {
        None => (format!("above {LARGEST}"), None),
        Some(pattern) if found.by == Some("counts") => {
            (format!("{} (`{pattern}`)", found.order), Some(found.order))
        }
        Some(_) => (format!("{} (1-WL from all)", found.order), Some(found.order)),
    })
}
