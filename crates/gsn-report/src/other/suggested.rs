//! JSON of `gsn suggest`: which patterns are worth counting.

use super::drawn;
use crate::html::{
    Cell, Html, Section, Table, figure, figures, list, listing, paragraph, plot, prose, remark,
};
use crate::words::{percent, sentence};
use gsn_lab::chart::{Bar, Line, Plot, bars};
use serde::Deserialize;

/// Patterns in the charts, at most.
const CHARTED: usize = 30;
/// How the note about patterns without an occurrence begins.
const ABSENT: &str = "never found";

/// What was suggested.
#[derive(Debug, Deserialize)]
pub(crate) struct Suggested {
    data: String,
    graphs: (u64, u64),
    part: String,
    delta_without: f64,
    delta_with: f64,
    families: Vec<Family>,
    candidates: Vec<Candidate>,
    picks: Vec<Pick>,
    patterns: String,
    /// What trains with them; files of earlier versions do not say.
    #[serde(default)]
    command: Option<String>,
    #[serde(default)]
    notes: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Family {
    family: String,
    k: u64,
    delta: f64,
}

#[derive(Debug, Deserialize)]
struct Candidate {
    pattern: String,
    order: u64,
    found: f64,
    delta: f64,
    signal: Signal,
    cost: f64,
}

#[derive(Debug, Deserialize)]
struct Signal {
    share: f64,
    baseline: f64,
    f: f64,
}

#[derive(Debug, Deserialize)]
struct Pick {
    pattern: String,
    score: f64,
    why: String,
}

impl Suggested {
    pub(crate) fn title(&self) -> String {
        format!("Patterns for {}", self.data)
    }

    pub(crate) fn opening(&self) -> Html {
        let (seen, all) = self.graphs;
        paragraph(format!(
            "Which patterns are worth counting in {}, by {seen} of {all} graphs ({}). Input features \
             alone tell {} of the vertices of a graph apart, with the picked patterns {}.",
            self.data,
            self.part,
            percent(self.delta_without),
            percent(self.delta_with)
        ))
        .and(list(self.notes(false)))
    }

    /// What is to be said about patterns that never occur, or about all else.
    fn notes(&self, absent: bool) -> impl Iterator<Item = Html> {
        let notes = self.notes.iter().filter(move |note| note.starts_with(ABSENT) == absent);
        notes.map(|note| prose(sentence(note)))
    }

    pub(crate) fn sections(&self) -> Vec<Section> {
        let names: Vec<String> = self.picks.iter().map(|pick| pick.pattern.clone()).collect();
        vec![
            Section::new("Picked", self.picked().and(drawn(&names))),
            Section::new("Candidates", self.candidates()),
            Section::new("Families", self.families()),
        ]
    }

    fn picked(&self) -> Html {
        if self.picks.is_empty() {
            return paragraph("Nothing: no pattern gains enough over chance.");
        }
        let mut table = Table::new("One after the other", ["pattern", "score", "why"]);
        for pick in &self.picks {
            table.push([
                pick.pattern.as_str().into(),
                Cell::number(pick.score),
                pick.why.as_str().into(),
            ]);
        }
        let patterns = crate::shell_word(&self.patterns);
        let command = match &self.command {
            Some(command) => command.clone(),
            None => format!("gsn train … --patterns {patterns}"),
        };
        let score = "The score is the signal gained, and half the share of the remaining ambiguity that \
                     is resolved, less 0.01 for every tenfold of the cheapest pattern's steps.";
        Html::from(table).and(remark(score)).and(listing(&command))
    }

    fn candidates(&self) -> Html {
        let shown = &self.candidates[..self.candidates.len().min(CHARTED)];
        let rows = |of: fn(&Candidate) -> (f64, f64)| -> Vec<Bar> {
            let bar = |one: &Candidate| {
                let (value, mark) = of(one);
                let chosen = self.picks.iter().any(|pick| pick.pattern == one.pattern);
                Bar { name: one.pattern.clone(), values: vec![value], mark, chosen }
            };
            shown.iter().map(bar).collect()
        };
        let signal = bars(&["signal"], &rows(|one| (one.signal.share, one.signal.baseline)));
        let delta = bars(&["δ"], &rows(|one| (one.delta, 0.0)));
        let pictures = figures([
            figure(
                &signal,
                "Share of the label's variance that occurrences explain; the mark is chance.",
            ),
            figure(&delta, "Share of vertices that counts and input features tell apart."),
        ]);
        let head =
            ["pattern", "vertices", "signal", "chance", "F", "δ", "found in", "steps a graph"];
        let mut table = Table::new("All candidates", head);
        for one in &self.candidates {
            table.push([
                one.pattern.as_str().into(),
                Cell::whole(one.order),
                Cell::number(one.signal.share),
                Cell::number(one.signal.baseline),
                Cell::valued(format!("{:.1}", one.signal.f), one.signal.f),
                Cell::number(one.delta),
                Cell::share(one.found),
                Cell::whole(one.cost.round() as u64),
            ]);
        }
        let meaning = "F is the statistic of the F-test for the signal: the larger, the less it looks like \
                       chance. Steps are those predicted for counting the pattern in one graph.";
        let html = pictures.and(remark("Picked patterns are orange.")).and(table);
        html.and(remark(meaning)).and(self.notes(true).map(remark).collect::<Html>())
    }

    fn families(&self) -> Html {
        if self.families.is_empty() {
            return Html::new();
        }
        let mut lines: Vec<Line> = Vec::new();
        for one in &self.families {
            let point = (one.k as f64, one.delta);
            match lines.iter_mut().find(|line| line.name == one.family) {
                Some(line) => line.points.push(point),
                None => lines.push(Line::new(&one.family, vec![point])),
            }
        }
        let mut table = Table::new("Families", ["family", "k", "δ"]);
        for Family { family, k, delta } in &self.families {
            table.push([family.as_str().into(), Cell::whole(*k), Cell::number(*delta)]);
        }
        let without = Line::new(
            "input features alone",
            lines.iter().flat_map(|line| &line.points).map(|p| (p.0, self.delta_without)).collect(),
        );
        lines.push(without.with_colour(7).with_dashes(true));
        figures([plot(Plot {
            title: "Vertices told apart by whole families of 3 to k vertices".into(),
            x: "k, vertices of the largest pattern".into(),
            y: "δ, share of vertices".into(),
            lines,
            ..Plot::default()
        })])
        .and(table)
    }
}
