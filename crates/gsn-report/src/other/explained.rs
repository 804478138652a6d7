//! JSON of `gsn explain`: which occurrences moved predictions, graph by graph.

use crate::explain::{coloured, strongest};
use crate::html::{
    Cell, Html, Section, Table, beside, list, paragraph, prose, remark, tag, warning,
};
use crate::picture;
use gsn_lab::chart::{clipped, short};
use gsn_lab::explain::{Effect, ExplainedGraph, Explanation};

/// Graphs with a section of their own, at most.
const SHOWN: usize = 20;
/// Occurrences of a graph that are listed, at most.
const LISTED: usize = 8;

/// What removals mean.
pub(crate) const EFFECTS: &str = "An effect is positive where it raises the prediction. By removal it is \
                                  the prediction less the one without these counts.";

/// What was explained.
pub(crate) struct Explained(pub(crate) Explanation);

impl Explained {
    pub(crate) fn title(&self) -> String {
        let Explanation { model, data, .. } = &self.0;
        format!(
            "What moved predictions of {}, trained on {}",
            clipped(model, 80),
            clipped(data, 80)
        )
    }

    pub(crate) fn opening(&self) -> Html {
        let Explanation { graphs, rows, left_out, rejected, notes, .. } = &self.0;
        let mut opening = paragraph(format!(
            "{} of {rows} rows are explained. {EFFECTS} By gradient it is the share of integrated \
             gradients from no counts to those of the graph.",
            graphs.len()
        ));
        opening.push(list(notes.iter().map(prose)));
        if *left_out > 0 {
            let text = format!("{left_out} more rows were left out; --graphs N explains more.");
            opening.push(remark(text));
        }
        if let Some(first) = rejected.first() {
            let text = format!(
                "{} rows could not be explained; the first is row {}: {}.",
                rejected.len(),
                first.row,
                first.reason
            );
            opening.push(warning(text));
        }
        opening
    }

    pub(crate) fn sections(&self) -> Vec<Section> {
        let graphs = &self.0.graphs;
        let mut sections: Vec<Section> =
            graphs.iter().take(SHOWN).map(|graph| self.section(graph)).collect();
        if graphs.len() > SHOWN {
            let text = format!("The first {SHOWN} of {} graphs are shown.", graphs.len());
            sections.push(Section::new("Other graphs", remark(text)));
        }
        sections
    }

    fn section(&self, graph: &ExplainedGraph) -> Section {
        let name = graph.name.as_deref().or(graph.smiles.as_deref()).unwrap_or_default();
        let heading = format!("Row {} {}", graph.row, clipped(name, 60)).trim_end().to_owned();
        let inside = self.graph(graph, &heading);
        Section::new(heading, inside)
    }

    /// One graph: coloured by all effects, with a table of its patterns and one of occurrences.
    pub(crate) fn graph(&self, graph: &ExplainedGraph, heading: &str) -> Html {
        let output = self.output(graph);
        let outputs = &self.0.outputs;
        let asked = outputs.get(output).map_or("", String::as_str);
        let of = |all: &[f64]| all.get(output).copied();
        let order = graph.graph.order;
        let (drawn, caption) = match order > picture::MOST {
            true => (remark(format!("{order} vertices are too many to draw")), String::new()),
            false => match coloured(&self.0, graph, output) {
                Ok((drawing, scale)) => (picture::shown(drawing, heading), colours(graph, scale)),
                Err(why) => (remark(format!("there is no picture: {why}")), String::new()),
            },
        };
        let drawn = tag("figure").with(drawn).with(tag("figcaption").with(caption));
        let numbers = tag("div").class("numbers");
        let mut said = Table::new(format!("Prediction of {asked}"), ["counts", "prediction"]);
        said.push(["as they are".into(), Cell::number(of(&graph.prediction))]);
        said.push(["no pattern occurs".into(), Cell::number(of(&graph.absent))]);
        if graph.patterns.is_empty() {
            let text = "No pattern occurs in it: the network has nothing but the graph itself.";
            return beside(drawn.into(), numbers.with(said).with(paragraph(text)).into());
        }
        let head = ["pattern", "occurrences", "removal", "gradient", "note"];
        let mut table = Table::new("Effects of patterns", head);
        for effect in &graph.patterns {
            let [removal, gradient] = both(&effect.effect, output);
            let note =
                if effect.effect.unseen { "without it, counts training never saw" } else { "" };
            let name = self.pattern(effect.pattern);
            table.push([name.into(), Cell::whole(effect.total), removal, gradient, note.into()]);
        }
        let mut inside = beside(drawn.into(), numbers.with(said).with(table).into());
        inside.push(self.occurrences(graph, output));
        inside.push(gap(graph, output));
        if let Some(why) = &graph.no_gradients {
            inside.push(remark(format!("There are no gradients: {why}.")));
        }
        inside
    }

