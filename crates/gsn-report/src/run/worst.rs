//! The predictions that are most wrong, drawn, with what was counted in them.

use super::RunFolder;
use super::predictions::{Predictions, Said};
use super::quality::called;
use crate::counted::Counted;
use crate::html::{Html, key, remark, tag};
use crate::picture;
use crate::words::{grouped, readable};
use gsn_core::Graph;
use gsn_lab::chart::{Line, short};
use gsn_nn::metrics::Answers;
use std::collections::{BTreeSet, HashMap};

/// Predictions that are shown.
const WORST: usize = 12;
/// Labels in the key of their colours, at most.
const LABELS: usize = 24;

/// The worst predictions.
pub(super) fn section(run: &RunFolder) -> Html {
    let Some(all) = &run.predictions else { return Html::new() };
    let mut order = most_wrong(all);
    order.truncate(WORST);
    if order.is_empty() {
        return Html::new();
    }
    let graphs: HashMap<u64, &Graph> = match &run.data {
        Ok(data) => data.dataset.samples.iter().map(|s| (s.row, &s.graph)).collect(),
        Err(_) => HashMap::new(),
    };
    let counted = run.recipe.counts.as_ref().map(|counts| {
        let names = counts.spec().patterns().iter().map(|p| p.name().to_owned());
        (Counted::new(counts.spec()), names.collect::<Vec<String>>())
    });
    let figures: Html = order
        .iter()
        .map(|said| {
            let graph = graphs.get(&said.row).copied();
            let name = called(&said.id, said.row);
            let drawn = picture::of_row(graph, &said.smiles, &name);
            let mut caption = Html::from(tag("b").with(name)).and(verdict(all, said));
            if let (Some(graph), Some((counted, names))) = (graph, &counted) {
                caption.push(occurrences(counted, names, graph));
            }
            tag("figure").with(drawn).with(tag("figcaption").with(caption))
        })
        .collect();
    let how = match all.answers {
        Answers::Numbers if all.targets.len() > 1 => "by error in units of the target's deviation",
        Answers::Numbers => "by error",
        _ => "by the probability of what is true",
    };
    let plain = order.iter().filter(|said| said.smiles.is_empty());
    let labels = labels(plain.filter_map(|said| graphs.get(&said.row).copied()));
    let of = grouped(all.rows.len() as u64);
    let what = match order.len() {
        shown if shown < all.rows.len() => format!("The {shown} most wrong of {of} test rows"),
        1 => "The only test row".to_owned(),
        _ => format!("All {of} test rows, the worst first"),
    };
    let said = if labels.is_empty() { "" } else { " Colours of vertices are their labels." };
    remark(format!("{what}, {how}.{said}")).and(labels).and(tag("div").class("drawn").with(figures))
}

/// The colours of the vertex labels in these graphs; nothing if there are none.
fn labels<'a>(graphs: impl Iterator<Item = &'a Graph>) -> Html {
    let drawn = graphs.filter(|graph| graph.order() <= picture::MOST);
    let all: BTreeSet<u32> =
        drawn.flat_map(|graph| graph.vertex_labels().unwrap_or_default()).copied().collect();
    let entry =
        |&label: &u32| Line::new(format!("label {label}"), Vec::new()).with_colour(label as usize);
    key(&all.iter().take(LABELS).map(entry).collect::<Vec<Line>>())
}

/// The rows whose error is known, the worst first.
pub(super) fn most_wrong(all: &Predictions) -> Vec<&Said> {
    let spreads = all.spreads();
    let mut order: Vec<(f64, &Said)> =
        all.rows.iter().filter_map(|said| Some((all.error(said, &spreads)?, said))).collect();
    order.retain(|(error, _)| error.is_finite());
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.row.cmp(&b.1.row)));
    order.into_iter().map(|(_, said)| said).collect()
}

/// What is true and what was said.
fn verdict(all: &Predictions, said: &Said) -> Html {
    let lines: Vec<String> = match all.answers {
        Answers::Classes => {
            let truth = said.truth[0] as usize;
            let name = |class: usize| all.classes.get(class).map_or("", String::as_str);
            let best = (0..said.said.len())
                .reduce(|a, b| if said.said[b] > said.said[a] { b } else { a })
                .unwrap_or(0);
            vec![format!(
                "{}: is {} (probability {}), said {} ({})",
                all.targets[0],
                name(truth),
                probability(said.said.get(truth).copied().unwrap_or(0.0)),
                name(best),
                probability(said.said[best])
            )]
        }
        answers => {
            let known = all.targets.iter().enumerate().filter(|(at, _)| !said.truth[*at].is_nan());
            let line = |(at, name): (usize, &String)| match answers {
                Answers::Questions => {
                    let is = if said.truth[at] > 0.5 { "yes" } else { "no" };
                    format!("{name}: is {is}, probability of yes {}", probability(said.said[at]))
                }
                _ => {
                    let (truth, value) = (said.truth[at], said.said[at]);
                    let error = short(value - truth);
                    format!("{name}: is {}, said {} (error {error})", short(truth), short(value))
                }
            };
            known.take(4).map(line).collect()
        }
    };
    lines.into_iter().map(|line| tag("div").with(line)).collect()
}

/// With three digits; what rounds to none or all is not said to be that.
fn probability(p: f64) -> String {
    match p {
        p if p < 0.0005 => "below 0.001".to_owned(),
        p if p >= 0.9995 => "above 0.999".to_owned(),
        p => format!("{p:.3}"),
    }
}

/// What is found in a graph.
fn occurrences(counted: &Counted, names: &[String], graph: &Graph) -> Html {
    let Some(totals) = counted.totals(graph) else {
        return tag("div").with("too large to count in for a report").into();
    };
    let found: Vec<String> = names
        .iter()
        .zip(totals)
        .filter(|(_, total)| *total > 0.0)
        .map(|(name, total)| format!("{name} × {}", readable(total)))
        .collect();
    let text = match found.len() {
        0 => "none of the patterns".to_owned(),
        _ => found.join(", "),
    };
    tag("div").with(text).into()
}
