//! JSON of `gsn separate`: which tests tell the graphs of a file apart.

use super::drawn;
use crate::html::{
    Cell, Html, Section, Table, beside, figure, figures, paragraph, plot, prose, remark, warning,
};
use gsn_lab::chart::{Line, Plot, Range, ranges, short};
use serde::Deserialize;

/// What was found in one file of graphs.
#[derive(Debug, Deserialize)]
pub(crate) struct Separated {
    file: String,
    #[serde(default)]
    graphs: u64,
    #[serde(default)]
    pairs: u64,
    #[serde(default)]
    patterns: Vec<String>,
    #[serde(default)]
    tests: Vec<Test>,
    #[serde(default)]
    sweep: Vec<Curve>,
    #[serde(default)]
    isomorphic: Option<u64>,
    #[serde(default)]
    unseparated: u64,
    #[serde(default)]
    certificates: Vec<Certificate>,
    /// Of one pair, that itself.
    #[serde(flatten)]
    pair: Option<Certificate>,
    #[serde(default)]
    rejected: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Test {
    test: String,
    failures: Option<u64>,
    scope: Option<String>,
    matching: Option<String>,
    orbits: Option<String>,
    note: Option<String>,
    #[serde(default)]
    by_seed: Vec<u64>,
}

#[derive(Debug, Deserialize)]
struct Curve {
    family: String,
    test: String,
    scope: String,
    matching: String,
    orbits: String,
    points: Vec<Point>,
}

#[derive(Debug, Deserialize)]
struct Point {
    k: u64,
    failures: u64,
}

#[derive(Debug, Deserialize)]
struct Certificate {
    left: u64,
    right: u64,
    pattern: Option<String>,
    scope: Option<String>,
    matching: Option<String>,
    #[serde(default)]
    left_rows: Vec<(Vec<u64>, u64)>,
    #[serde(default)]
    right_rows: Vec<(Vec<u64>, u64)>,
}

impl Separated {
    /// `Graphs of sr25 told apart`
    pub(crate) fn title(&self) -> String {
        format!("Telling the graphs of {} apart", self.file)
    }

    pub(crate) fn opening(&self) -> Html {
        let mut opening = match self.pairs {
            0 => Html::new(),
            pairs => paragraph(format!("{} graphs, {pairs} pairs.", self.graphs)),
        };
        match self.isomorphic {
            Some(0) => opening.push(paragraph("No two graphs of a pair are isomorphic.")),
            Some(n) => opening.push(paragraph(format!("{n} pairs are isomorphic."))),
            None => {}
        }
        if self.unseparated > 0 {
            let text = format!("No test here tells {} pairs apart.", self.unseparated);
            opening.push(paragraph(text));
        }
        if let Some(first) = self.rejected.first() {
            let n = self.rejected.len();
            let text = format!("{n} rows of the file were left out; the first: {first}.");
            opening.push(warning(text));
        }
        opening
    }

    pub(crate) fn sections(&self) -> Vec<Section> {
        vec![
            Section::new("Tests", self.tests()),
            Section::new("Failures by size", self.curves()),
            Section::new("Certificates", self.certificates()),
            Section::new("Patterns", drawn(&self.patterns)),
        ]
    }

    fn share(&self, failures: u64) -> f64 {
        100.0 * failures as f64 / self.pairs.max(1) as f64
    }

    fn tests(&self) -> Html {
        if self.tests.is_empty() {
            return Html::new();
        }
        let named = |test: &Test| {
            let of = [&test.scope, &test.matching, &test.orbits];
            let words: Vec<&str> = std::iter::once(test.test.as_str())
                .chain(of.into_iter().flatten().map(String::as_str))
                .collect();
            words.join(", ")
        };
        let rows: Vec<Range> = self
            .tests
            .iter()
            .filter_map(|test| {
                let failures = test.failures?;
                let point = |&n: &u64| (self.share(n), format!("one seed: {n} pairs"));
                Some(Range {
                    name: format!("{}: {failures}", named(test)),
                    points: test.by_seed.iter().map(point).collect(),
                    mean: Some(self.share(failures)),
                    interval: Some([0.0, self.share(failures)]),
                    colour: usize::from(failures > 0),
                })
            })
            .collect();
        let head = ["test", "scope", "matching", "orbits", "pairs", "share, %", "by seed", "note"];
        let mut table = Table::new("Pairs that are not told apart", head);
        for test in &self.tests {
            let text = |word: &Option<String>| Cell::from(word.as_deref().unwrap_or_default());
            let seeds: Vec<String> = test.by_seed.iter().map(u64::to_string).collect();
            table.push([
                test.test.as_str().into(),
                text(&test.scope),
                text(&test.matching),
                text(&test.orbits),
                test.failures.map_or("–".into(), Cell::whole),
                Cell::number(test.failures.map(|n| self.share(n))),
                seeds.join(", ").into(),
                text(&test.note),
            ]);
        }
        let caption = "Share of the pairs that a test does not tell apart; the number behind its name \
                       is how many they are. Isomorphic pairs do not count.";
        beside(figure(&ranges("pairs not told apart, %", &rows), caption), table.into())
    }

