//! Failures against the family and the size of its patterns: the curves of the paper.

use super::{Options, separate};
use crate::chart::{self, Line, Panel};
use crate::error::{Error, Result};
use gsn_core::{Graph, PatternSet};

/// The families of the paper, as they are written in the grammar.
pub const FAMILIES: [&str; 4] = ["cycle", "path", "clique", "all"];

/// Failures with the patterns of 3 to `k` vertices.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Point {
    /// Most vertices.
    pub k: usize,
    /// Pairs that are not told apart and not isomorphic.
    pub failures: u64,
}

/// One family looked at in one way.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Curve {
    /// The family.
    pub family: String,
    /// `counts` or `counts+1-wl`.
    pub test: String,
    /// `vertex` or `arc`.
    pub scope: &'static str,
    /// `induced` or `subgraph`.
    pub matching: &'static str,
    /// `exact` or `official`.
    pub orbits: &'static str,
    /// Failures by k.
    pub points: Vec<Point>,
}

/// Failures of every family for k from 3 to `largest`; `options` says the rest, its patterns are
/// not used. One pass a family serves all k.
///
/// # Errors
/// As [`separate`].
///
/// ```
/// use gsn_core::{generate, PatternSet};
/// use gsn_lab::separate::{Options, sweep};
/// let graphs = [generate::rook(4, 4)?, generate::shrikhande()];
/// let curves = sweep(&graphs, &["clique"], 4, &Options::new(PatternSet::default()))?;
/// let failures: Vec<u64> = curves[0].points.iter().map(|point| point.failures).collect();
/// assert_eq!(failures, [1, 0]); // triangles do not help, cliques of four do
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sweep(
    graphs: &[Graph],
    families: &[&str],
    largest: usize,
    options: &Options,
) -> Result<Vec<Curve>> {
    if largest < 3 {
        return Err(Error::Separate(format!("a sweep starts at 3 vertices, {largest} is below")));
    }
    let mut curves = Vec::new();
    for family in families {
        let patterns: PatternSet = format!("{family}:3..={largest}")
            .parse()
            .map_err(|e: gsn_core::pattern::PatternSyntaxError| Error::Separate(e.to_string()))?;
        let options = Options { patterns, fwl: 1, seeds: 0, certificates: 0, ..options.clone() };
        let report = separate(graphs, &options)?;
        for test in report.tests {
            let (Some(scope), Some(matching), Some(orbits)) =
                (test.scope, test.matching, test.orbits)
            else {
                continue;
            };
            let points = test.by_size.iter().map(|&(k, failures)| Point { k, failures }).collect();
            curves.push(Curve {
                family: (*family).to_owned(),
                test: test.test,
                scope,
                matching,
                orbits,
                points,
            });
        }
    }
    Ok(curves)
}

/// The failures with 1-WL as shares of the pairs, a panel for every scope and matching, as SVG.
pub fn chart(name: &str, curves: &[Curve], pairs: u64) -> String {
    let percent = 100.0 / pairs.max(1) as f64;
    let mut panels: Vec<Panel> = Vec::new();
    for curve in curves.iter().filter(|c| c.test == "counts+1-wl" && c.orbits == "exact") {
        let title = format!("{name}: {}, {}", curve.scope, curve.matching);
        let share = |failures: u64| 100.0 * failures as f64 / pairs.max(1) as f64;
        let points = curve.points.iter().map(|p| (p.k as f64, share(p.failures))).collect();
        let line = Line::new(&curve.family, points);
        match panels.iter_mut().find(|panel| panel.title == title) {
            Some(panel) => panel.lines.push(line),
            None => {
                let x = "k: patterns of 3 to k vertices; pairs not told apart";
                panels.push(Panel::new(title, x, vec![line]));
            }
        }
    }
    chart::shares(&panels, percent)
}
