//! Options that change keys of a recipe: `--set`, and short ones for the keys that are changed
//! most.

use crate::args::{MatchingArgument, OrbitsArgument, ScopeArgument};
use anyhow::bail;
use clap::{Args, ValueEnum};
use gsn_lab::train::ClassWeights;

/// Changes to a recipe.
#[derive(Debug, Args)]
#[command(next_help_heading = "The recipe")]
pub(crate) struct RecipeArguments {
    /// Change a key of the recipe, such as training.lr=0.01; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// What is counted, such as cycle:3..=6,clique:4; may be repeated (counts.patterns)
    #[arg(long, value_name = "PATTERNS")]
    patterns: Vec<String>,
    /// Counts on vertices, edges or arcs (counts.scope)
    #[arg(long, value_name = "SCOPE", value_enum)]
    scope: Option<ScopeArgument>,
    /// Which subgraphs count (counts.matching)
    #[arg(long, value_name = "MATCHING", value_enum)]
    matching: Option<MatchingArgument>,
    /// Which orbits of edges and arcs (counts.edge-orbits)
    #[arg(long, value_name = "ORBITS", value_enum)]
    orbits: Option<OrbitsArgument>,
    /// Epochs at most (training.epochs)
    #[arg(long, value_name = "N")]
    epochs: Option<u64>,
    /// Learning rate at the start (training.lr)
    #[arg(long, value_name = "RATE")]
    lr: Option<f64>,
    /// Graphs of a mini-batch (training.batch)
    #[arg(long, value_name = "N")]
    batch: Option<usize>,
    /// Width of the layers (network.width)
    #[arg(long, value_name = "N")]
    width: Option<usize>,
    /// Message passing layers (network.layers)
    #[arg(long, value_name = "N")]
    layers: Option<usize>,
    /// What no and yes, or the classes, are worth in the loss: balanced, or numbers such as 1,9.5
    /// (training.class-weights)
    #[arg(long, value_name = "WEIGHTS")]
    class_weights: Option<ClassWeights>,
}

/// An option, the key it stands for, and the value as TOML.
type Short = (&'static str, &'static str, String);

impl RecipeArguments {
    /// All as settings `key=value`, with further options of the verb that stand for keys.
    ///
    /// # Errors
    /// When a key is changed twice.
    pub(crate) fn settings(
        &self,
        more: impl IntoIterator<Item = Short>,
    ) -> anyhow::Result<Vec<String>> {
        let mut settings = self.settings.clone();
        for (option, key, value) in self.short().into_iter().chain(more) {
            let same = |setting: &&String| {
                setting.split_once('=').is_some_and(|(set, _)| set.trim() == key)
            };
            if let Some(setting) = self.settings.iter().find(same) {
                bail!("{option} and --set {setting} change the same key; give one of them");
            }
            settings.push(format!("{key}={value}"));
        }
        Ok(settings)
    }

    fn short(&self) -> Vec<Short> {
        let text = |text: &str| serde_json::Value::from(text).to_string();
        let patterns = (!self.patterns.is_empty()).then(|| text(&self.patterns.join(",")));
        let word = |word: clap::builder::PossibleValue| text(word.get_name());
        let scope = self.scope.and_then(|scope| scope.to_possible_value()).map(word);
        let matching = self.matching.and_then(|matching| matching.to_possible_value()).map(word);
        // Vertices have no edge orbits, whatever the recipe said for its edges.
        let vertex = matches!(self.scope, Some(ScopeArgument::Vertex));
        let orbits = self.orbits.or(vertex.then_some(OrbitsArgument::Exact));
        let orbits = orbits.and_then(|orbits| orbits.to_possible_value()).map(word);
        let all = [
            ("--patterns", "counts.patterns", patterns),
            ("--scope", "counts.scope", scope),
            ("--matching", "counts.matching", matching),
            ("--orbits", "counts.edge-orbits", orbits),
            ("--epochs", "training.epochs", self.epochs.map(|n| n.to_string())),
            // With a point or an exponent, as TOML wants a real number.
            ("--lr", "training.lr", self.lr.map(|x| format!("{x:?}"))),
            ("--batch", "training.batch", self.batch.map(|n| n.to_string())),
            ("--width", "network.width", self.width.map(|n| n.to_string())),
            ("--layers", "network.layers", self.layers.map(|n| n.to_string())),
            (
                "--class-weights",
                "training.class-weights",
                self.class_weights.as_ref().map(ToString::to_string),
            ),
        ];
        all.into_iter().filter_map(|(option, key, value)| Some((option, key, value?))).collect()
    }
}