    /// The occurrences that moved it most.
    fn occurrences(&self, graph: &ExplainedGraph, output: usize) -> Html {
        let mut all = strongest(graph, output);
        let looked_at = all.len();
        let size = graph.prediction.get(output).map_or(1.0, |x| x.abs().max(1e-3));
        // What is left of rounding is no effect.
        all.retain(|(_, _, effect)| effect.abs() > 1e-6 * size);
        if all.is_empty() {
            let text = format!("None of the {looked_at} occurrences looked at moves it by itself.");
            return remark(text);
        }
        let name = match looked_at > all.len().min(LISTED) {
            true => {
                let shown = all.len().min(LISTED);
                format!("{shown} of {looked_at} occurrences: those that moved it most")
            }
            false => "Occurrences".to_owned(),
        };
        let mut table = Table::new(name, ["pattern", "vertices", "removal", "gradient"]);
        for (pattern, occurrence, _) in all.into_iter().take(LISTED) {
            let vertex = |v: &u32| match &graph.graph.names {
                Some(names) => names.get(*v as usize).cloned().unwrap_or_default(),
                None => v.to_string(),
            };
            let vertices: Vec<String> = occurrence.vertices.iter().map(vertex).collect();
            let [removal, gradient] = both(&occurrence.effect, output);
            let name = self.pattern(pattern.pattern);
            table.push([name.into(), vertices.join(", ").into(), removal, gradient]);
        }
        table.into()
    }

    fn pattern(&self, at: usize) -> &str {
        self.0.patterns.get(at).map_or("?", String::as_str)
    }

    /// The class that is predicted, or the first target.
    fn output(&self, graph: &ExplainedGraph) -> usize {
        let classes = self.0.probabilities && self.0.outputs.iter().all(|name| name.contains('='));
        let better = |a: usize, b: usize| {
            if graph.prediction[b] > graph.prediction[a] { b } else { a }
        };
        let best = (0..graph.prediction.len()).reduce(better).unwrap_or(0);
        if classes { best } else { 0 }
    }
}

/// What the colours of a picture say.
fn colours(graph: &ExplainedGraph, scale: f64) -> String {
    if graph.patterns.is_empty() {
        return String::new();
    }
    format!(
        "Orange raises the prediction, blue lowers it: the effects of all occurrences, handed out \
         evenly to their vertices. The strongest colour stands for an effect of {}.",
        short(scale)
    )
}

/// A warning where the gradients do not sum to the difference they should explain.
fn gap(graph: &ExplainedGraph, output: usize) -> Html {
    let of = |all: &[f64]| all.get(output).copied();
    let found = graph.gradients.as_ref().and_then(|path| of(&path.gap));
    let difference = of(&graph.prediction).zip(of(&graph.absent)).map(|(a, b)| a - b);
    match found.zip(difference) {
        Some((gap, difference)) if gap.abs() > 0.02 * difference.abs() && gap.abs() > 1e-6 => {
            let text = format!(
                "The gradients do not add up: they miss the difference of the two predictions by {}. \
                 Removals are exact.",
                short(gap)
            );
            warning(text)
        }
        _ => Html::new(),
    }
}

/// By removal and by gradient.
fn both(effect: &Effect, output: usize) -> [Cell; 2] {
    [&effect.removal, &effect.gradient]
        .map(|all| Cell::number(all.as_ref().and_then(|all| all.get(output).copied())))
}
