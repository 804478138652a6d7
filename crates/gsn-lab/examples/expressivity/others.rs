//! EXP, CEXP, CSL and graph8c.

use crate::Result;
use crate::table::{cells, grouped, outcome, table};
use gsn_core::{Graph, Matching};
use gsn_lab::catalogue;
use gsn_lab::separate::{Options, Pairing, Report, separate};

pub(crate) fn section() -> Result<String> {
    let mut rows = Vec::new();
    for (name, pairing, patterns, about) in [
        ("EXP", Pairing::Consecutive, "cycle:3..=8", "600 pairs"),
        ("CEXP", Pairing::Consecutive, "cycle:3..=8", "600 pairs"),
        ("CSL", Pairing::All, "cycle:3..=8", "all pairs of 150 graphs"),
        ("graph8c", Pairing::All, "all:3..=5", "all pairs of 11,117 graphs"),
    ] {
        eprintln!("  {name}");
        let graphs = catalogue::graphs(name)?.graphs;
        rows.push(row(name, about, &graphs, pairing, patterns)?);
    }
    let head = cells([
        "set",
        "pairs",
        "of them isomorphic",
        "1-WL",
        "2-FWL",
        "patterns",
        "GSN-v induced",
        "GSN-e induced",
        "by size (GSN-e)",
        "random GSN-e f64 / f32",
    ]);
    Ok(format!(
        "Failures; vertex tags of EXP and CEXP are start colours of every test.\n\n{}",
        table(&head, &rows)
    ))
}

fn row(
    name: &str,
    about: &str,
    graphs: &[Graph],
    pairing: Pairing,
    patterns: &str,
) -> Result<Vec<String>> {
    let options = Options {
        pairing,
        matchings: vec![Matching::Induced],
        fwl: 2,
        // Networks read counts but no tags, so EXP's would fail for want of them.
        seeds: if name == "CSL" { 3 } else { 0 },
        certificates: 0,
        ..Options::new(patterns.parse()?)
    };
    let report = separate(graphs, &options)?;
    let of = |test: &str, view| {
        outcome(&report, test, view).and_then(|o| o.failures).map_or("–".to_owned(), grouped)
    };
    let by_size = |report: &Report| {
        let found = outcome(report, "counts+1-wl", Some(("arc", "induced")));
        let points = found.map(|o| o.by_size.clone()).unwrap_or_default();
        let points: Vec<String> =
            points.iter().map(|(k, left)| format!("{k}: {}", grouped(*left))).collect();
        points.join(", ")
    };
    let arc = Some(("arc", "induced"));
    Ok(vec![
        format!("{name}, {about}"),
        grouped(report.pairs),
        report.isomorphic.map_or("–".to_owned(), grouped),
        of("1-wl", None),
        of("2-fwl", None),
        format!("`{patterns}`"),
        of("counts+1-wl", Some(("vertex", "induced"))),
        of("counts+1-wl", arc),
        by_size(&report),
        format!("{} / {}", of("network-f64", arc), of("network-f32", arc)),
    ])
}
