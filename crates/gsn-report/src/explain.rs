//! Pictures of explanations: a graph with the occurrences that moved its prediction, orange where they raise it and
//! blue where they lower it.

use crate::draw::{Colour, Drawing, Panel, grid};
use gsn_core::PatternSet;
use gsn_lab::explain::{Effect, ExplainedGraph, Explanation, OccurrenceEffect, PatternEffect};

/// Occurrences that get a panel of their own.
const PANELS: usize = 11;
/// Pixels of a panel.
const ROOM: (f64, f64) = (240.0, 190.0);
const ACROSS: usize = 4;
/// The least effect in full colour, as a share of what all counts do to the prediction, and of the prediction: what
/// hardly matters should not shine.
const FAINT: (f64, f64) = (0.02, 1e-4);

/// A graph and the prediction of one output, as an SVG document: all occurrences together first, then those that moved it most, one by
/// one. Effects are by removal where there is one, else by gradients.
///
/// # Errors
/// If the value holds no graph, or no such output.
pub fn picture(
    explanation: &Explanation,
    graph: &ExplainedGraph,
    output: usize,
) -> Result<String, String> {
    let name = explanation.outputs.get(output).ok_or("there is no such output")?;
    let plain = drawing(graph)?;
    let said = graph.prediction.get(output).zip(graph.absent.get(output));
    let (&said, &absent) = said.ok_or("there is no prediction for this output")?;
    let most = strongest(graph, output);
    let scale = scale(most.iter().map(|(_, _, effect)| *effect), graph, output);
    let (together, _) = coloured(explanation, graph, output)?;
    let mut panels = vec![Panel {
        drawing: together,
        lines: vec![
            format!("{name}: {}", number(said)),
            format!("without patterns {}", number(absent)),
        ],
    }];
    for (pattern, occurrence, effect) in most.iter().take(PANELS) {
        let mut drawing = plain.clone();
        let pattern = explanation.patterns.get(pattern.pattern).map_or("?", String::as_str);
        let edges = edges(pattern, occurrence.vertices.len());
        let title = format!("{pattern} {}", signed(*effect));
        let colour = Colour::Signed(effect / scale);
        let place = |role: usize| occurrence.vertices[role] as usize;
        for role in 0..occurrence.vertices.len() {
            drawing.highlight_vertex(place(role), colour, title.as_str());
        }
        for (a, b) in edges {
            drawing.highlight_edge(place(a), place(b), colour, title.as_str());
        }
        panels.push(Panel {
            drawing,
            lines: vec![pattern.to_owned(), words(&occurrence.effect, output)],
        });
    }
    let row = graph.row;
    Ok(grid(&panels, ROOM, ACROSS, &format!("row {row}: what moved the prediction of {name}")))
}

/// The edges of a pattern, by its name; all pairs if the name says nothing.
fn edges(pattern: &str, order: usize) -> Vec<(usize, usize)> {
    let known = pattern.parse::<PatternSet>().ok();
    match known.as_ref().map(PatternSet::patterns) {
        Some([one]) if one.order() == order => one.edges().collect(),
        _ => (0..order).flat_map(|a| (0..a).map(move |b| (b, a))).collect(),
    }
}

/// The graph of an explanation without colours.
///
/// # Errors
/// If its lists contradict each other.
pub fn drawing(graph: &ExplainedGraph) -> Result<Drawing, String> {
    let plain = &graph.graph;
    if let Some(Ok(drawing)) = graph.smiles.as_deref().map(Drawing::of_smiles)
        && drawing.places().len() == plain.order
    {
        return Ok(drawing);
    }
    let found = plain.graph().map_err(|error| error.to_string())?;
    if plain.molecule {
        return Ok(Drawing::of_molecule_graph(&found));
    }
    let drawing = Drawing::of_graph(&found);
    Ok(match &plain.names {
        Some(names) => drawing.with_names(names.iter().cloned()),
        None => drawing,
    })
}

/// The occurrences that were looked at, those that moved an output most first.
pub fn strongest(
    graph: &ExplainedGraph,
    output: usize,
) -> Vec<(&PatternEffect, &OccurrenceEffect, f64)> {
    let all = graph.patterns.iter().flat_map(|pattern| {
        pattern.occurrences.iter().filter_map(move |occurrence| {
            Some((pattern, occurrence, *occurrence.effect.best()?.get(output)?))
        })
    });
    let mut all: Vec<_> = all.collect();
    all.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
    all
}

/// The effect that has the strongest colour: the largest there is, unless all are next to nothing.
fn scale(effects: impl Iterator<Item = f64>, graph: &ExplainedGraph, output: usize) -> f64 {
    let of = |all: &[f64]| all.get(output).copied().unwrap_or(0.0);
    let (said, absent) = (of(&graph.prediction), of(&graph.absent));
    let least = (FAINT.0 * (said - absent).abs()).max(FAINT.1 * said.abs()).max(1e-12);
    effects.fold(least, |most, effect| most.max(effect.abs()))
}

/// The graph with all its occurrences, and the effect that the strongest colour stands for.
///
/// # Errors
/// If its lists contradict each other.
pub(crate) fn coloured(
    explanation: &Explanation,
    graph: &ExplainedGraph,
    output: usize,
) -> Result<(Drawing, f64), String> {
    let mut drawing = drawing(graph)?;
    let scale = colour_all(&mut drawing, explanation, graph, output)?;
    Ok((drawing, scale))
}

/// Colours vertices by the effects of the patterns, handed out evenly to the vertices of their occurrences; gives the
/// effect in full colour.
fn colour_all(
    drawing: &mut Drawing,
    explanation: &Explanation,
    graph: &ExplainedGraph,
    output: usize,
) -> Result<f64, String> {
    let mut sums = vec![0.0; graph.graph.order];
    for (_, occurrence, effect) in strongest(graph, output) {
        for &v in &occurrence.vertices {
            let sum = sums.get_mut(v as usize).ok_or("an occurrence lies outside of its graph")?;
            *sum += effect / occurrence.vertices.len() as f64;
        }
    }
    let scale = scale(sums.iter().copied(), graph, output);
    let title = |sum: f64| {
        format!("{} of {}", signed(sum), explanation.outputs.get(output).map_or("", String::as_str))
    };
    for (v, &sum) in sums.iter().enumerate() {
        drawing.highlight_vertex(v, Colour::Signed(sum / scale), title(sum));
    }
    Ok(scale)
}

/// Both effects in a line.
fn words(effect: &Effect, output: usize) -> String {
    let of = |effects: &Option<Vec<f64>>| effects.as_ref()?.get(output).map(|x| signed(*x));
    let removal = of(&effect.removal).map(|x| format!("removal {x}"));
    let gradient = of(&effect.gradient).map(|x| format!("gradient {x}"));
    [removal, gradient].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A number with four digits that matter.
fn number(x: f64) -> String {
    if x == 0.0 {
        return "0".into();
    }
    let before = x.abs().log10().floor() as i32 + 1;
    format!("{x:.*}", (4 - before).clamp(0, 10) as usize)
}

/// The same with its sign.
pub fn signed(x: f64) -> String {
    if x > 0.0 { format!("+{}", number(x)) } else { number(x).replace('-', "−") }
}
