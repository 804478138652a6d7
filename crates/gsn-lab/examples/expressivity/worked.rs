//! Rook 4×4 and Shrikhande, decalin and bicyclopentyl.

use crate::Result;
use crate::table::{cells, failures, table};
use gsn_core::{Graph, generate};
use gsn_lab::separate::{Options, certificate, separate};

pub(crate) fn section() -> Result<String> {
    let decalin =
        [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (5, 6), (6, 7), (7, 8), (8, 9), (9, 0)];
    let other =
        [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 5), (5, 6), (6, 7), (7, 8), (8, 9), (9, 5)];
    let pairs = [
        (
            "rook's graph 4 × 4 / Shrikhande",
            [generate::rook(4, 4)?, generate::shrikhande()],
            "clique:3..=4",
        ),
        (
            "decalin / bicyclopentyl",
            [Graph::from_edges(10, decalin)?, Graph::from_edges(10, other)?],
            "cycle:3..=6",
        ),
    ];
    let head = cells([
        "pair",
        "1-WL",
        "2-FWL",
        "3-FWL",
        "patterns",
        "GSN-v",
        "GSN-e",
        "random GSN-e",
        "why",
    ]);
    let mut rows = Vec::new();
    for (name, graphs, patterns) in pairs {
        let options = Options::new(patterns.parse()?);
        let report = separate(&graphs, &options)?;
        let verdict = |test: &str, view| match failures(&report, test, view).as_str() {
            "0" => "apart".to_owned(),
            "1" => "alike".to_owned(),
            other => other.to_owned(),
        };
        let found = certificate(&graphs, 0, 1, &options)?;
        let rows_of = |rows: &[(Vec<u64>, u64)]| {
            let one = |(row, times): &(Vec<u64>, u64)| format!("{times} × {}", row[0]);
            rows.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        let why = format!(
            "`{}`, {} {} counts: {} against {}",
            found.pattern.as_deref().unwrap_or("nothing"),
            found.matching.unwrap_or_default(),
            found.scope.unwrap_or_default(),
            rows_of(&found.left_rows),
            rows_of(&found.right_rows)
        );
        rows.push(vec![
            name.to_owned(),
            verdict("1-wl", None),
            verdict("2-fwl", None),
            verdict("3-fwl", None),
            format!("`{patterns}`"),
            verdict("counts+1-wl", Some(("vertex", "induced"))),
            verdict("counts+1-wl", Some(("arc", "induced"))),
            verdict("network-f64", Some(("arc", "induced"))),
            why,
        ]);
    }
    Ok(table(&head, &rows))
}