    fn curves(&self) -> Html {
        if self.sweep.is_empty() {
            return Html::new();
        }
        let mut kinds: Vec<(&str, &str, &str, &str)> = Vec::new();
        for c in &self.sweep {
            let kind = (&*c.test, &*c.scope, &*c.matching, &*c.orbits);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let mut families: Vec<&str> = Vec::new();
        for curve in &self.sweep {
            if !families.contains(&&*curve.family) {
                families.push(&curve.family);
            }
        }
        let pictures = kinds.iter().map(|kind| {
            let of = self
                .sweep
                .iter()
                .filter(|c| (&*c.test, &*c.scope, &*c.matching, &*c.orbits) == *kind);
            let line = |curve: &Curve| {
                let points = curve.points.iter().map(|p| (p.k as f64, self.share(p.failures)));
                let colour = families.iter().position(|name| *name == curve.family).unwrap_or(0);
                Line::new(&curve.family, points.collect()).with_colour(colour)
            };
            let (test, scope, matching, orbits) = kind;
            plot(Plot {
                title: format!("{test}, {scope}, {matching}, {orbits} orbits"),
                x: "vertices of the patterns".into(),
                y: "pairs not told apart, %".into(),
                lines: of.map(line).collect(),
                ..Plot::default()
            })
        });
        let mut table = Table::new("Failures", ["family", "test", "counts", "vertices", "pairs"]);
        for curve in &self.sweep {
            for point in &curve.points {
                table.push([
                    curve.family.as_str().into(),
                    curve.test.as_str().into(),
                    format!("{}, {}, {}", curve.scope, curve.matching, curve.orbits).into(),
                    Cell::whole(point.k),
                    Cell::whole(point.failures),
                ]);
            }
        }
        figures(pictures).and(table)
    }

    fn certificates(&self) -> Html {
        let all: Vec<&Certificate> = self.certificates.iter().chain(&self.pair).collect();
        if all.is_empty() {
            return Html::new();
        }
        let head = ["graphs", "pattern", "counts", "rows of the first", "rows of the second"];
        let mut table = Table::new("Patterns whose counts differ", head);
        for found in all {
            let pattern = found.pattern.as_deref();
            let counts = [&found.matching, &found.scope].map(|w| w.as_deref().unwrap_or_default());
            table.push([
                format!("{} and {}", found.left, found.right).into(),
                pattern.unwrap_or("none tells them apart").into(),
                counts.join(" ").trim().into(),
                listed(&found.left_rows).into(),
                listed(&found.right_rows).into(),
            ]);
        }
        let mut html = Html::from(table);
        html.push(remark("12 × (96) means that twelve rows have the counts 96."));
        let (shown, apart) = (self.certificates.len() as u64, self.told_apart());
        if (1..apart).contains(&shown) {
            let text = format!(
                "Certificates of {shown} of the {apart} pairs that are told apart; `--certificates N` of \
                 `gsn separate` gives more."
            );
            html.push(remark(prose(text)));
        }
        html
    }

    /// Pairs that some test tells apart.
    fn told_apart(&self) -> u64 {
        self.pairs.saturating_sub(self.unseparated + self.isomorphic.unwrap_or(0))
    }
}

/// `12 × (96), 1 × (108)`, the first few.
fn listed(rows: &[(Vec<u64>, u64)]) -> String {
    let one = |(row, times): &(Vec<u64>, u64)| {
        let row: Vec<String> = row.iter().map(|&x| short(x as f64)).collect();
        format!("{times} × ({})", row.join(", "))
    };
    let mut text: Vec<String> = rows.iter().take(5).map(one).collect();
    if rows.len() > 5 {
        text.push(format!("… {} kinds", rows.len()));
    }
    text.join(", ")
}
