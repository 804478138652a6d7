//! What moved the worst predictions: effects of patterns and of their occurrences, as `gsn explain` finds
//! them. Cost: some tens of predictions for every graph that is shown.

use super::RunFolder;
use super::predictions::Said;
use super::quality::called;
use super::worst::most_wrong;
use crate::html::{Html, prose, remark, tag};
use crate::other::explained::{EFFECTS, Explained};
use crate::picture;
use gsn_lab::Sample;
use gsn_lab::experiment::JudgedRows;
use gsn_lab::explain::explain_samples;
use gsn_lab::model_file::ModelFile;
use gsn_lab::predict::Predictor;
use std::collections::HashMap;

/// Predictions that are explained.
const EXPLAINED: usize = 3;
/// Occurrences of one pattern in one graph that are looked at one by one, at most.
const OCCURRENCES: usize = 30;

/// The worst predictions whose graphs can be drawn, explained by the model that the run ended with; nothing
/// where nothing is counted or there is no model yet.
pub(super) fn section(run: &RunFolder) -> Html {
    let model = run.path.join("model.gsn");
    let (Some(all), Ok(data)) = (&run.predictions, &run.data) else { return Html::new() };
    if run.recipe.counts.is_none() || !model.is_file() {
        return Html::new();
    }
    let samples: HashMap<u64, &Sample> = data.dataset.samples.iter().map(|s| (s.row, s)).collect();
    let drawable = |said: &&Said| {
        let sample = samples.get(&said.row).copied();
        sample.filter(|sample| sample.graph.order() <= picture::MOST)
    };
    let worst: Vec<(&Said, &Sample)> = most_wrong(all)
        .into_iter()
        .filter_map(|said| Some((said, drawable(&said)?)))
        .take(EXPLAINED)
        .collect();
    if worst.is_empty() {
        return Html::new();
    }
    let chosen: Vec<&Sample> = worst.iter().map(|(_, sample)| *sample).collect();
    let found = ModelFile::open(&model)
        .and_then(Predictor::new)
        .and_then(|predictor| explain_samples(&predictor, &chosen, OCCURRENCES));
    let mut found = match found {
        Ok(found) => found,
        Err(error) => return remark(format!("The predictions are not explained: {error}.")),
    };
    let mut names = HashMap::new();
    for graph in &mut found.graphs {
        graph.no_gradients = None;
        if let Some((said, _)) = worst.iter().find(|(said, _)| said.row == graph.row) {
            graph.smiles = Some(said.smiles.clone()).filter(|smiles| !smiles.is_empty());
            names.insert(graph.row, called(&said.id, said.row));
        }
    }
    let explained = Explained(found);
    let mut html = remark(prose(format!(
        "Predictions of the model that the run ended with.{} {EFFECTS} `gsn explain` has shares of \
         gradients beside it.",
        difference(run)
    )));
    for graph in &explained.0.graphs {
        let name = names.get(&graph.row).map_or("", String::as_str);
        html.push(tag("p").with(tag("b").with(name)));
        html.push(explained.graph(graph, name));
    }
    for bad in &explained.0.rejected {
        html.push(remark(format!("Row {} is not explained: {}.", bad.row, bad.reason)));
    }
    html
}

/// Why what is explained can differ from what was judged; nothing where both are the same networks.
fn difference(run: &RunFolder) -> &'static str {
    let together = run.results().and_then(|results| results.ensemble.as_ref());
    match together.map(|ensemble| ensemble.rows) {
        Some(JudgedRows::Test) => "",
        _ => {
            " The rows above were predicted by networks that had not seen them, which is not so for \
             every network of this model: its predictions can differ from those."
        }
    }
}
