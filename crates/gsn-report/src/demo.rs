//! The page of `gsn demo`: two molecules, what is counted in them, and two networks that learn.

use crate::counted::Counted;
use crate::draw::Drawing;
use crate::html::{Cell, Html, Page, Section, Table, figures, listing, paragraph, plot, tag};
use crate::picture;
use crate::run::patterns;
use gsn_core::{CountSpec, Graph, Pattern, PatternSet};
use gsn_lab::chart::{Line, Plot};

/// What the demo shows.
#[derive(Clone, Debug)]
pub struct Demo<'a> {
    /// Molecules that ordinary networks cannot tell apart, by their names.
    pub molecules: Vec<(&'a str, Graph)>,
    /// What is counted in them.
    pub patterns: PatternSet,
    /// Right answers of every network after every epoch, on molecules never seen.
    pub curves: Vec<(&'a str, Vec<f64>)>,
    /// Molecules to learn from, and never seen.
    pub graphs: (u64, u64),
}

impl Demo<'_> {
    /// The page.
    pub fn page(&self) -> String {
        let opening = paragraph(
            "Ordinary graph networks see the same thing in both molecules below. Counts of small \
             patterns around every atom make the difference.",
        );
        let mut page = Page::new("Graph Substructure Networks, a demonstration", opening);
        let sections = vec![
            Section::new("Two molecules", self.molecules()),
            Section::new("Two networks learn the difference", self.learned()),
            Section::new("What is counted", self.counted()),
            Section::new("Go on", go_on()),
        ];
        page.add(None, sections);
        crate::finished(page)
    }

    fn molecules(&self) -> Html {
        let names = self.patterns.iter().map(|pattern| pattern.name().to_owned());
        let head = std::iter::once("molecule".to_owned()).chain(names);
        let mut table = Table::new("Occurrences", head);
        let counted = Counted::new(&CountSpec::new(self.patterns.clone()));
        let mut drawn = Html::new();
        for (name, graph) in &self.molecules {
            let cells = counted.totals(graph).unwrap_or_default().into_iter().map(Cell::number);
            table.push(std::iter::once(Cell::from(*name)).chain(cells));
            let caption = tag("figcaption").with(*name);
            drawn.push(
                tag("figure")
                    .with(picture::shown(Drawing::of_molecule_graph(graph), name))
                    .with(caption),
            );
        }
        Html::from(tag("div").class("drawn").with(drawn)).and(table)
    }

    fn learned(&self) -> Html {
        let (train, test) = self.graphs;
        let line = |(name, shares): &(&str, Vec<f64>)| {
            let points = shares.iter().enumerate().map(|(at, y)| (at as f64 + 1.0, 100.0 * y));
            Line::new(*name, points.collect())
        };
        let picture = plot(Plot {
            title: format!("Right answers on {test} molecules never seen"),
            x: "epoch".into(),
            y: "right answers, %".into(),
            lines: self.curves.iter().map(line).collect(),
            ..Plot::default()
        });
        let text = format!(
            "Fused rings like decalin, or joined ones like bicyclopentyl? The same network learns from \
             {train} molecules with random groups on their rings, with and without ring counts."
        );
        let mut table = Table::new("After the last epoch", ["network", "right answers, %"]);
        for (name, shares) in &self.curves {
            table.push([(*name).into(), Cell::number(shares.last().map(|share| 100.0 * share))]);
        }
        paragraph(text).and(figures([picture])).and(table)
    }

    fn counted(&self) -> Html {
        let all: Vec<&Pattern> = self.patterns.iter().collect();
        patterns::drawn(&all, gsn_core::EdgeOrbits::Exact)
    }
}

fn go_on() -> Html {
    listing(
        "gsn train mutag-gsn-e\ngsn train molecules.csv --target y\n\
         gsn count molecules.csv -p cycle:3..=8 -o counts.parquet\ngsn report runs/mutag-gsn-e",
    )
}
